"""Small programs of several modules, lowered from source strings, and short ways to ask about them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from textwrap import dedent

from ctxlint.calls.infer import TypeInference
from ctxlint.calls.program import FunctionId, LinkedModule, Program, link
from ctxlint.calls.resolve import Callees, CallGraph
from ctxlint.calls.types import BoundMethod, ClassObject, External, FunctionRef, Instance, Module, Type, Types
from ctxlint.syntax.lower import lower


def program(**sources: str) -> Program:
    """Link modules; `pkg__mod` is the module `pkg.mod`, `pkg____init__` the package `pkg`."""
    modules = {}
    for key, source in sources.items():
        name = key.replace("__", ".") if not key.endswith("____init__") else key.removesuffix("____init__").replace("__", ".")
        text = dedent(source)
        modules[name] = LinkedModule(name, f"{key}.py", key.endswith("____init__"), lower(ast.parse(text), text))
    return link(modules)


class Asked:
    """A program with its inference and call graph, addressed by names."""

    def __init__(
        self,
        external_result: Callable[[str], str | None] | None = None,
        external_attribute: Callable[[str], str | None] | None = None,
        **sources: str,
    ) -> None:
        self.program = program(**sources)
        self.inference = TypeInference(self.program, external_result, external_attribute)
        self.graph = CallGraph(self.inference)

    def id(self, name: str) -> FunctionId:
        """The function called `module:qualname`; `m` is the module when only one is given."""
        module, _, qualname = name.rpartition(":")
        module = module or next(iter(self.program.modules))
        for index, function in enumerate(self.program.modules[module].ir.functions):
            if function.qualname == qualname:
                return FunctionId(module, index)
        raise AssertionError(f"no function {name}")

    def call(self, name: str, text: str) -> tuple[FunctionId, int]:
        """The call event of the function whose path reads `text` (`self.x.append`, `()` for a computed callee)."""
        function = self.id(name)
        for event in self.graph.calls(function):
            path = self.program.function(function).events[event].path
            assert path is not None
            root = getattr(path.root, "name", "()")
            if ".".join((root, *path.steps)) == text:
                return function, event
        raise AssertionError(f"no call of {text} in {name}")

    def callees(self, name: str, text: str) -> Callees:
        """What that call reaches."""
        return self.graph.callees(*self.call(name, text))

    def reached(self, name: str, text: str) -> list[str]:
        """The functions (as `module:qualname`), then the externals that the call reaches."""
        found = self.callees(name, text)
        return [self.label(function) for function in found.functions] + list(found.externals)

    def label(self, function: FunctionId) -> str:
        """`module:qualname`, or only the qualname in a program of one module."""
        symbol = self.program.symbol(function)
        return symbol if len(self.program.modules) == 1 else f"{function.module}:{symbol}"

    def result(self, name: str) -> str:
        """What the function gives."""
        return described(self.inference.result(self.id(name)))

    def attribute(self, class_id: str, name: str) -> str:
        """What the attribute holds."""
        return described(self.inference.attribute(class_id, name))

    def passed(self, name: str, text: str) -> list[tuple[int | str, str]]:
        """The callables that the call hands over."""
        return [
            (place, self.label(target) if isinstance(target, FunctionId) else target)
            for place, target in self.graph.passed_callables(*self.call(name, text))
        ]


def described(types: Types) -> str:
    """The types as short text: `A | list[B]`; `?` when nothing is known."""
    return " | ".join(sorted(_describe(t) for t in types)) or "?"


def _describe(type: Type) -> str:
    if isinstance(type, Instance):
        inner = ", ".join(described(argument) for argument in type.arguments)
        name = type.name.removeprefix("builtins.")
        return f"{name}[{inner}]" if inner else name
    if isinstance(type, ClassObject):
        return f"type[{type.name}]"
    if isinstance(type, FunctionRef):
        return f"function {type.function.module}:{type.function.index}"
    if isinstance(type, BoundMethod):
        return f"bound {type.method}"
    if isinstance(type, (External, Module)):
        return type.name
    return repr(type)
