"""Queues: property lists and bits that must, may or must not fail, and the default device queue."""

from __future__ import annotations

import pytest

from clconform.calls.call import Hung, Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.queues import CommandQueue, DeviceQueue, HostQueue

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids, map_ids

BY_LIST, BY_LIST_KHR = "clCreateCommandQueueWithProperties", "clCreateCommandQueueWithPropertiesKHR"
BY_BITS, SET_PROPERTY, SET_DEFAULT = (
    "clCreateCommandQueue",
    "clSetCommandQueueProperty",
    "clSetDefaultDeviceCommandQueue",
)
BITS, SIZE, PRIORITY, THROTTLE = (f"CL_QUEUE_{name}" for name in ("PROPERTIES", "SIZE", "PRIORITY_KHR", "THROTTLE_KHR"))
OUT_OF_ORDER, PROFILING, ON_DEVICE, DEFAULT = 1, 2, 4, 8
DEVICE_QUEUE_BITS, MAX_SIZE, PREFERRED_SIZE = ON_DEVICE | OUT_OF_ORDER, 1 << 18, 1 << 14
INVALID_VALUE = "clCreateCommandQueueWithProperties/CL_INVALID_VALUE/1"
UNSUPPORTED_PROPERTIES = "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/1"
DEVICE_QUEUE_PRIORITY = "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/2"
DEVICE_QUEUE_THROTTLE = "clCreateCommandQueueWithProperties/CL_INVALID_QUEUE_PROPERTIES/3"
KHR_IDS = {
    INVALID_VALUE: "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_VALUE/1",
    UNSUPPORTED_PROPERTIES: "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/1",
    DEVICE_QUEUE_PRIORITY: "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/2",
    DEVICE_QUEUE_THROTTLE: "clCreateCommandQueueWithPropertiesKHR/CL_INVALID_QUEUE_PROPERTIES/3",
}
"""Maps error conditions of the core function to the identical conditions of the extension."""
VALUE_OR_UNSUPPORTED = f"{UNSUPPORTED_PROPERTIES} {INVALID_VALUE}"
HINTS = "cl_khr_create_command_queue cl_khr_priority_hints cl_khr_throttle_hints"
CONTEXT, QUEUE = Handle("context1"), Handle("queue1")


def set_up_queues(
    *,
    host: int = OUT_OF_ORDER | PROFILING,
    own: int = OUT_OF_ORDER | PROFILING,
    version: str = "3.0",
    extensions: str = HINTS,
) -> OracleSetup:
    """Return a setup of two devices with these queue properties, and a context of the first device."""
    made = OracleSetup(DevicePlan(), DevicePlan(), version=version, extensions=extensions)
    for device in made.roots:
        device.facts |= {
            "CL_DEVICE_QUEUE_PROPERTIES": host,
            "CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES": own,
            "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE": MAX_SIZE if own else 0,
            "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE": PREFERRED_SIZE if own else 0,
            "CL_DEVICE_MAX_ON_DEVICE_QUEUES": 1 if own else 0,
            "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES": 3 if own else 0,
        }
    made.model.add(Context("context1", devices=made.roots[:1], device_count=1))
    return made


