"""`overwrites`: the only copy of something that is read back is overwritten in place.

A crash or a failing serialiser between the truncation and the last byte leaves neither the old content nor the new.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from ctxlint.calls.identity import FunctionId
from ctxlint.calls.program import LinkedModule
from ctxlint.calls.terms import text_of
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.files.atomic_helpers import AtomicHelpers
from ctxlint.checks.files.derivable import why_it_can_be_made_again
from ctxlint.checks.files.fallbacks import Fallbacks
from ctxlint.checks.files.private_files import PrivateFiles
from ctxlint.checks.files.working_files import is_written_anew_before_reading
from ctxlint.checks.finding import At, Evidence, Finding, FlowStep
from ctxlint.checks.handlers import Handler, handlers_of
from ctxlint.checks.pairs import is_parsed, is_serialised
from ctxlint.checks.rewrites import Rewrite, Rewrites, is_emptied_to_be_read, is_named_by_caller
from ctxlint.checks.torn_loads import handlers_of_garbage, taken_for_nothing
from ctxlint.diagnostic import Confidence
from ctxlint.flow.paths import path, reachable
from ctxlint.ir.value import Result, Value
from ctxlint.roles.stores import Access


def overwrites(
    analysis: Analysis, inode_users: Sequence[str] = (), watchers: Sequence[str] = (),
    regular: Sequence[str] = (), special: Sequence[str] = (),
    private_makers: Sequence[str] = (), mode_setters: Sequence[str] = (), mode_openers: Sequence[str] = (),
) -> Iterator[Finding]:
    """Report every in-place overwrite of a file that some function of the program reads back.

    `inode_users` are modules that know an open file by its inode, which replacing it changes, `watchers` such that watch files
    from anywhere in the program. `regular` and `special` are those of `Fallbacks`, the last three those of `PrivateFiles`.
    """
    rewrites = Rewrites(analysis)
    helpers = AtomicHelpers(analysis, PrivateFiles(analysis, private_makers, mode_setters, mode_openers))
    fallbacks = Fallbacks(analysis, regular, special)
    watched = any(imports(module, watchers) for module in analysis.program.modules.values())
    shown: set[tuple[FunctionId, int]] = set()
    for rewrite in rewrites.read_back():
        if rewrite.opening in shown:
            continue
        fact = why_it_can_be_made_again(analysis, rewrites, rewrite)
        if fact:
            reader = rewrite.readers[0]
            analysis.spare(rewrite.function, rewrite.effect.event, fact, (reader.function, reader.effect.event))
            continue
        shown.add(rewrite.opening)
        found = finding(analysis, rewrite)
        modules = {rewrite.function.module, *(reader.function.module for reader in rewrite.readers)}
        if watched or any(imports(analysis.program.modules[name], inode_users) for name in modules):
            found.facts["held-by-inode"] = "yes"
        if is_named_by_caller(rewrite.place):
            found.facts["named-by-caller"] = "yes"
        if any(imports(analysis.program.modules[name], watchers) for name in modules | owning_modules(analysis, rewrite)):
            found.facts["watched"] = "yes"
        reasons = fallbacks.why(*rewrite.opening)
        if reasons:
            found.facts["not-replaced"] = ", or ".join(text for text, _, _ in reasons)
            found = msgspec.structs.replace(found, evidence=(*found.evidence, *[Evidence(*reason) for reason in reasons]))
        function = found.function
        near = [
            ":".join((
                "" if helper.function.module == function.module else helper.function.module, helper.name, helper.content, helper.path,
                "encoding" if helper.asks_encoding else ""))
            for helper in helpers.for_module(function.module, function)
        ]
        if near:
            found.facts["helpers"] = " ".join(near)
        yield found


def imports(module: LinkedModule, packages: Sequence[str]) -> bool:
    """Whether a module imports something of one of the packages."""
    return any(statement.target.partition(".")[0] in packages for statement in module.ir.imports)


def owning_modules(analysis: Analysis, rewrite: Rewrite) -> set[str]:
    """The modules of the class that writes, and of its bases."""
    info = analysis.program.class_(analysis.program.owner(rewrite.function) or "")
    return {base.module for each in info.mro if (base := analysis.program.class_(each)) is not None} if info is not None else set()


def finding(analysis: Analysis, rewrite: Rewrite) -> Finding:
    """The argument: where the file is truncated, what is still to be written, who reads it back."""
    identity, event = rewrite.opening
    reader = rewrite.readers[0]
    serialises = serialises_after_opening(analysis, rewrite)
    emptied = next((r for r in rewrite.readers if taken_for_nothing(analysis, r)), None)
    place = text_of(rewrite.place)
    kind = "truncate-then-serialise" if serialises is not None else "loaded-as-empty" if emptied is not None else "in-place"
    confidence = confidence_in(analysis, rewrite, kind)
    if is_emptied_to_be_read(analysis, rewrite.effect):
        kind, serialises, confidence = "emptied-to-be-read", None, "high"
    elif serialises is not None and was_text_before(analysis, rewrite.function, serialises):
        serialises, kind = None, "loaded-as-empty" if emptied is not None else "in-place"
        confidence = "medium" if confidence == "high" and emptied is None else confidence
    flow = [FlowStep(identity, event, f"truncates {place}")]
    if serialises is not None:
        flow.append(FlowStep(rewrite.function, serialises, "can fail here: the value is serialised after the file was emptied"))
    if emptied is not None and kind == "loaded-as-empty":
        reader = emptied
    flow.append(FlowStep(reader.function, reader.effect.event, f"reads {place} back"))
    return Finding(
        function=identity, event=event, kind=kind, confidence=confidence,
        fields={"place": place, "reader": analysis.program.symbol(reader.function), "line": At(identity, event)},
        flow=tuple(flow),
        evidence=(Evidence(f"`{analysis.program.symbol(reader.function)}` reads {place} back", reader.function, reader.effect.event),),
        chain=("overwrite", place, *sorted(rewrite.effect.keys)[:1]),
        facts={},
    )


def confidence_in(analysis: Analysis, rewrite: Rewrite, kind: str) -> Confidence:
    """How sure it is that the file is state that the program depends on.

    A writer and a reader that are both told their paths, by nobody in common, were one pair in half of the findings that were
    judged.
    """
    if rewrite.apart or shares_only_a_name(rewrite) or is_written_anew_before_reading(analysis, rewrite):
        return "low"
    if is_edit(analysis, rewrite) or shares_only_a_folder(analysis, rewrite) or is_given_up_in_silence(analysis, rewrite):
        return "low"
    certain = kind != "in-place"
    if not rewrite.known or is_only_continued(analysis, rewrite):
        return "medium" if certain and kind != "loaded-as-empty" else "low"
    return "high" if certain else "medium"


def is_only_continued(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether nobody reads the file but the function that then writes it again (a log, or somebody else's settings), or one
    that it calls on another way than the one that writes.
    """
    return all(
        (reader.function == rewrite.function and reader.effect.distance == 0) or is_called_on_another_way(analysis, rewrite, reader)
        for reader in rewrite.readers
    )


