"""What encloses a statement and has a say when control leaves it: loops, managers, `finally` clauses.

What is owed on leaving is written once for each way of leaving (as Python's own compiler does), so that a path through
a copy ends where that way of leaving ends.
"""

from __future__ import annotations

import ast
from typing import Any, Protocol

from ctxlint.ir.value import Value
from ctxlint.syntax.blocks import Draft

_DEEPEST_COPIES = 4
"""`finally` clauses nested deeper than this in other copies are written once and shared by all ways of leaving, because
copies of copies grow exponentially."""


class Write(Protocol):
    """Writes the statements of a clause into the function."""

    def __call__(self, body: Draft, statements: list[ast.stmt]) -> None: ...


class Loop:
    """`continue` goes to `head`, `break` to `after`."""

    __slots__ = ("head", "after")

    def __init__(self, head: int, after: int) -> None:
        self.head = head
        self.after = after


class Finally:
    """A `finally` clause around the current statement; `pad` is where its own exceptions land."""

    __slots__ = ("statements", "write", "pad", "copies", "shared", "continuations")

    def __init__(self, body: Draft, statements: list[ast.stmt], write: Write) -> None:
        self.statements = statements
        self.write = write
        self.pad = body.pad
        self.copies: dict[int, int] = {}
        """The copy that was written for each destination."""
        self.shared = body.block() if body.copies >= _DEEPEST_COPIES else None
        self.continuations: list[tuple[int, bool]] = []
        """Where control goes on behind the shared copy, and whether an exception is then in flight."""

    def write_copy(self, body: Draft) -> None:
        if self.shared is not None:
            following = body.block()
            self.continuations.append((following, False))
            body.edge(self.shared)
            body.reached[following] = body.live
            body.start(following)
            return
        body.copies += 1
        self.write(body, self.statements)
        body.copies -= 1

    def write_shared(self, body: Draft) -> None:
        """Write the copy that all ways of leaving share; the frame was popped before."""
        if self.shared is None:
            return
        body.start(self.shared)
        body.copies += 1
        self.write(body, self.statements)
        body.copies -= 1
        for following, raised in self.continuations:
            body.edge(following, raised=raised)


class Manager:
    """A context manager around the current statement; `pad` is where the exceptions of its exit land."""

    __slots__ = ("place", "value", "is_async", "pad", "copies")

    def __init__(self, body: Draft, place: ast.expr, value: Value, is_async: bool) -> None:
        self.place = place
        self.value = value
        self.is_async = is_async
        self.pad = body.pad
        self.copies: dict[int, int] = {}

    def write_copy(self, body: Draft) -> Any:
        if self.is_async:
            body.emit("suspend", self.place, None, self.value, note="async-exit")
        return body.emit("exit", self.place, None, self.value, note="async" if self.is_async else "")


Frame = Loop | Finally | Manager


def leave(body: Draft, depth: int, destination: int) -> None:
    """Go to `destination` through everything that the frames above `depth` owe; what follows cannot be reached."""
    frames, pad = body.frames, body.pad
    for position in range(len(frames) - 1, depth - 1, -1):
        frame = frames[position]
        if not body.live:
            break
        if isinstance(frame, Loop):
            continue
        written = frame.copies.get(destination)
        if written is not None:
            body.edge(written)
            break
        body.pad = frame.pad
        copy = body.block()
        frame.copies[destination] = copy
        body.go(copy)
        # A jump inside the copy does not pass the frames that are being left.
        body.frames = frames[:position]
        frame.write_copy(body)
    else:
        body.edge(destination)
    body.frames, body.pad = frames, pad
    body.cut()


def innermost_loop(body: Draft) -> tuple[int, Loop] | None:
    """The loop around the current statement, and its position among the frames."""
    for position in range(len(body.frames) - 1, -1, -1):
        frame = body.frames[position]
        if isinstance(frame, Loop):
            return position, frame
    return None
