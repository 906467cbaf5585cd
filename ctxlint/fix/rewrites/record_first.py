"""`record_first`: the record of a change moves before the change, when it does not depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from ctxlint.diagnostic import Applicability
from ctxlint.fix.openings import subtree
from ctxlint.fix.rewriting import Answer, Place, Refusal, Rewriting
from ctxlint.fix.statements import between, bound_in, lines_of, names_in, node_at, waits
from ctxlint.ir.span import Span

MESSAGE = "record before the change"


def record_first(place: Place, *, total: Sequence[str]) -> Answer:
    """Move the statement that records before the one that changes; `total` are the dotted names of changes that cannot fail."""
    where = place.fact("record").rsplit(":", 2)
    if len(where) != 3 or where[0] != place.text.path:
        return Refusal("the record is made in another file")
    if place.fact("drop") == "skipped":
        return Refusal("the record is not reached on every way, wherever it stands")
    span = place.diagnostic.span
    change, record = node_at(place, span.line, span.column), node_at(place, int(where[1]), int(where[2]))
    if change is None or record is None:
        return Refusal("the change and the record stand in different functions")
    found = between(place, change, record)
    if found is None:
        return Refusal("the change and the record stand in different blocks")
    changing, recording = found.body[found.first], found.body[found.last]
    if not isinstance(recording, (cst.SimpleStatementLine, cst.With)) or isinstance(recording, cst.With) and _swallows(recording):
        return Refusal("the failure of the record is swallowed, so its place alone changes nothing")
    if not isinstance(changing, (cst.SimpleStatementLine, cst.With)):
        return Refusal("the change happens on some ways only")
    passed = found.body[found.first : found.last]
    trouble = _dependence(place, recording, passed)
    if trouble:
        return Refusal(trouble)
    if any(isinstance(each, (cst.Return, cst.Break, cst.Continue, cst.Raise)) for statement in passed for each in subtree(statement)):
        return Refusal("what comes between can leave before the record")
    moved, target = lines_of(place, recording, recording), lines_of(place, changing, changing)
    if _shares_a_line(place, recording) or _shares_a_line(place, changing):
        return Refusal("several statements share a line")
    unit = place.unit
    code = unit.lines(moved.line, moved.end_line).replace("\r\n", "\n").replace("\r", "\n")
    if not code.endswith("\n"):
        return Refusal("the record is the last line of a file without a line end")
    edits = (
        place.text.edit(Span(target.line, 1, target.line, 1), code),
        place.text.edit(Span(_with_its_gap(place, found.body, moved), 1, moved.end_line + 1, 1), ""),
    )
    return Rewriting(MESSAGE, edits, _trust(place, passed, changing, recording, total))


def _with_its_gap(place: Place, body: Sequence[cst.CSTNode], moved: Span) -> int:
    """The first line to take out: the empty lines above a statement go with it when it was the last of its block."""
    first = moved.line
    if place.unit.span(body[-1]).end_line == moved.end_line:
        while not place.text.line(first - 1).strip():
            first -= 1
    return first


def _trust(
    place: Place, passed: Sequence[cst.CSTNode], changing: cst.CSTNode, recording: cst.CSTNode, total: Sequence[str]
) -> Applicability:
    """Safe when they stand next to each other, the change is total, and the record is known to be independent and does not wait."""
    if waits(recording) and _looked_at_before(place, changing):
        return "display"                    # while the record waits, another call would see the state as it was
    adjacent = len(passed) == 1 and isinstance(recording, cst.SimpleStatementLine) and not waits(recording)
    known = place.fact("record-is-foreign") != "yes" and place.fact("cell") != ""
    return "safe" if adjacent and known and _cannot_fail(place, changing, total) else "unsafe"


def _looked_at_before(place: Place, changing: cst.CSTNode) -> bool:
    """Whether the function has read the changed state before it changes it."""
    cell, line = place.fact("cell"), place.unit.span(changing).line
    return bool(cell) and any(
        isinstance(node, cst.Attribute) and node.attr.value == cell and place.unit.span(node).line < line for node in place.unit.ranges
    )


def _cannot_fail(place: Place, changing: cst.CSTNode, total: Sequence[str]) -> bool:
    statement = changing.body[0] if isinstance(changing, cst.SimpleStatementLine) and len(changing.body) == 1 else None
    if isinstance(statement, cst.Assign):
        return len(statement.targets) == 1 and all(
            isinstance(each, (cst.Name, cst.Attribute, cst.Dot, cst.SimpleString, cst.Integer, cst.SimpleWhitespace))
            for each in subtree(statement.value)
        ) and not any(isinstance(each, cst.Call) for each in subtree(statement.targets[0]))
    if isinstance(statement, cst.Expr) and isinstance(statement.value, cst.Call):
        plain = all(isinstance(argument.value, (cst.Name, cst.Attribute, cst.SimpleString)) for argument in statement.value.args)
        return place.fact("callees") in total and plain
    return False


def _dependence(place: Place, recording: cst.CSTNode, passed: Sequence[cst.CSTNode]) -> str:
    """Why the record may be another one when it is made before; empty when it cannot be."""
    cell = place.fact("cell")
    if place.fact("record-reads-cell"):
        return "what makes the record reads the changed state"
    if cell and any(isinstance(each, cst.Attribute) and each.attr.value == cell for each in subtree(recording)):
        return "the record is made of the changed state"
    if cell and _hands_on(recording, cell):
        return "the record is made of the object whose state is changed"
    if _rebound(passed) & names_in([recording]):
        return "the record uses what the change gives back"
    if _rebound([recording]) & names_in(passed):
        return "what comes between uses what the record gives back"
    if _mutated(place, passed) & _mentioned(place, recording):
        return "the record mentions what is changed before it"
    return ""


def _hands_on(recording: cst.CSTNode, cell: str) -> bool:
    """Whether `self`, or the local that is the cell, is an argument as a whole."""
    return any(
        isinstance(each, cst.Arg) and isinstance(each.value, cst.Name) and each.value.value in ("self", "cls", cell)
        for each in subtree(recording)
    )


def _rebound(nodes: Iterable[cst.CSTNode]) -> frozenset[str]:
    """The plain names that the nodes bind."""
    found: set[str] = set()
    for node in nodes:
        for each in subtree(node):
            targets: list[cst.CSTNode] = []
            if isinstance(each, cst.Assign):
                targets = [target.target for target in each.targets]
            elif isinstance(each, (cst.AugAssign, cst.AnnAssign, cst.For, cst.NamedExpr)):
                targets = [each.target]
            elif isinstance(each, cst.AsName):
                targets = [each.name]
            elif isinstance(each, (cst.FunctionDef, cst.ClassDef, cst.Import, cst.ImportFrom, cst.Del)):
                found |= bound_in([each])
            for target in targets:
                if isinstance(target, cst.Name):
                    found.add(target.value)
                elif isinstance(target, (cst.Tuple, cst.List)):
                    found |= names_in([target])
    return frozenset(found)


def _mutated(place: Place, nodes: Iterable[cst.CSTNode]) -> frozenset[str]:
    """The dotted texts of the objects that the nodes change, or call a method of."""
    found: set[str] = set()
    for node in nodes:
        for each in subtree(node):
            targets: list[cst.CSTNode] = []
            if isinstance(each, cst.Assign):
                targets = [target.target for target in each.targets]
            elif isinstance(each, (cst.AugAssign, cst.AnnAssign)):
                targets = [each.target]
            elif isinstance(each, cst.Call) and isinstance(each.func, cst.Attribute) and isinstance(each.func.value, (cst.Attribute, cst.Name)):
                targets = [each.func.value]
            for target in targets:
                while isinstance(target, cst.Subscript):
                    target = target.value
                if isinstance(target, (cst.Attribute, cst.Name)):
                    found.add(place.unit.code(target))
    return frozenset(found - {"self", "cls"})


def _mentioned(place: Place, node: cst.CSTNode) -> frozenset[str]:
    return frozenset(place.unit.code(each) for each in subtree(node) if isinstance(each, (cst.Attribute, cst.Name)) and each in place.unit.ranges)


def _swallows(statement: cst.With) -> bool:
    return any("suppress" in name for name in names_in([item.item for item in statement.items]))


def _shares_a_line(place: Place, statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and len(statement.body) != 1
