"""What a rewrite is given, and what it answers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NamedTuple

from ctxlint.diagnostic import Applicability, Diagnostic, Edit
from ctxlint.fix.imports import Wanted, local_name
from ctxlint.fix.names import Names
from ctxlint.fix.text import Text
from ctxlint.fix.unit import Unit


class Runtime(NamedTuple):
    """Where fixed code imports the runtime from; `trusted` when the project has said so or depends on it already."""

    module: str
    trusted: bool


class Place(NamedTuple):
    """A finding with the code around it."""

    diagnostic: Diagnostic
    text: Text
    tree: ast.Module
    unit: Unit
    names: Names
    runtime: Runtime
    wanted: list[Wanted]

    def fact(self, name: str) -> str:
        """What the check says about the finding; empty when it says nothing."""
        return dict(self.diagnostic.facts).get(name, "")

    def imported(self, module: str, name: str = "") -> str:
        """What the file calls something that it imports, or will import with this fix."""
        local = local_name(self.names, module, name)
        if "." in local and name:                       # known as `module.name`: nothing to import
            return local
        if self.names.imports.get(local) != (f"{module}.{name}" if name else module):
            self.wanted.append(Wanted(module, name, local))
        return local

    def from_runtime(self, name: str) -> str:
        """What the file calls a function of the runtime."""
        return self.imported(self.runtime.module, name)


class Rewriting(NamedTuple):
    """The edits that remove the fault, without those of imports, and how far they are to be trusted."""

    message: str
    edits: tuple[Edit, ...]
    applicability: Applicability


class Refusal(NamedTuple):
    """Why no rewrite is offered."""

    reason: str


Answer = Rewriting | Refusal


def tried(place: Place, *attempts: Callable[[], Answer]) -> Answer:
    """The first rewriting that some attempts come to, with its imports alone; the first refusal when there is none."""
    refusals: list[Refusal] = []
    wanted = len(place.wanted)
    for attempt in attempts:
        answer = attempt()
        if isinstance(answer, Rewriting):
            return answer
        refusals.append(answer)
        del place.wanted[wanted:]
    return refusals[0]
