"""Deep files are read, deeper ones refused before a parser sees them; none ends the process."""

from __future__ import annotations

import ast
import subprocess
import sys
import threading

import pytest

from ctxlint.syntax import depth
from ctxlint.syntax.depth import TooDeep, nesting, with_room
from ctxlint.syntax.tree import parse


def nested(opening: str, closing: str, count: int) -> bytes:
    return f"x = {opening * count}a{closing * count}\n".encode()


DEEP_BUT_LEGAL = {
    "sum": b"x = " + b" + ".join([b"a"] * 500),
    "conjunction": b"x = " + b" and ".join([b"a"] * 500),
    "attributes": b"x = a" + b".b" * 500,
    "calls": b"x = a" + b".b()" * 250,
    "items": b"x = a" + b"[0]" * 300,
    "strings": b"x = (" + b"'a'\n" * 3000 + b")",
    "elif": b"if a: pass\n" + b"elif b: pass\n" * 500,
    "conditional": b"x = " + b"a if b else " * 300 + b"c",
    "negation": b"x = " + b"not " * 500 + b"a",
    "brackets": nested("(", ")", 180),
    "lists": nested("[", "]", 100),
    "arguments": nested("f(", ")", 80),
}


@pytest.mark.parametrize("source", DEEP_BUT_LEGAL.values(), ids=DEEP_BUT_LEGAL)
def test_deep_but_legal_files_are_read(source: bytes) -> None:
    assert nesting(source).deep
    made, expected = parse(source), with_room(ast.parse, source)
    assert [each.__class__ for each in ast.walk(made)] == [each.__class__ for each in ast.walk(expected)]


TOO_DEEP = {
    "brackets": nested("(", ")", 3_000),
    "braces": nested("{a: ", "}", 201),
    "sum": b"x = " + b" + ".join([b"a"] * 10_000),
    "attributes": b"x = a" + b".b" * 10_000,
    "calls": b"x = a" + b"()" * 10_000,
    "negation": b"x = " + b"not " * 10_000 + b"a",
    "strings": b"x = (" + b"'a'\n" * 10_000 + b")",
    "elif": b"if a: pass\n" + b"elif b: pass\n" * 10_000,
    "formatted": b"x = f'{" + b"(" * 1_000 + b"a" + b")" * 1_000 + b"}'",
    "nested formatted": b"x = " + b"f'{" * 1_000 + b"a" + b"}'" * 1_000,
    "pattern": b"match a:\n    case " + b"[" * 30 + b"a" + b"]" * 30 + b": pass",
    "spread": b"x = " + b"(a + " * 150 + b"b" + b")" * 150 + b"+ (" + b" + ".join([b"a"] * 2_000) + b")",
}


@pytest.mark.parametrize("source", TOO_DEEP.values(), ids=TOO_DEEP)
def test_deeper_files_are_refused_before_a_parser_sees_them(source: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("libcst.parse_module", None)
    with pytest.raises(TooDeep) as error:
        parse(b"\n" + source)
    assert error.value.lineno is not None and error.value.lineno >= 2


def test_the_limits_keep_the_process_alive() -> None:
    """The deepest brackets that are accepted do not overflow the native parser's stack."""
    source = nested("f(a, [", "])", 100)
    assert nesting(source).levels >= 200
    program = "import sys; from ctxlint.syntax.tree import parse; parse(sys.stdin.buffer.read())"
    assert subprocess.run([sys.executable, "-c", program], input=source, check=False).returncode == 0


def test_large_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depth, "LARGEST", 10)
    assert nesting(b"x = 12345\n").levels == 0
    with pytest.raises(TooDeep, match="too large"):
        nesting(b"x = 123456\n")


def test_dense_files_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(depth, "_TOKENS", 1_000)
    assert not nesting(b"x = 'a long text'\n" * 300).deep
    with pytest.raises(TooDeep, match="tokens"):
        nesting(b"x = [" + b"1," * 600 + b"]")


@pytest.mark.parametrize(
    "source",
    [
        b"x = [" + b"1.5, -2, (3, 4), a.b, 'c', f(d),\n" * 3_000 + b"]",
        b"x = {" + b"'a': b + c, **d,\n" * 3_000 + b"}",
        b"x = a + b; y = c.d()\n" * 3_000,
        b"if a: pass\nelif b: pass\nelse: pass\n" * 3_000,
        b"x = '" + b"(" * 3_000 + b"'  # " + b"[" * 3_000,
        b"'''" + b"(a + b)\n" * 3_000 + b"'''",
        b"x = \"" + b"\\\"((" * 3_000 + b"\"",
        b"def case(a): return f(g(h(i(j(k(l(m(n(o))))))))\n",
    ],
)
def test_long_is_not_deep(source: bytes) -> None:
    assert not nesting(source).deep


def test_levels_are_never_underestimated() -> None:
    for source in DEEP_BUT_LEGAL.values():
        assert nesting(source).levels >= _height(with_room(ast.parse, source)) // 3


def _height(tree: ast.AST) -> int:
    height, level = 0, [tree]
    while level:
        height, level = height + 1, [child for node in level for child in ast.iter_child_nodes(node)]
    return height


def test_room_is_given_back() -> None:
    limit = sys.getrecursionlimit()
    assert with_room(lambda _: sys.getrecursionlimit(), None) > limit
    assert (sys.getrecursionlimit(), threading.stack_size()) == (limit, 0)


def test_a_call_with_room_may_want_room() -> None:
    assert with_room(lambda source: ast.dump(parse(source)), DEEP_BUT_LEGAL["lists"])


def test_errors_come_out_of_the_thread() -> None:
    with pytest.raises(ZeroDivisionError):
        with_room(lambda number: 1 // number, 0)
    assert sys.getrecursionlimit() < 100_000
