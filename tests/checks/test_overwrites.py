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
        ({"app__agent": KEEPS, "app__files": HELPS.format(name="put", content="bytes")}, "app.files:put:bytes:str:"),
        ({"app__agent": KEEPS + HELPS.format(name="_put", content="str"), "app__files": HELPS.format(name="put", content="str")},
         ":_put:str:str:"),
        ({"app__agent": KEEPS, "app__files": HELPS.format(name="put", content="str") + HELPS.format(name="set", content="bytes")},
         "app.files:put:str:str: app.files:set:bytes:str:"),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="_put", content="str"), "app__b": HELPS.format(name="put", content="str")},
         "app.b:put:str:str:"),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="_put", content="str")}, None),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="put", content="str"), "app__b": HELPS.format(name="put", content="str"),
          "app__c": "from app.b import put\ndef c(): put('c', 'c')"}, "app.b:put:str:str:"),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="put", content="str, *, encoding: str")}, "app.a:put:str:str:encoding"),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="put", content="bytes, *, encoding: str")}, None),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="put", content="str, *, mode: int")}, None),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="put", content="str").replace("path: str", "path")}, None),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="put", content="str").replace("path: str", "path: str | Path")},
         "app.a:put:str::"),
        ({"app__agent": KEEPS, "app__a": HELPS.format(name="put", content="str").replace("path: str", "path: pathlib.Path")},
         "app.a:put:str:Path:"),
        ({"app__agent": KEEPS, "app__files": "from . import agent" + HELPS.format(name="put", content="str")}, None),
        ({"app__agent": KEEPS, "app__files": "import yaml" + HELPS.format(name="put", content="str")}, None),
        ({"app__agent": KEEPS, "scripts__files": HELPS.format(name="put", content="str")}, None),
        ({"agent": "import files" + KEEPS, "files": HELPS.format(name="put", content="str")}, "files:put:str:str:"),
    ],
)
def test_what_the_program_has_for_it_is_found_where_it_can_be_imported(sources: dict[str, str], helpers: str | None) -> None:
    (found,) = overwrites(analysis(**sources))
    assert found.facts.get("helpers") == helpers


PRIVATE = """
import os, shutil, tempfile
{above}
def put(path: str, data: str) -> None:
    {make}
    with os.fdopen(descriptor, "w") as handle:
        handle.write(data)
    {behind}
    os.replace(beside, path)
    {last}
"""


@pytest.mark.parametrize(
    ("make", "above", "behind", "last", "kept"),
    [
        ("", "", "", "", False),
        ("", "", "os.chmod(beside, 0o644)", "", True),
        ("", "", "os.chmod(beside, 0o600)", "", False),
        ("", "", "if os.path.exists(path): os.chmod(beside, os.stat(path).st_mode)", "", False),
        ("", "", "shutil.copymode(path, beside)", "", True),
        ("", "", "os.fchmod(descriptor, mode=0o640)", "", True),
        ("", "", "", "os.chmod(path, 0o644)", True),
        ("", "", "try: os.fsync(descriptor)\n    except OSError: return\n    os.chmod(beside, 0o644)", "", True),
        ("try: descriptor, beside = tempfile.mkstemp()\n    except OSError: return os.replace(data, path)", "", "os.chmod(beside, 0o644)", "", True),
        ("", "def opened(path):\n    os.chmod(path, 0o664)", "opened(beside)", "", True),
        ("", "def opened(path):\n    if path: os.chmod(path, 0o664)", "opened(beside)", "", False),
        ("descriptor, beside = made(path)", "def made(path): return tempfile.mkstemp(dir=path)", "", "", False),
        ("descriptor, beside = made(path)",
         "def made(path):\n    d, p = tempfile.mkstemp(dir=path)\n    os.fchmod(d, 0o644)\n    return d, p", "", "", True),
        ('beside = path + ".new"; descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)', "", "", "", False),
        ('beside = path + ".new"; descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)', "", "", "", True),
        ('beside = path + ".new"; descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)', "", "", "", True),
    ],
)
def test_a_helper_that_locks_others_out_of_the_file_is_not_used(make: str, above: str, behind: str, last: str, kept: bool) -> None:
    helper = PRIVATE.format(
        make=make or "descriptor, beside = tempfile.mkstemp(dir=os.path.dirname(path))", above=above, behind=behind, last=last)
    (found,) = overwrites(
        analysis(app__agent=KEEPS, app__files=helper), private_makers=["tempfile.mkstemp"],
        mode_setters=["os.chmod", "os.fchmod", "shutil.copymode"], mode_openers=["os.open"])
    assert found.facts.get("helpers") == ("app.files:put:str:str:" if kept else None)


