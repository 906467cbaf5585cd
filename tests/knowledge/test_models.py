from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path

import pytest

from ctxlint.errors import ConfigurationError
from ctxlint.knowledge.models import EFFECTS, Models, load_models
from ctxlint.knowledge.places import rules_folder

PACKS = sorted((rules_folder() / "models").glob("*.toml"))
BUILT_IN = load_models()

NOT_VISIBLE = ("hashlib._Hash", "hmac.HMAC", "tempfile._TemporaryFileWrapper", "threading.Lock", "threading.RLock", "asyncio.Condition",
               "threading.Condition", "msvcrt")
"""Types whose methods are bound when an instance is made, or that other systems have."""

NEWER = ("tempfile.SpooledTemporaryFile", "uuid.uuid6", "uuid.uuid7", "copy.replace", "tomllib", "hashlib.file_digest",
         "asyncio.timeout", "asyncio.timeout_at", "asyncio.Timeout", "asyncio.TaskGroup", "asyncio.Runner",
         "asyncio.Barrier", "asyncio.Task.uncancel", "sqlite3.Connection.serialize", "sqlite3.Connection.deserialize",
         "logging.getHandlerByName", "pathlib.PurePath.full_match", "pathlib.Path.full_match")
NEWER_METHODS = (".walk", ".with_segments")
OLDER = ("pathlib.Path.lchmod",)
"""Names that not all supported versions of Python have."""


def load(tmp_path: Path, text: str) -> Models:
    (tmp_path / "own.toml").write_text(text)
    return load_models([tmp_path / "own.toml"], folder=tmp_path / "none")


def test_an_entry_becomes_an_effect(tmp_path: Path) -> None:
    models = load(tmp_path, '''
library = "shelf"
checked-with = "1.0"
[[effect]]
names = ["shelf.Shelf.put", "shelf.Shelf.set"]
does = "saves"
target = "self"
content = "1|value"
key = "0"
store = "key-value"
when = { argument = "nx", equals = true }
[[effect]]
names = ["shelf.Shelf.put"]
does = "suspends"
suspends = true
[types]
"shelf.Shelf" = ["store", "not-shared"]
"shelf.Queue" = "queue"
''')
    assert models.problems == ()
    saves, suspends = models.effects("shelf.Shelf.put")
    assert (saves.does, saves.target, saves.content, saves.key, saves.store) == ("saves", "self", "1|value", "0", "key-value")
    assert saves.when is not None and saves.when.equals is True
    assert saves.fallible and suspends.suspends
    assert models.effects("shelf.Shelf.set") == (saves,)
    assert models.effects("shelf.Shelf.other") == ()
    assert models.type_facts("shelf.Shelf") == {"store", "not-shared"}
    assert models.type_facts("shelf.Queue") == {"queue"}
    assert models.type_facts("other") == frozenset()
    assert models.knows("shelf.Shelf") and models.knows("shelf.Shelf.set") and not models.knows("shelf.Other")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[effect]]\nnames = ['a.b']\ndoes = 'savs'\n", "(did you mean `saves`?)"),
        ("[[effect]]\nnames = ['a.b']\ndoes = 'saves'\ntraget = 'self'\n", "unknown key `traget` (did you mean `target`?)"),
        ("[[effect]]\nnames = ['a.b']\ndoes = 'saves'\nwhen = { argument = 'x', equal = 1 }\n", "did you mean `equals`?"),
        ("[[efect]]\nnames = ['a.b']\ndoes = 'saves'\n", "unknown key `efect` (did you mean `effect`?)"),
        ("[types]\n'a.B' = 'que'\n", "unknown fact `que` (did you mean `queue`?)"),
        ("[[effect]]\ndoes = 'saves'\n", "key `names` is missing"),
    ],
)
def test_what_is_not_understood_warns_and_the_rest_holds(tmp_path: Path, text: str, problem: str) -> None:
    models = load(tmp_path, "library = 'x'\n" + text + "\n[[effect]]\nnames = ['a.good']\ndoes = 'reads'\n")
    assert problem in "\n".join(models.problems)
    assert "own.toml" in models.problems[0]
    assert models.effects("a.good")


