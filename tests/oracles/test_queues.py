"""Queues: property lists and bits that must, may or must not fail, and the default device queue."""

from __future__ import annotations

import pytest

from clconform.calls.call import Hung, Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.queues import CommandQueue, DeviceQueue, HostQueue

from .worlds import Plan, World, clauses, of_function

BY_LIST, KHR = "clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR"
BY_BITS, SET, SET_DEFAULT = "clCreateCommandQueue", "clSetCommandQueueProperty", "clSetDefaultDeviceCommandQueue"
BITS, SIZE, PRIORITY, THROTTLE = (f"CL_QUEUE_{name}" for name in ("PROPERTIES", "SIZE", "PRIORITY_KHR", "THROTTLE_KHR"))
ORDER, PROFILING, ON_DEVICE, DEFAULT = 1, 2, 4, 8
ON, LARGEST, PREFERRED = ON_DEVICE | ORDER, 1 << 18, 1 << 14
VALUE = "clCreateCommandQueueWithProperties/CL_INVALID_VALUE/1"
SUPPORT = "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/1"
ON_PRIORITY = "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/2"
ON_THROTTLE = "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/3"
IN_THE_EXTENSION = {
    VALUE: "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_VALUE/1",
    SUPPORT: "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/1",
    ON_PRIORITY: "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/2",
    ON_THROTTLE: "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/3",
}
"""Error condition of the core function to the identical condition of the extension."""
EITHER = f"{SUPPORT} {VALUE}"
HINTS = "cl_khr_create_command_queue cl_khr_priority_hints cl_khr_throttle_hints"
CONTEXT, QUEUE = Handle("context1"), Handle("queue1")


def world(
    *, host: int = ORDER | PROFILING, own: int = ORDER | PROFILING, version: str = "3.0", extensions: str = HINTS
) -> World:
    """Return a setup of two devices with these queue properties, and a context of the first device."""
    made = World(Plan(), Plan(), version=version, extensions=extensions)
    for device in made.roots:
        device.facts |= {
            "CL_DEVICE_QUEUE_PROPERTIES": host,
            "CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES": own,
            "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE": LARGEST if own else 0,
            "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE": PREFERRED if own else 0,
            "CL_DEVICE_MAX_ON_DEVICE_QUEUES": 1 if own else 0,
            "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES": 3 if own else 0,
        }
    made.model.add(Context("context1", devices=made.roots[:1], device_count=1))
    return made


@pytest.mark.parametrize("function", [BY_LIST, KHR])
@pytest.mark.parametrize(
    ("elements", "musts", "mays"),
    [
        ((), "", ""),
        ((BITS, 0), "", ""),
        ((BITS, ORDER | PROFILING), "", ""),
        ((BITS, 16), VALUE, SUPPORT),
        ((BITS, 1 << 63 | 1), VALUE, SUPPORT),
        ((BITS, 1 << 31), "", EITHER),
        ((BITS, 1, BITS, 1), "", EITHER),
        ((0x7777, 1), VALUE, SUPPORT),
        (("CL_CONTEXT_PLATFORM", 0), VALUE, SUPPORT),
        ((SIZE, PREFERRED), VALUE, SUPPORT),
        ((BITS, PROFILING, SIZE, PREFERRED), VALUE, SUPPORT),
        ((BITS, ON), "", ""),
        ((BITS, ON | PROFILING | DEFAULT), "", ""),
        ((BITS, ON_DEVICE), VALUE, SUPPORT),
        ((BITS, ON_DEVICE | DEFAULT), VALUE, SUPPORT),
        ((BITS, DEFAULT), VALUE, SUPPORT),
        ((BITS, DEFAULT | ORDER), VALUE, SUPPORT),
        ((BITS, ON, SIZE, 0), "", EITHER),
        ((BITS, ON, SIZE, 1), "", ""),
        ((BITS, ON, SIZE, LARGEST), "", ""),
        ((BITS, ON, SIZE, LARGEST + 1), VALUE, SUPPORT),
        ((BITS, ON, SIZE, (1 << 32) - 1), VALUE, SUPPORT),
        ((BITS, ON, SIZE, 1 << 32), "", EITHER),
        ((PRIORITY, 1), "", ""),
        ((PRIORITY, 4, THROTTLE, 2), "", ""),
        ((PRIORITY, 0), VALUE, SUPPORT),
        ((PRIORITY, 3), VALUE, SUPPORT),
        ((THROTTLE, 8), VALUE, SUPPORT),
        ((BITS, ON, PRIORITY, 1), ON_PRIORITY, ""),
        ((BITS, ON, THROTTLE, 1), ON_THROTTLE, ""),
        ((BITS, ON, PRIORITY, 1, THROTTLE, 1), f"{ON_PRIORITY} {ON_THROTTLE}", ""),
    ],
)
def test_lists_of_properties(function: str, elements: tuple[str | int, ...], musts: str, mays: str) -> None:
    of = world()
    expectation = of.expect(function, CONTEXT, of.device, of.items(*elements, 0), OutputBuffer(1))
    expected = (musts, mays)
    if function == KHR:
        expected = (of_function(musts, IN_THE_EXTENSION), of_function(mays, IN_THE_EXTENSION))
    assert clauses(expectation) == expected


