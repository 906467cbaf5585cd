"""Where an object that another one holds lives, from where functions are entered, and which rows are read for a change."""

from __future__ import annotations

import pytest

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.value import AccessPath, Result
from tests.checks.asked import analysis

HELD = '''
import asyncio
from dataclasses import dataclass
class Pad:
    def __init__(self): self.notes = []
    def jot(self, note): self.notes.append(note)
PADS: dict[str, Pad] = {}
def pad_of(key) -> Pad: return PADS.setdefault(key, Pad())
class Desk:
    def __init__(self, pad: Pad): self.pad = pad
    def jot(self): self.pad.jot("a")
@dataclass
class Folder:
    pad: Pad
    def jot(self): self.pad.jot("b")
class Office:
    def __init__(self):
        self.own = Pad()
        self.desk = Desk(self.own)
    def jot(self): self.own.jot("c")
class Shop:
    def __init__(self): self.pad = Pad()
    def jot(self): self.pad.jot("d")
def build():
    pad = Pad()
    return Desk(pad), Folder(pad)
def by_key(): pad_of("x").jot("e")
def by_name(): PADS["x"].jot("f")
def made(): Pad().jot("g")
'''


def named(asked: Analysis, name: str) -> FunctionId:
    return next(f for f in asked.program.functions() if asked.program.symbol(f) == name)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Desk.jot", "Office.jot", True),        # handed on by a constructor
        ("Desk.jot", "Folder.jot", True),        # both made with the same one
        ("Folder.jot", "Office.jot", False),
        ("Desk.jot", "Shop.jot", False),
        ("by_key", "by_name", True),             # found by a function, and directly
        ("by_key", "made", False),
        ("made", "made", False),                 # nobody else has it
    ],
)
def test_two_homes_hold_one_object(one: str, other: str, same: bool) -> None:
    asked = analysis(office=HELD)

    def sources(name: str) -> frozenset[str]:
        identity = named(asked, name)
        jot = next(n for n, e in enumerate(asked.view.function(identity).events) if e.kind == "call" and e.path and e.path.steps[-1:] == ("jot",))
        path = asked.view.event(identity, jot).path
        assert path is not None
        return asked.homes.all_sources(asked.homes.of(identity, jot, AccessPath(path.root, path.steps[:-1])))

    assert bool(sources(one) & sources(other)) == same


WAYS = '''
import asyncio
class Agent:
    def note(self): pass
    def hear(self): self.note()
    async def compact(self): await asyncio.sleep(1)
    async def run(self):
        self.note()
        await self.compact()
    async def later(self): asyncio.create_task(self.fold())
    async def fold(self): await self.compact()
    async def tidy(self): await asyncio.sleep(1)
    async def turn(self):
        self.mark()
        await self.tidy()
    def mark(self): pass
'''


@pytest.mark.parametrize(
    ("one", "other", "meet"),
    [
        ("Agent.compact", "Agent.note", True),   # `hear` leads to `note` alone
        ("Agent.tidy", "Agent.mark", False),     # always one after the other
        ("Agent.tidy", "Agent.turn", False),     # waits for it
        ("Agent.run", "Agent.fold", True),       # a task of its own
    ],
)
def test_who_can_run_while_another_waits(one: str, other: str, meet: bool) -> None:
    asked = analysis(agent=WAYS)
    assert asked.ways_in.can_meet(named(asked, one), named(asked, other)) == meet


ROWS = '''
from sqlalchemy import select
from sqlalchemy.orm import Session
class Job:
    items: list
class Versioned:
    items: list
    __mapper_args__ = {"version_id_col": "version"}
def plain(s: Session): return s.get(Job, 1)
def locked(s: Session): return s.get(Job, 1, with_for_update=True)
def asked(s: Session): return s.query(Job).filter(Job.id == 1).first()
def kept(s: Session):
    query = s.query(Job).with_for_update()
    return query.filter(Job.id == 1).first()
def stated(s: Session): return s.execute(select(Job).where(Job.id == 1)).scalar_one()
def state_locked(s: Session):
    statement = select(Job).with_for_update()
    return s.scalars(statement).first()
def versioned(s: Session): return s.get(Versioned, 1)
def through(s: Session): return plain(s)
def through_locked(s: Session): return locked(s)
def counted(s: Session): return s.query(Job).count()
'''


@pytest.mark.parametrize(
    ("name", "row", "protected"),
    [
        ("plain", "jobs.Job", False), ("locked", "jobs.Job", True), ("asked", "jobs.Job", False), ("kept", "jobs.Job", True),
        ("stated", "jobs.Job", False), ("state_locked", "jobs.Job", True), ("versioned", "jobs.Versioned", True),
        ("through", "jobs.Job", False), ("through_locked", "jobs.Job", True), ("counted", "", False),
    ],
)
def test_rows_and_what_protects_them(name: str, row: str, protected: bool) -> None:
    asked = analysis(jobs=ROWS)
    identity = named(asked, name)
    returned = [e.value for e in asked.view.function(identity).events if e.kind == "return"]
    assert isinstance(returned[0], Result)
    assert asked.rows.read_at(identity, returned[0].event) == row
    assert not row or asked.rows.is_protected(identity, returned[0].event, row) == protected
