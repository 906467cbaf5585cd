"""Two revisions side by side: what the later one has introduced, what it has fixed, and what both have.

Findings are counted: of three equal ones where there were two, one is new.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from ctxlint.diagnostic import Diagnostic, Step
from ctxlint.gate.functions import Functions
from ctxlint.gate.git import Change
from ctxlint.gate.identity import Identity, Moves, identities, matched


class Sides(msgspec.Struct, frozen=True):
    """What else is in both revisions: the present files, the functions of both, and the findings that do not count.

    A finding that comments or settings hide now is still there: nothing new takes its place. One that was hidden before because
    it was only `faint` is known: it may count now, but nothing has introduced it.
    """

    files: tuple[str, ...]
    present: Functions
    earlier: Functions
    hidden: tuple[Diagnostic, ...] = ()
    hidden_before: tuple[Diagnostic, ...] = ()
    faint: Callable[[Diagnostic], bool] = lambda one: False


class Difference(msgspec.Struct, frozen=True):
    """The findings of two revisions, each with its state."""

    introduced: tuple[Diagnostic, ...]
    preexisting: tuple[Diagnostic, ...]
    fixed: tuple[Diagnostic, ...]


def difference(
    now: Sequence[Diagnostic], before: Sequence[Diagnostic],
    earlier_name: Callable[[Path], Path | None], change: Callable[[Path], Change], sides: Sides,
) -> Difference:
    """Return what became of the findings `before`.

    `earlier_name` gives the place that a file had before, `change` the lines of it that are new.
    What was introduced is shown at a step that the change touched, when it did not touch the finding's own line.
    """
    def before_of(path: str) -> str:
        return str(earlier_name(Path(path)) or path)

    moves = _moves(sides, before_of)

    def same(those: Sequence[Diagnostic], known: Sequence[Diagnostic]) -> list[int | None]:
        return matched(those, [before_of(one.path) for one in those], list(identities(known)), moves)

    still_hidden = same(sides.hidden, sides.hidden_before)
    hidden = [one for one, partner in zip(sides.hidden, still_hidden) if partner is None]
    every = same([*hidden, *now], before)
    partners = every[len(hidden):]
    taken = set(still_hidden)
    faint = [one for number, one in enumerate(sides.hidden_before) if number not in taken and sides.faint(one)]
    unknown = [number for number, partner in enumerate(partners) if partner is None]
    risen = {number for number, partner in zip(unknown, same([now[number] for number in unknown], faint)) if partner is not None}
    new = [partner is None and number not in risen for number, partner in enumerate(partners)]
    gone = set(range(len(before))) - {partner for partner in every if partner is not None}
    changes: dict[str, Change] = {}

    def changed(path: str) -> Change:
        if path not in changes:
            changes[path] = change(Path(path))
        return changes[path]

    return Difference(
        introduced=tuple(
            msgspec.structs.replace(shown_where_changed(one, changed), state="new")
            for one, is_new in zip(now, new) if is_new),
        preexisting=tuple(msgspec.structs.replace(one, state="unchanged") for one, is_new in zip(now, new) if not is_new),
        fixed=tuple(msgspec.structs.replace(before[number], state="absent") for number in sorted(gone)),
    )


def _moves(sides: Sides, before_of: Callable[[str], str]) -> Moves:
    now_at: dict[str, list[str]] = {}

    def gone(known: Identity) -> bool:
        if not now_at:
            for path in sides.files:
                now_at.setdefault(before_of(path), []).append(path)
        places = dict.fromkeys([known.path, *now_at.get(known.path, ())])
        return not any(sides.present.has(path, known.symbol) for path in places)

    def came(finding: Diagnostic, place: str) -> bool:
        return not sides.earlier.has(place, finding.symbol)

    return Moves(gone, came)


def shown_where_changed(finding: Diagnostic, changed: Callable[[str], Change]) -> Diagnostic:
    """Return the finding at a step of its flow that the change touched: a review comment can only stand there.

    A finding whose own line was touched, and one none of whose steps was, stays where it is.
    """
    if changed(finding.path).has(finding.span.line):
        return msgspec.structs.replace(finding, touched=True)
    step = next((step for step in finding.flow if changed(step.path).has(step.span.line)), None)
    step = step or next((step for step in finding.flow if _stands_at_a_gap(step, changed(step.path))), None)
    if step is None or (step.path, step.span.line) == (finding.path, finding.span.line):
        return msgspec.structs.replace(finding, touched=step is not None)
    own = Step(finding.path, finding.span, "")
    return msgspec.structs.replace(finding, path=step.path, span=step.span, stands=own, touched=True)


def _stands_at_a_gap(step: Step, change: Change) -> bool:
    """Whether lines directly above or below the step were taken away."""
    return step.span.line in change.gaps or step.span.line - 1 in change.gaps
