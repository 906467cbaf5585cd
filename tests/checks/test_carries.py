"""Inverse records that say only where an edit was: reported when the place can be another one at replay, silent otherwise."""

from __future__ import annotations

import pytest

from ctxlint.checks.carries import carries
from tests.checks.asked import answers, marked

BAD = {
    "another method changes the text and records nothing": '''
        class Pad:
            def __init__(self):
                self.text = ""
                self.log = []

            def splice(self, at, n, new):
                if not 0 <= at <= len(self.text):
                    raise IndexError(at)
                old = self.text[at:at + n]
                self.log.append((at, old, len(new)))  # <-
                self.text = self.text[:at] + new + self.text[at + n:]

            def undo(self):
                at, old, n = self.log.pop()
                self.text = self.text[:at] + old + self.text[at + n:]

            def header(self, line):
                self.text = line + self.text
        ''',
    "a position that is negative": '''
        class Steps:
            def __init__(self):
                self.items = []
                self.done = []

            def put(self, i, x):
                if i > len(self.items):
                    raise IndexError(i)
                self.items.insert(i, x)
                self.done.append({"op": "put", "at": i})  # <-

            def cut(self, i):
                if not 0 <= i < len(self.items):
                    raise IndexError(i)
                x = self.items.pop(i)
                self.done.append({"op": "cut", "at": i, "was": x})

            def back(self):
                rec = self.done.pop()
                if rec["op"] == "put":
                    del self.items[rec["at"]]
                else:
                    self.items.insert(rec["at"], rec["was"])
        ''',
    "a position past the end is clamped": '''
        from dataclasses import dataclass

        @dataclass
        class Put:
            at: int
            x: str

        class Steps:
            def __init__(self):
                self.items: list[str] = []
                self.done: list[Put] = []

            def put(self, i: int, x: str) -> None:
                if i < 0:
                    raise IndexError(i)
                self.items.insert(i, x)
                self.done.append(Put(i, x))  # <-

            def back(self) -> None:
                put = self.done.pop()
                del self.items[put.at]
        ''',
    "the replay removes as much as the old text was long": '''
        class Pad:
            def __init__(self):
                self.text = ""
                self.log = []

            def swap(self, anchor, new):
                at = self.text.index(anchor)
                old = self.text[at:at + len(anchor)]
                self.text = self.text[:at] + new + self.text[at + len(anchor):]
                self.log.append((at, old))  # <-

            def undo(self):
                at, old = self.log.pop()
                self.text = self.text[:at] + old + self.text[at + len(old):]
        ''',
    "a count from the tail while another method appends": '''
        class Talk:
            def __init__(self):
                self.turns = []
                self.marks = []

            def add(self, many):
                self.turns.extend(many)
                self.marks.append(len(many))  # <-

            def note(self, one):
                self.turns.append(one)

            def back(self):
                n = self.marks.pop()
                for _ in range(n):
                    self.turns.pop()
        ''',
    "entries that are left out are counted": '''
        class Talk:
            def __init__(self):
                self.turns = []
                self.marks = []

            def add(self, many):
                for one in many:
                    if not one:
                        continue
                    self.turns.append(one)
                self.marks.append(len(many))  # <-

            def back(self):
                n = self.marks.pop()
                for _ in range(n):
                    self.turns.pop()
        ''',
    "any record can be undone": '''
        class Pad:
            def __init__(self):
                self.lines = []
                self.log = []

            def put(self, text):
                at = self.lines.index("--")
                self.lines.insert(at, text)
                self.log.append(at)  # <-

            def undo(self, number):
                at = self.log.pop(number)
                del self.lines[at]
        ''',
    "lines of a file that others edit": '''
        from pathlib import Path

        class Notes:
            def __init__(self, path: Path):
                self.path = path
                self.log = []

            def put(self, text):
                lines = self.path.read_text().splitlines()
                at = lines.index("--")
                lines.insert(at, text)
                self.log.append(at)  # <-
                self.path.write_text("\\n".join(lines))

            def undo(self):
                at = self.log.pop()
                lines = self.path.read_text().splitlines()
                del lines[at]
                self.path.write_text("\\n".join(lines))
        ''',
    "variables of an enclosing function": '''
        def editor():
            lines = []
            log = []

            def put(i, text):
                lines.insert(i, text)
                log.append(i)  # <-

            def back():
                del lines[log.pop()]

            return put, back
        ''',
    "a helper records, a helper edits": '''
        class Pad:
            def __init__(self):
                self.text = ""
                self.log = []

            def _remember(self, at, n, old):
                self.log.append((at, n, old))

            def _set(self, at, n, new):
                self.text = self.text[:at] + new + self.text[at + n:]

            def replace(self, at, n, new):
                self._remember(at, len(new), self.text[at:at + n])  # <-
                self._set(at, n, new)

            def undo(self):
                at, n, old = self.log.pop()
                self._set(at, n, old)
        ''',
    "moved back the way it was moved": '''
        class Deck:
            def __init__(self):
                self.cards = []
                self.log = []

            def move(self, a, b):
                if not (0 <= a < len(self.cards) and 0 <= b < len(self.cards)):
                    raise IndexError
                card = self.cards.pop(a)
                self.cards.insert(b, card)
                self.log.append((a, b))  # <-

            def undo(self):
                a, b = self.log.pop()
                card = self.cards.pop(a)
                self.cards.insert(b, card)
        ''',
    "stack object": '''
        class Stack:
            def __init__(self): self._entries = []
            def push(self, e): self._entries.append(e)
            def pop(self): return self._entries.pop()
        class Doc:
            def __init__(self, undo: Stack):
                self.lines = []
                self.undo = undo
            def add(self, where, text):
                where = max(0, min(where, len(self.lines)))
                self.lines.insert(where, text)
                self.undo.push(("ins", where))  # <-
            def drop_blank(self):
                self.lines = [l for l in self.lines if l]
            def revert(self):
                kind, where = self.undo.pop()
                if kind == "ins":
                    self.lines.pop(where)
        ''',
    "command object": '''
        class Insert:
            def __init__(self, doc, at, text):
                self.doc = doc
                self.at = at
                self.text = text
            def do(self):
                t = self.doc.text
                self.doc.text = t[:self.at] + self.text + t[self.at:]
            def undo(self):
                t = self.doc.text
                self.doc.text = t[:self.at] + t[self.at + len(self.text):]
        class Doc:
            def __init__(self):
                self.text = ""
                self.done = []
            def insert(self, at, text):
                cmd = Insert(self, at, text)  # <-
                cmd.do()
                self.done.append(cmd)
            def undo(self):
                self.done.pop().undo()
            def tidy(self):
                self.text = self.text.strip()
        ''',
    "closure": '''
        class Doc:
            def __init__(self):
                self.items = []
                self.done = []
            def insert(self, at, x):
                self.items.insert(at, x)
                self.done.append(lambda: self.items.pop(at))  # <-
            def undo(self):
                self.done.pop()()
        ''',
    "partial": '''
        from functools import partial
        class Doc:
            def __init__(self):
                self.items = []
                self.done = []
            def insert(self, at, x):
                self.items.insert(at, x)
                self.done.append(partial(self.items.pop, at))  # <-
            def undo(self):
                self.done.pop()()
        ''',
    "dict state function style": '''
        def put(state, at, x):
            state["rows"].insert(at, x)
            state["undo"].append({"at": at})  # <-
        def back(state):
            rec = state["undo"].pop()
            del state["rows"][rec["at"]]
        ''',
    "params": '''
        def put(rows, undo, at, x):
            rows.insert(at, x)
            undo.append(at)  # <-
        def back(rows, undo):
            del rows[undo.pop()]
        ''',
    "module globals": '''
        ROWS = []
        UNDO = []
        def put(at, x):
            ROWS.insert(at, x)
            UNDO.append(at)  # <-
        def back():
            del ROWS[UNDO.pop()]
        ''',
    "namedtuple, match": '''
        from collections import namedtuple, deque
        Put = namedtuple("Put", "at x")
        class D:
            def __init__(self):
                self.rows = []
                self.undo = deque()
            def put(self, at, x):
                self.rows.insert(at, x)
                self.undo.append(Put(at, x))  # <-
            def back(self):
                match self.undo.pop():
                    case Put(at=at):
                        del self.rows[at]
        ''',
    "journal on disk": '''
        import json
        from pathlib import Path
        class D:
            def __init__(self, path: Path):
                self.rows = []
                self.path = path
            def put(self, at, x):
                with open(self.path, "a") as f:
                    f.write(json.dumps({"at": at}) + "\\n")  # <-
                self.rows.insert(at, x)
            def back(self):
                lines = self.path.read_text().splitlines()
                rec = json.loads(lines[-1])
                del self.rows[rec["at"]]
                self.path.write_text("\\n".join(lines[:-1]))
        ''',
    "seek": '''
        class F:
            def __init__(self, path):
                self.path = path
                self.undo = []
            def patch(self, at, data):
                with open(self.path, "r+b") as f:
                    f.seek(at)
                    old = f.read(len(data))
                    self.undo.append((at, old))  # <-
                    f.seek(at)
                    f.write(data)
            def back(self):
                at, old = self.undo.pop()
                with open(self.path, "r+b") as f:
                    f.seek(at)
                    f.write(old)
        ''',
    "truncate mark": '''
        class C:
            def __init__(self):
                self.msgs = []
                self.marks = []
            def mark(self):
                self.marks.append(len(self.msgs))  # <-
            def say(self, m):
                self.msgs.append(m)
            def shrink(self):
                self.msgs = self.msgs[-10:]
            def rollback(self):
                self.msgs = self.msgs[:self.marks.pop()]
        ''',
    "best effort": '''
        class Pad:
            def __init__(self, log):
                self.text = ""
                self.records = []
            def splice(self, at, n, new):
                if at < 0 or at > len(self.text):
                    raise ValueError
                old = self.text[at:at + n]
                self.text = self.text[:at] + new + self.text[at + n:]
                if len(self.records) < 100:
                    self.records.append((at, old, len(new)))  # <-
            def undo(self):
                at, old, n = self.records.pop()
                self.text = self.text[:at] + old + self.text[at + n:]
        ''',
    "swallowed": '''
        class Pad:
            def __init__(self, log):
                self.text = ""
                self.records = []
                self.check = log
            def splice(self, at, n, new):
                if at < 0 or at > len(self.text):
                    raise ValueError
                old = self.text[at:at + n]
                self.text = self.text[:at] + new + self.text[at + n:]
                try:
                    self.check.room()
                    self.records.append((at, old, len(new)))  # <-
                except MemoryError:
                    pass
            def undo(self):
                at, old, n = self.records.pop()
                self.text = self.text[:at] + old + self.text[at + n:]
        ''',
    "undo to an id, forward loop": '''
        from dataclasses import dataclass
        @dataclass
        class E:
            id: str
            at: int
            old: str
            n: int
        class Pad:
            def __init__(self):
                self.text = ""
                self.log: list[E] = []
            def sub(self, id, pattern, new):
                at = self.text.index(pattern)
                self.log.append(E(id, at, pattern, len(new)))  # <-
                self.text = self.text[:at] + new + self.text[at + len(pattern):]
            def revert(self, id):
                for e in self.log:
                    if e.id == id:
                        self.text = self.text[:e.at] + e.old + self.text[e.at + e.n:]
                        self.log.remove(e)
                        return
        ''',
    "undo all oldest first": '''
        class Pad:
            def __init__(self):
                self.text = ""
                self.log = []
            def sub(self, pattern, new):
                at = self.text.index(pattern)
                self.log.append((at, pattern, len(new)))  # <-
                self.text = self.text[:at] + new + self.text[at + len(pattern):]
            def abort(self):
                for at, old, n in self.log:
                    self.text = self.text[:at] + old + self.text[at + n:]
                self.log = []
        ''',
    "bytearray": '''
        class M:
            def __init__(self):
                self.buf = bytearray()
                self.u: list[tuple[int, bytes, int]] = []
            def w(self, p, b):
                old = bytes(self.buf[p:p+len(b)])
                self.buf[p:p+len(b)] = b
                self.u.append((p, old, len(b)))  # <-
            def z(self):
                p, old, n = self.u.pop()
                self.buf[p:p+n] = old
        ''',
    "other class bypasses": '''
        class Doc:
            def __init__(self):
                self.lines: list[str] = []
                self.undo: list[int] = []
            def find_put(self, text):
                at = self.lines.index("x")
                self.lines.insert(at, text)
                self.undo.append(at)  # <-
            def back(self):
                del self.lines[self.undo.pop()]
        class Tool:
            def __init__(self, doc: Doc): self.doc = doc
            def run(self):
                self.doc.lines.insert(0, "# banner")
        ''',
    "wrong end": '''
        class Q:
            def __init__(self):
                self.items = []
                self.log = []
            def front(self, x):
                self.items.insert(0, x)
                self.log.append(("front", 1))  # <-
            def undo(self):
                kind, n = self.log.pop()
                del self.items[-n:]
        ''',
    "break early": '''
        class T:
            def __init__(self):
                self.turns = []
                self.log = []
            def add(self, many):
                for m in many:
                    if len(self.turns) >= 100:
                        break
                    self.turns.append(m)
                self.log.append(("add", len(many)))  # <-
            def undo(self):
                op, n = self.log.pop()
                del self.turns[len(self.turns) - n:]
        ''',
}

