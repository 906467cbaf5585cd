"""Models: which library callable has which effect on which argument, in a closed vocabulary.

A model is a hint for code that is not analysed.
An effect or key that is not in the vocabulary is a problem to be shown, with the near match, and never stops a run.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Literal, get_args

import msgspec

from ctxlint.errors import ConfigurationError
from ctxlint.knowledge.nearness import did_you_mean
from ctxlint.knowledge.places import rules_folder
from ctxlint.knowledge.toml import Table, keys_of, read_toml, typed

Does = Literal[
    "mutates",              # target is changed in place
    "records",              # content becomes an entry of the journal target
    "appends",              # content is added to target, nothing is overwritten
    "commits",              # what was written to target becomes visible and lasting
    "flushes",              # what was written to target has left this process
    "syncs",                # what was written to target survives a power cut
    "reads",                # the result is (part of) what target holds
    "loads",                # the result is the whole of what target holds
    "saves",                # content replaces the whole of what target holds
    "clears",               # target is emptied
    "deletes",              # target, or the part of it that content names, ceases to exist
    "replaces",             # the thing at content takes the place of target in one step
    "creates",              # target comes into being; it fails when there is one already
    "truncates",            # what target holds is cut off
    "states-read",          # the result is a statement that, executed, reads the table target
    "states-write",         # … that overwrites rows of the table target
    "states-append",        # … that adds rows to the table target
    "states-delete",        # … that removes rows of the table target
    "exists",               # the result says whether target is there
    "measures",             # the result tells about target (its size, its time), nothing of its content
    "same-place",           # the result names the place that target names
    "inner-place",          # the result names a place inside target: a path joined from its arguments
    "sibling-place",        # the result names a place beside target
    "lists",                # the result are places inside target; content is the pattern of their names, or of whole paths
    "outer-place",          # the result names the place that holds target
    "opens",                # the result is a handle of the store target, in the mode that `mode` names
    "wraps",                # the result writes into the open handle target
    "snapshot",             # the result is an image of target, `depth` levels deep
    "restores",             # target gets the image content back
    "acquires",             # the lock target is held from here
    "releases",             # the lock target is no longer held
    "returns-lock",         # the result is a lock
    "lock",                 # a `with` block on target (or on the result) holds a lock
    "transaction",          # a `with` block on target (or on the result) is one transaction
    "compare-and-set",      # target is written only if the version in content is still the current one
    "suspends",             # another writer can run
    "calls-argument",       # the callable in content is called
    "copies",               # the result is a copy of target, `depth` levels deep
    "attributes",           # the result is the dictionary of the attributes of target, and changes with it
    "digests",              # the result identifies content
    "parses",               # the result is the value that the text in content denotes
    "serialises",           # the result is the text of the value in content
    "swallows",             # a `with` block on the result swallows exceptions
    "fresh",                # the result is an object nobody else has
    "run-scoped",           # the result belongs to one run
    "concurrent-executor",  # what is given to it runs beside other such calls
    "serves",               # what the result decorates is called for each request, beside other such calls
    "telemetry",            # content is told to people or metrics, and nothing reads it back
    "cache",                # target can be computed again
    "joins",                # it waits for what target runs
    "watches",              # the failure of what content runs is told to somebody
    "ends",                 # it never comes back
    "total",                # it neither raises nor suspends
    "pure",                 # the result depends on the arguments alone, and nothing changes
    "queue",                # content is owed to a consumer of target
]
Fact = Literal[
    "not-shared", "immutable", "container", "queue", "lock", "executor", "task", "process", "file", "path", "connection",
    "transaction", "session", "store", "telemetry", "cache", "run-scoped", "client",
]

How = Literal["", "add", "remove", "item"]

EFFECTS: tuple[str, ...] = get_args(Does)
FACTS: tuple[str, ...] = get_args(Fact)
FALLIBLE: frozenset[str] = frozenset({
    "records", "appends", "commits", "syncs", "reads", "loads", "saves", "clears", "deletes", "replaces", "opens",
    "restores", "acquires", "lock", "transaction", "compare-and-set", "parses", "serialises", "joins", "suspends",
    "mutates", "calls-argument", "queue", "flushes", "creates", "truncates",
})
"""The effects that are fallible unless their entry says otherwise."""
DEEP = 99
"""A depth that no structure exceeds."""


class When(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The effect is there when the constant `argument` (a position or keyword) has this value.

    One that is not given has the value `default`; without a default it is taken for false or None.
    """

    argument: str
    equals: bool | int | str | None
    default: bool | int | str | None = None


