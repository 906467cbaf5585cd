"""A summary answers as the inlined callee does: the same faults are found whichever steps stand in helpers of their own."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxlint.checks.run import find
from ctxlint.knowledge.rules import load_rules
from tests.checks.asked import analysis

STEPS = {
    "read": ("state = json.loads(Path('state.json').read_text())", "state = read()", "def read():\n    state = json.loads(Path('state.json').read_text())\n    return state\n"),
    "ask": ("state['n'] = await fetch(state)", "await ask(fetch, state)", "async def ask(fetch, state):\n    state['n'] = await fetch(state)\n"),
    "log": ("with open('log.jsonl', 'a') as log:\n    log.write(json.dumps(state))", "note(state)", "def note(state):\n    with open('log.jsonl', 'a') as log:\n        log.write(json.dumps(state))\n"),
    "write": ("Path('state.json').write_text(json.dumps(state))", "write(state)", "def write(state):\n    Path('state.json').write_text(json.dumps(state))\n"),
    "aside": (
        "Path('state.tmp').write_text(json.dumps(state))\nos.replace('state.tmp', 'state.json')", "put(state)",
        "def put(state):\n    Path('state.tmp').write_text(json.dumps(state))\n    os.replace('state.tmp', 'state.json')\n"),
}
"""Each step as it stands in the function, as a call, and the helper that is called."""

HEAD = "import asyncio\nimport json\nimport os\nfrom pathlib import Path\n\nLOCK = asyncio.Lock()\n\n"
OTHER = "async def other():\n    state = json.loads(Path('state.json').read_text())\n    print(state)\n\n"


def program(steps: tuple[str, ...], extracted: frozenset[str], locked: bool) -> str:
    """A coroutine that makes the steps, those in `extracted` by helpers, all of them in a lock or none."""
    body = "\n".join(STEPS[step][1 if step in extracted else 0] for step in steps)
    indent = "        " if locked else "    "
    lines = "\n".join(indent + line for line in body.splitlines())
    helpers = "\n\n".join(STEPS[step][2] for step in sorted(extracted & set(steps)))
    opening = "    async with LOCK:\n" if locked else ""
    return f"{HEAD}{helpers}\n\n{OTHER}\nasync def run(fetch):\n{opening}{lines}\n"


RULES = [load_rules()[code] for code in ("CTX101", "CTX103", "CTX105", "CTX302")]


def codes(text: str) -> Counter[str]:
    """How often each rule answers."""
    return Counter({code: len(answers) for code, answers in find(RULES, {}, analysis(m=text)).items() if answers})


@pytest.mark.parametrize(("locked", "saved"), [*product((False, True), ("write", "aside"))])
def test_every_way_to_extract_helpers(locked: bool, saved: str) -> None:
    steps = ("read", "ask", saved)
    whole = codes(program(steps, frozenset(), locked))
    assert whole["CTX302"] == (not locked) and whole["CTX105"] == (saved == "write")
    for chosen in product((False, True), repeat=3):
        extracted = frozenset(step for step, is_chosen in zip(steps, chosen) if is_chosen)
        assert codes(program(steps, extracted, locked)) == whole, sorted(extracted)


@settings(max_examples=25, deadline=None)
@given(
    steps=st.lists(st.sampled_from(["ask", "log", "write", "aside", "read"]), max_size=4),
    extracted=st.frozensets(st.sampled_from(sorted(STEPS))), locked=st.booleans(),
)
def test_any_order_of_steps(steps: list[str], extracted: frozenset[str], locked: bool) -> None:
    order = ("read", *steps)
    assert codes(program(order, extracted, locked)).keys() == codes(program(order, frozenset(), locked)).keys()
