"""The lines that a report quotes are those of the language, whatever else may end a line elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlint.cli.main import main


@pytest.mark.parametrize("odd", ["\f", "\v", "\x1c", "\x85", "\u2028"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_what_only_other_texts_end_a_line_with_shifts_nothing(tmp_path: Path, odd: str, end: str) -> None:
    text = (
        f"import json  # one{odd}two\n\n\ndef load():\n    return json.load(open('s.json'))\n\n\n"
        "def save(state):\n    with open('s.json', 'w') as file:\n        json.dump(state, file)\n"
    )
    (tmp_path / "store.py").write_bytes(text.replace("\n", end).encode())
    report = tmp_path / "report.json"
    main(["check", "--isolated", "--no-cache", "--output-format", "json", "--output-file", str(report), str(tmp_path)])
    (found,) = json.loads(report.read_text())
    quoted = {step["location"]["row"]: step["source"] for step in found["flow"]}
    assert quoted[9].startswith("with open(") and quoted[10].startswith("json.dump(")
