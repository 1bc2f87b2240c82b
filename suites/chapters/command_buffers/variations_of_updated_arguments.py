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
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()

SET, SET_POINTER, RUN = "clSetKernelArg", "clSetKernelArgSVMPointer", "clEnqueueNDRangeKernel"
LENT: dict[str, Callable[[], Iterator[Variation]]] = {
    f"{SET}/CL_INVALID_MEM_OBJECT/1": of_arguments.no_memory_objects,
    f"{SET}/CL_INVALID_MEM_OBJECT/2": of_arguments.no_depth_images,
    f"{SET}/CL_INVALID_SAMPLER/1": of_arguments.no_samplers,
    f"{SET}/CL_INVALID_DEVICE_QUEUE/1": of_arguments.no_device_queues,
    f"{SET}/CL_INVALID_ARG_SIZE/1": of_arguments.other_sizes,
    f"{SET}/CL_INVALID_ARG_VALUE/1": of_arguments.invalid_values,
    f"{SET}/CL_INVALID_ARG_VALUE/2": of_arguments.images_without_the_access,
    f"{SET}/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1": of_arguments.large_memory,
    f"{SET_POINTER}/CL_INVALID_ARG_VALUE/1": of_arguments.addresses_of_nothing,
    f"{RUN}/CL_OUT_OF_RESOURCES/1": of_arguments.large_memory,
}
"""Clause of another function to the variations that break it."""


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


def _declare(clause: str, lent: Callable[[], Iterator[Variation]]) -> None:
    function = SET_POINTER if clause.startswith(SET_POINTER) else SET

    @variations.of(f"{UPDATE}/via/{clause}")
    def updated() -> Iterator[Variation]:
        """Yield updates of an argument to what the function that sets it refuses."""
        for each in lent():
            yield Variation(f"updated: {each.boundary}", bound(_updated, each, function))


for _clause, _lent in LENT.items():
    _declare(_clause, _lent)
