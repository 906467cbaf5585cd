"""A context with several writers, none of whose updates is lost."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .apply import Commit, commit_on
from .buffer_records import decode, encode
from .diff import AppendTo, Diff, SetRegion
from .errors import (
    ConflictError,
    JournalCorruptError,
    JournalError,
    Reason,
    RollbackIntegrityError,
    StaleBaseError,
    UnreachableRollbackError,
)
from .exclusion import unless_within
from .finished import require_finished
from .journal import Journal, append_or_refuse, claim, holds_other_than, require_claim
from .snapshot import Snapshot
from .transaction import Transaction

ATTEMPTS = 16
"""How often `update` tries by default."""


class ContextStore:
    """Regions of text under a revision number, changed by diffs that must still be valid when they are applied.

    A commit is written to `journal`, if there is one, before it is visible; when that fails nothing has changed.
    The journal must be empty; `ContextStore.recover` opens one that is not. It is this store's alone, until it is
    recovered into another one.
    Safe to call from several threads and tasks. A commit holds a thread lock only while it checks and records; one
    that begins within it, from a signal handler or from the journal, is a `RuntimeError`.
    """

    def __init__(self, regions: Mapping[str, str] | None = None, *, journal: Journal | None = None) -> None:
        if journal is not None and journal.records():
            raise JournalError(
                "journal already holds records; use ContextStore.recover(journal)", reason=Reason.JOURNAL_NOT_EMPTY
            )
        self._set_up(Snapshot(0, regions or {}), journal)
        self._record(self._live, dict(self._live.regions))
        self._in_doubt = False

    @classmethod
    def recover(cls, journal: Journal) -> ContextStore:
        """Rebuild the store whose commits `journal` holds, and go on writing there.

        The journal holds what commits led to, not how to take them back: only commits made from here on can be.
        Raises `JournalError` when there is nothing to recover, `JournalCorruptError` when it is not a store's.
        """
        store = cls.__new__(cls)
        records = journal.records()
        store._set_up(_replay(records), journal, len(records))
        return store

    def _set_up(self, live: Snapshot, journal: Journal | None, recorded: int = 0) -> None:
        self._live = live
        self._journal = journal
        self._recorded = recorded
        if journal is not None:
            claim(journal, self)
        self._in_doubt = False
        self._lock = threading.RLock()
        self._change = threading.Lock()

    @property
    def revision(self) -> int:
        """How many commits changed the context."""
        return self._live.revision

    def snapshot(self) -> Snapshot:
        """Return the context as it is now; it never changes afterwards."""
        return self._live

    def apply(self, diff: Diff, base: Snapshot) -> Commit:
        """Apply `diff`, authored on `base`, to the present context, or refuse.

        Raises as `apply_self_diff` does, and `RollbackIntegrityError` (inverse-not-committed) when the journal does
        not take the commit.
        """
        with self._lock, unless_within(self._change, "the store"):
            self._require_sound()
            commit = commit_on(base, self._live, diff)
            if commit.snapshot is not self._live:
                after = commit.snapshot
                self._record(after, {region: after.regions.get(region) for region in sorted(diff.write_set)})
                self._live = after
                self._in_doubt = False
            return commit

    def rollback(self, commit: Commit) -> Commit:
        """Take `commit` back by its inverse, under the same checks as any diff.

        Raises `UnreachableRollbackError` when what the commit wrote has changed since and does not anchor.
        """
        try:
            return self.apply(commit.inverse, commit.snapshot)
        except ConflictError as conflict:
            raise UnreachableRollbackError(
                f"rollback of r={commit.snapshot.revision} refused: {conflict}",
                reason=Reason.UNREACHABLE_ROLLBACK,
                regions=conflict.regions,
                base_revision=conflict.base_revision,
                live_revision=conflict.live_revision,
            ) from conflict

    def write(self, region: str, content: str | None) -> Commit:
        """Set a whole region, or remove it, whatever it holds: a blind write."""
        while True:
            base = self.snapshot()
            try:
                return self.apply(Diff((SetRegion(region, content),)), base)
            except ConflictError:
                continue  # Another writer came between; a blind write depends on nothing, so it is still meant.

    def append(self, region: str, text: str) -> Commit:
        """Add `text` at the end of a region."""
        return self.apply(Diff((AppendTo(region, text),)), self.snapshot())

    @contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Author a diff in the block; it is applied when the block ends and dropped when it raises."""
        transaction = Transaction(self.snapshot())
        yield transaction
        self.apply(transaction.diff, transaction.base)

    def update(self, author: Callable[[Transaction], object], *, attempts: int = ATTEMPTS) -> Commit:
        """Let `author` fill a transaction and apply it; when the base moved meanwhile, again on the new one.

        Raises `StaleBaseError` with reason retries-exhausted after `attempts`, its cause the last refusal; and any
        refusal at once that a fresh base cannot change. `author` runs without a lock and may run several times;
        a coroutine function is a `TypeError` here.
        """
        last: StaleBaseError | None = None
        for _ in range(_checked_attempts(attempts)):
            transaction = Transaction(self.snapshot())
            require_finished(author(transaction), "the author", "nothing is applied; use update_async")
            try:
                return self.apply(transaction.diff, transaction.base)
            except StaleBaseError as refusal:
                last = _retryable(refusal, transaction.base)
        raise _exhausted(attempts, last) from last

    async def update_async(
        self, author: Callable[[Transaction], Awaitable[object]], *, attempts: int = ATTEMPTS
    ) -> Commit:
        """Do what `update` does with an author that awaits; no lock is held while it does."""
        last: StaleBaseError | None = None
        for _ in range(_checked_attempts(attempts)):
            transaction = Transaction(self.snapshot())
            await author(transaction)
            try:
                return self.apply(transaction.diff, transaction.base)
            except StaleBaseError as refusal:
                last = _retryable(refusal, transaction.base)
        raise _exhausted(attempts, last) from last

    def compact(self) -> None:
        """Start the journal anew from the present context."""
        with self._lock, unless_within(self._change, "the store"):
            self._require_sound()
            if self._journal is None:
                return
            require_claim(self._journal, self)
            self._in_doubt = True
            try:
                self._journal.rotate([_entry(self._live, dict(self._live.regions))])
            except Exception:
                self._in_doubt = holds_other_than(self._journal, self._recorded)
                raise
            self._recorded = 1
            self._in_doubt = False

    def _require_sound(self) -> None:
        """Refuse when an interrupt fell between a record and the commit it announces."""
        if self._in_doubt:
            raise RollbackIntegrityError(
                "an interrupted commit left store and journal apart; recover settles it", reason=Reason.IN_DOUBT
            )

    def _record(self, after: Snapshot, changed: Mapping[str, str | None]) -> None:
        """Write ahead. Until the caller has made the commit visible the store is in doubt."""
        if self._journal is None:
            return
        self._in_doubt = True
        try:
            append_or_refuse(self._journal, _entry(after, changed), self, self._recorded)
        except RollbackIntegrityError as refusal:
            self._in_doubt = refusal.reason is Reason.IN_DOUBT
            raise
        self._recorded += 1


