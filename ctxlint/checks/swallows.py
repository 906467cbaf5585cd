"""`swallows`: a change of durable state may fail, nobody hears of it, and the program goes on as if it had been made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from ctxlint.calls.effects import WRITES, StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.members import receiver_name
from ctxlint.calls.mutations import Mutation
from ctxlint.calls.opened import handle_uses
from ctxlint.calls.sources import Source
from ctxlint.calls.terms import is_fresh, parameters
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.acknowledged import acknowledged
from ctxlint.checks.failures.appends import NEAR, Append, Appends
from ctxlint.checks.failures.background import Background, used_values
from ctxlint.checks.failures.bounded import Queues, bounded
from ctxlint.checks.failures.failure_ends import Swallows
from ctxlint.checks.failures.failure_values import Answers
from ctxlint.checks.failures.forgetting import Outgoing, forgotten
from ctxlint.checks.failures.ingredients import ingredients
from ctxlint.checks.failures.last_saves import last_save
from ctxlint.checks.failures.lost_image import lost_images
from ctxlint.checks.failures.made_good import is_made_again, is_made_by_its_reader
from ctxlint.checks.failures.one_by_one import Told, is_made_of_it, told_of_all
from ctxlint.checks.failures.retained import is_retained
from ctxlint.checks.failures.short_writes import short_writes
from ctxlint.checks.failures.swallowing import Swallow, is_secondary
from ctxlint.checks.failures.undo_depth import Capped, undo_depth
from ctxlint.checks.failures.unwatched import MAIN, unwatched
from ctxlint.checks.finding import PLACE, At, Evidence, Finding, FlowStep, Word
from ctxlint.checks.handlers import BROAD
from ctxlint.checks.wording import short_cell, store_name
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import NONE, Name
from ctxlint.knowledge.words import hints

SMALL = 4
"""How many other steps a tried part may hold and still be mainly an append."""
AFTER = 2
"""How many of them may follow the append."""


def swallows(
    analysis: Analysis, failures: Iterable[str] = (), levels: Iterable[str] = (), full: Iterable[str] = (),
    capped: Iterable[str] = (), cap: str = "",
) -> Iterator[Finding]:
    """Report durable changes whose failure is swallowed while the mutation stands or success is told.

    `failures` are the exceptions by which a store says that it failed, `levels` what a logger's methods are called,
    `full` how a queue says that nothing fits, `capped` the containers that drop the oldest when they are made with `cap`.
    """
    appends = Appends(analysis, frozenset(levels))
    swallows = Swallows(analysis, appends, frozenset(failures))
    answers = Answers(analysis, appends)
    background = Background(analysis)
    queues = Queues(analysis, appends)
    limited = Capped(analysis, frozenset(capped), cap)
    outgoing = Outgoing(analysis, appends, limited.cells)
    full_queue = frozenset((*full, *BROAD))
    for identity in analysis.program.functions():
        if any(e.kind in WRITES and e.distance <= NEAR for e in analysis.summaries.of(identity).effects):
            yield from _swallowed(analysis, appends, answers, swallows, identity)
            yield from unwatched(analysis, appends, background, identity)
            yield from _unanswered(analysis, appends, answers, identity)
            yield from short_writes(analysis, appends, identity)
        yield from acknowledged(analysis, appends, swallows, identity)
        yield from bounded(analysis, appends, queues, full_queue, identity)
        yield from undo_depth(analysis, limited, identity)
        yield from forgotten(analysis, outgoing, identity)


def _swallowed(
    analysis: Analysis, appends: Appends, answers: Answers, swallows: Swallows, identity: FunctionId
) -> Iterator[Finding]:
    if analysis.silences is not None:
        _note_failures_that_escape(analysis, appends, swallows, identity)
    for swallow in swallows.of(identity):
        images = tuple(lost_images(analysis, appends, identity, swallow))
        yield from images
        if images:
            continue
        if swallow.again:
            yield from _in_turns(analysis, appends, answers, swallows, identity, swallow)
        append = None if swallow.again else _main_append(analysis, appends, identity, swallow)
        if append is None:
            for number in swallow.tried if analysis.silences is not None else ():
                analysis.spare(identity, number, "the failure costs one turn of a loop, which runs again" if swallow.again else
                               "what is tried here is mainly something else than a change of durable state that is read back", swallow.at)
            continue
        lost = _what_stands(analysis, appends, answers, identity, append, swallow)
        fact = _why_told(analysis, swallows, identity, append, swallow) or (
            "after a failure nothing says something else than the store" if lost is None else "")
        if fact:
            analysis.spare(identity, append.event, fact, (swallow.owner, swallow.at))
        elif lost is not None:
            confidence = _confidence(analysis, appends, answers, identity, append, swallow, lost)
            yield _finding(analysis, identity, append, swallow, lost, confidence)


def _in_turns(
    analysis: Analysis, appends: Appends, answers: Answers, swallows: Swallows, identity: FunctionId, swallow: Swallow
) -> Iterator[Finding]:
    """Of changes whose failure costs one turn of a loop, those that no other turn makes up for."""
    saves = (last_save(analysis, appends, identity, number) for number in sorted(swallow.tried))
    for found in (*saves, told_of_all(analysis, appends, identity, swallow)):
        if found is not None and not _why_told(analysis, swallows, identity, found[0], swallow):
            confidence = _confidence(analysis, appends, answers, identity, found[0], swallow, found[1])
            yield _finding(analysis, identity, found[0], swallow, found[1], confidence)
            return


def _why_told(analysis: Analysis, swallows: Swallows, identity: FunctionId, append: Append, swallow: Swallow) -> str:
    """Why the swallowed failure is noticed all the same, in words; empty when it is not."""
    if _result_decides(analysis, identity, append, swallow):
        return "the result of the change is looked at afterwards, and its absence tells"
    if all(_ends_below(analysis, swallows, effect, append.event, identity) for effect in append.effects):
        return "the failure does not come as far as here: the callee swallows it itself"
    if swallow.told:
        return "the failure is shown to whoever sits at the prompt"
    if is_retained(analysis, identity, append):
        return "what is written is taken off its queue only afterwards: what fails stays there for the next attempt"
    if is_made_again(analysis, identity, append):
        return "whoever reads it back sees that it is not what is wanted, and it is written once more"
    return ""


def _note_failures_that_escape(analysis: Analysis, appends: Appends, swallows: Swallows, identity: FunctionId) -> None:
    """Say of the changes of durable state that no handler swallows."""
    caught = frozenset().union(*(swallow.tried for swallow in swallows.of(identity)))
    for number in {e.event for e in analysis.summaries.of(identity).effects if e.kind in WRITES} - caught:
        append = appends.at(identity, number)
        if append is None:
            analysis.spare(identity, number, "the call is mainly something else than a change of durable state")
        elif not append.readers:
            analysis.spare(identity, number, "no function of the analysed code reads back what is written")
        else:
            analysis.spare(identity, number, "a failure is not swallowed: it reaches the caller, or a handler that does something about it")


def _unanswered(analysis: Analysis, appends: Appends, answers: Answers, identity: FunctionId) -> Iterator[Finding]:
    """Appends that answer False, or a status, when they fail, where nobody looks at the answer."""
    graph = analysis.view.graph(identity)
    for number, event in enumerate(analysis.view.function(identity).events):
        if event.kind != "call" or not analysis.summaries.effects_at(identity, number) or not graph.is_reachable(number):
            continue
        if not answers.is_ignored(identity, number):
            continue
        answer = answers.told_at(identity, number)
        append = appends.at(identity, number) if answer is not None else None
        if answer is None or append is None or not append.readers:
            continue
        after = frozenset(n for n in reachable(graph, number) if n < graph.size)
        unseen = Swallow(identity, answer[0], answer[1], (), frozenset((number,)), after, told=False, again=False)
        sibling = answers.is_looked_at_elsewhere(answer[0], (identity, number))
        needed = append if sibling is None else msgspec.structs.replace(append, rebuilt=True)
        lost = _what_stands(analysis, appends, answers, identity, needed, unseen)
        if lost is None and sibling is not None:
            lost = _was_given(analysis, identity, append)
        if lost is not None:
            sure = isinstance(lost, Mutation) and append.rebuilt
            claimed = answers.tells_success(identity, after)
            told: Confidence = "high" if sure and sibling else "medium" if isinstance(lost, Mutation) or sibling or claimed else "low"
            confidence: Confidence = "low" if appends.is_by_the_way(identity, append) else told
            finding = _finding(analysis, identity, append, unseen, lost, confidence)
            evidence = finding.evidence
            if sibling is not None:
                evidence = (Evidence(f"`{analysis.program.symbol(sibling[0])}` looks at the answer", *sibling), *evidence)
            facts: dict[str, Word] = {"failure": answers.text(answer)}
            if sibling is not None:
                facts["sibling"] = At(*sibling, PLACE)
            yield msgspec.structs.replace(
                finding, kind="ignored-answer", evidence=evidence, chain=("ignored-answer", *finding.chain[1:]), facts=facts
            )


def _ends_below(
    analysis: Analysis, swallows: Swallows, effect: StoreEffect, event: int, identity: FunctionId, depth: int = 0
) -> bool:
    """Whether the failure of the change cannot come as far as here: the callee swallows it itself."""
    targets = [t for call in analysis.view.effective_calls(identity, event) for t in call.functions]
    if not targets or depth >= NEAR:
        return False
    for target in targets:
        inside = {e.event for e in analysis.summaries.of(target).effects if e.origin == effect.origin}
        caught = frozenset().union(*(s.tried for s in swallows.of(target)))
        if not inside or any(
            n not in caught and not _ends_below(analysis, swallows, effect, n, target, depth + 1) for n in inside
        ):
            return False
    return True


def _result_decides(analysis: Analysis, identity: FunctionId, append: Append, swallow: Swallow) -> bool:
    """Whether what the change returns is looked at behind the swallowed failure: then its absence tells."""
    events = analysis.view.function(identity).events
    names = {e.path.root for e in events
             if e.kind == "local" and e.path is not None and e.value is not None
             and ("result", append.event) in analysis.view.origins(identity).identity(e.value, append.event)}
    return bool(names) and any(names.intersection(used_values(events[n])) for n in swallow.after)


def _main_append(analysis: Analysis, appends: Appends, identity: FunctionId, swallow: Swallow) -> Append | None:
    """The change that the tried part is mainly there for: nothing heavy beside it, and little behind it."""
    weighty = [n for n in sorted(swallow.tried) if analysis.view.event(identity, n).kind == "call" and not appends.is_light(identity, n)]
    found = [(n, append) for n in weighty if (append := appends.at(identity, n)) is not None and append.readers] or [
        (n, append) for n in weighty if (append := appends.through_handle(identity, n)) is not None and append.readers
    ]
    if not found:
        return None
    light = [each for each in found if appends.weight(identity, each[0]) <= MAIN]
    if not light:
        return None
    number, append = light[0]
    parts = _parts_of(analysis, identity, append)
    others = [n for n in weighty if n not in parts and all(n != other for other, _ in found)]
    behind = [n for n in others if path(analysis.view.graph(identity), number, n) is not None]
    if sum(min(appends.weight(identity, n), SMALL) for n in others) > 2 * SMALL or len(others) > SMALL or len(behind) > AFTER:
        return None
    return append


def _parts_of(analysis: Analysis, identity: FunctionId, append: Append) -> frozenset[int]:
    """What belongs to the change itself: it is written through the handle that was opened, and made to last."""
    through = handle_uses(analysis.view, identity, append.event) if append.effect.mode else ()
    lasting = (
        number for number, event in enumerate(analysis.view.function(identity).events)
        if event.kind == "call" and analysis.view.does(identity, number, "flushes", "syncs")
    )
    return frozenset((*through, *lasting))


def _what_stands(
    analysis: Analysis, appends: Appends, answers: Answers, identity: FunctionId, append: Append, swallow: Swallow
) -> Mutation | str | None:
    """What says something else than the store after a failure: a mutation, what was handed in (a delta), or the answer to the caller."""
    contents = _sources(analysis, identity, append)
    if contents and all(s.kind in ("read", "call") for s in contents) and any(s.kind == "read" for s in contents):
        return None                                      # it is read from where it still is
    mirrored = _mirroring(analysis, appends, identity, append, swallow)
    if mirrored is not None:
        return mirrored
    if not append.rebuilt or append.effect.kind not in ("append", "write"):
        return None
    own = receiver_name(analysis.view.function(identity))
    for effect in append.effects:
        for source in sorted(analysis.summaries.sources.of_all(identity, effect.event, effect.contents), key=lambda s: (s.kind, s.name)):
            if source.kind == "param" and source.name != own and source.name not in _places(append):
                return source.name
    return "answer" if answers.tells_success(identity, swallow.after) else None


def _was_given(analysis: Analysis, identity: FunctionId, append: Append) -> str | None:
    """What goes into the store besides what was read from it: something that a call gave which nobody sees into."""
    calls = [s.event for s in _sources(analysis, identity, append) if s.kind == "call" and s.event >= 0]
    given = [n for n in sorted(calls) if all(call.unknown and not call.functions for call in analysis.view.effective_calls(identity, n))]
    return f"#{given[0]}" if given else None


def _mirroring(analysis: Analysis, appends: Appends, identity: FunctionId, append: Append, swallow: Swallow) -> Mutation | None:
    """A mutation, before the append or behind its swallowed failure, of what the store keeps."""
    graph = analysis.view.graph(identity)
    contents = _sources(analysis, identity, append)
    cells = frozenset().union(*(e.cells for e in append.effects)) | {s.name for s in contents if s.kind == "cell"}
    own = receiver_name(analysis.view.function(identity))
    whole = any(s.kind == "param" and s.name == own for s in contents)
    passed = frozenset().union(*(ingredients(analysis, appends, identity, e.event, e.contents) for e in append.effects))
    for mutation in analysis.summaries.of(identity).mutations:
        if not mutation.cells or mutation.distance > 1 or mutation.event == append.event or _is_load(analysis, identity, mutation, append):
            continue
        if hints(short_cell(mutation.cells), analysis.words.caches) and not _is_restored_from(analysis, mutation, append):
            continue                                     # what is remembered to save time says nothing of its own
        before = path(graph, graph.entry, mutation.event, frozenset((append.event,))) is not None and (
            path(graph, mutation.event, append.event) is not None
        )
        if not before and mutation.event not in swallow.after:
            continue
        if append.effect.kind == "delete" and mutation.how not in ("delete", "remove", "clear", "rebind"):
            continue
        if cells.intersection(mutation.cells) or _is_restored_from(analysis, mutation, append) or (
            whole and mutation.path.root == Name(own, "local") and mutation.distance == 0
        ):
            return mutation
        goes_in = ingredients(analysis, appends, identity, mutation.event, mutation.values)
        if mutation.distance == 0 and passed and goes_in and (passed <= goes_in or goes_in <= passed):
            return mutation
    return None


def _is_load(analysis: Analysis, identity: FunctionId, mutation: Mutation, append: Append) -> bool:
    """Whether the mutation is itself filled from the store: it says nothing that the store does not say."""
    return any(e.kind == "read" and e.keys & append.keys for e in analysis.summaries.effects_at(identity, mutation.event))


def _is_restored_from(analysis: Analysis, mutation: Mutation, append: Append) -> bool:
    """Whether some function rebuilds the cell from the very store; an interface keeps too many things to tell."""
    return append.effect.medium != "interface" and any(
        restore.keys & append.keys and restore.distance <= 2 for restore in analysis.cells.restores(mutation.cells[-1:])
    )


def _sources(analysis: Analysis, identity: FunctionId, append: Append) -> frozenset[Source]:
    return frozenset().union(
        *(analysis.summaries.sources.of_all(identity, e.event, e.contents) for e in append.effects)
    )


def _confidence(
    analysis: Analysis, appends: Appends, answers: Answers, identity: FunctionId, append: Append, swallow: Swallow,
    lost: Told | str,
) -> Confidence:
    by_the_way = appends.is_by_the_way(identity, append) and not (
        isinstance(lost, StoreEffect) and not is_made_of_it(analysis, append, lost))
    if swallow.told or by_the_way or is_secondary(analysis, swallow, append.effect) or is_fresh(append.effect.place):
        return "low"
    if _absence_tells(analysis, answers, identity, swallow) or _is_done_again(analysis, appends, identity, append, swallow):
        return "low"
    if isinstance(lost, str) and is_made_by_its_reader(analysis, append):
        return "low"
    if not append.rebuilt:
        return "low" if isinstance(lost, str) else "medium"
    return "high" if isinstance(lost, Mutation) and append.effect.distance < 3 and append.keys else "medium"


def _absence_tells(analysis: Analysis, answers: Answers, identity: FunctionId, swallow: Swallow) -> bool:
    """Whether the function gives back nothing after the failure and something otherwise, and some caller looks at that."""
    returned = {n: e.value for n, e in enumerate(analysis.view.function(identity).events) if e.kind == "return"}
    failing = [value for n, value in returned.items() if n in swallow.after]
    gives = any(value not in (None, NONE) for n, value in returned.items() if n not in swallow.after)
    if not gives or any(value not in (None, NONE) for value in failing):
        return False
    return any(not answers.is_ignored(caller, call) for caller, call in analysis.view.call_graph.callers(identity))


def _is_done_again(analysis: Analysis, appends: Appends, identity: FunctionId, append: Append, swallow: Swallow) -> bool:
    """Whether the next call makes up for it: the store is asked first, and what is missing is got or made from elsewhere."""
    before = [
        n for n in range(append.event)
        if any(e.kind == "read" and e.keys & append.keys for e in analysis.summaries.effects_at(identity, n))
    ]
    if any(n in swallow.tried for n in before):
        return True
    given = frozenset().union(*(ingredients(analysis, appends, identity, e.event, e.contents) for e in append.effects))
    return bool(before) and all(kind != "param" or what in _places(append) for kind, what in given)


def _places(append: Append) -> frozenset[str]:
    """The parameters that say where something is written: they are no content."""
    return frozenset().union(*(parameters(effect.place) for effect in append.effects))


def _finding(
    analysis: Analysis, identity: FunctionId, append: Append, swallow: Swallow, lost: Told | str, confidence: Confidence
) -> Finding:
    store = store_name(append.effect)
    reader = append.reader(analysis)
    flow = [FlowStep(identity, append.event, f"changes {store}; can fail"),
            FlowStep(swallow.owner, swallow.at, "the failure ends here")]
    if isinstance(lost, Mutation):
        flow.append(FlowStep(identity, lost.event, f"{short_cell(lost.cells)} is changed all the same"))
    elif isinstance(lost, StoreEffect):
        flow.append(FlowStep(identity, lost.event, f"{store_name(lost)} is told that it was made"))
    flow.append(FlowStep(reader.function, reader.effect.event, f"reads {store} back"))
    reading = analysis.program.symbol(reader.function)
    return Finding(
        function=identity, event=append.event, kind="swallowed", confidence=confidence,
        fields={"store": store, "line": At(identity, append.event), "reader": reading,
                "handler": At(swallow.owner, swallow.at)},
        flow=tuple(flow),
        evidence=(Evidence(f"`{reading}` reads {store} back", reader.function, reader.effect.event),),
        chain=("swallowed", append.effect.kind, *sorted(append.keys)[:1]),
        facts={
            "stands": "" if isinstance(lost, str) else "yes",
            "handler": At(swallow.owner, swallow.at, PLACE) if swallow.owner == identity and not swallow.returns else "",
        },
    )
