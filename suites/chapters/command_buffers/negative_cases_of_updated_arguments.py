"""Argument updates of recorded kernels (section 5.17.7) that the functions for setting arguments reject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ArgumentUpdate, Data, DispatchConfig, Handle, HandleBytes, OffsetPointer
from clconform.oracles.model.kernel_registry import PARAMETERS
from clconform.oracles.model.kernels import Kernel
from clconform.suites.chapters.command_buffers.update_lists import (
    get_updatable_bits,
    list_updates,
    record_updatable,
)
from clconform.suites.chapters.kernels import negative_cases_of_arguments as of_arguments
from clconform.suites.chapters.kernels.argument_cases import ArgumentReference, get_valid_value, setter_arguments
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import skip_unless

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()

SET = "clSetKernelArg"
SET_POINTER = "clSetKernelArgSVMPointer"


def _with_updated_argument(kit: Kit, _given: Arguments, variation: Variation, function: str) -> dict[str, Value]:
    """Record a kernel with valid arguments, and return an update of one argument.

    ``variation``: a variation of the function that sets the argument. ``function``: the name of that function.
    """
    get_updatable_bits(kit, "ARGUMENTS")
    usual = kit.valid_arguments(function)
    wanted = {**usual, **variation.changes_for(kit, usual)}
    skip_unless(get_argument_value(wanted) is wanted["arg_value"], "an update holds no such value")
    kernel = kit.cl.model.get(Kernel, wanted["kernel"])
    skip_unless(kernel.function in PARAMETERS, "what arguments the kernel has is not known")
    _set_all_arguments(kit, kernel)
    buffer, command = record_updatable(kit, {"kernel": wanted["kernel"]})
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **list_updates(kit, _config(command, function, wanted))}


def _set_all_arguments(kit: Kit, kernel: Kernel) -> None:
    """Set every argument of a kernel to a valid value."""
    for parameter in PARAMETERS[kernel.function]:
        place = ArgumentReference(kernel.function, parameter.name)
        kit.call(SET, **setter_arguments(kit, place, get_valid_value(kit, place)))


def get_argument_value(wanted: Arguments) -> Handle | OffsetPointer | Data | HandleBytes | None:
    """Return the argument's value in a call of its setter if an update can hold the value, else None."""
    value = wanted["arg_value"]
    return value if isinstance(value, Handle | OffsetPointer | Data | HandleBytes) else None


def _config(command: Handle, function: str, wanted: Arguments) -> DispatchConfig:
    index = wanted["arg_index"]
    number = index if isinstance(index, int) else 0
    if function == SET_POINTER:
        pointer = ArgumentUpdate(number, 0, get_argument_value(wanted))
        return DispatchConfig(command, num_svm_args=1, work_dim=1, arg_svm_list=(pointer,))
    size = wanted["arg_size"]
    update = ArgumentUpdate(number, size if isinstance(size, int) else 0, get_argument_value(wanted))
    return DispatchConfig(command, num_args=1, work_dim=1, arg_list=(update,))


def _updates_from(variations_of_setter: Iterator[Variation], function: str = SET) -> Iterator[Variation]:
    """Yield updates that set arguments to the values in variations of ``function``."""
    for each in variations_of_setter:
        yield Variation(f"updated: {each.test_value}", bind_values(_with_updated_argument, each, function))


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_MEM_OBJECT/1")
def values_that_are_not_memory_objects() -> Iterator[Variation]:
    """Yield updates to values that are not memory objects."""
    yield from _updates_from(of_arguments.values_that_are_not_memory_objects())


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_MEM_OBJECT/2")
def images_that_are_not_depth_images() -> Iterator[Variation]:
    """Yield updates of a depth image argument to an image that is not a depth image."""
    yield from _updates_from(of_arguments.images_that_are_not_depth_images())


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_SAMPLER/1")
def values_that_are_not_samplers() -> Iterator[Variation]:
    """Yield updates to values that are not samplers."""
    yield from _updates_from(of_arguments.values_that_are_not_samplers())


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_DEVICE_QUEUE/1")
def values_that_are_not_device_queues() -> Iterator[Variation]:
    """Yield updates to values that are not on-device queues."""
    yield from _updates_from(of_arguments.values_that_are_not_device_queues())


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_ARG_SIZE/1")
def mismatched_sizes() -> Iterator[Variation]:
    """Yield updates with a size that differs from the parameter's size."""
    yield from _updates_from(of_arguments.mismatched_sizes())


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_ARG_VALUE/1")
def invalid_values() -> Iterator[Variation]:
    """Yield updates to a value that is invalid for the parameter."""
    yield from _updates_from(of_arguments.invalid_values())


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_INVALID_ARG_VALUE/2")
def images_without_declared_access() -> Iterator[Variation]:
    """Yield updates to images that lack the kernel's declared access."""
    yield from _updates_from(of_arguments.images_without_declared_access())


@variations.declare(
    "clUpdateMutableCommandsKHR/via/clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1",
    "clUpdateMutableCommandsKHR/via/clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1",
)
def oversized_local_memory() -> Iterator[Variation]:
    """Yield updates of local memory to more than the device has."""
    yield from _updates_from(of_arguments.oversized_local_memory())


@variations.declare("clUpdateMutableCommandsKHR/via/clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1")
def pointers_outside_svm() -> Iterator[Variation]:
    """Yield updates to pointers outside any SVM allocation."""
    yield from _updates_from(of_arguments.pointers_outside_svm(), SET_POINTER)
