"""What the analysis sees: who calls whom, what a function does, the roles in a program, and why a line is no finding."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from ctxlint.beliefs import Believed, Explanation, Fact, Place, Verdict
from ctxlint.calls.edges import edges
from ctxlint.calls.guards import Guards
from ctxlint.calls.identity import FunctionId
from ctxlint.calls.program import LinkedModule, link
from ctxlint.checks.analysis import Analysis, Silence
from ctxlint.checks.finding import Finding
from ctxlint.checks.run import Options, find
from ctxlint.checks.wording import short_cell, store_name
from ctxlint.engine import Request, files_of, plan
from ctxlint.errors import UsageError
from ctxlint.flow.landing import pads, targets_of_raise
from ctxlint.ir.describe import block_name, describe_function
from ctxlint.ir.function import Function
from ctxlint.knowledge.models import Models, load_models
from ctxlint.knowledge.rules import Rule
from ctxlint.linking import linked, view_of
from ctxlint.result import Called, Coverage, Described, NotAnalysed
from ctxlint.roles.inventory import Role, roles_of
from ctxlint.stack import with_room_and_no_cyclic_collection
from ctxlint.workers import Workers, lower_files

ROUNDS = 4
"""How often a call graph that is printed looks at what callers pass; rules look once."""

MAX_CALLERS = 2
"""How many calls up a question about a line is looked for: a helper's line is often judged where it is called."""


def discover_roles(request: Request) -> tuple[Believed, ...]:
    """Return the roles that the analysis believes in, by kind and name; raises a CtxlintError as `engine.plan` does."""
    analysis = _questions(request)
    return tuple(_believed(analysis, role) for role in roles_of(analysis.summaries, analysis.stores, analysis.cells, analysis.guards))


def why_not(request: Request, path: str, line: int, code: str = "") -> Explanation:
    """Say why the rules (or the rule `code`) are silent about a line of a file of the request.

    Raises UsageError when the file is none of the request's, or the line holds nothing that runs.
    """
    planned = plan(request)
    rules = [rule for rule in planned.rules.values() if rule.check and code in ("", rule.code)]
    analysis = _questions(request)
    there = _events_at(analysis, os.path.abspath(path), line)
    if not there:
        raise UsageError(f"{path}:{line}: no statement that the analysis knows; name a line on which one begins")
    options = {rule.code: dict(request.configuration.options(rule)) for rule in rules}
    verdicts = tuple(_verdict(analysis, rule, options, there) for rule in rules)
    function = max(there, key=lambda place: analysis.view.function(place[0]).span.line)[0]
    return Explanation(Place(os.path.abspath(path), line), analysis.program.symbol(function), tuple(_seen(analysis, there)), verdicts)


def called(request: Request) -> Called:
    """Return which functions of the files call which, every call resolved as far as can be."""
    models = _models(request)
    with with_room_and_no_cyclic_collection():
        modules, problems = _linked(request)
        found = edges(view_of(link(modules), models, ROUNDS))
        functions = sum(len(module.ir.functions) for module in modules.values())
        coverage = Coverage(len(modules), functions, tuple(problems))
        return Called(found.calls, found.sites, found.unknown, coverage, models.problems)


def described(request: Request, name: str) -> Described:
    """Return what each function of that qualified name does, with the locks held and the handlers that raises lead to."""
    with with_room_and_no_cyclic_collection():
        modules, problems = _linked(request)
        guards = Guards(view_of(link(modules), _models(request)))
        texts = []
        names: dict[str, None] = {}
        for key, module in modules.items():
            for index, function in enumerate(module.ir.functions):
                names[function.qualname] = None
                if function.qualname == name:
                    texts.append(describe_function(function, _notes(guards, FunctionId(key, index), function)))
        return Described(tuple(texts), tuple(names), tuple(problems))


def _notes(guards: Guards, identity: FunctionId, function: Function) -> dict[int, str]:
    """For the events that happen under locks, the events that acquired these; for a `raise`, the handlers it leads to."""
    notes: dict[int, str] = {}
    for number, (event, pad) in enumerate(zip(function.events, pads(function))):
        said = []
        targets = targets_of_raise(function, number, pad) if event.kind == "raise" else (pad,)
        if targets != (pad,):
            said.append(f"to {', '.join([block_name(target) for target in targets])}")
        sites = sorted(guards.held(identity, number))
        if sites:
            said.append(f"holds {', '.join([f'#{site}' for site in sites])}")
        if said:
            notes[number] = ", ".join(said)
    return notes


def _questions(request: Request) -> Analysis:
    """What may be asked about the program; files that cannot be read are left out."""
    with with_room_and_no_cyclic_collection():
        modules, _ = _linked(request)
        return Analysis(view_of(link(modules), _models(request)))


def _linked(request: Request) -> tuple[dict[str, LinkedModule], list[NotAnalysed]]:
    files = files_of(request)
    workers = Workers(request.configuration.settings.jobs, request.executor)
    return linked(files, lower_files(files, request.tree, None, workers, request.progress))


def _models(request: Request) -> Models:
    configuration = request.configuration
    return load_models(configuration.paths(configuration.settings.model_paths))


