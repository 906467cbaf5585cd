"""What values are put together from, by calls that only compute too."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Appends
from ctxlint.ir.value import Value


def ingredients(
    analysis: Analysis, appends: Appends, identity: FunctionId, at: int, values: Iterable[Value]
) -> frozenset[tuple[str, str | int]]:
    """The parameters and results that values are put together from, texts and copies of them included."""
    origins = analysis.view.origins(identity)
    own = receiver_name(analysis.view.function(identity))
    found: set[tuple[str, str | int]] = set()
    seen: set[tuple[str, str | int]] = set()
    pending = [(value, at) for value in values]
    while pending:
        for atom in origins.roots(*pending.pop()) - seen:
            seen.add(atom)
            kind, what = atom
            call = analysis.view.event(identity, what) if kind == "result" and isinstance(what, int) else None
            if call is not None and call.kind == "call" and isinstance(what, int) and appends.is_light(identity, what):
                pending += [(argument.value, what) for argument in call.arguments]
            elif kind != "constant" and what != own:
                found.add(atom)
    return frozenset(found)
