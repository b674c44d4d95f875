"""A user's program, checked by `mypy --strict` against the installed package; it is never run."""

from collections.abc import AsyncIterator, Iterator
from typing import assert_type

from lineage_hub.errors import LineageHubError
from lineage_hub.sdk import (
    AdapterType,
    DataFormat,
    DatasetSpec,
    LineageHubConfig,
    Run,
    configure,
    current_run,
    flush,
    get_config,
    lineage_track,
    reset_config,
    track,
)
from lineage_hub.testing import LineageEvents, RecordedRun, RecordingTransport, recorded
from lineage_hub.transports import Config, Refused, Terminal, Transient, Transport, TransportFactory

ORDERS = DatasetSpec(AdapterType.MYSQL, "shop.orders", format=DataFormat.TABLE)


@lineage_track
def bare(number: int, *, name: str = "a") -> str:
    return name * number


@lineage_track("job", inputs=ORDERS, outputs=["s3://lake/a", {"type": "file", "name": "/tmp/b"}], tags={"team": "a"})
def with_arguments(day: str) -> int:
    return len(day)


@lineage_track(send_async=False)
async def waits(seconds: float = 0.0) -> float:
    return seconds


@lineage_track()
def steps() -> Iterator[int]:
    yield 1


@lineage_track()
async def async_steps() -> AsyncIterator[int]:
    yield 1


class Loader:
    @lineage_track("load")
    def load(self, path: str) -> list[str]:
        with track("inner", namespace="team", inputs=path) as run:
            assert_type(run, Run)
            run.add_output("s3://lake/a", columns={"id": [(ORDERS, "id")]})
        return [path]


async def use() -> None:
    """The decorator keeps every type."""
    assert_type(bare(1, name="b"), str)
    assert_type(with_arguments("monday"), int)
    assert_type(await waits(1.0), float)
    assert_type(list(steps()), list[int])
    assert_type([number async for number in async_steps()], list[int])
    assert_type(Loader().load("a"), list[str])
    assert_type(configure(namespace="team", hub_endpoint="http://hub:8000"), LineageHubConfig)
    assert_type(get_config().timeout, float)
    assert_type(flush(1.0), bool)
    run = current_run()
    if run is not None:
        run.add_facet("rows", {"count": 3})
    reset_config()


def send() -> list[Refused]:
    transport: Transport = TransportFactory().create({"type": "console"})
    try:
        with transport:
            transport.send({"eventType": "START"})
            return transport.send_batch([b"{}"])
    except Transient as error:
        assert_type(error.retry_after_s, int)
    except Terminal as error:
        assert_type(error.action, str | None)
    except LineageHubError as error:
        print(error.message)
    return []


class Own(Transport):
    """A transport of the user's own."""

    config_class = Config

    def send_batch(self, events: object) -> list[Refused]:
        return []


def test_something(lineage_events: LineageEvents) -> None:
    with recorded(namespace="team") as events:
        bare(1)
    assert_type(events.only_run("bare"), RecordedRun)
    assert_type(lineage_events.only_run().inputs, list[tuple[str, str]])
    RecordingTransport().recorded.clear()
