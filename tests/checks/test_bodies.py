"""What a finding is known by besides its fingerprint."""

from __future__ import annotations

import pytest

from ctxlint.checks.bodies import body_digest, module_relative
from ctxlint.ir.module import Module
from ctxlint.syntax.load import load
from ctxlint.syntax.read import read

PLAIN = "def save(path, state):\n    text = dump(state)\n    with open(path) as stream:\n        stream.write(text)\n"


def body(text: str, *operations: str) -> str:
    """The digest of the function of a text that saves."""
    module = load(text.encode(), read)
    assert isinstance(module, Module)
    (function,) = (one for one in module.functions if one.qualname in ("save", "store"))
    return body_digest(function, operations)


@pytest.mark.parametrize("other", [
    PLAIN.replace("save", "store"),
    "import os\n\n\n" + PLAIN,
    PLAIN.replace("dump(state)", "dump(\n        state,\n    )  # why"),
    "def other():\n    return lambda: 1\n\n" + PLAIN,
    PLAIN.replace("text", "content").replace("stream", "file"),
    PLAIN.replace("path", "target"),
])
def test_names_and_places_are_not_in_it(other: str) -> None:
    assert body(other) == body(PLAIN)


@pytest.mark.parametrize("other", [
    PLAIN.replace("dump", "load"),
    PLAIN.replace("def ", "async def "),
    PLAIN.replace("open(path)", "open(state)"),
    PLAIN.replace("stream.write(text)", "stream.write(state)"),
    PLAIN.replace("        stream", "        pass\n    stream"),
    PLAIN.replace("open(path)", 'open(path, "w")'),
])
def test_what_is_done_is_in_it(other: str) -> None:
    assert body(other) != body(PLAIN)


def test_operations_are_in_its_second_half() -> None:
    renamed = PLAIN.replace("path", "target")
    assert body(PLAIN, "overwrite", "path") == body(renamed, "overwrite", "target")
    assert body(PLAIN, "overwrite", "path.name") == body(renamed, "overwrite", "target.name")
    assert body(PLAIN, 'path/"path"') != body(renamed, 'target/"target"')
    one, other = body(PLAIN, "overwrite", "path"), body(PLAIN, "overwrite", "state")
    assert one[:16] == other[:16] and one[16:] != other[16:]


MODULES = {"pkg", "pkg.store", "pkg.store.files", "script", "script~2"}


@pytest.mark.parametrize(("operation", "relative"), [
    ("pkg.store.files.Log.messages[*]", "Log.messages[*]"),
    ("pkg.store:state.json", ":state.json"),
    ("pkg.store._folder()/*.json", "_folder()/*.json"),
    ('workspace/"pkg.toml"', 'workspace/"pkg.toml"'),
    ("pkg.store:pkg.toml", ":pkg.toml"),
    ("copy of pkg.store.Log.path", "copy of Log.path"),
    ("pkg.store", "store"),
    ("script.state", "state"),
    ("script~2:state.json", ":state.json"),
    ("script~2.Log.path", "Log.path"),
    ("other.pkg.store", "other.pkg.store"),
    ("path", "path"),
    ("", ""),
])
def test_a_package_may_be_renamed(operation: str, relative: str) -> None:
    assert module_relative(operation, MODULES) == relative
