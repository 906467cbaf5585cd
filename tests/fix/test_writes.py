"""What a write becomes: one call where that reads well, memory where it does not, and the encoding that the file had."""

from __future__ import annotations

import pytest

from ctxlint.diagnostic import Fix
from tests.fix.answers import after, answer

MEMORY = "getvalue()"
LOOP = "import json\ndef save(path, rows):\n    with §open(path, 'w', encoding='utf-8') as f:\n        {}\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("for row in rows: f.write(row)", 'atomic_write(path, "".join(row for row in rows))'),
        ("for row in rows: f.write(row); f.write('\\n')", "\"\".join(row + '\\n' for row in rows)"),
        ("for row in rows:\n            if row: f.write(row)", '"".join(row for row in rows if row)'),
        ("for row in rows: f.write(row if row else '-'); f.write('\\n')", "\"\".join((row if row else '-') + '\\n' for row in rows)"),
        ("for row in 1, 2: f.write(rows)", '"".join(rows for row in (1, 2))'),
        ("f.write('[')\n        for row in rows: f.write(row)", "'[' + \"\".join(row for row in rows)"),
        ("f.writelines(rows)", 'atomic_write(path, "".join(rows))'),
        ("text = str(rows)\n        f.write(text)", "    text = str(rows)\n    atomic_write(path, text)"),
        ("# why\n        text = str(rows)\n        # how\n        f.write(text)  # end", "    # why\n    text = str(rows)\n    # how\n    atomic_write(path, text)  # end"),
        ("for row in rows:\n            # why\n            f.write(row)", MEMORY),
        ("for row in rows: f.write(row)\n        else: f.write('end')", MEMORY),
        ("for row in rows: f.write(row); f.write(row); f.write(row)", MEMORY),
        ("for row in rows: f.write(row); row.x = 1", MEMORY),
        ("for row in rows: f.write(row +\n                row)", MEMORY),
        ("for row in rows: f.write((text := row))", MEMORY),
        ("for rows.x in rows: f.write(rows.x)", MEMORY),
        ("for row in rows: f.write(row)\n    return row", MEMORY),
        ("for row in rows: f.write(row)\n    return [row for row in rows]", '"".join(row for row in rows)'),
        ("f.write('a')\n        f.write('b')\n        f.write('c')\n        f.write('d')", MEMORY),
        ("f.write(text := 'x')", MEMORY),
        ("for row in rows[the_first_one_that_is_not_written_yet].children[the_level_of_the_writer]:\n            f.write(rows[row].description + rows[row].title + rows[row].summary + rows[row].author + rows[row].date)", MEMORY),
        ("text = '''\n'''\n        f.write(text)", MEMORY),
        ("text = [\n            rows]\n        f.write(text)", "    text = [\n        rows]\n    atomic_write(path, text)"),
        ("f.write('a', 'b')", MEMORY),
        ("f.write(s='a')", MEMORY),
        ("f.write(*rows)", MEMORY),
        ("json.dump(rows, f, 2)", MEMORY),
        ("json.dump((text := rows), f)", MEMORY),
        ("json.dump(rows, f, encoding='utf-8')", MEMORY),
        ("print(rows, file=f)", MEMORY),
        ("json.dump(rows, f, *rows)", MEMORY),
    ],
)
def test_a_body_becomes_one_call_when_it_only_writes(body: str, expected: str) -> None:
    source = LOOP.format(body)
    made = after(source, answer(source, "CTX105", {"callees": "builtins.open"}))
    assert expected in made and (MEMORY in made) == (expected == MEMORY)


def test_a_loop_of_the_module_binds_its_name_for_others() -> None:
    source = "with §open('a', 'w') as f:\n    for row in rows: f.write(row)\n"
    assert MEMORY in after(source, answer(source, "CTX105", {"callees": "builtins.open"}))


