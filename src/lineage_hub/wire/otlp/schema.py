"""OpenTelemetry's own message classes enter; classes leave that read the same bytes and leave what is repeated unread.

Attributes, resources, scopes and states become plain bytes: most of them were met before, and a dictionary knows what
they say. To ask protobuf for each part of each of them takes several times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, TypeVar

from lineage_hub.errors import ExtraMissing
from lineage_hub.wire.otlp.columns import Kind

T = TypeVar("T")
# What is longer is read anew each time: few are, and what is remembered must not take much memory.
_REMEMBERED_BYTES = 4096
_COMMON = ".opentelemetry.proto.common.v1."
_UNREAD = frozenset(
    {
        _COMMON + "KeyValue",
        _COMMON + "AnyValue",
        _COMMON + "InstrumentationScope",
        ".opentelemetry.proto.resource.v1.Resource",
        ".opentelemetry.proto.trace.v1.Status",
    }
)
_SERVICES: dict[Kind, tuple[str, str]] = {
    "traces": ("trace", "Trace"),
    "metrics": ("metrics", "Metrics"),
    "logs": ("logs", "Logs"),
}


def remembered(most: int) -> Callable[[Callable[[bytes], T]], Callable[[bytes], T]]:
    """What was made of bytes lately isn't made again."""

    def decorate(read: Callable[[bytes], T]) -> Callable[[bytes], T]:
        known = lru_cache(maxsize=most)(read)

        def read_or_remember(raw: bytes) -> T:
            return known(raw) if len(raw) <= _REMEMBERED_BYTES else read(raw)

        return read_or_remember

    return decorate


def module(name: str) -> Any:
    """Of opentelemetry.proto or google, imported when first needed."""
    try:
        return import_module(name)
    except ImportError:
        raise ExtraMissing.of("telemetry", "reading OTLP") from None


@cache
def service(kind: Kind) -> Any:
    """The generated module of a collector's service."""
    name, _ = _SERVICES[kind]
    return module(f"opentelemetry.proto.collector.{name}.v1.{name}_service_pb2")


def service_name(kind: Kind) -> str:
    name, title = _SERVICES[kind]
    return f"opentelemetry.proto.collector.{name}.v1.{title}Service"


def request_class(kind: Kind) -> Any:
    return getattr(service(kind), f"Export{_SERVICES[kind][1]}ServiceRequest")


def response_class(kind: Kind) -> Any:
    return getattr(service(kind), f"Export{_SERVICES[kind][1]}ServiceResponse")


@cache
def key_value_class() -> Any:
    return module("opentelemetry.proto.common.v1.common_pb2").KeyValue


@cache
def any_value_class() -> Any:
    return module("opentelemetry.proto.common.v1.common_pb2").AnyValue


@cache
def decode_error() -> type[Exception]:
    found: type[Exception] = module("google.protobuf.message").DecodeError
    return found


@cache
def lean_class(kind: Kind, unread: frozenset[str] = frozenset()) -> Any:
    """A request whose common parts are bytes, and others too; messages and bytes look alike on the wire."""

    def leave_unread(field: Any) -> None:
        if field.type == field.TYPE_MESSAGE and field.type_name in _UNREAD | unread:
            field.type = field.TYPE_BYTES
            field.ClearField("type_name")

    return changed_class(request_class(kind), leave_unread)


def changed_class(message_class: Any, change: Callable[[Any], None]) -> Any:
    """The same message, with fields that are told otherwise."""
    pools, factory = module("google.protobuf.descriptor_pool"), module("google.protobuf.message_factory")
    protos = module("google.protobuf.descriptor_pb2")
    pool = pools.DescriptorPool()
    added: set[str] = set()

    def add(file: Any) -> None:
        if file.name in added:
            return
        added.add(file.name)
        for needed in file.dependencies:
            add(needed)
        copy = protos.FileDescriptorProto()
        file.CopyToProto(copy)
        for message in copy.message_type:
            _change_fields(message, change)
        pool.Add(copy)

    add(message_class.DESCRIPTOR.file)
    return factory.GetMessageClass(pool.FindMessageTypeByName(message_class.DESCRIPTOR.full_name))


def _change_fields(message: Any, change: Callable[[Any], None]) -> None:
    for field in message.field:
        change(field)
    for nested in message.nested_type:
        _change_fields(nested, change)
