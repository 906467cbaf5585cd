"""How far a fix is trusted: what is only done on request, or is advice."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxlint.engine import Request, analyse
from ctxlint.knowledge.configuration import load_configuration

HEAD = 'import json\nfrom pathlib import Path\nSTATE = Path("state.json")\ndef load(): return json.loads(STATE.read_text())\n'
WRITE = 'def save(data):\n    STATE.write_text(json.dumps(data))\n'


def trust(source: str, code: str) -> set[str]:
    """How far the fixes of the findings are trusted; a finding without one counts as `none`."""
    configuration = load_configuration(
        start=Path.cwd(), isolated=True, arguments=['runtime-module="ctxlint.runtime"'],
        flags={"select": [code], "preview": True, "min-confidence": "low"},
    )
    report = analyse(Request(
        (), configuration, stdin=source.encode(), stdin_filename=str(Path("m.py").absolute()), cache=False, fixes=True))
    return {one.fixes[0].applicability if one.fixes else "none" for one in report.diagnostics}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (HEAD + WRITE, "safe"),
        (f"import fcntl\n{HEAD}{WRITE}", "unsafe"),
        (f"import watchdog\n{HEAD}{WRITE}", "display"),
        (("import json\ndef touch(path):\n    data = json.loads(open(path).read())\n"
         "    with open(path, 'w') as f:\n        json.dump(data, f)\n"), "unsafe"),
        (("import json\ndef touch(options):\n    data = json.loads(open(options.out).read())\n"
         "    with open(options.out, 'w') as f:\n        json.dump(data, f)\n"), "unsafe"),
        (f"from other import shown\n{HEAD}def save(data):\n    STATE.write_text(shown(data))\n", "unsafe"),
        (f"from other import shown\n{HEAD}def save(data):\n    with open(STATE, 'w') as f:\n        f.write(shown(data))\n", "unsafe"),
        (f"from other import shown\n{HEAD}def save(data):\n    open(STATE, 'w').write(shown(data))\n", "unsafe"),
        ((f"from other import shown\n{HEAD}def save(data):\n    with open(STATE, 'w') as f:\n        for row in data:\n"
         "            print(shown(row), file=f)\n"), "unsafe"),
        (f"{HEAD}def save(data):\n    with open(STATE, 'w') as f:\n        for row in data:\n            print(row, file=f)\n", "safe"),
        ((f"import aiofiles\n{HEAD}async def save(data):\n    async with aiofiles.open(STATE, 'w') as f:\n"
         "        await f.write(json.dumps(data))\n"), "unsafe"),
        (f"import asyncio\n{HEAD}async def save(text):\n    await asyncio.to_thread(STATE.write_text, text, encoding='utf-8')\n", "unsafe"),
        (f"import asyncio\n{HEAD}async def save(data):\n    await asyncio.to_thread(STATE.write_text, json.dumps(data))\n", "safe"),
        ((f"import os\n{HEAD}def put(path: Path, text: str):\n    aside = path.with_name('new')\n    aside.write_text(text)\n"
         f"    os.replace(aside, path)\n{WRITE}"), "unsafe"),
    ],
)
def test_an_atomic_write_is_safe_where_nothing_can_tell_the_difference(source: str, expected: str) -> None:
    assert trust(source, "CTX105") == {expected}
