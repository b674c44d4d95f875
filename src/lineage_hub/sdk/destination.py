"""Arguments of a client and the configuration enter; where to send, with which key and how patiently, leaves."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import SplitResult, unquote, urlsplit

from lineage_hub.errors import InvalidSetting
from lineage_hub.sdk.config import LineageHubConfig, get_config


@dataclass(frozen=True, slots=True)
class Destination:
    """`url` is without user and password, so that it can be shown."""

    url: str
    namespace: str
    timeout_s: float
    attempts: int
    delay_s: float
    config: LineageHubConfig = field(repr=False)
    api_key: str = field(default="", repr=False)
    login: str = field(default="", repr=False)
    """User and password that stood in the address; a key weighs more."""

    @property
    def authorization(self) -> dict[str, str]:
        """The header that says who asks, if anyone does."""
        if self.api_key:
            return {"Authorization": f"Bearer {self.api_key}"}
        return {"Authorization": f"Basic {b64encode(self.login.encode()).decode()}"} if self.login else {}

    @classmethod
    def of(
        cls,
        base_url: str | None = None,
        api_key: str | None = None,
        namespace: str | None = None,
        config: LineageHubConfig | None = None,
    ) -> Destination:
        config = config if config is not None else get_config()
        # Whoever only looks at what would be sent needs no address.
        address = _address(base_url or config.hub_endpoint or ("http://dry-run.invalid" if config.dry_run else ""))
        key = _checked_key(api_key if api_key is not None else config.api_key)
        login = f"{unquote(address.username)}:{unquote(address.password or '')}" if address.username else ""
        return cls(
            url=f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path.rstrip('/')}",
            namespace=namespace or config.namespace,
            timeout_s=_positive("timeout", config.timeout),
            attempts=max(1, config.retry_attempts),
            delay_s=max(0.0, config.retry_delay),
            config=config,
            api_key=key,
            login=login,
        )


def _address(url: str) -> SplitResult:
    if not url:
        raise InvalidSetting(
            "the client has no address of a hub",
            subject="base_url",
            action="give base_url, or set LINEAGE_HUB_URL=http://host:8000",
        )
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port):
            return parts
    except ValueError:
        pass
    # What is wrong may be a password.
    raise InvalidSetting(
        f"{url.rpartition('@')[2]!r} is not the address of a hub", subject="base_url", action="write http://host:port"
    )


def _checked_key(key: str) -> str:
    """A key that no header can hold would stand in the error of whoever tries."""
    if key.isascii() and key.isprintable() and key == key.strip():
        return key
    raise InvalidSetting(
        "the API key holds spaces at its ends or characters that no HTTP header can have",
        subject="api_key",
        action="copy it again, without line breaks",
    )


def _positive(name: str, value: float) -> float:
    if value > 0:
        return value
    raise InvalidSetting(f"{name}={value!r} is not a time to wait", subject=name, action="give seconds above zero")
