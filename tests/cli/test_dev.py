from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxlint.cli.dev import generate, generated_files, new_rule
from ctxlint.errors import ConfigurationError, UsageError
from ctxlint.knowledge.places import checkout_folder
from ctxlint.knowledge.rules import load_rules, read_rule


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with one check, one rule and a README that wants its table."""
    (tmp_path / "ctxlint" / "checks").mkdir(parents=True)
    (tmp_path / "ctxlint" / "checks" / "precedes.py").touch()
    (tmp_path / "rules").mkdir()
    (tmp_path / "README.md").write_text("# Before\n<!-- rules: generated -->\nold\n<!-- end of rules -->\nAfter\n")
    new_rule(tmp_path, "CTX901", "sample-rule", "precedes")
    return tmp_path


def test_the_generated_files_of_this_checkout_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    status = generate(checkout_folder(), check=True)
    assert (status, capsys.readouterr().err) == (0, "")


def test_every_rule_has_a_page_and_the_schema_is_json() -> None:
    files = dict(generated_files(checkout_folder()))
    names = {path.name for path in files}
    assert {f"{code}.md" for code in load_rules()} <= names
    assert json.loads(next(text for path, text in files.items() if path.name == "configuration.schema.json"))


def test_files_are_written_once_and_then_up_to_date(checkout: Path) -> None:
    assert generate(checkout, check=True) == 1
    assert generate(checkout, check=False) == 0
    assert generate(checkout, check=True) == 0
    readme = (checkout / "README.md").read_text()
    assert readme.startswith("# Before\n<!-- rules: generated -->\n| Code |")
    assert "[CTX901](docs/rules/CTX901.md)" in readme and readme.endswith("<!-- end of rules -->\nAfter\n")


def test_a_changed_rule_is_out_of_date(checkout: Path, capsys: pytest.CaptureFixture[str]) -> None:
    generate(checkout, check=False)
    file = checkout / "rules" / "CTX901.toml"
    file.write_text(file.read_text().replace('severity = "warning"', 'severity = "note"'))
    capsys.readouterr()
    assert generate(checkout, check=True) == 1
    told = capsys.readouterr().err
    assert "CTX901.md is out of date" in told and "README.md is out of date" in told


def test_the_page_of_a_rule_that_is_gone_is_removed(checkout: Path) -> None:
    generate(checkout, check=False)
    orphan = checkout / "docs" / "rules" / "CTX999.md"
    orphan.touch()
    assert generate(checkout, check=True) == 1
    assert generate(checkout, check=False) == 0
    assert not orphan.exists()


def test_an_example_that_is_not_among_the_fixtures_is_refused(checkout: Path) -> None:
    file = checkout / "rules" / "CTX901.toml"
    file.write_text('example = ["first.py:late", "first.py:good"]\n' + file.read_text())
    with pytest.raises(ConfigurationError, match="CTX901.toml: key `example`: .*first.py has no late"):
        generate(checkout, check=True)


def test_a_new_rule_is_a_rule_file_fixtures_and_a_fragment(checkout: Path) -> None:
    rule = read_rule(checkout / "rules" / "CTX901.toml")
    assert (rule.name, rule.check, rule.status) == ("sample-rule", "precedes", "preview")
    assert (checkout / "fixtures" / "CTX901" / "first.py").is_file()
    assert (checkout / "docs" / "changes" / "CTX901.md").read_text().startswith("CTX901 sample-rule")


@pytest.mark.parametrize(
    ("code", "name", "check", "complaint"),
    [
        ("CTX901", "other", "precedes", "exists already"),
        ("ctx902", "other", "precedes", "is not a code"),
        ("CTX902", "Other_Rule", "precedes", "is not a name"),
        ("CTX902", "other", "preceeds", "no check is called `preceeds` .did you mean `precedes`"),
    ],
)
def test_a_new_rule_that_cannot_be_is_refused(checkout: Path, code: str, name: str, check: str, complaint: str) -> None:
    before = sorted(checkout.rglob("*"))
    with pytest.raises(UsageError, match=complaint):
        new_rule(checkout, code, name, check)
    assert sorted(checkout.rglob("*")) == before
