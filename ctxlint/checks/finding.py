"""The answer of a check in words that need no program any more: what was found, and at which events.

No line stands in it: an edit that only moves code about changes none of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.diagnostic import Confidence

PLACE = "{path}:{line}:{column}"
"""Where an event begins, for a rewrite."""


class At(msgspec.Struct, frozen=True):
    """Where an event stands, in words that are made when somebody reads them: `text` has `{path}`, `{line}` and `{column}`."""

    function: FunctionId
    event: int
    text: str = "{line}"


Word = Union[str, At]
"""A text, or one with a place in it."""


class Evidence(msgspec.Struct, frozen=True):
    """One reason to believe a role, with the place that shows it (none for a fact of the whole program)."""

    text: str
    function: FunctionId | None = None
    event: int = -1


class FlowStep(msgspec.Struct, frozen=True):
    """One step of the event path: the event, and what it does in this argument; `by` is who acts while this code waits there."""

    function: FunctionId
    event: int
    text: str
    by: str = ""


class Finding(msgspec.Struct, frozen=True):
    """One answer of a check; the rule turns it into words.

    `fields` fill the placeholders of the rule's (or the kind's) message and scenario. `chain` is the normalised operations
    that the fingerprint is taken from: cells and operations, no lines. `facts` are for the rule's rewrite.
    """

    function: FunctionId
    event: int
    kind: str
    confidence: Confidence
    fields: Mapping[str, Word]
    flow: tuple[FlowStep, ...]
    evidence: tuple[Evidence, ...]
    chain: tuple[str, ...]
    facts: dict[str, Word] = {}


class Answer(msgspec.Struct, frozen=True):
    """A finding with what its diagnostic takes from the program: the function's qualified name, what the event calls, the
    operations without the names of modules, and the digest of the body.
    """

    finding: Finding
    symbol: str
    callees: str
    events: tuple[str, ...]
    body: str
