"""Sequences of which one function replaces the beginning while the others only add at the end."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.roles.cells import Change
from ctxlint.roles.edit import Edit
from ctxlint.roles.holders import Holders
from ctxlint.roles.measures import Measures, slice_of
from ctxlint.roles.reading import Reader
from ctxlint.roles.sums import ZERO


def meets_nobody(analysis: Analysis, identity: FunctionId, write: int, others: Iterable[Change]) -> bool:
    """Whether the write replaces so many elements from the first one on, and everybody else only adds behind the last one.

    What was counted before is then still what lies there, whatever came meanwhile.
    """
    if slice_of(analysis.view.event(identity, write)) is None:
        return False
    measures = Measures(analysis.view, Holders(analysis.summaries))
    own = _edits_at(analysis, measures, identity, write)
    return bool(own) and all(e.start == ZERO and e.removed is not None for e in own) and all(
        other.mutation.how == "augment" or _is_at_end(_edits_at(analysis, measures, other.function, other.mutation.event))
        for other in others
    )


def _is_at_end(edits: list[Edit]) -> bool:
    return bool(edits) and all(edit.at_tail for edit in edits)


def _edits_at(analysis: Analysis, measures: Measures, identity: FunctionId, event: int) -> list[Edit]:
    return [e for e in Reader(analysis.summaries, measures, identity).edits() if e.event == event]
