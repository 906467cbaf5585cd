"""`python -m ctxlint` is `ctxlint`."""

from __future__ import annotations

from ctxlint.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
