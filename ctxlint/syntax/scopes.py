"""Which names a function binds, and what a name read in it therefore means (local, captured or global)."""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ctxlint.ir.value import Name
from ctxlint.syntax.spans import lines_of

_OWN_SCOPE: tuple[type, ...] = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)

_STRINGS = frozenset({"JoinedStr", "TemplateStr"})


class Scope(dict[str, Name]):
    """The names of one function: looking one up tells what it means there, and notes it when it is captured.

    A scope knows its parents but never its children or its function, so that nothing refers to itself: lowering runs
    with the cycle collector off.
    """

    __slots__ = ("parent", "overlay", "is_class", "bound", "captured", "extra", "declared_global")

    def __init__(self, parent: Scope | None, overlay: dict[str, Name] | None, is_class: bool) -> None:
        super().__init__()
        self.parent = parent
        self.overlay = overlay
        """The comprehension variables that are visible where the function is defined."""
        self.is_class = is_class
        self.bound: dict[str, None] = {}
        self.captured: dict[str, None] = {}
        self.extra: dict[str, None] = {}
        """Variables that are no names of the function: those of comprehensions, and what must outlive a rebinding."""
        self.declared_global: set[str] = set()

    def __missing__(self, name: str) -> Name:
        found = self[name] = self.outside(name)
        return found

    def outside(self, name: str) -> Name:
        """What the name means where it is not bound here."""
        return self._captured_name(name) or Name(name, "global")

    def bind(self, names: Iterable[str]) -> None:
        """Declare names that the function itself binds."""
        for name in names:
            self.bound[name] = None
            self[name] = Name(name, "local")

    def comprehension_variable(self, name: str) -> Name:
        """The variable `name` of a comprehension, under another name if the function has a variable of that name."""
        if name in self.bound:
            return self.hidden_variable(name)
        self.extra[name] = None
        return Name(name, "local")

    def hidden_variable(self, name: str) -> Name:
        """A variable that no name of the program means, called after the variable `name`."""
        number = 2
        while f"{name}@{number}" in self.extra:
            number += 1
        hidden = f"{name}@{number}"
        self.extra[hidden] = None
        return Name(hidden, "local")

    def _captured_name(self, name: str) -> Name | None:
        passed = [self]
        scope: Scope | None = self
        while scope is not None:
            if scope.overlay is not None and name in scope.overlay:
                return _note_capture(passed, scope.overlay[name].name)
            scope = scope.parent
            if scope is None:
                return None
            if not scope.is_class and name in scope.bound:
                return _note_capture(passed, name)
            if name in scope.declared_global:
                return None
            passed.append(scope)
        return None


def _note_capture(scopes: list[Scope], name: str) -> Name:
    for scope in scopes:
        scope.captured[name] = None
    return Name(name, "captured")


def scope_of_body(scope: Scope, parameters: Iterable[str], body: list[ast.stmt], walruses: list[int]) -> None:
    """Fill `scope` with what the statements of `body` bind.

    `walruses` are the lines of the module's assignment expressions; only there are expressions looked into.
    """
    declared: dict[str, bool] = {}
    names = list(dict.fromkeys([*parameters, *_bound_by(body, declared)]))
    if walruses:
        names.extend(walrus_targets(body, walruses))
    scope.bind([name for name in names if name not in declared] if declared else names)
    for name, is_global in declared.items():
        if is_global:
            scope[name] = Name(name, "global")
            scope.declared_global.add(name)


def target_names(target: ast.expr) -> Iterator[str]:
    """The names that an assignment target binds."""
    pending = [target]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, (ast.Tuple, ast.List)):
            pending.extend(reversed(node.elts))
        elif isinstance(node, ast.Starred):
            pending.append(node.value)


def walrus_lines(source: str) -> list[int]:
    """The lines on which an assignment expression can stand, in order."""
    if ":=" not in source:
        return []
    return [number for number, line in enumerate(lines_of(source), 1) if ":=" in line]


def walrus_targets(nodes: Iterable[ast.AST], lines: list[int]) -> Iterator[str]:
    """The names that assignment expressions below `nodes`, on some of these lines, bind in the function that holds them."""
    pending = list(nodes)
    while pending:
        node = pending.pop()
        first = getattr(node, "lineno", None)
        # A definition begins at its `def`, behind its decorators.
        if first is not None and not isinstance(node, _OWN_SCOPE):
            position = bisect_left(lines, first)
            if position == len(lines) or lines[position] > node.end_lineno:  # type: ignore[attr-defined]
                continue
            if node.__class__.__name__ in _STRINGS:
                yield from _targets_below(node)
                continue
        if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
            yield node.target.id
        pending.extend(_inside(node))


def _targets_below(string: ast.AST) -> Iterator[str]:
    """The same for what stands in an f-string: interpreters differ about the lines of that."""
    pending = [string]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
            yield node.target.id
        pending.extend(_inside(node))


