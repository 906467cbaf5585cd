"""Building one function: events in the order in which they are written, blocks, and the ways between them.

A block is filled from its start to its end before the next one is started, so an event's number is final at once.
What cannot be reached keeps its events, in blocks to and from which there is no way.
"""

from __future__ import annotations

import ast
from typing import Any

from ctxlint.ir.event import Argument, Event, EventKind
from ctxlint.ir.function import ENTRY, EXIT, RAISED, Block, Condition, Edge
from ctxlint.ir.module import Field, Import, Method
from ctxlint.ir.span import Span
from ctxlint.ir.value import AccessPath, Compound, Constant, Result, Value
from ctxlint.syntax.scopes import Scope
from ctxlint.syntax.spans import SpanOf

_SHARED = 512
_RESULTS = tuple([Result(number) for number in range(_SHARED)])
"""Results of the first events, which all functions share: making one costs as much as noting its event."""


class ModuleDraft:
    """What the functions of one module share while they are lowered."""

    __slots__ = ("span_of", "walruses", "pending", "imports", "closures", "ordinals", "count")

    def __init__(self, span_of: SpanOf, walruses: list[int]) -> None:
        self.span_of = span_of
        self.walruses = walruses
        """The lines on which assignment expressions can stand."""
        self.pending: list[Draft] = []
        """Functions that are defined but not lowered yet, in the order of their indices."""
        self.imports: list[Import] = []
        self.closures: dict[ast.AST, int] = {}
        """The index of each definition: a `finally` is lowered several times, what it defines is one function."""
        self.ordinals: dict[str, int] = {}
        self.count = 0


class Draft:
    """One function in the making."""

    __slots__ = (
        "module", "index", "node", "qualname", "ordinal", "kind", "owner", "enclosing", "scope", "formals",
        "returns", "decorators", "bases", "events", "firsts", "lasts", "pads", "edges", "reached", "passed", "order", "current",
        "pad", "live", "frames", "statement", "fixed_span", "overlay", "has_yield", "lambdas", "copies", "fields",
        "methods",
    )

    def __init__(self, module: ModuleDraft, node: Any, qualname: str, kind: str, owner: str, enclosing: int,
                 scope: Scope) -> None:
        self.module = module
        self.index = module.count
        module.count += 1
        self.node = node
        self.qualname = qualname
        self.ordinal = module.ordinals.get(qualname, 0)
        module.ordinals[qualname] = self.ordinal + 1
        self.kind = kind
        self.owner = owner
        self.enclosing = enclosing
        self.scope = scope
        self.formals: tuple[Any, ...] = ()
        self.returns = ""
        self.decorators: tuple[str, ...] = ()
        self.bases: tuple[str, ...] = ()
        self.events: list[Event] = []
        # Blocks 0, 1 and 2 are the two exits and the entry.
        self.firsts = [0, 0, 0]
        self.lasts = [0, 0, 0]
        self.pads = [RAISED, RAISED, RAISED]
        self.edges: list[list[Edge]] = [[], [], []]
        self.reached = [True, True, True]
        self.order = [EXIT, RAISED, ENTRY]
        self.passed: set[int] = set()
        """Blocks behind a comprehension's test: they stay although they may be empty, or the test would be lost with them."""
        self.current = ENTRY
        self.pad = RAISED
        self.live = True
        self.frames: list[Any] = []
        self.statement: Any = node
        self.fixed_span: Span | None = None
        """The span of all events while what has no dependable positions of its own is lowered."""
        self.overlay: dict[str, Any] | None = None
        self.has_yield = False
        self.lambdas = 0
        self.copies = 0
        self.fields: dict[str, Field] = {}
        self.methods: list[Method] = []

    def emit(self, kind: EventKind, node: ast.AST, path: AccessPath | None = None, value: Value | None = None,
             keys: tuple[Value, ...] = (), arguments: tuple[Argument, ...] = (), note: str = "",
             ignored: bool = False) -> Result:
        """Write down one event that stands where `node` stands; the answer refers to its result."""
        events = self.events
        number = len(events)
        span = self.fixed_span or self.module.span_of(node)
        events.append(Event(kind, span, path, value, keys, arguments, note, ignored))
        return _RESULTS[number] if number < _SHARED else Result(number)

    def block(self) -> int:
        """A new block, not started; its exceptions land where those of the current statement do."""
        number = len(self.firsts)
        self.firsts.append(0)
        self.lasts.append(0)
        self.pads.append(self.pad)
        self.edges.append([])
        self.reached.append(False)
        return number

    def edge(self, target: int, condition: Condition | None = None, raised: bool = False) -> None:
        """A way from the current block to `target`; there is none out of what cannot be reached."""
        if self.live:
            self.edges[self.current].append(Edge(target, condition, raised))
            self.reached[target] = True

    def start(self, block: int) -> None:
        """End the current block and begin another one. It is reachable when a way to it was laid before.

        An event in a block is a way to the block's pad.
        """
        number = len(self.events)
        current = self.current
        self.lasts[current] = number
        if self.live and number > self.firsts[current]:
            self.reached[self.pads[current]] = True
        self.firsts[block] = number
        self.current = block
        self.order.append(block)
        self.live = self.reached[block]

    def go(self, block: int) -> None:
        """End the current block with a way to another one and begin that one."""
        self.edge(block)
        self.start(block)

    def cut(self) -> None:
        """What follows cannot be reached from here."""
        self.start(self.block())

    def decide(self, value: Value, yes: int, no: int) -> None:
        """End the current block with a branch on `value`; a constant has one way."""
        holds = True
        while isinstance(value, Compound) and value.operator == "not":
            value = value.parts[0]
            holds = not holds
        if not holds:
            yes, no = no, yes
        if isinstance(value, Constant):
            self.edge(yes if is_true(value) else no)
            return
        self.edge(yes, Condition(value, True))
        self.edge(no, Condition(value, False))

    def finish(self) -> tuple[Block, ...]:
        """End the function and give its blocks, without the empty ones that only pass control on."""
        self.edge(EXIT)
        self.lasts[self.current] = len(self.events)
        return compacted(self)


