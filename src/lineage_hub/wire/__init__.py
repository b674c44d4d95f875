"""Bytes of OpenLineage enter, values leave, and nothing of the text is lost.

`Decoder` reads one event; `instant` and `instant_text` read and write times.
"""

from lineage_hub.wire.elements import Element, Facet
from lineage_hub.wire.openlineage import Decoder, Event
from lineage_hub.wire.times import instant, instant_text

__all__ = ["Decoder", "Element", "Event", "Facet", "instant", "instant_text"]
