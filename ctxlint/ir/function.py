"""The order in which a function's events can happen."""

from __future__ import annotations

from typing import Literal

import msgspec

from ctxlint.ir.event import Event
from ctxlint.ir.span import Span
from ctxlint.ir.value import Value

FunctionKind = Literal["function", "coroutine", "generator", "async-generator", "lambda", "class", "module"]
FormalKind = Literal["positional-only", "positional", "variadic", "keyword-only", "keywords"]

EXIT, RAISED, ENTRY = 0, 1, 2
"""Blocks 0, 1 and 2: the normal exit, the exit by an uncaught exception, the entry. The first two hold no events."""


class Condition(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """An edge is taken when `value` is true (`holds`) or false (not `holds`)."""

    value: Value
    holds: bool


class Edge(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A way from one block to `target`; `raised` when an exception is still in flight on it (it was not caught)."""

    target: int
    condition: Condition | None = None
    raised: bool = False


class Block(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """Events `first` to `last` (exclusive), then one of `edges`; an exception of any of them lands at block `pad`.

    A block that ends with a `raise` has no edges. Where a `with` is left by an exception, the way on behind the `with` has
    the condition that the result of the `exit` event is true (models know which managers swallow), the way to the outer pad
    that it is false. What cannot be reached is kept in blocks to and from which there is no edge.
    """

    first: int
    last: int
    pad: int
    edges: tuple[Edge, ...]


class Formal(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A parameter; `annotation` is its normalised text or empty, `default` what it is without an argument."""

    name: str
    kind: FormalKind
    annotation: str = ""
    default: Value | None = None


class Function(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One function, lambda, class body or module body.

    Identity within a file is (qualname, ordinal): `@overload`, property setters and conditional definitions share a
    qualname. `qualname` is dotted without `<locals>` (`Class.method`, `outer.inner`, `outer.<lambda1>`; the module body is
    `<module>`). `owner` is the qualname of the class whose body defines it, or empty. `enclosing` is the index of the
    function in whose body it is defined (-1 for the module). `decorators` are dotted texts (of the called name, when the
    decorator is a call). `captures` are names taken from enclosing functions.
    """

    qualname: str
    ordinal: int
    kind: FunctionKind
    owner: str
    enclosing: int
    formals: tuple[Formal, ...]
    returns: str
    decorators: tuple[str, ...]
    locals: tuple[str, ...]
    captures: tuple[str, ...]
    events: tuple[Event, ...]
    blocks: tuple[Block, ...]
    span: Span
    stub: bool = False
    """Whether the body does nothing: only a docstring, `...`, `pass` or `raise NotImplementedError`."""
