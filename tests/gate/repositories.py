"""Small git repositories, and an analysis that finds what their texts say, for tests of everything around the analysis."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

from ctxlint.diagnostic import Diagnostic, Step
from ctxlint.discovery.files import SourceFile
from ctxlint.ir.span import Span
from ctxlint.knowledge.configuration import Configuration
from ctxlint.knowledge.models import Models
from ctxlint.knowledge.rules import Rule
from ctxlint.result import Analysis, Coverage, NotAnalysed
from ctxlint.store.folder import Folder
from ctxlint.store.sources import source_of
from ctxlint.workers import Workers

_MARK = re.compile(r"#\s*(bug|step):\s*(\w+)(.*)")


class Repository:
    """A work tree under `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")
        (root / "ctxlint.toml").touch()

    def git(self, *words: str) -> str:
        environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        return subprocess.run(
            ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false",
             "-c", "protocol.file.allow=always", *words],
            cwd=self.root, env=environment, capture_output=True, check=True).stdout.decode("utf-8", "replace").strip()

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text, encoding="utf-8")

    def commit(self, **texts: str) -> str:
        """Write files (`a__b` is `a/b.py`), commit all there is, and return the commit."""
        for name, text in texts.items():
            self.write(name.replace("__", "/") + ".py", text)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "c")
        return self.git("rev-parse", "HEAD")


class Said:
    """Finds `# bug: NAME` on a line, in the function above it; `# step: NAME` lines of the file are the steps of its path.

    `# bug: NAME low` is of low confidence, `# bug: NAME if step` is one only when there is a step besides it. A file that says `# broken` cannot be analysed.
    """

    def __call__(
        self, files: tuple[SourceFile, ...], rules: tuple[Rule, ...], configuration: Configuration, models: Models, *,
        tree: str, cache: Folder | None, workers: Workers, progress: Callable[[int, int], None],
    ) -> Analysis:
        found: list[Diagnostic] = []
        broken: list[NotAnalysed] = []
        for file in files:
            text = source_of(file).decode()
            if "# broken" in text:
                broken.append(NotAnalysed(file.path, "syntax error", "it says so"))
            else:
                found += _findings(file.path, text)
        return Analysis(tuple(found), Coverage(len(files) - len(broken), len(files), tuple(broken)))


def _findings(path: str, text: str) -> list[Diagnostic]:
    lines = text.splitlines()
    marks = [(number, line, match) for number, line in enumerate(lines, 1) if (match := _MARK.search(line))]
    found = []
    for number, line, match in marks:
        if match[1] == "bug":
            flow = tuple(
                Step(path, Span(at, 1, at, 2), "does it", other.strip())
                for at, other, mark in marks if mark[2] == match[2])
            if "if step" in match[3] and len(flow) < 2:
                continue
            symbol, body = _enclosing(lines, number)
            found.append(Diagnostic(
                "CTX101", "mutate-late", "error", "low" if "low" in match[3] else "high", path, Span(number, 1, number, 2),
                symbol, f"bug {match[2]}", flow=flow, events=(match[2],), body=_digest(body) + _digest(match[2])))
    return found


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _enclosing(lines: list[str], number: int) -> tuple[str, str]:
    """The dotted name of the function around a line, and what is written in it after its head."""
    symbol, indent, start = [], 1 << 30, 0
    for at in range(number, 0, -1):
        head = re.match(r"( *)(?:def|class) (\w+)", lines[at - 1])
        if head and len(head[1]) < indent:
            symbol.insert(0, head[2])
            start, indent = start or at, len(head[1])
    rest = [line for line in lines[start:] if line.strip()]
    stop = next((at for at, line in enumerate(rest) if re.match(r" *(def|class) ", line)), len(rest))
    return ".".join(symbol) or "<module>", "".join("".join(rest[:stop]).split())
