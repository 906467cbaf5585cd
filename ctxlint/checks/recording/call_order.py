"""A call that needs another one before it: the order that a policy names.

Where a function makes the second call without the first, its callers may have made it; the function is reported that some way
reaches without it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.recording.named import Named, reaches_without

MAX_CALLERS = 4
"""How many calls up the first call is looked for."""


def before_call(analysis: Analysis, first: str, then: str) -> Iterator[Finding]:
    """Report the calls of `then` that some way reaches without a completed call of `first`."""
    needed, calls = Named(analysis, first), Named(analysis, then)
    known = dict.fromkeys((first, then), False)
    for identity in analysis.program.functions():
        known[first] = known[first] or needed.is_here(identity)
        known[then] = known[then] or calls.is_here(identity)
        for event in calls.calls(identity):
            way = _way_without(analysis, needed, identity, event, ())
            if way:
                yield _finding(analysis, first, then, identity, event, way)
    for name, is_known in known.items():
        if not is_known:
            analysis.warnings.append(f"nothing in the analysed code is, or calls, `{name}`")


Way = tuple[tuple[FunctionId, int], ...]


def _way_without(analysis: Analysis, needed: Named, identity: FunctionId, event: int, below: tuple[FunctionId, ...]) -> Way:
    """The calls, the outermost first, on a way to the event on which nothing needed was done; empty when there is none."""
    done = needed.surely_done(identity) - {event}
    if not reaches_without(analysis, identity, done, event):
        return ()
    here = ((identity, event),)
    callers = [site for site in analysis.view.call_graph.callers(identity) if site[0] not in (*below, identity)]
    if not callers or len(below) >= MAX_CALLERS:
        return here
    ways = (_way_without(analysis, needed, caller, call, (*below, identity)) for caller, call in callers)
    above = next((way for way in ways if way), ())
    return (*above, *here) if above else ()


def _finding(analysis: Analysis, first: str, then: str, identity: FunctionId, event: int, way: Way) -> Finding:
    entered, begins = way[0]
    symbol = analysis.program.symbol(entered)
    calls = [FlowStep(function, call, "calls on, nothing done yet") for function, call in way[:-1]]
    return Finding(
        function=identity, event=event, kind="call-order", confidence="high",
        fields={"first": first, "then": then, "line": At(identity, event), "entry": symbol},
        flow=(*calls, FlowStep(identity, event, f"`{then}` without a completed `{first}` before it")),
        evidence=(Evidence(f"`{symbol}` can be left for this call without `{first}`", entered, begins),),
        chain=("call-order", first, then),
    )
