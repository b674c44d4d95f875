"""Requests to run a pipeline enter; its driver is started as a process of its own, and the state of runs leaves.

The hub keeps nothing of a run in memory: after a restart it finds every run where its driver tells of it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec
from fastapi import APIRouter, Header, Query, Request, Response

from lineage_hub.errors import Conflict, InvalidRequest, NotFound, Overloaded
from lineage_hub.logs import get_logger
from lineage_hub.sdk.run_ids import new_run_id
from lineage_hub.settings import Settings
from lineage_hub.spark.pipeline.run_folder import Asked, RunFolder, RunFolders
from lineage_hub.spark.pipeline.status import ENDED, RunStatus

_WATCH_S = 5.0
_MOST_BYTES = 1024 * 1024
# What a program needs to run at all; the hub's own settings and secrets are not among it.
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "JAVA_HOME", "SPARK_HOME", "PYTHONPATH", "USER")
_log = get_logger("pipeline")

router = APIRouter(prefix="/api/v1/pipeline", tags=["Pipelines"])
Limit = Annotated[int, Query(ge=1, le=1000, description="Most items in the answer.")]
Offset = Annotated[int, Query(ge=0, le=2**31, description="Items to pass over.")]


_TEXT = {"type": "string"}
_NAME = {"type": "string", "minLength": 1}
_WISH: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "A hub that allows it takes a `definition` in YAML in place of a pipeline's name.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["pipeline"],
                    "additionalProperties": False,
                    "properties": {
                        "pipeline": _NAME,
                        "parameters": {"type": "object", "additionalProperties": _TEXT},
                        "idempotency_key": _NAME,
                        "from_stage": _NAME,
                        "rerun_failed": _NAME,
                    },
                }
            }
        },
    }
}


def _answer(description: str, name: str) -> dict[str, Any]:
    """The name is one of `route_answers`, or of the hub's own."""
    schema = {"$ref": f"#/components/schemas/{name}"}
    return {"description": description, "content": {"application/json": {"schema": schema}}}


_RUN_SHOWN: dict[int | str, dict[str, Any]] = {200: _answer("The run.", "PipelineRun")}


class Around(Protocol):
    """What the hub gives."""

    @property
    def settings(self) -> Settings: ...
    @property
    def tell(self) -> Any: ...


class Wish(msgspec.Struct, forbid_unknown_fields=True):
    """The body of a request to run a pipeline."""

    pipeline: str | None = None
    definition: str | None = None
    parameters: dict[str, str | int | float | bool] = {}
    idempotency_key: str | None = None
    from_stage: str | None = None
    rerun_failed: str | None = None


_decode = msgspec.json.Decoder(Wish).decode


