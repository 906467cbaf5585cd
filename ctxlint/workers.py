"""Reads and lowers files: what earlier runs lowered comes from the cache, the rest is done here or in worker processes.

A task carries the bytes of a file and gives back bytes, so that any executor can run it; what comes out does not depend on how
many workers there are, nor on who finishes first.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar

import msgspec

from ctxlint.discovery.files import SourceFile
from ctxlint.ir.module import Module
from ctxlint.result import Spent
from ctxlint.store.folder import Folder
from ctxlint.store.keys import digest, library_version
from ctxlint.store.records import Lowered, lowered, packed
from ctxlint.store.sources import source_key, source_of
from ctxlint.syntax.load import load
from ctxlint.syntax.read import read

TIME_LIMIT = 60.0
"""Seconds that a worker may spend on one file."""
MEMORY_LIMIT = 4 << 30
"""Bytes that the address space of a worker may grow by; a file of the largest size that is read needs a quarter of it."""
WORTH_PROCESSES = 40
"""With fewer files than this to lower, starting processes costs more than it gives."""
MOST_WORKERS = 8
WORTH_ASKING_BESIDE = 1000
"""In a program of fewer functions the questions are answered before a second process has touched what it shares with the first."""
_MOST_DEALT = 256

Progress = Callable[[int, int], None]
# Few runs lower so much that they start processes, and what that needs is a fifth of what they import.
if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

T = TypeVar("T")


class Workers(msgspec.Struct, frozen=True):
    """Who lowers: `jobs` processes of this machine (0: one a processor), or the workers of an executor."""

    jobs: int = 1
    executor: Executor | None = None


class Unreadable(msgspec.Struct, frozen=True):
    """Why a file has no module."""

    kind: str
    message: str
    line: int = 1


class _Task(NamedTuple):
    """A file that is to be lowered: its place among the files, its text and the key of its record."""

    number: int
    source: bytes
    key: str


_Result = tuple[int, Lowered, float]
"""The number of a file, what it was lowered to, and the CPU seconds that took."""


def lower_files(
    files: Sequence[SourceFile], tree: str, cache: Folder | None, workers: Workers, progress: Progress,
    spent: list[Spent] | None = None,
) -> list[Module | Unreadable]:
    """What each of the files was lowered to, in their order; `spent` gets what each took that was lowered now."""
    found: dict[int, Lowered] = {}
    tasks: list[_Task] = []
    for number, file in enumerate(files):
        try:
            source = source_of(file)
        except OSError as error:
            found[number] = Lowered(None, "missing", f"it cannot be read: {error.strerror}")
            continue
        key = source_key(source, tree)
        record = cache.get("lowered", key) if cache is not None else None
        known = lowered(record) if record is not None else None
        if known is None:
            tasks.append(_Task(number, source, key))
        else:
            found[number] = known
    for number, result, seconds in _run(tasks, tree, cache, workers):
        found[number] = result
        if spent is not None:
            spent.append(Spent("file", files[number].path, seconds))
        progress(len(found), len(files))
    return [_outcome(found[number]) for number in range(len(files))]


def lower_task(source: bytes, tree: str, folder: str, key: str, limit: float) -> tuple[bytes, float]:
    """Lower one file and give back its record, which is also kept in `folder`, if that is given, and the CPU seconds it took.

    The record is empty when the result has no bytes: whoever asked lowers the file himself.
    With a limit, the process ends when the file takes longer than so many seconds: nothing else stops a parser.
    """
    begin = time.process_time()
    try:
        with _at_most(limit):
            record = packed(_lowered(source, tree))
    except MemoryError:
        # Not kept: on a machine with more memory, or none beside this one, it can be lowered.
        return packed(_TOO_LARGE) or b"", time.process_time() - begin
    if record is not None and folder:
        _keep(Folder(Path(folder)), "lowered", key, record)
    return record or b"", time.process_time() - begin


@contextlib.contextmanager
def _at_most(seconds: float) -> Iterator[None]:
    """End the process when what it does takes longer; without a limit it may take its time."""
    if not seconds:
        yield
        return
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        faulthandler.dump_traceback_later(seconds, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def beside(here: Callable[[], T], there: Callable[[], T], kind: type[T], jobs: int) -> tuple[T, T]:
    """The results of both, of which the second is made by a process of its own, unless `jobs` is 1 or processes cannot be forked.

    A process that dies is no loss but of time: then its result is made here, too. Its memory is shared until it is written.
    """
    if jobs == 1 or _method() != "fork" or _processors() < 2:
        return here(), there()
    import multiprocessing

    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)

    def work() -> None:
        _begin()
        try:
            result = msgspec.msgpack.encode(there())
        except Exception:  # noqa: BLE001
            # Half a character in a result has no bytes, and an error is told by the process that the user sees.
            return
        sending.send_bytes(result)

    process = context.Process(target=work, daemon=True)
    process.start()
    sending.close()
    try:
        own = here()
        try:
            other = msgspec.msgpack.decode(receiving.recv_bytes(), type=kind)
        except (EOFError, OSError):
            other = there()
    finally:
        receiving.close()
        process.kill()
        process.join()
    return own, other


def dealt(count: int, ask: Callable[[int], T], kind: type[T], workers: Workers, size: int) -> list[T]:
    """The answers to `count` questions about a program of `size` functions, in their order.

    This process and one beside it take them one after the other, if the program is large enough. What a process that died has
    taken is asked here again. The workers of an executor may be threads of this process, beside which nothing can be forked.
    """
    if count < 2 or count > _MOST_DEALT or size < WORTH_ASKING_BESIDE or workers.executor is not None:
        return [ask(number) for number in range(count)]
    taking, giving = os.pipe()
    os.write(giving, bytes(range(count)))
    os.close(giving)

    def take() -> dict[int, T]:
        return {number[0]: ask(number[0]) for number in iter(lambda: os.read(taking, 1), b"")}

    try:
        own, others = beside(take, take, dict[int, kind], workers.jobs)  # type: ignore[valid-type]
    finally:
        os.close(taking)
    answers = {**others, **own}
    return [answers[number] if number in answers else ask(number) for number in range(count)]


def confirm(source: bytes, lines: Sequence[int], screened: Module, cache: Folder | None) -> Module | None:
    """What the file is lowered to when LibCST reads the statements at these lines; None when that is what was screened.

    Verdicts are kept like lowered files: a run without new findings needs no LibCST.
    """
    key = digest(b"verdict", library_version("libcst").encode(), repr(list(lines)).encode(), source_key(source, "fast").encode())
    record = cache.get("verdicts", key) if cache is not None else None
    known = lowered(record) if record is not None else None
    if known is None:
        # LibCST takes a quarter of a second to import: only what is reported is read by it.
        from ctxlint.syntax.verdict import confirmed

        ir = confirmed(source, lines)
        known = Lowered(None if ir == screened else ir)
        record = packed(known) if cache is not None else None
        if cache is not None and record is not None:
            _keep(cache, "verdicts", key, record)
    return known.module


def _lowered(source: bytes, tree: str) -> Lowered:
    if tree == "libcst":
        # LibCST takes a quarter of a second to import, and few runs need it here.
        from ctxlint.syntax.verdict import read_with_libcst

        result = load(source, read_with_libcst)
    else:
        result = load(source, read)
    return Lowered(result) if isinstance(result, Module) else Lowered(None, result.kind, result.message, result.line)


def _run(tasks: list[_Task], tree: str, cache: Folder | None, workers: Workers) -> Iterator[_Result]:
    """The results of the tasks, in any order."""
    jobs = min(workers.jobs or _processors(), MOST_WORKERS, len(tasks))
    if workers.executor is not None:
        yield from _in_executor(workers.executor, tasks, tree, cache)
    elif jobs < 2 or len(tasks) < WORTH_PROCESSES:
        for task in tasks:
            yield _here(task, tree, cache)
    else:
        yield from _in_processes(sorted(tasks, key=lambda task: -len(task.source)), tree, cache, jobs)


def _here(task: _Task, tree: str, cache: Folder | None) -> _Result:
    begin = time.process_time()
    result = _lowered(task.source, tree)
    record = packed(result) if cache is not None else None
    if cache is not None and record is not None:
        _keep(cache, "lowered", task.key, record)
    return task.number, result, time.process_time() - begin


def _made(task: _Task, record: bytes, seconds: float, tree: str) -> _Result:
    """What a worker made of a task; what has no bytes is made here."""
    result = lowered(record)
    return (task.number, result, seconds) if result is not None else _here(task, tree, None)


def _in_executor(
    executor: Executor, tasks: list[_Task], tree: str, cache: Folder | None
) -> Iterator[_Result]:
    """Its workers may be on other machines: they get no folder, and what they send is kept from here."""
    from concurrent.futures import BrokenExecutor

    sent = [(task, executor.submit(lower_task, task.source, tree, "", "", 0.0)) for task in tasks]
    for task, future in sent:
        try:
            record, seconds = future.result()
        except BrokenExecutor:
            yield task.number, _DIED, 0.0
            continue
        if record and cache is not None:
            _keep(cache, "lowered", task.key, record)
        yield _made(task, record, seconds, tree)


def _in_processes(
    tasks: list[_Task], tree: str, cache: Folder | None, jobs: int
) -> Iterator[_Result]:
    """Whoever was being lowered when a worker died is lowered again alone: then it is known whose fault it was."""
    waiting = tasks[::-1]
    while waiting:
        suspects: list[_Task] = []
        yield from _in_pool(waiting, tree, cache, jobs, suspects)
        for task in suspects:
            fatal: list[_Task] = []
            yield from _in_pool([task], tree, cache, 1, fatal)
            for dead in fatal:
                yield dead.number, _DIED, 0.0


def _in_pool(
    waiting: list[_Task], tree: str, cache: Folder | None, jobs: int, suspects: list[_Task]
) -> Iterator[_Result]:
    """Take tasks from the end of `waiting` until none is left or a worker dies; `suspects` are those that were under way."""
    import multiprocessing
    from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, ProcessPoolExecutor, wait

    folder = str(cache.path) if cache is not None else ""
    with ProcessPoolExecutor(jobs, multiprocessing.get_context(_method()), _begin) as pool:
        running: dict[Future[tuple[bytes, float]], _Task] = {}
        try:
            while waiting or running:
                while waiting and len(running) < 2 * jobs:
                    task = waiting.pop()
                    running[_sent(pool, task, tree, folder)] = task
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    record, seconds = future.result()
                    yield _made(running.pop(future), record, seconds, tree)
        except BrokenExecutor:
            suspects.extend(running.values())


def _sent(pool: Executor, task: _Task, tree: str, folder: str) -> Future[tuple[bytes, float]]:
    """The task's future, a broken one when the pool has just lost a worker."""
    from concurrent.futures import BrokenExecutor, Future

    try:
        return pool.submit(lower_task, task.source, tree, folder, task.key, TIME_LIMIT)
    except BrokenExecutor as error:
        broken: Future[tuple[bytes, float]] = Future()
        broken.set_exception(error)
        return broken


def _begin() -> None:
    """A worker ends at once when the user interrupts the run, which says so itself; its memory is bounded where that can be done."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if sys.platform == "linux":
        import resource

        with open("/proc/self/statm", "rb") as stream:
            used = int(stream.read().split()[0]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = used + MEMORY_LIMIT
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def _keep(cache: Folder, kind: str, key: str, record: bytes) -> None:
    """A folder that cannot be written costs the next run its time; the run itself says so."""
    try:
        cache.put(kind, key, record)
    except OSError:
        return


def _outcome(result: Lowered) -> Module | Unreadable:
    return result.module if result.module is not None else Unreadable(result.kind, result.message, result.line)


def _method() -> Literal["fork", "spawn"]:
    return "fork" if hasattr(os, "fork") and os.name == "posix" else "spawn"


def _processors() -> int:
    """The processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


_TOO_LARGE = Lowered(None, "died", "it needs more memory than a worker may have")
_DIED = Lowered(None, "died", "its worker process died or took too long")
