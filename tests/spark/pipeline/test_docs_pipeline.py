"""The published schema is what the models give; the page has every key; what it and `init` show can be read."""

import json
import re
from pathlib import Path
from typing import ClassVar

import jsonschema
import pytest
import yaml
from pydantic import BaseModel

from lineage_hub.spark.pipeline import definition
from lineage_hub.spark.pipeline.example import example
from lineage_hub.spark.pipeline.reading import review_pipeline
from lineage_hub.spark.pipeline.schema import as_text

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "pipeline.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
MODELS = [
    model
    for model in vars(definition).values()
    if isinstance(model, type) and issubclass(model, BaseModel) and model.__module__ == definition.__name__
]
AROUND = """\
name: page
quarantine: q
parameters: {}
stages:
  orders: {extract: {format: parquet, path: in}}
  customers: {extract: {format: parquet, path: customers}}
  rates: {extract: {format: parquet, path: rates}}
  made:
    transform:
      from: [orders, customers, rates]
      steps: [{trim: a}]
  save: {load: {from: made, format: parquet, path: out}}
"""


def whole(block: str) -> str:
    """A part of the page as a definition: steps and rules stand in the stage `made`."""
    if block.startswith("steps:"):
        return AROUND.replace("      steps: [{trim: a}]\n", "".join(f"      {line}\n" for line in block.splitlines()))
    if block.startswith("rules:"):
        return AROUND.replace("  save:", "".join(f"    {line}\n" for line in block.splitlines()) + "  save:")
    return f"name: page\nquarantine: q\n{block}" if block.startswith("stages:") else block


class Editor(yaml.SafeLoader):
    """Reads as editors do, by YAML 1.2: `on` and dates are text, numbers and true are those."""

    yaml_implicit_resolvers: ClassVar[dict[str, object]] = {}


Editor.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(true|false)$"), list("tf"))
Editor.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"-?\d+$"), list("-0123456789"))


def test_the_published_schema_is_what_the_models_give():
    published = (DOCS / "pipeline.schema.json").read_text(encoding="utf-8")
    assert published == as_text(), "python -m lineage_hub.spark.pipeline.schema > docs/pipeline.schema.json"


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_key_is_on_the_page_and_in_an_example(model: type[BaseModel]):
    for name, field in model.model_fields.items():
        key = field.alias or name
        assert f"`{key}`" in PAGE, key
        if key not in ("evolution", "cache", "spark", "packages", "conf"):
            assert any(re.search(rf"(^|[\s{{]){key}:", block) for block in BLOCKS), key


def test_every_choice_is_on_the_page():
    for choices in re.findall(r'"enum": \[(.*?)\]', as_text(), re.DOTALL):
        for choice in json.loads(f"[{choices}]"):
            assert f"`{choice}`" in PAGE, choice


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_what_the_page_shows_can_be_read(block: str):
    assert [str(problem) for problem in review_pipeline(whole(block)).errors] == []


def test_the_example_is_sound_short_and_uses_each_kind_of_stage():
    review = review_pipeline(example())
    assert review.pipeline is not None
    assert review.problems == ()
    assert {stage.kind for stage in review.pipeline.stages.values()} == {"extract", "transform", "load"}
    assert max(map(len, example().splitlines())) <= 110


@pytest.mark.parametrize(
    ("change", "fits"),
    [
        (("", ""), True),
        (("from: raw_customers", "from: [raw_customers]"), True),
        (("format: ndjson", "format: nd"), False),
        (("evolution:", "evolving:"), False),
        (("- unique: customer_id", "- unique: customer_id\n        not_null: a"), False),
        (("extract:\n      format: ndjson", "load:\n      format: ndjson"), False),
    ],
)
def test_the_schema_agrees_with_the_reader(change: tuple[str, str], fits: bool):
    text = example().replace(*change, 1) if change[0] else example()
    validator = jsonschema.Draft202012Validator(json.loads(as_text()))
    assert validator.is_valid(yaml.load(text, Editor)) is fits
    assert (review_pipeline(text).pipeline is not None) is fits