@pytest.mark.parametrize("function", [BY_LIST, BY_LIST_KHR])
@pytest.mark.parametrize(
    ("elements", "musts", "mays"),
    [
        ((), "", ""),
        ((BITS, 0), "", ""),
        ((BITS, OUT_OF_ORDER | PROFILING), "", ""),
        ((BITS, 16), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, 1 << 63 | 1), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, 1 << 31), "", VALUE_OR_UNSUPPORTED),
        ((BITS, 1, BITS, 1), "", VALUE_OR_UNSUPPORTED),
        ((0x7777, 1), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        (("CL_CONTEXT_PLATFORM", 0), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((SIZE, PREFERRED_SIZE), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, PROFILING, SIZE, PREFERRED_SIZE), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, DEVICE_QUEUE_BITS), "", ""),
        ((BITS, DEVICE_QUEUE_BITS | PROFILING | DEFAULT), "", ""),
        ((BITS, ON_DEVICE), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, ON_DEVICE | DEFAULT), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, DEFAULT), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, DEFAULT | OUT_OF_ORDER), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, DEVICE_QUEUE_BITS, SIZE, 0), "", VALUE_OR_UNSUPPORTED),
        ((BITS, DEVICE_QUEUE_BITS, SIZE, 1), "", ""),
        ((BITS, DEVICE_QUEUE_BITS, SIZE, MAX_SIZE), "", ""),
        ((BITS, DEVICE_QUEUE_BITS, SIZE, MAX_SIZE + 1), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, DEVICE_QUEUE_BITS, SIZE, (1 << 32) - 1), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, DEVICE_QUEUE_BITS, SIZE, 1 << 32), "", VALUE_OR_UNSUPPORTED),
        ((PRIORITY, 1), "", ""),
        ((PRIORITY, 4, THROTTLE, 2), "", ""),
        ((PRIORITY, 0), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((PRIORITY, 3), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((THROTTLE, 8), INVALID_VALUE, UNSUPPORTED_PROPERTIES),
        ((BITS, DEVICE_QUEUE_BITS, PRIORITY, 1), DEVICE_QUEUE_PRIORITY, ""),
        ((BITS, DEVICE_QUEUE_BITS, THROTTLE, 1), DEVICE_QUEUE_THROTTLE, ""),
        ((BITS, DEVICE_QUEUE_BITS, PRIORITY, 1, THROTTLE, 1), f"{DEVICE_QUEUE_PRIORITY} {DEVICE_QUEUE_THROTTLE}", ""),
    ],
)
def test_invalid_queue_property_lists_are_rejected(
    function: str, elements: tuple[str | int, ...], musts: str, mays: str
) -> None:
    of = set_up_queues()
    expectation = of.expect(function, CONTEXT, of.device, of.create_list(*elements, 0), OutputBuffer(1))
    expected = (musts, mays)
    if function == BY_LIST_KHR:
        expected = (map_ids(musts, KHR_IDS), map_ids(mays, KHR_IDS))
    assert get_condition_ids(expectation) == expected


@pytest.mark.parametrize("values", [(), (4243,), (4243, 1), (4243, 1, 4244)])
def test_queue_creation_with_unterminated_list_is_undefined(values: tuple[int, ...]) -> None:
    of = set_up_queues()
    assert of.expect(BY_LIST, CONTEXT, of.device, ElementList(values), OutputBuffer(1)).undefined


@pytest.mark.parametrize(
    ("host", "own", "bits", "musts"),
    [
        (PROFILING, 0, OUT_OF_ORDER, UNSUPPORTED_PROPERTIES),
        (PROFILING, 0, OUT_OF_ORDER | PROFILING, UNSUPPORTED_PROPERTIES),
        (PROFILING, 0, PROFILING, ""),
        (PROFILING, OUT_OF_ORDER | PROFILING, DEVICE_QUEUE_BITS, ""),
        (OUT_OF_ORDER | PROFILING, 0, DEVICE_QUEUE_BITS, UNSUPPORTED_PROPERTIES),
        (OUT_OF_ORDER | PROFILING, 0, DEVICE_QUEUE_BITS | DEFAULT, UNSUPPORTED_PROPERTIES),
        (OUT_OF_ORDER | PROFILING, OUT_OF_ORDER, DEVICE_QUEUE_BITS | PROFILING, UNSUPPORTED_PROPERTIES),
        (PROFILING, 0, ON_DEVICE, f"{UNSUPPORTED_PROPERTIES} {INVALID_VALUE}"),
    ],
)
def test_queue_creation_with_unsupported_properties_is_rejected(host: int, own: int, bits: int, musts: str) -> None:
    of = set_up_queues(host=host, own=own)
    assert get_condition_ids(
        of.expect(BY_LIST, CONTEXT, of.device, of.create_list(BITS, bits, 0), OutputBuffer(1))
    ) == (musts, "")


