"""What names of a module level mean, and where the program stores what everybody sees: module variables, others' attributes."""

from __future__ import annotations

from collections.abc import Iterator

from ctxlint.calls.additions import as_shown, filled, is_bare, leaves_open
from ctxlint.calls.elements import builtin_class
from ctxlint.calls.inference import Inference
from ctxlint.calls.members import receiver_name
from ctxlint.calls.names import split
from ctxlint.calls.program import FunctionId
from ctxlint.calls.types import UNKNOWN, ClassObject, External, FunctionRef, Module, Types, one, union
from ctxlint.calls.variables import annotated_variable
from ctxlint.flow.reaching import ENTRY_VALUE

OTHER_STORES = 8
"""Stores into attributes of one name, outside the methods of their class, beyond this many are not looked at."""


def symbol_types(inference: Inference, qualified: str) -> Types:
    """What a canonical name means."""
    program = inference.program
    if not qualified:
        return UNKNOWN
    if program.class_(qualified) is not None:
        return one(ClassObject(qualified))
    if qualified in program.modules:
        return one(Module(qualified))
    if qualified.startswith("builtins."):
        return one(ClassObject(qualified) if builtin_class(qualified) else External(qualified))
    module, rest = split(program, qualified)
    if not module:
        return one(External(qualified))
    function = program.named_function(qualified)
    if function is not None:
        return one(FunctionRef(function))
    head, _, steps = rest.partition(".")
    if steps:
        types = inference.symbol(f"{module}.{head}")
        for step in steps.split("."):
            types = inference.members(types, step)
        return types
    return _variable(inference, module, head)


def module_variable(inference: Inference, body: FunctionId, at_event: int, name: str) -> Types:
    """What a variable of the module holds at an event of the module's own body, where that rebinds it; else unknown."""
    own = inference.facts(body).globals.get(name, ())
    events = inference.program.function(body).events
    if len(own) < 2 or at_event >= len(events):
        return UNKNOWN
    if len(inference.global_writes(body.module).get(name, ())) > len(own):      # functions bind it, too
        return UNKNOWN
    reaching = inference.reaching(body).definitions(at_event, name)
    if not reaching or any(binding == ENTRY_VALUE or events[binding].kind == "import" for binding in reaching):
        return UNKNOWN
    types = union(inference.binding(body, name, binding) for binding in reaching)
    return filled(inference, types, _additions(inference, body.module, name)) if is_bare(types) else types


def global_writes_of(inference: Inference, module: str) -> dict[str, list[tuple[FunctionId, int]]]:
    """Where module-level variables of the module are bound, by name."""
    found: dict[str, list[tuple[FunctionId, int]]] = {}
    for index in range(len(inference.program.modules[module].ir.functions)):
        id = FunctionId(module, index)
        for name, events in inference.facts(id).globals.items():
            found.setdefault(name, []).extend((id, event) for event in events)
    return found


def other_stores_of(inference: Inference) -> dict[str, tuple[tuple[FunctionId, int], ...]]:
    """Where code stores into attributes of what is not its own receiver, by attribute; the first few of each."""
    found: dict[str, list[tuple[FunctionId, int]]] = {"": []}
    for id in inference.program.functions():
        receiver = receiver_name(inference.program.function(id))
        for (root, name), events in inference.facts(id).stores.items():
            if root != receiver:
                found.setdefault(name, []).extend((id, event) for event in events)
    return {name: tuple(stores[:OTHER_STORES]) for name, stores in found.items()}


def _variable(inference: Inference, module: str, name: str) -> Types:
    """A module's variable: its annotation, else (or where that leaves open which functions it holds) what the module and its functions put there."""
    annotated = annotated_variable(inference, FunctionId(module, 0), name)
    if annotated and not leaves_open(annotated):
        return annotated
    written = inference.global_writes(module)
    types = union(inference.binding(id, name, event) for id, event in written.get(name, ()))
    types = filled(inference, types, _additions(inference, module, name)) if is_bare(types) else types
    return as_shown(annotated, types)


def _additions(inference: Inference, module: str, name: str) -> Iterator[tuple[FunctionId, int]]:
    """Where the module's functions put something into the container in its variable."""
    for index in range(len(inference.program.modules[module].ir.functions)):
        id = FunctionId(module, index)
        facts = inference.facts(id)
        if name not in facts.bindings and name not in facts.formals:
            for event in facts.additions.get((name, ""), ()):
                yield id, event
