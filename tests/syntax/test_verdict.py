"""LibCST's verdict on the functions of a finding, also where it refuses what the standard parser reads."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlint.cli.main import main
from ctxlint.syntax import place
from ctxlint.syntax.read import read
from ctxlint.syntax.verdict import confirmed

STORE = """\
import json


def load():
    {odd}
    return json.load(open("s.json"))


def save(state):
    {odd}
    with open("s.json", "w") as file:
        json.dump(state, file)
"""


def test_the_screens_reading_of_plain_code_stands() -> None:
    assert confirmed(STORE.format(odd="y: int = 2").encode(), [4, 9]) is None


@pytest.mark.parametrize("source", [STORE.format(odd="y: int = 2"), """\
class Store:
    def save(self, state):
        text = \'\'\'{
        }\'\'\'
        return text

    @staticmethod
    def load():
        return 1
"""])
def test_another_tree_is_lowered_in_place_of_the_screens(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What LibCST reads stands where the screen's statement stood: an equal tree that is taken for another one gives equal IR."""
    from ctxlint.syntax import verdict
    from ctxlint.syntax.load import load

    monkeypatch.setattr(verdict, "are_one", lambda ours, theirs, lines_above: False)
    assert confirmed(source.encode(), [4, 9]) == load(source.encode())
    monkeypatch.setattr(verdict, "are_one", lambda ours, theirs, lines_above: place.are_one(ours, theirs, lines_above + 1))
    assert confirmed(source.encode(), [4, 9]) == load(source.encode()), "a tree that begins elsewhere is another one"


@pytest.mark.parametrize("odd", ["(y): int = 2", "(y.x): int = 2"])
def test_what_libcst_refuses_keeps_the_other_reading(tmp_path: Path, odd: str) -> None:
    source = STORE.format(odd=odd).encode()
    assert not hasattr(read(source), "kind") and confirmed(source, [4, 9]) is None
    (tmp_path / "store.py").write_bytes(source)
    report = tmp_path / "report.json"
    status = main(["check", "--isolated", "--no-cache", "--output-format", "json", "--output-file", str(report), str(tmp_path)])
    assert (status, [found["code"] for found in json.loads(report.read_text())]) == (1, ["CTX105"])
