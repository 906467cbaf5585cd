"""LibCST's tree in the words of `ast`: the same structure and the same positions as the standard parser's."""

from __future__ import annotations

import ast
import sys

import libcst as cst
import pytest

from ctxlint.syntax import vocabulary
from ctxlint.syntax.place import Computed, TreeMismatch, align
from ctxlint.syntax.tree import block, concrete, parse

EXPRESSIONS = [
    "None, True, False, ...",
    "0x_ff, 0o17, 0b1, 00, 1_000, 1e3, 1.5, .5, 1E+3, 3j, 1_0.0_1j",
    r"""'a\n\x41\101\u00e9\U0001F600\N{BULLET}\'\"\q' r'\n' u"b" '''c
d''' "e\
f" """,
    r"b'a\x00\377\q\u0041' rb'\x' B'''c'''",
    "'\\ud800'",
    "u'a' 'b', 'a' u'b'",
    "'a' f'{b}' 'c' f'd{e!r:>{f}}' r'\\g'",
    "f'', f'a', f'{a}{b}', f'{{}}{{{a}}}'",
    "f'{a:}', f'{a!s:x{b}y}', f'{ a = }', f'{a=!r}', f'{a=:>5}', f'{a + b=}'",
    r"f'\n{a}\x41\N{BULLET}{{', rf'\n{a}', fr'''\{a}'''",
    "a and b and c or d or (e or f) and (g and h) and i",
    "not a in b, a not in b, a is not b, a < b <= c != d == e > f >= g, a in b, a is b",
    "-1, +1, ~a, not a, - -a, -1 ** -2",
    "a + b - c * d / e // f % g @ h ** i << j >> k | l ^ m & n",
    "x[1], x[1,], x[1, 2], x[(1, 2)], x[1:2], x[:], x[::], x[1:2:3, ..., a], x[()]",
    "(), (a,), (a, b), (*a, b), [], [a], [*a, b], {a}, {*a, b}, {}, {a: b, **c, 'd': e}",
    "f(), f(a), f(*a), f(a, *b, c=d, **e), f(a=1, *b), f(x for x in y), f((x for x in y)), f((x for x in y), 1)",
    "(x for x in y), [x for x in y if a if b for z in x], {x for x in y}, {x: y for x, y in z}",
    "[x for (x) in y], [x for x, in y], [x for [x, *y] in z], [x for a.b in c], [x for a[b] in c]",
    "lambda: a, lambda a, /, b=1, *c, d, e=2, **f: a, lambda *, a: a, lambda *a: (yield)",
    "a if b else c if d else e",
    "(a := b), f(a := b), [a := b, c]",
    "a.b.c[d](e).f, (a).b, ((a)).b, (a + b).c, (yield).d",
    "print, match, case, type, _, lazy, match(a), type(a), print(a)",
    "ªº, x.ﬁ",
]
STATEMENTS = [
    "a = b = c, d = *e, f\n(a), [b] = c\na.b = c[d] = e\n(a, b), *c = d",
    "a: int\nb.c: int = 1\na[0]: 'x' = yield\nd.e: f",
    "a += 1; b.c -= 2; d[e] *= 3; a @= b; a /= b; a //= b; a %= b; a **= b; a <<= b; a >>= b; a &= b; a |= b; a ^= b",
    "del a\ndel a, b\ndel (a, b)\ndel (a), [b]\ndel a,\ndel (a)",
    "raise\nraise A\nraise A from b",
    "assert a\nassert a, b",
    "global a, b\npass",
    "import a\nimport a.b.c as d, e\nfrom . import a\nfrom ..a.b import (c as d, e,)\nfrom a import *\nfrom ... import b",
    "def f(): return\ndef g(a, /, b: int = 1, *c: d, e: f = 2, g, **h: i) -> j:\n    'doc'\n    nonlocal_ = 1\n    return a, *b",
    "def f(\n    a,  # comment\n    *,\n    b=1,\n): pass",
    "@a\n@b.c(d)\n@(e)\ndef f():\n    def g():\n        nonlocal h\n    yield\n    yield a\n    b = yield from c",
    "@a\nclass A: pass\nclass B(): pass\nclass C(A, B, *c, metaclass=D, **e):\n    a: int = 1\n    def f(self): ...",
    "async def f():\n    await a\n    async with b as c, d: pass\n    async for e in f: pass\n    else: pass\n    return [x async for x in y]",
    "if a: pass\nelif b: pass\nelif c:\n    pass\nelse:\n    pass\nif d:\n    e\nelse:\n    if f: pass",
    "while a: break\nelse: continue_\nwhile a:\n    continue",
    "for a, (b, *c) in d, e: pass\nelse: pass\nfor x in *a, b: pass\nfor x.y in z: pass",
    "with a: pass\nwith a as b, c as (d, e): pass\nwith (a, b): pass\nwith (a as b, c as d,): pass\nwith (a): pass\n"
    "with (a) as b: pass\nwith (a, b) as c: pass\nwith (yield a): pass\nwith (a).b as c: pass",
    "try: pass\nexcept: pass\ntry: pass\nexcept A: pass\nexcept (B, C) as d: pass\nelse: pass\nfinally: pass\ntry: pass\nfinally: pass",
    "match a:\n    case 1 | -1 | 'b' 'c' | -1 + 2j | None | True: pass\n    case [x, *_] | (x, *y) if x > 1: pass\n    case x, : pass\n"
    "    case {'a': 1, -1: (x), A.b: _, **r}: pass\n    case {}: pass\n    case A(): pass\n    case a.B(x, y=1, z=[_]): pass\n"
    "    case [(1 | 2) as x, (y)]: pass\n    case *x, y: pass\n    case (): pass\n    case []: pass\n    case _: pass",
    "match a, b:\n    case _: pass\nmatch (a): \n    case x: pass\nmatch *a, b:\n    case x: pass",
    "a; b\nif c: d; e\n",
    "'docstring'\n\x0c\nx = 1\n",
    "x = (\n    'é' 'ü',\n    f(ñ, 'é' + a),\n)\n",
    "a\\\n    .b\\\n    .c()\n",
    "\n\n# only comments\n",
    "",
]
NEWER = [
    ((3, 11), "try: pass\nexcept* A: pass\nexcept* (B, C) as d: pass\nelse: pass\nfinally: pass"),
    ((3, 11), "x[*a], x[*a, b], x[a, *b]\ndef f(*args: *Ts): pass"),
    ((3, 12), "type X = int\ntype Y[T, *Ts, **P] = T\ntype Z[T: int, U: (int, str)] = T"),
    ((3, 12), "def f[T](x: T) -> T: pass\nclass A[T: int](B[T]): pass\nasync def g[**P](): pass"),
    ((3, 12), "f'{d['a']}', f'{'\\n'.join(a)}', f'{f'{f'{a}'}'}'"),
    ((3, 12), "f'''{1+2 = # why\n  }{a # b\n + c = # d\n !r}'''"),
    ((3, 13), "type X[T = int, *Ts = *tuple[int], **P = [int]] = T"),
    ((3, 14), "try: pass\nexcept A, B: pass"),
    ((3, 14), "t'', t'a{b}c', t'{a!r:x{b}}', t'{ a = }'"),
    ((3, 15), "lazy import a.b as c\nlazy from d import e"),
    ((3, 15), "[*x for x in y], {*x for x in y}, (*x for x in y), {**x for x in y}"),
]


