"""A diagnostic is an argument: two facts, the order that is needed, the order that can happen, and the evidence."""

from __future__ import annotations

from typing import Literal

import msgspec

from ctxlint.ir.span import Span

Severity = Literal["error", "warning", "note"]
Confidence = Literal["high", "medium", "low"]
Applicability = Literal["safe", "unsafe", "display"]
State = Literal["", "new", "unchanged", "absent"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
CONFIDENCES: tuple[Confidence, ...] = ("high", "medium", "low")


class Step(msgspec.Struct, frozen=True):
    """One step of the event path: where it happens, the source line it stands on, and what it does there.

    `by` names who acts when it is not the code itself (`another writer`): then the code waits at this place.
    """

    path: str
    span: Span
    text: str
    source: str = ""
    by: str = ""


class Edit(msgspec.Struct, frozen=True):
    """Replace the text at `span` of file `path`, which must be `old`, by `new`."""

    path: str
    span: Span
    old: str
    new: str


class Fix(msgspec.Struct, frozen=True):
    """A rewrite that removes the fault."""

    message: str
    applicability: Applicability
    edits: tuple[Edit, ...]


class Diagnostic(msgspec.Struct, frozen=True):
    """One finding.

    `path` is the absolute path of the file of the primary `span`, which is one line.
    `symbol` is the module-relative dotted name of the enclosing function (`<module>` at module level).
    `kind` is the tier of the check that found it. `flow` are the numbered steps of the witness, `scenario` the failing
    crash point or interleaving in one or two sentences, `evidence` why the roles are believed.
    `events` is the normalised chain of operations from which the fingerprint is taken: no line, no path. `body` is a digest
    of what the enclosing function does, wherever it stands and whatever it and its variables are called, and behind it one
    of the operations in it.
    `facts` are what a rewrite wants to know and cannot see in the file, as pairs of name and value.
    `state` is what a comparison with an earlier revision or a baseline said (SARIF's baselineState): `new`, `unchanged` for
    what was known, `absent` for what is there no longer; empty without one. `accepted` is the reason that the baseline gives,
    `excused` the one of the comment that hides it.
    A finding shown at a step that a change touched `stands` where this says; a comment there hides it. `touched` says that the
    line where it is shown is one of the change.
    """

    code: str
    name: str
    severity: Severity
    confidence: Confidence
    path: str
    span: Span
    symbol: str
    message: str
    kind: str = ""
    flow: tuple[Step, ...] = ()
    scenario: str = ""
    evidence: tuple[str, ...] = ()
    events: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    fixes: tuple[Fix, ...] = ()
    fingerprint: str = ""
    body: str = ""
    state: State = ""
    accepted: str = ""
    excused: str = ""
    stands: Step | None = None
    touched: bool = False
