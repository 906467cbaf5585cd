"""Builds small functions by hand, and random ones, for the tests of flow."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from ctxlint.flow.graph import EventGraph, event_graph
from ctxlint.ir.event import Argument, Event
from ctxlint.ir.function import Block, Condition, Edge, Formal, Function
from ctxlint.ir.span import NOWHERE
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Value

EXIT, RAISED, ENTRY = 0, 1, 2


def local(name: str) -> Name:
    return Name(name, "local")


def at(dotted: str, scope: str = "local") -> AccessPath:
    """`self.items[*]` as an access path."""
    root, *steps = dotted.replace("[*]", ".[*]").split(".")
    return AccessPath(Name(root, scope), tuple(steps))  # type: ignore[arg-type]


def text(content: str) -> Constant:
    return Constant("str", content)


TRUE, FALSE, NONE = Constant("bool", "True"), Constant("bool", "False"), Constant("none", "None")


def read(dotted: str, *keys: Value) -> Event:
    return Event("read", NOWHERE, at(dotted), keys=keys)


def write(dotted: str, value: Value = NONE, *keys: Value) -> Event:
    return Event("write", NOWHERE, at(dotted), value, keys=keys)


def bind(name: str, value: Value = NONE) -> Event:
    return Event("local", NOWHERE, at(name), value)


def call(dotted: str, *arguments: Value, scope: str = "local", ignored: bool = False) -> Event:
    return Event("call", NOWHERE, at(dotted, scope), arguments=tuple(Argument("", value) for value in arguments),
                 ignored=ignored)


def suspend(value: Value = NONE, note: str = "await") -> Event:
    return Event("suspend", NOWHERE, value=value, note=note)


def step(kind: str, value: Value | None = None, path: AccessPath | None = None, note: str = "") -> Event:
    return Event(kind, NOWHERE, path, value, note=note)  # type: ignore[arg-type]


def negated(value: Value) -> Value:
    return Compound("not", (value,))


def compared(left: Value, operator: str, right: Value) -> Value:
    return Compound(operator, (left, right))


def edge(target: int, value: Value | None = None, holds: bool = True, raised: bool = False) -> Edge:
    return Edge(target, None if value is None else Condition(value, holds), raised)


def function(parts: Sequence[tuple[Sequence[Event], Sequence[Edge]]], formals: Sequence[str] = (),
             pads: dict[int, int] | None = None) -> Function:
    """A function whose blocks 2, 3, … are the parts; an exception in block b lands at `pads[b]`, else leaves.

    A formal can be given with its type: `flag: bool`.
    """
    events: list[Event] = []
    blocks = [Block(0, 0, RAISED, ()), Block(0, 0, RAISED, ())]
    for number, (steps, edges) in enumerate(parts, ENTRY):
        first = len(events)
        events.extend(steps)
        blocks.append(Block(first, len(events), (pads or {}).get(number, RAISED), tuple(edges)))
    parameters = [Formal(name, "positional", annotation) for name, _, annotation in
                  (formal.partition(": ") for formal in formals)]
    return Function("f", 0, "function", "", 0, tuple(parameters), "", (), (), (), tuple(events), tuple(blocks), NOWHERE)


def straight(*events: Event, formals: Sequence[str] = ()) -> Function:
    """A function that does one event after the other and returns."""
    return function([(events, [edge(EXIT)])], formals)


def quiet(graphed: Function) -> EventGraph:
    """The graph in which nothing fails but a `raise`."""
    return event_graph(graphed, lambda event: False)


NAMES = ("a", "b", "c")


@st.composite
def functions(draw: st.DrawFn, most_blocks: int = 6) -> Function:
    """Any small function: bindings, stores, calls, suspensions and raises; branches on two flags."""
    count = draw(st.integers(1, most_blocks))
    targets = st.integers(0, ENTRY + count - 1)
    kinds = st.sampled_from(["bind", "bind", "call", "write", "delete", "suspend", "flag", "raise"])
    parts = []
    pads = {}
    for number in range(ENTRY, ENTRY + count):
        events = []
        for kind in draw(st.lists(kinds, max_size=4)):
            name = draw(st.sampled_from(NAMES))
            events.append(
                bind(name) if kind == "bind" else
                call(f"{name}.m", local("a")) if kind == "call" else
                write(f"{name}.x") if kind == "write" else
                step("delete", path=at(name)) if kind == "delete" else
                suspend() if kind == "suspend" else
                bind("flag", draw(st.sampled_from([TRUE, FALSE]))) if kind == "flag" else
                step("raise", NONE))
        edges = []
        shape = draw(st.sampled_from(["end", "one", "one", "two", "flag", "flag", "cell"]))
        if shape in ("one", "two"):
            edges = [edge(draw(targets)) for _ in range(1 if shape == "one" else 2)]
        elif shape != "end":
            asked = local("flag") if shape == "flag" else local("a")
            edges = [edge(draw(targets), asked, True), edge(draw(targets), asked, False)]
        parts.append((events, edges))
        pads[number] = draw(targets)
    return function(parts, formals=("a", "self", "flag: bool"), pads=pads)


@st.composite
def graphs(draw: st.DrawFn, most_blocks: int = 6) -> EventGraph:
    """The graph of any small function in which any calls can fail."""
    made = draw(functions(most_blocks))
    failing = draw(st.sets(st.sampled_from(range(len(made.events))))) if made.events else set()
    return event_graph(made, lambda event: event in failing and made.events[event].kind in ("call", "suspend", "write"))
