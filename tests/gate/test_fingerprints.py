from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ctxlint.gate.fingerprints import counted, fingerprint, fingerprinted
from ctxlint.ir.span import Span
from tests.findings import finding


def test_place_and_wording_do_not_matter() -> None:
    moved = finding(path="/other/name.py", span=Span(7, 1, 7, 2), message="other words", flow=(), confidence="low")
    assert fingerprint(moved) == fingerprint(finding())


def test_rule_function_and_events_matter() -> None:
    others = [finding(code="AA102"), finding(symbol="Agent.hear"), finding(events=("mutate self.messages",)),
              finding(events=("fail", "mutate self.messages", "record self._undo"))]
    prints = {fingerprint(one) for one in (finding(), *others)}
    assert len(prints) == len(others) + 1


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_parts_cannot_run_together(first: list[str], second: list[str]) -> None:
    one, other = finding(events=tuple(first)), finding(events=tuple(second))
    assert (fingerprint(one) == fingerprint(other)) == (first == second)


def test_equal_findings_are_counted() -> None:
    three = fingerprinted([finding(), finding(span=Span(1, 1, 1, 2)), finding(symbol="x")])
    assert sorted(counted(three).values()) == [1, 2]
    assert all(len(one.fingerprint) == 32 for one in three)
