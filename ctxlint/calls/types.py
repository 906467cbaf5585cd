"""What a value can be, and what an annotation says about it.

A value's type is a frozenset of at most six `Type`s; the empty set means that nothing is known. `None` is dropped from a
union, because calls on it are not what a program means to do; a value that can only be None has the type `NONE_TYPE`.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.names import resolve_name, split
from ctxlint.calls.program import Program
from ctxlint.calls.standard import standard_name
from ctxlint.ir.function import Function
from ctxlint.ir.value import Compound, Constant, Name, Result, Value

UNION = 6
"""A union of more types than this says nothing."""
NESTING = 3
"""Levels of type arguments that are kept within those of an instance."""
LONGEST_ANNOTATION = 2000


class Instance(msgspec.Struct, frozen=True, cache_hash=True):
    """An instance of the class with this canonical name, of the program or outside; `arguments` are its type arguments.

    A homogeneous tuple has one argument, a fixed one has one for each position. A list or dict of callables says in `items`
    what it holds under each constant key (see `entries`).
    """

    name: str
    arguments: tuple[Types, ...] = ()
    items: tuple[tuple[str, Types], ...] = ()


class ClassObject(msgspec.Struct, frozen=True):
    """A class itself, of the program or a builtin one."""

    name: str


class FunctionRef(msgspec.Struct, frozen=True):
    """A function of the program, not bound to a receiver."""

    function: FunctionId


class BoundMethod(msgspec.Struct, frozen=True, cache_hash=True):
    """A method taken from a receiver: a function of the program or the canonical name of an external method."""

    receiver: Receiver
    method: FunctionId | str


class Module(msgspec.Struct, frozen=True):
    """A module of the program."""

    name: str


class External(msgspec.Struct, frozen=True):
    """Something outside the program known only by its dotted name: a module, a function, a class, a constant.

    What an external call gives or an external container holds, when no model says more, is named after it:
    `logging.getLogger()`, `sys.argv[]`.
    """

    name: str


DERIVED = 3
"""External things derived from one another by more calls than this are not told apart."""


def derived(name: str, how: str = "()") -> Types:
    """What a call of the external thing gives (or, for `[]`, what it contains), when nothing else is known about it."""
    return one(External(name + how)) if name.count("()") + name.count("[]") < DERIVED else UNKNOWN


def is_derived(name: str) -> bool:
    """Whether the name is of something that an external call gave or an external container holds."""
    return "()" in name or "[]" in name


class SuperOf(msgspec.Struct, frozen=True):
    """What `super()` gives in a method of the class `owner`."""

    owner: str


class Variable(msgspec.Struct, frozen=True):
    """A type variable, by canonical name; it never leaves type inference."""

    name: str


Receiver: TypeAlias = Instance | ClassObject | SuperOf
Type: TypeAlias = Instance | ClassObject | FunctionRef | BoundMethod | Module | External | SuperOf | Variable
Types: TypeAlias = frozenset[Type]

UNKNOWN: Types = frozenset()
NONE_TYPE = Instance("builtins.NoneType")
NONE: Types = frozenset([NONE_TYPE])
SELF = Instance("typing.Self")


def one(type: Type) -> Types:
    """The type set with one member."""
    return frozenset((type,))


def instance(name: str, *arguments: Types) -> Types:
    """An instance of one class, with type arguments unless all are unknown; what nests too deeply loses its arguments."""
    if not any(arguments):
        return one(Instance(name))
    return one(Instance(name, tuple([_shallow(argument, NESTING) for argument in arguments])))


def _shallow(types: Types, depth: int) -> Types:
    """The types with at most `depth` levels of arguments; most are shallow, and stay the same object."""
    if not any(isinstance(t, Instance) and (t.arguments or t.items) for t in types):
        return types
    return frozenset(_shallower(t, depth) if isinstance(t, Instance) and (t.arguments or t.items) else t for t in types)


def _shallower(t: Instance, depth: int) -> Instance:
    if not depth:
        return Instance(t.name)
    items = tuple([(key, _shallow(types, depth - 1)) for key, types in t.items])
    return Instance(t.name, tuple([_shallow(a, depth - 1) for a in t.arguments]), items)


def with_items(container: Instance, items: Iterable[tuple[str, Types]]) -> Types:
    """The container with what it holds under constant keys."""
    return one(Instance(container.name, container.arguments, tuple([(key, _shallow(t, NESTING - 1)) for key, t in items])))


def union(parts: Iterable[Types]) -> Types:
    """Any of the parts; unknown parts say nothing, and a union that grows too large says nothing."""
    known = [part for part in parts if part]
    if not known:
        return UNKNOWN
    first = known[0]
    if len(known) == 1 or all([part is first or part == first for part in known]):
        return first
    return _merged(tuple(known))


@functools.lru_cache(maxsize=1 << 14)
def _merged(known: tuple[Types, ...]) -> Types:
    """The union of different parts; the same few are asked for all over a program."""
    merged = frozenset().union(*known)
    if any([isinstance(t, Instance) and t.items for t in merged]):
        merged = _with_joint_items(merged)
    if NONE_TYPE in merged:
        merged -= NONE
    detailed = {t.name for t in merged if isinstance(t, Instance) and any(t.arguments)}
    if detailed:
        merged = frozenset(
            t for t in merged if not (isinstance(t, Instance) and t.name in detailed and not any(t.arguments))
        )
    return merged if len(merged) <= UNION else UNKNOWN


def _with_joint_items(types: Types) -> Types:
    """Containers of one class as one container: what each of them holds under a key, it can hold there."""
    containers: dict[str, list[Instance]] = {}
    for t in _sorted(types):
        if isinstance(t, Instance):
            containers.setdefault(t.name, []).append(t)
    joint = {name: _joint(same) for name, same in containers.items() if len(same) > 1 and any(t.items for t in same)}
    return frozenset(joint.get(t.name, t) if isinstance(t, Instance) else t for t in types)


def _joint(same: list[Instance]) -> Instance:
    width = max(len(t.arguments) for t in same)
    arguments = tuple(union(t.arguments[i] for t in same if i < len(t.arguments)) for i in range(width))
    if any(t.arguments and not t.items for t in same):
        return Instance(same[0].name, arguments)
    items: dict[str, list[Types]] = {}
    for t in same:
        for key, types in t.items:
            items.setdefault(key, []).append(types)
    return Instance(same[0].name, arguments, tuple((key, union(parts)) for key, parts in items.items()))


def in_order(types: Types) -> Sequence[Type]:
    """The members in an order that does not depend on hashes."""
    return tuple(types) if len(types) < 2 else _sorted(types)


@functools.lru_cache(maxsize=1 << 14)
def _sorted(types: Types) -> tuple[Type, ...]:
    return tuple(sorted(types, key=repr))


def substitute(types: Types, meaning: Mapping[str, Types], receiver: Receiver | None = None) -> Types:
    """The types with type variables replaced by their meaning (dropped when they have none) and `Self` by the receiver."""
    if not any(_is_open(t) for t in types):
        return types
    parts: list[Types] = []
    for t in in_order(types):
        if isinstance(t, Variable):
            parts.append(meaning.get(t.name, UNKNOWN))
        elif t == SELF:
            parts.append(_instance_of(receiver) if receiver is not None else UNKNOWN)
        elif isinstance(t, Instance) and t.name == "builtins.type" and t.arguments:
            inner = substitute(t.arguments[0], meaning, receiver)
            parts.append(frozenset(ClassObject(i.name) for i in inner if isinstance(i, Instance)))
        elif isinstance(t, Instance) and t.arguments:
            parts.append(instance(t.name, *(substitute(a, meaning, receiver) for a in t.arguments)))
        else:
            parts.append(one(t))
    return union(parts)


def _instance_of(receiver: Receiver) -> Types:
    if isinstance(receiver, Instance):
        return one(receiver)
    return one(Instance(receiver.name if isinstance(receiver, ClassObject) else receiver.owner))


def _is_open(t: Type) -> bool:
    if isinstance(t, Instance):
        return t == SELF or any(_is_open(inner) for argument in t.arguments for inner in argument)
    return isinstance(t, Variable)


_TRANSPARENT = frozenset(["Annotated", "Final", "ClassVar", "Required", "NotRequired", "ReadOnly", "Unpack"])
_SAYS_NOTHING = frozenset(
    ["typing.Any", "builtins.object", "typing.Callable", "collections.abc.Callable", "typing.NoReturn", "typing.Never",
     "types.EllipsisType", "typing.ParamSpec", "typing.Concatenate", "builtins.Ellipsis"]
)


def parse_annotation(program: Program, module: str, text: str, function: int = 0) -> Types:
    """What the annotation `text`, written in the function with that index of `module`, says. Unreadable text says nothing."""
    return _parse_text(program, module, text, function, ())


def _parse_text(program: Program, module: str, text: str, function: int, seen: tuple[str, ...]) -> Types:
    if text.replace(".", "").isidentifier():
        return _named(program, module, text, (), function, seen)
    if not text or len(text) > LONGEST_ANNOTATION:
        return UNKNOWN
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return UNKNOWN
    return _parse(program, module, tree, function, seen)


def _parse(program: Program, module: str, node: ast.expr, function: int, seen: tuple[str, ...]) -> Types:
    if isinstance(node, ast.Constant):
        if node.value is None:
            return NONE
        return _parse_text(program, module, node.value, function, seen) if isinstance(node.value, str) else UNKNOWN
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _named(program, module, ast.unparse(node), (), function, seen)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _either([_parse(program, module, side, function, seen) for side in (node.left, node.right)])
    if isinstance(node, ast.Subscript) and isinstance(node.value, (ast.Name, ast.Attribute)):
        index = node.slice
        arguments = tuple(index.elts) if isinstance(index, ast.Tuple) else (index,)
        return _named(program, module, ast.unparse(node.value), arguments, function, seen)
    if isinstance(node, ast.Starred):
        return _parse(program, module, node.value, function, seen)
    return UNKNOWN


def _named(
    program: Program, module: str, text: str, arguments: tuple[ast.expr, ...], function: int, seen: tuple[str, ...]
) -> Types:
    if text == "None":
        return NONE
    qualified = standard_name(resolve_name(program, module, function, text))
    if not qualified or qualified in _SAYS_NOTHING:
        return UNKNOWN
    package, _, name = qualified.rpartition(".")
    if package == "typing":
        if name == "Optional" or name in _TRANSPARENT:
            return _parse(program, module, arguments[0], function, seen) if arguments else UNKNOWN
        if name == "Union":
            return _either([_parse(program, module, a, function, seen) for a in arguments])
        if name == "Literal":
            return union(_literal(a) for a in arguments)
        if name in ("TypeGuard", "TypeIs"):
            return one(Instance("builtins.bool"))
        if name == "Self":
            return one(SELF)
    if qualified == "builtins.type":
        inner = _parse(program, module, arguments[0], function, seen) if arguments else UNKNOWN
        if any(isinstance(t, Variable) for t in inner):
            return one(Instance(qualified, (inner,)))
        return frozenset(ClassObject(t.name) for t in inner if isinstance(t, Instance))
    if program.class_(qualified) is None and split(program, qualified)[0]:
        return _alias(program, qualified, seen)
    if qualified.startswith("builtins.") and not arguments:
        return one(Instance(qualified))
    given = [a for a in arguments if not (isinstance(a, ast.Constant) and a.value is Ellipsis)]
    return one(Instance(qualified, tuple(_parse(program, module, a, function, seen) for a in given)))


def _either(parts: list[Types]) -> Types:
    """One of the parts; something unknown or None is unknown."""
    found = union(parts)
    return UNKNOWN if found == NONE and UNKNOWN in parts else found


def _literal(node: ast.expr) -> Types:
    if isinstance(node, ast.Constant):
        return one(Instance(f"builtins.{type(node.value).__name__}"))
    return UNKNOWN


def _alias(program: Program, qualified: str, seen: tuple[str, ...]) -> Types:
    """What a module-level name of the program means as a type: an alias, a NewType, a type variable."""
    module, name = split(program, qualified)
    events = program.scopes[module].values.get(name, ())
    if not events or qualified in seen or len(seen) > 8:
        return UNKNOWN
    body = program.modules[module].ir.functions[0]
    value = body.events[events[-1]].value
    seen = (*seen, qualified)
    if isinstance(value, Result) and body.events[value.event].kind == "call":
        return _declared(program, module, body, qualified, value.event, seen)
    text = annotation_text(body, value)
    return _parse_text(program, module, text, 0, seen) if text else UNKNOWN


def _declared(
    program: Program, module: str, body: Function, qualified: str, index: int, seen: tuple[str, ...]
) -> Types:
    """`NewType("Id", str)` is a `str`; a type variable is its bound, its constraints, or open."""
    call = body.events[index]
    if call.path is None or not isinstance(call.path.root, Name):
        return UNKNOWN
    callee = standard_name(resolve_name(program, module, 0, ".".join((call.path.root.name, *call.path.steps))))
    positional = [a.value for a in call.arguments if not a.keyword]
    if callee == "typing.NewType" and len(positional) > 1:
        return _parse_text(program, module, annotation_text(body, positional[1]), 0, seen)
    if callee == "typing.TypeAliasType" and len(positional) > 1:
        return _parse_text(program, module, annotation_text(body, positional[1]), 0, seen)
    if callee == "typing.TypeVar":
        return one(Variable(qualified))
    return UNKNOWN


def variable_bound(program: Program, qualified: str) -> Types:
    """The bound of the type variable of that canonical name, or the union of its constraints."""
    module, name = split(program, qualified)
    events = program.scopes[module].values.get(name, ()) if module else ()
    if not events:
        return UNKNOWN
    body = program.modules[module].ir.functions[0]
    value = body.events[events[-1]].value
    if not isinstance(value, Result):
        return UNKNOWN
    arguments = body.events[value.event].arguments
    bounds = [a.value for a in arguments if a.keyword == "bound"] or [a.value for a in arguments if not a.keyword][1:]
    texts = [annotation_text(body, bound) for bound in bounds]
    return union(_parse_text(program, module, text, 0, (qualified,)) for text in texts)


def annotation_text(function: Function, value: Value | None) -> str:
    """The annotation that a value computed by `function` spells out: `dict[str, X]` from its events; empty if it is none."""
    if isinstance(value, Name):
        return value.name
    if isinstance(value, Constant):
        return value.text if value.kind in ("str", "none") else "..." if value.kind == "ellipsis" else ""
    if isinstance(value, Compound):
        if value.operator not in ("tuple", "list", "|", "annotation"):
            return ""
        texts = [annotation_text(function, part) for part in value.parts]
        joint = " | " if value.operator == "|" else ", "
        joined = joint.join(texts)
        return "" if not all(texts) else f"[{joined}]" if value.operator == "list" else joined
    if isinstance(value, Result):
        event = function.events[value.event]
        if event.kind == "read" and event.path is not None:
            text = annotation_text(function, event.path.root)
            keys = iter(event.keys)
            for step in event.path.steps:
                if not text:
                    return ""
                if step == "[*]":
                    inner = annotation_text(function, next(keys, None))
                    text = f"{text}[{inner}]" if inner else ""
                else:
                    text = f"{text}.{step}"
            return text
    return ""
