"""Coverage conditions for device partitioning, and checks of queries, devices and partition calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import Dialect, PartitionRequest, parse_request, supports_scheme
from clconform.oracles.engine.rules import QueryCoverage
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall

INFO = "clGetDeviceInfo"
UNITS = "CL_DEVICE_MAX_COMPUTE_UNITS"


def queried_device(asked: CompletedCall) -> Device | None:
    """Return the device that a call queries or partitions; None if the call does not name a device."""
    return asked.subject if isinstance(asked.subject, Device) else None


def queries_device(
    query: str, when: Callable[[Device], bool], how: Callable[[CompletedCall], bool] = lambda _asked: True
) -> QueryCoverage:
    """Return a coverage condition: the query ``query`` succeeds for a device.

    ``when``: a check of the device, which is ignored if the query returns an empty value. ``how``: a check of the call.
    """

    def holds(asked: CompletedCall) -> bool:
        device = queried_device(asked)
        if device is None or "param_value" not in asked.outputs:
            return bool(device and asked.call.param_value_size_ret and is_empty_value(asked)) and how(asked)
        return asked.code == "CL_SUCCESS" and when(device) and how(asked)

    return QueryCoverage((query,), holds)


def is_empty_value(asked: CompletedCall) -> bool:
    """Return whether a query returned an empty value."""
    return asked.code == "CL_SUCCESS" and asked.outputs.get("param_value_size_ret") == [0]


def is_single_zero(asked: CompletedCall) -> bool:
    """Return whether a query returned a single zero."""
    return asked.outputs.get("param_value") == [0]


def is_root(device: Device) -> bool:
    """Return whether a device is a root device."""
    return device.is_root


def is_sub_device(device: Device) -> bool:
    """Return whether a device is a sub-device."""
    return not device.is_root


def is_created_by_next_domain(dialect: Dialect) -> Callable[[Device], bool]:
    """Return a function that checks whether a partition along the next partitionable domain created a device."""

    def resolved(device: Device) -> bool:
        partition = device.partition
        return partition is not None and partition.function == dialect.function and partition.uses_next_domain

    return resolved


def is_created_by_scheme(scheme: str) -> Callable[[Device], bool]:
    """Return a function that checks whether a partition with the scheme ``scheme`` created a device."""
    return lambda device: device.partition is not None and device.partition.scheme == scheme


def requests_partition(
    dialect: Dialect, when: Callable[[CompletedCall, PartitionRequest, Device], bool], *, success: bool = True
) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a partition call passes the check ``when``.

    ``success``: True if the call must succeed, False if it must fail.
    """

    def holds(asked: CompletedCall) -> bool:
        device = queried_device(asked)
        if device is None or (asked.code == "CL_SUCCESS") is not success:
            return False
        return when(asked, parse_request(asked.call.properties, dialect, asked.model), device)

    return holds


def requests_domain(asked: CompletedCall, request: PartitionRequest, dialect: Dialect, name: str) -> bool:
    """Return whether a partition request names the affinity domain ``name``."""
    return request.scheme == dialect.by_domain and request.values[:1] == (asked.model.constant_value(name),)


def has_requested_domain(dialect: Dialect, name: str) -> Callable[[CompletedCall, PartitionRequest, Device], bool]:
    """Return a function that checks whether a partition request names the affinity domain ``name``."""
    return lambda asked, request, _device: requests_domain(asked, request, dialect, name)


def compute_units_of(device: Device) -> int:
    """Return the number of compute units of a device.

    Raises UnknownFactError if the number has not been queried.
    """
    return device.number(UNITS)


def style_query(suffix: str) -> str:
    """Return the name of the query for the property list that created a sub-device.

    ``suffix``: empty for the core document, and another text for cl_ext_device_fission.
    """
    return "CL_DEVICE_PARTITION_STYLE_EXT" if suffix else "CL_DEVICE_PARTITION_TYPE"


def uses_sub_device(asked: CompletedCall, dialect: Dialect) -> bool:
    """Return whether the device in a call is a sub-device that the function of a dialect created."""
    device = asked.model.find(asked.call.arguments.get("device"))
    return isinstance(device, Device) and bool(device.partition) and device.partition.function == dialect.function  # type: ignore[union-attr]


def in_ancestors_context(asked: CompletedCall) -> bool:
    """Return whether the context of a call contains an ancestor of the device, but not the device."""
    context, device = asked.model.find(asked.call.context), asked.model.find(asked.call.device)
    if not isinstance(context, Context) or not isinstance(device, Device):
        return False
    return device not in context.devices and any(ancestor in context.devices for ancestor in device.ancestors)


def requests_any_domain(asked: CompletedCall, dialect: Dialect) -> bool:
    """Return whether a call requests a partition by affinity domain, and in_device supports this scheme."""
    device = queried_device(asked)
    request = parse_request(asked.call.properties, dialect, asked.model)
    return (
        device is not None
        and request.scheme == dialect.by_domain
        and supports_scheme(device, request, dialect, asked.model)
    )
