"""Where an import goes: into the statement that already imports from the module, else into the block of its kind, in order.

The kinds are the usual ones: the standard library, other packages, the project's own, relative ones.
"""

from __future__ import annotations

import ast
import itertools
import sys
from collections.abc import Sequence
from typing import NamedTuple

from ctxlint.diagnostic import Edit
from ctxlint.fix.names import Names
from ctxlint.fix.text import Refused, Text
from ctxlint.ir.span import Span


class Wanted(NamedTuple):
    """`from module import name`, or `import module` when `name` is empty; `local` is what the file calls it."""

    module: str
    name: str
    local: str


def local_name(names: Names, module: str, name: str) -> str:
    """What the file calls, or will call, the name of a module (the module itself when `name` is empty)."""
    known = names.name_for(f"{module}.{name}" if name else module)
    if known:
        return known
    plain = name or module.partition(".")[0]
    if plain not in names.used:
        return plain
    aliased = f"ctxlint_{plain}"
    while aliased in names.used:
        aliased += "_"
    return aliased


def import_edit(text: Text, tree: ast.Module, wanted: Wanted, own: str, is_last: bool = True) -> Edit:
    """The edit that imports what is wanted; `own` is the package that the file belongs to, `is_last` whether no other follows.

    Refused where a new line would come before the docstring or an import of `__future__`, into a statement, or between a
    statement and the comment above it.
    """
    edit = _import_edit(text, tree, wanted, own, is_last)
    if edit.old:
        return edit
    line = edit.span.line + (edit.span.column > 1)
    heading = _heading(tree)
    if any(_ends(one) >= line for one in heading) or any(_shares_a_line(tree, one) for one in heading):
        raise Refused("the docstring, or an import of `__future__`, leaves no line for an import")
    if any(one.lineno < line <= _ends(one) for one in tree.body):
        raise Refused("an import would stand inside of a statement")
    if _is_told_by_a_comment(text, line):
        raise Refused("an import would part a statement from its comment")
    return edit


