"""`let_out`: the failure of an append reaches whoever asked for the change."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from ctxlint.diagnostic import Applicability, Edit
from ctxlint.fix.bindings import subtree
from ctxlint.fix.blocks import statement_of, unwrapped, whole_lines
from ctxlint.fix.layout import comments_in
from ctxlint.fix.rewriting import Answer, Place, Refusal, Rewriting
from ctxlint.ir.span import Span

NOT_WRITTEN = "the record was not written"
SHORT = "only a part of the record was written"


def let_out(place: Place, *, starts: Sequence[str], pools: Sequence[str]) -> Answer:
    """Raise again what a handler swallows, track a task, or test an answer, by the kind of the finding.

    `starts` are the dotted names of what starts a task, `pools` of what starts a call in a thread or process.
    """
    kind = place.diagnostic.kind
    if kind == "before-image":
        answer = _unswallowed(place)
        return answer if isinstance(answer, Refusal) or _needs_an_original(place) else answer._replace(applicability="display")
    if kind in ("swallowed", "full-queue"):
        answer = _unswallowed(place)
        stands = kind != "swallowed" or place.fact("stands")
        sure = stands and not _is_told(place)
        return answer if isinstance(answer, Refusal) or sure else answer._replace(applicability="display")
    if kind == "fire-and-forget":
        return _tracked(place, starts, pools)
    if kind == "ignored-answer":
        return _tested(place)
    if kind == "short-write":
        return _counted(place)
    return Refusal("how much may be dropped, and who is to be told, is for the author to say")


# What is swallowed.


def _unswallowed(place: Place) -> Answer:
    where = _swallowing(place)
    if where is None:
        return Refusal("the failure ends in a decorator, which other functions share")
    line, column = where
    unit = place.unit
    handler = unit.at(line, column, cst.ExceptHandler)
    if handler is not None:
        answer = _raised_again(place, handler)
        return answer if isinstance(answer, Refusal) or _ends_soon(place, unit.parents[handler]) else answer._replace(applicability="display")
    item = unit.at(line, column, cst.Call)
    statement = unit.around(item, cst.With) if item is not None else None
    if statement is None or len(statement.items) != 1 or statement.asynchronous:
        return Refusal("what swallows the failure holds other things, too")
    edit = unwrapped(place, statement)
    if edit is None:
        return Refusal("a comment would be lost, or a text over several lines would change")
    return Rewriting("let the failure out", (edit,), "unsafe" if _ends_soon(place, statement) else "display")


def _swallowing(place: Place) -> tuple[int, int] | None:
    """Where the handler or the manager stands in which the failure ends."""
    where = place.fact("handler").rsplit(":", 2)
    return (int(where[1]), int(where[2])) if len(where) == 3 else None


def _is_told(place: Place) -> bool:
    """Whether the handler does something with the failure, be it only to log it: then it was meant to go on without the record,
    and who else is to hear of it is for the author to say.
    """
    where = _swallowing(place)
    handler = place.unit.at(*where, cst.ExceptHandler) if where is not None else None
    return handler is not None and any(isinstance(each, cst.Call) for each in subtree(handler.body))


def _ends_soon(place: Place, statement: cst.CSTNode) -> bool:
    """Whether nothing of weight comes behind the statement but the change itself: what else is skipped may be a clean-up."""
    unit = place.unit
    changes = {step.span.line for step in place.diagnostic.flow if step.path == place.text.path}
    current = statement
    for above in unit.above(statement):
        if isinstance(above, (cst.IndentedBlock, cst.Module)):
            for following in above.body[[each is current for each in above.body].index(True) + 1 :]:
                span = unit.span(following)
                is_change = isinstance(following, cst.SimpleStatementLine) and changes.intersection(range(span.line, span.end_line + 1))
                if not is_change and _weighs(following):
                    return False
        if isinstance(above, (cst.For, cst.While)):
            return False
        if isinstance(above, cst.FunctionDef):
            return True
        current = above
    return True


def _weighs(statement: cst.CSTNode) -> bool:
    return not isinstance(statement, cst.SimpleStatementLine) or any(
        isinstance(each, (cst.Call, cst.Await)) and not _is_plain(statement) for each in subtree(statement)
    )


def _is_plain(statement: cst.SimpleStatementLine) -> bool:
    """A `return` that only puts an answer together."""
    return isinstance(statement.body[-1], cst.Return) and not any(isinstance(each, cst.Await) for each in subtree(statement))


def _needs_an_original(place: Place) -> bool:
    """Whether there is something to copy whenever the copy is made: otherwise its failure may be that nothing is there yet."""
    if place.diagnostic.events[2:3] and place.diagnostic.events[2] in ("delete", "move"):
        return True
    call = place.unit.spanning(place.diagnostic.span, cst.Call)
    conditions = [] if call is None else [above.test for above in place.unit.above(call) if isinstance(above, cst.If)]
    return any(isinstance(node, cst.Attribute) and node.attr.value in ("exists", "is_file", "isfile", "lexists")
               for condition in conditions for node in subtree(condition))


def _raised_again(place: Place, handler: cst.ExceptHandler) -> Answer:
    unit = place.unit
    statement = unit.parents[handler]
    assert isinstance(statement, cst.Try)
    body = handler.body
    if not isinstance(body, cst.IndentedBlock):
        return Refusal("the handler stands behind its colon")
    last = body.body[-1]
    if not isinstance(last, cst.SimpleStatementLine) or any(_leaves(each) for each in (*body.body[:-1], *last.body[:-1])):
        return Refusal("the handler leaves in several places")
    ending = last.body[-1]
    if isinstance(ending, cst.Return) and not _says_nothing(ending.value):
        return Refusal("the handler answers something, which may be how it tells the failure")
    alone = len(body.body) == len(last.body) == 1 and isinstance(ending, (cst.Pass, cst.Return))
    if alone and len(statement.handlers) == 1 and statement.orelse is None and statement.finalbody is None:
        edit = unwrapped(place, statement)
        if edit is not None:
            return Rewriting("let the failure out", (edit,), "unsafe")
    if isinstance(ending, (cst.Pass, cst.Return, cst.Continue, cst.Break)):
        return Rewriting("raise the failure again", (place.text.edit(unit.span(ending), "raise"),), "unsafe")
    return Rewriting("raise the failure again", (_line_behind(place, last, "raise"),), "unsafe")


def _leaves(node: cst.CSTNode) -> bool:
    return any(isinstance(each, (cst.Return, cst.Break, cst.Continue)) for each in subtree(node))


def _says_nothing(value: cst.BaseExpression | None) -> bool:
    return value is None or isinstance(value, cst.Name) and value.value in ("None", "True")


def _line_behind(place: Place, line: cst.BaseStatement, new: str) -> Edit:
    """A line of its own behind a statement, at the statement's indentation."""
    span = whole_lines(place, line)
    indent = place.unit.indent(span.line)
    return place.text.edit(Span(span.end_line, span.end_column, span.end_line, span.end_column), f"\n{indent}{new}")


