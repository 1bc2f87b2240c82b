"""Property lists of queues (section 5.1): invalid and valid names, bits, sizes and hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.chapters.queues.negative_cases import UNKNOWN_BITS
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.queues import (
    DEFAULT,
    MAX_DEVICE_QUEUE_SIZE,
    ON_DEVICE,
    OUT_OF_ORDER,
    PROFILING,
    QUEUE_PROPERTIES,
    QUEUE_SIZE,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.negative_cases import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

PRIORITIES = ("CL_QUEUE_PRIORITY_HIGH_KHR", "CL_QUEUE_PRIORITY_MED_KHR", "CL_QUEUE_PRIORITY_LOW_KHR")
THROTTLES = ("CL_QUEUE_THROTTLE_HIGH_KHR", "CL_QUEUE_THROTTLE_MED_KHR", "CL_QUEUE_THROTTLE_LOW_KHR")
OUT_OF_ORDER_ON_DEVICE = (QUEUE_PROPERTIES, f"{ON_DEVICE}+{OUT_OF_ORDER}")
"""The property list elements that are required for an on-device queue."""
variations = VariationRegistry()


def _with_properties(*elements: str | int) -> Difference:
    """Return the argument changes that pass these properties; names are replaced by their values."""
    return lambda kit, _given: {"properties": kit.property_list(*elements)}


def _with_device_queue(*elements: str | int) -> Difference:
    """Return the argument changes that pass these properties; skip where on-device queues are not supported."""
    return bind_values(_list_for_device_queue, *elements)


def _list_for_device_queue(kit: Kit, _given: Arguments, *elements: str | int) -> Mapping[str, Value]:
    skip_unless(kit.cl.fact(MAX_DEVICE_QUEUE_SIZE), "the device does not support device queues")
    return {"properties": kit.property_list(*elements)}


@variations.declare(
    "clCreateCommandQueueWithProperties/CL_INVALID_VALUE/1", "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_VALUE/1"
)
def invalid_lists() -> Iterator[Variation]:
    """Yield lists with unknown names, bits or hints, with repeated names, and with incompatible sizes and bits."""
    for name in (1, 0x7777, (1 << 31) - 1):
        yield Variation(f"name {name:#x}", _with_properties(name, 1))
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC", _with_properties("CL_CONTEXT_INTEROP_USER_SYNC", 0))
    yield Variation("CL_QUEUE_REFERENCE_COUNT", _with_properties("CL_QUEUE_REFERENCE_COUNT", 1))
    yield Variation("an unknown name after a valid one", _with_properties(QUEUE_PROPERTIES, PROFILING, 0x7777, 1))
    for bit in UNKNOWN_BITS:
        yield Variation(f"bit {bit}", _with_properties(QUEUE_PROPERTIES, 1 << bit))
        yield Variation(f"profiling and bit {bit}", _with_properties(QUEUE_PROPERTIES, 1 << bit | 2))
    yield Variation(
        "CL_QUEUE_PROPERTIES twice, same value",
        _with_properties(QUEUE_PROPERTIES, PROFILING, QUEUE_PROPERTIES, PROFILING),
    )
    yield Variation(
        "CL_QUEUE_PROPERTIES twice, different values",
        _with_properties(QUEUE_PROPERTIES, PROFILING, QUEUE_PROPERTIES, 0),
    )
    yield Variation("CL_QUEUE_SIZE of a host queue", _with_properties(QUEUE_SIZE, 1 << 14))
    yield Variation(
        "CL_QUEUE_SIZE of a host queue, with CL_QUEUE_PROPERTIES",
        _with_properties(QUEUE_PROPERTIES, PROFILING, QUEUE_SIZE, 1 << 14),
    )
    yield Variation("device queue, in-order", _with_device_queue(QUEUE_PROPERTIES, ON_DEVICE))
    yield Variation(
        "device queue, in-order, profiling", _with_device_queue(QUEUE_PROPERTIES, f"{ON_DEVICE}+{PROFILING}")
    )
    yield Variation(
        "CL_QUEUE_ON_DEVICE_DEFAULT without CL_QUEUE_ON_DEVICE", _with_device_queue(QUEUE_PROPERTIES, DEFAULT)
    )
    test_value = "CL_QUEUE_ON_DEVICE_DEFAULT and out-of-order, without CL_QUEUE_ON_DEVICE"
    yield Variation(test_value, _with_device_queue(QUEUE_PROPERTIES, f"{DEFAULT}+{OUT_OF_ORDER}"))
    yield Variation("default device queue, in-order", _with_device_queue(QUEUE_PROPERTIES, f"{ON_DEVICE}+{DEFAULT}"))
    yield Variation("CL_QUEUE_SIZE=maximum+1", bind_values(_with_size, MAX_DEVICE_QUEUE_SIZE, 1))
    yield Variation("CL_QUEUE_SIZE=maximum+1 MiB", bind_values(_with_size, MAX_DEVICE_QUEUE_SIZE, 1 << 20))
    yield Variation("CL_QUEUE_SIZE=maximum+2^32", bind_values(_with_size, MAX_DEVICE_QUEUE_SIZE, 1 << 32))
    for words, size in (("UINT_MAX", (1 << 32) - 1), ("UINT_MAX+1", 1 << 32)):
        yield Variation(f"CL_QUEUE_SIZE={words}", _with_device_queue(*OUT_OF_ORDER_ON_DEVICE, QUEUE_SIZE, size))
    yield Variation("CL_QUEUE_SIZE=0", _with_device_queue(*OUT_OF_ORDER_ON_DEVICE, QUEUE_SIZE, 0))
    yield from _invalid_hints("CL_QUEUE_PRIORITY_KHR", PRIORITIES)
    yield from _invalid_hints("CL_QUEUE_THROTTLE_KHR", THROTTLES)


def _invalid_hints(name: str, values: tuple[str, ...]) -> Iterator[Variation]:
    for odd in (0, 3, 8, 1 << 32 | 2):
        yield Variation(f"{name}={odd:#x}", _with_properties(name, odd))
    yield Variation(f"{name} twice", _with_properties(name, values[0], name, values[2]))


@variations.declare(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/1",
)
def unsupported_properties() -> Iterator[Variation]:
    """Yield valid properties for queues that the device does not support."""
    yield Variation("out-of-order on a device that does not support it", _with_unsupported_out_of_order)
    for words, bits in (("in-order", ON_DEVICE), ("out-of-order", f"{ON_DEVICE}+{OUT_OF_ORDER}")):
        yield Variation(
            f"{words}, on a device without device queues", bind_values(_with_unsupported_device_queue, bits)
        )


@variations.declare(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/2",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/2",
)
def priorities_of_device_queues() -> Iterator[Variation]:
    """Yield on-device queues with each priority."""
    for value in PRIORITIES:
        yield Variation(
            f"{value} on the device", _with_device_queue(*OUT_OF_ORDER_ON_DEVICE, "CL_QUEUE_PRIORITY_KHR", value)
        )


@variations.declare(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/3",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/3",
)
def throttles_of_device_queues() -> Iterator[Variation]:
    """Yield on-device queues with each throttle hint."""
    for value in THROTTLES:
        yield Variation(
            f"{value} on the device", _with_device_queue(*OUT_OF_ORDER_ON_DEVICE, "CL_QUEUE_THROTTLE_KHR", value)
        )


@variations.declare("clCreateCommandQueueWithProperties/success", "clCreateCommandQueueWithPropertiesKHR/success")
def valid_lists() -> Iterator[Variation]:
    """Yield lists for host queues and on-device queues with each property, and with sizes at the limits."""
    yield Variation("CL_QUEUE_SIZE=1", _with_device_queue(*OUT_OF_ORDER_ON_DEVICE, QUEUE_SIZE, 1))
    yield Variation("CL_QUEUE_SIZE=maximum", bind_values(_with_size, MAX_DEVICE_QUEUE_SIZE, 0))
    yield Variation(
        "CL_QUEUE_SIZE=preferred size", bind_values(_with_size, "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", 0)
    )
    yield Variation("device queue", _with_device_queue(*OUT_OF_ORDER_ON_DEVICE))
    yield Variation(
        "device queue, profiling", _with_device_queue(QUEUE_PROPERTIES, f"{ON_DEVICE}+{OUT_OF_ORDER}+{PROFILING}")
    )
    yield Variation(
        "default device queue", _with_device_queue(QUEUE_PROPERTIES, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")
    )
    yield Variation("default device queue, created again", _with_existing_default)
    for names in (OUT_OF_ORDER, PROFILING, f"{OUT_OF_ORDER}+{PROFILING}"):
        yield Variation(names, bind_values(_with_supported_bits, names))
    yield Variation("CL_QUEUE_PROPERTIES=0", _with_properties(QUEUE_PROPERTIES, 0))
    yield Variation("an empty property list", _with_properties())
    yield Variation("elements after the terminator", _with_properties(QUEUE_PROPERTIES, PROFILING, 0, 0x7777, 1))
    for name, values in (("CL_QUEUE_PRIORITY_KHR", PRIORITIES), ("CL_QUEUE_THROTTLE_KHR", THROTTLES)):
        for value in values:
            yield Variation(value, _with_properties(name, value))
            yield Variation(f"{value}, profiling", _with_properties(QUEUE_PROPERTIES, PROFILING, name, value))
    both = ("CL_QUEUE_PRIORITY_KHR", PRIORITIES[0], "CL_QUEUE_THROTTLE_KHR", THROTTLES[2])
    yield Variation("priority and throttle hints", _with_properties(*both))


def _with_size(kit: Kit, given: Arguments, query: str, extra: int) -> Mapping[str, Value]:
    """Return an on-device queue whose size is the value of a query plus ``extra`` bytes."""
    return _list_for_device_queue(kit, given, *OUT_OF_ORDER_ON_DEVICE, QUEUE_SIZE, (kit.cl.fact(query) or 0) + extra)


def _with_unsupported_out_of_order(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    skip_unless(not kit.has_bits("CL_DEVICE_QUEUE_PROPERTIES", OUT_OF_ORDER), "the device supports out-of-order queues")
    return {"properties": kit.property_list(QUEUE_PROPERTIES, OUT_OF_ORDER)}


def _with_unsupported_device_queue(kit: Kit, _given: Arguments, bits: str) -> Mapping[str, Value]:
    skip_unless(kit.cl.fact(MAX_DEVICE_QUEUE_SIZE) == 0, "the device supports device queues")
    return {"properties": kit.property_list(QUEUE_PROPERTIES, bits)}


def _with_supported_bits(kit: Kit, _given: Arguments, names: str) -> Mapping[str, Value]:
    skip_unless(
        kit.has_bits("CL_DEVICE_QUEUE_PROPERTIES", *names.split("+")), "the device does not support such queues"
    )
    return {"properties": kit.property_list(QUEUE_PROPERTIES, names)}


def _with_existing_default(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    skip_unless(kit.cl.fact(MAX_DEVICE_QUEUE_SIZE), "the device does not support device queues")
    elements = (QUEUE_PROPERTIES, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")
    kit.device_queue(*elements)
    return _list_for_device_queue(kit, given, *elements)
