"""The LibCST tree of the outermost function around a finding, with the places of its nodes in the file.

A function is parsed alone, under a header line when it is indented: a tenth of a large file is read where a fix is made, not all.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeVar

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from ctxlint.fix.text import Text
from ctxlint.ir.span import Span
from ctxlint.syntax.depth import TooDeep, nesting

Node = TypeVar("Node", bound=cst.CSTNode)

_HEADER = "if True:\n"


class Unit(NamedTuple):
    """A part of a file as LibCST sees it; `shift` lines of the file come before its first line.

    `begins` are the nodes by the line and column of the file at which they begin, the innermost first, `handlers` the first
    and last lines of exception handlers.
    """

    text: Text
    tree: cst.Module
    shift: int
    ranges: dict[cst.CSTNode, CodeRange]
    parents: dict[cst.CSTNode, cst.CSTNode]
    begins: dict[tuple[int, int], list[cst.CSTNode]]
    handlers: list[tuple[int, int]]

    def span(self, node: cst.CSTNode) -> Span:
        """Where a node stands in the file, without the parentheses around it."""
        place = self.ranges[node]
        return Span(
            place.start.line + self.shift, place.start.column + 1, place.end.line + self.shift, place.end.column + 1
        )

    def whole(self, node: cst.CSTNode) -> Span:
        """Where a node stands in the file, with the parentheses around it."""
        span = self.span(node)
        left, right = getattr(node, "lpar", ()), getattr(node, "rpar", ())
        if not left or not right:
            return span
        first, last = self.span(left[0]), self.span(right[-1])
        return Span(first.line, first.column, last.end_line, last.end_column)

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node as it stands in the file, with the parentheses around it; its lines end with a plain newline."""
        return _plain(self.text.slice(self.whole(node)))

    def bare(self, node: cst.BaseExpression) -> str:
        """The text of an expression as an argument: without parentheses that it only needed elsewhere."""
        simple = len(getattr(node, "lpar", ())) == 1 and not isinstance(node, (cst.NamedExpr, cst.GeneratorExp, cst.Tuple, cst.Yield))
        return _plain(self.text.slice(self.span(node))) if simple else self.code(node)

    def replaced(self, node: cst.CSTNode, changes: Sequence[tuple[Span, str]]) -> str:
        """The text of a node with some spans inside of it replaced."""
        span = self.whole(node)
        start = done = self.text.offset(span.line, span.column)
        pieces = []
        for part, new in sorted(changes):
            begin = self.text.offset(part.line, part.column)
            pieces += [self.text.text[done:begin], new]
            done = self.text.offset(part.end_line, part.end_column)
        assert start <= done
        return _plain("".join([*pieces, self.text.text[done : self.text.offset(span.end_line, span.end_column)]]))

    def without_argument(self, call: cst.Call, at: int) -> Span:
        """What is to be taken out of a call of several arguments to leave one out."""
        here = self.span(call.args[at])
        if at + 1 < len(call.args):
            following = self.span(call.args[at + 1])
            return Span(here.line, here.column, following.line, following.column)
        before = self.span(call.args[at - 1])
        return Span(before.end_line, before.end_column, here.end_line, here.end_column)

    def at(self, line: int, column: int, kind: type[Node] | tuple[type[Node], ...]) -> Node | None:
        """The innermost node of a kind that begins at a place of the file."""
        return next((node for node in self.begins.get((line, column), ()) if isinstance(node, kind)), None)

    def spanning(self, span: Span, kind: type[Node] | tuple[type[Node], ...]) -> Node | None:
        """The innermost node of a kind that a span is about: in `path(name).write(text)` two calls begin at one place.

        A span without any width is what is left of one over several lines.
        """
        last = (span.line + 1, 0) if span.column == span.end_column else (span.end_line, span.end_column)
        for node in self.begins.get((span.line, span.column), ()):
            here = self.span(node)
            if isinstance(node, kind) and (here.end_line, here.end_column) >= last:
                return node
        return None

    def around(self, node: cst.CSTNode, kind: type[Node] | tuple[type[Node], ...]) -> Node | None:
        """The nearest node of a kind that holds `node`."""
        for above in self.above(node):
            if isinstance(above, kind):
                return above
        return None

    def inside_handler(self, span: Span) -> bool:
        """Whether a place stands in an exception handler."""
        return any(first <= span.line <= last for first, last in self.handlers)

    def above(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes that hold `node`, the nearest first."""
        current = self.parents.get(node)
        while current is not None:
            yield current
            current = self.parents.get(current)

    def lines(self, first: int, last: int) -> str:
        """The file's lines from one to another."""
        return "".join(self.text.line(number) for number in range(first, last + 1))

    def indent(self, line: int) -> str:
        """The white space at the beginning of a line."""
        content = self.text.line(line)
        return content[: len(content) - len(content.lstrip(" \t\f"))]


def _plain(code: str) -> str:
    return code.replace("\r\n", "\n").replace("\r", "\n")


def parsed(text: Text) -> ast.Module | None:
    """The standard parser's tree of a file; None when the running interpreter does not know its syntax."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def unit_at(text: Text, tree: ast.Module, line: int) -> Unit | None:
    """The unit that holds a line: the outermost function, or the statement at module level."""
    found = outermost(tree, line)
    if found is None:
        return None
    first = min((found.lineno, *(decorator.lineno for decorator in getattr(found, "decorator_list", ()))))
    source = "".join(text.line(number) for number in range(first, (found.end_lineno or found.lineno) + 1))
    indented = source[:1] in " \t\f"
    try:
        module = _parse(f"{_HEADER}{source}" if indented else source)
    except (cst.ParserSyntaxError, TooDeep, RecursionError):
        return None
    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    resolved = dict(wrapper.resolve(PositionProvider))
    ranges = {node: place for node, place in resolved.items() if isinstance(place, CodeRange)}
    parents: dict[cst.CSTNode, cst.CSTNode] = {}
    _link(module, parents)
    shift = first - 1 - indented
    begins: dict[tuple[int, int], list[cst.CSTNode]] = {}
    for node, place in ranges.items():
        begins.setdefault((place.start.line + shift, place.start.column + 1), []).append(node)
    handlers = [
        (place.start.line + shift, place.end.line + shift) for node, place in ranges.items()
        if isinstance(node, (cst.ExceptHandler, cst.ExceptStarHandler))
    ]
    return Unit(text, module, shift, ranges, parents, begins, handlers)


def _parse(source: str) -> cst.Module:
    """Parse what does not nest deeper than every stack holds; of anything else no fix is made."""
    if nesting(source.encode("utf-8", "surrogatepass")).deep:
        raise TooDeep("nested too deeply to be rewritten")
    return cst.parse_module(source)


def outermost(tree: ast.Module, line: int) -> ast.stmt | None:
    """The outermost function around a line, or the statement at module level."""
    body: list[ast.stmt] = tree.body
    while True:
        holder = next((statement for statement in body if _covers(statement, line)), None)
        if holder is None or isinstance(holder, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return holder
        inner = [
            statement
            for name in ("body", "orelse", "finalbody", "handlers")
            for part in getattr(holder, name, ()) or ()
            for statement in (part.body if isinstance(part, ast.ExceptHandler) else [part])
        ] if _holds_functions(holder) else []
        if not any(_covers(statement, line) and _holds_functions(statement) for statement in inner):
            return holder
        body = inner


def _covers(statement: ast.stmt, line: int) -> bool:
    first = min((statement.lineno, *(decorator.lineno for decorator in getattr(statement, "decorator_list", ()))))
    return bool(first <= line <= (statement.end_lineno or statement.lineno))


def _holds_functions(statement: ast.stmt) -> bool:
    return any(isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) for node in ast.walk(statement))


def _link(node: cst.CSTNode, parents: dict[cst.CSTNode, cst.CSTNode]) -> None:
    for child in node.children:
        parents[child] = node
        _link(child, parents)
