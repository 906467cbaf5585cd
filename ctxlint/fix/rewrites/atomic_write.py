"""`atomic_write`: a file is replaced in one step, by content that is complete before anything is opened."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import libcst as cst

from ctxlint.diagnostic import Applicability, Edit
from ctxlint.fix.bindings import names_in, subtree
from ctxlint.fix.content import Words, is_ascii
from ctxlint.fix.layout import aligned, call_lines, comments_in, has_text_over_lines, width_of
from ctxlint.fix.openings import (
    UTF_8,
    Held,
    Opening,
    arguments_by_name,
    constant_text,
    held,
    is_steady,
    leaks,
    opening,
)
from ctxlint.fix.pieces import Piece, has_own_encoder, in_memory, pieces_of, strangers, writes_ascii
from ctxlint.fix.purity import Effect, effects_in
from ctxlint.fix.remarks import is_said_near
from ctxlint.fix.rewriting import Answer, Place, Refusal, Rewriting, tried
from ctxlint.fix.text import Refused
from ctxlint.fix.writers import writer_of
from ctxlint.ir.span import Span

MESSAGE = "write the file aside and put it in place in one step"
WATCHED = "; whoever watches its folder here is told of a file that was moved, no longer of one that was changed"
REMARKED = "; a comment beside it tells how it was written before"
MOST_PIECES = 3
"""More writes than this are collected in memory rather than joined in one expression."""


def atomic_write(place: Place, **words: Any) -> Answer:
    """Replace an opening for writing, or a call that writes a whole file, by an atomic write; the parameters are `Words`."""
    known = Words(**words)
    answer = _write(place, known)
    if not isinstance(answer, Rewriting):
        return answer
    told = answer.message + (REMARKED if is_said_near(place, known.remarks) else "")
    return Rewriting(told + WATCHED, answer.edits, "display") if place.fact("watched") else answer._replace(message=told)


def _write(place: Place, words: Words) -> Answer:
    callees = place.fact("callees").split()
    if place.unit.inside_handler(place.diagnostic.span):
        return Refusal("the write is what an exception handler falls back to, and only its author knows to what else it could")
    if place.fact("not-replaced"):
        return Refusal(f"the file cannot be replaced where this is reached: {place.fact('not-replaced')}")
    call = place.unit.spanning(place.diagnostic.span, cst.Call)
    if call is None:
        return Refusal("the write is no call that can be seen here")
    if any(callee in words.async_opens for callee in callees):
        return _awaited(place, call, words)
    if len(callees) == 1 and callees[0] in words.opens:
        return _opened(place, call, words)
    whole = [callee for callee in callees if callee in words.texts or callee.startswith(".") and _ends_like(callee, words.texts)]
    if whole:
        if callees[0] in words.threads or len(callees) == 2 and callees[1] in words.threads:
            return _in_thread(place, call, whole[0], words)
        if len(callees) == 1:
            return _whole(place, call, whole[0], words)
    return Refusal("nothing is known that would replace this write in one step")


def _ends_like(callee: str, texts: Sequence[str]) -> bool:
    return any(name.endswith(callee) for name in texts)


READS = Refusal("what is written is made by reading files, perhaps this one as it is when it has been opened")


def _trust(place: Place, callee: str = "", effects: Collection[Effect] = ()) -> Applicability:
    """A file that others may hold by name or by inode, or whose type is not known, is replaced only on request.

    So it is by the program's own helper: what else that does, and in which encoding, is not looked at. And so it is when the
    content is made by calls whose `effects` are not known.
    """
    doubtful = callee.startswith(".") or place.fact("helpers") or place.fact("named-by-caller") or place.fact("held-by-inode")
    return "unsafe" if doubtful or "unknown" in effects else "safe"


# A call that writes a whole file.


def _whole(place: Place, call: cst.Call, callee: str, words: Words) -> Answer:
    unit = place.unit
    statement = unit.parents.get(call)
    function = call.func
    if not isinstance(statement, cst.Expr) or not isinstance(function, cst.Attribute):
        return Refusal("the number of characters that were written is used")
    given = arguments_by_name(call, ["data", "encoding", "errors", "newline"])
    if given is None or "data" not in given or not given.keys() <= {"data", "encoding"}:
        return Refusal("the arguments are not the content and its encoding alone")
    effects = effects_in(place, [given["data"]])
    if "reads" in effects:
        return READS
    binary = function.attr.value.endswith("bytes")
    encoding = _encoding(place, given.get("encoding"), binary, [_content(place, given["data"], words)])
    span = unit.span(call)
    named = any(argument.keyword is not None and argument.value is given["data"] for argument in call.args)
    if span.line != span.end_line and not named:
        return Rewriting(MESSAGE, _in_its_layout(place, call, function, given, encoding), _trust(place, callee, effects))
    writer = writer_of(place, binary, encoding, has_path=True)
    arguments = writer.arguments(unit.bare(function.value), unit.bare(given["data"]), encoding)
    return Rewriting(MESSAGE, (_call_edit(place, statement, writer.name, arguments),), _trust(place, callee, effects))


def _in_its_layout(
    place: Place, call: cst.Call, function: cst.Attribute, given: Mapping[str, cst.BaseExpression], encoding: Sequence[str]
) -> tuple[Edit, ...]:
    """The edits of a call over several lines: the path becomes its first argument, and the encoding goes or comes."""
    unit = place.unit
    first, name = unit.whole(call.args[0]), unit.span(function)
    head = place.text.slice(Span(name.line, name.column, first.line, first.column))
    apart = f"\n{unit.indent(first.line)}" if first.line > name.end_line else " "
    opened = head[len(place.text.slice(name)) :]
    writer = writer_of(place, function.attr.value.endswith("bytes"), encoding, has_path=True)
    encoding = writer.encoding(encoding)
    new = f"{writer.name}{opened}{writer.path(unit.bare(function.value))},{apart}"
    edits = [place.text.edit(Span(name.line, name.column, first.line, first.column), new)]
    whole, (before, behind) = unit.whole(given["data"]), writer.around(unit.code(given["data"]))
    if behind:
        edits.append(place.text.edit(Span(whole.line, whole.column, whole.line, whole.column), before))
        edits.append(place.text.edit(Span(whole.end_line, whole.end_column, whole.end_line, whole.end_column), behind))
    at = next((i for i, argument in enumerate(call.args) if argument.value is given.get("encoding")), None)
    if at is not None and encoding:
        edits.append(place.text.edit(unit.span(call.args[at]), encoding[0]))
    elif at is not None:
        edits.append(place.text.edit(unit.without_argument(call, at), ""))
    elif encoding:
        end = unit.span(call.args[-1])
        edits.append(place.text.edit(Span(end.end_line, end.end_column, end.end_line, end.end_column), f",{apart}{encoding[0]}"))
    if apart == " " and not has_text_over_lines(unit.code(call)):
        edits += aligned(place.text, range(first.line + 1, unit.span(call).end_line + 1), first.column, len(new) - len(head), edits)
    return tuple(edits)


def _in_thread(place: Place, call: cst.Call, callee: str, words: Words) -> Answer:
    """`asyncio.to_thread(path.write_text, data)` and its like: the function is replaced, and the path goes before the content."""
    unit = place.unit
    at = next((i for i, argument in enumerate(call.args) if isinstance(argument.value, cst.Attribute)
               and argument.value.attr.value == callee.rpartition(".")[2]), None)
    if at is None or any(argument.star for argument in call.args):
        return Refusal("what runs in the thread is not written out")
    written = call.args[at].value
    assert isinstance(written, cst.Attribute)
    rest = call.args[at + 1 :]
    plain = [argument for argument in rest if argument.keyword is None]
    named = {argument.keyword.value: argument.value for argument in rest if argument.keyword is not None}
    if len(plain) != 1 or not named.keys() <= {"encoding"}:
        return Refusal("the arguments are not the content and its encoding alone")
    binary = written.attr.value.endswith("bytes")
    encoding = _encoding(place, named.get("encoding"), binary, [_content(place, plain[0].value, words)])
    if encoding and any(callee in words.executors for callee in place.fact("callees").split()):
        return Refusal("an executor takes no named arguments, and the encoding would be one")
    if "encoding" in named and not encoding or "encoding" not in named and encoding:
        return _thread_anew(place, call, at, [*(unit.code(a.value) for a in plain), *encoding])
    edit = place.text.edit(unit.span(written), f"{place.from_runtime('atomic_write')}, {unit.bare(written.value)}")
    return Rewriting(MESSAGE, (edit,), _trust(place, callee))


def _thread_anew(place: Place, call: cst.Call, at: int, rest: Sequence[str]) -> Answer:
    unit = place.unit
    written = call.args[at].value
    assert isinstance(written, cst.Attribute)
    if comments_in(unit.code(call)):
        return Refusal("a comment would be lost")
    before = [unit.code(argument.value) for argument in call.args[:at]]
    arguments = [*before, place.from_runtime("atomic_write"), unit.bare(written.value), *rest]
    return Rewriting(
        MESSAGE, (place.text.edit(unit.span(call), f"{unit.code(call.func)}({', '.join(arguments)})"),), _trust(place, ".")
    )


# An opening.


def _opened(place: Place, call: cst.Call, words: Words) -> Answer:
    function = call.func
    is_method = isinstance(function, cst.Attribute) and place.names.qualified(place.unit.code(function)) not in words.opens
    read = opening(call, function.value if is_method and isinstance(function, cst.Attribute) else None)
    if isinstance(read, Refusal):
        return read
    holder = held(place.unit, call)
    if holder is None:
        return _chained(place, call, read, words)
    if leaks(place.unit, holder):
        return Refusal(f"`{holder.handle}` is used outside of its `with`")
    if has_own_encoder(place, holder.statement.body, words):
        return Refusal("an encoder of its own may write otherwise than it answers")
    joined = tried(place, lambda: _joined(place, holder, read, words))
    return joined if isinstance(joined, Rewriting) else _collected(place, call, holder, read, words)


def _chained(place: Place, call: cst.Call, read: Opening, words: Words) -> Answer:
    """`open(path, "w").write(content)`."""
    unit = place.unit
    attribute = unit.parents.get(call)
    write = unit.parents.get(attribute) if isinstance(attribute, cst.Attribute) else None
    statement = unit.parents.get(write) if isinstance(write, cst.Call) else None
    if not (
        isinstance(attribute, cst.Attribute) and attribute.attr.value == "write" and isinstance(write, cst.Call)
        and isinstance(statement, cst.Expr) and len(write.args) == 1 and not write.args[0].star
    ):
        return Refusal("the handle lives on; only a `with` says where its last write is")
    content = write.args[0].value
    encoding = _encoding(place, read.encoding, read.binary, [_content(place, content, words)])
    effects = effects_in(place, [content])
    if "reads" in effects:
        return READS
    writer = writer_of(place, read.binary, encoding, has_path=read.has_path)
    arguments = writer.arguments(unit.bare(read.path), unit.bare(content), encoding)
    return Rewriting(MESSAGE, (_call_edit(place, statement, writer.name, arguments),), _trust(place, effects=effects))


def _joined(place: Place, holder: Held, read: Opening, words: Words, thread: str = "") -> Answer:
    """The whole statement becomes one call, when the body only writes a few pieces."""
    if len(holder.statement.items) != 1:
        return Refusal("the statement holds more than the file")
    pieces = pieces_of(place, holder, words, binary=read.binary, awaited=bool(thread))
    return pieces if isinstance(pieces, Refusal) else _in_one_call(place, holder, read, pieces, thread=thread)


def _in_one_call(
    place: Place, holder: Held, read: Opening, pieces: Sequence[Piece], *, begin: int = 0, before: str = "", thread: str = ""
) -> Answer:
    """The statement becomes one call; `before` is the code that stood before the body's statement `begin`, where the writes begin."""
    unit, statement = place.unit, holder.statement
    if len(pieces) > MOST_PIECES:
        return Refusal("there are too many pieces for one expression")
    if read.binary and len(pieces) > 1 and not all(piece.bytes for piece in pieces):
        return Refusal("what is written may be no `bytes`, which could not be joined")
    effects = {effect for piece in pieces for effect in piece.effects}
    if "reads" in effects:
        return READS
    content = " + ".join(f"({piece.code})" if piece.loose and len(pieces) > 1 else piece.code for piece in pieces)
    encoding = _encoding(place, read.encoding, read.binary, pieces)
    writer = writer_of(place, read.binary, encoding, has_path=read.has_path)
    arguments = writer.arguments(unit.bare(read.path), content, encoding)
    span = unit.span(statement)
    indent = unit.indent(span.line)
    head, arguments = (f"await {thread}", [writer.name, *arguments]) if thread else (writer.name, arguments)
    old_lines = unit.lines(span.line, span.end_line)
    above, beside = _comments(statement, begin)
    width = width_of(place.text)
    code = call_lines(head, arguments, indent, width)
    if max(map(len, code.splitlines())) > max(width, *map(len, old_lines.splitlines())):
        return Refusal("the call would be longer than the lines of the file")
    new = before + "".join(f"{indent}{comment}\n" for comment in above) + code + (f"  {beside}" if beside else "")
    if sorted(comments_in(old_lines)) != sorted(comments_in(new)):
        return Refusal("a comment would be lost")
    last = unit.text.line(span.end_line).rstrip("\r\n")
    return Rewriting(MESSAGE, (place.text.edit(Span(span.line, 1, span.end_line, len(last) + 1), new),), _trust(place, effects=effects))


