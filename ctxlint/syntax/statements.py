"""Statements: control flow as blocks and edges."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ctxlint.ir.function import EXIT, Condition
from ctxlint.ir.module import Field, Import
from ctxlint.ir.value import NONE, AccessPath, Compound, Constant, Name, Value
from ctxlint.syntax.blocks import Draft
from ctxlint.syntax.definitions import define_class, define_function
from ctxlint.syntax.expressions import access, bind, branch, evaluate_statement, loop_over, value_of
from ctxlint.syntax.frames import Finally, Loop, Manager, innermost_loop, leave
from ctxlint.syntax.handlers import write_choices
from ctxlint.syntax.patterns import Binding, alternatives_of
from ctxlint.syntax.rebinding import read_before, still_meant
from ctxlint.syntax.spans import position_span
from ctxlint.syntax.symbols import annotation_text, import_target
from ctxlint.syntax.values import BINARY_OPERATORS

Lowering = Callable[[Draft, Any], None]


class _Statements(dict[type, Lowering]):
    """The function for each class of node; classes the running interpreter does not know are found by their name."""

    def __missing__(self, kind: type) -> Lowering:
        lowering = _BY_NAME[kind.__name__]
        self[kind] = lowering
        return lowering


def write_statements(body: Draft, statements: list[ast.stmt]) -> None:
    """Write down what the statements do, in order."""
    table = _STATEMENTS
    for statement in statements:
        body.statement = statement
        table[statement.__class__](body, statement)


def _expression(body: Draft, node: ast.Expr) -> None:
    evaluate_statement(body, node.value)


def _assign(body: Draft, node: ast.Assign) -> None:
    value = value_of(body, node.value)
    for target in node.targets:
        bind(body, target, value)
        if body.kind == "class":
            _note_fields(body, target, "", value)
        if len(node.targets) > 1:
            value = still_meant(body, target, value)


def _annotated_assign(body: Draft, node: ast.AnnAssign) -> None:
    """An annotated name without a value is declared, which says something about its type and binds nothing."""
    annotation = annotation_text(node.annotation)
    value = None if node.value is None else value_of(body, node.value)
    if value is not None:
        bind(body, node.target, value, annotation)
    elif isinstance(node.target, ast.Name):
        bind(body, node.target, Compound("annotation", (Constant("str", annotation),)), annotation)
    else:
        access(body, node.target)
    if body.kind == "class":
        _note_fields(body, node.target, annotation, value)


def _note_fields(body: Draft, target: ast.expr, annotation: str, value: Value | None) -> None:
    if isinstance(target, ast.Name):
        known = body.fields.get(target.id)
        if known is not None and not annotation:
            annotation = known.annotation
        body.fields[target.id] = Field(target.id, annotation, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            _note_fields(body, element, "", None)


def _augmented_assign(body: Draft, node: ast.AugAssign) -> None:
    """`self.n += await g()` reads before the await and writes after it; the index of the target is evaluated once."""
    operator = f"{BINARY_OPERATORS[type(node.op)]}="
    if isinstance(node.target, ast.Name):
        name = body.scope[node.target.id]
        held = read_before(body, node.target, name, [node.value])
        body.emit("local", node.target, AccessPath(name), Compound(operator, (held, value_of(body, node.value))))
        return
    path, keys = access(body, node.target)
    before = body.emit("read", node.target, path, None, keys)
    added = value_of(body, node.value)
    body.emit("write", node.target, path, Compound(operator, (before, added)), keys, note="aug")


def _delete(body: Draft, node: ast.Delete) -> None:
    pending = list(reversed(node.targets))
    while pending:
        target = pending.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            pending.extend(reversed(target.elts))
        else:
            path, keys = access(body, target)
            body.emit("delete", target, path, None, keys)


def _return(body: Draft, node: ast.Return) -> None:
    value = NONE if node.value is None else value_of(body, node.value)
    body.emit("return", node, None, value)
    leave(body, 0, EXIT)


def _raise(body: Draft, node: ast.Raise) -> None:
    value = None if node.exc is None else value_of(body, node.exc)
    if node.cause is not None:
        value_of(body, node.cause)
    body.emit("raise", node, None, value)
    body.cut()


def _assert(body: Draft, node: ast.Assert) -> None:
    holds, fails = body.block(), body.block()
    branch(body, node.test, holds, fails)
    body.start(fails)
    if node.msg is not None:
        value_of(body, node.msg)
    if body.live:
        body.emit("raise", node, None, Name("AssertionError", "global"))
    body.start(holds)


def _break(body: Draft, node: ast.Break) -> None:
    found = innermost_loop(body)
    if found is not None:
        leave(body, found[0] + 1, found[1].after)


def _continue(body: Draft, node: ast.Continue) -> None:
    found = innermost_loop(body)
    if found is not None:
        leave(body, found[0] + 1, found[1].head)


def _nothing(body: Draft, node: ast.stmt) -> None:
    """`pass`, and the declarations of scopes, which were read before."""


def _if(body: Draft, node: ast.If) -> None:
    after = body.block()
    while True:
        yes = body.block()
        no = body.block() if node.orelse else after
        branch(body, node.test, yes, no)
        body.start(yes)
        write_statements(body, node.body)
        body.edge(after)
        if not node.orelse:
            break
        body.start(no)
        # A chain of `elif` is a loop here, however long it is.
        if len(node.orelse) == 1 and node.orelse[0].__class__ is ast.If:
            node = node.orelse[0]
            body.statement = node
            continue
        write_statements(body, node.orelse)
        body.edge(after)
        break
    body.start(after)


def _while(body: Draft, node: ast.While) -> None:
    head, inside, after = body.block(), body.block(), body.block()
    finished = body.block() if node.orelse else after
    body.go(head)
    branch(body, node.test, inside, finished)
    body.start(inside)
    _write_loop_body(body, node.body, node.orelse, head, finished, after)


def _for(body: Draft, node: ast.For | ast.AsyncFor) -> None:
    iterable = value_of(body, node.iter)
    after = body.block()
    finished = body.block() if node.orelse else after
    head = loop_over(body, node.iter, iterable, node.target, node.__class__.__name__ == "AsyncFor", finished)
    _write_loop_body(body, node.body, node.orelse, head, finished, after)


def _write_loop_body(body: Draft, statements: list[ast.stmt], orelse: list[ast.stmt], head: int, finished: int,
                     after: int) -> None:
    body.frames.append(Loop(head, after))
    write_statements(body, statements)
    body.frames.pop()
    body.edge(head)
    if orelse:
        body.start(finished)
        write_statements(body, orelse)
        body.edge(after)
    body.start(after)


def _with(body: Draft, node: ast.With | ast.AsyncWith) -> None:
    """Each item is a frame of its own. An exception in the body goes on behind the item if its exit is true."""
    is_async = node.__class__.__name__ == "AsyncWith"
    pads: list[int] = []
    for item in node.items:
        place = item.context_expr
        value = value_of(body, place)
        if is_async:
            body.emit("suspend", place, None, value, note="async-enter")
        entered = body.emit("enter", place, None, value, note="async" if is_async else "")
        manager = Manager(body, place, value, is_async)
        pads.append(body.block())
        body.frames.append(manager)
        body.pad = pads[-1]
        body.go(body.block())
        if item.optional_vars is not None:
            bind(body, item.optional_vars, entered)
    write_statements(body, node.body)
    for pad in reversed(pads):
        manager = body.frames.pop()
        body.pad = manager.pad
        after = body.block()
        if body.live:
            body.go(body.block())
            manager.write_copy(body)
            body.edge(after)
        body.start(pad)
        swallows = manager.write_copy(body)
        body.edge(after, Condition(swallows, True))
        body.edge(manager.pad, Condition(swallows, False), raised=True)
        body.start(after)


def _try(body: Draft, node: ast.Try) -> None:
    """An exception of the body lands where the handlers are chosen; theirs, and `else`'s, land in `finally`."""
    if node.finalbody:
        _with_finally(body, node)
    else:
        _with_handlers(body, node)


