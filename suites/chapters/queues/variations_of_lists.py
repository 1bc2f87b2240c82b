"""Property lists of queues (section 5.1): invalid and valid names, bits, sizes and hints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.chapters.queues.variations import NOBODYS_PROPERTIES
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.queues import BITS, DEFAULT, LARGEST, ON_DEVICE, OUT_OF_ORDER, PROFILING, SIZE
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.values import Value
    from clconform.suites.errors.variations import Difference
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

PRIORITIES = ("CL_QUEUE_PRIORITY_HIGH_KHR", "CL_QUEUE_PRIORITY_MED_KHR", "CL_QUEUE_PRIORITY_LOW_KHR")
THROTTLES = ("CL_QUEUE_THROTTLE_HIGH_KHR", "CL_QUEUE_THROTTLE_MED_KHR", "CL_QUEUE_THROTTLE_LOW_KHR")
OUT_OF_ORDER_THERE = (BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}")
"""List elements that an on-device queue requires."""
variations = Variations()


def _properties(*elements: str | int) -> Difference:
    """Return the difference that lists these properties; names are replaced by their values."""
    return lambda kit, _given: {"properties": kit.listed(*elements)}


def _on_device(*elements: str | int) -> Difference:
    """Return the difference that lists these properties; skip where the device does not support on-device queues."""
    return bound(_list_on_device, *elements)


def _list_on_device(kit: Kit, _given: Arguments, *elements: str | int) -> Mapping[str, Value]:
    needs(kit.cl.fact(LARGEST), "the device does not support device queues")
    return {"properties": kit.listed(*elements)}


@variations.of(
    "clCreateCommandQueueWithProperties/CL_INVALID_VALUE/1", "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_VALUE/1"
)
def invalid_lists() -> Iterator[Variation]:
    """Yield unknown names, bits and hints, repeated names, and incompatible sizes and bits."""
    for name in (1, 0x7777, (1 << 31) - 1):
        yield Variation(f"name {name:#x}", _properties(name, 1))
    yield Variation("CL_CONTEXT_INTEROP_USER_SYNC", _properties("CL_CONTEXT_INTEROP_USER_SYNC", 0))
    yield Variation("CL_QUEUE_REFERENCE_COUNT", _properties("CL_QUEUE_REFERENCE_COUNT", 1))
    yield Variation("an unknown name after a valid one", _properties(BITS, PROFILING, 0x7777, 1))
    for bit in NOBODYS_PROPERTIES:
        yield Variation(f"bit {bit}", _properties(BITS, 1 << bit))
        yield Variation(f"profiling and bit {bit}", _properties(BITS, 1 << bit | 2))
    yield Variation("CL_QUEUE_PROPERTIES twice, same value", _properties(BITS, PROFILING, BITS, PROFILING))
    yield Variation("CL_QUEUE_PROPERTIES twice, different values", _properties(BITS, PROFILING, BITS, 0))
    yield Variation("CL_QUEUE_SIZE of a host queue", _properties(SIZE, 1 << 14))
    yield Variation(
        "CL_QUEUE_SIZE of a host queue, with CL_QUEUE_PROPERTIES", _properties(BITS, PROFILING, SIZE, 1 << 14)
    )
    yield Variation("device queue, in-order", _on_device(BITS, ON_DEVICE))
    yield Variation("device queue, in-order, profiling", _on_device(BITS, f"{ON_DEVICE}+{PROFILING}"))
    yield Variation("CL_QUEUE_ON_DEVICE_DEFAULT without CL_QUEUE_ON_DEVICE", _on_device(BITS, DEFAULT))
    boundary = "CL_QUEUE_ON_DEVICE_DEFAULT and out-of-order, without CL_QUEUE_ON_DEVICE"
    yield Variation(boundary, _on_device(BITS, f"{DEFAULT}+{OUT_OF_ORDER}"))
    yield Variation("default device queue, in-order", _on_device(BITS, f"{ON_DEVICE}+{DEFAULT}"))
    yield Variation("CL_QUEUE_SIZE=maximum+1", bound(_sized, LARGEST, 1))
    yield Variation("CL_QUEUE_SIZE=maximum+1 MiB", bound(_sized, LARGEST, 1 << 20))
    yield Variation("CL_QUEUE_SIZE=maximum+2^32", bound(_sized, LARGEST, 1 << 32))
    for words, size in (("UINT_MAX", (1 << 32) - 1), ("UINT_MAX+1", 1 << 32)):
        yield Variation(f"CL_QUEUE_SIZE={words}", _on_device(*OUT_OF_ORDER_THERE, SIZE, size))
    yield Variation("CL_QUEUE_SIZE=0", _on_device(*OUT_OF_ORDER_THERE, SIZE, 0))
    yield from _invalid_hints("CL_QUEUE_PRIORITY_KHR", PRIORITIES)
    yield from _invalid_hints("CL_QUEUE_THROTTLE_KHR", THROTTLES)


def _invalid_hints(name: str, values: tuple[str, ...]) -> Iterator[Variation]:
    for odd in (0, 3, 8, 1 << 32 | 2):
        yield Variation(f"{name}={odd:#x}", _properties(name, odd))
    yield Variation(f"{name} twice", _properties(name, values[0], name, values[2]))


@variations.of(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/1",
)
def properties_not_supported() -> Iterator[Variation]:
    """Yield valid properties, on a device without such queues."""
    yield Variation("out-of-order on a device that does not support it", _in_order_only)
    for words, bits in (("in-order", ON_DEVICE), ("out-of-order", f"{ON_DEVICE}+{OUT_OF_ORDER}")):
        yield Variation(f"{words}, on a device without device queues", bound(_without_device_queues, bits))


@variations.of(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/2",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/2",
)
def priorities_on_the_device() -> Iterator[Variation]:
    """Yield priorities of on-device queues."""
    for value in PRIORITIES:
        yield Variation(f"{value} on the device", _on_device(*OUT_OF_ORDER_THERE, "CL_QUEUE_PRIORITY_KHR", value))


@variations.of(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/3",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/3",
)
def throttles_on_the_device() -> Iterator[Variation]:
    """Yield throttle hints of on-device queues."""
    for value in THROTTLES:
        yield Variation(f"{value} on the device", _on_device(*OUT_OF_ORDER_THERE, "CL_QUEUE_THROTTLE_KHR", value))


@variations.of("clCreateCommandQueueWithProperties/success", "clCreateCommandQueueWithPropertiesKHR/success")
def valid_lists() -> Iterator[Variation]:
    """Yield host queues and on-device queues with each property, and sizes at the limits."""
    yield Variation("CL_QUEUE_SIZE=1", _on_device(*OUT_OF_ORDER_THERE, SIZE, 1))
    yield Variation("CL_QUEUE_SIZE=maximum", bound(_sized, LARGEST, 0))
    yield Variation("CL_QUEUE_SIZE=preferred size", bound(_sized, "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", 0))
    yield Variation("device queue", _on_device(*OUT_OF_ORDER_THERE))
    yield Variation("device queue, profiling", _on_device(BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{PROFILING}"))
    yield Variation("default device queue", _on_device(BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}"))
    yield Variation("default device queue, created again", _default_again)
    for names in (OUT_OF_ORDER, PROFILING, f"{OUT_OF_ORDER}+{PROFILING}"):
        yield Variation(names, bound(_supported, names))
    yield Variation("CL_QUEUE_PROPERTIES=0", _properties(BITS, 0))
    yield Variation("an empty property list", _properties())
    yield Variation("elements after the terminator", _properties(BITS, PROFILING, 0, 0x7777, 1))
    for name, values in (("CL_QUEUE_PRIORITY_KHR", PRIORITIES), ("CL_QUEUE_THROTTLE_KHR", THROTTLES)):
        for value in values:
            yield Variation(value, _properties(name, value))
            yield Variation(f"{value}, profiling", _properties(BITS, PROFILING, name, value))
    both = ("CL_QUEUE_PRIORITY_KHR", PRIORITIES[0], "CL_QUEUE_THROTTLE_KHR", THROTTLES[2])
    yield Variation("priority and throttle hints", _properties(*both))


def _sized(kit: Kit, given: Arguments, query: str, more: int) -> Mapping[str, Value]:
    """Return an on-device queue whose size is the value of a query plus ``more`` bytes."""
    return _list_on_device(kit, given, *OUT_OF_ORDER_THERE, SIZE, (kit.cl.fact(query) or 0) + more)


def _in_order_only(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    needs(not kit.has("CL_DEVICE_QUEUE_PROPERTIES", OUT_OF_ORDER), "the device supports out-of-order queues")
    return {"properties": kit.listed(BITS, OUT_OF_ORDER)}


def _without_device_queues(kit: Kit, _given: Arguments, bits: str) -> Mapping[str, Value]:
    needs(kit.cl.fact(LARGEST) == 0, "the device supports device queues")
    return {"properties": kit.listed(BITS, bits)}


def _supported(kit: Kit, _given: Arguments, names: str) -> Mapping[str, Value]:
    needs(kit.has("CL_DEVICE_QUEUE_PROPERTIES", *names.split("+")), "the device does not support such queues")
    return {"properties": kit.listed(BITS, names)}


def _default_again(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    needs(kit.cl.fact(LARGEST), "the device does not support device queues")
    elements = (BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")
    kit.device_queue(*elements)
    return _list_on_device(kit, given, *elements)
