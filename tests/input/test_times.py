"""Times are exact to the nanosecond, need a zone and lie between 1678 and 2261; anything else is refused by name."""

from __future__ import annotations

import pytest

from tests.input.client import Client, Way, event, text_of

pytestmark = pytest.mark.slow

BAD = {
    "0001-01-01T00:00:00Z": "outside the years",
    "0000-01-01T00:00:00Z": "calendar",
    "1677-12-31T23:59:59.999999999Z": "outside the years",
    "2262-01-01T00:00:00Z": "outside the years",
    "2261-12-31T23:59:59-00:01": "outside the years",
    "9999-12-31T23:59:59.999999999Z": "outside the years",
    "9999-12-31T23:59:59-23:59": "outside the years",
    "0001-01-01T00:00:00+23:59": "outside the years",
    "10000-01-01T00:00:00Z": "RFC 3339",
    "-0001-01-01T00:00:00Z": "RFC 3339",
    "2026-03-01T09:30:00": "no zone",
    "2026-03-01T09:30:00.123": "no zone",
    "2026-03-01": "RFC 3339",
    "2026-02-29T00:00:00Z": "calendar",
    "2026-13-01T00:00:00Z": "calendar",
    "2026-01-32T00:00:00Z": "calendar",
    "2026-03-01T24:00:00Z": "time of day",
    "2026-03-01T09:60:00Z": "time of day",
    "2026-03-01T09:30:61Z": "time of day",
    "2026-03-01T09:30:00+24:00": "time of day",
    "2026-03-01T09:30:00+01:60": "time of day",
    "2026-W09-7T09:30:00Z": "RFC 3339",
    "２０２６-03-01T09:30:00Z": "RFC 3339",
    "2026-03-01T09:30:00Z\n": "RFC 3339",
    " 2026-03-01T09:30:00Z": "RFC 3339",
    "1772357400": "RFC 3339",
    "yesterday": "RFC 3339",
    "": "RFC 3339",
    "Z": "RFC 3339",
    "2026-03-01T09:30:00\u0000Z": "RFC 3339",
    "2026-03-01T09:30:00." + "1" * 100_000: "no zone",
}
GOOD = {
    "2026-03-01T09:30:00Z": "2026-03-01T09:30:00Z",
    "2026-03-01t09:30:00z": "2026-03-01T09:30:00Z",
    "2026-03-01 09:30:00Z": "2026-03-01T09:30:00Z",
    "2026-03-01T09:30Z": "2026-03-01T09:30:00Z",
    "2026-03-01T09:30:00.5Z": "2026-03-01T09:30:00.500Z",
    "2026-03-01T09:30:00.000000001Z": "2026-03-01T09:30:00.000000001Z",
    "2026-03-01T09:30:00.123456789+01:00": "2026-03-01T08:30:00.123456789Z",
    "2026-03-01T09:30:00.1234567899Z": "2026-03-01T09:30:00.123456789Z",
    "2026-03-01T09:30:00+0530": "2026-03-01T04:00:00Z",
    "2026-03-01T09:30:00-11": "2026-03-01T20:30:00Z",
    "2026-03-01T09:30:00+01:00[Europe/Paris]": "2026-03-01T08:30:00Z",
    "2026-03-01T00:00:00+14:00": "2026-02-28T10:00:00Z",
    "2024-02-29T23:59:59-00:00": "2024-02-29T23:59:59Z",
    "2016-12-31T23:59:60Z": "2017-01-01T00:00:00Z",
    "1969-12-31T23:59:59.999999999Z": "1969-12-31T23:59:59.999999999Z",
    "1678-01-01T00:00:00Z": "1678-01-01T00:00:00Z",
    "2261-12-31T23:59:59.999999999Z": "2261-12-31T23:59:59.999999999Z",
    "2026-03-01T09:30:00." + "1" * 100_000 + "Z": "2026-03-01T09:30:00.111111111Z",
}


@pytest.mark.parametrize("time", BAD, ids=lambda time: time[:40])
def test_a_bad_time_is_refused_with_the_reason(client: Client, time: str, way: Way) -> None:
    reason = client.sends(text_of(event(eventTime=time)), way)
    assert reason is not None
    assert reason.startswith("eventTime")
    assert BAD[time] in reason
    assert len(reason) < 300


@pytest.mark.parametrize("time", GOOD, ids=lambda time: time[:40])
def test_a_good_time_is_taken_exactly(client: Client, time: str) -> None:
    raw = text_of(event(eventTime=time))
    taken = client.post(Way("lineage"), raw)
    assert taken.status_code == 201, taken.text
    shown = client.get(f"events/{taken.json()['eventId']}").json()
    assert shown["eventTime"] == GOOD[time]
    assert shown["event"]["eventTime"] == time


def test_a_nanosecond_decides_what_was_visible(client: Client) -> None:
    name = "nanoseconds"
    for fraction, table in (("000000001", "a"), ("000000002", "b")):
        outputs = [{"namespace": "db", "name": table}]
        body = event(
            eventTime=f"2026-03-02T00:00:00.{fraction}Z", job={"namespace": "input", "name": name}, outputs=outputs
        )
        client.takes(text_of(body))
    for fraction, table in (("000000001", "a"), ("000000002", "b")):
        job = client.get(f"namespaces/input/jobs/{name}", as_of=f"2026-03-02T00:00:00.{fraction}Z").json()
        assert [output["name"] for output in job["outputs"]] == [table]
    assert client.get(f"namespaces/input/jobs/{name}", as_of="2026-03-02T00:00:00Z").status_code == 404
