"""Sub-group queries of cl_khr_subgroups (section 5.9.4): variations of the valid call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data
from clconform.suites.chapters.kernels.making import built_for, two_devices
from clconform.suites.chapters.kernels.valid_calls_of_sub_groups import ASK, LOCAL, SIZE, WORD
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.errors.variations import Variation, Variations
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

NOTHING = 0x7FFF0000
"""A number that is not a query."""
MOST = "CL_DEVICE_MAX_NUM_SUB_GROUPS"
variations = Variations()


@variations.of(f"{ASK}/success")
def other_questions() -> Iterator[Variation]:
    """Yield the maximum sub-group size, a three-dimensional local size, and NULL as a kernel's only device."""
    yield Variation("their size", lambda kit, _given: {"param_name": kit.value(SIZE)})
    three = WORD.pack(4) + WORD.pack(2) + WORD.pack(2)
    yield Variation("three dimensions", {"input_value_size": len(three), "input_value": Data(three)})
    yield Variation("in_device=NULL", {"in_device": None})
    yield Variation("only the size of the answer", {"param_value_size": 0, "param_value": None})


@variations.of("clGetKernelSubGroupInfoKHR/CL_INVALID_DEVICE/1")
def devices_without_the_kernel() -> Iterator[Variation]:
    """Yield a sub-device outside the kernel's context, and NULL for a kernel of two devices."""
    yield Variation("a sub-device", _on_a_part)
    yield Variation("in_device=NULL for two devices", _of_two)


def _on_a_part(kit: Kit, _given: Arguments) -> dict[str, Value]:
    device = part(kit.cl, CORE_ENTRY)
    kit.cl.query("clGetDeviceInfo", device, MOST)
    return {"in_device": device}


def _of_two(kit: Kit, _given: Arguments) -> dict[str, Value]:
    devices = two_devices(kit)
    program = kit.within(kit.new_context(*devices)).program("add_index")
    for device in devices:
        kit.cl.query("clGetDeviceInfo", device, MOST)
        built_for(kit, program, device)
    return {"in_kernel": kit.kernel("add_index", program), "in_device": None}


@variations.of("clGetKernelSubGroupInfoKHR/CL_INVALID_OPERATION/1")
def devices_without_sub_groups() -> Iterator[Variation]:
    """Yield the valid call, where the device does not support sub-groups."""
    yield Variation("a device without sub-groups", _as_it_is)


def _as_it_is(kit: Kit, _given: Arguments) -> dict[str, Value]:
    needs(kit.cl.fact(MOST) == 0, "the device supports sub-groups")
    return {}


@variations.of("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/1")
def unsuitable_questions() -> Iterator[Variation]:
    """Yield an unknown name, and an output size that is one byte too small."""
    yield Variation("a name of nothing", {"param_name": NOTHING})
    yield Variation("param_value_size a byte too small", {"param_value_size": WORD.size - 1})


@variations.of("clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/2")
def unsuitable_inputs() -> Iterator[Variation]:
    """Yield an empty input, and an input that is one byte too short."""
    yield Variation("input_value=NULL", {"input_value_size": 0, "input_value": None})
    short = LOCAL[:-1]
    yield Variation("an input that is a byte too short", {"input_value_size": len(short), "input_value": Data(short)})