@pytest.mark.parametrize("values", [(), (4243,), (4243, 1), (4243, 1, 4244)])
def test_a_list_without_an_end_is_never_sent(values: tuple[int, ...]) -> None:
    of = world()
    assert of.expect(BY_LIST, CONTEXT, of.device, ElementList(values), OutputBuffer(1)).undefined


@pytest.mark.parametrize(
    ("host", "own", "bits", "musts"),
    [
        (PROFILING, 0, ORDER, SUPPORT),
        (PROFILING, 0, ORDER | PROFILING, SUPPORT),
        (PROFILING, 0, PROFILING, ""),
        (PROFILING, ORDER | PROFILING, ON, ""),
        (ORDER | PROFILING, 0, ON, SUPPORT),
        (ORDER | PROFILING, 0, ON | DEFAULT, SUPPORT),
        (ORDER | PROFILING, ORDER, ON | PROFILING, SUPPORT),
        (PROFILING, 0, ON_DEVICE, f"{SUPPORT} {VALUE}"),
    ],
)
def test_what_the_device_does_not_support(host: int, own: int, bits: int, musts: str) -> None:
    of = world(host=host, own=own)
    assert clauses(of.expect(BY_LIST, CONTEXT, of.device, of.items(BITS, bits, 0), OutputBuffer(1))) == (musts, "")


@pytest.mark.parametrize("name", [PRIORITY, THROTTLE])
def test_hints_of_an_extension_that_is_not_there_may_be_refused(name: str) -> None:
    of = world(extensions="")
    assert clauses(of.expect(BY_LIST, CONTEXT, of.device, of.items(name, 1, 0), OutputBuffer(1))) == ("", EITHER)
    on_device = of.items(BITS, ON, name, 1, 0)
    assert clauses(of.expect(BY_LIST, CONTEXT, of.device, on_device, OutputBuffer(1))) == ("", EITHER)


NO_SUCH_BIT = "clCreateCommandQueue/CL_INVALID_VALUE/1"
NO_SUPPORT = "clCreateCommandQueue/CL_INVALID_QUEUE_PROPERTIES/1"


@pytest.mark.parametrize(
    ("host", "bits", "musts", "mays"),
    [
        (ORDER | PROFILING, 0, "", ""),
        (ORDER | PROFILING, ORDER | PROFILING, "", ""),
        (PROFILING, ORDER, NO_SUPPORT, ""),
        (PROFILING, PROFILING, "", ""),
        (ORDER | PROFILING, 16, NO_SUCH_BIT, ""),
        (PROFILING, 16 | ORDER, f"{NO_SUPPORT} {NO_SUCH_BIT}", ""),
        (ORDER | PROFILING, ON_DEVICE, NO_SUCH_BIT, NO_SUPPORT),
        (ORDER | PROFILING, DEFAULT, NO_SUCH_BIT, NO_SUPPORT),
        (ORDER | PROFILING, 1 << 31, "", NO_SUCH_BIT),
        (ORDER | PROFILING, 1 << 31 | 16, NO_SUCH_BIT, ""),
    ],
)
def test_bits(host: int, bits: int, musts: str, mays: str) -> None:
    of = world(host=host)
    assert clauses(of.expect(BY_BITS, CONTEXT, of.device, bits, OutputBuffer(1))) == (musts, mays)


