"""What the names of a small program are bound to, and what kind of thing an expression is, as far as its text says.

Just enough to tell an own class's `append` from a list's: annotations, constructors, plain assignments and loops.
Whatever is not plain is unknown (`None`), and the renamer then leaves a doubtful name alone.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
ScopeNode = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

How = Literal["annotation", "value", "element", "enter", "own", "library"]

WRAPPERS = frozenset({"Optional", "Annotated", "Final", "ClassVar", "Awaitable", "Coroutine", "Required", "NotRequired"})
COPIES = frozenset({"copy", "deepcopy", "replace"})
SAME_ELEMENTS = frozenset({"list", "sorted", "reversed", "tuple", "set", "iter", "deque"})
TAKES_ONE = frozenset({"get", "pop", "popleft", "setdefault", "popitem"})


@dataclass(frozen=True)
class Kind:
    """An own object, class, function or module, or something of a library; `element` is what it holds or returns."""

    what: Literal["object", "class", "function", "super", "module", "library"]
    name: str = ""
    element: Kind | None = None
    function: FunctionNode | None = None


LIBRARY = Kind("library")


@dataclass(frozen=True)
class Binding:
    """One way in which a name comes by a value."""

    how: How
    node: ast.AST
    scope: Scope


@dataclass
class Scope:
    """A module, class or function: its own bindings and where it stands."""

    node: ScopeNode
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)

    def owner(self, name: str) -> Scope | None:
        """Return the scope whose `name` is meant here; an outer class's names are not seen from its functions."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bindings and (scope is self or not isinstance(scope.node, ast.ClassDef)):
                return scope
            scope = scope.parent
        return None