# What is started and left alone.


def _tracked(place: Place, starts: Sequence[str], pools: Sequence[str]) -> Answer:
    unit = place.unit
    call = unit.spanning(place.diagnostic.span, cst.Call)
    callees = place.fact("callees").split()
    if call is None or not call.args or call.args[0].keyword is not None or call.args[0].star:
        return Refusal("what is started is not written out")
    statement = unit.parents.get(call)
    if any(callee in pools for callee in callees):
        if not isinstance(statement, cst.Expr):
            return Refusal("the future is bound to a name")
        return Rewriting("wait for the result, which raises the failure", (_behind(place, call, ".result()"),), "display")
    if not any(callee in starts for callee in callees):
        return Refusal("nothing is known that would watch what is started here")
    if any(argument.keyword is None or argument.keyword.value != "name" for argument in call.args[1:]):
        return Refusal("the task is made with an argument that a tracked task has not")
    if not isinstance(call.args[0].value, cst.Call):
        return Refusal("what is started may be no coroutine")
    name = place.from_runtime("tracked_task")
    trust: Applicability = "safe" if place.names.qualified(unit.code(call.func)) in starts else "unsafe"
    return Rewriting("keep the task and tell its failure", (place.text.edit(unit.span(call.func), name),), trust)


def _behind(place: Place, node: cst.CSTNode, new: str) -> Edit:
    span = place.unit.span(node)
    return place.text.edit(Span(span.end_line, span.end_column, span.end_line, span.end_column), new)


# What is answered.


