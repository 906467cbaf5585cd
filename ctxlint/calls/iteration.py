"""What iterating over a value gives, and what its items are."""

from __future__ import annotations

from ctxlint.calls import elements
from ctxlint.calls.generics import close
from ctxlint.calls.inference import Inference
from ctxlint.calls.types import UNKNOWN, ClassObject, External, Instance, Type, Types, derived, in_order, one, union
from ctxlint.ir.value import Constant, Value


def element_of(inference: Inference, type: Type) -> Types:
    if isinstance(type, External):
        return derived(type.name, "[]")
    if not isinstance(type, Instance):
        return UNKNOWN
    info = inference.program.class_(type.name)
    if info is None:
        return elements.elements(type) or _external_element(inference, type.name)
    for name in ("__iter__", "__aiter__"):
        method = inference.program.method(type.name, name)
        if method is not None:
            return _iterated(inference, type, inference.called(method, type))
    return union(elements.elements(base) for base in _container_bases(inference, type))


def item_of(inference: Inference, type: Type, key: Value | None) -> Types:
    if isinstance(type, External):
        return derived(type.name, "[]")
    if not isinstance(type, Instance):
        return one(type) if isinstance(type, ClassObject) else UNKNOWN
    if type.name in elements.AWAITABLES:
        return inference.item(elements.awaited(type), key)
    if inference.program.class_(type.name) is None:
        return elements.items(type, key) or inference.external_types(inference.external_result(f"{type.name}.__getitem__"))
    method = inference.program.method(type.name, "__getitem__")
    if method is not None:
        return inference.called(method, type)
    bases = _container_bases(inference, type)
    if isinstance(key, Constant) and key.kind == "str" and not bases:
        return inference.open_attribute(type.name, key.text)
    return union(elements.items(base, key) for base in bases)


def _iterated(inference: Inference, type: Instance, iterators: Types) -> Types:
    """What an iterator gives; a class of the program that returns itself gives what its `__next__` gives."""
    parts: list[Types] = []
    for t in in_order(iterators):
        for name in ("__next__", "__anext__"):
            method = inference.program.method(t.name, name) if isinstance(t, Instance) else None
            if method is not None and isinstance(t, Instance):
                parts.append(close(inference, inference.open_result(method), t))
                break
        else:
            parts.append(element_of(inference, t) if t != type else UNKNOWN)
    return union(parts)


def _external_element(inference: Inference, name: str) -> Types:
    """What iterating over an instance of an external class gives, if a model says so."""
    for method in ("__next__", "__anext__"):
        text = inference.external_result(f"{name}.{method}")
        if text:
            return inference.external_types(text)
    return UNKNOWN


def _container_bases(inference: Inference, type: Instance) -> list[Instance]:
    """The containers of the language that a class of the program is derived from, with their type arguments."""
    info = inference.program.class_(type.name)
    found: list[Instance] = []
    for ancestor in info.mro if info is not None else ():
        declared = inference.program.class_(ancestor)
        for text in declared.ir.bases if declared is not None else ():
            if declared is not None and "[" in text:
                enclosing = max(inference.program.function_at(declared.module, declared.ir.body).enclosing, 0)
                bases = close(inference, inference.annotation(declared.module, enclosing, text), type)
                found += [t for t in in_order(bases) if isinstance(t, Instance)]
    return found
