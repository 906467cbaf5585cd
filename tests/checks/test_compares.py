"""Decisions whether two changes may both be applied: reported when only what the changes write is compared."""

from __future__ import annotations

import pytest

from ctxlint.checks.compares import compares
from tests.checks.asked import answers, marked

BAD = {
    "seed diff: drift against write set": '''
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class Snapshot:
            regions: dict[str, str]
        @dataclass(frozen=True)
        class Diff:
            read_set: frozenset[str]
            write_set: frozenset[str]
            body: dict[str, str]
        def author(base: Snapshot, wanted, produce) -> Diff:
            seen = set()
            text = ""
            for name in wanted:
                seen.add(name)
                text += base.regions[name]
            return Diff(frozenset(seen), frozenset(produce(text)), produce(text))
        def apply(base: Snapshot, live: Snapshot, diff: Diff) -> Snapshot:
            changed = {k for k in base.regions if base.regions[k] != live.regions.get(k)}
            if changed & diff.write_set:  # <-
                raise RuntimeError("conflict")
            new = dict(live.regions)
            for name in diff.write_set:
                new[name] = diff.body[name]
            return Snapshot(new)
        ''',
    "transactions, no names": '''
        class T:
            def __init__(self, s):
                self.s = s
                self.a = set()
                self.b = {}
            def get(self, k):
                self.a.add(k)
                return self.s[k]
            def put(self, k, v):
                self.b[k] = v
            def done(self):
                for k, v in self.b.items():
                    self.s[k] = v
        def together(x: T, y: T) -> bool:
            return not (x.b.keys() & y.b.keys())  # <-
        ''',
    "copy operations: source not compared": '''
        class Copy:
            def __init__(self, src, dst):
                self.src = src
                self.dst = dst
            def run(self, files):
                files[self.dst] = files[self.src]
        def conflicts(a: Copy, b: Copy):
            return a.dst == b.dst  # <-
        ''',
    "batches by claimed writes": '''
        from typing import NamedTuple
        class Step(NamedTuple):
            needs: frozenset
            makes: frozenset
            fn: object
        def run(step: Step, ctx):
            args = {k: ctx[k] for k in step.needs}
            out = step.fn(**args)
            for k in step.makes:
                ctx[k] = out[k]
        def batches(steps: list[Step]):
            out, batch, taken = [], [], set()
            for s in steps:
                if s.makes & taken:  # <-
                    out.append(batch)
                    batch, taken = [], set()
                batch.append(s)
                taken |= s.makes
            return out + [batch]
        ''',
    "validation of versions of written keys only": '''
        class Tx:
            def __init__(self, store):
                self.store = store
                self.start = dict(store.versions)
                self.reads = set()
                self.writes = {}
            def read(self, key):
                self.reads.add(key)
                return self.store.data[key]
            def write(self, key, value):
                self.writes[key] = value
            def commit(self):
                for key in self.writes:
                    if self.store.versions.get(key) != self.start.get(key):  # <-
                        raise RuntimeError("conflict")
                for key, value in self.writes.items():
                    self.store.data[key] = value
                    self.store.versions[key] = self.store.versions.get(key, 0) + 1
        ''',
    "reader admitted by or": '''
        class Call:
            def __init__(self, kind, path, text=""):
                self.kind = kind
                self.path = path
                self.text = text
        def perform(call: Call, files):
            if call.kind == "view":
                return files[call.path]
            files[call.path] = call.text
        def parallel_ok(a: Call, b: Call) -> bool:
            if a.kind == "view" or b.kind == "view":  # <-
                return True
            return a.path != b.path
        ''',
    "reader admitted one sided": '''
        class Call:
            def __init__(self, ro, path, text=""):
                self.ro = ro
                self.path = path
                self.text = text
        def perform(call: Call, files):
            if call.ro:
                return files[call.path]
            files[call.path] = call.text
        def pick(calls):
            chosen = []
            for c in calls:
                if c.ro:  # <-
                    chosen.append(c)
                elif all(c.path != d.path for d in chosen):
                    chosen.append(c)
            return chosen
        ''',
    "both must write": '''
        class Call:
            def __init__(self, mutating, path, text=""):
                self.mutating = mutating
                self.path = path
                self.text = text
        def perform(call: Call, files):
            if not call.mutating:
                return files[call.path]
            files[call.path] = call.text
        def clash(a: Call, b: Call) -> bool:
            return a.mutating and b.mutating and a.path == b.path  # <-
        ''',
    "hunks by lines; context elsewhere": '''
        from dataclasses import dataclass
        @dataclass
        class Hunk:
            start: int
            stop: int
            new: list[str]
            basis: list[int]
        def write(doc: list[str], hunk: Hunk, model):
            shown = [doc[i] for i in hunk.basis]
            doc[hunk.start:hunk.stop] = model(shown, hunk.new)
        def mergeable(a: Hunk, b: Hunk) -> bool:
            return a.stop <= b.start or b.stop <= a.start  # <-
        ''',
    "dict records": '''
        def plan(fn, state):
            seen = []
            def look(k):
                seen.append(k)
                return state[k]
            out = fn(look)
            return {"out": out, "from": seen, "to": list(out)}
        def fire(op, state):
            old = {k: state[k] for k in op["from"]}
            for k in op["to"]:
                state[k] = op["out"][k]
        def disjoint(p, q):
            return set(p["to"]).isdisjoint(q["to"])  # <-
        ''',
    "helper compares": '''
        class Job:
            def __init__(self, inputs, outputs):
                self.inputs = inputs
                self.outputs = outputs
            def go(self, cells):
                total = sum(cells[i] for i in self.inputs)
                for o in self.outputs:
                    cells[o] = total
        def _meet(a, b):
            return bool(set(a) & set(b))
        def may_interleave(left: Job, right: Job):
            if _meet(left.outputs, right.outputs):  # <-
                return False
            return True
        ''',
    "interval loop with prev": '''
        from dataclasses import dataclass
        @dataclass
        class Patch:
            begin: int
            end: int
            refs: tuple[int, ...]
            new: str
        def render(text: str, p: Patch) -> str:
            quoted = [text[r] for r in p.refs]
            return text[:p.begin] + p.new + "".join(quoted) + text[p.end:]
        def merge(text: str, patches: list[Patch]) -> str:
            ordered = sorted(patches, key=lambda p: p.begin)
            for one, two in zip(ordered, ordered[1:]):
                if two.begin < one.end:  # <-
                    raise ValueError("overlap")
            for p in reversed(ordered):
                text = render(text, p)
            return text
        ''',
    "owner map": '''
        class Op:
            def __init__(self, target, sources):
                self.target = target
                self.sources = sources
            def execute(self, mem):
                mem[self.target] = [mem[s] for s in self.sources]
        def schedule(ops: list[Op]):
            owner = {}
            now, later = [], []
            for op in ops:
                if op.target in owner:  # <-
                    later.append(op)
                else:
                    owner[op.target] = op
                    now.append(op)
            return now, later
        ''',
    "combinations, property, async gather": '''
        import asyncio
        from itertools import combinations
        class Tool:
            def __init__(self, reads, writes):
                self._r = reads
                self._w = writes
            @property
            def effects(self):
                return self._w
            async def run(self, board):
                given = {k: board[k] for k in self._r}
                for k in self._w:
                    board[k] = given
        async def turn(tools: list[Tool], board):
            if any(a.effects & b.effects for a, b in combinations(tools, 2)):  # <-
                for t in tools:
                    await t.run(board)
            else:
                await asyncio.gather(*(t.run(board) for t in tools))
        ''',
    "enum kinds": '''
        import enum
        class Kind(enum.Enum):
            READ = 1
            WRITE = 2
        class Action:
            def __init__(self, kind: Kind, key: str, value=None):
                self.kind = kind
                self.key = key
                self.value = value
        def do(action: Action, store):
            if action.kind is Kind.READ:
                return store[action.key]
            store[action.key] = action.value
        def independent(a: Action, b: Action) -> bool:
            if Kind.READ in (a.kind, b.kind):  # <-
                return True
            return a.key != b.key
        ''',
    "empty write set is admitted": '''
        class Tx:
            def __init__(self, store):
                self.store = store
                self.reads = set()
                self.writes = {}
            def get(self, k):
                self.reads.add(k)
                return self.store[k]
            def put(self, k, v):
                self.writes[k] = v
            def apply(self):
                for k, v in self.writes.items():
                    self.store[k] = v
        def can_commit(tx: Tx, others: list[Tx]) -> bool:
            for o in others:
                if tx.writes.keys() & o.writes.keys():  # <-
                    return False
            return True
        ''',
    "git like paths": '''
        from pathlib import Path
        class Edit:
            def __init__(self, target: Path, looked_at: list[Path], text: str):
                self.target = target
                self.looked_at = looked_at
                self.text = text
        def compose(edit: Edit, llm):
            context = [p.read_text() for p in edit.looked_at]
            edit.target.write_text(llm(context))
        def can_parallel(edits: list[Edit]) -> bool:
            seen = set()
            for e in edits:
                if e.target in seen:  # <-
                    return False
                seen.add(e.target)
            return True
        ''',
}