@pytest.mark.parametrize("function", [BY_LIST, BY_BITS])
def test_the_device_is_one_of_the_contexts(function: str) -> None:
    of = world()
    no_device = f"{function}/CL_INVALID_DEVICE/1"
    properties = 0 if function == BY_BITS else None
    for device, musts in ((of.device, ""), (Handle("device2"), no_device), (None, no_device)):
        assert clauses(of.expect(function, CONTEXT, device, properties, OutputBuffer(1))) == (musts, "")


@pytest.mark.parametrize("function", [BY_LIST, BY_BITS])
def test_a_device_that_the_context_does_not_have_is_a_literal_matter(function: str) -> None:
    of = world()
    arguments = (CONTEXT, Handle("device2"), 0 if function == BY_BITS else None, None)
    (blame,) = of.oracle.judge(of.expect(function, *arguments), Returned("queue1")).deviations
    assert (blame.requirements, blame.confidence) == ((f"{function}/CL_INVALID_DEVICE/1",), "literal")


def test_that_a_flush_does_not_wait_is_a_matter_of_the_register() -> None:
    of = world()
    of.model.add(HostQueue("queue1", context=of.model.context(CONTEXT), queue_device=of.roots[0]))
    (blame,) = of.oracle.judge(of.expect("clFlush", QUEUE), Hung(10.0)).deviations
    assert (blame.requirements, blame.verdict, blame.confidence) == (("clFlush/success",), "hangs", "interpretation")
    assert of.oracle.rulebook.interpretations_of("clFlush/success") == {"flush-that-waits"}


def test_the_device_of_a_context_by_type_is_of_that_type() -> None:
    of, no_device = world(), "clCreateCommandQueue/CL_INVALID_DEVICE/1"
    context = of.model.context(CONTEXT)
    context.devices, context.candidates = [], of.roots[:1]
    assert clauses(of.expect(BY_BITS, CONTEXT, of.device, 0, OutputBuffer(1))) == ("", "")
    assert clauses(of.expect(BY_BITS, CONTEXT, Handle("device2"), 0, OutputBuffer(1))) == (no_device, "")
    context.candidates = of.roots
    assert clauses(of.expect(BY_BITS, CONTEXT, Handle("device2"), 0, OutputBuffer(1))) == ("", no_device)


def made(of: World, name: str, function: str, *arguments: object) -> CommandQueue:
    """Create a queue by a successful call, and return it from the model."""
    expectation = of.expect(function, CONTEXT, of.device, *arguments)
    of.oracle.judge(expectation, Returned(name, {"errcode_ret": Output([0], 4)}))
    return of.model.get(CommandQueue, Handle(name))


STAYS, NOT_A_BIT = "clSetCommandQueueProperty/CL_INVALID_OPERATION/1", "clSetCommandQueueProperty/CL_INVALID_VALUE/1"
NOT_HERE = "clSetCommandQueueProperty/CL_INVALID_QUEUE_PROPERTIES/1"


@pytest.mark.parametrize(
    ("version", "host", "bits", "enable", "musts", "mays"),
    [
        ("1.0", PROFILING, PROFILING, 1, "", ""),
        ("1.0", PROFILING, ORDER, 1, NOT_HERE, ""),
        ("1.0", PROFILING, ORDER, 0, "", NOT_HERE),
        ("1.0", PROFILING, 16, 1, NOT_A_BIT, ""),
        ("1.1", PROFILING, PROFILING, 1, "", STAYS),
        ("1.1", PROFILING, ORDER, 1, NOT_HERE, STAYS),
        ("3.0", PROFILING, 16, 1, NOT_A_BIT, STAYS),
        ("3.0", PROFILING, ON_DEVICE, 1, NOT_A_BIT, f"{STAYS} {NOT_HERE}"),
    ],
)
def test_changed_properties(version: str, host: int, bits: int, enable: int, musts: str, mays: str) -> None:
    of = world(version=version, host=host)
    made(of, "queue1", BY_BITS, 0, OutputBuffer(1))
    assert clauses(of.expect(SET, QUEUE, bits, enable, OutputBuffer(1))) == (musts, mays)


