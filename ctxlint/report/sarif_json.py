"""The objects of the SARIF library as JSON; it has the classes of the format and no writer.

A class says in its attributes' metadata what a property is called in the file, and its defaults are the schema's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec

EMPTY_MEANS_SOMETHING = {
    ("Run", "results"): "looked and found nothing; absent would mean that nothing was looked for",
    ("Result", "suppressions"): "known not to be suppressed; absent would mean unknown",
}
DEFAULT_IS_WRITTEN = {
    ("Result", "level"): "readers look for it",
    ("ReportingConfiguration", "level"): "readers look for it",
}


def sarif_json(log: Any) -> str:
    """Return a log as JSON text: what is None, default or empty is left out unless leaving it out says something else.

    Raises TypeError for a value that JSON does not have, ValueError for a number that it does not have.
    """
    # The standard library indents in Python, which takes a hundred times longer than writing on one line.
    return msgspec.json.format(json.dumps(as_object(log), allow_nan=False), indent=2) + "\n"


def as_object(value: Any) -> Any:
    """Return `value` as what `json` writes."""
    if hasattr(type(value), "__attrs_attrs__"):
        return dict(_properties(value))
    if isinstance(value, dict):
        return {name: as_object(part) for name, part in value.items() if part is not None}
    if isinstance(value, (list, tuple)):
        return [as_object(part) for part in value]
    if isinstance(value, str):
        # Half a character, as in a name of a file that is no UTF-8, is no JSON for many readers: it is shown escaped.
        return value if value.isascii() else value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, (int, float)):
        return value
    raise TypeError(f"SARIF has no {type(value).__name__}")


class _Property(NamedTuple):
    """An attribute of a class: what it is called in the file, and the value that need not be written."""

    attribute: str
    name: str
    default: Any
    keep_empty: bool


def _properties(value: Any) -> Iterator[tuple[str, Any]]:
    kind: Any = type(value)
    for attribute, name, default, keep_empty in _declared(kind):
        part = getattr(value, attribute)
        if part is None or (type(part) is type(default) and part == default):
            continue
        if not part and not keep_empty and isinstance(part, (list, tuple, dict)):
            continue
        yield name, as_object(part)


@cache
def _declared(kind: Any) -> tuple[_Property, ...]:
    return tuple(_property(kind.__name__, attribute) for attribute in kind.__attrs_attrs__)


def _property(kind: str, attribute: Any) -> _Property:
    """A default that is a list is a factory of it; an attribute without a default has one that equals nothing."""
    place = (kind, attribute.name)
    default = attribute.default
    made = default.factory() if hasattr(default, "factory") else default
    unwritten = None if place in DEFAULT_IS_WRITTEN else made
    return _Property(attribute.name, attribute.metadata["schema_property_name"], unwritten, place in EMPTY_MEANS_SOMETHING)
