"""A journal that fails when it is told to."""

from __future__ import annotations

from ctxlint.runtime import MemoryJournal


class FailingJournal(MemoryJournal):
    """Refuses the next `failures` appends before storing anything."""

    def __init__(self, failures: int = 0) -> None:
        super().__init__()
        self.failures = failures

    def append(self, record: bytes) -> None:
        if self.failures:
            self.failures -= 1
            raise OSError(28, "no space left on device")
        super().append(record)
