"""Facets enter with the place they stand in; they leave as the rules leave them: whole, trimmed, set aside, or not.

Sizes are those of the canonical form, so that two spellings of one event are treated alike. Of several rules that fit
the first counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec
from msgspec import Raw

from lineage_hub.lineage.rules.model import FacetRule
from lineage_hub.lineage.rules.patterns import Test, matching
from lineage_hub.wire.canonical import canonical, edited
from lineage_hub.wire.facets import PARENT_FACETS

ASIDE, TRIMMED = "lineageHub_aside", "lineageHub_trimmed"
_ABOUT = ("_producer", "_schemaURL")
# Of a run: the fold reads them, and reads them again from the raw event.
_NEEDED = frozenset({*PARENT_FACETS, "lineageHub_inferred"})
_Candidates = tuple[FacetRule, ...]
_decode_map = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_list = msgspec.json.Decoder(list[Raw]).decode
_encode = msgspec.json.Encoder().encode


class Treated(NamedTuple):
    """`body` is None for a facet that is dropped; `rule` is None where no rule fits."""

    body: bytes | None
    rule: FacetRule | None = None
    size: int = 0


class FacetRules:
    """The rules of one tenant."""

    def __init__(self, rules: Iterable[FacetRule]) -> None:
        self._rules: list[tuple[FacetRule, Test]] = [(rule, matching(rule.facet, rule.id)) for rule in rules]
        self._known: dict[tuple[str, str], _Candidates] = {}
        # Part of the names that rules for the raw text fit, to tell quickly that an event has none of them.
        self._dropped = [_literal(rule.facet) for rule, _ in self._rules if rule.raw == "drop"]

    def __bool__(self) -> bool:
        return bool(self._rules)

    def candidates(self, place: str, name: str) -> _Candidates:
        """Those that fit, if the facet is as large as they say."""
        asked = (place, name)
        known = self._known.get(asked)
        if known is None:
            if len(self._known) > 10_000:
                self._known.clear()
            known = self._known[asked] = tuple(
                [rule for rule, fits in self._rules if place in rule.place and fits(name)]
            )
        return known

    def treat(self, place: str, name: str, text: bytes, event: str | None = None) -> Treated:
        """`event` tells where the whole facet is to be found."""
        candidates = self.candidates(place, name)
        if not candidates or text[:1] != b"{":
            return Treated(text)
        body = canonical(text)
        if ASIDE.encode() in body or TRIMMED.encode() in body:
            return Treated(text)  # a rule was here before the event was stored
        rule = next((rule for rule in candidates if len(body) > rule.over_bytes), None)
        if rule is None:
            return Treated(text)
        if rule.action == "drop":
            return Treated(None, rule, len(body))
        if rule.action == "aside":
            return Treated(_stub(body, rule, event), rule, len(body))
        trimmed = edited(body, lambda value: _cut(value, rule))
        if trimmed == body:
            return Treated(text)
        marked = edited(trimmed, lambda value: value | {TRIMMED: _mark(rule, len(body), event)})
        return Treated(marked, rule, len(body))

    def stored(self, raw: bytes) -> bytes:
        """The text of an event as it is kept: what a rule of `raw: drop` fits is treated in it, too."""
        if not self._dropped or not (b"\\" in raw or any(part in raw for part in self._dropped)):
            return raw
        top = _decode_map(raw)
        changed = [self._store(top, "run", {"facets": "run"}), self._store(top, "job", {"facets": "job"})]
        changed.append(self._store(top, "dataset", {"facets": "dataset"}))
        for key, own in (("inputs", "input"), ("outputs", "output")):
            if bytes(top.get(key, b""))[:1] == b"[":
                places = {"facets": "dataset", f"{own}Facets": own}
                elements = dict(enumerate(_decode_list(top[key])))
                treated = [self._store(elements, at, places) for at in elements]
                if any(treated):
                    top[key] = Raw(_encode(list(elements.values())))
                    changed.append(True)
        return _encode(top) if any(changed) else raw

    def _store(self, holder: dict[Any, Raw], key: str | int, places: Mapping[str, str]) -> bool:
        """Whether anything of this member was changed."""
        if bytes(holder.get(key, b""))[:1] != b"{":
            return False
        members, changed = _decode_map(holder[key]), False
        for member, place in places.items():
            if bytes(members.get(member, b""))[:1] != b"{":
                continue
            facets = _decode_map(members[member])
            for name, text in list(facets.items()):
                treated = self.treat(place, name, bytes(text))
                if treated.rule is None or treated.rule.raw != "drop" or (place == "run" and name in _NEEDED):
                    continue
                changed = True
                del facets[name]
                if treated.body is not None:
                    facets[name] = Raw(treated.body)
            members[member] = Raw(_encode(facets))
        if changed:
            holder[key] = Raw(_encode(members))
        return changed


def _literal(glob: str) -> bytes:
    return max(glob.replace("?", "*").split("*"), key=len).encode()


def _mark(rule: FacetRule, size: int, event: str | None) -> dict[str, Any]:
    mark: dict[str, Any] = {"rule": rule.id, "bytes": size, "whole": "raw event" if rule.raw == "keep" else "not kept"}
    return mark | {"event": event} if event is not None and rule.raw == "keep" else mark


def _stub(body: bytes, rule: FacetRule, event: str | None) -> bytes:
    about = _decode_map(body)
    stub: dict[str, Any] = {name: about[name] for name in _ABOUT if name in about}
    stub[ASIDE] = _mark(rule, len(body), event)
    return canonical(msgspec.json.encode(stub))


def _cut(value: Any, rule: FacetRule) -> Any:
    """Texts to their first bytes, lists and objects to their first elements; the facet's own members all stay."""
    return {name: _shortened(member, rule) for name, member in value.items()}


def _shortened(value: Any, rule: FacetRule) -> Any:
    if type(value) is str and len(value.encode()) > rule.keep_bytes:
        return value.encode()[: rule.keep_bytes].decode(errors="ignore")
    if isinstance(value, list):
        return [_shortened(one, rule) for one in value[: rule.keep_elements]]
    if isinstance(value, dict):
        return {name: _shortened(value[name], rule) for name in sorted(value)[: rule.keep_elements]}
    return value
