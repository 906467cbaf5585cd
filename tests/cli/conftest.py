from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from ctxlint.cli.main import main
from ctxlint.diagnostic import Diagnostic
from ctxlint.ir.span import Span
from tests.cli.analyzers import Known
from tests.findings import finding

Run = Callable[..., "Outcome"]


class Outcome(msgspec.Struct):
    """What a run gave: its exit status and both streams."""

    status: int
    out: str
    err: str


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with one file of three lines, which is the working directory."""
    (tmp_path / "ctxlint.toml").touch()
    (tmp_path / "agent.py").write_text("x = 1\ny = 2\nz = 3\n")
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ctxlint in this process, with an analysis whose result is known."""

    def run_with(*words: str, analyzer: Known | None = None) -> Outcome:
        status = main(list(words), analyzer or Known())
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run_with


@pytest.fixture
def two(project: Path) -> Known:
    """Finds an error of high and a warning of low confidence in the project."""
    return Known(diagnostics=(at(project, 1), at(project, 2, code="CTX302", severity="warning", confidence="low")))


def at(project: Path, line: int, **changes: object) -> Diagnostic:
    """Return a finding of CTX101 at a line of the project's file."""
    place = {"code": "CTX101", "path": str(project / "agent.py"), "span": Span(line, 1, line, 2)}
    return finding(**{**place, **changes})