class Effect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One effect of a callable.

    `target`, `content`, `mode` and `key` name an argument: `self` (the receiver) or an attribute of it (`self.data`), a position from `0` (the receiver is not
    counted), a keyword, a position or a keyword (`1|mode`), or `*` (all of them); they are empty when there is none, or
    when the effect is on the result.
    `key` names the argument that selects one entry of the target, `how` what a mutation does to a container.
    `attribute` marks an attribute that is read, not called: `returns` is what it holds.
    `distinctive` marks a method whose name alone tells its library, so that it also counts for receivers of unknown type.
    `atomic` marks a write that appears whole or not at all, `leaves` a replacement whose content also stays where it was,
    `each` an executor that runs what it is given once for each element of another argument, `nested` a transaction whose end
    makes nothing last before the one around it has ended.
    `store` is the kind of store the effect is on, `depth` how deep a copy is, `returns` the qualified type of the result.
    `fallible` means that it can raise, be cancelled or return a failure value; `suspends` that awaiting it really does.
    """

    does: Does
    target: str = ""
    content: str = ""
    store: str = ""
    key: str = ""
    how: How = ""
    depth: int = 0
    mode: str = ""
    returns: str = ""
    fallible: bool = False
    suspends: bool = False
    when: When | None = None
    distinctive: bool = False
    attribute: bool = False
    atomic: bool = False
    leaves: bool = False
    each: bool = False
    nested: bool = False


class Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An `[[effect]]` table as it is written: an `Effect`, and the callables that have it."""

    names: tuple[str, ...]
    does: Does
    target: str = ""
    content: str = ""
    store: str = ""
    key: str = ""
    how: How = ""
    depth: int = 0
    mode: str = ""
    returns: str = ""
    fallible: bool | None = None
    suspends: bool = False
    when: When | None = None
    distinctive: bool = False
    attribute: bool = False
    atomic: bool = False
    leaves: bool = False
    each: bool = False
    nested: bool = False


class Models(msgspec.Struct, frozen=True):
    """What is known about libraries; `problems` are the entries that were not understood."""

    by_name: Mapping[str, tuple[Effect, ...]]
    by_type: Mapping[str, frozenset[str]]
    by_method: Mapping[str, tuple[Effect, ...]]
    problems: tuple[str, ...] = ()

    def effects(self, qualified_name: str) -> tuple[Effect, ...]:
        """Return the effects of a callable (`module.function` or `module.Class.method`), none when it is unknown."""
        return self.by_name.get(qualified_name, ())

    def distinctive(self, method: str) -> tuple[Effect, ...]:
        """Return the effects of a method whose name alone tells its library: for receivers of an unknown type."""
        return self.by_method.get(method, ())

    def result(self, qualified_name: str) -> str:
        """Return the type of what a callable gives (`$0`: that of its first argument), empty when it is unknown."""
        return next((effect.returns for effect in self.effects(qualified_name) if effect.returns), "")

    def type_facts(self, qualified: str) -> frozenset[str]:
        """Return what is known about the instances of a class."""
        return self.by_type.get(qualified, frozenset())

    def knows(self, qualified_name: str) -> bool:
        """Whether a callable or a class is in a model at all."""
        return qualified_name in self.by_name or qualified_name in self.by_type


def checked_versions(folder: Path | None = None) -> Iterator[tuple[str, str]]:
    """Yield each library of which there is a built-in model, and the version that its author looked at."""
    for file in sorted((folder or rules_folder() / "models").glob("*.toml")):
        table = read_toml(file)
        yield str(table["library"]), str(table["checked-with"])


RUNTIME = "ctxlint.runtime"


def load_models(model_paths: Iterable[Path] = (), folder: Path | None = None, runtime: str | None = None) -> Models:
    """Return the built-in models and those of the user, whose entries for a name replace the built-in ones.

    Built-in files add up: what several say about a name all holds. `runtime` is what a project calls its copy of the
    runtime: the copy has the models of the original.

    Raises ConfigurationError for a path that does not exist and for text that is no TOML.
    """
    built_in = _built_in(folder or rules_folder() / "models")
    by_name, by_type, problems = dict(built_in.by_name), dict(built_in.by_type), list(built_in.problems)
    for file in _files(model_paths):
        effects, types, here = _read(file)
        by_name.update(effects)
        by_type.update(types)
        problems.extend(here)
    if runtime and runtime != RUNTIME:
        by_name.update({runtime + name.removeprefix(RUNTIME): effects for name, effects in by_name.items() if name.startswith(f"{RUNTIME}.")})
    return Models(by_name, by_type, _by_method(by_name), tuple(problems))