def _ends(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _heading(tree: ast.Module) -> list[ast.stmt]:
    """The docstring and the imports of `__future__`."""
    return [s for n, s in enumerate(tree.body) if (n == 0 and _is_text(s)) or _is_future(s)]


def _shares_a_line(tree: ast.Module, statement: ast.stmt) -> bool:
    return any(
        other is not statement and other.lineno <= _ends(statement) and statement.lineno <= _ends(other) for other in tree.body
    )


def _is_told_by_a_comment(text: Text, line: int) -> bool:
    """Whether the line above holds a comment about what stands on this one; `#!` and the encoding are about the file."""
    if line < 2 or line > len(text.starts) or not text.line(line).strip():
        return False
    above = text.line(line - 1).strip()
    return above.startswith("#") and not above.startswith("#!") and not ("coding" in above and line <= 3)


def _import_edit(text: Text, tree: ast.Module, wanted: Wanted, own: str, is_last: bool) -> Edit:
    statements = _leading_imports(tree)
    extended = _extended(text, statements, wanted)
    if extended is not None:
        return extended
    line = _statement(wanted)
    if not statements:
        return _after_the_heading(text, tree, line, is_last)
    blocks = _blocks(statements, text)
    rank = _rank(wanted.module, own)
    same = [block for block in blocks if _rank_of(block, own) == rank] or [
        run for block in blocks for run in _runs(block, own) if _rank(_module(run[0]), own) == rank]
    if same:
        return _inside(text, same[-1], wanted, line)
    before = [block for block in blocks if _rank_of(block, own) < rank]
    if before:
        last = before[-1][-1]
        return _insertion(text, (last.end_lineno or last.lineno) + 1, f"\n{line}\n")
    return _insertion(text, blocks[0][0].lineno, f"{line}\n\n")


def _statement(wanted: Wanted) -> str:
    if not wanted.name:
        return f"import {wanted.module}" + (f" as {wanted.local}" if wanted.local != wanted.module.partition(".")[0] else "")
    return f"from {wanted.module} import {_alias(wanted)}"


def _alias(wanted: Wanted) -> str:
    return wanted.name if wanted.local == wanted.name else f"{wanted.name} as {wanted.local}"


Import = ast.Import | ast.ImportFrom


def _leading_imports(tree: ast.Module) -> list[Import]:
    """The imports before the first other statement, without those of `__future__`."""
    found: list[Import] = []
    for number, statement in enumerate(tree.body):
        if number == 0 and _is_text(statement):
            continue
        if not isinstance(statement, (ast.Import, ast.ImportFrom)):
            break
        if not _is_future(statement):
            found.append(statement)
    return found


def _extended(text: Text, statements: Sequence[Import], wanted: Wanted) -> Edit | None:
    """An import from the same module on one line takes one name more; its names stay sorted if they are."""
    if not wanted.name:
        return None
    for statement in statements:
        if not isinstance(statement, ast.ImportFrom) or "." * statement.level + (statement.module or "") != wanted.module:
            continue
        line = text.line(statement.lineno)
        if statement.end_lineno != statement.lineno or any(mark in line for mark in "()#\\;*"):
            continue
        names = [alias.name for alias in statement.names]
        written = [alias.name + (f" as {alias.asname}" if alias.asname else "") for alias in statement.names]
        at = next((i for i, name in enumerate(names) if name > wanted.name), len(names)) if names == sorted(names) else len(names)
        written.insert(at, _alias(wanted))
        new = f"from {wanted.module} import {', '.join(written)}"
        if len(new) > 88 and len(new) > len(line):
            continue
        return text.edit(Span(statement.lineno, 1, statement.lineno, len(line.rstrip("\r\n")) + 1), new)
    return None


def _blocks(statements: Sequence[Import], text: Text) -> list[list[Import]]:
    """Imports that stand together, without an empty line between them."""
    blocks: list[list[Import]] = []
    for statement in statements:
        if blocks and statement.lineno - (blocks[-1][-1].end_lineno or blocks[-1][-1].lineno) <= 1:
            blocks[-1].append(statement)
        else:
            blocks.append([statement])
    return blocks


def _inside(text: Text, block: Sequence[Import], wanted: Wanted, line: str) -> Edit:
    """A line at its place in the block's order, or at the end of a block that has none."""
    keys = [_order(statement) for statement in block]
    key = (bool(wanted.name), wanted.module.lower())
    if keys == sorted(keys):
        for statement, other in zip(block, keys):
            if other > key and not _is_told_by_a_comment(text, statement.lineno):
                return _insertion(text, statement.lineno, f"{line}\n")
    elif (names := [other[1] for other in keys]) == sorted(names):
        for statement, name in zip(block, names):
            if name > key[1] and not _is_told_by_a_comment(text, statement.lineno):
                return _insertion(text, statement.lineno, f"{line}\n")
    last = block[-1]
    return _insertion(text, (last.end_lineno or last.lineno) + 1, f"{line}\n")


def _order(statement: Import) -> tuple[bool, str]:
    return isinstance(statement, ast.ImportFrom), _module(statement).lower()


def _module(statement: Import) -> str:
    if isinstance(statement, ast.ImportFrom):
        return "." * statement.level + (statement.module or "")
    return statement.names[0].name


def _runs(block: Sequence[Import], own: str) -> list[list[Import]]:
    """The imports of a block that stand together and are of one kind."""
    return [list(run) for _, run in itertools.groupby(block, lambda statement: _rank(_module(statement), own))]


def _rank_of(block: Sequence[Import], own: str) -> int:
    """The kind of most imports of a block."""
    ranks = [_rank(_module(statement), own) for statement in block]
    return max(sorted(set(ranks)), key=ranks.count)


def _rank(module: str, own: str) -> int:
    root = module.partition(".")[0]
    if not root:
        return 3
    if root in sys.stdlib_module_names:
        return 0
    return 2 if root == own else 1


def _after_the_heading(text: Text, tree: ast.Module, line: str, is_last: bool) -> Edit:
    """Behind the docstring and the imports of `__future__`, or before the first statement; comments at the top stay on top."""
    heading = _heading(tree)
    if heading:
        return _insertion(text, _ends(heading[-1]) + 1, f"\n{line}\n")
    first = tree.body[0]
    at = min((first.lineno, *(decorator.lineno for decorator in getattr(first, "decorator_list", ()))))
    apart = 2 if is_last and isinstance(first, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else 1
    return _insertion(text, at, f"{line}\n" + "\n" * apart)


def _insertion(text: Text, line: int, new: str) -> Edit:
    """New lines before a line; at the end of a file without a final line end, that end comes first."""
    if line <= len(text.starts):
        return text.edit(Span(line, 1, line, 1), new)
    last = len(text.starts)
    column = len(text.line(last)) + 1
    return text.edit(Span(last, column, last, column), "\n" + new.rstrip("\n"))


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and isinstance(statement.value.value, str)


def _is_future(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
