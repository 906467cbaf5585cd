"""The renamer changes names and nothing else, and the analyzer's verdicts do not hang on names."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixture_marks import marks_of
from tests.fixture_runs import FIXTURES, Case, cases, findings_in
from tests.nonsense import Nonsense, nonsense

NEEDS_WORDS = {
    "CTX302/key_of_its_own.py": "that an argument is the key of the record, and not a part of it, stands in its name",
    "CTX302/own_turnstile.py": "that a turnstile is taken and given back stands in the names that the language has for it",
    "CTX103/bounded_undo.py": "that undo has a stated depth stands in the docstring",
    "CTX103/capped_retries.py": "that the cap of the retries is meant stands in the docstring",
    "CTX103/goes_by_itself.py": "that an entry is kept for a time stands in the name of an argument",
    "CTX105/advisory_counter.py": "that the number is only advice stands in the docstring",
    "CTX301/20_shared_mode_bad.py": "that a hold only reads stands in the mode's name",
    "CTX301/21_read_only_call_bad.py": "that a call only reads stands in the field's name",
    "CTX301/92_named_for_looking_bad.py": "that changes have looked at something stands in the fields' names",
    "CTX204/depth_option.py": "that the option is a promise stands in the docstring",
}


def _texts(root: Path) -> dict[str, str]:
    if root.is_file():
        return {root.name: root.read_text(encoding="utf-8")}
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in sorted(root.rglob("*.py"))}


def _written(program: Nonsense, folder: Path) -> None:
    for name, text in program.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("case", cases(), ids=str)
def test_verdicts_do_not_hang_on_names(case: Case, tmp_path: Path) -> None:
    if not case.codes:
        pytest.skip(f"{', '.join(case.pending)}: not checked yet, see fixtures/pending.txt")
    if case.name in NEEDS_WORDS:
        pytest.skip(NEEDS_WORDS[case.name])
    program = nonsense(_texts(case.root))
    _written(program, tmp_path)
    folder = case.root.parent if case.root.is_file() else case.root
    before = {
        (program.paths[one.path.relative_to(folder).as_posix()], one.line, one.code)
        for one in findings_in(case.root, case.codes)
    }
    root = tmp_path / program.paths[case.root.name] if case.root.is_file() else tmp_path
    after = {(one.path.relative_to(tmp_path).as_posix(), one.line, one.code) for one in findings_in(root, case.codes)}
    lost = [f"{path}:{line}: {code} is lost without its names" for path, line, code in sorted(before - after)]
    new = [f"{path}:{line}: {code} comes without names" for path, line, code in sorted(after - before)]
    assert not lost + new, "\n" + "\n".join([*lost, *new, *program.files.values()])


@pytest.mark.parametrize("case", cases(), ids=str)
def test_a_renamed_fixture_is_a_program_with_the_same_marks(case: Case, tmp_path: Path) -> None:
    texts = _texts(case.root)
    program = nonsense(texts)
    _written(program, tmp_path)
    for path, text in texts.items():
        renamed = program.files[program.paths[path]]
        compile(renamed, path, "exec")
        assert ast.get_docstring(ast.parse(renamed)) is None
        assert renamed.count("\n") == text.count("\n")
        source = case.root if case.root.is_file() else case.root / path
        marks = [(mark.line, mark.code, mark.confidence, mark.kind) for mark in marks_of(source)]
        new = marks_of(tmp_path / program.paths[path])
        assert [(mark.line, mark.code, mark.confidence, mark.kind) for mark in new] == marks
    assert nonsense(texts) == program


def test_most_own_names_of_the_fixtures_are_renamed() -> None:
    renamed = kept = 0
    for case in cases():
        program = nonsense(_texts(case.root))
        for text in program.files.values():
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                    if "zq" in node.name:
                        renamed += 1
                    elif not node.name.startswith("__"):
                        kept += 1
    assert renamed > 20 * kept


def _renamed(source: str) -> tuple[str, dict[str, str]]:
    program = nonsense({"shop.py": source})
    (text,) = program.files.values()
    return text, dict(program.names)


def test_own_names_go_and_library_names_stay() -> None:
    text, names = _renamed(
        "import json\n"
        "LIMIT = 3\n"
        "def total(rows, *, start=0):\n"
        "    '''Adds.'''\n"
        "    # loudly\n"
        "    return json.dumps(sum(row['price'] for row in rows) + start)  # expect: CTX101\n"
        "def use():\n"
        "    return total([{'price': LIMIT}], start=len('x'))\n"
    )
    assert set(names) == {"LIMIT", "total", "rows", "start", "row", "use", "shop"}
    wanted = (
        "import json\n"
        "{LIMIT} = 3\n"
        "def {total}({rows}, *, {start}=0):\n"
        "\n"
        "\n"
        "    return json.dumps(sum({row}['price'] for {row} in {rows}) + {start})  # expect: CTX101\n"
        "def {use}():\n"
        "    return {total}([{{'price': {LIMIT}}}], {start}=len('x'))\n"
    )
    assert text == wanted.format(**names)


def test_fields_parameters_and_keywords_stay_one_name() -> None:
    text, names = _renamed(
        "from dataclasses import dataclass, field, replace\n"
        "@dataclass\n"
        "class Item:\n"
        "    price: int\n"
        "    tags: 'list[Item]' = field(default_factory=list)\n"
        "def cheaper(item: Item) -> Item:\n"
        "    return replace(item, price=item.price - 1)\n"
        "made = Item(price=2)\n"
        "shown = f'{made.price:>{made.price}} {cheaper(made)!r}'\n"
    )
    wanted = (
        "from dataclasses import dataclass, field, replace\n"
        "@dataclass\n"
        "class {Item}:\n"
        "    {price}: int\n"
        "    {tags}: 'list[{Item}]' = field(default_factory=list)\n"
        "def {cheaper}({item}: {Item}) -> {Item}:\n"
        "    return replace({item}, {price}={item}.{price} - 1)\n"
        "{made} = {Item}({price}=2)\n"
        "{shown} = f'{{{made}.{price}:>{{{made}.{price}}}}} {{{cheaper}({made})!r}}'\n"
    )
    assert text == wanted.format(**names)


def test_a_name_shared_with_a_library_goes_only_where_the_receiver_is_own() -> None:
    text, names = _renamed(
        "class Log:\n"
        "    def __init__(self):\n"
        "        self.rows = []\n"
        "    def append(self, row):\n"
        "        self.rows.append(row)\n"
        "class User:\n"
        "    def __init__(self, log: Log):\n"
        "        self._log = log\n"
        "    def add(self, row):\n"
        "        self._log.append(row)\n"
    )
    assert f"    def {names['append']}(self" in text
    assert f"self.{names['rows']}.append(" in text
    assert f"self.{names['_log']}.{names['append']}(" in text
    assert names["_log"].startswith("_zq")


def test_a_doubtful_name_stays_everywhere() -> None:
    text, names = _renamed(
        "class Log:\n"
        "    def append(self, row):\n"
        "        return row\n"
        "def add(log, row):\n"
        "    log.append(row)\n"
        "Log().append(1)\n"
    )
    assert "append" not in names
    assert text.count("append(") == 3


def test_an_interface_of_somebody_else_keeps_its_methods() -> None:
    protocol = "from typing import Protocol\nclass Store(Protocol):\n    def keep(self, row): ...\n"
    use = "def run(store: Store, row):\n    store.keep(row)\n"
    _, names = _renamed(protocol + use)
    assert "keep" not in names
    assert {"Store", "run", "row"} <= set(names)
    _, names = _renamed(protocol + "class Table:\n    def keep(self, row):\n        return row\n" + use)
    assert "keep" in names


def test_names_bound_in_odd_places_are_renamed() -> None:
    text, names = _renamed(
        "class Point:\n"
        "    where: int\n"
        "def look(thing, extra=None):\n"
        "    global seen\n"
        "    try:\n"
        "        match thing:\n"
        "            case Point(where=0) as found:\n"
        "                return found\n"
        "            case [first, *others]:\n"
        "                return first, others\n"
        "            case {'key': value, **remaining}:\n"
        "                return value, remaining\n"
        "    except (ValueError, KeyError) as problem:\n"
        "        seen = lambda argument: (argument, problem)\n"
    )
    for name in ("where", "thing", "extra", "seen", "found", "first", "others", "value", "remaining", "problem", "argument"):
        assert name in names
        assert name not in text
    compile(text, "shop.py", "exec")


DRIVERS = {
    "CTX101/order.py": """
