"""The monitor itself: what is watched, from when to when, and how it is put back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from ..errors import MonitorFailure, Reason
from .arguments import Finding
from .checks import findings
from .events import NAME, Recorder
from .frames import calling_frames
from .proxies import Appends, mutable_cell, original, record_sink

if TYPE_CHECKING:
    from typing_extensions import Self


class Monitor:
    """What was recorded of one cell and one journal.

    Leaving the ``with`` block raises `MonitorFailure` if anything was found, unless another exception is under way.
    """

    def __init__(
        self, recorder: Recorder, names: tuple[str, str], put_back: Callable[[], object] = lambda: None
    ) -> None:
        self._recorder = recorder
        self._names = names
        self._put_back = put_back
        self._failures_due: list[BaseException] = []
        self._found: tuple[Finding, ...] | None = None
        self.buffer: Any = None
        self.journal: Any = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything found so far, in the order of the events."""
        return tuple(findings(self._recorder, *self._names)) if self._found is None else self._found

    def fail_next_append(self, failure: BaseException) -> None:
        """Let the next append raise `failure` in place of reaching the journal: what does the program do then?"""
        self._failures_due.append(failure)

    def close(self) -> tuple[Finding, ...]:
        """Stop watching, put the originals back, and return the findings."""
        if self._found is None:
            self._found = self.findings
            self._recorder.muted = True
            self._put_back()
            # Frames keep the locals of finished calls alive.
            self._recorder.events.clear()
            self._recorder.outside = frozenset()
        return self._found

    def check(self) -> None:
        """Raise `MonitorFailure` with the arguments of all findings, if there are any."""
        if found := self.findings:
            raise MonitorFailure("\n\n".join(map(str, found)), reason=Reason.MONITORED)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if kind is None:
            self.check()

    def _failing(self, action: Callable[[], Any]) -> Any:
        """Run an append, or the failure that is due in its place."""
        if self._failures_due:
            raise self._failures_due.pop(0)
        return action()


def monitor(buffer: object, journal: object, *, names: tuple[str, str] = ("buffer", "journal")) -> Monitor:
    """Watch a cell and its journal: use `buffer` and `journal` of the result in their place.

    The cell is a list, dict, set, deque, or an object with mutating methods (`RewriteBuffer` and the like); the
    journal is one of these or an object with a method that appends (append, write, record, put, save and the like;
    coroutines too). Containers are copied; `buffer` and `journal` of the result hold what is done to them.
    `names` are used in messages.
    """
    recorder = Recorder(lambda: watch.buffer, _outside())
    watch = Monitor(recorder, names)
    watch.buffer = mutable_cell(buffer, recorder)
    watch.journal = record_sink(journal, _Failing(recorder, watch))
    return watch


def monitor_attributes(
    owner: Any, buffer: str, journal: str, *, outside: frozenset[FrameType] | None = None
) -> Monitor:
    """Watch two attributes of an object, reads and assignments of the attributes themselves included.

    The object gets a subclass of its class until the monitor is closed; then the original containers are back in
    place, with the content they have by then. An alias of a container taken before is not watched.
    `outside` are calls that are no operations of the program; by default those that are running now.
    """
    name = type(owner).__name__
    kind: Any = type(owner)

    def content() -> object:
        try:
            return kind.__getattribute__(owner, buffer)
        except AttributeError:
            return None

    recorder = Recorder(content, _outside() if outside is None else outside)

    def put_back() -> None:
        present = {attribute: getattr(owner, attribute) for attribute in (buffer, journal) if hasattr(owner, attribute)}
        owner.__class__ = kind
        for attribute, value in present.items():
            setattr(owner, attribute, original(value))

    watch = Monitor(recorder, (f"{name}.{buffer}", f"{name}.{journal}"), put_back)
    sink = _Failing(recorder, watch)
    watched = _watched_class(kind, buffer, journal, recorder, sink)
    stand_ins = (
        (buffer, mutable_cell(getattr(owner, buffer), recorder)),
        (journal, record_sink(getattr(owner, journal), sink)),
    )
    try:
        for attribute, stand_in in stand_ins:
            setattr(owner, attribute, stand_in)
        owner.__class__ = watched
    except BaseException:
        put_back()
        raise
    watch.buffer, watch.journal = recorder.content(), getattr(owner, journal)
    recorder.events.clear()
    return watch


@dataclass(frozen=True, slots=True)
class _Failing:
    """Takes appends down, and lets them fail when the monitor says so."""

    recorder: Recorder
    watch: Monitor

    def append(self, record: object, action: Callable[[], Any]) -> Any:
        return self.recorder.append(record, lambda: self.watch._failing(action))


def _watched_class(kind: Any, buffer: str, journal: str, recorder: Recorder, sink: Appends) -> type[Any]:
    def read(self: Any, name: str) -> Any:
        if name == buffer:
            recorder.read(NAME)
        return kind.__getattribute__(self, name)

    def assign(self: Any, name: str, value: Any) -> None:
        if name == buffer and value is recorder.content():
            return  # The second half of an augmented assignment; the first was seen.
        if name == buffer:
            recorder.mutation(NAME, replaces=True)
            kind.__setattr__(self, name, mutable_cell(value, recorder))
            recorder.mutated()
        else:
            kind.__setattr__(self, name, record_sink(value, sink) if name == journal else value)

    body = {"__slots__": (), "__getattribute__": read, "__setattr__": assign, "__module__": kind.__module__}
    return type(kind.__name__, (kind,), body)


def _outside() -> frozenset[FrameType]:
    return frozenset(calling_frames())
