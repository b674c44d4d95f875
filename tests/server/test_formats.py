"""A drawing holds each name on one line, whatever the name holds."""

from lineage_hub.server.formats import drawn

ODD = 'job:ns:a\x1b[31m "b"\r\n\x9bc'
EDGE = {"origin": ODD, "destination": "dataset:ns:d"}
ANSWER = {
    "graph": [
        {"id": ODD, "type": "JOB", "inEdges": [], "outEdges": [EDGE]},
        {"id": "dataset:ns:d", "type": "DATASET", "inEdges": [EDGE], "outEdges": []},
    ],
    "truncated": False,
    "hidden_nodes": 0,
}


def test_mermaid_has_one_line_for_a_node() -> None:
    assert drawn(ANSWER, "mermaid").splitlines() == [
        "flowchart LR",
        '  n0["ns:a [31m #quot;b#quot; c"]',
        '  n1[("ns:d")]',
        "  n0 --> n1",
    ]


def test_mermaid_reads_no_entity_and_no_markup_in_a_name() -> None:
    node = {"id": "dataset:ns:map<k,v>#1;`x`", "type": "DATASET", "inEdges": [], "outEdges": []}
    assert 'n0[("ns:map#lt;k,v#gt;#35;1;#96;x#96;")]' in drawn({**ANSWER, "graph": [node]}, "mermaid")


def test_a_label_of_graphviz_is_one_line_too() -> None:
    assert '[label="ns:a [31m \\"b\\" c", shape=box];' in drawn(ANSWER, "dot")
