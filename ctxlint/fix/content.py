"""What is known about the text that is written: in which encodings it is the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from ctxlint.fix.bindings import names_in, subtree, targets_of
from ctxlint.fix.openings import meaning
from ctxlint.fix.rewriting import Place


class Words(NamedTuple):
    """Dotted names, which the rule gives.

    `opens` and `async_opens` open a file, `texts` write one whole. `threads` run what they are given in a thread, `executors`
    do so without named arguments. `dumps` write a value into a handle, each with the function that answers the text instead;
    `escapes` answer ASCII, or a number, unless they have one of the arguments `unescaped`. `fills` write through a handle they are given,
    `syncs` bring a handle's file to the disk, `steady` have no effects, and may be called later than they are written. `remarks`
    are said of a write in place.
    """

    opens: Sequence[str]
    async_opens: Sequence[str]
    texts: Sequence[str]
    threads: Sequence[str]
    executors: Sequence[str]
    dumps: Mapping[str, str]
    escapes: Sequence[str]
    unescaped: Sequence[str]
    fills: Sequence[str]
    syncs: Sequence[str]
    steady: Sequence[str]
    remarks: Sequence[str]


def is_ascii(place: Place, content: cst.BaseExpression, words: Words, depth: int = 0) -> bool:
    """Whether a text surely holds ASCII alone, so that its encoding does not matter."""
    if depth > 4:
        return False
    if isinstance(content, cst.SimpleString):
        return place.unit.code(content).isascii() and "\\" not in content.raw_value.replace("\\n", "")
    if isinstance(content, cst.Integer):
        return True
    if isinstance(content, cst.BinaryOperation):
        return is_ascii(place, content.left, words, depth) and is_ascii(place, content.right, words, depth)
    if isinstance(content, cst.FormattedString):
        return all(
            place.unit.code(part).isascii() and "\\" not in part.value.replace("\\n", "") if isinstance(part, cst.FormattedStringText)
            else isinstance(part, cst.FormattedStringExpression) and part.format_spec is None
            and is_ascii(place, part.expression, words, depth)
            for part in content.parts
        )
    if isinstance(content, cst.Name):
        values = _values(place, content)
        return bool(values) and all(is_ascii(place, value, words, depth + 1) for value in values)
    if not isinstance(content, cst.Call):
        return False
    function = content.func
    known = meaning(place, function)
    if escapes(known, content.args, words):
        return True
    plain = [each.value for each in content.args if not each.star and each.keyword is None]
    if known == "builtins.str":
        return len(plain) == 1 == len(content.args) and is_ascii(place, plain[0], words, depth)
    if not isinstance(function, cst.Attribute):
        return False
    name = function.attr.value
    if name == "join" and len(plain) == 1 and isinstance(plain[0], (cst.GeneratorExp, cst.ListComp)):
        return is_ascii(place, function.value, words, depth) and is_ascii(place, plain[0].elt, words, depth)
    return f".{name}" in words.escapes


def _values(place: Place, name: cst.Name) -> list[cst.BaseExpression]:
    """What a local may have been assigned; nothing when it is bound in any other way, or is no local."""
    function = place.unit.around(name, cst.FunctionDef)
    found: list[cst.BaseExpression] = []
    for node in subtree(function) if function is not None else ():
        if isinstance(node, cst.Param) and node.name.value == name.value or isinstance(node, (cst.MatchAs, cst.MatchStar)):
            return []
        if node is function:
            continue
        if not targets_of(node) or name.value not in names_in(targets_of(node)):
            continue
        if not isinstance(node, cst.Assign) or len(node.targets) != 1 or not isinstance(node.targets[0].target, cst.Name):
            return []
        found.append(node.value)
    return found


def escapes(function: str, arguments: Sequence[cst.Arg], words: Words) -> bool:
    """Whether a serialiser answers ASCII alone."""
    return function in words.escapes and not any(
        argument.star or argument.keyword is not None and argument.keyword.value in words.unescaped for argument in arguments
    )
