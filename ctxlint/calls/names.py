"""What a dotted name means: through imports, re-exports, star imports, aliases and enclosing scopes, to where it is defined.

The answer is canonical: two spellings of one thing give the same text. `package.module.Class.method` for what the program
defines, `builtins.open` for builtins, the dotted name as written after its import for everything outside the program.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from typing import Protocol

from ctxlint.calls.scopes import Scope, dotted_text
from ctxlint.ir.module import Module

BUILTINS = frozenset(
    [name for name in dir(builtins) if name != "_"]
    + ["BaseExceptionGroup", "EncodingWarning", "ExceptionGroup", "PythonFinalizationError", "aiter", "anext"]
)
"""The builtin names of every supported interpreter, so that the answer does not depend on the running one."""


class Linked(Protocol):
    """What name resolution asks of a module."""

    @property
    def name(self) -> str: ...
    @property
    def ir(self) -> Module: ...


class Names(Protocol):
    """What name resolution asks of a program: its modules, their tables, and a place to remember answers."""

    @property
    def modules(self) -> Mapping[str, Linked]: ...
    @property
    def scopes(self) -> Mapping[str, Scope]: ...
    @property
    def canonical_names(self) -> dict[str, str]: ...


def resolve_name(program: Names, module: str, function: int, dotted: str) -> str:
    """The canonical name of `dotted` as written in the function with that index of `module` (0: the module body).

    A subscript is ignored (`Store[T]` is `Store`). Empty when the first part is a parameter or local variable.
    Without a module the name is absolute already, or that of a builtin.
    """
    text = dotted.partition("[")[0].strip()
    if not text:
        return ""
    head, _, rest = text.partition(".")
    if not module:
        return canonical(program, text) if rest or head not in BUILTINS else f"builtins.{head}"
    inner = _enclosing_meaning(program, module, function, head)
    if inner is None:
        inner = module_meaning(program, module, head)
    if not inner:
        return ""
    return canonical(program, f"{inner}.{rest}" if rest else inner)


def module_meaning(program: Names, module: str, name: str) -> str:
    """The canonical name of what `name` means at module level of `module`, builtins included."""
    member = _member(program, module, (name,), ())
    if member is not None:
        return member
    stars = [star for star in program.scopes[module].stars if star not in program.modules]
    if name not in BUILTINS and stars:
        return f"{stars[-1]}.{name}"
    return f"builtins.{name}" if name in BUILTINS else f"{module}.{name}"


def canonical(program: Names, dotted: str) -> str:
    """Where the absolute name `dotted` leads: its definition in the program, or the name it has outside."""
    known = program.canonical_names.get(dotted)
    if known is None:
        known = _canonical(program, dotted, ())
        program.canonical_names[dotted] = known
    return known


def split(program: Names, dotted: str) -> tuple[str, str]:
    """The longest prefix that is a module of the program (or empty), and what follows it."""
    prefix = dotted
    while prefix:
        if prefix in program.modules:
            return prefix, dotted[len(prefix) + 1 :]
        prefix = prefix.rpartition(".")[0]
    return "", dotted


def _canonical(program: Names, dotted: str, seen: tuple[str, ...]) -> str:
    if dotted in seen:
        return dotted
    seen = (*seen, dotted)
    module, rest = split(program, dotted)
    if not module:
        return dotted
    if not rest:
        return _module_or_attribute(program, module, seen)
    return _member(program, module, tuple(rest.split(".")), seen) or dotted


def _module_or_attribute(program: Names, module: str, seen: tuple[str, ...]) -> str:
    """A package attribute hides the submodule of the same name: `from .app import app` in `__init__`."""
    package, _, name = module.rpartition(".")
    if package not in program.modules:
        return module
    scope = program.scopes[package]
    if name in scope.functions or name in scope.classes:
        return f"{package}.{name}"
    for target in scope.imports.get(name, ()):
        if target != module and target not in seen:
            return _canonical(program, target, seen)
    return module


def _member(program: Names, module: str, path: tuple[str, ...], seen: tuple[str, ...]) -> str | None:
    """What `path` means as an attribute of `module`, or None when the module binds no such name."""
    scope = program.scopes[module]
    head, rest = path[0], path[1:]
    qualified = ".".join((module, *path))
    targets = scope.imports.get(head, ())
    own = head in scope.functions or head in scope.classes
    if targets:
        imported = [_canonical(program, ".".join((target, *rest)), seen) for target in targets]
        inside = [name for name in imported if split(program, name)[0]]
        if inside:
            return inside[0]
        if not own:
            return imported[0]
    if own:
        return qualified
    if head in scope.values:
        return _alias(program, module, path, seen) or qualified
    if f"{module}.{head}" in program.modules:
        return _canonical(program, qualified, seen) if qualified not in seen else qualified
    return _starred(program, module, path, seen)


def _alias(program: Names, module: str, path: tuple[str, ...], seen: tuple[str, ...]) -> str | None:
    """`Name = other.Thing` at module level, bound once, is another name of the thing."""
    events = program.scopes[module].values[path[0]]
    if len(events) != 1:
        return None
    body = program.modules[module].ir.functions[0]
    text = dotted_text(body, body.events[events[0]].value)
    key = f"{module}:{path[0]}"
    if not text or key in seen:
        return None
    head, _, rest = text.partition(".")
    scope = program.scopes[module]
    if len(scope.values.get(head, ())) > 1 and not (head in scope.imports or head in scope.functions or head in scope.classes):
        return None     # what it means depends on where the alias was made
    steps = tuple(rest.split(".")) if rest else ()
    found = _member(program, module, (head, *steps, *path[1:]), (*seen, key))
    if found is None and head in BUILTINS:
        found = ".".join(("builtins", head, *steps, *path[1:]))
    return found


def _starred(program: Names, module: str, path: tuple[str, ...], seen: tuple[str, ...]) -> str | None:
    key = f"{module}:*{path[0]}"
    if key in seen or path[0].startswith("_"):
        return None
    for star in reversed(program.scopes[module].stars):
        if star in program.modules:
            found = _member(program, star, path, (*seen, key))
            if found is not None:
                return found
    return None


def _enclosing_meaning(program: Names, module: str, function: int, name: str) -> str | None:
    """What `name` means in the function or around it, below module level; empty for a variable, None when not bound there.

    Variables and methods of a class body hide nothing: annotations such as `date: date` mean what stands outside.
    """
    scope = program.scopes[module]
    functions = program.modules[module].ir.functions
    while function > 0:
        current = functions[function]
        targets = scope.local_imports.get(function, {}).get(name)
        if targets:
            return canonical(program, targets[0])
        qualified = f"{current.qualname}.{name}"
        if qualified in scope.classes or (qualified in scope.functions and current.kind != "class"):
            return f"{module}.{qualified}"
        if current.kind != "class" and (name in current.locals or any(f.name == name for f in current.formals)):
            return ""
        function = current.enclosing
    return None
