"""The configuration of one run: the nearest file, `--config` values and flags, later ones over earlier ones."""

from __future__ import annotations

import keyword
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from ctxlint.errors import ConfigurationError, CtxlintError, UsageError
from ctxlint.knowledge.codes import which_code
from ctxlint.knowledge.rules import OptionValue, Rule, option_values
from ctxlint.knowledge.settings import Settings
from ctxlint.knowledge.toml import Table, keys_of, parse_toml, read_toml, typed

FILE_NAMES = ("ctxlint.toml", ".ctxlint.toml", "pyproject.toml")
COMMAND_LINE = "command line"


class Selector(msgspec.Struct, frozen=True):
    """`prefix` switches rules on or off; `layer` 0 is the file, 1 the command line; `key` is where it was written."""

    prefix: str
    enables: bool
    layer: int
    key: str


class Configuration(msgspec.Struct, frozen=True):
    """Settings, and where they come from.

    `folder` is what relative patterns and paths of the settings are relative to: the configuration file's folder, or
    the working directory. `file` is empty when no file was read. `above` are the keys that the command line sets.
    """

    settings: Settings
    folder: Path
    file: str = ""
    selectors: tuple[Selector, ...] = ()
    above: frozenset[str] = frozenset()

    def place_of(self, key: str) -> str:
        """Return where a key was written, for an error about its value; what follows a blank in `key` is said as it is."""
        name, _, more = key.partition(" ")
        place = f"--{name}" if name in self.above or not self.file else f"{self.file}: key `{name}`"
        return f"{place}: {more}" if more else place

    def paths(self, names: Iterable[str]) -> tuple[Path, ...]:
        """Return `names` of the settings as paths."""
        return tuple(self.folder / name for name in names)

    def options(self, rule: Rule) -> dict[str, OptionValue]:
        """Return the options of `rule` as this run sets them."""
        return option_values(rule, self.settings.rules.get(rule.code, {}), self.file or COMMAND_LINE)


def load_configuration(
    start: Path, arguments: Iterable[str] = (), isolated: bool = False, flags: Mapping[str, object] | None = None
) -> Configuration:
    """Return the configuration of a run.

    `start` is the folder from which the nearest file is sought, upwards.
    `arguments` are those of `--config`: a file, or `KEY=VALUE` with a TOML value; the last value of a key wins.
    `flags` are other command line options, by key; they win over everything.
    `isolated` reads no file.
    Raises ConfigurationError or UsageError for unknown keys, wrong values and files that cannot be read.
    """
    file: Path | None = None
    above: Table = {}
    for argument in arguments:
        if _is_assignment(argument):
            above = _merged(above, _assignment(argument))
        elif isolated:
            raise UsageError(f"--isolated reads no configuration file, but --config names {argument}")
        elif file is not None:
            raise UsageError(f"--config names two files: {file} and {argument}")
        else:
            file = Path(argument)
    if file is not None and not file.is_file():
        raise UsageError(f"--config: {file}: no such file (a value is written KEY=VALUE)")
    if file is None and not isolated:
        file = nearest_file(start)
    above = _merged(above, dict(flags or {}))

    below = file_table(file) if file else {}
    if below:
        _checked(below, str(file))
    _checked(above, COMMAND_LINE)
    if "select" in above:
        below = {key: value for key, value in below.items() if key not in ("select", "extend-select")}
    where = str(file) if file else COMMAND_LINE
    settings = typed(Settings, _merged(below, above), where)
    module = settings.runtime_module
    if module is not None and not all(part.isidentifier() and not keyword.iskeyword(part) for part in module.split(".")):
        raise ConfigurationError(f"{where}: key `runtime-module`: `{module}` is no name of a module")
    return Configuration(
        settings=settings,
        folder=(file.parent if file else Path.cwd()).absolute(),
        file=str(file) if file else "",
        above=frozenset(above),
        selectors=(*_selectors(below, 0, str(file)), *_selectors(above, 1, COMMAND_LINE)),
    )


def nearest_file(start: Path) -> Path | None:
    """Return the configuration file nearest to folder `start`, looking upwards; `pyproject.toml` counts with our table."""
    for folder in (start.absolute(), *start.absolute().parents):
        for name in FILE_NAMES:
            file = folder / name
            if os.path.isfile(file) and (name != "pyproject.toml" or "ctxlint" in _tools(file)):
                return file
    return None