@pytest.mark.parametrize(
    ("content", "before", "named"),
    [
        ("'x'", "", False), ("'é'", "", True), ("'\\xe9'", "", True), ("x", "", True), ("f'{x}'", "", True), ("f'{len(x)}: é'", "", True),
        ("f'{len(x)}\\n'", "", False), ("f'{len(x):{x}}'", "", True), ("json.dumps(x) + '\\n'", "", False), ("json.dumps(x, ensure_ascii=False)", "", True),
        ("json.dumps(x, **x)", "", True), ("json.dumps(x, cls=x)", "", True), ("str(len(x))", "", False), ("str(x)", "", True),
        ("str(b'x', 'utf-8')", "", True), ("x.isoformat()", "", False), ("x.title()", "", True), ("', '.join(json.dumps(y) for y in x)", "", False),
        ("'é'.join(json.dumps(y) for y in x)", "", True), ("', '.join(x)", "", True), ("t", "t = json.dumps(x)", False),
        ("t", "t = json.dumps(x)\n    t += x", True), ("t", "t = json.dumps(x)\n    t = x", True), ("t", "t = u = json.dumps(x)", True),
        ("t", "t, u = json.dumps(x)", True), ("t", "t = json.dumps(x)\n    match x:\n        case t: pass", True), ("t", "", True),
        ("x", "x = json.dumps(x)", True), ("t", "t = t", True),
    ],
)
def test_the_encoding_is_named_unless_the_text_is_ascii(content: str, before: str, named: bool) -> None:
    source = f"import json\ndef save(path, x):\n    {before or 'pass'}\n    §path.write_text({content})\n"
    assert ('encoding="locale"' in after(source, answer(source, "CTX105", {"callees": "pathlib.Path.write_text"}))) == named


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ("if x: json.dump(x, f)\n        f.flush()", False), ("if x: f.write(x)", True), ("if x: f.write('x')\n        os.fsync(f.fileno())", False),
        ("if x: json.dump(x, f, ensure_ascii=False)", True), ("if x: print(x, file=f)", True),
    ],
)
def test_what_goes_through_memory_is_looked_at_too(body: str, named: bool) -> None:
    source = f"import json, os\ndef save(path, x):\n    with §open(path, 'w') as f:\n        {body}\n"
    made = after(source, answer(source, "CTX105", {"callees": "builtins.open"}))
    assert MEMORY in made and ('encoding="locale"' in made) == named


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("path.write_text(dict(a=1,\n                             b=2), encoding='utf-8')",
         "atomic_write(path, dict(a=1,\n                                b=2))"),
        ("path.write_text(dict(\n        a=1,\n    ))", "atomic_write(path, dict(\n        a=1,\n    ), encoding=\"locale\")"),
        ("a_path_of_some_length.write_text(dict(a=1,\n                                          b=2), encoding='utf-8')",
         "atomic_write(a_path_of_some_length, dict(a=1,\n                                             b=2))"),
        ("path.write_text('''\n                          x''', encoding='utf-8')", "atomic_write(path, '''\n                          x''')"),
    ],
)
def test_lines_aligned_with_the_content_stay_aligned(call: str, expected: str) -> None:
    source = f"def save(path, a_path_of_some_length):\n    §{call}\n"
    assert expected in after(source, answer(source, "CTX105", {"callees": "pathlib.Path.write_text"}))


def test_arguments_over_several_lines_are_moved_in() -> None:
    source = "import json\ndef save(path, x):\n    with §open(path, 'w') as f:\n        json.dump(\n            x,\n            f,\n            indent=4,\n        )\n"
    made = after(source, answer(source, "CTX105", {"callees": "builtins.open"}))
    assert "    atomic_write(\n        path,\n        json.dumps(\n            x,\n            indent=4,\n        ),\n    )\n" in made


def test_a_file_without_imports_gets_them_without_a_gap() -> None:
    source = "def save(path, x):\n    with §open(path, 'w') as f:\n        if x: f.write('x')\n"
    made = after(source, answer(source, "CTX105", {"callees": "builtins.open"}))
    assert made.startswith("import io\n\nfrom ctxlint.runtime import atomic_write\n\n\ndef save")


