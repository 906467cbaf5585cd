"""`fresh`: what is written is computed from what is there when it is written, or nobody else can write in between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import libcst as cst

from ctxlint.fix.bindings import bound_in, names_in, subtree
from ctxlint.fix.blocks import statement_of, whole_lines
from ctxlint.fix.layout import comments_in
from ctxlint.fix.openings import meaning
from ctxlint.fix.rewriting import Answer, Place, Refusal, Rewriting, tried
from ctxlint.fix.statements import Between, between, indented, leaves, lines_of, node_at, node_spanning, step_of, waits
from ctxlint.ir.span import Span


class Found(NamedTuple):
    """The reading and the write of a finding in the tree."""

    read: cst.CSTNode
    write: cst.CSTNode
    suspension: int


def fresh(place: Place, *, copies: Sequence[str]) -> Answer:
    """Repair a stale write by its kind; `copies` are the dotted names of what copies a container and does nothing else."""
    diagnostic = place.diagnostic
    here = place.text.path
    if len(diagnostic.flow) < 3 or any(step.path != here for step in diagnostic.flow[:3]):
        return Refusal("the reading and the write stand in different files")
    read, write = node_spanning(place, diagnostic.flow[0].span), node_spanning(place, diagnostic.span)
    if read is None or write is None:
        return Refusal("the reading and the write stand in different functions")
    found = Found(read, write, diagnostic.flow[1].span.line)
    if diagnostic.kind == "get-or-create":
        return _first_wins(place, found)
    if diagnostic.kind == "drained-buffer":
        return _swapped(place, found)
    if diagnostic.kind == "attribute-path":
        return _live(place, found, copies)
    return tried(
        place, lambda: _under_its_lock(place, found), lambda: _read_later(place, found), lambda: _under_a_lock(place, found))


# The lock that guards the write guards the reading, too.


def _under_its_lock(place: Place, found: Found) -> Answer:
    unit = place.unit
    where = place.fact("lock").rsplit(":", 2)
    if len(where) != 3:
        return Refusal("no lock guards the write, and which one would be right depends on the other writers")
    lock = node_at(place, int(where[1]), int(where[2]))
    holder = lock if isinstance(lock, cst.With) else unit.around(lock, cst.With) if lock is not None else None
    if holder is None or found.write not in set(subtree(holder)):
        return Refusal("the lock is not held by a `with` statement around the write")
    if place.fact("locks-inside"):
        return Refusal("what runs before the write takes a lock itself, which could wait for this one for ever")
    span = between(place, found.read, holder)
    if span is None or span.body[span.last] is not holder or not isinstance(holder.body, cst.IndentedBlock):
        return Refusal("the reading stands in another block than the lock")
    if len(holder.items) != 1 or holder.items[0].asname is not None or holder.body.header.comment is not None:
        return Refusal("the lock is not held alone")
    earlier = span.body[span.first]
    name = unit.code(holder.items[0].item)
    before = [*([] if _is_hold(place, earlier, name) else [earlier]), *span.middle]
    if holder.asynchronous is None and any(waits(each) for each in before):
        return Refusal("the lock is one of threads, and must not be held while a task waits")
    if any(isinstance(each, cst.With) and any(unit.code(item.item) == name for item in each.items)
           for statement in before for each in subtree(statement)):
        return Refusal("the lock is taken in between")
    if names_in([holder.items[0].item]) & bound_in(before) or any(_yields(each) for each in before):
        return Refusal("the lock is not known yet where the reading is")
    header = unit.span(holder)
    first_inner = unit.span(holder.body.body[0]).line
    step = step_of(place, header.line, first_inner)
    head = _plain(unit.lines(header.line, first_inner - 1))
    if head.count("\n") != 1:
        return Refusal("the lock's line is followed by something else")
    region = lines_of(place, earlier, holder)
    if _is_hold(place, earlier, name):
        assert isinstance(earlier, cst.With)
        start = unit.span(earlier).end_line + 1
        inner = indented(_plain(unit.lines(start, header.line - 1)), step)
        if inner is None:
            return Refusal("a text over several lines would change")
        edits = [place.text.edit(Span(start, 1, first_inner, 1), inner)] if start <= header.line - 1 else [
            place.text.edit(Span(header.line, 1, first_inner, 1), "")
        ]
        return Rewriting("hold the lock from the reading to the write", tuple(edits), "unsafe")
    inner = indented(_plain(unit.lines(region.line, header.line - 1)), step)
    if inner is None:
        return Refusal("a text over several lines would change")
    edit = place.text.edit(Span(region.line, 1, first_inner, 1), f"{head}{inner}")
    return Rewriting("hold the lock from the reading to the write", (edit,), "unsafe")


def _is_hold(place: Place, statement: cst.CSTNode, name: str) -> bool:
    return (
        isinstance(statement, cst.With) and len(statement.items) == 1 and place.unit.code(statement.items[0].item) == name
        and isinstance(statement.body, cst.IndentedBlock)
    )


def _yields(node: cst.CSTNode) -> bool:
    return any(isinstance(each, cst.Yield) for each in subtree(node))


def _plain(code: str) -> str:
    return code.replace("\r\n", "\n").replace("\r", "\n")


def _under_a_lock(place: Place, found: Found) -> Answer:
    """Advice: a lock of the record's key from the reading to the write. It helps when the other writers take it, too."""
    unit = place.unit
    span = between(place, found.read, found.write)
    function = unit.around(found.read, cst.FunctionDef)
    if span is None or function is None or any(_yields(each) for each in span.body[span.first : span.last + 1]):
        return Refusal("the reading and the write stand in different blocks")
    key = _common_key(place, found)
    if not key:
        return Refusal("nothing in the code says which record it is")
    region = lines_of(place, span.body[span.first], span.body[span.last])
    indent = unit.indent(unit.span(span.body[span.first]).line)
    inner = indented(_plain(unit.lines(region.line, region.end_line)).rstrip("\n"), "\t" if indent.startswith("\t") else "    ")
    if inner is None:
        return Refusal("a text over several lines would change")
    waiting = "async " if function.asynchronous is not None else ""
    new = f"{indent}{waiting}with {place.from_runtime('keyed_lock')}({key}):\n{inner}"
    return Rewriting("hold a lock of the record, here and in its other writers", (place.text.edit(region, new),), "display")


