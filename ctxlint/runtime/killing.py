"""Killing a program again and again while it works, to see what it leaves.

A killed process loses what it holds in memory; what it wrote the kernel still has.
`ctxlint.runtime.faults` is the harsher test, in which the machine loses what was not synchronised.
"""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections.abc import Callable, Sequence

PATIENCE = 60.0
"""Seconds that a program may take until it prints its line."""


def kill_repeatedly(
    command: Sequence[str],
    check: Callable[[], object],
    *,
    cycles: int = 40,
    longest: float = 0.02,
    seed: int = 0,
) -> int:
    """Start `command`, kill it without warning, call `check`; `cycles` times over. Return how many kills there were.

    The program prints a line to standard output when it is about to begin its work; it is killed at a random moment
    of the following `longest` seconds. It must go on from what it left the last time, and must not end by itself.
    Raises `RuntimeError`, with what it wrote to standard error, when it did end or printed no line within a minute,
    and whatever `check` raises.
    """
    chance = random.Random(seed)
    for _ in range(cycles):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            assert process.stdout is not None and process.stderr is not None
            silent = threading.Timer(PATIENCE, process.kill)
            silent.start()
            try:
                if process.stdout.readline():
                    time.sleep(chance.uniform(0, longest))
                    ended = process.poll()
                else:  # It closed its output without a word, or was killed for not having said one.
                    ended = process.wait()
            finally:
                silent.cancel()
                process.kill()
            errors = process.stderr.read().decode(errors="replace")
            process.wait()
        if ended is not None:
            raise RuntimeError(f"the program ended by itself with status {ended}: {errors}")
        check()
    return cycles
