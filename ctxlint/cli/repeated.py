"""The same command again while nothing it asked about has changed: what it wrote is written once more.

Nothing is imported here that a run needs in order to find something out: of such a run, starting the interpreter is the largest part.
Only commands whose output follows from what they asked are kept; any other option makes the command one that is always run.
"""

from __future__ import annotations

import os
import sys
import time

from ctxlint.discovery.world import is_old, state, states
from ctxlint.store.committed import is_committed
from ctxlint.store.runs import packed_run, place_of, unpacked_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ctxlint.discovery.asked import Asked
    from ctxlint.discovery.world import State
    from ctxlint.knowledge.configuration import Configuration

STARTED = time.time_ns()
"""When this process began to ask."""

CACHE_FOLDER = ".ctxlint_cache"
_KIND = "runs"
_UNKNOWN = (-2, -2, -2, -2)
_VALUED = ("--select", "--extend-select", "--ignore", "--per-file-ignores", "--min-confidence", "--config", "--cache-dir", "--jobs",
           "-j", "--tree", "--output-format", "--color", "--fail-on")
_PLAIN = ("--preview", "--force-exclude", "--isolated", "--statistics", "--show-suppressed", "-q", "--quiet", "--exit-zero")
_FORMATS = ("text", "concise", "json", "json-lines", "github", "sarif", "gitlab", "rdjson", "junit", "html")
_SETTINGS = ("select", "extend_select", "ignore", "extend_ignore", "per_file_ignores", "preview", "exclude", "extend_exclude", "include",
             "force_exclude", "src", "rule_paths", "model_paths", "rules", "min_confidence", "fail_on", "require_reason", "output_format",
             "sarif_category", "cache_dir", "jobs")


def repeated(words: Sequence[str]) -> int | None:
    """Write what the same command wrote and return its exit status; None when it must be run."""
    if not _is_plain(words):
        return None
    key = _key(words)
    for folder in _cache_folders(words):
        try:
            with open(os.path.join(folder, _KIND, *place_of(key)), "rb") as stream:
                record = stream.read() if _is_own(stream.fileno()) else b""
        except OSError:
            continue
        run = unpacked_run(record, key)
        if run is not None and states(run[0], run[1]) == run[2] and not is_committed(folder):
            for text in run[4]:
                stream_of = sys.stderr if text[:1] == "!" else sys.stdout
                encoding = stream_of.encoding or "utf-8"
                stream_of.write(text[1:].encode(encoding, "backslashreplace").decode(encoding))
            sys.stdout.flush()
            return run[3]
    return None


def keep(words: Sequence[str], configuration: Configuration, asked: Asked, written: Sequence[str], status: int) -> None:
    """Keep what a command has written, if nothing that it asked about can have changed since it began.

    `written` are texts in their order, each after a `!` when it went to standard error.
    """
    if asked.changed or not _is_plain(words) or not _is_understood(configuration):
        return
    from ctxlint.store.folder import Folder

    cache = os.path.abspath(os.path.join(configuration.folder, configuration.settings.cache_dir))
    if cache not in map(os.path.abspath, _cache_folders(words)):
        return
    noted = {**asked.files, **asked.folders}
    holder = os.path.dirname(cache)
    if holder in noted:
        noted[holder] = _with_the_cache_in_it(holder, os.path.basename(cache) + os.sep, asked)
    steady = all(is_old(known, STARTED) for path, known in noted.items() if path != holder)
    if not steady or _UNKNOWN in noted.values() or any("\0" in path for path in (*noted, *asked.kinds)):
        return
    key = _key(words)
    try:
        Folder(configuration.folder / configuration.settings.cache_dir).put(
            _KIND, "".join(place_of(key)), packed_run(key, noted, asked.kinds, written, status)
        )
    except OSError:
        return      # the run itself has said that the folder cannot be written


def _with_the_cache_in_it(folder: str, cache: str, asked: Asked) -> State:
    """The state of the folder that the cache lies in: the one it was listed in, or a later one if it only got the cache."""
    if is_old(asked.folders[folder], STARTED) and state(folder) == asked.folders[folder]:
        return asked.folders[folder]
    from ctxlint.discovery.asked import names

    now, present = time.time_ns(), state(folder)
    with os.scandir(folder) as entries:
        found = names(sorted(entries, key=lambda entry: entry.name))
    same = [name for name in found if name != cache] == [name for name in asked.names[folder] if name != cache]
    return present if same and is_old(present, now) else _UNKNOWN


def _is_own(handle: int) -> bool:
    """Whether the record is this user's: folders above the working directory may be everybody's."""
    return not hasattr(os, "geteuid") or os.fstat(handle).st_uid == os.geteuid()


def _is_plain(words: Sequence[str]) -> bool:
    """Whether the command's output follows from what it asks the file system and from its key."""
    return all(
        word[:1] != "-" or word.split("=")[0] in _VALUED or word in _PLAIN or (word[:2] == "-j" and word[2:].isdecimal())
        for word in words
    )


def _is_understood(configuration: Configuration) -> bool:
    """Whether the settings ask for nothing that could look further than this module knows."""
    settings = configuration.settings
    fresh = type(settings)()
    unknown = [name for name in settings.__struct_fields__ if name not in _SETTINGS]
    return settings.output_format in _FORMATS and all(getattr(settings, name) == getattr(fresh, name) for name in unknown)


def _key(words: Sequence[str]) -> str:
    """Everything besides files that what is written depends on."""
    return repr((
        list(words), os.getcwd(), __file__, sys.version, sys.executable, sys.path, sys.flags.optimize,
        *map(os.environ.get, ("NO_COLOR", "FORCE_COLOR", "TERM")), _screen(), sys.stderr.isatty(), sys.stdout.encoding,
    ))


def _screen() -> object:
    """What a text is fitted to: the size of the terminal that shows it, None without one."""
    if not sys.stdout.isatty():
        return None
    try:
        return os.environ.get("COLUMNS"), tuple(os.get_terminal_size(sys.stdout.fileno()))
    except (OSError, ValueError):
        return os.environ.get("COLUMNS")


def _cache_folders(words: Sequence[str]) -> Iterable[str]:
    """Where a record of the command may lie: a configuration file, which says it, would have to be read first."""
    name = CACHE_FOLDER
    for number, word in enumerate(words):
        if word == "--cache-dir" and number + 1 < len(words):
            name = words[number + 1]
        elif word.startswith("--cache-dir="):
            name = word[len("--cache-dir=") :]
    if os.path.isabs(name):
        return [name]
    starts = [os.getcwd(), *(os.path.abspath(word) for word in words if word[:1] != "-" and os.path.isdir(word))]
    folders: dict[str, None] = {}
    for start in starts:
        while start not in folders:
            folders[start] = None
            start = os.path.dirname(start)
    return [os.path.join(folder, name) for folder in folders]
