"""The objects of the SARIF library as JSON; it has the classes of the format and no writer.

A class says in its attributes' metadata what a property is called in the file, and its defaults are the schema's.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

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
    return json.dumps(as_object(log), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def as_object(value: Any) -> Any:
    """Return `value` as what `json` writes."""
    if hasattr(type(value), "__attrs_attrs__"):
        return dict(_properties(value))
    if isinstance(value, Mapping):
        return {name: as_object(part) for name, part in value.items() if part is not None}
    if isinstance(value, (list, tuple)):
        return [as_object(part) for part in value]
    if isinstance(value, (str, int, float)):
        return value
    raise TypeError(f"SARIF has no {type(value).__name__}")


def _properties(value: Any) -> Iterator[tuple[str, Any]]:
    kind = type(value).__name__
    for attribute in type(value).__attrs_attrs__:
        part = getattr(value, attribute.name)
        place = (kind, attribute.name)
        if part is None:
            continue
        if _is_default(part, attribute.default) and place not in DEFAULT_IS_WRITTEN:
            continue
        if isinstance(part, (list, tuple, Mapping)) and not part and place not in EMPTY_MEANS_SOMETHING:
            continue
        yield attribute.metadata["schema_property_name"], as_object(part)


def _is_default(part: Any, default: Any) -> bool:
    """A default that is a list is a factory of it; an attribute without a default has one that equals nothing."""
    made = default.factory() if hasattr(default, "factory") else default
    return type(part) is type(made) and bool(part == made)
