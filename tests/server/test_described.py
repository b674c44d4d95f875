"""What checks answers against the document finds what is wrong with them."""

import httpx
import pytest

from lineage_hub.server.schemas import NUMBER, TEXT, answers, listing, nullable, record, ref
from tests.server.described import Description

PATH = "/things"
SCHEMAS = {
    "Thing": record({"name": TEXT, "size": nullable(NUMBER)}, {"parts": listing(ref("Part"))}),
    "Part": record({"number": NUMBER}),
}


def description() -> Description:
    responses = {str(status): one for status, one in answers(200, "The thing.", ref("Thing")).items()}
    return Description({"paths": {PATH: {"get": {"responses": responses}}}, "components": {"schemas": SCHEMAS}})


def answer(body: object, status: int = 200) -> httpx.Response:
    return httpx.Response(status, json=body, request=httpx.Request("GET", "http://hub/things"))


def test_an_answer_as_described_passes_and_what_it_lacked_is_told() -> None:
    described = description()
    described.check("get", PATH, answer({"name": "a", "size": None}))
    assert described.answered == {("get", PATH)}
    assert described.unseen() == {"Thing.parts", "Part.number"}
    described.check("get", PATH, answer({"name": "a", "size": 1, "parts": [{"number": 1}]}))
    assert described.unseen() == set()


@pytest.mark.parametrize(
    "body",
    [
        {"name": "a"},
        {"name": None, "size": 1},
        {"name": "a", "size": 1, "colour": "red"},
        {"name": "a", "size": 1, "parts": [{"number": 1, "colour": "red"}]},
        {"name": "a", "size": 1, "parts": [{}]},
        [],
    ],
    ids=["missing", "null", "unknown", "unknown-inside", "missing-inside", "list"],
)
def test_any_other_answer_fails(body: object) -> None:
    with pytest.raises(AssertionError, match="things"):
        description().check("get", PATH, answer(body))


def test_a_status_or_a_media_type_that_is_not_described_fails() -> None:
    with pytest.raises(AssertionError, match="not described"):
        description().check("get", PATH, answer({}, 404))
    text = httpx.Response(200, text="a,b", request=httpx.Request("GET", "http://hub/things"))
    with pytest.raises(AssertionError, match="text/plain"):
        description().check("get", PATH, text)
