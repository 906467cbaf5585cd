from __future__ import annotations

from typing import Any

import pytest

from tests.action.expressions import evaluate, substitute
from tests.action.runner import named_values

CONTEXT = {"inputs": {"a-b": "Yes", "empty": ""}, "yes": lambda: True, "startsWith": lambda a, b: a.startswith(b)}


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("inputs.a-b == 'yes'", True),
        ("inputs.missing.deeper == ''", True),
        ("inputs.empty || 'other'", "other"),
        ("inputs.a-b && inputs.empty", ""),
        ("!yes() || (yes() && inputs.a-b != 'no')", True),
        ("startsWith('pull_request', 'pull')", True),
        ("'it''s'", "it's"),
    ],
)
def test_expressions(expression: str, value: Any) -> None:
    assert evaluate(expression, CONTEXT) == value


@pytest.mark.parametrize("expression", ["'a' 'b'", "(yes()", "a ? b", "yes("])
def test_what_is_no_expression_is_refused(expression: str) -> None:
    with pytest.raises((ValueError, IndexError)):
        evaluate(expression, CONTEXT)


def test_values_are_put_into_texts() -> None:
    assert substitute("${{ inputs.a-b }}, ${{ yes() }}${{ inputs.none }}", CONTEXT) == "Yes, true"


def test_outputs_end_at_their_own_mark() -> None:
    assert named_values("a=b=c\nd<<M\nx\u2028\ne=f\nM\n") == {"a": "b=c", "d": "x\u2028\ne=f"}
    for text in ("d<<M\nx\n", "word\n"):
        with pytest.raises(ValueError):
            named_values(text)
