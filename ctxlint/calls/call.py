"""One call of something: who is called, with what, and which modelled effects that has."""

from __future__ import annotations

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.resolve import Callees
from ctxlint.ir.event import Argument, Event
from ctxlint.ir.value import AccessPath, Constant, Name, Value
from ctxlint.knowledge.models import Effect as ModelEffect


class Call(msgspec.Struct, frozen=True, gc=False):
    """One way in which an event calls something.

    `functions` and `externals` are the possible callees, `arguments` what they receive, `receiver` the object whose method
    is called (None for a plain function). `deferred` is true when the callee runs later and the event does not wait for it
    (a task, a thread, an executor); `abstract` are interface methods without a body among the callees, `unbound` the
    functions that get no receiver.
    """

    functions: tuple[FunctionId, ...]
    externals: tuple[str, ...]
    abstract: tuple[FunctionId, ...]
    arguments: tuple[Argument, ...]
    receiver: AccessPath | None
    name: str
    unknown: bool = False
    deferred: bool = False
    unbound: tuple[FunctionId, ...] = ()


class Modelled(msgspec.Struct, frozen=True, gc=False):
    """A modelled effect of a call: which library callable has it, and how it was called."""

    name: str
    effect: ModelEffect
    call: Call

    @property
    def target(self) -> Value | AccessPath | None:
        """The argument that the effect is on."""
        return argument_of(self.call, self.effect.target)

    @property
    def content(self) -> Value | AccessPath | None:
        """The argument whose content goes in."""
        return argument_of(self.call, self.effect.content)


def argument_of(call: Call, which: str) -> Value | AccessPath | None:
    """The argument that a model names: `self` (the receiver, or `self.name` of it), a position, or a keyword; `0|path` tries both."""
    for choice in which.split("|"):
        receiver, *inner = choice.split(".")
        if receiver == "self":
            return AccessPath(call.receiver.root, (*call.receiver.steps, *inner)) if call.receiver is not None else None
        if choice.isdigit():
            positional = [argument for argument in call.arguments if not argument.keyword]
            if int(choice) < len(positional):
                return positional[int(choice)].value
        for argument in call.arguments:
            if argument.keyword == choice:
                return argument.value
    return None


def direct_call(it: Event, callees: Callees) -> Call:
    """The call of the callee that the event names."""
    assert it.path is not None
    steps = it.path.steps
    return Call(
        functions=callees.functions,
        externals=callees.externals,
        abstract=callees.abstract,
        arguments=it.arguments,
        receiver=AccessPath(it.path.root, steps[:-1]) if steps else None,
        name=steps[-1] if steps else (it.path.root.name if isinstance(it.path.root, Name) else ""),
        unknown=callees.unknown,
        unbound=callees.unbound,
    )


def implicit_arguments(it: Event) -> tuple[Argument, ...]:
    """What a property's setter or `__setattr__` receives besides its receiver."""
    if it.kind != "write" or it.value is None or it.path is None:
        return ()
    return (Argument("", it.value),)


def is_told_apart(effect: ModelEffect, call: Call) -> bool:
    """Whether a distinctive name tells the effect here: one that opens has to say in which mode, or as which text; then its
    receiver is the path of a file.
    """
    if effect.does != "opens":
        return True
    mode = argument_of(call, effect.mode)
    if mode is None:
        return bool(call.arguments) and all(argument.keyword in _OF_TEXT for argument in call.arguments)
    letters = mode.text if isinstance(mode, Constant) and mode.kind == "str" else ""
    return set(letters) <= set("rwaxbt+") and len(set(letters) & set("rwax")) == 1


_OF_TEXT = frozenset({"encoding", "errors", "newline"})


def condition_holds(effect: ModelEffect, call: Call) -> bool:
    """Whether the constant argument that the model's condition names has (or lacks) the wanted value."""
    if effect.when is None:
        return True
    value = argument_of(call, effect.when.argument)
    if value is None:
        return effect.when.equals == effect.when.default or (effect.when.default is None and effect.when.equals is False)
    return isinstance(value, Constant) and value.text == str(effect.when.equals)
