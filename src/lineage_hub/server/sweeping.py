"""Tenants with their horizons enter; old events leave the store, a little at a time, while others are written.

A sweep is planned in a thread of its own that rests as long as it works, and removes through the writer's thread.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar, cast

from sqlalchemy import Connection

from lineage_hub.errors import Conflict, LineageHubError, Overloaded, Transient
from lineage_hub.ingest.intake import Intake
from lineage_hub.ingest.threads import in_thread
from lineage_hub.lineage.habits import WRITES_KEPT
from lineage_hub.logs import get_logger
from lineage_hub.model import EVERYTHING, Scope
from lineage_hub.settings import Settings
from lineage_hub.store import dead_letters, retention
from lineage_hub.store.ages import read_ages
from lineage_hub.store.open import LineageStore

if TYPE_CHECKING:
    from lineage_hub.lineage.retention import Unit
    from lineage_hub.lineage.rows import EventRow
    from lineage_hub.query.checks_told import ChecksTold

DAY_NS = 86_400_000_000_000
# Events that one plan looks at beyond those that stayed before; and those that one transaction removes.
SLICE_EVENTS = 20_000
STEP_EVENTS = 50
PAGE = 2_000
# Of the time; the rest is for ingest.
SHARE = 0.25
# Longest stretch of thinking without a rest.
THOUGHT_S = 0.002
# A hub that has just been started has other things to do.
FIRST_LOOK_S = 10.0
BEGINNING = -(2**63)
_log = get_logger("retention")
P = ParamSpec("P")
T = TypeVar("T")


@dataclass(slots=True)
class Progress:
    """Of the sweep that runs, or of the last one."""

    tenant: str | None = None
    started_at: int | None = None
    ended_at: int | None = None
    events_ahead: int = 0
    events_examined: int = 0
    events_removed: int = 0
    dead_letters_removed: int = 0
    shapes_removed: int = 0
    facets_removed: int = 0
    error: str | None = None


@dataclass(slots=True)
class Sweeper:
    store: LineageStore
    intake: Intake
    settings: Settings
    clock: Callable[[], int]
    progress: Progress = field(default_factory=Progress)
    slice_events: int = SLICE_EVENTS
    step_events: int = STEP_EVENTS
    writes_kept: int = WRITES_KEPT
    _stopping: bool = False
    _running: asyncio.Task[None] | None = None
    _round: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._round = asyncio.create_task(self._sweep_now_and_then())

    async def stop(self) -> None:
        """Between two transactions; the next start goes on."""
        self._stopping = True
        for task in (self._round, self._running):
            if task is not None:
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)

    @property
    def is_running(self) -> bool:
        return self._running is not None and not self._running.done()

    def begin(self, only: str | None = None) -> asyncio.Task[None]:
        if self.is_running:
            raise Conflict("a sweep is running", subject="retention", action="see GET /api/v1/retention")
        self.progress = Progress(started_at=self.clock())
        self._running = asyncio.create_task(self._sweep(only))
        return self._running

    async def _sweep_now_and_then(self) -> None:
        await asyncio.sleep(min(FIRST_LOOK_S, self.settings.retention_sweep_s))
        while True:
            if not self.is_running and await self._anything_to_do():
                await asyncio.gather(self.begin(), return_exceptions=True)
            await asyncio.sleep(self.settings.retention_sweep_s)

    async def _anything_to_do(self) -> bool:
        try:
            return bool(await in_thread(self.horizons))
        except Transient:
            return False

    def horizons(self) -> dict[str, int]:
        """Of the tenants whose events don't stay for ever."""
        ages = read_ages("lineage_retention", self.settings.lineage_retention)
        now = self.clock()
        with self.store.reading() as connection:
            known = {*retention.tenants(connection, EVERYTHING), *dead_letters.tenants(connection, EVERYTHING)}
            chosen = {kept.tenant: kept.days for kept in retention.all_kept(connection, EVERYTHING)}
        default = self.settings.lineage_retention_days
        days = {tenant: days_of(tenant, chosen.get(tenant), ages, default) for tenant in sorted(known)}
        return {tenant: now - count * DAY_NS for tenant, count in days.items() if count}

    async def _sweep(self, only: str | None) -> None:
        progress = self.progress
        try:
            horizons = await in_thread(self.horizons)
            for tenant, horizon_at in horizons.items():
                if only is None or tenant == only:
                    progress.tenant = tenant
                    await self._sweep_tenant(EVERYTHING.writing_to(tenant), horizon_at)
            await self._remove_unused()
        except LineageHubError as error:
            progress.error = error.message
            _log.warning("sweep_broken_off", reason=error.message, tenant=progress.tenant)
        except Exception as error:
            progress.error = f"a defect: {type(error).__name__}"
            _log.exception("sweep_broken_off", tenant=progress.tenant)
        finally:
            progress.tenant, progress.ended_at = None, self.clock()
        _log.info("swept", events=progress.events_removed, dead_letters=progress.dead_letters_removed)

    async def _sweep_tenant(self, scope: Scope, until: int) -> None:
        number, at = await self._looked(_where, scope)
        while gone := await self._written(dead_letters.remove_older, scope, until, self.step_events):
            self.progress.dead_letters_removed += gone
        if number is not None and at < until:
            self.progress.events_ahead += await self._looked(retention.count_after, number, at, until)
            from lineage_hub.query.checks_told import ChecksTold

            checks = ChecksTold()
            while at < until:
                at = await self._sweep_slice(scope, number, at, until, checks)
        await self._written(retention.note_sweep, scope, self.clock())

    async def _sweep_slice(self, scope: Scope, tenant: int, after: int, until: int, checks: ChecksTold) -> int:
        """Moves the horizon a little; where to leaves."""
        from lineage_hub.query.removable import removable

        horizon_at = await self._looked(retention.next_horizon, tenant, after, until, self.slice_events)
        # First of all: nothing that is asked from now on may rest on what is about to go.
        await self._written(retention.seal, scope, horizon_at)
        plan = await in_thread(removable, self.store, tenant, horizon_at, self._breathing(), checks, self.writes_kept)
        self.progress.events_examined += plan.examined
        for units in _steps(plan.units, self.step_events):
            self.progress.events_removed += await self._written(_remove, scope, [row for u in units for row in u.rows])
        return horizon_at

    async def _remove_unused(self) -> None:
        """Cuts, shapes and facets that no event leads to any more."""
        await self._written(retention.remove_unused_cuts)
        after: int | None = 0
        while after is not None:
            unused, after = await self._looked(retention.unused_shapes, after, PAGE)
            for part in _parts(unused, self.step_events):
                self.progress.shapes_removed += await self._written(retention.remove_unused_shapes, part)
        if self.progress.shapes_removed:
            await self._remove_unused_facets()

    async def _remove_unused_facets(self) -> None:
        used: set[int] = set()
        last_shape, shape = 0, cast("int | None", 0)
        while shape is not None:
            last_shape = shape
            more, shape = await self._looked(retention.blobs_used, shape, PAGE)
            used |= more
        blob: int | None = 0
        while blob is not None:
            numbers = await self._looked(retention.blob_numbers, blob, PAGE)
            for part in _parts([one for one in numbers if one not in used], self.step_events):
                self.progress.facets_removed += await self._written(retention.remove_unused_blobs, part, last_shape)
            blob = numbers[-1] if numbers else None

    # A little at a time

    async def _looked(self, question: Callable[Concatenate[Connection, P], T], *of: P.args, **more: P.kwargs) -> T:
        def look() -> T:
            with self.store.reading() as connection:
                return question(connection, *of, **more)

        started = time.perf_counter()
        found = await in_thread(look)
        await self._rest(started)
        return found

    async def _written(self, call: Callable[Concatenate[Connection, P], T], *of: P.args, **more: P.kwargs) -> T:
        started = time.perf_counter()
        found = await self.intake.write(lambda connection: call(connection, *of, **more))
        await self._rest(started)
        return found

    def _breathing(self) -> Callable[[], None]:
        """To be called often by a thread that thinks: it rests most of the time, so that requests needn't wait."""
        since = time.perf_counter()

        def breathe() -> None:
            nonlocal since
            worked = time.perf_counter() - since
            if worked > THOUGHT_S:
                if self._stopping:
                    raise Overloaded("the hub is stopping", subject="retention")
                time.sleep(worked * (1 / SHARE - 1))
                since = time.perf_counter()

        return breathe

    async def _rest(self, started: float) -> None:
        await asyncio.sleep((time.perf_counter() - started) * (1 / SHARE - 1))


def _where(connection: Connection, scope: Scope) -> tuple[int | None, int]:
    """The number of the scope's tenant, and up to where it was swept."""
    number = retention.tenants(connection, EVERYTHING).get(scope.tenant)
    kept = {one.tenant: one for one in retention.all_kept(connection, EVERYTHING)}.get(scope.tenant)
    return number, kept.horizon_at if kept is not None and kept.horizon_at is not None else BEGINNING


def days_of(tenant: str, chosen: int | None, ages: Mapping[str, int], default: int) -> int:
    """What was set for the tenant, else what the settings say of it, else of all; 0 means for ever."""
    return chosen if chosen is not None else ages.get(tenant, default)


def _remove(connection: Connection, scope: Scope, rows: list[EventRow]) -> int:
    """Runs that have gone on since they were read stay for the next sweep."""
    grown = retention.grown_runs(connection, rows)
    going = [row for row in rows if row.run is None or row.run_key not in grown]
    return retention.remove_events(connection, scope, going)


def _steps(units: list[Unit], events: int) -> Iterator[list[Unit]]:
    """As many whole units as have about that many events."""
    step: list[Unit] = []
    size = 0
    for unit in units:
        step.append(unit)
        size += len(unit.rows)
        if size >= events:
            yield step
            step, size = [], 0
    if step:
        yield step


def _parts(numbers: list[int], size: int) -> Iterator[list[int]]:
    for start in range(0, len(numbers), size):
        yield numbers[start : start + size]
