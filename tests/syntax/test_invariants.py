"""What holds of every lowered file: tried on a part of the standard library and on awkward texts."""

from __future__ import annotations

import ast
import gc
import sysconfig
from pathlib import Path

import msgspec
import pytest

from ctxlint.ir.function import ENTRY, EXIT, RAISED, Function
from ctxlint.ir.module import Module
from ctxlint.ir.value import Closure, Compound, Name, Result, Value
from ctxlint.syntax.load import load

STANDARD_LIBRARY = Path(sysconfig.get_paths()["stdlib"])
FOLDERS = ("asyncio", "concurrent/futures", "unittest", "json", "email")
FILES = sorted(path for folder in FOLDERS for path in (STANDARD_LIBRARY / folder).glob("*.py"))
FILES += [STANDARD_LIBRARY / name for name in ("contextlib.py", "copyreg.py", "csv.py", "typing.py", "tarfile.py")]


def values_in(value: Value | None) -> list[Value]:
    found: list[Value] = []
    pending = [value] if value is not None else []
    while pending:
        part = pending.pop()
        found.append(part)
        if isinstance(part, Compound):
            pending.extend(part.parts)
    return found


def values_of(function: Function) -> list[tuple[int, Value]]:
    """All values with the number of the event that mentions them; the number of events for those of conditions."""
    found: list[tuple[int, Value]] = []
    for number, event in enumerate(function.events):
        roots = [event.path.root] if event.path is not None else []
        for value in (event.value, *roots, *event.keys, *[argument.value for argument in event.arguments]):
            found.extend((number, part) for part in values_in(value))
    for block in function.blocks:
        for edge in block.edges:
            if edge.condition is not None:
                found.extend((block.last, part) for part in values_in(edge.condition.value))
    return found


def check_function(function: Function, module: Module) -> None:
    blocks, events = function.blocks, function.events
    assert len(blocks) > ENTRY
    assert all(block.first == block.last and not block.edges for block in (blocks[EXIT], blocks[RAISED]))
    held = [number for block in blocks for number in range(block.first, block.last)]
    assert held == list(range(len(events))), "every event stands in exactly one block, in order"
    reached = {ENTRY}
    pending = [ENTRY]
    while pending:
        block = blocks[pending.pop()]
        for target in (*[edge.target for edge in block.edges], *([block.pad] if block.first < block.last else [])):
            assert 0 <= target < len(blocks)
            if target not in reached:
                reached.add(target)
                pending.append(target)
    for number, block in enumerate(blocks):
        if number not in reached and number > ENTRY:
            assert not block.edges
        if block.last > block.first and events[block.last - 1].kind == "raise":
            assert not block.edges
        conditions = [edge.condition for edge in block.edges if edge.condition is not None]
        assert len(conditions) in (0, 2)
        for position in range(block.first, block.last - 1):
            assert events[position].kind != "raise"
    known = set(function.locals)
    for at, value in values_of(function):
        if isinstance(value, Result):
            assert value.event < at, "a result is used after its event"
        elif isinstance(value, Closure):
            assert module.functions[value.function].enclosing == module.functions.index(function)
        elif isinstance(value, Name):
            assert value.scope != "local" or value.name in known
            assert value.scope != "captured" or value.name in function.captures
    for name in function.captures:
        assert any(name in other.locals for other in module.functions)


def check(module: Module) -> None:
    assert module.functions[0].kind == "module" and module.functions[0].qualname == "<module>"
    for number, function in enumerate(module.functions):
        assert function.enclosing < number
        check_function(function, module)
    identities = [(function.qualname, function.ordinal) for function in module.functions]
    assert len(set(identities)) == len(identities)
    for declared in module.classes:
        assert module.functions[declared.body].kind == "class"
        assert all(module.functions[method.function].owner == declared.qualname for method in declared.methods)
    assert all(module.functions[each.function].kind != "lambda" for each in module.imports)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_standard_library_is_lowered(path: Path) -> None:
    module = load(path.read_bytes())
    assert isinstance(module, Module), module
    check(module)
    encoded = msgspec.msgpack.encode(module)
    assert msgspec.msgpack.decode(encoded, type=Module) == module


def test_spans_are_those_of_the_tree() -> None:
    """On lines beyond ASCII too, a call's span is the text of the call."""
    text = "é = 'ü€😀'; f(é, 'ß'); ü.g('日本',\n  é).h(ä)\n"
    module = load(text.encode())
    assert isinstance(module, Module)
    lines = text.split("\n")
    spans = [event.span for event in module.functions[0].events if event.kind == "call"]
    first, second, third = spans
    assert lines[0][first.column - 1:first.end_column - 1] == "f(é, 'ß')"
    assert lines[0][second.column - 1:] + lines[1][:second.end_column - 1] == "ü.g('日本',  é)"
    assert lines[1][third.end_column - 4:third.end_column - 1] == "(ä)"
    assert (third.line, third.end_line) == (1, 2)


