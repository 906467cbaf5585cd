"""Pairing keys of paths: which operations are on one file."""

from __future__ import annotations

from tests.checks.asked import analysis

CONFINED = """
from pathlib import Path

def confined(folder: Path, name: str) -> Path:
    return checked(folder, folder / name)

def checked(folder: Path, target: Path) -> Path:
    resolved = target.resolve()
    if not resolved.is_relative_to(folder.resolve()):
        raise ValueError(target)
    return resolved

class Downloads:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def keep(self, name: str, content: bytes) -> None:
        confined(self.folder, name).write_bytes(content)

    def take(self, name: str) -> bytes:
        return confined(self.folder, name).read_bytes()

class Manuals:
    def __init__(self, shelf: Path) -> None:
        self.shelf = shelf

    def page(self, name: str) -> bytes:
        return confined(self.shelf, name).read_bytes()
"""


def test_a_helper_that_is_told_another_folder_gives_another_file() -> None:
    asked = analysis(agent=CONFINED)
    keys = {
        asked.program.symbol(each): frozenset().union(*(effect.keys for effect in asked.summaries.of(each).effects))
        for each in asked.program.functions()
    }
    assert keys["Downloads.keep"] & keys["Downloads.take"]
    assert not keys["Downloads.keep"] & keys["Manuals.page"]
