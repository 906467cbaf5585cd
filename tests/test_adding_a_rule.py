"""A rule on an existing check is one TOML file: no list names it, no Python knows its code."""

from __future__ import annotations

import json
import re
from pathlib import Path

from ctxlint.cli.main import main
from ctxlint.knowledge.places import rules_folder

PROGRAM = '''\
import json
from pathlib import Path


class Plans:
    def __init__(self, folder: Path) -> None:
        self.file = folder / "plans.json"

    def load(self) -> dict[str, str]:
        return json.loads(self.file.read_text())

    def save(self, plans: dict[str, str]) -> None:
        self.file.write_text(json.dumps(plans))
'''


def test_a_throw_away_rule_needs_nothing_but_its_file(tmp_path: Path) -> None:
    policies, project = tmp_path / "policies", tmp_path / "project"
    policies.mkdir()
    project.mkdir()
    known = (rules_folder() / "CTX105.toml").read_text(encoding="utf-8")
    known = re.sub(r'^code = .*$', 'code = "TRY7"', known, flags=re.MULTILINE)
    known = re.sub(r'^name = .*$', 'name = "throw-away"', known, flags=re.MULTILINE)
    (policies / "TRY7.toml").write_text(known, encoding="utf-8")
    (project / "plans.py").write_text(PROGRAM, encoding="utf-8")
    report = tmp_path / "report.json"

    status = main(["check", "--isolated", "--config", f"rule-paths = ['{policies.as_posix()}']", "--select", "TRY7",
                   "--output-format", "json", "--output-file", str(report), str(project)])

    found = [(finding["code"], finding["name"], finding["location"]["row"]) for finding in json.loads(report.read_text())]
    assert (status, found) == (1, [("TRY7", "throw-away", 13)])
