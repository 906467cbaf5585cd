from __future__ import annotations

from pathlib import Path

from ctxlint.gate.per_file import ignored_in
from ctxlint.knowledge.configuration import load_configuration


def test_patterns_are_relative_to_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "ctxlint.toml").write_text(
        "[per-file-ignores]\n'tests/*' = ['CTX1']\n'*_pb2.py' = ['ALL']\n'/gen/' = ['CTX302']\n"
    )
    ignored = ignored_in(load_configuration(tmp_path))
    assert ignored(str(tmp_path / "tests" / "test_a.py"), "CTX101")
    assert not ignored(str(tmp_path / "tests" / "test_a.py"), "CTX302")
    assert not ignored(str(tmp_path / "src" / "tests.py"), "CTX101")
    assert ignored(str(tmp_path / "deep" / "x_pb2.py"), "CTX302")
    assert ignored(str(tmp_path / "gen" / "deep" / "x.py"), "CTX302")
    assert not ignored("/elsewhere/gen/x.py", "CTX302")
