"""What a record depends on, as a short text: two keys are equal only when everything that matters is.

The code of ctxlint is part of every key, not its version: a checkout changes without one.
"""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

_DIGEST = 20


def digest(*parts: bytes) -> str:
    """The key of these parts; each is hashed with its length, so that parts cannot run together."""
    found = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        found.update(len(part).to_bytes(8, "big"))
        found.update(part)
    return found.hexdigest()


@functools.cache
def interpreter() -> bytes:
    """What of the running interpreter can change a result: which syntax its parser knows."""
    return f"{sys.implementation.name} {sys.version_info.major}.{sys.version_info.minor}".encode()


@functools.cache
def library_version(name: str) -> str:
    """The version of an installed library."""
    from importlib.metadata import version

    return version(name)


def content(files: Iterable[Path]) -> bytes:
    """The names and the contents of files, in order of their names."""
    found = hashlib.blake2b(digest_size=_DIGEST)
    for file in sorted(files):
        data = file.read_bytes()
        found.update(f"{file}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
        found.update(data)
    return found.digest()


@functools.cache
def code(*rooms: str) -> bytes:
    """The code of ctxlint itself, or of these rooms of it."""
    package = Path(__file__).resolve().parent.parent
    files = [file for room in rooms for file in (package / room).rglob("*.py")] if rooms else package.rglob("*.py")
    found = hashlib.blake2b(digest_size=_DIGEST)
    for file in sorted(files):
        found.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes() + b"\0")
    return found.digest()
