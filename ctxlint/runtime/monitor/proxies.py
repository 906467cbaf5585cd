"""Stand-ins that behave as what they stand for and report what is done to it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from typing import Any, Protocol

from .events import WHOLE, Recorder
from .vocabulary import APPENDERS, ITEMS, MUTATORS, OBJECT_MUTATORS, READERS, REPLACING

Wrap = Callable[[object], Any]


class Appends(Protocol):
    """What takes appends down."""

    def append(self, record: object, action: Callable[[], Any]) -> Any: ...


def mutable_cell(value: object, recorder: Recorder) -> object:
    """Return a stand-in for a cell; a value that cannot be changed in place is its own, and so is a stand-in."""
    if _is_stand_in(value):
        return value
    for kind, names in MUTATORS.items():
        if isinstance(value, kind):
            _require_plain(kind, value)
            actions: dict[str, Wrap] = {}
            for name in READERS[kind]:
                actions[name] = _reading(name, getattr(kind, name), recorder)
            for name in names:
                actions[name] = _mutating(name, getattr(kind, name), recorder)
            return _subclass(kind, value, actions)
    if hasattr(value, "__dict__"):
        wrap = {name: _mutating_method(name, recorder) for name in OBJECT_MUTATORS}
        return Forwarding(value, wrap)
    return value


def record_sink(value: object, recorder: Appends) -> object:
    """Return a stand-in for a journal: a container, or any object with a method that appends."""
    if _is_stand_in(value):
        return value
    for kind, mutators in MUTATORS.items():
        if isinstance(value, kind):
            _require_plain(kind, value)
            names = [name for name in APPENDERS if name in mutators]
            return _subclass(kind, value, {name: _appending(getattr(kind, name), recorder) for name in names})
    return Forwarding(value, {name: _appending_method(recorder) for name in APPENDERS})


class Forwarding:
    """Passes everything on to the object it stands for, the watched methods by way of the recorder."""

    def __init__(self, target: object, wrap: dict[str, Callable[[Callable[..., Any]], Callable[..., Any]]]) -> None:
        object.__setattr__(self, "_target", target)
        object.__setattr__(self, "_wrap", wrap)

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._target, name)
        return self._wrap[name](found) if name in self._wrap and callable(found) else found

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self._target, name, value)


def original(value: object) -> Any:
    """Return what a stand-in stands for, with the content it has now."""
    if isinstance(value, Forwarding):
        return object.__getattribute__(value, "_target")
    source = getattr(type(value), "_stands_for", None)
    if source is None:
        return value
    kind = next(kind for kind in MUTATORS if isinstance(value, kind))
    content: Any = kind.copy(value)  # type: ignore[attr-defined]
    if isinstance(source, (dict, set)):
        source.clear()
        source.update(content)
    else:
        source.clear()
        source.extend(content)
    return source


def _subclass(kind: type[Any], value: object, actions: dict[str, Any]) -> object:
    """Make a subclass for this one container: `isinstance` holds, and copies and pickles are plain."""

    def reduce(self: Any, protocol: object) -> tuple[type[Any], tuple[Any]]:
        plain = dict(dict.items(self)) if kind is dict else list(kind.__iter__(self))
        return (kind, (plain,))

    body = {"__slots__": (), "_stands_for": value, "__reduce_ex__": reduce, **actions}
    if kind in (list, dict, set):
        body["copy"] = _plain_copy(kind, actions.get("__iter__"))
    watched: Any = type(f"Monitored{kind.__name__.title()}", (kind,), body)
    return watched(value, value.maxlen) if isinstance(value, deque) else watched(value)


def _require_plain(kind: type[Any], value: object) -> None:
    if type(value) is not kind:
        raise TypeError(f"cannot watch a {type(value).__name__}, only a plain {kind.__name__}")


def _is_stand_in(value: object) -> bool:
    return isinstance(value, Forwarding) or hasattr(type(value), "_stands_for")


def _plain_copy(kind: type[Any], reading: Any) -> Any:
    def copy(self: Any) -> Any:
        if reading is not None:
            reading(self)
        return kind.copy(self)

    return copy


def _part(name: str, arguments: tuple[Any, ...]) -> tuple[Hashable, ...]:
    if name in ITEMS and arguments and isinstance(arguments[0], Hashable) and not isinstance(arguments[0], slice):
        return ("item", arguments[0])
    return WHOLE


def _reading(name: str, method: Any, recorder: Recorder) -> Any:
    def read(self: Any, *arguments: Any, **named: Any) -> Any:
        recorder.read(_part(name, arguments))
        return method(self, *arguments, **named)

    return read


def _mutating(name: str, method: Any, recorder: Recorder) -> Any:
    def mutate(self: Any, *arguments: Any, **named: Any) -> Any:
        recorder.mutation(_part(name, arguments), replaces=name in REPLACING)
        try:
            return method(self, *arguments, **named)
        finally:
            recorder.mutated()

    return mutate


def _appending(method: Any, recorder: Appends) -> Any:
    def append(self: Any, *arguments: Any, **named: Any) -> Any:
        return recorder.append((arguments, named), lambda: method(self, *arguments, **named))

    return append


def _mutating_method(name: str, recorder: Recorder) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def wrap(method: Callable[..., Any]) -> Callable[..., Any]:
        def mutate(*arguments: Any, **named: Any) -> Any:
            recorder.mutation(WHOLE, replaces=name in REPLACING)
            try:
                return method(*arguments, **named)
            finally:
                recorder.mutated()

        return mutate

    return wrap


def _appending_method(recorder: Appends) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def wrap(method: Callable[..., Any]) -> Callable[..., Any]:
        def append(*arguments: Any, **named: Any) -> Any:
            return recorder.append((arguments, named), lambda: method(*arguments, **named))

        return append

    return wrap
