"""One digest for all identities: full length, over an encoding that no two values share."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet


def digest(*values: object) -> str:
    """Return the SHA-256 of `values` as 64 hexadecimal digits.

    Every value is written with its type and its length, so `digest("ab", "c")`, `digest("a", "bc")` and
    `digest(("ab", "c"))` differ; concatenation without lengths would make the first two equal.
    Accepted are text (lone surrogates too), bytes, integers, floats, booleans, None, and sequences, sets and
    mappings of them at any depth; a list equals a tuple of the same items, the order of a mapping does not count.
    Anything else is a `TypeError`, because an identity guessed from `repr` is no identity.
    The encoding is stable between versions, processes and machines.
    """
    hasher = hashlib.sha256()
    for chunk in _encode_items(values):
        hasher.update(chunk)
    return hasher.hexdigest()


def _encode_items(items: Sequence[object]) -> Iterator[bytes]:
    yield b"l%d:" % len(items)
    for item in items:
        yield from _encode(item)


def _encode(value: object) -> Iterator[bytes]:
    if isinstance(value, str):
        text = value.encode("utf-8", "surrogatepass")
        yield b"s%d:" % len(text)
        yield text
    elif isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)
        yield b"b%d:" % len(data)
        yield data
    elif value is None or isinstance(value, bool):
        yield {None: b"n0:", False: b"f0:", True: b"t0:"}[value]
    elif isinstance(value, (int, float)):
        number = (int.__repr__(value) if isinstance(value, int) else float.__repr__(value)).encode()
        yield b"%c%d:%b" % (b"i" if isinstance(value, int) else b"d", len(number), number)
    elif isinstance(value, Mapping):
        entries = sorted((b"".join(_encode(key)), b"".join(_encode(item))) for key, item in value.items())
        yield b"m%d:" % len(entries)
        for key, item in entries:
            yield key + item
    elif isinstance(value, AbstractSet):
        members = sorted(b"".join(_encode(item)) for item in value)
        yield b"e%d:" % len(members)
        yield from members
    elif isinstance(value, Sequence):
        yield from _encode_items(value)
    else:
        raise TypeError(f"cannot digest a {type(value).__name__}: convert it to text, bytes, numbers or containers")
