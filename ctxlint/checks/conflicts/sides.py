"""What the check asks about fields, and what a decision compares and leaves out."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from ctxlint.checks.conflicts.left_behind import LeftBehind
from ctxlint.diagnostic import Confidence
from ctxlint.roles.accesses import Accesses, Use
from ctxlint.roles.fields import Fields
from ctxlint.roles.fills import Fills
from ctxlint.roles.overlaps import Overlaps

Involved = Callable[[], frozenset[str]]
"""The fields that are compared around a decision; found when something else depends on it."""


class Facts(msgspec.Struct, frozen=True):
    """What the check asks about fields."""

    fields: Fields
    accesses: Accesses
    overlaps: Overlaps
    fills: Fills
    left_behind: LeftBehind


class Sides(msgspec.Struct, frozen=True):
    """What a decision compares, and what it leaves out: names of fields, and where their use shows."""

    written: str
    read: str
    store: Use | None
    use: Use | None
    confidence: Confidence
