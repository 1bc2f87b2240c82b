"""Coverage points for the requirements of cl_ext_device_fission on functions and queries of the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.partition.coverage_kinds import (
    INFO,
    in_ancestors_context,
    is_created_by_next_domain,
    is_empty_value,
    is_root,
    queries_device,
    requests_partition,
    style_query,
    uses_sub_device,
)
from clconform.oracles.chapters.partition.schemes import EXT, PartitionRequest, compute_sub_devices
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.devices import Device
    from clconform.spec_tables import Tables

rules = Rules()


@rules.completion
def _declare_own_functions(rules: Rules, _tables: Tables) -> None:
    make, success = EXT.function, f"{EXT.function}/success"
    names, styles, domains = EXT.by_names, style_query("_EXT"), EXT.supported_domains

    def made(requirement: str, words: str, when: Callable[[CompletedCall, PartitionRequest, Device], bool]) -> None:
        rules.coverage_point(requirement, make, words, success, names, holds=requests_partition(EXT, when))

    rules.coverage_point(
        f"{make}/effect/2",
        "clCreateCommandQueue",
        "A sub-device can be used like a root device; for example, a command-queue can be created for it.",
        "clCreateCommandQueue/success",
        holds=lambda asked: asked.code == "CL_SUCCESS" and uses_sub_device(asked, EXT),
    )
    rules.coverage_point(
        f"{make}/effect/3",
        "clCreateCommandQueue",
        "A command-queue can be created for a sub-device in every context that contains an ancestor of the sub-device.",
        "clCreateCommandQueue/success",
        "clCreateCommandQueue/CL_INVALID_DEVICE/1",
        holds=in_ancestors_context,
    )
    rules.untestable(
        f"{make}/effect/4",
        "Commands in the queue of a sub-device are executed only on that sub-device.",
        "the host cannot observe which compute units execute a command",
    )
    rules.untestable(
        f"{make}/effect/11",
        "properties contains only one partition style.",
        "the document does not define an error for several styles, so every outcome is allowed",
    )
    rules.untestable(
        "clReleaseDeviceEXT/effect/2",
        "A sub-device is destroyed when its reference count reaches 0.",
        "using a device that may have been destroyed is undefined behaviour",
    )
    made(
        f"{make}/effect/7",
        "out_devices receives at most num_entries sub-devices.",
        lambda asked, request, device: (
            isinstance(asked.call.out_devices, OutputBuffer)
            and asked.call.num_entries < len(compute_sub_devices(device, request, EXT, asked.model))
        ),
    )
    made(
        f"{names}/effect/1",
        "CL_PARTITION_BY_NAMES_LIST_END_EXT ends the list of compute unit names in properties.",
        lambda _asked, request, _device: request.scheme == names,
    )
    made(
        f"{names}/effect/2",
        "The names of compute units are consecutive numbers from 0.",
        lambda _asked, request, _device: request.scheme == names and 0 in request.values,
    )
    made(
        f"{names}/effect/3",
        "A partition by names creates a single sub-device.",
        lambda _asked, request, _device: request.scheme == names,
    )
    made(
        f"{names}/effect/4",
        "The names 0, 1 and 3 create a sub-device with 3 compute units, as in the example of the document.",
        lambda _asked, request, _device: request.scheme == names and request.values == (0, 1, 3),
    )
    types = EXT.supported
    rules.coverage_point(
        f"{types}/effect/3",
        INFO,
        "CL_DEVICE_PARTITION_TYPES_EXT contains at least one partition style.",
        types,
        holds=queries_device(types, lambda _device: True),
    )
    rules.untestable(f"{types}/effect/4", "A listed partition style need not work in every case.", PERMISSION)
    rules.coverage_point(
        f"{domains}/effect/2",
        INFO,
        "CL_DEVICE_AFFINITY_DOMAINS_EXT contains only affinity domains that the document defines.",
        domains,
        holds=queries_device(domains, lambda _device: True),
    )
    rules.coverage_point(
        f"{domains}/effect/3",
        INFO,
        "CL_DEVICE_AFFINITY_DOMAINS_EXT is empty if the device does not support any affinity domain.",
        domains,
        holds=queries_device(domains, lambda _device: True, is_empty_value),
    )
    rules.coverage_point(
        f"{styles}/effect/2",
        INFO,
        "For a root device, CL_DEVICE_PARTITION_STYLE_EXT is only CL_PROPERTIES_LIST_END_EXT.",
        styles,
        holds=queries_device(styles, is_root),
    )
    rules.coverage_point(
        f"{styles}/effect/3",
        INFO,
        "CL_DEVICE_PARTITION_STYLE_EXT has the actual domain, not CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT.",
        styles,
        holds=queries_device(styles, is_created_by_next_domain(EXT)),
    )
    rules.coverage_point(
        f"{styles}/effect/4",
        INFO,
        "For CL_DEVICE_PARTITION_STYLE_EXT, param_value_size_ret is the size in bytes of the whole list.",
        "clGetDeviceInfo/success",
        holds=queries_device(styles, lambda _device: True),
    )
