"""`ctxlint vendor`: a copy of the runtime as one package of the project's own, so that production needs no linter."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import ctxlint.runtime
from ctxlint.cli.arguments import parse
from ctxlint.cli.main import CLEAN
from ctxlint.cli.streams import write_report
from ctxlint.discovery.modules import ModuleNames
from ctxlint.errors import UsageError
from ctxlint.knowledge.configuration import FILE_NAMES, nearest_file
from ctxlint.knowledge.places import license_text
from ctxlint.knowledge.version import version
from ctxlint.runtime import atomic_write

MARK = "# Copied from ctxlint"

FOR_TESTS = frozenset({"faults.py", "killing.py"})
"""What a test suite needs and production does not; the monitor is a folder of its own and is left out, too."""


def vendor(words: Sequence[str]) -> int:
    """Run `ctxlint vendor PATH`: write the package, or bring an earlier copy up to date."""
    parser = argparse.ArgumentParser(
        prog="ctxlint vendor", description="Copy the runtime into the project, as a package.", allow_abbrev=False)
    parser.add_argument("path", metavar="PATH", help="the folder of the new package, such as src/myapp/_runtime")
    folder = Path(parse(parser, words).path)
    if not folder.name.isidentifier():
        raise UsageError(f"{folder}: `{folder.name}` cannot be the name of a package")
    if folder.exists() and not _is_copied(folder / "__init__.py"):
        raise UsageError(f"{folder} exists and is no copy of the runtime")
    files = dict(_files())
    foreign = [path.name for path in folder.glob("*.py") if not _is_copied(path)]
    if foreign:
        raise UsageError(f"{folder}: {', '.join(sorted(foreign))} is no copy of the runtime's; move it elsewhere first")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, data in files.items():
            atomic_write(folder / name, data)
        for path in folder.glob("*.py"):
            if path.name not in files:          # an earlier runtime had it
                path.unlink()
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror or error}") from error
    module, _ = ModuleNames(()).name(folder.absolute() / "__init__.py", folder.absolute().parent)
    write_report(
        f'wrote {len(files)} files to {folder}; in the configuration set `runtime-module = "{module}"` (the name it is imported by) '
        f'and `extend-exclude = ["{_from_the_configuration(folder)}"]`\n', None)
    return CLEAN


def _from_the_configuration(folder: Path) -> str:
    """The package as the configuration names it: relative to the folder of its file, of the project file where it will stand,
    or to the working directory.
    """
    place = Path(os.path.abspath(folder))
    file = nearest_file(place.parent)
    projects = (above for above in place.parents if any(os.path.isfile(above / name) for name in FILE_NAMES))
    start = file.parent if file is not None else next(projects, Path.cwd())
    return (place.relative_to(start) if place.is_relative_to(start) else place).as_posix()


def _is_copied(file: Path) -> bool:
    """Whether an earlier `ctxlint vendor` wrote the file."""
    try:
        return file.read_text(encoding="utf-8").startswith(MARK)
    except (OSError, UnicodeDecodeError):
        return False


def _files() -> Iterator[tuple[str, str]]:
    """The files of the copy: each says where it comes from, and the licence goes along."""
    for path in sorted(Path(ctxlint.runtime.__file__).parent.glob("*.py")):
        if path.name not in FOR_TESTS:
            yield path.name, f"{MARK} {version()} by `ctxlint vendor`; changes are lost when it is copied again.\n" + path.read_text(encoding="utf-8")
    yield "LICENSE", license_text()
    yield "py.typed", ""
