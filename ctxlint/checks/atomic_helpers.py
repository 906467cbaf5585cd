"""The program's own functions that put a whole file in place in one step."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.effects import written_at
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.loading import imported_by, needs_nothing_new, would_be_a_cycle
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.rewrites import is_test

CONTENT = ("str", "bytes")


class Helper(msgspec.Struct, frozen=True):
    """A function of a module: its first argument is the file, its second one the content, of class `content`."""

    function: FunctionId
    name: str
    content: str


class AtomicHelpers:
    """Found once, when somebody asks."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._found: tuple[Helper, ...] | None = None

    def for_module(self, module: str, writer: FunctionId) -> Iterator[Helper]:
        """The helpers that a function of a module can call, the nearest for each class of content: those of the module itself,
        and those of others that it can import without a cycle.
        """
        if self._found is None:
            self._found = tuple(self._find())
        near = sorted(self._found, key=lambda each: (each.function.module != module, each.name.startswith("_"), each.function))
        taken: set[str] = set()
        for helper in near:
            if helper.content not in taken and helper.function != writer and self._can_import(module, helper.function.module):
                taken.add(helper.content)
                yield helper

    def _find(self) -> Iterator[Helper]:
        analysis = self._analysis
        for identity in analysis.program.functions():
            function = analysis.view.function(identity)
            needed = [formal for formal in function.formals if formal.default is None]
            if function.kind != "function" or function.owner or function.enclosing != 0 or function.decorators or is_test(identity):
                continue
            if len(needed) != 2 or needed != list(function.formals[:2]) or needed[1].annotation not in CONTENT:
                continue
            effects = analysis.summaries.of(identity).effects
            moves = [e for e in effects if e.kind == "move" and e.place.kind == "param" and e.place.name == needed[0].name]
            writes = [e for e in effects if e.kind == "write" and e.medium == "file"]
            if moves and writes and all(e.staged for e in writes) and any(
                source.kind == "param" and source.name == needed[1].name
                for e in writes
                for source in analysis.summaries.sources.of_all(identity, written_at(analysis.view, identity, e), e.contents)
            ):
                yield Helper(identity, function.qualname, needed[1].annotation)

    def _can_import(self, module: str, other: str) -> bool:
        """Whether a module may import another one, which has to be of the same package, or imported already: what lies beside
        a package (scripts, examples) need not be there where it runs, nor what the other one needs besides.
        """
        program = self._analysis.program
        if module == other:
            return True
        together = module.partition(".")[0] == other.partition(".")[0] or other in imported_by(program, module)
        return together and not would_be_a_cycle(program, module, other) and needs_nothing_new(program, module, other)
