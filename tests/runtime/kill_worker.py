"""The process that gets killed, and what may be found after it.

It rewrites a buffer as fast as it can. Before each change it says what it intends to reach, and after it that this is
done; a state is the digest of the content and the length of the log.
Usage: kill_worker.py file|sqlite JOURNAL STATES
"""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

from ctxlint.runtime import FileJournal, RewriteBuffer, SQLiteJournal, digest, recover

KINDS = {"file": FileJournal, "sqlite": SQLiteJournal}


def work(kind: str, path: str, states: str) -> None:
    out = os.open(states, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    print("ready", flush=True)
    journal = KINDS[kind](path)
    buffer = recover(journal) if journal.records() else RewriteBuffer("", journal=journal)

    def perform(action, content: str, depth: int) -> None:
        os.write(out, f"{digest(content)} {depth} ".encode())
        action()
        os.write(out, b"done\n")

    os.write(out, b"\n")
    chance = random.Random(os.getpid())
    while True:
        log = buffer.log
        if len(log) > 40:
            perform(buffer.compact, buffer.content, 0)
        elif log and chance.random() < 0.3:
            last = log[-1]
            end = last.offset + len(last.inserted)
            before = buffer.content[: last.offset] + last.removed + buffer.content[end:]
            perform(buffer.rollback, before, len(log) - 1)
        else:
            offset = chance.randrange(len(buffer.content) + 1)
            insert = chance.choice("abc") * chance.randrange(100)
            length = min(chance.randrange(100), len(buffer.content) - offset)
            after = buffer.content[:offset] + insert + buffer.content[offset + length :]
            perform(lambda at=offset, n=length, new=insert: buffer.splice(at, n, new), after, len(log) + 1)


def check(kind: str, path: str, states: str) -> None:
    """Demand that the journal leads to the last state that was done, or to the one that was being reached."""
    lines = Path(states).read_text().split("\n") if Path(states).exists() else []
    told = [line.split(" ") for line in lines if line.strip()]
    done = [state for state in told if state[-1] == "done"]
    allowed = {tuple(state[:2]) for state in done[-1:] + (told[-1:] if told else [])}
    with KINDS[kind](path) as journal:
        if not done and not journal.records():
            return
        buffer = recover(journal)
    found = (buffer.digest, str(len(buffer.log)))
    assert not done or found in allowed, f"found {found}, allowed {allowed} after {len(done)} acknowledged changes"
    # What was being reached may have been reached; from here on that is what counts.
    with open(states, "w") as out:
        out.write(f"{found[0]} {found[1]} done\n")


if __name__ == "__main__":
    work(*sys.argv[1:])
