"""What was observed, in order."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from .arguments import Step
from .frames import actor, calling_frames, line_of, short
from .freezing import freeze, mutable_parts

WHOLE = ("whole",)
"""The part that a read or a write of everything concerns; an item is ``("item", key)``, the name ``("name",)``."""
NAME = ("name",)


@dataclass(eq=False, slots=True)
class Event:
    """One read, mutation or append.

    `number` orders events; an append has it from its end, a mutation from its beginning.
    """

    kind: str
    number: int
    frames: tuple[FrameType, ...]
    actor: object
    path: str
    line: int
    part: tuple[Hashable, ...] = WHOLE
    before: Hashable = None
    replaces: bool = False
    record: object = None
    image: Hashable = None
    shared: frozenset[int] = frozenset()
    failure: BaseException | None = None
    ended: bool = True
    changed_by: Event | None = None

    def step(self, note: str) -> Step:
        return Step(short(self.path), self.line, line_of(self.path, self.line), note)


@dataclass(slots=True)
class Recorder:
    """Takes down what the proxies report. `content` returns the live cell, `outside` are frames above the test."""

    content: Callable[[], object]
    outside: frozenset[FrameType]
    events: list[Event] = field(default_factory=list)
    muted: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def read(self, part: tuple[Hashable, ...]) -> None:
        if not self.muted:
            self._add(self._event("read", part=part))

    def mutation(self, part: tuple[Hashable, ...], *, replaces: bool) -> Event | None:
        """Take down a mutation that is about to happen."""
        if self.muted:
            return None
        event = self._event("mutate", part=part, replaces=replaces, before=freeze(self.content()))
        return self._add(event)

    def mutated(self) -> None:
        """Note after a mutation which records have changed along with it."""
        with self._lock:
            last = next((event for event in reversed(self.events) if event.kind == "mutate"), None)
            for event in self.events:
                if event.shared and event.changed_by is None and freeze(event.record) != event.image:
                    event.changed_by = last

    def append(self, record: object, action: Callable[[], Any]) -> Any:
        """Run `action`, an append of `record`, and take down when it ended and how; coroutines when they are done."""
        if self.muted:
            return action()
        shared = frozenset(mutable_parts(record) & mutable_parts(self.content()))
        event = self._event(
            "append", record=record, image=freeze(record) if shared else None, shared=shared, ended=False
        )
        self._add(event)
        try:
            result = action()
        except BaseException as failure:
            self._end(event, failure)
            raise
        if isinstance(result, Awaitable):
            return self._awaited(event, result)
        self._end(event, None)
        return result

    async def _awaited(self, event: Event, result: Awaitable[Any]) -> Any:
        try:
            value = await result
        except BaseException as failure:
            self._end(event, failure)
            raise
        self._end(event, None)
        return value

    def _end(self, event: Event, failure: BaseException | None) -> None:
        with self._lock:
            event.ended, event.failure = True, failure
            self.events.remove(event)
            self._add(event)

    def _event(self, kind: str, **details: Any) -> Event:
        frames = calling_frames()
        path, line = (frames[0].f_code.co_filename, frames[0].f_lineno) if frames else ("<unknown>", 0)
        return Event(kind, 0, frames, actor(), path, line, **details)

    def _add(self, event: Event) -> Event:
        with self._lock:
            event.number = self.events[-1].number + 1 if self.events else 1
            self.events.append(event)
            return event
