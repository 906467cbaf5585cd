"""Fixtures run under the fault that their finding speaks of: the original loses or corrupts something, its fixed twin does not."""

from __future__ import annotations

import asyncio
import importlib.util
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.fixed_fixtures import beside
from tests.fixture_runs import FIXTURES

Story = Callable[[ModuleType, Path], bool]
"""Runs a fixture under a fault; true when nothing was lost."""


def program(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem.replace(".", "_"), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def refuse(*_: object, **__: object) -> None:
    raise OSError(28, "no space left on device")


def unserialisable_state(fixture: ModuleType, folder: Path) -> bool:
    state = fixture.AgentState(folder / "state.json")
    state.values = {"step": 1}
    state.save()
    state.values = {"step": object()}
    with pytest.raises(TypeError):
        state.save()
    return bool((folder / "state.json").read_text() == '{\n  "step": 1\n}')


def unserialisable_entry(fixture: ModuleType, folder: Path) -> bool:
    journal = fixture.StepJournal(folder / "steps.jsonl")
    journal.append({"step": 1})
    journal.append({"step": 2})
    journal._latest = lambda: [{"step": 1}, {"step": object()}]
    with pytest.raises(TypeError):
        journal.compact_in_place()
    return [entry["step"] for entry in journal.replay()] == [1, 2]


def full_disk_before_the_record(fixture: ModuleType, folder: Path) -> bool:
    log = fixture.NoteLog(str(folder / "notes.log"))
    pad = fixture.Scratchpad(log)
    pad.logged_first("plan", "old")
    log_append, log.append = log.append, refuse
    with pytest.raises(OSError):
        pad.late("plan", "new")
    said = dict(pad.notes)
    log.append = log_append
    pad.recover()
    return bool(said == pad.notes)


def retried_transition(fixture: ModuleType, folder: Path) -> bool:
    vars(fixture)["time"] = SimpleNamespace(**{**vars(time), "sleep": lambda _: None})        # the clock is everybody's
    journal = fixture.TransitionJournal(folder / "transitions.jsonl")
    journal._path.touch()
    write, failures = journal.append, [OSError("busy")]

    def sometimes(entry: dict[str, str]) -> None:
        if failures:
            raise failures.pop()
        write(entry)

    journal.append = sometimes
    fixture.TaskTable(journal).set_status("task", "done")
    return [entry["to"] for entry in journal.entries()] == ["done"]


def swallowed_fact(fixture: ModuleType, folder: Path) -> bool:
    (folder / "facts.jsonl").touch()
    log = fixture.FactLog(folder / "facts.jsonl")
    memory = fixture.FactMemory(log)
    log.append = refuse
    try:
        told = memory.remember_quietly("sky", "blue")
    except OSError:
        told = False
    return told == bool(log.load())


def ignored_answer(fixture: ModuleType, folder: Path) -> bool:
    plan = fixture.Plan(fixture.PlanJournal(str(folder / "plan.jsonl")))
    plan.add("one")
    fixture.os.close(plan._journal._fd)
    try:
        plan.drop("one")
    except OSError:
        pass
    before = list(plan.steps)
    plan.replay()
    return bool(before == plan.steps)


def lost_task(fixture: ModuleType, folder: Path) -> bool:
    class Broken:
        def load(self, name: str) -> list[dict[str, str]]:
            return []

        async def add(self, *_: object) -> None:
            raise OSError("the database is gone")

    told: list[object] = []

    async def run() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context["message"]))
        keep = await asyncio.gather(fixture.Chat("c", Broken()).say("hello"))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        del keep

    asyncio.run(run())
    return any("tracked task" in str(each) for each in told)


class Plans:
    """A store that gives up control as a database does."""

    def __init__(self) -> None:
        self.steps: list[str] = []

    async def get(self, _: str) -> list[str]:
        await asyncio.sleep(0)
        return list(self.steps)

    async def put(self, _: str, steps: list[str]) -> None:
        await asyncio.sleep(0)
        self.steps = steps


def two_planners(method: str) -> Story:
    def story(fixture: ModuleType, folder: Path) -> bool:
        async def think(steps: list[str]) -> str:
            await asyncio.sleep(0)
            return f"step {len(steps)}"

        async def run() -> int:
            store = Plans()
            planner = fixture.Planner(store, think)
            await asyncio.gather(getattr(planner, method)("p"), getattr(planner, method)("p"))
            return len(store.steps)

        return asyncio.run(run()) == 2

    return story


def two_openers(fixture: ModuleType, folder: Path) -> bool:
    async def fetch(_: str) -> list[str]:
        await asyncio.sleep(0)
        return []

    async def run() -> Any:
        table = fixture.SessionTable(fetch)
        await asyncio.gather(table.handle("k", "one"), table.handle("k", "two"))
        return (await table.open("k")).turns

    return sorted(asyncio.run(run())) == ["one", "two"]


