"""What went wrong enters as a class of this tree; one JSON shape, one exit code and one sentence leave it.

Terminal errors repeat when the same thing is tried again, Transient ones may not: that alone decides a retry.

    LineageHubError
    ├── Terminal
    │   ├── InvalidEvent           invalid_event          400   not an OpenLineage event
    │   ├── InvalidRequest         invalid_request        400   a parameter or a body that can't be read
    │   │   ├── InvalidSetting     invalid_setting        400   a setting that is unknown or out of bounds
    │   │   ├── InvalidPipeline    invalid_pipeline       400   a pipeline's definition or parameters that can't be used
    │   │   └── InvalidStage       invalid_stage          400   a step or a rule that doesn't fit the rows it gets
    │   ├── NotFound               not_found              404   nothing by that name
    │   ├── MethodNotAllowed       method_not_allowed     405   the path is right, the verb is not
    │   ├── Conflict               conflict               409   the state of the thing forbids it
    │   ├── Gone                   gone                   410   older than what is kept
    │   ├── BodyTooLarge           body_too_large         413   more bytes or events than one request may have
    │   ├── UnsupportedEncoding    unsupported_encoding   415   a content type or encoding that isn't read
    │   ├── Refusal                refused                400   a server that events were sent to won't take them
    │   ├── FunctionFailed         function_failed        500   a function of a pipeline raised, or made no rows
    │   ├── InternalError          internal_error         500   a defect of the hub's own
    │   ├── SourceUnreadable       source_unreadable      400   files or a table that a pipeline can't read
    │   ├── TargetUnwritable       target_unwritable      400   files or a table that a pipeline can't write
    │   ├── RuleBroken             rule_broken            400   rows that a rule of severity fail doesn't allow
    │   ├── SchemaChanged          schema_changed         400   a dataset that isn't what it was, where it must be
    │   ├── StageFailed            stage_failed           500   a stage of a pipeline that could not be run
    │   ├── StoreTooNew            store_too_new          500   the database was written by a newer hub
    │   └── ExtraMissing           extra_missing          501   a part that isn't installed
    └── Transient
        ├── Overloaded             overloaded             503   the queue is full, or the wait too long
        ├── StoreUnavailable       store_unavailable      503   the database doesn't answer
        ├── StorageFull            storage_full           503   no space left to make an event durable
        └── Unreachable            unreachable            503   no hub answers at the address
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypedDict


class ErrorBody(TypedDict):
    """The JSON of every error; Marquez's clients read `code` and `message`."""

    code: int
    message: str
    error: str
    subject: str | None
    action: str | None


