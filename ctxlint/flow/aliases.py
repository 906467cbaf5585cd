"""Which access paths a local name can stand for: after `history = self.messages`, `history.append` changes self.messages.

Paths are cut at a fixed number of steps, so chains through loops (`node = node.next`) end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ctxlint.flow.origins import unpacked_part
from ctxlint.flow.reaching import ENTRY_VALUE, Definitions
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value

STEPS = 6
"""The longest path that is told apart from its extensions."""

_STATES = 64
"""How many intermediate paths one question may visit; beyond that, paths stay as they were found."""

_CONTAINERS = frozenset({
    "tuple", "list", "set", "dict", "comprehension-list", "comprehension-set", "comprehension-dict",
    "comprehension-generator",
})
_MAPPING = Compound("**", ())

Same = Callable[[int], Iterable[AccessPath]]
"""For a call event: the paths, as seen at the call, that its result can be. Told by models and summaries."""

_State = tuple[Value, tuple[str, ...], int]


def is_nothing(event: int) -> tuple[AccessPath, ...]:
    """The `Same` that knows no call: the result of a call is an object of its own."""
    return ()


def resolve(function: Function, definitions: Definitions, event: int, same: Same = is_nothing) -> frozenset[AccessPath]:
    """The event's own access path, from its roots; empty if it has none.

    The last step (the attribute, the item, the method of a call) is kept as it is: it names the place, not what lies there.
    """
    path = function.events[event].path
    if path is None:
        return frozenset()
    if not path.steps:
        return root_paths(function, definitions, event, path, same)
    receivers = root_paths(function, definitions, event, AccessPath(path.root, path.steps[:-1]), same)
    return frozenset([AccessPath(receiver.root, (*receiver.steps, path.steps[-1])) for receiver in receivers])


def root_paths(
    function: Function, definitions: Definitions, at: int, path: AccessPath, same: Same = is_nothing,
) -> frozenset[AccessPath]:
    """The paths, from their roots, that `path` can be when evaluated at event `at`."""
    found: set[AccessPath] = set()
    start: _State = (path.root, path.steps[:STEPS], at)
    seen = {start}
    pending = [start]
    while pending:
        value, steps, where = pending.pop()
        if isinstance(value, Name):
            further = _through_definitions(function, definitions, value, steps, where, found)
        elif isinstance(value, Result):
            further = _through_event(function, value, steps, same, found)
        else:
            further = []
            for part, rest in _alternatives(value, steps):
                if _is_made_here(part):
                    found.add(AccessPath(part, rest))
                else:
                    further.append((part, rest, where))
        for state in further:
            if len(seen) >= _STATES:
                found.add(AccessPath(state[0], state[1]))
            elif state not in seen:
                seen.add(state)
                pending.append(state)
    return frozenset(found)


def _through_definitions(function: Function, definitions: Definitions, name: Name, steps: tuple[str, ...], at: int,
                         found: set[AccessPath]) -> list[_State]:
    """What the name was assigned; it is a root itself where it holds an argument, an outer variable or a new object."""
    states: list[_State] = []
    reaching = definitions.definitions(at, name.name)
    if not reaching:
        found.add(AccessPath(name, steps))
    for number in reaching:
        if number == ENTRY_VALUE and len(reaching) > 1 and _is_unbound(function, name):
            continue
        value = function.events[number].value if number != ENTRY_VALUE else None
        if value is None or function.events[number].kind != "local":
            found.add(AccessPath(name, steps))
            continue
        for part, rest in _alternatives(value, steps):
            if _is_made_here(part):
                found.add(AccessPath(name, steps))
            else:
                states.append((part, rest, number))
    return states


def _is_unbound(function: Function, name: Name) -> bool:
    """Whether the name holds nothing when the function begins, so that it stands for nothing where that reaches."""
    return name.scope == "local" and all(formal.name != name.name for formal in function.formals)


def _through_event(function: Function, result: Result, steps: tuple[str, ...], same: Same,
                   found: set[AccessPath]) -> list[_State]:
    """What was read, awaited or iterated over; the result of any other event is a root."""
    number = result.event
    event = function.events[number]
    if event.kind == "read" and event.path is not None:
        return [(event.path.root, (*event.path.steps, *steps)[:STEPS], number)]
    if event.kind == "suspend" and event.note == "await" and event.value is not None:
        return [(event.value, steps, number)]
    if event.kind == "iterate" and event.value is not None:
        return [(event.value, ("[*]", *steps)[:STEPS], number)]
    passed = same(number) if event.kind == "call" else ()
    states = [(path.root, (*path.steps, *steps)[:STEPS], number) for path in passed]
    if not states:
        found.add(AccessPath(result, steps))
    return states


def _alternatives(value: Value, path: tuple[str, ...]) -> list[tuple[Value, tuple[str, ...]]]:
    """The values from which `path` can lead to the same object as from this one, each with its path."""
    found: list[tuple[Value, tuple[str, ...]]] = []
    pending = [(value, path)]
    while pending:
        part, steps = pending.pop()
        if not isinstance(part, Compound):
            found.append((part, steps))
        elif part.operator == "if":
            pending.extend([(each, steps) for each in part.parts[1:]])
        elif part.operator in ("or", "and"):
            pending.extend([(each, steps) for each in part.parts])
        elif part.operator in ("item", "element"):
            picked = unpacked_part(part)
            pending.append((part.parts[0], ("[*]", *steps)[:STEPS]) if picked is None else (picked, steps))
        elif steps[:1] == ("[*]",) and part.parts and part.operator in _CONTAINERS:
            pending.extend([(each, steps[1:]) for each in _members(part)])
        elif part.operator == "*" and len(part.parts) == 1:
            pending.append((part.parts[0], ("[*]", *steps)[:STEPS]))
        else:
            found.append((part, steps))
    return found


def _members(container: Compound) -> tuple[Value, ...]:
    """What can be taken out of a display or a comprehension; of a mapping, its values."""
    parts = container.parts
    if container.operator == "dict":
        return tuple([Compound("*", (value,)) if key == _MAPPING else value for key, value in zip(parts[::2], parts[1::2])])
    if container.operator == "comprehension-dict":
        return (Compound("*", (parts[1],)) if parts[0] == _MAPPING else parts[1],)
    return parts[:1] if container.operator.startswith("comprehension") else parts


def _is_made_here(value: Value) -> bool:
    return isinstance(value, (Constant, Compound, Closure))
