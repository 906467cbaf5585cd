"""Whether a folder's content came with the code: then its records say what whoever wrote the code wants them to say.

A cache is believed, since only earlier runs write it. One that is under version control could carry a report of a change that
was never analysed, so it is not read.
This module loads nothing: runs in which nothing has changed ask it too.
"""

from __future__ import annotations

import os

_SHORTENED = (4).to_bytes(4, "big")
"""The version of an index in which a name is only told as far as it differs from the one before it."""


def is_committed(folder: str) -> bool:
    """Whether git tracks a file in the folder (an absolute path), or where links lead to it; false outside of a work tree."""
    real = os.path.realpath(folder)
    return _is_tracked(folder) or (real != folder and _is_tracked(real))


def _is_tracked(folder: str) -> bool:
    root = os.path.dirname(folder)
    while not os.path.exists(os.path.join(root, ".git")):
        above = os.path.dirname(root)
        if above == root:
            return False
        root = above
    try:
        with open(os.path.join(_git_folder(os.path.join(root, ".git")), "index"), "rb") as stream:
            index = stream.read()
    except OSError:
        return False
    inside = os.path.relpath(folder, root).replace(os.sep, "/")
    if index[4:8] == _SHORTENED or b"link" in index:
        return _asked_of_git(root, inside)
    return _names_one_in(index, os.fsencode(f"{inside}/")) or _names_one_in(index, os.fsencode(f"{inside}\0"))


def _names_one_in(index: bytes, folder: bytes) -> bool:
    """Whether an entry's name begins so: in front of a name stands its length, in the low bits of two bytes (or two before)."""
    at = index.find(folder)
    while at >= 0:
        length = min(index.find(b"\0", at) - at, 0xFFF)      # a submodule, or a link, is an entry of its own
        if any(int.from_bytes(index[at - back : at - back + 2], "big") & 0xFFF == length for back in (2, 4)):
            return True
        at = index.find(folder, at + 1)
    return False


def _asked_of_git(root: str, inside: str) -> bool:
    import subprocess

    try:
        asked = subprocess.run(["git", "-C", root, "ls-files", "--", inside], capture_output=True, check=False)
    except OSError:
        return True                                          # nobody can say that it is not
    return asked.returncode != 0 or bool(asked.stdout)


def _git_folder(entry: str) -> str:
    """The folder that holds the index: `.git` itself, or the one that the file `.git` of a linked work tree names."""
    if os.path.isdir(entry):
        return entry
    with open(entry, encoding="utf-8") as stream:
        named = stream.read().partition("gitdir:")[2].strip()
    return os.path.join(os.path.dirname(entry), named)