def _entry(after: Snapshot, changed: Mapping[str, str | None]) -> bytes:
    entry = {"revision": after.revision, "regions": changed, "digest": after.digest}
    return encode(entry)


def _replay(records: tuple[bytes, ...]) -> Snapshot:
    """Fold the entries; the digest of each must be that of the context it led to, compared at the last."""
    if not records:
        raise JournalError("journal is empty: there is nothing to recover", reason=Reason.JOURNAL_EMPTY)
    regions: dict[str, str] = {}
    entry: dict[str, Any] = {}
    for record in records:
        entry = _decoded(record)
        for region, content in entry["regions"].items():
            if content is None:
                regions.pop(region, None)
            else:
                regions[region] = content
    recovered = Snapshot(entry["revision"], regions)
    if recovered.digest != entry["digest"]:
        raise JournalCorruptError(
            "the recovered context has another digest than its last commit", reason=Reason.JOURNAL_CORRUPT
        )
    return recovered


def _decoded(record: bytes) -> dict[str, Any]:
    entry = decode(record, "a context store")
    regions = entry.get("regions")
    if (
        entry.keys() != {"revision", "regions", "digest"}
        or not isinstance(entry["revision"], int)
        or not isinstance(regions, dict)
        or not all(content is None or isinstance(content, str) for content in regions.values())
    ):
        raise JournalCorruptError("not an entry of a context store", reason=Reason.JOURNAL_CORRUPT)
    return entry


def _checked_attempts(attempts: int) -> int:
    if attempts < 1:
        raise ValueError(f"attempts must be at least 1, not {attempts}")
    return attempts


def _retryable(refusal: StaleBaseError, base: Snapshot) -> StaleBaseError:
    """Return the refusal if a fresh base may help; raise it if it was met on the very base it was authored on."""
    if refusal.live_revision == base.revision:
        raise refusal
    return refusal


def _exhausted(attempts: int, last: StaleBaseError | None) -> StaleBaseError:
    return StaleBaseError(
        f"the base moved during each of {attempts} attempts; the last: {last}",
        reason=Reason.RETRIES_EXHAUSTED,
        regions=last.regions if last else (),
        base_revision=last.base_revision if last else None,
        live_revision=last.live_revision if last else None,
    )
