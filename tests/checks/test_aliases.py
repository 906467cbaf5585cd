"""Recorded images: reported when they share structure with the live cell where it is changed in place."""

from __future__ import annotations

import pytest

from ctxlint.checks.aliases import aliases
from tests.checks.asked import analysis, answers, marked

BAD = {
    "alias pushed": '''
        class A:
            def __init__(self):
                self.items: list[str] = []
                self.undo = []
            def mark(self):
                self.undo.append(self.items)  # <-
            def add(self, x):
                self.items.append(x)
            def back(self):
                self.items = self.undo.pop()
        ''',
    "shallow of nested": '''
        class A:
            def __init__(self):
                self.blocks: dict[str, list[str]] = {}
                self.saved = {}
            def save(self, n):
                self.saved[n] = dict(self.blocks)  # <-
            def add(self, k, x):
                self.blocks[k].append(x)
            def load(self, n):
                self.blocks = {k: list(v) for k, v in self.saved[n].items()}
        ''',
    "elements changed through a loop": '''
        class A:
            def __init__(self):
                self.messages: list[dict] = []
                self.before = None
            def begin(self):
                self.before = list(self.messages)  # <-
            def redact(self):
                for m in self.messages:
                    m["text"] = ""
            def abort(self):
                self.messages = self.before
                self.before = None
        ''',
    "restore side": '''
        import copy
        class A:
            def __init__(self):
                self.state: dict = {}
                self.points: list[dict] = []
            def checkpoint(self):
                self.points.append(copy.deepcopy(self.state))
            def put(self, k, v):
                self.state[k] = v
            def rewind(self, i):
                self.state = self.points[i]  # <-
        ''',
    "snapshot object": '''
        from dataclasses import dataclass
        @dataclass
        class Snap:
            plan: list[str]
            notes: dict[str, str]
        class A:
            def __init__(self):
                self.plan: list[str] = []
                self.notes: dict[str, str] = {}
                self.snaps: list[Snap] = []
            def snap(self):
                self.snaps.append(Snap(self.plan, dict(self.notes)))  # <-
            def step(self, s):
                self.plan.append(s)
                self.notes[s] = ""
            def back(self):
                s = self.snaps.pop()
                self.plan = s.plan
                self.notes = s.notes
        ''',
    "helper builds the record": '''
        class A:
            def __init__(self):
                self.vars: dict[str, list] = {}
                self.stack = []
            def _image(self):
                return {"vars": self.vars.copy()}  # <-
            def push(self):
                self.stack.append(self._image())
            def extend(self, k, x):
                self.vars[k].append(x)
            def pop(self):
                self.vars = self.stack.pop()["vars"]
        ''',
    "constructor keeps what it gets": '''
        class Snapshot:
            def __init__(self, queue, done):
                self.queue = queue  # <-
                self.done = list(done)
        class W:
            def __init__(self):
                self.queue: list[str] = []
                self.done: list[str] = []
                self.shots: list[Snapshot] = []
            def shot(self):
                self.shots.append(Snapshot(self.queue, self.done))
            def work(self):
                self.done.append(self.queue.pop(0))
            def resume(self, i):
                s = self.shots[i]
                self.queue = list(s.queue)
                self.done = list(s.done)
        ''',
    "handed to a task": '''
        import asyncio
        import json
        class A:
            def __init__(self, blobs):
                self.state: dict = {}
                self.blobs = blobs
                self.tasks = []
            async def _write(self, state):
                await self.blobs.put(json.dumps(state))
            def save(self):
                self.tasks.append(asyncio.create_task(self._write(self.state)))  # <-
            def put(self, k, v):
                self.state[k] = v
        ''',
    "a copy in a local that is put back": '''
        async def attempt(state, act):
            before = dict(state)  # <-
            try:
                return await act(state)
            except Exception:
                state.clear()
                state.update(before)
                raise
        async def remember(state):
            state.setdefault("seen", []).append(1)
        ''',
}