@pytest.mark.parametrize("name", [PRIORITY, THROTTLE])
def test_queue_hints_of_missing_extension_may_be_rejected(name: str) -> None:
    of = set_up_queues(extensions="")
    assert get_condition_ids(of.expect(BY_LIST, CONTEXT, of.device, of.create_list(name, 1, 0), OutputBuffer(1))) == (
        "",
        VALUE_OR_UNSUPPORTED,
    )
    on_device = of.create_list(BITS, DEVICE_QUEUE_BITS, name, 1, 0)
    assert get_condition_ids(of.expect(BY_LIST, CONTEXT, of.device, on_device, OutputBuffer(1))) == (
        "",
        VALUE_OR_UNSUPPORTED,
    )


UNKNOWN_BIT = "clCreateCommandQueue/CL_INVALID_VALUE/1"
UNSUPPORTED_BITS = "clCreateCommandQueue/CL_INVALID_QUEUE_PROPERTIES/1"


@pytest.mark.parametrize(
    ("host", "bits", "musts", "mays"),
    [
        (OUT_OF_ORDER | PROFILING, 0, "", ""),
        (OUT_OF_ORDER | PROFILING, OUT_OF_ORDER | PROFILING, "", ""),
        (PROFILING, OUT_OF_ORDER, UNSUPPORTED_BITS, ""),
        (PROFILING, PROFILING, "", ""),
        (OUT_OF_ORDER | PROFILING, 16, UNKNOWN_BIT, ""),
        (PROFILING, 16 | OUT_OF_ORDER, f"{UNSUPPORTED_BITS} {UNKNOWN_BIT}", ""),
        (OUT_OF_ORDER | PROFILING, ON_DEVICE, UNKNOWN_BIT, UNSUPPORTED_BITS),
        (OUT_OF_ORDER | PROFILING, DEFAULT, UNKNOWN_BIT, UNSUPPORTED_BITS),
        (OUT_OF_ORDER | PROFILING, 1 << 31, "", UNKNOWN_BIT),
        (OUT_OF_ORDER | PROFILING, 1 << 31 | 16, UNKNOWN_BIT, ""),
    ],
)
def test_unsupported_queue_property_bits_are_rejected(host: int, bits: int, musts: str, mays: str) -> None:
    of = set_up_queues(host=host)
    assert get_condition_ids(of.expect(BY_BITS, CONTEXT, of.device, bits, OutputBuffer(1))) == (musts, mays)


@pytest.mark.parametrize("function", [BY_LIST, BY_BITS])
def test_queue_creation_for_device_outside_the_context_is_rejected(function: str) -> None:
    of = set_up_queues()
    no_device = f"{function}/CL_INVALID_DEVICE/1"
    properties = 0 if function == BY_BITS else None
    for device, musts in ((of.device, ""), (Handle("device2"), no_device), (None, no_device)):
        assert get_condition_ids(of.expect(function, CONTEXT, device, properties, OutputBuffer(1))) == (musts, "")


@pytest.mark.parametrize("function", [BY_LIST, BY_BITS])
def test_accepted_queue_for_device_outside_the_context_deviates_literally(function: str) -> None:
    of = set_up_queues()
    arguments = (CONTEXT, Handle("device2"), 0 if function == BY_BITS else None, None)
    (deviation,) = of.oracle.judge(of.expect(function, *arguments), Returned("queue1")).deviations
    assert (deviation.requirements, deviation.confidence) == ((f"{function}/CL_INVALID_DEVICE/1",), "literal")


def test_hanging_flush_deviates_by_interpretation() -> None:
    of = set_up_queues()
    of.model.add(HostQueue("queue1", context=of.model.context(CONTEXT), queue_device=of.roots[0]))
    (deviation,) = of.oracle.judge(of.expect("clFlush", QUEUE), Hung(10.0)).deviations
    assert (deviation.requirements, deviation.verdict, deviation.confidence) == (
        ("clFlush/success",),
        "hangs",
        "interpretation",
    )
    assert of.oracle.rulebook.basis.interpretations_of("clFlush/success") == {"blocking-flush"}


def test_queue_device_must_be_a_possible_device_if_context_was_created_by_type() -> None:
    of, no_device = set_up_queues(), "clCreateCommandQueue/CL_INVALID_DEVICE/1"
    context = of.model.context(CONTEXT)
    context.devices, context.candidates = [], of.roots[:1]
    assert get_condition_ids(of.expect(BY_BITS, CONTEXT, of.device, 0, OutputBuffer(1))) == ("", "")
    assert get_condition_ids(of.expect(BY_BITS, CONTEXT, Handle("device2"), 0, OutputBuffer(1))) == (no_device, "")
    context.candidates = of.roots
    assert get_condition_ids(of.expect(BY_BITS, CONTEXT, Handle("device2"), 0, OutputBuffer(1))) == ("", no_device)


