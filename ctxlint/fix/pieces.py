"""What is written through a handle, and what the body of its `with` does besides."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import libcst as cst

from ctxlint.fix.bindings import subtree
from ctxlint.fix.layout import moved
from ctxlint.fix.openings import Held, meaning
from ctxlint.fix.purity import Effect, effect_of, effects_in
from ctxlint.fix.rewriting import Place, Refusal


class Words(NamedTuple):
    """Dotted names, which the rule gives.

    `opens` and `async_opens` open a file, `texts` write one whole. `threads` run what they are given in a thread, `executors`
    do so without named arguments. `dumps` write a value into a handle, each with the function that answers the text instead;
    `escapes` answer ASCII, unless they have one of the arguments `unescaped`. `fills` write through a handle they are given,
    `syncs` bring a handle's file to the disk, `steady` have no effects, and may be called later than they are written.
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


_LOOSE = (cst.IfExp, cst.Lambda, cst.BooleanOperation, cst.UnaryOperation, cst.Comparison, cst.ConcatenatedString, cst.Await)


class Piece(NamedTuple):
    """The code of one piece of content; `ascii` when it cannot hold other characters, `bytes` when it is surely `bytes`."""

    code: str
    ascii: bool
    loose: bool = False
    dumped: bool = False
    effects: frozenset[Effect] = frozenset()
    bytes: bool = False


def pieces_of(place: Place, held: Held, words: Words, awaited: bool = False) -> list[Piece] | Refusal:
    """The contents that the body writes, if it does nothing but write, flush and synchronise."""
    found: list[Piece] = []
    for statement in statements(held.statement.body):
        value = statement.value if isinstance(statement, cst.Expr) else None
        if awaited and isinstance(value, cst.Await):
            value = value.expression
        if not isinstance(value, cst.Call):
            return Refusal("the body does more than write")
        if is_housekeeping(place, value, held.handle, words):
            continue
        piece = _piece(place, value, held, words)
        if piece is None:
            return Refusal("the body does more than write")
        found.append(piece)
    return found or Refusal("nothing is written")


def statements(body: cst.BaseSuite) -> Sequence[cst.CSTNode]:
    """The statements of a body, those that share a line one by one."""
    found: list[cst.CSTNode] = []
    for statement in body.body:
        found.extend(statement.body if isinstance(statement, cst.SimpleStatementLine) else [statement])
    return found


def is_housekeeping(place: Place, call: cst.Call, handle: str, words: Words) -> bool:
    """Whether a call only brings what was written to the disk: `handle.flush()`, `os.fsync(handle.fileno())`."""
    if _method(call, handle) == "flush" and not call.args:
        return True
    inner = call.args[0].value if len(call.args) == 1 else None
    synchronises = meaning(place, call.func) in words.syncs
    if isinstance(inner, cst.Name):
        return synchronises and inner.value == handle
    return synchronises and isinstance(inner, cst.Call) and _method(inner, handle) == "fileno"


def _method(call: cst.Call, handle: str) -> str:
    function = call.func
    if isinstance(function, cst.Attribute) and isinstance(function.value, cst.Name) and function.value.value == handle:
        return function.attr.value
    return ""


def _piece(place: Place, call: cst.Call, held: Held, words: Words) -> Piece | None:
    unit = place.unit
    to = unit.indent(unit.span(held.statement).line)
    by = unit.indent(unit.span(call).line)
    method = _method(call, held.handle)
    if method in ("write", "writelines"):
        if len(call.args) != 1 or call.args[0].keyword is not None or call.args[0].star:
            return None
        content = call.args[0].value
        if isinstance(content, (cst.GeneratorExp, cst.NamedExpr, cst.Yield)) or _mentions(content, held.handle):
            return None
        code = moved(unit.code(content), by, to)
        if method == "writelines":
            return Piece(f'"".join({code})', False, effects=effects_in(place, [content]))
        return Piece(
            code, is_ascii(place, content, words), isinstance(content, _LOOSE) and not content.lpar,
            effects=effects_in(place, [content]), bytes=_is_bytes(content),
        )
    return dumped(place, call, held.handle, words, by, to)


