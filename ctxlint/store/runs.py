"""The record of a whole run: the command, what it asked and was told, what it wrote and its exit status.

Read by runs in which nothing has changed, so this module loads nothing that such a run can do without.
"""

from __future__ import annotations

import zlib
from array import array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ctxlint.discovery.world import State

_MAGIC = b"ctxlint run 1\n"


def packed_run(key: str, files: Mapping[str, State], kinds: Mapping[str, int], texts: Sequence[str], status: int) -> bytes:
    """The record of a run: the command, the states of files and the kinds of others, what it wrote and its exit status."""
    state = array("q", [number for each in files.values() for number in each])
    state.extend(kinds.values())
    parts = [
        key.encode("utf-8", "surrogatepass"), "\0".join(files).encode("utf-8", "surrogateescape"),
        "\0".join(kinds).encode("utf-8", "surrogateescape"), state.tobytes(), str(status).encode(),
        *(text.encode("utf-8", "surrogatepass") for text in texts),
    ]
    lengths = " ".join(str(len(part)) for part in parts).encode()
    body = lengths + b"\n" + b"".join(parts)
    return _MAGIC + b"%08x" % zlib.crc32(body) + body


def unpacked_run(record: bytes, key: str) -> tuple[list[str], list[str], bytes, int, list[str]] | None:
    """Files, kinds, state, status and texts of the record; None when it is damaged or is that of another command."""
    start = record.find(_MAGIC)
    if start < 0:
        return None
    start += len(_MAGIC)
    body = record[start + 8 :]
    if record[start : start + 8] != b"%08x" % zlib.crc32(body):
        return None
    lengths, _, rest = body.partition(b"\n")
    parts: list[bytes] = []
    position = 0
    for length in lengths.split():
        parts.append(rest[position : position + int(length)])
        position += int(length)
    if parts[0] != key.encode("utf-8", "surrogatepass"):
        return None
    files, kinds = (part.decode("utf-8", "surrogateescape").split("\0") if part else [] for part in parts[1:3])
    return files, kinds, parts[3], int(parts[4]), [part.decode("utf-8", "surrogatepass") for part in parts[5:]]


def place_of(key: str) -> tuple[str, str]:
    """The folder and the name of a command's record; the record tells two commands with the same name apart."""
    data = key.encode("utf-8", "surrogatepass")
    return f"{zlib.adler32(data) & 0xff:02x}", f"{zlib.crc32(data):08x}{len(data):x}"