def create_queue(of: OracleSetup, name: str, function: str, *arguments: object) -> CommandQueue:
    """Create a queue by a successful call, and return it from the model."""
    expectation = of.expect(function, CONTEXT, of.device, *arguments)
    of.oracle.judge(expectation, Returned(name, {"errcode_ret": Output([0], 4)}))
    return of.model.get(CommandQueue, Handle(name))


CHANGE_DEPRECATED, CHANGED_UNKNOWN_BIT = (
    "clSetCommandQueueProperty/CL_INVALID_OPERATION/1",
    "clSetCommandQueueProperty/CL_INVALID_VALUE/1",
)
CHANGED_UNSUPPORTED_BITS = "clSetCommandQueueProperty/CL_INVALID_QUEUE_PROPERTIES/1"


@pytest.mark.parametrize(
    ("version", "host", "bits", "enable", "musts", "mays"),
    [
        ("1.0", PROFILING, PROFILING, 1, "", ""),
        ("1.0", PROFILING, OUT_OF_ORDER, 1, CHANGED_UNSUPPORTED_BITS, ""),
        ("1.0", PROFILING, OUT_OF_ORDER, 0, "", CHANGED_UNSUPPORTED_BITS),
        ("1.0", PROFILING, 16, 1, CHANGED_UNKNOWN_BIT, ""),
        ("1.1", PROFILING, PROFILING, 1, "", CHANGE_DEPRECATED),
        ("1.1", PROFILING, OUT_OF_ORDER, 1, CHANGED_UNSUPPORTED_BITS, CHANGE_DEPRECATED),
        ("3.0", PROFILING, 16, 1, CHANGED_UNKNOWN_BIT, CHANGE_DEPRECATED),
        ("3.0", PROFILING, ON_DEVICE, 1, CHANGED_UNKNOWN_BIT, f"{CHANGE_DEPRECATED} {CHANGED_UNSUPPORTED_BITS}"),
    ],
)
def test_change_of_unsupported_queue_properties_is_rejected(
    version: str, host: int, bits: int, enable: int, musts: str, mays: str
) -> None:
    of = set_up_queues(version=version, host=host)
    create_queue(of, "queue1", BY_BITS, 0, OutputBuffer(1))
    assert get_condition_ids(of.expect(SET_PROPERTY, QUEUE, bits, enable, OutputBuffer(1))) == (musts, mays)


@pytest.mark.parametrize(("version", "mays"), [("1.0", ""), ("1.1", CHANGE_DEPRECATED), ("3.0", CHANGE_DEPRECATED)])
def test_property_change_of_null_queue_is_rejected(version: str, mays: str) -> None:
    found = get_condition_ids(
        set_up_queues(version=version).expect(SET_PROPERTY, None, OUT_OF_ORDER, 1, OutputBuffer(1))
    )
    assert found == ("clSetCommandQueueProperty/CL_INVALID_COMMAND_QUEUE/1", mays)


@pytest.mark.parametrize(
    ("before", "bits", "enable", "after"),
    [
        (0, PROFILING, 1, PROFILING),
        (PROFILING, PROFILING, 0, 0),
        (OUT_OF_ORDER, PROFILING, 1, 3),
        (3, OUT_OF_ORDER, 0, PROFILING),
    ],
)
def test_queue_property_change_returns_old_and_stores_new_bits(before: int, bits: int, enable: int, after: int) -> None:
    of = set_up_queues(version="1.0")
    queue = create_queue(of, "queue1", BY_BITS, before, OutputBuffer(1))
    call = of.call(SET_PROPERTY, QUEUE, bits, enable, OutputBuffer(1))
    told = of.oracle.judge(of.oracle.expect(call), Returned(0, {"old_properties": Output([before], 8)}))
    assert not told.deviations
    assert queue.bits == after
    assert (queue.in_order, queue.profiling) == (not after & OUT_OF_ORDER, bool(after & PROFILING))
    wrong = of.oracle.judge(of.oracle.expect(call), Returned(0, {"old_properties": Output([64], 8)}))
    assert wrong.deviations


