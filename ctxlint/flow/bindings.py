"""Which name an event binds, unbinds or changes from within."""

from __future__ import annotations

from ctxlint.ir.event import Event
from ctxlint.ir.value import Name


def bound_name(event: Event) -> str | None:
    """The name that the event binds, if it binds one; a bare annotation binds none."""
    if event.kind not in ("local", "catch", "define", "import") or (event.kind == "local" and event.value is None):
        return None
    return _root_name(event)


def unbound_name(event: Event) -> str | None:
    """The name that the event unbinds: `del name`, and the end of a handler that bound one."""
    return _root_name(event) if event.kind in ("delete", "resume") and event.path is not None and not event.path.steps else None


def changed_name(event: Event) -> str | None:
    """The name whose object the event can change from within: `x.append(v)`, `x[k] = v`, `x.field = v`.

    `x += v` is a binding of x to a value that contains x.
    """
    return _root_name(event) if event.kind in ("write", "call") and event.path is not None and event.path.steps else None


def _root_name(event: Event) -> str | None:
    return event.path.root.name if event.path is not None and isinstance(event.path.root, Name) else None
