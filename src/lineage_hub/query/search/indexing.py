"""A store enters; an index of all its names and of what was ever told of them leaves, current when it is asked.

Names are always taken in before an answer, and so is what was told lately. What a large store has told before its
first question is read in small steps beside the answers, which say how far it is.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import NamedTuple

from sqlalchemy import Connection

from lineage_hub.errors import LineageHubError
from lineage_hub.lineage.shapes import IN_RAW, Shape
from lineage_hub.lineage.words import terms
from lineage_hub.logs import get_logger
from lineage_hub.query.search.index import Index, order_of
from lineage_hub.query.search.told import DATASET_FACETS, JOB_FACETS, Told, labels, told
from lineage_hub.store.changes import entities_of
from lineage_hub.store.growth import Numbers, facet_bodies, names_after, numbers, shapes_after
from lineage_hub.store.open import LineageStore
from lineage_hub.store.tables import PRODUCER

# Shapes that are taken in while a question waits; more are read beside it.
AT_ONCE, STEP = 2_000, 200
NAMES_AT_ONCE = 10_000
# Of a description so many different words are found.
MOST_WORDS = 400
REMEMBERED = 20_000
LOG_EVERY_S = 5.0


class Progress(NamedTuple):
    """Shapes taken in, of all there are."""

    done: int
    of: int


class Indexing:
    """One for each store that is open; use it from any thread."""

    def __init__(self, store: LineageStore) -> None:
        self._store = store
        self._index = Index()
        self._lock = threading.Lock()
        self._seen = Numbers()
        self.reading: threading.Thread | None = None
        # The facets that were told last of each entity; of those that had several, all.
        self._last: dict[str, array[int]] = {facet: array("I", (0,)) for facet in DATASET_FACETS}
        self._several: dict[int, set[int]] = {}
        self._spaces: dict[int, list[int]] = {}
        self._words: dict[str, list[int]] = {}

    @contextmanager
    def current(self, connection: Connection) -> Iterator[tuple[Index, Progress]]:
        """With all that this snapshot shows, except for what a large store told long ago."""
        newest = numbers(connection)
        with self._lock:
            self._take_names(connection, newest.entity)
            if newest.shape - self._seen.shape <= AT_ONCE:
                while self._seen.shape < newest.shape:
                    self._take_shapes(connection)
            elif self.reading is None:
                self.reading = threading.Thread(target=self._read_along, daemon=True, name="search index")
                self.reading.start()
            yield self._index, Progress(min(self._seen.shape, newest.shape), newest.shape)

    def _read_along(self) -> None:
        log = get_logger("search")
        began = told_at = monotonic()
        try:
            while self._store.is_open:
                with self._store.reading() as connection:
                    of = numbers(connection).shape
                    with self._lock:
                        self._take_names(connection, numbers(connection).entity)
                        self._take_shapes(connection)
                        done = self._seen.shape
                        if done >= of:
                            self.reading = None
                            break
                if monotonic() - told_at > LOG_EVERY_S:
                    told_at = monotonic()
                    log.info("search is being prepared", done=done, of=of)
            log.info("search is prepared", shapes=done, seconds=round(monotonic() - began, 1))
        except LineageHubError as error:
            # The store was closed, or doesn't answer: the next question begins again where this has ended.
            log.warning("search is not prepared yet", error=str(error))
            self.reading = None

    def _take_names(self, connection: Connection, newest: int) -> None:
        while self._seen.entity < newest:
            last = self._seen.entity
            for one in names_after(connection, last, NAMES_AT_ONCE):
                last = one.entity
                if one.kind == PRODUCER:
                    self._index.add_name(last, one.kind, one.space, order_of(one.hash), ())
                    continue
                self._index.add_name(last, one.kind, one.space, order_of(one.hash), terms(one.name))
                space = self._spaces.get(one.space)
                if space is None:
                    self._index.space_numbers[one.namespace] = one.space
                    space = self._spaces[one.space] = self._index.numbers(terms(one.namespace))
                self._index.tell(last, space)
            self._seen = self._seen._replace(entity=last)
            for blobs in self._last.values():
                blobs.extend([0] * (last + 1 - len(blobs)))

    def _take_shapes(self, connection: Connection) -> None:
        fresh = list(shapes_after(connection, self._seen.shape, STEP))
        new: list[tuple[int, str, int]] = []
        for _, shape in fresh:
            for entity in entities_of(shape):
                self._index.use(entity)
            for entity, facet, blob in _facets(shape):
                if self._is_new(entity, facet, blob):
                    new.append((entity, facet, blob))
        bodies = facet_bodies(connection, self._store.library, {blob for _, _, blob in new})
        for entity, facet, blob in new:
            self._tell(entity, told(facet, bodies[blob]))
        self._seen = self._seen._replace(shape=fresh[-1][0] if fresh else numbers(connection).shape)

    def _is_new(self, entity: int, facet: str, blob: int) -> bool:
        last = self._last[facet]
        before = last[entity]
        if before == blob:
            return False
        last[entity] = blob
        if not before:
            return True
        several = self._several.setdefault(entity, set())
        several.add(before)
        if blob in several:
            return False
        several.add(blob)
        return True

    def _tell(self, entity: int, texts: list[Told]) -> None:
        found: dict[int, None] = {}
        for one in texts:
            found.update(dict.fromkeys(self._numbers(one.text)))
            for label in labels(one):
                self._index.label(entity, label)
        self._index.tell(entity, found)

    def _numbers(self, text: str) -> list[int]:
        found = self._words.get(text)
        if found is None:
            found = self._index.numbers(sorted(terms(text))[:MOST_WORDS])
            if len(text) < 80:
                if len(self._words) > REMEMBERED:
                    self._words.clear()
                self._words[text] = found
        return found


def _facets(shape: Shape) -> Iterator[tuple[int, str, int]]:
    for mention in shape.mentions:
        for facet in DATASET_FACETS:
            blob = mention.facets.get(facet, IN_RAW)
            if blob != IN_RAW:
                yield mention.dataset, facet, blob
    for facet in JOB_FACETS:
        blob = shape.job_facets.get(facet, IN_RAW)
        if blob != IN_RAW:
            yield shape.subject, facet, blob