def newcomer_while_sending(fixture: ModuleType, folder: Path) -> bool:
    class Sink:
        def __init__(self) -> None:
            self.sent: list[dict[str, int]] = []
            self.meanwhile: Callable[[], Awaitable[None]] | None = None

        async def send(self, events: list[dict[str, int]]) -> None:
            self.sent += list(events)
            if self.meanwhile is not None:
                meanwhile, self.meanwhile = self.meanwhile, None
                await meanwhile()

    async def run() -> list[dict[str, int]]:
        sink = Sink()
        buffer = fixture.EventBuffer(sink)
        await buffer.record({"n": 1})
        sink.meanwhile = lambda: buffer.record({"n": 2})
        await buffer.flush()
        await buffer.flush()
        return sink.sent

    return asyncio.run(run()) == [{"n": 1}, {"n": 2}]


def note_while_asking(fixture: ModuleType, folder: Path) -> bool:
    notes = folder / "notes.txt"
    notes.write_text("a")

    async def ask(_: str) -> str:
        notes.write_text(notes.read_text() + "b")
        return "c"

    asyncio.run(fixture.add_answer(notes, "?", ask))
    return notes.read_text() == "abc"


def count_while_counting(fixture: ModuleType, folder: Path) -> bool:
    async def run() -> int:
        async def count(_: str) -> int:
            await asyncio.sleep(0)
            return 1

        tally = fixture.Tally(count)
        await asyncio.gather(tally.add("x"), tally.add("y"))
        return int(tally.total)

    return asyncio.run(run()) == 2


def undone_rename(fixture: ModuleType, folder: Path) -> bool:
    memory = fixture.MemoryBlocks()
    memory.blocks = {"a": "text"}
    memory.rename("a", "b")
    memory.undo()
    return bool(memory.blocks == {"a": "text"})


def second_return(fixture: ModuleType, folder: Path) -> bool:
    versions = fixture.PlanVersions()
    versions.plan["todo"].append("step")
    versions.save("start")
    versions.go_back("start")
    versions.finish("step")
    versions.go_back("start")
    return bool(versions.plan == {"todo": ["step"], "done": []})


def streamed_after_checkpoint(fixture: ModuleType, folder: Path) -> bool:
    chat = fixture.StreamedChat()
    chat.messages = [{"role": "assistant", "text": "a"}]
    chat.checkpoint("c")
    chat.messages[-1]["text"] += "b"
    chat.back_to("c")
    return bool(chat.messages[0]["text"] == "a")


def reader_beside_writer(fixture: ModuleType, folder: Path) -> bool:
    writes = fixture.ToolCall("write", lambda: None, outputs={"plan.md"})
    reads = fixture.ToolCall("read", lambda: None, inputs={"plan.md"}, outputs={"notes.md"})
    apart = fixture.ToolCall("other", lambda: None, inputs={"a"}, outputs={"b"})
    together = [fixture.may_run_together(writes, reads), fixture.may_run_together(reads, writes)]
    return together == [False, False] and fixture.may_run_together(writes, apart)


def commit_on_a_stale_reading(fixture: ModuleType, folder: Path) -> bool:
    space = fixture.StateSpace()
    first, second = space.begin(), space.begin()
    space.read(first, "limit")
    space.write(first, "spent", "10")
    space.write(second, "limit", "0")
    return bool(space.commit(second) and not space.commit(first))


STORIES: list[tuple[str, Story]] = [
    ("CTX105/truncate_then_dump.py", unserialisable_state),
    ("CTX105/journal_compaction.py", unserialisable_entry),
    ("CTX101/order.py", full_disk_before_the_record),
    ("CTX101/retry_trap.py", retried_transition),
    ("CTX103/swallowed_append.py", swallowed_fact),
    ("CTX103/ignored_status.py", ignored_answer),
    ("CTX103/fire_and_forget.py", lost_task),
    ("CTX204/saved_alias.py", undone_rename),
    ("CTX204/restored_alias.py", second_return),
    ("CTX204/shallow_messages.py", streamed_after_checkpoint),
    ("CTX301/02_parallel_tool_calls_bad.py", reader_beside_writer),
    ("CTX301/12_optimistic_commit_bad.py", commit_on_a_stale_reading),
    ("CTX302/lock_scope.py", two_planners("extend_locking_late")),
    ("CTX302/lock_scope.py", two_planners("extend_locking_twice")),
    ("CTX302/get_or_create.py", two_openers),
    ("CTX302/drained_buffer.py", newcomer_while_sending),
    ("CTX302/reading_too_early.py", note_while_asking),
    ("CTX302/reading_too_early.py", count_while_counting),
]


@pytest.mark.parametrize(("name", "story"), STORIES, ids=[f"{name}-{number}" for number, (name, _) in enumerate(STORIES)])
def test_the_original_loses_what_its_fixed_twin_keeps(name: str, story: Story, tmp_path: Path) -> None:
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
    assert not story(program(FIXTURES / name), tmp_path / "before")
    assert story(program(beside(FIXTURES / name)), tmp_path / "after")
