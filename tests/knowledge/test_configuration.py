from __future__ import annotations

from pathlib import Path

import pytest

from ctxlint.errors import ConfigurationError, CtxlintError, UsageError
from ctxlint.knowledge.configuration import check_rule_tables, json_schema, load_configuration, nearest_file
from ctxlint.knowledge.rules import load_rules
from ctxlint.knowledge.settings import Settings
from ctxlint.knowledge.toml import keys_of


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_without_a_file_the_defaults_hold(tmp_path: Path) -> None:
    configuration = load_configuration(tmp_path, isolated=True)
    assert configuration.settings == Settings()
    assert configuration.file == ""


def test_the_nearest_file_is_read(tmp_path: Path) -> None:
    write(tmp_path / "ctxlint.toml", "preview = true\n")
    near = write(tmp_path / "inner" / ".ctxlint.toml", "fail-on = 'error'\n")
    inner = tmp_path / "inner" / "deep"
    inner.mkdir()
    assert nearest_file(inner) == near
    settings = load_configuration(inner).settings
    assert settings.fail_on == "error"
    assert settings.preview is False


def test_pyproject_counts_only_with_our_table(tmp_path: Path) -> None:
    above = write(tmp_path / "pyproject.toml", "[tool.ctxlint]\nselect = ['CTX1']\n")
    write(tmp_path / "inner" / "pyproject.toml", "[tool.other]\nx = 1\n")
    assert nearest_file(tmp_path / "inner") == above
    assert load_configuration(tmp_path / "inner").settings.select == ("CTX1",)


def test_ctxlint_toml_wins_over_pyproject_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.ctxlint]\npreview = true\n")
    own = write(tmp_path / "ctxlint.toml", "")
    assert nearest_file(tmp_path) == own


def test_values_win_over_the_file_and_the_last_one_wins(tmp_path: Path) -> None:
    write(tmp_path / "ctxlint.toml", "fail-on = 'error'\nmin-confidence = 'low'\n")
    settings = load_configuration(tmp_path, ['fail-on="note"', 'fail-on="never"']).settings
    assert (settings.fail_on, settings.min_confidence) == ("never", "low")


def test_flags_win_over_values(tmp_path: Path) -> None:
    settings = load_configuration(tmp_path, ['fail-on="note"'], flags={"fail-on": "error"}).settings
    assert settings.fail_on == "error"


def test_isolated_drops_the_file_and_keeps_the_values(tmp_path: Path) -> None:
    write(tmp_path / "ctxlint.toml", "preview = true\nfail-on = 'error'\n")
    settings = load_configuration(tmp_path, ["jobs=3"], isolated=True).settings
    assert (settings.preview, settings.jobs, settings.fail_on) == (False, 3, "note")


def test_a_rule_option_is_one_dotted_value(tmp_path: Path) -> None:
    write(tmp_path / "ctxlint.toml", "[rules.POL1]\ndeep = 1\nwide = 2\n")
    settings = load_configuration(tmp_path, ["rules.POL1.deep=7"]).settings
    assert settings.rules == {"POL1": {"deep": 7, "wide": 2}}


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("selct = ['CTX1']\n", "unknown key `selct` (did you mean `select`?)"),
        ("preview = 'yes'\n", "key `preview`: expected true or false, got a string"),
        ("select = 'CTX1'\n", "key `select`: expected a list, got a string: write `select = [\"CTX1\"]`"),
        ("min-confidence = 'hi'\n", "`hi` is none of high, medium, low (did you mean `high`?)"),
        ("jobs = -1\n", "key `jobs`"),
        ("select = \n", "not valid TOML"),
        ("colour = 'red'\n", "keys are select, extend-select"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, text: str, complaint: str) -> None:
    file = write(tmp_path / "ctxlint.toml", text)
    with pytest.raises(ConfigurationError) as refusal:
        load_configuration(tmp_path)
    assert complaint in str(refusal.value)
    assert str(file) in str(refusal.value)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ctxlint.toml").write_bytes(b"preview = true # \xff\n")
    with pytest.raises(ConfigurationError, match="it is not UTF-8"):
        load_configuration(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["selct=['A']"], "unknown key `selct` (did you mean `select`?)"),
        (["fail-on=error"], 'a string is written fail-on="error"'),
        (["missing.toml"], "no such file (a value is written KEY=VALUE)"),
    ],
)
def test_a_wrong_value_is_a_usage_error(tmp_path: Path, arguments: list[str], complaint: str) -> None:
    with pytest.raises(UsageError) as refusal:
        load_configuration(tmp_path, arguments)
    assert complaint in str(refusal.value)


def test_a_file_and_isolated_contradict_each_other(tmp_path: Path) -> None:
    file = write(tmp_path / "own.toml", "")
    with pytest.raises(UsageError, match="--isolated"):
        load_configuration(tmp_path, [str(file)], isolated=True)
    with pytest.raises(UsageError, match="two files"):
        load_configuration(tmp_path, [str(file), str(file)])


def test_options_of_unknown_rules_are_refused(tmp_path: Path) -> None:
    rules = load_rules()
    code = next(iter(rules))
    for value in ("rules.NOPE1.deep=1", f"rules.{code}.nope=1"):
        with pytest.raises(CtxlintError, match="unknown"):
            check_rule_tables(load_configuration(tmp_path, [value], isolated=True), rules)


def test_the_schema_has_every_key_and_says_what_it_means(tmp_path: Path) -> None:
    schema = json_schema(load_rules())
    properties = schema["properties"]
    assert isinstance(properties, dict)
    assert set(properties) == set(keys_of(Settings))
    assert all(entry["description"].endswith((".", ")")) for entry in properties.values())
    assert schema["additionalProperties"] is False
