"""Mutations whose undo record in memory comes afterwards and may be dropped."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Analysis, Finding


def before_undo_record(analysis: Analysis, identity: FunctionId) -> Iterator[Finding]:
    """Report the function's mutations that an undo cannot take back when something between them and their record fails."""
    yield from ()
