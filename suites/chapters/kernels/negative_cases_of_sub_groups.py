"""Sub-group queries of cl_khr_subgroups (section 5.9.4): variations of the valid call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.machine_words import pack_words
from clconform.calls.values import Data
from clconform.suites.chapters.kernels.argument_cases import build_for_device, get_two_devices
from clconform.suites.chapters.kernels.valid_calls_of_sub_groups import SIZE
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

UNKNOWN_QUERY = 0x7FFF0000
"""A number that is not a query."""
MAX_SUB_GROUPS = "CL_DEVICE_MAX_NUM_SUB_GROUPS"
variations = VariationRegistry()


@variations.declare("clGetKernelSubGroupInfoKHR/success")
def valid_queries() -> Iterator[Variation]:
    """Yield a query of another name, a local size of three dimensions, and NULL as the kernel's only device.

    Another query requests only the size of the result.
    """
    yield Variation("their size", lambda kit, _given: {"param_name": kit.constant(SIZE)})
    yield Variation("three dimensions", bind_values(_with_local_size, (4, 2, 2)))
    yield Variation("in_device=NULL", {"in_device": None})
    yield Variation("only the size of the answer", {"param_value_size": 0, "param_value": None})


@variations.declare("clGetKernelSubGroupInfoKHR/CL_INVALID_DEVICE/1")
def devices_without_the_kernel() -> Iterator[Variation]:
    """Yield a sub-device outside the kernel's context, and NULL for a kernel with two devices."""
    yield Variation("a sub-device", _with_sub_device)
    yield Variation("in_device=NULL for two devices", _with_kernel_of_two_devices)


def _with_sub_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    device = create_sub_device(kit.cl, CORE_ENTRY)
    kit.cl.query("clGetDeviceInfo", device, MAX_SUB_GROUPS)
    return {"in_device": device}


def _with_kernel_of_two_devices(kit: Kit, _given: Arguments) -> dict[str, Value]:
    devices = get_two_devices(kit)
    program = kit.for_context(kit.new_context(*devices)).program("add_index")
    for device in devices:
        kit.cl.query("clGetDeviceInfo", device, MAX_SUB_GROUPS)
        build_for_device(kit, program, device)
    return {"in_kernel": kit.kernel("add_index", program), "in_device": None}


@variations.declare("clGetKernelSubGroupInfoKHR/CL_INVALID_OPERATION/1")
def devices_without_sub_groups() -> Iterator[Variation]:
    """Yield the valid call, for a device that does not support sub-groups."""
    yield Variation("a device without sub-groups", _unchanged)


def _unchanged(kit: Kit, _given: Arguments) -> dict[str, Value]:
    skip_unless(kit.cl.fact(MAX_SUB_GROUPS) == 0, "the device supports sub-groups")
    return {}


@variations.declare("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/1")
def invalid_queries() -> Iterator[Variation]:
    """Yield a query with an unknown name, and a query with an output that is one byte too small."""
    yield Variation("a name of nothing", {"param_name": UNKNOWN_QUERY})
    yield Variation(
        "param_value_size a byte too small", lambda kit, _given: {"param_value_size": kit.pointer_bytes - 1}
    )


@variations.declare("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/2")
def invalid_inputs() -> Iterator[Variation]:
    """Yield NULL as the input, and an input that is one byte too short."""
    yield Variation("input_value=NULL", {"input_value_size": 0, "input_value": None})
    yield Variation("an input that is a byte too short", bind_values(_with_local_size, (16,), 1))


def _with_local_size(kit: Kit, _given: Arguments, sizes: tuple[int, ...], less: int = 0) -> dict[str, Value]:
    """Return a local size as the input, without the last ``less`` bytes."""
    content = pack_words(sizes, kit.pointer_bytes)
    content = content[: len(content) - less]
    return {"input_value_size": len(content), "input_value": Data(content)}
