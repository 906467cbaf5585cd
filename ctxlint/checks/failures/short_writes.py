"""Writes that may take only a part, whose answer nobody looks at."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.wording import store_name

COUNT = "builtins.int"
"""What a write returns that says how much it took."""


def short_writes(analysis: Analysis, appends: Appends, identity: FunctionId) -> Iterator[Finding]:
    """Report unbuffered writes to a file that is read back, where the number of bytes taken is dropped."""
    view = analysis.view
    for number, match in view.calls_that(identity, "mutates"):
        if not view.event(identity, number).ignored or match.effect.returns != COUNT or match.effect.store != "file":
            continue
        append = appends.at(identity, number)
        if append is None or not append.readers:
            continue
        store, access = store_name(append.effect), append.reader(analysis)
        reader = analysis.program.symbol(access.function)
        yield Finding(
            function=identity, event=number, kind="short-write",
            confidence="low" if appends.is_by_the_way(identity, append) else "medium",
            fields={"store": store, "reader": reader, "line": At(identity, number), "handler": ""},
            flow=(FlowStep(identity, number, f"may write only a part to {store}; how much is not looked at"),
                  FlowStep(access.function, access.effect.event, f"reads {store} back")),
            evidence=(Evidence(f"`{reader}` reads {store} back", access.function, access.effect.event),),
            chain=("short-write", *sorted(append.keys)[:1]),
        )
