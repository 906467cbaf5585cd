"""Where a value comes from: its leaves, through local names, as content or as the very object."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Literal, Union

from ctxlint.flow.reaching import ENTRY_VALUE, Definitions, Reaching
from ctxlint.ir.event import Event
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value

Atom = Union[
    tuple[Literal["result"], int],
    tuple[Literal["param", "global", "captured", "constant"], str],
]
"""A leaf: what an event produced, or what a parameter, a global or captured variable or a literal holds."""

Passing = Callable[[int], Iterable[Value]]
"""For a call event: the values (of the call) whose content, or identity, its result has. Told by models and summaries."""

_Pending = list[tuple[Value, int]]


def passes_nothing(event: int) -> tuple[Value, ...]:
    """The `Passing` that knows no call: results of calls are leaves."""
    return ()


class Origins:
    """Expands values of one function.

    `content` tells which argument values a call's result is made of, `same` which its result can be, `adds` which of the
    stores and calls on a local put something into it (by default stores, and calls whose result nobody uses).
    Loops are followed once; every question costs at most one visit of each event.
    """

    __slots__ = ("_function", "_definitions", "_content", "_same", "_adds", "_known", "_params")

    def __init__(
        self,
        function: Function,
        definitions: Definitions,
        *,
        content: Passing = passes_nothing,
        same: Passing = passes_nothing,
        adds: Callable[[int], bool] | None = None,
    ) -> None:
        self._function = function
        self._definitions = definitions
        self._content = content
        self._same = same
        self._adds = adds if adds is not None else discarding(function).__contains__
        self._known: dict[tuple[Value, int, str], frozenset[Atom]] = {}
        self._params = frozenset([formal.name for formal in function.formals])

    def roots(self, value: Value, at: int, *, mutations: bool = False) -> frozenset[Atom]:
        """Everything whose content is part of the value, as evaluated at event `at`.

        Goes through local names, operators, displays, items and elements, awaits and iteration; the result of a read is a
        leaf, and so are the leaves of what it is read from. A condition of `a if c else b` is no content.
        With `mutations`, what was added to a local object since it was bound is content of it as well.
        """
        return self._expanded(value, at, "additions" if mutations else "content")

    def identity(self, value: Value, at: int) -> frozenset[Atom]:
        """Everything that the value can be as the very same object.

        Goes through local names, the alternatives of `if`, `or` and `and`, items of a display, and await; not through
        operators, displays, items or elements. Empty for a value computed here.
        """
        return self._expanded(value, at, "identity")

    def _expanded(self, value: Value, at: int, mode: str) -> frozenset[Atom]:
        question = (value, at, mode)
        known = self._known.get(question)
        if known is None:
            known = self._known[question] = self._walk(value, at, mode)
        return known

    def _walk(self, value: Value, at: int, mode: str) -> frozenset[Atom]:
        atoms: set[Atom] = set()
        results: set[int] = set()
        bound: dict[str, int] = {}
        added: dict[str, int] = {}
        pending: _Pending = [(value, at)]
        while pending:
            part, where = pending.pop()
            if isinstance(part, Constant):
                atoms.add(("constant", part.text))
            elif isinstance(part, Result):
                if part.event not in results:
                    results.add(part.event)
                    read = self._function.events[part.event].path
                    if mode == "additions" and read is not None and self._is_of_attribute(part.event):
                        self._holder(read, part.event, atoms, pending, bound, added)
                    else:
                        self._result(part.event, mode, atoms, pending)
            elif isinstance(part, Name):
                for number in self._unseen(self._definitions.bound, part.name, where, bound):
                    self._definition(part, number, atoms, pending)
                if mode == "additions":
                    for number in self._unseen(self._definitions.added, part.name, where, added):
                        if self._adds(number):
                            pending.extend([(each, number) for each in _added(self._function.events[number])])
            elif isinstance(part, Compound):
                parts = _alternatives(part) if mode == "identity" else _contents(part)
                pending.extend([(each, where) for each in parts])
        return frozenset(atoms)

    def _unseen(self, reaching: Reaching, name: str, at: int, seen: dict[str, int]) -> tuple[int, ...]:
        """The name's events that reach `at` and were not met before in this walk."""
        if reaching is self._definitions.bound and name not in reaching.masks:
            return self._definitions.definitions(at, name)
        bits = reaching.bits(at, name) & ~seen.get(name, 0)
        seen[name] = seen.get(name, 0) | bits
        return reaching.listed(bits)

    def _definition(self, name: Name, number: int, atoms: set[Atom], pending: _Pending) -> None:
        if number == ENTRY_VALUE:
            if name.scope != "local":
                atoms.add((name.scope, name.name))
            elif name.name in self._params:
                atoms.add(("param", name.name))
            return
        event = self._function.events[number]
        if event.kind == "local" and event.value is not None:
            pending.append((event.value, number))
        elif event.kind == "import":
            atoms.add(("global", name.name))
        else:
            atoms.add(("result", number))

    def _result(self, number: int, mode: str, atoms: set[Atom], pending: _Pending) -> None:
        event = self._function.events[number]
        whole = mode == "identity"
        if event.kind == "suspend" and event.note == "await" and event.value is not None:
            pending.append((event.value, number))
            return
        atoms.add(("result", number))
        if event.kind == "call":
            pending.extend([(each, number) for each in (self._same if whole else self._content)(number)])
        elif event.kind == "enter" and event.value is not None:
            pending.append((event.value, number))
        elif not whole and event.kind == "iterate" and event.value is not None:
            pending.append((event.value, number))
        elif not whole and event.kind == "read" and event.path is not None:
            pending.append((event.path.root, number))

    def _is_of_attribute(self, number: int) -> bool:
        event = self._function.events[number]
        return event.kind == "read" and event.path is not None and isinstance(event.path.root, Name) and event.path.steps[:1] not in ((), ("[*]",))

    def _holder(
        self, read: AccessPath, number: int, atoms: set[Atom], pending: _Pending, bound: dict[str, int], added: dict[str, int]
    ) -> None:
        """An attribute, and the object it is read of: with what was added to that, but for what its other attributes were set to."""
        assert isinstance(read.root, Name)
        atoms.add(("result", number))
        for each in self._unseen(self._definitions.bound, read.root.name, number, bound):
            self._definition(read.root, each, atoms, pending)
        step = read.steps[0]
        reaching, key = self._definitions.added, f"{read.root.name}.{step}"
        bits = reaching.bits(number, read.root.name) & ~added.get(read.root.name, 0) & ~added.get(key, 0)
        added[key] = added.get(key, 0) | bits
        for each in reaching.listed(bits):
            event = self._function.events[each]
            other = event.kind == "write" and event.path is not None and event.path.steps[:1] not in ((step,), ("[*]",))
            if not other and self._adds(each):
                pending.extend([(value, each) for value in _added(event)])


