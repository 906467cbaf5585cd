"""The program's own functions that put a whole file in place in one step."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.effects import written_at
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.loading import Loading
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.files.private_files import PrivateFiles
from ctxlint.checks.rewrites import is_test
from ctxlint.ir.function import Formal

CONTENT = ("str", "bytes")


class Helper(msgspec.Struct, frozen=True):
    """A function of a module: its first argument is the file, its second one the content, of class `content`.

    `path` is the class that the file has to have, empty when it may be known by a text as well as by an object; the
    function may ask for the encoding besides.
    """

    function: FunctionId
    name: str
    content: str
    path: str
    asks_encoding: bool


class AtomicHelpers:
    """Found once, when somebody asks."""

    def __init__(self, analysis: Analysis, private: PrivateFiles) -> None:
        self._analysis = analysis
        self._private = private
        self._loading = Loading(analysis.program)
        self._found: list[Helper] | None = None

    def for_module(self, module: str, writer: FunctionId) -> Iterator[Helper]:
        """The helpers that a function of a module can call, the best for each class of content: those of the module itself,
        then those of others that it can import without a cycle, and of these the one which the most modules use.
        """
        if self._found is None:
            self._found = sorted(self._find(), key=lambda each: (-self._users(each), each.function))
        taken: set[str] = set()
        for helper in sorted(self._found, key=lambda each: each.function.module != module):
            if helper.content not in taken and helper.function != writer and self._may_use(module, helper):
                taken.add(helper.content)
                yield helper

    def _users(self, helper: Helper) -> int:
        """How many other modules call it."""
        callers = {caller.module for caller, _ in self._analysis.view.call_graph.callers(helper.function) if not is_test(caller)}
        return len(callers - {helper.function.module})

    def _find(self) -> Iterator[Helper]:
        analysis = self._analysis
        for identity in analysis.program.functions():
            function = analysis.view.function(identity)
            needed = [formal for formal in function.formals if formal.default is None]
            asks_encoding = any(map(_names_encoding, needed))
            needed = [formal for formal in needed if not _names_encoding(formal)]
            if function.kind != "function" or function.owner or function.enclosing != 0 or function.decorators or is_test(identity):
                continue
            if len(needed) != 2 or needed != list(function.formals[:2]) or needed[1].annotation not in CONTENT:
                continue
            if not needed[0].annotation or asks_encoding and needed[1].annotation != "str":
                continue
            effects = analysis.summaries.of(identity).effects
            moves = [e for e in effects if e.kind == "move" and e.place.kind == "param" and e.place.name == needed[0].name]
            writes = [e for e in effects if e.kind == "write" and e.medium == "file"]
            if moves and writes and all(e.staged for e in writes) and any(
                source.kind == "param" and source.name == needed[1].name
                for e in writes
                for source in analysis.summaries.sources.of_all(identity, written_at(analysis.view, identity, e), e.contents)
            ) and not self._private.is_left_by(identity):
                yield Helper(identity, function.qualname, needed[1].annotation, _path_class(needed[0].annotation), asks_encoding)

    def _may_use(self, module: str, helper: Helper) -> bool:
        """Whether a module may use a helper of its own or import one that is meant for others. Its module has to be of the same
        package, or imported already: what lies beside a package (scripts, examples) need not be there where it runs, nor what
        the other one needs besides.
        """
        loading, other = self._loading, helper.function.module
        if module == other:
            return True
        if helper.name.startswith("_"):
            return False
        together = module.partition(".")[0] == other.partition(".")[0] or other in loading.imported_by(module)
        return together and not loading.would_be_a_cycle(module, other) and loading.needs_nothing_new(module, other)


def _names_encoding(formal: Formal) -> bool:
    return formal.kind == "keyword-only" and formal.name == "encoding"


def _path_class(annotation: str) -> str:
    """What a path has to be: a text alone, an object alone, or either of them."""
    return annotation if annotation == "str" else "Path" if annotation in ("Path", "pathlib.Path") else ""
