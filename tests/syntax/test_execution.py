"""Whatever order the interpreter executes things in is a path through the lowered function.

Random programs of nested control flow are executed. Each step they take is a call that logs its number and, as a script
says, answers true, answers false or raises. The log must be accepted by the events and edges of the function.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from types import CodeType
from typing import Any

import pytest

from ctxlint.ir.function import ENTRY, EXIT, RAISED, Function
from ctxlint.ir.value import Constant
from tests.syntax.lowered import function_of

LONGEST_RUN = 60


class Fault(Exception):
    """Raised by a step."""


class Endless(BaseException):
    """Ends a run that has shown enough."""


class Programs:
    """Writes random programs."""

    def __init__(self, seed: int, is_async: bool) -> None:
        self.random = random.Random(seed)
        self.is_async = is_async
        self.steps = 0

    def step(self) -> str:
        self.steps += 1
        return f"step({self.steps})"

    def test(self, depth: int = 0) -> str:
        choice = self.random.randrange(8 if depth < 2 else 4)
        if choice == 4:
            return f"not ({self.test(depth + 1)})"
        if choice == 5:
            return f"({self.test(depth + 1)} and {self.test(depth + 1)})"
        if choice == 6:
            return f"({self.test(depth + 1)} or {self.test(depth + 1)})"
        if choice == 7:
            return f"({self.test(depth + 1)} if {self.test(depth + 1)} else {self.test(depth + 1)})"
        return self.step()

    def block(self, depth: int, in_loop: bool) -> Iterator[str]:
        for _ in range(self.random.randint(1, 3)):
            yield from self.statement(depth, in_loop)

    def statement(self, depth: int, in_loop: bool) -> Iterator[str]:
        kinds = ["step", "step", "assign", "assert", "return", "raise"] + ["break", "continue"] * in_loop
        if depth < 3:
            kinds += ["if", "while", "for", "with", "with", "try", "try", "try", "finally", "finally", "match"]
            kinds.append("comprehension")
        kind = self.random.choice(kinds)
        if kind == "step":
            yield self.step()
        elif kind == "assign":
            yield f"x = {self.test()}"
        elif kind == "assert":
            yield f"assert {self.test()}, {self.step()}"
        elif kind == "return":
            yield f"return {self.test()}"
        elif kind == "raise":
            yield f"raise error({self.step()})"
        elif kind in ("break", "continue"):
            # A step first, so that a run that is being ended does not loop for ever in a `finally`.
            yield self.step()
            yield kind
        elif kind == "comprehension":
            yield f"[{self.step()} for x in some({self.step()}) if {self.test()} for y in some({self.step()})]"
        else:
            yield from getattr(self, f"write_{kind}")(depth + 1, in_loop)

    def inner(self, depth: int, in_loop: bool) -> Iterator[str]:
        for line in self.block(depth, in_loop):
            yield f"    {line}"

    def write_if(self, depth: int, in_loop: bool) -> Iterator[str]:
        yield f"if {self.test()}:"
        yield from self.inner(depth, in_loop)
        if self.random.random() < 0.4:
            yield f"elif {self.test()}:"
            yield from self.inner(depth, in_loop)
        if self.random.random() < 0.5:
            yield "else:"
            yield from self.inner(depth, in_loop)

    def write_while(self, depth: int, in_loop: bool) -> Iterator[str]:
        yield "while True:" if self.random.random() < 0.2 else f"while {self.test()}:"
        yield f"    {self.step()}"
        yield from self.inner(depth, True)
        if self.random.random() < 0.4:
            yield "else:"
            yield from self.inner(depth, in_loop)

    def write_for(self, depth: int, in_loop: bool) -> Iterator[str]:
        prefix, some = ("async ", "later") if self.is_async and self.random.random() < 0.5 else ("", "some")
        yield f"{prefix}for x in {some}({self.step()}):"
        yield from self.inner(depth, True)
        if self.random.random() < 0.4:
            yield "else:"
            yield from self.inner(depth, in_loop)

    def write_with(self, depth: int, in_loop: bool) -> Iterator[str]:
        prefix = "async " if self.is_async and self.random.random() < 0.5 else ""
        items = []
        for _ in range(self.random.randint(1, 2)):
            self.steps += 1
            items.append(f"Manager({self.steps})" + self.random.choice(["", " as x"]))
        yield f"{prefix}with {', '.join(items)}:"
        yield from self.inner(depth, in_loop)

    def write_try(self, depth: int, in_loop: bool) -> Iterator[str]:
        yield "try:"
        yield from self.inner(depth, in_loop)
        handlers = [["Fault"], ["Fault as x"], ["KeyError", "(Fault, OSError)"], ["BaseException"], [""]]
        for caught in self.random.choice(handlers):
            yield f"except {caught}:".replace(" :", ":")
            yield from self.inner(depth, in_loop)
            if self.random.random() < 0.3:
                yield "    raise"
        if self.random.random() < 0.4:
            yield "else:"
            yield from self.inner(depth, in_loop)
        if self.random.random() < 0.4:
            yield "finally:"
            yield from self.inner(depth, in_loop)

    def write_finally(self, depth: int, in_loop: bool) -> Iterator[str]:
        yield "try:"
        yield from self.inner(depth, in_loop)
        yield "finally:"
        yield from self.inner(depth, in_loop)

    def write_match(self, depth: int, in_loop: bool) -> Iterator[str]:
        yield f"match {self.step()}:"
        yield f"    case True if {self.test()}:"
        yield from (f"    {line}" for line in self.inner(depth, in_loop))
        if self.random.random() < 0.5:
            yield f"    case {self.random.choice(['False', '_', 'x'])}:"
            yield from (f"    {line}" for line in self.inner(depth, in_loop))

    def function(self) -> str:
        lines = "\n".join([f"    {line}" for line in self.block(0, False)])
        return f"{'async ' if self.is_async else ''}def f():\n    x = 0\n{lines}\n"


def execute(program: CodeType, is_async: bool, script: random.Random) -> tuple[list[str], int]:
    """The log of one run and the block at which it must end. A run that is cut short can end anywhere (-1)."""
    log: list[str] = []

    def note(entry: str) -> None:
        if len(log) >= LONGEST_RUN:
            raise Endless
        log.append(entry)

    def step(number: int) -> bool:
        note(f"call {number}")
        if script.random() < 0.15:
            raise Fault
        return script.random() < 0.5

    def some(answer: bool) -> list[int]:
        return [1, 2] if answer else []

    class later:
        def __init__(self, answer: bool) -> None:
            self.left = 2 if answer else 0

        def __aiter__(self) -> later:
            return self

        async def __anext__(self) -> int:
            if script.random() < 0.1:
                raise Fault
            self.left -= 1
            if self.left < 0:
                raise StopAsyncIteration
            return 1

    class Manager:
        def __init__(self, number: int) -> None:
            self.number = number

        def __enter__(self) -> None:
            note(f"enter {self.number}")
            if script.random() < 0.1:
                raise Fault

        def __exit__(self, kind: type | None, *details: object) -> bool:
            if kind is Endless:
                return False
            note(f"exit {self.number}")
            if script.random() < 0.1:
                raise Fault
            return script.random() < 0.3

        async def __aenter__(self) -> None:
            self.__enter__()

        async def __aexit__(self, kind: type | None, *details: object) -> bool:
            return self.__exit__(kind)

    names: dict[str, Any] = {"step": step, "some": some, "later": later, "Manager": Manager, "Fault": Fault,
                             "error": lambda answer: Fault()}
    exec(program, names)  # The program was written above.
    try:
        if is_async:
            names["f"]().send(None)
        else:
            names["f"]()
    except StopIteration:
        pass  # The coroutine returned.
    except (Fault, AssertionError):
        return log, -1 if len(log) >= LONGEST_RUN else RAISED
    except (Endless, RuntimeError):
        return log, -1
    return log, -1 if len(log) >= LONGEST_RUN else EXIT


def labels_of(function: Function) -> list[str]:
    """What the log says when an event happens; empty for events that log nothing."""
    labels = []
    for event in function.events:
        label = ""
        root = event.path.root if event.path is not None else None
        if event.kind == "call" and getattr(root, "name", "") == "step":
            number = event.arguments[0].value
            assert isinstance(number, Constant)
            label = f"call {number.text}"
        elif event.kind in ("enter", "exit"):
            manager = function.events[event.value.event]  # type: ignore[union-attr]
            label = f"{event.kind} {manager.arguments[0].value.text}"  # type: ignore[union-attr]
        labels.append(label)
    return labels


class Paths:
    """Accepts the logs of paths through one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.labels = labels_of(function)
        self.known: dict[tuple[int, int], frozenset[tuple[int, int]]] = {}

    def accept(self, log: list[str], end: int) -> bool:
        """Whether a path logs exactly this and ends in block `end` (anywhere if that is negative)."""
        states = self.silently((ENTRY, self.function.blocks[ENTRY].first))
        for entry in log:
            logging = [state for state in states if self.label(state) == entry]
            states = frozenset().union(*[self.silently((number, position + 1)) for number, position in logging])
        return bool(states) and (end < 0 or any(number == end for number, _ in states))

    def label(self, state: tuple[int, int]) -> str:
        number, position = state
        return self.labels[position] if position < self.function.blocks[number].last else ""

    def silently(self, state: tuple[int, int]) -> frozenset[tuple[int, int]]:
        """The positions (block, next event) that log something, and the exits, reached without logging anything."""
        if state not in self.known:
            found: set[tuple[int, int]] = set()
            pending = [state]
            while pending:
                each = pending.pop()
                if each not in found:
                    found.add(each)
                    pending.extend(self.following(each))
            self.known[state] = frozenset([each for each in found if each[0] in (EXIT, RAISED) or self.label(each)])
        return self.known[state]

    def following(self, state: tuple[int, int]) -> list[tuple[int, int]]:
        number, position = state
        blocks = self.function.blocks
        block = blocks[number]
        reached = []
        if position > block.first:
            reached.append((block.pad, blocks[block.pad].first))
        if position == block.last:
            reached.extend([(edge.target, blocks[edge.target].first) for edge in block.edges])
        elif self.function.events[position].kind == "raise":
            reached.append((block.pad, blocks[block.pad].first))
        elif not self.labels[position]:
            reached.append((number, position + 1))
        return reached


@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
@pytest.mark.parametrize("start", range(0, 200, 20))
def test_every_execution_is_a_path(start: int, is_async: bool) -> None:
    for seed in range(start, start + 20):
        source = Programs(seed, is_async).function()
        paths = Paths(function_of(source))
        program = compile(source, "<program>", "exec")
        for run in range(8):
            log, end = execute(program, is_async, random.Random(seed * 1000 + run))
            assert paths.accept(log, end), f"seed {seed}, run {run}: {log} to {end}\n{source}"


def test_what_cannot_be_executed_is_no_path() -> None:
    paths = Paths(function_of("def f():\n    try:\n        step(1)\n    finally:\n        step(2)\n    step(3)\n"))
    assert paths.accept(["call 1", "call 2", "call 3"], EXIT)
    assert paths.accept(["call 1", "call 2"], RAISED)
    assert not paths.accept(["call 1", "call 2"], EXIT)
    assert not paths.accept(["call 1", "call 3"], EXIT)
    assert not paths.accept(["call 2", "call 1"], RAISED)