def _common_key(place: Place, found: Found) -> str:
    """What the calls of the reading and of the write have in common: an argument, or the object itself."""
    said = []
    for node in (found.read, found.write):
        call = node if isinstance(node, cst.Call) else next((each for each in subtree(node) if isinstance(each, cst.Call)), None)
        if call is None:
            return ""
        receiver = [call.func.value] if isinstance(call.func, cst.Attribute) else []
        said.append({place.unit.code(each): each for each in (*(argument.value for argument in call.args), *receiver)})
    common = [code for code, node in said[0].items() if code in said[1] and isinstance(node, (cst.Name, cst.Attribute, cst.FormattedString, cst.SimpleString))]
    return common[0] if len(common) == 1 else f"({', '.join(common)})" if common else ""


# The reading moves behind what it is not needed for.


def _read_later(place: Place, found: Found) -> Answer:
    unit = place.unit
    span = between(place, found.read, found.write)
    reading = span.body[span.first] if span is not None else None
    if span is None or not isinstance(reading, cst.SimpleStatementLine) or len(reading.body) != 1:
        return Refusal("the reading is no statement of its own")
    assigned = reading.body[0]
    if not isinstance(assigned, cst.Assign) or len(assigned.targets) != 1 or not isinstance(assigned.targets[0].target, cst.Name):
        return Refusal("the reading is not bound to a name of its own")
    until = _independent(span, assigned)
    passed = span.body[span.first + 1 : until]
    if not any(unit.span(each).line <= found.suspension <= unit.span(each).end_line for each in passed):
        return Refusal("what is waited for works on the reading, so only its author can apply the change anew")
    if any(waits(each) for each in span.body[until : span.last]) or any(leaves(each) for each in passed):
        return Refusal("there is more than one wait between the reading and the write")
    moved, target = lines_of(place, reading, reading), lines_of(place, span.body[until], span.body[until])
    code = _plain(unit.lines(moved.line, moved.end_line))
    edits = (
        place.text.edit(Span(moved.line, 1, moved.end_line + 1, 1), ""),
        place.text.edit(Span(target.line, 1, target.line, 1), code),
    )
    stays = waits(reading) or waits(span.body[span.last])       # the shorter wait for the store itself remains
    return Rewriting("read behind the wait", edits, "display" if stays else "unsafe")


