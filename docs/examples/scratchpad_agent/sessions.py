"""Conversations on disk, one JSON file a session."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path


@dataclass
class Session:
    """What one conversation remembers."""

    id: str
    messages: list[dict[str, str]] = field(default_factory=list)
    summary: str = ""


class SessionStore:
    """Loads and saves sessions."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def load(self, session_id: str) -> Session:
        path = self.folder / f"{session_id}.json"
        if not path.exists():
            return Session(session_id)
        with open(path, encoding="utf-8") as file:
            return Session(**json.load(file))

    def save(self, session: Session) -> None:
        path = self.folder / f"{session.id}.json"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(asdict(session), file)