def dump(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            # Python 3.12.0 to 3.12.3 end some format specifications with an empty text.
            node.values = [each for each in node.values if not (isinstance(each, ast.Constant) and each.value == "")]
    return ast.dump(tree, include_attributes=True)


@pytest.mark.parametrize("source", [*EXPRESSIONS, *STATEMENTS])
def test_the_tree_is_the_standard_parsers(source: str) -> None:
    assert dump(parse(source.encode())) == dump(ast.parse(source))


@pytest.mark.parametrize("source", [source for source in [*EXPRESSIONS, *STATEMENTS] if "f'" not in source])
def test_computed_positions_are_the_standard_parsers(source: str) -> None:
    module = cst.parse_module(source.encode())
    made = ast.Module(body=block(module, Computed(module)), type_ignores=[])
    assert dump(made) == dump(ast.parse(source))


@pytest.mark.parametrize(("since", "source"), NEWER)
def test_newer_syntax_is_read_on_every_interpreter(since: tuple[int, int], source: str) -> None:
    made = parse(source.encode())
    assert made.body and all(statement.lineno and concrete(statement) for statement in made.body)
    if sys.version_info >= since:
        assert dump(made) == dump(ast.parse(source))
    else:
        with pytest.raises(SyntaxError):
            ast.parse(source)


def test_stand_ins_have_the_fields_of_the_classes_they_stand_for() -> None:
    (alias,) = parse(b"type X[T: int = str, *Ts, **P] = T").body
    assert isinstance(alias, vocabulary.TypeAlias)
    first, second, third = vocabulary.type_parameters(alias)
    assert isinstance(first, vocabulary.TypeVar) and isinstance(first.bound, ast.Name) and first.name == "T"
    assert isinstance(first.__dict__["default_value"], ast.Name)
    assert isinstance(second, vocabulary.TypeVarTuple) and isinstance(third, vocabulary.ParamSpec)
    (group,) = parse(b"try: pass\nexcept* A: pass").body
    assert isinstance(group, vocabulary.TryStar)
    (text,) = parse(b"t'a{ b !r:c}'").body
    assert isinstance(text, ast.Expr) and isinstance(text.value, vocabulary.TemplateStr)
    constant, field = text.value.values
    assert isinstance(constant, ast.Constant) and constant.value == "a"
    assert isinstance(field, vocabulary.Interpolation) and (field.str, field.conversion) == ("b", ord("r"))


def test_positions_of_newer_syntax_are_utf8_offsets() -> None:
    (first, second) = parse("lazy import a\nx = 'é'; f('ü', é)\n".encode()).body[1:]
    assert (first.lineno, first.col_offset, first.end_col_offset) == (2, 0, 8)
    assert isinstance(second, ast.Expr) and isinstance(second.value, ast.Call)
    assert (second.col_offset, second.value.args[1].col_offset, second.end_col_offset) == (10, 18, 21)


def test_statements_keep_their_concrete_node() -> None:
    tree = parse(b"if a:\n    b = 1; c()\nelif d: pass\n")
    (conditional,) = tree.body
    assert isinstance(conditional, ast.If)
    kinds = [concrete(each).__class__ for each in (conditional, *conditional.body, *conditional.orelse)]
    assert kinds == [cst.If, cst.Assign, cst.Expr, cst.If]


@pytest.mark.parametrize(
    ("source", "line"),
    [
        (b"x = 1\ny = (\n", 2),
        (b"x = 1\nx = 1 2\n", 2),
        (b"x = t'a' t'{b}'\n", 1),
        (b"x = '\xff'\n", 1),
        (b"# coding: no-such-encoding\n", 1),
        (b"# coding: cp1252\nx = '\x81'\n", 1),
        (b"\xef\xbb\xbf# coding: latin-1\n", 1),
        (b"x = '\\N{no such name}'\n", 1),
        (b"x = b'\xc3\xa9'\n", 1),
        (b"x = 'a' b'b'\n", 1),
        (b"x = " + b"9" * 5000, 1),
        (b"x = \x00\n", 1),
    ],
)
def test_what_is_no_python_is_a_syntax_error_with_a_line(source: bytes, line: int) -> None:
    with pytest.raises(SyntaxError) as error:
        parse(source)
    assert error.value.lineno == line


@pytest.mark.parametrize(
    "source", [b"# coding: latin-1\nx = '\xe9', y\n", b"\xef\xbb\xbfx = 1\r\ny = '''a\r\nb'''\r\n", b"x = 1\ry = 2\r"]
)
def test_encodings_and_line_ends(source: bytes) -> None:
    assert dump(parse(source)) == dump(ast.parse(source))


@pytest.mark.parametrize(
    ("ours", "theirs"), [("a + b", "a - b"), ("a", "a; b"), ("f(1)", "f(2)"), ("f(1)", "f(True)"), ("f(x=1)", "f(y=1)")]
)
def test_another_structure_is_a_mismatch(ours: str, theirs: str) -> None:
    with pytest.raises(TreeMismatch):
        align(ast.parse(ours), ast.parse(theirs))
