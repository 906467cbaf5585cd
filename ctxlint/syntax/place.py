"""Where a converted node stands: copied from the standard parser's tree, or computed by LibCST for newer syntax.

Positions follow the convention of `ast`: lines from 1, columns in UTF-8 bytes from 0, the end exclusive.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Protocol

import libcst as cst

_LINE_END = re.compile(r"\r\n?|\n")
_UNCOMPARED = frozenset({"ctx", "kind", "type_comment", "type_ignores"})


class TreeMismatch(Exception):
    """The two parsers disagree about the structure of a file: the table of shapes is wrong or incomplete."""


class Place(Protocol):
    """Gives `made` the region from the start of `first` to the end of `last` (or of `first`)."""

    def __call__(self, made: ast.AST, first: cst.CSTNode, last: cst.CSTNode | None = None) -> None: ...


def later(made: ast.AST, first: cst.CSTNode, last: cst.CSTNode | None = None) -> None:
    """The `Place` that leaves positions to `align`."""


def align(made: ast.Module, reference: ast.Module) -> None:
    """Copy every position of `reference` to the same node of `made`; TreeMismatch if they are different trees."""
    pending: list[tuple[ast.AST, ast.AST]] = [(made, reference)]
    while pending:
        ours, theirs = pending.pop()
        if ours.__class__ is not theirs.__class__:
            raise _mismatch(ours, theirs, theirs)
        place = theirs.__dict__
        if "lineno" in place:
            ours.__dict__.update(
                lineno=place["lineno"],
                col_offset=place["col_offset"],
                end_lineno=place["end_lineno"],
                end_col_offset=place["end_col_offset"],
            )
        for field in theirs._fields:
            if field not in _UNCOMPARED:
                _pair(getattr(ours, field, None), getattr(theirs, field, None), theirs, pending)


def are_one(ours: ast.AST, theirs: ast.AST, lines_above: int) -> bool:
    """Whether two trees are the same, of which ours was read from a text that begins so many lines further down."""
    pending = [(ours, theirs)]
    while pending:
        our, their = pending.pop()
        if our.__class__ is not their.__class__:
            return False
        one, other = our.__dict__, their.__dict__
        if "lineno" in other and (
            one["lineno"] + lines_above != other["lineno"] or one["end_lineno"] + lines_above != other["end_lineno"]
            or one["col_offset"] != other["col_offset"] or one["end_col_offset"] != other["end_col_offset"]
        ):
            return False
        try:
            for field in their._fields:
                if field not in _UNCOMPARED:
                    _pair(getattr(our, field, None), getattr(their, field, None), their, pending)
        except TreeMismatch:
            return False
    return True


def _pair(ours: object, theirs: object, owner: ast.AST, pending: list[tuple[ast.AST, ast.AST]]) -> None:
    if isinstance(theirs, ast.AST) and isinstance(ours, ast.AST):
        pending.append((ours, theirs))
    elif isinstance(theirs, list) and isinstance(ours, list):
        if isinstance(owner, ast.JoinedStr):
            # Python 3.12.0 to 3.12.3 end some format specifications with an empty text.
            theirs = [each for each in theirs if not (isinstance(each, ast.Constant) and each.value == "")]
        if len(ours) != len(theirs):
            raise _mismatch(ours, theirs, owner)
        for our, their in zip(ours, theirs):
            _pair(our, their, owner, pending)
    elif ours.__class__ is not theirs.__class__ or ours != theirs:
        raise _mismatch(ours, theirs, owner)


def _mismatch(ours: object, theirs: object, owner: ast.AST) -> TreeMismatch:
    return TreeMismatch(
        f"line {getattr(owner, 'lineno', '?')}: {ours!r} is not {theirs!r} in a {owner.__class__.__name__}"
    )


class Computed:
    """The `Place` that asks LibCST's position provider, for files which the running interpreter cannot parse."""

    def __init__(self, module: cst.Module) -> None:
        from libcst.metadata import MetadataWrapper, PositionProvider

        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
        self._ranges: Mapping[cst.CSTNode, cst.metadata.CodeRange] = wrapper.resolve(PositionProvider)
        self._lines = _LINE_END.split(module.code)

    def __call__(self, made: ast.AST, first: cst.CSTNode, last: cst.CSTNode | None = None) -> None:
        start, end = self._ranges[first].start, self._ranges[last or first].end
        if isinstance(last, cst.Comma):
            end = self._ranges[last.whitespace_after].start
        if isinstance(first, (cst.Tuple, cst.GeneratorExp, cst.MatchTuple)) and first.lpar and last is None:
            start, end = self._ranges[first.lpar[-1]].start, self._ranges[first.rpar[0]].end
        if isinstance(first, cst.MatchStar):  # LibCST counts the comma; the name is `_` where it has none
            end = self._ranges[first.name or first.whitespace_before_name].end
            end = end if first.name else cst.metadata.CodePosition(end.line, end.column + 1)
        self._set(made, (start.line, start.column), (end.line, end.column))
        if isinstance(first, cst.Call) and isinstance(made, ast.Call):
            self._place_bare_generator(made, first)

    def _place_bare_generator(self, made: ast.Call, call: cst.Call) -> None:
        """A generator which is the only argument owns the parentheses of the call."""
        if made.args and isinstance(made.args[0], ast.GeneratorExp) and not call.args[0].value.lpar:
            opened, closed = self._ranges[call.whitespace_before_args].start, self._ranges[call].end
            self._set(made.args[0], (opened.line, opened.column - 1), (closed.line, closed.column))

    def _set(self, made: ast.AST, start: tuple[int, int], end: tuple[int, int]) -> None:
        made.__dict__.update(
            lineno=start[0],
            col_offset=self._offset(*start),
            end_lineno=end[0],
            end_col_offset=self._offset(*end),
        )

    def _offset(self, line: int, column: int) -> int:
        text = self._lines[line - 1]
        return column if text.isascii() else len(text[:column].encode())
