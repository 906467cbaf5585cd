"""Runs a project's own tests under `ctxlint.runtime.monitor`. Does nothing unless asked.

Asked by a test, through the fixture::

    def test_add(ctxlint_monitor):
        agent = Agent()
        ctxlint_monitor(agent, "messages", "undo")
        agent.add("hello")

or for all tests, by ``pytest --ctxlint-runtime`` and the classes to watch in the configuration::

    [tool.pytest.ini_options]
    ctxlint_monitor = ["myapp.agent:Agent messages undo"]

Each line names a class and two attributes that its instances have when ``__init__`` returns: the cell and its journal.
A test that ran code which breaks an invariant fails with the argument.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Generator
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ctxlint.runtime.monitor import Monitor

OPTION = "--ctxlint-runtime"
INI = "ctxlint_monitor"


@dataclass(slots=True)
class Watches:
    """The monitors of one test, and the calls that lie outside its operations."""

    monitors: list[Monitor] = field(default_factory=list)
    runner: frozenset[FrameType] = frozenset()

    def add(self, owner: object, cell: str, journal: str) -> Monitor:
        from ctxlint.runtime.monitor import monitor_attributes

        watch = monitor_attributes(owner, cell, journal, outside=self._outside())
        self.monitors.append(watch)
        return watch

    def arguments(self) -> list[str]:
        """Close all monitors, let go of the frames, and return the text of what was found."""
        found = [str(finding) for watch in self.monitors for finding in watch.close()]
        self.monitors.clear()
        self.runner = frozenset()
        return found

    def _outside(self) -> frozenset[FrameType]:
        """Return the runner's frames and the test function's own: helpers that it calls are operations."""
        frame: FrameType | None = sys._getframe()
        test: FrameType | None = None
        while frame is not None and frame not in self.runner:
            if frame.f_globals.get("__name__", "").partition(".")[0] not in ("_pytest", "pluggy", "ctxlint"):
                test = frame
            frame = frame.f_back
        return self.runner if test is None else self.runner | {test}


@dataclass(frozen=True, slots=True)
class Target:
    """A class whose instances are watched."""

    kind: type[Any]
    cell: str
    journal: str


WATCHES = pytest.StashKey[Watches]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("ctxlint")
    group.addoption(OPTION, action="store_true", help="watch the classes of ctxlint_monitor while tests run")
    parser.addini(INI, "classes to watch: 'module:Class cell journal', one a line", type="linelist", default=[])


@pytest.fixture
def ctxlint_monitor(request: pytest.FixtureRequest) -> Callable[[object, str, str], Monitor]:
    """Watch two attributes of an object for the rest of the test: ``ctxlint_monitor(agent, "messages", "undo")``."""
    return _watches(request.node).add


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    watches = _watches(item)
    watches.runner = _running()
    with ExitStack() as patched:
        if item.config.getoption(OPTION):
            for line in item.config.getini(INI):
                patched.enter_context(_watched(_target(line), watches))
        try:
            result = yield
        finally:
            arguments = watches.arguments()
            if arguments:
                item.add_report_section("call", "ctxlint", "\n\n".join(arguments))
    if arguments:
        pytest.fail("\n\n".join(arguments), pytrace=False)
    return result


class _watched:
    """Watches each instance of a class from the end of its ``__init__`` on, while the context lasts."""

    def __init__(self, target: Target, watches: Watches) -> None:
        self._target = target
        self._watches = watches
        self._own = target.kind.__dict__.get("__init__")

    def __enter__(self) -> None:
        target, watches, initialise = self._target, self._watches, self._target.kind.__init__

        def watching(instance: object, *arguments: object, **named: object) -> None:
            initialise(instance, *arguments, **named)
            watches.add(instance, target.cell, target.journal)

        self._target.kind.__init__ = watching

    def __exit__(self, *failure: object) -> None:
        if self._own is None:
            del self._target.kind.__init__
        else:
            self._target.kind.__init__ = self._own


def _target(line: str) -> Target:
    try:
        place, cell, journal = line.split()
        module, name = place.split(":")
        kind = getattr(importlib.import_module(module), name)
    except (ValueError, ImportError, AttributeError) as wrong:
        raise pytest.UsageError(f"{INI}: {line!r} is not 'module:Class cell journal' ({wrong})") from wrong
    return Target(kind, cell, journal)


def _watches(item: pytest.Item) -> Watches:
    return item.stash.setdefault(WATCHES, Watches())


def _running() -> frozenset[FrameType]:
    frames = set()
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        frames.add(frame)
        frame = frame.f_back
    return frozenset(frames)
