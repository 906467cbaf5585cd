from __future__ import annotations

from ctxlint.gate.statements import statement_lines


def test_a_statement_has_all_its_physical_lines() -> None:
    lines = statement_lines('x = (\n  1 +\n  2)\n\n# alone\ny = """\n\n"""\n')
    assert [tuple(lines(number)) for number in range(1, 9)] == [
        (1, 2, 3), (1, 2, 3), (1, 2, 3), (4,), (5,), (6, 7, 8), (6, 7, 8), (6, 7, 8),
    ]


def test_a_backslash_joins_lines() -> None:
    assert tuple(statement_lines("x = 1 + \\\n    2\n")(2)) == (1, 2)


def test_of_a_compound_statement_it_is_the_header() -> None:
    lines = statement_lines("def f(\n    a,\n):\n    return a\n")
    assert tuple(lines(3)) == (1, 2, 3)
    assert tuple(lines(4)) == (4,)


def test_text_that_is_no_python_stands_line_by_line() -> None:
    assert tuple(statement_lines("x = (\n1\n")(2)) == (2,)
