"""Creation of samplers (section 5.7): invalid and valid modes, property lists and contexts."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.samplers import ADDRESSING, ADDRESSING_MODES, COORDINATES, FILTER, FILTER_MODES
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Handle, Value
    from clconform.suites.errors.variations import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

IMAGES = "CL_DEVICE_IMAGE_SUPPORT"
LEAST_LEVEL, MOST_LEVEL, BETWEEN_LEVELS = (
    f"CL_SAMPLER_{name}_KHR" for name in ("LOD_MIN", "LOD_MAX", "MIP_FILTER_MODE")
)
NO_MODES = (0, 1, 0x7777, (1 << 32) - 1)
"""Numbers that are not modes of any type."""
ODD_BOOLEANS = (2, (1 << 32) - 1)
ONE = 0x3F800000
"""The bits of 1.0 in single precision."""
variations = Variations()


def _modes(**names: str | int) -> Difference:
    """Return the difference that sets these modes; names are replaced by their values."""
    return lambda kit, _given: {mode: _number(kit, name) for mode, name in names.items()}


def _number(kit: Kit, name: str | int) -> int:
    return kit.value(name) if isinstance(name, str) else name


def _listed(*elements: str | int) -> Difference:
    """Return the difference that lists these properties; names are replaced by their values."""
    return lambda kit, _given: {"sampler_properties": kit.listed(*elements)}


def _beside(name: str) -> tuple[int, ...]:
    """Return values next to the modes of a type."""
    return (0x112F, 0x1135) if name == ADDRESSING else (0x113F, 0x1142)


# modes


@variations.of("clCreateSampler/CL_INVALID_VALUE/1")
def invalid_modes() -> Iterator[Variation]:
    """Yield unknown modes, modes of another type, invalid booleans, and repeat modes with unnormalized coordinates."""
    for parameter, name, other in (
        ("addressing_mode", ADDRESSING, FILTER_MODES),
        ("filter_mode", FILTER, ADDRESSING_MODES),
    ):
        for number in (*NO_MODES, *_beside(name)):
            yield Variation(f"{parameter}={number:#x}", {parameter: number})
        for mode in other:
            yield Variation(f"{parameter}={mode}", _modes(**{parameter: mode}))
    yield Variation("addressing_mode=0, filter_mode=0", {"addressing_mode": 0, "filter_mode": 0})
    for number in ODD_BOOLEANS:
        yield Variation(f"normalized_coords={number:#x}", {"normalized_coords": number})
    for mode, filtering in itertools.product(ADDRESSING_MODES[-2:], FILTER_MODES):
        words = f"{mode}, {filtering}, not normalized"
        yield Variation(words, _modes(normalized_coords=0, addressing_mode=mode, filter_mode=filtering))


@variations.of("clCreateSampler/success")
def valid_modes() -> Iterator[Variation]:
    """Yield every addressing mode with every filter mode, with normalized and unnormalized coordinates."""
    for words, coordinates, mode, filtering in _valid_modes():
        yield Variation(words, _modes(normalized_coords=coordinates, addressing_mode=mode, filter_mode=filtering))


def _valid_modes() -> Iterator[tuple[str, int, str, str]]:
    """Yield valid combinations of modes; repeat modes require normalized coordinates."""
    for coordinates, modes, words in (
        (1, ADDRESSING_MODES, "normalized"),
        (0, ADDRESSING_MODES[:-2], "not normalized"),
    ):
        for mode, filtering in itertools.product(modes, FILTER_MODES):
            yield f"{mode}, {filtering}, {words}", coordinates, mode, filtering


# lists of properties


@variations.of("clCreateSamplerWithProperties/CL_INVALID_VALUE/1")
def invalid_lists() -> Iterator[Variation]:
    """Yield unknown names, repeated names, invalid values, and some unspecified combinations."""
    for number in (1, 0x7777, (1 << 31) - 1):
        yield Variation(f"name {number:#x}", _listed(number, 1))
    for name in ("CL_SAMPLER_REFERENCE_COUNT", "CL_SAMPLER_CONTEXT", "CL_CONTEXT_PLATFORM", "CL_QUEUE_SIZE"):
        yield Variation(f"the name {name}", _listed(name, 1))
    yield Variation("an unknown name after a valid one", _listed(COORDINATES, 1, 0x7777, 1))
    for name, values, other in (
        (ADDRESSING, ADDRESSING_MODES, FILTER_MODES),
        (FILTER, FILTER_MODES, ADDRESSING_MODES),
    ):
        for number in (*NO_MODES, *_beside(name), (1 << 63) - 1):
            yield Variation(f"{name}={number:#x}", _listed(name, number))
        for value in other:
            yield Variation(f"{name}={value}", _listed(name, value))
        yield Variation(f"{name} twice, same value", _listed(name, values[0], name, values[0]))
        yield Variation(f"{name} twice, different values", _listed(name, values[0], name, values[1]))
        yield Variation(f"{name}={values[1]} above 32 bits", bound(_above, name, values[1]))
    yield Variation("CL_SAMPLER_NORMALIZED_COORDS twice, same value", _listed(COORDINATES, 1, COORDINATES, 1))
    yield Variation("CL_SAMPLER_NORMALIZED_COORDS twice, different values", _listed(COORDINATES, 1, COORDINATES, 0))
    apart = (COORDINATES, 1, FILTER, FILTER_MODES[0], COORDINATES, 1)
    yield Variation("CL_SAMPLER_NORMALIZED_COORDS twice, another property between", _listed(*apart))
    yield Variation("an unknown mode after a valid one", _listed(FILTER, FILTER_MODES[0], ADDRESSING, 0))
    for odd in (*ODD_BOOLEANS, 1 << 32):
        yield Variation(f"coordinates={odd:#x}", _listed(COORDINATES, odd))
    for mode in ADDRESSING_MODES[-2:]:
        yield Variation(f"{mode}, not normalized", _listed(COORDINATES, 0, ADDRESSING, mode))
    for number in (0, 0x7777):
        yield Variation(f"between levels {number:#x}", _listed(BETWEEN_LEVELS, number))
    yield Variation(f"between levels {ADDRESSING_MODES[0]}", _listed(BETWEEN_LEVELS, ADDRESSING_MODES[0]))
    yield Variation("between levels twice", _listed(*(BETWEEN_LEVELS, FILTER_MODES[0]) * 2))
    yield Variation("the least level twice", _listed(LEAST_LEVEL, 0, LEAST_LEVEL, 0))


def _above(kit: Kit, _given: Arguments, name: str, mode: str) -> Mapping[str, Value]:
    """Return a mode with a bit outside its type."""
    return {"sampler_properties": kit.listed(name, kit.value(mode) | 1 << 32)}


@variations.of("clCreateSamplerWithProperties/success")
def valid_lists() -> Iterator[Variation]:
    """Yield empty lists, single properties, all properties in both orders, and properties of mip levels."""
    yield Variation("an empty property list", _listed())
    yield Variation("elements after the terminator", _listed(COORDINATES, 0, 0, 0x7777, 1))
    for coordinates in (0, 1):
        yield Variation(f"coordinates={coordinates} alone", _listed(COORDINATES, coordinates))
    for name, modes in ((ADDRESSING, ADDRESSING_MODES), (FILTER, FILTER_MODES)):
        for mode in modes:
            yield Variation(f"{mode} alone", _listed(name, mode))
    for words, coordinates, mode, filtering in _valid_modes():
        yield Variation(words, _listed(COORDINATES, coordinates, ADDRESSING, mode, FILTER, filtering))
        yield Variation(
            f"{words}, in reverse order", _listed(FILTER, filtering, ADDRESSING, mode, COORDINATES, coordinates)
        )
    for mode in FILTER_MODES:
        yield Variation(f"{mode} between levels", _listed(BETWEEN_LEVELS, mode))
    for name in (LEAST_LEVEL, MOST_LEVEL):
        for number in (0, ONE):
            yield Variation(f"{name}={number:#x}", _listed(name, number))
    yield Variation("all of levels", _listed(BETWEEN_LEVELS, FILTER_MODES[1], LEAST_LEVEL, 0, MOST_LEVEL, ONE))


# contexts


@variations.of("clCreateSampler/CL_INVALID_OPERATION/1", "clCreateSamplerWithProperties/CL_INVALID_OPERATION/1")
def contexts_without_images() -> Iterator[Variation]:
    """Yield a context of a device without images, and a context of a device type without images."""
    yield Variation("a device without images", _without_images)
    yield Variation("devices of a type without images", _of_a_type_without_images)


@variations.of("clCreateSampler/success", "clCreateSamplerWithProperties/success")
def contexts_with_images() -> Iterator[Variation]:
    """Yield contexts of the device's type, and of two devices, one or both of which support images."""
    yield Variation("in a context created by device type", _of_its_type)
    yield Variation("in a context of two devices", _of_two)
    yield Variation("in a context of two devices, one without images", _of_unlike)


def _lacking(kit: Kit) -> Handle:
    """Return an available device without images; skip where there is none."""
    usable = [device for device in kit.cl.devices if kit.cl.fact("CL_DEVICE_AVAILABLE", device)]
    lacking = [device for device in usable if kit.cl.fact(IMAGES, device) == 0]
    needs(lacking, "every device supports images")
    return kit.cl.device if kit.cl.device in lacking else lacking[0]


def _without_images(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(_lacking(kit))}


def _of_a_type_without_images(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    device = _lacking(kit)
    return _of_its_type(kit, given, device)


def _of_its_type(kit: Kit, _given: Arguments, device: Handle | None = None) -> Mapping[str, Value]:
    return {"context": kit.context_of_type(kit.cl.fact("CL_DEVICE_TYPE", device) or 0)}


def _of_two(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    return {"context": kit.new_context(kit.cl.device, kit.another_device)}


def _of_unlike(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    needs(kit.cl.fact(IMAGES), "the device does not support images")
    return {"context": kit.new_context(_lacking(kit), kit.cl.device)}
