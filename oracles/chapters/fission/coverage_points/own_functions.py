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
    uses_sub_device,
)
from clconform.oracles.chapters.partition.schemes import EXT, compute_sub_devices
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device

rules = Rules()


MAKE, NAMES = "clCreateSubDevicesEXT", "CL_DEVICE_PARTITION_BY_NAMES_EXT"
TYPES, DOMAINS = "CL_DEVICE_PARTITION_TYPES_EXT", "CL_DEVICE_AFFINITY_DOMAINS_EXT"
STYLES = "CL_DEVICE_PARTITION_STYLE_EXT"


def _is_any(_device: Device) -> bool:
    return True


rules.coverage_point(
    "clCreateSubDevicesEXT/effect/2",
    "clCreateCommandQueue",
    "A sub-device can be used like a root device; for example, a command-queue can be created for it.",
    "clCreateCommandQueue/success",
    holds=lambda asked: asked.code == "CL_SUCCESS" and uses_sub_device(asked, EXT),
)
rules.coverage_point(
    "clCreateSubDevicesEXT/effect/3",
    "clCreateCommandQueue",
    "A command-queue can be created for a sub-device in every context that contains an ancestor of the sub-device.",
    "clCreateCommandQueue/success",
    "clCreateCommandQueue/CL_INVALID_DEVICE/1",
    holds=in_ancestors_context,
)
for _requirement, _words, _when in (
    (
        "clCreateSubDevicesEXT/effect/7",
        "out_devices receives at most num_entries sub-devices.",
        lambda asked, request, device: (
            isinstance(asked.call.out_devices, OutputBuffer)
            and asked.call.num_entries < len(compute_sub_devices(device, request, EXT, asked.model))
        ),
    ),
    (
        "CL_DEVICE_PARTITION_BY_NAMES_EXT/effect/1",
        "CL_PARTITION_BY_NAMES_LIST_END_EXT ends the list of compute unit names in properties.",
        lambda _asked, request, _device: request.scheme == NAMES,
    ),
    (
        "CL_DEVICE_PARTITION_BY_NAMES_EXT/effect/2",
        "The names of compute units are consecutive numbers from 0.",
        lambda _asked, request, _device: request.scheme == NAMES and 0 in request.values,
    ),
    (
        "CL_DEVICE_PARTITION_BY_NAMES_EXT/effect/3",
        "A partition by names creates a single sub-device.",
        lambda _asked, request, _device: request.scheme == NAMES,
    ),
    (
        "CL_DEVICE_PARTITION_BY_NAMES_EXT/effect/4",
        "The names 0, 1 and 3 create a sub-device with 3 compute units, as in the example of the document.",
        lambda _asked, request, _device: request.scheme == NAMES and request.values == (0, 1, 3),
    ),
):
    rules.coverage_point(
        _requirement, MAKE, _words, "clCreateSubDevicesEXT/success", NAMES, holds=requests_partition(EXT, _when)
    )
for _requirement, _words, _parent, _holds in (
    (
        "CL_DEVICE_PARTITION_TYPES_EXT/effect/3",
        "CL_DEVICE_PARTITION_TYPES_EXT contains at least one partition style.",
        TYPES,
        queries_device(TYPES, _is_any),
    ),
    (
        "CL_DEVICE_AFFINITY_DOMAINS_EXT/effect/2",
        "CL_DEVICE_AFFINITY_DOMAINS_EXT contains only affinity domains that the document defines.",
        DOMAINS,
        queries_device(DOMAINS, _is_any),
    ),
    (
        "CL_DEVICE_AFFINITY_DOMAINS_EXT/effect/3",
        "CL_DEVICE_AFFINITY_DOMAINS_EXT is empty if the device does not support any affinity domain.",
        DOMAINS,
        queries_device(DOMAINS, _is_any, is_empty_value),
    ),
    (
        "CL_DEVICE_PARTITION_STYLE_EXT/effect/2",
        "For a root device, CL_DEVICE_PARTITION_STYLE_EXT is only CL_PROPERTIES_LIST_END_EXT.",
        STYLES,
        queries_device(STYLES, is_root),
    ),
    (
        "CL_DEVICE_PARTITION_STYLE_EXT/effect/3",
        "CL_DEVICE_PARTITION_STYLE_EXT has the actual domain, not CL_AFFINITY_DOMAIN_NEXT_FISSIONABLE_EXT.",
        STYLES,
        queries_device(STYLES, is_created_by_next_domain(EXT)),
    ),
    (
        "CL_DEVICE_PARTITION_STYLE_EXT/effect/4",
        "For CL_DEVICE_PARTITION_STYLE_EXT, param_value_size_ret is the size in bytes of the whole list.",
        "clGetDeviceInfo/success",
        queries_device(STYLES, _is_any),
    ),
):
    rules.coverage_point(_requirement, INFO, _words, _parent, holds=_holds)
for _requirement, _words, _reason in (
    (
        "clCreateSubDevicesEXT/effect/4",
        "Commands in the queue of a sub-device are executed only on that sub-device.",
        "the host cannot observe which compute units execute a command",
    ),
    (
        "clCreateSubDevicesEXT/effect/11",
        "properties contains only one partition style.",
        "the document does not define an error for several styles, so every outcome is allowed",
    ),
    (
        "clReleaseDeviceEXT/effect/2",
        "A sub-device is destroyed when its reference count reaches 0.",
        "using a device that may have been destroyed is undefined behaviour",
    ),
    ("CL_DEVICE_PARTITION_TYPES_EXT/effect/4", "A listed partition style need not work in every case.", PERMISSION),
):
    rules.untestable(_requirement, _words, _reason)