def _inside(node: ast.AST) -> Iterable[ast.AST]:
    """The parts of a node that are evaluated in the scope that holds it."""
    return _evaluated_outside(node) if isinstance(node, _OWN_SCOPE) else ast.iter_child_nodes(node)


def _evaluated_outside(node: ast.AST) -> list[ast.AST]:
    """The parts of a definition that are evaluated in the scope that holds it."""
    if isinstance(node, ast.ClassDef):
        return [*node.decorator_list, *node.bases, *node.keywords]
    arguments: ast.arguments = node.args  # type: ignore[attr-defined]
    defaults = [*arguments.defaults, *[default for default in arguments.kw_defaults if default is not None]]
    return [*getattr(node, "decorator_list", ()), *defaults]


def _bound_by(body: list[ast.stmt], declared: dict[str, bool]) -> list[str]:
    """The names that statements bind, in order; `declared` receives the global (True) and nonlocal (False) ones."""
    names: list[str] = []
    pending: list[list[ast.stmt]] = [body]
    while pending:
        for statement in pending.pop():
            find = _BINDING.get(statement.__class__.__name__)
            if find is not None:
                find(statement, names, pending, declared)
    return names


_Pending = list[list[ast.stmt]]
_Declared = dict[str, bool]
_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
_Changed = ast.AugAssign | ast.AnnAssign


def _of_definition(node: _Definition, names: list[str], pending: _Pending, declared: _Declared) -> None:
    names.append(node.name)


def _of_assignment(node: ast.Assign, names: list[str], pending: _Pending, declared: _Declared) -> None:
    for target in node.targets:
        if type(target) is ast.Name:
            names.append(target.id)
        elif type(target) is not ast.Attribute:
            names.extend(target_names(target))


def _of_deletion(node: ast.Delete, names: list[str], pending: _Pending, declared: _Declared) -> None:
    for target in node.targets:
        names.extend(target_names(target))


def _of_one_target(node: _Changed, names: list[str], pending: _Pending, declared: _Declared) -> None:
    if type(node.target) is ast.Name:
        names.append(node.target.id)


def _of_alias(node: ast.stmt, names: list[str], pending: _Pending, declared: _Declared) -> None:
    names.extend(target_names(node.name))  # type: ignore[attr-defined]


def _of_for(node: ast.For, names: list[str], pending: _Pending, declared: _Declared) -> None:
    names.extend(target_names(node.target))
    pending.append(node.orelse)
    pending.append(node.body)


def _of_branches(node: ast.If | ast.While, names: list[str], pending: _Pending, declared: _Declared) -> None:
    if node.orelse:
        pending.append(node.orelse)
    pending.append(node.body)


def _of_with(node: ast.With, names: list[str], pending: _Pending, declared: _Declared) -> None:
    for item in node.items:
        if item.optional_vars is not None:
            names.extend(target_names(item.optional_vars))
    pending.append(node.body)


def _of_try(node: ast.Try, names: list[str], pending: _Pending, declared: _Declared) -> None:
    pending.append(node.finalbody)
    pending.append(node.orelse)
    for handler in node.handlers:
        if handler.name is not None:
            names.append(handler.name)
        pending.append(handler.body)
    pending.append(node.body)


def _of_match(node: ast.Match, names: list[str], pending: _Pending, declared: _Declared) -> None:
    for case in node.cases:
        for pattern in ast.walk(case.pattern):
            if isinstance(pattern, (ast.MatchAs, ast.MatchStar)) and pattern.name is not None:
                names.append(pattern.name)
            elif isinstance(pattern, ast.MatchMapping) and pattern.rest is not None:
                names.append(pattern.rest)
        pending.append(case.body)


def _of_import(node: ast.Import | ast.ImportFrom, names: list[str], pending: _Pending, declared: _Declared) -> None:
    for alias in node.names:
        if alias.name != "*":
            names.append(alias.asname or alias.name.partition(".")[0])


def _of_global(node: ast.Global, names: list[str], pending: _Pending, declared: _Declared) -> None:
    for name in node.names:
        declared[name] = True


def _of_nonlocal(node: ast.Nonlocal, names: list[str], pending: _Pending, declared: _Declared) -> None:
    for name in node.names:
        declared[name] = False


_BINDING: dict[str, Callable[[Any, list[str], _Pending, _Declared], None]] = {
    "FunctionDef": _of_definition, "AsyncFunctionDef": _of_definition, "ClassDef": _of_definition,
    "Assign": _of_assignment, "AugAssign": _of_one_target, "AnnAssign": _of_one_target, "Delete": _of_deletion,
    "TypeAlias": _of_alias, "For": _of_for, "AsyncFor": _of_for, "If": _of_branches, "While": _of_branches,
    "With": _of_with, "AsyncWith": _of_with, "Try": _of_try, "TryStar": _of_try, "Match": _of_match,
    "Import": _of_import, "ImportFrom": _of_import, "Global": _of_global, "Nonlocal": _of_nonlocal,
}
