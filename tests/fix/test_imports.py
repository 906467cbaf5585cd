"""Where an import goes, and what the file then calls the thing."""

from __future__ import annotations

import ast

import pytest

from ctxlint.fix.imports import Wanted, import_edit, local_name
from ctxlint.fix.names import names_of
from ctxlint.fix.text import Refused, edited, text_of

RUNTIME = Wanted("ctxlint.runtime", "atomic_write", "atomic_write")


def imported(source: str, wanted: Wanted = RUNTIME) -> str:
    text = text_of("a.py", source.encode())
    assert text is not None
    return edited(text, [import_edit(text, ast.parse(source), wanted, "mine")]).decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1\n", "from ctxlint.runtime import atomic_write\n\nx = 1\n"),
        ('"""Doc."""\n\nx = 1\n', '"""Doc."""\n\nfrom ctxlint.runtime import atomic_write\n\nx = 1\n'),
        ("# top\n\ndef f(): ...\n", "# top\n\nfrom ctxlint.runtime import atomic_write\n\n\ndef f(): ...\n"),
        ("from __future__ import annotations\n\nx = 1\n",
         "from __future__ import annotations\n\nfrom ctxlint.runtime import atomic_write\n\nx = 1\n"),
        ("import os\n\nx = 1\n", "import os\n\nfrom ctxlint.runtime import atomic_write\n\nx = 1\n"),
        ("import os\n\nimport aiofiles\nimport yaml\n\nfrom mine import x\n",
         "import os\n\nimport aiofiles\nimport yaml\nfrom ctxlint.runtime import atomic_write\n\nfrom mine import x\n"),
        ("from aiohttp import web\nfrom yaml import dump\n",
         "from aiohttp import web\nfrom ctxlint.runtime import atomic_write\nfrom yaml import dump\n"),
        ("import os\n\nfrom mine import x\n", "import os\n\nfrom ctxlint.runtime import atomic_write\n\nfrom mine import x\n"),
        ("from .a import b\n", "from ctxlint.runtime import atomic_write\n\nfrom .a import b\n"),
        ("from ctxlint.runtime import digest\n", "from ctxlint.runtime import atomic_write, digest\n"),
        ("from ctxlint.runtime import (\n    digest,\n)\n",
         "from ctxlint.runtime import (\n    digest,\n)\nfrom ctxlint.runtime import atomic_write\n"),
        ("import yaml", "import yaml\nfrom ctxlint.runtime import atomic_write"),
        ("import yaml\r\nx = 1\r\n", "import yaml\r\nfrom ctxlint.runtime import atomic_write\r\nx = 1\r\n"),
    ],
)
def test_an_import_goes_where_the_style_puts_it(before: str, after: str) -> None:
    assert imported(before) == after
    ast.parse(after)


def test_a_module_of_the_standard_library_goes_to_its_block() -> None:
    assert imported("import json\nimport os\n\nimport yaml\n", Wanted("io", "", "io")) == "import io\nimport json\nimport os\n\nimport yaml\n"


@pytest.mark.parametrize(
    ("source", "local"),
    [
        ("x = 1\n", "atomic_write"),
        ("from ctxlint.runtime import atomic_write\n", "atomic_write"),
        ("from ctxlint.runtime import atomic_write as aw\n", "aw"),
        ("import ctxlint.runtime as rt\n", "rt.atomic_write"),
        ("def atomic_write(): ...\n", "ctxlint_atomic_write"),
        ("def f(atomic_write): ...\n", "ctxlint_atomic_write"),
        ("from other import atomic_write\n", "ctxlint_atomic_write"),
        ("from ctxlint.runtime import atomic_write\nif x:\n    from other import atomic_write\n", "ctxlint_atomic_write"),
    ],
)
def test_a_name_means_one_thing_in_a_file(source: str, local: str) -> None:
    assert local_name(names_of(ast.parse(source)), "ctxlint.runtime", "atomic_write") == local


def test_a_mixed_block_takes_an_import_beside_those_of_its_kind() -> None:
    before = "import os\nimport httpx\nimport yaml\nfrom mine.a import a\nfrom mine.b import b\nfrom mine.c import c\n"
    assert imported(before) == before.replace("import yaml\n", "import yaml\nfrom ctxlint.runtime import atomic_write\n")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ('"""Doc."""; import os\nx = 1\n', "leaves no line"),
        ("from __future__ import annotations; import os\nx = 1\n", "leaves no line"),
        ("import os\n# why\nimport yaml\nx = 1\n", ""),
        ("# why\nx = 1\n", "part a statement from its comment"),
        ("# -*- coding: utf-8 -*-\nx = 1\n", ""),
        ("#!/usr/bin/python\nx = 1\n", ""),
        ("import os; x = (\n1)\n", "inside of a statement"),
    ],
)
def test_an_import_parts_nothing(source: str, reason: str) -> None:
    if not reason:
        ast.parse(imported(source))
        return
    with pytest.raises(Refused, match=reason):
        imported(source)
