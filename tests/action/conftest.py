from __future__ import annotations

import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.action.runner import Job, run_action

ROOT = Path(__file__).parent.parent.parent

LOSSY = '''\
import json


class Store:
    def load(self):
        with open("state.json") as file:
            self.state = json.load(file)

    def save(self):
        with open("state.json", "w") as file:
            json.dump(self.state, file)
'''

Start = Callable[..., Job]


@pytest.fixture(scope="session")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment like the one that the installing step makes, with this checkout in it, made without pip."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-I", "-m", "venv", "--without-pip", str(folder)], check=True)
    interpreter = folder / "bin" / "python"
    inside = subprocess.run(
        [str(interpreter), "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()
    (Path(inside) / "checkout.pth").write_text(f"{ROOT}\n{sysconfig.get_path('purelib')}\n")
    return interpreter


@pytest.fixture
def start(tmp_path: Path, python: Path) -> Start:
    """Run the action on files of a workspace, as if ctxlint were installed already."""
    (tmp_path / "work" / ".git").mkdir(parents=True)
    (tmp_path / "temporary").mkdir()

    def started(
        files: dict[str, str | bytes] | None = None, installed: dict[str, str] | None = None, **more: Any
    ) -> Job:
        for name, content in (files if files is not None else {"agent.py": LOSSY}).items():
            path = tmp_path / "work" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        done = {"install": {"python": str(python), **(installed or {})}}
        return run_action(ROOT, tmp_path / "work", tmp_path / "temporary", done=done, **more)

    return started
