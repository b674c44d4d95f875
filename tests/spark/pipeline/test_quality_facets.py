"""Results of rules become facets that OpenLineage's own classes and the hub take."""

from datetime import UTC, datetime
from typing import Any

import attr
from openlineage.client.generated import data_quality_assertions_dataset as assertions
from openlineage.client.generated import data_quality_metrics_input_dataset as metrics

from lineage_hub.spark.pipeline.quality.facets import quality_facets
from lineage_hub.spark.pipeline.quality.results import RuleResult

RESULTS = [
    RuleResult("n", "not_null", ("id", "a.b"), "fail", False, 10, 3, {"id": 0, "a.b": 3}, "3 of 10 …"),
    RuleResult("u", "unique", ("id",), "quarantine", True, 10, 0, 10, "0 of 10 …"),
    RuleResult("uu", "unique", ("id", "a.b"), "warn", True, 10, 0, 9, "0 of 10 …"),
    RuleResult("r", "range", ("id",), "warn", False, 10, 1, None, "1 of 10 …"),
    RuleResult("f", "freshness", ("at",), "warn", True, 10, None, datetime(2026, 11, 1, tzinfo=UTC), "…"),
    RuleResult("row_count", "row_count", (), "fail", True, 10, None, 10, "10 rows"),
    RuleResult("e", "expression", (), "warn", True, 10, 0, None, "0 of 10 …"),
]


def without_base(facet: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in facet.items() if not name.startswith("_")}


def test_metrics_hold_what_was_measured() -> None:
    facet = quality_facets(RESULTS, 10)["dataQualityMetrics"]
    assert without_base(facet) == {
        "rowCount": 10,
        "columnMetrics": {
            "id": {"nullCount": 0, "distinctCount": 10},
            "a.b": {"nullCount": 3},
        },
    }
    assert "rowCount" not in quality_facets([], None)["dataQualityMetrics"]


def test_assertions_tell_rule_column_and_severity() -> None:
    told = quality_facets(RESULTS, 10)["dataQualityAssertions"]["assertions"]
    assert [(one["assertion"], one.get("column"), one["success"], one["severity"]) for one in told] == [
        ("not_null", "id", True, "error"),
        ("not_null", "a.b", False, "error"),
        ("unique", "id", True, "quarantine"),
        ("unique", None, True, "warn"),
        ("range", "id", False, "warn"),
        ("freshness", "at", True, "warn"),
        ("row_count", None, True, "error"),
        ("expression", None, True, "warn"),
    ]
    assert [one.get("actual") for one in told][:3] == ["0 of 10 rows", "3 of 10 rows", "0 of 10 rows"]
    assert "dataQualityAssertions" not in quality_facets([], 10)


def test_every_field_is_one_of_openlineage_s_classes_and_the_schema_is_the_one_they_name() -> None:
    found = quality_facets(RESULTS, 10)
    for told in found["dataQualityAssertions"]["assertions"]:
        assert assertions.Assertion(**told)
    columns = {
        name: metrics.ColumnMetrics(**given) for name, given in found["dataQualityMetrics"]["columnMetrics"].items()
    }
    whole = metrics.DataQualityMetricsInputDatasetFacet(columnMetrics=columns, rowCount=10)
    assert set(without_base(found["dataQualityMetrics"])) <= set(attr.fields_dict(type(whole)))
    assert found["dataQualityMetrics"]["_schemaURL"] == whole._get_schema()
    assert found["dataQualityAssertions"]["_schemaURL"] == (assertions.DataQualityAssertionsDatasetFacet._get_schema())
