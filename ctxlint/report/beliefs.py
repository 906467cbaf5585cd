"""What the analysis believes, in words: roles with their evidence, and why a line is no finding."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from ctxlint.beliefs import Believed, Explanation, Fact, Place, Verdict
from ctxlint.report.places import shown_path

SHOWN = 6
"""Facts that are told of one rule, and places that are told of one fact: more would hide the first ones."""


def roles_as_text(roles: Iterable[Believed]) -> str:
    """Return the roles, one a paragraph: what it is, then the evidence with its places."""
    return "\n".join(
        "\n".join((f"{role.kind} {role.name}", *(f"  {fact.text}  {_shown(fact.at)}" for fact in role.evidence), "")) for role in roles
    )


def explanation_as_text(explained: Explanation) -> str:
    """Return what is on the line and what each rule says about it."""
    lines = [f"{_shown(explained.place)} in `{explained.symbol}`"]
    lines += [f"  {sentence}" for sentence in explained.seen] or ["  touches no store and no cell that the analysis knows"]
    for verdict in explained.verdicts:
        lines += ["", f"{verdict.code} {verdict.name}: {_said(verdict)}"]
        lines += [f"  {_argued(fact, explained)}" for fact in verdict.facts[:SHOWN]]
        lines += [f"  and {len(verdict.facts) - SHOWN} more like these"] if len(verdict.facts) > SHOWN else []
    return "\n".join(lines) + "\n"


def as_json(value: object) -> str:
    """Return roles or an explanation as JSON."""
    return json.dumps(msgspec.to_builtins(value), indent=2) + "\n"


def _said(verdict: Verdict) -> str:
    if verdict.reported:
        return verdict.reported
    return "silent, because" if verdict.facts else "silent: nothing on this line raises its question"


def _argued(fact: Fact, explained: Explanation) -> str:
    """The fact; where it was found, if that is another place; and the lines that show it."""
    elsewhere = "" if fact.at == explained.place else f" (seen from `{fact.symbol}`, {_shown(fact.at)})"
    shown = ", ".join(_shown(place) for place in fact.shown_by[:SHOWN]) + (", …" if len(fact.shown_by) > SHOWN else "")
    return fact.text + elsewhere + (f": {shown}" if shown else "")


def _shown(place: Place) -> str:
    return f"{shown_path(place.path)}:{place.line}"