DEFAULT_NOT_REPLACEABLE = "clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1"
INVALID_DEFAULT_QUEUE = "clSetDefaultDeviceCommandQueue/CL_INVALID_COMMAND_QUEUE/1"
INVALID_QUEUE_FOR_QUERY = "clGetCommandQueueInfo/CL_INVALID_COMMAND_QUEUE/1"
OTHER_CONTEXT = "clSetDefaultDeviceCommandQueue/CL_INVALID_CONTEXT/1"


@pytest.mark.parametrize(
    ("version", "capabilities", "own", "musts", "mays"),
    [
        ("3.0", 3, 3, "", ""),
        ("3.0", 1, 3, DEFAULT_NOT_REPLACEABLE, ""),
        ("3.0", 0, 0, DEFAULT_NOT_REPLACEABLE, ""),
        ("2.2", 0, 3, "", ""),
        ("2.1", 0, 0, "", DEFAULT_NOT_REPLACEABLE),
    ],
)
def test_set_default_queue_is_rejected_if_device_cannot_replace_it(
    version: str, capabilities: int, own: int, musts: str, mays: str
) -> None:
    of = set_up_queues(version=version, own=own)
    of.roots[0].facts["CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"] = capabilities
    context = of.model.context(CONTEXT)
    queue = DeviceQueue("queue1", context=context, queue_device=of.roots[0])
    of.model.add(queue)
    assert get_condition_ids(of.expect(SET_DEFAULT, CONTEXT, of.device, QUEUE)) == (musts, mays)


@pytest.mark.parametrize(("most", "musts"), [(0, DEFAULT_NOT_REPLACEABLE), (1, ""), (None, "")])
def test_set_default_queue_on_device_without_device_queues_is_rejected(most: int | None, musts: str) -> None:
    of = set_up_queues(version="3.0")
    facts = of.roots[0].facts
    facts.pop("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", None)
    facts["CL_DEVICE_MAX_ON_DEVICE_QUEUES"] = most
    of.model.add(DeviceQueue("queue1", context=of.model.context(CONTEXT), queue_device=of.roots[0]))
    assert get_condition_ids(of.expect(SET_DEFAULT, CONTEXT, of.device, QUEUE)) == (
        musts,
        "" if musts else DEFAULT_NOT_REPLACEABLE,
    )


def test_set_default_queue_with_invalid_queue_is_rejected() -> None:
    of = set_up_queues()
    context = of.model.context(CONTEXT)
    context.devices = of.roots
    own = DeviceQueue("queue1", context=context, queue_device=of.roots[0])
    other = Context("context2", devices=of.roots)
    of.model.add(own)
    of.model.add(HostQueue("queue2", context=context, queue_device=of.roots[0]))
    of.model.add(DeviceQueue("queue3", context=context, queue_device=of.roots[1]))
    of.model.add(DeviceQueue("queue4", context=other, queue_device=of.roots[0]))
    for name, musts, mays in (
        (None, INVALID_DEFAULT_QUEUE, ""),
        ("queue1", "", ""),
        ("queue2", "", INVALID_DEFAULT_QUEUE),
        ("queue3", INVALID_DEFAULT_QUEUE, ""),
        ("queue4", "", f"{INVALID_DEFAULT_QUEUE} {OTHER_CONTEXT}"),
    ):
        assert get_condition_ids(of.expect(SET_DEFAULT, CONTEXT, of.device, Handle(name) if name else None)) == (
            musts,
            mays,
        ), name


@pytest.mark.parametrize(
    ("capabilities", "mays"), [(3, ""), (1, DEFAULT_NOT_REPLACEABLE), (0, DEFAULT_NOT_REPLACEABLE)]
)
def test_set_default_queue_of_null_device_may_return_invalid_operation(capabilities: int, mays: str) -> None:
    of = set_up_queues()
    for device in of.roots:
        device.facts["CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"] = capabilities
    create_queue(of, "queue1", BY_LIST, of.create_list(BITS, DEVICE_QUEUE_BITS, 0), OutputBuffer(1))
    assert get_condition_ids(of.expect(SET_DEFAULT, CONTEXT, None, QUEUE)) == (
        "clSetDefaultDeviceCommandQueue/CL_INVALID_DEVICE/1",
        mays,
    )