def _comments(statement: cst.With, begin: int) -> tuple[list[str], str]:
    """The comments that go above the new line, and the one that goes beside it, of the body from its statement `begin` on."""
    above: list[str] = []
    body = statement.body
    if not isinstance(body, cst.IndentedBlock):
        return [], body.trailing_whitespace.comment.value if isinstance(body, cst.SimpleStatementSuite) and body.trailing_whitespace.comment else ""
    heading = body.header.comment.value if body.header.comment else ""
    beside = ""
    for line in body.body[begin:]:
        if isinstance(line, cst.SimpleStatementLine):
            above += [empty.comment.value for empty in line.leading_lines if empty.comment]
            if line.trailing_whitespace.comment:
                if beside:
                    above.append(beside)
                beside = line.trailing_whitespace.comment.value
    above += [empty.comment.value for empty in body.footer if empty.comment]
    if heading and beside:
        return [heading, *above], beside
    return above, heading or beside


def _prepared(place: Place, holder: Held, read: Opening, words: Words) -> Answer:
    """What the body does before its first write comes before the call, one level out: nothing of it needs the handle."""
    unit, statement, body = place.unit, holder.statement, holder.statement.body
    assert isinstance(body, cst.IndentedBlock)
    begin = next(
        (i for i, each in enumerate(body.body) if holder.handle in names_in([each])), 0)
    if not begin or len(statement.items) != 1 or body.header.comment is not None:
        return Refusal("the body begins with a write")
    pieces = pieces_of(place, holder, words, binary=read.binary, begin=begin)
    if isinstance(pieces, Refusal):
        return pieces
    first, last = unit.span(statement).line + 1, unit.span(body.body[begin - 1]).end_line
    to, by = unit.indent(first - 1), unit.indent(unit.span(body.body[0]).line)
    code = unit.lines(first, last).replace("\r\n", "\n")
    if unit.span(statement.items[0]).end_line != first - 1 or has_text_over_lines(code):
        return Refusal("the lines before the first write cannot be moved")
    before = "".join(to + line[len(by) :] if line.startswith(by) else line for line in code.splitlines(keepends=True))
    return _in_one_call(place, holder, read, pieces, begin=begin, before=before)


