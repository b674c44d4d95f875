"""What users expect of datasets is kept with its history, on every database."""

from lineage_hub.model import EVERYTHING, NOW, Moment
from lineage_hub.query.freshness import all_freshness, dataset_freshness
from lineage_hub.query.queries import Queries
from lineage_hub.store import expectations
from lineage_hub.store.expectations import Kept
from lineage_hub.store.open import LineageStore
from tests.conformance.databases import Sender, limited_to
from tests.oracle.build import at, complete, dataset, ns, run_id

BODY = b'{"every":"1h","tolerance":"0s"}'


def put(sender: Sender, entity: int, body: bytes | None, now: int, tenant: str = "default") -> int:
    return sender.write(lambda c: expectations.put(c, EVERYTHING.writing_to(tenant), entity, body, now))


def test_the_newest_counts_and_the_past_can_be_asked(store: LineageStore, sender: Sender) -> None:
    assert put(sender, 1, BODY, 10) == 10
    assert put(sender, 2, BODY, 11) == 11
    assert put(sender, 1, None, 20) == 20
    assert put(sender, 1, b"{}", 20) == 21, "whatever the clock says, it comes after what was set before"
    with store.reading() as connection:

        def asked(moment: Moment) -> dict[int, Kept]:
            return expectations.in_force(connection, EVERYTHING, moment)

        assert asked(NOW) == {1: Kept(1, 21, b"{}"), 2: Kept(2, 11, BODY)}
        assert asked(Moment(as_of=20)) == {2: Kept(2, 11, BODY)}
        assert asked(Moment(known_at=10)) == {1: Kept(1, 10, BODY)}
        assert asked(Moment(as_of=9)) == {}
        assert expectations.in_force(connection, EVERYTHING, NOW, [2, 3]) == {2: Kept(2, 11, BODY)}


def test_a_scope_sees_what_its_tenants_expect(store: LineageStore, sender: Sender) -> None:
    put(sender, 1, BODY, 10, "team-a")
    put(sender, 2, BODY, 10, "team-b")
    with store.reading() as connection:
        assert set(expectations.in_force(connection, limited_to("team-a"), NOW)) == {1}


def test_a_table_that_is_renamed_takes_its_expectation_along(store: LineageStore, sender: Sender) -> None:
    sender.send([complete(0, outputs=["old"])])
    queries = Queries(store)
    with queries.at(EVERYTHING, NOW) as snapshot:
        (entity,) = [one for one in snapshot.reader.entities(2) if snapshot.name(one)[1] == "old"]
    put(sender, entity, BODY, ns(1))
    change = {"lifecycleStateChange": "RENAME", "previousIdentifier": {"namespace": "db", "name": "old"}}
    facet = {"_producer": "p", "_schemaURL": "s", **change}
    sender.send([complete(1800, job="renamer", run=2, outputs=[dataset("new", lifecycleStateChange=facet)])])
    with queries.at(EVERYTHING, NOW) as snapshot:
        answer = dataset_freshness(snapshot, "db", "new", ns(9000), learned=False)
        listed = all_freshness(snapshot, ns(9000), (), False, 10, 0)
    assert answer["state"] == "late"
    assert answer["lastWrite"]["run"] == {"id": run_id(2), "job": {"namespace": "jobs", "name": "renamer"}}
    assert (answer["dueAt"], answer["lateSince"], answer["lateS"]) == (at(5400), at(5400), 3600)
    assert listed["freshness"] == [answer]


def test_a_dataset_that_was_dropped_is_neither_fresh_nor_late(store: LineageStore, sender: Sender) -> None:
    sender.send([complete(0, outputs=["gone"])])
    queries = Queries(store)
    with queries.at(EVERYTHING, NOW) as snapshot:
        (entity,) = snapshot.reader.entities(2)
    put(sender, entity, BODY, ns(1))
    facet = {"_producer": "p", "_schemaURL": "s", "lifecycleStateChange": "DROP"}
    sender.send([complete(60, run=2, outputs=[dataset("gone", lifecycleStateChange=facet)])])
    with queries.at(EVERYTHING, NOW) as snapshot:
        answer = dataset_freshness(snapshot, "db", "gone", ns(9000), learned=False)
        assert (answer["state"], answer["reason"]) == ("unknown", "it was dropped")
        assert all_freshness(snapshot, ns(9000), (), False, 10, 0)["freshness"] == []
    with queries.at(EVERYTHING, Moment(as_of=ns(30))) as snapshot:
        assert dataset_freshness(snapshot, "db", "gone", ns(9000), learned=False)["state"] == "fresh"
