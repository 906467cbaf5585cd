"""A field of an object, as a function sees it, and the words in which values are spelled."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ctxlint.ir.value import AccessPath, Compound, Constant, Name, Result, Value

JOINING = frozenset(["union", "intersection", "difference", "symmetric_difference", "isdisjoint", "issubset", "issuperset", "join"])
ASKS = JOINING | {"get", "index", "count", "startswith", "endswith", "pop"}
"""Methods of the language's containers that add nothing to them."""
CONTENT = JOINING | {
    "keys", "items", "values", "copy", "get", "pop", "setdefault", "popitem", "popleft", "elements", "strip", "lstrip", "rstrip", "lower", "upper",
    "casefold", "split", "rsplit", "splitlines", "partition", "encode", "decode", "resolve", "absolute", "expanduser", "as_posix",
    "joinpath", "with_suffix", "relative_to", "__iter__", "most_common", "format", "format_map",
}
"""Methods of the language's containers, texts and paths whose result is made of what the receiver holds."""

CHOOSING = frozenset(["sorted", "min", "max", "filter"])
"""Functions of the language that give back of what they are given; the function that is passed along only says in which order, or which."""


class Leaf(msgspec.Struct, frozen=True, gc=False):
    """A field of an object, as a function sees it.

    `instance` is the function's name for the object, `owner` the class that declares the field (or the module and `{}` for
    entries of dictionaries), `field` the field, empty for the object itself. `collected` is true for what a local gathered
    from objects seen before.
    """

    instance: str
    owner: str
    field: str
    collected: bool = False

    @property
    def key(self) -> str:
        """The field's name in the whole program."""
        return f"{self.owner}.{self.field}"

    @property
    def who(self) -> str:
        """What tells the object apart from others in the function."""
        return f"{self.instance}+" if self.collected else self.instance


def is_in_record(path: AccessPath, keys: tuple[Value, ...]) -> bool:
    """Whether a path ends at a constant position of something."""
    key = keys[-1] if keys and path.steps[-1:] == ("[*]",) else None
    return isinstance(key, Constant) and key.kind == "int" and key.text.isdigit()


def grows(value: Value, name: Name) -> bool:
    """Whether a binding adds to what the name held: `taken |= more`, `taken = taken | more`."""
    return isinstance(value, Compound) and any(part == name or grows(part, name) for part in value.parts)


def spelled(value: Value | None) -> str:
    if isinstance(value, Name):
        return value.name
    if isinstance(value, Constant):
        return value.text
    if isinstance(value, Result):
        return f"#{value.event}"
    if isinstance(value, Compound):
        return f"({value.operator} {' '.join(map(spelled, value.parts))})"
    return "?"


def gathered(leaf: Leaf) -> Leaf:
    """A field of objects seen before."""
    return msgspec.structs.replace(leaf, collected=True)


def whose(instance: str) -> str:
    """The name of the object that has a part, or that carries the name under which something is declared of it."""
    return instance.partition(".")[0].partition("[")[0]


def translated(leaf: Leaf, passed: Mapping[str, frozenset[Leaf]]) -> frozenset[Leaf]:
    """A callee's leaf in terms of what was passed for its formals."""
    head = whose(leaf.instance)
    if head not in passed:
        return frozenset([leaf])
    rest = leaf.instance[len(head):]
    found = set()
    for actual in passed[head]:
        if not leaf.field or actual.field:
            found.add(actual)              # a part of what a field holds is content of that field
        else:
            instance = f"{actual.instance}{rest}"
            found.add(Leaf(instance, leaf.owner, leaf.field, actual.collected or leaf.collected))
    return frozenset(found)