def _believed(analysis: Analysis, role: Role) -> Believed:
    return Believed(role.kind, role.name, tuple(_fact(analysis, e.text, e.function, e.event) for e in role.evidence))


def _fact(analysis: Analysis, text: str, function: FunctionId, event: int, shown_by: Sequence[tuple[FunctionId, int]] = ()) -> Fact:
    shown = tuple(dict.fromkeys(_place(analysis, *where) for where in shown_by))
    return Fact(text, analysis.program.symbol(function), _place(analysis, function, event), shown)


def _place(analysis: Analysis, function: FunctionId, event: int) -> Place:
    return Place(analysis.program.path(function), analysis.view.line(function, event))


def _events_at(analysis: Analysis, path: str, line: int) -> list[tuple[FunctionId, int]]:
    """The events of the line; those of a statement that spans it, where none begins on it."""
    begins, spans = [], []
    for identity in analysis.program.functions():
        if analysis.program.path(identity) == path:
            for number, event in enumerate(analysis.view.function(identity).events):
                if event.span.line == line:
                    begins.append((identity, number))
                elif event.span.line < line <= event.span.end_line:
                    spans.append((identity, number))
    return begins or spans


def _seen(analysis: Analysis, there: Sequence[tuple[FunctionId, int]]) -> Iterator[str]:
    """What the analysis knows of the events: effects on stores, changed cells, holds, suspension points, unknown calls."""
    said = set()
    for identity, number in there:
        for sentence in _sentences(analysis, identity, number):
            if sentence not in said:
                said.add(sentence)
                yield sentence


def _sentences(analysis: Analysis, identity: FunctionId, number: int) -> Iterator[str]:
    for effect in analysis.summaries.effects_at(identity, number):
        below = f", {effect.distance} calls down" if effect.distance > 1 else ""
        yield f"{effect.kind}s {store_name(effect)} ({effect.medium}{below})"
    for mutation in analysis.summaries.mutations_at(identity, number):
        if mutation.cells:
            yield f"changes `{short_cell(mutation.cells)}` ({mutation.how})"
    event = analysis.view.event(identity, number)
    if event.kind == "suspend" and analysis.summaries.suspends(identity, number):
        yield "is a suspension point"
    if event.kind == "call" and any(call.unknown for call in analysis.view.calls(identity, number)):
        yield "calls something that the analysis could not resolve"
    for site in sorted(analysis.guards.held(identity, number)):
        yield f"holds the lock acquired on line {analysis.view.line(identity, site)}"


def _verdict(
    analysis: Analysis, rule: Rule, options: dict[str, Options], there: Sequence[tuple[FunctionId, int]]
) -> Verdict:
    analysis.silences = []
    try:
        found = find((rule,), options, analysis)[rule.code]
        noted = analysis.silences
    finally:
        analysis.silences = None
    places = frozenset(there)
    reported = next((_reported(analysis, finding, places) for finding in found if _touches(finding, places)), "")
    return Verdict(rule.code, rule.name, reported, () if reported else _facts(analysis, noted, places))


def _touches(finding: Finding, places: frozenset[tuple[FunctionId, int]]) -> bool:
    return (finding.function, finding.event) in places or any((step.function, step.event) in places for step in finding.flow)


def _reported(analysis: Analysis, finding: Finding, places: frozenset[tuple[FunctionId, int]]) -> str:
    if (finding.function, finding.event) in places:
        return f"reported, confidence {finding.confidence}"
    where = _place(analysis, finding.function, finding.event)
    return f"a step of what is reported at {os.path.basename(where.path)}:{where.line}, confidence {finding.confidence}"


def _facts(analysis: Analysis, noted: Sequence[Silence], places: frozenset[tuple[FunctionId, int]]) -> tuple[Fact, ...]:
    """The facts noted about the events; else about the nearest line of the function; else about the calls that lead to it."""
    functions = {function for function, _ in places}
    line = analysis.view.line(*min(places, key=lambda place: place[1]))
    near = sorted((s for s in noted if s.function in functions), key=lambda s: abs(analysis.view.line(s.function, s.event) - line))
    nearest = near[:1] and analysis.view.line(near[0].function, near[0].event)
    levels = [
        [s for s in noted if (s.function, s.event) in places],
        [s for s in near if analysis.view.line(s.function, s.event) == nearest],
    ]
    callers = places
    for _ in range(MAX_CALLERS):
        callers = frozenset(site for identity, _ in callers for site in analysis.view.call_graph.callers(identity))
        levels.append([s for s in noted if (s.function, s.event) in callers])
    return _told_once(analysis, next((level for level in levels if level), []))


def _told_once(analysis: Analysis, silences: Sequence[Silence]) -> tuple[Fact, ...]:
    """Each fact once for each place, with all that shows it."""
    together: dict[tuple[str, FunctionId, int], list[Silence]] = {}
    for s in silences:
        together.setdefault((s.fact, s.function, analysis.view.line(s.function, s.event)), []).append(s)
    return tuple(
        _fact(analysis, same[0].fact, same[0].function, same[0].event, [where for s in same for where in s.shown_by])
        for same in together.values()
    )
