"""The dynamic twins: what is reported, with which argument, and what is not."""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import pickle
import threading
from collections import OrderedDict, deque

import pytest

from ctxlint.runtime import MonitorFailure, RewriteBuffer
from ctxlint.runtime.monitor import monitor, monitor_attributes


class Agent:
    """Some methods are right, some are wrong; their names say which."""

    def __init__(self):
        self.messages = []
        self.undo = []

    def logged_first(self, message):
        self.undo.append(("pop", message))
        self.messages.append(message)

    def one_image_for_many(self, *messages):
        self.undo.append(list(self.messages))
        for message in messages:
            self.messages.append(message)

    def late(self, message):
        self.messages.append(message)
        self.undo.append(("pop", message))

    def late_through_helpers(self, message):
        self._change(message)
        self._log(message)

    def two_changes_one_late_record(self, message):
        self._change(message)
        self._change(message)
        self._log(message)

    def late_rebinding(self, message):
        self.messages = [*self.messages, message]
        self._log(message)

    def swallowing(self, message):
        try:
            self._log(message)
        except OSError:
            pass
        self._change(message)

    def swallowing_afterwards(self, message):
        self._change(message)
        try:
            self._log(message)
        except OSError:
            return

    def compensating(self, message):
        self._change(message)
        try:
            self._log(message)
        except OSError as failure:
            self.messages.pop()
            raise ValueError("not added") from failure

    def undo_last(self):
        if self.undo.pop()[0] == "pop":
            self.messages.pop()

    def _change(self, message):
        self.messages.append(message)

    def _log(self, message):
        self.undo.append(("pop", message))


def found(action, *, failing: BaseException | None = None, kind=Agent):
    agent = kind()
    watch = monitor_attributes(agent, "messages", "undo")
    if failing is not None:
        watch.fail_next_append(failing)
    try:
        action(agent)
    except (OSError, ValueError):
        pass
    return [finding.code for finding in watch.close()]


def test_a_mutation_before_its_record_is_reported_with_the_argument():
    agent = Agent()
    with pytest.raises(MonitorFailure) as caught, monitor_attributes(agent, "messages", "undo"):
        agent.late("hello")
    assert isinstance(caught.value, AssertionError)
    lines = str(caught.value).splitlines()
    assert lines[0].endswith("CTX101 `Agent.messages` is mutated before its record reaches `Agent.undo` [high]")
    assert "test_monitor.py:" in lines[0]
    assert lines[1].startswith("  1  ") and "self.messages.append(message)" in lines[1]
    assert lines[1].endswith("changes Agent.messages")
    assert lines[2].startswith("  2  ") and 'self.undo.append(("pop", message))' in lines[2]
    assert lines[3] == "  If 2 fails, the change of 1 stays and recovery does not know it."


@pytest.mark.parametrize(
    "action",
    [
        lambda agent: agent.late("x"),
        lambda agent: agent.late_through_helpers("x"),
        lambda agent: agent.late_rebinding("x"),
        lambda agent: (agent.logged_first("x"), agent.late("y"), agent.logged_first("z")),
        lambda agent: [agent.late(number) for number in range(3)],
        lambda agent: agent.two_changes_one_late_record("x"),
    ],
)
def test_late_records(action):
    assert found(action)[0] == "CTX101"


@pytest.mark.parametrize(
    "action",
    [
        lambda agent: agent.logged_first("x"),
        lambda agent: [agent.logged_first(number) for number in range(3)],
        lambda agent: agent.one_image_for_many("x", "y", "z"),
        lambda agent: (agent.logged_first("x"), agent.undo_last(), agent.logged_first("y")),
        lambda agent: (agent.logged_first("x"), agent._change("not journaled"), agent.logged_first("y")),
        lambda agent: (agent.undo.append("no mutation follows"), len(agent.messages)),
    ],
)
def test_right_orders_are_silent(action):
    assert found(action) == []


def test_failures_that_are_swallowed():
    full = OSError(28, "disk full")
    assert found(lambda agent: agent.swallowing("x")) == []
    assert found(lambda agent: agent.swallowing("x"), failing=full) == ["CTX103"]
    assert found(lambda agent: agent.swallowing_afterwards("x"), failing=full) == ["CTX101", "CTX103"]
    assert found(lambda agent: agent.logged_first("x"), failing=full) == []
    assert found(lambda agent: agent.late("x"), failing=full) == ["CTX101"]
    assert found(lambda agent: agent.compensating("x"), failing=full) == []


def test_the_swallowed_failure_is_named():
    agent = Agent()
    with pytest.raises(MonitorFailure, match="fails: OSError"), monitor_attributes(agent, "messages", "undo") as watch:
        watch.fail_next_append(OSError(28, "disk full"))
        agent.swallowing("{braces}")


class AsyncJournal:
    def __init__(self):
        self.records = []

    async def write(self, record):
        await asyncio.sleep(0)
        self.records.append(record)


class AsyncAgent:
    def __init__(self):
        self.messages = []
        self.undo = AsyncJournal()

    async def awaited(self, message):
        await self.undo.write(message)
        self.messages.append(message)

    async def fire_and_forget(self, message):
        self.task = asyncio.create_task(self.undo.write(message))
        self.messages.append(message)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    async def never_awaited(self, message):
        self.coroutine = self.undo.write(message)
        self.messages.append(message)


