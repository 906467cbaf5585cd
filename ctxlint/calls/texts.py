"""The text that a value is, as far as the program says it."""

from __future__ import annotations

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.names import resolve_name, split
from ctxlint.calls.view import View
from ctxlint.ir.value import Compound, Constant, Name, Result, Value


def text_of_value(view: View, identity: FunctionId, at: int, value: Value, depth: int = 0) -> str:
    """The text of a value, holes as spaces: constants, concatenations, f-strings, locals, module constants, `text(…)` calls."""
    if depth > 5:
        return ""
    if isinstance(value, Constant):
        return value.text if value.kind == "str" else ""
    if isinstance(value, Compound) and value.operator in ("+", "f-string", "%", "if", "or", "+="):
        return " ".join(filter(None, (text_of_value(view, identity, at, part, depth + 1) for part in value.parts)))
    if isinstance(value, Name) and value.scope == "local":
        reaching = view.definitions(identity).definitions(at, value.name) if _is_ever_text(view, identity, value.name) else ()
        bindings = [d for d in reaching if 0 <= d < at]
        event = view.event(identity, max(bindings)) if bindings else None
        if event is not None and event.kind == "local" and event.value is not None:
            return text_of_value(view, identity, max(bindings), event.value, depth + 1)
    if isinstance(value, Name) and value.scope == "global":
        return _global_text(view, identity, value.name, depth)
    if isinstance(value, Name):
        return _captured_text(view, identity, value.name, depth)
    if isinstance(value, Result):
        event = view.event(identity, value.event)
        if event.kind == "call" and event.path is not None:
            made_from = event.path.root if event.path.steps else None
            first = event.arguments[0].value if event.arguments else None
            return text_of_value(view, identity, value.event, made_from, depth + 1) if isinstance(made_from, (Constant, Compound)) else (
                text_of_value(view, identity, value.event, first, depth + 1) if first is not None and not event.path.steps else ""
            )
    return ""


def _is_ever_text(view: View, identity: FunctionId, name: str) -> bool:
    """Whether some binding of a local can give it a text: one to what a read, or the method of a variable, gives cannot."""
    facts, events = view.inference.facts(identity), view.function(identity).events
    for number in (*facts.bindings.get(name, ()), *facts.globals.get(name, ())):
        value = events[number].value
        made = events[value.event] if isinstance(value, Result) else None
        if made is None or (made.kind == "call" and made.path is not None and not (made.path.steps and isinstance(made.path.root, Name))):
            return True
    return False


def _captured_text(view: View, identity: FunctionId, name: str, depth: int) -> str:
    """The text of a captured name: what the enclosing function binds it to last."""
    enclosing = view.function(identity).enclosing
    while enclosing > 0:
        outer = FunctionId(identity.module, enclosing)
        events = view.function(outer).events
        bound = [n for n, e in enumerate(events) if e.kind == "local" and e.path is not None and not e.path.steps
                 and isinstance(e.path.root, Name) and e.path.root.name == name]
        value = events[bound[-1]].value if bound else None
        if value is not None:
            return text_of_value(view, outer, bound[-1], value, depth + 1)
        enclosing = view.function(outer).enclosing
    return ""


def _global_text(view: View, identity: FunctionId, name: str, depth: int) -> str:
    module, variable = split(view.program, resolve_name(view.program, identity.module, identity.index, name))
    if not module:
        return ""
    body = FunctionId(module, 0)
    bindings = view.program.scopes[module].values.get(variable, ())
    event = view.event(body, bindings[-1]) if bindings else None
    return text_of_value(view, body, bindings[-1], event.value, depth + 1) if event is not None and event.value is not None else ""