@dataclass
class Pipelines:
    """The pipelines that a hub may start, and their runs."""

    settings: Settings
    starting: asyncio.Lock = field(default_factory=asyncio.Lock)
    drivers: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def runs(self) -> RunFolders:
        return RunFolders(Path(self.settings.data_dir) / "pipelines" / "runs")

    def definition(self, wish: Wish) -> tuple[str, Path | None]:
        """Its text, and the folder that its relative paths begin in."""
        if wish.definition is not None:
            if self.settings.pipeline_inline != "allow":
                raise InvalidRequest(
                    "this hub runs no definition that comes with the request",
                    subject="definition",
                    action="name a pipeline of its folder, or ask for the setting pipeline_inline=allow",
                )
            return wish.definition, None
        if not wish.pipeline:
            raise InvalidRequest("no pipeline is named", subject="pipeline", action="give its name as `pipeline`")
        found = self.files().get(wish.pipeline)
        if found is None:
            raise NotFound(
                f"there is no pipeline {wish.pipeline!r}",
                subject=wish.pipeline[:200],
                action="GET /api/v1/pipeline lists them",
            )
        return found.read_text(), found.parent

    def files(self) -> dict[str, Path]:
        """By the file's name without its ending. Only files of the folder itself: a name can't lead elsewhere."""
        folder = self.settings.pipeline_folder
        if not folder or not Path(folder).is_dir():
            return {}
        found = (one for one in sorted(Path(folder).iterdir()) if one.suffix in (".yaml", ".yml") and one.is_file())
        return {one.stem: one for one in found}

    def start(self, wish: Wish, key: str | None, hub_url: str) -> tuple[RunFolder, bool]:
        """The run, and whether it is new."""
        from lineage_hub.spark.pipeline.confinement import confine
        from lineage_hub.spark.pipeline.parameters import resolve
        from lineage_hub.spark.pipeline.reading import read_pipeline
        from lineage_hub.spark.pipeline.submitting import submit

        before = self.runs.by_key(key) if key else None
        if before is not None:
            return before, False
        running = sum(one.status().state not in ENDED for one in self.runs)
        if running >= self.settings.pipeline_most_running:
            raise Overloaded(
                f"{running} pipelines run already",
                subject="pipeline_most_running",
                action="try again when one has ended",
            )
        text, base = self.definition(wish)
        parameters = {name: _text(value) for name, value in wish.parameters.items()}
        environment = self._environment(hub_url)
        pipeline = resolve(read_pipeline(text), parameters, environment)
        roots, uris = self._roots()
        pipeline = confine(
            pipeline,
            roots,
            uris=uris,
            databases=_listed(self.settings.pipeline_databases),
            modules=_listed(self.settings.pipeline_modules),
            base=base,
        )
        _check_stage(pipeline.stages, wish.from_stage)
        if wish.rerun_failed and self.runs.find(wish.rerun_failed).status().state not in ENDED:
            raise Conflict("that run has not ended", subject=wish.rerun_failed, action="wait, or cancel it")
        asked = Asked(
            run_id=new_run_id().decode(),
            pipeline=pipeline.name,
            definition=text,
            parameters=parameters,
            master=self.settings.pipeline_master,
            from_stage=wish.from_stage,
            continues=wish.rerun_failed,
            idempotency_key=key,
            folder=str(base) if base is not None else None,
            confined={
                "roots": [str(one) for one in roots],
                "uris": uris,
                "databases": _listed(self.settings.pipeline_databases),
                "modules": _listed(self.settings.pipeline_modules),
            },
            asked_at=time.time(),
        )
        kinds = {name: stage.kind for name, stage in pipeline.stages.items()}
        folder = self.runs.make(asked, pipeline.namespace or "default", kinds)
        self.drivers[folder.id] = submit(
            folder, pipeline, master=self.settings.pipeline_master, environment=environment
        )
        return folder, True

    def _environment(self, hub_url: str) -> dict[str, str]:
        wanted = (*_PASSED_ON, *_listed(self.settings.pipeline_environment))
        passed = {name: os.environ[name] for name in wanted if name in os.environ}
        return {**passed, "LINEAGE_HUB_URL": hub_url}

    def _roots(self) -> tuple[list[Path], list[str]]:
        given = _listed(self.settings.pipeline_roots)
        return [Path(one) for one in given if "://" not in one], [one for one in given if "://" in one]

    def reap(self) -> None:
        """A driver that has ended is no zombie for long."""
        self.drivers = {run_id: one for run_id, one in self.drivers.items() if one.poll() is None}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _listed(text: str) -> list[str]:
    return [one.strip() for one in text.split(",") if one.strip()]


def _check_stage(stages: Mapping[str, Any], name: str | None) -> None:
    if name is not None and name not in stages:
        raise InvalidRequest(f"there is no stage {name!r}", subject=name[:200], action=f"use {', '.join(stages)}")


@router.post(
    "/run",
    status_code=202,
    summary="Run a pipeline",
    openapi_extra=_WISH,
    responses={
        200: _answer("The run that was started with that key before.", "PipelineRunStarted"),
        202: _answer("The run.", "PipelineRunStarted"),
        404: _answer("There is no such pipeline or run.", "Error"),
        409: _answer("The run that is to be continued has not ended.", "Error"),
    },
)
async def run_pipeline(
    request: Request, idempotency_key: Annotated[str | None, Header(max_length=200)] = None
) -> Response:
    """Answers with the run's id at once. The same idempotency key gives the same run again, with 200."""
    pipelines = _pipelines(request)
    body = await request.body()
    if len(body) > _MOST_BYTES:
        raise InvalidRequest("the body is too large", subject="body", action=f"send at most {_MOST_BYTES} bytes")
    try:
        wish = _decode(body)
    except msgspec.DecodeError as error:
        raise InvalidRequest(
            f"the body can't be read: {error}", subject="body", action='send {"pipeline": "name", "parameters": {…}}'
        ) from None
    key = idempotency_key or wish.idempotency_key
    host, port = request.scope["server"]
    url = f"http://{'127.0.0.1' if host in ('0.0.0.0', '::') else host}:{port}"
    async with pipelines.starting:
        folder, is_new = await asyncio.to_thread(pipelines.start, wish, key, url)
    told = {**_told(folder.status()), "url": f"/api/v1/pipeline/run/{folder.id}"}
    return _json(told, 202 if is_new else 200)