import json, os, tempfile
from order import NoteLog, Scratchpad

path = os.path.join(tempfile.mkdtemp(), "log")
pad = Scratchpad(NoteLog(path))
pad.late("a", "1")
pad.logged_first("b", "2")
pad.forget_late("a")
again = Scratchpad(NoteLog(path))
again.recover()
print(sorted(again.notes.items()), sorted(pad.notes.items()))
""",
    "CTX101/splice.py": """
from splice import ContextBuffer, UndoLog

buffer = ContextBuffer("one two three", UndoLog(budget=6))
buffer.splice(4, 3, "2")
buffer.splice_write_ahead(0, 3, "1")
buffer.splice(0, 1, "")
buffer.rollback()
buffer.rollback()
print(repr(buffer.text), buffer.undo_log.used)
""",
    "projects/mail_triage": """
import asyncio
from inbox import Inbox, RevisionConflict
from triage import label_thread, summarise_thread

class Fixed:
    async def label(self, summary):
        return summary[:3]

    async def summarise(self, summary, labels):
        return " ".join([summary, *labels])

inbox = Inbox(":memory:")
inbox._db.execute("CREATE TABLE threads (number INT, labels TEXT, summary TEXT, revision INT)")
inbox._db.execute("INSERT INTO threads VALUES (7, '[]', 'hello', 1)")
print(asyncio.run(label_thread(inbox, Fixed(), number=7)))
asyncio.run(summarise_thread(inbox, Fixed(), 7))
print(inbox._read(7).revision, inbox._read(7).labels, inbox._read(7).summary)
""",
}


@pytest.mark.parametrize("name", DRIVERS)
def test_a_renamed_program_does_the_same(name: str, tmp_path: Path) -> None:
    texts = {**_texts(FIXTURES / name), "driver.py": DRIVERS[name]}
    program = nonsense(texts)
    for folder, files in (("before", texts), ("after", program.files)):
        _written(Nonsense(files, {}, {}), tmp_path / folder)
    before = _output(tmp_path / "before" / "driver.py")
    assert before.strip()
    assert _output(tmp_path / "after" / program.paths["driver.py"]) == before


def _output(script: Path) -> str:
    command = [sys.executable, script.name]
    done = subprocess.run(command, cwd=script.parent, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout
