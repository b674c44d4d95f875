"""Options of a reader or writer enter as a definition writes them; one spelling of each leaves, with our defaults.

CSV is read and written as RFC 4180 and most programs have it: a header, and a quote inside quotes is doubled.
"""

import codecs
from collections.abc import Mapping

from lineage_hub.errors import InvalidSetting

Option = str | int | float | bool

CSV_DEFAULTS: Mapping[str, Option] = {"header": True, "escape": '"'}
# Spark takes spaces off what it writes, and only what it writes.
CSV_WRITTEN: Mapping[str, Option] = {
    **CSV_DEFAULTS,
    "ignoreLeadingWhiteSpace": False,
    "ignoreTrailingWhiteSpace": False,
}
# Spark reads "" as null when null is written as nothing. Of files that it wrote itself all is told apart again,
# also texts of several lines.
CSV_READ_BACK: Mapping[str, Option] = {**CSV_DEFAULTS, "nullValue": "\x01null\x01", "multiLine": True}
_SPARK_ENCODINGS = {"ascii": "us-ascii", "iso8859-1": "iso-8859-1", "utf-16-le": "utf-16le", "utf-16-be": "utf-16be"}
# Spark knows these by two names, and all names in any case.
_ALIASES = {"delimiter": "sep", "charset": "encoding"}
_KNOWN = {name.lower(): name for name in ("sep", "encoding", "quote", "escape", "header", "multiLine", "lineSep",
    "samplingRatio", "mode", "columnNameOfCorruptRecord", "inferSchema", "nullValue", "ignoreLeadingWhiteSpace",
    "ignoreTrailingWhiteSpace")}  # fmt: skip


def merged_options(defaults: Mapping[str, Option], given: Mapping[str, Option]) -> dict[str, Option]:
    named = {
        _KNOWN.get(key, name): value
        for name, value in given.items()
        for key in [_ALIASES.get(name.lower(), name.lower())]
    }
    options = {**defaults, **named}
    if "encoding" in options:
        options["encoding"] = _encoding(str(options["encoding"]))
    return options


def _encoding(name: str) -> str:
    """Spark knows each by one name."""
    try:
        found = codecs.lookup(name).name
    except LookupError as error:
        raise InvalidSetting(f"{name!r} is no encoding", subject="encoding", action="e.g. utf-8") from error
    return _SPARK_ENCODINGS.get(found, found)


def is_on(options: Mapping[str, Option], name: str) -> bool:
    return str(options.get(name, False)).lower() == "true"


def encoding_of(options: Mapping[str, Option]) -> str:
    return str(options.get("encoding", "utf-8"))


def as_texts(options: Mapping[str, Option]) -> dict[str, str]:
    return {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in options.items()}
