"""What one file declares."""

from __future__ import annotations

import msgspec

from ctxlint.ir.function import Function
from ctxlint.ir.span import Span
from ctxlint.ir.value import Value


class Field(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A name bound in a class body: its annotation's normalised text (or empty) and its default, if any."""

    name: str
    annotation: str = ""
    default: Value | None = None


class Method(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A function of a class body: `function` is its index in the module's functions."""

    name: str
    function: int


class Class(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A class statement. `bases` and `decorators` are dotted texts (`Protocol`, `base.Store`, `Generic[T]` as written).

    `body` is the index of the class body's function; a `Result` or `Closure` in a field's default refers to that body.
    """

    qualname: str
    bases: tuple[str, ...]
    decorators: tuple[str, ...]
    fields: tuple[Field, ...]
    methods: tuple[Method, ...]
    body: int
    span: Span


class Import(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`name` is bound to `target`, a dotted name (relative ones keep their leading dots); a star import binds `*`.

    `function` is the index of the function whose body holds the statement (0: the module).
    `submodule` is true for `import a.b.c`, which binds `a` and makes `a.b.c` reachable through it.
    """

    name: str
    target: str
    function: int = 0
    submodule: bool = False


class Module(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One lowered file; `functions[0]` is its module body. It holds no path and no module name: both are the linker's."""

    functions: tuple[Function, ...]
    classes: tuple[Class, ...]
    imports: tuple[Import, ...]
