"""Shorthands for tests: source in, lowered functions and their text out."""

from __future__ import annotations

from textwrap import dedent

from ctxlint.ir.describe import describe_event, describe_function
from ctxlint.ir.function import Function
from ctxlint.ir.module import Module
from ctxlint.syntax.load import load


def module_of(source: str) -> Module:
    loaded = load(dedent(source).encode())
    assert isinstance(loaded, Module), loaded
    return loaded


def function_of(source: str, qualname: str = "f") -> Function:
    return next(each for each in module_of(source).functions if each.qualname == qualname)


def events_of(source: str, qualname: str = "f") -> list[str]:
    return [describe_event(event) for event in function_of(source, qualname).events]


def dump_of(source: str, qualname: str = "f") -> str:
    return describe_function(function_of(source, qualname))
