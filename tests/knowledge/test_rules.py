from __future__ import annotations

from pathlib import Path

import pytest

from ctxlint.errors import ConfigurationError
from ctxlint.knowledge.rules import HEADINGS, Rule, load_rules, option_values, placeholders, read_rule, sections

DOC = "\n\n".join(f"## {heading}\nSome text." for heading in HEADINGS)


def rule_text(code: str = "POL1", name: str = "audit-first", extra: str = "", **changes: str) -> str:
    keys = {
        "code": code, "name": name, "title": "A title", "message": "`{cell}` is wrong", "severity": "warning",
        "status": "stable", "since": "0.1", "check": "precedes", "doc": DOC, **changes,
    }
    return "".join(f"{key} = {value!r}\n" if "\n" not in value else f'{key} = """\n{value}\n"""\n'
                   for key, value in keys.items()) + extra


def read(tmp_path: Path, text: str, file: str = "POL1.toml") -> Rule:
    (tmp_path / file).write_text(text)
    return read_rule(tmp_path / file)


def test_a_rule_file_becomes_a_value(tmp_path: Path) -> None:
    rule = read(tmp_path, rule_text(extra='''
[with]
first = "record"
[options.require-fsync]
type = "boolean"
default = false
doc = "Whether to ask for more."
[kinds.late]
doc = "Too late."
severity = "error"
confidence = "low"
[fix]
rewrite = "record_first"
applicability = "unsafe"
'''))
    assert rule.code == "POL1"
    assert rule.parameters == {"first": "record"}
    assert rule.options["require-fsync"].default is False
    assert rule.kinds["late"].severity == "error"
    assert rule.fix is not None and rule.fix.applicability == "unsafe"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (rule_text(extra="severty = 'note'\n"), "unknown key `severty` (did you mean `severity`?)"),
        (rule_text(severity="eror"), "key `severity`: `eror` is none of error, warning, note (did you mean `error`?)"),
        (rule_text(extra="[fix]\nrewrit = 'x'\n"), "in `fix`: unknown key `rewrit` (did you mean `rewrite`?)"),
        (rule_text(extra="[options.deep]\ntype = 'bool'\ndefault = true\ndoc = 'x'\n"), "in `options.deep`: key `type`"),
        (rule_text(extra="[options.deep]\ntype = 'integer'\ndefault = true\ndoc = 'x'\n"), "expected integer"),
        (rule_text(extra="[kinds.late]\ndocs = 'x'\n"), "in `kinds.late`: unknown key `docs` (did you mean `doc`?)"),
        (rule_text(code="POL2"), "key `code`: the file of `POL2` is called POL2.toml"),
        (rule_text(name="Audit_First"), "key `name`"),
        (rule_text(title="It ends."), "key `title`"),
        (rule_text(message="`{cell` is wrong"), "key `message`"),
        (rule_text(message="`{cell.name}` is wrong"), "a placeholder is one plain name"),
        (rule_text(doc="## What it does\nMuch.\n"), "its headings are not `What it does`, `Why is this bad`"),
        (rule_text(doc=DOC.replace("Some text.", "", 1)), "nothing under `What it does`"),
        (rule_text(extra="example = ['order.py']\n"), "key `example`"),
        (rule_text(check="").replace("check = ''\n", "") + "[with]\nfirst = 'x'\n", "only a rule with a check has parameters"),
        ("code = ", "not valid TOML"),
        (rule_text().replace("title = 'A title'\n", ""), "key `title` is missing"),
    ],
)
def test_a_wrong_rule_file_is_refused_with_the_key(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ConfigurationError) as refusal:
        read(tmp_path, text)
    assert complaint in str(refusal.value)
    assert "POL1.toml" in str(refusal.value)


def test_two_files_cannot_claim_one_code_or_name(tmp_path: Path) -> None:
    (tmp_path / "POL1.toml").write_text(rule_text())
    (tmp_path / "POL2.toml").write_text(rule_text(code="POL2"))
    with pytest.raises(ConfigurationError, match="`audit-first` is taken by"):
        load_rules(folder=tmp_path)


def test_policies_are_added_to_the_built_in_rules(tmp_path: Path) -> None:
    (tmp_path / "POL1.toml").write_text(rule_text())
    rules = load_rules([tmp_path])
    assert "POL1" in rules
    assert set(load_rules()) < set(rules)
    assert list(rules) == sorted(rules)


def test_a_policy_path_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no such file or folder"):
        load_rules([tmp_path / "policies"])


def test_options_have_defaults_types_and_near_matches(tmp_path: Path) -> None:
    rule = read(tmp_path, rule_text(extra='[options.require-fsync]\ntype = "boolean"\ndefault = false\ndoc = "x"\n'))
    assert option_values(rule, {}, "here") == {"require-fsync": False}
    assert option_values(rule, {"require-fsync": True}, "here") == {"require-fsync": True}
    with pytest.raises(ConfigurationError, match="here: unknown key `rules.POL1.require-sync` .did you mean `require-fsync`"):
        option_values(rule, {"require-sync": True}, "here")
    with pytest.raises(ConfigurationError, match="expected boolean"):
        option_values(rule, {"require-fsync": 1}, "here")


@pytest.mark.parametrize("rule", load_rules().values(), ids=lambda rule: rule.code)
def test_a_built_in_rule_is_written_to_the_end(rule: Rule) -> None:
    texts = [rule.title, rule.message, rule.scenario, rule.doc]
    assert not any("To be written" in text for text in texts)
    assert placeholders(rule.message)
    assert tuple(sections(rule.doc)) == HEADINGS


@pytest.mark.parametrize("rule", load_rules().values(), ids=lambda rule: rule.code)
def test_messages_are_one_line_without_a_full_stop(rule: Rule) -> None:
    for message in (rule.message, *(kind.message for kind in rule.kinds.values())):
        assert "\n" not in message
        assert not message.endswith(".")
        assert message[:1] in ("", "`") or message[0].islower()
