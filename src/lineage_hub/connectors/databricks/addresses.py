"""Addresses of other systems enter as programs write them; what names the system leaves, never a secret."""

from __future__ import annotations

import re
from urllib.parse import urlsplit, urlunsplit

_SECRET = re.compile(r"(user|uid|pass|pwd|secret|token|key|credential|sig|auth|login)", re.IGNORECASE)
_SECRET_PART = re.compile(r"\(\s*[^()=]*?(?:user|uid|pass|pwd|secret|token|key)[^()=]*=[^()]*\)", re.IGNORECASE)


def event_hubs_address(connection: str) -> tuple[str | None, str | None]:
    """The namespace's host and the event hub of a connection string; its key stays behind."""
    parts = dict(one.split("=", 1) for one in connection.split(";") if "=" in one)
    lowered = {key.strip().lower(): value.strip() for key, value in parts.items()}
    host = lowered.get("endpoint", "").removeprefix("sb://").rstrip("/")
    return host or None, lowered.get("entitypath") or None


def kinesis_region(arn: str) -> tuple[str | None, str | None]:
    """arn:aws:kinesis:REGION:ACCOUNT:stream/NAME"""
    parts = arn.split(":")
    if len(parts) < 6:
        return None, None
    return parts[3] or None, parts[5].removeprefix("stream/") or None


def jdbc_address(url: str) -> str:
    """A JDBC address without user, password and whatever else may be secret in its parameters."""
    # A password may hold any sign that the address has: what stands before the last @ of an authority is no host.
    url = _SECRET_PART.sub("", url)
    url = re.sub(r"^(jdbc:oracle:[a-z0-9]+:).*@", r"\1@", url, flags=re.IGNORECASE)
    url = re.sub(r"(?<!@)//[^/]*:.*@(?=[^/?;&=]+(?:[/?;]|$))|(?<!@)//[^/?;]*@", "//", url)
    url = re.sub(r"=\s*\{[^}]*\}", "=", url)  # SQL Server's way to write a value that holds separators
    head, *parameters = re.split(r"[?;&]", url)
    # What has no name of its own is the rest of the value before it, and as secret as that may be.
    named = [one for one in parameters if re.match(r"\s*[A-Za-z][\w.\- ]*=", one)]
    kept = [one for one in named if not _SECRET.search(one.partition("=")[0])]
    first, other = ("?", "&") if "?" in url else (";", ";")
    return head + "".join((other if at else first) + one for at, one in enumerate(kept))


def plain_path(path: str | None) -> str | None:
    """A path without user information and signatures."""
    if not path or "://" not in path:
        return path or None
    try:
        parts = urlsplit(path)
    except ValueError:
        return path
    # abfss://container@account: the part before the @ is no user there.
    if parts.scheme in ("abfss", "abfs", "wasbs", "wasb", "adl"):
        return path.partition("?")[0]
    _, colon, port = parts.netloc.rpartition(":")
    if colon and not port.isdigit() and "@" not in port and "@" in parts.path:
        # Keys of S3 hold slashes.
        return plain_path(f"{parts.scheme}://{path.partition('@')[2]}")
    host = parts.netloc.rpartition("@")[2]
    query = parts.query if not _SECRET.search(parts.query) else ""
    return (
        urlunsplit((parts.scheme, host, parts.path, query, ""))
        if host != parts.netloc or query != parts.query
        else path
    )
