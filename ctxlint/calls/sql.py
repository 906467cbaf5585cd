"""What a statement of SQL does to which tables, read from its text.

The text may have holes (format fields, parameters); only statements that *begin* with a verb count, so prose does not.
"""

from __future__ import annotations

import re
from typing import Literal

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
