"""What is written through a handle, and what the body of its `with` does besides."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import libcst as cst

from ctxlint.fix.bindings import names_in, subtree
from ctxlint.fix.content import Words, escapes, is_ascii
from ctxlint.fix.layout import moved
from ctxlint.fix.openings import Held, meaning
from ctxlint.fix.purity import Effect, effect_of, effects_in
from ctxlint.fix.rewriting import Place, Refusal

_LOOSE = (cst.IfExp, cst.Lambda, cst.BooleanOperation, cst.UnaryOperation, cst.Comparison, cst.ConcatenatedString, cst.Await)


class Piece(NamedTuple):
    """The code of one piece of content; `ascii` when it cannot hold other characters, `bytes` when it is surely `bytes`."""

    code: str
    ascii: bool
    loose: bool = False
    dumped: bool = False
    effects: frozenset[Effect] = frozenset()
    bytes: bool = False


def pieces_of(
    place: Place, held: Held, words: Words, *, binary: bool = False, awaited: bool = False, begin: int = 0
) -> list[Piece] | Refusal:
    """The contents that the body writes from its statement `begin` on, if it does nothing else but flush and synchronise."""
    found: list[Piece] = []
    for statement in statements(held.statement.body.body[begin:]):
        if isinstance(statement, cst.For) and not awaited:
            loop = _of_a_loop(place, statement, held, words, binary)
            if loop is None:
                return Refusal("the body does more than write")
            found.append(loop)
            continue
        value = statement.value if isinstance(statement, cst.Expr) else None
        if awaited and isinstance(value, cst.Await):
            value = value.expression
        if not isinstance(value, cst.Call):
            return Refusal("the body does more than write")
        if is_housekeeping(place, value, held.handle, words):
            continue
        piece = _piece(place, value, held, words, binary)
        if piece is None:
            return Refusal("the body does more than write")
        found.append(piece)
    return found or Refusal("nothing is written")


def statements(body: Sequence[cst.CSTNode]) -> Sequence[cst.CSTNode]:
    """The statements of a body, those that share a line one by one."""
    found: list[cst.CSTNode] = []
    for statement in body:
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


def _piece(place: Place, call: cst.Call, held: Held, words: Words, binary: bool) -> Piece | None:
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
            return _joined(binary, code, False, effects_in(place, [content]))
        return Piece(
            code, is_ascii(place, content, words), isinstance(content, _LOOSE) and not content.lpar,
            effects=effects_in(place, [content]), bytes=_is_bytes(content),
        )
    return dumped(place, call, held.handle, words, by, to)


def _joined(binary: bool, code: str, ascii: bool, effects: frozenset[Effect]) -> Piece:
    return Piece(f"{'b' * binary}\"\".join({code})", ascii, effects=effects, bytes=binary)


def _of_a_loop(place: Place, loop: cst.For, held: Held, words: Words, binary: bool) -> Piece | None:
    """`for row in rows: handle.write(text)` as `"".join(text for row in rows)`, when nothing else needs the loop.

    What runs in a generator binds no names outside, and waits for nothing.
    """
    unit = place.unit
    body = statements(loop.body.body)
    chosen = body[0] if len(body) == 1 and isinstance(body[0], cst.If) and body[0].orelse is None else None
    if chosen is not None:
        body = statements(chosen.body.body)
    calls = [each.value for each in body if isinstance(each, cst.Expr) and isinstance(each.value, cst.Call)]
    if loop.asynchronous is not None or loop.orelse is not None or not len(calls) == len(body) <= 2:
        return None
    pieces = [_piece(place, call, held, words, binary) for call in calls]
    parts = [loop.target, loop.iter, *([chosen.test] if chosen is not None else [])]
    code = " + ".join(f"({each.code})" if each.loose and len(pieces) > 1 else each.code for each in pieces if each is not None)
    code += f" for {unit.code(loop.target)} in {_operand(place, loop.iter)}"
    code += f" if {_operand(place, chosen.test)}" if chosen is not None else ""
    if (
        None in pieces or "\n" in code or any(_mentions(part, held.handle) for part in parts)
        or any(isinstance(each, (cst.Await, cst.Yield, cst.NamedExpr)) for each in subtree(loop))
        or any(isinstance(each, (cst.Attribute, cst.Subscript)) for each in subtree(loop.target))
        or _is_seen_outside(place, loop, names_in([loop.target]))
    ):
        return None
    known = [each for each in pieces if each is not None]
    effects = frozenset().union(*(each.effects for each in known), effects_in(place, parts))
    return _joined(binary, code, all(each.ascii for each in known), effects)


def _operand(place: Place, expression: cst.BaseExpression) -> str:
    """An expression as it may stand behind `in` and `if` of a generator."""
    code = place.unit.code(expression)
    return f"({code})" if isinstance(expression, (cst.IfExp, cst.Lambda, cst.Tuple)) and not expression.lpar else code


def _is_seen_outside(place: Place, loop: cst.For, names: frozenset[str]) -> bool:
    """Whether names that a loop binds occur elsewhere in its function, other than in a loop that binds them itself."""
    unit = place.unit
    function = unit.around(loop, cst.FunctionDef)
    if function is None:
        return True
    for node in subtree(function):
        if not isinstance(node, cst.Name) or node.value not in names or node not in unit.ranges or _is_label(unit.parents.get(node), node):
            continue
        around = list(unit.above(node))
        if loop not in around and not any(
            isinstance(above, cst.For) and node.value in names_in([above.target])
            or isinstance(above, cst.BaseComp) and any(
                node.value in names_in([each.target]) for each in subtree(above) if isinstance(each, cst.CompFor))
            for above in around
        ):
            return True
    return False


def _is_label(parent: cst.CSTNode | None, node: cst.Name) -> bool:
    """Whether a name is that of an attribute or of an argument."""
    return isinstance(parent, cst.Attribute) and parent.attr is node or isinstance(parent, cst.Arg) and parent.keyword is node


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
        code, escapes(function, call.args, words), dumped=True, effects=effects_in(place, [each.value for each in call.args])
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


def writes_ascii(place: Place, held: Held, words: Words) -> bool:
    """Whether everything that goes through the handle is a text of ASCII alone, or one that a serialiser escapes."""
    for node in subtree(held.statement.body):
        if not isinstance(node, cst.Name) or node.value != held.handle or _is_label(place.unit.parents.get(node), node):
            continue
        call = place.unit.around(node, cst.Call)
        if call is None:
            return False
        if is_housekeeping(place, call, held.handle, words) or _method(call, held.handle) == "fileno":
            continue
        wrote = _method(call, held.handle) == "write" and len(call.args) == 1 and is_ascii(place, call.args[0].value, words)
        if not wrote and not escapes(meaning(place, call.func), call.args, words):
            return False
    return True


def has_own_encoder(place: Place, body: cst.BaseSuite, words: Words) -> bool:
    """Whether something serialises with a class of its own (`cls=`), which may write otherwise than it answers."""
    return any(
        isinstance(each, cst.Call) and meaning(place, each.func) in words.dumps
        and any(argument.keyword is not None and argument.keyword.value == "cls" for argument in each.args)
        for each in subtree(body)
    )


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
                return above if unit.parents[node] is above.func else None
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
