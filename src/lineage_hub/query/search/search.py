"""A question enters; jobs and datasets that match leave, the best match first, then what is used most.

The index gives candidates. Whether one counts at the moment and for the scope that were asked, and what matches then,
is decided by the fold, as in every other answer.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from lineage_hub.lineage.shapes import DATASET_EVENT, IN_RAW
from lineage_hub.lineage.words import list_terms
from lineage_hub.query.columns import later_names
from lineage_hub.query.facts import Facts, dataset_facts, job_facts
from lineage_hub.query.search.index import Asked, Index
from lineage_hub.query.search.indexing import Indexing
from lineage_hub.query.search.matching import ALIAS, Match, Matching, Place, Wanted, wanted_words
from lineage_hub.query.search.said import tagged, with_said_tags
from lineage_hub.query.search.told import DATASET_FACETS, JOB_FACETS, OWNER, TAG, Told, label, labels, told
from lineage_hub.query.snapshot import Snapshot
from lineage_hub.store import tables
from lineage_hub.wire import instant_text
from lineage_hub.wire.facets import is_tombstone

Answer = dict[str, Any]
KINDS = {"dataset": tables.DATASET, "job": tables.JOB}
LABELS = {tables.DATASET: "dataset", tables.JOB: "job"}
ACTIVE, DELETED = "ACTIVE", "DELETED"
BY_NAME, BY_TIME = "name", "updated_at"
# Candidates whose names are compared; of those the best are looked up, in portions.
MOST_COMPARED, PORTION = 120, 20
# With a filter that only the fold can answer, or an order of its own, more are looked up.
MOST_COMPARED_IF_FILTERED = 1_000
# What matches less than so much of the best match isn't shown.
LEAST_OF_BEST = 0.6


@dataclass(frozen=True, slots=True)
class Question:
    """Without a sort the best match is first. Times bound when it was last heard of."""

    text: str
    limit: int = 10
    kind: str | None = None
    namespace: str | None = None
    tags: tuple[str, ...] = ()
    owners: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    after: int | None = None
    before: int | None = None
    sort: str | None = None

    @property
    def labels(self) -> list[tuple[str, str]]:
        return [*((TAG, tag) for tag in self.tags), *((OWNER, owner) for owner in self.owners)]

    @property
    def needs_facts(self) -> bool:
        return bool(self.states or self.sort) or self.after is not None or self.before is not None


class Use(NamedTuple):
    """How many jobs name a dataset, or how many datasets a job names, and when it was last heard of."""

    linked: int
    last_at: int


class Found(NamedTuple):
    entity: int
    kind: int
    name: tuple[str, str]
    match: Match
    use: Use
    told: list[Told]
    state: str | None
    facts: Facts


def search(indexing: Indexing, snapshot: Snapshot, question: Question) -> Answer:
    # What a scope doesn't see must not decide which of its own are looked up.
    all_of_them = question.needs_facts or not snapshot.sees_all
    most = MOST_COMPARED_IF_FILTERED if all_of_them else max(MOST_COMPARED, 2 * question.limit)
    with indexing.current(snapshot.reader.connection) as (index, progress):
        wanted = [_with_parts(index, word) for word in wanted_words(question.text)]
        asked = [index.asked(text) for text in _texts(wanted)]
        candidates, total = _candidates(index, snapshot, question, asked, most)
        candidates = list(dict.fromkeys([*candidates, *tagged(snapshot, {*_texts(wanted)}, question.tags)]))
        kind = KINDS[question.kind] if question.kind else None
        kinds = {one: index.kinds[one] for one in candidates if kind in (None, index.kinds[one])}
        candidates = list(kinds)
    matching = Matching(wanted) if wanted else None
    preferred = _preferred(snapshot, candidates, asked)
    portion = len(preferred) if all_of_them else max(2 * question.limit, PORTION)
    found: list[Found] = []
    looked_at = 0
    while looked_at < len(preferred) and len(found) < max(question.limit, 1):
        part = preferred[looked_at : looked_at + portion]
        looked_at += len(part)
        found += _look_up(snapshot, question, matching, part, kinds)
    # Two names that were candidates may be one dataset by now.
    found = list({one.entity: one for one in found}.values())
    best = max([one.match.score for one in found], default=0.0)
    found = [one for one in found if one.match.score >= best * LEAST_OF_BEST]
    left = total - looked_at
    answer: Answer = {
        "results": [_answer(one) for one in _sorted(found, question)[: question.limit]],
        "totalCount": len(found),
        # How many there are that a scope may not see is nothing to tell.
        "notLookedAt": left if snapshot.scope.tenants is None or not left else None,
    }
    if progress.done < progress.of:
        answer["preparing"] = {"done": progress.done, "of": progress.of}
    return answer


# Candidates


def _candidates(
    index: Index, snapshot: Snapshot, question: Question, asked: Collection[Asked], most: int
) -> tuple[list[int], int]:
    passes = _filter(index, snapshot, question)
    if not asked:
        lists = [index.labelled(label(field, text)) for field, text in question.labels]
        return index.ranked(set().union(*lists), most, passes)
    return index.candidates([one for one in asked if one.numbers], most, passes)


def _texts(wanted: Iterable[Wanted]) -> list[str]:
    """The words themselves, as often as they are asked for, and each part."""
    words = [word.text for word in wanted]
    return [*words, *{part.text: None for word in wanted for part in word.parts if part.text not in words}]


def _with_parts(index: Index, word: Wanted) -> Wanted:
    """Two words may have been written as one."""
    vocabulary, text = index.vocabulary, word.text
    if word.parts or len(text) < 6 or vocabulary.knows(text):
        return word
    for at in range(3, len(text) - 2):
        if vocabulary.knows(text[:at]) and vocabulary.knows(text[at:]):
            return Wanted(text, (Wanted(text[:at]), Wanted(text[at:])))
    return word


def _filter(index: Index, snapshot: Snapshot, question: Question) -> Callable[[int], bool] | None:
    """What the index can tell. Names that were joined or renamed pass: what they stand for now is asked later."""
    having = [index.labelled(label(field, text)) for field, text in question.labels]
    kind = KINDS[question.kind] if question.kind else None
    space = None if question.namespace is None else index.space_numbers.get(question.namespace, 0)
    if not having and kind is None and space is None:
        return None
    kinds, spaces, links, cuts = index.kinds, index.spaces, snapshot.links, snapshot.cuts

    def passes(entity: int) -> bool:
        if kind is not None and kinds[entity] != kind:
            return False
        return ((space is None or spaces[entity] == space) and all(entity in these for these in having)) or (
            entity in links or entity in cuts
        )

    return passes


def _preferred(snapshot: Snapshot, candidates: list[int], asked: Collection[Asked]) -> list[int]:
    """Those whose names match best first; of the others the index's own order counts."""
    names = snapshot.names(candidates)
    order = {entity: at for at, entity in enumerate(candidates)}
    scores = {entity: _name_score(asked, names[entity][1]) for entity in candidates}
    by_name = sorted(candidates, key=lambda entity: (-scores[entity], order[entity]))
    # What is told of an entity isn't known yet, so that half of the places go by the index's order.
    turns = [entity for pair in zip(by_name, candidates, strict=True) for entity in pair]
    return list(dict.fromkeys(turns))


