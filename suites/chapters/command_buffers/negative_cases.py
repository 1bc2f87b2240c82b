"""Creation, finalization and enqueue of command-buffers (sections 5.17.3 and 5.17.4): variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.common.command_buffer_cases import create_for_two_queues, first_queue
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.events import UserEventGate
from clconform.suites.kit.queues import PROFILING, REQUIRED_PROPERTIES
from clconform.suites.kit.queues import RECORDING_FLAGS as FLAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()

CREATE, ENQUEUE = "clCreateCommandBufferKHR", "clEnqueueCommandBufferKHR"
SIMULTANEOUS, DEVICE_SIDE = "CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR", "CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR"
MUTABLE = "CL_COMMAND_BUFFER_MUTABLE_KHR"
ASSERTS = "CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR"
NO_MORE_GROUPS = "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR"
CAPABILITIES = "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR"


def has_capability(kit: Kit, capability: str) -> bool:
    """Return whether the device reports a command-buffer capability."""
    bit = kit.cl.tables.enumerants.get(f"CL_COMMAND_BUFFER_CAPABILITY_{capability}_KHR")
    return bit is not None and bool((kit.cl.fact(CAPABILITIES) or 0) & bit.value)


def _properties(kit: Kit, _given: Arguments, *elements: str | int) -> dict[str, Value]:
    return {"properties": kit.property_list(*elements)}


# creation


@variations.declare("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def unsupported_out_of_order_queues() -> Iterator[Variation]:
    """Yield an out-of-order queue, for a device that does not support out-of-order command-buffers."""
    yield Variation(
        "a queue out of order",
        lambda kit, _given: list_one_queue(kit.command_buffer_queue(extra_properties=kit.out_of_order_bits())),
    )


@variations.declare("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2")
def queues_without_required_properties() -> Iterator[Variation]:
    """Yield a queue without properties, where the device requires some properties for command-buffers."""
    yield Variation("a queue without properties", lambda kit, _given: list_one_queue(kit.new_queue()))


def list_one_queue(queue: Handle) -> dict[str, Value]:
    """Return the arguments that pass one queue as the list of queues."""
    return {"num_queues": 1, "queues": ElementList((queue,))}


@variations.declare("clCreateCommandBufferKHR/CL_INVALID_CONTEXT/1")
def queues_of_several_contexts() -> Iterator[Variation]:
    """Yield queues of two contexts."""
    yield Variation("queues of two contexts", _with_queues_of_two_contexts)


def _with_queues_of_two_contexts(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return list_queues(kit.command_buffer_queue(), kit.foreign.command_buffer_queue())


def list_queues(*queues: Handle) -> dict[str, Value]:
    """Return the arguments that pass these queues as the list of queues."""
    return {"num_queues": len(queues), "queues": ElementList(queues)}


@variations.declare("clCreateCommandBufferKHR/CL_INVALID_VALUE/1")
def invalid_numbers_of_queues() -> Iterator[Variation]:
    """Yield an empty list of queues, and two queues."""
    yield Variation("num_queues=0", {"num_queues": 0})
    yield Variation(
        "num_queues=2", lambda kit, _given: list_queues(kit.command_buffer_queue(), kit.command_buffer_queue())
    )


@variations.declare("clCreateCommandBufferKHR/CL_INVALID_VALUE/3")
def invalid_properties() -> Iterator[Variation]:
    """Yield property lists with an unknown name, with unknown flags, and with a repeated name."""
    yield Variation("an unknown name", bind_values(_properties, 0x7FFF0001, 0))
    yield Variation("an unknown flag", bind_values(_properties, FLAGS, 1 << 62))
    yield Variation("an unknown flag with a known one", bind_values(_properties, FLAGS, 1 << 62 | 1))
    yield Variation("the flags twice", bind_values(_properties, FLAGS, 0, FLAGS, 0))
    yield Variation("an unknown assertion", bind_values(_properties, ASSERTS, 1 << 62))


@variations.declare("clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1")
def unsupported_properties() -> Iterator[Variation]:
    """Yield the flag for simultaneous use, where the device does not support simultaneous use."""
    yield Variation(SIMULTANEOUS, bind_values(_properties, FLAGS, SIMULTANEOUS))


@variations.declare("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3")
def several_queues_of_a_device() -> Iterator[Variation]:
    """Yield a list of two queues, for a device that supports only one queue, and a list with one queue twice."""
    yield Variation(
        "two queues", lambda kit, _given: list_queues(kit.command_buffer_queue(), kit.command_buffer_queue())
    )
    yield Variation("one queue twice", lambda kit, _given: list_queues(*(kit.command_buffer_queue(),) * 2))


def create_queues_on_two_devices(kit: Kit) -> tuple[Kit, tuple[Handle, Handle]]:
    """Return a kit with a context of two devices, and a queue on each device."""
    others = [each for each in kit.other_devices if kit.cl.fact("CL_DEVICE_AVAILABLE", each)]
    skip_unless(others, "the platform has no other device")
    return _create_queues_on(kit, others[0])


def create_queues_on_a_sub_device(kit: Kit) -> tuple[Kit, tuple[Handle, Handle]]:
    """Return a kit with a context of the device and a sub-device of it, and a queue on each of them."""
    return _create_queues_on(kit, create_sub_device(kit.cl, CORE_ENTRY), kit.cl.fact(REQUIRED_PROPERTIES) or 0)


def _create_queues_on(kit: Kit, other: Handle, bits: int = 0) -> tuple[Kit, tuple[Handle, Handle]]:
    """Return a kit with a context of the device and ``other``, and a queue on each.

    ``bits``: additional properties of the queue on ``other``.
    """
    both = kit.for_context(kit.new_context(kit.cl.device, other))
    return both, (both.command_buffer_queue(), both.command_buffer_queue(other, bits))


def _with_queues_of_two_devices(
    kit: Kit, _given: Arguments, queues: Callable[[Kit], tuple[Kit, tuple[Handle, Handle]]], *elements: str | int
) -> dict[str, Value]:
    """List queues of two devices in one context.

    ``queues``: returns the kit and the queues. ``elements``: the property list; NULL if empty.
    """
    listed = kit.property_list(*elements) if elements else None
    return {**list_queues(*queues(kit)[1]), "properties": listed}


@variations.declare("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4")
def unsupported_device_side_sync() -> Iterator[Variation]:
    """Yield queues of two devices, with the flag for device-side synchronization."""
    yield Variation(
        "queues of two devices, device-side",
        bind_values(_with_queues_of_two_devices, create_queues_on_two_devices, FLAGS, DEVICE_SIDE),
    )
    yield Variation(
        "queues of a device and a part of it, device-side",
        bind_values(_with_queues_of_two_devices, create_queues_on_a_sub_device, FLAGS, DEVICE_SIDE),
    )


@variations.declare("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5")
def devices_without_common_sync() -> Iterator[Variation]:
    """Yield queues of two devices that may not support a common type of synchronization."""
    yield Variation("queues of two devices", bind_values(_with_queues_of_two_devices, create_queues_on_two_devices))
    yield Variation(
        "queues of a device and a part of it", bind_values(_with_queues_of_two_devices, create_queues_on_a_sub_device)
    )


@variations.declare("clCreateCommandBufferKHR/success")
def valid_creations() -> Iterator[Variation]:
    """Yield valid creation calls: a NULL or empty property list, each supported flag, or other supported queues."""
    yield Variation("properties=NULL", {"properties": None})
    yield Variation("an empty list", bind_values(_properties))
    for name, capability in ((SIMULTANEOUS, "SIMULTANEOUS_USE"), (DEVICE_SIDE, ""), (MUTABLE, "")):
        yield Variation(name, bind_values(_with_flag, name, capability))
    yield Variation("no more work-groups", bind_values(_properties, FLAGS, MUTABLE, ASSERTS, NO_MORE_GROUPS))
    yield Variation("two queues", _with_two_queues)
    yield Variation("a queue out of order", _with_out_of_order_queue)


def _with_flag(kit: Kit, given: Arguments, name: str, capability: str) -> dict[str, Value]:
    skip_unless(not capability or has_capability(kit, capability), f"the device does not support {name}")
    return _properties(kit, given, FLAGS, name)


def _with_two_queues(kit: Kit, _given: Arguments) -> dict[str, Value]:
    skip_unless(has_capability(kit, "MULTIPLE_QUEUE"), "the device does not support several queues")
    return list_queues(kit.command_buffer_queue(), kit.command_buffer_queue())


def _with_out_of_order_queue(kit: Kit, _given: Arguments) -> dict[str, Value]:
    skip_unless(has_capability(kit, "OUT_OF_ORDER"), "the device has no command-buffers out of order")
    return list_one_queue(kit.command_buffer_queue(extra_properties=kit.out_of_order_bits()))


# finalization and enqueue


@variations.declare("clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1")
def already_finalized() -> Iterator[Variation]:
    """Yield an already finalized command-buffer, and a pending one."""
    yield Variation(
        "a command-buffer that is finalized", lambda kit, _given: {"command_buffer": kit.finalized_command_buffer()}
    )
    yield Variation("a command-buffer that is pending", lambda kit, _given: {"command_buffer": _create_pending(kit)})


def _create_pending(kit: Kit) -> Handle:
    """Create a command-buffer with an instance that waits for a user event.

    The user event completes when the example ends.
    """
    buffer = kit.finalized_command_buffer()
    gate = UserEventGate(kit)
    kit.call(ENQUEUE, command_buffer=buffer, **gate.arguments)
    return buffer


@variations.declare("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2")
def pending_instances() -> Iterator[Variation]:
    """Yield a command-buffer with a pending instance; the instance waits for a user event."""
    yield Variation("an instance waits", lambda kit, _given: {"command_buffer": _create_pending(kit)})


@variations.declare("clEnqueueCommandBufferKHR/CL_INVALID_VALUE/2")
def another_number_of_queues() -> Iterator[Variation]:
    """Yield two queues for a command-buffer with one queue, and one queue for a command-buffer with two."""
    yield Variation(
        "its queue twice", lambda kit, given: list_queues(*(first_queue(kit, given["command_buffer"]),) * 2)
    )
    yield Variation("one for two", _with_one_of_two_queues)


def _with_one_of_two_queues(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, first, _ = create_for_two_queues(kit)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **list_one_queue(first)}


@variations.declare("clEnqueueCommandBufferKHR/CL_INVALID_COMMAND_QUEUE/1")
def null_queues() -> Iterator[Variation]:
    """Yield a list of queues that contains NULL."""
    yield Variation("{NULL}", {"num_queues": 1, "queues": ElementList((None,))})


@variations.declare("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def incompatible_queues() -> Iterator[Variation]:
    """Yield queues with an additional property, and a queue on another device."""
    yield Variation(
        "a queue with profiling",
        lambda kit, _given: list_one_queue(kit.command_buffer_queue(extra_properties=kit.constant(PROFILING))),
    )
    yield Variation(
        "a queue out of order",
        lambda kit, _given: list_one_queue(kit.command_buffer_queue(extra_properties=kit.out_of_order_bits())),
    )
    yield Variation("a queue on another device", _with_queue_on_another_device)


def _with_queue_on_another_device(kit: Kit, _given: Arguments) -> dict[str, Value]:
    both, (_, other) = create_queues_on_two_devices(kit)
    return {"command_buffer": both.finalized_command_buffer(), **list_one_queue(other)}


@variations.declare("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/3")
def not_executable() -> Iterator[Variation]:
    """Yield a command-buffer in the recording state."""
    yield Variation("a command-buffer that records", lambda kit, _given: {"command_buffer": kit.command_buffer()})


@variations.declare("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2")
def unsupported_queue_properties() -> Iterator[Variation]:
    """Yield an out-of-order queue, for a device that does not support out-of-order command-buffers."""
    yield Variation("a queue out of order", _with_unsupported_out_of_order_queue)


def _with_unsupported_out_of_order_queue(kit: Kit, _given: Arguments) -> dict[str, Value]:
    supported, bits = kit.cl.fact("CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR"), kit.out_of_order_bits()
    skip_unless(isinstance(supported, int) and bits & ~supported, "the device supports queues out of order")
    return list_one_queue(kit.command_buffer_queue(extra_properties=bits))


@variations.declare("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3")
def missing_queue_properties() -> Iterator[Variation]:
    """Yield a queue without properties, where the device requires some properties for command-buffers."""
    yield Variation("a queue without properties", _with_plain_queue)


def _with_plain_queue(kit: Kit, _given: Arguments) -> dict[str, Value]:
    required = kit.cl.fact("CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR")
    skip_unless(required, "the device requires no properties of queues")
    return list_one_queue(kit.new_queue())


@variations.declare("clEnqueueCommandBufferKHR/CL_INVALID_DEVICE/1")
def queues_on_another_device() -> Iterator[Variation]:
    """Yield a queue on another device."""
    yield Variation("a queue on another device", _with_queue_on_another_device)


@variations.declare("clEnqueueCommandBufferKHR/CL_INVALID_CONTEXT/1")
def queues_of_another_context() -> Iterator[Variation]:
    """Yield a queue of another context."""
    yield Variation(
        "a queue of another context", lambda kit, _given: list_one_queue(kit.foreign.command_buffer_queue())
    )


@variations.declare("clEnqueueCommandBufferKHR/success")
def valid_enqueues() -> Iterator[Variation]:
    """Yield enqueues on the command-buffer's own queue, another queue, or two queues, and without an event output."""
    yield Variation("its own queue", lambda kit, given: list_one_queue(first_queue(kit, given["command_buffer"])))
    yield Variation("another queue", lambda kit, _given: list_one_queue(kit.command_buffer_queue()))
    yield Variation("two queues", _with_both_queues)
    yield Variation("two queues in the other order", _with_exchanged_queues)
    yield Variation("event=NULL", {"event": None})


def _with_both_queues(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, first, second = create_for_two_queues(kit)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **list_queues(first, second)}


def _with_exchanged_queues(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, first, second = create_for_two_queues(kit)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **list_queues(second, first)}
