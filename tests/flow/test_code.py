"""The same questions on functions as they are written, through the lowering."""

import ast
import textwrap
from dataclasses import dataclass

import pytest

from ctxlint.flow.aliases import resolve
from ctxlint.flow.graph import EventGraph, event_graph
from ctxlint.flow.locks import held, regions
from ctxlint.flow.loops import Loops
from ctxlint.flow.origins import Origins
from ctxlint.flow.paths import between, dominates, path
from ctxlint.flow.reaching import Definitions
from ctxlint.flow.sharing import NOT_SHARED, Sharing, sharing
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath
from ctxlint.syntax.lower import lower
from tests.flow.build import at


@dataclass(frozen=True)
class Code:
    """A function and the lines of its source that are marked `# A`."""

    function: Function
    lines: dict[str, int]
    shared: Sharing

    def graph(self, swallows: bool = False) -> EventGraph:
        """Calls, awaits and entries can fail; a `with` ends exceptions if asked to."""
        events = self.function.events
        return event_graph(self.function, lambda event: events[event].kind in ("call", "suspend", "enter"),
                           lambda event: swallows, self.shared)

    def events(self, mark: str, *kinds: str) -> list[int]:
        return [number for number, event in enumerate(self.function.events)
                if event.span.line == self.lines[mark] and event.kind in kinds]

    def event(self, mark: str, *kinds: str) -> int:
        return self.events(mark, *kinds)[-1]


def code(source: str) -> Code:
    source = textwrap.dedent(source).lstrip("\n")
    module = lower(ast.parse(source), source)
    marks = {line.rsplit("# ", 1)[1]: number for number, line in enumerate(source.splitlines(), 1) if "# " in line}
    number, function = next((number, each) for number, each in enumerate(module.functions)
                            if each.kind not in ("module", "class"))
    return Code(function, marks, sharing(module.functions).get(number, NOT_SHARED))


def test_a_committed_flag_guards_the_finally() -> None:
    found = code("""
        def f(self):
            done = False
            try:
                self.step()  # A
                done = True
            finally:
                if not done:
                    self.undo()  # U
        """)
    graph = found.graph()
    step, undo = found.event("A", "call"), found.events("U", "call")
    assert path(graph, step, undo, start="completed") is None
    assert path(graph, step, undo, start="failed") is not None
    assert path(graph, step, graph.raised, undo, start="failed") is None
    assert path(graph, graph.entry, graph.exit, undo) is not None


def test_a_failure_that_is_caught_returns_normally() -> None:
    found = code("""
        def f(self, m):
            self.messages.append(m)  # M
            try:
                self.store.save(m)  # S
            except OSError as error:
                log(error)  # H
        """)
    graph = found.graph()
    mutated, saved = found.event("M", "call"), found.event("S", "call")
    silent = path(graph, mutated, graph.exit, through=found.events("H", "call"), start="completed")
    assert silent is not None and silent.failures == (saved,)
    assert path(graph, mutated, graph.raised, start="completed") is not None
    assert path(graph, mutated, graph.exit, [saved], exceptional=False) is None


@pytest.mark.parametrize(("guard", "reaches"), [
    ("if not self.ready: return", False),
    ("if not self.ready: log()", True),
    ("if not self.ready: raise ValueError", False),
])
def test_a_guard_answers_the_later_question(guard: str, reaches: bool) -> None:
    found = code(f"""
        def f(self):
            {guard}
            other()
            if not self.ready:
                self.fail()  # X
        """)
    graph = found.graph()
    assert (path(graph, graph.entry, found.event("X", "call")) is not None) is reaches


def test_a_suspension_between_check_and_use() -> None:
    found = code("""
        async def f(self):
            if self.owner is None:
                await self.wait()  # S
                if self.owner is not None:
                    taken()  # T
                self.owner = 1  # W
        """)
    graph = found.graph()
    assert path(graph, graph.entry, found.event("T", "call")) is not None
    assert found.event("S", "suspend") in between(graph, found.event("S", "call"), found.event("W", "write"))


