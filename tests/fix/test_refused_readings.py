"""Each condition under which a stale reading is left to its author."""

from __future__ import annotations

import pytest

from ctxlint.fix.rewriting import Refusal
from tests.fix.answers import after, answer

LOCKED = "async def f(a, b, lock):\n    x = §1a.get()\n    §2await ask(x)\n    async with §3lock:\n        §b.put(x)\n"
ASYNC = "class A:\n    async def f(self, n, k):\n"
STEPS = ("§1", "§2", "§")


@pytest.mark.parametrize(
    ("source", "kind", "facts", "reason"),
    [
        # under the lock of the write
        (LOCKED, "", {"lock": "§3"}, "~unsafe"),
        (LOCKED, "", {"lock": "§3", "locks-inside": "yes"}, "takes a lock itself"),
        (LOCKED.replace("async with", "with"), "", {"lock": "§3"}, "one of threads"),
        (LOCKED.replace("§3lock:", "§3lock, b:"), "", {"lock": "§3"}, "not held alone"),
        (LOCKED.replace("§3lock:", "§3lock as l:"), "", {"lock": "§3"}, "not held alone"),
        (LOCKED.replace("§3lock:", "§3lock:  # why"), "", {"lock": "§3"}, "not held alone"),
        (LOCKED.replace("await ask(x)", "lock = await ask(x)"), "", {"lock": "§3"}, "not known yet"),
        (LOCKED.replace("await ask(x)", "yield ask(x)"), "", {"lock": "§3"}, "not known yet"),
        (LOCKED.replace("await ask(x)", "await ask(x, '''\n''')"), "", {"lock": "§3"}, "several lines would change"),
        (LOCKED.replace("§2await ask(x)", "§2await ask(x)\n    async with lock: x()"), "", {"lock": "§3"}, "taken in between"),
        (LOCKED.replace("§3lock:\n", "§3lock:\n\n"), "", {"lock": "§3"}, "followed by something else"),
        ("async def f(a, b, lock):\n    x = §1a.get()\n    §2await ask(x)\n    if x:\n        async with §3lock:\n            §b.put(x)\n", "", {"lock": "§3"}, "another block than the lock"),
        ("async def f(db, lock, k):\n    async with §3lock: pass\n    y = §1db.get(k)\n    §2await ask(y)\n    §db.put(j, y)\n", "", {"lock": "§3"}, "around the write"),
        ("async def f(a, b):\n    x = §1a.get()\n    §2await ask(x)\n    §b.put(x)\n", "", {}, "no lock guards the write"),
        (LOCKED, "", {"lock": "§1"}, "around the write"),
        ("async def f(a, b, lock):\n    async with §3lock:\n        x = §1a.get()\n        §2await ask(x)\n        §b.put(x)\n", "", {"lock": "§3"}, "another block than the lock"),
        (LOCKED.replace("§3lock:\n        ", "§3lock: "), "", {"lock": "§3"}, "another block than the lock"),
        (LOCKED.replace("    x = §1a.get()\n    §2await ask(x)", "    async with lock:\n        x = §1a.get()\n    §2await ask(x, '''\n''')"),
         "", {"lock": "§3"}, "several lines would change"),
        ("async def g(a): §1a.get()\nasync def f(b, x):\n    §2await ask(x)\n    §b.put(x)\n", "", {}, "different functions"),
        ("async def f(a, b):\n    x = §1a.get()\n    §2await ask(x)\n    b.p§ut(x)\n", "", {}, "different functions"),
        (LOCKED.replace("    x = §1a.get()\n", "    async with lock, b:\n        x = §1a.get()\n"), "", {"lock": "§3"}, "taken in between"),
        (LOCKED.replace("    x = §1a.get()\n", "    async with lock: x = §1a.get()\n"), "", {"lock": "§3"}, "taken in between"),
        (LOCKED.replace("§2await ask(x)", "§2await ask(x)\n    async with b: x()"), "", {"lock": "§3"}, "~unsafe"),
        # a lock of the record
        (ASYNC + "        x = §1self.db.get(k)¶\n        §2await ask(x)\n        §self.db.put(k, x)¶\n", "", {}, "~display"),
        (ASYNC + "        x = §1self.db.get(k)¶\n        §2await ask(x)\n        §self.put(n, x)¶\n", "", {}, "no lock guards"),
        (ASYNC + "        x = §1self.db.get(k)¶\n        §2yield ask(x)\n        §self.db.put(k, x)¶\n", "", {}, "no lock guards"),
        (ASYNC + "        x = §1self.db.get(k)¶\n        §2await ask(x, '''\n''')\n        §self.db.put(k, x)¶\n", "", {}, "no lock guards"),
        (ASYNC + "        if n:\n            x = §1self.db.get(k)¶\n        else:\n            §2await ask(n)\n            §self.db.put(k, x)¶\n", "", {}, "no lock guards"),
        ("if k:\n    x = §1db.get(k)¶\n    §2ask(x)\n    §db.put(k, x)¶\n", "", {}, "no lock guards"),
        # the reading moves
        (ASYNC + "        §1self.db.get(k)\n        §2await ask()\n        §self.put(n)\n", "", {}, "no lock guards"),
        (ASYNC + "        x = §1self.db.get(k)\n        §2await ask()\n        §self.put(k, x)\n", "", {}, "~unsafe"),
        (ASYNC + "        x = §1self.db.get(k)\n        §2await ask()\n        await ask()\n        §self.put(k, x)\n", "", {}, "~unsafe"),
        (ASYNC + "        x = §1await self.db.get(k)\n        §2await ask()\n        §self.put(k, x)\n", "", {}, "~display"),
        (ASYNC + "        x = §1self.db.get(k)\n        §2await ask()\n        await ask(x)\n        §self.put(k, x)\n", "", {}, "no lock guards"),
        (ASYNC + "        x = §1self.db.get(k)\n        §2if await ask(): return\n        §self.put(k, x)\n", "", {}, "no lock guards"),
        (ASYNC + "        x = §1self.db.get(k)\n        §2await ask()\n        await §self.put(k, x)¶\n", "", {}, "~display"),
        (ASYNC + "        x = §1self.db.get(k)\n        §2k = await ask()\n        §self.put(k, x)\n", "", {}, "no lock guards"),
        (ASYNC + "        self.x = §1self.db.get(k)\n        §2await ask()\n        §self.put(self.x)\n", "", {}, "no lock guards"),
        (ASYNC + "        y = x = §1self.db.get(k)\n        §2await ask()\n        §self.put(x)\n", "", {}, "no lock guards"),
        (ASYNC + "        x = §1self.db.get(k); n = 1\n        §2await ask()\n        §self.put(x)\n", "", {}, "no lock guards"),
        # the attribute is looked at again
        (ASYNC + "        old = §1self.t\n        n = §2await ask()\n        §self.t = old + n\n", "attribute-path", {}, "~unsafe"),
        (ASYNC + "        old = §1self.t\n        n = §2await ask()\n        §self.t = old + f(n.old, old=n)\n", "attribute-path", {}, "~unsafe"),
        (ASYNC + "        old = §1self.t\n        n = §2await ask()\n        §self.t = old\n", "attribute-path", {}, "computed from the reading"),
        (ASYNC + "        old = §1self.t\n        n = §2await ask()\n        §self.t = old + old\n", "attribute-path", {}, "computed from the reading"),
        (ASYNC + "        old = §1self.t\n        n = §2await ask()\n        §self.t = self.u = old + n\n", "attribute-path", {}, "no plain assignment"),
        (ASYNC + "        self.old = §1self.t\n        n = §2await ask()\n        §self.t = old + n\n", "attribute-path", {}, "name of its own"),
        (ASYNC + "        old = b = §1self.t\n        n = §2await ask()\n        §self.t = old + n\n", "attribute-path", {}, "name of its own"),
        (ASYNC + "        old = §1self.t; b = 1\n        n = §2await ask()\n        §self.t = old + n\n", "attribute-path", {}, "name of its own"),
        (ASYNC + "        old = §1self.t\n        n = §2await ask()\n        §self.t = old + await ask()\n", "attribute-path", {}, "waits itself"),
        (ASYNC + "        old = §1self.t.pop()\n        n = §2await ask()\n        §self.t = old + n\n", "attribute-path", {}, "more than read"),
        (ASYNC + "        old = §1[x for x in self.t]\n        n = §2await ask()\n        §self.t = old + n\n", "attribute-path", {}, "more than read"),
        (ASYNC + "        old = §1self.t\n        old = §2await ask()\n        §self.t = old + n\n", "attribute-path", {}, "changed in between"),
        (ASYNC + "        old = §1self.t[k]\n        k = §2await ask()\n        §self.t = old + n\n", "attribute-path", {}, "changed in between"),
        (ASYNC + "        old = §1self.t\n        n = §2await ask()\n        §self.t.append(old)\n", "attribute-path", {}, "no plain assignment"),
        # what is awaited comes first
        (ASYNC + "        §§1self.t += §2await ask()\n", "attribute-path", {}, "~safe"),
        (ASYNC + "        §§1self.t += §2await ask(); n()\n", "attribute-path", {}, "only a part of what is added"),
        (ASYNC + "        §§1self.t += 1 + §2await ask()\n", "attribute-path", {}, "only a part of what is added"),
        (ASYNC + "        §§1self.t[k] += §2await ask()\n", "attribute-path", {}, "another place after the wait"),
        (ASYNC + "        §§1t[k] += §2await ask()\n", "attribute-path", {}, "another place after the wait"),
        (ASYNC + "        §§1self.a.t += §2await ask()\n", "attribute-path", {}, "another place after the wait"),
        (ASYNC + "        change = addition = added_value = 1\n        §§1self.t += §2await ask()\n", "attribute-path", {}, "no name is free"),
        # the first entry stands
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        §self.c[k] = c\n", "get-or-create", {"container": "builtins.dict"}, "~unsafe"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        §self.c[k] = c\n", "get-or-create", {"container": "m.Map"}, "not known well enough"),
        (ASYNC + "        c = §1self.c.get(k)\n        §2await make()\n        §self.c[k] = Made()\n", "get-or-create", {"container": "builtins.dict"}, "not known well enough"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        c.open()\n        §self.c[k] = c\n", "get-or-create", {"container": "builtins.dict"}, "worked with before"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        c.open()\n        §self.c[k] = c\n        c = n\n", "get-or-create", {"container": "builtins.dict"}, "worked with before"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        n.c = n(c=n)\n        §self.c[k] = c\n", "get-or-create", {"container": "builtins.dict"}, "~unsafe"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        §self.c[k] = n.c = c\n", "get-or-create", {"container": "builtins.dict"}, "plain assignment"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        §self.c = c\n", "get-or-create", {"container": "builtins.dict"}, "plain assignment"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        §self.c[k] = c; k()\n", "get-or-create", {"container": "builtins.dict"}, "plain assignment"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        §self.c[k:n] = c\n", "get-or-create", {"container": "builtins.dict"}, "plain assignment"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        §self.c[k, n] = c\n", "get-or-create", {"container": "builtins.dict"}, "plain assignment"),
        (ASYNC + "        c = §1self.c.get(k)\n        c = §2await make()\n        §self.c.put(k, c)\n", "get-or-create", {"container": "builtins.dict"}, "plain assignment"),
        (ASYNC + "        §1self.c.get(k)\n        §2await make()\n        c.open()\n        §self.c[k] = c\n", "get-or-create", {"container": "builtins.dict"}, "worked with before"),
        # the content is taken out
        (ASYNC + "        §2await send(§1self.b)\n        §self.b = []\n", "drained-buffer", {}, "~unsafe"),
        (ASYNC + "        §2await send(§1self.b)\n        §self.b = [1]\n", "drained-buffer", {}, "not emptied by a new list"),
        (ASYNC + "        §2await send(§1self.b)\n        §self.b = {}\n", "drained-buffer", {}, "not emptied by a new list"),
        (ASYNC + "        §2await send(§1self.b)\n        §self.b = self.c = []\n", "drained-buffer", {}, "not emptied by a new list"),
        (ASYNC + "        §2await send(§1self.b)\n        §self.b.clear()\n", "drained-buffer", {}, "not emptied by a new list"),
        (ASYNC + "        §2await send(§1self.b)\n        n()\n        §self.b = []\n", "drained-buffer", {}, "other things happen"),
        (ASYNC + "        for x in n: §2await send(§1self.b)\n        §self.b = []\n", "drained-buffer", {}, "other things happen"),
        (ASYNC + "        §2await send(§1self.b)\n        if n: §self.b = []\n", "drained-buffer", {}, "on its line"),
        (ASYNC + "        §2await send(§1self.b)  # why\n        §self.b = []\n", "drained-buffer", {}, "a comment would be lost"),
        (ASYNC + "        §2await send(§1self.b); n()\n        §self.b = []\n", "drained-buffer", {}, "other things happen"),
        (ASYNC + "        §2await send(§1self.b, self.b)\n        §self.b = []\n", "drained-buffer", {}, "not the buffer itself"),
        (ASYNC + "        §2await send(§1self.b[0])\n        §self.b = []\n", "drained-buffer", {}, "not the buffer itself"),
        (ASYNC + "        b = b_taken = taken = 1\n        §2await send(§1self.b)\n        §self.b = []\n", "drained-buffer", {}, "no name is free"),
        (ASYNC + "        §2await send(§1self.b)\n        §self.b = []; n()\n", "drained-buffer", {}, "on its line"),
        (ASYNC + "        §2await send(§1self.b,\n            n)\n        §self.b = []\n", "drained-buffer", {}, "over several lines"),
    ],
)
def test_a_reading_is_made_anew_where_nothing_hangs_on_the_old_one(source: str, kind: str, facts: dict[str, str], reason: str) -> None:
    made = answer(source, "CTX302", facts, kind, STEPS)
    if reason.startswith("~"):
        assert not isinstance(made, Refusal) and made.applicability == reason[1:], after(source, made)
    else:
        assert isinstance(made, Refusal) and reason in made.reason, after(source, made)


