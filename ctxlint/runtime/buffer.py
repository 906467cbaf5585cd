"""A buffer that never outruns its undo log."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, Literal

from .anchors import Anchor, Content, replace_span
from .buffer_records import (
    base_record,
    checkpoint_record,
    replay,
    rollback_record,
    selective_record,
    splice_record,
)
from .digests import digest
from .errors import JournalError, Reason, RollbackIntegrityError
from .exclusion import unless_within
from .inverse import Inverse, anchor_mismatch, undo_all
from .journal import Journal, append_or_refuse, claim, holds_other_than, require_claim
from .selective import without

Overlap = Literal["allow", "forbid"]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A place in the log to roll back to: how many splices precede it, and the digest of the content there."""

    depth: int
    digest: str


class RewriteBuffer(Generic[Content]):
    """Text, or a tuple of tokens or lines, that is rewritten in place and can be taken back exactly.

    Offsets and lengths count characters (text) or elements (tuples); negative ones are refused, never wrapped.
    Elements must be immutable (text, bytes, numbers, booleans, None, tuples of them): a before-image must not share
    anything that can still change.

    The inverse of a splice is committed to the undo log, and to `journal` if there is one, before the content
    changes. When the append fails the splice fails with reason inverse-not-committed and the buffer is
    byte-identical.
    The journal must be empty; `recover` opens one that is not. It is this buffer's alone, until it is recovered
    into another one.
    Without a journal the log lives and dies with the process.

    With ``overlap="forbid"`` a splice that touches what was rewritten since the last checkpoint is refused.
    All methods are safe to call from several threads. One called from within another by the same thread, as by a
    signal handler, is a `RuntimeError`.
    """

    def __init__(self, content: Content, *, journal: Journal | None = None, overlap: Overlap = "allow") -> None:
        if overlap not in ("allow", "forbid"):
            raise ValueError(f'overlap is "allow" or "forbid", not {overlap!r}')
        if journal is not None and journal.records():
            raise JournalError("journal already holds records; use recover(journal)", reason=Reason.JOURNAL_NOT_EMPTY)
        checked = _checked(content)
        self._set_up(checked, digest(checked), overlap, journal)
        self._commit(base_record(checked, overlap))
        self._in_doubt = False

    def _set_up(
        self, content: Content, current: str, overlap: Overlap, journal: Journal | None, recorded: int = 0
    ) -> None:
        self._state: tuple[Content, str] = (content, current)
        self._overlap: Overlap = overlap
        self._journal = journal
        self._recorded = recorded
        if journal is not None:
            claim(journal, self)
        self._log: list[Inverse[Content]] = []
        self._checkpoint_depth = 0
        self._in_doubt = False
        self._lock = threading.RLock()
        self._change = threading.Lock()

    @property
    def content(self) -> Content:
        """The present content."""
        return self._state[0]

    @property
    def digest(self) -> str:
        """The `ctxlint.runtime.digest` of the present content."""
        return self._state[1]

    @property
    def log(self) -> tuple[Inverse[Content], ...]:
        """The inverse records that rollback would use, oldest first."""
        with self._lock:
            return tuple(self._log)

    def splice(self, offset: int, delete_len: int, insert: Content) -> Inverse[Content]:
        """Replace ``content[offset:offset + delete_len]`` by `insert` and return the committed inverse.

        Raises `IndexError` when the span is not in the content, `RollbackIntegrityError` with reason
        inverse-not-committed or overlap; the content is unchanged after either.
        """
        with self._lock, unless_within(self._change, "the buffer"):
            return self._splice(offset, delete_len, insert)

    def replace(self, place: Anchor[Content] | Content, insert: Content) -> Inverse[Content]:
        """Replace what `place` names by `insert`; plain content names itself.

        Raises `RollbackIntegrityError` (anchor-mismatch) unless there is exactly one such place.
        """
        with self._lock, unless_within(self._change, "the buffer"):
            content = self.content
            if not isinstance(place, Anchor):
                named = _checked(place, like=content)
                place = Anchor(named, named[:0], named[:0])
            offset = place.find(content)
            if offset is None:
                raise RollbackIntegrityError(
                    "anchor mismatch: the anchor does not name exactly one place in the buffer",
                    reason=Reason.ANCHOR_MISMATCH,
                )
            return self._splice(offset, len(place.text), insert)

    def absorb(self, content: Content) -> Inverse[Content] | None:
        """Take over `content` that another writer made, as one recorded splice; None when nothing differs.

        A foreign change that bypassed the log would leave every record after it describing another buffer.
        """
        with self._lock, unless_within(self._change, "the buffer"):
            present, content = self.content, _checked(content, like=self.content)
            if digest(content) == self.digest:
                return None
            old, new = _units(present), _units(content)
            start = common_prefix(old, new)
            behind = common_prefix(old[start:][::-1], new[start:][::-1])
            return self._splice(start, len(present) - behind - start, content[start : len(content) - behind])

    def checkpoint(self) -> Checkpoint:
        """Mark the present state; with ``overlap="forbid"`` everything may be rewritten again."""
        with self._lock, unless_within(self._change, "the buffer"):
            self._require_sound()
            self._commit(checkpoint_record(len(self._log)))
            self._checkpoint_depth = len(self._log)
            self._in_doubt = False
            return Checkpoint(len(self._log), self.digest)

    def rollback(self, n: int = 1) -> None:
        """Take back the last `n` splices, last first, all or none.

        Raises `RollbackIntegrityError`: past-start-of-log, anchor-mismatch, digest-mismatch, or
        inverse-not-committed when the journal does not take the rollback's own record.
        """
        if n < 0:
            raise ValueError(f"cannot roll back {n} splices")
        with self._lock, unless_within(self._change, "the buffer"):
            self._rollback(n)

    def rollback_to(self, checkpoint: Checkpoint) -> None:
        """Take back everything after `checkpoint`.

        Raises `RollbackIntegrityError`: past-start-of-log when the log no longer reaches that far, anchor-mismatch
        when it does but does not lead to the checkpoint's content.
        """
        with self._lock, unless_within(self._change, "the buffer"):
            if checkpoint.depth > len(self._log):
                raise RollbackIntegrityError(
                    "rollback past start of log: the checkpoint itself was rolled back", reason=Reason.PAST_START
                )
            later = self._log[checkpoint.depth :]
            if (later[0].digest_before if later else self.digest) != checkpoint.digest:
                raise anchor_mismatch("the log does not lead back to the checkpoint")
            self._rollback(len(later))

    def rollback_only(self, inverse: Inverse[Content]) -> None:
        """Take back one splice of the log and keep the later ones, or refuse.

        Means: undo from the head down to it, then apply the others again at the places they have without it.
        The log then holds new records for the later splices.
        Raises `RollbackIntegrityError`: past-start-of-log when the splice is not in the log, overlap when a later
        one touched what it wrote.
        """
        with self._lock, unless_within(self._change, "the buffer"):
            self._require_sound()
            # The same splice can be in the log twice, when the content was the same twice: the later one is meant.
            index = next((i for i in reversed(range(len(self._log))) if self._log[i] == inverse), None)
            if index is None:
                raise RollbackIntegrityError("this splice is not in the log", reason=Reason.PAST_START)
            content, again = without(self.content, self._log, index)
            current = again[-1].digest_after if again else inverse.digest_before
            _require_digest(content, current)
            self._commit(selective_record(index, current))
            self._state = (content, current)
            self._log[index:] = again
            self._checkpoint_depth -= index < self._checkpoint_depth
            self._in_doubt = False

    def compact(self) -> None:
        """Forget the log: start the journal anew from the present content. Rollback reaches no further back."""
        with self._lock, unless_within(self._change, "the buffer"):
            self._require_sound()
            if self._journal is not None:
                require_claim(self._journal, self)
                self._in_doubt = True
                try:
                    self._journal.rotate([base_record(self.content, self._overlap)])
                except Exception:
                    self._in_doubt = holds_other_than(self._journal, self._recorded)
                    raise
                self._recorded = 1
            self._log.clear()
            self._checkpoint_depth = 0
            self._in_doubt = False

    def _splice(self, offset: int, delete_len: int, insert: Content) -> Inverse[Content]:
        self._require_sound()
        content, current = self._state
        if offset < 0 or delete_len < 0 or offset + delete_len > len(content):
            raise IndexError(f"no span of {delete_len} at {offset} in a buffer of {len(content)}")
        insert = _checked(insert, like=content)
        self._require_no_overlap(offset, offset + delete_len)
        changed = replace_span(content, offset, offset + delete_len, insert)
        inverse = Inverse.of_splice(content, offset, delete_len, insert, current, digest(changed))
        if self._journal is not None:
            self._commit(splice_record(inverse))
        self._log.append(inverse)
        self._state = (changed, inverse.digest_after)
        self._in_doubt = False
        return inverse

    def _rollback(self, n: int) -> None:
        self._require_sound()
        if n > len(self._log):
            raise RollbackIntegrityError(
                f"rollback past start of log: {n} asked, {len(self._log)} recorded", reason=Reason.PAST_START
            )
        if n == 0:
            return
        undone = undo_all(self.content, self._log[-n:])
        current = self._log[-n].digest_before
        _require_digest(undone, current)
        self._commit(rollback_record(n, current))
        self._state = (undone, current)
        del self._log[-n:]
        self._checkpoint_depth = min(self._checkpoint_depth, len(self._log))
        self._in_doubt = False

    def _commit(self, record: bytes) -> None:
        """Write ahead. Until the caller has made its change the buffer is in doubt."""
        if self._journal is None:
            return
        self._in_doubt = True
        try:
            append_or_refuse(self._journal, record, self, self._recorded)
        except RollbackIntegrityError as refusal:
            self._in_doubt = refusal.reason is Reason.IN_DOUBT
            raise
        self._recorded += 1

    def _require_sound(self) -> None:
        """Refuse when an interrupt fell between a record and its change."""
        if self._in_doubt or (self._log and self._log[-1].digest_after != self.digest):
            raise RollbackIntegrityError(
                "an interrupted change left buffer and log apart; recover(journal) settles it", reason=Reason.IN_DOUBT
            )

    def _require_no_overlap(self, start: int, end: int) -> None:
        if self._overlap == "forbid":
            for left, right in _rewritten_spans(self._log[self._checkpoint_depth :]):
                if start < right and left < end:
                    raise RollbackIntegrityError(
                        f"splice of {start}:{end} overlaps {left}:{right}, rewritten since the last checkpoint",
                        reason=Reason.OVERLAP,
                    )


