"""One finding in a page: its claim, the interleaving, the flow on the code, the scenario, the evidence and the fix."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ctxlint.diagnostic import Diagnostic, Edit, Fix, Step
from ctxlint.report.html_code import Excerpts, figure
from ctxlint.report.html_text import escaped, with_code
from ctxlint.report.places import posix_path, shown_places
from ctxlint.report.text import where_it_stands


def article(one: Diagnostic, anchor: str, tag: str, root: Path, excerpts: Excerpts) -> str:
    """Return a finding; `anchor` is its name in the page, and `tag` says why it does not count (empty when it does)."""
    path = posix_path(one.path, root)
    state = f'<span class="tag">{escaped(tag)}</span>' if tag else ""
    opening = (
        f'<article id="{escaped(anchor)}" class="finding {one.severity}{" hushed" if tag else ""}" data-rule="{escaped(one.code)}"'
        f' data-confidence="{one.confidence}" data-path="{escaped(path)}">'
    )
    what = (
        f'<p class="what"><a class="rule" href="#rule-{escaped(one.code)}">{escaped(one.code)}</a>'
        f'<span class="name">{escaped(one.name)}</span><span class="severity">{one.severity}</span>'
        f'<span class="confidence">{one.confidence} confidence</span>{state}</p>'
    )
    place = f'<a href="#{escaped(anchor)}">{escaped(path)}:{one.span.line}</a> in <code>{escaped(one.symbol)}</code>'
    parts = [
        opening,
        f'<header>{what}<h2>{with_code(_sentence(one.message))}</h2><p class="place">{place}</p></header>',
        _interleaving(one, excerpts),
        excerpts.drawn(one.flow or (Step(one.path, one.span, one.message),)),
        f'<p class="scenario">{with_code(_sentence(one.scenario))}</p>' if one.scenario else "",
        _evidence(one, root),
        *(_fix(fix, root) for fix in one.fixes),
        "</article>\n",
    ]
    return "".join(parts)


def _interleaving(one: Diagnostic, excerpts: Excerpts) -> str:
    """Return who acts when in two columns, if somebody besides the code acts at all."""
    others = list(dict.fromkeys(step.by for step in one.flow if step.by))
    if not others:
        return ""
    rows = "".join(_turn(number, step, excerpts) for number, step in enumerate(one.flow, 1))
    head = f'<div class="lane"><code>{escaped(one.symbol)}</code></div><div class="lane">{escaped(", ".join(others))}</div>'
    return f'<div class="lanes" role="group" aria-label="who acts when"><div class="turn head">{head}</div>{rows}</div>'


def _turn(number: int, step: Step, excerpts: Excerpts) -> str:
    code = f"<code>{excerpts.line(step)}</code>"
    says = f'<b class="step{" other" if step.by else ""}">{number}</b>'
    if not step.by:
        own = f'<div class="act">{says}<div>{code}<p>{with_code(step.text)}</p></div></div>'
        return f'<div class="turn"><div class="lane">{own}</div><div class="lane"></div></div>'
    waits = f'<div class="act waits"><div>{code}<p>waits, at line {step.span.line}</p></div></div>'
    acts = f'<div class="act">{says}<div><p>{with_code(step.text)}</p></div></div>'
    return f'<div class="turn theirs"><div class="lane">{waits}</div><div class="lane">{acts}</div></div>'


def _evidence(one: Diagnostic, root: Path) -> str:
    lines = [shown_places(line, root) for line in one.evidence]
    lines += [where_it_stands(one.stands, root)] if one.stands is not None else []
    items = "".join(f"<li>{with_code(line)}</li>" for line in lines)
    return f'<div class="evidence"><h3>Why this is believed</h3><ul>{items}</ul></div>' if items else ""


def _fix(fix: Fix, root: Path) -> str:
    edits = "".join(_edit(edit, root) for edit in fix.edits)
    what = f'Fix <span class="tag">{fix.applicability}</span> {with_code(fix.message)}'
    return f'<details class="fix"><summary>{what}</summary>{edits}</details>'


def _edit(edit: Edit, root: Path) -> str:
    rows = "".join([*_changed_lines("gone", "−", edit.old), *_changed_lines("come", "+", edit.new)])
    return figure(f"{posix_path(edit.path, root)}:{edit.span.line}", rows)


def _changed_lines(kind: str, sign: str, text: str) -> Iterator[str]:
    for line in text.splitlines():
        yield f'<div class="line {kind}"><span class="sign">{sign}</span><code>{escaped(line)}\n</code></div>'


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
