"""Kinds of coverage conditions for partitions: successful queries and partitions of some kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import Dialect, Request, read_request, supports
from clconform.oracles.engine.rules import Answered
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall

INFO = "clGetDeviceInfo"
UNITS = "CL_DEVICE_MAX_COMPUTE_UNITS"


def subject(asked: AnsweredCall) -> Device | None:
    """Return the device that a call is about, if it is one."""
    return asked.subject if isinstance(asked.subject, Device) else None


def answered(
    query: str, when: Callable[[Device], bool], how: Callable[[AnsweredCall], bool] = lambda _asked: True
) -> Answered:
    """Return a coverage condition: a query of this name succeeds on a device that passes a test.

    ``how``: a further test of the call.
    """

    def holds(asked: AnsweredCall) -> bool:
        device = subject(asked)
        if device is None or "param_value" not in asked.seen:
            return bool(device and asked.call.param_value_size_ret and empty(asked)) and how(asked)
        return asked.code == "CL_SUCCESS" and when(device) and how(asked)

    return Answered((query,), holds)


def empty(asked: AnsweredCall) -> bool:
    """Return whether a query returned an empty value."""
    return asked.code == "CL_SUCCESS" and asked.seen.get("param_value_size_ret") == [0]


def lists_a_zero(asked: AnsweredCall) -> bool:
    """Return whether a query returned a single zero."""
    return asked.seen.get("param_value") == [0]


def root(device: Device) -> bool:
    """Return whether a device is a root device."""
    return device.root


def part(device: Device) -> bool:
    """Return whether a device is a sub-device."""
    return not device.root


def by_next(dialect: Dialect) -> Callable[[Device], bool]:
    """Return the test for sub-devices of a partition along the next partitionable domain."""

    def resolved(device: Device) -> bool:
        partition = device.partition
        return partition is not None and partition.function == dialect.function and partition.resolved

    return resolved


def by_scheme(scheme: str) -> Callable[[Device], bool]:
    """Return the test for sub-devices that a scheme created."""
    return lambda device: device.partition is not None and device.partition.scheme == scheme


def requested(
    dialect: Dialect, when: Callable[[AnsweredCall, Request, Device], bool], *, success: bool = True
) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: a partition request passes a test, and succeeds or fails."""

    def holds(asked: AnsweredCall) -> bool:
        device = subject(asked)
        if device is None or (asked.code == "CL_SUCCESS") is not success:
            return False
        return when(asked, read_request(asked.call.properties, dialect, asked.model), device)

    return holds


def asks_for_domain(asked: AnsweredCall, request: Request, dialect: Dialect, name: str) -> bool:
    """Return whether a list requests one domain by name."""
    return request.scheme == dialect.by_domain and request.values[:1] == (asked.model.value(name),)


def asking_for(dialect: Dialect, name: str) -> Callable[[AnsweredCall, Request, Device], bool]:
    """Return the test for lists that request this domain."""
    return lambda asked, request, _device: asks_for_domain(asked, request, dialect, name)


def units_of(device: Device) -> int:
    """Return a device's compute units; UnknownError if they have not been queried."""
    return device.number(UNITS)


def dialect_style(suffix: str) -> str:
    """Return the query that returns the property list of a partition."""
    return "CL_DEVICE_PARTITION_STYLE_EXT" if suffix else "CL_DEVICE_PARTITION_TYPE"


def on_part(asked: AnsweredCall, dialect: Dialect) -> bool:
    """Return whether a call uses a sub-device that this dialect's function created."""
    device = asked.model.known(asked.call.arguments.get("device"))
    return isinstance(device, Device) and bool(device.partition) and device.partition.function == dialect.function  # type: ignore[union-attr]


def in_ancestors_context(asked: AnsweredCall) -> bool:
    """Return whether a call uses a sub-device in a context that contains only one of its ancestors."""
    context, device = asked.model.known(asked.call.context), asked.model.known(asked.call.device)
    if not isinstance(context, Context) or not isinstance(device, Device):
        return False
    return device not in context.devices and any(ancestor in context.devices for ancestor in device.ancestors)


def any_domain(asked: AnsweredCall, dialect: Dialect) -> bool:
    """Return whether a list requests a domain on a device that supports partitions by domains."""
    device = subject(asked)
    request = read_request(asked.call.properties, dialect, asked.model)
    return device is not None and request.scheme == dialect.by_domain and supports(device, request, dialect)
