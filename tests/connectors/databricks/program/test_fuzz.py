"""Programs that nobody would write: whatever enters, an answer comes, soon and without an exception."""

from __future__ import annotations

import random
import resource
import time

import pytest

from lineage_hub.connectors.databricks.program.run import run_program
from tests.connectors.databricks.fixture_files import fixtures
from tests.connectors.databricks.program.mutations import mutate
from tests.proofs.figures import write_figures
from tests.proofs.sizes import SEED, TIMEOUT_S, pick

PROGRAMS = pick(3_000, 100_000)
SECONDS = 2.0
MEGABYTES = 500


@pytest.mark.slow
@pytest.mark.timeout(TIMEOUT_S)
def test_every_mutated_program_gets_an_answer_within_time_and_memory() -> None:
    rng = random.Random(SEED)
    seeds = fixtures()
    slowest = 0.0
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    for number in range(PROGRAMS):
        seed = rng.choice(seeds)
        source = mutate(seed.source, rng)
        began = time.thread_time()
        # Below the guard that turns a defect into a problem: it must not be needed.
        run_program(source, language="auto", path=seed.path, configuration=seed.configuration, files=seed.files)
        took = time.thread_time() - began
        assert took <= SECONDS, f"program {number} took too long:\n{source}"
        slowest = max(slowest, took)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024 - before
    assert grown <= MEGABYTES
    write_figures(
        "mutated_programs",
        "notebooks, jobs and SQL changed at random: each is answered, within 2 s and 500 MB",
        programs=PROGRAMS,
        slowest_ms=round(1000 * slowest),
        megabytes_grown=grown,
    )