PUT_IN_PLACE = """
import os, stat
from pathlib import Path
PLAN = Path("plan.txt")
def load() -> str:
    return PLAN.read_text()
def overwrite(text: str) -> None:
    PLAN.write_text(text + "!")
def keep(text: str) -> None:
{body}
"""


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("try: os.replace('new', PLAN)\nexcept OSError: overwrite(text)", "could not be replaced"),
        ("try: os.replace('new', PLAN)\nexcept OSError: pass\nelse: return\noverwrite(text)", "could not be replaced"),
        ("try:\n    Path('new').write_text(text + '!')\n    Path('new').replace(PLAN)\nexcept OSError: overwrite(text)", "could not be replaced"),
        ("try: put(text)\nexcept OSError: overwrite(text)\ndef put(text): os.rename('new', PLAN)", "could not be replaced"),
        ("try: os.replace('new', PLAN)\nexcept OSError: again(text)\ndef again(text): overwrite(text)", "could not be replaced"),
        ("try: os.replace('new', PLAN)\nexcept OSError: again(text)\ndef again(text): more(text)\ndef more(text): overwrite(text)", ""),
        ("try: os.replace('new', PLAN)\nexcept OSError: overwrite(text)\ndef other(text): overwrite(text)", ""),
        ("if stat.S_ISREG(PLAN.stat().st_mode): return os.replace('new', PLAN)\noverwrite(text)\ndef more(text):\n    try: os.replace('new', PLAN)\n    except OSError: overwrite(text)", "no regular file, or it is what is left"),
        ("try: os.replace('new', 'old')\nexcept OSError: pass\noverwrite(text)", ""),
        ("try: os.remove('new')\nexcept OSError: overwrite(text)", ""),
        ("if not stat.S_ISREG(PLAN.stat().st_mode): overwrite(text)", "no regular file"),
        ("there = PLAN.stat()\nif there and not stat.S_ISREG(there.st_mode): overwrite(text)", "no regular file"),
        ("plain = stat.S_ISREG(PLAN.stat().st_mode)\nif plain: return\noverwrite(text)", "no regular file"),
        ("if stat.S_ISFIFO(PLAN.stat().st_mode) or stat.S_ISCHR(PLAN.stat().st_mode): overwrite(text)", "no regular file"),
        ("there = PLAN.stat().st_mode\nodd = stat.S_ISFIFO(there) or stat.S_ISCHR(there)\nif odd: overwrite(text)", "no regular file"),
        ("odd = text or stat.S_ISCHR(PLAN.stat().st_mode)\nif odd: overwrite(text)", ""),
        ("odd = stat.S_ISCHR(PLAN.stat().st_mode)\nif text: odd = len(text) > 3\nif odd: overwrite(text)", ""),
        ("odd = text and stat.S_ISCHR(PLAN.stat().st_mode)\nif odd: overwrite(text)", "no regular file"),
        ("if text or stat.S_ISFIFO(PLAN.stat().st_mode): overwrite(text)", ""),
        ("if stat.S_ISREG(PLAN.stat().st_mode): overwrite(text)", ""),
        ("overwrite(text)", ""),
    ],
)
def test_what_is_left_when_a_file_cannot_be_replaced_is_told(body: str, reason: str) -> None:
    main, _, rest = body.partition("\ndef ")
    source = PUT_IN_PLACE.format(body="\n".join("    " + line for line in main.splitlines())) + (f"def {rest}\n" if rest else "")
    (found,) = overwrites(analysis(agent=source), regular=["stat.S_ISREG"], special=["stat.S_ISFIFO", "stat.S_ISCHR"])
    assert reason in found.facts.get("not-replaced", "") and bool(reason) == ("not-replaced" in found.facts)
    assert len(found.evidence) == 1 + len(found.facts.get("not-replaced", "").split(", or ")) * bool(reason)


READ_BY_MANY = """
import json
from pathlib import Path
PLAN = Path("plan.json")
def save(steps: list) -> None:
    with open(PLAN, "w") as handle:
        json.dump(steps, handle)
def first_steps() -> list:
    return json.loads(PLAN.read_text())
def show(board) -> None:
    try:
        board.text = str(json.loads(PLAN.read_text()))
    except ValueError:
        board.text = ""
"""


def test_the_nearest_reader_is_named() -> None:
    asked = analysis(agent=READ_BY_MANY, a_board="import json\nfrom agent import PLAN\ndef board(): return json.loads(PLAN.read_text())\n")
    assert [found.fields["reader"] for found in overwrites(asked)] == ["first_steps"]


KEPT_BY_A_CLASS = """
from pathlib import Path
from base import Base
class Board(Base):
    def __init__(self, folder: Path) -> None:
        self.path = folder / "board.txt"
    def save(self, text: str) -> None:
        self.path.write_text(text + "!")
    def load(self) -> str:
        return self.path.read_text()
"""


@pytest.mark.parametrize(
    ("base", "other", "facts"),
    [
        ("class Base: pass", "import json", {}),
        ("class Base: pass", "import watchdog.events", {"held-by-inode": "yes"}),
        ("from watchdog.events import Handler\nclass Base: pass", "", {"held-by-inode": "yes", "watched": "yes"}),
    ],
)
def test_an_observer_counts_where_the_file_belongs(base: str, other: str, facts: dict[str, str]) -> None:
    (found,) = overwrites(analysis(agent=KEPT_BY_A_CLASS, base=base, other=other), watchers=["watchdog"])
    assert found.facts == facts
