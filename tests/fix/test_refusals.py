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
