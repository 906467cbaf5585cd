"""The agent: answers messages, and keeps its conversations short."""

from __future__ import annotations

from typing import Protocol

from scratchpad_agent.scratchpad import Scratchpad
from scratchpad_agent.sessions import SessionStore

KEEP = 6


class Model(Protocol):
    """A language model."""

    async def complete(self, messages: list[dict[str, str]]) -> str: ...


class Agent:
    """Serves many sessions at once; messages of one session may arrive while another is answered."""

    def __init__(self, model: Model, store: SessionStore, scratchpad: Scratchpad) -> None:
        self.model = model
        self.store = store
        self.scratchpad = scratchpad

    async def receive(self, session_id: str, text: str) -> str:
        """Answer a message of the user."""
        message = {"role": "user", "content": text}
        session = self.store.load(session_id)
        session.messages.append(message)
        self.store.save(session)
        answer = await self.model.complete(session.messages)
        session = self.store.load(session_id)
        session.messages.append({"role": "assistant", "content": answer})
        self.store.save(session)
        return answer

    async def compact(self, session_id: str) -> None:
        """Replace all but the last messages by a summary."""
        session = self.store.load(session_id)
        old, recent = session.messages[:-KEEP], session.messages[-KEEP:]
        if not old:
            return
        session.summary = await self.model.complete(old)
        session.messages = recent
        self.store.save(session)

    def note(self, line: str) -> None:
        """Write a line at the end of the scratchpad."""
        self.scratchpad.replace(len(self.scratchpad.text), 0, line + "\n")
