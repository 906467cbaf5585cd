from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ctxlint.cli.main import main
from tests.cli.conftest import Outcome
from tests.gate.repositories import Repository, Said

Check = Callable[..., Outcome]


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """An empty repository, whose root is the working directory."""
    found = Repository(tmp_path / "project")
    monkeypatch.chdir(found.root)
    return found


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str]) -> Check:
    """Run ctxlint with the analysis that finds what the texts say."""

    def run(*words: str) -> Outcome:
        status = main(list(words), Said())
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


@pytest.fixture
def introduced(check: Check) -> Callable[..., list[str]]:
    """What a run with `--since` counts, as `file:line message`, and asserts that its exit status says so."""

    def run(revision: str, *words: str) -> list[str]:
        done = check("check", "--since", revision, "--output-format", "json", *words)
        found = json.loads(done.out) if done.out else []
        assert done.status == (1 if found else 0), done.err
        return [f"{Path(one['filename']).name}:{one['location']['row']} {one['message']}" for one in found]

    return run
