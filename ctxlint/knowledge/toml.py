"""TOML text in, typed values out; every complaint names the file and the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import TypeVar

import msgspec
import tomli

from ctxlint.errors import ConfigurationError
from ctxlint.knowledge.nearness import did_you_mean

Table = dict[str, object]
Typed = TypeVar("Typed", bound=msgspec.Struct)


def read_toml(path: Path) -> Table:
    """Return the table that file `path` holds; raise ConfigurationError when it cannot be read or is no TOML."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise ConfigurationError(f"{path}: cannot be read: {reason}") from error
    return parse_toml(text, str(path))


def parse_toml(text: str, where: str) -> Table:
    """Return the table that `text` holds; `where` names its place in the error."""
    try:
        return tomli.loads(text.replace("\r\n", "\n"))
    except tomli.TOMLDecodeError as error:
        raise ConfigurationError(f"{where}: not valid TOML: {error}") from error


def typed(kind: type[Typed], table: Mapping[str, object], where: str) -> Typed:
    """Return `table` as a value of `kind`; an unknown key or a value of another type is a ConfigurationError.

    Nested structs are checked by their own call, so that their unknown keys get a near match too.
    """
    for key in table:
        if key not in keys_of(kind):
            raise ConfigurationError(f"{where}: unknown key `{key}`{did_you_mean(key, keys_of(kind))}")
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        raise ConfigurationError(f"{where}: {_in_words(str(error))}") from error


def keys_of(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the keys that a table of `kind` may have, as they are written."""
    return kind.__struct_encode_fields__


def _in_words(complaint: str) -> str:
    """Say `key `a.b`: expected …` instead of msgspec's `Expected … - at `$.a.b``."""
    located = re.fullmatch(r"(.*) - at `(?:key in )?\$\.?(.*)`", complaint, re.DOTALL)
    if located and located[2]:
        return f"key `{located[2]}`: {located[1][0].lower()}{located[1][1:]}"
    missing = re.fullmatch(r"Object missing required field `(.*)`.*", complaint)
    return f"key `{missing[1]}` is missing" if missing else complaint
