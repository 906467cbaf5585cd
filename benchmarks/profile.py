"""Where the time of a run goes: by step and rule, by room, by function and by line.

    python benchmarks/profile.py FOLDER [--select CODES] [--rows N]

Everything is analysed in this process, without a cache. A signal after every few milliseconds of CPU time notes what runs;
unlike counting calls, that does not make small functions look expensive.
"""

from __future__ import annotations

import argparse
import collections
import signal
import sys
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = f"{ROOT / 'ctxlint'}/"
INTERVAL = 0.004
Counts = collections.Counter[str]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--select", default="ALL")
    parser.add_argument("--rows", type=int, default=30)
    arguments = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from ctxlint.engine import Request, analyse
    from ctxlint.knowledge.configuration import load_configuration
    from ctxlint.report.summary import timing

    selected = arguments.select.split(",")
    configuration = load_configuration(Path.cwd(), isolated=True, flags={"select": selected, "preview": True, "jobs": 1})
    rooms, below, own, lines = (collections.Counter[str]() for _ in range(4))

    def note(number: int, frame: FrameType | None) -> None:
        if frame is None:
            return
        rooms[place(frame).partition("/")[0].partition(":")[0]] += 1
        own[place(frame)] += 1
        lines[f"{place(frame)}:{frame.f_lineno}"] += 1
        seen: set[str] = set()
        above: FrameType | None = frame
        while above is not None:
            seen.add(place(above))
            above = above.f_back
        below.update(seen)

    signal.signal(signal.SIGPROF, note)
    signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
    report = analyse(Request(paths=(str(arguments.folder),), configuration=configuration, cache=False))
    signal.setitimer(signal.ITIMER_PROF, 0)

    print(timing(report))
    for title, counts in (("room", rooms), ("function, with what it calls", below), ("function, itself", own), ("line", lines)):
        print(f"{title}\n" + "".join(rows(counts, sum(rooms.values()), arguments.rows)))
    return 0


def place(frame: FrameType) -> str:
    """The file, from the package's folder or by its name, and the function."""
    file = frame.f_code.co_filename
    shown = file[len(PACKAGE):] if file.startswith(PACKAGE) else f"({Path(file).name})"
    return f"{shown}:{frame.f_code.co_name}"


def rows(counts: Counts, total: int, most: int) -> list[str]:
    """Shares of all notes, the largest first."""
    return [f"{count / total:>7.1%}  {name}\n" for name, count in counts.most_common(most)]


if __name__ == "__main__":
    raise SystemExit(main())