GOOD = {
    "copied deep": '''
        import copy
        class A:
            def __init__(self):
                self.state: dict = {}
                self.points: list[dict] = []
            def checkpoint(self):
                self.points.append(copy.deepcopy(self.state))
            def put(self, k, v):
                self.state[k].append(v)
            def rewind(self, i):
                self.state = copy.deepcopy(self.points[i])
        ''',
    "rebound only": '''
        class A:
            def __init__(self):
                self.items: tuple = ()
                self.list: list[str] = []
                self.undo = []
            def add(self, x):
                self.undo.append(self.list)
                self.list = self.list + [x]
            def back(self):
                self.list = self.undo.pop()
        ''',
    "flat strings, one level copied": '''
        class A:
            def __init__(self):
                self.items: list[str] = []
                self.undo = []
            def mark(self):
                self.undo.append(list(self.items))
            def add(self, x):
                self.items.append(x)
            def back(self):
                self.items = self.undo.pop()
        ''',
    "restored by a copy": '''
        class A:
            def __init__(self):
                self.items: list[str] = []
                self.points = {}
            def mark(self, n):
                self.points[n] = self.items[:]
            def add(self, x):
                self.items.append(x)
            def back(self, n):
                self.items = list(self.points[n])
        ''',
    "serialised": '''
        import json
        class A:
            def __init__(self):
                self.state: dict = {}
                self.points = []
            def mark(self):
                self.points.append(json.dumps(self.state))
            def add(self, k, x):
                self.state[k].append(x)
            def back(self):
                self.state = json.loads(self.points[-1])
        ''',
    "store copies": '''
        import copy
        class Store:
            def __init__(self): self._d = {}
            def set(self, k, v): self._d[k] = copy.deepcopy(v)
            def get(self, k): return copy.deepcopy(self._d[k])
        class A:
            def __init__(self, store: Store):
                self.state: dict = {}
                self.store = store
            def mark(self):
                self.store.set("s", self.state)
            def add(self, k, x):
                self.state[k].append(x)
            def back(self):
                self.state = self.store.get("s")
        ''',
    "elements copied too": '''
        class A:
            def __init__(self):
                self.messages: list[dict] = []
                self.before = None
            def begin(self):
                self.before = [dict(m) for m in self.messages]
            def redact(self):
                for m in self.messages:
                    m["text"] = ""
            def abort(self):
                self.messages = self.before
                self.before = None
        ''',
    "identity kept only to compare": '''
        class A:
            def __init__(self):
                self.messages: list[dict] = []
                self.seen = None
            def note(self):
                self.seen = self.messages
            def add(self, m):
                self.messages.append(m)
            def same(self):
                return self.seen is self.messages
        ''',
    "text is handed to a task": '''
        import asyncio
        import json
        class A:
            def __init__(self, blobs):
                self.state: dict = {}
                self.blobs = blobs
                self.tasks = []
            async def _write(self, text):
                await self.blobs.put(text)
            def save(self):
                self.tasks.append(asyncio.create_task(self._write(json.dumps(self.state))))
            def put(self, k, v):
                self.state[k] = v
        ''',
}


@pytest.mark.parametrize("source", BAD.values(), ids=BAD.keys())
def test_the_image_is_reported(source: str) -> None:
    assert sorted({line for line, _ in answers(aliases, m=source)}) == marked(source)


@pytest.mark.parametrize("source", GOOD.values(), ids=GOOD.keys())
def test_nothing_is_reported(source: str) -> None:
    assert answers(aliases, m=source) == []


UNSURE = {
    "what was left out is the next state": '''
        async def tidy(messages, ask):
            kept = [m for m in messages if m["text"]]
            if await ask(kept):
                messages[:] = kept
        async def mark(messages):
            messages[0]["seen"] = True
        ''',
    "the same attribute of another object": '''
        class Memo:
            def __init__(self, before: "Memo"):
                self.known: dict = {}
                self._before = before.known
            def take(self, k):
                self.known[k] = self._before[k]
            def put(self, k, v):
                self.known[k] = v
        ''',
}


@pytest.mark.parametrize("name", UNSURE)
def test_copies_that_are_as_often_no_record_are_not_sure(name: str) -> None:
    found = list(aliases(analysis(m=UNSURE[name])))
    assert found and {each.confidence for each in found} == {"low"}