def test_exclusive_constants_and_classes() -> None:
    found = code("""
        def f(self, kind, item):
            if kind == "a":
                one()  # A
            if kind == "b":
                two()  # B
            if isinstance(item, Text):
                three()  # C
            note()
            if not isinstance(item, Text):
                four()  # D
        """)
    graph = found.graph()
    a, b, c, d = (found.event(mark, "call") for mark in "ABCD")
    c, d = found.events("C", "call")[-1], found.events("D", "call")[-1]
    assert path(graph, graph.entry, b, through=[a]) is None
    assert path(graph, graph.entry, c, through=[a]) is not None
    assert path(graph, graph.entry, d, through=[c]) is None


def test_an_enumeration_member_stays_across_calls() -> None:
    found = code("""
        def f(state):
            if state is State.OPEN:
                one()  # A
            note()
            if state is not State.OPEN:
                two()  # B
        """)
    graph = found.graph()
    assert path(graph, graph.entry, found.event("B", "call"), through=found.events("A", "call")) is None


def test_a_module_flag_does_not() -> None:
    found = code("""
        def f():
            if LOADED:
                return
            load()
            if LOADED:
                two()  # B
        """)
    graph = found.graph()
    assert path(graph, graph.entry, found.event("B", "call")) is not None


def test_locks_are_held_by_site() -> None:
    found = code("""
        async def f(self, key):
            async with self.lock:
                old = await self.load(key)  # R
            new = await think(old)  # T
            async with self.lock:
                if new is None:
                    return  # N
                await self.save(key, new)  # W
            note()  # E
        """)
    graph = found.graph()
    of = regions(graph)
    assert len(of) == 2 and all(of.values())
    sites = held(graph, {site: "lock" for site in of}, {end: "lock" for ends in of.values() for end in ends})
    read, thought, wrote, ended = (sites[found.event(mark, "call")] for mark in "RTWE")
    assert len(read) == len(wrote) == 1 and read != wrote
    assert thought == ended == frozenset()
    assert sites[graph.exit] == sites[graph.raised] == frozenset()


def test_linear_acquire_and_release() -> None:
    found = code("""
        def f(self):
            self.lock.acquire()  # A
            try:
                self.n = self.n + 1  # W
                step()
            finally:
                self.lock.release()  # R
            note()  # E
        """)
    graph = found.graph()
    acquired = found.event("A", "call")
    sites = held(graph, {acquired: "k"}, {end: "k" for end in found.events("R", "call")})
    assert sites[found.event("W", "write")] == {acquired}
    assert all(sites[end] == {acquired} for end in found.events("R", "call"))
    assert sites[found.event("E", "call")] == frozenset()
    assert sites[graph.raised] == frozenset()


def test_a_with_ends_an_exception_only_if_told() -> None:
    found = code("""
        def f(self):
            with suppress(OSError):
                self.save()  # S
            note()  # E
        """)
    saved, after = found.event("S", "call"), found.event("E", "call")
    assert path(found.graph(), saved, after, start="failed") is None
    assert path(found.graph(swallows=True), saved, after, start="failed") is not None


def test_what_drives_a_loop() -> None:
    found = code("""
        def f(self):
            for row in self.rows:  # L
                while row.busy():  # W
                    row.wait()  # X
                row.close()  # C
            note()  # E
        """)
    loops = Loops(found.graph())
    inner, outer = loops.around(found.event("X", "call"))
    assert inner.driver is None
    assert outer.driver == found.event("L", "iterate")
    assert loops.around(found.event("C", "call")) == (outer,)
    assert loops.loop_of(found.event("E", "call")) is None


def test_a_loop_body_may_run_never() -> None:
    found = code("""
        def f(self):
            for row in self.rows:
                row.close()  # C
            note()  # E
        """)
    graph = found.graph()
    assert not dominates(graph, found.event("C", "call"), found.event("E", "call"))


def places(found: Code, mark: str, *kinds: str) -> set[AccessPath]:
    graph = found.graph()
    return set(resolve(found.function, Definitions(graph.routes), found.event(mark, *kinds)))


