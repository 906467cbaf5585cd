"""What a function does, one step at a time, in evaluation order."""

from __future__ import annotations

from typing import Literal

import msgspec

from ctxlint.ir.span import Span
from ctxlint.ir.value import AccessPath, Value

EventKind = Literal[
    "read",      # path is read; the result is its content
    "write",     # value is stored into path (an attribute or item); note: "aug" for an augmented store, or its annotation
    "delete",    # path is deleted
    "local",     # value is bound to the name at path.root (local, captured or global); note: its annotation, if written here
    "call",      # path is called with arguments; path ends in the method's or function's name
    "iterate",   # the next element of value is taken; the result is the element; note "async" for `async for`
    "suspend",   # another writer can run; note: await | yield | yield-from | async-for | async-enter | async-exit
    "enter",     # the context manager `value` is entered; the result is what `as` binds; note "async" or ""
    "exit",      # the context manager `value` is left; note "async" or ""; the result: whether it swallows the exception
    "return",    # value is returned (before any `finally` runs)
    "raise",     # value is raised; None re-raises
    "catch",     # a handler begins; value: the caught types (None for a bare one); path.root: the bound name
    "resume",    # a handler ends without raising, returning or jumping; path.root: the name that it unbinds
    "define",    # a function, lambda or class statement is executed; value: its Closure; path.root: the bound name
    "import",    # path.root is bound to the module or attribute named in note (relative ones keep their dots)
]


class Argument(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One argument of a call: `keyword` is empty for a positional one, `*` or `**` for an unpacked one."""

    keyword: str
    value: Value


class Event(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One step. Which fields mean something depends on `kind`, as listed there.

    An event's result is referred to as `Result(number)`, where number is its index in `Function.events`.
    `ignored` is true for a call or an await whose result nobody uses (an expression statement).
    The result of `suspend` with note "await" is the awaited value, and `value` is what is awaited; for "yield" `value` is
    what is yielded.
    """

    kind: EventKind
    span: Span
    path: AccessPath | None = None
    value: Value | None = None
    keys: tuple[Value, ...] = ()
    arguments: tuple[Argument, ...] = ()
    note: str = ""
    ignored: bool = False
