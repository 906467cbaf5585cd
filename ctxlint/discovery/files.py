"""The files of a run: those named, those under the folders named, in one order that does not depend on the machine."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pathspec

from ctxlint.discovery.asked import Asked
from ctxlint.discovery.excluding import Excluding, excluding, matches
from ctxlint.discovery.ignoring import Ignoring, ignoring_above, with_folder
from ctxlint.discovery.modules import ModuleNames
from ctxlint.discovery.tree import Disk, Entry, Tree
from ctxlint.errors import UsageError
from ctxlint.knowledge.configuration import Configuration


class SourceFile(msgspec.Struct, frozen=True):
    """A file to analyse: its absolute path and the dotted name of its module.

    `source` is its text when that was given and is not to be read from the disk.
    Two files may have the same module name (scripts in folders that are no packages).
    """

    path: str
    module: str
    is_package: bool
    source: bytes | None = None


def discover(
    paths: Sequence[str | Path], configuration: Configuration, asked: Asked | None = None, tree: Tree | None = None
) -> tuple[SourceFile, ...]:
    """Return the files that `paths` name, ordered by path; they are sought on the disk, or in another `tree`.

    What ignore files say is read from the disk, as the configuration is: it is the present that decides what is looked at.

    A file named explicitly is taken even when it is excluded, unless `force-exclude` is set.
    `asked` is told what the answer depends on, the texts of the files themselves apart.
    Raises UsageError for a path that does not exist.
    """
    settings = configuration.settings
    asked = asked or Asked()
    tree = tree or Disk(asked)
    excluded = excluding(configuration, tree)
    included = pathspec.GitIgnoreSpec.from_lines(settings.include)
    found: dict[Path, Path] = {}
    for given in sorted({Path(os.path.abspath(path)) for path in paths}):
        if not tree.exists(given):
            raise UsageError(f"{_shown(given, paths)}: {_why_missing(given, tree)}")
        if not tree.is_folder(given) and not tree.is_file(given):
            raise UsageError(f"{_shown(given, paths)}: neither a folder nor a regular file")
        asked.around(given)
        if settings.force_exclude and excluded.file(given):
            continue
        if tree.is_folder(given):
            for file in _walk(given, excluded, included, asked, tree):
                found.setdefault(file, given)
        else:
            found.setdefault(given, given.parent)
    names = ModuleNames(configuration.paths(settings.src), tree)
    return tuple(
        SourceFile(str(file), *names.name(file, found[file])) for file in sorted(found)
    )


def discover_stdin(filename: str, source: bytes, configuration: Configuration) -> tuple[SourceFile, ...]:
    """Return the one file whose text came on standard input; `filename` says where it would lie.

    It is left out when `force-exclude` is set and that place is excluded.
    """
    file = Path(os.path.abspath(filename))
    settings = configuration.settings
    if settings.force_exclude and excluding(configuration).file(file):
        return ()
    module, is_package = ModuleNames(configuration.paths(settings.src)).name(file, file.parent)
    return (SourceFile(str(file), module, is_package, source),)


def _walk(
    top: Path, excluded: Excluding, included: pathspec.GitIgnoreSpec, asked: Asked, tree: Tree
) -> Iterator[Path]:
    """Yield the files under `top` that are included, not excluded and not ignored; links to folders are not followed.

    What excludes or ignores `top` itself does not count: it was asked for by name. (Patterns say nothing of the folder that they
    are relative to, nor of one above it.)
    """
    if not excluded.folder.is_relative_to(top) and excluded.by_pattern(top, True, top.parent):
        excluded = excluded.without_patterns()
    pending: list[tuple[Path, tuple[Ignoring, ...]]] = [(top, ignoring_above(top))]
    while pending:
        here, above = pending.pop()
        try:
            entries = sorted(tree.entries(here), key=lambda entry: entry.name)
        except OSError as error:
            raise UsageError(
                f"{here}: cannot be listed: {error.strerror}"
                + (" (`extend-exclude` leaves a folder out)" if here != top else "")) from error
        ignoring = with_folder(above, here)
        for entry in entries:
            path = here / entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if excluded.entry(path, is_folder, top) or _ignored(ignoring, path, is_folder):
                if is_folder:
                    asked.passed_by(path)
                continue
            if is_folder:
                if tree.is_file(path / "pyvenv.cfg"):
                    asked.passed_by(path)
                else:
                    pending.append((path, ignoring))
            elif is_a_file(entry) and matches(included, path, False, excluded.folder, top):
                yield path


def is_a_file(entry: Entry) -> bool:
    """Whether an entry is a file, or a link to one; of a link that may not be followed nobody knows, so it has to be tried."""
    try:
        return entry.is_file()
    except OSError as error:
        return error.errno != errno.ELOOP       # a link in a circle leads to nothing, as one to nowhere does


def _ignored(ignoring: tuple[Ignoring, ...], path: Path, is_folder: bool) -> bool:
    """Whether the ignore files say that `path` is ignored; the file nearest to it that has an opinion decides."""
    for level in reversed(ignoring):
        opinion = level.opinion(path, is_folder)
        if opinion is not None:
            return opinion
    return False


def _why_missing(given: Path, tree: Tree) -> str:
    """Return why there is nothing at a path, as far as the disk tells."""
    try:
        if isinstance(tree, Disk):
            os.stat(given)
    except PermissionError as error:
        return f"cannot be reached: {error.strerror}"
    except (OSError, ValueError):
        pass
    return "no such file or folder"


def _shown(given: Path, paths: Sequence[str | Path]) -> str:
    """Return the path as the user wrote it."""
    return next((str(path) for path in paths if Path(os.path.abspath(path)) == given), str(given))
