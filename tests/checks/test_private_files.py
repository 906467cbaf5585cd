"""Functions that leave a file to its owner alone: whoever is asked first changes nothing for those who are asked later."""

from __future__ import annotations

import pytest

from ctxlint.checks.files.private_files import PrivateFiles
from tests.checks.asked import analysis

ROUND = """
import os
import tempfile

def ping(n: int) -> None:
    pong(n)
    tempfile.mkstemp()

def pong(n: int) -> None:
    if n:
        ping(n - 1)

def opens() -> None:
    pong(3)
    os.chmod("x", 0x{mode})
"""


@pytest.mark.parametrize("first", ["ping", "pong"])
def test_a_circle_leaves_what_one_of_it_leaves(first: str) -> None:
    assert left(first, "pong") and left("opens", first)


def test_a_number_that_is_no_mode_is_none_that_lets_others_in() -> None:
    assert not left("opens", mode="f" * 5000)


def left(*names: str, mode: str = "0") -> bool:
    """Whether the last of the functions leaves such a file, when they are asked one after the other."""
    asked = analysis(agent=ROUND.format(mode=mode))
    private = PrivateFiles(asked, ["tempfile.mkstemp"], ["os.chmod"], ["os.open"])
    by_name = {asked.program.symbol(each): each for each in asked.program.functions()}
    return [private.is_left_by(by_name[name]) for name in names][-1]
