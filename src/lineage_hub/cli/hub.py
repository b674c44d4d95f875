"""A question enters; the hub's answer leaves as a typed value, what goes wrong as an error of the one tree.

This is the only module through which commands speak HTTP.
"""

from collections.abc import Iterator, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

import msgspec

from lineage_hub import __version__
from lineage_hub.errors import (
    BodyTooLarge,
    InternalError,
    InvalidRequest,
    LineageHubError,
    NotFound,
    Overloaded,
    Transient,
    Unreachable,
    every_error,
)
from lineage_hub.settings import Settings, mask_url

if TYPE_CHECKING:
    import httpx

T = TypeVar("T")
Value = str | int | bool | None
# A deep lineage of a large graph takes its time; a hub that is gone refuses at once.
TIMEOUT_S = 120.0
API = "/api/v1"
# What a proxy says too, in place of a hub that is away or busy, or of a body.
AWAY = (429, 502, 503, 504)
TOO_LARGE = 413


class _Problem(msgspec.Struct):
    message: str = ""
    error: str = ""
    subject: str | None = None
    action: str | None = None


class Hub:
    """Use it in a `with` statement; paths are given without `/api/v1`."""

    def __init__(self, settings: Settings, timeout_s: float = TIMEOUT_S) -> None:
        import httpx

        self._timeout_s = timeout_s
        self.shown_url = mask_url(settings.url)
        headers = {"User-Agent": f"lineage-hub/{__version__}"}
        if settings.api_key:
            headers["Authorization"] = f"Bearer {settings.api_key}"
        if not settings.url.startswith(("http://", "https://")):
            raise InvalidRequest(
                f"{self.shown_url!r} is not the address of a hub",
                subject="url",
                action="write it as http://host:port with --url or LINEAGE_HUB_URL",
            )
        self._client = httpx.Client(base_url=settings.url, headers=headers, timeout=timeout_s)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._client.close()

    def read(self, wanted: type[T], path: str, **params: Value) -> T:
        return self.decode(wanted, self.ask("GET", path, params))

    def read_text(self, path: str, **params: Value) -> str:
        return self.ask("GET", path, params).decode()

    def read_object(self, path: str, **params: Value) -> object:
        """For `--json`: whatever the hub says, unchanged."""
        return self.decode(object, self.ask("GET", path, params))

    def ask(
        self,
        method: str,
        path: str,
        params: Mapping[str, Value] | None = None,
        *,
        body: bytes | None = None,
        body_type: str = "application/json",
        also: tuple[int, ...] = (),
    ) -> bytes:
        """`also` are codes that are answers, besides those of success."""
        import httpx

        given = {name: value for name, value in (params or {}).items() if value is not None}
        headers = {"Content-Type": body_type} if body is not None else {}
        try:
            response = self._client.request(method, API + path, params=given, content=body, headers=headers)
        except httpx.TimeoutException:
            raise Unreachable(
                f"the hub at {self.shown_url} did not answer within {self._timeout_s:g} s",
                action="try again; a command that has --depth or --limit can ask for less",
            ) from None
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise Unreachable(
                f"no hub answers at {self.shown_url}: {error}",
                action="start one with `lineage-hub serve`, or name another with --url or LINEAGE_HUB_URL",
            ) from None
        if response.is_success or response.status_code in also:
            return response.content
        raise self._error_of(response)

    def lines(self, path: str, silence_s: float, headers: Mapping[str, str], **params: Value) -> Iterator[str]:
        """Of an answer that goes on as long as both sides want; nothing for `silence_s` is its end, too."""
        import httpx

        given = {name: value for name, value in params.items() if value is not None}
        timeout = httpx.Timeout(self._timeout_s, read=silence_s)
        try:
            with self._client.stream("GET", API + path, params=given, headers=headers, timeout=timeout) as response:
                if not response.is_success:
                    response.read()
                    raise self._error_of(response)
                yield from response.iter_lines()
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise Unreachable(
                f"no hub answers at {self.shown_url}: {error}",
                action="start one with `lineage-hub serve`, or name another with --url or LINEAGE_HUB_URL",
            ) from None

    def decode(self, wanted: type[T], body: bytes) -> T:
        try:
            return msgspec.json.decode(body, type=wanted)
        except msgspec.DecodeError as error:
            raise self._stranger(str(error)) from None

    def _stranger(self, why: str) -> LineageHubError:
        return InvalidRequest(
            f"what answers at {self.shown_url} is not a Lineage Hub that this command knows: {why}",
            subject="url",
            action="check --url, and that the hub isn't older than this command (`lineage-hub --version`)",
        )

    def _error_of(self, response: "httpx.Response") -> LineageHubError:
        try:
            problem = msgspec.json.decode(response.content, type=_Problem)
        except msgspec.DecodeError:
            if response.status_code not in (*AWAY, TOO_LARGE):
                return self._stranger(f"it says {response.status_code} to {response.request.url.path}")
            problem = _Problem(f"{self.shown_url} says {response.status_code}")
        message = problem.message or f"the hub says {response.status_code}"
        by_code = {known.code: known for known in every_error()}
        found = by_code.get(problem.error) or _by_status(response.status_code)
        if issubclass(found, Transient):
            action = problem.action or "try again in a moment"
            return found(message, subject=problem.subject, action=action, retry_after_s=_retry_after_s(response))
        return found(message, subject=problem.subject, action=problem.action)


def _retry_after_s(response: "httpx.Response") -> int:
    header = response.headers.get("Retry-After", "")
    return int(header) if header.isdigit() else 1


def _by_status(status: int) -> type[LineageHubError]:
    if status == 404:
        return NotFound
    if status in AWAY:
        return Overloaded
    if status == TOO_LARGE:
        return BodyTooLarge
    return InternalError if status >= 500 else InvalidRequest