def _with_finally(body: Draft, node: ast.Try) -> None:
    outer_pad = body.pad
    frame = Finally(body, node.finalbody, write_statements)
    on_exception = body.block()
    after = body.block()
    body.frames.append(frame)
    body.pad = on_exception
    body.go(body.block())
    if node.handlers:
        _with_handlers(body, node)
    else:
        write_statements(body, node.body)
        write_statements(body, node.orelse)
    body.frames.pop()
    body.pad = outer_pad
    goes_on = body.live
    if goes_on:
        body.go(body.block())
        frame.write_copy(body)
        body.edge(after)
    body.start(on_exception)
    # Where nothing can be reached, one copy keeps what the clause holds.
    if body.live or not goes_on:
        frame.write_copy(body)
        body.edge(outer_pad, raised=True)
    frame.write_shared(body)
    body.start(after)


def _with_handlers(body: Draft, node: ast.Try) -> None:
    outer_pad = body.pad
    choice = body.block()
    after = body.block()
    body.pad = choice
    body.go(body.block())
    write_statements(body, node.body)
    body.pad = outer_pad
    if node.orelse:
        body.go(body.block())
        write_statements(body, node.orelse)
    body.edge(after)
    body.start(choice)
    is_group = node.__class__.__name__ == "TryStar"
    handlers = write_choices(body, node.handlers, outer_pad, is_group)
    for position, (handler, (chosen, caught, _)) in enumerate(zip(node.handlers, handlers)):
        body.start(chosen)
        _write_handler(body, handler, caught)
        body.edge(after)
        if is_group:
            # Of a group, the rest goes on to the later handlers, and what none of them takes is raised.
            if position + 1 < len(handlers):
                body.edge(handlers[position + 1].choice)
            body.edge(outer_pad, raised=True)
    body.start(after)


