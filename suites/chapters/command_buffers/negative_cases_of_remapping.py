"""Command-buffers remapped to other queues (section 5.17.6): variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.suites.chapters.command_buffers.negative_cases import (
    DEVICE_SIDE,
    create_queues_on_a_sub_device,
    create_queues_on_two_devices,
    list_one_queue,
    list_queues,
)
from clconform.suites.chapters.command_buffers.update_lists import record_updatable
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.kit.queues import PROFILING
from clconform.suites.kit.queues import RECORDING_FLAGS as FLAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()


@variations.declare("clRemapCommandBufferKHR/CL_INVALID_VALUE/2")
def mismatched_numbers_of_queues() -> Iterator[Variation]:
    """Yield two queues for a command-buffer with one queue."""
    yield Variation(
        "two queues", lambda kit, _given: list_queues(kit.command_buffer_queue(), kit.command_buffer_queue())
    )


@variations.declare("clRemapCommandBufferKHR/CL_INVALID_VALUE/3")
def inconsistent_handle_lists() -> Iterator[Variation]:
    """Yield a number of handles with NULL for one or both lists, and lists with the number 0."""
    yield Variation("num_handles=1 with NULL", {"num_handles": 1})
    yield Variation("handles_ret alone", {"handles_ret": OutputBuffer(1)})
    yield Variation("num_handles=1 with handles_ret alone", {"num_handles": 1, "handles_ret": OutputBuffer(1)})
    yield Variation("num_handles=1 with handles alone", _with_handles_only)


def _with_handles_only(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, command = record_updatable(kit)
    return {"command_buffer": buffer, "num_handles": 1, "handles": ElementList((command,))}


@variations.declare("clRemapCommandBufferKHR/CL_INVALID_VALUE/4")
def foreign_handles() -> Iterator[Variation]:
    """Yield NULL in the list of handles, and the handle of another command-buffer's command."""
    yield Variation("{NULL}", {"num_handles": 1, "handles": ElementList((None,)), "handles_ret": OutputBuffer(1)})
    yield Variation("a handle of another command-buffer", _with_foreign_handle)


def _with_foreign_handle(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"num_handles": 1, "handles": ElementList((record_updatable(kit)[1],)), "handles_ret": OutputBuffer(1)}


@variations.declare("clRemapCommandBufferKHR/CL_INVALID_CONTEXT/1")
def queues_of_another_context() -> Iterator[Variation]:
    """Yield a queue of another context."""
    yield Variation(
        "a queue of another context", lambda kit, _given: list_one_queue(kit.foreign.command_buffer_queue())
    )


@variations.declare("clRemapCommandBufferKHR/CL_INVALID_OPERATION/1")
def unsupported_remapping() -> Iterator[Variation]:
    """Yield the valid call, which fails where the platform does not support remapping."""
    yield Variation("to a queue like its own", {})


@variations.declare("clRemapCommandBufferKHR/CL_INVALID_OPERATION/2")
def unsupported_automatic_remapping() -> Iterator[Variation]:
    """Yield a call with the flag for automatic remapping. It must fail where the platform does not support the flag."""
    yield Variation("automatic=CL_TRUE", {"automatic": 1})


@variations.declare("clRemapCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def incompatible_queues() -> Iterator[Variation]:
    """Yield queues that clCreateCommandBufferKHR rejects: on two devices, or without required properties."""
    yield Variation("queues of two devices", bind_values(_with_queues_of_devices, create_queues_on_two_devices))
    yield Variation(
        "queues of a device and a part of it", bind_values(_with_queues_of_devices, create_queues_on_a_sub_device)
    )
    yield Variation(
        "queues of a device and a part of it, device-side",
        bind_values(_with_queues_of_devices, create_queues_on_a_sub_device, DEVICE_SIDE),
    )
    yield Variation("a queue without properties", lambda kit, _given: list_one_queue(kit.new_queue()))


def _with_queues_of_devices(
    kit: Kit, _given: Arguments, queues: Callable[[Kit], tuple[Kit, tuple[Handle, Handle]]], *flags: str
) -> dict[str, Value]:
    """Remap a command-buffer with one queue to queues of two devices."""
    both, listed = queues(kit)
    made = both.finalized_command_buffer(kit.property_list(FLAGS, *flags) if flags else None)
    return {**list_queues(*listed), "command_buffer": made, "automatic": 1}


@variations.declare("clRemapCommandBufferKHR/success")
def valid_remappings() -> Iterator[Variation]:
    """Yield valid remappings.

    They remap a command-buffer in the recording state, remap to a queue with profiling, let the implementation choose
    the queues, or request the handle of a remapped command.
    """
    yield Variation("while it records", lambda kit, _given: {"command_buffer": kit.command_buffer()})
    yield Variation(
        "to a queue with profiling",
        lambda kit, _given: list_one_queue(kit.command_buffer_queue(extra_properties=kit.constant(PROFILING))),
    )
    yield Variation("automatic", {"automatic": 1})
    yield Variation("automatic, to two queues", _with_two_queues)
    yield Variation("with a handle", _with_handle)


def _with_two_queues(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"automatic": 1, **list_queues(kit.command_buffer_queue(), kit.command_buffer_queue())}


def _with_handle(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, command = record_updatable(kit)
    listed: dict[str, Value] = {"num_handles": 1, "handles": ElementList((command,)), "handles_ret": OutputBuffer(1)}
    return {"command_buffer": buffer, **listed}