def _name_score(asked: Collection[Asked], name: str) -> float:
    """Roughly what matching will say; each word of a name counts once, and a short name a little more."""
    there = list_terms(name)
    score = 0.0
    for one in asked:
        fitting = one.fitting
        best, which = 0.0, None
        for term in there:
            fit = fitting.get(term, 0.0)
            if fit > best:
                best, which = fit, term
        if which is not None:
            score += best * one.weight
            there.remove(which)
    return score - 0.01 * len(name)


# What they are at the moment


def _look_up(
    snapshot: Snapshot, question: Question, matching: Matching | None, entities: Collection[int], kinds: dict[int, int]
) -> list[Found]:
    jobs = [entity for entity in entities if kinds[entity] == tables.JOB]
    datasets = _standing_for(snapshot, [entity for entity in entities if kinds[entity] == tables.DATASET])
    found = _found(snapshot, question, matching, tables.DATASET, datasets)
    return found + _found(snapshot, question, matching, tables.JOB, jobs)


def _standing_for(snapshot: Snapshot, names: list[int]) -> list[int]:
    """The datasets that these names, or what went on under other names, belong to."""
    if snapshot.is_plain:
        return names
    every = dict.fromkeys(names)
    for name in names:
        every.update(dict.fromkeys(later_names(snapshot, name)))
    joined = snapshot.joined(every)
    return list(dict.fromkeys([joined.of(name) for name in every]))


