"""Texts from which a program picks out names: formulas, queries and templates refer to what they read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.event import Event
from ctxlint.ir.value import Name, Result, Value
from ctxlint.roles.fields import Fields
from ctxlint.roles.fills import Fills

_PICKS = frozenset(["findall", "finditer"])


class Picked(msgspec.Struct, frozen=True):
    """A field whose text is searched for all occurrences of something; `becomes` when it is so before a record is made of it."""

    field: str
    function: FunctionId
    event: int
    becomes: bool


def picked_from(analysis: Analysis, fields: Fields, fills: Fills, owner: str) -> Iterator[Picked]:
    """The fields of a class whose text is searched, as a field or before it becomes one."""
    info = analysis.program.class_(owner)
    module = info.module if info is not None else owner.rstrip("(){}")
    if module not in analysis.program.modules:
        return
    view = analysis.view
    for index, function in enumerate(analysis.program.modules[module].ir.functions):
        identity = FunctionId(module, index)
        for number, event in enumerate(function.events):
            if event.kind == "call" and event.path is not None and event.arguments:
                searched: list[Value] = []
                if event.path.steps[-1:] and event.path.steps[-1] in _PICKS:
                    of_pattern = len(event.arguments) == 1 or len(event.path.steps) > 1     # or else `re.findall(pattern, text)`
                    searched = [event.arguments[0 if of_pattern else 1].value]
                elif any(_searches(analysis, target) for call in view.calls(identity, number) for target in call.functions[:2]):
                    searched = [argument.value for argument in event.arguments]
                for value in searched:
                    if isinstance(value, Name):
                        made = [field for _, field, part in fills.constructed(identity) if part == value and field.rpartition(".")[0] == owner]
                        yield from (Picked(field, identity, number, True) for field in made)
                    taken = _is_read(function.events, value) or (info is None and isinstance(value, Name))
                    for leaf in fields.of(identity, number, value) if taken else ():
                        if leaf.owner == owner and leaf.field:
                            yield Picked(leaf.key, identity, number, False)


def _is_read(events: Sequence[Event], value: Value) -> bool:
    """Whether a value is a field as it was read, and nothing that is made of many."""
    return isinstance(value, Result) and events[value.event].kind == "read"


def _searches(analysis: Analysis, identity: FunctionId) -> bool:
    """Whether a function gives back what it finds by such a search of its only argument."""
    function = analysis.view.function(identity)
    formals = {formal.name for formal in function.formals}
    return len(formals) == 1 and any(
        event.kind == "call" and event.path is not None and event.path.steps[-1:] and event.path.steps[-1] in _PICKS
        and any(isinstance(argument.value, Name) and argument.value.name in formals for argument in event.arguments)
        for event in function.events
    )
