"""A pipeline enters; which stage waits for which, and what can run at the same time, leaves."""

import graphlib
from collections.abc import Collection, Mapping

from lineage_hub.errors import InvalidPipeline, NotFound
from lineage_hub.spark.pipeline.definition import Pipeline, Stage
from lineage_hub.spark.pipeline.places import reads_from
from lineage_hub.spark.pipeline.problems import Finding, advise

Waits = dict[str, set[str]]


def waits(stages: Mapping[str, Stage]) -> Waits:
    """What each stage waits for: the stages that it names, and loads of what an extract reads."""
    named = {name: {source for source in reads(name, stage) if source in stages} for name, stage in stages.items()}
    implied = {
        name: {
            load
            for load, writer in stages.items()
            # A load that is made from the extract's own rows replaces what the extract has read.
            if stage.extract and writer.load and reads_from(stage.extract, writer.load)
            if name not in _reach(named, load)
        }
        for name, stage in stages.items()
    }
    return {name: named[name] | implied[name] for name in stages}


def reads(name: str, stage: Stage) -> list[str]:
    """The stages whose rows it reads. A rule may refer to the stage that it stands in: nobody waits for himself."""
    read = stage.model_copy(update={"rules": []}).sources
    return [source for source in stage.sources if source != name or source in read]


def order(pipeline: Pipeline) -> list[list[str]]:
    """Stages in levels; those of one level wait for nothing but levels before."""
    edges = waits(pipeline.stages)
    if found := cycles(edges):
        raise InvalidPipeline([finding.problem() for finding in map(told, found)])
    sorter = graphlib.TopologicalSorter(edges)
    sorter.prepare()
    levels: list[list[str]] = []
    while sorter.is_active():
        ready = sorter.get_ready()
        levels.append([name for name in pipeline.stages if name in ready])
        sorter.done(*ready)
    return levels


def upstream(pipeline: Pipeline, stage: str) -> set[str]:
    """Everything that the stage waits for, however far."""
    return _reach(waits(pipeline.stages), _known(pipeline, stage)) - {stage}


def downstream(pipeline: Pipeline, stage: str) -> set[str]:
    """Everything that waits for the stage, however far."""
    back: Waits = {name: set() for name in pipeline.stages}
    for name, sources in waits(pipeline.stages).items():
        for source in sources:
            back[source].add(name)
    return _reach(back, _known(pipeline, stage)) - {stage}


def cycles(edges: Mapping[str, Collection[str]]) -> list[list[str]]:
    """Each circle of waiting once, from a stage back to itself."""
    open_edges = {name: set(sources) for name, sources in edges.items()}
    found: list[list[str]] = []
    while True:
        try:
            graphlib.TopologicalSorter(open_edges).prepare()
        except graphlib.CycleError as error:
            circle: list[str] = error.args[1][::-1]
            found.append(circle)
            open_edges[circle[0]].discard(circle[1])
        else:
            return found


def told(circle: list[str]) -> Finding:
    """The stages of a circle are told from the one that waits to the one it waits for."""
    way = " → ".join(circle)
    says = f"{circle[0]} waits for itself: {way}" if len(circle) > 2 else f"{circle[0]} reads from itself"
    return Finding(("stages", circle[0]), says, "let one of them read something else", at="key")


def _reach(edges: Mapping[str, Collection[str]], start: str) -> set[str]:
    reached, todo = {start}, [start]
    while todo:
        new = set(edges.get(todo.pop(), ())) - reached
        reached |= new
        todo.extend(new)
    return reached


def _known(pipeline: Pipeline, stage: str) -> str:
    if stage not in pipeline.stages:
        raise NotFound(f"there is no stage {stage}", subject=stage, action=advise(stage, list(pipeline.stages)))
    return stage
