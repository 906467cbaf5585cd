"""Functions as plain text, for people who want to see what the analysis sees."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ctxlint.ir.event import Argument, Event
from ctxlint.ir.function import ENTRY, EXIT, RAISED, Block, Edge, Formal, Function
from ctxlint.ir.module import Class, Import, Module
from ctxlint.ir.value import AccessPath, Closure, Compound, Constant, Name, Result, Value

_SCOPE_MARKS = {"local": "", "captured": "^", "global": "$"}
_BLOCK_NAMES = {EXIT: "exit", RAISED: "raised", ENTRY: "entry"}
_FORMAL_MARKS = {"variadic": "*", "keywords": "**"}
_NO_NOTES: Mapping[int, str] = {}


def describe_module(module: Module) -> str:
    """All functions of a module, then its classes and imports."""
    functions = "\n".join([describe_function(function) for function in module.functions])
    rest = [_class(declared) for declared in module.classes] + [_import(statement) for statement in module.imports]
    return "\n".join([functions, "".join(rest)]) if rest else functions


def describe_function(function: Function, notes: Mapping[int, str] = _NO_NOTES) -> str:
    """The function's head, then its blocks: where their exceptions land, events by number, and the edges out of them.

    Names are marked `^` when captured and `$` when global; `#3` is the result of event 3. An edge to a handler says what the
    handler catches (`anything` for a bare one), a `raised` edge that the exception travels on.
    `notes` are said behind the event with their number.
    """
    return "\n".join(_lines(function, notes)) + "\n"


def describe_event(event: Event) -> str:
    """One event in one line, without its number and place."""
    words: list[str] = ["ignored", event.kind] if event.ignored else [event.kind]
    if event.kind not in ("call", "local", "write") and event.note:
        words.append(event.note)
    if event.path is not None:
        words.append(describe_path(event.path, event.keys))
    text = " ".join(words)
    if event.kind == "call":
        return f"{text}({', '.join([_argument(argument) for argument in event.arguments])})"
    if event.kind in ("local", "write"):
        note = f" [{event.note}]" if event.note else ""
        return f"{text}{note} = {describe_value(event.value)}"
    if event.value is None:
        return text
    return f"{text} {'= ' if event.kind == 'define' else ''}{describe_value(event.value)}"


def describe_path(path: AccessPath, keys: tuple[Value, ...] = ()) -> str:
    """An access path, with the keys of its item steps."""
    text = describe_value(path.root)
    remaining = iter(keys)
    for step in path.steps:
        text += f"[{describe_value(next(remaining, None)) if keys else '*'}]" if step == "[*]" else f".{step}"
    return text


def describe_value(value: Value | None) -> str:
    """A value; compound ones as their operator and parts in parentheses."""
    if value is None:
        return "nothing"
    if isinstance(value, Constant):
        return repr(value.text) if value.kind == "str" else value.text
    if isinstance(value, Name):
        return value.name + _SCOPE_MARKS[value.scope]
    if isinstance(value, Result):
        return f"#{value.event}"
    if isinstance(value, Closure):
        return f"function {value.function}"
    return f"({' '.join([value.operator, *[describe_value(part) for part in value.parts]])})"


def block_name(number: int) -> str:
    """How a block is called."""
    return _BLOCK_NAMES.get(number, f"block {number}")


def _class(declared: Class) -> str:
    fields = ", ".join([field.name for field in declared.fields]) or "none"
    methods = ", ".join([method.name for method in declared.methods]) or "none"
    bases = ", ".join(declared.bases)
    return f"class {declared.qualname}({bases}): body {declared.body}, fields {fields}, methods {methods}\n"


def _import(statement: Import) -> str:
    submodule = " (submodule)" if statement.submodule else ""
    place = f" in function {statement.function}" if statement.function else ""
    return f"import {statement.name} = {statement.target}{submodule}{place}\n"


def _lines(function: Function, notes: Mapping[int, str]) -> Iterator[str]:
    formals = ", ".join([_formal(formal) for formal in function.formals])
    ordinal = f" #{function.ordinal}" if function.ordinal else ""
    returns = f" -> {function.returns}" if function.returns else ""
    yield f"{function.kind} {function.qualname}{ordinal}({formals}){returns}{' stub' if function.stub else ''}"
    for decorator in function.decorators:
        yield f"  @{decorator}"
    if function.locals:
        yield f"  locals {', '.join(function.locals)}"
    if function.captures:
        yield f"  captures {', '.join(function.captures)}"
    for number, block in enumerate(function.blocks):
        if number not in (EXIT, RAISED):
            yield from _block_lines(function, number, block, notes)


def _block_lines(function: Function, number: int, block: Block, notes: Mapping[int, str]) -> Iterator[str]:
    pad = f" (exceptions: {block_name(block.pad)}{_catching(function, block.pad)})" if block.pad != RAISED else ""
    yield f"  {block_name(number)}:{pad}"
    for index in range(block.first, block.last):
        event = function.events[index]
        note = f"  ; {notes[index]}" if index in notes else ""
        yield f"    {index}  {event.span.line}: {describe_event(event)}{note}"
    for edge in block.edges:
        yield f"    {_edge(function, edge)}"


def _catching(function: Function, number: int) -> str:
    """What the handler that the block begins catches; empty for a block that begins no handler."""
    block = function.blocks[number]
    if block.first == block.last or function.events[block.first].kind != "catch":
        return ""
    caught = function.events[block.first].value
    return f" on {'anything' if caught is None else _types(function, caught)}"


def _types(function: Function, value: Value) -> str:
    """The caught types as they are written: what was read for them by its path."""
    if isinstance(value, Compound) and value.operator == "tuple":
        return f"({', '.join([_types(function, part) for part in value.parts])})"
    event = function.events[value.event] if isinstance(value, Result) else None
    if event is not None and event.kind == "read" and event.path is not None:
        return describe_path(event.path, event.keys)
    return describe_value(value)


def _edge(function: Function, edge: Edge) -> str:
    text = f"{'raised ' if edge.raised else ''}-> {block_name(edge.target)}{_catching(function, edge.target)}"
    if edge.condition is None:
        return text
    return f"{text} if {'' if edge.condition.holds else 'not '}{describe_value(edge.condition.value)}"


def _argument(argument: Argument) -> str:
    sign = "" if argument.keyword in ("", "*", "**") else "="
    return f"{argument.keyword}{sign}{describe_value(argument.value)}"


def _formal(formal: Formal) -> str:
    annotation = f": {formal.annotation}" if formal.annotation else ""
    default = f" = {describe_value(formal.default)}" if formal.default is not None else ""
    return f"{_FORMAL_MARKS.get(formal.kind, '')}{formal.name}{annotation}{default}"
