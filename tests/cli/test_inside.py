"""`ctxlint discover` and `ctxlint why-not`: each fact is said of the line that it keeps silent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

STORES = '''
import asyncio
import json
import os
import tempfile
import uuid

LOCK = asyncio.Lock()


def load(path="state.json"):
    with open("state.json") as file:
        return json.load(file)


def save_aside(state):
    with open("state.json.tmp", "w") as file:
        json.dump(state, file)
    os.replace("state.json.tmp", "state.json")


def save(state):
    with open("state.json", "w") as file:
        json.dump(state, file)


def begin():
    if not os.path.exists("state.json"):
        with open("state.json", "w") as file:
            json.dump({}, file)


def export(state):
    with open("report.json", "w") as file:
        json.dump(state, file)


async def held(fetch):
    async with LOCK:
        state = load()
        state["n"] = await fetch(state)
        save(state)


async def quick(fetch):
    n = await fetch()
    state = load()
    state["n"] = n
    save(state)


class Box:
    def __init__(self):
        self.items = []
        self.last = None

    def restore(self):
        self.items = load()["items"]

    def record_first(self, item):
        save_aside(self.items + [item])
        self.items.append(item)

    def note(self, item):
        self.last = item
'''


@pytest.fixture
def stores(project: Path) -> list[str]:
    (project / "stores.py").write_text(STORES)
    return STORES.splitlines()


def line_of(lines: list[str], text: str, after: str = "") -> int:
    start = next((n for n, line in enumerate(lines) if after in line), 0) if after else 0
    return next(n + 1 for n, line in enumerate(lines) if n >= start and text in line)


@pytest.mark.parametrize(
    ("code", "text", "after", "fact"),
    [
        ("CTX105", "open(", "def save_aside", "written aside and then moved into its place"),
        ("CTX105", "open(", "def begin", "only written when there is none"),
        ("CTX105", "open(", "def export", "no function of the analysed code reads the file back"),
        ("CTX105", "open(", "def save(", "reported, confidence"),
        ("CTX302", "save(state)", "async def held", "one hold of a lock or a transaction lasts from the read to the write"),
        ("CTX302", "save(state)", "async def quick", "nobody else can run between the read and the write"),
        ("CTX103", "save_aside(self", "def record_first", "a failure is not swallowed"),
        ("CTX101", "self.items.append", "def record_first", "the record comes first"),
        ("CTX101", "self.last = item", "def note", "no function rebuilds what is changed from a store"),
        ("CTX302", "self.last = item", "def note", "never lets anybody else run"),
    ],
)
def test_the_fact_is_told(stores: list[str], run: Run, code: str, text: str, after: str, fact: str) -> None:
    outcome = run("why-not", "--isolated", f"stores.py:{line_of(stores, text, after)}", code)
    assert outcome.status == 0, outcome.err
    assert f"{code} " in outcome.out
    assert fact in outcome.out


def test_all_rules_answer_when_none_is_named(stores: list[str], run: Run) -> None:
    answer = json.loads(run("why-not", "--isolated", "--format", "json", "stores.py:12").out)
    codes = [verdict["code"] for verdict in answer["verdicts"]]
    assert codes == sorted(codes) and {"CTX101", "CTX302"} <= set(codes)


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("stores.py",), "give a file and a line"),
        (("nowhere.py:3",), "no such file"),
        (("stores.py:3", "CTX999"), "no rule is called `CTX999` (codes begin with CTX1, CTX2, CTX3"),
        (("stores.py:3", "CTX003"), "CTX003 is not about code"),
        (("stores.py:9999",), "no statement that the analysis knows"),
    ],
)
def test_what_cannot_be_answered_is_an_error(stores: list[str], run: Run, words: tuple[str, ...], problem: str) -> None:
    outcome = run("why-not", "--isolated", *words)
    assert (outcome.status, problem in outcome.err) == (2, True), outcome.err


def test_roles_are_listed_with_their_evidence(stores: list[str], run: Run) -> None:
    roles = {(r["kind"], r["name"]): r["evidence"] for r in json.loads(run("discover", "--isolated", "--format", "json", ".").out)}
    cell = roles[("cell", "stores.Box.items")]
    assert {"restore", "record_first"} <= {fact["symbol"].rpartition(".")[2] for fact in cell}
    assert any(kind == "store" and "state.json" in name for kind, name in roles)
    assert [fact["symbol"] for (kind, _), evidence in roles.items() if kind == "lock" for fact in evidence] == ["held"]


def test_discover_says_so_when_there_is_nothing(project: Path, run: Run) -> None:
    assert "no cell, store or lock" in run("discover", "--isolated", "agent.py").out


def test_discover_tells_a_path_that_does_not_exist(project: Path, run: Run) -> None:
    outcome = run("discover", "--isolated", "missing")
    assert outcome.status == 2 and "missing" in outcome.err
