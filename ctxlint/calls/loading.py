"""What runs when a module of the program is imported."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator

from ctxlint.calls.names import split
from ctxlint.calls.program import Program
from ctxlint.calls.scopes import absolute

AT_IMPORT = ("module", "class")
"""The kinds of functions whose bodies run while their module is imported."""


class Loading:
    """The imports of a program's modules; each module is looked at once, however many others are asked about."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._known: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
        self._needed: dict[str, frozenset[str]] = {}

    def imported_by(self, module: str) -> frozenset[str]:
        """The modules of the program that a module names in the imports that run while it is imported itself."""
        return self._imports(module)[0]

    def would_be_a_cycle(self, module: str, other: str) -> bool:
        """Whether `other` cannot be imported at the top of `module` without coming back to a module that is half done by then:
        `module` itself, or a package around it, which may be importing it.
        """
        unfinished = {module, *_packages_around(module)}
        return not unfinished.isdisjoint(self._run_by(other, unfinished))

    def needs_nothing_new(self, module: str, other: str) -> bool:
        """Whether no package outside of the program and the standard library has to be there for `other` alone, not for `module`."""
        return self._packages_outside(other) <= self._packages_outside(module)

    def _imports(self, module: str) -> tuple[frozenset[str], frozenset[str]]:
        """The modules of the program that are named in the imports that run, and the packages outside of it."""
        known = self._known.get(module)
        if known is None:
            targets = set(_targets(self._program, module))
            inside = {target: split(self._program, target)[0] for target in targets}
            known = self._known[module] = (
                frozenset(filter(None, inside.values())),
                frozenset(target.partition(".")[0] for target in targets if not inside[target]),
            )
        return known

    def _run_by(self, module: str, done: Collection[str] = ()) -> set[str]:
        """The modules that run when one is imported, itself included; packages that are `done` do not run once more."""
        reached: set[str] = set()
        left = [module]
        while left:
            each = left.pop()
            if each not in reached:
                reached.add(each)
                left += (package for package in _packages_around(each) if package in self._program.modules and package not in done)
                left += self.imported_by(each)
        return reached

    def _packages_outside(self, module: str) -> frozenset[str]:
        known = self._needed.get(module)
        if known is None:
            roots = frozenset().union(*(self._imports(each)[1] for each in self._run_by(module)))
            known = self._needed[module] = roots - sys.stdlib_module_names
        return known


def _targets(program: Program, module: str) -> Iterator[str]:
    linked = program.modules[module]
    package = module if linked.is_package else module.rpartition(".")[0]
    for statement in linked.ir.imports:
        if linked.ir.functions[max(statement.function, 0)].kind in AT_IMPORT:
            yield absolute(package, statement.target)


def _packages_around(module: str) -> Iterator[str]:
    """The packages that are imported before a module, the innermost first."""
    while module := module.rpartition(".")[0]:
        yield module
