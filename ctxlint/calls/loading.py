"""Which modules of the program run when one of them is imported."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.names import split
from ctxlint.calls.program import Program
from ctxlint.calls.scopes import absolute

AT_IMPORT = ("module", "class")
"""The kinds of functions whose bodies run while their module is imported."""


def imported_by(program: Program, module: str) -> Iterator[str]:
    """The modules of the program that a module names in the imports that run while it is imported itself."""
    linked = program.modules[module]
    package = module if linked.is_package else module.rpartition(".")[0]
    for statement in linked.ir.imports:
        if linked.ir.functions[max(statement.function, 0)].kind in AT_IMPORT:
            found, _ = split(program, absolute(package, statement.target))
            if found:
                yield found


def would_be_a_cycle(program: Program, module: str, other: str) -> bool:
    """Whether `other` cannot be imported at the top of `module` without coming back to a module that is half done by then:
    `module` itself, or a package around it, which may be importing it.
    """
    unfinished = {module, *packages_around(module)}
    reached: set[str] = set()
    left = [other]
    while left:
        each = left.pop()
        if each in unfinished:
            return True
        if each not in reached:
            reached.add(each)
            left += (package for package in packages_around(each) if package in program.modules and package not in unfinished)
            left += imported_by(program, each)
    return False


def packages_around(module: str) -> Iterator[str]:
    """The packages that are imported before a module, the innermost first."""
    while module := module.rpartition(".")[0]:
        yield module
