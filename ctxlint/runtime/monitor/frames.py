"""Where an event happens: its line, the calls it lies in, and the thread or task."""

from __future__ import annotations

import linecache
import os
import sys
import sysconfig
import threading
from types import FrameType

_OWN = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_LIBRARIES = tuple({os.path.abspath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "platstdlib")})
_RUNNERS = ("_pytest", "pluggy", "pytest")


def calling_frames() -> tuple[FrameType, ...]:
    """Return the frames of the program that are running, innermost first.

    Those of this package, the standard library and the test runner are no operations of the program: an event loop's
    frame is common to all tasks and says nothing about them.
    """
    frames: list[FrameType] = []
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if _belongs_to_the_program(frame):
            frames.append(frame)
        frame = frame.f_back
    return tuple(frames)


def actor() -> object:
    """Return what identifies the running task, or the thread where there is none."""
    if (asyncio := sys.modules.get("asyncio")) is not None:
        try:
            if (task := asyncio.current_task()) is not None:
                return task
        except RuntimeError:
            pass  # No loop runs in this thread, so the thread is the actor.
    return threading.get_ident()


def line_of(path: str, line: int) -> str:
    """Return the text of a source line without its indentation."""
    return linecache.getline(path, line).strip()


def short(path: str) -> str:
    """Return a path relative to the working directory when it lies below it."""
    relative = os.path.relpath(path) if os.path.isabs(path) else path
    return path if relative.startswith(os.pardir) else relative


def _belongs_to_the_program(frame: FrameType) -> bool:
    path = frame.f_code.co_filename
    if path.startswith((_OWN, "<frozen")):
        return False
    if f"{os.sep}site-packages{os.sep}" in path:
        return path.split(f"{os.sep}site-packages{os.sep}")[1].split(os.sep)[0] not in _RUNNERS
    return not path.startswith(_LIBRARIES)
