"""Command-buffers remapped to other queues (section 5.17.6): variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.suites.chapters.command_buffers.updating import with_command
from clconform.suites.chapters.command_buffers.variations import (
    DEVICE_SIDE,
    on_a_part,
    on_two_devices,
    one_queue,
    several,
)
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.queues import PROFILING
from clconform.suites.kit.queues import RECORDING_FLAGS as FLAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()


@variations.of("clRemapCommandBufferKHR/CL_INVALID_VALUE/2")
def another_number_of_queues() -> Iterator[Variation]:
    """Yield two queues for a command-buffer with one queue."""
    yield Variation("two queues", lambda kit, _given: several(kit.plain_queue(), kit.plain_queue()))


@variations.of("clRemapCommandBufferKHR/CL_INVALID_VALUE/3")
def handles_and_numbers() -> Iterator[Variation]:
    """Yield a number without lists, one list without the other, and lists without a number."""
    yield Variation("num_handles=1 with NULL", {"num_handles": 1})
    yield Variation("handles_ret alone", {"handles_ret": OutputBuffer(1)})
    yield Variation("num_handles=1 with handles_ret alone", {"num_handles": 1, "handles_ret": OutputBuffer(1)})
    yield Variation("num_handles=1 with handles alone", _handles_alone)


def _handles_alone(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, command = with_command(kit)
    return {"command_buffer": buffer, "num_handles": 1, "handles": Items((command,))}


@variations.of("clRemapCommandBufferKHR/CL_INVALID_VALUE/4")
def handles_of_others() -> Iterator[Variation]:
    """Yield NULL, and the handle of a command of another command-buffer."""
    yield Variation("{NULL}", {"num_handles": 1, "handles": Items((None,)), "handles_ret": OutputBuffer(1)})
    yield Variation("a handle of another command-buffer", _of_another)


def _of_another(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"num_handles": 1, "handles": Items((with_command(kit)[1],)), "handles_ret": OutputBuffer(1)}


@variations.of("clRemapCommandBufferKHR/CL_INVALID_CONTEXT/1")
def queues_of_another_context() -> Iterator[Variation]:
    """Yield a queue of another context."""
    yield Variation("a queue of another context", lambda kit, _given: one_queue(kit.foreign.plain_queue()))


@variations.of("clRemapCommandBufferKHR/CL_INVALID_OPERATION/1")
def no_remapping() -> Iterator[Variation]:
    """Yield the valid call, which fails where the platform does not support remapping."""
    yield Variation("to a queue like its own", {})


@variations.of("clRemapCommandBufferKHR/CL_INVALID_OPERATION/2")
def no_automatic_remapping() -> Iterator[Variation]:
    """Yield automatic remapping, which fails where the platform does not support it."""
    yield Variation("automatic=CL_TRUE", {"automatic": 1})


@variations.of("clRemapCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1")
def queues_of_no_command_buffer() -> Iterator[Variation]:
    """Yield queues that a command-buffer cannot be created for: on two devices, or without required properties."""
    yield Variation("queues of two devices", bound(_of_devices, on_two_devices))
    yield Variation("queues of a device and a part of it", bound(_of_devices, on_a_part))
    yield Variation("queues of a device and a part of it, device-side", bound(_of_devices, on_a_part, DEVICE_SIDE))
    yield Variation("a queue without properties", lambda kit, _given: one_queue(kit.new_queue()))


def _of_devices(
    kit: Kit, _given: Arguments, queues: Callable[[Kit], tuple[Kit, tuple[Handle, Handle]]], *flags: str
) -> dict[str, Value]:
    """Remap a command-buffer with one queue to queues of two devices."""
    both, listed = queues(kit)
    made = both.finalized(kit.listed(FLAGS, *flags) if flags else None)
    return {**several(*listed), "command_buffer": made, "automatic": 1}


@variations.of("clRemapCommandBufferKHR/success")
def remapped_otherwise() -> Iterator[Variation]:
    """Yield a recording command-buffer, a queue with other properties, automatic remapping, and handles."""
    yield Variation("while it records", lambda kit, _given: {"command_buffer": kit.command_buffer()})
    yield Variation(
        "to a queue with profiling", lambda kit, _given: one_queue(kit.plain_queue(more=kit.value(PROFILING)))
    )
    yield Variation("automatic", {"automatic": 1})
    yield Variation("automatic, to two queues", _to_two)
    yield Variation("with a handle", _with_a_handle)


def _to_two(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"automatic": 1, **several(kit.plain_queue(), kit.plain_queue())}


def _with_a_handle(kit: Kit, _given: Arguments) -> dict[str, Value]:
    buffer, command = with_command(kit)
    listed: dict[str, Value] = {"num_handles": 1, "handles": Items((command,)), "handles_ret": OutputBuffer(1)}
    return {"command_buffer": buffer, **listed}