def dumped(place: Place, call: cst.Call, handle: str, words: Words, by: str, to: str) -> Piece | None:
    """`json.dump(value, handle, indent=2)` as `json.dumps(value, indent=2)`."""
    function = meaning(place, call.func)
    answers = words.dumps.get(function)
    if any(argument.keyword is not None and argument.keyword.value == "encoding" for argument in call.args):
        return None                                 # without a handle it answers bytes
    if answers is None or len(call.args) < 2 or any(argument.star for argument in call.args):
        return None
    at = next(
        (i for i, argument in enumerate(call.args)
         if isinstance(argument.value, cst.Name) and argument.value.value == handle
         and (i == 1 if argument.keyword is None else argument.keyword.value in ("fp", "stream", "file"))), None)
    if at is None or any(_mentions(a.value, handle) for i, a in enumerate(call.args) if i != at):
        return None
    if any(argument.keyword is None for argument in call.args[at + 1 :]) or any(isinstance(a.value, cst.NamedExpr) for a in call.args):
        return None
    unit = place.unit
    gone = unit.without_argument(call, at)
    module, _, name = answers.rpartition(".")
    if isinstance(call.func, cst.Attribute):
        named = (unit.span(call.func.attr), name)
    else:
        named = (unit.span(call.func), place.imported(module, name))
    code = moved(unit.replaced(call, [named, (gone, "")]), by, to)
    return Piece(
        code, _escapes(function, call.args, words), dumped=True, effects=effects_in(place, [each.value for each in call.args])
    )


def _is_bytes(content: cst.BaseExpression) -> bool:
    """Whether an expression is surely `bytes`: a literal, `….encode()` or `b"".join(…)`."""
    if isinstance(content, cst.SimpleString):
        return "b" in content.prefix.lower()
    if not isinstance(content, cst.Call) or not isinstance(content.func, cst.Attribute):
        return False
    if content.func.attr.value == "join":
        return isinstance(content.func.value, cst.SimpleString) and _is_bytes(content.func.value)
    return content.func.attr.value == "encode"


def has_own_encoder(place: Place, body: cst.BaseSuite, words: Words) -> bool:
    """Whether something serialises with a class of its own (`cls=`), which may write otherwise than it answers."""
    return any(
        isinstance(each, cst.Call) and meaning(place, each.func) in words.dumps
        and any(argument.keyword is not None and argument.keyword.value == "cls" for argument in each.args)
        for each in subtree(body)
    )


def _escapes(function: str, arguments: Sequence[cst.Arg], words: Words) -> bool:
    """Whether a serialiser answers ASCII alone."""
    return function in words.escapes and not any(
        argument.star or argument.keyword is not None and argument.keyword.value in words.unescaped for argument in arguments
    )


def is_ascii(place: Place, content: cst.BaseExpression, words: Words) -> bool:
    """Whether a text surely holds ASCII alone, so that its encoding does not matter."""
    if isinstance(content, cst.SimpleString):
        return place.unit.code(content).isascii() and "\\" not in content.raw_value.replace("\\n", "")
    if isinstance(content, cst.BinaryOperation):
        return is_ascii(place, content.left, words) and is_ascii(place, content.right, words)
    if isinstance(content, cst.Call):
        return _escapes(meaning(place, content.func), content.args, words)
    return False


def _mentions(node: cst.CSTNode, name: str) -> bool:
    return any(isinstance(each, cst.Name) and each.value == name for each in subtree(node))


def in_memory(place: Place, held: Held, words: Words) -> list[cst.BaseSmallStatement] | Refusal:
    """Whether the body could as well write into memory; the answer are its statements that only concern the disk."""
    unit, body = place.unit, held.statement.body
    if not isinstance(body, cst.IndentedBlock):
        return Refusal("the body stands behind the colon")
    idle: list[cst.BaseSmallStatement] = []
    for node in subtree(body):
        if isinstance(node, (cst.Return, cst.Yield)) and _own(place, node, held):
            return Refusal("the body can be left before the end")
        if isinstance(node, (cst.Break, cst.Continue)) and not _loops_inside(place, node, held):
            return Refusal("the body can be left before the end")
        if isinstance(node, cst.Name) and node.value == held.handle:
            around = unit.parents[node]
            if isinstance(around, cst.Attribute) and around.attr is node or isinstance(around, cst.Arg) and around.keyword is node:
                continue
            use = _use(place, node, held, words)
            if use is None:
                return Refusal(f"`{held.handle}` is used for more than writing")
            if isinstance(use, cst.BaseSmallStatement):
                idle.append(use)
    return idle


_PLAIN = (
    cst.SimpleStatementLine, cst.Expr, cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Pass, cst.If, cst.Else, cst.For, cst.Break,
    cst.Continue, cst.IndentedBlock, cst.SimpleStatementSuite,
)
_ROWS = ("writerow", "writerows", "writeheader")


