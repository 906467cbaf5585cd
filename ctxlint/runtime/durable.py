"""Files that are old or new after a fault, never something between."""

from __future__ import annotations

import os
import secrets
from typing import Literal

from .errors import JournalError, Reason
from .files import OS_FILES, Files, Status, as_bytes, write_all


def atomic_write(
    path: str | os.PathLike[str],
    data: str | bytes,
    *,
    encoding: str | None = "utf-8",
    links: Literal["follow", "replace", "refuse"] = "follow",
    files: Files = OS_FILES,
) -> None:
    """Replace the content of `path` by `data`, durably and all or nothing.

    When it returns, `data` survives a power failure; when it raises, or the process dies in it, the old content is
    whole. Only a failure to synchronise the directory, the last step, can raise with the new content in place.
    The data is complete before anything is opened, so a failing serialiser cannot empty the file.

    It is written to a new file in the same directory, given the mode and the ownership of the old one, synchronised
    and renamed over it; then the directory is synchronised. A new file gets the process's usual mode.
    Text is encoded as it is: no newline is translated. The encoding ``"locale"``, or None, is the one that `open` takes
    when it is given none.

    `links` says what a symbolic link at `path` means: write what it leads to, replace the link itself by a file, or
    refuse with `OSError`. Another hard link to the old file keeps the old content. Access lists and extended
    attributes are not kept. A process killed in the middle leaves a file named ``.<name>.<random>.tmp`` (of a long
    name the beginning).

    Raises `OSError`, also when `path` leads to something that is no regular file, or when the ownership cannot be
    kept.
    """
    content = data.encode(_named(encoding)) if isinstance(data, str) else as_bytes(data)
    target = _target(os.fspath(path), links, files)
    status = _old_status(target, links, files)
    directory, name = os.path.split(target)
    temporary = os.path.join(directory, f".{_shortened(name)}.{secrets.token_hex(8)}.tmp")
    _write_new(temporary, content, status, files)
    try:
        files.replace(temporary, target)
    except BaseException:
        _discard(temporary, files)
        raise
    files.sync_directory(directory)


def durable_append(
    path: str | os.PathLike[str], data: str | bytes, *, lines: bool = False, files: Files = OS_FILES
) -> None:
    """Append `data` to `path` and return when it survives a power failure.

    When it raises, the file is cut back to what it was, so a half-written record never precedes the next one;
    `JournalError` (journal-failed) when even that fails.
    Appends of several processes exclude one another. The file is created if it does not exist, and its directory
    synchronised. A crash in the middle can leave a part of `data` at the end, as its reader must expect; with
    ``lines=True`` such a torn line is ended first, so that it cannot swallow the next.
    """
    content = data.encode("utf-8") if isinstance(data, str) else as_bytes(data)
    target = files.real_path(os.path.abspath(os.fspath(path)))
    descriptor = files.open(target, os.O_RDWR | os.O_CREAT | os.O_APPEND)
    try:
        files.lock(descriptor, wait=True)
        length = files.size(descriptor)
        if lines and length and not _ends_line(target, length, files):
            content = b"\n" + content
        try:
            write_all(files, descriptor, content)
            files.sync(descriptor)
            if length == 0:
                files.sync_directory(os.path.dirname(target))
        except BaseException as failure:
            cut_back(files, descriptor, length, failure)
            raise
    finally:
        files.close(descriptor)


def cut_back(files: Files, descriptor: int, length: int, failure: BaseException) -> None:
    """Remove what a failed append has left behind `length`, or say that it may still be there."""
    try:
        files.truncate(descriptor, length)
        files.sync(descriptor)
    except OSError as second:
        raise JournalError(
            f"the append failed ({failure}) and so did cutting it off ({second}); the record may or may not be there",
            reason=Reason.JOURNAL_FAILED,
        ) from failure


def _named(encoding: str | None) -> str:
    if encoding is not None and encoding != "locale":
        return encoding
    import locale

    return locale.getpreferredencoding(False)


def _target(path: str, links: str, files: Files) -> str:
    if links not in ("follow", "replace", "refuse"):
        raise ValueError(f'links is "follow", "replace" or "refuse", not {links!r}')
    absolute = os.path.abspath(path)
    if links == "follow":
        return files.real_path(absolute)
    if links == "refuse" and files.is_link(absolute):
        raise OSError(f"{absolute} is a symbolic link")
    return absolute


def _old_status(path: str, links: str, files: Files) -> Status | None:
    """Return what the new file must keep; a link that is to be replaced may lead anywhere."""
    replaces_link = links == "replace" and files.is_link(path)
    try:
        status = files.status(path)
    except OSError:
        if replaces_link:
            return None
        raise
    if status is None or status.regular:
        return status
    if replaces_link:
        return None
    raise OSError(f"{path} is no regular file")


def _shortened(name: str) -> str:
    """Leave room for what a temporary name adds: file systems allow 255 bytes, and a character takes up to four."""
    return name if len(os.fsencode(name)) <= 200 else name[:50]


def _write_new(path: str, content: bytes, status: Status | None, files: Files) -> None:
    """Write a file that did not exist; what replaces a private file is never readable by others, not even briefly."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    descriptor = files.open(path, flags, 0o666 if status is None else 0o600)
    try:
        try:
            write_all(files, descriptor, content)
            if status is not None:
                files.keep_status(descriptor, status)
            files.sync(descriptor)
        finally:
            files.close(descriptor)
    except BaseException:
        _discard(path, files)
        raise


def _discard(path: str, files: Files) -> None:
    """Remove a temporary file on the way out of a failure, which matters more than a file left over."""
    try:
        files.unlink(path)
    except OSError:
        return


def _ends_line(path: str, length: int, files: Files) -> bool:
    descriptor = files.open(path, os.O_RDONLY)
    try:
        last, rest = b"", length
        while rest and (part := files.read(descriptor, min(rest, 1 << 20))):
            last, rest = part[-1:], rest - len(part)
        return last == b"\n"
    finally:
        files.close(descriptor)
