"""Random queries run on random rows, one field changed at a time: what moves must be in the reader's answer.
And what the reader calls direct must move for some change."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from pyspark.sql import DataFrame, SparkSession

from lineage_hub.spark.plan import Origin, lineage
from tests.proofs.figures import write_figures
from tests.proofs.sizes import TIMEOUT_S, pick
from tests.spark.plan.generated import TABLES, queries
from tests.spark.plan.worlds import Change, Worlds, count_columns, fields_named

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("spark"), pytest.mark.timeout(TIMEOUT_S)]
COUNT = pick(40, 200)
SEED = 20_240_101
WORLDS = range(4)
"""Every field is changed in each of these; what should move and didn't is tried in more."""
MORE_WORLDS = range(4, 40)


@pytest.fixture(scope="module")
def worlds() -> Worlds:
    return Worlds(SEED)


@pytest.fixture(scope="module")
def generated(worlds: Worlds) -> list[str]:
    return queries(COUNT, SEED, lambda sql: all(worlds.result(sql, world)[0].total() > 1 for world in (0, 1)))


@pytest.fixture(scope="module")
def frames(
    generated: list[str],
    worlds: Worlds,
    spark: SparkSession,
    interpreted: None,
    tmp_path_factory: pytest.TempPathFactory,
) -> list[DataFrame]:
    folder = tmp_path_factory.mktemp("world")
    worlds.write_parquet(folder)
    for table in TABLES:
        spark.read.parquet(str(folder / table)).createOrReplaceTempView(table)
    return [spark.sql(sql) for sql in generated]


def test_duckdb_can_stand_for_spark(generated: list[str], frames: list[DataFrame], worlds: Worlds) -> None:
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda frame: frame.collect(), frames))
    differing = [
        sql
        for sql, frame, rows in zip(generated, frames, results, strict=True)
        if count_columns(rows, len(frame.columns)) != worlds.result(sql, 0)
    ]
    assert differing == []


def test_what_moves_is_listed_and_what_is_listed_as_direct_moves(
    generated: list[str], frames: list[DataFrame], worlds: Worlds
) -> None:
    faults: list[str] = []
    columns = 0
    for sql, frame in zip(generated, frames, strict=True):
        found = lineage(frame)
        assert (found.unknown, found.opaque) == ((), ())
        for position, (column, moved) in enumerate(zip(frame.columns, _moves(sql, worlds), strict=True)):
            columns += 1
            origins = found.columns[column]
            listed = {_field(origin) for origin in origins}
            still = {_field(origin) for origin in origins if origin.kind.type == "DIRECT"} - moved
            faults += [f"{column} moves with {field}, which is not listed: {sql}" for field in moved - listed]
            faults += [
                f"{column} never moves with {field}, which is listed as direct: {sql}"
                for field in still
                if not any(_moves_with(field, sql, position, world, worlds) for world in MORE_WORLDS)
            ]
    assert faults == []
    sentence = "a field of a random query changes: what moves is in the lineage, and what is listed as direct moves"
    write_figures("plan_lineage", sentence, queries=len(generated), columns=columns)


def _field(origin: Origin) -> Change:
    return (origin.dataset.name.rpartition("/")[2], origin.field)


def _moves(sql: str, worlds: Worlds) -> list[set[Change]]:
    """For each output column the fields that it moved with."""
    before = {world: worlds.result(sql, world) for world in WORLDS}
    moved: list[set[Change]] = [set() for _ in before[0]]
    for field in fields_named(sql):
        for world in WORLDS:
            for seen, *values in zip(moved, before[world], worlds.result(sql, world, field), strict=True):
                if values[0] != values[1]:
                    seen.add(field)
    return moved


def _moves_with(field: Change, sql: str, position: int, world: int, worlds: Worlds) -> bool:
    return worlds.result(sql, world)[position] != worlds.result(sql, world, field)[position]
