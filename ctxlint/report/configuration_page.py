"""The page about the configuration, made from the schema of its keys and the options of the rules."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from ctxlint.knowledge.rules import Rule

INTRODUCTION = """# Configuration

This page is made from the settings and the rules by `ctxlint dev generate`.

The nearest `ctxlint.toml`, `.ctxlint.toml` or `[tool.ctxlint]` of a `pyproject.toml` is read, looking upwards from the folder that holds all paths of the run.
The command line wins over the file.
`--config FILE` names another file, `--config KEY=VALUE` sets one key (the value is TOML, the last one wins), and `--isolated` reads no file.
An unknown key gives exit status 2 and the nearest known one.
A JSON schema for editors lies in [configuration.schema.json](configuration.schema.json).

Codes are full codes, the beginning of codes, or `ALL`.
Patterns are those of `.gitignore`, relative to the folder of the configuration file.

```toml
[tool.ctxlint]
preview = true
exclude = ["tests/data"]
min-confidence = "high"

[tool.ctxlint.per-file-ignores]
"scripts/*" = ["ALL"]
```

## Keys
"""


def configuration_page(schema: Mapping[str, object], rules: Iterable[Rule]) -> str:
    """Return the page in Markdown; `schema` is the JSON schema of a configuration file."""
    properties = schema["properties"]
    assert isinstance(properties, dict)
    rows = ["| Key | Default | Meaning |", "|---|---|---|"]
    rows += [
        f"| `{key}` | {_default(entry)} | {entry['description']}{_choices(entry)} |" for key, entry in properties.items()
    ]
    options = [
        f"| `rules.{rule.code}.{name}` | `{json.dumps(option.default)}` | {option.doc} |"
        for rule in rules
        for name, option in rule.options.items()
    ]
    page = INTRODUCTION + "\n" + "\n".join(rows) + "\n"
    if options:
        page += "\n## Options of rules\n\n| Key | Default | Meaning |\n|---|---|---|\n" + "\n".join(options) + "\n"
    return page


def _default(entry: Mapping[str, object]) -> str:
    default = entry.get("default")
    return "" if default is None or default == {} else f"`{json.dumps(default)}`"


def _choices(entry: Mapping[str, object]) -> str:
    choices = entry.get("enum")
    return " One of " + ", ".join(f"`{choice}`" for choice in choices) + "." if isinstance(choices, list) else ""
