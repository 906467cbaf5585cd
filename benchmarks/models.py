"""Whether the models speak of names that exist, with the arguments that they name: packs against unpacked sources.

    python benchmarks/models.py CORPUS [--pack NAME ...]

CORPUS holds one folder a distribution, unpacked (`pip download --no-deps`, `unzip`), in it its top level packages. Sources are
parsed and never imported: a name is followed through modules, re-exports (those behind `TYPE_CHECKING` and in stubs too, and
tables of lazy names), base classes and methods. Names of libraries that are not in CORPUS are counted. Names that do not
exist, arguments that the callable does not take, and coroutines of which no effect suspends are printed; the status is 1 when
there are some.
"""

from __future__ import annotations

import argparse
import ast
import functools
import pathlib
import sys
from collections.abc import Iterable, Iterator

from ctxlint.knowledge.models import Effect, load_models
from ctxlint.knowledge.places import rules_folder

Found = ast.AST | str
"""What a name stands for: a definition, the dotted name of a module, or COMPUTED."""

COMPUTED = "computed"
"""Something that is made when the module runs: it exists, and no more is known of it."""

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
DEEPEST = 12
"""So many re-exports and base classes are followed."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--pack", action="append", default=[], metavar="NAME", help="only these files of rules/models")
    arguments = parser.parse_args()

    sources = Sources(sorted(folder for folder in arguments.corpus.iterdir() if folder.is_dir()))
    wrong = 0
    for pack in sorted((rules_folder() / "models").glob("*.toml")):
        if arguments.pack and pack.stem not in arguments.pack:
            continue
        models = load_models([pack], folder=pathlib.Path("none"))
        names = {**{name: () for name in models.by_type}, **models.by_name}
        here = {name: effects for name, effects in names.items() if name.split(".")[0] not in sys.stdlib_module_names}
        known = {name: effects for name, effects in here.items() if sources.has(name)}
        if not known:
            continue
        told = [f"  {line}" for name, effects in sorted(known.items()) for line in complaints(sources, name, effects)]
        wrong += len(told)
        absent = len(here) - len(known)
        print(f"{pack.stem}: {len(known)} names" + (f", {absent} of libraries that are not there" if absent else ""))
        print("".join(f"{line}\n" for line in told), end="")
    return 1 if wrong else 0


def complaints(sources: Sources, name: str, effects: Iterable[Effect]) -> Iterator[str]:
    """What is wrong about a name of a model and about what is said of it."""
    found = sources.named(name)
    if found is None:
        yield f"{name}: there is no such name"
        return
    if not isinstance(found, FUNCTIONS):
        return
    for effect in effects:
        for designator in (effect.target, effect.content, effect.key, effect.mode, effect.when.argument if effect.when else ""):
            missing = takes(found, designator)
            if missing:
                yield f"{name}: {effect.does}: no argument {missing}"
    if is_coroutine(found) and effects and not any(e.suspends or e.does == "total" for e in effects):
        yield f"{name}: it is a coroutine, and no effect suspends"


def takes(function: ast.FunctionDef | ast.AsyncFunctionDef, designator: str) -> str:
    """The part of a designator that names no argument of a method, empty when all do; the receiver is not counted."""
    given = function.args
    positional = [a.arg for a in (*given.posonlyargs, *given.args)]
    if positional[:1] in (["self"], ["cls"]):
        del positional[0]
    by_keyword = {*positional, *(a.arg for a in given.kwonlyargs)}
    parts = [part for part in designator.split("|") if part not in ("", "self", "*")]
    for part in parts:
        if part.isdecimal() and int(part) >= len(positional) and given.vararg is None:
            return part
        if not part.isdecimal() and part not in by_keyword and given.kwarg is None:
            return part
    if len(parts) == 2 and parts[0].isdecimal() and parts[1] in positional and positional.index(parts[1]) != int(parts[0]):
        return designator
    return ""


class Sources:
    """The parsed modules of unpacked distributions."""

    def __init__(self, roots: Iterable[pathlib.Path]) -> None:
        self.roots: dict[str, list[pathlib.Path]] = {}
        for root in roots:
            for entry in root.iterdir():
                self.roots.setdefault(entry.name.split(".")[0], []).append(root)
        self.homes: dict[ast.AST, str] = {}
        self.files = functools.cache(self._files)
        self.module = functools.cache(self._module)
        self.stars = functools.cache(self._stars)
        self.lazy = functools.cache(self._lazy)

    def has(self, name: str) -> bool:
        """Whether the name's module, at least its outermost that is no namespace, is there."""
        parts = name.split(".")
        return any(self.module(".".join(parts[:length])) is not None for length in range(1, len(parts) + 1))

    def named(self, name: str) -> Found | None:
        """What a dotted name stands for; None when it does not exist."""
        parts = name.split(".")
        for length in range(len(parts), 0, -1):
            module = ".".join(parts[:length])
            if self.module(module) is not None:
                return self._inside(module, parts[length:], 0)
        return None

    def _inside(self, module: str, parts: list[str], depth: int) -> Found | None:
        if not parts:
            return module
        found = self._global(module, parts[0], depth)
        if isinstance(found, ast.ClassDef):
            owner = self._home(module, found)
            return self._member(owner, found, parts[1:], depth)
        if isinstance(found, str) and found != COMPUTED:
            return self._inside(found, parts[1:], depth + 1)
        return found

    def _global(self, module: str, name: str, depth: int) -> Found | None:
        """What a module calls so."""
        if depth > DEEPEST:
            return None
        node = self.bound(module).get(name)
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            self.homes[node] = module
            return node
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            value = dotted(node.value)
            return (self._dotted(module, value, depth + 1) if value and value != name else None) or COMPUTED
        if isinstance(node, ast.Import):
            return next(alias.name if alias.asname else name for alias in node.names if bound_by(alias) == name)
        if isinstance(node, ast.ImportFrom):
            origin = self._origin(module, node)
            imported = next(alias.name for alias in node.names if bound_by(alias) == name)
            if (origin, imported) != (module, name):
                return self._imported(origin, imported, depth + 1)
        for star in self.stars(module):
            found = self._global(star, name, depth + 1)
            if found is not None:
                return found
        if self.module(f"{module}.{name}") is not None:
            return f"{module}.{name}"
        return COMPUTED if name in self.lazy(module) else None

    def _imported(self, origin: str, name: str, depth: int) -> Found | None:
        if self.module(origin) is None:
            return COMPUTED                                  # another distribution's, or compiled
        return self._global(origin, name, depth)

    def _dotted(self, module: str, name: str, depth: int) -> Found | None:
        return self._inside(module, name.split("."), depth) if depth <= DEEPEST else None

    def _member(self, module: str, owner: ast.ClassDef, parts: list[str], depth: int) -> Found | None:
        """A method or attribute of a class, of its bases too; computed when a base is not there to be read."""
        if not parts:
            return owner
        if depth > DEEPEST:
            return None
        node = bindings((owner,)).get(parts[0])
        if node is not None:
            return node if isinstance(node, (ast.ClassDef, *FUNCTIONS)) else COMPUTED
        unread = False
        for base in owner.bases:
            name = dotted(base.value if isinstance(base, ast.Subscript) else base)
            found = self._dotted(module, name, depth + 1) if name else None
            if isinstance(found, ast.ClassDef):
                inherited = self._member(self._home(module, found), found, parts, depth + 1)
                if inherited == COMPUTED:
                    unread = True
                elif inherited is not None:
                    return inherited
            else:
                unread = unread or name.rpartition(".")[2] not in ("Generic", "Protocol", "ABC", "object", "Enum")
        if unread or parts[0] in dir(object) or parts[0] in made(owner) or "__getattr__" in bindings((owner,)):
            return COMPUTED
        return None

    def _home(self, module: str, found: ast.AST) -> str:
        """The module in which a class stands."""
        return self.homes.get(found, module)

    def _origin(self, module: str, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        parts = module.split(".")
        kept = parts[: len(parts) - node.level + (1 if self.is_package(module) else 0)]
        return ".".join([*kept, *([node.module] if node.module else [])])

    def _files(self, name: str) -> tuple[pathlib.Path, ...]:
        """The source and the stub of a module."""
        at = name.replace(".", "/")
        return tuple(
            file for root in self.roots.get(name.split(".")[0], ()) for tail in (".py", "/__init__.py", ".pyi", "/__init__.pyi")
            if (file := root / f"{at}{tail}").is_file()
        )

    def is_package(self, name: str) -> bool:
        return any(file.stem == "__init__" for file in self.files(name))

    def _module(self, name: str) -> tuple[ast.Module, ...] | None:
        """The trees of a module, None when it is not there (or a namespace)."""
        found = tuple(ast.parse(file.read_bytes()) for file in self.files(name)) if name else ()
        return found or None

    def bound(self, name: str) -> dict[str, ast.stmt]:
        """The statements that bind the names of a module."""
        return bindings(self.module(name) or ())

    def _stars(self, name: str) -> tuple[str, ...]:
        """The modules from which a module takes all names."""
        return tuple(
            self._origin(name, node) for tree in self.module(name) or () for node in flattened(tree.body)
            if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"
        )

    def _lazy(self, name: str) -> frozenset[str]:
        """The names in a module that answers for names it does not define."""
        trees = self.module(name) or () if "__getattr__" in self.bound(name) else ()
        return frozenset(n.value for tree in trees for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))