def _collected(place: Place, call: cst.Call, holder: Held, read: Opening, words: Words) -> Answer:
    """The body writes into memory, and a last statement writes the file."""
    unit, statement = place.unit, holder.statement
    idle = in_memory(place, holder, words)
    if isinstance(idle, Refusal):
        return idle
    unknown = strangers(place, holder, words)
    if isinstance(unknown, Refusal):
        return unknown
    if unknown and (idle or any(isinstance(each, cst.Attribute) for each in subtree(read.path))):
        return Refusal("what is called before everything is written may need the file, or change its path")
    if not is_steady(place, read.path, statement.body, words.steady):
        return Refusal("the path may be another one when everything is written")
    body = statement.body
    assert isinstance(body, cst.IndentedBlock)
    if statement.items[-1] is not holder.item:
        return Refusal("what is opened behind the file may need it")
    trust = _trust(place, effects=["unknown"] if unknown else [])
    prepared = tried(place, lambda: _prepared(place, holder, read, words))
    if isinstance(prepared, Rewriting):
        return prepared._replace(applicability="unsafe" if unknown else prepared.applicability)
    memory = f"{place.imported('io')}.{'BytesIO' if read.binary else 'StringIO'}()"
    edits: list[Edit] = [place.text.edit(unit.span(call), memory)]
    for each in idle:
        line = unit.span(each).line
        end = unit.span(each).end_line
        if comments_in(unit.lines(line, end)):
            return Refusal("a comment would be lost")
        edits.append(place.text.edit(Span(line, 1, end + 1, 1), ""))
    last = unit.span(body.body[-1]).end_line
    indent = unit.indent(unit.span(body.body[0]).line)
    encoding = _encoding(place, read.encoding, read.binary, [Piece("", writes_ascii(place, holder, words))])
    writer = writer_of(place, read.binary, encoding, has_path=read.has_path)
    arguments = writer.arguments(unit.bare(read.path), f"{holder.handle}.getvalue()", encoding)
    new = call_lines(writer.name, arguments, indent, width_of(place.text))
    column = len(unit.text.line(last).rstrip("\r\n")) + 1
    if idle and unit.span(idle[-1]).end_line == last:
        edits.pop()
        first = unit.span(idle[-1]).line
        edits.append(place.text.edit(Span(first, 1, last, column), new))
    else:
        edits.append(place.text.edit(Span(last, column, last, column), f"\n{new}"))
    return Rewriting(MESSAGE, tuple(edits), trust)


