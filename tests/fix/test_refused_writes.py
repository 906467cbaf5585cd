"""Each condition under which a write is not replaced by an atomic one, and what the write becomes otherwise."""

from __future__ import annotations

import pytest

from ctxlint.fix.rewriting import Refusal
from tests.fix.answers import after, answer

WITH = "def save(path, data):\n    with §open(path, 'w') as f:\n        {}\n"
DUMP = "import json\n" + WITH
OPEN, METHOD, TEXT, THREAD, EXECUTOR = (
    "builtins.open", "pathlib.Path.open", "pathlib.Path.write_text", "pathlib.Path.write_text asyncio.to_thread",
    "pathlib.Path.write_text asyncio.AbstractEventLoop.run_in_executor",
)


@pytest.mark.parametrize(
    ("source", "callees", "reason"),
    [
        # the call
        ("def g(path, s):\n    try: g()\n    except OSError: §path.write_text(s)\n", TEXT, "falls back to"),
        ("def g(path, s):\n    §return path.write_text(s)\n", TEXT, "no call that can be seen"),
        ("def g(path, s):\n    §path.store(s)\n", "other.store", "nothing is known"),
        ("def g(path, s):\n    n = §path.write_text(s)\n", TEXT, "number of characters"),
        ("def g(w, s):\n    §w(s)\n", TEXT, "number of characters"),
        ("def g(path, s):\n    §path.write_text(*s)\n", TEXT, "content and its encoding alone"),
        ("def g(path, s):\n    §path.write_text(s, data=s)\n", TEXT, "content and its encoding alone"),
        ("def g(path, s):\n    §path.write_text(s, None, None, None, 1)\n", TEXT, "content and its encoding alone"),
        ("def g(path, s):\n    §path.write_text(text=s)\n", TEXT, "content and its encoding alone"),
        ("def g(path, s):\n    §path.write_text(encoding='utf-8')\n", TEXT, "content and its encoding alone"),
        ("def g(path, s):\n    §path.write_text(s, errors='ignore')\n", TEXT, "content and its encoding alone"),
        ("def g(path, s):\n    §path.write_text(path.read_text() + s)\n", TEXT, "made by reading files"),
        # a call in a thread
        ("async def g(path, s):\n    await §run(s)\n", THREAD, "not written out"),
        ("async def g(path, s):\n    await §asyncio.to_thread(path.write_text, *s)\n", THREAD, "not written out"),
        ("async def g(path, s):\n    await §asyncio.to_thread(path.write_text, s, 'utf-8')\n", THREAD, "content and its encoding alone"),
        ("async def g(path, s):\n    await §asyncio.to_thread(path.write_text, s, errors='x')\n", THREAD, "content and its encoding alone"),
        ("async def g(loop, path, s):\n    await §loop.run_in_executor(None, path.write_text, s)\n", EXECUTOR, "takes no named arguments"),
        ("async def g(path, s):\n    await §asyncio.to_thread(  # why\n        path.write_text, s)\n", THREAD, "a comment would be lost"),
        # the opening
        ("def g(*a):\n    with §open(*a) as f: f.write('x')\n", OPEN, "not written out"),
        ("def g(p):\n    with §open(p, 'w', -1, None, None, None, True, None, 1) as f: f.write('x')\n", OPEN, "not written out"),
        ("def g(p):\n    with §open(p, 'w', mod='x') as f: f.write('x')\n", OPEN, "not written out"),
        ("def g(p):\n    with §open(p, 'w', file=p) as f: f.write('x')\n", OPEN, "not written out"),
        ("def g(p):\n    with §open(mode='w') as f: f.write('x')\n", OPEN, "for writing alone"),
        ("def g(p):\n    with §open(p) as f: f.write('x')\n", OPEN, "for writing alone"),
        ("def g(p, m):\n    with §open(p, m) as f: f.write('x')\n", OPEN, "for writing alone"),
        ("def g(p):\n    with §open(p, 'w+') as f: f.write('x')\n", OPEN, "for writing alone"),
        ("def g(p):\n    with §open(p, 'w', newline='\\r\\n') as f: f.write('x')\n", OPEN, "line ends"),
        ("def g(p):\n    with §open(p, 'w', errors='ignore') as f: f.write('x')\n", OPEN, "(errors)"),
        # the handle
        ("def g(p):\n    f = §open(p, 'w')\n    f.write('x')\n", OPEN, "lives on"),
        ("def g(p):\n    with wrap(§open(p, 'w')) as f: f.write('x')\n", OPEN, "lives on"),
        ("def g(p):\n    with §open(p, 'w'): pass\n", OPEN, "lives on"),
        ("def g(p, s):\n    n = §open(p, 'w').write(s)\n", OPEN, "lives on"),
        ("def g(p, s):\n    §open(p, 'w').truncate(s)\n", OPEN, "lives on"),
        ("def g(p, s):\n    §open(p, 'w').write(*s)\n", OPEN, "lives on"),
        ("def g(p, s):\n    §open(p, 'w').write(open(p).read())\n", OPEN, "made by reading files"),
        (WITH.format("f.write('x')\n    return f.closed"), OPEN, "used outside"),
        (WITH.format("f.write(f.name)"), OPEN, "used for more than writing"),
        (WITH.format("g = lambda: f.write('x')\n        g()"), OPEN, "used for more than writing"),
        (WITH.format("keep(f)"), OPEN, "used for more than writing"),
        ("async def g(p, s):\n    f = §aiofiles.open(p, 'w')\n", "aiofiles.open", "lives on"),
        ("async def g(p, s):\n    async with §aiofiles.open(p, 'w') as f:\n        await f.write(s)\n    return f\n", "aiofiles.open", "lives on"),
        # the body
        (DUMP.format("json.dump(data, f, cls=data.Encoder)"), OPEN, "encoder of its own"),
        ("def g(p, s):\n    with §open(p, 'w') as f: f.write(s); g()\n", OPEN, "behind the colon"),
        (WITH.format("f.write('x')\n        return 1"), OPEN, "left before the end"),
        ("def g(ps):\n    for p in ps:\n        with §open(p, 'w') as f:\n            f.write('x')\n            continue\n", OPEN, "left before the end"),
        (WITH.format("while data: f.write(data.pop())"), OPEN, "does more than write"),
        (WITH.format("if path.exists():\n            f.write('x')"), OPEN, "what else it does may need the file"),
        (WITH.format("notify()\n        f.write('x')"), OPEN, "what else it does may need the file"),
        (WITH.format("f.write(path.stat().st_size)"), OPEN, "what else it does may need the file"),
        ("from m import shown\ndef g(p, s):\n    with §open(p.x, 'w') as f:\n        if s: f.write(shown(s))\n", OPEN, "change its path"),
        ("def g(p, s):\n    with §open(p, 'w') as f:\n        p = p + 'x'\n        f.write(s)\n", OPEN, "another one when everything"),
        ("def g(p, s):\n    with §open(g(p), 'w') as f:\n        if s: f.write(s)\n", OPEN, "another one when everything"),
        ("def g(p, s):\n    with §open(p[0], 'w') as f:\n        if s: f.write(s)\n", OPEN, "another one when everything"),
        ("def g(p, s):\n    with §open(p, 'w') as f, g() as x:\n        f.write(s)\n", OPEN, "opened behind the file"),
        ("def g(p, s):\n    with §open(p, 'w') as f:\n        if s: f.write(s)\n        f.flush()  # why\n", OPEN, "a comment would be lost"),
    ],
)
def test_a_write_is_left_alone(source: str, callees: str, reason: str) -> None:
    made = answer(source, "CTX105", {"callees": callees})
    assert isinstance(made, Refusal) and reason in made.reason, after(source, made)