@pytest.mark.parametrize(("version", "mays"), [("1.0", ""), ("1.1", STAYS), ("3.0", STAYS)])
def test_setting_properties_of_no_queue_may_fail_for_want_of_support(version: str, mays: str) -> None:
    found = clauses(world(version=version).expect(SET, None, ORDER, 1, OutputBuffer(1)))
    assert found == ("clSetCommandQueueProperty/CL_INVALID_COMMAND_QUEUE/1", mays)


@pytest.mark.parametrize(
    ("before", "bits", "enable", "after"),
    [(0, PROFILING, 1, PROFILING), (PROFILING, PROFILING, 0, 0), (ORDER, PROFILING, 1, 3), (3, ORDER, 0, PROFILING)],
)
def test_a_change_tells_what_was_there_and_is_told(before: int, bits: int, enable: int, after: int) -> None:
    of = world(version="1.0")
    queue = made(of, "queue1", BY_BITS, before, OutputBuffer(1))
    call = of.call(SET, QUEUE, bits, enable, OutputBuffer(1))
    told = of.oracle.judge(of.oracle.expect(call), Returned(0, {"old_properties": Output([before], 8)}))
    assert not told.deviations
    assert queue.bits == after
    assert (queue.in_order, queue.profiling) == (not after & ORDER, bool(after & PROFILING))
    wrong = of.oracle.judge(of.oracle.expect(call), Returned(0, {"old_properties": Output([64], 8)}))
    assert wrong.deviations


DEFAULT_STAYS = "clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1"
NO_QUEUE = "clSetDefaultDeviceCommandQueue/CL_INVALID_COMMAND_QUEUE/1"
NOT_FOR_THE_NAME = "clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1"
OTHER_CONTEXT = "clSetDefaultDeviceCommandQueue/CL_INVALID_CONTEXT/1"


@pytest.mark.parametrize(
    ("version", "capabilities", "own", "musts", "mays"),
    [
        ("3.0", 3, 3, "", ""),
        ("3.0", 1, 3, DEFAULT_STAYS, ""),
        ("3.0", 0, 0, DEFAULT_STAYS, ""),
        ("2.2", 0, 3, "", ""),
        ("2.1", 0, 0, "", DEFAULT_STAYS),
    ],
)
def test_default_queues_that_stay(version: str, capabilities: int, own: int, musts: str, mays: str) -> None:
    of = world(version=version, own=own)
    of.roots[0].facts["CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"] = capabilities
    context = of.model.context(CONTEXT)
    queue = DeviceQueue("queue1", context=context, queue_device=of.roots[0])
    of.model.add(queue)
    assert clauses(of.expect(SET_DEFAULT, CONTEXT, of.device, QUEUE)) == (musts, mays)


@pytest.mark.parametrize(("most", "musts"), [(0, DEFAULT_STAYS), (1, ""), (None, "")])
def test_a_device_without_queues_has_no_default_even_if_it_does_not_tell(most: int | None, musts: str) -> None:
    of = world(version="3.0")
    facts = of.roots[0].facts
    facts.pop("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", None)
    facts["CL_DEVICE_MAX_ON_DEVICE_QUEUES"] = most
    of.model.add(DeviceQueue("queue1", context=of.model.context(CONTEXT), queue_device=of.roots[0]))
    assert clauses(of.expect(SET_DEFAULT, CONTEXT, of.device, QUEUE)) == (musts, "" if musts else DEFAULT_STAYS)


def test_queues_that_are_no_default() -> None:
    of = world()
    context = of.model.context(CONTEXT)
    context.devices = of.roots
    own = DeviceQueue("queue1", context=context, queue_device=of.roots[0])
    other = Context("context2", devices=of.roots)
    of.model.add(own)
    of.model.add(HostQueue("queue2", context=context, queue_device=of.roots[0]))
    of.model.add(DeviceQueue("queue3", context=context, queue_device=of.roots[1]))
    of.model.add(DeviceQueue("queue4", context=other, queue_device=of.roots[0]))
    for name, musts, mays in (
        (None, NO_QUEUE, ""),
        ("queue1", "", ""),
        ("queue2", "", NO_QUEUE),
        ("queue3", NO_QUEUE, ""),
        ("queue4", "", f"{NO_QUEUE} {OTHER_CONTEXT}"),
    ):
        assert clauses(of.expect(SET_DEFAULT, CONTEXT, of.device, Handle(name) if name else None)) == (musts, mays), (
            name
        )


