"""The identity of a finding across moves, renames of files and reformatting.

It is taken from the rule, the function and the chain of operations alone, so equal findings share a fingerprint:
sets of findings are multisets.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable

import msgspec

from ctxlint.diagnostic import Diagnostic

DIGITS = 32
"""Hexadecimal digits of a fingerprint: 128 bits."""


def fingerprint(diagnostic: Diagnostic) -> str:
    """Return the fingerprint of a finding; each part is hashed with its length, so that parts cannot run together."""
    digest = hashlib.sha256()
    for part in (diagnostic.code, diagnostic.symbol, *diagnostic.events):
        encoded = part.encode("utf-8", "surrogatepass")
        digest.update(len(encoded).to_bytes(8, "big"))
        digest.update(encoded)
    return digest.hexdigest()[:DIGITS]


def fingerprinted(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the findings with their fingerprints filled in."""
    return tuple(
        msgspec.structs.replace(diagnostic, fingerprint=fingerprint(diagnostic)) for diagnostic in diagnostics
    )


def counted(diagnostics: Iterable[Diagnostic]) -> Counter[str]:
    """Return how often each fingerprint occurs."""
    return Counter(diagnostic.fingerprint or fingerprint(diagnostic) for diagnostic in diagnostics)
