"""Every way in which this package refuses.

::

    ContextError (RuntimeError)             a refusal, or a failure that was not hidden
    ├── RollbackIntegrityError              undo log and content do not agree, or would cease to
    ├── StaleBaseError                      a diff may not be applied to the live base
    │   ├── ConflictError                   its write set drifted and cannot be merged
    │   └── UnreachableRollbackError        its inverse cannot be anchored
    ├── JournalError                        a journal refused a record or cannot be read
    │   ├── JournalFullError                its bound is reached; nothing was dropped
    │   ├── JournalLockedError              another writer holds it
    │   └── JournalCorruptError             an acknowledged record does not verify
    └── MonitorFailure (AssertionError)     a test ran code that breaks an invariant

Each carries a machine-readable `reason`, the `regions` concerned and the two revisions that were compared.
A refusal leaves the content it protects exactly as it was.
Wrong arguments (a negative length, an unknown region name, an element that can change) are `ValueError`,
`IndexError`, `KeyError` and `TypeError` as everywhere in Python, and a call from within another one's change is a
plain `RuntimeError`. What the operating system or SQLite says of a file is their own `OSError` or `sqlite3.Error`.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Any


class Reason(str, Enum):
    """Why something was refused; the values are stable and safe to store."""

    NOT_COMMITTED = "inverse-not-committed"
    PAST_START = "past-start-of-log"
    ANCHOR_MISMATCH = "anchor-mismatch"
    DIGEST_MISMATCH = "digest-mismatch"
    OVERLAP = "overlap"
    IN_DOUBT = "in-doubt"
    READ_SET_DRIFT = "read-set-drift"
    WRITE_SET_DRIFT = "write-set-drift"
    POSITIONAL_ANCHOR = "positional-anchor"
    UNRESOLVED_REFERENCE = "unresolved-reference"
    UNREACHABLE_ROLLBACK = "unreachable-rollback"
    UNKNOWN_BASE = "unknown-base"
    VALUE_DRIFT = "value-drift"
    RETRIES_EXHAUSTED = "retries-exhausted"
    JOURNAL_FULL = "journal-full"
    JOURNAL_LOCKED = "journal-locked"
    JOURNAL_CORRUPT = "journal-corrupt"
    JOURNAL_FAILED = "journal-failed"
    JOURNAL_CLOSED = "journal-closed"
    JOURNAL_NOT_EMPTY = "journal-not-empty"
    JOURNAL_EMPTY = "journal-empty"
    MONITORED = "monitored-violation"

    def __str__(self) -> str:
        return self.value


class ContextError(RuntimeError):
    """Root of the tree.

    `regions` are region ids in sorted order, empty where the error is not about regions.
    `base_revision` is the revision the change was authored on and `live_revision` the one it met; None where
    there are no revisions.
    """

    def __init__(
        self,
        message: str,
        *,
        reason: Reason,
        regions: Iterable[str] = (),
        base_revision: int | None = None,
        live_revision: int | None = None,
    ) -> None:
        super().__init__(message)
        self.reason = reason
        self.regions = tuple(sorted(regions))
        self.base_revision = base_revision
        self.live_revision = live_revision

    def __reduce__(self) -> tuple[Any, ...]:
        # By default an exception is made anew from its positional arguments alone, which would keep a refusal in a
        # worker process from ever reaching the caller.
        return (_rebuilt, (type(self), self.args, self.__dict__))


def _rebuilt(kind: type[ContextError], arguments: tuple[Any, ...], state: dict[str, Any]) -> ContextError:
    error = kind.__new__(kind, *arguments)
    error.__dict__.update(state)
    return error


class RollbackIntegrityError(ContextError):
    """The undo log does not describe the content, or a change would make it so."""


class StaleBaseError(ContextError):
    """A diff cannot be applied safely to the live base: author it anew on the present one."""


class ConflictError(StaleBaseError):
    """What the diff writes has drifted and cannot be merged (reason write-set-drift)."""


class UnreachableRollbackError(StaleBaseError):
    """The compensating diff has no place to anchor: what cannot be rolled back is not rolled forward."""


class JournalError(ContextError):
    """A journal refused a record, or what it holds cannot be used."""


class JournalFullError(JournalError):
    """The journal's bound is reached. Rotate it; it never drops a record by itself."""


class JournalLockedError(JournalError):
    """Another writer, in this process or another one, holds the journal."""


class JournalCorruptError(JournalError):
    """A record that was acknowledged does not verify, so what follows it cannot be trusted."""


class MonitorFailure(ContextError, AssertionError):
    """Code under test broke an invariant; the message is the argument."""
