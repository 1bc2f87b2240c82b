"""Lists of properties of queues (section 5.1): names, bits, sizes and hints, valid ones and others."""

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
"""What a queue on the device needs in its list."""
variations = Variations()


def _properties(*elements: str | int) -> Difference:
    """Return the change that a list of properties makes; names stand for their values."""
    return lambda kit, _given: {"properties": kit.listed(*elements)}


def _on_device(*elements: str | int) -> Difference:
    """Return the same for a queue on the device."""
    return bound(_list_on_device, *elements)


def _list_on_device(kit: Kit, _given: Arguments, *elements: str | int) -> Mapping[str, Value]:
    needs(kit.cl.fact(LARGEST), "the device has no queues of its own")
    return {"properties": kit.listed(*elements)}


@variations.of(
    "clCreateCommandQueueWithProperties/CL_INVALID_VALUE/1", "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_VALUE/1"
)
def invalid_lists() -> Iterator[Variation]:
    """Yield unknown names and bits, names given twice, sizes and bits that do not go together, and unknown hints."""
    for name in (1, 0x7777, (1 << 31) - 1):
        yield Variation(f"name {name:#x}", _properties(name, 1))
    yield Variation("a context's name", _properties("CL_CONTEXT_INTEROP_USER_SYNC", 0))
    yield Variation("a query's name", _properties("CL_QUEUE_REFERENCE_COUNT", 1))
    yield Variation("a name of nobody's behind a good one", _properties(BITS, PROFILING, 0x7777, 1))
    for bit in NOBODYS_PROPERTIES:
        yield Variation(f"bit {bit}", _properties(BITS, 1 << bit))
        yield Variation(f"profiling and bit {bit}", _properties(BITS, 1 << bit | 2))
    yield Variation("the same bits twice", _properties(BITS, PROFILING, BITS, PROFILING))
    yield Variation("other bits the second time", _properties(BITS, PROFILING, BITS, 0))
    yield Variation("a size on the host", _properties(SIZE, 1 << 14))
    yield Variation("a size on the host, with bits", _properties(BITS, PROFILING, SIZE, 1 << 14))
    yield Variation("on the device and in order", _on_device(BITS, ON_DEVICE))
    yield Variation("on the device, in order, profiling", _on_device(BITS, f"{ON_DEVICE}+{PROFILING}"))
    yield Variation("default, but not on the device", _on_device(BITS, DEFAULT))
    boundary = "default, out of order, but not on the device"
    yield Variation(boundary, _on_device(BITS, f"{DEFAULT}+{OUT_OF_ORDER}"))
    yield Variation("default, on the device, in order", _on_device(BITS, f"{ON_DEVICE}+{DEFAULT}"))
    yield Variation("a queue one byte too large", bound(_sized, LARGEST, 1))
    yield Variation("a queue a megabyte too large", bound(_sized, LARGEST, 1 << 20))
    yield Variation("a queue larger than 32 bits", bound(_sized, LARGEST, 1 << 32))
    for words, size in (("most", (1 << 32) - 1), ("most and one", 1 << 32)):
        yield Variation(f"a queue of the {words} that 32 bits can tell", _on_device(*OUT_OF_ORDER_THERE, SIZE, size))
    yield Variation("a queue of no byte", _on_device(*OUT_OF_ORDER_THERE, SIZE, 0))
    yield from _invalid_hints("priority", "CL_QUEUE_PRIORITY_KHR", PRIORITIES)
    yield from _invalid_hints("throttle", "CL_QUEUE_THROTTLE_KHR", THROTTLES)


def _invalid_hints(word: str, name: str, values: tuple[str, ...]) -> Iterator[Variation]:
    for odd in (0, 3, 8, 1 << 32 | 2):
        yield Variation(f"a {word} of {odd:#x}", _properties(name, odd))
    yield Variation(f"the {word} twice", _properties(name, values[0], name, values[2]))


