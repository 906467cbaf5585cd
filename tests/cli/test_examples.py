"""The agent that the README shows: what the real analysis says about it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlint.cli.main import main

EXAMPLES = Path(__file__).parent.parent.parent / "docs" / "examples"
WANTED = {
    ("scratchpad.py", "Scratchpad.replace", "CTX101"),
    ("scratchpad.py", "Scratchpad.replace", "CTX103"),
    ("sessions.py", "SessionStore.save", "CTX105"),
    ("agent.py", "Agent.compact", "CTX302"),
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, object]]:
    report = tmp_path_factory.mktemp("report") / "report.json"
    words = ["check", "--isolated", "-q", "--min-confidence", "low", "--output-format", "json"]
    assert main([*words, "--output-file", str(report), str(EXAMPLES)]) == 1
    listed: list[dict[str, object]] = json.loads(report.read_text())
    return listed


def test_each_planted_fault_is_found(found: list[dict[str, object]]) -> None:
    assert WANTED <= {(Path(str(one["filename"])).name, str(one["symbol"]), str(one["code"])) for one in found}


def test_every_argument_is_complete(found: list[dict[str, object]]) -> None:
    for one in found:
        assert "{" not in f"{one['message']}{one['scenario']}", one["code"]
        assert one["scenario"] and one["flow"] and one["evidence"]


def test_the_examples_are_small_enough_to_read() -> None:
    assert all(len(path.read_text().splitlines()) <= 70 for path in EXAMPLES.rglob("*.py"))