def _tested(place: Place) -> Answer:
    unit = place.unit
    call = unit.spanning(place.diagnostic.span, cst.Call)
    line = statement_of(place, call) if call is not None else None
    expression = line.body[0].value if line is not None and isinstance(line.body[0], cst.Expr) else None
    if call is None or line is None or expression is None or comments_in(unit.code(expression)):
        return Refusal("the call is no statement of its own")
    if isinstance(expression, cst.Await):
        if expression.expression is not call:
            return Refusal("the call is no statement of its own")
    elif expression is not call:
        return Refusal("the call is no statement of its own")
    written = unit.code(expression)
    test = _as_sibling(place, written)
    if isinstance(test, Refusal):
        return test
    if test is None:
        failure = place.fact("failure")
        if failure == "False":
            test = f"not {written}"
        elif failure:
            test = f"{written} == {failure}"
        else:
            return Refusal("no caller shows which answer means a failure")
    span = unit.span(expression)
    indent = unit.indent(span.line)
    step = "\t" if indent.startswith("\t") else "    "
    beside = line.trailing_whitespace.comment
    comment = f"  {beside.value}" if beside is not None else ""
    new = f'if {test}:{comment}\n{indent}{step}raise OSError("{NOT_WRITTEN}")'
    whole = whole_lines(place, line)
    return Rewriting(
        "test the answer", (place.text.edit(Span(span.line, span.column, whole.end_line, whole.end_column), new),), "unsafe"
    )


def _as_sibling(place: Place, written: str) -> str | Refusal | None:
    """The test that another caller in this file makes of the same function's answer, made of this one's.

    A Refusal when that is no test for a failure alone.
    """
    from ctxlint.fix.unit import unit_at

    where = place.fact("sibling").rsplit(":", 2)
    if where[0] != place.text.path:
        return None
    line, column = int(where[1]), int(where[2])
    unit = unit_at(place.text, place.tree, line)
    call = unit.at(line, column, cst.Call) if unit is not None else None
    if unit is None or call is None:
        return None
    answer: cst.CSTNode = call
    holder: cst.CSTNode = call
    parent = unit.parents.get(holder)
    while isinstance(parent, (cst.Await, cst.UnaryOperation, cst.Comparison, cst.ComparisonTarget)):
        if isinstance(parent, cst.Await):
            answer = parent
        holder, parent = parent, unit.parents.get(parent)
    if not isinstance(parent, cst.If):
        return None
    if not any(isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[-1], (cst.Raise, cst.Return))
               for statement in parent.body.body):
        return None                                         # what follows is not what is done about a failure
    if not _is_failure(holder, answer):
        return Refusal("another caller tests the answer for something else than a failure")
    return unit.replaced(holder, [(unit.whole(answer), written)])


def _is_failure(test: cst.CSTNode, answer: cst.CSTNode) -> bool:
    """Whether a test is `not answer`, `answer is False` or `answer is None`."""
    if isinstance(test, cst.UnaryOperation):
        return isinstance(test.operator, cst.Not) and test.expression is answer
    if not isinstance(test, cst.Comparison) or len(test.comparisons) != 1:
        return False
    other = test.comparisons[0]
    return isinstance(other.operator, cst.Is) and isinstance(other.comparator, cst.Name) and other.comparator.value in ("False", "None")


def _counted(place: Place) -> Answer:
    """`os.write(fd, data)`: what was not taken is a failure."""
    unit = place.unit
    call = unit.spanning(place.diagnostic.span, cst.Call)
    line = statement_of(place, call) if call is not None else None
    if call is None or line is None or not isinstance(line.body[0], cst.Expr) or line.body[0].value is not call:
        return Refusal("the call is no statement of its own")
    if not call.args or any(argument.keyword is not None or argument.star for argument in call.args):
        return Refusal("the content is not written out")
    content = call.args[-1].value
    indent = unit.indent(unit.span(line).line)
    step = "\t" if indent.startswith("\t") else "    "
    edits: list[Edit] = []
    name = unit.code(content)
    if not isinstance(content, cst.Name):
        name = next(each for each in ("data", "content", "whole_record") if each not in place.names.used or each == "whole_record")
        if name in place.names.used:
            return Refusal("no name is free for the content")
    begin = f"{indent}{name} = {unit.code(content)}\n" if not isinstance(content, cst.Name) else ""
    written = unit.replaced(call, [(unit.whole(content), name)])
    beside = line.trailing_whitespace.comment
    comment = f"  {beside.value}" if beside is not None else ""
    new = f'{begin}{indent}if {written} != len({name}):{comment}\n{indent}{step}raise OSError("{SHORT}")'
    edits.append(place.text.edit(whole_lines(place, line), new))
    return Rewriting("raise when only a part was written", tuple(edits), "unsafe")
