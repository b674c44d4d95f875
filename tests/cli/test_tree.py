"""A lineage tree shows every node of the graph, opens each once, and says so where it doesn't."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lineage_hub.cli.answers import Edge, Node
from lineage_hub.cli.tree import CYCLE, SEEN, draw, print_tree
from lineage_hub.terminal import print_table


def graph(*arrows: str) -> list[Node]:
    """ "a>b" is an arrow from a to b."""
    edges = [Edge(*arrow.split(">")) for arrow in arrows]
    ids = dict.fromkeys(end for edge in edges for end in (edge.origin, edge.destination))
    return [
        Node(
            id=one,
            type="DATASET",
            in_edges=[edge for edge in edges if edge.destination == one],
            out_edges=[edge for edge in edges if edge.origin == one],
        )
        for one in ids
    ]


def drawn(nodes: list[Node], root: str, *sides: str) -> list[str]:
    lines = draw(nodes, root, sides or ("upstream", "downstream"))
    return [f"{line.branch}{line.node}{' ' + line.mark if line.mark else ''}" for line in lines]


def test_upstream_and_downstream_are_two_branches() -> None:
    assert drawn(graph("a>j", "b>j", "j>root", "root>k", "k>z"), "root") == [
        "root",
        "├── upstream",
        "│   └── j",
        "│       ├── a",
        "│       └── b",
        "└── downstream",
        "    └── k",
        "        └── z",
    ]


def test_a_name_can_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    print_tree(draw(graph("a\x1b[31m\n>b\x9b"), "b\x9b"), lambda one: ("job", one, "ns\x07"))
    print_table(("name",), [("a\x1b]0;title\x07\n",)])
    assert capsys.readouterr().out.splitlines() == [
        "job b\\x9b  ns\\x07",
        "└── upstream",
        "    └── job a\\x1b[31m\\n  ns\\x07",
        "NAME",
        "a\\x1b]0;title\\x07\\n",
    ]


def test_a_side_with_nothing_is_left_out() -> None:
    assert drawn(graph("root>k"), "root") == ["root", "└── downstream", "    └── k"]
    assert drawn(graph("root>k"), "root", "upstream") == ["root"]


def test_what_is_met_again_is_marked_and_opened_once() -> None:
    assert drawn(graph("s>a", "s>b", "a>root", "b>root", "x>s"), "root", "upstream") == [
        "root",
        "└── upstream",
        "    ├── a",
        "    │   └── s",
        "    │       └── x",
        "    └── b",
        f"        └── s {SEEN}",
    ]


def test_a_cycle_is_called_one_and_ends() -> None:
    assert drawn(graph("a>root", "root>a"), "root", "upstream") == [
        "root",
        "└── upstream",
        "    └── a",
        f"        └── root {CYCLE}",
    ]
    assert drawn(graph("root>root"), "root", "downstream") == [
        "root",
        "└── downstream",
        f"    └── root {CYCLE}",
    ]


def test_an_edge_to_a_node_that_was_not_sent_is_not_drawn() -> None:
    node = Node(id="root", type="DATASET", in_edges=[Edge("beyond", "root")])
    assert drawn([node], "root") == ["root"]


def test_the_list_an_edge_stands_in_says_which_way_it_goes() -> None:
    """The API for columns has the ends of incoming edges swapped."""
    nodes = [
        Node(id="root", type="DATASET_FIELD", in_edges=[Edge("root", "source")]),
        Node(id="source", type="DATASET_FIELD", out_edges=[Edge("source", "root")]),
    ]
    assert drawn(nodes, "root") == ["root", "└── upstream", "    └── source"]


def test_depth_is_not_bounded_by_the_interpreter() -> None:
    chain = graph(*(f"n{at + 1}>n{at}" for at in range(5000)))
    assert len(drawn(chain, "n0")) == 5002


@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=30))
def test_every_node_upstream_is_opened_exactly_once(pairs: list[tuple[int, int]]) -> None:
    nodes = graph("0>0", *(f"{a}>{b}" for a, b in pairs))
    reached, edge_of = {"0"}, {node.id: [edge.origin for edge in node.in_edges] for node in nodes}
    waiting = ["0"]
    while waiting:
        for origin in edge_of[waiting.pop()]:
            if origin not in reached:
                reached.add(origin)
                waiting.append(origin)
    lines = [line for line in draw(nodes, "0", ("upstream",)) if not line.is_heading]
    assert {line.node for line in lines} == reached
    for one in reached:
        opened = [line for line in lines if line.node == one and not line.mark]
        assert len(opened) == 1 or not edge_of[one]
