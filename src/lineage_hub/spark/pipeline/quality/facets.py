"""Results of rules enter; the facets dataQualityMetrics and dataQualityAssertions leave, in OpenLineage's terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lineage_hub.sdk.said import facet
from lineage_hub.spark.pipeline.quality.results import RuleResult

# OpenLineage's words for what a broken rule does to the run.
_SEVERITY = {"fail": "error"}


def quality_facets(results: Sequence[RuleResult], rows: int | None = None) -> dict[str, dict[str, Any]]:
    """By the names that they have in an event. `rows` are those that the results are about."""
    metrics: dict[str, Any] = {"columnMetrics": _column_metrics(results)}
    if rows is not None:
        metrics["rowCount"] = rows
    found = {"dataQualityMetrics": facet("1-0-3/DataQualityMetricsInputDatasetFacet", **metrics)}
    if results:
        assertions = [one for result in results for one in _assertions(result)]
        found["dataQualityAssertions"] = facet("1-1-0/DataQualityAssertionsDatasetFacet", assertions=assertions)
    return found


def _column_metrics(results: Sequence[RuleResult]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for result in results:
        if result.kind == "not_null":
            for name, nulls in result.value.items():
                found.setdefault(name, {})["nullCount"] = nulls
        elif result.kind == "unique" and len(result.columns) == 1:
            found.setdefault(result.columns[0], {})["distinctCount"] = result.value
    return found


def _assertions(result: RuleResult) -> list[dict[str, Any]]:
    """One for each column of `not_null`, else one for the rule."""
    told: dict[str, Any] = {
        "assertion": result.kind,
        "success": result.passed,
        "severity": _SEVERITY.get(result.severity, result.severity),
        "name": result.name,
        "description": result.says,
    }
    if result.kind == "not_null":
        return [
            {**told, "column": name, "success": result.passed or nulls == 0, "actual": _share(nulls, result.checked)}
            for name, nulls in result.value.items()
        ]
    if result.broken is not None:
        told["actual"] = _share(result.broken, result.checked)
    if len(result.columns) == 1:
        told["column"] = result.columns[0]
    return [told]


def _share(broken: int, checked: int) -> str:
    return f"{broken} of {checked} rows"
