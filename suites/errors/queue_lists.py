"""Lists of properties of queues (section 5.1): names, bits, sizes and hints, right ones and wrong ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.errors.changes import change
from clconform.suites.errors.queues import (
    BITS,
    BY_LIST,
    DEFAULT,
    LARGEST,
    NOBODYS_BITS,
    ON_DEVICE,
    OUT_OF_ORDER,
    PROFILING,
    SIZE,
    device_queue,
    in_order_only,
    listed,
    supports,
)
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.calls.values import Items, Value
    from clconform.suites.errors.bench import Bench
    from clconform.suites.errors.changes import Difference
    from clconform.suites.errors.controls import Arguments

LEVELS = ("HIGH", "MED", "LOW")
OUT_OF_ORDER_THERE = (BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}")
"""What a queue on the device needs in its list."""


def properties(*elements: str | int) -> Difference:
    """Return the change that a list of properties makes; names stand for their values."""
    return lambda bench, _given: {"properties": listed(bench, *elements)}


def _of_lists(function: str) -> None:
    not_valid, success = f"{function}/CL_INVALID_VALUE/1", f"{function}/success"
    not_supported = f"{function}/CL_INVALID_QUEUE_PROPERTIES/1"
    for name in (1, 0x7777, (1 << 31) - 1):
        change(not_valid, f"name {name:#x}", properties(name, 1))
    change(not_valid, "a context's name", properties("CL_CONTEXT_INTEROP_USER_SYNC", 0))
    change(not_valid, "a query's name", properties("CL_QUEUE_REFERENCE_COUNT", 1))
    change(not_valid, "a name of nobody's behind a good one", properties(BITS, PROFILING, 0x7777, 1))
    for bit in NOBODYS_BITS:
        change(not_valid, f"bit {bit}", properties(BITS, 1 << bit))
        change(not_valid, f"profiling and bit {bit}", properties(BITS, 1 << bit | 2))
    change(not_valid, "the same bits twice", properties(BITS, PROFILING, BITS, PROFILING))
    change(not_valid, "other bits the second time", properties(BITS, PROFILING, BITS, 0))
    change(not_valid, "a size on the host", properties(SIZE, 1 << 14))
    change(not_valid, "a size on the host, with bits", properties(BITS, PROFILING, SIZE, 1 << 14))
    change(not_valid, "on the device and in order", _on_device(BITS, ON_DEVICE))
    change(not_valid, "on the device, in order, profiling", _on_device(BITS, f"{ON_DEVICE}+{PROFILING}"))
    change(not_valid, "default, but not on the device", _on_device(BITS, DEFAULT))
    change(not_valid, "default, out of order, but not on the device", _on_device(BITS, f"{DEFAULT}+{OUT_OF_ORDER}"))
    change(not_valid, "default, on the device, in order", _on_device(BITS, f"{ON_DEVICE}+{DEFAULT}"))
    for boundary, offset in (
        ("one byte too large", 1),
        ("a megabyte too large", 1 << 20),
        ("larger than 32 bits", 1 << 32),
    ):
        change(not_valid, f"a queue {boundary}", _sized(LARGEST, offset))
    for boundary, size in (("most", (1 << 32) - 1), ("most and one", 1 << 32)):
        on_device = _on_device(*OUT_OF_ORDER_THERE, SIZE, size)
        change(not_valid, f"a queue of the {boundary} that 32 bits can tell", on_device)
    change(not_valid, "a queue of no byte", _sized(LARGEST, None))
    change(not_supported, "out of order on a device in order", _in_order)
    for boundary, bits in (("in order", ON_DEVICE), ("out of order", f"{ON_DEVICE}+{OUT_OF_ORDER}")):
        change(not_supported, f"{boundary}, on a device without queues of its own", _without_device_queues(bits))
    change(success, "one byte", lambda bench, _given: {"properties": _device_list(bench, SIZE, 1)})
    change(success, "as large as can be", _sized(LARGEST, 0))
    change(success, "as large as preferred", _sized("CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE", 0))
    change(success, "on the device", _on_device(*OUT_OF_ORDER_THERE))
    change(success, "on the device, profiling", _on_device(BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{PROFILING}"))
    change(success, "the default one", _on_device(BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}"))
    change(success, "the default one again", _default_again)
    for names in (OUT_OF_ORDER, PROFILING, f"{OUT_OF_ORDER}+{PROFILING}"):
        change(success, names, _list_of_supported(names))
    change(success, "no bits", properties(BITS, 0))
    change(success, "an empty list", properties())
    change(success, "more behind the end", properties(BITS, PROFILING, 0, 0x7777, 1))
    change(success, "no code asked for", {"errcode_ret": None})


def _of_hints(function: str) -> None:
    not_valid, success = f"{function}/CL_INVALID_VALUE/1", f"{function}/success"
    for number, hint in ((2, "PRIORITY"), (3, "THROTTLE")):
        name, values = f"CL_QUEUE_{hint}_KHR", [f"CL_QUEUE_{hint}_{level}_KHR" for level in LEVELS]
        for value in values:
            change(success, value, properties(name, value))
            change(success, f"{value}, profiling", properties(BITS, PROFILING, name, value))
            on_device = _on_device(*OUT_OF_ORDER_THERE, name, value)
            change(f"{function}/CL_INVALID_QUEUE_PROPERTIES/{number}", f"{value} on the device", on_device)
        for odd in (0, 3, 8, 1 << 32 | 2):
            change(not_valid, f"a {hint.lower()} of {odd:#x}", properties(name, odd))
        change(not_valid, f"the {hint.lower()} twice", properties(name, values[0], name, values[2]))
    both = ("CL_QUEUE_PRIORITY_KHR", "CL_QUEUE_PRIORITY_HIGH_KHR", "CL_QUEUE_THROTTLE_KHR", "CL_QUEUE_THROTTLE_LOW_KHR")
    change(success, "both hints", properties(*both))


def _device_list(bench: Bench, *elements: str | int) -> Items:
    needs(bench.cl.fact(LARGEST), "the device has no queues of its own")
    return listed(bench, *OUT_OF_ORDER_THERE, *elements)


def _on_device(*elements: str | int) -> Difference:
    def differs(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
        needs(bench.cl.fact(LARGEST), "the device has no queues of its own")
        return {"properties": listed(bench, *elements)}

    return differs


def _sized(query: str, offset: int | None) -> Difference:
    """Return the change to a queue of a size that the device tells, and so much more; None for one of no byte."""

    def differs(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
        size = 0 if offset is None else (bench.cl.fact(query) or 0) + offset
        return {"properties": _device_list(bench, SIZE, size)}

    return differs


def _in_order(bench: Bench, given: Arguments) -> Mapping[str, Value]:
    in_order_only(bench, given)
    return {"properties": listed(bench, BITS, OUT_OF_ORDER)}


def _without_device_queues(bits: str) -> Difference:
    def differs(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
        needs(bench.cl.fact(LARGEST) == 0, "the device has queues of its own")
        return {"properties": listed(bench, BITS, bits)}

    return differs


def _list_of_supported(names: str) -> Difference:
    def differs(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
        needs(supports(bench, *names.split("+")), "the device has no such queues")
        return {"properties": listed(bench, BITS, names)}

    return differs


def _default_again(bench: Bench, _given: Arguments) -> Mapping[str, Value]:
    needs(bench.cl.fact(LARGEST), "the device has no queues of its own")
    elements = (BITS, f"{ON_DEVICE}+{OUT_OF_ORDER}+{DEFAULT}")
    device_queue(bench, *elements)
    return {"properties": listed(bench, *elements)}


for _function in BY_LIST:
    _of_lists(_function)
    _of_hints(_function)