def recover(journal: Journal) -> RewriteBuffer[Any]:
    """Rebuild the buffer whose records `journal` holds, with its log, and go on writing there.

    Every acknowledged splice, rollback and checkpoint is in it; one whose acknowledgement was cut off by the crash
    may be.
    Raises `JournalError` when there is nothing to recover and `RollbackIntegrityError` when the records contradict
    each other.
    """
    records = journal.records()
    state = replay(records)
    buffer: RewriteBuffer[Any] = RewriteBuffer.__new__(RewriteBuffer)
    overlap: Overlap = "forbid" if state.overlap == "forbid" else "allow"
    buffer._set_up(state.content, state.digest, overlap, journal, len(records))
    buffer._log = state.log
    buffer._checkpoint_depth = state.checkpoint_depth
    return buffer


def common_prefix(left: Content, right: Content) -> int:
    """Return how many leading units two contents share."""
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _units(content: str | tuple[Any, ...]) -> Any:
    """Return what stands for the units of `content` in comparisons: 1, 1.0 and True are equal and not the same."""
    return content if isinstance(content, str) else tuple(digest(element) for element in content)


def _require_digest(content: Content, expected: str) -> None:
    """Fail closed unless the rollback was a genuine inverse."""
    if digest(content) != expected:
        raise RollbackIntegrityError(
            "digest after rollback differs from the digest before the edit; the buffer was changed behind its log",
            reason=Reason.DIGEST_MISMATCH,
        )


