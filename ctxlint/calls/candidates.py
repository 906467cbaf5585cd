"""What a call can reach, and how a type becomes that."""

from __future__ import annotations

import msgspec

from ctxlint.calls.elements import lacks
from ctxlint.calls.inference import Inference
from ctxlint.calls.members import receiver_name
from ctxlint.calls.program import FunctionId, Program
from ctxlint.calls.types import (
    NONE_TYPE,
    UNKNOWN,
    BoundMethod,
    ClassObject,
    External,
    FunctionRef,
    Instance,
    SuperOf,
    Type,
    Types,
    is_derived,
)

OVERRIDERS = 8
"""With more overriding methods than this, a call is taken to reach the declared one, and something unknown."""


_CONSTRUCTORS = ("__new__", "__init__", "__post_init__")


class Callees(msgspec.Struct, frozen=True):
    """What a call can reach.

    `functions` are of the program, those that only declare (abstract ones, Protocols' stubs) excepted: they are `abstract`.
    `externals` are canonical names outside the program; of a method `module.Class.method`, of what an unmodelled external
    call gave `logging.getLogger().error`, which alone leaves the call unknown. `unknown` when there is nothing
    to say, or when there are more candidates than were taken. `receiver` is what the method is called on; `unbound` are
    those of the functions that get no receiver from the call (`Base.method(self)` passes it as an argument).
    """

    functions: tuple[FunctionId, ...] = ()
    externals: tuple[str, ...] = ()
    unknown: bool = False
    abstract: tuple[FunctionId, ...] = ()
    receiver: Types = UNKNOWN
    unbound: tuple[FunctionId, ...] = ()


class Candidates:
    """Candidates, in the order found, each once."""

    def __init__(self, inference: Inference) -> None:
        self.inference = inference
        self.functions: dict[FunctionId, None] = {}
        self.externals: dict[str, None] = {}
        self.abstract: dict[FunctionId, None] = {}
        self.unbound: dict[FunctionId, None] = {}
        self.more = False

    def callees(self, receiver: Types) -> Callees:
        """The candidates as an answer."""
        nothing = not (self.functions or self.abstract) and all(is_derived(name) for name in self.externals)
        return Callees(
            tuple(self.functions),
            tuple(self.externals),
            nothing or self.more,
            tuple(self.abstract),
            receiver,
            tuple(self.unbound),
        )

    def add(self, type: Type) -> None:
        """What calling a value of this type reaches."""
        program = self.inference.program
        if isinstance(type, FunctionRef):
            self.add_function(type.function)
            self.unbound.setdefault(type.function)
        elif isinstance(type, BoundMethod):
            if isinstance(type.method, str):
                self.externals.setdefault(type.method)
            elif isinstance(type.receiver, SuperOf):
                self.add_function(type.method)
            else:
                self.add_method(type.receiver.name, type.method)
        elif isinstance(type, ClassObject):
            self.add_construction(type.name)
        elif isinstance(type, External):
            self.externals.setdefault(type.name)
        elif isinstance(type, Instance):
            call = program.method(type.name, "__call__")
            if call is not None:
                self.add_method(type.name, call)
            elif program.class_(type.name) is None and type != NONE_TYPE and not lacks(type.name, "__call__"):
                self.externals.setdefault(f"{type.name}.__call__")

    def add_function(self, function: FunctionId) -> None:
        """One function, as what it is."""
        if self.inference.program.is_abstract_method(function):
            self.abstract.setdefault(function)
        else:
            self.functions.setdefault(function)

    def add_method(self, class_id: str, method: FunctionId) -> None:
        """A method called on an instance of the class: itself, what overrides it, and what implements it."""
        program = self.inference.program
        self.add_function(method)
        name = program.function(method).qualname.rpartition(".")[2]
        others = list(program.overriders(class_id, name))
        if program.is_protocol(class_id) or program.is_abstract_method(method):
            implemented = (program.method(implementer, name) for implementer in program.implementers(class_id))
            others += [found for found in implemented if found is not None]
        others = [other for other in dict.fromkeys(others) if other != method]
        if len(others) > OVERRIDERS:
            self.more = True
            return
        for other in others:
            self.add_function(other)

    def add_construction(self, class_id: str) -> None:
        """What constructing an instance calls."""
        program = self.inference.program
        if program.class_(class_id) is None:
            self.externals.setdefault(class_id)
            return
        found = [method for method in (program.method(class_id, name) for name in _CONSTRUCTORS) if method is not None]
        for method in found:
            self.functions.setdefault(method)
        if not any(program.symbol(method).endswith("__init__") for method in found):
            for base in program.external_bases(class_id):
                self.externals.setdefault(base)
        if not found and not self.externals:
            self.externals.setdefault("builtins.object")


def receives(program: Program, callees: Callees, function: FunctionId) -> bool:
    """Whether the callee's first parameter is filled by the call's receiver, or by the object under construction."""
    return function not in callees.unbound and bool(receiver_name(program.function(function)))