def file_table(file: Path) -> Table:
    """Return the keys that a configuration file holds."""
    if file.name != "pyproject.toml":
        return read_toml(file)
    table = _tools(file).get("ctxlint", {})
    if not isinstance(table, dict):
        raise ConfigurationError(f"{file}: `tool.ctxlint` is not a table")
    return table


def check_rule_tables(configuration: Configuration, rules: Mapping[str, Rule]) -> None:
    """Raise when the configuration sets options of a rule that does not exist, or options a rule does not have."""
    where = configuration.file or COMMAND_LINE
    for code in configuration.settings.rules:
        if code not in rules:
            raise ConfigurationError(f"{where}: unknown rule `rules.{code}`{which_code(code, rules)}")
        configuration.options(rules[code])


def json_schema(rules: Mapping[str, Rule]) -> dict[str, object]:
    """Return the JSON schema of a configuration file: the settings, and under `rules` the options of each rule."""
    _, components = msgspec.json.schema_components([Settings])
    table = dict(components["Settings"])
    properties = dict(table["properties"])
    properties["rules"] = {
        "type": "object",
        "description": properties["rules"]["description"],
        "additionalProperties": False,
        "properties": {code: _options_schema(rule) for code, rule in rules.items() if rule.options},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **table,
        "title": "ctxlint configuration",
        "description": "The keys of ctxlint.toml, or of [tool.ctxlint] in pyproject.toml.",
        "properties": properties,
    }


def _options_schema(rule: Rule) -> Table:
    types: dict[str, Table] = {
        "boolean": {"type": "boolean"},
        "integer": {"type": "integer"},
        "string": {"type": "string"},
        "strings": {"type": "array", "items": {"type": "string"}},
    }
    return {
        "type": "object",
        "title": f"{rule.code} {rule.name}",
        "additionalProperties": False,
        "properties": {
            name: {**types[option.type], "description": option.doc, "default": option.default}
            for name, option in rule.options.items()
        },
    }


def _tools(pyproject: Path) -> Table:
    tools = read_toml(pyproject).get("tool", {})
    return tools if isinstance(tools, dict) else {}


def _is_assignment(argument: str) -> bool:
    """Whether an argument of `--config` is KEY=VALUE; a file of that very name is taken as the file."""
    return re.match(r"[\w.\s\"'-]+=", argument) is not None and not Path(argument).is_file()


def _assignment(argument: str) -> Table:
    try:
        return parse_toml(argument, f"--config {argument}")
    except ConfigurationError as error:
        key, value = argument.split("=", 1)
        raise UsageError(f'{error}; the value is TOML: a string is written {key}="{value}"') from error


def _merged(below: Table, above: Table) -> Table:
    """Return both tables in one, with `above` winning key by key; `rules` is merged down to single options."""
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        nested = isinstance(value, dict) and isinstance(under, dict) and key != "per-file-ignores"
        merged[key] = _merged(under, value) if nested else value  # type: ignore[arg-type]
    return merged


def _checked(table: Table, where: str) -> None:
    """Raise when `table` alone is no configuration, so that the complaint names the place the wrong key stands in."""
    try:
        typed(Settings, table, where)
    except ConfigurationError as error:
        kind: type[CtxlintError] = UsageError if where == COMMAND_LINE else ConfigurationError
        raise kind(f"{error}; keys are {', '.join(keys_of(Settings))}" if "unknown key" in str(error)
                   and "did you mean" not in str(error) else str(error)) from error


def _selectors(table: Table, layer: int, where: str) -> tuple[Selector, ...]:
    settings = typed(Settings, table, where)
    return tuple(
        Selector(prefix, enables, layer, f"{where}: key `{key}`" if layer == 0 else f"--{key}")
        for key, enables, prefixes in (
            ("select", True, settings.select or ()),
            ("extend-select", True, settings.extend_select),
            ("ignore", False, settings.ignore),
            ("extend-ignore", False, settings.extend_ignore),
        )
        for prefix in prefixes
    )
