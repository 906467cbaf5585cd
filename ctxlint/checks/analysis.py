"""The facts of a program as checks ask for them, and the reasons why they stayed silent."""

from __future__ import annotations

import msgspec

from ctxlint.calls.guards import Guards
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import Summaries
from ctxlint.calls.view import View
from ctxlint.checks.bodies import Bodies
from ctxlint.knowledge.words import Words
from ctxlint.roles.blocking import Blocking
from ctxlint.roles.cells import Cells
from ctxlint.roles.concurrency import Concurrency
from ctxlint.roles.homes import Homes
from ctxlint.roles.key_spaces import KeySpaces
from ctxlint.roles.rows import Rows
from ctxlint.roles.stores import Stores
from ctxlint.roles.tasks import Tasks
from ctxlint.roles.ways_in import WaysIn


class Silence(msgspec.Struct, frozen=True):
    """A fact that kept a check silent about an event it had in view, and the events that show the fact."""

    function: FunctionId
    event: int
    fact: str
    shown_by: tuple[tuple[FunctionId, int], ...] = ()


class Analysis:
    """Everything a check may ask about a program, and what it says about the events that it passes over."""

    silences: list[Silence] | None = None
    """What the checks noted; None while nobody asks, so that noting costs nothing."""

    def __init__(self, view: View) -> None:
        self.bodies = Bodies()
        self.warnings: list[str] = []
        """What whoever wrote a policy should be told."""
        self.view = view
        self.program = view.program
        self.words: Words = view.words
        self.summaries = Summaries(view)
        self.guards = Guards(view)
        self.stores = Stores(self.summaries)
        self.key_spaces = KeySpaces(self.summaries)
        self.cells = Cells(self.summaries)
        self.concurrency = Concurrency(self.view)
        self.tasks = Tasks(self.view)
        self.blocking = Blocking(self.view)
        self.rows = Rows(self.view, self.words)
        self.homes = Homes(self.view)
        self.ways_in = WaysIn(self.view.call_graph, self.tasks)

    def spare(self, function: FunctionId, event: int, fact: str, *shown_by: int | tuple[FunctionId, int]) -> None:
        """Note why the event is no finding; numbers in `shown_by` are events of the same function."""
        if self.silences is not None:
            places = tuple((function, place) if isinstance(place, int) else place for place in shown_by)
            self.silences.append(Silence(function, event, fact, places))
