"""Whether the same run was made before: then its report is read, and nothing is linked or asked again.

The same run: the same files with the same contents under the same names, the same rules, models, words and settings, and the same
ctxlint on the same Python.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from ctxlint.discovery.files import SourceFile
from ctxlint.knowledge.configuration import Configuration
from ctxlint.knowledge.places import rules_folder
from ctxlint.result import Report
from ctxlint.store.folder import Folder
from ctxlint.store.keys import code, content, digest, interpreter
from ctxlint.store.records import packed
from ctxlint.store.records import report as report_in
from ctxlint.store.sources import keys_of

_KIND = "reports"

_SHOWN_ONLY = {"jobs": 0, "cache_dir": "", "output_format": "text", "fail_on": "note"}
"""Settings that change nothing in a report."""


class EarlierRuns:
    """The cache of one configuration, and the place of one run in it; `fixes` is what its fixes depend on, if it has some."""

    def __init__(
        self, configuration: Configuration, files: tuple[SourceFile, ...], tree: str, fixes: tuple[object, ...] = ()
    ) -> None:
        self.folder = Folder(configuration.folder / configuration.settings.cache_dir)
        self._configuration = configuration
        self._files = files
        self._tree = tree
        self._fixes = fixes
        self._key = self._key_now()

    def report(self) -> Report | None:
        """What the same run has reported before, if it was made."""
        record = self.folder.get(_KIND, self._key)
        return report_in(record) if record is not None else None

    def keep(self, report: Report) -> str:
        """Keep the report of this run, unless a file has changed meanwhile; return a warning when the folder cannot be written."""
        record = packed(report) if self._key_now() == self._key else None
        if record is None:
            return ""
        try:
            self.folder.put(_KIND, self._key, record)
            self.folder.prune()
        except OSError as error:
            return f"the cache {self.folder.path} cannot be written: {error.strerror}"
        return ""

    def _key_now(self) -> str:
        configuration = self._configuration
        settings = msgspec.structs.replace(configuration.settings, **_SHOWN_ONLY)
        said = (settings, str(configuration.folder), configuration.file, configuration.selectors)
        data = (
            *_tables(rules_folder()),
            *(file for path in configuration.paths(settings.rule_paths) for file in _tables(path)),
            *(file for path in configuration.paths(settings.model_paths) for file in _tables(path)),
        )
        described = [(file.path, file.module, file.is_package) for file in self._files]
        return digest(
            b"report", code(), interpreter(), self._tree.encode(), os.fsencode(Path.cwd()),
            msgspec.json.encode(said, order="deterministic"),
            content(data),
            repr((described, self._fixes)).encode("utf-8", "surrogatepass"),
            "\n".join(keys_of(self._files, self._tree)).encode(),
        )


def _tables(path: Path) -> Iterator[Path]:
    """The data files at a path, which may be a folder of them."""
    if path.is_dir():
        yield from (file for file in path.rglob("*.toml") if file.is_file())
    elif path.is_file():
        yield path
