"""Lowering in processes: the same as without, whatever happens to a worker."""

from __future__ import annotations

import concurrent.futures
import os
import time
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ctxlint import workers
from ctxlint.discovery.files import SourceFile
from ctxlint.ir.module import Module
from ctxlint.store.folder import Folder
from ctxlint.syntax.load import load
from ctxlint.workers import Unreadable, Workers, lower_files

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the tests change what forked workers do")


@pytest.fixture
def files(tmp_path: Path) -> list[SourceFile]:
    """More files than are lowered in one process, of different sizes, one of them broken and one missing."""
    made = []
    for number in range(workers.WORTH_PROCESSES + 10):
        path = tmp_path / "src" / f"m{number:02}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(f"def f{each}(x): return g(x, {number})\n" for each in range(number % 7 + 1)))
        made.append(SourceFile(str(path), path.stem, False))
    Path(made[5].path).write_text("def (:\n")
    Path(made[6].path).write_text("x = '\\ud800'\n")
    Path(made[7].path).unlink()
    return made


def lowered(files: list[SourceFile], chosen: Workers, cache: Folder | None = None) -> list[Module | Unreadable]:
    return lower_files(files, "fast", cache, chosen, lambda done, total: None)


def test_the_result_does_not_depend_on_the_workers(files: list[SourceFile]) -> None:
    alone = lowered(files, Workers(1))
    assert [number for number, one in enumerate(alone) if isinstance(one, Unreadable)] == [5, 7]
    assert lowered(files, Workers(2)) == alone
    assert lowered(files, Workers(3)) == alone
    with ThreadPoolExecutor(3) as executor:
        assert lowered(files, Workers(1, executor)) == alone