@functools.cache
def bindings(scopes: tuple[ast.Module | ast.ClassDef, ...]) -> dict[str, ast.stmt]:
    """The statement that binds each name of a module (its source and its stub) or class: of several the last."""
    found: dict[str, ast.stmt] = {}
    for scope in scopes:
        for node in flattened(scope.body):
            if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
                found[node.name] = node
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                found.update((bound_by(alias), node) for alias in node.names)
            elif isinstance(node, (ast.Assign, ast.AnnAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found.update((each.id, node) for target in targets for each in ast.walk(target) if isinstance(each, ast.Name))
    return found


def bound_by(alias: ast.alias) -> str:
    """The name that an import binds."""
    return alias.asname or alias.name.split(".")[0]


def flattened(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block and of the blocks of its conditions."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for inner in ("body", "orelse", "handlers", "finalbody"):
                for each in getattr(node, inner, ()):
                    yield from flattened(each.body if isinstance(each, ast.ExceptHandler) else [each])
        else:
            yield node


@functools.cache
def made(owner: ast.ClassDef) -> frozenset[str]:
    """The attributes that a class gets when the program runs: a method sets them, or a decorator is given their names."""
    told = (node.value for decorator in owner.decorator_list for node in ast.walk(decorator) if isinstance(node, ast.Constant))
    set_by_methods = (node.attr for node in ast.walk(owner) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store))
    return frozenset([*(str(name) for name in told), *set_by_methods])


def is_coroutine(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a call has to be awaited: a generator has not."""
    return isinstance(function, ast.AsyncFunctionDef) and not any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in ast.walk(function))


def dotted(node: ast.expr | None) -> str:
    """The dotted name that an expression is, empty when it is none."""
    if isinstance(node, ast.Name):
        return node.id
    owner = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{owner}.{node.attr}" if owner and isinstance(node, ast.Attribute) else ""


if __name__ == "__main__":
    raise SystemExit(main())