def test_aliases_of_cells() -> None:
    found = code("""
        def f(self, agent, key):
            history = self.ctx.messages if key else self.spare
            history.append(key)  # A
            for role, rows in agent.tables.items():
                pass
            for row in agent.rows:
                row.name = key  # B
            first, *rest = self.queue
            first.done = True  # C
            rest.append(first)  # D
            (self.a or self.b)[key] = 1  # E
            self.table[key].rows[0].cells.clear()  # F
        """)
    assert places(found, "A", "call") == {at("self.ctx.messages.append"), at("self.spare.append")}
    assert places(found, "B", "write") == {at("agent.rows[*].name")}
    assert places(found, "C", "write") == {at("self.queue[*].done")}
    assert places(found, "D", "call") == {at("rest.append")}
    assert places(found, "E", "write") == {at("self.a[*]"), at("self.b[*]")}
    assert places(found, "F", "call") == {at("self.table[*].rows[*].cells.clear")}


def test_origins_of_a_record() -> None:
    found = code("""
        async def f(self, key, extra):
            old = await self.store.get(key)  # R
            record = {"count": old.count + 1}
            record["extra"] = extra
            parts = [record]
            parts.append(self.tail)  # T
            await self.store.put(key, parts)  # W
        """)
    graph = found.graph()
    origins = Origins(found.function, Definitions(graph.routes))
    write = found.event("W", "call")
    stored = found.function.events[write].arguments[1].value
    content = origins.roots(stored, write, mutations=True)
    assert ("result", found.event("R", "call")) in content
    assert ("param", "extra") in content
    assert ("result", found.event("T", "read")) in content
    assert ("param", "key") not in content
    assert ("param", "extra") not in origins.roots(stored, write)
    assert origins.identity(stored, write) == frozenset()


def test_identity_of_a_loaded_record() -> None:
    found = code("""
        async def f(self, key):
            state = await self.store.get(key) or None  # R
            if state is None:
                state = State()  # N
            await self.store.put(key, state)  # W
        """)
    graph = found.graph()
    origins = Origins(found.function, Definitions(graph.routes))
    write = found.event("W", "call")
    assert origins.identity(found.function.events[write].arguments[1].value, write) == {
        ("result", found.event("R", "call")), ("result", found.event("N", "call")), ("constant", "None")}


def test_an_inner_function_can_bind_the_name_meanwhile() -> None:
    found = code("""
        def f(self):
            failed = None
            stopped = False
            def work():
                nonlocal failed
                failed = self.run()
            start(work)  # A
            if failed:
                one()  # B
            if stopped:
                two()  # C
        """)
    assert found.shared == Sharing(frozenset({"self", "failed"}), frozenset({"failed"}))
    graph = found.graph()
    assert path(graph, found.event("A", "call"), found.event("B", "call")) is not None
    assert path(graph, found.event("A", "call"), found.event("C", "call")) is None


@pytest.mark.parametrize(("waits", "ends"), [
    ("while not self.done: sleep()", True),
    ("while not results: sleep()", True),
    ("while waiting is None: sleep()", False),
])
def test_loops_that_wait_for_others_end(waits: str, ends: bool) -> None:
    found = code(f"""
        def f(self, results, waiting):
            {waits}  # W
            note()  # E
        """)
    graph = found.graph()
    assert (path(graph, found.event("W", "call"), found.event("E", "call")) is not None) is ends


def test_a_flag_is_remembered_through_a_loop() -> None:
    found = code("""
        def f(self, rows):
            shown = False
            for row in rows:
                if row.ok():
                    row.show()  # S
                    shown = True
                else:
                    row.hide()
            if not shown:
                legacy()  # L
        """)
    graph = found.graph()
    assert path(graph, found.event("S", "call"), found.event("L", "call"), start="completed") is None
    assert path(graph, graph.entry, found.event("L", "call")) is not None


def test_a_parameter_with_a_plain_type_has_no_content_to_change() -> None:
    for annotation, free in ((": bool", False), ("=False", False), (": str | None", False), (": list[str]", True), ("", True)):
        found = code(f"""
            def f(self, dry{annotation}):
                if dry:
                    dry.note()  # A
                if not dry:
                    apply()  # B
            """)
        graph = found.graph()
        assert (path(graph, found.event("A", "call"), found.event("B", "call")) is not None) is free
