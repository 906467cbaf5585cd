from __future__ import annotations

from pathlib import Path

import pytest

from ctxlint.errors import ConfigurationError
from ctxlint.knowledge.words import Words, hints, load_words, parts


@pytest.mark.parametrize(("identifier", "expected"), [
    ("_undoLog2", ("undo", "log")), ("HTTPServer", ("http", "server")), ("memory_blocks", ("memory", "block")),
    ("histories", ("history",)), ("status", ("status",)), ("self", ("self",)), ("", ()),
])
def test_an_identifier_is_split_into_its_words(identifier: str, expected: tuple[str, ...]) -> None:
    assert parts(identifier) == expected


def test_neighbouring_parts_count_as_one_word() -> None:
    assert hints("before_image", frozenset({"beforeimage"}))
    assert hints("undo_stack", frozenset({"stack"}))
    assert not hints("stacking", frozenset({"stack"}))


def test_the_words_are_lower_case_and_singular() -> None:
    words = load_words()
    for group in Words.__struct_fields__:
        assert getattr(words, group)
        for word in getattr(words, group):
            assert parts(word) == (word,), f"{group}: {word}"


def test_an_unknown_group_is_refused(tmp_path: Path) -> None:
    (tmp_path / "words.toml").write_text("journls = ['x']\n")
    with pytest.raises(ConfigurationError, match="did you mean `journals`"):
        load_words(tmp_path / "words.toml")