def test_coroutines_count_when_they_are_done():
    def run(method):
        return found(lambda agent: asyncio.run(method(agent, "x")), kind=AsyncAgent)

    assert run(AsyncAgent.awaited) == []
    assert run(AsyncAgent.fire_and_forget) == ["CTX101"]


@pytest.mark.filterwarnings("ignore:coroutine:RuntimeWarning")
def test_an_append_that_nobody_awaits():
    assert found(lambda agent: asyncio.run(agent.never_awaited("x")), kind=AsyncAgent) == ["CTX103"]
    gc.collect()  # The warning belongs to this test.


class Aliasing(Agent):
    def alias(self):
        self.undo.append(self.messages)
        self.messages.append("x")

    def too_shallow(self):
        self.undo.append(list(self.messages))
        self.messages[0]["text"] = "changed"
        self.messages.append("x")

    def deep(self):
        self.undo.append(copy.deepcopy(self.messages))
        self.messages[0]["text"] = "changed"
        self.messages.append("x")

    def __init__(self):
        super().__init__()
        self.messages.append({"text": "original"})


def test_images_that_change_with_the_cell():
    assert found(Aliasing.alias, kind=Aliasing) == ["CTX204"]
    assert found(Aliasing.too_shallow, kind=Aliasing) == ["CTX204"]
    assert found(Aliasing.deep, kind=Aliasing) == []


class Counter:
    def __init__(self):
        self.messages = {"n": 0, "m": 0}
        self.undo = []

    async def stale_item(self, key="n"):
        read = self.messages[key]
        await asyncio.sleep(0)
        self.messages[key] = read + 1

    async def fresh_item(self):
        await asyncio.sleep(0)
        self.messages["n"] = self.messages["n"] + 1

    async def stale_name(self):
        read = dict(self.messages)
        await asyncio.sleep(0)
        self.messages = {**read, "n": read["n"] + 1}

    async def blind(self):
        await asyncio.sleep(0)
        self.messages["n"] = 7


def both(first, second):
    async def main(counter):
        await asyncio.gather(first(counter), second(counter))

    return found(lambda counter: asyncio.run(main(counter)), kind=Counter)


def test_stale_writes():
    assert both(Counter.stale_item, Counter.stale_item) == ["CTX302"]
    assert both(Counter.stale_name, Counter.stale_name) == ["CTX302"]
    assert both(Counter.stale_name, Counter.stale_item) == ["CTX302"]
    assert both(Counter.fresh_item, Counter.fresh_item) == []
    assert both(Counter.blind, Counter.blind) == []
    assert both(Counter.stale_item, lambda counter: counter.stale_item("m")) == []


def test_threads_are_writers_too():
    def action(counter):
        read = counter.messages["n"]
        other = threading.Thread(target=lambda: counter.messages.update(n=5))
        other.start()
        other.join()
        counter.messages["n"] = read + 1

    assert found(action, kind=Counter) == ["CTX302"]


def test_everything_is_put_back():
    agent = Agent()
    messages, undo, kind = agent.messages, agent.undo, type(agent)
    with monitor_attributes(agent, "messages", "undo"):
        agent.logged_first("x")
        assert isinstance(agent.messages, list) and isinstance(agent, Agent) and agent.messages == ["x"]
        assert json.dumps(agent.messages) == '["x"]' and agent.messages + ["y"] == ["x", "y"]
        assert type(copy.deepcopy(agent.messages)) is list
        assert pickle.loads(pickle.dumps(agent.messages)) == ["x"]
    assert type(agent) is kind and agent.messages is messages and agent.undo is undo
    assert (messages, undo) == (["x"], [("pop", "x")])


def test_augmented_assignment_is_one_mutation():
    agent = Agent()
    messages = agent.messages
    with monitor_attributes(agent, "messages", "undo"):
        agent.undo.append("x")
        agent.messages += ["x"]
        agent.undo += ["y"]
        agent.messages += ["y"]
    assert agent.messages is messages and type(messages) is list and messages == ["x", "y"]
    assert type(agent.undo) is list and agent.undo == ["x", "y"]


def test_another_exception_is_not_hidden():
    agent = Agent()
    with pytest.raises(ZeroDivisionError), monitor_attributes(agent, "messages", "undo"):
        agent.late("x")
        raise ZeroDivisionError


@pytest.mark.parametrize("cell", [[1], {"a": 1}, {1}, deque([1], maxlen=3)])
def test_stand_ins_behave_as_what_they_stand_for(cell):
    watch = monitor(cell, [])
    assert watch.buffer == cell and isinstance(watch.buffer, type(cell)) and len(watch.buffer) == 1
    assert list(watch.buffer) == list(cell)
    watch.buffer.clear()
    assert not watch.buffer


def test_stand_ins_for_objects_pass_everything_on():
    watch = monitor(RewriteBuffer("abc"), [], names=("text", "log"))
    watch.buffer.splice(0, 1, "A")
    watch.journal.append("late")
    watch.buffer.note = "set through"
    assert watch.buffer.content == "Abc" and watch.buffer.note == "set through"
    with pytest.raises(MonitorFailure, match="CTX101 `text` is mutated before its record reaches `log`"):
        watch.check()


def test_what_cannot_be_watched_is_an_error():
    with pytest.raises(TypeError, match="OrderedDict"):
        monitor(OrderedDict(), [])


def test_findings_of_a_closed_monitor_stay():
    agent = Agent()
    watch = monitor_attributes(agent, "messages", "undo")
    agent.late("x")
    assert watch.close() == watch.close() == watch.findings
    agent.late("not watched any more")
    assert len(watch.findings) == 1
