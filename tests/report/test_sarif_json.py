from __future__ import annotations

import json

import pytest
import sarif_om

from ctxlint.report.sarif_json import as_object, sarif_json


def test_names_are_those_of_the_format_and_absent_values_are_absent() -> None:
    location = sarif_om.ArtifactLocation(uri="a", uri_base_id="%B%")
    assert as_object(sarif_om.Location(id=3, physical_location=sarif_om.PhysicalLocation(artifact_location=location))) == {
        "id": 3, "physicalLocation": {"artifactLocation": {"uri": "a", "uriBaseId": "%B%"}},
    }


def test_defaults_of_the_schema_are_left_out_apart_from_levels() -> None:
    result = as_object(sarif_om.Result(message=sarif_om.Message(text="a"), fixes=[]))
    assert result == {"message": {"text": "a"}, "level": "warning"}
    driver = as_object(sarif_om.ToolComponent(name="t"))
    assert driver == {"name": "t"}


def test_a_value_that_only_resembles_its_default_is_written() -> None:
    invocation = sarif_om.Invocation(execution_successful=False)
    assert as_object(invocation) == {"executionSuccessful": False}
    assert as_object(sarif_om.Result(message=None, rank=-1)) == {"level": "warning", "rank": -1}


def test_an_empty_list_stays_where_it_says_something() -> None:
    run = as_object(sarif_om.Run(tool=sarif_om.Tool(driver=sarif_om.ToolComponent(name="t")), results=[], artifacts=[]))
    assert run["results"] == [] and "artifacts" not in run
    assert as_object(sarif_om.Result(message=None, suppressions=[]))["suppressions"] == []


def test_names_in_property_bags_stay_as_they_are() -> None:
    bag = {"problem.severity": "error", "snake_case": [1, 2.5, True], "none": None}
    assert as_object(bag) == {"problem.severity": "error", "snake_case": [1, 2.5, True]}


def test_what_json_does_not_have_is_refused() -> None:
    with pytest.raises(TypeError, match="set"):
        as_object({"a": {1}})
    with pytest.raises(ValueError):
        sarif_json({"a": float("nan")})


def test_any_text_can_be_written() -> None:
    text = sarif_json({"a": "é\udcff\u2028"})
    assert text.encode() and text.endswith("}\n")
    assert json.loads(text) == {"a": "é\\udcff\u2028"}
