"""What a statement of SQL does to which tables, read from its text.

The text may have holes (format fields, parameters); only statements that *begin* with a verb count, so prose does not.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

_PLACEHOLDER = re.compile(r"\?|%s|(?<![:\w]):([A-Za-z_]\w*)|%\(([A-Za-z_]\w*)\)s|\$(\d+)|@([A-Za-z_]\w*)")
_SELECTION = re.compile(r"\bWHERE\b", re.IGNORECASE)
_BEGIN = re.compile(r"\s*(?:BEGIN|START\s+TRANSACTION)\b", re.IGNORECASE)
_LOCKS = re.compile(r"\bFOR\s+(?:NO\s+KEY\s+)?UPDATE\b", re.IGNORECASE)
_COMMIT = re.compile(r"\s*(?:COMMIT|END)\b", re.IGNORECASE)
_END = re.compile(r"\s*(?:COMMIT|ROLLBACK|END)\b", re.IGNORECASE)

_SET_AND_WHERE = re.compile(r"\bSET\b(.*?)\bWHERE\b(.*)", re.IGNORECASE | re.DOTALL)
_ASSIGNED = re.compile(r"\b([A-Za-z_]\w*)[\"`\]]?\s*=")

Verb = Literal["read", "write", "append", "delete"]

_NAME = r"[\"`\[]?(?:[A-Za-z_][\w$]*[\"`\]]?\s*\.\s*[\"`\[]?)?([A-Za-z_][\w$]*)"
_START = re.compile(r"\s*(?:--[^\n]*\n\s*)*(INSERT|REPLACE|UPDATE|DELETE|SELECT|WITH|MERGE|TRUNCATE)\b", re.IGNORECASE)
_INSERT = re.compile(rf"\b(?:INSERT|REPLACE)\s+(?:OR\s+\w+\s+)?INTO\s+{_NAME}", re.IGNORECASE)
_UPDATE = re.compile(rf"\bUPDATE\s+(?:OR\s+\w+\s+)?{_NAME}\s+(?:AS\s+\w+\s+|\w+\s+)?SET\b", re.IGNORECASE)
_DELETE = re.compile(rf"\b(?:DELETE\s+FROM|TRUNCATE(?:\s+TABLE)?)\s+{_NAME}", re.IGNORECASE)
_SELECT = re.compile(rf"\b(?:FROM|JOIN)\s+{_NAME}", re.IGNORECASE)
_OVERWRITES = re.compile(r"\bREPLACE\s+INTO\b|\bINSERT\s+OR\s+REPLACE\b|\bON\s+CONFLICT\b.*\bDO\s+UPDATE\b|\bON\s+DUPLICATE\s+KEY\b",
                         re.IGNORECASE | re.DOTALL)


def statements(text: str) -> tuple[tuple[Verb, str], ...]:
    """The (verb, table) pairs of a statement; empty when `text` is not one.

    An upsert is a `write` (it replaces what stood there), a plain insert an `append`.
    """
    if not _START.match(text):
        return ()
    found: list[tuple[Verb, str]] = []
    upsert = bool(_OVERWRITES.search(text))
    found += [("write" if upsert else "append", table.lower()) for table in _INSERT.findall(text)]
    found += [("write", table.lower()) for table in _UPDATE.findall(text)]
    deletes = [table.lower() for table in _DELETE.findall(text)]
    found += [("delete", table) for table in deletes]
    if not deletes:
        found += [("read", table.lower()) for table in _SELECT.findall(text)]
    return tuple(dict.fromkeys(found))


class Placeholder(NamedTuple):
    """A parameter of a statement: its name (empty for a positional one), its position, and whether it selects rows."""

    name: str
    position: int
    selects: bool


def placeholders(text: str) -> tuple[Placeholder, ...]:
    """The parameters of a statement, in the order of its text; those behind the first WHERE select."""
    where = _SELECTION.search(text)
    found: list[Placeholder] = []
    for count, match in enumerate(_PLACEHOLDER.finditer(text)):
        number = match.group(3)
        name = match.group(1) or match.group(2) or match.group(4) or ""
        selects = where is not None and match.start() > where.start()
        found.append(Placeholder(name, int(number) - 1 if number else count, selects))
    return tuple(found)


def tests_what_it_sets(text: str) -> bool:
    """Whether an update's WHERE asks for the old value of a column that its SET changes: a compare-and-swap."""
    parts = _SET_AND_WHERE.search(text)
    if parts is None:
        return False
    changed, asked = (set(map(str.lower, _ASSIGNED.findall(part))) for part in parts.groups())
    return bool(changed & asked)


def begins_transaction(text: str) -> bool:
    """Whether the statement opens a transaction."""
    return bool(_BEGIN.match(text))


def ends_transaction(text: str) -> bool:
    """Whether the statement commits or rolls back."""
    return bool(_END.match(text))


def commits_transaction(text: str) -> bool:
    """Whether the statement makes what was done last."""
    return bool(_COMMIT.match(text))


def locks_rows(text: str) -> bool:
    """Whether a query keeps what it reads from other writers until its transaction ends."""
    return bool(_START.match(text)) and bool(_LOCKS.search(text))
