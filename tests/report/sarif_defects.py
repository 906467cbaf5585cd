"""What a SARIF log may not have and neither its JSON schema nor Microsoft's validator notices.

`assert_sound` is used on every log that the tests write.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema

SCHEMA = Path(__file__).parent.parent / "data" / "sarif-schema-2.1.0.json"
LINK = re.compile(r"(?<!\\)\[(?:\\.|[^\[\]\\])*\]\(([^()]*)\)")
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")

Object = dict[str, Any]


def assert_sound(text: str) -> Object:
    """Return the log that `text` holds; fail when it breaks the schema or has one of the defects."""
    log: Object = json.loads(text)
    assert [f"{error.json_path}: {error.message}" for error in _validator().iter_errors(log)] == []
    assert list(defects(log)) == []
    return log


@cache
def _validator() -> Any:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return jsonschema.Draft4Validator(schema, format_checker=jsonschema.Draft4Validator.FORMAT_CHECKER)


def defects(log: Object) -> Iterator[str]:
    """Yield what is wrong with a log that is valid by its schema."""
    runs = log["runs"]
    if not runs:
        yield "no run"
    if len(runs) > 20:
        yield "more than 20 runs"
    categories = [(run["tool"]["driver"]["name"], run.get("automationDetails", {}).get("id")) for run in runs]
    if len(set(categories)) != len(categories):
        yield "two runs of one tool and category"
    for time in _values(log, "startTimeUtc", "endTimeUtc", "timeUtc"):
        if not TIME.fullmatch(time):
            yield f"time without a zone: {time}"
    for run in runs:
        yield from _of_run(run)


def _of_run(run: Object) -> Iterator[str]:
    rules = run["tool"]["driver"].get("rules", [])
    yield from (f"rule {rule['id']}: {defect}" for rule in rules for defect in _of_rule(rule))
    if not isinstance(run.get("results"), list):
        yield "no results"
        return
    if len(run["results"]) > 25_000:
        yield "more than 25,000 results"
    bases = run.get("originalUriBaseIds", {})
    for base, location in bases.items():
        if not location["uri"].endswith("/"):
            yield f"base {base} does not end in a slash"
    for location in _values(run, "artifactLocation"):
        yield from _of_place(location, bases)
    if len({"suppressions" in result for result in run["results"]}) > 1:
        yield "some results say whether they are suppressed and some do not"
    for number, result in enumerate(run["results"]):
        yield from (f"result {number}: {defect}" for defect in _of_result(result, rules))


def _of_rule(rule: Object) -> Iterator[str]:
    properties = rule.get("properties", {})
    tags = properties.get("tags", [])
    if len(tags) > 20 or len(set(tags)) != len(tags):
        yield "more than 20 tags, or one twice"
    if not isinstance(properties.get("security-severity", ""), str):
        yield "security-severity is no string"
    if "security-severity" in properties:
        yield "a rule about reliability has a security-severity"
    if properties.get("precision") not in ("very-high", "high", "medium", "low"):
        yield "precision"
    if properties.get("problem.severity") not in ("error", "warning", "recommendation"):
        yield "problem.severity"
    if not rule["help"]["markdown"].strip() or not rule["help"]["text"].strip():
        yield "no help"
    for key in ("shortDescription", "fullDescription"):
        if not 0 < len(rule[key]["text"]) <= 1_024:
            yield f"length of {key}"


def _of_place(location: Object, bases: Object) -> Iterator[str]:
    uri, base = location["uri"], location.get("uriBaseId")
    if base is not None and base not in bases:
        yield f"base {base} is not defined"
    if base is None and not re.match(r"[a-z]+:", uri):
        yield f"relative URI without a base: {uri}"
    if base is not None and (uri.startswith("/") or re.match(r"[a-z]+:", uri)):
        yield f"absolute URI with a base: {uri}"
    if ".." in unquote(uri).split("/"):
        yield f"URI that climbs: {uri}"
    if re.search(r"[^A-Za-z0-9._~!$&'()*+,;=:@/%-]|%(?![0-9A-Fa-f]{2})", uri):
        yield f"URI that is not percent-encoded: {uri}"


def _of_result(result: Object, rules: list[Object]) -> Iterator[str]:
    index = result.get("ruleIndex")
    if index is None or not 0 <= index < len(rules) or rules[index]["id"] != result["ruleId"]:
        yield f"ruleIndex {index} is not {result['ruleId']}"
    for fingerprint in ("ctxlint/v1", "primaryLocationLineHash"):
        if not re.fullmatch(r"[0-9a-f]+:\d+", result.get("partialFingerprints", {}).get(fingerprint, "")):
            yield f"fingerprint {fingerprint}"
    places = result["locations"] + result.get("relatedLocations", [])
    if not result["locations"] or len(places) > 1_000:
        yield "number of locations"
    identifiers = [str(place["id"]) for place in places if "id" in place]
    if len(set(identifiers)) != len(identifiers):
        yield "two locations of one id"
    for target in LINK.findall(result["message"]["text"]):
        if target not in identifiers:
            yield f"link to location {target}, which is not there"
    steps = [step for flow in result.get("codeFlows", []) for thread in flow["threadFlows"] for step in thread["locations"]]
    if len(steps) > 10_000:
        yield "more than 10,000 steps"
    for place in (*places, *(step["location"] for step in steps)):
        region = place["physicalLocation"]["region"]
        if region["startLine"] != region["endLine"] or region["endColumn"] < region["startColumn"]:
            yield f"region is not one line: {region}"
    for text in _values(result, "text"):
        if re.search(r"(?<!\{)\{(?:\{\{)*\d*(?!\{)|(?<!\})\}(?!\})", text.replace("{{", "").replace("}}", "")):
            yield f"brace that is no placeholder: {text}"


def _values(value: Any, *keys: str) -> Iterator[Any]:
    """Yield the values of `keys` at every depth, apart from the text that a fix inserts."""
    if isinstance(value, dict):
        for key, part in value.items():
            if key in keys:
                yield part
            if key != "insertedContent":
                yield from _values(part, *keys)
    elif isinstance(value, list):
        for part in value:
            yield from _values(part, *keys)