def _independent(span: Between, reading: cst.Assign) -> int:
    """Up to which statement the reading can be moved: nothing before it uses what is read, or binds what reading uses."""
    bound, used = bound_in([reading]), names_in([reading])
    for number in range(span.first + 1, span.last):
        statement = span.body[number]
        if names_in([statement]) & bound or bound_in([statement]) & used:
            return number
    return span.last


# The cell is looked at again.


def _live(place: Place, found: Found, copies: Sequence[str]) -> Answer:
    unit = place.unit
    assign = found.write if isinstance(found.write, (cst.Assign, cst.AugAssign)) else unit.around(found.write, (cst.Assign, cst.AugAssign))
    if isinstance(assign, cst.AugAssign):
        return _awaited_first(place, assign)
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
        return Refusal("the write is no plain assignment")
    span = between(place, found.read, found.write)
    reading = span.body[span.first] if span is not None else None
    bound = reading.body[0] if isinstance(reading, cst.SimpleStatementLine) and len(reading.body) == 1 else None
    if (
        span is None or not isinstance(bound, cst.Assign) or len(bound.targets) != 1
        or not isinstance(bound.targets[0].target, cst.Name)
    ):
        return Refusal("the reading is not bound to a name of its own")
    name = bound.targets[0].target.value
    uses = [each for each in subtree(assign.value) if isinstance(each, cst.Name) and each.value == name and not _is_attribute(place, each)]
    if len(uses) != 1 or uses[0] is assign.value:
        return Refusal("what is written was computed from the reading before the wait; only its author can apply the change anew")
    if any(isinstance(each, (cst.Await, cst.Lambda, cst.Yield)) for each in subtree(assign.value)):
        return Refusal("the write waits itself")
    if not _only_reads(place, bound.value, copies):
        return Refusal("the reading does more than read")
    if name in bound_in(span.middle) or names_in([bound.value]) & bound_in(span.middle):
        return Refusal("the reading is changed in between")
    plain = isinstance(bound.value, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)) or bool(bound.value.lpar)
    now = unit.code(bound.value)
    edit = place.text.edit(unit.span(uses[0]), now if plain else f"({now})")
    return Rewriting("look at what is there now", (edit,), "unsafe")


def _is_attribute(place: Place, node: cst.Name) -> bool:
    parent = place.unit.parents.get(node)
    return isinstance(parent, cst.Attribute) and parent.attr is node or isinstance(parent, cst.Arg) and parent.keyword is node


def _only_reads(place: Place, expression: cst.BaseExpression, copies: Sequence[str]) -> bool:
    """Whether evaluating an expression once more changes nothing: names, attributes, items, copies and `get`."""
    for node in subtree(expression):
        if isinstance(node, cst.Call) and meaning(place, node.func) not in copies:
            method = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
            if method not in ("get", "copy"):
                return False
        if isinstance(node, (cst.Await, cst.Yield, cst.NamedExpr, cst.Lambda, cst.BaseComp)):
            return False
    return True


def _awaited_first(place: Place, assign: cst.AugAssign) -> Answer:
    """`self.total += await f()` reads `self.total` before it waits."""
    unit = place.unit
    line = statement_of(place, assign)
    if line is None or not isinstance(assign.value, cst.Await):
        return Refusal("the wait is only a part of what is added")
    if not isinstance(assign.target, cst.Attribute) or not isinstance(assign.target.value, cst.Name):
        return Refusal("where the sum goes may be another place after the wait")
    name = next((each for each in ("change", "addition", "added_value") if each not in place.names.used), None)
    if name is None:
        return Refusal("no name is free for what is awaited")
    span = unit.span(line)
    indent = unit.indent(span.line)
    begin = Span(span.line, 1, span.line, len(indent) + 1)
    edits = (
        place.text.edit(begin, f"{indent}{name} = {unit.code(assign.value)}\n{indent}"),
        place.text.edit(unit.whole(assign.value), name),
    )
    return Rewriting("wait before the old value is read", edits, "safe")


