"""What the comments around a rewritten place say: a fix changes code, and leaves to its author what is said about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ctxlint.fix.rewriting import Place
from ctxlint.syntax.comments import comments


def is_said_near(place: Place, phrases: Sequence[str]) -> bool:
    """Whether one of the phrases stands in the comment above the finding's line or beside it, or in the docstring around it."""
    said = " ".join(" ".join(text.lower().split()) for text in _said_near(place, place.diagnostic.span.line))
    return any(phrase in said for phrase in phrases)


def _said_near(place: Place, line: int) -> Iterator[str]:
    text = place.text
    yield from (comment for at, _, comment in comments(text.text) if at == line)
    above = line - 1
    while above > 0 and text.line(above).lstrip().startswith("#"):
        above -= 1
    yield " ".join(text.line(number).strip().lstrip("#") for number in range(above + 1, line))
    for node in ast.walk(place.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= line <= (node.end_lineno or 0):
            yield ast.get_docstring(node) or ""
