"""The interpreter evaluates the parts of a statement in the order of a path through its lowered events.

Random statements over objects that accept every operation are executed and log what they do: calls, awaits, yields, reads,
stores, deletions, what is entered and left. The log must be accepted by the events and edges of the function.
A read may be missing from the log: operands that only read get no block of their own, so that lowering shows them as read
although an earlier operand can have settled the answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from ctxlint.ir.event import Event
from ctxlint.ir.function import EXIT, RAISED, Function
from ctxlint.ir.value import Compound, Constant, Result, Value
from tests.syntax.lowered import function_of
from tests.syntax.test_execution import Paths

DEEPEST = 2
OPERATORS = ("+", "-", "*", "@", "|", "<<", "**")
COMPARISONS = ("<", "==", "in", "is not", ">=")


class Writer:
    """Writes random statements; every call, attribute and constant key has a number of its own."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.number = 0
        self.is_async = self.random.random() < 0.4
        self.yields = not self.is_async and self.random.random() < 0.4

    def function(self) -> str:
        lines = [f"    {line}" for _ in range(2) for line in self.statement(0)]
        prefix = "async " if self.is_async else ""
        return "\n".join([f"{prefix}def f(x, y):", "    u = x", *lines, *["    yield"] * self.yields, ""])

    def next(self) -> int:
        self.number += 1
        return self.number

    def some(self, *choices: str) -> str:
        return self.random.choice(choices)

    def statement(self, nesting: int) -> Iterator[str]:
        kinds = ["assign", "assign", "augment", "delete", "unpack", "define", "express", "express"]
        if nesting < 2:
            kinds += ["loop", "manage", "choose", "handle", "match"]
        yield from getattr(self, f"write_{self.some(*kinds)}")(nesting)

    def inner(self, nesting: int) -> Iterator[str]:
        for line in self.statement(nesting + 1):
            yield f"    {line}"

    def write_assign(self, nesting: int) -> Iterator[str]:
        yield f"{' = '.join([self.target() for _ in range(self.random.randint(1, 2))])} = {self.value()}"

    def write_augment(self, nesting: int) -> Iterator[str]:
        yield f"{self.target()} {self.some(*OPERATORS)}= w({self.value()})"

    def write_delete(self, nesting: int) -> Iterator[str]:
        yield f"del {self.slot()}, {self.slot()}"

    def write_unpack(self, nesting: int) -> Iterator[str]:
        left = self.some(f"{self.target()}, *{self.target()}", f"({self.target()}, {self.target()})")
        yield f"{left} = {self.some(f'{self.value()}, {self.value()}', f'w({self.value()})')}"

    def write_define(self, nesting: int) -> Iterator[str]:
        for _ in range(self.random.randrange(3)):
            yield f"@s({self.next()})"
        if self.random.random() < 0.5:
            yield f"class g(base({self.next()}), word=w({self.value()})): pass"
        else:
            prefix = self.some("", "async ")
            yield f"{prefix}def g(a={self.value()}, /, b={self.value()}, *c, d={self.value()}, e, **h): pass"

    def write_express(self, nesting: int) -> Iterator[str]:
        yield self.value()

    def write_loop(self, nesting: int) -> Iterator[str]:
        yield f"for {self.target()} in w({self.value()}):"
        yield from self.inner(nesting)

    def write_manage(self, nesting: int) -> Iterator[str]:
        yield f"with s({self.next()}) as {self.target()}, s({self.next()}) as {self.target()}:"
        yield from self.inner(nesting)

    def write_choose(self, nesting: int) -> Iterator[str]:
        yield f"if {self.value()}:"
        yield from self.inner(nesting)
        yield f"elif {self.value()}:"
        yield from self.inner(nesting)

    def write_handle(self, nesting: int) -> Iterator[str]:
        yield "try:"
        yield f"    fail({self.next()})"
        for _ in range(self.random.randint(1, 3)):
            yield f"except {self.some(f'kind({self.next()})', 'OSError', f'(kind({self.next()}), kind({self.next()}))')}:"
            yield from self.inner(nesting)
        yield "else:"
        yield from self.inner(nesting)

    def write_match(self, nesting: int) -> Iterator[str]:
        yield f"match {self.value()}:"
        yield f"    case z if {self.value()}:"
        yield from [f"    {line}" for line in self.inner(nesting)]
        yield "    case _:"
        yield from [f"    {line}" for line in self.inner(nesting)]

    def target(self) -> str:
        return self.some("u", self.slot(), self.slot())

    def slot(self) -> str:
        return self.some(f"{self.place()}.r{self.next()}", f"{self.place()}[{self.key()}]")

    def place(self) -> str:
        root = self.some("x", "y", f"s({self.next()})")
        return self.some(root, f"{root}.m{self.next()}")

    def key(self) -> str:
        return self.some(f"{self.next()}", f"s({self.next()})", f"s({self.next()}):s({self.next()})")

    def plain(self) -> str:
        return self.some("x", f"s({self.next()})", f"s({self.next()})", f"x.r{self.next()}", f"s({self.next()}).m1.r{self.next()}")

    def value(self, depth: int = 0) -> str:
        if depth >= DEEPEST:
            return self.plain()
        kinds = ["call", "call", "operation", "comparison", "boolean", "conditional", "display", "comprehension", "text",
                 "walrus", "waiting", "item", "lambda", "plain"]
        kind = self.some(*kinds)
        return self.plain() if kind == "plain" else str(getattr(self, f"make_{kind}")(depth + 1))

    def make_call(self, depth: int) -> str:
        callee = self.some(f"x.m{self.next()}(", f"s({self.next()}).m1.m{self.next()}(", f"s({self.next()}, ")
        more = [self.value(depth), f"*w({self.value(depth)})", f"a={self.value(depth)}", f"*w({self.value(depth)})",
                f"**w({self.value(depth)})", f"b={self.value(depth)}"]
        # A positional argument cannot follow a keyword, an unpacked one can.
        return f"{callee}{', '.join([each for each in more if self.random.random() < 0.4])})"

    def make_operation(self, depth: int) -> str:
        if self.random.random() < 0.2:
            return f"({self.some('-', '~', 'not ')}w({self.value(depth)}))"
        return f"(w({self.value(depth)}) {self.some(*OPERATORS)} w({self.value(depth)}))"

    def make_comparison(self, depth: int) -> str:
        words = [f"w({self.value(depth)})"]
        for _ in range(self.random.randint(1, 3)):
            words += [self.some(*COMPARISONS), f"w({self.value(depth)})"]
        return f"({' '.join(words)})"

    def make_boolean(self, depth: int) -> str:
        operands = [self.value(depth) for _ in range(self.random.randint(2, 3))]
        return f"({self.some(' and ', ' or ').join(operands)})"

    def make_conditional(self, depth: int) -> str:
        return f"({self.value(depth)} if {self.value(depth)} else {self.value(depth)})"

    def make_display(self, depth: int) -> str:
        a, b, c = self.value(depth), self.value(depth), self.value(depth)
        return self.some(f"({a}, *w({b}), {c})", f"[{a}, {b}, *w({c})]", f"{{w({a}), w({b})}}",
                         f"{{w({a}): {b}, **w({c}), w(x): s({self.next()})}}")

    def make_comprehension(self, depth: int) -> str:
        loops = f"for a in w({self.plain()}) if {self.plain()}"
        if self.random.random() < 0.5:
            loops += f" for b in w({self.plain()})"
        element = self.plain() if depth > 1 else self.some(self.plain(), self.make_comprehension(depth + 1))
        return self.some(f"[{element} {loops}]", f"{{w({element}) {loops}}}", f"[*({element} {loops})]",
                         f"{{w({element}): s({self.next()}) {loops}}}")

    def make_text(self, depth: int) -> str:
        return f"f'{{{self.plain()}}} and {{{self.plain()}!r:>{{w({self.plain()})}}}}'"

    def make_walrus(self, depth: int) -> str:
        return f"(z{self.next()} := {self.value(depth)})"

    def make_waiting(self, depth: int) -> str:
        if self.is_async:
            return f"(await s({self.next()}))"
        return f"(yield s({self.next()}))" if self.yields else self.plain()

    def make_item(self, depth: int) -> str:
        return f"{self.place()}[{self.key()}]"

    def make_lambda(self, depth: int) -> str:
        return f"(lambda a={self.value(depth)}, *b, c={self.value(depth)}: s(0))"


