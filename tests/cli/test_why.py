"""How `lineage-hub why` words what it was answered: one of a thing is told as one."""

import pytest

from lineage_hub.cli.answers import Identity
from lineage_hub.cli.why import print_why
from lineage_hub.cli.why_answers import Spans, ToldRun, Why

RUN = ToldRun("018f4e1c", Identity("shop", "load"), "FAILED", "2026-11-17T00:00:00Z")


@pytest.mark.parametrize(
    ("earlier", "jobs", "runs", "said"),
    [
        (1, 1, 1, "Compared with 1 earlier run; 1 job was looked at; spans of 1 run."),
        (2, 3, 4, "Compared with 2 earlier runs; 3 jobs were looked at; spans of 4 runs."),
        (0, 1, 0, "Compared with no earlier runs; 1 job was looked at; no spans."),
    ],
)
def test_the_limits_of_an_answer_are_a_sentence(
    earlier: int, jobs: int, runs: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_why(
        Why(RUN, "failed", "load failed", earlier_runs=earlier, jobs_looked_at=jobs, telemetry=Spans("used", runs))
    )
    assert capsys.readouterr().out.splitlines()[-1] == said
