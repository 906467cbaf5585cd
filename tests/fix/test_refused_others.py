"""Each condition under which a failure is not let out, a record not moved, an image not copied and a reading not repeated."""

from __future__ import annotations

import sys

import pytest

from ctxlint.fix.rewriting import Refusal
from tests.fix.answers import after, answer

HANDLER = "def keep(log, x):\n    try:\n        log.write(x)\n    §except OSError:\n        {}\n"
START = "import asyncio\nasync def go(x, put):\n    {}\n"
WRITE = "import os\ndef put(fd, x):\n    {}\n"


@pytest.mark.parametrize(
    ("source", "kind", "facts", "reason"),
    [
        ("def f(x):\n    §x()\n", "made-up", {}, "for the author to say"),
        ("def f(x):\n    §x()\n", "swallowed", {}, "ends in a decorator"),
        ("from contextlib import suppress\ndef f(x):\n    with §suppress(OSError), x: x()\n", "swallowed", {"handler": "§"}, "holds other things"),
        ("from contextlib import suppress\ndef f(x):\n    with §suppress(OSError):\n        x('''\n''')\n", "swallowed", {"handler": "§"}, "several lines would change"),
        pytest.param(
            "def f(x):\n    try: x()\n    §except* OSError: pass\n", "swallowed", {"handler": "§"}, "holds other things",
            marks=pytest.mark.skipif(sys.version_info < (3, 11), reason="syntax of 3.11"),
        ),
        ("def f(x):\n    try: x()\n    §except OSError: pass\n", "swallowed", {"handler": "§"}, "behind its colon"),
        ("async def f(x):\n    async with §suppress(OSError):\n        x()\n", "swallowed", {"handler": "§"}, "holds other things"),
        (HANDLER.format("if x: return\n        pass"), "swallowed", {"handler": "§"}, "in several places"),
        (HANDLER.format("return {'error': 1}"), "swallowed", {"handler": "§"}, "answers something"),
        (HANDLER.format("return x; log.tell()"), "swallowed", {"handler": "§"}, "in several places"),
        ("def f(log, xs):\n    for x in xs:\n        try:\n            log.write(x)\n        §except OSError:\n            if x: continue\n            pass\n",
         "swallowed", {"handler": "§"}, "in several places"),
        (HANDLER.format("return x"), "swallowed", {"handler": "§"}, "answers something"),
        (HANDLER.format("return x") + "    log.close()\n", "swallowed", {"handler": "§"}, "answers something"),
        (HANDLER.format("return x"), "before-image", {"handler": "§"}, "answers something"),
        (HANDLER.format("if x:\n            log.tell()"), "swallowed", {"handler": "§"}, "in several places"),
        (START.format("§asyncio.create_task()"), "fire-and-forget", {"callees": "asyncio.create_task"}, "not written out"),
        (START.format("§x"), "fire-and-forget", {"callees": "asyncio.create_task"}, "not written out"),
        (START.format("§asyncio.create_task(coro=put(x))"), "fire-and-forget", {"callees": "asyncio.create_task"}, "not written out"),
        (START.format("§asyncio.create_task(*x)"), "fire-and-forget", {"callees": "asyncio.create_task"}, "not written out"),
        (START.format("f = §x.submit(put)"), "fire-and-forget", {"callees": "concurrent.futures.Executor.submit"}, "bound to a name"),
        (START.format("§start(put(x))"), "fire-and-forget", {"callees": "other.start"}, "nothing is known"),
        (START.format("§asyncio.create_task(put(x), context=x)"), "fire-and-forget", {"callees": "asyncio.create_task"}, "an argument that"),
        (START.format("§asyncio.create_task(put(x), x)"), "fire-and-forget", {"callees": "asyncio.create_task"}, "an argument that"),
        (START.format("§asyncio.create_task(x)"), "fire-and-forget", {"callees": "asyncio.create_task"}, "no coroutine"),
        ("def f(log, x):\n    return §log.put(x)\n", "ignored-answer", {"failure": "False"}, "no statement of its own"),
        ("def f(log, x):\n    §log.put(x); x()\n", "ignored-answer", {"failure": "False"}, "no statement of its own"),
        ("def f(log, x):\n    §log.put(  # why\n        x)\n", "ignored-answer", {"failure": "False"}, "no statement of its own"),
        ("async def f(log, x):\n    await g(§log.put(x))\n", "ignored-answer", {"failure": "False"}, "no statement of its own"),
        ("def f(log, x):\n    g(§log.put(x))\n", "ignored-answer", {"failure": "False"}, "no statement of its own"),
        ("def f(log, x):\n    §log.put(x)\n", "ignored-answer", {}, "no caller shows"),
        ("def f(log, x):\n    §log.put(x)\ndef g(log, x):\n    if §1log.put(x):\n        return 1\n", "ignored-answer", {"sibling": "§1"}, "something else than a failure"),
        ("def f(log, x):\n    §log.put(x)\ndef g(log, x):\n    if not §1log.put(x):\n        x()\n", "ignored-answer", {"sibling": "§1"}, "no caller shows"),
        ("def f(log, x):\n    §log.put(x)\ndef g(log, x):\n    while not §1log.put(x):\n        return\n", "ignored-answer", {"sibling": "§1"}, "no caller shows"),
        ("def f(log, x):\n    §log.put(x)\ndef g(log, x):\n    if not log.put(x):\n        return\n", "ignored-answer", {"sibling": "n.py:4:12"}, "no caller shows"),
        *(
            (f"def f(log, x):\n    §log.put(x)\ndef g(log, x):\n    if {test}:\n        return\n", "ignored-answer", {"sibling": "§1"}, "something else than a failure")
            for test in ("§1log.put(x) == None", "§1log.put(x) is x", "-§1log.put(x)", "not -§1log.put(x)")
        ),
        ("def f(log, x):\n    §log.put(x)\ndef g(log, x):\n    if §1log.put(x) is None is x:\n        return\n", "ignored-answer", {"sibling": "§1"}, "something else than a failure"),
        (WRITE.format("x(); §os.write(fd, x)"), "short-write", {}, "no statement of its own"),
        (WRITE.format("n = §os.write(fd, x)"), "short-write", {}, "no statement of its own"),
        (WRITE.format("return §os.write(fd, x)"), "short-write", {}, "no statement of its own"),
        (WRITE.format("g(§os.write(fd, x))"), "short-write", {}, "no statement of its own"),
        (WRITE.format("§os.write(*x)"), "short-write", {}, "not written out"),
        (WRITE.format("§os.write(fd, data=x)"), "short-write", {}, "not written out"),
        (WRITE.format("§os.write()"), "short-write", {}, "not written out"),
        (WRITE.format("data = content = whole_record = 1; x()\n    §os.write(fd, g(x))"), "short-write", {}, "no name is free"),
    ],
)
def test_a_failure_is_not_let_out(source: str, kind: str, facts: dict[str, str], reason: str) -> None:
    made = answer(source, "CTX103", facts, kind)
    assert isinstance(made, Refusal) and reason in made.reason, after(source, made)


