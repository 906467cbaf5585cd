"""How long calls may keep a thread waiting: whoever asks first changes nothing for those who ask later."""

from __future__ import annotations

import pytest

from ctxlint.calls.identity import FunctionId
from tests.checks.asked import analysis

LONG_AND_ROUND = '''
import someservice
def leaf(): someservice.ask()
def five(): leaf()
def four(): five()
def three(): four()
def two(): three()
def one(): two()
def far(): one()
def ping(): pong(); leaf()
def pong(): ping()
def rounds(): ping(); pong()
'''


@pytest.mark.parametrize(("first", "then"), [("far", "two"), ("two", "far"), ("ping", "rounds"), ("pong", "rounds")])
def test_a_wait_is_found_whoever_asked_before(first: str, then: str) -> None:
    asked = analysis(agent=LONG_AND_ROUND)

    def waits(name: str) -> list[bool]:
        identity: FunctionId = next(f for f in asked.program.functions() if asked.program.symbol(f) == name)
        return [asked.blocking.waits(identity, number) for number in asked.view.call_graph.calls(identity)]

    waits(first)
    expected = {"two": [True], "far": [False], "rounds": [True, True]}
    assert waits(then) == expected[then]