class Program:
    """The modules of a program with their scopes."""

    def __init__(self, trees: dict[str, ast.Module], modules: frozenset[str]) -> None:
        self.trees = trees
        self.modules = modules
        self.scopes: dict[ast.AST, Scope] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.globals: dict[str, Binding] = {}
        self.members: dict[str, dict[str, list[Binding]]] = {}
        self._asked: set[int] = set()
        for tree in trees.values():
            self._enter(tree, None)
        for node, scope in list(self.scopes.items()):
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
                self.members[node.name] = dict(scope.bindings)
        for scope in list(self.scopes.values()):
            self._note_attributes(scope)

    # Bindings

    def _enter(self, node: ScopeNode, parent: Scope | None) -> None:
        scope = Scope(node, parent)
        self.scopes[node] = scope
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            self._bind_parameters(node, scope)
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        for part in body:
            self._bind(part, scope)
        if isinstance(node, ast.Module):
            for name, bindings in scope.bindings.items():
                self.globals.setdefault(name, bindings[0])

    def _bind_parameters(self, node: FunctionNode | ast.Lambda, scope: Scope) -> None:
        for parameter in parameters(node):
            if parameter.annotation is not None:
                _add(scope, parameter.arg, Binding("annotation", parameter.annotation, scope))
            else:
                _add(scope, parameter.arg, Binding("own", parameter, scope))

    def _bind(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            _add(scope, node.name, Binding("own", node, scope))
            self._enter(node, scope)
            outside = [*node.decorator_list, *(node.bases if isinstance(node, ast.ClassDef) else defaults(node))]
            for part in outside:
                self._bind(part, scope)
            return
        if isinstance(node, ast.Lambda):
            self._enter(node, scope)
            return
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            self._bind_import(node, scope)
            return
        self._bind_targets(node, scope)
        for child in ast.iter_child_nodes(node):
            self._bind(child, scope)

    def _bind_import(self, node: ast.Import | ast.ImportFrom, scope: Scope) -> None:
        own = isinstance(node, ast.ImportFrom) and (node.level > 0 or self.is_own_module(node.module or ""))
        for alias in node.names:
            local = alias.asname or alias.name.partition(".")[0]
            if own or (isinstance(node, ast.Import) and self.is_own_module(alias.name)):
                _add(scope, local, Binding("own", alias, scope))
            else:
                _add(scope, local, Binding("library", alias, scope))

    def is_own_module(self, dotted: str) -> bool:
        """Return whether `dotted` names a module or package of the program."""
        return bool(dotted) and set(dotted.split(".")) <= self.modules

    def _bind_targets(self, node: ast.AST, scope: Scope) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                _bind_target(target, Binding("value", node.value, scope))
        elif isinstance(node, ast.AnnAssign):
            _bind_target(node.target, Binding("annotation", node.annotation, scope))
        elif isinstance(node, (ast.AugAssign, ast.NamedExpr)):
            _bind_target(node.target, Binding("value", node.value, scope))
        elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            _bind_target(node.target, Binding("element", node.iter, scope))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            _bind_target(node.optional_vars, Binding("enter", node.context_expr, scope))
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            _add(scope, node.name, Binding("own", node, scope))
        elif isinstance(node, ast.MatchMapping) and node.rest:
            _add(scope, node.rest, Binding("own", node, scope))

    def _note_attributes(self, scope: Scope) -> None:
        """Make `self.x = …` in a method a member of its class."""
        if not isinstance(scope.node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return
        for node in _own_nodes(scope.node):
            targets: list[ast.expr] = []
            if isinstance(node, ast.Assign):
                targets = list(node.targets)
            elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
                targets = [node.target]
            for target in (part for whole in targets for part in _parts(whole)):
                if isinstance(target, ast.Attribute):
                    owner = self.kind(target.value, scope)
                    if owner is not None and owner.what == "object":
                        members = self.members[owner.name]
                        members.setdefault(target.attr, []).append(_of_assignment(node, target in targets, scope))

    # Kinds

    def kind(self, node: ast.AST, scope: Scope) -> Kind | None:
        """Return what `node`, an expression that stands in `scope`, is; `None` when the text does not say."""
        if id(node) in self._asked:
            return None
        self._asked.add(id(node))
        try:
            return self._kind(node, scope)
        finally:
            self._asked.discard(id(node))

    def _kind(self, node: ast.AST, scope: Scope) -> Kind | None:
        if isinstance(node, ast.Name):
            return self._kind_of_name(node.id, scope)
        if isinstance(node, ast.Attribute):
            return self.member(self.kind(node.value, scope), node.attr)
        if isinstance(node, ast.Call):
            return self._kind_of_call(node, scope)
        if isinstance(node, ast.Await):
            return self.kind(node.value, scope)
        if isinstance(node, ast.Subscript):
            whole = self.kind(node.value, scope)
            if isinstance(node.slice, ast.Slice) or whole is None or whole.what != "library":
                return whole if isinstance(node.slice, ast.Slice) else None
            return whole.element
        if isinstance(node, ast.IfExp):
            return self.kind(node.body, scope) or self.kind(node.orelse, scope)
        if isinstance(node, ast.BoolOp):
            return next((kind for kind in (self.kind(value, scope) for value in node.values) if kind), None)
        if isinstance(node, (ast.ListComp, ast.SetComp, ast.GeneratorExp)):
            return Kind("library", element=self.kind(node.elt, scope))
        if isinstance(node, (ast.List, ast.Set, ast.Tuple)):
            return Kind("library", element=self.kind(node.elts[0], scope) if node.elts else None)
        if isinstance(node, (ast.Dict, ast.DictComp, ast.Constant, ast.JoinedStr, ast.BinOp, ast.Compare, ast.UnaryOp)):
            return LIBRARY
        return None

    def _kind_of_name(self, name: str, scope: Scope) -> Kind | None:
        owner = scope.owner(name)
        if owner is None:
            return LIBRARY
        for binding in owner.bindings[name]:
            kind = self._kind_of_binding(name, binding)
            if kind is not None:
                return kind
        return None

    def _kind_of_binding(self, name: str, binding: Binding) -> Kind | None:
        node, scope = binding.node, binding.scope
        if binding.how == "library":
            return LIBRARY
        if binding.how == "annotation":
            return self.annotated(node, scope)
        if binding.how == "value":
            return self.kind(node, scope)
        if binding.how in ("element", "enter"):
            whole = self.kind(node, scope)
            if whole is None or whole.what != "library":
                return whole if binding.how == "enter" else None
            return whole.element or (whole if binding.how == "enter" else None)
        if isinstance(node, ast.ClassDef):
            return Kind("class", node.name)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return Kind("function", node.name, self.annotated(node.returns, scope) if node.returns else None, node)
        if isinstance(node, ast.arg):
            return self._kind_of_self(node, scope)
        if isinstance(node, ast.ExceptHandler):
            return LIBRARY
        if isinstance(node, ast.alias):
            if node.name in self.modules:
                return Kind("module", node.name)
            if node.name in self.globals and self.globals[node.name] is not binding:
                return self._kind_of_binding(node.name, self.globals[node.name])
        return None

    def _kind_of_self(self, node: ast.arg, scope: Scope) -> Kind | None:
        function, outer = scope.node, scope.parent
        if outer is None or not isinstance(outer.node, ast.ClassDef) or isinstance(function, (ast.Module, ast.ClassDef)):
            return None
        if parameters(function)[0] is not node or "staticmethod" in _decorators(function):
            return None
        return Kind("class" if "classmethod" in _decorators(function) else "object", outer.node.name)

    def _kind_of_call(self, node: ast.Call, scope: Scope) -> Kind | None:
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            enclosing = _class_around(scope)
            return Kind("super", enclosing) if enclosing else None
        last = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        called = self.kind(node.func, scope)
        if called is None or called.what in ("object", "module", "super"):
            return None
        if called.what == "class":
            return Kind("object", called.name)
        if called.what == "function":
            return called.element
        if last in COPIES and node.args:
            return self.kind(node.args[0], scope)
        if last in SAME_ELEMENTS and isinstance(node.func, ast.Name) and node.args:
            whole = self.kind(node.args[0], scope)
            return Kind("library", element=whole.element if whole else None)
        if isinstance(node.func, ast.Attribute):
            receiver = self.kind(node.func.value, scope)
            if receiver is not None and receiver.what == "library" and receiver.element is not None:
                return receiver.element if last in TAKES_ONE else Kind("library", element=receiver.element)
        return called.element or LIBRARY

    def annotated(self, node: ast.AST | None, scope: Scope) -> Kind | None:
        """Return what a value with this annotation is."""
        if isinstance(node, ast.Constant):
            if isinstance(node.value, str):
                return self.annotated(ast.parse(node.value, mode="eval").body, scope)
            return LIBRARY if node.value is None else None
        if isinstance(node, ast.BinOp):
            sides = [self.annotated(node.left, scope), self.annotated(node.right, scope)]
            return next((side for side in sides if side and side is not LIBRARY), sides[0])
        if isinstance(node, ast.Subscript):
            return self._annotated_generic(node, scope)
        if isinstance(node, ast.Attribute):
            return LIBRARY
        if not isinstance(node, ast.Name) or node.id == "Any":
            return None
        if node.id in self.classes:
            return Kind("object", node.id)
        owner = scope.owner(node.id)
        alias = owner.bindings[node.id][0] if owner else None
        if alias is not None and alias.how == "value":
            return self.annotated(alias.node, alias.scope)
        if alias is not None and isinstance(alias.node, ast.alias) and alias.how == "own":
            found = self.globals.get(alias.node.name)
            return self.annotated(found.node, found.scope) if found and found.how == "value" else None
        return LIBRARY

    def _annotated_generic(self, node: ast.Subscript, scope: Scope) -> Kind | None:
        head = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if head in WRAPPERS:
            return self.annotated(inner[-1] if head == "Coroutine" else inner[0], scope)
        if head in self.classes:
            return Kind("object", head)
        if head in ("Literal", "tuple", "Tuple") and len(inner) != 2:
            return LIBRARY
        last = inner[0] if isinstance(inner[-1], ast.Constant) else inner[-1]
        return Kind("library", element=self.annotated(last, scope))

    def member(self, owner: Kind | None, name: str) -> Kind | None:
        """Return what the attribute `name` of something of kind `owner` is."""
        if owner is None or owner.what == "function":
            return None
        if owner.what == "library":
            return LIBRARY
        if owner.what == "module":
            found = self.globals.get(name)
            return self._kind_of_binding(name, found) if found else None
        classes = self.ancestry(owner.name)
        for one in classes[1:] if owner.what == "super" else classes:
            for binding in self.members[one].get(name, ()):
                kind = self._kind_of_binding(name, binding)
                if kind is not None and kind.function is not None and _is_property(kind.function):
                    return kind.element
                if kind is not None:
                    return kind
        return None

    def holds(self, owner: Kind, name: str) -> bool:
        """Return whether an own class of `owner`, not a library's, gives it the attribute `name`."""
        if owner.what == "module":
            return name in self.globals
        classes = self.ancestry(owner.name)
        declared = any(name in self.members[one] for one in (classes[1:] if owner.what == "super" else classes))
        return declared or not any(self.has_library_base(one) for one in classes)

    def ancestry(self, name: str) -> list[str]:
        """Return the class and its own ancestors, nearest first."""
        found, waiting = [], [name]
        while waiting:
            one = waiting.pop(0)
            if one in self.classes and one not in found:
                found.append(one)
                waiting += [base.id for base in self.classes[one].bases if isinstance(base, ast.Name)]
        return found

    def has_library_base(self, name: str) -> bool:
        """Return whether a class inherits attributes that are not its program's."""
        return any(base_name(base) not in {*self.classes, *PLAIN_BASES} for base in self.classes[name].bases)


PLAIN_BASES = frozenset({"object", "Protocol", "ABC", "Generic", "NamedTuple", "TypedDict"})


def base_name(node: ast.expr) -> str:
    """Return the last name of a base class."""
    if isinstance(node, ast.Subscript):
        return base_name(node.value)
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def parameters(node: FunctionNode | ast.Lambda) -> list[ast.arg]:
    """Return all parameters of a function in the order in which they are written."""
    written = node.args
    rest = [one for one in (written.vararg, written.kwarg) if one is not None]
    return [*written.posonlyargs, *written.args, *written.kwonlyargs, *rest]


def defaults(node: FunctionNode) -> list[ast.expr]:
    """Return the default values of a function's parameters."""
    return [*node.args.defaults, *(one for one in node.args.kw_defaults if one is not None)]


def _add(scope: Scope, name: str, binding: Binding) -> None:
    scope.bindings.setdefault(name, []).append(binding)


def _bind_target(target: ast.expr, binding: Binding) -> None:
    if isinstance(target, ast.Name):
        _add(binding.scope, target.id, binding)
        return
    for part in _parts(target):
        if isinstance(part, ast.Name):
            _add(binding.scope, part.id, Binding("own", part, binding.scope))


def _parts(target: ast.expr) -> Iterator[ast.expr]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _parts(element)
    elif isinstance(target, ast.Starred):
        yield from _parts(target.value)
    else:
        yield target


def _of_assignment(node: ast.AST, whole: bool, scope: Scope) -> Binding:
    if isinstance(node, ast.AnnAssign):
        return Binding("annotation", node.annotation, scope)
    if whole and isinstance(node, (ast.Assign, ast.AugAssign)):
        return Binding("value", node.value, scope)
    return Binding("own", node, scope)


def _own_nodes(node: FunctionNode) -> Iterator[ast.AST]:
    waiting: list[ast.AST] = list(node.body)
    while waiting:
        one = waiting.pop()
        yield one
        if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(one)


def _class_around(scope: Scope) -> str:
    around: Scope | None = scope
    while around is not None and not isinstance(around.node, ast.ClassDef):
        around = around.parent
    return around.node.name if around is not None and isinstance(around.node, ast.ClassDef) else ""


def _decorators(node: FunctionNode | ast.Lambda) -> set[str]:
    return set() if isinstance(node, ast.Lambda) else {base_name(one) for one in node.decorator_list}


def _is_property(node: FunctionNode) -> bool:
    return bool({"property", "cached_property"} & _decorators(node))
