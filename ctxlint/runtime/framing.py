"""How a journal file is laid out, so that a torn tail is told from a damaged record.

::

    file   = magic (8) salt (16) crc32 of both (4), then frames
    frame  = "CTXF" length (u32) sequence (u64) crc32 (u32) record

All numbers are little-endian. The checksum covers the salt, the length, the sequence number and the record.
The salt is random for each file and the sequence numbers count from 0, so neither zeros, nor a frame of an older file
in a recycled block, nor a record that quotes a journal passes for the next frame.

Appends are synchronised one by one, so a crash leaves at most one frame incomplete, and nothing behind it.
What follows the last frame that verifies is therefore a torn tail, unless a later frame verifies within it: then an
acknowledged record is damaged, and the file is refused.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

from .errors import JournalCorruptError, Reason

MAGIC = b"CTXJRNL1"
SALT_LENGTH = 16
HEADER_LENGTH = len(MAGIC) + SALT_LENGTH + 4
_MARK = b"CTXF"
_FRAME = struct.Struct("<4sIQI")
_COVERED = struct.Struct("<IQ")
_LARGEST = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Scan:
    """What a file holds: its salt, its records, and the length up to which it verifies."""

    salt: bytes
    records: tuple[bytes, ...]
    good_length: int


def header(salt: bytes) -> bytes:
    return MAGIC + salt + struct.pack("<I", zlib.crc32(MAGIC + salt))


def frame(salt: bytes, sequence: int, record: bytes) -> bytes:
    if len(record) > _LARGEST:
        raise ValueError(f"a record holds at most {_LARGEST} bytes, not {len(record)}")
    return _FRAME.pack(_MARK, len(record), sequence, _checksum(salt, sequence, record)) + record


def scan(data: bytes) -> Scan:
    """Read a journal file; raise `JournalCorruptError` when it is none or an acknowledged record is damaged."""
    salt = data[len(MAGIC) : len(MAGIC) + SALT_LENGTH]
    if data[:HEADER_LENGTH] != header(salt):
        raise JournalCorruptError("not a journal file, or its header is damaged", reason=Reason.JOURNAL_CORRUPT)
    records: list[bytes] = []
    position = HEADER_LENGTH
    while (record := _frame_at(data, position, salt, len(records))) is not None:
        records.append(record)
        position += _FRAME.size + len(record)
    _require_torn_tail(data, position, salt, len(records))
    return Scan(salt, tuple(records), position)


def _frame_at(data: bytes, position: int, salt: bytes, sequence: int | None = None) -> bytes | None:
    """Return the record of the frame at `position` if it verifies, and has that sequence number."""
    if position + _FRAME.size > len(data):
        return None
    mark, length, found, checksum = _FRAME.unpack_from(data, position)
    start = position + _FRAME.size
    if mark != _MARK or start + length > len(data) or (sequence is not None and found != sequence):
        return None
    record = data[start : start + length]
    return record if _checksum(salt, found, record) == checksum else None


def _require_torn_tail(data: bytes, position: int, salt: bytes, sequence: int) -> None:
    place = data.find(_MARK, position + 1)
    while place >= 0:
        if _frame_at(data, place, salt) is not None and _FRAME.unpack_from(data, place)[2] > sequence:
            raise JournalCorruptError(
                f"record {sequence} at byte {position} is damaged, and later records follow it",
                reason=Reason.JOURNAL_CORRUPT,
            )
        place = data.find(_MARK, place + 1)


def _checksum(salt: bytes, sequence: int, record: bytes) -> int:
    return zlib.crc32(record, zlib.crc32(_COVERED.pack(len(record), sequence), zlib.crc32(salt)))
