"""Creation, finalization and enqueue of command-buffers (sections 5.17.3 and 5.17.4): variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.events import Gate
from clconform.suites.kit.queues import PROFILING, REQUIRED
from clconform.suites.kit.queues import RECORDING_FLAGS as FLAGS
from clconform.suites.recurring.variations_of_command_buffers import of_two_queues, own_queue
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()

CREATE, ENQUEUE = "clCreateCommandBufferKHR", "clEnqueueCommandBufferKHR"
SIMULTANEOUS, DEVICE_SIDE = "CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR", "CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR"
MUTABLE = "CL_COMMAND_BUFFER_MUTABLE_KHR"
ASSERTS = "CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR"
NO_MORE_GROUPS = "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR"
CAPABILITIES = "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR"


def can(kit: Kit, capability: str) -> bool:
    """Return whether the device reports a command-buffer capability."""
    bit = kit.cl.tables.enumerants.get(f"CL_COMMAND_BUFFER_CAPABILITY_{capability}_KHR")
    return bit is not None and bool((kit.cl.fact(CAPABILITIES) or 0) & bit.value)


def _properties(kit: Kit, _given: Arguments, *elements: str | int) -> dict[str, Value]:
    return {"properties": kit.listed(*elements)}


# creation


@variations.of("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def out_of_order() -> Iterator[Variation]:
    """Yield an out-of-order queue, where the device does not support one for command-buffers."""
    yield Variation(
        "a queue out of order", lambda kit, _given: one_queue(kit.plain_queue(more=kit.out_of_order_bits()))
    )


@variations.of("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2")
def without_required_properties() -> Iterator[Variation]:
    """Yield a queue without properties, where the device requires some."""
    yield Variation("a queue without properties", lambda kit, _given: one_queue(kit.new_queue()))


def one_queue(queue: Handle) -> dict[str, Value]:
    """Return the arguments that list one queue."""
    return {"num_queues": 1, "queues": Items((queue,))}


@variations.of("clCreateCommandBufferKHR/CL_INVALID_CONTEXT/1")
def queues_of_several_contexts() -> Iterator[Variation]:
    """Yield queues of two contexts."""
    yield Variation("queues of two contexts", _of_two_contexts)


def _of_two_contexts(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return several(kit.plain_queue(), kit.foreign.plain_queue())


def several(*queues: Handle) -> dict[str, Value]:
    """Return the arguments that list queues."""
    return {"num_queues": len(queues), "queues": Items(queues)}


@variations.of("clCreateCommandBufferKHR/CL_INVALID_VALUE/1")
def wrong_numbers_of_queues() -> Iterator[Variation]:
    """Yield an empty list of queues, and two queues."""
    yield Variation("num_queues=0", {"num_queues": 0})
    yield Variation("num_queues=2", lambda kit, _given: several(kit.plain_queue(), kit.plain_queue()))


@variations.of("clCreateCommandBufferKHR/CL_INVALID_VALUE/3")
def invalid_properties() -> Iterator[Variation]:
    """Yield an unknown name, unknown flags, and a repeated name."""
    yield Variation("an unknown name", bound(_properties, 0x7FFF0001, 0))
    yield Variation("an unknown flag", bound(_properties, FLAGS, 1 << 62))
    yield Variation("an unknown flag beside a known one", bound(_properties, FLAGS, 1 << 62 | 1))
    yield Variation("the flags twice", bound(_properties, FLAGS, 0, FLAGS, 0))
    yield Variation("an unknown assertion", bound(_properties, ASSERTS, 1 << 62))


@variations.of("clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1")
def unsupported_properties() -> Iterator[Variation]:
    """Yield simultaneous use, where the device does not support it."""
    yield Variation(SIMULTANEOUS, bound(_properties, FLAGS, SIMULTANEOUS))


@variations.of("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3")
def several_queues_of_a_device() -> Iterator[Variation]:
    """Yield two queues of a device that supports only one, and one queue twice."""
    yield Variation("two queues", lambda kit, _given: several(kit.plain_queue(), kit.plain_queue()))
    yield Variation("one queue twice", lambda kit, _given: several(*(kit.plain_queue(),) * 2))


def on_two_devices(kit: Kit) -> tuple[Kit, tuple[Handle, Handle]]:
    """Return a kit with a context of two devices, and a queue on each device."""
    others = [each for each in kit.other_devices if kit.cl.fact("CL_DEVICE_AVAILABLE", each)]
    needs(others, "the platform has no other device")
    return _beside(kit, others[0])


def on_a_part(kit: Kit) -> tuple[Kit, tuple[Handle, Handle]]:
    """Return a kit with a context of the device and its sub-device, and a queue on each of them."""
    return _beside(kit, part(kit.cl, CORE_ENTRY), kit.cl.fact(REQUIRED) or 0)


def _beside(kit: Kit, other: Handle, bits: int = 0) -> tuple[Kit, tuple[Handle, Handle]]:
    """Return a kit with a context of the device and another one, and a queue on each.

    ``bits``: additional properties of the other device's queue.
    """
    both = kit.within(kit.new_context(kit.cl.device, other))
    return both, (both.plain_queue(), both.plain_queue(other, bits))


def _of_two_devices(
    kit: Kit, _given: Arguments, queues: Callable[[Kit], tuple[Kit, tuple[Handle, Handle]]], *elements: str | int
) -> dict[str, Value]:
    """List queues of two devices in one context."""
    listed = kit.listed(*elements) if elements else None
    return {**several(*queues(kit)[1]), "properties": listed}


@variations.of("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4")
def only_by_the_devices_themselves() -> Iterator[Variation]:
    """Yield queues of two devices with device-side synchronization."""
    yield Variation("queues of two devices, device-side", bound(_of_two_devices, on_two_devices, FLAGS, DEVICE_SIDE))
    yield Variation(
        "queues of a device and a part of it, device-side", bound(_of_two_devices, on_a_part, FLAGS, DEVICE_SIDE)
    )


@variations.of("clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5")
def devices_out_of_step() -> Iterator[Variation]:
    """Yield queues of two devices."""
    yield Variation("queues of two devices", bound(_of_two_devices, on_two_devices))
    yield Variation("queues of a device and a part of it", bound(_of_two_devices, on_a_part))


@variations.of("clCreateCommandBufferKHR/success")
def made_otherwise() -> Iterator[Variation]:
    """Yield a NULL and an empty property list, each supported flag, and supported queues."""
    yield Variation("properties=NULL", {"properties": None})
    yield Variation("an empty list", bound(_properties))
    for name, capability in ((SIMULTANEOUS, "SIMULTANEOUS_USE"), (DEVICE_SIDE, ""), (MUTABLE, "")):
        yield Variation(name, bound(_with_flag, name, capability))
    yield Variation("no more work-groups", bound(_properties, FLAGS, MUTABLE, ASSERTS, NO_MORE_GROUPS))
    yield Variation("two queues", _of_two)
    yield Variation("a queue out of order", _of_one_out_of_order)


def _with_flag(kit: Kit, given: Arguments, name: str, capability: str) -> dict[str, Value]:
    needs(not capability or can(kit, capability), f"the device does not support {name}")
    return _properties(kit, given, FLAGS, name)


def _of_two(kit: Kit, _given: Arguments) -> dict[str, Value]:
    needs(can(kit, "MULTIPLE_QUEUE"), "the device does not support several queues")
    return several(kit.plain_queue(), kit.plain_queue())


def _of_one_out_of_order(kit: Kit, _given: Arguments) -> dict[str, Value]:
    needs(can(kit, "OUT_OF_ORDER"), "the device has no command-buffers out of order")
    return one_queue(kit.plain_queue(more=kit.out_of_order_bits()))


# finalization and enqueue


@variations.of("clFinalizeCommandBufferKHR/CL_INVALID_OPERATION/1")
def finalized_before() -> Iterator[Variation]:
    """Yield an already finalized command-buffer, and a pending one."""
    yield Variation("a command-buffer that is finalized", lambda kit, _given: {"command_buffer": kit.finalized()})
    yield Variation("a command-buffer that is pending", lambda kit, _given: {"command_buffer": _pending(kit)})


def _pending(kit: Kit) -> Handle:
    """Create a command-buffer with an instance that waits for a user event.

    The user event completes when the example ends.
    """
    buffer = kit.finalized()
    gate = Gate(kit)
    kit.call(ENQUEUE, command_buffer=buffer, **gate.arguments)
    return buffer


@variations.of("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/2")
def pending() -> Iterator[Variation]:
    """Yield a command-buffer with an instance that waits for a user event."""
    yield Variation("an instance waits", lambda kit, _given: {"command_buffer": _pending(kit)})


@variations.of("clEnqueueCommandBufferKHR/CL_INVALID_VALUE/2")
def another_number_of_queues() -> Iterator[Variation]:
    """Yield two queues for a command-buffer with one queue, and one queue for a command-buffer with two."""
    yield Variation("its queue twice", lambda kit, given: several(*(own_queue(kit, given["command_buffer"]),) * 2))
    yield Variation("one for two", _one_for_two)


def _one_for_two(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, first, _ = of_two_queues(kit)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **one_queue(first)}


@variations.of("clEnqueueCommandBufferKHR/CL_INVALID_COMMAND_QUEUE/1")
def no_queue() -> Iterator[Variation]:
    """Yield a list that contains NULL."""
    yield Variation("{NULL}", {"num_queues": 1, "queues": Items((None,))})


@variations.of("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def incompatible() -> Iterator[Variation]:
    """Yield queues with another property, and a queue on another device."""
    yield Variation("a queue with profiling", lambda kit, _given: one_queue(kit.plain_queue(more=kit.value(PROFILING))))
    yield Variation(
        "a queue out of order", lambda kit, _given: one_queue(kit.plain_queue(more=kit.out_of_order_bits()))
    )
    yield Variation("a queue on another device", _on_another)


def _on_another(kit: Kit, _given: Arguments) -> dict[str, Value]:
    both, (_, other) = on_two_devices(kit)
    return {"command_buffer": both.finalized(), **one_queue(other)}


@variations.of("clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/3")
def not_executable() -> Iterator[Variation]:
    """Yield a command-buffer in the recording state."""
    yield Variation("a command-buffer that records", lambda kit, _given: {"command_buffer": kit.command_buffer()})


@variations.of("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2")
def with_unsupported_properties() -> Iterator[Variation]:
    """Yield an out-of-order queue, where the device does not support one for command-buffers."""
    yield Variation("a queue out of order", _out_of_order_unsupported)


def _out_of_order_unsupported(kit: Kit, _given: Arguments) -> dict[str, Value]:
    supported, bits = kit.cl.fact("CL_DEVICE_COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES_KHR"), kit.out_of_order_bits()
    needs(isinstance(supported, int) and bits & ~supported, "the device supports queues out of order")
    return one_queue(kit.plain_queue(more=bits))


@variations.of("clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3")
def enqueued_without_required_properties() -> Iterator[Variation]:
    """Yield a queue without properties, where the device requires some for command-buffers."""
    yield Variation("a queue without properties", _without_properties)


def _without_properties(kit: Kit, _given: Arguments) -> dict[str, Value]:
    required = kit.cl.fact("CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR")
    needs(required, "the device requires no properties of queues")
    return one_queue(kit.new_queue())


@variations.of("clEnqueueCommandBufferKHR/CL_INVALID_DEVICE/1")
def on_another_device() -> Iterator[Variation]:
    """Yield a queue on another device."""
    yield Variation("a queue on another device", _on_another)


@variations.of("clEnqueueCommandBufferKHR/CL_INVALID_CONTEXT/1")
def of_another_context() -> Iterator[Variation]:
    """Yield a queue of another context."""
    yield Variation("a queue of another context", lambda kit, _given: one_queue(kit.foreign.plain_queue()))


@variations.of("clEnqueueCommandBufferKHR/success")
def enqueued_otherwise() -> Iterator[Variation]:
    """Yield its own queue, another queue like it, two queues, and a NULL event."""
    yield Variation("its own queue", lambda kit, given: one_queue(own_queue(kit, given["command_buffer"])))
    yield Variation("another queue", lambda kit, _given: one_queue(kit.plain_queue()))
    yield Variation("two queues", _two_queues)
    yield Variation("two queues in the other order", _exchanged)
    yield Variation("event=NULL", {"event": None})


def _two_queues(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, first, second = of_two_queues(kit)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **several(first, second)}


def _exchanged(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, first, second = of_two_queues(kit)
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **several(second, first)}