@variations.of(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/1",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/1",
)
def properties_not_supported() -> Iterator[Variation]:
    """Yield properties that are valid, on a device without such queues."""
    yield Variation("out of order on a device in order", _in_order_only)
    for words, bits in (("in order", ON_DEVICE), ("out of order", f"{ON_DEVICE}+{OUT_OF_ORDER}")):
        yield Variation(f"{words}, on a device without queues of its own", bound(_without_device_queues, bits))


@variations.of(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/2",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/2",
)
def priorities_on_the_device() -> Iterator[Variation]:
    """Yield priorities of queues on the device."""
    for value in PRIORITIES:
        yield Variation(f"{value} on the device", _on_device(*OUT_OF_ORDER_THERE, "CL_QUEUE_PRIORITY_KHR", value))


@variations.of(
    "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/3",
    "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/3",
)
def throttles_on_the_device() -> Iterator[Variation]:
    """Yield throttle hints of queues on the device."""
    for value in THROTTLES:
        yield Variation(f"{value} on the device", _on_device(*OUT_OF_ORDER_THERE, "CL_QUEUE_THROTTLE_KHR", value))


@variations.of("clCreateCommandQueueWithProperties/success", "clCreateCommandQueueWithPropertiesKHR/success")
def valid_lists() -> Iterator[Variation]:
    """Yield queues on the host and on the device with each property, and sizes at the limits."""
    yield Variation("one byte", _on_device(*OUT_OF_ORDER_THERE, SIZE, 1))
    yield Variation("as large as can be", bound(_sized, LARGEST, 0))
    yield Variation("as large as preferred", bound(_sized, "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", 0))
    yield Variation("on the device", _on_device(*OUT_OF_ORDER_THERE))
    yield Variation("on the device, profiling", _on_device(BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{PROFILING}"))
    yield Variation("the default one", _on_device(BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}"))
    yield Variation("the default one again", _default_again)
    for names in (OUT_OF_ORDER, PROFILING, f"{OUT_OF_ORDER}+{PROFILING}"):
        yield Variation(names, bound(_supported, names))
    yield Variation("no bits", _properties(BITS, 0))
    yield Variation("an empty list", _properties())
    yield Variation("more behind the end", _properties(BITS, PROFILING, 0, 0x7777, 1))
    yield Variation("no code asked for", {"errcode_ret": None})
    for name, values in (("CL_QUEUE_PRIORITY_KHR", PRIORITIES), ("CL_QUEUE_THROTTLE_KHR", THROTTLES)):
        for value in values:
            yield Variation(value, _properties(name, value))
            yield Variation(f"{value}, profiling", _properties(BITS, PROFILING, name, value))
    both = ("CL_QUEUE_PRIORITY_KHR", PRIORITIES[0], "CL_QUEUE_THROTTLE_KHR", THROTTLES[2])
    yield Variation("both hints", _properties(*both))


def _sized(kit: Kit, given: Arguments, query: str, more: int) -> Mapping[str, Value]:
    """Ask for a queue on the device of the size that a query tells, and so many bytes more."""
    return _list_on_device(kit, given, *OUT_OF_ORDER_THERE, SIZE, (kit.cl.fact(query) or 0) + more)


def _in_order_only(kit: Kit, _given: Arguments) -> Mapping[str, Value]:
    needs(not kit.has("CL_DEVICE_QUEUE_PROPERTIES", OUT_OF_ORDER), "the device has queues out of order")
    return {"properties": kit.listed(BITS, OUT_OF_ORDER)}


def _without_device_queues(kit: Kit, _given: Arguments, bits: str) -> Mapping[str, Value]:
    needs(kit.cl.fact(LARGEST) == 0, "the device has queues of its own")
    return {"properties": kit.listed(BITS, bits)}


def _supported(kit: Kit, _given: Arguments, names: str) -> Mapping[str, Value]:
    needs(kit.has("CL_DEVICE_QUEUE_PROPERTIES", *names.split("+")), "the device has no such queues")
    return {"properties": kit.listed(BITS, names)}


def _default_again(kit: Kit, given: Arguments) -> Mapping[str, Value]:
    needs(kit.cl.fact(LARGEST), "the device has no queues of its own")
    elements = (BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")
    kit.device_queue(*elements)
    return _list_on_device(kit, given, *elements)