def _found(
    snapshot: Snapshot, question: Question, matching: Matching | None, kind: int, entities: list[int]
) -> list[Found]:
    is_job = kind == tables.JOB
    wanted_facets = JOB_FACETS if is_job else DATASET_FACETS
    facts = (job_facts if is_job else dataset_facts)(snapshot, entities, wanted_facets)
    names = snapshot.names(facts)
    bodies = snapshot.reader.blobs({h.blob for one in facts.values() for h in one.facets.values()} - {IN_RAW})
    latest = snapshot.latest_runs(list(facts)) if is_job and question.states else {}
    found = []
    for entity, one in facts.items():
        if entity in snapshot.hidden:
            continue
        state: str | None = ACTIVE if one.alive or not one.mentioned else DELETED
        if is_job:
            state = latest[entity].state if entity in latest else None
        # In an order of their own: of two that fit as well the first is told, whichever came first.
        texts = [text for facet in wanted_facets if facet in one.facets
                 for text in _told(facet, bodies.get(one.facets[facet].blob, b""))]  # fmt: skip
        texts = with_said_tags(snapshot, entity, texts, is_job=is_job)
        if not _is_wanted(question, names[entity][0], one, state, texts):
            continue
        how = _match(snapshot, matching, entity, is_job, texts)
        if how is not None:
            found.append(
                Found(entity, kind, names[entity], how, _use(snapshot, entity, is_job, one), texts, state, one)
            )
    return found


def _told(facet: str, body: bytes) -> list[Told]:
    return [] if not body or is_tombstone(body) else told(facet, body)


def _is_wanted(question: Question, namespace: str, facts: Facts, state: str | None, texts: Iterable[Told]) -> bool:
    if question.namespace is not None and namespace != question.namespace:
        return False
    if (state not in question.states) if question.states else (state == DELETED):
        return False
    if question.after is not None and facts.updated_at < question.after:
        return False
    if question.before is not None and facts.updated_at >= question.before:
        return False
    if not question.labels:
        return True
    having = {one for text in texts for one in labels(text)}
    return all(label(field, text) in having for field, text in question.labels)


def _match(snapshot: Snapshot, matching: Matching | None, entity: int, is_job: bool, texts: list[Told]) -> Match | None:
    namespace, name = snapshot.name(entity)
    if matching is None:
        return Match(0.0, 0, 0.0, [])
    if not is_job and not snapshot.is_plain:
        others = snapshot.joined((entity,)).all_of(entity) - {entity}
        texts = [*[Told(ALIAS, other) for _, other in sorted(snapshot.names(others)[one] for one in others)], *texts]
    how = matching.match(name, namespace, texts)
    return how if how.places else None


def _use(snapshot: Snapshot, entity: int, is_job: bool, facts: Facts) -> Use:
    names = (entity,) if is_job else snapshot.names_under(entity)
    by_name = snapshot.shapes_of(names)
    numbers = [number for name in names for number in by_name[name]]
    shapes, bounds = snapshot.reader.shapes(numbers), snapshot.bounds(numbers)
    seen = [shapes[number] for number in numbers if bounds[number] is not None]
    if is_job:
        linked = {dataset for shape in seen if shape.subject == entity for dataset in shape.by_dataset}
    else:
        linked = {shape.subject for shape in seen if shape.kind != DATASET_EVENT}
    return Use(len(linked), facts.updated_at)


# The answer


def _sorted(found: list[Found], question: Question) -> list[Found]:
    found = sorted(found, key=lambda one: (one.name[1], one.name[0], one.kind))
    if question.sort == BY_TIME:
        return sorted(found, key=lambda one: -one.facts.updated_at)
    return found if question.sort == BY_NAME else sorted(found, key=_rank)


def _rank(one: Found) -> tuple[float, ...]:
    """Match in steps, so that of nearly equal ones the one that is used more comes first."""
    how = one.match
    return (
        -round(how.score * 20),
        how.closeness,
        -one.use.linked.bit_length(),
        -round(how.score, 4),
        -round(how.nearness, 4),
        -one.use.last_at,
    )


def _answer(one: Found) -> Answer:
    namespace, name = one.name
    answer: Answer = {
        "type": LABELS[one.kind].upper(),
        "name": name,
        "updatedAt": instant_text(one.facts.updated_at),
        "namespace": namespace,
        "nodeId": f"{LABELS[one.kind]}:{namespace}:{name}",
        "score": round(one.match.score, 3),
        "matches": [_place(place) for place in one.match.places],
        "tags": [text.text for text in one.told if text.field == TAG and text.column is None],
        "owners": [text.text for text in one.told if text.field == OWNER],
        "use": {"linked": one.use.linked, "lastAt": instant_text(one.use.last_at)},
    }
    if one.state == DELETED:
        answer["deleted"] = True
    if not one.facts.mentioned:
        answer["namedOnly"] = True
    return answer


def _place(place: Place) -> Answer:
    answer: Answer = {"field": place.field, "value": place.value, "highlight": [list(one) for one in place.ranges]}
    if place.column is not None:
        answer["column"] = place.column
    return answer
