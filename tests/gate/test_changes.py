"""Changes that make an old line wrong: the finding is new, and the review shows it where the change is."""

from __future__ import annotations

import json

import pytest

from ctxlint.cli.main import main
from tests.gate.repositories import Repository

SAFE = '''
import asyncio
import json
from pathlib import Path


class Sessions:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock = asyncio.Lock()

    def load(self) -> dict:
        return json.loads(self.path.read_text())

    def save(self, session: dict) -> None:
        text = json.dumps(session)
        self.path.write_text(text)


class Agent:
    def __init__(self, sessions: Sessions, model) -> None:
        self.sessions = sessions
        self.model = model

    async def compact(self, words) -> None:
        async with self.sessions.lock:
            session = self.sessions.load()
            summary = await self.model.complete(session)
            session["summary"] = summary
            self.sessions.save(session)

    def count(self, words) -> None:
        session = self.sessions.load()
        total = len(words)
        session["total"] = total
        self.sessions.save(session)
'''

LOGGED = '''
import json
from pathlib import Path


class Pad:
    def __init__(self, path: Path) -> None:
        self.text = ""
        self.path = path

    def replace(self, start: int, end: int, new: str) -> None:
        old = self.text[start:end]
        self.record({"start": start, "old": old, "new": new})
        self.text = self.text[:start] + new + self.text[end:]

    def record(self, entry: dict) -> None:
        with open(self.path, "a") as stream:
            stream.write(json.dumps(entry) + "\\n")

    def undo(self) -> None:
        lines = self.path.read_text().splitlines()
        entry = json.loads(lines[-1])
        start = entry["start"]
        self.text = self.text[:start] + entry["old"] + self.text[start + len(entry["new"]):]
'''

LOCK = "        async with self.sessions.lock:\n"
RECORD = '        self.record({"start": start, "old": old, "new": new})\n'
WRITE = "        self.text = self.text[:start] + new + self.text[end:]\n"


def without_lock() -> str:
    head, _, rest = SAFE.partition(LOCK)
    inside, _, after = rest.partition("\n\n")
    return head + "\n".join(line[4:] for line in inside.splitlines()) + "\n\n" + after


@pytest.mark.parametrize(("before", "now", "code", "line", "stands"), [
    (SAFE, SAFE.replace("    def count", "    async def count").replace("len(words)", "await self.model.count(words)"),
     "CTX302", "total = await self.model.count(words)", "self.sessions.save(session)"),
    (SAFE, without_lock(), "CTX302", "self.sessions.save(session)", None),
    (LOGGED, LOGGED.replace(RECORD, "").replace(WRITE, WRITE + RECORD), "CTX101", RECORD.strip(), WRITE.strip()),
], ids=["an await gained", "a lock lost", "an append moved"])
def test_a_path_that_the_change_made_wrong(
    repository: Repository, capsys: pytest.CaptureFixture[str], before: str, now: str, code: str, line: str, stands: str | None
) -> None:
    words = ["--since", "HEAD", "--output-format", "json", "--select", code, "-q"]
    repository.commit(agent=before)
    assert main(words) == 0, capsys.readouterr().out
    repository.write("agent.py", now)
    capsys.readouterr()
    assert main(words) == 1
    (one,) = json.loads(capsys.readouterr().out)
    lines = now.splitlines()
    assert (one["code"], lines[one["location"]["row"] - 1].strip()) == (code, line)
    assert (lines[one["stands"]["location"]["row"] - 1].strip() if "stands" in one else None) == stands