def _write_handler(body: Draft, handler: ast.ExceptHandler, caught: Value | None) -> None:
    end = handler.type
    line, column = handler.lineno, handler.col_offset
    place: ast.AST = position_span(line, column, line, column + len("except"))
    if end is not None:
        place = position_span(line, column, end.end_lineno or line, end.end_col_offset or column)
    path = None if handler.name is None else AccessPath(body.scope[handler.name])
    body.emit("catch", place, path, caught)
    write_statements(body, handler.body)
    if body.live:
        body.emit("resume", handler.body[-1], path)


def _match(body: Draft, node: ast.Match) -> None:
    subject = value_of(body, node.subject)
    after = body.block()
    for case in node.cases:
        following = body.block()
        bindings: list[Binding] = []
        alternatives = alternatives_of(body, case.pattern, subject, bindings)
        if alternatives:
            matches = body.block()
            body.decide(Compound("match", (subject, *alternatives)), matches, following)
            body.start(matches)
        for name, value, place in bindings:
            body.emit("local", place, AccessPath(body.scope[name]), value)
        if case.guard is not None:
            passed = body.block()
            branch(body, case.guard, passed, following)
            body.start(passed)
        write_statements(body, case.body)
        body.edge(after)
        body.start(following)
    body.go(after)


def _import(body: Draft, node: ast.Import) -> None:
    for alias in node.names:
        first, _, rest = alias.name.partition(".")
        submodule = bool(rest) and alias.asname is None
        name = alias.asname or first
        body.module.imports.append(Import(name, alias.name, body.index, submodule))
        body.emit("import", alias, AccessPath(body.scope[name]), note=first if submodule else alias.name)


def _import_from(body: Draft, node: ast.ImportFrom) -> None:
    for alias in node.names:
        target = import_target(node, alias.name)
        name = alias.asname or alias.name
        body.module.imports.append(Import(name, target, body.index))
        root = Name("*", "global") if name == "*" else body.scope[name]
        body.emit("import", alias, AccessPath(root), note=target)


def _define_function(body: Draft, node: ast.FunctionDef) -> None:
    define_function(body, node, value_of)


def _define_class(body: Draft, node: ast.ClassDef) -> None:
    define_class(body, node, value_of)


def _type_alias(body: Draft, node: Any) -> None:
    """`type X = …` is evaluated when somebody asks for it."""
    bind(body, node.name, Compound("annotation", (Constant("str", annotation_text(node.value)),)))


_BY_NAME: dict[str, Lowering] = {
    "AnnAssign": _annotated_assign, "Assert": _assert, "Assign": _assign, "AsyncFor": _for,
    "AsyncFunctionDef": _define_function, "AsyncWith": _with, "AugAssign": _augmented_assign, "Break": _break,
    "ClassDef": _define_class, "Continue": _continue, "Delete": _delete, "Expr": _expression, "For": _for,
    "FunctionDef": _define_function, "Global": _nothing, "If": _if, "Import": _import, "ImportFrom": _import_from,
    "Match": _match, "Nonlocal": _nothing, "Pass": _nothing, "Raise": _raise, "Return": _return, "Try": _try,
    "TryStar": _try, "TypeAlias": _type_alias, "While": _while, "With": _with,
}
_STATEMENTS = _Statements()
