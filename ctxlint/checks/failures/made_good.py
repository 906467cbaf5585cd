"""Changes of durable state that are made good for when they fail: somebody notices that they are missing, and makes them again."""

from __future__ import annotations

from ctxlint.calls.effects import StoreEffect
from ctxlint.calls.identity import FunctionId
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.failures.appends import Append
from ctxlint.checks.fetched import is_fetched
from ctxlint.checks.fresh_guards import condition_sources
from ctxlint.checks.healed import is_written_where_it_differs
from ctxlint.checks.marks import is_only_compared
from ctxlint.checks.rewrites import Rewrite


def is_made_again(analysis: Analysis, identity: FunctionId, append: Append) -> bool:
    """Whether the file that keeps what it held is asked for, or compared with what is wanted, and then written once more."""
    effect = append.effect
    if effect.medium != "file" or effect.kind != "write" or not append.readers:
        return False
    rewrite = Rewrite(identity, effect, effect.place, append.readers, True)
    return (
        is_fetched(analysis, rewrite) or is_written_where_it_differs(analysis, rewrite)
        or all(is_only_compared(analysis, reader) for reader in append.readers)
    )


def is_made_by_its_reader(analysis: Analysis, append: Append) -> bool:
    """Whether who reads it back makes it by the same operation when it is missing."""
    wanted = _operation(analysis, append.effect)
    reader = append.reader(analysis)
    return bool(wanted) and any(
        effect.kind == append.effect.kind and effect.keys & append.keys and _operation(analysis, effect) == wanted
        and any(source.event == reader.effect.event for source in condition_sources(analysis, reader.function, effect.event))
        for effect in analysis.summaries.of(reader.function).effects
    )


def _operation(analysis: Analysis, effect: StoreEffect) -> str:
    """What the method is called by which a store is changed."""
    path = analysis.view.event(*effect.origin).path
    return path.steps[-1] if path is not None and path.steps else ""
