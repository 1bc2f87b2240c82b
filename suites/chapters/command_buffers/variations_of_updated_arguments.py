"""Arguments of recorded launches updated (section 5.17.7) to what the functions that set arguments refuse."""

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
    """Record a launch of the kernel whose argument is to be set, with right arguments, and update that one."""
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
    """Set every argument of a kernel to what is right for it."""
    for parameter in PARAMETERS[kernel.function]:
        place = Place(kernel.function, parameter.name)
        kit.call(SET, **given(kit, place, right(kit, place)))


def value_of(wanted: Arguments) -> Handle | Inside | Data | HandleBytes | None:
    """Return the value of an argument as an update may hold it; None for all others."""
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
    """Yield updates of an argument to what the function that sets it refuses."""
    for each in lent:
        yield Variation(f"updated: {each.boundary}", bound(_updated, each, function))


@variations.of(f"{VIA}/{SET}/CL_INVALID_MEM_OBJECT/1")
def no_memory_objects() -> Iterator[Variation]:
    """Yield updates to what is no memory object."""
    yield from _of(of_arguments.no_memory_objects())


@variations.of(f"{VIA}/{SET}/CL_INVALID_MEM_OBJECT/2")
def no_depth_images() -> Iterator[Variation]:
    """Yield updates of a depth image to another image."""
    yield from _of(of_arguments.no_depth_images())


@variations.of(f"{VIA}/{SET}/CL_INVALID_SAMPLER/1")
def no_samplers() -> Iterator[Variation]:
    """Yield updates to what is no sampler."""
    yield from _of(of_arguments.no_samplers())


@variations.of(f"{VIA}/{SET}/CL_INVALID_DEVICE_QUEUE/1")
def no_device_queues() -> Iterator[Variation]:
    """Yield updates to what is no queue on a device."""
    yield from _of(of_arguments.no_device_queues())


@variations.of(f"{VIA}/{SET}/CL_INVALID_ARG_SIZE/1")
def other_sizes() -> Iterator[Variation]:
    """Yield updates with another size than that of the parameter."""
    yield from _of(of_arguments.other_sizes())


@variations.of(f"{VIA}/{SET}/CL_INVALID_ARG_VALUE/1")
def invalid_values() -> Iterator[Variation]:
    """Yield updates with a value that the parameter cannot have."""
    yield from _of(of_arguments.invalid_values())


@variations.of(f"{VIA}/{SET}/CL_INVALID_ARG_VALUE/2")
def images_without_the_access() -> Iterator[Variation]:
    """Yield updates to images without the access that the kernel declares."""
    yield from _of(of_arguments.images_without_the_access())


@variations.of(f"{VIA}/{SET}/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1", f"{VIA}/clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1")
def large_memory() -> Iterator[Variation]:
    """Yield updates of local memory to more than a device has."""
    yield from _of(of_arguments.large_memory())


@variations.of(f"{VIA}/{SET_POINTER}/CL_INVALID_ARG_VALUE/1")
def addresses_of_nothing() -> Iterator[Variation]:
    """Yield updates to addresses of no shared memory."""
    yield from _of(of_arguments.addresses_of_nothing(), SET_POINTER)