class Fault(Exception):
    """Raised by a step."""


def execute(source: str, is_async: bool, script: random.Random) -> tuple[list[str], int]:
    """The log of one run and the block at which it must end."""
    log: list[str] = []

    class Object:
        """Accepts every operation; most results are further objects."""

        def __init__(self, number: int = -1, name: str = "") -> None:
            self.__dict__.update(number=number, name=name)

        def __getattr__(self, name: str) -> Object:
            if name.startswith("__"):
                raise AttributeError(name)
            if name.startswith("r"):
                log.append(f"get {name}")
            return Object(name=name)

        def __setattr__(self, name: str, value: object) -> None:
            log.append(f"set {name}")

        def __delattr__(self, name: str) -> None:
            log.append(f"del {name}")

        def __getitem__(self, key: object) -> Object:
            log.append(f"get {numbered(key)}")
            return Object()

        def __setitem__(self, key: object, value: object) -> None:
            log.append(f"set {numbered(key)}")

        def __delitem__(self, key: object) -> None:
            log.append(f"del {numbered(key)}")

        def __call__(self, *arguments: object, **words: object) -> Object:
            if self.name.startswith("m"):
                log.append(f"call {self.name}")
            return Object()

        def __bool__(self) -> bool:
            return script.random() < 0.5

        def __iter__(self) -> Iterator[Object]:
            return iter([Object(), Object()])

        def keys(self) -> tuple[()]:
            return ()

        def __await__(self) -> Iterator[Any]:
            log.append(f"await {self.number}")
            return self
            yield

        def __enter__(self) -> Object:
            log.append(f"enter {self.number}")
            return self

        def __exit__(self, *details: object) -> bool:
            log.append(f"exit {self.number}")
            return script.random() < 0.2

        def __eq__(self, other: object) -> bool:
            return script.random() < 0.5

        def __contains__(self, other: object) -> bool:
            return script.random() < 0.5

        def __format__(self, how: str) -> str:
            return ""

        __repr__ = object.__repr__
        __hash__ = object.__hash__

    def answer(*operands: object) -> Object:
        return Object()

    for name in ("add", "sub", "mul", "matmul", "or", "lshift", "pow"):
        setattr(Object, f"__{name}__", answer)
        setattr(Object, f"__r{name}__", answer)
    for name in ("neg", "invert", "lt", "ge"):
        setattr(Object, f"__{name}__", answer)

    def numbered(key: object) -> object:
        return key.number if isinstance(key, Object) else key if isinstance(key, int) else "*"

    def s(number: int, *arguments: object, **words: object) -> Object:
        log.append(f"call {number}")
        if script.random() < 0.02:
            raise Fault
        return Object(number)

    def fail(number: int) -> None:
        log.append(f"call {number}")
        if script.random() < 0.7:
            raise Fault

    def kind(number: int) -> type[Exception]:
        log.append(f"call {number}")
        return script.choice([Fault, KeyError])

    class Base:
        def __init_subclass__(cls, word: object) -> None:
            pass

    def base(number: int) -> type[Base]:
        log.append(f"call {number}")
        return Base

    def w(value: object) -> Object:
        return value if isinstance(value, Object) else Object()

    names: dict[str, Any] = {"s": s, "fail": fail, "kind": kind, "base": base, "w": w}
    exec(compile(source, "<program>", "exec"), names)  # The program was written above.
    try:
        started = names["f"](Object(), Object())
        if is_async:
            started.send(None)
        elif started is not None:
            for yielded in started:
                if yielded is not None:
                    log.append(f"yield {yielded.number}")
    except StopIteration:
        pass  # The coroutine returned.
    except Fault:
        return log, RAISED
    return log, EXIT