def discarding(function: Function) -> frozenset[int]:
    """The stores, and the calls (awaited or not) whose result nobody uses: what is done for its effect."""
    found = set()
    for number, event in enumerate(function.events):
        if event.kind == "write" or (event.kind == "call" and event.ignored):
            found.add(number)
        elif event.kind == "suspend" and event.ignored and isinstance(event.value, Result):
            found.add(event.value.event)
    return frozenset(found)


def unpacked_part(compound: Compound) -> Value | None:
    """The part of a display that an unpacking takes: x of `a, b = x, y`."""
    if compound.operator != "item" or len(compound.parts) != 2:
        return None
    display, position = compound.parts
    if not isinstance(display, Compound) or display.operator not in ("tuple", "list") or not isinstance(position, Constant):
        return None
    if any(isinstance(part, Compound) and part.operator == "*" for part in display.parts) or position.kind != "int":
        return None
    index = int(position.text)
    return display.parts[index] if -len(display.parts) <= index < len(display.parts) else None


def _added(event: Event) -> list[Value]:
    added = [argument.value for argument in event.arguments]
    if event.value is not None:
        added.append(event.value)
    return added


def _alternatives(compound: Compound) -> tuple[Value, ...]:
    if compound.operator == "if":
        return compound.parts[1:]
    if compound.operator in ("or", "and"):
        return compound.parts
    picked = unpacked_part(compound)
    return () if picked is None else (picked,)


def _contents(compound: Compound) -> tuple[Value, ...]:
    if compound.operator == "if":
        return compound.parts[1:]
    if compound.operator == "annotation":
        return ()
    picked = unpacked_part(compound)
    return compound.parts if picked is None else (picked,)
