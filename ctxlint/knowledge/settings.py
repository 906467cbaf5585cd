"""The keys of a configuration file, and what their values mean."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from ctxlint.diagnostic import Confidence
from ctxlint.knowledge.rules import OptionValue

FailOn = Literal["error", "warning", "note", "never"]
OutputFormat = Literal["text", "concise", "json", "json-lines", "sarif", "github", "gitlab", "rdjson", "junit", "html"]
Codes = tuple[str, ...]
Patterns = tuple[str, ...]


def _doc(text: str) -> msgspec.Meta:
    return msgspec.Meta(description=text)


class Settings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """One field a key, in the order of the documentation.

    Codes are full codes, prefixes of codes, or `ALL`.
    Patterns are those of `.gitignore`, relative to the folder of the configuration file.
    """

    select: Annotated[Codes | None, _doc("Rules to run instead of the default set: codes, prefixes or ALL.")] = None
    extend_select: Annotated[Codes, _doc("Rules to run besides those of `select` or the default set.")] = ()
    ignore: Annotated[Codes, _doc("Rules not to report. The longer of two matching prefixes wins.")] = ()
    extend_ignore: Annotated[Codes, _doc("Rules not to report besides those of `ignore`.")] = ()
    per_file_ignores: Annotated[
        dict[str, Codes], _doc("Rules not to report in the files that match a pattern: pattern → codes.")
    ] = {}
    preview: Annotated[bool, _doc("Whether preview rules may run.")] = False
    exclude: Annotated[
        Patterns | None, _doc("Files and folders to leave out, instead of the default list (.git, .venv, build, …).")
    ] = None
    extend_exclude: Annotated[Patterns, _doc("Files and folders to leave out besides those of `exclude`.")] = ()
    include: Annotated[Patterns, _doc("Files to take from the folders that are analysed.")] = ("*.py",)
    force_exclude: Annotated[bool, _doc("Whether exclusions also hold for files named on the command line.")] = False
    src: Annotated[tuple[str, ...], _doc("Folders from which module names are counted.")] = ()
    rule_paths: Annotated[tuple[str, ...], _doc("Files or folders with the project's own policies.")] = ()
    model_paths: Annotated[tuple[str, ...], _doc("Files or folders with the project's own library models.")] = ()
    rules: Annotated[dict[str, dict[str, OptionValue]], _doc("Options of single rules: code → option → value.")] = {}
    min_confidence: Annotated[Confidence, _doc("Report findings of this confidence and higher.")] = "medium"
    fail_on: Annotated[FailOn, _doc("The least severity that gives exit status 1.")] = "note"
    baseline: Annotated[
        str, _doc("The file of findings that are accepted, relative to that of the configuration file; empty for none.")
    ] = ""
    require_reason: Annotated[bool, _doc("Whether a suppression without a reason is malformed.")] = False
    runtime_module: Annotated[
        str | None, _doc("The module from which fixed code imports the runtime; `ctxlint vendor` makes one of the project's own.")
    ] = None
    fixable: Annotated[Codes | None, _doc("Rules whose findings may be fixed, instead of all.")] = None
    unfixable: Annotated[Codes, _doc("Rules whose findings are not to be fixed.")] = ()
    unsafe_fixes: Annotated[bool, _doc("Whether unsafe fixes are applied, too.")] = False
    extend_safe_fixes: Annotated[Codes, _doc("Rules whose unsafe fixes count as safe in this project.")] = ()
    extend_unsafe_fixes: Annotated[Codes, _doc("Rules whose safe fixes count as unsafe in this project.")] = ()
    output_format: Annotated[OutputFormat, _doc("The format of the report.")] = "text"
    sarif_category: Annotated[
        str, msgspec.Meta(pattern=r"\A[A-Za-z0-9._:/ -]{1,100}\Z", description="Tells several SARIF reports on one commit apart.")
    ] = "ctxlint"
    cache_dir: Annotated[str, _doc("The folder of the cache, relative to that of the configuration file.")] = ".ctxlint_cache"
    jobs: Annotated[int, msgspec.Meta(ge=0, description="Processes that read files (at most eight) and ask rules (at most two); 0 takes one for each processor.")] = 0
