"""What a run hands from room to room: the findings, how much was looked at, and what went wrong besides."""

from __future__ import annotations

from typing import Literal

import msgspec

from ctxlint.diagnostic import Diagnostic
from ctxlint.ir.span import NOWHERE, Span

WORKER_DIED = "worker died"


class NotAnalysed(msgspec.Struct, frozen=True):
    """A file that could not be analysed: `reason` in a few words (`syntax error`), `detail` in a sentence."""

    path: str
    reason: str
    detail: str
    span: Span = NOWHERE


class Coverage(msgspec.Struct, frozen=True):
    """How much was looked at: files and functions that were analysed, the files that were not, and the rules that asked.

    `imports` are the dotted names that the files import and that are no module of theirs.
    """

    files: int
    functions: int
    not_analysed: tuple[NotAnalysed, ...] = ()
    rules: int = 0
    imports: tuple[str, ...] = ()

    @property
    def is_accidental(self) -> bool:
        """Whether another run on the same files could look at more: a worker died, perhaps because the machine was busy."""
        return any(each.reason == WORKER_DIED for each in self.not_analysed)


class Unseen(msgspec.Struct, frozen=True):
    """What of the project a run did not look at: how many files, the one to name as an example, whether the files that were
    looked at import it, and the paths with which a run looks at all of them.
    """

    files: int
    example: str
    is_imported: bool
    paths: tuple[str, ...]


class Spent(msgspec.Struct, frozen=True):
    """CPU seconds that a step of the analysis, a rule or the lowering of a file (by its path) took."""

    what: Literal["step", "rule", "file"]
    name: str
    seconds: float


class Analysis(msgspec.Struct, frozen=True):
    """What the checks found, before suppressions and filters; `problems` are warnings about the run itself.

    `record` is for a run after this one, which may find that code has only moved; it is empty when nothing may be kept.
    """

    diagnostics: tuple[Diagnostic, ...]
    coverage: Coverage
    problems: tuple[str, ...] = ()
    spent: tuple[Spent, ...] = ()
    record: bytes = b""


class Report(msgspec.Struct, frozen=True):
    """What is shown: `diagnostics` count, `suppressed` ones are hidden by a comment; both are in order of output.

    `incomplete` is true when something that was asked for was not analysed and nothing allows that.
    `left_out` are findings that the settings leave out, without their arguments: what a baseline accepts may be among them.
    In a comparison `known` are findings that do not count, because an earlier revision or the baseline has them, and `fixed`
    those that only the earlier revision has; `compared` says with what.
    `unseen` is what of the project the run did not look at.
    `spent` is empty when an earlier run has made the report.
    """

    diagnostics: tuple[Diagnostic, ...]
    suppressed: tuple[Diagnostic, ...]
    coverage: Coverage
    problems: tuple[str, ...] = ()
    incomplete: bool = False
    left_out: tuple[Diagnostic, ...] = ()
    known: tuple[Diagnostic, ...] = ()
    fixed: tuple[Diagnostic, ...] = ()
    compared: str = ""
    unseen: Unseen | None = None
    spent: tuple[Spent, ...] = ()


class Called(msgspec.Struct, frozen=True):
    """Which functions call which: dotted names from the import root, both in order.

    `calls` has every function of the program; what it calls is a function of the program, a dotted name outside it,
    `<builtin>.` and a name, or `<unknown>.` and the name by which something is called of which nothing is known.
    `sites` counts the calls that were looked at, `unknown` those among them that can reach something not listed.
    """

    calls: dict[str, tuple[str, ...]]
    sites: int
    unknown: int
    coverage: Coverage
    problems: tuple[str, ...] = ()


class Described(msgspec.Struct, frozen=True):
    """What functions do, step by step: a text for each function that was asked for, and the names of all there are."""

    texts: tuple[str, ...]
    names: tuple[str, ...]
    not_analysed: tuple[NotAnalysed, ...] = ()
