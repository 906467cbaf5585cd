"""The scratchpad: text that the agent rewrites in place, and the log from which an edit is taken back."""

from __future__ import annotations

import json
import logging
from dataclasses import asdict, dataclass
from pathlib import Path

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Inverse:
    """What brings back the text before one edit."""

    offset: int
    removed: str
    inserted: int


class UndoLog:
    """Inverse records, one a line; undo reads them back from the file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def append(self, inverse: Inverse) -> None:
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(inverse)) + "\n")

    def last(self) -> Inverse:
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return Inverse(**json.loads(lines[-1]))

    def drop_last(self) -> None:
        lines = self.path.read_text(encoding="utf-8").splitlines()
        self.path.write_text("".join(f"{line}\n" for line in lines[:-1]), encoding="utf-8")


class Scratchpad:
    """The notes of a run."""

    def __init__(self, log: UndoLog) -> None:
        self.text = ""
        self.log = log

    def replace(self, offset: int, length: int, insert: str) -> None:
        """Replace `length` characters at `offset`."""
        removed = self.text[offset : offset + length]
        self.text = self.text[:offset] + insert + self.text[offset + length :]
        try:
            self.log.append(Inverse(offset, removed, len(insert)))
        except OSError:
            logger.warning("the undo log is not available")

    def undo(self) -> None:
        """Take the last edit back."""
        inverse = self.log.last()
        end = inverse.offset + inverse.inserted
        self.text = self.text[: inverse.offset] + inverse.removed + self.text[end:]
        self.log.drop_last()
