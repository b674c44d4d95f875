"""Of a facet that hasn't wholly its proper shape the parts that have it count."""

import msgspec
import pytest
from msgspec import Raw, Struct

from lineage_hub.wire import facets as read
from lineage_hub.wire.described import Owner, Ownership, Statistics, Tag, Tags, lenient
from lineage_hub.wire.fitting import Unfit, decode


class Part(Struct):
    name: str
    size: int | None = None
    raw: Raw = Raw(b"0")


class Whole(Struct, rename="camel"):
    part_list: list[Part] = []
    by_name: dict[str, Part] = {}
    ratio: float = 0.5
    names: tuple[str, ...] = ()


def fitting(text: bytes) -> Whole:
    return decode(msgspec.json.Decoder(Whole), text)


def test_parts_that_do_not_fit_are_left_out_and_the_rest_counts() -> None:
    text = b"""{"partList": [{"name": "a", "size": "big", "raw": [1e400]}, null, {"size": 1},
    {"name": "b", "size": 2.0}],
    "byName": {"x": {"name": "c"}, "y": 5}, "ratio": null, "names": ["n", 1, null]}"""
    assert fitting(text) == Whole(
        [Part("a", raw=Raw(b"[1e400]")), Part("b", 2)], {"x": Part("c")}, names=("n",)
    )  # fmt: skip


def test_of_a_repeated_key_the_last_value_counts() -> None:
    assert fitting(b'{"names": 5, "names": ["n"]}') == Whole(names=("n",))
    assert fitting(b'{"names": ["n"], "names": 5}') == Whole()


@pytest.mark.parametrize(("text", "size"), [("7", 7), ("7.0", 7), ("7e2", 700), ("7.5", None), ('"7"', None)])
def test_a_whole_number_is_one_however_it_is_spelled(text: str, size: int | None) -> None:
    assert lenient(b'{"rowCount": %s, "size": 3}' % text.encode(), Statistics) == Statistics(rowCount=size, size=3)


def test_what_is_no_object_fits_nothing() -> None:
    with pytest.raises(Unfit):
        fitting(b"[]")
    with pytest.raises(msgspec.DecodeError):
        fitting(b"{")
    assert lenient(b"[]", Statistics) == Statistics()


def test_a_column_with_a_null_loses_neither_itself_nor_the_others() -> None:
    source = b'{"namespace": "db", "name": "t", "field": "x"'
    nulls = b'"transformations": [{"type": "DIRECT", "subtype": null, "masking": null}, null]'
    facet = b"""{"fields": {"a": {"inputFields": [%s, %s}, {"namespace": "db", "name": "t"}]}, "b": null,
    "c": {"inputFields": null}, "d": {"inputFields": [%s}]}}, "dataset": null}""" % (source, nulls, source)
    found = read.column_lineage(facet)
    assert {name: [each.field for each in field.inputFields] for name, field in found.fields.items()} == {
        "a": ["x"], "c": [], "d": ["x"],
    }  # fmt: skip
    (transformation,) = found.fields["a"].inputFields[0].transformations
    assert (transformation.type, transformation.subtype) == ("DIRECT", "")
    assert read.column_sources(facet) == (("db", "t"),)


def test_a_symlink_that_names_nothing_leaves_the_others() -> None:
    good = {"namespace": "db", "name": "t", "type": "TABLE"}
    bad = [None, {"namespace": "db", "type": "TABLE"}, {"namespace": "db", "name": "untyped"}]
    (link,) = read.symlinks(msgspec.json.encode({"identifiers": [*bad, good]}))
    assert link.name == "t"


@pytest.mark.parametrize("root", [b"null", b'"r"', b"{}", b'{"run": {"runId": "r"}}', b'{"job": {"name": "r"}}'])
def test_a_root_that_names_no_job_leaves_the_parent(root: bytes) -> None:
    facet = b'{"job": {"namespace": "n", "name": "p"}, "run": {"runId": "r"}, "root": %s}' % root
    assert read.parent(facet) == (("n", "p"), "r", None)


def test_a_parent_that_was_taken_back_is_none() -> None:
    assert read.parent(b'{"_deleted": true, "job": {"namespace": "n", "name": "p"}, "run": {"runId": "r"}}') is None


def test_a_stream_whose_kind_of_job_is_null_is_a_stream() -> None:
    facet = b'{"processingType": "STREAMING", "integration": "FLINK", "jobType": null}'
    assert read.job_type(facet) == ("STREAMING", "FLINK", "")


def test_a_drop_with_a_broken_previous_name_is_a_drop() -> None:
    assert read.lifecycle(b'{"lifecycleStateChange": "DROP", "previousIdentifier": {"name": "x"}}') == ("DROP", None)


def test_tags_and_owners_without_a_name_are_left_out() -> None:
    tags = b'{"tags": [{"key": "pii", "value": null}, {"value": "x"}, "odd", {"key": "tier", "value": "1"}]}'
    assert lenient(tags, Tags).tags == [Tag("pii"), Tag("tier", "1")]
    owners = b'{"owners": [{"name": "a", "type": 5}, {"type": "x"}, null]}'
    assert lenient(owners, Ownership).owners == [Owner("a")]
