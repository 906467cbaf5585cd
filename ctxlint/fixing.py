"""The fixes of a report: what the project says about the runtime goes to the rewrites, and their answers to the findings."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from ctxlint.diagnostic import Diagnostic
from ctxlint.discovery.files import SourceFile
from ctxlint.knowledge.configuration import Configuration
from ctxlint.knowledge.project import depends_on, project_files
from ctxlint.knowledge.rules import Rule

# A run in which nothing has changed asks only what its fixes depend on.
if TYPE_CHECKING:
    from ctxlint.fix.fixes import Workshop

RUNTIME = "ctxlint.runtime"
"""Where fixed code imports the runtime from unless the project names another module."""

PACKAGE = RUNTIME.partition(".")[0]


def with_fixes(
    diagnostics: Iterable[Diagnostic], files: Iterable[SourceFile], rules: Mapping[str, Rule], configuration: Configuration
) -> tuple[Diagnostic, ...]:
    """Return the findings with what repairs them, as far as the project trusts it."""
    from ctxlint.fix.choice import adjusted

    settings = configuration.settings
    return tuple(
        msgspec.structs.replace(one, fixes=tuple(adjusted(fix, one.code, settings) for fix in one.fixes)) if one.fixes else one
        for one in workshop(files, rules, configuration).with_fixes(diagnostics)
    )


def workshop(files: Iterable[SourceFile], rules: Mapping[str, Rule], configuration: Configuration) -> Workshop:
    """Return what makes the fixes of these files."""
    from ctxlint.fix.fixes import Workshop
    from ctxlint.fix.rewriting import Runtime

    by_path = {file.path: file for file in files}
    module = configuration.settings.runtime_module
    depends: Callable[[Path], bool] = functools.cache(functools.partial(depends_on, PACKAGE))

    def source_of(path: str) -> bytes | None:
        file = by_path.get(path)
        if file is None:
            return None
        return Path(path).read_bytes() if file.source is None else file.source

    def runtime_of(path: str) -> Runtime:
        return Runtime(module or RUNTIME, module is not None or depends(Path(path).parent))

    def package_of(path: str) -> str:
        return by_path[path].module.partition(".")[0]

    return Workshop(rules, source_of, package_of, runtime_of)


def what_fixes_depend_on(files: Iterable[SourceFile]) -> tuple[tuple[str, ...], str]:
    """Return the files that say whether the projects depend on the runtime, and what they say, as a text to compare."""
    folders = sorted({Path(file.path).parent for file in files})
    told = tuple(sorted({str(each) for folder in folders for each in project_files(folder)}))
    return told, repr([depends_on(PACKAGE, folder) for folder in folders])
