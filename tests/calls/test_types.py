"""What annotations say."""

from __future__ import annotations

import pytest

from ctxlint.calls.types import NONE, UNKNOWN, Instance, one, parse_annotation, union
from tests.calls.programs import described, program

SOURCES = {
    "store": """
        from typing import Protocol, TypeVar, NewType, Generic, Any, Union
        from pathlib import Path
        class Store: pass
        class Readable(Protocol):
            def read(self): ...
        T = TypeVar("T")
        B = TypeVar("B", bound=Store)
        UserId = NewType("UserId", str)
        Table = dict[str, Store]
        Either = Union[Store, Path]
        Pipe = Store | int
        Nested = list[Table]
        """,
    "m": """
        import collections.abc as cabc
        import typing as t
        from pathlib import Path
        from typing_extensions import Self
        import store
        from store import Store, Readable, T, B, UserId, Table, Either, Pipe, Nested
        """,
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Store", "store.Store"),
        ("store.Store", "store.Store"),
        ("'Store'", "store.Store"),
        ("Path", "pathlib.Path"),
        ("str", "str"),
        ("None", "NoneType"),
        ("Store | None", "store.Store"),
        ("t.Optional[Store]", "store.Store"),
        ("t.Union[Store, Path, None]", "pathlib.Path | store.Store"),
        ("list[Store]", "list[store.Store]"),
        ("t.List[Store]", "list[store.Store]"),
        ("t.Dict[str, Store]", "dict[str, store.Store]"),
        ("dict[str, list[Store | None]]", "dict[str, list[store.Store]]"),
        ("tuple[Store, ...]", "tuple[store.Store]"),
        ("tuple[int, Store]", "tuple[int, store.Store]"),
        ("t.Awaitable[Store]", "collections.abc.Awaitable[store.Store]"),
        ("cabc.Sequence[Store]", "collections.abc.Sequence[store.Store]"),
        ("t.Iterator[Store]", "collections.abc.Iterator[store.Store]"),
        ("t.Annotated[Store, 1]", "store.Store"),
        ("t.Annotated[Store, Depends(f)]", "store.Store"),
        ("t.ClassVar[Store]", "store.Store"),
        ("t.Final[Store]", "store.Store"),
        ("t.Literal['a', 'b']", "str"),
        ("type[Store]", "type[store.Store]"),
        ("t.Type[Store]", "type[store.Store]"),
        ("t.Callable[[int], Store]", "?"),
        ("t.Any", "?"),
        ("object", "?"),
        ("Readable", "store.Readable"),
        ("UserId", "str"),
        ("Table", "dict[str, store.Store]"),
        ("Nested", "list[dict[str, store.Store]]"),
        ("Either", "pathlib.Path | store.Store"),
        ("Pipe", "int | store.Store"),
        ("t.Self", "typing.Self"),
        ("missing.Thing", "?"),
        ("not an annotation", "?"),
        ("x" * 3000 + "[", "?"),
        ("", "?"),
    ],
)
def test_annotations(text: str, expected: str) -> None:
    assert described(parse_annotation(program(**SOURCES), "m", text)) == expected


def test_a_type_alias_that_refers_to_itself_ends() -> None:
    linked = program(m="Json = dict[str, 'Json']\nA = B\nB = A\n")
    assert described(parse_annotation(linked, "m", "Json")) == "dict[str, ?]"
    assert parse_annotation(linked, "m", "A") == UNKNOWN


def test_a_class_of_a_function_is_found_from_inside() -> None:
    linked = program(m="def f():\n    class Inner: pass\n    def g(x: Inner): pass\n")
    inside = next(i for i, f in enumerate(linked.modules["m"].ir.functions) if f.qualname == "f.g")
    assert described(parse_annotation(linked, "m", "Inner", inside)) == "m.f.Inner"
    assert parse_annotation(linked, "m", "Inner") == UNKNOWN


def test_unions_drop_none_and_stop_when_large() -> None:
    a, b = one(Instance("a")), one(Instance("b"))
    assert union([a, NONE, b]) == a | b
    assert union([NONE, NONE]) == NONE
    assert union([UNKNOWN, a]) == a
    assert union([one(Instance(str(i))) for i in range(6)]) != UNKNOWN
    assert union([one(Instance(str(i))) for i in range(7)]) == UNKNOWN
    assert union([]) == UNKNOWN


def test_a_union_keeps_the_container_whose_elements_are_known() -> None:
    bare, full = one(Instance("builtins.list")), one(Instance("builtins.list", (one(Instance("a")),)))
    assert union([bare, full]) == full
