"""Packages of the standard library as programs: nothing fails, and the order of questions does not matter."""

from __future__ import annotations

import ast
import asyncio
import concurrent
import email
import json
import logging
from pathlib import Path
from types import ModuleType

import pytest

from ctxlint.calls.infer import TypeInference
from ctxlint.calls.program import LinkedModule, Program, link
from ctxlint.calls.resolve import Callees, CallGraph
from ctxlint.syntax.lower import lower


def linked(package: ModuleType) -> Program:
    root = Path(package.__path__[0])
    modules = {}
    for path in sorted(root.rglob("*.py")):
        parts = [package.__name__, *path.relative_to(root).with_suffix("").parts]
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        text = path.read_text(encoding="utf-8")
        modules[name] = LinkedModule(name, str(path), is_package, lower(ast.parse(text), text))
    return link(modules)


def all_callees(program: Program, backwards: bool) -> dict[tuple[str, int, int], Callees]:
    graph = CallGraph(TypeInference(program))
    functions = list(program.functions())
    return {
        (*function, event): graph.callees(function, event)
        for function in (reversed(functions) if backwards else functions)
        for event in graph.calls(function)
    }


@pytest.mark.parametrize("package", [asyncio, concurrent, email, json, logging], ids=lambda p: p.__name__)
def test_every_call_of_a_package_is_looked_at(package: ModuleType) -> None:
    program = linked(package)
    forwards = all_callees(program, False)
    assert forwards == all_callees(program, True)
    unknown = sum(callees.unknown for callees in forwards.values())
    assert unknown < len(forwards) * 0.45


def test_methods_of_the_event_loop() -> None:
    program = linked(asyncio)
    graph = CallGraph(TypeInference(program))
    method = program.method("asyncio.locks.Lock", "acquire")
    assert method is not None
    enter = program.method("asyncio.locks.Lock", "__aenter__")
    assert enter is not None and program.symbol(enter) == "_ContextManagerMixin.__aenter__"
    (acquire,) = graph.calls(enter)
    reached = {program.symbol(function) for function in graph.callees(enter, acquire).functions}
    assert {"Lock.acquire", "Semaphore.acquire"} <= reached, "what only the classes that use a mixin define"
