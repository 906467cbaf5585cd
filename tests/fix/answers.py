"""What a rewrite answers to a finding that is made up: no analysis has to find it first."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ctxlint.diagnostic import Fix, Step
from ctxlint.fix.fixes import Workshop
from ctxlint.fix.rewriting import Refusal, Runtime
from ctxlint.fix.text import edited, text_of
from ctxlint.ir.span import Span
from ctxlint.knowledge.rules import load_rules
from tests.findings import finding

rules = cache(lambda: load_rules(()))


def answer(
    source: str, code: str, facts: Mapping[str, str], kind: str = "", steps: tuple[str, ...] = (), events: tuple[str, ...] = ()
) -> Fix | Refusal:
    """The answer to a finding at the text behind the mark `§`; marks `§1`, `§2` … stand before the steps, and in facts for their
    places; a step that is no mark is one of that file. What is marked is one character, or all before the next `¶` of the line.
    """
    clean, places = unmarked(source)
    at = {mark: f"m.py:{span.line}:{span.column}" for mark, span in places.items()}
    said = tuple((name, at.get(value, value)) for name, value in facts.items())
    flow = tuple(Step("m.py", places[step], "step") if step in places else Step(step, places["§"], "step") for step in steps)
    one = finding(code=code, kind=kind, path="m.py", span=places["§"], facts=said, flow=flow, events=events, fixes=(), confidence="high")
    shop = Workshop(rules(), lambda path: clean.encode(), lambda path: "m", lambda path: Runtime("ctxlint.runtime", True))
    return shop.answer(one)


def unmarked(source: str) -> tuple[str, dict[str, Span]]:
    """The source without its marks, and where they stood."""
    places: dict[str, Span] = {}
    lines = source.split("\n")
    for number, line in enumerate(lines):
        while (column := line.find("§")) >= 0:
            end = column + 2 if line[column + 1 : column + 2].isdigit() else column + 1
            mark = line[column:end]
            line = line[:column] + line[end:]
            last = line.find("¶", column)
            line = line.replace("¶", "", 1)
            places[mark] = Span(number + 1, column + 1, number + 1, last + 1 if last >= 0 else column + 2)
        lines[number] = line
    return "\n".join(lines), places


def after(source: str, fix: Fix | Refusal) -> str:
    """The source, without its marks, with the fix applied; why there is none, when there is none."""
    if isinstance(fix, Refusal):
        return fix.reason
    text = text_of("m.py", unmarked(source)[0].encode())
    assert text is not None
    return edited(text, fix.edits).decode()