@pytest.mark.parametrize(
    ("helpers", "write", "expected"),
    [
        (":put:str::", "path.write_text(x, encoding='utf-8')", "put(path, x)"),
        (":put:bytes::", "path.write_text(x, encoding='utf-8')", "put(path, x.encode())"),
        (":put:bytes:: :set:str::", "path.write_text(x, encoding='utf-8')", "set(path, x)"),
        ("m.files:put:bytes::", "path.write_text(x + 'é', encoding='utf-8')", "put(path, (x + 'é').encode())"),
        (":put:bytes::", "path.write_text(x)", 'atomic_write(path, x, encoding="locale")'),
        (":put:bytes::", "path.write_bytes(x)", "put(path, x)"),
        (":put:str::", "path.write_bytes(x)", "atomic_write(path, x)"),
        (":put:bytes::", "path.write_text(\n        x +\n        x, encoding='utf-8')", "put(\n        path,\n        (x +\n        x).encode())"),
        (":put:bytes::", "path.write_text(\n        x(\n        ), 'utf-8')", "put(\n        path,\n        x(\n        ).encode())"),
        (":put:str::", "path.write_text(\n        data=x, encoding='utf-8')", "put(path, x)"),
        (":put:str:str:", "path.write_text(x, encoding='utf-8')", "put(str(path), x)"),
        (":put:str:str:", "path.write_text(\n        x +\n        x, encoding='utf-8')", "put(\n        str(path),\n        x +\n        x)"),
        (":put:str:str:", "open('a', 'w', encoding='utf-8').write(x)", "put('a', x)"),
        (":put:str:str:", "open(path, 'w', encoding='utf-8').write(x)", "put(str(path), x)"),
        (":put:str:Path:", "path.write_text(x, encoding='utf-8')", "put(path, x)"),
        (":put:str:Path:", "open(path, 'w', encoding='utf-8').write(x)", "put(Path(path), x)"),
        (":put:str:Path:", "path.open('w', encoding='utf-8').write(x)", "put(path, x)"),
        (":put:str::encoding", "path.write_text(x, encoding='utf-8')", "put(path, x, encoding=\"utf-8\")"),
        (":put:str::encoding", "path.write_text(\n        x(\n        ), 'utf-8')", "put(\n        path,\n        x(\n        ), encoding=\"utf-8\")"),
        (":put:str::encoding", "path.write_text(x)", 'atomic_write(path, x, encoding="locale")'),
    ],
)
def test_what_the_program_has_for_it_is_called(helpers: str, write: str, expected: str) -> None:
    source = f"def put(*x): pass\ndef set(*x): pass\ndef save(path, x):\n    §{write}\n"
    if helpers.startswith("m."):
        source = source.partition("\n")[2]
    callee = ("pathlib.Path.open" if ".open(" in write else "builtins.open" if "open(" in write
              else f"pathlib.Path.write_{'bytes' if 'bytes(' in write else 'text'}")
    made = answer(source, "CTX105", {"callees": callee, "helpers": helpers})
    assert expected in after(source, made) and isinstance(made, Fix) and made.applicability == "unsafe"


@pytest.mark.parametrize(
    ("callee", "write", "expected"),
    [
        ("pathlib.Path.write_text", "§Path(path).write_text(x, 'utf-8')¶", "atomic_write(Path(path), x)"),
        ("pathlib.Path.write_text", "§¶Path(path).write_text(\n        x, 'utf-8')", "atomic_write(\n        Path(path),\n        x)"),
        ("builtins.open", "§open(path, 'w')¶.write('x')", "atomic_write(path, 'x')"),
        ("builtins.open", "§¶open(\n        path, 'w').write('x')", "atomic_write(path, 'x')"),
    ],
)
def test_of_two_calls_that_begin_together_the_one_that_writes_is_replaced(callee: str, write: str, expected: str) -> None:
    source = f"from pathlib import Path\ndef save(path, x):\n    {write}\n"
    assert expected in after(source, answer(source, "CTX105", {"callees": callee}))


def test_what_was_tried_in_vain_imports_nothing() -> None:
    source = "from json import dump\ndef save(path, x):\n    with §open(path, 'w') as f:\n        dump(x, f)\n        if x: f.write('x')\n"
    made = after(source, answer(source, "CTX105", {"callees": "builtins.open"}))
    assert MEMORY in made and "dumps" not in made


@pytest.mark.parametrize(
    ("comment", "docstring", "beside", "told"),
    [
        ("# A plain\n    # write is enough.", "", "", True), ("# Kept.", "", "", False), ("", "Uses mode \"w\", which empties it.", "", True),
        ("", "Written\n    in place.", "", True), ("", "Save.", "", False), ("", "", "  # in place", True), ("", "", "  # kept", False),
        ("", "", "; print('# in place')", False),
    ],
)
def test_a_comment_that_tells_how_it_was_written_is_mentioned(comment: str, docstring: str, beside: str, told: bool) -> None:
    source = f"def save(path, x):\n    '''{docstring}'''\n    {comment}\n    §path.write_text(x){beside}\n"
    made = answer(source, "CTX105", {"callees": "pathlib.Path.write_text"})
    assert isinstance(made, Fix) and ("comment beside it" in made.message) == told


def test_beside_an_observer_a_write_is_advice() -> None:
    made = answer("def save(path, x):\n    §path.write_text(x)\n", "CTX105", {"callees": "pathlib.Path.write_text", "watched": "yes"})
    assert isinstance(made, Fix) and made.applicability == "display" and "moved" in made.message
