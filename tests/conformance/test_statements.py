"""What users say beside events is kept with its history and for its tenant, on every database."""

from lineage_hub.model import EVERYTHING, NOW, Moment
from lineage_hub.query.queries import Queries
from lineage_hub.query.said import Said
from lineage_hub.store import statements
from lineage_hub.store.open import LineageStore
from lineage_hub.store.statements import DATASET_TAG, HIDDEN_JOB, NAMESPACE, Saying
from tests.conformance.databases import Database, Sender, limited_to
from tests.oracle.build import complete, ns


def put(sender: Sender, *sayings: Saying, now: int, tenant: str = "default") -> int:
    return sender.write(lambda c: statements.put(c, EVERYTHING.writing_to(tenant), sayings, now))


def owner(name: str) -> Saying:
    return Saying(NAMESPACE, ("team",), b'{"ownerName":"%s"}' % name.encode())


def test_the_newest_counts_and_the_past_can_be_asked(store: LineageStore, sender: Sender) -> None:
    assert put(sender, owner("a"), now=10) == 10
    assert put(sender, owner("b"), owner("c"), now=10) == 12, "whatever the clock says, it comes after what was said"
    assert put(sender, Saying(NAMESPACE, ("other",), None), now=5) == 5
    queries = Queries(store)

    def said(moment: Moment) -> Said | None:
        with queries.at(EVERYTHING, moment) as snapshot:
            return snapshot.said.namespaces.get("team")

    assert said(NOW) == Said(owner("c").body, 10, 12)
    assert said(Moment(as_of=11)) == said(Moment(known_at=11)) == Said(owner("b").body, 10, 11)
    assert said(Moment(as_of=9)) is None


def test_a_scope_sees_what_its_tenants_say(store: LineageStore, sender: Sender) -> None:
    sender.clock.now = ns(1)
    for tenant in ("team-a", "team-b"):
        sender.send([complete(1, outputs=["a"])], tenant)
    put(sender, Saying(DATASET_TAG, ("db", "a", "A"), b"{}"), now=ns(2), tenant="team-a")
    put(sender, Saying(DATASET_TAG, ("db", "a", "B"), b"{}"), now=ns(2), tenant="team-b")
    put(sender, Saying(HIDDEN_JOB, ("jobs", "j"), b"{}"), now=ns(2), tenant="team-b")
    queries = Queries(store)
    for tenants, tags, hidden in ((("team-a",), ["A"], 0), (("team-b",), ["B"], 1), (None, ["A", "B"], 1)):
        scope = EVERYTHING if tenants is None else limited_to(*tenants)
        with queries.at(scope, NOW) as snapshot:
            assert [tag for _, tag, _ in snapshot.said.dataset_tags["db", "a"]] == tags
            assert len(snapshot.hidden) == hidden


def test_names_of_any_size_and_script_can_be_spoken_of(database: Database) -> None:
    sender = database.sender()
    names = ["x" * 60_000, "日本\n\t\"'\\", "a\u0000b"]
    put(sender, *[Saying(NAMESPACE, (name,), b"{}") for name in names], now=1)
    with Queries(database.store()).at(EVERYTHING, NOW) as snapshot:
        assert list(snapshot.said.namespaces) == names


def test_two_hubs_that_speak_at_once_lose_nothing(database: Database) -> None:
    senders = [database.sender() for _ in range(2)]
    for turn in range(10):
        put(senders[turn % 2], Saying(DATASET_TAG, ("db", "a", f"t{turn}"), b"{}"), now=7)
    with Queries(database.store()).at(EVERYTHING, NOW) as snapshot:
        assert [tag for _, tag, _ in snapshot.said.dataset_tags["db", "a"]] == [f"t{turn}" for turn in range(10)]
