"""Context that can be rewritten, rolled back and shared without silent loss.

The reference semantics of write-ahead inverses, content anchors, read-set staleness and durable files, in the
standard library only.
`ctxlint.runtime.faults` has the crash tests, `ctxlint.runtime.monitor` the checks for a test suite of one's own,
`ctxlint.runtime.roles` the annotations.
"""

from .anchors import Anchor, anchor
from .apply import Commit, apply_self_diff
from .buffer import Checkpoint, RewriteBuffer, recover
from .diff import AppendTo, Diff, Edit, ReplaceAnchored, SetRegion, SpliceAt
from .digests import digest
from .durable import atomic_write, durable_append
from .errors import (
    ConflictError,
    ContextError,
    JournalCorruptError,
    JournalError,
    JournalFullError,
    JournalLockedError,
    MonitorFailure,
    Reason,
    RollbackIntegrityError,
    StaleBaseError,
    UnreachableRollbackError,
)
from .file_journal import FileJournal
from .inverse import Inverse
from .journal import Journal, MemoryJournal
from .locks import KeyedLock, KeyedLocks, keyed_lock
from .references import ContentHash, Identifier, LineAnchor, Quote, Reference
from .snapshot import Snapshot
from .sqlite_journal import SQLiteJournal
from .store import ContextStore
from .tasks import tracked_task
from .transaction import Transaction
from .write_ahead import compare_and_set, compare_and_write, verified_restore, write_ahead

__all__ = [
    "Anchor",
    "AppendTo",
    "Checkpoint",
    "Commit",
    "ConflictError",
    "ContentHash",
    "ContextError",
    "ContextStore",
    "Diff",
    "Edit",
    "FileJournal",
    "Identifier",
    "Inverse",
    "Journal",
    "JournalCorruptError",
    "JournalError",
    "JournalFullError",
    "JournalLockedError",
    "KeyedLock",
    "KeyedLocks",
    "LineAnchor",
    "MemoryJournal",
    "MonitorFailure",
    "Quote",
    "Reason",
    "Reference",
    "ReplaceAnchored",
    "RewriteBuffer",
    "RollbackIntegrityError",
    "SQLiteJournal",
    "SetRegion",
    "Snapshot",
    "SpliceAt",
    "StaleBaseError",
    "Transaction",
    "UnreachableRollbackError",
    "anchor",
    "apply_self_diff",
    "atomic_write",
    "compare_and_set",
    "compare_and_write",
    "digest",
    "durable_append",
    "keyed_lock",
    "recover",
    "tracked_task",
    "verified_restore",
    "write_ahead",
]
