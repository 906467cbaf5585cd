"""What a loader does with a file that is cut off."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.checks.analysis import Analysis
from ctxlint.checks.handlers import Handler, handlers_of
from ctxlint.flow.paths import path
from ctxlint.ir.value import Compound, Constant, Result
from ctxlint.roles.stores import Access

_NOT_FOUND = frozenset(
    f"builtins.{name}"
    for name in (
        "FileNotFoundError", "IsADirectoryError", "NotADirectoryError", "PermissionError", "OSError", "IOError", "ImportError",
        "ModuleNotFoundError", "KeyError", "AttributeError", "IndexError", "TimeoutError", "KeyboardInterrupt",
    )
)
"""What a file that is there and cut off does not raise."""


def handlers_of_garbage(analysis: Analysis, reader: Access) -> Iterator[Handler]:
    """The handlers in which a loader lands when the content makes no sense, and which go on; not those that skip one of many items."""
    view, identity, read = analysis.view, reader.function, reader.effect.event
    parses = [
        number for number, event in enumerate(view.function(identity).events)
        if number > read and event.kind == "call" and view.does(identity, number, "parses", "loads") is not None
    ]
    graph = view.graph(identity)
    for handler in handlers_of(analysis, identity):
        if handler.swallows and not _NOT_FOUND.issuperset(handler.names or ("",)):
            per_item = path(graph, handler.catch, handler.catch) is not None and path(graph, read, read) is None
            if not per_item and any(handler.catches_failure_of(number) for number in (read, *parses[:1])):
                yield handler


def taken_for_nothing(analysis: Analysis, reader: Access) -> bool:
    """Whether a loader takes a file it cannot read for an empty one."""
    return any(_goes_on_empty(analysis, reader, handler) for handler in handlers_of_garbage(analysis, reader))


def _goes_on_empty(analysis: Analysis, reader: Access, handler: Handler) -> bool:
    """Whether the handler goes on with nothing: neither raises, nor gives back None, nor keeps the broken file."""
    for number in handler.body:
        event = analysis.view.event(reader.function, number)
        if event.kind == "raise":
            return False
        if event.kind == "return":
            if event.value is None or not _is_empty(analysis, reader, event.value):
                return False
        if any(effect.kind in ("move", "write") for effect in analysis.summaries.effects_at(reader.function, number)):
            return False
    return True


def _is_empty(analysis: Analysis, reader: Access, value: object) -> bool:
    if isinstance(value, Constant):
        return value.kind != "none"
    if isinstance(value, Compound):
        return not value.parts or value.operator in ("tuple",)
    if isinstance(value, Result):
        event = analysis.view.event(reader.function, value.event)
        return event.kind == "call" and not event.arguments
    return False
