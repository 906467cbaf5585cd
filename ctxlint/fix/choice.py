"""Which fixes are applied: whose rules may be fixed, and how far a fix is to be trusted in this project."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ctxlint.diagnostic import Applicability, Diagnostic, Fix
from ctxlint.knowledge.selection import matches
from ctxlint.knowledge.settings import Settings


def adjusted(fix: Fix, code: str, settings: Settings) -> Fix:
    """The fix as far as the project trusts it; advice stays advice. Of two settings that match, the cautious one wins."""
    trust: Applicability = fix.applicability
    if trust == "unsafe" and matches(code, settings.extend_safe_fixes):
        trust = "safe"
    if trust == "safe" and matches(code, settings.extend_unsafe_fixes):
        trust = "unsafe"
    return fix if trust == fix.applicability else msgspec.structs.replace(fix, applicability=trust)


def applicable(diagnostic: Diagnostic, settings: Settings) -> Fix | None:
    """The fix of a finding that may be applied; None when there is none."""
    allowed = ("safe", "unsafe") if settings.unsafe_fixes else ("safe",)
    return next((fix for fix in diagnostic.fixes if fix.applicability in allowed), None) if _may_be(diagnostic, settings) else None


def fixable(diagnostics: Iterable[Diagnostic], settings: Settings) -> tuple[int, int]:
    """How many findings `--fix` removes, and how many more with `--unsafe-fixes`."""
    mine = [(one, applicable(one, settings)) for one in diagnostics if _may_be(one, settings)]
    more = [one for one, fix in mine if fix is None and any(each.applicability == "unsafe" for each in one.fixes)]
    return sum(fix is not None for _, fix in mine), len(more)


def _may_be(diagnostic: Diagnostic, settings: Settings) -> bool:
    """Whether the settings let the findings of its rule be fixed."""
    chosen = settings.fixable is None or matches(diagnostic.code, settings.fixable)
    return chosen and not matches(diagnostic.code, settings.unfixable)