def is_true(constant: Constant) -> bool:
    """The truth of a literal."""
    if constant.kind in ("str", "bytes"):
        return constant.text not in ("", "b''", 'b""')
    return constant.text not in ("None", "False", "0", "0.0", "-0.0", "0j", "-0j", "(-0-0j)")


_STRAIGHT = (Block(0, 0, RAISED, ()), Block(0, 0, RAISED, ()), Block(0, 0, RAISED, ()))
"""The blocks of a function without branches, but for what its entry holds."""


def compacted(draft: Draft) -> tuple[Block, ...]:
    """The blocks in the order in which they were started; ways through empty blocks lead to where those lead."""
    firsts, lasts, all_edges, reached = draft.firsts, draft.lasts, draft.edges, draft.reached
    if len(draft.order) == len(_STRAIGHT):
        return (*_STRAIGHT[:ENTRY], Block(0, lasts[ENTRY], RAISED, tuple(all_edges[ENTRY])))
    passing: dict[int, Edge] = {}
    kept: list[int] = []
    for block in draft.order:
        if firsts[block] == lasts[block] and block > ENTRY:
            leaving = all_edges[block]
            if len(leaving) == 1 and leaving[0].condition is None and block not in draft.passed:
                passing[block] = leaving[0]
                continue
            if not reached[block]:
                continue
        kept.append(block)
    if passing:
        ways = {block: _threaded(all_edges[block], passing) for block in kept}
        pads = {block: _pad_behind(draft.pads[block], passing) for block in kept}
        _keep_targets(kept, ways, pads, draft, passing)
    else:
        ways = {block: tuple(all_edges[block]) for block in kept}
        pads = {block: draft.pads[block] for block in kept}
    numbers = {block: number for number, block in enumerate(kept)}
    blocks = []
    for block in kept:
        edges = tuple([Edge(numbers[edge.target], edge.condition, edge.raised) for edge in ways[block]])
        blocks.append(Block(firsts[block], lasts[block], numbers.get(pads[block], RAISED), edges))
    return tuple(blocks)


def _keep_targets(kept: list[int], ways: dict[int, tuple[Edge, ...]], pads: dict[int, int], draft: Draft,
                  passing: dict[int, Edge]) -> None:
    """Keep the empty blocks that could not be threaded away (loops of nothing, swallowed exceptions)."""
    pending = list(kept)
    known = set(kept)
    while pending:
        block = pending.pop()
        for target in (*[edge.target for edge in ways[block]], pads[block]):
            if target not in known and target in passing:
                known.add(target)
                pending.append(target)
                ways[target] = _threaded(draft.edges[target], passing)
                pads[target] = _pad_behind(draft.pads[target], passing)
    if len(known) > len(kept):
        kept[:] = [block for block in draft.order if block in known]


def _threaded(edges: list[Edge], passing: dict[int, Edge]) -> tuple[Edge, ...]:
    if len(edges) < 2 and not (edges and edges[0].target in passing):
        return tuple(edges)
    threaded = []
    for edge in edges:
        target, raised = edge.target, edge.raised
        seen = {target}
        while target in passing:
            following = passing[target]
            # An exception that is in flight before the empty block and not behind it was swallowed there.
            if (raised and not following.raised) or following.target in seen:
                break
            raised = raised or following.raised
            target = following.target
            seen.add(target)
        threaded.append(edge if target == edge.target else Edge(target, edge.condition, raised))
    if len(threaded) == 2:
        one, other = threaded
        if one.target == other.target and one.raised == other.raised and one.condition is not None \
                and other.condition is not None and one.condition.value == other.condition.value:
            return (Edge(one.target, None, one.raised),)
    return tuple(threaded)


def _pad_behind(pad: int, passing: dict[int, Edge]) -> int:
    seen = {pad}
    while pad in passing and passing[pad].target not in seen:
        pad = passing[pad].target
        seen.add(pad)
    return pad