def strangers(place: Place, held: Held, words: Words) -> list[cst.CSTNode] | Refusal:
    """The calls in what is written whose effects are not known; a Refusal when the body does anything but write."""
    body = held.statement.body
    rows: set[str] = set()
    for node in subtree(body):
        if isinstance(node, (cst.BaseStatement, cst.BaseSmallStatement, cst.BaseSuite)) and not isinstance(node, _PLAIN):
            return Refusal("the body does more than write")
        if isinstance(node, cst.Assign) and _writes(place, node.value, held, words, frozenset()):
            rows |= {target.target.value for target in node.targets if isinstance(target.target, cst.Name)}
    found: list[cst.CSTNode] = []
    for node in subtree(body):
        if isinstance(node, (cst.Await, cst.Yield)):
            found.append(node)
        if not isinstance(node, cst.Call) or _writes(place, node, held, words, rows):
            continue
        if is_housekeeping(place, node, held.handle, words) or _method(node, held.handle) == "fileno":
            continue
        effect = effect_of(place, node)
        if effect == "reads" or effect == "unknown" and not _is_content(place, node, held, words, rows):
            return Refusal("the body does more than write, and what else it does may need the file")
        if effect == "unknown":
            found.append(node)
    return found


def _writes(place: Place, node: cst.CSTNode, held: Held, words: Words, rows: Collection[str]) -> bool:
    if not isinstance(node, cst.Call):
        return False
    if _method(node, held.handle) in ("write", "writelines"):
        return True
    if meaning(place, node.func) in words.fills:
        return any(isinstance(each.value, cst.Name) and each.value.value == held.handle for each in node.args)
    return any(_method(node, row) in _ROWS for row in rows)


def _is_content(place: Place, node: cst.CSTNode, held: Held, words: Words, rows: Collection[str]) -> bool:
    """Whether a call stands in what is written, or in what a loop or a condition is about."""
    inner: cst.CSTNode = node
    for above in place.unit.above(node):
        if above is held.statement or isinstance(above, (cst.BaseSmallStatement, cst.Lambda)) and not isinstance(above, cst.Expr):
            return False
        if _writes(place, above, held, words, rows):
            return True
        if isinstance(above, cst.For):
            return inner is above.iter
        if isinstance(above, cst.If):
            return inner is above.test
        inner = above
    return False


def _use(place: Place, node: cst.Name, held: Held, words: Words) -> cst.CSTNode | None:
    """What uses the handle in a way that memory allows: a write, something that fills a handle, or housekeeping."""
    unit = place.unit
    if any(isinstance(above, (cst.FunctionDef, cst.Lambda)) and held.statement in unit.above(above) for above in unit.above(node)):
        return None
    for above in unit.above(node):
        if above is held.statement:
            return None
        if isinstance(above, cst.Call):
            whole = unit.parents[above]
            if is_housekeeping(place, above, held.handle, words):
                line = unit.parents.get(whole)
                alone = isinstance(whole, cst.Expr) and isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1
                return whole if alone else None
            if _method(above, held.handle) in ("write", "writelines"):
                return above
            direct = any(argument.value is node for argument in above.args)
            return above if direct and meaning(place, above.func) in words.fills else _outer_sync(place, above, held, words)
    return None


def _outer_sync(place: Place, call: cst.Call, held: Held, words: Words) -> cst.CSTNode | None:
    """`os.fsync(handle.fileno())` seen from its inner call."""
    argument = place.unit.parents.get(call)
    outer = place.unit.parents.get(argument) if argument is not None else None
    if isinstance(outer, cst.Call) and is_housekeeping(place, outer, held.handle, words):
        whole = place.unit.parents[outer]
        line = place.unit.parents.get(whole)
        if isinstance(whole, cst.Expr) and isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
            return whole
    return None


def _own(place: Place, node: cst.CSTNode, held: Held) -> bool:
    """Whether a `return` or `yield` is of the function that holds the statement, not of one defined inside."""
    return not any(
        isinstance(above, (cst.FunctionDef, cst.Lambda)) and held.statement in place.unit.above(above)
        for above in place.unit.above(node)
    )


def _loops_inside(place: Place, node: cst.CSTNode, held: Held) -> bool:
    loop = place.unit.around(node, (cst.For, cst.While))
    return loop is not None and held.statement in place.unit.above(loop)
