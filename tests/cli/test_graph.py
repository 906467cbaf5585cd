"""`ctxlint graph`: formats, names, coverage and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

SOURCES = {
    "shop/__init__.py": "from .till import Till\n",
    "shop/till.py": """\
import json
from . import slips

class Till:
    total = len("start")

    def pay(self, sum):
        def note():
            return slips.write(sum)
        record = lambda text: json.dumps(text)
        record(note())
        return sum.frobnicate()
""",
    "shop/slips.py": "def write(sum): pass\n",
    "main.py": "from shop import Till\n\nTill().pay(3)\n",
}


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in SOURCES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


CALLS = {
    "main": ["shop.till.Till.pay"],
    "shop": [],
    "shop.slips": [],
    "shop.slips.write": [],
    "shop.till": [],
    "shop.till.Till": ["<builtin>.len"],
    "shop.till.Till.pay": ["<unknown>.frobnicate", "shop.till.Till.pay.<lambda1>", "shop.till.Till.pay.note"],
    "shop.till.Till.pay.<lambda1>": ["json.dumps"],
    "shop.till.Till.pay.note": ["shop.slips.write"],
}


def test_json_has_every_function_in_order(shop: Path, run: Run) -> None:
    done = run("graph", "--calls", "--isolated", ".")
    assert done.status == 0
    assert json.loads(done.out) == CALLS
    assert list(json.loads(done.out)) == sorted(CALLS)
    assert done.err == "4 files, 9 functions, 0 not analysed; 8 calls, 1 unknown\n"
    assert run("graph", "--calls", "--isolated", "-q", ".").err == ""


def test_dot_has_a_node_for_every_name(shop: Path, run: Run) -> None:
    assert run("graph", "--calls", "--format", "dot", "--isolated", "main.py", "shop/slips.py").out == """\
digraph calls {
  "main";
  "shop.Till";
  "shop.Till.pay";
  "shop.slips";
  "shop.slips.write";
  "main" -> "shop.Till";
  "main" -> "shop.Till.pay";
}
"""


def test_graphml_is_read_back_by_networkx(shop: Path, run: Run) -> None:
    import networkx

    done = run("graph", "--calls", "--format", "graphml", "--isolated", ".")
    drawn = networkx.parse_graphml(done.out)
    assert {(caller, callee) for caller, callees in CALLS.items() for callee in callees} == set(drawn.edges)
    assert set(CALLS) <= set(drawn.nodes)
    assert done.out == run("graph", "--calls", "--format", "graphml", "--isolated", ".").out


def test_events_of_one_function(shop: Path, run: Run) -> None:
    done = run("graph", "--events", "shop/till.py:Till.pay.note", "--isolated")
    assert done.status == 0
    assert "slips$.write(sum^)" in done.out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ([], "one of the arguments"),
        (["--calls", "--events", "main.py:f"], "not allowed with"),
        (["--events", "main.py"], "is not FILE:FUNCTION"),
        (["--events", "main.py:nothing", "--isolated"], "no function is called `nothing`"),
        (["--events", "main.py:f", "main.py"], "names its file itself"),
        (["--calls", "--format", "svg"], "invalid choice"),
    ],
)
def test_what_cannot_be_drawn_is_refused(shop: Path, run: Run, words: list[str], complaint: str) -> None:
    done = run("graph", *words)
    assert done.status == 2
    assert complaint in done.err


def test_a_file_that_cannot_be_read_is_status_2(shop: Path, run: Run) -> None:
    (shop / "broken.py").write_text("def (:\n")
    done = run("graph", "--calls", "--isolated", ".")
    assert done.status == 2
    assert json.loads(done.out) == CALLS
    assert "1 not analysed (1 syntax error)" in done.err