@pytest.mark.parametrize(
    ("source", "kind", "facts", "trust"),
    [
        (HANDLER.format("pass"), "swallowed", {"handler": "§", "stands": "yes"}, "unsafe"),
        (HANDLER.format("pass"), "swallowed", {"handler": "§"}, "display"),
        (HANDLER.format("return"), "swallowed", {"handler": "§", "stands": "yes"}, "unsafe"),
        (HANDLER.format("return None"), "swallowed", {"handler": "§", "stands": "yes"}, "unsafe"),
        (HANDLER.format("return True"), "swallowed", {"handler": "§", "stands": "yes"}, "unsafe"),
        (HANDLER.format("pass") + "    y = 1\n", "swallowed", {"handler": "§", "stands": "yes"}, "unsafe"),
        (HANDLER.format("pass") + "    return str(x)\n", "swallowed", {"handler": "§", "stands": "yes"}, "unsafe"),
        ("async " + HANDLER.format("pass") + "    return await x()\n", "swallowed", {"handler": "§", "stands": "yes"}, "display"),
        (HANDLER.format("pass") + "    if x: y = 1\n", "swallowed", {"handler": "§", "stands": "yes"}, "display"),
        (HANDLER.format("pass") + "    §1x.put()\n", "swallowed", {"handler": "§", "stands": "yes"}, "unsafe"),
        (HANDLER.format("pass") + "    if x: §1x.put()\n", "swallowed", {"handler": "§", "stands": "yes"}, "display"),
        ("def f(p):\n    if p.exists():\n        try:\n            §copy(p)\n        §2except OSError:\n            pass\n", "before-image", {"handler": "§2"}, "unsafe"),
        ("def f(p):\n    if p.ready():\n        try:\n            §copy(p)\n        §2except OSError:\n            pass\n", "before-image", {"handler": "§2"}, "display"),
        (HANDLER.format("print(x)"), "swallowed", {"handler": "§", "stands": "yes"}, "display"),
        (HANDLER.format("print(x)") + "    log.close()\n", "swallowed", {"handler": "§", "stands": "yes"}, "display"),
        ("def f(log, xs):\n    for x in xs:\n        try:\n            log.write(x)\n        §except OSError:\n            print(x)\n",
         "swallowed", {"handler": "§", "stands": "yes"}, "display"),
        (HANDLER.format("print(x)"), "before-image", {"handler": "§"}, "display"),
        ("from contextlib import suppress\ndef f(x):\n    with §suppress(OSError):\n        x()\n    x.close()\n",
         "swallowed", {"handler": "§", "stands": "yes"}, "display"),
        (START.format("§asyncio.create_task(put(x))"), "fire-and-forget", {"callees": "asyncio.create_task"}, "safe"),
        (START.format("§x.create_task(put(x))"), "fire-and-forget", {"callees": "asyncio.AbstractEventLoop.create_task"}, "unsafe"),
        (START.format("§x().create_task(put(x))¶"), "fire-and-forget", {"callees": "asyncio.AbstractEventLoop.create_task"}, "unsafe"),
        (START.format("§x.submit(put)"), "fire-and-forget", {"callees": "concurrent.futures.Executor.submit"}, "display"),
    ],
)
def test_a_failure_is_let_out_as_far_as_that_is_known_to_be_right(source: str, kind: str, facts: dict[str, str], trust: str) -> None:
    made = answer(source, "CTX103", facts, kind, ("§1",) if "§1" in source else ())
    assert not isinstance(made, Refusal) and made.applicability == trust


