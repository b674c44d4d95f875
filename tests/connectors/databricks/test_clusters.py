"""A topic belongs to the cluster that its brokers say, and not to the first one that has a topic of its name."""

from lineage_hub.connectors.databricks.clusters import Clusters, brokers_of
from lineage_hub.connectors.databricks.config import KafkaCluster


def test_brokers_are_compared_without_protocol_case_and_usual_port():
    assert brokers_of("SASL_SSL://B1.example.com:9093, b2 ,,[::1]:9092") == [
        "b1.example.com:9093",
        "b2:9092",
        "[::1]:9092",
    ]
    assert brokers_of("not a broker") == []


def test_lists_that_share_a_broker_are_one_cluster_under_one_name():
    clusters = Clusters(bootstraps=["a:1,b:1", "b:1,c:1", "b:1,c:1", "z:1"])
    names = {clusters.of(one, "w").namespace for one in ("a:1,b:1", "b:1,c:1", "c:1", "a:1")}
    assert names == {"kafka://b:1"}
    assert clusters.of("a:1", "w").aliases == ("kafka://a:1", "kafka://c:1")
    assert clusters.of("z:1", "w").namespace == "kafka://z:1"


def test_the_order_in_which_lists_are_seen_does_not_matter():
    lists = ["a:1,b:1", "c:1,d:1", "b:1,c:1"]
    found = {Clusters(bootstraps=order).of("d:1", "w").namespace for order in (lists, lists[::-1])}
    assert len(found) == 1


def test_a_configured_cluster_names_its_topics_and_knows_them():
    known = [KafkaCluster("prod", ("b1:9092", "b2:9092")), KafkaCluster("stage", ("s1:9092",), "kafka://stage")]
    clusters = Clusters(known, bootstraps=["b2:9092,b3:9092", "b3:9092", "s1:9092"])
    assert clusters.of("b2:9092", "w").namespace == "kafka://b1:9092"
    assert clusters.of("b3:9092", "w").namespace == "kafka://b1:9092"
    assert clusters.of("b2", "w").is_known
    assert clusters.of("s1:9092", "w").namespace == "kafka://stage"
    assert not clusters.of("x:1", "w").is_known


def test_a_list_that_names_two_configured_clusters_is_the_one_that_it_shares_most_with():
    clusters = Clusters([KafkaCluster("a", ("a1", "a2")), KafkaCluster("b", ("b1", "b2"))], bootstraps=["a1,b1,b2"])
    assert clusters.of("a1,b1,b2", "w").namespace == "kafka://b1:9092"
    assert clusters.of("a2", "w").namespace == "kafka://a1:9092"


def test_unknown_brokers_are_nobody_elses_unless_there_is_a_default():
    assert Clusters().of(None, "one").namespace != Clusters().of(None, "two").namespace
    assert not Clusters().of("", "one").is_resolved
    assert Clusters([KafkaCluster("a", ("a1",))], "a").of(None, "one").namespace == "kafka://a1:9092"