def _rewritten_spans(inverses: Sequence[Inverse[Content]]) -> list[tuple[int, int]]:
    """Return where, in the present content, the splices since the checkpoint have written."""
    spans: list[tuple[int, int]] = []
    for inverse in inverses:
        shift = len(inverse.inserted) - len(inverse.removed)
        end = inverse.offset + len(inverse.removed)
        spans = [(left + shift, right + shift) if left >= end else (left, right) for left, right in spans]
        spans.append((inverse.offset, inverse.offset + len(inverse.inserted)))
    return spans


def _checked(content: Content, like: Content | None = None) -> Content:
    """Return `content` if it is text or a tuple of immutable elements, and of the same kind as `like`."""
    if like is not None and isinstance(like, str) is not isinstance(content, str):
        raise TypeError(f"this buffer holds {'text' if isinstance(like, str) else 'a tuple of elements'}")
    if isinstance(content, str):
        return content
    if not isinstance(content, tuple):
        raise TypeError(f"a buffer holds text or a tuple of elements, not {type(content).__name__}")
    for element in content:
        _require_immutable(element)
    return content


def _require_immutable(element: object) -> None:
    if isinstance(element, tuple):
        for item in element:
            _require_immutable(item)
    elif element is not None and not isinstance(element, (str, bytes, int, float)):
        raise TypeError(f"elements must be immutable, and {type(element).__name__} is not known to be")
