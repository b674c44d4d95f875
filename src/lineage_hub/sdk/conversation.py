"""A request enters; steps leave for whoever does the I/O: what to ask, and how long to wait before it is asked again.

Nothing here waits or connects. A talk is a generator: it yields a Request, to be answered, or a Pause, to be waited
for; an error of the connection is thrown into it. So what the hub says is understood in one place, and the async and
the plain client differ by a loop of a dozen lines (`shells.py`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from email.utils import parsedate_to_datetime
from typing import NamedTuple, TypeVar

import msgspec

from lineage_hub.errors import InvalidSetting, LineageHubError, NotFound, Overloaded, Refusal, Transient, every_error
from lineage_hub.sdk.destination import Destination
from lineage_hub.transports.patience import Patience

T = TypeVar("T")
# A timeout, too early, too many, and all that is the server's own trouble.
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})
_MOST_OF_A_REASON = 300


class Request(NamedTuple):
    method: str
    path: str
    body: bytes | None = None


class Pause(NamedTuple):
    seconds: float


class Answer(NamedTuple):
    status: int
    body: bytes
    retry_after: str | None = None

    @property
    def is_success(self) -> bool:
        return 200 <= self.status < 300


Talk = Generator[Request | Pause, Answer, T]


def ask(
    to: Destination, request: Request, is_answer: Callable[[Answer], bool] = lambda answer: answer.is_success
) -> Talk[Answer]:
    """Until it is answered. What is Terminal is raised at once, what is Transient after the last attempt."""
    patience = Patience(first_s=to.delay_s, longest_s=to.timeout_s, open_after=to.attempts + 1)
    while True:
        try:
            answer = yield request
            if is_answer(answer):
                return answer
            raise error_of(to, answer)
        except Transient as error:
            pause = patience.failed(error.retry_after_s)
            # Whoever asks for more patience than a call has is not asked again too early: the caller decides.
            if patience.failures >= to.attempts or error.retry_after_s > to.timeout_s:
                raise
        yield Pause(pause)


class _Problem(msgspec.Struct):
    message: str = ""
    error: str = ""
    subject: str | None = None
    action: str | None = None


def error_of(to: Destination, answer: Answer) -> LineageHubError:
    """The hub's own words where it has some; a proxy's page is cut short."""
    try:
        problem = msgspec.json.decode(answer.body, type=_Problem)
    except (msgspec.DecodeError, UnicodeDecodeError):
        problem = _Problem()
    said = problem.message or answer.body[:_MOST_OF_A_REASON].decode(errors="replace")
    message = f"{to.url} answered {answer.status}: {said}"
    named = {one.code: one for one in every_error()}.get(problem.error)
    subject = problem.subject or to.url
    if answer.status in _WORTH_ANOTHER_TRY or answer.status >= 500:
        kind = named if named is not None and issubclass(named, Transient) else Overloaded
        wait_s = retry_after_s(answer.retry_after)
        return kind(message, subject=subject, action=problem.action or "try again later", retry_after_s=wait_s)
    if named is not None and not issubclass(named, Transient | Refusal):
        return named(message, subject=subject, action=problem.action)
    if answer.status == 404:
        return NotFound(message, subject=subject, action="check the name, and that the address is a hub's")
    return Refusal(message, answered=answer.status, subject=subject, action=_ACTIONS.get(answer.status))


_ACTIONS = {
    401: "check the API key",
    403: "check what the API key may do",
    **dict.fromkeys(range(300, 400), "check the address: it leads elsewhere"),
}


def retry_after_s(header: str | None) -> int:
    """Of Retry-After, which is a number or a date; none means that the server doesn't mind."""
    if header is None:
        return 0
    if header.strip().isdigit():
        return int(header)
    try:
        return max(0, int(parsedate_to_datetime(header).timestamp() - time.time()) + 1)
    except (ValueError, TypeError, OverflowError):
        return 0


def decoded(to: Destination, answer: Answer, wanted: type[T]) -> T:
    try:
        return msgspec.json.decode(answer.body, type=wanted)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise stranger(to, str(error)) from None


def stranger(to: Destination, why: str) -> LineageHubError:
    """Nothing is known of what was sent: it must not count as taken."""
    return InvalidSetting(
        f"what answers at {to.url} is not a Lineage Hub that this client knows: {why}",
        subject="base_url",
        action="check the address, and that no proxy answers in the hub's place",
    )