def labels_of(function: Function) -> list[str]:
    """What the log says when an event happens; empty for events that log nothing."""
    def number(value: Value | None) -> str:
        if isinstance(value, Compound) and value.operator in ("and", "or", "if"):
            raise AssertionError("the programs use no such values here")
        if isinstance(value, Constant):
            return value.text
        if isinstance(value, Result) and function.events[value.event].kind == "call":
            return number(function.events[value.event].arguments[0].value)
        return "*"

    def label(event: Event) -> str:
        step = event.path.steps[-1] if event.path is not None and event.path.steps else ""
        if event.kind == "call":
            if step:
                return f"call {step}"
            name = getattr(event.path.root, "name", "") if event.path is not None else ""
            return f"call {number(event.arguments[0].value)}" if name in ("s", "fail", "kind", "base") else ""
        if event.kind in ("read", "write", "delete"):
            place = number(event.keys[-1]) if step == "[*]" else step
            return "" if step.startswith("m") else f"{_VERBS[event.kind]} {place}"
        if event.kind == "suspend" and isinstance(event.value, Result):
            return f"{event.note} {number(event.value)}"
        return f"{event.kind} {number(event.value)}" if event.kind in ("enter", "exit") else ""

    return [label(event) for event in function.events]


_VERBS = {"read": "get", "write": "set", "delete": "del"}


