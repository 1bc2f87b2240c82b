"""Argument updates of recorded kernels (section 5.17.7) that the functions for setting arguments reject."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ArgumentUpdate, Data, DispatchConfig, Handle, HandleBytes, Inside
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.own_kernels import PARAMETERS
from clconform.suites.chapters.command_buffers.updating import UPDATE, configs, updatable, with_command
from clconform.suites.chapters.kernels import variations_of_arguments as of_arguments
from clconform.suites.chapters.kernels.making import Place, given, right
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()

VIA, SET, SET_POINTER = f"{UPDATE}/via", "clSetKernelArg", "clSetKernelArgSVMPointer"


def _updated(kit: Kit, _given: Arguments, lent: Variation, function: str) -> dict[str, Value]:
    """Record a kernel with valid arguments, and return an update of one argument.

    ``lent``: a variation of the function that sets the argument. ``function``: the name of that function.
    """
    updatable(kit, "ARGUMENTS")
    usual = kit.arguments(function)
    wanted = {**usual, **lent.of(kit, usual)}
    needs(value_of(wanted) is wanted["arg_value"], "an update holds no such value")
    kernel = kit.cl.model.get(Kernel, wanted["kernel"])
    needs(kernel.function in PARAMETERS, "what arguments the kernel has is not known")
    _set_all(kit, kernel)
    buffer, command = with_command(kit, {"kernel": wanted["kernel"]})
    kit.cl.clFinalizeCommandBufferKHR(buffer)
    return {"command_buffer": buffer, **configs(kit, _config(command, function, wanted))}


def _set_all(kit: Kit, kernel: Kernel) -> None:
    """Set every argument of a kernel to a valid value."""
    for parameter in PARAMETERS[kernel.function]:
        place = Place(kernel.function, parameter.name)
        kit.call(SET, **given(kit, place, right(kit, place)))


def value_of(wanted: Arguments) -> Handle | Inside | Data | HandleBytes | None:
    """Return an argument's value if an update can hold it, else None."""
    value = wanted["arg_value"]
    return value if isinstance(value, Handle | Inside | Data | HandleBytes) else None


def _config(command: Handle, function: str, wanted: Arguments) -> DispatchConfig:
    index = wanted["arg_index"]
    number = index if isinstance(index, int) else 0
    if function == SET_POINTER:
        pointer = ArgumentUpdate(number, 0, value_of(wanted))
        return DispatchConfig(command, num_svm_args=1, work_dim=1, arg_svm_list=(pointer,))
    size = wanted["arg_size"]
    update = ArgumentUpdate(number, size if isinstance(size, int) else 0, value_of(wanted))
    return DispatchConfig(command, num_args=1, work_dim=1, arg_list=(update,))


def _of(lent: Iterator[Variation], function: str = SET) -> Iterator[Variation]:
    """Yield argument updates with the values of another function's variations."""
    for each in lent:
        yield Variation(f"updated: {each.boundary}", bound(_updated, each, function))


@variations.of(f"{VIA}/{SET}/CL_INVALID_MEM_OBJECT/1")
def no_memory_objects() -> Iterator[Variation]:
    """Yield updates to values that are not memory objects."""
    yield from _of(of_arguments.no_memory_objects())


@variations.of(f"{VIA}/{SET}/CL_INVALID_MEM_OBJECT/2")
def no_depth_images() -> Iterator[Variation]:
    """Yield updates of a depth image to another image."""
    yield from _of(of_arguments.no_depth_images())


@variations.of(f"{VIA}/{SET}/CL_INVALID_SAMPLER/1")
def no_samplers() -> Iterator[Variation]:
    """Yield updates to values that are not samplers."""
    yield from _of(of_arguments.no_samplers())


@variations.of(f"{VIA}/{SET}/CL_INVALID_DEVICE_QUEUE/1")
def no_device_queues() -> Iterator[Variation]:
    """Yield updates to values that are not on-device queues."""
    yield from _of(of_arguments.no_device_queues())


@variations.of(f"{VIA}/{SET}/CL_INVALID_ARG_SIZE/1")
def other_sizes() -> Iterator[Variation]:
    """Yield updates with a size that differs from the parameter's size."""
    yield from _of(of_arguments.other_sizes())


@variations.of(f"{VIA}/{SET}/CL_INVALID_ARG_VALUE/1")
def invalid_values() -> Iterator[Variation]:
    """Yield updates with a value that the parameter cannot have."""
    yield from _of(of_arguments.invalid_values())


@variations.of(f"{VIA}/{SET}/CL_INVALID_ARG_VALUE/2")
def images_without_the_access() -> Iterator[Variation]:
    """Yield updates to images that lack the kernel's declared access."""
    yield from _of(of_arguments.images_without_the_access())


@variations.of(f"{VIA}/{SET}/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1", f"{VIA}/clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1")
def large_memory() -> Iterator[Variation]:
    """Yield updates of local memory to more than the device has."""
    yield from _of(of_arguments.large_memory())


@variations.of(f"{VIA}/{SET_POINTER}/CL_INVALID_ARG_VALUE/1")
def addresses_of_nothing() -> Iterator[Variation]:
    """Yield updates to pointers outside any SVM allocation."""
    yield from _of(of_arguments.addresses_of_nothing(), SET_POINTER)
