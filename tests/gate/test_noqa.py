"""Comments that the tool writes: they hide the finding, and change nothing else."""

from __future__ import annotations

import io
import tokenize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxlint.diagnostic import Diagnostic
from ctxlint.gate.noqa import with_comments
from ctxlint.ir.span import Span
from tests.findings import finding
from tests.gate.conftest import Check
from tests.gate.repositories import Repository


def at(line: int, code: str = "CTX101") -> Diagnostic:
    return finding(code=code, span=Span(line, 1, line, 2))


@pytest.mark.parametrize(("before", "after"), [
    ("save(x)\n", "save(x)  # noqa: CTX101 -- old\n"),
    ("save(x)", "save(x)  # noqa: CTX101 -- old"),
    ("save(x)  # hello\r\n", "save(x)  # hello  # noqa: CTX101 -- old\r\n"),
    ("save(x)  # noqa: E501\n", "save(x)  # noqa: E501, CTX101 -- old\n"),
    ("save(x)  # noqa: CTX302 -- why\n", "save(x)  # noqa: CTX302, CTX101 -- why\n"),
    ("save(x)  # noqa\n", "save(x)  # noqa  # noqa: CTX101 -- old\n"),
    ("save(  # noqa: E501\n    x)\n", "save(  # noqa: E501\n    x)  # noqa: CTX101 -- old\n"),
    ('save("""\n# noqa: E501\n""")\n', 'save("""\n# noqa: E501\n""")  # noqa: CTX101 -- old\n'),
    ("save(x) + \\\n    y\n", "save(x) + \\\n    y  # noqa: CTX101 -- old\n"),
    ("with a(\n    b\n) as c:\n    d\n", "with a(\n    b\n) as c:  # noqa: CTX101 -- old\n    d\n"),
    ("\ufeffsave(x)\n", "\ufeffsave(x)  # noqa: CTX101 -- old\n"),
    ("save(x)\rsave(y)\r", "save(x)  # noqa: CTX101 -- old\rsave(y)\r"),
    ("save('# noqa: E501')\n", "save('# noqa: E501')  # noqa: CTX101 -- old\n"),
])
def test_it_stands_where_the_statement_ends(before: str, after: str) -> None:
    done = with_comments(before.encode(), [at(1)], "old", ("CTX",))
    assert (done.source.decode(), done.left) == (after, ())


def test_codes_of_one_statement_share_a_comment() -> None:
    done = with_comments(b"f(\n  a,\n  b)\n", [at(2, "CTX302"), at(1), at(1)], "", ("CTX",))
    assert done.source == b"f(\n  a,\n  b)  # noqa: CTX101, CTX302\n"


def test_a_form_feed_ends_no_line() -> None:
    done = with_comments("x = 1\n\f\ny = '\x0b\u2028'\nsave(x)\n".encode(), [at(4)], "", ("CTX",))
    assert done.source.decode().split("\n")[3] == "save(x)  # noqa: CTX101"


@pytest.mark.parametrize("source", [b"x = '''\nabc\n", b"# coding: nonsense\nx\n", b"# coding: latin-1\nsave(1)\n"])
def test_a_file_that_cannot_take_one_is_left_alone(source: bytes) -> None:
    done = with_comments(source, [at(2)], "不", ("CTX",))
    assert (done.source, len(done.left)) == (source, 1)


PIECES = ["save(x)", "x = '''", "'''", "(", ")", "\\", "# c", "# noqa: E501", "if a:", "    b", '"', "\f", "\t", "é", ""]


@given(st.lists(st.sampled_from(PIECES), max_size=8), st.sampled_from(["\n", "\r\n"]), st.data())
def test_whatever_the_text_only_comments_change(pieces: list[str], end: str, data: st.DataObject) -> None:
    source = end.join(pieces).encode()
    line = data.draw(st.integers(1, max(1, len(pieces))))
    done = with_comments(source, [at(line)], "why", ("CTX",))
    if done.source != source:
        assert said(done.source) == said(source)
        assert b"noqa" in done.source and not done.left
    else:
        assert done.left


def said(source: bytes) -> list[tuple[int, str]]:
    return [(token.type, token.string) for token in tokenize.tokenize(io.BytesIO(source).readline)
            if token.type not in (tokenize.COMMENT, tokenize.NL)]


def test_the_flag_hides_what_is_reported(repository: Repository, check: Check) -> None:
    repository.write("agent.py", "def f(x):\n    write(x)  # bug: A\n    keep(x)  # bug: B low\n")
    done = check("--add-noqa=it was so", ".")
    assert (done.status, done.out) == (0, "")
    assert "1 of 1 findings are hidden by comments now" in done.err
    assert (repository.root / "agent.py").read_text().splitlines()[1:] == [
        "    write(x)  # bug: A  # noqa: CTX101 -- it was so", "    keep(x)  # bug: B low"]
    assert check(".", "--require-reason").status == 0


def test_a_path_after_the_flag_is_no_reason(repository: Repository, check: Check) -> None:
    repository.write("agent.py", "def f(x):\n    write(x)  # bug: A\n")
    assert check("--add-noqa", "agent.py").status == 0
    assert (repository.root / "agent.py").read_text().endswith("# bug: A  # noqa: CTX101\n")


@pytest.mark.parametrize(("words", "said"), [
    (["--add-noqa", "-", "--stdin-filename", "x.py"], "standard input is none"),
    (["--add-noqa=a # noqa: B", "."], "a reason is one line without `#`"),
    (["--add-noqa", "--require-reason", "."], "this project requires a reason: --add-noqa=REASON"),
])
def test_what_cannot_be_done_is_two(
    repository: Repository, check: Check, monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    repository.write("agent.py", "def f(x):\n    write(x)  # bug: A\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
    done = check(*words)
    assert (done.status, said in done.err) == (2, True), done.err
    assert "noqa" not in (repository.root / "agent.py").read_text()


def test_require_reason_makes_comments_without_one_malformed(repository: Repository, check: Check) -> None:
    repository.write("agent.py", "def f(x):\n    write(x)  # bug: A # noqa: CTX101\n")
    assert check(".").status == 0
    done = check(".", "--require-reason", "--output-format", "concise")
    assert done.status == 1
    assert [line.split()[1] for line in done.out.splitlines()] == ["CTX101", "CTX002"]
