"""Background tasks whose failure is never lost. `asyncio` is imported by the first call, not before."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import asyncio

Value = TypeVar("Value")

_RUNNING: set[asyncio.Task[Any]] = set()
"""Strong references: the event loop keeps only weak ones, and a collected task never finishes."""


def tracked_task(
    work: Coroutine[Any, Any, Value],
    *,
    on_failure: Callable[[BaseException], object] | None = None,
    name: str | None = None,
) -> asyncio.Task[Value]:
    """Start `work` as a task of the running loop that is kept until it is done and whose failure is reported.

    A failure, cancellation included, goes to `on_failure` the moment it happens, and without one to the loop's
    exception handler (which logs it by default), whether or not anyone ever awaits the task. Who awaits it sees it
    too. What was to be persisted and was cancelled with the loop is thus reported as not persisted.
    """
    import asyncio

    task = asyncio.create_task(work, name=name)
    _RUNNING.add(task)

    def report(done: asyncio.Task[Value]) -> None:
        _RUNNING.discard(done)
        failure = asyncio.CancelledError(f"{done.get_name()} was cancelled") if done.cancelled() else done.exception()
        if failure is None:
            return
        if on_failure is not None:
            on_failure(failure)
        else:
            done.get_loop().call_exception_handler(
                {"message": f"tracked task {done.get_name()!r} did not finish", "exception": failure, "task": done}
            )

    task.add_done_callback(report)
    return task
