"""Which comments are directives, and what they say."""

from __future__ import annotations

import pytest

from ctxlint.ir.span import Span
from ctxlint.syntax.comments import Suppression, suppressions


def only(source: str) -> Suppression:
    (found,) = suppressions(source)
    return found


@pytest.mark.parametrize(
    ("comment", "kind", "codes", "reason"),
    [
        ("# noqa: CTX101", "noqa", ("CTX101",), ""),
        ("#noqa:CTX101", "noqa", ("CTX101",), ""),
        ("# NOQA : ctx101", "noqa", ("CTX101",), ""),
        ("# noqa: CTX101, CTX302 -- replayed by the caller", "noqa", ("CTX101", "CTX302"), "replayed by the caller"),
        ("# noqa: CTX101 CTX302", "noqa", ("CTX101", "CTX302"), ""),
        ("# noqa: E501,CTX101,W291", "noqa", ("CTX101",), ""),
        ("# noqa: S101, plr-0911, too-many-lines, CTX101", "noqa", ("CTX101",), ""),
        ("# noqa: CTX101 because of the journal", "noqa", ("CTX101",), ""),
        ("# pragma: no cover  # noqa: CTX101", "noqa", ("CTX101",), ""),
        ("# ctxlint: ignore[CTX101]", "ignore", ("CTX101",), ""),
        ("#ctxlint:ignore[ctx101,CTX302]", "ignore", ("CTX101", "CTX302"), ""),
        ("# ctxlint: ignore[CTX101] -- one -- two", "ignore", ("CTX101",), "one -- two"),
        ("# ctxlint: disable[CTX101]", "disable", ("CTX101",), ""),
        ("# ctxlint: enable[CTX101]", "enable", ("CTX101",), ""),
        ("# ctxlint: file-ignore[CTX101, TEAM7] -- generated", "file-ignore", ("CTX101", "TEAM7"), "generated"),
    ],
)
def test_directives(comment: str, kind: str, codes: tuple[str, ...], reason: str) -> None:
    found = only(f"x = 1  {comment}\n")
    assert (found.kind, found.codes, found.reason, found.line) == (kind, codes, reason, 1)


@pytest.mark.parametrize(
    "comment",
    [
        "# ctxlint: ignore",
        "# ctxlint: ignore[]",
        "# ctxlint: ignore[ ]",
        "# ctxlint: ignore[CTX101",
        "# ctxlint: ignore CTX101",
        "# ctxlint: ignore[CTX101,]",
        "# ctxlint: ignore[CTX101 CTX302]",
        "# ctxlint: ignore[CTX-101]",
        "# ctxlint: ignore[CTX101] because",
        "# ctxlint: ignroe[CTX101]",
        "# ctxlint:",
        "# ctxlint: CTX101",
        "# noqa: CTX101 CTX",
        "# noqa: CTX-101",
        "# noqa: CTX101 reason CTX302",
        "# noqa: the CTX101",
    ],
)
def test_a_malformed_directive_of_ours_is_reported_and_hides_nothing(comment: str) -> None:
    found = only(f"x = 1  {comment}\n")
    assert (found.kind, found.codes) == ("malformed", ())
    assert found.reason


@pytest.mark.parametrize(
    "source",
    [
        "x = 1  # noqa\n",
        "x = 1  # noqa: E501\n",
        "x = 1  # noqa: E501 the ctx is long\n",
        "x = 1  # noqa E501 CTX101\n",
        "x = 1  # nonoqa: CTX101\n",
        "x = 1  # noqa-file: CTX101\n",
        "x = '# noqa: CTX101'\n",
        "x = '''\n# ctxlint: ignore[CTX101]\n'''\n",
        "x = f'''{1}\n# ctxlint: ignore[CTX101]\n'''\n",
        "ctxlint = 1  # the name of the linter\n",
        "",
    ],
)
def test_what_is_no_directive(source: str) -> None:
    assert suppressions(source) == ()


def test_the_span_is_the_directive() -> None:
    source = "é = 1\nx = 'é'  # pragma: no cover # noqa: CTX101 -- why  \n"
    found = only(source)
    assert (found.span.line, found.span.end_line) == (2, 2)
    line = source.split("\n")[1]
    assert line[found.span.column - 1 : found.span.end_column - 1] == "# noqa: CTX101 -- why"


def test_two_directives_in_one_comment() -> None:
    first, second = suppressions("x = 1  # noqa: CTX101 # ctxlint: ignore[CTX302]\n")
    assert (first.codes, second.codes) == (("CTX101",), ("CTX302",))
    assert first.span.end_column < second.span.column


def test_prefixes_of_a_users_policies() -> None:
    source = "x = 1  # noqa: TEAM7, CTX101\n"
    assert only(source).codes == ("CTX101",)
    assert suppressions(source, ("CTX", "TEAM"))[0].codes == ("TEAM7", "CTX101")


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("broken", ["", "x = (\n", "'\n", "x = $\n"], ids=["valid", "bracket", "quote", "token"])
def test_lines_are_counted_alike_by_the_tokenizer_and_by_the_scanner(newline: str, broken: str) -> None:
    source = f"'''\n# noqa: CTX900\n'''\na = 1  # noqa: CTX101\n\x0c\n# ctxlint: ignore[CTX302]\n{broken}"
    found = suppressions(source.replace("\n", newline))
    assert [(each.codes, each.span) for each in found] == [
        (("CTX101",), Span(4, 8, 4, 22)),
        (("CTX302",), Span(6, 1, 6, 26)),
    ]


def test_syntax_newer_than_the_interpreter() -> None:
    source = "x = f'{d['#']}'  # noqa: CTX101\nlazy import y  # noqa: CTX302\nz = t'{x}'  # noqa: CTX303\n"
    assert [each.codes for each in suppressions(source)] == [("CTX101",), ("CTX302",), ("CTX303",)]
