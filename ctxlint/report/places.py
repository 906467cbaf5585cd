"""How a path is shown."""

from __future__ import annotations

import os
from pathlib import Path


def shown_path(path: str, folder: Path | None = None) -> str:
    """Return `path` relative to `folder` (the working directory) when it lies beneath, else as it is."""
    base = str(folder or Path.cwd())
    prefix = base.rstrip(os.sep) + os.sep
    return path[len(prefix):] if path.startswith(prefix) else path
