"""What the classes of changes declare: the annotations of their fields, and what is found where there are none."""

from __future__ import annotations

import functools
import re

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.types import NONE_TYPE, Instance, Types
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.conflicts.decisions import is_declared
from ctxlint.ir.function import Function
from ctxlint.ir.value import Compound, Name, Result, Value
from ctxlint.roles.fields import Fields
from ctxlint.roles.leaf import Leaf

_CONTAINERS = frozenset([
    "set", "frozenset", "list", "tuple", "dict", "sequence", "iterable", "collection", "mapping", "mutablemapping", "abstractset",
    "optional", "union", "field",
])
_CONSTRUCTORS = frozenset(["__init__", "__post_init__"])
_JOINS = frozenset(["|", "+", "set", "list", "tuple"])


def declarations(analysis: Analysis, owner: str) -> dict[str, str]:
    """The annotations of a class's fields and properties, and of the formals that its constructor stores."""
    info = analysis.program.class_(owner)
    if info is None:
        return {}
    found = {f"{owner}.{field.name}": field.annotation for field in info.ir.fields if field.annotation}
    for method in info.ir.methods:
        function = analysis.program.function_at(info.module, method.function)
        if method.name == "__init__":
            formals = {formal.name: formal.annotation for formal in function.formals}
            for event in function.events:
                if event.kind == "write" and event.path is not None and len(event.path.steps) == 1 and event.note != "aug":
                    told = formals.get(event.value.name, "") if isinstance(event.value, Name) else ""
                    if event.note or told or isinstance(event.value, Name):
                        found.setdefault(f"{owner}.{event.path.steps[0]}", event.note or told)
        elif not method.name.startswith("__"):
            found.setdefault(f"{owner}.{method.name}", function.returns or _kind(_given_back(analysis, owner, method.name)))
    for field in analysis.view.inference.stores(owner):
        if not found.get(f"{owner}.{field}"):
            found[f"{owner}.{field}"] = _kind(analysis.view.inference.attribute(owner, field))
    return found


def parts_of(analysis: Analysis, fields: Fields, owner: str, key: str) -> frozenset[str]:
    """The fields whose content a field of the same class holds as well, since the constructor joins them: `all = made | seen`."""
    info = analysis.program.class_(owner)
    made: dict[str, frozenset[Leaf]] = {}
    joined: frozenset[Leaf] = frozenset()
    for method in info.ir.methods if info is not None and is_declared(owner) else ():
        identity = FunctionId(info.module, method.function) if info is not None else FunctionId("", 0)
        function = analysis.program.function_at(identity.module, identity.index)
        for number, event in enumerate(function.events if method.name in _CONSTRUCTORS else ()):
            if event.kind == "write" and event.path is not None and len(event.path.steps) == 1 and event.value is not None:
                field = f"{owner}.{event.path.steps[0]}"
                made[field] = fields.of(identity, number, event.value)
                if field == key and _joins(function, event.value):
                    joined = made[field]
    return frozenset(field for field, leaves in made.items() if field != key and (
        (leaves and leaves < joined) or any(leaf.key == field for leaf in joined)))


def _joins(function: Function, value: Value) -> bool:
    """Whether a value puts several collections together."""
    if isinstance(value, Result):
        event = function.events[value.event]
        if event.kind == "call" and event.path is not None and event.path.steps[-1:] == ("union",):
            return True
        return event.kind == "call" and len(event.arguments) == 1 and _joins(function, event.arguments[0].value)
    return isinstance(value, Compound) and value.operator in _JOINS


@functools.lru_cache(maxsize=1 << 12)
def is_collection(annotation: str) -> bool:
    return re.match(r"[\w.]*\b(set|frozenset|list|tuple|sequence|collection|iterable|abstractset)\b", annotation, re.IGNORECASE) is not None


@functools.lru_cache(maxsize=1 << 12)
def is_mapping(annotation: str) -> bool:
    return re.match(r"[\w.]*\b(dict|mapping|mutablemapping)\b", annotation, re.IGNORECASE) is not None


@functools.lru_cache(maxsize=1 << 12)
def held_by(annotation: str) -> frozenset[str]:
    """The classes of what a field holds: `set[str]` and `str` hold texts, a mapping is known by its keys."""
    words = re.findall(r"[A-Za-z_][\w.]*", annotation)
    held = [word for word in words if word.rpartition(".")[2].lower() not in _CONTAINERS]
    return frozenset(held[:1] if is_mapping(annotation) else held) - {"None", "Any", "object"}


def _given_back(analysis: Analysis, owner: str, name: str) -> Types:
    """What a method, or those that stand for it in derived classes, give back."""
    info = analysis.program.class_(owner)
    methods = dict.fromkeys(analysis.program.method(each, name) for each in (owner, *(info.subclasses if info is not None else ())))
    given = frozenset().union(*(analysis.view.inference.result(method) for method in methods if method is not None))
    return given - {NONE_TYPE}


def _kind(types: Types) -> str:
    """The container that something is found to be, where no annotation says it."""
    names = {t.name.removeprefix("builtins.") for t in types if isinstance(t, Instance)}
    return names.pop() if len(names) == 1 and len(types) == 1 else ""
