"""What decorators do to the functions they stand on: who is called when one is defined, and what its name means then.

The callees of a call are the functions as they were written; what a decorator puts in their place is looked up here, so that
effects stay those of the function and a printed graph shows the way to it.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.infer import TypeInference
from ctxlint.calls.program import Program
from ctxlint.calls.results import first_open_formal, result_given
from ctxlint.calls.scopes import dotted_text
from ctxlint.calls.types import BoundMethod, FunctionRef, Instance, Type, Types, in_order, union
from ctxlint.ir.event import Event
from ctxlint.ir.function import Function
from ctxlint.ir.value import AccessPath, Closure, Name, Scope


class Decorations(msgspec.Struct, frozen=True):
    """All decorators of a program.

    `applied` are the decorators that a `define` event calls, `meaning` what a decorated function's name stands for, where
    code of the program decides that, and `handed` the functions that a decorator has been applied to.
    """

    applied: dict[tuple[FunctionId, int], Types]
    meaning: dict[FunctionId, tuple[FunctionId, ...]]
    handed: dict[FunctionId, tuple[FunctionId, ...]]

    def stands_for(self, function: FunctionId) -> tuple[FunctionId, ...]:
        """What is called by the name of the function."""
        found: dict[FunctionId, None] = {}
        pending = [function]
        seen = set()
        while pending:
            current = pending.pop()
            if current not in seen:
                seen.add(current)
                pending.extend(self.meaning.get(current, ()))
                if current not in self.meaning:
                    found[current] = None
        return tuple(found) or (function,)


def decorations(inference: TypeInference) -> Decorations:
    """Look at every decorated definition of the program."""
    applied: dict[tuple[FunctionId, int], Types] = {}
    meaning: dict[FunctionId, tuple[FunctionId, ...]] = {}
    handed: dict[FunctionId, dict[FunctionId, None]] = {}
    for definer, event, defined in _decorated(inference):
        named, called, given = _put_on(inference, definer, event, defined)
        for decorator, functions in given:
            handed.setdefault(decorator, {}).update(dict.fromkeys(functions))
        applied[definer, event] = frozenset().union(*called)
        stands_for = _plain(named)
        if stands_for and stands_for != (defined,):
            meaning[defined] = stands_for
    return Decorations(applied, meaning, {decorator: tuple(functions) for decorator, functions in handed.items()})


def stand_ins(inference: TypeInference, function: FunctionId) -> tuple[FunctionId, ...]:
    """The functions that decorators of the program put in the place of one function."""
    ir = inference.program.function(function)
    if not ir.decorators or ir.enclosing < 0:
        return ()
    defined = inference.program.definition(function)
    return tuple(each for each in _plain(_put_on(inference, *defined, function)[0]) if each != function) if defined is not None else ()


def _put_on(
    inference: TypeInference, definer: FunctionId, event: int, defined: FunctionId
) -> tuple[Types, list[Types], list[tuple[FunctionId, tuple[FunctionId, ...]]]]:
    """What the name stands for when all decorators are on, the decorators, and which functions each of them was given."""
    named = inference.of_event(definer, event)
    called: list[Types] = []
    handed: list[tuple[FunctionId, tuple[FunctionId, ...]]] = []
    for types in reversed(list(_decorator_types(inference, definer, event, defined))):
        called.append(types)
        given = _plain(named)
        results: list[Types] = []
        for function in (function for decorator in in_order(types) for function in _functions(inference, decorator)):
            handed.append((function, given))
            results.append(result_given(inference, function, named))
        named = union(results) or named
    return named, called, handed


def decorated_formal(inference: TypeInference, function: FunctionId, name: Name) -> FunctionId | None:
    """The decorator whose argument the variable is, as far as its name tells: its own first formal, or a captured one."""
    while True:
        ir = inference.program.function(function)
        if any(formal.name == name.name for formal in ir.formals):
            return function if first_open_formal(ir) == name.name else None
        if name.scope != "captured" or ir.enclosing <= 0 or name.name in inference.facts(function).bindings:
            return None
        function = FunctionId(function.module, ir.enclosing)


def _decorated(inference: TypeInference) -> Iterator[tuple[FunctionId, int, FunctionId]]:
    """Every decorated function and class, with the event that defines it."""
    for definer in inference.program.functions():
        for event, happening in enumerate(inference.program.function(definer).events):
            if happening.kind == "define" and isinstance(happening.value, Closure):
                defined = FunctionId(definer.module, happening.value.function)
                if _decorators(inference, defined):
                    yield definer, event, defined


def _decorators(inference: TypeInference, defined: FunctionId) -> tuple[str, ...]:
    class_id = inference.program.class_of_body(defined)
    declared = inference.program.class_(class_id) if class_id is not None else None
    return declared.ir.decorators if declared is not None else inference.program.function(defined).decorators


def _decorator_types(
    inference: TypeInference, definer: FunctionId, event: int, defined: FunctionId
) -> Iterator[Types]:
    """What each decorator can be, outermost first; a called one is the result of its call in front of the definition."""
    for text, called in _spellings(inference.program, definer, event, _decorators(inference, defined)):
        if called is not None:
            yield inference.of_event(definer, called)
        else:
            head, *steps = text.split(".")
            scope = scope_of(inference, definer, head)
            yield inference.of_path(definer, event, AccessPath(Name(head, scope), tuple(steps)))


def decorating_calls(program: Program, function: FunctionId) -> tuple[FunctionId, tuple[int, ...]]:
    """Who defines the function, and there the calls that make what decorates it, outermost first."""
    decorators = program.function(function).decorators
    defined = program.definition(function) if decorators else None
    if defined is None:
        return function, ()
    return defined[0], tuple(called for _, called in _spellings(program, *defined, decorators) if called is not None)


def _spellings(program: Program, definer: FunctionId, event: int, decorators: tuple[str, ...]) -> Iterator[tuple[str, int | None]]:
    """What stands above a definition, outermost first, each with the event in front of it that calls it, if one does."""
    function = program.function(definer)
    position = next((i + 1 for i in range(event - 1, -1, -1) if function.events[i].kind == "define"), 0)
    for text in decorators:
        called = next((i for i in range(position, event) if _spelled(function, function.events[i]) == text), None)
        position = position if called is None else called + 1
        yield text, called


def _spelled(function: Function, event: Event) -> str:
    """The dotted name that a call event calls."""
    if event.kind != "call" or event.path is None or "[*]" in event.path.steps:
        return ""
    root = dotted_text(function, event.path.root)
    return ".".join((root, *event.path.steps)) if root else ""


def scope_of(inference: TypeInference, function: FunctionId, name: str) -> Scope:
    """Whose variable the name is where the function uses it."""
    ir = inference.program.function(function)
    if name in ir.captures:
        return "captured"
    return "local" if function.index and (name in ir.locals or name in inference.facts(function).formals) else "global"


def _functions(inference: TypeInference, decorator: Type) -> Iterator[FunctionId]:
    """The functions of the program that run when the decorator is called with one function."""
    if isinstance(decorator, FunctionRef):
        yield decorator.function
    elif isinstance(decorator, BoundMethod) and isinstance(decorator.method, FunctionId):
        yield decorator.method
    elif isinstance(decorator, Instance):
        call = inference.program.method(decorator.name, "__call__")
        if call is not None:
            yield call


def _plain(types: Types) -> tuple[FunctionId, ...]:
    return tuple(t.function for t in in_order(types) if isinstance(t, FunctionRef))

