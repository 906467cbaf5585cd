"""Analyses with a known result, for tests of everything around the analysis."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ctxlint.discovery.files import SourceFile
from ctxlint.diagnostic import Diagnostic
from ctxlint.knowledge.configuration import Configuration
from ctxlint.knowledge.models import Models
from ctxlint.knowledge.rules import Rule
from ctxlint.result import Analysis, Coverage, NotAnalysed
from ctxlint.store.folder import Folder
from ctxlint.workers import Workers


@dataclass
class Known:
    """Finds the given findings in every run, remembers what it was asked, and fails on the files named."""

    diagnostics: tuple[Diagnostic, ...] = ()
    not_analysed: tuple[NotAnalysed, ...] = ()
    problems: tuple[str, ...] = ()
    files: list[SourceFile] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    tree: str = ""

    def __call__(
        self,
        files: tuple[SourceFile, ...],
        rules: tuple[Rule, ...],
        configuration: Configuration,
        models: Models,
        *,
        tree: str,
        cache: Folder | None,
        workers: Workers,
        progress: Callable[[int, int], None],
    ) -> Analysis:
        self.files[:] = files
        self.rules[:] = [rule.code for rule in rules]
        self.tree = tree
        codes = set(self.rules)
        found = tuple(one for one in self.diagnostics if one.code in codes)
        coverage = Coverage(len(files) - len(self.not_analysed), 3 * len(files), self.not_analysed)
        return Analysis(found, coverage, self.problems)