@pytest.mark.parametrize("separator", ["\f", "\x1c", "\u2028", "\x85", "\v"])
def test_lines_end_where_the_interpreter_ends_them(separator: str) -> None:
    text = f"a = '''{separator}'''\nb = 'é'; f(1)\n"
    module = load(text.encode())
    assert isinstance(module, Module)
    [span] = [event.span for event in module.functions[0].events if event.kind == "call"]
    assert (span.line, span.column, span.end_column) == (2, 10, 14)


def test_lambdas_stand_where_their_statement_stands_and_strings_are_one_place() -> None:
    text = "if f(lambda: g(1)):\n    x = [1,\n         lambda: h(2)]\ny = f'{i(3)}{j(4)!r}'\n"
    module = load(text.encode())
    assert isinstance(module, Module)
    calls = {event.path.root.name: event.span for function in module.functions for event in function.events  # type: ignore[union-attr]
             if event.kind == "call"}
    assert (calls["g"].line, calls["g"].column, calls["g"].end_line, calls["g"].end_column) == (1, 1, 2, 5)
    assert (calls["h"].line, calls["h"].column, calls["h"].end_line, calls["h"].end_column) == (2, 5, 3, 23)
    assert calls["i"] == calls["j"] and (calls["i"].column, calls["i"].end_column) == (5, 22)


def test_nothing_is_left_for_the_cycle_collector() -> None:
    """Workers run without it."""
    source = (STANDARD_LIBRARY / "typing.py").read_bytes()
    load(source)
    gc.collect()
    gc.disable()
    try:
        load(source)
        assert gc.collect() < 50
    finally:
        gc.enable()


def test_nested_clauses_do_not_multiply() -> None:
    depth = 40
    lines = []
    for level in range(depth):
        lines += [f"{'  ' * level}try:", f"{'  ' * level}  a({level})", f"{'  ' * level}finally:"]
    lines.append(f"{'  ' * depth}b()")
    module = load("\n".join(lines).encode())
    assert isinstance(module, Module)
    check(module)
    assert len(module.functions[0].events) < 60 * depth


def test_shared_clauses_lead_where_each_way_of_leaving_leads() -> None:
    lines = ["def f():"]
    depth = 7
    for level in range(1, depth):
        lines += [f"{'  ' * level}try:", f"{'  ' * level}  pass", f"{'  ' * level}finally:"]
    indent = "  " * depth
    lines += [f"{indent}try:", f"{indent}  if a():", f"{indent}    return 1", f"{indent}finally:", f"{indent}  b()"]
    module = load("\n".join(lines).encode())
    assert isinstance(module, Module)
    function = module.functions[1]
    check_function(function, module)
    targets = [(edge.target, edge.raised) for block in function.blocks for edge in block.edges]
    assert (EXIT, False) in targets and (RAISED, True) in targets


@pytest.mark.parametrize("source", [
    "x = " + " + ".join(["a"] * 5_000),
    "x = " + " and ".join(["a()"] * 5_000),
    "x = a" + ".b" * 700,
    "x = a" + "()" * 700,
    "if a:\n  pass\n" + "elif b():\n  c()\n" * 700,
    "x = " + "not " * 700 + "a",
    "x = " + "-" * 700 + "a",
    "x = " + "lambda: " * 150 + "a",
    "x = " + "a if b else " * 700 + "c",
    "x = " + "[" * 150 + "]" * 150,
    "x = " + "f(" * 180 + ")" * 180,
    "x = 0x" + "f" * 50_000,
    "x = 1e999, -1e999j",
], ids=lambda source: source[:20])
def test_extreme_expressions_are_lowered_or_refused(source: str) -> None:
    loaded = load(source.encode())
    if isinstance(loaded, Module):
        check(loaded)
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(loaded), type=Module) == loaded
    else:
        assert loaded.kind == "too-deep"


def test_long_chains_are_lowered() -> None:
    for operator in (" + ", " and ", " or ", ", "):
        loaded = load(("x = " + operator.join(["a()"] * 250)).encode())
        assert isinstance(loaded, Module)
        check(loaded)


def test_every_node_of_the_language_is_known() -> None:
    from ctxlint.syntax import expressions, statements

    for kind in vars(ast).values():
        if not isinstance(kind, type) or kind.__module__ not in ("ast", "_ast"):
            continue
        if kind.__base__ is ast.expr:
            assert kind.__name__ in expressions._BY_NAME
        elif kind.__base__ is ast.stmt:
            assert kind.__name__ in statements._BY_NAME
