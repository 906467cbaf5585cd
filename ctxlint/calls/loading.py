"""What runs when a module of the program is imported."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator

from ctxlint.calls.names import split
from ctxlint.calls.program import Program
from ctxlint.calls.scopes import absolute

AT_IMPORT = ("module", "class")
"""The kinds of functions whose bodies run while their module is imported."""


def imported_by(program: Program, module: str) -> Iterator[str]:
    """The modules of the program that a module names in the imports that run while it is imported itself."""
    return (found for target in _targets(program, module) if (found := split(program, target)[0]))


def would_be_a_cycle(program: Program, module: str, other: str) -> bool:
    """Whether `other` cannot be imported at the top of `module` without coming back to a module that is half done by then:
    `module` itself, or a package around it, which may be importing it.
    """
    unfinished = {module, *_packages_around(module)}
    return not unfinished.isdisjoint(_run_by(program, other, unfinished))


def needs_nothing_new(program: Program, module: str, other: str) -> bool:
    """Whether no package outside of the program and the standard library has to be there for `other` alone, not for `module`."""
    return _packages_outside(program, other) <= _packages_outside(program, module)


def _targets(program: Program, module: str) -> Iterator[str]:
    linked = program.modules[module]
    package = module if linked.is_package else module.rpartition(".")[0]
    for statement in linked.ir.imports:
        if linked.ir.functions[max(statement.function, 0)].kind in AT_IMPORT:
            yield absolute(package, statement.target)


def _run_by(program: Program, module: str, done: Collection[str] = ()) -> set[str]:
    """The modules that run when one is imported, itself included; packages that are `done` do not run once more."""
    reached: set[str] = set()
    left = [module]
    while left:
        each = left.pop()
        if each not in reached:
            reached.add(each)
            left += (package for package in _packages_around(each) if package in program.modules and package not in done)
            left += imported_by(program, each)
    return reached


def _packages_around(module: str) -> Iterator[str]:
    """The packages that are imported before a module, the innermost first."""
    while module := module.rpartition(".")[0]:
        yield module


def _packages_outside(program: Program, module: str) -> set[str]:
    targets = {target for each in _run_by(program, module) for target in _targets(program, each)}
    roots = {target.partition(".")[0] for target in targets if not split(program, target)[0]}
    return roots - sys.stdlib_module_names
