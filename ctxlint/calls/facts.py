"""One pass over a function's events: where names are bound, what is called, returned, yielded and stored."""

from __future__ import annotations

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.narrowing import ISINSTANCE, Narrowings, narrowings_of
from ctxlint.calls.program import Program
from ctxlint.ir.function import Formal, Function
from ctxlint.ir.value import AccessPath, Name


class Facts(msgspec.Struct, frozen=True):
    """Event indices of one function, by what they do.

    `bindings` are of names local to it, `globals` of module-level names it binds; `stores` are attribute writes
    `name.attribute = …` on a plain name, by (name, attribute); `additions` put something into the container that a name or an
    attribute of one holds, by (name, attribute or empty). `narrowings` are what its tests establish. `handed_back` are the
    formals that it returns as they were given.
    """

    formals: dict[str, Formal]
    bindings: dict[str, tuple[int, ...]]
    globals: dict[str, tuple[int, ...]]
    calls: tuple[int, ...]
    returned: tuple[int, ...]
    yielded: tuple[int, ...]
    stores: dict[tuple[str, str], tuple[int, ...]]
    additions: dict[tuple[str, str], tuple[int, ...]]
    narrowings: Narrowings
    handed_back: tuple[str, ...] = ()

    def binds(self, name: str) -> bool:
        """Whether some event of the function binds the name."""
        return name in self.bindings or name in self.globals


ADDING = frozenset(["append", "appendleft", "add", "insert", "setdefault", "extend", "update"])
"""Methods by which the containers of the language take something in."""

_BINDING = frozenset(["local", "catch", "define", "import"])


def facts_of(function: Function) -> Facts:
    """The facts of one function."""
    bindings: dict[str, list[int]] = {}
    globals_: dict[str, list[int]] = {}
    calls: list[int] = []
    returned: list[int] = []
    yielded: list[int] = []
    stores: dict[tuple[str, str], list[int]] = {}
    additions: dict[tuple[str, str], list[int]] = {}
    named: list[str] = []
    instance_tests: list[int] = []
    at_module = function.kind == "module"
    for index, event in enumerate(function.events):
        kind = event.kind
        if kind == "call":
            calls.append(index)
            steps = event.path.steps if event.path is not None else ()
            if not steps and event.path == ISINSTANCE:
                instance_tests.append(index)
            elif 0 < len(steps) < 3 and steps[-1] in ADDING and event.arguments:
                _add(additions, event.path, steps[:-1], index)
        elif kind in _BINDING:
            if event.path is not None and isinstance(event.path.root, Name) and not event.path.steps:
                root = event.path.root
                table = globals_ if at_module or root.scope == "global" else bindings
                table.setdefault(root.name, []).append(index)
        elif kind == "write":
            path = event.path
            if path is not None and len(path.steps) == 1 and path.steps[0] != "[*]" and isinstance(path.root, Name):
                stores.setdefault((path.root.name, path.steps[0]), []).append(index)
            elif path is not None and 0 < len(path.steps) < 3 and path.steps[-1] == "[*]":
                _add(additions, path, path.steps[:-1], index)
        elif kind == "return":
            if event.value is not None:
                returned.append(index)
                if isinstance(event.value, Name):
                    named.append(event.value.name)
        elif kind == "suspend" and event.note.startswith("yield"):
            yielded.append(index)
    formals = {formal.name: formal for formal in function.formals}
    return Facts(
        formals,
        {name: tuple(indices) for name, indices in bindings.items()},
        {name: tuple(indices) for name, indices in globals_.items()},
        tuple(calls),
        tuple(returned),
        tuple(yielded),
        {key: tuple(indices) for key, indices in stores.items()},
        {key: tuple(indices) for key, indices in additions.items()},
        narrowings_of(function, frozenset(instance_tests)),
        tuple([name for name in dict.fromkeys(named) if name in formals and name not in bindings]) if named else (),
    )


def _add(
    additions: dict[tuple[str, str], list[int]], path: AccessPath | None, steps: tuple[str, ...], index: int
) -> None:
    if path is not None and isinstance(path.root, Name) and "[*]" not in steps:
        additions.setdefault((path.root.name, steps[0] if steps else ""), []).append(index)


class FactsByFunction(dict[FunctionId, Facts]):
    """The facts of a program's functions, found when first asked for."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program

    def __missing__(self, identity: FunctionId) -> Facts:
        found = self[identity] = facts_of(self._program.function(identity))
        return found
