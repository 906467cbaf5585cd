"""`atomic_write` and `durable_append` on a real file system."""

from __future__ import annotations

import os
import stat

import pytest

from ctxlint.runtime import atomic_write, durable_append


def names(directory):
    return sorted(entry.name for entry in directory.iterdir())


def test_text_and_bytes_are_written_as_they_are(tmp_path):
    atomic_write(tmp_path / "a", "é\r\n")
    atomic_write(str(tmp_path / "b"), b"\xff", links="refuse")
    atomic_write(tmp_path / "c", "é", encoding="latin-1")
    assert [(tmp_path / name).read_bytes() for name in "abc"] == ["é\r\n".encode(), b"\xff", b"\xe9"]
    assert names(tmp_path) == ["a", "b", "c"]


@pytest.mark.parametrize("encoding", ["locale", None])
def test_the_encoding_of_the_system_is_the_one_of_open(tmp_path, monkeypatch, encoding):
    monkeypatch.setattr("locale.getpreferredencoding", lambda do_setlocale=True: "cp1252")
    atomic_write(tmp_path / "a", "€", encoding=encoding)
    assert (tmp_path / "a").read_bytes() == b"\x80"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o400])
def test_the_mode_is_kept(tmp_path, mode):
    path = tmp_path / "state"
    path.write_text("old")
    path.chmod(mode)
    atomic_write(path, "new")
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_text() == "new"


def test_a_new_file_gets_the_usual_mode(tmp_path):
    atomic_write(tmp_path / "ours", "x")
    (tmp_path / "theirs").write_text("x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "theirs").stat().st_mode


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_the_ownership_is_kept(tmp_path):
    path = tmp_path / "state"
    path.write_text("old")
    os.chown(path, 1234, 4321)
    path.chmod(0o640)
    atomic_write(path, "new")
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1234, 4321, 0o640)


def test_links_are_followed_replaced_or_refused_as_asked(tmp_path):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "state", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    atomic_write(link, "followed")
    assert link.is_symlink() and target.read_text() == "followed"
    with pytest.raises(OSError, match="symbolic link"):
        atomic_write(link, "x", links="refuse")
    atomic_write(link, "replaced", links="replace")
    assert not link.is_symlink() and link.read_text() == "replaced" and target.read_text() == "followed"
    with pytest.raises(ValueError, match="links"):
        atomic_write(link, "x", links="maybe")


def test_a_failing_write_leaves_the_old_content_and_no_rubbish(tmp_path):
    path = tmp_path / "state"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        atomic_write(path, "\ud800")
    with pytest.raises(TypeError):
        atomic_write(path, {"not": "serialised"})
    assert path.read_text() == "old" and names(tmp_path) == ["state"]


def test_what_is_no_regular_file_is_not_replaced(tmp_path):
    with pytest.raises(OSError, match="no regular file"):
        atomic_write(tmp_path, "x")
    with pytest.raises(FileNotFoundError):
        atomic_write(tmp_path / "missing" / "state", "x")


def test_appends_accumulate(tmp_path):
    for part in ("one\n", b"two\n"):
        durable_append(tmp_path / "log", part)
    assert (tmp_path / "log").read_bytes() == b"one\ntwo\n"


def test_a_torn_line_does_not_swallow_the_next(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(b'{"whole": 1}\n{"torn": ')
    durable_append(path, '{"next": 2}\n', lines=True)
    durable_append(path, '{"last": 3}\n', lines=True)
    assert path.read_bytes() == b'{"whole": 1}\n{"torn": \n{"next": 2}\n{"last": 3}\n'
