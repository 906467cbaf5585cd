from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlint.report.line_hash import BASE, END_MARK, MODULUS, WINDOW, line_hashes

MULTITOOL = os.environ.get("SARIF_MULTITOOL") or shutil.which("Sarif.Multitool")


def by_definition(window: list[int]) -> str:
    """Return the hash of a window as the sum that defines it."""
    padded = (window + [0] * WINDOW)[:WINDOW]
    return f"{sum(unit * BASE ** (WINDOW - 1 - place) for place, unit in enumerate(padded)) % MODULUS:x}"


def test_the_empty_text_is_one_line() -> None:
    assert line_hashes("") == {1: by_definition([END_MARK]) + ":1"}


def test_equal_windows_are_counted() -> None:
    hashes = line_hashes("x\n" * 200)
    assert hashes[1].endswith(":1") and hashes[2].endswith(":2")
    assert hashes[1].split(":")[0] == hashes[2].split(":")[0]
    assert hashes[200].endswith(":1")


def test_blanks_and_the_kind_of_line_break_do_not_count() -> None:
    plain = line_hashes("ab\ncd\n\nef")
    assert line_hashes("a b\r\n\tcd\r \r\ne  f\t") == plain
    assert len(plain) == 4


def test_characters_are_utf_16() -> None:
    assert line_hashes("😀") == {1: by_definition([0xD83D, 0xDE00, END_MARK]) + ":1"}


@given(st.lists(st.text("ab \t", max_size=9), max_size=20))
def test_each_line_hashes_the_window_that_begins_with_it(lines: list[str]) -> None:
    hashes = line_hashes("\n".join(lines))
    for number, value in hashes.items():
        rest = "\n".join(lines[number - 1 :]).replace(" ", "").replace("\t", "")
        assert value.split(":")[0] == by_definition([*map(ord, rest), END_MARK])
    assert len(hashes) == max(len(lines), 1)


@pytest.mark.skipif(MULTITOOL is None, reason="SARIF_MULTITOOL names no Sarif.Multitool of @microsoft/sarif-multitool")
def test_microsofts_tool_computes_the_same(tmp_path: Path) -> None:
    text = "".join(f"def f{n % 7}(self):\r\n\treturn {'é' * n}  # 😀\n\n" for n in range(40)) + "last"
    (tmp_path / "a.py").write_bytes(text.encode())
    expected = line_hashes(text)
    result = {"ruleId": "A", "message": {"text": "A."}}
    place = {"artifactLocation": {"uri": (tmp_path / "a.py").as_uri()}}
    results = [
        {**result, "locations": [{"physicalLocation": {**place, "region": {"startLine": line}}}]} for line in expected
    ]
    run = {"tool": {"driver": {"name": "t"}}, "results": results}
    (tmp_path / "in.sarif").write_text(json.dumps({"version": "2.1.0", "runs": [run]}))
    command = [str(MULTITOOL), "rewrite", str(tmp_path / "in.sarif"), "--insert", "RollingHashPartialFingerprints",
               "-o", str(tmp_path / "out.sarif"), "--log", "ForceOverwrite"]
    subprocess.run(command, capture_output=True, check=True)
    rewritten = json.loads((tmp_path / "out.sarif").read_text(encoding="utf-8-sig"))["runs"][0]["results"]
    assert [one["partialFingerprints"]["primaryLocationLineHash"] for one in rewritten] == list(expected.values())
