"""Files in other encodings, files that are no Python, files that are too much."""

from __future__ import annotations

import pytest

from ctxlint.ir.module import Module
from ctxlint.ir.value import Constant
from ctxlint.syntax.load import load
from ctxlint.syntax.read import Problem, Reading, decode, read


@pytest.mark.parametrize(("source", "text"), [
    ("x = 'é'\n".encode(), "é"),
    (b"\xef\xbb\xbf" + "x = 'é'\n".encode(), "é"),
    (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "é"),
    (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", "€"),
    (b"# coding: utf-8\r\nx = 'a'\r\n", "a"),
    (b"x = 'a'\r", "a"),
    (b"x = '\\ud800'", "\\ud800"),
])
def test_the_declared_encoding_is_used(source: bytes, text: str) -> None:
    module = load(source)
    assert isinstance(module, Module)
    assert module.functions[0].events[0].value == Constant("str", text)


def test_the_byte_order_mark_is_no_column() -> None:
    module = load(b"\xef\xbb\xbff()\n")
    assert isinstance(module, Module)
    assert module.functions[0].events[0].span.column == 1


@pytest.mark.parametrize(("source", "kind", "line"), [
    (b"x = 1\ndef f(:\n", "syntax", 2),
    (b"x = 1\ny = '\xff'\n", "encoding", 2),
    (b"# coding: no-such-codec\n", "encoding", 1),
    (b"# coding: rot13\nk = 1\n", "encoding", 1),
    (b"\xef\xbb\xbf# coding: latin-1\n", "encoding", 1),
    (b"# coding: raw_unicode_escape\nx = '\\ud800'\n", "encoding", 1),
    (b"x = 1\n\x00", "syntax", None),
    (b"x = (" + b"(" * 300 + b")" * 300 + b")", "too-deep", 1),
    (b"print 'x'\n", "syntax", 1),
])
def test_what_cannot_be_read_is_a_problem(source: bytes, kind: str, line: int | None) -> None:
    problem = load(source)
    assert isinstance(problem, Problem)
    assert problem.kind == kind
    assert problem.message
    assert line is None or problem.line == line


def test_large_files_are_not_parsed() -> None:
    problem = read(b"x = 1\n" * 100, largest=100)
    assert isinstance(problem, Problem)
    assert problem.kind == "too-large"
    assert "600" in problem.message and "100" in problem.message


@pytest.mark.parametrize("source", [b"", b"\n", b"# only a comment", b"\f\n", b"'''docstring'''"])
def test_files_without_code_are_modules(source: bytes) -> None:
    module = load(source)
    assert isinstance(module, Module)
    assert [function.qualname for function in module.functions] == ["<module>"]


def test_parsing_warns_nobody(recwarn: pytest.WarningsRecorder) -> None:
    assert isinstance(read(b"x = '\\d' is 1\n"), Reading)
    assert not recwarn.list


def test_decode_says_which_byte() -> None:
    problem = decode(b"a = 1\nb = '\xe9'\n")
    assert isinstance(problem, Problem)
    assert problem == Problem("encoding", "byte 0xe9 is not utf-8: invalid continuation byte", 2)
