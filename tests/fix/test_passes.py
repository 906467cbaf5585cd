"""Passes: overlapping edits wait, and a fix that does not do what it promised is taken back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping

import msgspec
import pytest

from ctxlint.diagnostic import Diagnostic, Edit, Fix
from ctxlint.fix.passes import Outcome, Seen, fixed
from ctxlint.fix.text import Refused, edited, text_of
from ctxlint.ir.span import Span
from tests.findings import finding

FILES = {"a.py": b"bad\nbad\n", "b.py": b"good\n"}


def replaced(path: str, line: int, old: str, new: str) -> Fix:
    return Fix("better", "safe", (Edit(path, Span(line, 1, line, len(old) + 1), old, new),))


def seen(texts: Mapping[str, bytes], fix_of: Callable[[str, int], Fix]) -> Seen:
    """A finding on each line that says `bad`; `worse` is a finding of its own."""
    found: list[Diagnostic] = []
    for path, data in {**FILES, **texts}.items():
        for number, line in enumerate(data.decode().splitlines(), 1):
            if line in ("bad", "worse"):
                found.append(finding(path=path, fingerprint=line, span=Span(number, 1, number, 4), fixes=(fix_of(path, number),)))
    return Seen(tuple(found), Counter((one.path, one.fingerprint) for one in found), frozenset())


def outcome(fix_of: Callable[[str, int], Fix]) -> Outcome:
    def look(texts: Mapping[str, bytes]) -> Seen:
        return seen(texts, fix_of)

    return fixed(look({}), look, FILES.__getitem__, lambda one: one.fixes[0] if one.fixes[0].applicability == "safe" else None)


def test_fixes_are_applied_until_none_is_left() -> None:
    done = outcome(lambda path, line: replaced(path, line, "bad", "good"))
    assert done.texts == {"a.py": b"good\ngood\n"} and len(done.applied) == 2 and not done.taken_back


def test_what_touches_waits_for_the_next_pass() -> None:
    whole = Fix("better", "safe", (Edit("a.py", Span(1, 1, 2, 4), "bad\nbad", "good\nbad"),))
    done = outcome(lambda path, line: whole if line == 1 else replaced(path, line, "bad", "good"))
    assert done.texts == {"a.py": b"good\ngood\n"} and len(done.applied) == 2


@pytest.mark.parametrize(
    ("new", "why"),
    [("worse", "did not have before"), ("bad", "still found"), ("(", "no Python")],
)
def test_a_file_whose_fix_breaks_its_promise_gets_its_text_back(new: str, why: str) -> None:
    done = outcome(lambda path, line: replaced(path, line, "bad", new if line == 2 else "good"))
    assert not done.texts and not done.applied
    assert list(done.taken_back) == ["a.py"] and why in done.taken_back["a.py"]


def test_an_edit_refuses_a_text_it_was_not_made_for() -> None:
    text = text_of("a.py", b"x = 1\n")
    assert text is not None
    with pytest.raises(Refused, match="no longer"):
        edited(text, [Edit("a.py", Span(1, 1, 1, 2), "y", "z")])
    edit = text.edit(Span(1, 1, 1, 2), "y")
    with pytest.raises(Refused, match="overlap"):
        edited(text, [edit, msgspec.structs.replace(edit, new="z")])


def test_advice_is_not_applied() -> None:
    done = outcome(lambda path, line: msgspec.structs.replace(replaced(path, line, "bad", "good"), applicability="display"))
    assert not done.texts and not done.taken_back
