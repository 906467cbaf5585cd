"""The entry point: which command is meant, and what an error becomes.

Exit status: 0 clean, 1 findings, 2 could not do what was asked.
"""

from __future__ import annotations

import os
import sys

from ctxlint.errors import CtxlintError, UsageError

# Modules that are only named here would be a tenth of a run in which nothing has changed.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ctxlint.engine import Analyzer

CLEAN, FINDINGS, FAILED = 0, 1, 2

COMMANDS = {
    "check": ("check", "analyse files and folders (the default command)"),
    "baseline": ("baseline", "accept the findings that are there, shrink or show what is accepted"),
    "explain": ("tell", "say what a rule finds, why that is bad, and when it is fine (`rule` is the same)"),
    "rules": ("tell", "list the rules"),
    "discover": ("inside", "list the cells, stores and locks that the analysis believes in"),
    "why-not": ("inside", "say which facts keep the rules silent about a line"),
    "graph": ("graph", "print which functions call which, or what one function does"),
    "vendor": ("vendor", "copy the runtime into the project, as a package"),
    "dev": ("dev", "write the generated files, or begin a new rule (in a checkout)"),
}
"""The module of `cli` that holds each command (a function of the command's name), and what it is for."""

ALIASES = {"rule": "explain"}

ANALYSES = ("check", "baseline")
"""Commands that can be given another analysis."""

USAGE = """usage: ctxlint [check] [OPTIONS] [PATH ...]
       ctxlint COMMAND ...

Finds where agent code can lose, corrupt or wrongly resurrect its own state.

begin with:
  ctxlint src                 analyse a folder
  ctxlint rule CTX101         why a finding matters, and when it is fine
  ctxlint src --output-format html --output-file report.html

commands:
{commands}

`ctxlint COMMAND --help` tells the options of a command.
"""


def main(arguments: Sequence[str] | None = None, analyzer: Analyzer | None = None) -> int:
    """Run the command that `arguments` (those of the process) name and return its exit status.

    `analyzer` replaces the analysis that this installation carries.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    if sys.stdout is None or sys.stderr is None:        # closed by whoever started this process
        return FAILED
    try:
        return _run(words, analyzer)
    except CtxlintError as error:
        _complain(str(error))
    except SystemExit as leaving:   # argparse, after it printed help or a complaint
        return leaving.code if isinstance(leaving.code, int) else CLEAN
    except BrokenPipeError:
        # The reader of the report went away, as `head` does; keep the interpreter from writing to it once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        _complain("interrupted")
    except Exception as error:
        if "-v" in words or "--verbose" in words:
            raise
        if isinstance(error, OSError) and isinstance(error.filename, str):
            _complain(f"{error.filename}: {error.strerror}")
        else:
            _complain(f"internal error: {type(error).__name__}: {error} (-v shows where)")
    return FAILED


def _run(words: list[str], analyzer: Analyzer | None) -> int:
    first = words[0] if words else ""
    if first in ("-h", "--help"):
        sys.stdout.write(USAGE.format(commands="\n".join(f"  {name:10}{text}" for name, (_, text) in COMMANDS.items())))
        return CLEAN
    if first in ("-V", "--version"):
        from ctxlint.knowledge.version import version

        sys.stdout.write(f"ctxlint {version()}\n")
        return CLEAN
    if first in (*COMMANDS, *ALIASES):
        if os.path.exists(first):
            sys.stderr.write(f"ctxlint: `{first}` is taken as the command; the path of that name is `.{os.sep}{first}`\n")
        return _command(ALIASES.get(first, first), words[1:], analyzer)
    if first and not first.startswith("-") and not os.path.exists(first):
        _refuse_misspelt_command(first)
    return _command("check", words, analyzer)


def _command(name: str, words: list[str], analyzer: Analyzer | None) -> int:
    """Run a command; only its own module is loaded, and not even that where nothing has changed since it ran."""
    if name == "check" and analyzer is None:
        from ctxlint.cli.repeated import repeated

        status = repeated(words)
        if status is not None:
            return status
    from importlib import import_module

    function = getattr(import_module(f"ctxlint.cli.{COMMANDS[name][0]}"), name.replace("-", "_"))
    return int(function(words, analyzer) if name in ANALYSES else function(words))


def _refuse_misspelt_command(word: str) -> None:
    from ctxlint.knowledge.nearness import did_you_mean

    hint = did_you_mean(word, (*COMMANDS, *ALIASES))
    if hint or word.isalpha():
        raise UsageError(f"{word}: no such file, folder or command{hint or '; `ctxlint --help` lists the commands'}")


def _complain(message: str) -> None:
    sys.stderr.write(f"ctxlint: error: {message}\n")
