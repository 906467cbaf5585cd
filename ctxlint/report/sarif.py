"""Findings as SARIF 2.1.0 (OASIS, errata 01), within what code scanning at GitHub accepts and shows.

The steps of a finding are a code flow, and related locations that the message links to.
Paths are relative to the root of the repository, whose URI is named once.
The same run gives the same bytes: nothing tells the time.

The library that has the classes of the format is imported here alone, and late: it takes longer than a small run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from ctxlint.diagnostic import CONFIDENCES, SEVERITIES, Confidence, Diagnostic, Edit, Fix, Severity, Step
from ctxlint.ir.span import Span
from ctxlint.knowledge.rules import Rule, sections
from ctxlint.report.line_hash import line_hashes
from ctxlint.report.rules_page import rule_page
from ctxlint.report.sarif_json import sarif_json
from ctxlint.report.sarif_text import (
    DESCRIPTION_LIMIT,
    LINKED_STEPS,
    NAME_LIMIT,
    cut,
    folder_uri,
    message_text,
    numbered,
    one_line,
    pascal_case,
    plain,
    plain_within,
    relative_uri,
    sentence,
)
from ctxlint.report.surroundings import Lines, Surroundings
from ctxlint.result import NotAnalysed, Report

if TYPE_CHECKING:
    import sarif_om

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT, LINE_HASH = "ctxlint/v1", "primaryLocationLineHash"
TAGS = ("reliability",)

RESULT_LIMIT = 25_000
"""Results in a file; one more and code scanning refuses all of them."""

FLOW_LIMIT = 1_000
"""Steps of a flow that code scanning keeps."""

_RANKS: Mapping[Confidence, float] = {"high": 90.0, "medium": 50.0, "low": 10.0}
_PROBLEM_SEVERITIES: Mapping[Severity, str] = {"error": "error", "warning": "warning", "note": "recommendation"}


def render_sarif(
    report: Report,
    rules: Iterable[Rule],
    surroundings: Surroundings,
    version: str,
    suppressed: Sequence[Diagnostic] = (),
) -> str:
    """Return one run as a SARIF log: the findings of `report`, then those of `suppressed`, which say so.

    `rules` are those that ran; every finding is of one of them.
    """
    return sarif_json(_Writer(tuple(rules), surroundings).log(report, suppressed, version))


class _Writer:
    """Builds the objects of one log; it keeps the texts of the files that it has looked into."""

    def __init__(self, rules: tuple[Rule, ...], surroundings: Surroundings) -> None:
        import sarif_om

        self._om = sarif_om
        self._rules = rules
        self._index = {rule.code: number for number, rule in enumerate(rules)}
        self._surroundings = surroundings
        self._files: dict[str, tuple[str, str | None]] = {}
        self._lines = Lines(surroundings.text_of)
        self._hashes: dict[str, Mapping[int, str]] = {}

    def log(self, report: Report, suppressed: Sequence[Diagnostic], version: str) -> sarif_om.SarifLog:
        om = self._om
        shown = _most_severe(report.diagnostics, RESULT_LIMIT)
        hidden = suppressed[: RESULT_LIMIT - len(shown)]
        left_out = len(report.diagnostics) + len(suppressed) - len(shown) - len(hidden)
        unique = numbered([one.fingerprint for one in (*shown, *hidden)])
        # A log says of all results whether they are suppressed, or of none.
        known: list[Any] | None = [] if hidden else None
        results = [self._result(one, key, known) for one, key in zip(shown, unique)]
        results += [self._result(one, key, self._suppressions(one)) for one, key in zip(hidden, unique[len(shown):])]
        driver = om.ToolComponent(
            name="ctxlint",
            full_name=f"ctxlint {version}",
            version=version,
            semantic_version=version,
            rules=[self._rule(rule) for rule in self._rules],
            notifications=[self._notification_kind(kind) for kind in _reasons(report)],
        )
        run = om.Run(
            tool=om.Tool(driver=driver),
            automation_details=om.RunAutomationDetails(id=f"{self._surroundings.category.rstrip('/')}/"),
            column_kind="unicodeCodePoints",
            original_uri_base_ids={ROOT: om.ArtifactLocation(uri=folder_uri(self._surroundings.root))},
            invocations=[self._invocation(report, left_out)],
            results=results,
        )
        return om.SarifLog(schema_uri=SCHEMA, version="2.1.0", runs=[run])

    def _invocation(self, report: Report, left_out: int) -> sarif_om.Invocation:
        om = self._om
        warnings = [*report.problems]
        if left_out:
            warnings.append(f"{left_out} findings are left out: a file holds {RESULT_LIMIT} at most")
        return om.Invocation(
            execution_successful=not report.incomplete,
            working_directory=om.ArtifactLocation(uri=folder_uri(self._surroundings.folder)),
            tool_execution_notifications=[self._not_analysed(one, report) for one in report.coverage.not_analysed],
            tool_configuration_notifications=[
                om.Notification(level="warning", message=self._message(sentence(text))) for text in warnings
            ],
        )

    def _not_analysed(self, failure: NotAnalysed, report: Report) -> sarif_om.Notification:
        om = self._om
        kind = _slug(failure.reason)
        return om.Notification(
            level="error",
            message=self._message(f"{sentence('not analysed: ' + failure.reason)} {sentence(failure.detail)}"),
            descriptor=om.ReportingDescriptorReference(id=kind, index=_reasons(report).index(kind)),
            locations=[om.Location(physical_location=self._place(failure.path, failure.span))],
        )

    def _notification_kind(self, kind: str) -> sarif_om.ReportingDescriptor:
        om = self._om
        short = om.MultiformatMessageString(text=sentence(f"A file could not be analysed: {kind.replace('-', ' ')}"))
        full = om.MultiformatMessageString(text="Nothing is known about this file, and the run counts as failed.")
        return om.ReportingDescriptor(id=kind, short_description=short, full_description=full, help=full)

    def _rule(self, rule: Rule) -> sarif_om.ReportingDescriptor:
        om = self._om
        what = sections(rule.doc)["What it does"].split("\n\n")[0]
        page = rule_page(rule)
        return om.ReportingDescriptor(
            id=rule.code,
            name=cut(pascal_case(rule.name), NAME_LIMIT),
            short_description=om.MultiformatMessageString(text=sentence(rule.title)),
            full_description=om.MultiformatMessageString(text=plain_within(what, DESCRIPTION_LIMIT)),
            help=om.MultiformatMessageString(text=plain(page), markdown=page),
            default_configuration=om.ReportingConfiguration(level=rule.severity),
            properties={
                "tags": list(TAGS),
                "precision": _precision(rule),
                "problem.severity": _PROBLEM_SEVERITIES[rule.severity],
            },
        )

    def _result(
        self, diagnostic: Diagnostic, fingerprint: str, suppressions: list[sarif_om.Suppression] | None
    ) -> sarif_om.Result:
        om = self._om
        where = om.Location(
            physical_location=self._place(diagnostic.path, diagnostic.span),
            logical_locations=[om.LogicalLocation(
                fully_qualified_name=diagnostic.symbol,
                kind="module" if diagnostic.symbol.startswith("<") else "function",
            )],
        )
        fingerprints = {FINGERPRINT: fingerprint}
        if line_hash := self._line_hash(diagnostic.path, diagnostic.span.line):
            fingerprints[LINE_HASH] = line_hash
        return om.Result(
            rule_id=diagnostic.code,
            rule_index=self._index[diagnostic.code],
            level=diagnostic.severity,
            rank=_RANKS[diagnostic.confidence],
            message=self._message(message_text(diagnostic, self._surroundings.root)),
            locations=[where],
            related_locations=[
                self._step(step, number) for number, step in enumerate(diagnostic.flow[:LINKED_STEPS], 1)
            ],
            code_flows=[self._flow(diagnostic.flow)] if diagnostic.flow else [],
            partial_fingerprints=fingerprints,
            suppressions=suppressions,
            baseline_state=diagnostic.state or None,
            fixes=[self._fix(fix) for fix in diagnostic.fixes],
            properties={
                "confidence": diagnostic.confidence, "kind": diagnostic.kind or None, "touched": diagnostic.touched or None,
            },
        )

    def _suppressions(self, hidden: Diagnostic) -> list[sarif_om.Suppression]:
        """Return why a finding that does not count is hidden; one that an earlier revision has is not suppressed."""
        if hidden.accepted:
            return [self._om.Suppression(kind="external", justification=hidden.accepted)]
        return [] if hidden.state else [self._om.Suppression(kind="inSource", justification=hidden.excused or None)]

    def _flow(self, flow: Sequence[Step]) -> sarif_om.CodeFlow:
        om = self._om
        # The end of a flow says why it matters, so a long one loses its middle.
        kept = flow if len(flow) <= FLOW_LIMIT else (*flow[: FLOW_LIMIT - 100], *flow[-100:])
        steps = [
            om.ThreadFlowLocation(location=self._step(step), execution_order=number, importance="essential")
            for number, step in enumerate(kept, 1)
        ]
        return om.CodeFlow(thread_flows=[om.ThreadFlow(locations=steps)])

    def _step(self, step: Step, number: int = -1) -> sarif_om.Location:
        """Return a step as a location; one with a number can be linked to."""
        return self._om.Location(
            id=number, physical_location=self._place(step.path, step.span), message=self._message(sentence(step.text))
        )

    def _fix(self, fix: Fix) -> sarif_om.Fix:
        om = self._om
        edits = sorted(fix.edits, key=lambda edit: (edit.path, edit.span))
        return om.Fix(
            description=self._message(sentence(f"{fix.message} ({fix.applicability})")),
            artifact_changes=[
                om.ArtifactChange(artifact_location=self._file(path), replacements=list(map(self._replacement, group)))
                for path, group in groupby(edits, key=lambda edit: edit.path)
            ],
        )

    def _replacement(self, edit: Edit) -> sarif_om.Replacement:
        om = self._om
        line, column, end_line, end_column = msgspec.structs.astuple(edit.span)
        return om.Replacement(
            deleted_region=om.Region(start_line=line, start_column=column, end_line=end_line, end_column=end_column),
            inserted_content=om.ArtifactContent(text=edit.new) if edit.new else None,
        )

    def _place(self, path: str, span: Span) -> sarif_om.PhysicalLocation:
        """Return a region of one line: of an alert in a pull request every line must be in the difference."""
        om = self._om
        column, end = one_line(span.column, span.end_column, span.line == span.end_line, self._lines.line(path, span.line))
        return om.PhysicalLocation(
            artifact_location=self._file(path),
            region=om.Region(start_line=span.line, start_column=column, end_line=span.line, end_column=end),
        )

    def _file(self, path: str) -> sarif_om.ArtifactLocation:
        if path not in self._files:
            uri = relative_uri(path, self._surroundings.root)
            self._files[path] = (Path(path).as_uri(), None) if uri is None else (uri, ROOT)
        uri, base = self._files[path]
        return self._om.ArtifactLocation(uri=uri, uri_base_id=base)

    def _message(self, text: str) -> sarif_om.Message:
        return self._om.Message(text=text)

    def _line_hash(self, path: str, line: int) -> str | None:
        if path not in self._hashes:
            text = self._surroundings.text_of(path)
            self._hashes[path] = {} if text is None else line_hashes(text)
        return self._hashes[path].get(line)


def _most_severe(diagnostics: Sequence[Diagnostic], limit: int) -> Sequence[Diagnostic]:
    """Return at most `limit` findings in their order, without the least severe and the least believed."""
    if len(diagnostics) <= limit:
        return diagnostics
    ranked = sorted(
        range(len(diagnostics)),
        key=lambda n: (SEVERITIES.index(diagnostics[n].severity), CONFIDENCES.index(diagnostics[n].confidence), n),
    )
    return [diagnostics[number] for number in sorted(ranked[:limit])]


def _precision(rule: Rule) -> Confidence:
    """Return how far the findings of a rule can be believed at best; each result says how far it is."""
    tiers: Iterator[Confidence] = (kind.confidence or "high" for kind in rule.kinds.values())
    return min(tiers, key=CONFIDENCES.index, default="high")


def _reasons(report: Report) -> list[str]:
    """Return the ids of the reasons for which files were not analysed."""
    return sorted({_slug(failure.reason) for failure in report.coverage.not_analysed})


def _slug(reason: str) -> str:
    return "-".join(reason.split())