def is_called_on_another_way(analysis: Analysis, rewrite: Rewrite, reader: Access) -> bool:
    """Whether only the writing function calls the reading one, and whoever has called it never comes to the write."""
    graph, write = analysis.view.graph(rewrite.function), rewrite.effect.event
    sites = analysis.view.call_graph.callers(reader.function)
    return reader.function != rewrite.function and bool(sites) and all(
        caller == rewrite.function and call != write and path(graph, call, write) is None and path(graph, write, call) is None
        for caller, call in sites
    )


def is_given_up_in_silence(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether the program says of both ends that it can do without: a save that fails and a load that fails are passed over
    without a word.
    """
    def unsaid(identity: FunctionId, handler: Handler) -> bool:
        kinds = [analysis.view.event(identity, number).kind for number in handler.body]
        return handler.broad and "raise" not in kinds and "write" not in kinds and not any(
            analysis.view.event(identity, number).kind == "call" and analysis.view.event(identity, number).arguments
            for number in handler.body
        )

    saves = any(
        handler.catches_failure_of(rewrite.effect.event) and handler.swallows and unsaid(rewrite.function, handler)
        for handler in handlers_of(analysis, rewrite.function)
    )
    return saves and all(
        any(unsaid(reader.function, handler) for handler in handlers_of_garbage(analysis, reader)) for reader in rewrite.readers
    )


def shares_only_a_folder(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether writer and readers have no more in common than a folder in which each names its own files."""
    owner = analysis.program.owner(rewrite.function)
    ends = ("/*", "()") if is_named_by_caller(rewrite.place) else ("/*",)
    for reader in rewrite.readers:
        common = reader.effect.keys & rewrite.effect.keys
        if not common or any(not key.endswith(ends) for key in common):
            return False
        if reader.function.module == rewrite.function.module or owner is not None and owner == analysis.program.owner(reader.function):
            return False
    return True


def shares_only_a_name(rewrite: Rewrite) -> bool:
    """Whether writer and readers have no more in common than what the file is called, in folders that are not known to be one."""
    common = [reader.effect.keys & rewrite.effect.keys for reader in rewrite.readers]
    return all(keys and all(":" in key for key in keys) for keys in common) and all(
        reader.effect.place != rewrite.place for reader in rewrite.readers
    )


def is_edit(analysis: Analysis, rewrite: Rewrite) -> bool:
    """Whether a text is changed for whoever named the file, or nobody but the one who changes it reads it."""
    if is_serialised(analysis, Access(rewrite.function, rewrite.effect)):
        return False
    return is_named_by_caller(rewrite.place) or all(
        reader.function == rewrite.function and not is_parsed(analysis, reader) for reader in rewrite.readers
    )


def serialises_after_opening(analysis: Analysis, rewrite: Rewrite) -> int | None:
    """The event that turns the value into text once the file is already empty, if there is one."""
    identity, opening = rewrite.function, rewrite.effect.event
    following = reachable(analysis.view.graph(identity), opening)
    origins = analysis.view.origins(identity)
    written = {
        what
        for value in rewrite.effect.contents
        for kind, what in origins.roots(value, len(analysis.view.function(identity).events) - 1)
        if kind == "result"
    }
    for number, event in enumerate(analysis.view.function(identity).events):
        if number <= opening or event.kind != "call" or number not in following or analysis.view.does(identity, number, "serialises", "saves") is None:
            continue
        arguments: list[Value] = [argument.value for argument in event.arguments]
        if number in written or any(value in rewrite.effect.contents for value in arguments) or Result(number) in rewrite.effect.contents:
            return number
    return None


def was_text_before(analysis: Analysis, identity: FunctionId, at: int) -> bool:
    """Whether what is serialised is put together from constants and from what was parsed here: it can become text again."""
    values = [argument.value for argument in analysis.view.event(identity, at).arguments[:1]]
    roots = frozenset().union(*(analysis.view.origins(identity).roots(value, at, mutations=True) for value in values))
    return bool(roots) and all(
        kind == "constant" or kind == "result" and isinstance(what, int) and analysis.view.does(identity, what, "parses") is not None
        for kind, what in roots
    )