@router.get("", summary="List the pipelines that can be run", responses={200: _answer("Their names.", "PipelineList")})
async def list_pipelines(request: Request) -> Response:
    """Those in the configured folder, each with its parameters and stages, or what is wrong with its file."""
    files = _pipelines(request).files()
    return _json({"pipelines": await asyncio.to_thread(_offers, files)})


@router.get(
    "/run", summary="List runs of pipelines, newest first", responses={200: _answer("The runs.", "PipelineRunPage")}
)
def list_pipeline_runs(
    request: Request, limit: Limit = 100, offset: Offset = 0, pipeline: str | None = None, state: str | None = None
) -> Response:
    """Those that were started over this API or from the hub's data folder."""
    statuses = [one.status() for one in _pipelines(request).runs]
    found = [one for one in statuses if pipeline in (None, one.pipeline) and state in (None, one.state)]
    return _json({"runs": [_told(one) for one in found[offset : offset + limit]], "totalCount": len(found)})


@router.get("/run/{run_id}", summary="Show a run of a pipeline", responses=_RUN_SHOWN)
def show_pipeline_run(request: Request, run_id: str) -> Response:
    """Stages with their state, percent, rows so far and errors."""
    return _json(_told(_pipelines(request).runs.find(run_id).status()))


@router.post(
    "/run/{run_id}/cancel",
    status_code=202,
    summary="Cancel a run of a pipeline",
    responses={202: _answer("The run.", "PipelineRun"), 409: _answer("It has ended.", "Error")},
)
def cancel_pipeline_run(request: Request, run_id: str) -> Response:
    """It ends with ABORT; what is being written is given up."""
    folder = _pipelines(request).runs.find(run_id)
    if folder.status().state in ENDED:
        raise Conflict("the run has ended", subject=run_id, action="GET it to see how")
    folder.ask_to_cancel()
    return _json(_told(folder.status()), 202)


def _pipelines(request: Request) -> Pipelines:
    found: Pipelines = request.app.state.pipeline
    return found


def _offers(files: Mapping[str, Path]) -> list[dict[str, Any]]:
    from lineage_hub.spark.pipeline.offered import offered

    return [offered(name, file) for name, file in files.items()]


def _told(status: RunStatus) -> dict[str, Any]:
    told: dict[str, Any] = msgspec.to_builtins(status)
    return told


def _json(content: Any, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content), status, media_type="application/json")


class PipelineExtension:
    name = "pipeline"
    title = "Pipelines"
    router = router

    @property
    def components(self) -> Mapping[str, dict[str, Any]]:
        # Only who asks for the document needs them.
        from lineage_hub.spark.route_answers import COMPONENTS

        return COMPONENTS

    @asynccontextmanager
    async def running(self, around: Around) -> AsyncIterator[Pipelines]:
        pipelines = Pipelines(around.settings)
        watching = asyncio.create_task(_watch(pipelines, around.tell))
        try:
            yield pipelines
        finally:
            watching.cancel()


async def _watch(pipelines: Pipelines, tell: Any) -> None:
    """A driver that died or fell silent has failed, whoever waits for it."""
    while True:
        await asyncio.sleep(_WATCH_S)
        try:
            for event in await asyncio.to_thread(_ends_of_the_silent, pipelines):
                await tell(event)
        except Exception as error:
            _log.warning("runs can't be watched", error=str(error))


def _ends_of_the_silent(pipelines: Pipelines) -> Sequence[bytes]:
    from lineage_hub.spark.pipeline.deaths import bury

    pipelines.reap()
    return [event for folder in pipelines.runs if folder.is_silent() for event in bury(folder)]


extension = PipelineExtension()
