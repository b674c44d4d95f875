"""A stage's rules and its frame enter; what to measure while its rows pass, and later what it means, leave.

Rules about rows are judged in this order. Those with severity quarantine that look at one row alone (not_null,
accepted_values, range, regex, expression) judge every row. All others judge the rows that these leave; `unique` and
`referential` with severity quarantine then take theirs out too. Of a key that is there twice no row is kept: nobody
knows which one is right. Where one of them is wanted, the step `drop_duplicates` says which.
"""

from lineage_hub.spark.pipeline.quality.planning import RulePlan, plan_rules
from lineage_hub.spark.pipeline.quality.results import RuleResult

__all__ = ["RulePlan", "RuleResult", "plan_rules"]
