"""What a fix may break is refused, or not called safe."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixed_fixtures import repaired

HEAD = 'import json, os, subprocess\nfrom pathlib import Path\nSTATE = Path("state.json")\ndef load(): return json.loads(STATE.read_text())\n'


def fixed(source: str, code: str = "CTX105") -> str:
    text = source.encode()
    return next(iter(repaired(Path("m.py").absolute(), text, code).after.values()), text).decode()


@pytest.mark.parametrize(
    "body",
    [
        'json.dump(data, f)\n        f.flush()\n        subprocess.run(["cat", "state.json"])',
        'f.write(json.dumps({"size": STATE.stat().st_size}))',
        "json.dump(data, f, cls=Encoder)",
    ],
)
def test_a_body_that_may_need_the_file_is_left_alone(body: str) -> None:
    source = f'{HEAD}def save(data):\n    with open(STATE, "w") as f:\n        {body}\n'
    assert fixed(source) == source


def test_a_plain_write_is_still_fixed() -> None:
    assert "atomic_write(" in fixed(f'{HEAD}def save(data):\n    with open(STATE, "w") as f:\n        json.dump(data, f)\n')


def test_pieces_that_may_be_no_bytes_are_not_joined() -> None:
    source = f'{HEAD}def save(data):\n    with open(STATE, "wb") as f:\n        f.write(memoryview(data)[:4])\n        f.write(b"x")\n'
    assert " + b" not in fixed(source)


def test_a_comment_stays() -> None:
    source = f"{HEAD}def save(data):\n    (\n        STATE\n        # kept\n        .write_text(json.dumps(data))\n    )\n"
    assert "# kept" in fixed(source)


def test_an_import_does_not_displace_the_docstring() -> None:
    source = '"""the doc"""; ' + HEAD + 'def save(data):\n    with open(STATE, "w") as f:\n        json.dump(data, f)\n'
    assert fixed(source) == source


TALLY = (
    "class Tally:\n    def __init__(self, count):\n        self._count = count\n        self.total = 5\n        self.sums = {}\n"
    "        self.current = 'a'\n    async def reset(self, total):\n        self.total = total\n        self.sums = {}\n"
)


def test_a_place_that_may_change_is_not_kept_for_later() -> None:
    source = f"{TALLY}    async def add(self, text):\n        self.sums[self.current] += await self._count(text)\n"
    assert fixed(source, "CTX302") == source


def test_what_is_put_in_place_of_a_name_keeps_its_parentheses() -> None:
    source = f"{TALLY}    async def add(self, text):\n        old = self.total or 0\n        n = await self._count(text)\n        self.total = old + n\n"
    assert "self.total = self.total or 0 + n" not in fixed(source, "CTX302")


def test_a_statement_beside_the_emptying_stays() -> None:
    source = (
        "class Buffer:\n    def __init__(self, sink): self.sink = sink; self.events = []; self.pending = 0\n"
        "    def add(self, e): self.events.append(e); self.pending += 1\n"
        "    async def flush(self):\n        await self.sink.send(self.events)\n        self.events = []; self.pending = 0\n"
    )
    assert fixed(source, "CTX302") == source
