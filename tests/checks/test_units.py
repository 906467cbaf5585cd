"""Where a unit of work ends: what a context manager does that enters itself."""

from __future__ import annotations

import pytest

from ctxlint.checks.precedes import precedes
from tests.checks.asked import answers

STORE = """
import sqlite3
from contextlib import contextmanager

class Store:
    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path, isolation_level=None)

    @contextmanager
    def unit(self, nested: bool = False):
        if nested:
            with self.{inner}():
                yield
        else:
            yield
            {end}

    @contextmanager
    def other(self):
        with self.unit(True):
            yield

    def change(self, key: str, value: str) -> None:
        with self.unit():
            self.db.execute("UPDATE items SET value = ? WHERE key = ?", (value, key))
        with self.unit():
            self.db.execute("INSERT INTO entries (key, value) VALUES (?, ?)", (key, value))

    def rebuild(self) -> None:
        rows = self.db.execute("SELECT key, value FROM entries").fetchall()
        self.db.execute("DELETE FROM items")
        for key, value in rows:
            self.db.execute("INSERT INTO items (key, value) VALUES (?, ?)", (key, value))
        self.db.execute("COMMIT")
"""


@pytest.mark.parametrize("inner", ["unit", "other"])
@pytest.mark.parametrize(("end", "kinds"), [("self.db.execute('COMMIT')", ["made-again"]), ("pass", [])])
def test_a_manager_that_enters_itself_commits_what_its_own_code_commits(inner: str, end: str, kinds: list[str]) -> None:
    assert [kind for _, kind in answers(precedes, agent=STORE.format(inner=inner, end=end))] == kinds
