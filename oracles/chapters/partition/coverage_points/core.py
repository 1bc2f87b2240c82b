"""Coverage points for device partitioning that only the core document requires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.coverage_kinds import (
    INFO,
    is_created_by_next_domain,
    is_created_by_scheme,
    is_root,
    is_single_zero,
    queried_device,
    queries_device,
    requests_partition,
    uses_sub_device,
)
from clconform.oracles.chapters.partition.schemes import CORE, parse_request
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device

rules = Rules()


MAKE = "clCreateSubDevices"
STYLE = "CL_DEVICE_PARTITION_TYPE"


def _is_any(_device: Device) -> bool:
    return True


for _requirement, _words, _holds in (
    (
        "CL_DEVICE_MAX_COMPUTE_UNITS/limit/1",
        "The device has at least one compute unit.",
        queries_device("CL_DEVICE_MAX_COMPUTE_UNITS", _is_any),
    ),
    (
        "CL_DEVICE_PARTITION_MAX_SUB_DEVICES/limit/1",
        "The value is at most CL_DEVICE_MAX_COMPUTE_UNITS.",
        queries_device("CL_DEVICE_PARTITION_MAX_SUB_DEVICES", _is_any),
    ),
    (
        "CL_DEVICE_PARTITION_PROPERTIES/effect/3",
        "The value is a single 0 for a device that cannot be partitioned.",
        queries_device("CL_DEVICE_PARTITION_PROPERTIES", _is_any, is_single_zero),
    ),
    (
        "CL_DEVICE_PARTITION_AFFINITY_DOMAIN/effect/2",
        "The value is 0 for a device that does not support any affinity domain.",
        queries_device("CL_DEVICE_PARTITION_AFFINITY_DOMAIN", _is_any, is_single_zero),
    ),
    (
        "CL_DEVICE_PARTITION_TYPE/effect/2",
        (
            "For a sub-device created with CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, the value contains the "
            "affinity domain of the partition."
        ),
        queries_device(STYLE, is_created_by_next_domain(CORE)),
    ),
    (
        "CL_DEVICE_PARTITION_TYPE/effect/3",
        "For a sub-device created by affinity domain, the value contains exactly one affinity domain.",
        queries_device(STYLE, is_created_by_scheme(CORE.by_domain)),
    ),
    (
        "CL_DEVICE_PARTITION_TYPE/effect/4",
        "For a root device the value is empty or a single 0.",
        queries_device(STYLE, is_root),
    ),
):
    rules.coverage_point(_requirement, INFO, _words, _requirement.partition("/")[0], holds=_holds)
for _requirement, _words, _was_called in (
    (
        "clRetainDevice/effect/2",
        "clRetainDevice does not change the reference count of a root device.",
        lambda device: device.retained,
    ),
    (
        "clReleaseDevice/effect/2",
        "clReleaseDevice does not change the reference count of a root device.",
        lambda device: device.released,
    ),
):
    rules.coverage_point(
        _requirement,
        INFO,
        _words,
        "CL_DEVICE_REFERENCE_COUNT",
        holds=queries_device(
            "CL_DEVICE_REFERENCE_COUNT",
            lambda device, was_called=_was_called: is_root(device) and bool(was_called(device)),  # type: ignore[misc]
        ),
    )
rules.coverage_point(
    "CL_DEVICE_PARTITION_MAX_SUB_DEVICES/effect/1",
    MAKE,
    "No partition creates more than CL_DEVICE_PARTITION_MAX_SUB_DEVICES sub-devices.",
    "CL_DEVICE_PARTITION_MAX_SUB_DEVICES",
    "clCreateSubDevices/success",
    holds=requests_partition(CORE, lambda asked, *_: "num_devices_ret" in asked.outputs),
)
rules.coverage_point(
    "clCreateSubDevices/effect/1",
    MAKE,
    "In properties, the value of the partitioning scheme follows the name of the scheme.",
    "clCreateSubDevices/success",
    holds=requests_partition(CORE, lambda _asked, request, _device: bool(request.values)),
)
rules.coverage_point(
    "clCreateSubDevices/effect/3",
    MAKE,
    "properties specifies only one partitioning scheme.",
    "clCreateSubDevices/CL_INVALID_VALUE/1",
    holds=lambda asked: (
        bool(parse_request(asked.call.properties, CORE, asked.model).rest) and queried_device(asked) is not None
    ),
)
rules.coverage_point(
    "clCreateSubDevices/effect/9",
    "clCreateCommandQueue",
    "Every function that accepts a device accepts a sub-device of that device.",
    "clCreateCommandQueue/success",
    holds=lambda asked: asked.code == "CL_SUCCESS" and uses_sub_device(asked, CORE),
)
rules.untestable(
    "clCreateSubDevices/effect/10",
    "Commands in a queue on a sub-device run only on the compute units of that sub-device.",
    "the host cannot observe which compute units execute a command",
)
rules.untestable(
    "clReleaseDevice/effect/3",
    "A device is deleted once its reference count is 0 and all objects attached to it are released.",
    "using a device that may have been deleted is undefined",
)
