"""What is said about a finding: two facts, the order that happened, and what it leads to."""

from __future__ import annotations

from dataclasses import dataclass

CODES = {
    "late": ("CTX101", "`{cell}` is mutated before its record reaches `{journal}`"),
    "swallowed": (
        "CTX103",
        "`{journal}` did not take the record, the failure is swallowed, and `{cell}` stays changed",
    ),
    "aliased": ("CTX204", "the record in `{journal}` shares mutable structure with `{cell}` and changed with it"),
    "stale": ("CTX302", "`{cell}` is written from a read that another writer has overtaken"),
}
"""Code and message of the rule that each observation is the dynamic twin of."""


@dataclass(frozen=True, slots=True)
class Step:
    """One event of the argument: where, the text of the line, and what it does."""

    path: str
    line: int
    text: str
    note: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One argument: its rule, its message, its steps in the order in which they happened, what follows from it."""

    kind: str
    cell: str
    journal: str
    steps: tuple[Step, ...]
    primary: int
    scenario: str

    @property
    def code(self) -> str:
        return CODES[self.kind][0]

    @property
    def message(self) -> str:
        return CODES[self.kind][1].format(cell=self.cell, journal=self.journal)

    def __str__(self) -> str:
        """Return the text in the analyzer's layout."""
        main = self.steps[self.primary]
        lines = [f"{main.path}:{main.line}: {self.code} {self.message} [high]"]
        places = [f"{step.path}:{step.line}" for step in self.steps]
        widths = max(map(len, places)), max(len(step.text) for step in self.steps)
        for number, (step, place) in enumerate(zip(self.steps, places, strict=True), 1):
            lines.append(f"  {number}  {place:{widths[0]}}  {step.text:{widths[1]}}  {step.note}")
        return "\n".join([*lines, f"  {self.scenario}"])
