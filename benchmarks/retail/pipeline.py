"""The demo's pipeline from its bronze tables on, the work of bare.py: with all rules, or those that ride along."""

import json
from typing import Any

from lineage_hub.sample.retail.pipeline import PIPELINE
from lineage_hub.spark.pipeline.reading import read_pipeline

_OF_SETS = ("unique", "referential")


def _kept(rule: dict[str, Any], of_sets: bool) -> dict[str, Any] | None:
    """No row may go to the quarantine: the bare program has none, and both must write the same."""
    if not of_sets and any(kind in rule for kind in _OF_SETS):
        return None
    return {**rule, "severity": "warn"} if rule.get("severity") == "quarantine" else rule


def _definition(*, of_sets: bool) -> str:
    text = PIPELINE.replace("${lake}/bronze", "${shop}").replace("${raw}", "${shop}").replace("raw: {", "shop: {")
    told = read_pipeline(text).model_dump(mode="json", by_alias=True, exclude_unset=True)
    stages = {name: one for name, one in told["stages"].items() if not name.startswith(("raw_", "bronze_"))}
    for one in stages.values():
        rules = [_kept(rule, of_sets) for rule in one.get("rules", [])]
        one["rules"] = [rule for rule in rules if rule is not None]
    if of_sets:
        stages["orders"]["rules"].append({"unique": "order_id"})  # the largest table too, which the demo needn't count
    return json.dumps({**told, "stages": stages}, indent=1)


OBSERVED = _definition(of_sets=False)
WITH_SETS = _definition(of_sets=True)
