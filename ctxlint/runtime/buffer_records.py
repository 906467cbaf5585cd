"""The journal entries of a rewrite buffer, and their replay.

Each entry is one JSON object with an `op`:

==========  ===============================================================
base        content and overlap mode the following entries start from
splice      one `Inverse`, from which the splice can be redone and undone
rollback    how many splices were taken back, and the digest this led to
selective   which splice was taken back alone, and the digest this led to
checkpoint  overlapping rewrites are allowed again from here
==========  ===============================================================
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Generic, cast

from .anchors import Content
from .digests import digest
from .errors import JournalCorruptError, JournalError, Reason, RollbackIntegrityError
from .inverse import Inverse, anchor_mismatch, undo_all
from .selective import without

_FIELDS = ("offset", "removed", "inserted", "before", "after", "digest_before", "digest_after")


def base_record(content: Content, overlap: str) -> bytes:
    return encode({"op": "base", "content": content, "overlap": overlap})


def splice_record(inverse: Inverse[Content]) -> bytes:
    return encode({"op": "splice"} | {name: getattr(inverse, name) for name in _FIELDS})


def rollback_record(count: int, digest_after: str) -> bytes:
    return encode({"op": "rollback", "count": count, "digest": digest_after})


def selective_record(index: int, digest_after: str) -> bytes:
    return encode({"op": "selective", "index": index, "digest": digest_after})


def checkpoint_record(depth: int) -> bytes:
    return encode({"op": "checkpoint", "depth": depth})


@dataclass(slots=True)
class Replay(Generic[Content]):
    """The state that a journal's entries lead to."""

    content: Content
    digest: str
    overlap: str
    log: list[Inverse[Content]] = field(default_factory=list)
    checkpoint_depth: int = 0

    def splice(self, inverse: Inverse[Content]) -> None:
        redone = inverse.redo(self.content)
        if redone is None or inverse.digest_before != self.digest:
            raise anchor_mismatch(f"entry for offset {inverse.offset} does not follow from the entries before it")
        self.content, self.digest = redone, inverse.digest_after
        self.log.append(inverse)

    def rollback(self, count: int) -> None:
        if not 0 < count <= len(self.log):
            raise RollbackIntegrityError("rollback past start of log", reason=Reason.PAST_START)
        self.digest = self.log[-count].digest_before
        self.content = undo_all(self.content, self.log[-count:])
        del self.log[-count:]
        self.checkpoint_depth = min(self.checkpoint_depth, len(self.log))

    def selective(self, index: int) -> None:
        self.content, self.log[index:] = without(self.content, self.log, index)
        self.digest = digest(self.content)
        self.checkpoint_depth -= index < self.checkpoint_depth


def replay(records: Iterable[bytes]) -> Replay[Any]:
    """Fold `records` into the state they describe.

    Every step checks the before-image and its surroundings and the chain of digests; the whole content is digested
    once, at the end.
    Raises `JournalError` (journal-empty), `JournalCorruptError`, or `RollbackIntegrityError` when the entries
    contradict each other.
    """
    entries = iter(records)
    first = next(entries, None)
    if first is None:
        raise JournalError("journal is empty: there is nothing to recover", reason=Reason.JOURNAL_EMPTY)
    base = decode(first, "a rewrite buffer")
    if base.get("op") != "base":
        raise JournalCorruptError("not the base entry of a rewrite buffer", reason=Reason.JOURNAL_CORRUPT)
    try:
        state = _base(base)
        for entry in entries:
            _step(state, decode(entry, "a rewrite buffer"))
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as failure:
        raise JournalCorruptError(
            f"an entry is not one of a rewrite buffer: {failure!r}", reason=Reason.JOURNAL_CORRUPT
        ) from failure
    if digest(state.content) != state.digest:
        raise RollbackIntegrityError(
            "digest of the recovered content differs from the recorded one", reason=Reason.DIGEST_MISMATCH
        )
    return state


def _base(entry: dict[str, Any]) -> Replay[Any]:
    content, overlap = _immutable(entry["content"]), entry["overlap"]
    if not isinstance(content, (str, tuple)) or overlap not in ("allow", "forbid"):
        raise ValueError("neither text nor a tuple of elements, or no overlap mode")
    return Replay(content, digest(content), overlap)


def _step(state: Replay[Any], entry: dict[str, Any]) -> None:
    op = entry["op"]
    if op == "splice":
        state.splice(Inverse(*(_immutable(entry[name]) for name in _FIELDS)))
    elif op == "checkpoint":
        state.checkpoint_depth = entry["depth"]
    elif op in ("rollback", "selective"):
        state.rollback(entry["count"]) if op == "rollback" else state.selective(entry["index"])
        if state.digest != entry["digest"]:
            raise RollbackIntegrityError("digest after rollback differs", reason=Reason.DIGEST_MISMATCH)
    else:
        raise JournalCorruptError(f"unknown entry {op!r}", reason=Reason.JOURNAL_CORRUPT)


def encode(entry: dict[str, Any]) -> bytes:
    """Write an entry as JSON in UTF-8.

    Surrogates stand for themselves: as escapes, two lone ones in a row would be read back as one character.
    """
    text = json.dumps(entry, separators=(",", ":"), ensure_ascii=False, default=_bytes_as_json)
    return text.encode("utf-8", "surrogatepass")


def decode(record: bytes, owner: str) -> dict[str, Any]:
    """Read what `encode` wrote; `owner` is named when it was not."""
    try:
        entry = json.loads(record.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as failure:
        raise JournalCorruptError(f"not an entry of {owner}", reason=Reason.JOURNAL_CORRUPT) from failure
    if not isinstance(entry, dict):
        raise JournalCorruptError(f"not an entry of {owner}", reason=Reason.JOURNAL_CORRUPT)
    return cast("dict[str, Any]", entry)


def _bytes_as_json(value: object) -> dict[str, str]:
    return {"bytes": base64.b64encode(cast(bytes, value)).decode("ascii")}


def _immutable(value: Any) -> Any:
    """Turn JSON's lists and tagged bytes back into the tuples and bytes they were."""
    if isinstance(value, list):
        return tuple(_immutable(item) for item in value)
    if isinstance(value, dict):
        return base64.b64decode(value["bytes"])
    return value
