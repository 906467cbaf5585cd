"""Variables that functions share: of a module, or of the function in which the others are defined; who reads and changes them.

A variable's name carries no event of its own, so a reading is the event at which the name is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.mutations import How, Mutation
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.event import Event
from ctxlint.ir.value import AccessPath, Closure, Compound, Name, Result, Value, parts_of
from ctxlint.roles.cells import Change


def definer_of(analysis: Analysis, identity: FunctionId, name: Name) -> FunctionId | None:
    """The enclosing function whose variable a captured name is; None for the receiver of a method, which is an object's."""
    current = _enclosing(analysis, identity)
    while current is not None and name.scope == "captured":
        function = analysis.view.function(current)
        if name.name in function.locals:
            return None if receiver_name(function) == name.name else current
        current = _enclosing(analysis, current)
    return None


def is_defined_in(analysis: Analysis, identity: FunctionId, definer: FunctionId) -> bool:
    """Whether a function is the definer itself, or lies within it."""
    current: FunctionId | None = identity
    while current is not None and current != definer:
        current = _enclosing(analysis, current)
    return current == definer


def _enclosing(analysis: Analysis, identity: FunctionId) -> FunctionId | None:
    above = analysis.view.function(identity).enclosing
    return FunctionId(identity.module, above) if above >= 0 else None


def captured_changes(analysis: Analysis, identity: FunctionId) -> Iterator[Mutation]:
    """What a function changes of the variables of its enclosing functions: it binds them anew, or changes what they hold."""
    for mutation in analysis.summaries.of(identity).mutations:
        root = mutation.path.root
        if not mutation.distance and isinstance(root, Name) and definer_of(analysis, identity, root) is not None:
            yield mutation
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind == "local" and event.path is not None and event.value is not None:
            bound = event.path.root
            if isinstance(bound, Name) and definer_of(analysis, identity, bound) is not None:
                how: How = "augment" if event.note == "aug" else "rebind"
                yield Mutation(AccessPath(bound), (), how, number, (identity, number), (event.value,))


def captured_name(analysis: Analysis, identity: FunctionId, write: Mutation) -> str:
    """What the changed variable is called in messages: with its function, and with the attribute that is changed."""
    root = write.path.root
    definer = definer_of(analysis, identity, root) if isinstance(root, Name) else None
    if definer is None or not isinstance(root, Name):
        return ""
    return ".".join([analysis.program.symbol(definer), root.name, *_attribute(write.path)])


def other_closures(analysis: Analysis, identity: FunctionId, write: Mutation) -> tuple[Change, ...]:
    """The functions beside this one that change the same variable and can be called while it waits.

    Both have to leave the function that defines them, else it alone decides when they run.
    """
    root = write.path.root
    if not isinstance(root, Name) or not _leaves(analysis, identity):
        return ()
    definer = definer_of(analysis, identity, root)
    if definer is None:
        return ()
    return tuple(
        Change(other, change)
        for other in analysis.program.functions_in(identity.module)
        if other not in (identity, definer) and is_defined_in(analysis, other, definer)
        and _leaves(analysis, other)
        for change in captured_changes(analysis, other)
        if change.path.root == root and definer_of(analysis, other, root) == definer and _attribute(change.path) == _attribute(write.path)
    )


def _attribute(path: AccessPath) -> tuple[str, ...]:
    return tuple(step for step in path.steps[:1] if not step.startswith("["))


def _leaves(analysis: Analysis, identity: FunctionId) -> bool:
    """Whether the function that defines another gives it away: returns, registers, passes or decorates it."""
    definer = _enclosing(analysis, identity)
    if definer is None:
        return False
    name = analysis.view.function(identity).qualname.rpartition(".")[2]
    given = {Closure(identity.index), Name(name, "local")}
    return any(
        part in given
        for event in analysis.view.function(definer).events
        for value in _given(event) for part in parts_of(value)
    )


def _given(event: Event) -> Iterator[Value]:
    """The values of an event that go somewhere else; a plain definition binds its name only."""
    yield from (argument.value for argument in event.arguments)
    if event.value is not None and not (event.kind == "local" and isinstance(event.value, Closure)):
        yield event.value


def readings(analysis: Analysis, identity: FunctionId, at: int, values: Iterable[Value], path: AccessPath) -> frozenset[int]:
    """The events at which the variable at the root of `path`, or what the path has of it, is evaluated for `values`."""
    view, name, step = analysis.view, path.root, path.steps[:1]
    found: set[int] = set()
    seen: set[tuple[Value, int]] = set()
    pending = [(value, at) for value in values]
    while pending:
        value, where = pending.pop()
        if (value, where) in seen:
            continue
        seen.add((value, where))
        if value == name:
            found.add(where)
        elif isinstance(value, Compound) and (waited := _waited_for_behind(analysis, identity, value, name)) is not None:
            found.add(waited)
        elif isinstance(value, Compound):
            pending += [(part, where) for part in (value.parts[1:] if value.operator == "if" else value.parts)]
        elif isinstance(value, Name) and value.scope == "local":
            for number in view.definitions(identity).definitions(where, value.name):
                pending += [] if number < 0 else [(each, number) for each in _entering(view.event(identity, number))]
            for number in view.definitions(identity).additions(where, value.name):
                pending += [(each, number) for each in _entering(view.event(identity, number))]
        elif isinstance(value, Result):
            event = view.event(identity, value.event)
            if event.kind == "read" and event.path is not None and event.path.root == name:
                if event.path.steps[:1] == step or not step:
                    found.add(value.event)
            elif event.kind == "call":
                pending += [(each, value.event) for each in _passing(analysis, identity, value.event)]
            elif event.kind == "read" and event.path is not None:
                pending.append((event.path.root, value.event))
            elif event.value is not None:
                pending.append((event.value, value.event))
    return frozenset(found)


def _waited_for_behind(analysis: Analysis, identity: FunctionId, value: Compound, name: Value) -> int | None:
    """The call that is awaited after the variable was evaluated in one expression: `total + await cost()`."""
    if name not in value.parts:
        return None
    behind = value.parts[value.parts.index(name) + 1 :]
    waits = (part.event for part in behind if isinstance(part, Result) and analysis.view.event(identity, part.event).kind == "suspend")
    calls = (analysis.view.awaited_call(identity, analysis.view.event(identity, wait).value) for wait in waits)
    return next((call for call in calls if call is not None), None)


def _entering(event: Event) -> list[Value]:
    return [argument.value for argument in event.arguments] + ([] if event.value is None else [event.value])


def _passing(analysis: Analysis, identity: FunctionId, call: int) -> list[Value]:
    """What a call's result is made of: for functions of the program what they give back, else all that it is given."""
    if analysis.summaries.reads_store(identity, call):
        return []
    event = analysis.view.event(identity, call)
    found: list[Value] = []
    for each in analysis.view.calls(identity, call):
        if not each.functions:
            found += _entering(event)
            found += [event.path.root] if event.path is not None and event.path.steps else []
        for target in each.functions:
            given = {source.name for source in analysis.summaries.flow(target).returns if source.kind == "param"}
            found += [value for formal, value in analysis.view.bound(each, target).items() if formal in given]
    return found
