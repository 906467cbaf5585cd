"""TOML text in, typed values out; every complaint names the file and the key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeVar, get_args, get_origin

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
        raise ConfigurationError(f"{where}: {_in_words(str(error), kind, table)}") from error


def keys_of(kind: type[msgspec.Struct]) -> tuple[str, ...]:
    """Return the keys that a table of `kind` may have, as they are written."""
    return kind.__struct_encode_fields__


def _in_words(complaint: str, kind: type[msgspec.Struct], table: Mapping[str, object]) -> str:
    """Say `key `a.b`: expected …` instead of msgspec's `Expected … - at `$.a.b``, and name the choices of an enumeration."""
    located = re.fullmatch(r"(.*) - at `(?:key in )?\$\.?(.*)`", complaint, re.DOTALL)
    if located and located[2]:
        key = located[2]
        if located[1].startswith("Invalid enum value") and key in table:
            choices = _choices(kind, key)
            value = str(table[key])
            return f"key `{key}`: `{value}` is none of {', '.join(choices)}{did_you_mean(value, choices)}"
        return f"key `{key}`: {_plainly(located[1])}{_as_a_list(key, table) if '`array' in located[1] else ''}"
    missing = re.fullmatch(r"Object missing required field `(.*)`.*", complaint)
    return f"key `{missing[1]}` is missing" if missing else complaint


_PLAIN = {"array": "a list", "str": "a string", "bool": "true or false", "int": "a whole number", "float": "a number", "object": "a table"}


def _plainly(complaint: str) -> str:
    """Say types as they are called in TOML, which knows no null."""
    def plain(match: re.Match[str]) -> str:
        return " or ".join(_PLAIN.get(word, word) for word in match[1].split(" | ") if word != "null")

    return re.sub(r"`([a-z]+(?: \| [a-z]+)*)`", plain, f"{complaint[0].lower()}{complaint[1:]}")


def _as_a_list(key: str, table: Mapping[str, object]) -> str:
    """What to write when a list was forgotten around a string."""
    value = table.get(key)
    return f': write `{key} = ["{value}"]`' if isinstance(value, str) and value else ""


def _choices(kind: type[msgspec.Struct], key: str) -> tuple[str, ...]:
    """Return the strings that field `key` of `kind` may be."""
    hint = next(field.type for field in msgspec.structs.fields(kind) if field.encode_name == key)
    alternatives = (hint, *get_args(hint))
    return tuple(word for one in alternatives if get_origin(one) is Literal for word in get_args(one))
