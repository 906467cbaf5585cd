from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from ctxlint.store.folder import Folder


def place_of(folder: Folder) -> Path:
    """The one record in the folder."""
    (found,) = folder.path.glob("*/*/*")
    return found


def test_what_was_put_is_got(tmp_path: Path) -> None:
    Folder(tmp_path / "c").put("kind", "abcdef", b"content")
    folder = Folder(tmp_path / "c")
    assert folder.get("kind", "abcdef") == b"content"
    assert folder.get("kind", "abcdee") is None
    assert folder.get("other", "abcdef") is None


def test_a_folder_is_made_by_the_first_record_and_hidden_from_version_control(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "c")
    assert folder.get("kind", "abcdef") is None
    assert not folder.path.exists()
    folder.put("kind", "abcdef", b"")
    assert "\n*\n" in (folder.path / ".gitignore").read_text()
    assert folder.get("kind", "abcdef") == b""


@pytest.mark.parametrize("cut", [0, 1, 16, 20, 33, 39])
def test_a_record_that_was_cut_short_is_missing(tmp_path: Path, cut: int) -> None:
    folder = Folder(tmp_path / "c")
    folder.put("kind", "abcdef", b"content")
    place = place_of(folder)
    place.write_bytes(place.read_bytes()[:cut])
    assert folder.get("kind", "abcdef") is None
    folder.put("kind", "abcdef", b"content")
    assert folder.get("kind", "abcdef") == b"content"


def test_a_record_in_which_any_byte_changed_is_missing(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "c")
    folder.put("kind", "abcdef", b"content")
    place = place_of(folder)
    data = place.read_bytes()
    for position in range(len(data)):
        place.write_bytes(data[:position] + bytes([data[position] ^ 1]) + data[position + 1 :])
        assert folder.get("kind", "abcdef") is None, position


def test_a_write_that_fails_leaves_the_old_record_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(tmp_path / "c")
    folder.put("kind", "abcdef", b"old")

    def fails(source: str, target: Path) -> None:
        raise OSError(28, "no space left")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="no space"):
        folder.put("kind", "abcdef", b"new")
    assert folder.get("kind", "abcdef") == b"old"
    assert len(list(folder.path.glob("*/*/*"))) == 1


def test_many_writers_of_one_record_leave_a_whole_one(tmp_path: Path) -> None:
    contents = [bytes([number]) * 5000 for number in range(8)]

    def write(content: bytes) -> None:
        for _ in range(30):
            Folder(tmp_path / "c").put("kind", "abcdef", content)

    writers = [threading.Thread(target=write, args=(content,)) for content in contents]
    for writer in writers:
        writer.start()
    seen = [Folder(tmp_path / "c").get("kind", "abcdef") for _ in range(200)]
    for writer in writers:
        writer.join()
    assert {one for one in seen if one is not None} <= set(contents)
    assert Folder(tmp_path / "c").get("kind", "abcdef") in contents


def test_a_folder_that_grew_too_large_loses_its_oldest_records(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "c", largest=1000)
    for number in range(20):
        folder.put("kind", f"ab{number:02}", b"x" * 60)
        os.utime(folder.path / "kind" / "ab" / f"{number:02}", (number, number))
    folder.prune()
    left = [number for number in range(20) if folder.get("kind", f"ab{number:02}") is not None]
    assert left == list(range(20 - len(left), 20))
    assert 0 < sum(place.stat().st_size for place in folder.path.glob("*/*/*")) <= 500


def test_a_folder_of_bounded_size_is_left_alone(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "c")
    folder.put("kind", "abcdef", b"x" * 5000)
    folder.prune()
    assert folder.get("kind", "abcdef") is not None


def test_a_folder_that_somebody_is_just_making_is_nobody_elses(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "cache")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / ".half.part").touch()
    assert not folder.is_foreign
    folder.put("reports", "ab12", b"x")
    assert not folder.is_foreign and not list((tmp_path / "cache").rglob(".*.part"))[1:]
    (tmp_path / "cache" / ".gitignore").write_bytes(b"")
    assert folder.is_foreign
