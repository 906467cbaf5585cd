"""Telling a step that is done from one that has only been promised."""

from __future__ import annotations

from collections.abc import Awaitable


def require_finished(result: object, step: str, consequence: str) -> None:
    """Raise `TypeError` when a step returned something to await: a coroutine function has done nothing yet."""
    if isinstance(result, Awaitable):
        if callable(close := getattr(result, "close", None)):
            close()  # Or the interpreter warns of a coroutine that was never awaited.
        raise TypeError(f"{step} returned a {type(result).__name__} to await: {consequence}")