GOOD = {
    "the replay compares what lies there": '''
        class Pad:
            def __init__(self):
                self.text = ""
                self.log = []

            def splice(self, at, n, new):
                old = self.text[at:at + n]
                self.log.append((at, old, new))
                self.text = self.text[:at] + new + self.text[at + n:]

            def undo(self):
                at, old, new = self.log[-1]
                if self.text[at:at + len(new)] != new:
                    raise ValueError("moved")
                self.log.pop()
                self.text = self.text[:at] + old + self.text[at + len(new):]

            def header(self, line):
                self.text = line + self.text
        ''',
    "all mutators record, the position is checked, the last goes first": '''
        class Steps:
            def __init__(self):
                self.items = []
                self.done = []

            def put(self, i, x):
                if i < 0 or i > len(self.items):
                    raise IndexError(i)
                self.items.insert(i, x)
                self.done.append({"op": "put", "at": i})

            def cut(self, i):
                if not 0 <= i < len(self.items):
                    raise IndexError(i)
                x = self.items.pop(i)
                self.done.append({"op": "cut", "at": i, "was": x})

            def back(self):
                rec = self.done.pop()
                if rec["op"] == "put":
                    del self.items[rec["at"]]
                else:
                    self.items.insert(rec["at"], rec["was"])
        ''',
    "the position is clamped first": '''
        class Steps:
            def __init__(self):
                self.items = []
                self.done = []

            def put(self, i, x):
                i = max(0, min(i, len(self.items)))
                self.items.insert(i, x)
                self.done.append(i)

            def back(self):
                del self.items[self.done.pop()]
        ''',
    "the whole value is put back": '''
        class Pad:
            def __init__(self):
                self.text = ""
                self.log = []

            def splice(self, at, n, new):
                self.log.append((at, self.text))
                self.text = self.text[:at] + new + self.text[at + n:]

            def undo(self):
                at, self.text = self.log.pop()
        ''',
    "what bypasses the log forgets it": '''
        class Pad:
            def __init__(self):
                self.lines = []
                self.log = []

            def put(self, text):
                at = self.lines.index("--")
                self.lines.insert(at, text)
                self.log.append(at)

            def load(self, lines):
                self.lines = list(lines)
                self.log.clear()

            def undo(self):
                del self.lines[self.log.pop()]
        ''',
    "the place is searched for": '''
        class Pad:
            def __init__(self):
                self.text = ""
                self.log = []

            def swap(self, old, new):
                at = self.text.index(old)
                self.text = self.text[:at] + new + self.text[at + len(old):]
                self.log.append((at, old, new))

            def undo(self):
                at, old, new = self.log.pop()
                here = self.text.find(new, at)
                if here < 0:
                    raise ValueError
                self.text = self.text[:here] + old + self.text[here + len(new):]

            def strip(self):
                self.text = self.text.strip()
        ''',
    "a log that rebuilds and does not undo": '''
        class Pad:
            def __init__(self):
                self.text = ""
                self.base = ""
                self.log = []

            def splice(self, at, new):
                self.log.append((at, new))
                self.text = self.text[:at] + new + self.text[at:]

            def rebuild(self):
                self.text = self.base
                for at, new in self.log:
                    self.text = self.text[:at] + new + self.text[at:]
        ''',
    "a history of places that nobody edits by": '''
        class View:
            def __init__(self):
                self.lines = []
                self.seen = []

            def put(self, i, text):
                self.lines.insert(i, text)
                self.seen.append(i)

            def where(self):
                return self.lines[self.seen[-1]]
        ''',
    "moved back the other way": '''
        class Deck:
            def __init__(self):
                self.cards = []
                self.log = []

            def move(self, a, b):
                if not (0 <= a < len(self.cards) and 0 <= b < len(self.cards)):
                    raise IndexError
                card = self.cards.pop(a)
                self.cards.insert(b, card)
                self.log.append((a, b))

            def undo(self):
                a, b = self.log.pop()
                card = self.cards.pop(b)
                self.cards.insert(a, card)
        ''',
    "only what was added is counted": '''
        class Talk:
            def __init__(self):
                self.turns = []
                self.marks = []

            def add(self, many):
                n = 0
                for one in many:
                    if not one:
                        continue
                    self.turns.append(one)
                    n += 1
                self.marks.append(n)

            def back(self):
                n = self.marks.pop()
                for _ in range(n):
                    self.turns.pop()
        ''',
    "stack object": '''
        class Stack:
            def __init__(self): self._entries = []
            def push(self, e): self._entries.append(e)
            def pop(self): return self._entries.pop()
            def clear(self): self._entries.clear()
        class Doc:
            def __init__(self, undo: Stack):
                self.lines = []
                self.undo = undo
            def add(self, where, text):
                where = max(0, min(where, len(self.lines)))
                self.lines.insert(where, text)
                self.undo.push(("ins", where))
            def drop_blank(self):
                self.lines = [l for l in self.lines if l]
                self.undo.clear()
            def revert(self):
                kind, where = self.undo.pop()
                if kind == "ins":
                    self.lines.pop(where)
        ''',
    "command object": '''
        class Insert:
            def __init__(self, doc, at, text):
                self.doc = doc
                self.at = at
                self.text = text
            def do(self):
                t = self.doc.text
                self.doc.text = t[:self.at] + self.text + t[self.at:]
            def undo(self):
                t = self.doc.text
                if t[self.at:self.at + len(self.text)] != self.text:
                    raise RuntimeError
                self.doc.text = t[:self.at] + t[self.at + len(self.text):]
        class Doc:
            def __init__(self):
                self.text = ""
                self.done = []
            def insert(self, at, text):
                cmd = Insert(self, at, text)
                cmd.do()
                self.done.append(cmd)
            def undo(self):
                self.done.pop().undo()
            def tidy(self):
                self.text = self.text.strip()
        ''',
    "command object, checked and logged": '''
        class Insert:
            def __init__(self, doc, at, text):
                self.doc = doc
                self.at = at
                self.text = text
            def do(self):
                t = self.doc.text
                self.doc.text = t[:self.at] + self.text + t[self.at:]
            def undo(self):
                t = self.doc.text
                self.doc.text = t[:self.at] + t[self.at + len(self.text):]
        class Doc:
            def __init__(self):
                self.text = ""
                self.done = []
            def insert(self, at, text):
                if not 0 <= at <= len(self.text):
                    raise IndexError
                cmd = Insert(self, at, text)
                cmd.do()
                self.done.append(cmd)
            def undo(self):
                self.done.pop().undo()
        ''',
    "closure checks": '''
        class Doc:
            def __init__(self):
                self.items = []
                self.done = []
            def insert(self, at, x):
                self.items.insert(at, x)
                def back():
                    if self.items[at] is not x:
                        raise RuntimeError
                    self.items.pop(at)
                self.done.append(back)
            def undo(self):
                self.done.pop()()
        ''',
    "closure bounded": '''
        class Doc:
            def __init__(self):
                self.items = []
                self.done = []
            def insert(self, at, x):
                at = min(max(at, 0), len(self.items))
                self.items.insert(at, x)
                self.done.append(lambda: self.items.pop(at))
            def undo(self):
                self.done.pop()()
        ''',
    "dict state digest": '''
        import hashlib
        def digest(rows): return hashlib.sha256(repr(rows).encode()).hexdigest()
        def put(state, at, x):
            state["rows"].insert(at, x)
            state["undo"].append({"at": at, "digest": digest(state["rows"])})
        def back(state):
            rec = state["undo"][-1]
            if digest(state["rows"]) != rec["digest"]:
                raise ValueError
            state["undo"].pop()
            del state["rows"][rec["at"]]
        ''',
    "params by id": '''
        def put(rows, undo, at, x):
            rows.insert(at, x)
            undo.append((at, x["id"]))
        def back(rows, undo):
            at, id = undo.pop()
            if not (0 <= at < len(rows)) or rows[at]["id"] != id:
                at = next(i for i, r in enumerate(rows) if r["id"] == id)
            del rows[at]
        ''',
    "params by id only": '''
        def put(rows, undo, at, x):
            rows.insert(at, x)
            undo.append(x["id"])
        def back(rows, undo):
            id = undo.pop()
            rows[:] = [r for r in rows if r["id"] != id]
        ''',
    "helper check before": '''
        ROWS = []
        UNDO = []
        def _check(at):
            if at < 0 or at > len(ROWS):
                raise IndexError(at)
        def put(at, x):
            _check(at)
            ROWS.insert(at, x)
            UNDO.append(at)
        def back():
            del ROWS[UNDO.pop()]
        ''',
    "journal on disk, verified": '''
        import json
        from pathlib import Path
        class D:
            def __init__(self, path: Path):
                self.rows = []
                self.path = path
            def put(self, at, x):
                with open(self.path, "a") as f:
                    f.write(json.dumps({"at": at, "x": x}) + "\\n")
                self.rows.insert(at, x)
            def back(self):
                lines = self.path.read_text().splitlines()
                rec = json.loads(lines[-1])
                if self.rows[rec["at"]] != rec["x"]:
                    raise RuntimeError
                del self.rows[rec["at"]]
                self.path.write_text("\\n".join(lines[:-1]))
        ''',
    "seek, verified": '''
        class F:
            def __init__(self, path):
                self.path = path
                self.undo = []
            def patch(self, at, data):
                with open(self.path, "r+b") as f:
                    f.seek(at)
                    old = f.read(len(data))
                    self.undo.append((at, old, data))
                    f.seek(at)
                    f.write(data)
            def back(self):
                at, old, data = self.undo.pop()
                with open(self.path, "r+b") as f:
                    f.seek(at)
                    if f.read(len(data)) != data:
                        raise RuntimeError("changed")
                    f.seek(at)
                    f.write(old)
        ''',
    "mark, others only append": '''
        class C:
            def __init__(self):
                self.msgs = []
                self.marks = []
            def mark(self):
                self.marks.append(len(self.msgs))
            def say(self, m):
                self.msgs.append(m)
            def rollback(self):
                self.msgs = self.msgs[:self.marks.pop()]
        ''',
    "refuses when log full": '''
        class Pad:
            def __init__(self, log):
                self.text = ""
                self.records = []
            def splice(self, at, n, new):
                if at < 0 or at > len(self.text):
                    raise ValueError
                if len(self.records) >= 100:
                    raise MemoryError
                old = self.text[at:at + n]
                self.records.append((at, old, len(new)))
                self.text = self.text[:at] + new + self.text[at + n:]
            def undo(self):
                at, old, n = self.records.pop()
                self.text = self.text[:at] + old + self.text[at + n:]
        ''',
    "revert by id replays later ones": '''
        class Pad:
            def __init__(self):
                self.text = ""
                self.log = []
            def sub(self, pattern, new):
                at = self.text.index(pattern)
                self.log.append((at, pattern, len(new)))
                self.text = self.text[:at] + new + self.text[at + len(pattern):]
            def abort(self):
                for at, old, n in reversed(self.log):
                    self.text = self.text[:at] + old + self.text[at + n:]
                self.log = []
            def abort2(self):
                while self.log:
                    at, old, n = self.log.pop()
                    self.text = self.text[:at] + old + self.text[at + n:]
        ''',
    "bytearray": '''
        class M:
            def __init__(self):
                self.buf = bytearray()
                self.u: list[tuple[int, bytes, int]] = []
            def w(self, p, b):
                if p < 0 or p > len(self.buf):
                    raise ValueError(p)
                old = bytes(self.buf[p:p+len(b)])
                self.buf[p:p+len(b)] = b
                self.u.append((p, old, len(b)))
            def z(self):
                p, old, n = self.u.pop()
                self.buf[p:p+n] = old
        ''',
    "right end": '''
        class Q:
            def __init__(self):
                self.items = []
                self.log = []
            def front(self, x):
                self.items.insert(0, x)
                self.log.append(("front", 1))
            def back(self, x):
                self.items.append(x)
                self.log.append(("back", 1))
            def undo(self):
                kind, n = self.log.pop()
                if kind == "front":
                    del self.items[:n]
                else:
                    del self.items[-n:]
        ''',
    "snapshot": '''
        class T:
            def __init__(self):
                self.turns = []
                self.log = []
            def insert(self, at, x):
                self.log.append(list(self.turns))
                self.turns.insert(at, x)
            def other(self):
                self.turns.reverse()
            def undo(self):
                self.turns = self.log.pop()
        ''',
    "store by index": '''
        class T:
            def __init__(self):
                self.cells = [0] * 9
                self.log = []
            def set(self, i, v):
                self.log.append((i, self.cells[i]))
                self.cells[i] = v
            def undo(self):
                i, v = self.log.pop()
                self.cells[i] = v
        ''',
    "dict keys": '''
        class T:
            def __init__(self):
                self.env = {}
                self.log = []
            def set(self, k, v):
                self.log.append((k, self.env.get(k)))
                self.env[k] = v
            def drop(self, k):
                del self.env[k]
            def undo(self):
                k, v = self.log.pop()
                self.env[k] = v
        ''',
    "revision guard": '''
        class T:
            def __init__(self):
                self.rows = []
                self.rev = 0
                self.log = []
            def put(self, x):
                at = self.rows.index("--")
                self.rows.insert(at, x)
                self.rev += 1
                self.log.append((at, self.rev))
            def shuffle(self):
                self.rows.sort()
                self.rev += 1
            def undo(self):
                at, rev = self.log[-1]
                if rev != self.rev:
                    raise RuntimeError("moved")
                self.log.pop()
                del self.rows[at]
                self.rev -= 1
        ''',
    "overlap guard with selective undo": '''
        class T:
            def __init__(self):
                self.text = ""
                self.log = {}
            def put(self, key, at, new):
                if not 0 <= at <= len(self.text) - len(new):
                    raise IndexError
                for a, old in self.log.values():
                    if at < a + len(old) and a < at + len(new):
                        raise ValueError("overlaps an edit that can still be undone")
                old = self.text[at:at + len(new)]
                self.log[key] = (at, old)
                self.text = self.text[:at] + new + self.text[at + len(new):]
            def undo(self, key):
                at, old = self.log.pop(key)
                self.text = self.text[:at] + old + self.text[at + len(old):]
        ''',
}


@pytest.mark.parametrize("source", BAD.values(), ids=BAD.keys())
def test_the_record_is_reported(source: str) -> None:
    assert [line for line, _ in answers(carries, m=source)] == marked(source)


@pytest.mark.parametrize("source", GOOD.values(), ids=GOOD.keys())
def test_nothing_is_reported(source: str) -> None:
    assert answers(carries, m=source) == []
