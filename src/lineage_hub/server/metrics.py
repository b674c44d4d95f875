"""Requests, groups and the intake's counts enter; the text that Prometheus scrapes leaves.

The registry is the app's own: two hubs in one process don't count each other's events.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Histogram, ProcessCollector
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.registry import Collector

from lineage_hub import __version__

if TYPE_CHECKING:
    from lineage_hub.ingest.intake import Intake
    from lineage_hub.ingest.telemetry.batches import Batch
    from lineage_hub.ingest.telemetry.open import Observe, Telemetry

__all__ = ["CONTENT_TYPE_LATEST", "Metrics"]

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_EVENTS = (1, 2, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
_ROWS = (1, 10, 100, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000)
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


class Metrics:
    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._requests = Histogram(
            "lineage_hub_request_duration_seconds",
            "How long requests took, by route and status.",
            ("method", "route", "status"),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._groups = Histogram(
            "lineage_hub_group_events",
            "How many events shared one transaction.",
            buckets=_EVENTS,
            registry=self.registry,
        )
        self._commits = Histogram(
            "lineage_hub_commit_duration_seconds",
            "How long one durable transaction took.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._batches = Histogram(
            "lineage_hub_telemetry_batch_rows",
            "How many rows of telemetry shared one insert.",
            buckets=_ROWS,
            registry=self.registry,
        )
        self._inserts = Histogram(
            "lineage_hub_telemetry_insert_duration_seconds",
            "How long one durable insert of telemetry took.",
            buckets=_SECONDS,
            registry=self.registry,
        )
        # Looking a label set up costs more than observing it.
        self._known: dict[tuple[str, str, int], Histogram] = {}

    def observe_request(self, method: str, route: str, status: int, seconds: float) -> None:
        key = (method, route, status)
        known = self._known.get(key)
        if known is None:
            # A method is whatever the sender writes: unknown ones share a label.
            label = method if method in _METHODS else "other"
            known = self._known[(label, route, status)] = self._requests.labels(label, route, str(status))
        known.observe(seconds)

    def watch(self, intake: Intake) -> None:
        """From here on the metrics tell what this intake does."""

        def observe_group(events: int, seconds: float) -> None:
            self._commits.observe(seconds)
            if events:
                self._groups.observe(events)

        intake.observe_group = observe_group
        self.registry.register(_IntakeCounts(intake))

    def watch_telemetry(self, telemetry: Telemetry, also: Observe | None = None) -> None:
        """Each insert is observed, and `also` told of it; the rest is read when scraped."""

        def observe(batch: Batch, seconds: float) -> None:
            self._batches.observe(batch.rows)
            self._inserts.observe(seconds)

            if also is not None:
                also(batch, seconds)

        telemetry.observe_inserts(observe)
        self.registry.register(_TelemetryCounts(telemetry))

    def text(self) -> bytes:
        return generate_latest(self.registry)


class _IntakeCounts(Collector):
    """Read when scraped: the hot path counts in plain integers."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def collect(self) -> Iterator[Metric]:
        counts = self._intake.counts
        info = GaugeMetricFamily("lineage_hub_info", "The running version.", labels=("version",))
        info.add_metric((__version__,), 1)
        yield info
        labels = ("outcome", "kind")
        events = CounterMetricFamily("lineage_hub_events", "Events by what became of them.", labels=labels)
        for outcome in ("accepted", "repeated"):
            for kind in ("RunEvent", "JobEvent", "DatasetEvent"):
                events.add_metric((outcome, kind), counts[f"{kind} {outcome}"])
        events.add_metric(("rejected", "unknown"), counts["rejected"])
        yield events
        yield CounterMetricFamily(
            "lineage_hub_bodies_refused",
            "Bodies that could not be split into events.",
            value=counts["refused"],
        )
        yield CounterMetricFamily(
            "lineage_hub_dead_letters_stored",
            "Dead letters stored.",
            value=counts["rejected"] + counts["refused"],
        )
        yield CounterMetricFamily(
            "lineage_hub_dead_letters_evicted",
            "Dead letters that went because the bound was met.",
            value=counts["evicted"],
        )
        yield GaugeMetricFamily(
            "lineage_hub_queue_bytes",
            "Bytes of accepted requests that wait for the writer.",
            value=self._intake.queued_bytes(),
        )


class _TelemetryCounts(Collector):
    """All zero while telemetry isn't in use: a counter that comes and goes would look like a restart."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry

    def collect(self) -> Iterator[Metric]:
        intake = self._telemetry.running
        counts = intake.counts if intake is not None else Counter[str]()
        rows = CounterMetricFamily(
            "lineage_hub_telemetry_rows", "Rows of telemetry that are durable, by kind.", labels=("kind",)
        )
        for kind in ("traces", "metrics", "logs"):
            rows.add_metric((kind,), counts[f"{kind} accepted"])
        yield rows
        requests = CounterMetricFamily(
            "lineage_hub_telemetry_requests", "Requests that were not inserted, by the reason.", labels=("outcome",)
        )
        for outcome in ("repeated", "refused", "failed"):
            requests.add_metric((outcome,), counts[outcome])
        yield requests
        yield CounterMetricFamily(
            "lineage_hub_telemetry_batches", "Inserts of telemetry that are durable.", value=counts["batches"]
        )
        yield CounterMetricFamily(
            "lineage_hub_telemetry_batches_taken_back",
            "Inserts whose end nobody knew, removed before their requests were taken again.",
            value=counts["taken back"],
        )
        yield GaugeMetricFamily(
            "lineage_hub_telemetry_queue_bytes",
            "Bytes of telemetry that wait for their insert.",
            value=intake.queued_bytes() if intake is not None else 0,
        )