def _awaited(place: Place, call: cst.Call, words: Words) -> Answer:
    """`async with aiofiles.open(path, "w") as handle: await handle.write(content)`: the write runs in a thread, as it did."""
    holder = held(place.unit, call)
    read = opening(call, None)
    if isinstance(read, Refusal):
        return read
    if holder is None or leaks(place.unit, holder):
        return Refusal("the handle lives on; only a `with` says where its last write is")
    run = words.threads[0]
    module, _, name = run.rpartition(".")
    answer = _joined(place, holder, read, words, thread=f"{place.imported(module)}.{name}")
    return answer._replace(applicability="unsafe") if isinstance(answer, Rewriting) else answer


# Arguments.


def _encoding(
    place: Place, given: cst.BaseExpression | None, binary: bool, pieces: Sequence[Piece]
) -> list[str]:
    """The argument that keeps the encoding; UTF-8 is what `atomic_write` takes by itself, `open` takes the system's."""
    if binary or given is None and all(piece.ascii for piece in pieces):
        return []
    if given is None:
        return ['encoding="locale"']
    text = constant_text(given)
    return [] if text is not None and text.lower() in UTF_8 else [f"encoding={place.unit.code(given)}"]


def _content(place: Place, content: cst.BaseExpression, words: Words) -> Piece:
    return Piece("", is_ascii(place, content, words))


def _call_edit(place: Place, statement: cst.Expr, name: str, arguments: Sequence[str]) -> Edit:
    """The edit that puts a call in place of a statement that is one expression."""
    unit = place.unit
    span = unit.span(statement)
    indent = unit.indent(span.line)
    old = place.text.slice(span)
    new = call_lines(name, arguments, indent, width_of(place.text))[len(indent) :]
    if sorted(comments_in(old)) != sorted(comments_in(new)):
        raise Refused("a comment would be lost")
    return place.text.edit(span, new)
