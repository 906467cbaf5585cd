"""Edits that only move code: the last run's answers are shown where they stand now, and any other edit asks again."""

from __future__ import annotations

import ast
import random
from pathlib import Path

import msgspec
import pytest

from ctxlint import analyzer
from ctxlint.engine import Request, analyse
from ctxlint.ir.module import Module
from ctxlint.ir.moved import only_moved
from ctxlint.knowledge.configuration import load_configuration
from ctxlint.result import Report
from ctxlint.syntax.load import load
from ctxlint.syntax.read import read

FIXTURES = Path(__file__).parent.parent / "fixtures"
PROGRAMS = random.Random(7).sample(
    sorted(path for path in FIXTURES.glob("CTX*/*.py")
           if "# expect: CTX" in path.read_text(encoding="utf-8") and not path.name.endswith(".fixed.py")), 8)

LOG = '''
import json

class Log:
    def __init__(self, path):
        self.path = path

    def save(self, state):
        with open(self.path, "w") as stream:
            json.dump(state, stream)

    def load(self):
        return json.load(open(self.path))
'''


def report(folder: Path, *, cache: bool = True) -> Report:
    """The report on a folder, from what runs before it have left beside it, or without that."""
    configuration = load_configuration(folder, isolated=True, flags={
        "select": ["ALL"], "preview": True, "min-confidence": "low", "jobs": 1, "cache-dir": str(folder.parent / "cache")})
    return msgspec.structs.replace(analyse(Request((str(folder),), configuration, cache=cache)), spent=())


def moved(text: str, chosen: random.Random) -> str:
    """The text with comments and blank lines before some of its statements."""
    lines = text.split("\n")
    starts = {min((node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ())))): node.col_offset
              for node in ast.walk(ast.parse(text)) if isinstance(node, ast.stmt)}
    for line, column in sorted(starts.items(), reverse=True):
        if not lines[line - 1][:column].strip() and chosen.random() < 0.3:
            lines[line - 1 : line - 1] = ["", " " * column + "# a comment"]
    return "\n".join(lines)


def nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*arguments: object, **options: object) -> None:
        raise AssertionError("everything was asked again")

    monkeypatch.setattr(analyzer, "analyse_files", never)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_moved_code_has_the_findings_of_a_run_that_asks(program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "project" / "agent.py"
    file.parent.mkdir()
    text = program.read_text(encoding="utf-8")
    file.write_text(text, encoding="utf-8")
    first = report(file.parent)
    assert first.diagnostics or first.suppressed
    with monkeypatch.context() as patched:
        nothing_is_asked(patched)
        for seed in range(2):
            file.write_text(text := moved(text, random.Random(seed)), encoding="utf-8")
            again = report(file.parent)
    assert again == report(file.parent, cache=False)


def test_an_edit_that_changes_code_is_asked_about(tmp_path: Path) -> None:
    file = tmp_path / "project" / "agent.py"
    file.parent.mkdir()
    file.write_text(LOG)
    assert [one.code for one in report(file.parent).diagnostics] == ["CTX105"]
    file.write_text(LOG.replace('self.path, "w"', 'self.path, "a"'))
    assert [one.code for one in report(file.parent).diagnostics] == []
    file.write_text("# back\n" + LOG)
    assert [one.code for one in report(file.parent).diagnostics] == ["CTX105"]


def test_comments_that_suppress_are_read_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "project" / "agent.py"
    file.parent.mkdir()
    file.write_text(LOG)
    (before,) = report(file.parent).diagnostics
    nothing_is_asked(monkeypatch)
    file.write_text(LOG.replace('"w") as stream:', '"w") as stream:  # noqa: CTX105'))
    found = report(file.parent)
    assert not found.diagnostics and [one.code for one in found.suppressed] == ["CTX105"]
    file.write_text("\n\n" + LOG)
    (after,) = report(file.parent).diagnostics
    assert after.span.line == before.span.line + 2
    assert [step.span.line for step in after.flow] == [step.span.line + 2 for step in before.flow]


def test_what_is_deep_is_lowered_as_deep_as_before(tmp_path: Path) -> None:
    file = tmp_path / "project" / "agent.py"
    file.parent.mkdir()
    deep = LOG + "\n\ndef deep(x):\n    return " + "not " * 600 + "x\n"
    for text in (deep, "# moved\n" + deep, deep + "\n\nmore = 1\n"):
        file.write_text(text)
        assert [one.code for one in report(file.parent).diagnostics] == ["CTX105"]


def lowered(text: str) -> Module:
    module = load(text.encode(), read)
    assert isinstance(module, Module)
    return module


@pytest.mark.parametrize(("before", "after", "same"), [
    ("x = f(a)\ny = g(x)\n", "x = f(\n    a)\n\n# why\ny = g(x)\n", True),
    ("def f(a):\n    return g(a)\n", "def f(a):\n    '''Say why.'''\n    return g(a)\n", True),
    ("class C:\n    x: int = f()\n", "\n\nclass C:\n\n    x: int = f()\n", True),
    ("x = f(a)\n", "x = f(b)\n", False),
    ("x = f(a)\n", "x = f(a)\ny = g()\n", False),
    ("def f(a): return a\n", "def f(a, b=1): return a\n", False),
    ("class C(A): pass\n", "class C(B): pass\n", False),
    ("import a\n", "import b as a\n", False),
    ("f(); g()\n", "g(); f()\n", False),
])
def test_only_the_same_code_elsewhere_has_moved(before: str, after: str, same: bool) -> None:
    assert only_moved(lowered(before), lowered(after)) is same


def test_what_stood_in_one_place_stands_in_one_place() -> None:
    module = lowered("f(a)\n")
    function = module.functions[0]
    events = (function.events[-1], function.events[-1])
    twice = msgspec.structs.replace(module, functions=(msgspec.structs.replace(function, events=events),))
    away = msgspec.structs.replace(events[1], span=msgspec.structs.replace(events[1].span, line=9))
    apart = msgspec.structs.replace(module, functions=(msgspec.structs.replace(function, events=(events[0], away)),))
    assert only_moved(twice, twice)
    assert not only_moved(twice, apart)
    assert not only_moved(apart, twice)
