"""What a scope is told is what a store would tell that had never taken an event of another tenant."""

import pytest

from lineage_hub.model import EVERYTHING, Moment
from lineage_hub.query.queries import Queries
from tests.conformance.asking import answers, assert_equal
from tests.conformance.databases import Databases, limited_to
from tests.conformance.histories import A, B, taken_over_time
from tests.oracle.events import distinct
from tests.properties.arriving import FIRST_KNOWN

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.mark.parametrize("seed", range(2))
def test_a_scope_never_sees_anything_of_another_tenant(databases: Databases, seed: int) -> None:
    taken = taken_over_time(seed, most=8)
    told = distinct(taken)
    moments = [Moment(), Moment(as_of=told[len(told) // 2].at, known_at=FIRST_KNOWN + len(told) // 3)]
    shared = databases.new().sender()
    shared.send_taken(taken)
    for tenants in ((A,), (B,), ("nobody",)):
        alone = databases.new().sender()
        alone.send_taken(one for one in taken if one.tenant in tenants)
        for moment in moments:
            expected = answers(Queries(alone.store), limited_to(*tenants), moment, told)
            assert_equal(answers(Queries(shared.store), limited_to(*tenants), moment, told), expected)


def test_a_scope_of_all_tenants_sees_what_one_without_limits_sees(databases: Databases) -> None:
    taken = taken_over_time(seed=5, most=8)
    told = distinct(taken)
    sender = databases.new().sender()
    sender.send_taken(taken)
    queries = Queries(sender.store)
    unlimited = answers(queries, EVERYTHING, Moment(), told)
    assert_equal(answers(queries, limited_to(A, B), Moment(), told), unlimited)