@pytest.mark.parametrize("steps", [("§1", "§2"), ("§1", "n.py:1:1", "§")])
def test_a_reading_of_another_file_is_left_alone(steps: tuple[str, ...]) -> None:
    made = answer(LOCKED, "CTX302", {"lock": "§3"}, "", steps)
    assert isinstance(made, Refusal) and "different files" in made.reason


@pytest.mark.parametrize(
    ("source", "kind", "facts", "expected"),
    [
        (LOCKED.replace("    x = §1a.get()\n", "    async with b:\n        x = §1a.get()\n"), "", {"lock": "§3"},
         "    async with lock:\n        async with b:\n            x = a.get()\n        await ask(x)\n        b.put(x)\n"),
        (ASYNC + "        x = §1self.db.get(key(k))¶\n        §2await ask(x)\n        §self.db.put(key(k), x)¶\n", "", {},
         "async with keyed_lock(self.db):\n"),
        (ASYNC + "        §2await send(§1self._)\n        §self._ = []\n", "drained-buffer", {}, "        _taken, self._ = self._, []\n"),
        (ASYNC + "        old = (§1self.t or 0)\n        n = §2await ask()\n        §self.t = old + n\n", "attribute-path", {},
         "        self.t = (self.t or 0) + n\n"),
    ],
)
def test_a_reading_made_anew_reads_as_written_by_hand(source: str, kind: str, facts: dict[str, str], expected: str) -> None:
    assert expected in after(source, answer(source, "CTX302", facts, kind, STEPS))
