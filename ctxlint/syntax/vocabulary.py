"""The words of every syntax tree: the standard `ast`, plus the classes which the running interpreter does not have yet.

Import it as `from ctxlint.syntax import vocabulary as ast`.
A stand-in has the name and the fields of the class that a later interpreter defines, so code which dispatches on it means
the same everywhere; no tree of the running interpreter's own parser ever holds one.
`type_params` of a function, class or alias is absent on interpreters before 3.12: read it with `type_parameters`.
"""

from __future__ import annotations

import sys
from ast import *
from ast import AST, ExceptHandler, expr, stmt
from typing import Any, ClassVar
from typing import TypeVar as _TypeVar

_Node = _TypeVar("_Node", bound=AST)

if sys.version_info >= (3, 11):
    from ast import TryStar as TryStar
else:

    class TryStar(stmt):
        """`try` with `except*` handlers (PEP 654)."""

        _fields = ("body", "handlers", "orelse", "finalbody")
        body: list[stmt]
        handlers: list[ExceptHandler]
        orelse: list[stmt]
        finalbody: list[stmt]


if sys.version_info >= (3, 12):
    from ast import ParamSpec as ParamSpec
    from ast import TypeAlias as TypeAlias
    from ast import TypeVar as TypeVar
    from ast import TypeVarTuple as TypeVarTuple
    from ast import type_param as type_param
else:

    class type_param(AST):
        """A type parameter of a function, class or alias (PEP 695)."""

        _attributes: ClassVar[tuple[str, ...]] = ("lineno", "col_offset", "end_lineno", "end_col_offset")
        lineno: int
        col_offset: int
        end_lineno: int
        end_col_offset: int

    class TypeVar(type_param):
        """`T`, `T: bound` or `T = default` between the brackets."""

        _fields = ("name", "bound", "default_value")
        name: str
        bound: expr | None
        default_value: expr | None

    class ParamSpec(type_param):
        """`**P` between the brackets."""

        _fields = ("name", "default_value")
        name: str
        default_value: expr | None

    class TypeVarTuple(type_param):
        """`*Ts` between the brackets."""

        _fields = ("name", "default_value")
        name: str
        default_value: expr | None

    class TypeAlias(stmt):
        """`type Name[parameters] = value` (PEP 695)."""

        _fields = ("name", "type_params", "value")
        name: expr
        type_params: list[type_param]
        value: expr


if sys.version_info >= (3, 14):
    from ast import Interpolation as Interpolation
    from ast import TemplateStr as TemplateStr
else:

    class TemplateStr(expr):
        """A template string literal (PEP 750); `values` are constants and interpolations."""

        _fields = ("values",)
        values: list[expr]

    class Interpolation(expr):
        """One `{value!conversion:format_spec}` of a template string; `str` is the value's text as written."""

        _fields = ("value", "str", "conversion", "format_spec")
        value: expr
        str: str
        conversion: int
        format_spec: expr | None


def make(kind: type[_Node], **fields: object) -> _Node:
    """A node of class `kind`; a field which the running interpreter's class does not have becomes a plain attribute."""
    constructor: Any = kind
    made: _Node = constructor(**{name: value for name, value in fields.items() if name in kind._fields})
    made.__dict__.update(fields)
    return made


def type_parameters(node: AST) -> list[type_param]:
    """The type parameters of a function, class or alias; none where the interpreter's trees have no such field."""
    parameters: list[type_param] = getattr(node, "type_params", [])
    return parameters
