"""Writes in place: whether a helper is only told what to write, or makes it."""

from __future__ import annotations

import pytest

from ctxlint.checks.overwrites import overwrites
from tests.checks.asked import analysis, answers, marked

TOLD_IN_A_LOOP = '''
from pathlib import Path
def save(path: Path, text: str) -> None:
    while text.startswith("-"):
        text = text.strip("-")
    path.write_text(text)
def keep(text: str) -> None:
    save(Path("notes.txt"), text)  # <-
def load() -> str:
    return Path("notes.txt").read_text()
'''

MANY_WAYS_UP = '''
from pathlib import Path
def write(path: Path, text: str) -> None:
    path.write_text(text)
def first(path: Path, text: str) -> None:
    write(path, text)
    write(path, text)
def second(path: Path, text: str) -> None:
    first(path, text)
    first(path, text)
def keep(text: str) -> None:
    second(Path("notes.txt"), text + "!")  # <-
def load() -> str:
    return Path("notes.txt").read_text()
'''

ENTERED_UNDER_ITS_OWN_NAME = '''
import gzip
def keep(lines: list[str]) -> None:
    handle = open("notes.txt", "w")  # <-
    for line in lines:
        with handle as handle:
            handle = gzip.GzipFile(fileobj=handle)
            handle.write(line)
def load() -> str:
    return open("notes.txt").read()
'''


def test_a_text_that_a_loop_changes_is_still_what_the_caller_told() -> None:
    assert [line for line, _ in answers(overwrites, agent=TOLD_IN_A_LOOP)] == marked(TOLD_IN_A_LOOP)


def test_many_chains_of_calls_lead_to_one_who_is_to_blame() -> None:
    assert [line for line, _ in answers(overwrites, agent=MANY_WAYS_UP)] == marked(MANY_WAYS_UP)


def test_a_handle_that_a_loop_makes_of_itself_is_followed_once() -> None:
    assert [line for line, _ in answers(overwrites, agent=ENTERED_UNDER_ITS_OWN_NAME)] == marked(ENTERED_UNDER_ITS_OWN_NAME)


KEEPS = '''
from pathlib import Path
def keep(text: str) -> None:
    Path("notes.txt").write_text(text + "!")
def load() -> str:
    return Path("notes.txt").read_text()
'''

HELPS = '''
import os
def {name}(path: str, data: {content}) -> None:
    with open(path + ".new", "w") as handle:
        handle.write(data)
    os.replace(path + ".new", path)
'''


@pytest.mark.parametrize(
    ("sources", "helpers"),
    [
        ({"app__agent": KEEPS, "app__files": HELPS.format(name="put", content="bytes")}, "app.files:put:bytes"),
        ({"app__agent": KEEPS + HELPS.format(name="put", content="str"), "app__files": HELPS.format(name="put", content="str")}, ":put:str"),
        ({"app__agent": KEEPS, "app__files": HELPS.format(name="put", content="str") + HELPS.format(name="set", content="bytes")},
         "app.files:put:str app.files:set:bytes"),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="_put", content="str"), "app__b": HELPS.format(name="put", content="str")},
         "app.b:put:str"),
        ({"app__agent": KEEPS, "app__files": "from . import agent" + HELPS.format(name="put", content="str")}, None),
        ({"app__agent": KEEPS, "app__files": "import yaml" + HELPS.format(name="put", content="str")}, None),
        ({"app__agent": KEEPS, "scripts__files": HELPS.format(name="put", content="str")}, None),
        ({"agent": "import files" + KEEPS, "files": HELPS.format(name="put", content="str")}, "files:put:str"),
    ],
)
def test_what_the_program_has_for_it_is_found_where_it_can_be_imported(sources: dict[str, str], helpers: str | None) -> None:
    (found,) = overwrites(analysis(**sources))
    assert found.facts.get("helpers") == helpers
