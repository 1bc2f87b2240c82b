"""What the prose of the core document alone says of partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import CORE, read_request
from clconform.oracles.chapters.partition.trigger_kinds import (
    INFO,
    UNITS,
    answered,
    by_next,
    by_scheme,
    dialect_style,
    lists_a_zero,
    on_part,
    requested,
    root,
    subject,
)
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

rules = Rules()


@rules.completion
def _core_only(rules: Rules, _tables: Tables) -> None:
    make = CORE.function
    most = "CL_DEVICE_PARTITION_MAX_SUB_DEVICES"
    rules.trigger(f"{UNITS}/limit/1", INFO, "there is at least one", UNITS, holds=answered(UNITS, lambda _device: True))
    rules.trigger(
        f"{most}/effect/1",
        make,
        "no partition makes more sub-devices",
        most,
        "clCreateSubDevices/success",
        holds=requested(CORE, lambda asked, *_: "num_devices_ret" in asked.seen),
    )
    rules.trigger(
        f"{most}/limit/1", INFO, "not above the compute units", most, holds=answered(most, lambda _device: True)
    )
    rules.trigger(
        "CL_DEVICE_PARTITION_PROPERTIES/effect/3",
        INFO,
        "a device that cannot be partitioned lists a zero",
        "CL_DEVICE_PARTITION_PROPERTIES",
        holds=answered("CL_DEVICE_PARTITION_PROPERTIES", lambda _device: True, lists_a_zero),
    )
    rules.trigger(
        "CL_DEVICE_PARTITION_AFFINITY_DOMAIN/effect/2",
        INFO,
        "a device without affinity domains answers zero",
        "CL_DEVICE_PARTITION_AFFINITY_DOMAIN",
        holds=answered("CL_DEVICE_PARTITION_AFFINITY_DOMAIN", lambda _device: True, lists_a_zero),
    )
    style = dialect_style("")
    rules.trigger(
        f"{style}/effect/2",
        INFO,
        "the next domain is answered with the actual one",
        style,
        holds=answered(style, by_next(CORE)),
    )
    rules.trigger(
        f"{style}/effect/3", INFO, "a domain of the list", style, holds=answered(style, by_scheme(CORE.by_domain))
    )
    rules.trigger(
        f"{style}/effect/4", INFO, "a root device repeats nothing, or a zero", style, holds=answered(style, root)
    )
    rules.trigger(
        f"{make}/effect/1",
        make,
        "a scheme's name is followed by its value",
        f"{make}/success",
        holds=requested(CORE, lambda _asked, request, _device: bool(request.values)),
    )
    rules.trigger(
        f"{make}/effect/3",
        make,
        "one scheme at a time",
        f"{make}/CL_INVALID_VALUE/1",
        holds=lambda asked: (
            bool(read_request(asked.call.properties, CORE, asked.model).rest) and subject(asked) is not None
        ),
    )
    rules.trigger(
        f"{make}/effect/9",
        "clCreateCommandQueue",
        "a sub-device can be used as its parent can",
        "clCreateCommandQueue/success",
        holds=lambda asked: asked.code == "CL_SUCCESS" and on_part(asked, CORE),
    )
    for function, number in (("clRetainDevice", 2), ("clReleaseDevice", 2)):
        rules.trigger(
            f"{function}/effect/{number}",
            INFO,
            "a root device's count stays as it is",
            "CL_DEVICE_REFERENCE_COUNT",
            holds=answered(
                "CL_DEVICE_REFERENCE_COUNT",
                lambda device, retains=function == "clRetainDevice": (
                    root(device)  # type: ignore[misc]
                    and bool(device.retained if retains else device.released)
                ),
            ),
        )
    rules.untestable(
        f"{make}/effect/10",
        "commands run on the sub-device only",
        "the host cannot see which compute units ran a command",
    )
    rules.untestable(
        "clReleaseDevice/effect/3",
        "a device goes with its last reference and the last object that uses it, and not before",
        "using a device that may be gone is undefined; only a handle that comes back too early can show it",
    )
