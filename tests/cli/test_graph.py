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


LOCKED = """\
import asyncio

class Safe:
    def __init__(self):
        self.lock = asyncio.Lock()

    async def put(self, money):
        async with self.lock:
            try:
                self.sum += await money()
            except (asyncio.CancelledError, KeyError) as error:
                print(error)

def find(shelf):
    try:
        raise KeyError(shelf)
    except OSError:
        return 1
    except LookupError:
        return 2
"""


def test_events_tell_what_is_caught_and_which_locks_are_held(shop: Path, run: Run) -> None:
    (shop / "safe.py").write_text(LOCKED)
    assert run("graph", "--events", "safe.py:Safe.put", "--isolated").out == """\
coroutine Safe.put(self, money)
  locals self, money, error
  entry:
    0  8: read self.lock
    1  8: suspend async-enter #0
    2  8: enter async #0
    -> block 3
  block 3: (exceptions: block 4)
    3  10: read self.sum  ; holds #2
    4  10: call money()  ; holds #2
    5  10: suspend await #4  ; holds #2
    6  10: write self.sum [aug] = (+= #3 #5)  ; holds #2
    -> block 6
  block 4: (exceptions: block 7)
    7  11: read asyncio$.CancelledError  ; holds #2
    -> block 5 on (asyncio$.CancelledError, KeyError$)
    raised -> block 7
  block 5: (exceptions: block 7)
    8  11: catch error (tuple #7 KeyError$)  ; holds #2
    9  12: ignored call print$(error)  ; holds #2
    10  12: resume error  ; holds #2
    -> block 6
  block 6:
    11  8: suspend async-exit #0  ; holds #2
    12  8: exit async #0  ; holds #2
    -> exit
  block 7:
    13  8: suspend async-exit #0  ; holds #2
    14  8: exit async #0  ; holds #2
    -> exit if #14
    raised -> raised if not #14
"""


def test_events_tell_where_a_raise_leads(shop: Path, run: Run) -> None:
    (shop / "safe.py").write_text(LOCKED)
    out = run("graph", "--events", "safe.py:find", "--isolated").out
    assert "raise #0  ; to block 6\n" in out
    assert "block 6:\n    4  19: catch LookupError$\n" in out


def test_events_of_a_module_body_and_of_every_function_of_a_name(shop: Path, run: Run) -> None:
    (shop / "twice.py").write_text("def f(): a()\ndef f(): b()\n")
    assert "call Till$()" in run("graph", "--events", "main.py:<module>", "--isolated").out
    out = run("graph", "--events", "twice.py:f", "--isolated").out
    assert out.index("function f()") < out.index("a$()") < out.index("function f #1()") < out.index("b$()")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["--events", "shop/till.py:note", "--isolated"], "called `note`; there is `Till.pay.note`"),
        (["--events", "shop/till.py:Till.pya", "--isolated"], "there is `Till.pay`"),
        (["--events", "broken.py:f", "--isolated"], "broken.py: syntax error"),
        (["--events", "missing.py:f", "--isolated"], "no such file"),
        ([], "one of the arguments"),
        (["--calls", "--events", "main.py:f"], "not allowed with"),
        (["--events", "main.py"], "is not FILE:FUNCTION"),
        (["--events", "main.py:nothing", "--isolated"], "no function is called `nothing`"),
        (["--events", "main.py:f", "main.py"], "names its file itself"),
        (["--calls", "--format", "svg"], "invalid choice"),
    ],
)
def test_what_cannot_be_drawn_is_refused(shop: Path, run: Run, words: list[str], complaint: str) -> None:
    (shop / "broken.py").write_text("def (:\n")
    done = run("graph", *words)
    assert done.status == 2
    assert complaint in done.err


def test_a_file_that_cannot_be_read_is_status_2(shop: Path, run: Run) -> None:
    (shop / "broken.py").write_text("def (:\n")
    done = run("graph", "--calls", "--isolated", ".")
    assert done.status == 2
    assert json.loads(done.out) == CALLS
    assert "1 not analysed (1 syntax error)" in done.err


def test_the_example_of_the_documentation_is_what_is_printed(shop: Path, run: Run) -> None:
    page = (Path(__file__).parents[2] / "docs" / "events.md").read_text(encoding="utf-8")
    source = page.partition("```python\n")[2].partition("```")[0]
    printed = page.partition("```text\n")[2].partition("```")[0]
    (shop / "store.py").write_text(source)
    assert run("graph", "--events", "store.py:Store.add", "--isolated").out == printed