@pytest.mark.parametrize(
    ("source", "kind", "facts", "expected"),
    [
        (HANDLER.format("pass"), "swallowed", {"handler": "§"}, "def keep(log, x):\n    log.write(x)\n"),
        (HANDLER.format("x = 1\n        pass"), "swallowed", {"handler": "§"}, "        x = 1\n        raise\n"),
        (HANDLER.format("x = 1; pass"), "swallowed", {"handler": "§"}, "        x = 1; raise\n"),
        (HANDLER.format("x = 1; y = 1"), "swallowed", {"handler": "§"}, "        x = 1; y = 1\n        raise\n"),
        (HANDLER.format("pass") + "    except ValueError: x()\n", "swallowed", {"handler": "§"}, "    except OSError:\n        raise\n"),
        (HANDLER.format("pass") + "    else: x()\n", "swallowed", {"handler": "§"}, "    except OSError:\n        raise\n"),
        (HANDLER.format("pass") + "    finally: x()\n", "swallowed", {"handler": "§"}, "    except OSError:\n        raise\n"),
        ("def f(log, x):\n    §log.put(x)\ndef g(log, x):\n    if not §1log.put(x):\n        for y in x: y()\n        return\n", "ignored-answer",
         {"sibling": "§1"}, "    if not log.put(x):\n        raise OSError("),
    ],
)
def test_a_failure_is_let_out_and_the_rest_stays(source: str, kind: str, facts: dict[str, str], expected: str) -> None:
    assert expected in after(source, answer(source, "CTX103", facts, kind))


