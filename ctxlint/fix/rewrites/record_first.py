"""`record_first`: the record of a change moves before the change, when it does not depend on it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from ctxlint.diagnostic import Applicability
from ctxlint.fix.bindings import names_in, subtree, targets_of
from ctxlint.fix.rewriting import Answer, Place, Refusal, Rewriting
from ctxlint.fix.statements import Between, between, lines_of, node_at, waits
from ctxlint.ir.span import Span

MESSAGE = "record before the change"


def record_first(place: Place) -> Answer:
    """Move the statement that records before the one that changes."""
    where = place.fact("record").rsplit(":", 2)
    if where[0] != place.text.path:
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
    if _is_one_of_several(place, found):
        return Refusal("the record is one of several that stand together")
    moved, target = lines_of(place, recording, recording), lines_of(place, changing, changing)
    if _shares_a_line(place, recording) or _shares_a_line(place, changing):
        return Refusal("several statements share a line")
    unit = place.unit
    code = unit.lines(moved.line, moved.end_line).replace("\r\n", "\n").replace("\r", "\n")
    if not code.endswith("\n"):
        return Refusal("the record is the last line of a file without a line end")
    begin = _with_its_gap(place, moved)
    apart = "\n" if begin < moved.line else ""
    edits = (
        place.text.edit(Span(target.line, 1, target.line, 1), code + apart),
        place.text.edit(Span(begin, 1, moved.end_line + 1, 1), ""),
    )
    return Rewriting(MESSAGE, edits, _trust(place, found))


def _with_its_gap(place: Place, moved: Span) -> int:
    """The first line to take out: the empty lines above a statement go with it."""
    first = moved.line
    while not place.text.line(first - 1).strip():
        first -= 1
    return first


def _is_one_of_several(place: Place, found: Between) -> bool:
    """Whether the statement before or behind the record calls the same function: the first of a series does not move alone."""
    def called(statement: cst.CSTNode) -> set[str]:
        return {place.unit.code(each.func) for each in subtree(statement) if isinstance(each, cst.Call)} if isinstance(statement, cst.SimpleStatementLine) else set()

    calls = [each for each in subtree(found.body[found.last]) if isinstance(each, cst.Call)]
    beside = [found.body[at] for at in (found.last - 1, found.last + 1) if found.first < at < len(found.body)]
    return bool(calls) and any(place.unit.code(calls[0].func) in called(each) for each in beside)


def _trust(place: Place, found: Between) -> Applicability:
    """Never safe: what the record calls may see the state as it was under another name.

    While a record waits, its task can be cancelled, and another one sees the state as it was: then the change would be what is
    missing. A record that subclasses make may be made of the state, and one that is committed later does not come first by itself.
    """
    left_open = place.fact("record-is-left-open") or place.fact("record-is-committed-later")
    return "display" if waits(found.body[found.last]) or left_open else "unsafe"


def _dependence(place: Place, recording: cst.CSTNode, passed: Sequence[cst.CSTNode]) -> str:
    """Why the record may be another one when it is made before; empty when it cannot be."""
    cell = place.fact("cell")
    if place.fact("record-reads-cell"):
        return "what makes the record reads the changed state"
    if any(isinstance(each, cst.Attribute) and each.attr.value == cell for each in subtree(recording)):
        return "the record is made of the changed state"
    if _hands_on(recording, cell):
        return "the record is made of the object whose state is changed"
    if _has_alias(place, cell, names_in([recording])):
        return "a name may be the changed state under another name"
    if _rebound(passed) & names_in([recording]):
        return "the record uses what the change gives back"
    if _rebound([recording]) & names_in(passed):
        return "what comes between uses what the record gives back"
    if _mutated(place, passed) & _mentioned(place, recording):
        return "the record mentions what is changed before it"
    return ""


def _has_alias(place: Place, cell: str, used: frozenset[str]) -> bool:
    """Whether a local is the cell itself, or one that the record uses is made of it."""
    for node in place.unit.ranges:
        if isinstance(node, (cst.Assign, cst.AnnAssign, cst.NamedExpr)):
            targets = [each.target for each in node.targets] if isinstance(node, cst.Assign) else [node.target]
            names = names_in(each for each in targets if isinstance(each, (cst.Name, cst.Tuple, cst.List)))
        elif isinstance(node, (cst.For, cst.CompFor)):
            names = names_in([node.target])
        elif isinstance(node, cst.WithItem) and node.asname is not None:
            names = names_in([node.asname.name])
        else:
            continue
        value = node.iter if isinstance(node, (cst.For, cst.CompFor)) else node.item if isinstance(node, cst.WithItem) else node.value
        if value is None:
            continue
        if names and any(_is_cell(each, cell) for each in _wholes(value)):
            return True
        if names & used and any(_is_view(each, cell) for each in subtree(value)):
            return True
    return False


def _wholes(value: cst.BaseExpression) -> list[cst.BaseExpression]:
    """What an expression may have as its value, as far as no call or item makes something new of it."""
    found = [value]
    for each in found:
        if isinstance(each, cst.IfExp):
            found += [each.body, each.orelse]
        elif isinstance(each, cst.BooleanOperation):
            found += [each.left, each.right]
        elif isinstance(each, (cst.Tuple, cst.List)):
            found += [element.value for element in each.elements]
        elif isinstance(each, cst.NamedExpr):
            found.append(each.value)
    return found


def _is_view(node: cst.CSTNode, cell: str) -> bool:
    """Whether a call gives something that shows the cell as it becomes, or an expression hands the cell on as a whole."""
    if isinstance(node, (cst.Arg, cst.CompFor)):
        value = node.value if isinstance(node, cst.Arg) else node.iter
        return _is_cell(value, cell)
    return (
        isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and _is_cell(node.func.value, cell)
        and node.func.attr.value in ("keys", "values", "items")
    )


def _is_cell(node: cst.CSTNode, cell: str) -> bool:
    return isinstance(node, cst.Attribute) and node.attr.value == cell or isinstance(node, cst.Name) and node.value == cell


def _hands_on(recording: cst.CSTNode, cell: str) -> bool:
    """Whether `self`, or the local that is the cell, is an argument as a whole."""
    return any(
        isinstance(each, cst.Arg) and isinstance(each.value, cst.Name) and each.value.value in ("self", "cls", cell)
        for each in subtree(recording)
    )


def _rebound(nodes: Iterable[cst.CSTNode]) -> frozenset[str]:
    """The plain names that the nodes bind."""
    found: set[str] = set()
    for each in (each for node in nodes for each in subtree(node)):
        if isinstance(each, (cst.CompFor, cst.Global, cst.Nonlocal)):
            continue                                     # they bind nothing here
        for target in targets_of(each):
            if isinstance(target, cst.Name):
                found.add(target.value)
            elif target is each or isinstance(target, (cst.Tuple, cst.List)):
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
            elif isinstance(each, cst.Call) and isinstance(each.func, cst.Attribute):
                targets = [each.func.value]
            for target in targets:
                while isinstance(target, cst.Subscript):
                    target = target.value
                if isinstance(target, (cst.Attribute, cst.Name)):
                    found.add(place.unit.code(target))
    return frozenset(found - {"self", "cls"})


def _mentioned(place: Place, node: cst.CSTNode) -> frozenset[str]:
    return frozenset(place.unit.code(each) for each in subtree(node) if isinstance(each, (cst.Attribute, cst.Name)))


def _swallows(statement: cst.With) -> bool:
    return any("suppress" in name for name in names_in([item.item for item in statement.items]))


def _shares_a_line(place: Place, statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and len(statement.body) != 1