@functools.cache
def _built_in(folder: Path) -> Models:
    """Return the models of a folder, which stays as it is while the process lives."""
    by_name: dict[str, tuple[Effect, ...]] = {}
    by_type: dict[str, frozenset[str]] = {}
    problems: list[str] = []
    for file in sorted(folder.glob("*.toml")):
        effects, types, here = _read(file)
        for name, found in effects.items():
            by_name[name] = (*by_name.get(name, ()), *found)
        by_type.update(types)
        problems.extend(here)
    return Models(by_name, by_type, {}, tuple(problems))


def _read(file: Path) -> tuple[dict[str, tuple[Effect, ...]], dict[str, frozenset[str]], list[str]]:
    """Return the effects and the types of one file, and what was not understood."""
    table = read_toml(file)
    effects, problems = _effects(table, file)
    types, others = _types(table, file)
    return effects, types, [*problems, *others]


def _by_method(by_name: Mapping[str, tuple[Effect, ...]]) -> dict[str, tuple[Effect, ...]]:
    """Return the effects that a method's name alone stands for; of two libraries that claim a name the first has it."""
    found: dict[str, tuple[Effect, ...]] = {}
    for name, effects in sorted(by_name.items()):
        told = tuple(effect for effect in effects if effect.distinctive)
        if told:
            found.setdefault(name.rpartition(".")[2], told)
    return found


def _effects(table: Table, file: Path) -> tuple[dict[str, tuple[Effect, ...]], list[str]]:
    """Return the effects of one file by callable, and what was not understood."""
    by_name: dict[str, list[Effect]] = {}
    problems = [
        f"{file}: unknown key `{key}`{did_you_mean(key, _TOP)}" for key in table if key not in _TOP
    ]
    if not isinstance(table.get("library"), str):
        problems.append(f"{file}: key `library` names the library")
    entries = table.get("effect", [])
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries], 1):
        try:
            read = _entry(entry, f"{file}: effect {number}")
        except ConfigurationError as error:
            problems.append(str(error))
            continue
        effect = Effect(
            does=read.does, target=read.target, content=read.content, store=read.store, depth=read.depth,
            mode=read.mode, key=read.key, how=read.how, returns=read.returns, suspends=read.suspends, when=read.when,
            distinctive=read.distinctive, attribute=read.attribute, atomic=read.atomic, leaves=read.leaves, each=read.each, nested=read.nested,
            fallible=_fallible(read) if read.fallible is None else read.fallible,
        )
        for name in read.names:
            by_name.setdefault(name, []).append(effect)
    return {name: tuple(effects) for name, effects in by_name.items()}, problems


def _entry(entry: object, where: str) -> Entry:
    if not isinstance(entry, dict):
        raise ConfigurationError(f"{where}: expected a table")
    if isinstance(entry.get("when"), dict):
        typed(When, entry["when"], f"{where}: in `when`")
    return typed(Entry, entry, where)


def _fallible(entry: Entry) -> bool:
    """Whether an effect can fail that does not say so: I/O can, a change of memory cannot."""
    return entry.suspends or (entry.does in FALLIBLE and entry.store != "memory")


def _types(table: Table, file: Path) -> tuple[dict[str, frozenset[str]], list[str]]:
    by_type: dict[str, frozenset[str]] = {}
    problems = []
    types = table.get("types", {})
    for name, facts in (types if isinstance(types, dict) else {}).items():
        words = [facts] if isinstance(facts, str) else facts
        if not isinstance(words, list):
            problems.append(f"{file}: types: `{name}`: expected one word or a list of words")
            continue
        for word in words:
            if word not in FACTS:
                problems.append(f"{file}: types: `{name}`: unknown fact `{word}`{did_you_mean(str(word), FACTS)}")
        by_type[name] = frozenset(word for word in words if word in FACTS)
    return by_type, problems


def _files(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(path.glob("*.toml"))
        elif path.is_file():
            yield path
        else:
            raise ConfigurationError(f"model-paths: {path}: no such file or folder")


_TOP = ("library", "checked-with", "effect", "types")
assert set(keys_of(Effect)) | {"names"} == set(keys_of(Entry))
