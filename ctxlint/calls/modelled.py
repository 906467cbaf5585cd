"""What calls of libraries give, as models say it: a type, or something made of the arguments."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxlint.calls.elements import awaited
from ctxlint.calls.inference import Inference
from ctxlint.calls.types import UNKNOWN, Instance, Types, derived, in_order, instance, one, union

_OF_ARGUMENT = re.compile(r"(?:(?P<outer>[\w.]+)\[)?(?P<awaited>await )?\$(?P<which>\d|\*|self)(?P<called>\(\)|\[\]|\[\*\])?\]?")
"""`$0` is the first argument, `$*` any of them, `$self` what the method is called on, `$1()` what calling the second one gives,
`$1[]` its type argument, `$1[*]` any element of it, `await $0` what awaiting it does; each of them alone or as the type argument of a class.
"""


def modelled(
    inference: Inference, name: str, given: Sequence[Types], unpacked: Types = UNKNOWN, receiver: Types = UNKNOWN
) -> Types:
    """What a model says that the external callable gives; without one, a name for it. `unpacked` is what `*arguments` hold."""
    text = inference.external_result(name)
    if not text:
        return derived(name)
    of_argument = _OF_ARGUMENT.fullmatch(text)
    if of_argument is None:
        return inference.external_types(text)
    which = of_argument["which"]
    if which == "self":
        argument = receiver
    else:
        argument = union([*given, unpacked]) if which == "*" else given[int(which)] if int(which) < len(given) else UNKNOWN
    if of_argument["called"] == "()":
        argument = inference.invoked(argument)
    elif of_argument["called"] == "[*]":
        argument = inference.element(argument)
    elif of_argument["called"]:
        argument = union(t.arguments[0] for t in in_order(argument) if isinstance(t, Instance) and t.arguments)
    if of_argument["awaited"]:
        argument = union(awaited(t) if isinstance(t, Instance) else one(t) for t in in_order(argument))
    if of_argument["outer"]:
        return instance(of_argument["outer"], argument)
    return argument or (UNKNOWN if text == "$0" else derived(name))
