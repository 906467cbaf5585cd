"""Which fixtures there are, which rules they are asked, and how the analyzer is run on them."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fixture_marks import Finding, marks_within

FIXTURES = Path(__file__).parent.parent / "fixtures"
PROJECTS = "projects"
FIXED = ".fixed.py"
"""`x.fixed.py` is what `x.py` becomes by its fixes; it is compared, not analysed."""


class AnalyzerFailed(AssertionError):
    """The analyzer could not do what it was asked; its words are the message."""


@dataclass(frozen=True)
class Case:
    """A file, or a project of several, with the rules that it has verdicts for."""

    name: str
    root: Path
    codes: tuple[str, ...]
    pending: tuple[str, ...]

    def __str__(self) -> str:
        return self.name


def pending_codes() -> frozenset[str]:
    """Return the rules whose fixtures were written before their checks and are not asked yet."""
    return frozenset((FIXTURES / "pending.txt").read_text(encoding="utf-8").split())


def rule_folders() -> list[Path]:
    """Return the fixture folders of single rules."""
    return sorted(path for path in FIXTURES.glob("CTX*") if path.is_dir())


def fixture_files(folder: Path) -> list[Path]:
    """Return the fixture files of one rule."""
    return sorted(path for path in folder.glob("*.py") if not path.name.endswith(FIXED))


def cases() -> list[Case]:
    """Return all files and projects; a rule's folder and the marks say which rules each is asked."""
    return list(_cases())


def _cases() -> Iterator[Case]:
    for folder in rule_folders():
        for path in fixture_files(folder):
            yield _case(f"{folder.name}/{path.name}", path, {folder.name})
    for project in sorted(path for path in (FIXTURES / PROJECTS).iterdir() if path.is_dir()):
        yield _case(f"{PROJECTS}/{project.name}", project, set())


def _case(name: str, root: Path, codes: set[str]) -> Case:
    wanted = codes | {mark.code for mark in marks_within(root)}
    pending = pending_codes()
    return Case(name, root, tuple(sorted(wanted - pending)), tuple(sorted(wanted & pending)))


def findings_in(root: Path, codes: Iterable[str]) -> list[Finding]:
    """Return what the analyzer finds in `root` when it is asked the rules `codes`, however unsure it is."""
    from ctxlint.cli.main import main

    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        words = ["check", "--isolated", "--no-cache", "--preview", "--quiet", "--select", ",".join(codes)]
        words += ["--min-confidence", "low", "--output-format", "json", "--output-file", str(report), str(root)]
        said = io.StringIO()
        with contextlib.redirect_stderr(said):
            status = main(words)
        if status not in (0, 1):
            raise AnalyzerFailed(f"ctxlint {' '.join(words)}: status {status}\n{said.getvalue()}")
        found = json.loads(report.read_text(encoding="utf-8"))
    return [
        Finding(Path(one["filename"]), one["location"]["row"], one["code"], one["confidence"], one["message"])
        for one in found
    ]
