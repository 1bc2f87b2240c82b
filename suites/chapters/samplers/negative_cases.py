"""Creation of samplers (section 5.7): invalid and valid modes, property lists and contexts."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.samplers import ADDRESSING, ADDRESSING_MODES, COORDINATES, FILTER, FILTER_MODES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.errors.negative_cases import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

IMAGES = "CL_DEVICE_IMAGE_SUPPORT"
MIN_LEVEL, MAX_LEVEL, MIP_FILTER = (f"CL_SAMPLER_{name}_KHR" for name in ("LOD_MIN", "LOD_MAX", "MIP_FILTER_MODE"))
UNKNOWN_MODES = (0, 1, 0x7777, (1 << 32) - 1)
"""Numbers that do not denote addressing modes, filter modes or booleans."""
INVALID_BOOLEANS = (2, (1 << 32) - 1)
ONE = 0x3F800000
"""The bits of the single-precision number 1.0."""
variations = VariationRegistry()


def _with_modes(**names: str | int) -> Difference:
    """Return the argument changes that set these modes; names are replaced by their values."""
    return lambda kit, _given: {mode: _get_value(kit, name) for mode, name in names.items()}


def _get_value(kit: Kit, name: str | int) -> int:
    return kit.constant(name) if isinstance(name, str) else name


def _with_properties(*elements: str | int) -> Difference:
    """Return the argument changes that pass these properties; names are replaced by their values."""
    return lambda kit, _given: {"sampler_properties": kit.property_list(*elements)}


def _adjacent_values(name: str) -> tuple[int, ...]:
    """Return the values immediately below and above the modes of a mode type."""
    return (0x112F, 0x1135) if name == ADDRESSING else (0x113F, 0x1142)


# modes


@variations.declare("clCreateSampler/CL_INVALID_VALUE/1")
def invalid_modes() -> Iterator[Variation]:
    """Yield unknown modes, modes of another type, invalid booleans, and repeat modes with unnormalized coordinates."""
    for parameter, name, other in (
        ("addressing_mode", ADDRESSING, FILTER_MODES),
        ("filter_mode", FILTER, ADDRESSING_MODES),
    ):
        for number in (*UNKNOWN_MODES, *_adjacent_values(name)):
            yield Variation(f"{parameter}={number:#x}", {parameter: number})
        for mode in other:
            yield Variation(f"{parameter}={mode}", _with_modes(**{parameter: mode}))
    yield Variation("addressing_mode=0, filter_mode=0", {"addressing_mode": 0, "filter_mode": 0})
    for number in INVALID_BOOLEANS:
        yield Variation(f"normalized_coords={number:#x}", {"normalized_coords": number})
    for mode, filtering in itertools.product(ADDRESSING_MODES[-2:], FILTER_MODES):
        words = f"{mode}, {filtering}, not normalized"
        yield Variation(words, _with_modes(normalized_coords=0, addressing_mode=mode, filter_mode=filtering))


@variations.declare("clCreateSampler/success")
def valid_modes() -> Iterator[Variation]:
    """Yield every addressing mode with every filter mode, with normalized and unnormalized coordinates."""
    for words, coordinates, mode, filtering in _valid_modes():
        yield Variation(words, _with_modes(normalized_coords=coordinates, addressing_mode=mode, filter_mode=filtering))


def _valid_modes() -> Iterator[tuple[str, int, str, str]]:
    """Yield valid combinations of modes, with a description; repeat modes require normalized coordinates."""
    for coordinates, modes, words in (
        (1, ADDRESSING_MODES, "normalized"),
        (0, ADDRESSING_MODES[:-2], "not normalized"),
    ):
        for mode, filtering in itertools.product(modes, FILTER_MODES):
            yield f"{mode}, {filtering}, {words}", coordinates, mode, filtering


# lists of properties


@variations.declare("clCreateSamplerWithProperties/CL_INVALID_VALUE/1")
def invalid_lists() -> Iterator[Variation]:
    """Yield lists with unknown or repeated names, invalid values, and combinations of unspecified validity."""
    for number in (1, 0x7777, (1 << 31) - 1):
        yield Variation(f"name {number:#x}", _with_properties(number, 1))
    for name in ("CL_SAMPLER_REFERENCE_COUNT", "CL_SAMPLER_CONTEXT", "CL_CONTEXT_PLATFORM", "CL_QUEUE_SIZE"):
        yield Variation(f"the name {name}", _with_properties(name, 1))
    yield Variation("an unknown name after a valid one", _with_properties(COORDINATES, 1, 0x7777, 1))
    for name, values, other in (
        (ADDRESSING, ADDRESSING_MODES, FILTER_MODES),
        (FILTER, FILTER_MODES, ADDRESSING_MODES),
    ):
        for number in (*UNKNOWN_MODES, *_adjacent_values(name), (1 << 63) - 1):
            yield Variation(f"{name}={number:#x}", _with_properties(name, number))
        for value in other:
            yield Variation(f"{name}={value}", _with_properties(name, value))
        yield Variation(f"{name} twice, same value", _with_properties(name, values[0], name, values[0]))
        yield Variation(f"{name} twice, different values", _with_properties(name, values[0], name, values[1]))
        yield Variation(f"{name}={values[1]} above 32 bits", bind_values(_with_bit_outside_type, name, values[1]))
    yield Variation("CL_SAMPLER_NORMALIZED_COORDS twice, same value", _with_properties(COORDINATES, 1, COORDINATES, 1))
    yield Variation(
        "CL_SAMPLER_NORMALIZED_COORDS twice, different values", _with_properties(COORDINATES, 1, COORDINATES, 0)
    )
    apart = (COORDINATES, 1, FILTER, FILTER_MODES[0], COORDINATES, 1)
    yield Variation("CL_SAMPLER_NORMALIZED_COORDS twice, another property between", _with_properties(*apart))
    yield Variation("an unknown mode after a valid one", _with_properties(FILTER, FILTER_MODES[0], ADDRESSING, 0))
    for odd in (*INVALID_BOOLEANS, 1 << 32):
        yield Variation(f"coordinates={odd:#x}", _with_properties(COORDINATES, odd))
    for mode in ADDRESSING_MODES[-2:]:
        yield Variation(f"{mode}, not normalized", _with_properties(COORDINATES, 0, ADDRESSING, mode))
    for number in (0, 0x7777):
        yield Variation(f"between levels {number:#x}", _with_properties(MIP_FILTER, number))
    yield Variation(f"between levels {ADDRESSING_MODES[0]}", _with_properties(MIP_FILTER, ADDRESSING_MODES[0]))
    yield Variation("between levels twice", _with_properties(*(MIP_FILTER, FILTER_MODES[0]) * 2))
    yield Variation("the least level twice", _with_properties(MIN_LEVEL, 0, MIN_LEVEL, 0))


def _with_bit_outside_type(kit: Kit, _given: Arguments, name: str, mode: str) -> Mapping[str, Value]:
    """Return a property list with a mode that has a bit outside the 32 bits of its type."""
    return {"sampler_properties": kit.property_list(name, kit.constant(mode) | 1 << 32)}


@variations.declare("clCreateSamplerWithProperties/success")
def valid_lists() -> Iterator[Variation]:
    """Yield empty lists, single properties, all properties in both orders, and properties for mip levels."""
    yield Variation("an empty property list", _with_properties())
    yield Variation("elements after the terminator", _with_properties(COORDINATES, 0, 0, 0x7777, 1))
    for coordinates in (0, 1):
        yield Variation(f"coordinates={coordinates} alone", _with_properties(COORDINATES, coordinates))
    for name, modes in ((ADDRESSING, ADDRESSING_MODES), (FILTER, FILTER_MODES)):
        for mode in modes:
            yield Variation(f"{mode} alone", _with_properties(name, mode))
    for words, coordinates, mode, filtering in _valid_modes():
        yield Variation(words, _with_properties(COORDINATES, coordinates, ADDRESSING, mode, FILTER, filtering))
        yield Variation(
            f"{words}, in reverse order",
            _with_properties(FILTER, filtering, ADDRESSING, mode, COORDINATES, coordinates),
        )
    for mode in FILTER_MODES:
        yield Variation(f"{mode} between levels", _with_properties(MIP_FILTER, mode))
    for name in (MIN_LEVEL, MAX_LEVEL):
        for number in (0, ONE):
            yield Variation(f"{name}={number:#x}", _with_properties(name, number))
    yield Variation("all of levels", _with_properties(MIP_FILTER, FILTER_MODES[1], MIN_LEVEL, 0, MAX_LEVEL, ONE))


# contexts


@variations.declare("clCreateSampler/CL_INVALID_OPERATION/1", "clCreateSamplerWithProperties/CL_INVALID_OPERATION/1")
def contexts_without_images() -> Iterator[Variation]:
    """Yield a context of a device without images, and a context of a device type without images."""
    yield Variation("a device without images", _in_context_without_images)
    yield Variation("devices of a type without images", _in_context_of_type_without_images)


@variations.declare("clCreateSampler/success", "clCreateSamplerWithProperties/success")
def contexts_with_images() -> Iterator[Variation]:
    """Yield contexts of the device's type, and of two devices, one or both of which support images."""
    yield Variation("in a context created by device type", _in_context_of_type)
    yield Variation("in a context of two devices", _in_context_of_two_devices)
    yield Variation("in a context of two devices, one without images", _in_context_of_unequal_devices)


def _find_device_without_images(kit: Kit) -> Handle:
    """Return an available device without images; skip where there is none."""
    usable = [device for device in kit.cl.devices if kit.cl.fact("CL_DEVICE_AVAILABLE", device)]
    lacking = [device for device in usable if kit.cl.fact(IMAGES, device) == 0]
    skip_unless(lacking, "every device supports images")
    return kit.cl.device if kit.cl.device in lacking else lacking[0]


def _in_context_without_images(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(_find_device_without_images(kit))}


def _in_context_of_type_without_images(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    device = _find_device_without_images(kit)
    return _in_context_of_type(kit, given, device)


def _in_context_of_type(kit: Kit, _given: Arguments, device: Handle | None = None) -> Mapping[str, Value]:
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE", device) or 0)}


def _in_context_of_two_devices(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(kit.cl.device, kit.other_available_device)}


def _in_context_of_unequal_devices(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    skip_unless(kit.cl.fact(IMAGES), "the device does not support images")
    return {"context": kit.new_context(_find_device_without_images(kit), kit.cl.device)}
