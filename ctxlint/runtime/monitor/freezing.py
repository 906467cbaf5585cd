"""The content of a value at one moment, and the mutable objects it is made of."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Iterator

SCALARS = (str, bytes, int, float, complex, bool, type(None))


def freeze(value: object, above: tuple[int, ...] = ()) -> Hashable:
    """Return an immutable image of `value`, equal to another one exactly when nothing within it changed.

    An object without fields that can be read is represented by its identity.
    """
    if isinstance(value, SCALARS):
        return (type(value).__name__, value)
    if id(value) in above:
        return ("cycle", above.index(id(value)))
    within = (*above, id(value))
    if isinstance(value, (set, frozenset)):
        return ("set", frozenset(freeze(item, within) for item in parts(value)))
    content = tuple(freeze(item, within) for item in parts(value))
    return (_kind(value), content) if content or _is_container(value) else ("object", id(value))


def mutable_parts(value: object, seen: set[int] | None = None) -> set[int]:
    """Return the identities of all objects within `value` that can change in place."""
    seen = set() if seen is None else seen
    if isinstance(value, SCALARS) or id(value) in seen:
        return set()
    seen.add(id(value))
    found = set() if isinstance(value, (tuple, frozenset)) else {id(value)}
    for item in parts(value):
        found |= mutable_parts(item, seen)
    return found


def parts(value: object) -> Iterator[object]:
    """Yield what `value` is made of, past every override of a subclass."""
    if isinstance(value, dict):
        for key, item in dict.items(value):
            yield key
            yield item
    elif isinstance(value, list):
        yield from list.__iter__(value)
    elif isinstance(value, tuple):
        yield from tuple.__iter__(value)
    elif isinstance(value, set):
        yield from set.__iter__(value)
    elif isinstance(value, frozenset):
        yield from value
    elif isinstance(value, deque):
        yield from deque.__iter__(value)
    elif isinstance(fields := getattr(value, "__dict__", None), dict) and not isinstance(value, type):
        yield from parts(fields)
    else:
        for name in _slots(value):
            if hasattr(value, name):
                yield getattr(value, name)


def _slots(value: object) -> list[str]:
    found: list[str] = []
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        found += [slots] if isinstance(slots, str) else slots
    return found


def _is_container(value: object) -> bool:
    return isinstance(value, (dict, list, tuple, set, frozenset, deque))


def _kind(value: object) -> str:
    return next((kind.__name__ for kind in (dict, list, tuple, deque) if isinstance(value, kind)), type(value).__name__)