def test_the_users_entry_replaces_the_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("library = 'os'\n[[effect]]\nnames = ['os.replace']\ndoes = 'pure'\n")
    assert [effect.does for effect in load_models([tmp_path]).effects("os.replace")] == ["pure"]


def test_text_that_is_no_toml_and_a_missing_path_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="not valid TOML"):
        load(tmp_path, "library = ")
    with pytest.raises(ConfigurationError, match="no such file or folder"):
        load_models([tmp_path / "gone.toml"])


def test_memory_is_total_and_stores_are_fallible_unless_said(tmp_path: Path) -> None:
    models = load(tmp_path, '''library = "x"
[[effect]]
names = ["x.memory"]
does = "mutates"
store = "memory"
[[effect]]
names = ["x.file"]
does = "saves"
store = "file"
[[effect]]
names = ["x.told"]
does = "saves"
store = "file"
fallible = false
''')
    assert [models.effects(f"x.{name}")[0].fallible for name in ("memory", "file", "told")] == [False, True, False]


@pytest.mark.parametrize("pack", PACKS, ids=lambda pack: pack.stem)
def test_a_built_in_pack_is_understood_to_the_last_word(pack: Path, tmp_path: Path) -> None:
    assert load_models([pack], folder=tmp_path).problems == ()


def test_the_packs_use_most_of_the_vocabulary() -> None:
    used = {effect.does for effects in BUILT_IN.by_name.values() for effect in effects}
    assert set(EFFECTS) - used <= {"cache", "run-scoped"}


def test_arguments_are_named_as_the_vocabulary_says() -> None:
    wanted = re.compile(r"(self(\.\w+)?|\*|\w+)(\|\w+)*")
    for name, effects in BUILT_IN.by_name.items():
        for effect in effects:
            for designator in (effect.target, effect.content, effect.mode, effect.key):
                assert not designator or wanted.fullmatch(designator), name


def test_no_name_says_the_same_thing_twice() -> None:
    doubled = {name for name, effects in BUILT_IN.by_name.items() if len(set(effects)) != len(effects)}
    assert doubled == set()


@pytest.mark.parametrize("name", sorted(
    name for name in (*BUILT_IN.by_name, *BUILT_IN.by_type)
    if name.split(".")[0] in sys.stdlib_module_names
    and not name.startswith((*NOT_VISIBLE, *NEWER, *OLDER)) and not name.endswith(NEWER_METHODS)
))
def test_names_of_the_standard_library_exist(name: str) -> None:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            if not hasattr(found, part) and isinstance(found, type):
                found = found()                              # what only instances have
            found = getattr(found, part)
        return
    pytest.fail(f"{name}: no module of that name")


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("builtins.open", {"opens"}),
        ("builtins.list.append", {"mutates"}),
        ("pathlib.Path.write_text", {"saves"}),
        ("os.replace", {"replaces"}),
        ("tempfile.mkstemp", {"fresh"}),
        ("json.dump", {"serialises", "mutates"}),
        ("copy.deepcopy", {"copies"}),
        ("asyncio.to_thread", {"calls-argument", "concurrent-executor"}),
        ("sqlite3.Connection.commit", {"commits"}),
        ("redis.asyncio.Redis.get", {"loads"}),
        ("logging.Logger.warning", {"telemetry", "total"}),
        ("agents.SQLiteSession.add_items", {"records"}),
        ("google.adk.sessions.DatabaseSessionService.append_event", {"records", "compare-and-set"}),
        ("strands.session.SessionRepository.update_agent", {"saves"}),
        ("autogen_core.CacheStore.set", {"saves"}),
        ("pydantic_ai.conversation_store.ConversationStore.save", {"saves", "compare-and-set"}),
        ("agent_framework.SessionStore.set", {"saves"}),
    ],
)
def test_what_the_rules_stand_on(name: str, does: set[str]) -> None:
    assert {effect.does for effect in BUILT_IN.effects(name)} == does


def test_results_have_types() -> None:
    assert BUILT_IN.result("builtins.open") == "io.TextIOWrapper"
    assert BUILT_IN.result("copy.deepcopy") == "$0"
    assert BUILT_IN.result("nobody.knows") == ""
