"""Which writes replace the content of a file in place, seen from the function that is to blame.

A write belongs to the lowest function that knows which file it is.
A helper that is only told the path and the bytes is a file operation of its callers; one that makes the bytes itself is to
blame for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.effects import StoreEffect, written_at
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.opened import reads_nothing
from ctxlint.calls.recall import Recall
from ctxlint.calls.sources import Source
from ctxlint.calls.terms import UNKNOWN, Term, are_apart, are_named_alike, is_fresh, parameters
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.guarded import runs_only_if_missing
from ctxlint.checks.ordering import comes_before
from ctxlint.checks.pairs import reads_beside, reads_of_the_same_argument
from ctxlint.flow.origins import Atom
from ctxlint.flow.paths import path
from ctxlint.ir.value import NONE, Value
from ctxlint.roles.stores import Access


class Rewrite(msgspec.Struct, frozen=True):
    """A write in place: where, to which file, and the accesses that read it back (the nearest first).

    `known` is true when somebody knows the file by a name, or reads and writes the one that he was told. `apart` tells that
    nothing shows that the readers, who are told a path, are ever told this one.
    A handle that a helper hands out is written by its caller, who is judged; the helper's opening is what destroys the content.
    """

    function: FunctionId
    effect: StoreEffect
    place: Term
    readers: tuple[Access, ...]
    known: bool
    apart: bool = False

    @property
    def opening(self) -> tuple[FunctionId, int]:
        """Where the content is destroyed."""
        return self.effect.origin if self.effect.mode else (self.function, self.effect.event)


class Rewrites:
    """The in-place writes of a program, with the calls that lead to them.

    Each level of a write is looked at once: there are as many ways up to it as there are chains of calls. A caller is one call
    further from the write than what it calls, so that no chain comes back to where it was.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._levels: dict[tuple[FunctionId, int], list[Access]] = {}
        for identity in analysis.program.functions():
            for effect in analysis.summaries.of(identity).effects:
                if effect.kind == "write" and effect.medium == "file" and not effect.atomic and not is_test(identity):
                    self._levels.setdefault(effect.origin, []).append(Access(identity, effect))
        self._above: dict[tuple[FunctionId, int], dict[tuple[FunctionId, int], list[Access]]] = {}
        self._callers: dict[Access, list[Access]] = {}
        self._harmless: dict[Access, bool] = {}
        self._live = Recall[Access, bool](lambda level: True)     # a chain of calls may come back to where it was
        self._told_by_one_who_knows: dict[Access, bool] = {}
        self._blamed: dict[Access, list[Rewrite]] = {}

    def read_back(self) -> Iterator[Rewrite]:
        """The writes that destroy the only copy of something, one for each root cause."""
        seen = set()
        for origin in sorted(self._levels):
            for level in self._levels[origin]:
                if level.effect.distance == 0 and self._is_live(level):
                    for rewrite in self._roots(level, lowest=True):
                        where = (rewrite.function, rewrite.effect.event)
                        if where not in seen:
                            seen.add(where)
                            yield rewrite

    def callers(self, level: Access) -> list[Access]:
        """The same write, one call further up."""
        known = self._callers.get(level)
        if known is None:
            effect = level.effect
            passing = self._passing(effect.origin).get((level.function, effect.distance + 1), ())
            known = self._callers[level] = [other for other in passing if _is_lifted_from(other.effect, effect)]
        return known

    def _callers_by_a_shorter_way(self, level: Access) -> list[Access]:
        """The calls that come to this level, too, when all of them come to the write by fewer calls in another way."""
        passing = self._passing(level.effect.origin)
        return [
            caller for distance in range(1, level.effect.distance + 1) for caller in passing.get((level.function, distance), ())
            if caller.function != level.function and _is_lifted_from(caller.effect, level.effect)
        ]

    def _passing(self, origin: tuple[FunctionId, int]) -> dict[tuple[FunctionId, int], list[Access]]:
        """The levels of a write above the lowest, by a function that they call there and by their distance."""
        known = self._above.get(origin)
        if known is None:
            known = self._above[origin] = {}
            for level in self._levels[origin]:
                calls = self._analysis.view.effective_calls(level.function, level.effect.event) if level.effect.distance else ()
                for target in dict.fromkeys(target for call in calls for target in call.functions):
                    known.setdefault((target, level.effect.distance), []).append(level)
        return known

    def _roots(self, level: Access, *, lowest: bool = False) -> list[Rewrite]:
        """The functions to blame for a write, from the one that opens the file (`lowest`) upwards."""
        if lowest:
            return list(self._find_roots(level, lowest))
        known = self._blamed.get(level)
        if known is None:
            known = self._blamed[level] = list(self._find_roots(level, lowest))
        return known

    def _find_roots(self, level: Access, lowest: bool) -> Iterator[Rewrite]:
        if self._is_harmless(level):
            return
        if not is_something(self._analysis, level):
            written = [root for caller in self.callers(level) if caller.effect.mode and self._is_live(caller) for root in self._roots(caller)]
            if not written:
                self._spare(level, "nothing that could be lost is written")
            yield from written
            return
        readers = self._readers(level)
        if readers:
            if not self._is_told_everything(level) or self._is_told_by_one_who_knows(level):
                yield Rewrite(level.function, level.effect, level.effect.place, readers, bool(level.effect.keys))
            else:
                self._spare(level, "the function only writes what it is told to where it is told to: a file operation of its callers")
            return
        beside = self._readers_beside(level)
        if not parameters(level.effect.place) and not beside:
            self._spare(level, "no function of the analysed code reads the file back")
            return
        above: dict[tuple[FunctionId, int], Rewrite] = {}
        for caller in self.callers(level):
            for root in self._roots(caller) if self._is_live(caller) else ():
                readers = tuple(self._of_this_call(level, root.readers))
                if readers:
                    above.setdefault((root.function, root.effect.event), msgspec.structs.replace(root, readers=readers))
        if above and lowest and not is_handed_in(self._analysis, level):
            first = next(iter(above.values()))
            known = bool(level.effect.keys) or any(root.known or root.readers[0].effect.distance for root in above.values())
            yield Rewrite(level.function, level.effect, first.place, first.readers, known)
        elif above:
            yield from above.values()
        elif beside:
            apart = not any(self._are_told_the_same(level, reader) for reader in beside)
            alike = any(are_named_alike(level.effect.place, reader.effect.place) for reader in beside)
            yield Rewrite(level.function, level.effect, level.effect.place, beside, alike, apart)
        else:
            self._spare(level, "the path comes from the callers, and none of the analysed ones reads such a file back")

    def _is_live(self, level: Access) -> bool:
        """Whether the write can destroy something: here, and in at least one of its callers if there are any."""
        return self._live.ask(level, lambda: not self._is_harmless(level) and self._is_live_above(level))

    def _is_live_above(self, level: Access) -> bool:
        callers = self.callers(level) or self._callers_by_a_shorter_way(level)
        if not callers or any(map(self._is_live, callers)):
            return True
        self._spare(level, "every caller writes to a temporary, new or missing file", *((c.function, c.effect.event) for c in callers))
        return False

    def _is_harmless(self, level: Access) -> bool:
        """A staged file, a new one, or one that is only made when it is missing."""
        known = self._harmless.get(level)
        if known is None:
            fact = self._why_harmless(level)
            known = self._harmless[level] = bool(fact)
            if fact:
                self._spare(level, fact)
        return known

    def _why_harmless(self, level: Access) -> str:
        effect = level.effect
        if effect.staged:
            return "the file is written aside and then moved into its place"
        if is_fresh(effect.place):
            return "the file is a new one, whose name nobody had before"
        if self._is_moved_away(level):
            return "what the file held was moved to another place before"
        if runs_only_if_missing(self._analysis, level.function, effect.event, effect.place):
            return "the file is only written when there is none (or an empty one)"
        return ""

    def _is_moved_away(self, level: Access) -> bool:
        """Whether on every way a rename of the file was completed before: nothing is at its place when the write opens it."""
        place, graph = level.effect.place, self._analysis.view.graph(level.function)
        return place != UNKNOWN and any(
            e.kind == "move" and e.source == place and not e.leaves and e.distance == 0 and comes_before(graph, e.event, level.effect.event)
            and path(graph, e.event, level.effect.event, start="failed") is None
            for e in self._analysis.summaries.of(level.function).effects
        )

    def _spare(self, level: Access, fact: str, *shown_by: tuple[FunctionId, int]) -> None:
        self._analysis.spare(level.function, level.effect.event, fact, *shown_by)

    def _readers(self, level: Access) -> tuple[Access, ...]:
        """Who reads the file back."""
        analysis, effect = self._analysis, level.effect
        found = [
            access for access in (*analysis.stores.readers(effect.keys), *analysis.stores.keeping_readers(effect.keys))
            if (access.function, access.effect.event) != (level.function, effect.event) and not is_test(access.function)
            and not are_apart(access.effect.place, effect.place)
        ]
        found = self._of_this_call(level, found) or self._of_this_call(level, reads_of_the_same_argument(analysis, level))
        return _nearest_first(found, level)

    def _of_this_call(self, level: Access, readers: Iterable[Access]) -> list[Access]:
        """Without those that another call of the writing function comes to, seen from wherever."""
        readers = list(readers)
        others = {reader.effect.origin for reader in readers if _is_of_another_call(self._analysis, level, reader)}
        return [reader for reader in readers if reader.effect.origin not in others]

    def _readers_beside(self, level: Access) -> tuple[Access, ...]:
        """Who reads such a file, when nobody known names one: a function beside this one that understands what it writes."""
        if level.effect.keys or is_handed_in(self._analysis, level):
            return ()
        return _nearest_first(reads_beside(self._analysis, level), level)

    def _are_told_the_same(self, level: Access, reader: Access) -> bool:
        """Whether some function tells both the same path.

        So does the class: by a path of the same name that has a value of its own, or by a method of a base class that is
        overridden, through which the program saves whatever it holds; and whoever names files of one folder alike.
        """
        if are_named_alike(level.effect.place, reader.effect.place):
            return True
        function, name = self._analysis.view.function(level.function), level.effect.place.name
        own = {formal.name for formal in function.formals if formal.default not in (None, NONE)}
        if name == reader.effect.place.name and (name in own or self._is_override(level.function)):
            return True
        return any(
            effect.kind == "read" and effect.origin == reader.effect.origin and effect.place == caller.effect.place
            for caller in self.callers(level) if caller.effect.place != UNKNOWN
            for effect in self._analysis.summaries.of(caller.function).effects
        )

    def _is_override(self, identity: FunctionId) -> bool:
        program = self._analysis.program
        info = program.class_(program.owner(identity) or "")
        method = self._analysis.view.function(identity).qualname.rpartition(".")[2]
        return info is not None and any(program.own_method(base, method) is not None for base in info.mro[1:])

    def _is_told_everything(self, level: Access) -> bool:
        """Whether the function only carries out what its caller says: which file of a folder, and what to write."""
        return is_named_by_caller(level.effect.place) and is_handed_in(self._analysis, level)

    def _is_told_by_one_who_knows(self, level: Access) -> bool:
        """Whether some caller, near or far, makes the file's name and the content itself."""
        known = self._told_by_one_who_knows.get(level)
        if known is None:
            known = self._told_by_one_who_knows[level] = any(
                not self._is_told_everything(caller) and not is_handed_in(self._analysis, caller)
                or self._is_told_by_one_who_knows(caller)
                for caller in self.callers(level) if not self._is_harmless(caller)
            )
        return known


def _is_of_another_call(analysis: Analysis, level: Access, reader: Access) -> bool:
    """Whether the file is named by an argument, and a call that writes it does not come to the reading, nor the other way round:
    another call is told another name.
    """
    if reader.function != level.function or not is_named_by_caller(level.effect.place):
        return False
    graph, write, read = analysis.view.graph(level.function), level.effect.event, reader.effect.event
    return write != read and path(graph, write, read) is None and path(graph, read, write) is None


def _nearest_first(found: list[Access], level: Access) -> tuple[Access, ...]:
    """By calls to the reading, then the writing function, those of its module, and the others."""
    own = level.function
    return tuple(sorted(found, key=lambda it: (it.effect.distance, it.function != own, it.function.module != own.module, it.function)))


def _is_lifted_from(effect: StoreEffect, below: StoreEffect) -> bool:
    """Whether a caller's effect can be this one of its callee: the same place, or one that the callee was told."""
    return below.keys <= effect.keys if parameters(below.place) else below.place == effect.place


def is_test(identity: FunctionId) -> bool:
    """Whether the function stands in a test: what only tests read back, nothing depends on."""
    return any(
        part in ("test", "tests", "conftest") or part.startswith("test_") or part.endswith("_test")
        for part in identity.module.split(".")
    )


def is_something(analysis: Analysis, level: Access) -> bool:
    """Whether anything is written that is not the same every time."""
    effect = level.effect
    if effect.cells or is_emptied_to_be_read(analysis, effect):
        return True
    if not effect.contents:
        return effect.distance > 0 and not effect.mode       # nobody writes into the handle that a callee gave
    return bool(sources_of_content(analysis, level.function, effect))


def is_emptied_to_be_read(analysis: Analysis, effect: StoreEffect) -> bool:
    """Whether the file is opened for update and read before anything is written: whoever reads it wants what it held."""
    return "w" in effect.mode and "+" in effect.mode and any(True for _ in reads_nothing(analysis.view, *effect.origin))


def sources_of_content(analysis: Analysis, identity: FunctionId, effect: StoreEffect) -> frozenset[Source]:
    """Where that comes from which the effect puts into the file."""
    return analysis.summaries.sources.of_all(identity, written_at(analysis.view, identity, effect), effect.contents)


def is_handed_in(analysis: Analysis, level: Access) -> bool:
    """Whether all that is written are the function's own arguments, as they are."""
    effect = level.effect
    return bool(effect.contents) and not effect.cells and all(
        _is_parameter(analysis, level.function, written_at(analysis.view, level.function, effect), value) for value in effect.contents
    )


