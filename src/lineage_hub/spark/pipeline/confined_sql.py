"""A text of Spark SQL enters; it is refused if it could do more than compute with the rows of its stages."""

from itertools import pairwise

from lineage_hub.spark.pipeline.confined_places import Refused
from lineage_hub.spark.pipeline.problems import shortened
from lineage_hub.spark.pipeline.sql_text import Token, Unclear, tokens

# They run methods of Java, read files, or make names of functions and tables from text.
FUNCTIONS = frozenset(
    {
        "reflect",
        "java_method",
        "try_reflect",
        "identifier",
        "from_avro",
        "to_avro",
        "schema_of_avro",
        "from_protobuf",
        "to_protobuf",
        "table_changes",
        "table_changes_by_path",
    }
)
QUERIES = frozenset({"select", "with", "values", "table", "from"})
# A query can end in one of these after its `with` or `from`.
WRITES = frozenset({"insert", "update", "delete", "merge"})


def refuse_escapes(text: str, *, statement: bool) -> None:
    """Raises Refused, or Unclear when it can't be told what Spark would read."""
    if "${" in text:
        raise Unclear("`${` can't stand in SQL", "write concat('$', '{')")
    cut = [token for token in tokens(text) if token.kind not in ("space", "comment") or token.text.startswith("/*+")]
    for token, after in pairwise([*cut, Token("space", "")]):
        if token.text.startswith("/*+"):
            refuse_escapes(token.text.removeprefix("/*+").removesuffix("*/"), statement=False)
        if token.word in FUNCTIONS and after.text == "(":
            raise Refused(f"the function `{token.word}` is not allowed", "compute it by other functions")
        if token.kind == "word" and token.word == "using" and after.kind == "text":
            raise Refused(f"a program is not allowed: using {shortened(after.text)}", "transform by SQL")
        if statement and token.kind == "word" and token.word in WRITES:
            raise Refused(f"`{token.text}` writes", "load rows by a load; a column of that name goes in backquotes")
        if token.text == ";":
            raise Refused("more than one statement is not allowed", "take out the `;`")
    first = next((token for token in cut if token.text != "("), None)
    if statement and (first is None or first.kind != "word" or first.word not in QUERIES):
        raise Refused("only a query is allowed", "begin with `select` or `with`")