def test_what_one_run_lowered_the_next_one_reads(
    files: list[SourceFile], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = Folder(tmp_path / "cache")
    first = lowered(files, Workers(2), cache)

    def never(source: bytes, reader: object) -> Module:
        raise AssertionError("lowered again")

    monkeypatch.setattr(workers, "load", never)
    assert lowered(files, Workers(2), cache) == first


def test_progress_ends_with_all_files(files: list[SourceFile]) -> None:
    told: list[tuple[int, int]] = []
    lower_files(files, "fast", None, Workers(2), lambda done, total: told.append((done, total)))
    assert told[-1] == (len(files), len(files))
    assert [done for done, _ in told] == sorted({done for done, _ in told})


def test_a_worker_that_dies_costs_its_file_only(files: list[SourceFile], monkeypatch: pytest.MonkeyPatch) -> None:
    alone = lowered(files, Workers(1))

    def dies(source: bytes, reader: Any) -> object:
        if b", 11)" in source or b", 23)" in source:
            os._exit(9)
        return load(source, reader)

    monkeypatch.setattr(workers, "load", dies)
    found = lowered(files, Workers(2))
    for number, one in enumerate(found):
        if number in (11, 23):
            assert isinstance(one, Unreadable) and one.kind == "died"
        else:
            assert one == alone[number]


def test_a_file_that_takes_too_long_is_given_up(files: list[SourceFile], monkeypatch: pytest.MonkeyPatch) -> None:
    def hangs(source: bytes, reader: Any) -> object:
        if b", 11)" in source:
            time.sleep(600)
        return load(source, reader)

    monkeypatch.setattr(workers, "load", hangs)
    monkeypatch.setattr(workers, "TIME_LIMIT", 3.0)
    found = lowered(files, Workers(2))
    assert [number for number, one in enumerate(found) if isinstance(one, Unreadable)] == [5, 7, 11]


def test_a_few_files_start_no_process(files: list[SourceFile], monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*arguments: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(concurrent.futures, "ProcessPoolExecutor", forbidden)
    assert len(lowered(files[:20], Workers(2))) == 20


class _Sending(Executor):
    """Runs what it is given at once, and remembers it."""

    def __init__(self) -> None:
        self.sent: list[tuple[object, ...]] = []

    def submit(self, task: Any, /, *arguments: Any, **named: Any) -> Future[Any]:
        self.sent.append(arguments)
        future: Future[Any] = Future()
        future.set_result(task(*arguments, **named))
        return future


def test_an_executor_gets_bytes_and_no_places(files: list[SourceFile], tmp_path: Path) -> None:
    executor = _Sending()
    cache = Folder(tmp_path / "cache")
    lowered(files, Workers(1, executor), cache)
    assert len(executor.sent) == len(files) - 1                    # the missing file is nobody's task
    assert all(isinstance(words[0], bytes) for words in executor.sent)
    assert str(tmp_path) not in repr([words[1:] for words in executor.sent])
    assert len(list(cache.path.glob("lowered/*/*"))) == len({words[0] for words in executor.sent})


def test_two_results_are_made_beside_each_other() -> None:
    from ctxlint.result import Coverage
    from ctxlint.workers import beside

    own = os.getpid()
    for jobs, elsewhere in ((0, True), (1, False)):
        here, there = beside(lambda: Coverage(os.getpid(), 1), lambda: Coverage(os.getpid(), 2), Coverage, jobs)
        assert here.files == own and (there.files != own) == elsewhere and there.functions == 2


@pytest.mark.parametrize("failing", ["exit", "error"])
def test_a_process_that_dies_beside_is_no_loss(failing: str, capfd: pytest.CaptureFixture[str]) -> None:
    from ctxlint.result import Coverage
    from ctxlint.workers import beside

    own = os.getpid()

    def there() -> Coverage:
        if os.getpid() != own:
            if failing == "exit":
                os._exit(3)
            raise ValueError("lost")
        return Coverage(7, 7)

    assert beside(lambda: Coverage(1, 1), there, Coverage, 0) == (Coverage(1, 1), Coverage(7, 7))
    assert capfd.readouterr().err == ""


def test_an_error_in_both_is_raised_here() -> None:
    from ctxlint.result import Coverage
    from ctxlint.workers import beside

    def fails() -> Coverage:
        raise ValueError("lost")

    with pytest.raises(ValueError, match="lost"):
        beside(lambda: Coverage(1, 1), fails, Coverage, 0)


def test_questions_are_dealt_to_two_processes_and_answered_in_their_order() -> None:
    from ctxlint.result import Coverage
    from ctxlint.workers import WORTH_ASKING_BESIDE, dealt

    own = os.getpid()

    def ask(number: int) -> Coverage:
        time.sleep(0.01)
        return Coverage(os.getpid(), number)

    with ThreadPoolExecutor(1) as pool:
        for jobs, size, executor, alone in (
            (2, WORTH_ASKING_BESIDE, None, False), (1, WORTH_ASKING_BESIDE, None, True), (2, 10, None, True),
            (2, WORTH_ASKING_BESIDE, pool, True),
        ):
            answers = dealt(12, ask, Coverage, Workers(jobs, executor), size)
            assert [answer.functions for answer in answers] == list(range(12))
            assert {answer.files for answer in answers} == {own} if alone else len({answer.files for answer in answers}) == 2


@pytest.mark.parametrize("failing", ["exit", "error"])
def test_what_a_process_that_died_has_taken_is_asked_here(failing: str) -> None:
    from ctxlint.result import Coverage
    from ctxlint.workers import WORTH_ASKING_BESIDE, dealt

    own = os.getpid()

    def ask(number: int) -> Coverage:
        if os.getpid() != own and failing == "exit":
            os._exit(3)
        if os.getpid() != own:
            raise ValueError("lost")
        time.sleep(0.01)
        return Coverage(1, number)

    answers = dealt(5, ask, Coverage, Workers(2), WORTH_ASKING_BESIDE)
    assert answers == [Coverage(1, number) for number in range(5)]


def test_an_error_in_a_question_is_raised_here() -> None:
    from ctxlint.result import Coverage
    from ctxlint.workers import WORTH_ASKING_BESIDE, dealt

    def ask(number: int) -> Coverage:
        if number == 2:
            raise ValueError("lost")
        return Coverage(1, number)

    with pytest.raises(ValueError, match="lost"):
        dealt(5, ask, Coverage, Workers(2), WORTH_ASKING_BESIDE)


def test_a_file_that_needs_too_much_memory_costs_itself_only(files: list[SourceFile], monkeypatch: pytest.MonkeyPatch) -> None:
    alone = lowered(files, Workers(1))

    def grows(source: bytes, reader: Any) -> object:
        return bytearray(1 << 32) if b", 23)" in source else load(source, reader)

    monkeypatch.setattr(workers, "load", grows)
    monkeypatch.setattr(workers, "MEMORY_LIMIT", 1 << 30)
    found = lowered(files, Workers(2))
    assert found[23] == Unreadable("died", "it needs more memory than a worker may have")
    assert found[:23] + found[24:] == alone[:23] + alone[24:]


@pytest.mark.slow
def test_workers_need_not_be_forked(files: list[SourceFile], monkeypatch: pytest.MonkeyPatch) -> None:
    alone = lowered(files, Workers(1))
    monkeypatch.setattr(workers, "_method", lambda: "spawn")
    assert lowered(files, Workers(2)) == alone
