"""The texts of a run's files, and the keys of what they are lowered to."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from ctxlint.discovery.files import SourceFile
from ctxlint.store.keys import code, digest, interpreter


def source_of(file: SourceFile) -> bytes:
    """The text of a file; raises OSError."""
    return Path(file.path).read_bytes() if file.source is None else file.source


def source_key(source: bytes, tree: str) -> str:
    """The key of what a file's text is lowered to."""
    return digest(b"lowered", code("ir", "syntax", "store"), interpreter(), tree.encode(), source)


def keys_of(files: Iterable[SourceFile], tree: str) -> list[str]:
    """The keys of the files' texts; of a file that cannot be read, what the system says."""
    keys = []
    for file in files:
        try:
            keys.append(source_key(source_of(file), tree))
        except OSError as error:
            keys.append(f"unreadable: {error.strerror}")
    return keys
