"""Which methods of an interface read and write the same kind of record, told from their signatures.

One interface often stands for many kinds: sessions, runs, approvals.
A reading and a write belong together when the type that is given back is the type that is taken, or when both are selected by
the same required key and speak of the same thing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.checks.analysis import Analysis
from ctxlint.ir.function import Formal, Function

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_GENERAL = frozenset(
    ["Optional", "Union", "List", "Dict", "Tuple", "Set", "Any", "None", "Sequence", "Mapping", "Iterable", "Literal", "Annotated",
     "Awaitable", "Coroutine", "list", "dict", "tuple", "set", "str", "int", "float", "bool", "bytes", "object", "typing",
     "collections", "abc", "UUID", "uuid", "Path", "datetime", "type", "Type"]
)
"""Names in annotations that say nothing of which kind of record is meant."""
_STREAMS = frozenset(["AsyncIterator", "AsyncIterable", "AsyncGenerator", "Iterator", "Generator", "Callable"])
"""Results that are consumed, not loaded."""


def pair_up(analysis: Analysis, read: StoreEffect, write: StoreEffect) -> bool:
    """Whether the two effects, through body-less methods, are on the same kind of record of a store that keeps it."""
    readers, writers = list(_methods(analysis, read)), list(_methods(analysis, write))
    return any(
        _same_owner(analysis, r, w) and _is_kept(analysis, r, w)
        and _speak_of_one_kind(analysis, analysis.view.function(r), analysis.view.function(w))
        for r in readers for w in writers
    )


def _methods(analysis: Analysis, effect: StoreEffect) -> Iterator[FunctionId]:
    """The body-less methods behind an interface effect."""
    function, event = effect.origin
    for call in analysis.view.effective_calls(function, event):
        yield from call.abstract


def _same_owner(analysis: Analysis, one: FunctionId, other: FunctionId) -> bool:
    return analysis.program.owner(one) == analysis.program.owner(other)


def _is_kept(analysis: Analysis, read: FunctionId, write: FunctionId) -> bool:
    """Whether the known implementations, if there are any, keep the record outside of this process's memory."""
    owner = analysis.program.owner(read)
    info = analysis.program.class_(owner) if owner is not None else None
    implementers = analysis.program.implementers(owner) if owner is not None else ()
    if not implementers and info is not None:                # there are too many for a call to reach, but each can be asked
        implementers = tuple(c for c in info.subclasses if not analysis.program.is_abstract(c))
    names = [analysis.view.function(m).qualname.rpartition(".")[2] for m in (read, write)]
    bodies = [m for c in implementers for n in names if (m := analysis.program.method(c, n)) is not None]
    return not bodies or any(
        e.kind != "commit" for body in bodies for e in analysis.summaries.of(body).effects
    ) or any(_is_opaque(analysis, body) for body in bodies)


def _is_opaque(analysis: Analysis, body: FunctionId) -> bool:
    """Whether the implementation waits for something: what only lives in memory does not."""
    return analysis.summaries.of(body).suspends


def _speak_of_one_kind(analysis: Analysis, read: Function, write: Function) -> bool:
    if _types(read.returns) & _STREAMS:
        return False
    taken, asked = _own_formals(write), _own_formals(read)
    if _types(read.returns) & {t for formal in taken for t in _types(formal.annotation)}:
        return True
    spoken, written = _things(analysis, read), _things(analysis, write)
    if spoken and written and spoken.isdisjoint(written):
        return False
    shared = {f.name for f in asked} & {f.name for f in taken}
    required = {f.name for f in asked if f.default is None}
    if required:
        return bool(required & shared)
    return bool(shared) or not asked


def _own_formals(function: Function) -> list[Formal]:
    return [f for f in function.formals if f.name != receiver_name(function) and f.kind not in ("variadic", "keywords")]


def _types(annotation: str) -> frozenset[str]:
    return frozenset(_IDENTIFIER.findall(annotation)) - _GENERAL


def _things(analysis: Analysis, function: Function) -> frozenset[str]:
    """What a method's name speaks of, its verbs left out."""
    words = analysis.words
    verbs = {*words.reads, *words.writes, *words.appends, *words.deletes, "by", "id", "all", "a"}
    parts = [part.rstrip("s") for part in function.qualname.rpartition(".")[2].lower().split("_") if part]
    return frozenset(part for part in parts if part not in verbs and part + "s" not in verbs)