def _first_wins(place: Place, found: Found) -> Answer:
    """`cells[key] = made`: whoever comes second takes what the first one has put there."""
    unit = place.unit
    assign = found.write if isinstance(found.write, cst.Assign) else unit.around(found.write, cst.Assign)
    line = statement_of(place, assign) if assign is not None else None
    target = assign.targets[0].target if assign is not None and len(assign.targets) == 1 else None
    if assign is None or line is None or not isinstance(target, cst.Subscript) or len(target.slice) != 1:
        return Refusal("the entry is not filled by a plain assignment")
    if place.fact("container") != "builtins.dict" or not isinstance(assign.value, cst.Name):
        return Refusal("the container, or what is put into it, is not known well enough")
    key = target.slice[0].slice
    if not isinstance(key, cst.Index):
        return Refusal("the entry is not filled by a plain assignment")
    made = assign.value.value
    if _is_worked_with(place, assign, made):
        return Refusal("what is put into the container was worked with before, and another one does not stand for it")
    new = f"{made} = {unit.code(target.value)}.setdefault({unit.code(key.value)}, {made})"
    return Rewriting("let the first entry stand", (place.text.edit(unit.span(assign), new),), "unsafe")


def _is_worked_with(place: Place, assign: cst.Assign, made: str) -> bool:
    """Whether what a local holds is used between its last assignment and the one that hands it on."""
    unit = place.unit
    function = unit.around(assign, cst.FunctionDef)
    until = unit.span(assign)
    names = [
        each for each in subtree(function.body if function is not None else unit.tree)
        if isinstance(each, cst.Name) and each.value == made and not _is_attribute(place, each)
    ]
    targets = [each for each in names if isinstance(unit.parents.get(each), (cst.AssignTarget, cst.AnnAssign)) and unit.span(each) < until]
    last = max(map(unit.span, targets), default=None)
    return any((last is None or last < unit.span(each)) and unit.span(each) < until for each in names)


def _swapped(place: Place, found: Found) -> Answer:
    """`await send(self.events); self.events = []`: the content is taken out before it is sent, and put back when that fails."""
    unit = place.unit
    assign = found.write if isinstance(found.write, cst.Assign) else unit.around(found.write, cst.Assign)
    if assign is None or len(assign.targets) != 1 or not isinstance(assign.value, cst.List) or assign.value.elements:
        return Refusal("the buffer is not emptied by a new list")
    span = between(place, found.read, assign)
    sending = span.body[span.first] if span is not None else None
    if span is None or span.last != span.first + 1 or not isinstance(sending, cst.SimpleStatementLine) or len(sending.body) != 1:
        return Refusal("between the handing on and the emptying other things happen")
    buffer = unit.code(assign.targets[0].target)
    uses = [each for each in subtree(sending) if isinstance(each, cst.Attribute) and unit.code(each) == buffer]
    if len(uses) != 1 or not isinstance(unit.parents.get(uses[0]), cst.Arg):
        return Refusal("what is handed on is not the buffer itself")
    last = buffer.rpartition(".")[2].strip("_")
    name = next((each for each in (last, f"{last}_taken", "taken") if each.isidentifier() and each not in place.names.used), None)
    if name is None:
        return Refusal("no name is free for what is taken out")
    emptying = span.body[span.last]
    if statement_of(place, assign) is not emptying:
        return Refusal("the emptying is no statement of its own on its line")
    region = lines_of(place, sending, emptying)
    indent = unit.indent(unit.span(sending).line)
    inner = unit.replaced(sending.body[0], [(unit.span(uses[0]), name)])
    beside = comments_in(unit.lines(unit.span(emptying).line, region.end_line))
    comment = f"  {beside[-1]}" if beside else ""
    step = "    "
    new = (
        f"{indent}{name}, {buffer} = {buffer}, []{comment}\n{indent}try:\n{indent}{step}{inner}\n"
        f"{indent}except BaseException:\n{indent}{step}{buffer} = {name} + {buffer}\n{indent}{step}raise"
    )
    if "\n" in inner:
        return Refusal("the buffer is handed on over several lines")
    whole = whole_lines(place, emptying)
    return Rewriting(
        "take the content out before it is handed on",
        (place.text.edit(Span(region.line, 1, whole.end_line, whole.end_column), new),), "unsafe",
    )