class LineageHubError(Exception):
    """An error with a stable code, the id it is about and what to do next."""

    code: ClassVar[str] = ""
    status: ClassVar[int] = 500
    transient: ClassVar[bool] = False
    exit_code: ClassVar[int] = 1

    def __init__(self, message: str, *, subject: str | None = None, action: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.subject = subject
        self.action = action

    def body(self) -> ErrorBody:
        return {
            "code": self.status,
            "message": self.message,
            "error": self.code,
            "subject": self.subject,
            "action": self.action,
        }


class Terminal(LineageHubError):
    """Fails again however often it is tried."""


class InvalidEvent(Terminal):
    code = "invalid_event"
    status = 400


class InvalidRequest(Terminal):
    code = "invalid_request"
    status = 400
    exit_code = 2


class InvalidSetting(InvalidRequest):
    code = "invalid_setting"


@dataclass(frozen=True)
class Problem:
    """One of the things that are wrong, or doubtful, in a definition, and where it stands."""

    level: Literal["error", "warning"]
    says: str
    action: str | None = None
    where: str = ""
    stage: str | None = None
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = f"line {self.line}, column {self.column}" if self.line else ""
        told = [part for part in (place, self.where) if part]
        return f"{', '.join(told)}: {self.says}" if told else self.says


class InvalidPipeline(InvalidRequest):
    """Everything that is wrong with a definition at once, each with its place."""

    code = "invalid_pipeline"

    def __init__(self, problems: Sequence[Problem], *, subject: str | None = None) -> None:
        self.problems = tuple(problem for problem in problems if problem.level == "error")
        lines = [f"{problem}; {problem.action}" if problem.action else str(problem) for problem in self.problems]
        if len(lines) == 1:
            message, action = str(self.problems[0]), self.problems[0].action
        else:
            message, action = "\n  ".join([f"{len(lines)} problems", *lines]), "correct them and try again"
        super().__init__(f"{subject}: {message}" if subject else message, subject=subject, action=action)


class InvalidStage(InvalidRequest):
    code = "invalid_stage"


class NotFound(Terminal):
    code = "not_found"
    status = 404


class MethodNotAllowed(Terminal):
    code = "method_not_allowed"
    status = 405


class Conflict(Terminal):
    code = "conflict"
    status = 409


class Gone(Terminal):
    code = "gone"
    status = 410


class BodyTooLarge(Terminal):
    code = "body_too_large"
    status = 413


class UnsupportedEncoding(Terminal):
    code = "unsupported_encoding"
    status = 415


class Refusal(Terminal):
    """Of a server that events are sent to; it would refuse them again."""

    code = "refused"
    status = 400

    def __init__(self, message: str, *, answered: int, subject: str | None = None, action: str | None = None) -> None:
        super().__init__(message, subject=subject, action=action or "see what the server says of it")
        self.answered = answered

    @property
    def blames_the_event(self) -> bool:
        """Else a key, an address or a right is wrong, and the event is as good as before."""
        return self.answered in (400, 413, 422)


class FunctionFailed(Terminal):
    code = "function_failed"


class InternalError(Terminal):
    code = "internal_error"


class SourceUnreadable(Terminal):
    code = "source_unreadable"
    status = 400


class TargetUnwritable(Terminal):
    """What was there before is there as it was."""

    code = "target_unwritable"
    status = 400


class RuleBroken(Terminal):
    """Nothing was published."""

    code = "rule_broken"
    status = 400


class SchemaChanged(Terminal):
    code = "schema_changed"
    status = 400


class StageFailed(Terminal):
    """`subject` is the stage."""

    code = "stage_failed"


class StoreTooNew(Terminal):
    code = "store_too_new"
    exit_code = 4


class ExtraMissing(Terminal):
    code = "extra_missing"
    status = 501
    exit_code = 5

    @classmethod
    def of(cls, extra: str, purpose: str) -> "ExtraMissing":
        """`purpose` completes "… needs the extra": "lineage-hub serve", "a PostgreSQL database"."""
        return cls(
            f"{purpose} needs the extra '{extra}', which is not installed",
            subject=extra,
            action=f"pip install 'lineage-hub[{extra}]'",
        )


class Transient(LineageHubError):
    """May succeed when it is tried again after `retry_after_s`."""

    status = 503
    transient = True
    exit_code = 3

    def __init__(
        self,
        message: str,
        *,
        subject: str | None = None,
        action: str | None = None,
        retry_after_s: int = 1,
    ) -> None:
        super().__init__(message, subject=subject, action=action)
        self.retry_after_s = retry_after_s


class Overloaded(Transient):
    code = "overloaded"


class StoreUnavailable(Transient):
    """`midway`: it went away while it worked on what it was given, rather than that it said no."""

    code = "store_unavailable"

    def __init__(
        self,
        message: str,
        *,
        subject: str | None = None,
        action: str | None = None,
        retry_after_s: int = 1,
        midway: bool = False,
    ) -> None:
        super().__init__(message, subject=subject, action=action, retry_after_s=retry_after_s)
        self.midway = midway


class StorageFull(Transient):
    code = "storage_full"


class Unreachable(Transient):
    code = "unreachable"


def every_error(root: type[LineageHubError] = LineageHubError) -> Iterator[type[LineageHubError]]:
    """The classes of the tree that can be raised, each of which has a code."""
    for child in root.__subclasses__():
        if child.code:
            yield child
        yield from every_error(child)
