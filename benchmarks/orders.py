"""Whether an answer depends on what was asked before it: it must not.

    python benchmarks/orders.py FOLDER [FOLDER ...] [--seeds N] [--show N]

Each folder is linked once. Forked processes then ask all rules, each rule alone, and all rules with the program's functions in
another order. All rules at once and each rule alone have to be equal to the byte; in another order the answers have to be at the
same events with the same confidence (which of several witnesses is shown is the first in the program's order).
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import msgspec  # noqa: E402

from ctxlint.calls.identity import FunctionId  # noqa: E402
from ctxlint.calls.program import Program, link  # noqa: E402
from ctxlint.checks.analysis import Analysis  # noqa: E402
from ctxlint.checks.finding import Finding  # noqa: E402
from ctxlint.checks.run import find  # noqa: E402
from ctxlint.discovery.files import discover  # noqa: E402
from ctxlint.knowledge.configuration import load_configuration  # noqa: E402
from ctxlint.knowledge.models import load_models  # noqa: E402
from ctxlint.knowledge.rules import Rule, load_rules  # noqa: E402
from ctxlint.linking import linked, view_of  # noqa: E402
from ctxlint.stack import with_room_and_no_cyclic_collection  # noqa: E402
from ctxlint.workers import Workers, lower_files  # noqa: E402

Answers = dict[str, tuple[Finding, ...]]
Order = Callable[[list[FunctionId]], None]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--show", type=int, default=5)
    arguments = parser.parse_args()
    differences = 0
    with with_room_and_no_cyclic_collection():
        for folder in arguments.folders:
            for line in differing(folder, arguments.seeds, arguments.show):
                differences += 1
                print(line, flush=True)
            print(f"{folder.name}: done", flush=True)
    return 1 if differences else 0


def differing(folder: Path, seeds: int, most: int) -> Iterator[str]:
    """What is answered otherwise, in a line each."""
    configuration = load_configuration(Path.cwd(), isolated=True, flags={})
    rules = tuple(rule for rule in load_rules(()).values() if rule.check)
    options = {rule.code: dict(configuration.options(rule)) for rule in rules}
    files = discover((str(folder),), configuration)
    modules, _ = linked(files, lower_files(files, "fast", None, Workers(2), lambda done, total: None))
    analysis = Analysis(view_of(link(modules), load_models(())))

    def asked(selected: tuple[Rule, ...], order: Order | None = None) -> Answers:
        if order is not None:
            in_order(analysis.program, order)
        return find(selected, options, analysis)

    together = apart(lambda: asked(rules))
    print(f"{folder.name}: {sum(map(len, together.values()))} findings", flush=True)
    for rule in rules:
        alone = apart(lambda: asked((rule,)))
        yield from unequal(f"{folder.name} {rule.code} alone", together[rule.code], alone[rule.code], most)
    backwards = apart(lambda: asked(rules[::-1]))
    for rule in rules:
        yield from unequal(f"{folder.name} {rule.code} rules backwards", together[rule.code], backwards[rule.code], most)
    orders: dict[str, Order] = {"functions backwards": list.reverse}
    orders.update((f"functions shuffled {seed}", random.Random(seed).shuffle) for seed in range(seeds))
    for name, order in orders.items():
        shuffled = apart(lambda: asked(rules, order))
        for rule in rules:
            yield from unequal(
                f"{folder.name} {rule.code} {name}", bare(together[rule.code]), bare(shuffled[rule.code]), most)
            argued = sum(finding not in shuffled[rule.code] for finding in together[rule.code])
            if argued:
                print(f"  {folder.name} {rule.code} {name}: {argued} with another argument", flush=True)


def in_order(program: Program, order: Order) -> None:
    """Have the functions of a linked program asked in another order."""
    functions = list(program.functions())
    order(functions)
    program._functions = functions  # type: ignore[assignment]


def bare(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The findings in order of their places, without their arguments."""
    bared = (Finding(f.function, f.event, f.kind, f.confidence, {}, (), (), ()) for f in findings)
    return tuple(sorted(bared, key=lambda f: (f.function, f.event, f.kind, f.confidence)))


def unequal(what: str, first: tuple[Finding, ...], second: tuple[Finding, ...], most: int) -> Iterator[str]:
    """The findings that only one of them has."""
    encode = msgspec.json.encode
    texts, others = ({encode(f): f for f in found} for found in (first, second))
    for sign, has, has_not in (("-", texts, others), ("+", others, texts)):
        lost = [f for text, f in has.items() if text not in has_not]
        for finding in lost[:most]:
            yield f"{what}: {sign} {finding}"
        if len(lost) > most:
            yield f"{what}: {sign} {len(lost) - most} more"


def apart(work: Callable[[], Answers]) -> Answers:
    """What a forked process answers: nothing that it remembers is known to the next."""
    receiving, sending = multiprocessing.Pipe(duplex=False)

    def send() -> None:
        sending.send_bytes(msgspec.msgpack.encode(work()))

    process = multiprocessing.get_context("fork").Process(target=send)
    process.start()
    sending.close()
    answers = msgspec.msgpack.decode(receiving.recv_bytes(), type=Answers)
    process.join()
    return answers


if __name__ == "__main__":
    raise SystemExit(main())
