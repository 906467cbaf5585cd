"""Asks the rewrites of the rules: findings in, the same findings with their fixes out."""

from __future__ import annotations

import ast
import functools
import importlib
import tokenize
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, cast

import msgspec

from ctxlint.diagnostic import CONFIDENCES, Applicability, Diagnostic, Edit, Fix
from ctxlint.errors import ConfigurationError
from ctxlint.fix.imports import import_edit
from ctxlint.fix.layout import comments_in
from ctxlint.fix.names import Names, names_of
from ctxlint.fix.rewriting import Answer, Place, Refusal, Rewriting, Runtime
from ctxlint.fix.text import Refused, Text, text_of
from ctxlint.fix.unit import Unit, outermost, parsed, unit_at
from ctxlint.knowledge.rules import Rule

Rewrite = Callable[..., Answer]

APPLICABILITIES: tuple[Applicability, ...] = ("safe", "unsafe", "display")


class _Opened(NamedTuple):
    """A file that has findings."""

    text: Text
    tree: ast.Module
    names: Names


class Workshop:
    """Makes the fixes of one run. `source_of` gives the bytes of a file, `package_of` the package it belongs to."""

    def __init__(
        self,
        rules: Mapping[str, Rule],
        source_of: Callable[[str], bytes | None],
        package_of: Callable[[str], str],
        runtime_of: Callable[[str], Runtime],
    ) -> None:
        self._rules = rules
        self._source_of = source_of
        self._package_of = package_of
        self._runtime_of = runtime_of
        self._opened: dict[str, _Opened | None] = {}
        self._units: dict[tuple[str, int], Unit | None] = {}

    def with_fixes(self, diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
        """Return the findings, each with the fix that its rule has for it, if it has one."""
        return tuple(self._with_fix(diagnostic) for diagnostic in diagnostics)

    def answer(self, diagnostic: Diagnostic) -> Fix | Refusal:
        """The fix of a finding, or why there is none."""
        rule = self._rules.get(diagnostic.code)
        if rule is None or rule.fix is None or not rule.check:
            return Refusal("the rule has no fix")
        opened = self._open(diagnostic.path)
        if opened is None:
            return Refusal("the file cannot be rewritten byte for byte")
        unit = self._unit(diagnostic.path, opened, diagnostic.span.line)
        if unit is None:
            return Refusal("the code around the finding cannot be read by LibCST")
        place = Place(
            diagnostic, opened.text, opened.tree, unit, opened.names, self._runtime_of(diagnostic.path), []
        )
        try:
            answer = rewrite_named(rule.fix.rewrite, rule.code)(place, **rule.fix.parameters)
            return answer if isinstance(answer, Refusal) else self._fix(answer, place, rule)
        except Refused as refusal:
            return Refusal(str(refusal))

    def _with_fix(self, diagnostic: Diagnostic) -> Diagnostic:
        if diagnostic.fixes:
            return diagnostic
        fix = self.answer(diagnostic)
        return diagnostic if isinstance(fix, Refusal) else msgspec.structs.replace(diagnostic, fixes=(fix,))

    def _fix(self, answer: Rewriting, place: Place, rule: Rule) -> Fix:
        assert rule.fix is not None
        edits: list[Edit] = list(answer.edits)
        runtime_needed = False
        imports = list(dict.fromkeys(place.wanted))
        for number, wanted in enumerate(imports, 1):
            edits.append(import_edit(place.text, place.tree, wanted, self._package_of(place.text.path), number == len(imports)))
            runtime_needed |= wanted.module == place.runtime.module
        _keeps_comments(place.text, edits)
        applicability = _least(answer.applicability, rule.fix.applicability)
        if CONFIDENCES.index(place.diagnostic.confidence) > CONFIDENCES.index(rule.fix.confidence):
            applicability = "display"
        if runtime_needed and not place.runtime.trusted:
            applicability = _least(applicability, "unsafe")
        return Fix(answer.message, applicability, tuple(edits))

    def _open(self, path: str) -> _Opened | None:
        if path not in self._opened:
            data = self._source_of(path)
            text = text_of(path, data) if data is not None else None
            tree = parsed(text) if text is not None else None
            self._opened[path] = _Opened(text, tree, names_of(tree)) if text is not None and tree is not None else None
        return self._opened[path]

    def _unit(self, path: str, opened: _Opened, line: int) -> Unit | None:
        holder = outermost(opened.tree, line)
        first = holder.lineno if holder is not None else 0
        if (path, first) not in self._units:
            self._units[path, first] = unit_at(opened.text, opened.tree, line)
        return self._units[path, first]


def _keeps_comments(text: Text, edits: Iterable[Edit]) -> None:
    """Refused when a comment in what is replaced is not in what comes instead."""
    gone: Counter[str] = Counter()
    made: Counter[str] = Counter()
    for edit in edits:
        if "#" in edit.old:
            first, last = edit.span.line, edit.span.end_line
            begin, end = text.offset(first, edit.span.column), text.offset(last, edit.span.end_column)
            gone.update(comment for at, comment in _comments_of(text) if begin <= at < end)
        made.update(comments_in(edit.new) if "#" in edit.new else ())
    if gone - made:
        raise Refused("a comment would be lost")


@functools.lru_cache(maxsize=4)
def _comments_of(text: Text) -> tuple[tuple[int, str], ...]:
    """The comments of a file with their offsets."""
    found: list[tuple[int, str]] = []
    lines = iter([text.line(number) for number in range(1, len(text.starts) + 1)])
    try:
        for token in tokenize.generate_tokens(lambda: next(lines, "")):
            if token.type == tokenize.COMMENT:
                found.append((text.offset(token.start[0], token.start[1] + 1), token.string.rstrip()))
    except (tokenize.TokenError, SyntaxError):
        raise Refused("the comments of the file cannot be told") from None
    return tuple(found)


def rewrite_named(name: str, code: str) -> Rewrite:
    """Return the function of `ctxlint.fix.rewrites` that a rule names; the module bears the function's name."""
    try:
        module = importlib.import_module(f"ctxlint.fix.rewrites.{name}")
    except ModuleNotFoundError as error:
        if error.name != f"ctxlint.fix.rewrites.{name}":
            raise
        raise ConfigurationError(f"rule {code}: key `fix.rewrite`: there is no rewrite `{name}`") from None
    return cast(Rewrite, getattr(module, name))


def _least(one: Applicability, other: Applicability) -> Applicability:
    return max(one, other, key=APPLICABILITIES.index)
