"""A seed enters; a long history leaves in which few jobs run again and again, as they do in a team.

Most runs repeat what was said before, so most can go; now and then names are dropped, renamed and joined, versions
named, runs fail, overlap and speak late.
"""

from __future__ import annotations

import random

from tests.oracle import build
from tests.oracle.build import Body, dataset
from tests.oracle.events import Taken, distinct

NS = 10**9
NAMES = ["a", "b", "c", "d"]
TABLE_OF = {"l": "b", "m": "c"}


class Routine:
    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        # How often something unusual happens in this history; in some, never.
        self._odd = self._dice.choice([0.0, 0.03, 0.1])
        self._cuts = self._dice.choice([0.0, 0.0, 0.05])
        self._joins = self._dice.choice([0.0, 0.05])
        self._versions = self._dice.choice([0.0, 0.0, 0.3, 0.8])
        self._tenants = self._dice.choice([["default"], ["default", "default", "default", "team-b"]])
        self._checks = self._dice.choice([0.0, 0.2, 0.6])
        self._late = self._dice.choice([0.0, 0.1])
        self._runs = 0

    def taken(self, runs: int) -> list[Taken]:
        found: list[Taken] = []
        for _ in range(runs):
            tenant = self._dice.choice(self._tenants)
            for body in self._unit():
                raw = build.spelled(body)
                [event] = distinct([Taken(tenant, 0, raw)])
                late = self._dice.choice([1, 20]) * NS if self._happens(self._late) else 0
                found.append(Taken(tenant, event.at + late, raw))
        return sorted(found, key=lambda one: one.known_at)

    def _happens(self, how_often: float) -> bool:
        return self._dice.random() < how_often

    def _unit(self) -> list[Body]:
        dice = self._dice
        at = dice.randrange(100)
        if self._happens(self._odd):
            return [build.dataset_event(at, dice.choice(NAMES), **self._facets("static"))]
        job = dice.choice(["j1", "j1", "j2", "j3"])
        read = {"j1": ["a"], "j2": ["b"], "j3": ["a", "c"]}[job]
        write = {"j1": ["b"], "j2": ["c"], "j3": ["d"]}[job]
        if self._happens(self._odd):
            read, write = dice.sample(NAMES, 2), dice.sample(NAMES, 1)
        if self._happens(self._joins):
            write = [dice.choice(list(TABLE_OF))]
        if self._happens(self._odd):
            return [build.job_event(at, job, inputs=self._said(read, "in"), outputs=self._said(write, "out"))]
        return self._run(job, at, read, write)

    def _run(self, job: str, at: int, read: list[str], write: list[str]) -> list[Body]:
        dice = self._dice
        # Every tenth run id is used again, perhaps by another job.
        self._runs += 0 if self._happens(0.1) else 1
        run = self._runs
        facets = {"parent": build.parent("dag", run=900 + run // 3)} if job == "j3" else {}
        if self._happens(self._odd):
            facets["nominalTime"] = build.facet(nominalStartTime=build.at(at))
        streaming = self._happens(self._odd)
        parts = {
            "job": job,
            "run": run,
            "run_facets": facets,
            "job_facets": self._of_job() | (build.STREAMING if streaming else {}),
        }
        events = [build.start(at, **parts)] if self._happens(0.8) else []
        if streaming or self._happens(self._odd):
            events += [
                build.running(at + 1 + i, **parts, inputs=self._said(read, "in"), outputs=self._said(write, "out"))
                for i in range(dice.randrange(1, 4))
            ]
        end = at + dice.choice([0, 2, 5, 30])
        said = {"inputs": self._said(read, "in"), "outputs": self._said(write, "out")}
        kind = dice.choice(["COMPLETE"] * 6 + ["FAIL", "ABORT", None])
        if kind is not None:
            events.append(build.run_event(kind, end, **parts, **said))
        if self._happens(self._odd):
            events.append(build.run_event(dice.choice(["FAIL", "OTHER", "COMPLETE"]), end + 3, **parts, **said))
        return events or [build.start(at, **parts, **said)]

    def _of_job(self) -> Body:
        found: Body = build.code("git", self._dice.choice(["1", "2"])) if self._happens(0.3) else {}
        return found | (
            {"documentation": build.facet(description=str(self._dice.randrange(3)))} if self._happens(self._odd) else {}
        )

    def _said(self, names: list[str], side: str) -> list[Body]:
        found = [dataset(name, **self._facets(side, name)) for name in names]
        for one in found:
            if self._happens(self._checks):
                one.setdefault(self._dice.choice(["facets", f"{side}putFacets"]), {}).update(self._checked())
        return found

    def _checked(self) -> Body:
        """Mostly a check or two of several; some fail for long, some are made once and never again."""
        dice = self._dice
        facet = dice.choice(["dataQualityAssertions"] * 4 + ["greatExpectations_assertions"])
        if self._happens(self._odd):
            return {facet: build.TOMBSTONE}
        made = [
            {"assertion": name, "column": dice.choice(["x", "y"]), "success": self._result(name)}
            for name in dice.sample(["whole", "whole", "broken", "unsure"], dice.choice([1, 1, 2]))
        ]
        if self._happens(self._odd):
            made.append({"assertion": f"once {dice.randrange(50)}", "success": self._happens(0.5)})
        return {facet: build.facet(assertions=made)}

    def _result(self, name: str) -> bool | None:
        if self._happens(0.1):
            return self._dice.choice([True, False, None])
        return {"whole": True, "broken": False, "unsure": self._happens(0.5)}[name]

    def _facets(self, side: str, name: str = "") -> Body:
        dice = self._dice
        found: Body = {}
        if self._happens(0.3):
            found["schema"] = build.schema("x", *(["y"] if self._happens(self._odd) else []))
        if side == "out" and self._happens(0.4):
            found["columnLineage"] = build.columns(x=dice.choice(["a.x", "a.x", "c.x", "e.x"]))
        if side != "out" and self._happens(self._odd):
            found["columnLineage"] = build.columns(x="a.z")
        if self._happens(self._versions):
            found["version"] = build.version(str(dice.randrange(4)))
        if self._happens(self._odd):
            found["documentation"] = build.facet(description=str(dice.randrange(3)))
        if name in TABLE_OF and self._happens(0.7):
            found["symlinks"] = build.symlinks(TABLE=TABLE_OF[name]) if self._happens(0.8) else build.TOMBSTONE
        if side != "in" and self._happens(self._cuts):
            change = dice.choice(["DROP", "DROP", "CREATE", "RENAME"])
            found["lifecycleStateChange"] = build.lifecycle(change, dice.choice(NAMES) if change == "RENAME" else None)
        return found