GOOD = {
    "read set compared": '''
        class T:
            def __init__(self, s):
                self.s = s
                self.a = set()
                self.b = {}
            def get(self, k):
                self.a.add(k)
                return self.s[k]
            def put(self, k, v):
                self.b[k] = v
            def done(self):
                for k, v in self.b.items():
                    self.s[k] = v
        def together(x: T, y: T) -> bool:
            return not (x.b.keys() & y.b.keys()) and x.a.isdisjoint(y.b) and y.a.isdisjoint(x.b)
        ''',
    "union touched": '''
        class Copy:
            def __init__(self, src, dst):
                self.src = src
                self.dst = dst
            def run(self, files):
                files[self.dst] = files[self.src]
            def touched(self):
                return {self.src, self.dst}
        def conflicts(a: Copy, b: Copy):
            return bool(a.touched() & b.touched())
        ''',
    "both readers only": '''
        class Call:
            def __init__(self, kind, path, text=""):
                self.kind = kind
                self.path = path
                self.text = text
        def perform(call: Call, files):
            if call.kind == "view":
                return files[call.path]
            files[call.path] = call.text
        def parallel_ok(a: Call, b: Call) -> bool:
            if a.kind == "view" and b.kind == "view":
                return True
            return a.path != b.path
        ''',
    "either writes": '''
        class Call:
            def __init__(self, mutating, path, text=""):
                self.mutating = mutating
                self.path = path
                self.text = text
        def perform(call: Call, files):
            if not call.mutating:
                return files[call.path]
            files[call.path] = call.text
        def clash(a: Call, b: Call) -> bool:
            return (a.mutating or b.mutating) and a.path == b.path
        ''',
    "seed good": '''
        from dataclasses import dataclass
        @dataclass(frozen=True)
        class Snapshot:
            regions: dict[str, str]
        @dataclass(frozen=True)
        class Diff:
            read_set: frozenset[str]
            write_set: frozenset[str]
        def apply(base: Snapshot, live: Snapshot, diff: Diff) -> Snapshot:
            drifted = {r for r in diff.read_set if base.regions.get(r) != live.regions.get(r)}
            if drifted:
                raise RuntimeError("stale")
            new = dict(live.regions)
            for name in diff.write_set:
                new[name] = name
            return Snapshot(new)
        ''',
    "validates reads in another method of the same commit": '''
        class Tx:
            def __init__(self, store):
                self.store = store
                self.start = dict(store.versions)
                self.reads = set()
                self.writes = {}
            def read(self, key):
                self.reads.add(key)
                return self.store.data[key]
            def write(self, key, value):
                self.writes[key] = value
            def _check_writes(self):
                for key in self.writes:
                    if self.store.versions.get(key) != self.start.get(key):
                        raise RuntimeError("conflict")
            def _check_reads(self):
                for key in self.reads:
                    if self.store.versions.get(key) != self.start.get(key):
                        raise RuntimeError("stale")
            def commit(self):
                self._check_reads()
                self._check_writes()
                for key, value in self.writes.items():
                    self.store.data[key] = value
        ''',
    "permission matcher": '''
        class Rule:
            def __init__(self, path, mode):
                self.path = path
                self.mode = mode
        def overlaps(a: Rule, b: Rule):
            return a.path == b.path or a.path.startswith(b.path)
        ''',
    "read modify write of the same keys only": '''
        class Inc:
            def __init__(self, keys):
                self.keys = keys
            def run(self, cells):
                for k in self.keys:
                    cells[k] = cells[k] + 1
        def clash(a: Inc, b: Inc):
            return bool(set(a.keys) & set(b.keys))
        ''',
    "blind writes": '''
        class Put:
            def __init__(self, key, value):
                self.key = key
                self.value = value
            def run(self, cells):
                cells[self.key] = self.value
        def clash(a: Put, b: Put):
            return a.key == b.key
        ''',
    "batches by everything touched": '''
        from typing import NamedTuple
        class Step(NamedTuple):
            needs: frozenset
            makes: frozenset
            fn: object
        def run(step: Step, ctx):
            args = {k: ctx[k] for k in step.needs}
            out = step.fn(**args)
            for k in step.makes:
                ctx[k] = out[k]
        def batches(steps: list[Step]):
            out, batch, taken, seen = [], [], set(), set()
            for s in steps:
                if s.makes & taken or s.makes & seen or s.needs & taken:
                    out.append(batch)
                    batch, taken, seen = [], set(), set()
                batch.append(s)
                taken |= s.makes
                seen |= s.needs
            return out + [batch]
        ''',
    "exclusive is refused": '''
        class Call:
            def __init__(self, kind, path, text=""):
                self.kind = kind
                self.path = path
                self.text = text
        def perform(call: Call, files):
            if call.kind == "view":
                return files[call.path]
            files[call.path] = call.text
        def parallel_ok(a: Call, b: Call) -> bool:
            if a.kind == "view" or b.kind == "view":
                return False
            return a.path != b.path
        ''',
}


@pytest.mark.parametrize("source", BAD.values(), ids=BAD.keys())
def test_the_comparison_is_reported(source: str) -> None:
    assert [line for line, _ in answers(compares, m=source)] == marked(source)


@pytest.mark.parametrize("source", GOOD.values(), ids=GOOD.keys())
def test_nothing_is_reported(source: str) -> None:
    assert answers(compares, m=source) == []
