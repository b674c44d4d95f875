"""Nothing enters; what the routes of dead letters answer leaves, as named JSON schemas."""

from __future__ import annotations

from lineage_hub.server.schemas import (
    FLAG,
    MOMENT,
    NUMBER,
    TEXT,
    Schema,
    listing,
    nullable,
    page,
    record,
    ref,
    told,
    words,
)

_LETTER: dict[str, Schema] = {
    "id": NUMBER,
    "receivedAt": MOMENT,
    "editedAt": nullable(MOMENT),
    "tenant": TEXT,
    "source": told(TEXT, "The route it came by."),
    "error": told(TEXT, "The kind of error."),
    "reason": TEXT,
    "subject": nullable(TEXT),
    "size": told(NUMBER, "Bytes as they were sent."),
    "truncated": told(FLAG, "Whether only the beginning was kept."),
}
COMPONENTS: dict[str, Schema] = {
    "DeadLetter": record({**_LETTER, "excerpt": told(TEXT, "How its body begins.")}),
    "DeadLetterPage": page("deadLetters", ref("DeadLetter")),
    "DeadLetterAnswer": record({**_LETTER, "encoding": words("utf-8", "base64"), "body": TEXT}),
    "Replayed": record(
        {"eventId": nullable(TEXT), "eventIds": listing(TEXT), "repeated": FLAG, "tenant": TEXT},
        about="The letter's events are durable, and the letter is gone.",
    ),
    "ReplayedLetters": record(
        {
            "replayed": NUMBER,
            "failed": NUMBER,
            "errors": told(listing(record({"id": NUMBER, "reason": TEXT})), "Of the first ones that failed."),
        }
    ),
}
READS: dict[str, Schema] = {
    "/api/v1/dead-letters": ref("DeadLetterPage"),
    "/api/v1/dead-letters/{letter_id}": ref("DeadLetterAnswer"),
}
