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
}


@pytest.mark.parametrize("source", BAD.values(), ids=BAD.keys())
def test_the_record_is_reported(source: str) -> None:
    assert [line for line, _ in answers(carries, m=source)] == marked(source)


@pytest.mark.parametrize("source", GOOD.values(), ids=GOOD.keys())
def test_nothing_is_reported(source: str) -> None:
    assert answers(carries, m=source) == []
