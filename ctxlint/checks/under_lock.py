"""`under_lock`: a cell is changed while the lock that a policy names for it is not held."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.summaries import is_constructor
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep

MAX_CALLERS = 4
"""How many callers up the lock is looked for."""


def under_lock(analysis: Analysis, *, cell: str, lock: str) -> Iterator[Finding]:
    """Report changes of `cell` (`Account.balance`, a module's variable) outside every hold of `lock`; constructors are free."""
    changed = acquired = False
    for identity in analysis.program.functions():
        acquired = acquired or any(_fits(name, lock) for _, name in analysis.guards.acquired(identity))
        changed = changed or any(_fits(name, cell) for m in analysis.summaries.of(identity).mutations for name in m.cells)
        if is_constructor(analysis.view, identity):
            continue
        for mutation in analysis.summaries.of(identity).mutations:
            if mutation.distance == 0 and any(_fits(name, cell) for name in mutation.cells):
                if not _is_held(analysis, lock, identity, mutation.event, ()):
                    yield _finding(analysis, cell, lock, identity, mutation.event)
    for name, is_known, what in ((cell, changed, "changes"), (lock, acquired, "acquires")):
        if not is_known:
            analysis.warnings.append(f"nothing in the analysed code {what} `{name}`")


def _is_held(analysis: Analysis, lock: str, identity: FunctionId, event: int, below: tuple[FunctionId, ...]) -> bool:
    """Whether the lock is held at the event: here, or over every known call of the function."""
    names = dict(analysis.guards.acquired(identity))
    if any(_fits(names.get(site, ""), lock) for site in analysis.guards.held(identity, event)):
        return True
    callers = analysis.view.call_graph.callers(identity)
    if not callers or len(below) >= MAX_CALLERS or identity in below:
        return False
    return all(_is_held(analysis, lock, caller, call, (*below, identity)) for caller, call in callers)


def _fits(name: str, wanted: str) -> bool:
    return name == wanted or name.endswith("." + wanted)


def _finding(analysis: Analysis, cell: str, lock: str, identity: FunctionId, event: int) -> Finding:
    symbol = analysis.program.symbol(identity)
    return Finding(
        function=identity, event=event, kind="under-lock", confidence="high",
        fields={"cell": cell, "lock": lock, "line": At(identity, event), "function": symbol},
        flow=(FlowStep(identity, event, f"changes `{cell}` without `{lock}`"),),
        evidence=(Evidence(f"`{symbol}` does not hold `{lock}` here, and neither do all of its callers", identity, event),),
        chain=("under-lock", cell, lock),
    )
