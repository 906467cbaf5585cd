"""Whether the same run was made before: then its report is read, and nothing is linked or asked again.

The same run: the same files with the same contents under the same names, the same rules, models, words and settings, and the same
ctxlint on the same Python.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path

import msgspec

from ctxlint.discovery.asked import Asked
from ctxlint.discovery.files import SourceFile
from ctxlint.errors import UsageError
from ctxlint.fixing import what_fixes_depend_on
from ctxlint.knowledge.configuration import Configuration
from ctxlint.knowledge.places import PACKAGE, rules_folder
from ctxlint.result import Report
from ctxlint.store.folder import Folder
from ctxlint.store.keys import code, content, digest, interpreter, library_version
from ctxlint.store.records import packed
from ctxlint.store.records import report as report_in
from ctxlint.store.sources import keys_of

_KIND, _ANSWERS = "reports", "answers"

_SHOWN_ONLY = {
    "jobs": 0, "cache_dir": "", "output_format": "text", "fail_on": "note", "baseline": "", "sarif_category": "",
}
"""Settings that change nothing in a report."""

_LIBRARIES = ("libcst", "msgspec", "networkx", "pathspec", "sarif_om", "tomli")


class EarlierRuns:
    """The cache of one configuration, and the place of one run in it: two runs with one `key` have one report."""

    def __init__(
        self, configuration: Configuration, files: tuple[SourceFile, ...], tree: str, asked: Asked | None = None,
        *, with_fixes: bool = False,
    ) -> None:
        self.folder = Folder(configuration.folder / configuration.settings.cache_dir)
        if self.folder.is_foreign:
            raise UsageError(
                f"cache-dir: {self.folder.path} holds other things than records of ctxlint's; remove it if it is a cache that was "
                "damaged, name a folder of its own, or say --no-cache")
        self._configuration = configuration
        self._files = files
        self._tree = tree
        self._asked = asked or Asked()
        self._with_fixes = with_fixes
        self._tell()
        self._frame = self._frame_now()
        self.sources = keys_of(files, tree)
        """The key of each file's text when the run began."""
        self.key = self._key(self.sources)

    def report(self) -> Report | None:
        """What the same run has reported before, if it was made."""
        record = self.folder.get(_KIND, self.key)
        return report_in(record) if record is not None else None

    def answers(self) -> bytes | None:
        """What the last run answered that differs from this one in the texts of its files at most."""
        return self.folder.get(_ANSWERS, self._frame)

    def keep(self, report: Report, answers: bytes) -> str:
        """Keep the report of this run and its answers, unless a file has changed meanwhile; return a warning when the folder
        cannot be written.
        """
        if self.folder.is_committed:
            return f"the cache {self.folder.path} is under version control and is not used: `git rm -r --cached` it and ignore it"
        self._asked.changed = self._frame_now() != self._frame or self._key(keys_of(self._files, self._tree)) != self.key
        if report.coverage.is_accidental:
            self._asked.changed = True
        record = None if self._asked.changed else packed(msgspec.structs.replace(report, spent=()))
        if record is None:
            return ""
        try:
            self.folder.put(_KIND, self.key, record)
            if answers:
                self.folder.put(_ANSWERS, self._frame, answers)
            self.folder.prune()
        except OSError as error:
            return f"the cache {self.folder.path} cannot be written: {error.strerror}"
        return ""

    def _tell(self) -> None:
        """Say what a report depends on besides what was asked in order to find the files."""
        settings, asked = self._configuration.settings, self._asked
        asked.around(Path.cwd())
        asked.read(file.path for file in self._files)
        for path in (rules_folder(), *self._configuration.paths((*settings.rule_paths, *settings.model_paths))):
            asked.everything_under(path, ".toml")
        asked.everything_under(PACKAGE, ".py")
        asked.read([str(PACKAGE.parent / "pyproject.toml")])        # a checkout takes its version from there
        if self._with_fixes:
            asked.read(what_fixes_depend_on(self._files)[0])
        libraries = [find_spec(name) for name in _LIBRARIES]
        asked.read(found.origin for found in libraries if found is not None and found.origin)

    def _key(self, sources: Iterable[str]) -> str:
        return digest(b"report", self._frame.encode(), "\n".join(sources).encode())

    def _frame_now(self) -> str:
        """The key of everything that a report depends on but the texts of the files."""
        configuration = self._configuration
        settings = msgspec.structs.replace(configuration.settings, **_SHOWN_ONLY)
        said = (settings, str(configuration.folder), configuration.file, configuration.selectors)
        data = (
            *_tables(rules_folder()),
            *(file for path in configuration.paths(settings.rule_paths) for file in _tables(path)),
            *(file for path in configuration.paths(settings.model_paths) for file in _tables(path)),
        )
        fixes = what_fixes_depend_on(self._files)[1] if self._with_fixes else ""
        described = [(file.path, file.module, file.is_package) for file in self._files]
        return digest(
            b"frame", code(), interpreter(), library_version("libcst").encode(), self._tree.encode(), os.fsencode(Path.cwd()),
            msgspec.json.encode(said, order="deterministic"),
            content(data),
            repr((described, fixes)).encode("utf-8", "surrogatepass"),
        )


def _tables(path: Path) -> Iterator[Path]:
    """The data files at a path, which may be a folder of them."""
    if path.is_dir():
        yield from (file for file in path.rglob("*.toml") if file.is_file())
    elif path.is_file():
        yield path
