"""Which class of the program an untyped object has: the one that has all fields by which a function knows the object."""

from __future__ import annotations

from ctxlint.calls.identity import ClassId, FunctionId
from ctxlint.calls.types import Instance
from ctxlint.calls.view import View
from ctxlint.ir.value import Name
from ctxlint.roles.leaf import ASKS, CONTENT

_CONTAINERS = ASKS | CONTENT | {"append", "add", "update", "extend", "insert", "remove", "discard", "clear", "put", "sort", "replace", "format"}

OVERRIDES = 4
"""How many methods an untyped call may reach."""


class Shapes:
    """Finds classes by the fields that are used; memoised."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._known: dict[tuple[FunctionId, str], ClassId] = {}
        self._declared: dict[str, set[ClassId]] | None = None
        self._put_on: frozenset[str] = frozenset()

    def of(self, identity: FunctionId, name: str) -> ClassId:
        """The class that has all fields which the function uses of an untyped object; of several the one nearest by.

        Of an object that a function only calls or hands on, the functions that it is handed to say what it has.
        """
        known = self._known.get((identity, name))
        if known is None:
            used = self._used(identity, name)
            if used <= {"__call__"}:
                used = used.union(*self._used_by_callees(identity, name))
            known = self._known[identity, name] = self._class_with(identity.module, used) if used - {"__call__"} else ""
        return known

    def called(self, identity: FunctionId, number: int) -> tuple[FunctionId, ...]:
        """The methods that a call on an untyped object reaches, when nothing else says what is called."""
        path = self._view.event(identity, number).path
        if path is None or len(path.steps) > 1 or not isinstance(path.root, Name) or path.root.scope != "local":
            return ()
        if path.steps and path.steps[0] in _CONTAINERS:
            return ()                                          # a dictionary, a list or a text has such a method as well
        if any(call.functions for call in self._view.calls(identity, number)):
            return ()
        owner = self.of(identity, path.root.name)
        info = self._view.program.class_(owner) if owner else None
        name = path.steps[0] if path.steps else "__call__"
        methods = [self._view.program.method(each, name) for each in (owner, *info.subclasses)] if info is not None else []
        return tuple(dict.fromkeys(method for method in methods if method is not None))[:OVERRIDES]

    def _used(self, identity: FunctionId, name: str) -> set[str]:
        """The attributes that a function, or for its own variable the one around it, uses of what has a name."""
        function = self._view.function(identity)
        own = name in function.locals
        found = set() if own or function.enclosing < 0 else self._used(FunctionId(identity.module, function.enclosing), name)
        for event in function.events:
            if event.path is not None and event.path.root == Name(name, "local" if own else "captured"):
                if event.path.steps and not event.path.steps[0].startswith("["):
                    found.add(event.path.steps[0])
                elif not event.path.steps and event.kind == "call":
                    found.add("__call__")
        return found

    def _used_by_callees(self, identity: FunctionId, name: str) -> list[set[str]]:
        passed = Name(name, "local")
        return [
            self._used(target, formal)
            for number, event in enumerate(self._view.function(identity).events)
            if event.kind == "call" and any(argument.value == passed for argument in event.arguments)
            for call in self._view.calls(identity, number) for target in call.functions[:4]
            for formal, value in self._view.bound(call, target).items() if value == passed
        ]

    def _class_with(self, module: str, fields: set[str]) -> ClassId:
        if self._declared is None:
            self._declared = {}
            for class_id in self._view.program.classes():
                info = self._view.program.class_(class_id)
                names = [*(f.name for f in info.ir.fields), *(m.name for m in info.ir.methods)] if info is not None else []
                for field in (*names, *self._view.inference.stores(class_id)):
                    self._declared.setdefault(field, set()).add(class_id)
            self._put_on = self._find_put_on(self._declared)
        fitting = [self._declared.get(field, set()) for field in fields if field not in self._put_on]
        classes = set.intersection(*fitting) if fitting else set()
        common = [each for each in classes if len(classes) > 1 and self._is_base_of(each, classes)]
        return min(common or classes, key=lambda c: (not c.startswith(f"{module}."), c), default="")

    def _find_put_on(self, declared: dict[str, set[ClassId]]) -> frozenset[str]:
        """The attributes that no class declares, and that are put on an object where one of the program is made: `txn.since = now`."""
        found: set[str] = set()
        for identity in self._view.program.functions():
            for number, event in enumerate(self._view.function(identity).events):
                path = event.path if event.kind == "write" else None
                if path is not None and len(path.steps) == 1 and path.steps[0] not in declared and isinstance(path.root, Name):
                    types = self._view.inference.of_value(identity, number, path.root) if path.steps != ("[*]",) else ()
                    if any(isinstance(t, Instance) and self._view.program.class_(t.name) is not None for t in types):
                        found.add(path.steps[0])
        return frozenset(found)

    def _is_base_of(self, class_id: ClassId, classes: set[ClassId]) -> bool:
        """Whether all of some classes are derived from one of them: an object that can be any of them has that one's class."""
        info = self._view.program.class_(class_id)
        return info is not None and classes <= {class_id, *info.subclasses}
