"""What a rewrite that copies an image wants to know."""

from __future__ import annotations

from collections.abc import Iterable

from ctxlint.calls.types import Instance, in_order
from ctxlint.checks.analysis import Analysis
from ctxlint.checks.finding import Word
from ctxlint.roles.image import Image, shares, steps_below
from ctxlint.roles.mutated import Change


def image_facts(analysis: Analysis, image: Image, changes: Iterable[Change]) -> dict[str, Word]:
    """How many levels are to be copied, and the class of what is handed out."""
    levels = [steps_below(change.place, image.holder) + 1 - image.folded for change in changes if shares(image, change.place)]
    function, event = image.where
    it = analysis.view.event(function, event)
    inference = analysis.view.inference
    types = inference.of_event(function, event) if it.kind in ("read", "call") else inference.of_value(function, event, it.value)
    names = [each.name for each in in_order(types) if isinstance(each, Instance)]
    elements = [each.name if isinstance(each, Instance) else "?" for each in in_order(inference.item(types))]
    return {
        "levels": str(max(levels, default=0)), "type": names[0] if len(names) == 1 else "", "elements": " ".join(elements),
    }
