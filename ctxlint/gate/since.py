"""Which files two revisions are compared by, when the user names paths and a revision."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from ctxlint.errors import UsageError
from ctxlint.gate.git import repository_of
from ctxlint.gate.revision import Revision


def revision_of(paths: Sequence[str], since: str) -> Revision:
    """Return the revision `since` of the repository that holds all `paths`; raise UsageError when there is no such thing."""
    places = [Path(os.path.abspath(path)) for path in paths]
    try:
        together = Path(os.path.commonpath(places))
    except ValueError as error:     # on different drives
        raise UsageError("--since: the paths lie in no common folder, so in no common repository") from error
    repository = repository_of(_existing(together))
    outside = next((path for path in places if not path.is_relative_to(repository.root)), None)
    if outside is not None:
        raise UsageError(f"--since: {outside} lies outside the repository {repository.root}, which knows no earlier state of it")
    return Revision(repository, repository.commit(since))


def paths_now(paths: Iterable[str], revision: Revision) -> tuple[str, ...]:
    """Return the paths without those that the revision has and that were deleted since: nothing is left to analyse there."""
    return tuple(
        path for path in paths if os.path.lexists(path) or not revision.exists(Path(os.path.abspath(path))))


def paths_then(paths: Iterable[str], present: Iterable[str], revision: Revision) -> tuple[Path, ...]:
    """Return the paths as far as the revision has them, and the places from which the files `present` were moved since."""
    given = [place for path in paths if revision.exists(place := Path(os.path.abspath(path)))]
    moved = {
        before for path in present
        if (before := revision.earlier_name(Path(path))) is not None and str(before) != path
    }
    tops = set(given)
    return (*given, *sorted(before for before in moved if tops.isdisjoint((before, *before.parents))))


def overlooked(paths: Iterable[str], present: Collection[str], revision: Revision) -> list[str]:
    """Return a warning when files that git tracks are not analysed because an ignore file names them."""
    root, tops = revision.repository.root, [Path(os.path.abspath(path)) for path in paths]
    files = [root / name for name in revision.repository.ignored()]
    missed = [str(file) for file in files
              if str(file) not in present and file.is_file() and any(file.is_relative_to(top) for top in tops)]
    if not missed:
        return []
    many = "1 tracked file is" if len(missed) == 1 else f"{len(missed)} tracked files are"
    return [f"{many} ignored by a .gitignore and not analysed, as {missed[0]}"]


def _existing(path: Path) -> Path:
    """The folder that exists nearest to a path, which may have been deleted."""
    return next(one for one in (path, *path.parents) if one.is_dir())
