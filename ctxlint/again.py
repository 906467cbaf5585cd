"""The answers of the last run, when the edits since then have only moved code about: nothing is linked or asked again.

What a check answers depends on what the files are lowered to, the places in them aside. So comments, blank lines and other
formatting change where findings are shown, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.checks.finding import Answer, At, Finding
from ctxlint.checks.words import worded
from ctxlint.discovery.files import SourceFile
from ctxlint.ir.module import Module
from ctxlint.ir.moved import only_moved
from ctxlint.ir.span import Span
from ctxlint.knowledge.rules import Rule
from ctxlint.result import Analysis, Coverage
from ctxlint.stack import with_room_and_no_cyclic_collection
from ctxlint.store.folder import Folder
from ctxlint.store.records import lowered, packed, unpacked
from ctxlint.store.sources import source_of
from ctxlint.workers import Workers, confirm, lower_files


class Earlier(msgspec.Struct, frozen=True):
    """What the last run left that differs from this one in the texts of its files at most: the record of its answers (None if
    there is none), the folder where its lowered files lie, and the key of each file's text as it is now.
    """

    record: bytes | None
    folder: Folder
    sources: tuple[str, ...]


class Answers(msgspec.Struct, frozen=True, array_like=True):
    """What all rules answered about a program, and where in which texts.

    `sources` are the keys of the files' texts, `answers` have the codes of their rules, `paths` are the files of the modules
    and `spans` the regions of all events that are named.
    """

    sources: tuple[str, ...]
    answers: tuple[tuple[str, Answer], ...]
    paths: dict[str, str]
    spans: tuple[tuple[FunctionId, int, Span], ...]
    coverage: Coverage
    warnings: tuple[str, ...]


class Spans:
    """Where functions and events stand: as their lowered module has it, or, where that was not read, as it was kept."""

    def __init__(
        self, paths: Mapping[str, str], modules: Mapping[str, Module], kept: Mapping[tuple[FunctionId, int], Span] | None = None
    ) -> None:
        self.paths = paths
        self._modules = modules
        self._kept = kept or {}

    def path(self, function: FunctionId) -> str:
        """The file of a function."""
        return self.paths[function.module]

    def span(self, function: FunctionId, event: int) -> Span:
        """The region of an event."""
        module = self._modules.get(function.module)
        return module.functions[function.index].events[event].span if module is not None else self._kept[function, event]


def answered_again(
    files: Sequence[SourceFile], rules: Sequence[Rule], earlier: Earlier, tree: str, workers: Workers,
    progress: Callable[[int, int], None],
) -> Analysis | None:
    """The analysis, if since the last run code has only moved; None when everything has to be linked and asked."""
    with with_room_and_no_cyclic_collection():      # what is lowered here has to be what is lowered there
        return _answered(files, rules, earlier, tree, workers, progress)


def _answered(
    files: Sequence[SourceFile], rules: Sequence[Rule], earlier: Earlier, tree: str, workers: Workers,
    progress: Callable[[int, int], None],
) -> Analysis | None:
    answers = unpacked(_decoder, earlier.record) if earlier.record is not None else None
    if answers is None or len(answers.sources) != len(files):
        return None
    changed = [n for n, (before, now) in enumerate(zip(answers.sources, earlier.sources)) if before != now]
    modules = _moved(files, changed, answers, earlier.folder, tree, workers, progress)
    if modules is None:
        return None
    by_path = {file.path: file for file in files}
    at_hand = {name: modules[path] for name, path in answers.paths.items() if path in modules}
    if tree == "fast" and not _confirmed(answers, at_hand, by_path, earlier.folder):
        return None
    spans = Spans(answers.paths, at_hand, {(function, event): span for function, event, span in answers.spans})
    return in_words(answers.answers, rules, spans, by_path, answers.coverage, answers.warnings, earlier.sources)


def in_words(
    answers: Sequence[tuple[str, Answer]], rules: Sequence[Rule], spans: Spans, files: Mapping[str, SourceFile],
    coverage: Coverage, warnings: tuple[str, ...], sources: tuple[str, ...],
) -> Analysis:
    """The analysis that these answers come to; with `sources`, the keys of the files' texts, also the record for the next run."""
    by_code = {rule.code: rule for rule in rules}
    lines = _SourceLines(files)
    diagnostics = tuple(worded(by_code[code], answer, spans, lines) for code, answer in answers)
    record = _record(answers, spans, coverage, warnings, sources) if sources and not coverage.is_accidental else b""
    return Analysis(diagnostics, coverage, warnings, record=record)


def _record(
    answers: Sequence[tuple[str, Answer]], spans: Spans, coverage: Coverage, warnings: tuple[str, ...], sources: tuple[str, ...]
) -> bytes:
    places = sorted({place for _, answer in answers for place in _places(answer.finding)})
    paths = {function.module: spans.path(function) for function, _ in places}
    found = tuple((function, event, spans.span(function, event)) for function, event in places)
    return packed(Answers(sources, tuple(answers), paths, found, coverage, warnings)) or b""


def _places(finding: Finding) -> Iterator[tuple[FunctionId, int]]:
    """All events that a finding names."""
    yield finding.function, finding.event
    yield from ((step.function, step.event) for step in finding.flow)
    yield from ((reason.function, reason.event) for reason in finding.evidence if reason.function is not None)
    yield from ((word.function, word.event) for word in (*finding.fields.values(), *finding.facts.values()) if isinstance(word, At))


def _moved(
    files: Sequence[SourceFile], changed: Sequence[int], answers: Answers, folder: Folder, tree: str, workers: Workers,
    progress: Callable[[int, int], None],
) -> dict[str, Module] | None:
    """What the changed files are lowered to, by path, if each is what it was but for the places in it."""
    now = lower_files([files[number] for number in changed], tree, folder, workers, progress)
    modules = {}
    for number, module in zip(changed, now):
        record = folder.get("lowered", answers.sources[number])
        before = lowered(record) if record is not None else None
        if not isinstance(module, Module) or before is None or before.module is None or not only_moved(before.module, module):
            return None
        modules[files[number].path] = module
    return modules


def _confirmed(answers: Answers, modules: Mapping[str, Module], files: Mapping[str, SourceFile], folder: Folder) -> bool:
    """Whether LibCST reads the functions of witnesses in these modules as they were lowered."""
    for name, functions in witnesses(answer.finding for _, answer in answers.answers).items():
        module = modules.get(name)
        if module is not None:
            lines = sorted({module.functions[index].span.line for index in functions})
            if confirm(source_of(files[answers.paths[name]]), lines, module, folder) is not None:
                return False
    return True


def witnesses(findings: Iterable[Finding]) -> dict[str, set[int]]:
    """The functions with a finding and those of its flow, by module, in order of the modules' names."""
    functions: dict[str, set[int]] = {}
    for finding in findings:
        for identity in (finding.function, *(step.function for step in finding.flow)):
            functions.setdefault(identity.module, set()).add(identity.index)
    return dict(sorted(functions.items()))


class _SourceLines:
    """Lines of source files by path and number, read when first asked for."""

    def __init__(self, files: Mapping[str, SourceFile]) -> None:
        self._files = files
        self._lines: dict[str, list[str]] = {}

    def __call__(self, path: str, line: int) -> str:
        found = self._lines.get(path)
        if found is None:
            text = source_of(self._files[path]).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
            found = self._lines[path] = text.split("\n")       # a form feed, among others, ends no line of Python
        return found[line - 1].strip() if 0 < line <= len(found) else ""


_decoder = msgspec.msgpack.Decoder(Answers)