class Orders(Paths):
    """Accepts the logs of paths; reads need not show in them."""

    def __init__(self, function: Function) -> None:
        super().__init__(function)
        self.labels = labels_of(function)

    def following(self, state: tuple[int, int]) -> list[tuple[int, int]]:
        number, position = state
        reached = super().following(state)
        if position < self.function.blocks[number].last and self.labels[position].startswith("get "):
            reached.append((number, position + 1))
        return reached


def accepted(paths: Orders, log: list[str]) -> str:
    """The log, with a mark behind the longest part of it that is a path's."""
    length = next(length for length in range(len(log), -1, -1) if paths.accept(log[:length], -1))
    return f"{', '.join(log[:length])} <here> {', '.join(log[length:])}"


@pytest.mark.parametrize("start", range(0, 80, 20))
def test_every_evaluation_is_a_path(start: int) -> None:
    for seed in range(start, start + 20):
        writer = Writer(seed)
        source = writer.function()
        paths = Orders(function_of(source))
        for run in range(3):
            log, end = execute(source, writer.is_async, random.Random(seed * 1000 + run))
            assert paths.accept(log, end), f"seed {seed}, run {run}: {accepted(paths, log)} to {end}\n{source}"


def test_another_order_is_no_path() -> None:
    paths = Orders(function_of("def f(x):\n    x[s(1)] += s(2) if x.r3 else x.m4(s(5))\n"))
    assert paths.accept(["call 1", "get 1", "get r3", "call 2", "set 1"], EXIT)
    assert paths.accept(["call 1", "get 1", "get r3", "call 5", "call m4", "set 1"], EXIT)
    assert not paths.accept(["get 1", "call 1", "get r3", "call 2", "set 1"], EXIT)
    assert not paths.accept(["call 1", "get r3", "get 1", "call 2", "set 1"], EXIT)
    assert not paths.accept(["call 1", "get 1", "get r3", "call 2", "call 5", "call m4", "set 1"], EXIT)
    assert not paths.accept(["call 1", "get 1", "get r3", "call 2"], EXIT)