def _is_parameter(analysis: Analysis, identity: FunctionId, at: int, value: Value) -> bool:
    """Whether the value is formals and nothing else, or the same text in other units; a loop can do that to it again and again."""
    seen: set[Atom] = set()
    pending = [(value, at)]
    while pending:
        atoms = analysis.view.origins(identity).identity(*pending.pop())
        if not atoms:
            return False
        for kind, what in atoms - seen:
            other = _in_other_units(analysis, identity, what) if kind == "result" and isinstance(what, int) else None
            if other is not None:
                pending.append(other)
            elif kind != "param":
                return False
        seen |= atoms
    return True


def _in_other_units(analysis: Analysis, identity: FunctionId, number: int) -> tuple[Value, int] | None:
    """What the result of a call says in other units, and where (`text.encode()`)."""
    event = analysis.view.event(identity, number)
    if event.kind != "call" or event.path is None or len(event.path.steps) != 1:
        return None
    return (event.path.root, number) if analysis.view.does(identity, number, "pure") is not None else None


def is_named_by_caller(place: Term) -> bool:
    """Whether nothing but an argument, or a field of one of an unknown class, tells which file of a folder it is."""
    last = _last_component(place)
    return last.kind in ("param", "unknown") or last.kind == "field" and last.name.startswith("?.")


def _last_component(place: Term) -> Term:
    """What tells the file among those of its folder."""
    if place.kind == "join" and place.parts:
        return _last_component(place.parts[-1])
    if place.kind == "helper" and place.parts:
        return _last_component(place.parts[0])
    return place