@pytest.mark.parametrize(
    ("queue", "query", "expected"),
    [
        ("queue1", "CL_QUEUE_REFERENCE_COUNT", ("", "")),
        ("queue1", "CL_QUEUE_SIZE", (INVALID_QUEUE_FOR_QUERY, "")),
        ("queue2", "CL_QUEUE_SIZE", ("", "")),
        ("queue3", "CL_QUEUE_SIZE", ("", "")),
        ("context1", "CL_QUEUE_REFERENCE_COUNT", ("", INVALID_QUEUE_FOR_QUERY)),
        (None, "CL_QUEUE_REFERENCE_COUNT", (INVALID_QUEUE_FOR_QUERY, "")),
    ],
)
def test_query_for_device_queues_on_host_queue_is_rejected(
    queue: str | None, query: str, expected: tuple[str, str]
) -> None:
    """The kind of the third queue is unknown, so no error is expected for it."""
    of = set_up_queues()
    for number, kind in enumerate((HostQueue, DeviceQueue, CommandQueue), 1):
        of.model.add(kind(f"queue{number}", context=of.model.context(CONTEXT), queue_device=of.roots[0]))
    about = Handle(queue) if queue else None
    assert (
        get_condition_ids(
            of.expect("clGetCommandQueueInfo", about, of.value(query), 64, OutputBuffer(64), OutputBuffer(1))
        )
        == expected
    )


def judge_default_queue(of: OracleSetup, queue: str, answer: str | None) -> str:
    """Return the verdict on the default queue that a query of a queue returns."""
    query = "CL_QUEUE_DEVICE_DEFAULT"
    call = of.call("clGetCommandQueueInfo", Handle(queue), of.value(query), 8, OutputBuffer(8), OutputBuffer(1))
    outputs = {"param_value": Output([answer], 8), "param_value_size_ret": Output([8], 8)}
    return dict(of.oracle.judge(of.oracle.expect(call), Returned(0, outputs)).evidence)[query]


def test_default_queue_query_must_return_the_current_default_queue() -> None:
    of = set_up_queues()
    default = of.create_list(BITS, DEVICE_QUEUE_BITS | DEFAULT, 0)
    create_queue(of, "queue1", BY_BITS, 0, OutputBuffer(1))
    assert judge_default_queue(of, "queue1", None) == "conforms"
    first = create_queue(of, "queue2", BY_LIST, default, OutputBuffer(1))
    assert judge_default_queue(of, "queue1", "queue2") == "conforms"
    assert judge_default_queue(of, "queue1", None) == "deviates"
    create_queue(of, "queue2", BY_LIST, default, OutputBuffer(1))
    assert first.references == 2
    another = Returned("queue9", {"errcode_ret": Output([0], 4)})
    assert of.oracle.judge(of.expect(BY_LIST, CONTEXT, of.device, default, OutputBuffer(1)), another).deviations
    create_queue(of, "queue3", BY_LIST, of.create_list(BITS, DEVICE_QUEUE_BITS, 0), OutputBuffer(1))
    assert judge_default_queue(of, "queue3", "queue2") == "conforms"
    of.oracle.judge(of.expect(SET_DEFAULT, CONTEXT, of.device, Handle("queue3")), Returned(0))
    assert judge_default_queue(of, "queue1", "queue3") == "conforms"


@pytest.mark.parametrize(("elements", "size"), [((), PREFERRED_SIZE), ((SIZE, 4096), 4096), ((SIZE, 1 << 32), None)])
def test_model_of_device_queue_has_given_or_preferred_size(elements: tuple[str | int, ...], size: int | None) -> None:
    of = set_up_queues()
    queue = create_queue(of, "queue1", BY_LIST, of.create_list(BITS, DEVICE_QUEUE_BITS, *elements, 0), OutputBuffer(1))
    assert isinstance(queue, DeviceQueue)
    assert queue.size == size
