"""Coverage points for device partitioning that only the core document requires."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.coverage_kinds import (
    INFO,
    UNITS,
    is_created_by_next_domain,
    is_created_by_scheme,
    is_root,
    is_single_zero,
    queried_device,
    queries_device,
    requests_partition,
    style_query,
    uses_sub_device,
)
from clconform.oracles.chapters.partition.schemes import CORE, parse_request
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

rules = Rules()


@rules.completion
def _declare_core(rules: Rules, _tables: Tables) -> None:
    make = CORE.function
    most = "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"
    rules.coverage_point(
        "CL_DEVICE_MAX_COMPUTE_UNITS/limit/1",
        INFO,
        "The device has at least one compute unit.",
        UNITS,
        holds=queries_device(UNITS, lambda _device: True),
    )
    rules.coverage_point(
        f"{most}/effect/1",
        make,
        "No partition creates more than CL_DEVICE_PARTITION_MAX_SUB_DEVICES sub-devices.",
        most,
        "clCreateSubDevices/success",
        holds=requests_partition(CORE, lambda asked, *_: "num_devices_ret" in asked.outputs),
    )
    rules.coverage_point(
        f"{most}/limit/1",
        INFO,
        "The value is at most CL_DEVICE_MAX_COMPUTE_UNITS.",
        most,
        holds=queries_device(most, lambda _device: True),
    )
    rules.coverage_point(
        "CL_DEVICE_PARTITION_PROPERTIES/effect/3",
        INFO,
        "The value is a single 0 for a device that cannot be partitioned.",
        "CL_DEVICE_PARTITION_PROPERTIES",
        holds=queries_device("CL_DEVICE_PARTITION_PROPERTIES", lambda _device: True, is_single_zero),
    )
    rules.coverage_point(
        "CL_DEVICE_PARTITION_AFFINITY_DOMAIN/effect/2",
        INFO,
        "The value is 0 for a device that does not support any affinity domain.",
        "CL_DEVICE_PARTITION_AFFINITY_DOMAIN",
        holds=queries_device("CL_DEVICE_PARTITION_AFFINITY_DOMAIN", lambda _device: True, is_single_zero),
    )
    style = style_query("")
    rules.coverage_point(
        f"{style}/effect/2",
        INFO,
        (
            "For a sub-device created with CL_DEVICE_AFFINITY_DOMAIN_NEXT_PARTITIONABLE, the value contains the "
            "affinity domain of the partition."
        ),
        style,
        holds=queries_device(style, is_created_by_next_domain(CORE)),
    )
    rules.coverage_point(
        f"{style}/effect/3",
        INFO,
        "For a sub-device created by affinity domain, the value contains exactly one affinity domain.",
        style,
        holds=queries_device(style, is_created_by_scheme(CORE.by_domain)),
    )
    rules.coverage_point(
        f"{style}/effect/4",
        INFO,
        "For a root device the value is empty or a single 0.",
        style,
        holds=queries_device(style, is_root),
    )
    rules.coverage_point(
        f"{make}/effect/1",
        make,
        "In properties, the value of the partitioning scheme follows the name of the scheme.",
        f"{make}/success",
        holds=requests_partition(CORE, lambda _asked, request, _device: bool(request.values)),
    )
    rules.coverage_point(
        f"{make}/effect/3",
        make,
        "properties specifies only one partitioning scheme.",
        f"{make}/CL_INVALID_VALUE/1",
        holds=lambda asked: (
            bool(parse_request(asked.call.properties, CORE, asked.model).rest) and queried_device(asked) is not None
        ),
    )
    rules.coverage_point(
        f"{make}/effect/9",
        "clCreateCommandQueue",
        "Every function that accepts a device accepts a sub-device of that device.",
        "clCreateCommandQueue/success",
        holds=lambda asked: asked.code == "CL_SUCCESS" and uses_sub_device(asked, CORE),
    )
    for function, number in (("clRetainDevice", 2), ("clReleaseDevice", 2)):
        rules.coverage_point(
            f"{function}/effect/{number}",
            INFO,
            f"{function} does not change the reference count of a root device.",
            "CL_DEVICE_REFERENCE_COUNT",
            holds=queries_device(
                "CL_DEVICE_REFERENCE_COUNT",
                lambda device, retains=function == "clRetainDevice": (
                    is_root(device)  # type: ignore[misc]
                    and bool(device.retained if retains else device.released)
                ),
            ),
        )
    rules.untestable(
        f"{make}/effect/10",
        "Commands in a queue on a sub-device run only on the compute units of that sub-device.",
        "the host cannot observe which compute units execute a command",
    )
    rules.untestable(
        "clReleaseDevice/effect/3",
        "A device is deleted once its reference count is 0 and all objects attached to it are released.",
        "using a device that may have been deleted is undefined",
    )