@pytest.mark.parametrize(
    ("source", "facts", "reason"),
    [
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log.write(x)\n", {}, "~unsafe"),
        ("class A:\n    def f(self, x):\n        print(self.a)\n        §self.a.append(x)\n        §1self.log.write(x)\n", {}, "~unsafe"),
        ("class A:\n    async def f(self, x):\n        §self.a.append(x)\n        §1await self.log.write(x)\n", {}, "~display"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.put(x)\n", {"record-is-left-open": "yes"}, "~display"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log[x] = x\n        x()\n", {}, "~unsafe"),
        ("class A:\n    def f(self, x):\n        b = x.items()\n        §self.a.append(x)\n        §1self.log.write(b)\n", {}, "~unsafe"),
        ("class A:\n    def f(self, x):\n        b: list\n        §self.a.append(x)\n        §1self.log.write(b)\n", {}, "~unsafe"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        x()()\n        §1self.log.write(x.y)\n", {}, "~unsafe"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        import n\n        §1self.log.write(n)\n", {}, "gives back"),
        ("class A:\n    def f(self, x):\n        y, z = §self.a.pop(), 1\n        §1self.log.write(y)\n", {}, "gives back"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        x.b[0].append(1)\n        §1self.log.write(x.b)\n", {}, "mentions what is changed"),
        ("class A:\n    def f(self, x):\n        self.b.pop(x)\n        §self.a.append(x)\n        §1self.log.write(x)\n", {}, "~unsafe"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log.write(x)\n        self.log.write('end')\n", {}, "one of several"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        put('begin')\n        §1put(x)\n", {}, "one of several"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log.write(x)\n", {"record": "other.py:1:1"}, "another file"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log.write(x)\n", {"drop": "skipped"}, "not reached on every way"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n    def g(self, x):\n        §1self.log.write(x)\n", {}, "different functions"),
        ("class A:\n    def f(self, x):\n        se§lf.a.append(x)\n        §1self.log.write(x)\n", {}, "different functions"),
        ("class A:\n    def f(self, x):\n        if x:\n            §self.a.append(x)\n        else:\n            §1self.log.write(x)\n", {}, "different blocks"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        if x:\n            §1self.log.write(x)\n", {}, "swallowed"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        with suppress(OSError):\n            §1self.log.write(x)\n", {}, "swallowed"),
        ("class A:\n    def f(self, x):\n        if x:\n            §self.a.append(x)\n        §1self.log.write(x)\n", {}, "on some ways only"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log.write(x)\n", {"record-reads-cell": "yes"}, "reads the changed state"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log.write(self.a)\n", {}, "made of the changed state"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log.write(self)\n", {}, "the object whose state"),
        ("class A:\n    def f(self, x):\n        b = self.a\n        §self.a.append(x)\n        §1self.log.write(b)\n", {}, "under another name"),
        ("class A:\n    def f(self, x):\n        b = self.a.items()\n        §self.a.append(x)\n        §1self.log.write(b)\n", {}, "under another name"),
        ("class A:\n    def f(self, x):\n        y = §self.a.pop()\n        §1self.log.write(y)\n", {}, "gives back"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        print(n)\n        n = §1self.log.write(x)\n", {}, "what the record gives back"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        x.title = 1\n        §1self.log.write(x.title)\n", {}, "mentions what is changed"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        if x: return\n        §1self.log.write(x)\n", {}, "can leave before"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x); x()\n        §1self.log.write(x)\n", {}, "share a line"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log.write(x); x()\n", {}, "share a line"),
        ("class A:\n    def f(self, x):\n        §self.a.append(x)\n        §1self.log.write(x)", {}, "without a line end"),
    ],
)
def test_a_record_moves_only_past_what_it_does_not_depend_on(source: str, facts: dict[str, str], reason: str) -> None:
    made = answer(source, "CTX101", {"record": "§1", "cell": "a", **facts})
    if reason.startswith("~"):
        assert not isinstance(made, Refusal) and made.applicability == reason[1:]
    else:
        assert isinstance(made, Refusal) and reason in made.reason, after(source, made)


@pytest.mark.parametrize(
    ("source", "facts", "reason"),
    [
        ("class A:\n    def f(self, log):\n        §self.log = self.a\n", {"type": "builtins.list"}, "~unsafe"),
        ("class A:\n    def f(self, log):\n        §self.log = self.a\n", {"type": "m.Tree"}, "~display"),
        ("class A:\n    def f(self, log):\n        §self.log = list(self.a)\n", {"type": "builtins.list", "elements": "m.Tree"}, "~display"),
        ("class A:\n    def f(self, log):\n        §self.log = list(self.a)\n", {"type": "builtins.list"}, "~display"),
        ("class A:\n    def f(self, log):\n        §self.log = list(self.a)\n", {"type": "builtins.list", "elements": "builtins.dict"}, "~unsafe"),
        ("class A:\n    def f(self, log):\n        §self.log = list(self.a)\n", {"type": "builtins.list", "elements": "builtins.str"}, "~unsafe"),
        ("class A:\n    def f(self, log):\n        §self.log = self.a\n    def g(self, b): return g() is b\n", {"type": "builtins.list"}, "~unsafe"),
        ("class A:\n    def f(self, log):\n        §self.log = list(self.a)\n", {"type": "m.Tree", "elements": "builtins.dict"}, "~display"),
        ("class A:\n    def f(self, log):\n        §self.log = g(self.a)\n", {}, "no plain name"),
        ("class A:\n    def f(self, log):\n        §self.log = list(self.a, log)\n", {}, "no plain name"),
        ("class A:\n    def f(self, log):\n        §self.log = list(a=self.a)\n", {}, "no plain name"),
        ("class A:\n    def f(self, log):\n        §self.log = self.a.get()\n", {}, "no plain name"),
        ("class A:\n    def f(self, log):\n        §self.log = self.a.copy(log)\n", {}, "no plain name"),
        ("class A:\n    def f(self, log):\n        §self.log = self.b = self.a\n", {}, "no expression of its own"),
        ("class A:\n    def f(self, log):\n        §for x in self.a: log.append(x)\n", {}, "no expression of its own"),
        ("class A:\n    def f(self, log):\n        §self.log = self.a\n    def g(self, b): return b is self.a\n", {"type": "builtins.list"}, "the very object"),
    ],
)
def test_an_image_is_copied_where_a_copy_is_as_good(source: str, facts: dict[str, str], reason: str) -> None:
    made = answer(source, "CTX204", {"levels": "1", **facts}, events=("alias", "save", "A.a"))
    if reason.startswith("~"):
        assert not isinstance(made, Refusal) and made.applicability == reason[1:]
    else:
        assert isinstance(made, Refusal) and reason in made.reason, after(source, made)


@pytest.mark.parametrize(
    ("statement", "levels", "expected"),
    [
        ("b = 1\n    §self.log = self.a\n    c = 2", "1", "self.log = copy.copy(self.a)\n"),
        ("§self.log¶ = self.a", "1", "self.log = copy.copy(self.a)\n"),
        ("log(§self.a¶)", "1", "log(copy.copy(self.a))\n"),
        ("if log: return log\n    §return self.a\n    return log", "1", "return copy.copy(self.a)\n"),
        ("§self.log = self.a.copy()", "2", "self.log = copy.deepcopy(self.a)\n"),
        ("§self.log = self.a[:]", "2", "self.log = copy.deepcopy(self.a)\n"),
        ("§self.log = self.a[1:]", "2", "self.log = copy.deepcopy(self.a[1:])\n"),
        ("§self.log = self.a[:1]", "2", "self.log = copy.deepcopy(self.a[:1])\n"),
        ("§self.log = self.a[::2]", "2", "self.log = copy.deepcopy(self.a[::2])\n"),
        ("§self.log = self.a[:, 1]", "2", "self.log = copy.deepcopy(self.a[:, 1])\n"),
    ],
)
def test_what_is_copied_is_what_hands_the_value_out(statement: str, levels: str, expected: str) -> None:
    source = f"def f(self, log):\n    {statement}\n"
    assert expected in after(source, answer(source, "CTX204", {"levels": levels}, events=("alias", "save", "A.a")))


@pytest.mark.parametrize(
    ("source", "kind", "events", "reason"),
    [
        ("def f(a, b):\n    §if a.writes & b.writes: raise X\n", "other", ("x", "C.writes", "C.reads"), "not said there"),
        ("def f(a, b):\n    §if a.writes & b.writes: raise X\n", "reads-left-out", ("x", "C.writes"), "not said there"),
        ("def f(a, b):\n    §if a.writes == b.writes: raise X\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, b):\n    §if a.writes & b.other: raise X\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, b):\n    §if a.writes.items() & b.writes.items(): raise X\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, b):\n    §if a.writes.keys(1) & b.writes.keys(1): raise X\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, b):\n    §if a.writes | b.writes: raise X\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, b):\n    §if a.writes.issubset(b.writes): raise X\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, b):\n    §if a.writes.isdisjoint(b.writes, a): raise X\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, b):\n    §if a.writes & b.writes: raise X\n", "reads-left-out", ("x", "C.writes", "C.what reads"), "no pair of sets"),
        ("def f(a, b):\n    §n = len(a.writes & b.writes)\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, b):\n    §n = a.writes & b.writes\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, bs):\n    §if a.writes & {w for b in bs for w in b.writes}: raise X\n", "reads-left-out", ("x", "C.writes", "C.reads"), "no pair of sets"),
        ("def f(a, b):\n    §if a.writes & (  # why\n        b.writes): raise X\n", "reads-left-out", ("x", "C.writes", "C.reads"), "a comment would be lost"),
    ],
)
def test_reads_are_compared_only_beside_two_sets_of_one_field(source: str, kind: str, events: tuple[str, ...], reason: str) -> None:
    made = answer(source, "CTX301", {}, kind, events=events)
    assert isinstance(made, Refusal) and reason in made.reason, after(source, made)


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("§if a.writes & b.writes: raise X", "if a.writes & b.writes or a.writes & set(b.reads) or b.writes & set(a.reads): raise X"),
        ("§n = bool(a.writes & b.writes)", "n = bool(a.writes & b.writes or a.writes & set(b.reads) or b.writes & set(a.reads))"),
        ("§if a.writes.copy() & b.writes: raise X",
         "if a.writes.copy() & b.writes or a.writes.copy() & set(b.reads) or b.writes & set(a.reads.copy()): raise X"),
        ("§if a['x']['writes'] & b['x']['writes']: raise X", "b['x']['writes'] & set(a['x']['reads'])"),
    ],
)
def test_reads_are_compared_with_writes_both_ways_round(statement: str, expected: str) -> None:
    source = f"WIDE = '{'-' * 150}'\ndef f(a, b):\n    {statement}\n"
    assert expected in after(source, answer(source, "CTX301", {}, "reads-left-out", events=("x", "C.writes", "C.reads")))
