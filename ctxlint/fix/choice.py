"""Which fixes are applied: whose rules may be fixed, and how far a fix is to be trusted in this project."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ctxlint.diagnostic import Applicability, Diagnostic, Fix
from ctxlint.knowledge.settings import Settings

ALL = "ALL"


def matches(code: str, prefixes: Iterable[str]) -> bool:
    """Whether a code, a prefix of it or ALL is among the prefixes."""
    return any(prefix == ALL or code.startswith(prefix) for prefix in prefixes)


def adjusted(fix: Fix, code: str, settings: Settings) -> Fix:
    """The fix as far as the project trusts it; advice stays advice. Of two settings that match, the cautious one wins."""
    trust: Applicability = fix.applicability
    if trust == "unsafe" and matches(code, settings.extend_safe_fixes):
        trust = "safe"
    if trust == "safe" and matches(code, settings.extend_unsafe_fixes):
        trust = "unsafe"
    return fix if trust == fix.applicability else msgspec.structs.replace(fix, applicability=trust)


def is_fixable(code: str, settings: Settings) -> bool:
    """Whether the settings let the findings of a rule be fixed."""
    fixable = settings.fixable is None or matches(code, settings.fixable)
    return fixable and not matches(code, settings.unfixable)


def applicable(diagnostic: Diagnostic, settings: Settings) -> Fix | None:
    """The fix of a finding that may be applied; None when there is none."""
    if not is_fixable(diagnostic.code, settings):
        return None
    allowed = ("safe", "unsafe") if settings.unsafe_fixes else ("safe",)
    return next((fix for fix in diagnostic.fixes if fix.applicability in allowed), None)
