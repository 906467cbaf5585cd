"""Type variables: what they stand for in an instance of a generic class and in a call of a generic function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ctxlint.calls.inference import Inference
from ctxlint.calls.program import ClassId
from ctxlint.calls.types import (
    SELF,
    UNKNOWN,
    ClassObject,
    Instance,
    Receiver,
    Type,
    Types,
    Variable,
    in_order,
    one,
    substitute,
    union,
    variable_bound,
)

GENERIC_BASES = frozenset(["Generic", "Protocol"])


def close(inference: Inference, types: Types, receiver: Receiver | None = None) -> Types:
    """The types seen from outside: type variables become the receiver's arguments, or their bounds; `Self` the receiver."""
    variables = list(dict.fromkeys(_variables(types)))
    if not variables and SELF not in types:
        return substitute(types, {}, receiver)
    meaning = meaning_of(inference, receiver) if isinstance(receiver, Instance) else {}
    for name in variables:
        if not meaning.get(name):
            meaning[name] = variable_bound(inference.program, name)
    return substitute(types, meaning, receiver)


def meaning_of(inference: Inference, receiver: Instance) -> dict[str, Types]:
    """What the type variables of the receiver's class and of its ancestors stand for."""
    meaning: dict[str, Types] = {}
    _collect(inference, receiver.name, receiver.arguments, meaning, 0)
    return meaning


def bind_variables(formal: Types, argument: Types, meaning: dict[str, Types]) -> None:
    """Learn from an argument what the type variables in its parameter's annotation stand for."""
    for wanted in in_order(formal):
        if isinstance(wanted, Variable):
            meaning[wanted.name] = union([meaning.get(wanted.name, UNKNOWN), argument])
        elif isinstance(wanted, Instance) and wanted.arguments:
            for given in in_order(argument):
                if wanted.name == "builtins.type" and isinstance(given, ClassObject):
                    bind_variables(wanted.arguments[0], one(Instance(given.name)), meaning)
                elif isinstance(given, Instance) and len(given.arguments) == len(wanted.arguments):
                    for inner, outer in zip(wanted.arguments, given.arguments):
                        bind_variables(inner, outer, meaning)


def has_variables(types: Types) -> bool:
    """Whether a type variable occurs in the types."""
    return next(_variables(types), None) is not None


def _variables(types: Types) -> Iterator[str]:
    for t in in_order(types):
        if isinstance(t, Variable):
            yield t.name
        elif isinstance(t, Instance):
            for argument in t.arguments:
                yield from _variables(argument)


def _collect(
    inference: Inference, class_id: ClassId, arguments: Sequence[Types], meaning: dict[str, Types], depth: int
) -> None:
    info = inference.program.class_(class_id)
    if info is None or depth > 16:
        return
    bases = [_base_instance(inference, info.module, info.ir.body, text) for text in info.ir.bases if "[" in text]
    parameters = [
        name
        for base in (sorted(bases, key=lambda b: b is None or b.name.rpartition(".")[2] not in GENERIC_BASES))
        for name in (_variables(frozenset([base])) if base is not None else ())
    ]
    for name, argument in zip(dict.fromkeys(parameters), arguments):
        if argument:
            meaning.setdefault(name, argument)
    for base in bases:
        if base is not None:
            _collect(inference, base.name, [substitute(a, meaning) for a in base.arguments], meaning, depth + 1)
    for plain in info.bases:
        if not any(base is not None and base.name == plain for base in bases):
            _collect(inference, plain, (), meaning, depth + 1)


def _base_instance(inference: Inference, module: str, body: int, text: str) -> Instance | None:
    enclosing = inference.program.function_at(module, body).enclosing
    found: list[Type] = [t for t in inference.annotation(module, max(enclosing, 0), text) if isinstance(t, Instance)]
    first = found[0] if found else None
    return first if isinstance(first, Instance) else None
