"""`precedes`: a cell is changed before the record that recovery needs, and the record may never be made.

A policy may name two callables instead: the first has to be called before the second. Else there are three kinds of record: the entry of a store from which a restore rebuilds the cell, the undo record in memory that an undo
function replays, and the copy in a second store of what the first one held.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import Finding
from ctxlint.checks.recording.call_order import before_call
from ctxlint.checks.recording.store_pairs import before_other_store
from ctxlint.checks.recording.store_records import before_store_record
from ctxlint.checks.recording.undo_deltas import LastTakers
from ctxlint.checks.recording.undo_records import before_undo_record


def precedes(analysis: Analysis, *, first: str = "record", then: str = "mutate") -> Iterator[Finding]:
    """Report mutations whose durable record, or whose undo record, comes only afterwards and may fail.

    With the qualified names of two callables, report calls of `then` that are reached without a completed call of `first`.
    """
    if (first, then) != ("record", "mutate"):
        yield from before_call(analysis, first, then)
        return
    takers = LastTakers(analysis)
    for identity in analysis.program.functions():
        yield from before_store_record(analysis, identity)
        yield from before_undo_record(analysis, takers, identity)
        yield from before_other_store(analysis, identity)
