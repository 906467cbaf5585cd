"""What the names of one module mean, before any other module is looked at."""

from __future__ import annotations

import msgspec

from ctxlint.ir.function import Function
from ctxlint.ir.module import Class, Import, Module
from ctxlint.ir.value import Name, Result, Value


class Scope(msgspec.Struct, frozen=True):
    """The tables of one module.

    `imports` maps a name of the module body to the absolute dotted names it can be bound to, in order; `local_imports` does
    the same for the function with that index. `stars` are the modules star-imported. `functions` and `classes` map dotted
    qualified names within the module; of several definitions the one that remains at run time is kept. `values` maps a
    name of the module body to the indices of the events of `functions[0]` that bind it.
    """

    imports: dict[str, tuple[str, ...]]
    local_imports: dict[int, dict[str, tuple[str, ...]]]
    stars: tuple[str, ...]
    functions: dict[str, int]
    classes: dict[str, Class]
    bodies: dict[int, Class]
    values: dict[str, tuple[int, ...]]


def scope_of(name: str, is_package: bool, module: Module) -> Scope:
    """The tables of the module called `name`."""
    package = name if is_package else name.rpartition(".")[0]
    imports: dict[str, tuple[str, ...]] = {}
    local_imports: dict[int, dict[str, tuple[str, ...]]] = {}
    stars: list[str] = []
    for statement in module.imports:
        target = absolute(package, statement.target)
        if statement.name == "*":
            stars.append(target.removesuffix(".*"))
            continue
        table = imports if statement.function <= 0 else local_imports.setdefault(statement.function, {})
        bound = _bound_target(statement, target)
        known = table.get(statement.name, ())
        if bound not in known:
            table[statement.name] = (*known, bound)
    classes = _classes(module)
    return Scope(
        imports,
        local_imports,
        tuple(stars),
        _functions(module),
        classes,
        {declared.body: declared for declared in module.classes},
        _values(module.functions[0]) if module.functions else {},
    )


def absolute(package: str, target: str) -> str:
    """A relative import target, made absolute within `package`; a level that leaves the top package stops there."""
    rest = target.lstrip(".")
    level = len(target) - len(rest)
    if not level:
        return target
    parents = package.split(".") if package else []
    kept = parents[: max(len(parents) - (level - 1), 0)]
    return ".".join([*kept, rest] if rest else kept)


def dotted_text(function: Function, value: Value | None) -> str:
    """The dotted name that `value` spells out in `function` (`a.b.C`), or empty when it is anything else."""
    if isinstance(value, Name):
        return value.name
    if isinstance(value, Result):
        event = function.events[value.event]
        if event.kind == "read" and event.path is not None and "[*]" not in event.path.steps:
            root = dotted_text(function, event.path.root)
            return ".".join((root, *event.path.steps)) if root else ""
    return ""


def is_overload(function: Function) -> bool:
    """Whether it is only a signature for type checkers (`@overload`)."""
    return any(text.rpartition(".")[2] == "overload" for text in function.decorators)


def is_accessor(function: Function) -> bool:
    """Whether it is a property's setter or deleter."""
    return any(text.endswith((".setter", ".deleter")) for text in function.decorators)


def _bound_target(statement: Import, target: str) -> str:
    """`import a.b.c` binds `a`; everything else binds its target."""
    return target.partition(".")[0] if statement.submodule else target


def _functions(module: Module) -> dict[str, int]:
    """Qualified names of functions; the last definition wins over earlier ones, a real one over overloads and setters."""
    found: dict[str, int] = {}
    for index, function in enumerate(module.functions):
        if function.kind in ("module", "class", "lambda") or is_accessor(function):
            continue
        if function.qualname in found and is_overload(function):
            continue
        found[function.qualname] = index
    return found


def _classes(module: Module) -> dict[str, Class]:
    """Qualified names of classes; of conditional definitions the one with most methods is the one worth analysing."""
    found: dict[str, Class] = {}
    for declared in module.classes:
        known = found.get(declared.qualname)
        if known is None or len(declared.methods) > len(known.methods):
            found[declared.qualname] = declared
    return found


def _values(body: Function) -> dict[str, tuple[int, ...]]:
    """The events of the module body that bind a name to a value which is neither an import nor a definition."""
    found: dict[str, tuple[int, ...]] = {}
    for index, event in enumerate(body.events):
        if event.kind == "local" and event.path is not None and isinstance(event.path.root, Name):
            name = event.path.root.name
            found[name] = (*found.get(name, ()), index)
    return found
