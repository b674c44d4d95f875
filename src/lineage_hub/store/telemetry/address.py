"""The setting that names a ClickHouse server enters; hosts, credentials and options leave.

`clickhouse://user:password@host1:8123,host2:8123/otel?secure=true`, or the same with https.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import parse_qsl, unquote

from lineage_hub.errors import InvalidSetting

DATABASE = "otel"
PLAIN_PORT, TLS_PORT = 8123, 8443
_TRUTHS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
_FILES = ("ca_cert", "client_cert", "client_cert_key")
_ACTION = "write it as clickhouse://user:password@host1:8123,host2:8123/otel?secure=true, or leave it out"


@dataclass(frozen=True, slots=True)
class Address:
    hosts: tuple[tuple[str, int], ...]
    user: str
    password: str = field(repr=False)
    database: str
    secure: bool
    verify: bool = True
    files: tuple[tuple[str, str], ...] = ()
    """Of certificates and keys, by the names that clickhouse-connect has for them."""


def read_address(url: str) -> Address:
    # The text holds a password, so no message repeats it.
    scheme, separator, rest = url.partition("://")
    if not separator or scheme not in ("clickhouse", "clickhouses", "http", "https"):
        raise _wrong("must begin with clickhouse:// or https://")
    rest, _, query = rest.partition("?")
    place, _, path = rest.partition("/")
    credentials, _, hosts = place.rpartition("@")
    user, _, password = credentials.partition(":")
    options = dict(parse_qsl(query, keep_blank_values=True))
    secure = _truth(options, "secure", scheme in ("https", "clickhouses"))
    verify = _truth(options, "verify", True)
    found_files = tuple((name, options.pop(name)) for name in _FILES if name in options)
    if options:
        raise _wrong(f"has an option that is unknown: {', '.join(sorted(options))}")
    return Address(
        tuple(_host(text, TLS_PORT if secure else PLAIN_PORT) for text in hosts.split(",")),
        unquote(user) or "default",
        unquote(password),
        unquote(path.strip("/")) or DATABASE,
        secure,
        verify,
        found_files,
    )


def _truth(options: dict[str, str], name: str, default: bool) -> bool:
    text = options.pop(name, None)
    if text is None:
        return default
    if text.lower() not in _TRUTHS:
        raise _wrong(f"has an option {name} that is neither true nor false")
    return _TRUTHS[text.lower()]


def _host(text: str, default_port: int) -> tuple[str, int]:
    """An IPv6 address stands in brackets."""
    end = text.rfind("]") + 1
    host, separator, port = text[end:].rpartition(":")
    host = text[:end] + (host if separator else port)
    if not host or (separator and not port.isascii()) or (separator and not port.isdigit()):
        raise _wrong("has a host that can't be read")
    return host.strip("[]"), int(port) if separator else default_port


def _wrong(why: str) -> InvalidSetting:
    return InvalidSetting(f"clickhouse_url {why}", subject="clickhouse_url", action=_ACTION)
