"""Findings made by hand, for tests of the rooms that only hand them on."""

from __future__ import annotations

import msgspec

from ctxlint.diagnostic import Diagnostic, Fix, Edit, Step
from ctxlint.ir.span import Span


def finding(**changes: object) -> Diagnostic:
    """Return a finding with some fields changed."""
    plain = Diagnostic(
        code="AA101",
        name="mutate-late",
        severity="error",
        confidence="high",
        path="/project/agent.py",
        span=Span(41, 9, 41, 32),
        symbol="Agent.say",
        message="`self.messages` is mutated before its record reaches `self._undo`",
        kind="two-stores",
        flow=(
            Step("/project/agent.py", Span(41, 9, 41, 32), "changes self.messages", "self.messages.append(m)"),
            Step("/project/agent.py", Span(43, 9, 43, 30), "can fail here", "await self._wal.write(m)"),
            Step("/elsewhere/log.py", Span(7, 1, 7, 9), "records how to undo it", "self._undo.append((\"pop\", m))"),
        ),
        scenario="If 2 fails, the message stays and `rollback` cannot remove it.",
        evidence=("journal: `rollback` reads `self._undo` back (/project/agent.py:90)",),
        events=("mutate self.messages", "fail", "record self._undo"),
        fixes=(Fix("record first", "unsafe", (Edit("/project/agent.py", Span(41, 1, 42, 1), "a", "b"),)),),
    )
    return msgspec.structs.replace(plain, **changes)
