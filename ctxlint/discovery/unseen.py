"""What of a project a run does not look at: the rest of the packages that its paths cut, and the own modules it imports.

What the settings leave out of the folders that were given was left out on purpose, and is not meant here.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ctxlint.discovery.asked import Asked
from ctxlint.discovery.excluding import excluding
from ctxlint.discovery.files import SourceFile, discover, is_a_file
from ctxlint.errors import UsageError
from ctxlint.knowledge.configuration import Configuration
from ctxlint.result import Unseen


def unseen(
    paths: Sequence[str], files: Sequence[SourceFile], imports: Iterable[str], configuration: Configuration, asked: Asked
) -> Unseen | None:
    """Return what a run on `paths`, which found `files` that import the dotted names `imports`, does not look at, if anything.

    A file in no package belongs with the files beside it, and with what these import; a text that lies nowhere with nothing.
    """
    given = [place for path in paths if os.path.exists(place := Path(os.path.abspath(path)))]
    homes = [_home(path, asked) for path in given]
    cut = [home for home, path in zip(homes, given) if not _is_under(home, given)]
    outside = [root for root in _roots(files, configuration) if given and not _is_under(root, given)]
    if not cut and not outside:
        return None
    seen = {file.path for file in files}
    rest = {path for home in dict.fromkeys(cut) for path in _files_of(home, configuration, asked)} - seen
    excluded = excluding(configuration)
    imported = {
        str(file) for name in imports for file in _file_of(name, outside, asked)
        if str(file) not in seen and not _is_under(file, given) and not excluded.file(file)
    }
    every = rest | imported
    if not every:
        return None
    wider = {*homes, *(_home(Path(path), asked) for path in imported)}
    return Unseen(
        files=len(every),
        example=min(imported or rest, key=lambda path: (path.endswith("__init__.py"), path)),
        is_imported=bool(imported),
        paths=tuple(str(path) for path in sorted(wider) if not _is_under(path, wider - {path})),
    )


def _home(path: Path, asked: Asked) -> Path:
    """The topmost package around a path, the folder of a file in none, or a folder that is in none itself."""
    folder = path if os.path.isdir(path) else path.parent
    asked.around(folder)
    while os.path.isfile(folder.parent / "__init__.py") and os.path.isfile(folder / "__init__.py"):
        folder = folder.parent
    return folder


def _files_of(home: Path, configuration: Configuration, asked: Asked) -> Iterator[str]:
    """The files of a package; of another folder those that lie directly in it."""
    try:
        if os.path.isfile(home / "__init__.py"):
            yield from (file.path for file in discover((home,), configuration, asked))
            return
        excluded = excluding(configuration)
        if not excluded.file(home):
            yield from (
                entry.path for entry in asked.listed(str(home))
                if entry.name.endswith(".py") and is_a_file(entry) and not excluded.by_pattern(Path(entry.path), False, home))
    except (OSError, UsageError):
        return      # a folder cannot be listed, which was not asked for: of what lies there nothing is said


def _roots(files: Sequence[SourceFile], configuration: Configuration) -> list[Path]:
    """The folders from which the names of the modules are counted."""
    return list(dict.fromkeys((*configuration.paths(configuration.settings.src), *map(_root, files))))


def _root(file: SourceFile) -> Path:
    above = Path(file.path).parents
    level = file.module.count(".") + (file.is_package and file.module != "__init__")
    return above[min(level, len(above) - 1)]


def _file_of(name: str, roots: Iterable[Path], asked: Asked) -> Iterator[Path]:
    """The file of a module, or of the module that defines the name, counted from the roots."""
    parts = name.split(".")
    for root in roots:
        found = None
        folder = root
        for part in parts:
            module, package = folder / f"{part}.py", folder / part / "__init__.py"
            asked.seen((str(module), str(package)))
            folder = folder / part
            if os.path.isfile(package):
                found = package
            elif os.path.isfile(module):
                found = module
                break
            elif not os.path.isdir(folder):
                break
        if found is not None:
            yield found


def _is_under(path: Path, folders: Iterable[Path]) -> bool:
    return any(path == folder or path.is_relative_to(folder) for folder in folders)