@pytest.mark.parametrize(("capabilities", "mays"), [(3, ""), (1, DEFAULT_STAYS), (0, DEFAULT_STAYS)])
def test_without_a_device_a_driver_that_could_not_do_it_may_say_so(capabilities: int, mays: str) -> None:
    of = world()
    for device in of.roots:
        device.facts["CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"] = capabilities
    made(of, "queue1", BY_LIST, of.items(BITS, ON, 0), OutputBuffer(1))
    assert clauses(of.expect(SET_DEFAULT, CONTEXT, None, QUEUE)) == (
        "clSetDefaultDeviceCommandQueue/CL_INVALID_DEVICE/1",
        mays,
    )


@pytest.mark.parametrize(
    ("queue", "query", "expected"),
    [
        ("queue1", "CL_QUEUE_REFERENCE_COUNT", ("", "")),
        ("queue1", "CL_QUEUE_SIZE", (NOT_FOR_THE_NAME, "")),
        ("queue2", "CL_QUEUE_SIZE", ("", "")),
        ("queue3", "CL_QUEUE_SIZE", ("", "")),
        ("context1", "CL_QUEUE_REFERENCE_COUNT", ("", NOT_FOR_THE_NAME)),
        (None, "CL_QUEUE_REFERENCE_COUNT", (NOT_FOR_THE_NAME, "")),
    ],
)
def test_queues_to_be_asked(queue: str | None, query: str, expected: tuple[str, str]) -> None:
    """The kind of the third queue is unknown, so no error is expected for it."""
    of = world()
    for number, kind in enumerate((HostQueue, DeviceQueue, CommandQueue), 1):
        of.model.add(kind(f"queue{number}", context=of.model.context(CONTEXT), queue_device=of.roots[0]))
    about = Handle(queue) if queue else None
    assert (
        clauses(of.expect("clGetCommandQueueInfo", about, of.value(query), 64, OutputBuffer(64), OutputBuffer(1)))
        == expected
    )


def default_told(of: World, queue: str, answer: str | None) -> str:
    """Return the verdict on the default queue that a query of a queue returns."""
    query = "CL_QUEUE_DEVICE_DEFAULT"
    call = of.call("clGetCommandQueueInfo", Handle(queue), of.value(query), 8, OutputBuffer(8), OutputBuffer(1))
    outputs = {"param_value": Output([answer], 8), "param_value_size_ret": Output([8], 8)}
    return dict(of.oracle.judge(of.oracle.expect(call), Returned(0, outputs)).evidence)[query]


def test_the_default_queue_is_told_shared_and_replaced() -> None:
    of = world()
    default = of.items(BITS, ON | DEFAULT, 0)
    made(of, "queue1", BY_BITS, 0, OutputBuffer(1))
    assert default_told(of, "queue1", None) == "conforms"
    first = made(of, "queue2", BY_LIST, default, OutputBuffer(1))
    assert default_told(of, "queue1", "queue2") == "conforms"
    assert default_told(of, "queue1", None) == "deviates"
    made(of, "queue2", BY_LIST, default, OutputBuffer(1))
    assert first.references == 2
    another = Returned("queue9", {"errcode_ret": Output([0], 4)})
    assert of.oracle.judge(of.expect(BY_LIST, CONTEXT, of.device, default, OutputBuffer(1)), another).deviations
    made(of, "queue3", BY_LIST, of.items(BITS, ON, 0), OutputBuffer(1))
    assert default_told(of, "queue3", "queue2") == "conforms"
    of.oracle.judge(of.expect(SET_DEFAULT, CONTEXT, of.device, Handle("queue3")), Returned(0))
    assert default_told(of, "queue1", "queue3") == "conforms"


@pytest.mark.parametrize(("elements", "size"), [((), PREFERRED), ((SIZE, 4096), 4096), ((SIZE, 1 << 32), None)])
def test_a_queue_on_the_device_tells_its_size(elements: tuple[str | int, ...], size: int | None) -> None:
    of = world()
    queue = made(of, "queue1", BY_LIST, of.items(BITS, ON, *elements, 0), OutputBuffer(1))
    assert isinstance(queue, DeviceQueue)
    assert queue.size == size
