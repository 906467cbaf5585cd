"""The report as one page: no other file and no address is needed to read it, and it runs no script but its own.

Everything can be read without the script, which only filters and switches between light and dark.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from importlib.resources import files
from itertools import groupby
from typing import NamedTuple

from ctxlint.diagnostic import CONFIDENCES, SEVERITIES, Diagnostic
from ctxlint.knowledge.rules import Rule, sections
from ctxlint.report.html_code import Excerpts
from ctxlint.report.html_finding import article
from ctxlint.report.html_text import escaped, prose, with_code
from ctxlint.report.places import posix_path
from ctxlint.report.sarif_text import numbered
from ctxlint.report.summary import comparison_line, coverage_line, unseen_line
from ctxlint.report.surroundings import Surroundings
from ctxlint.report.text import why_hidden
from ctxlint.result import Report

NOTHING_PASSES, NOTHING_FOUND = "No finding passes the filters.", "Nothing was found."


class _Entry(NamedTuple):
    """A finding of the page: the name of its place, and why it does not count."""

    finding: Diagnostic
    anchor: str
    tag: str


def render_html(
    report: Report,
    rules: Iterable[Rule],
    surroundings: Surroundings,
    version: str,
    suppressed: Sequence[Diagnostic] = (),
) -> str:
    """Return the page of a run: the findings of `report`, and those of `suppressed`, which say why they do not count.

    `rules` are those that ran; the page explains those that found something.
    """
    anchors = numbered([f"f-{one.fingerprint}" for one in (*report.diagnostics, *suppressed)])
    entries = [_Entry(one, anchor, "") for one, anchor in zip(report.diagnostics, anchors)]
    entries += [_Entry(one, anchor, why_hidden(one)) for one, anchor in zip(suppressed, anchors[len(entries):])]
    entries.sort(key=lambda entry: (entry.finding.path, entry.finding.span))
    excerpts = Excerpts(surroundings)
    style, script = ((files("ctxlint.report") / "page" / name).read_text("utf-8") for name in ("page.css", "page.js"))
    title = f"ctxlint: {surroundings.root.name}"
    return "".join([
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
        f'<meta http-equiv="Content-Security-Policy" content="{_policy(style, script)}">\n',
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n',
        f"<title>{escaped(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n",
        _masthead(report, entries, surroundings, version),
        '<div class="columns">\n',
        _sidebar(entries, surroundings),
        "<main>\n",
        *_not_analysed(report, surroundings),
        *(article(one.finding, one.anchor, one.tag, surroundings.root, excerpts) for one in entries),
        f'<p class="nothing"{" hidden" if entries else ""}>{NOTHING_PASSES if entries else NOTHING_FOUND}</p>\n',
        *_explanations(rules, {entry.finding.code for entry in entries}),
        f"</main>\n</div>\n<script>{script}</script>\n</body>\n</html>\n",
    ])


def _policy(style: str, script: str) -> str:
    """Return what the page may do: apply this style, run this script, load nothing."""
    own = f"style-src '{_hash(style)}'; script-src '{_hash(script)}'"
    return f"default-src 'none'; {own}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _masthead(report: Report, entries: Sequence[_Entry], surroundings: Surroundings, version: str) -> str:
    counting = [entry.finding for entry in entries if not entry.tag]
    by_severity = Counter(one.severity for one in counting)
    tiles = "".join(_tile(severity, by_severity[severity]) for severity in SEVERITIES)
    about = comparison_line(report) + coverage_line(report.coverage) + "\n" + unseen_line(report)
    problems = "".join(f"<li>{escaped(problem)}</li>" for problem in report.problems)
    return (
        f'<header class="masthead"><div><p class="tool">ctxlint {escaped(version)}</p>'
        f'<h1>{escaped(surroundings.root.name or "/")}</h1><p class="coverage">{escaped(about)}</p></div>'
        f'<ul class="tiles">{tiles}</ul>'
        '<button id="theme" type="button" hidden>Light or dark</button></header>\n'
        + (f'<ul class="problems">{problems}</ul>\n' if problems else "")
    )


def _tile(severity: str, count: int) -> str:
    noun = severity if count == 1 else f"{severity}s"
    return f'<li class="tile {severity}{"" if count else " none"}"><b>{count}</b> {noun}</li>'


def _sidebar(entries: Sequence[_Entry], surroundings: Surroundings) -> str:
    if not entries:
        return ""
    return f"<nav>{_filters(entries)}<p class=\"shown\" aria-live=\"polite\"></p>{''.join(_index(entries, surroundings))}</nav>\n"


def _filters(entries: Sequence[_Entry]) -> str:
    codes = Counter((entry.finding.code, entry.finding.name) for entry in entries)
    confidences = Counter(entry.finding.confidence for entry in entries)
    rules = "".join(_box("rule", code, f"{code} {name}", count) for (code, name), count in sorted(codes.items()))
    sureness = "".join(_box("confidence", one, one, confidences[one]) for one in CONFIDENCES if confidences[one])
    return (
        '<form id="filters" hidden><label class="path">Path '
        '<input type="search" name="path" placeholder="part of a path" autocomplete="off"></label>'
        f"<fieldset><legend>Confidence</legend>{sureness}</fieldset><fieldset><legend>Rules</legend>{rules}</fieldset></form>"
    )


def _box(name: str, value: str, label: str, count: int) -> str:
    box = f'<input type="checkbox" name="{name}" value="{escaped(value)}" checked>'
    return f"<label>{box}<span>{escaped(label)}</span><b>{count}</b></label>"


def _index(entries: Sequence[_Entry], surroundings: Surroundings) -> Iterator[str]:
    """Yield the list of all findings, a part for each file."""
    for path, group in groupby(entries, key=lambda entry: entry.finding.path):
        items = "".join(
            f'<li class="{entry.finding.severity}{" hushed" if entry.tag else ""}"><a href="#{escaped(entry.anchor)}">'
            f"<span>{entry.finding.span.line}</span>{escaped(entry.finding.code)} {escaped(entry.finding.name)}</a></li>"
            for entry in group
        )
        yield f'<section class="file"><h2>{_breakable(posix_path(path, surroundings.root))}</h2><ul>{items}</ul></section>'


def _breakable(path: str) -> str:
    """Return a path that a narrow column may break after its slashes."""
    return escaped(path).replace("/", "/<wbr>")


def _not_analysed(report: Report, surroundings: Surroundings) -> Iterator[str]:
    failures = report.coverage.not_analysed
    if failures:
        items = "".join(
            f"<li><code>{escaped(posix_path(one.path, surroundings.root))}</code>: {escaped(f'{one.reason} ({one.detail})')}</li>"
            for one in failures
        )
        said = "<h2>Not analysed</h2><p>Nothing is known about these files.</p>"
        yield f'<section class="failures">{said}<ul>{items}</ul></section>\n'


def _explanations(rules: Iterable[Rule], codes: set[str]) -> Iterator[str]:
    """Yield what the rules that found something say about themselves."""
    explained = [rule for rule in rules if rule.code in codes]
    if explained:
        yield '<section class="rules"><h2>The rules</h2>'
        for rule in explained:
            texts = "".join(f"<h3>{escaped(heading)}</h3>{prose(text)}" for heading, text in sections(rule.doc).items())
            yield (
                f'<details><summary><span class="rule">{escaped(rule.code)}</span> {escaped(rule.name)}</summary>'
                f'<div id="rule-{escaped(rule.code)}"><p>{with_code(rule.title)}.</p>{texts}</div></details>'
            )
        yield "</section>\n"
