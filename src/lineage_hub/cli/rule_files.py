"""A file of rules enters, YAML or JSON; rules for names and for facets leave, as the hub takes them."""

import re
import sys
from pathlib import Path
from typing import Any

from lineage_hub.errors import InvalidRequest

KINDS = ("names", "facets")
_ACTION = 'write lists of rules under "names" and "facets"; `lineage-hub rules list --json` prints such a file'


def read_rules(file: str) -> dict[str, list[dict[str, Any]]]:
    import yaml  # type: ignore[import-untyped]

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(
            f"{file} can't be read: {error}", subject=file, action="name a UTF-8 file, or - for stdin"
        ) from None
    try:
        found = yaml.load(text, Loader=_loader())
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise InvalidRequest(f"{file} can't be read: {error}", subject=file, action=_ACTION) from None
    found = {} if found is None else found
    if not isinstance(found, dict) or found.keys() - set(KINDS):
        raise InvalidRequest(f"{file} holds something else than rules", subject=file, action=_ACTION)
    rules = {kind: found.get(kind) or [] for kind in KINDS}
    for kind, listed in rules.items():
        if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
            raise InvalidRequest(f"{kind} in {file} is not a list of rules", subject=file, action=_ACTION)
    return rules


def _loader() -> Any:
    """As YAML 1.2 has it: `on` is a text, and so is what looks like a date."""
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        yaml_implicit_resolvers = {  # noqa: RUF012 (PyYAML's own way)
            first: [(tag, pattern) for tag, pattern in known if not tag.endswith((":bool", ":timestamp"))]
            for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
        }

    Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile("^(true|false)$"), list("tf"))
    return Loader
