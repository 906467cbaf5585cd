"""The program's own functions that put a whole file in place in one step."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.effects import written_at
from ctxlint.calls.identity import FunctionId
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

    def for_module(self, module: str, writer: FunctionId) -> Helper | None:
        """The helper that a function of a module can call without a new cycle of imports: its own, one of a module that it
        imports already, or one of a module that imports nothing of the program.
        """
        if self._found is None:
            self._found = tuple(self._find())
        imported = {statement.target for statement in self._analysis.program.modules[module].ir.imports}
        near = [
            helper for helper in self._found
            if helper.function != writer and (helper.function.module == module
            or any(target.startswith(f"{helper.function.module}.") for target in imported) or self._is_leaf(helper.function.module))
        ]
        return min(near, key=lambda helper: (helper.function.module != module, helper.function), default=None)

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

    def _is_leaf(self, module: str) -> bool:
        roots = {name.partition(".")[0] for name in self._analysis.program.modules}
        return not any(
            statement.target.startswith(".") or statement.target.partition(".")[0] in roots
            for statement in self._analysis.program.modules[module].ir.imports
        )
