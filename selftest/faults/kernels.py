"""Faults of kernels: invalid arguments are accepted, or arguments are stored incorrectly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.call import Outcome, Output
from clconform.calls.values import Data, DispatchConfigs, ElementList, HandleBytes, Text
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel, KernelArgument
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.parameters import ArgumentKind
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.oracles.model.memory_objects import MemoryObject
    from clconform.oracles.model.parameters import KernelParameter

faults = Faults()

SET = "clSetKernelArg"


@faults.plant(SET, succeeded=False)
def argument_one_byte_too_large_accepted(step: SimulatedStep) -> Outcome | None:
    """An argument value one byte larger than its type is accepted."""
    declared = _get_parameter(step, ArgumentKind.VALUE)
    return step.accept() if declared is not None and step.call.arg_size == declared.bytes + 1 else None


@faults.plant(SET, succeeded=False)
def argument_index_off_by_one_accepted(step: SimulatedStep) -> Outcome | None:
    """An argument index one above the index of the last argument is accepted."""
    kernel = step.find("kernel", Kernel)
    declared = kernel.parameters if kernel is not None else None
    return step.accept() if declared is not None and step.call.arg_index == len(declared) else None


@faults.plant(SET, error="CL_INVALID_ARG_VALUE")
def write_only_image_accepted_for_reading(step: SimulatedStep) -> Outcome | None:
    """A write-only image is accepted for a read-only image argument."""
    declared = _get_parameter(step)
    reads = declared is not None and declared.access_qualifier == "CL_KERNEL_ARG_ACCESS_READ_ONLY"
    return step.accept() if reads and step.call.arg_value is not None else None


@faults.plant(SET, succeeded=False)
def null_sampler_argument_accepted(step: SimulatedStep) -> Outcome | None:
    """NULL is accepted for a sampler argument."""
    return step.accept() if _get_parameter(step, ArgumentKind.SAMPLER) and step.call.arg_value is None else None


@faults.plant(SET, succeeded=False)
def empty_local_memory_accepted(step: SimulatedStep) -> Outcome | None:
    """Local memory of 0 bytes is accepted."""
    return step.accept() if _get_parameter(step, ArgumentKind.LOCAL) and step.call.arg_size == 0 else None


@faults.plant("host_write")
def arguments_not_copied(step: SimulatedStep) -> None:
    """An argument value is read from the application's memory at the kernel enqueue, not when it is set."""
    for kernel in step.model.objects_of_class(Kernel):
        for index, held in kernel.arguments.items():
            if held.source is not None and isinstance(held.value, Data):
                kernel.arguments[index] = replace(held, value=Data(held.source.read().bytes_held))


@faults.plant(SET, succeeded=False)
def rejected_argument_kept(step: SimulatedStep) -> None:
    """An argument that was rejected because of its size is used by later kernel enqueues."""
    kernel, declared = step.find("kernel", Kernel), _get_parameter(step, ArgumentKind.VALUE)
    given = step.argument("arg_value", Data)
    if kernel is not None and declared is not None and given is not None:
        content = given.content[: declared.bytes].ljust(declared.bytes, b"\0")
        kernel.arguments[step.call.arg_index] = KernelArgument(Data(content), declared.bytes)


@faults.plant(SET)
def clone_shares_arguments(step: SimulatedStep) -> None:
    """Setting an argument of a clone also sets it on the source kernel."""
    kernel, index = step.find("kernel", Kernel), step.call.arg_index
    if kernel is not None and kernel.source is not None and index in kernel.arguments:
        kernel.source.arguments[index] = kernel.arguments[index]


@faults.plant("clCloneKernel")
def clone_loses_first_value(step: SimulatedStep) -> None:
    """The first value argument of a clone is zero instead of the value set on its source kernel."""
    kernel = step.find_created(Kernel)
    arguments = kernel.arguments if kernel is not None else {}
    for index, held in arguments.items():
        if isinstance(held.value, Data):
            arguments[index] = replace(held, value=Data(bytes(len(held.value.content))))
            break


@faults.plant("clCreateKernel", succeeded=False)
def kernel_name_case_ignored(step: SimulatedStep) -> Outcome | None:
    """A kernel is found whatever the case of the letters in its name."""
    name = step.argument("kernel_name", Text)
    if name is None or name.content.islower():
        return None
    return step.repeat(kernel_name=Text(name.content.lower()))


@faults.plant("clCreateKernelsInProgram", output="num_kernels_ret", succeeded=True)
def kernel_count_off_by_one(step: SimulatedStep) -> Outcome | None:
    """The number of kernels that clCreateKernelsInProgram returns is one too small."""
    count = step.outcome.outputs["num_kernels_ret"].values[0]
    return step.outcome.with_outputs(num_kernels_ret=Output([count - 1], 4)) if isinstance(count, int) else None


@faults.plant(SET, succeeded=False)
def image_accepted_for_pointer(step: SimulatedStep) -> Outcome | None:
    """An image is accepted for an argument that is a pointer."""
    return step.accept() if _get_parameter(step, ArgumentKind.BUFFER) and _passes(step, Image) else None


@faults.plant(SET, succeeded=False)
def buffer_accepted_for_image(step: SimulatedStep) -> Outcome | None:
    """A buffer is accepted for an argument that is an image."""
    return step.accept() if _get_parameter(step, ArgumentKind.IMAGE) and _passes(step, Buffer) else None


@faults.plant("clEnqueueNativeKernel", error="CL_INVALID_MEM_OBJECT")
def image_accepted_by_native_kernel(step: SimulatedStep) -> Outcome | None:
    """An image is accepted in the list of buffers of a native kernel."""
    given = step.argument("mem_list", ElementList)
    images = given is not None and any(isinstance(step.model.find(each), Image) for each in given.values)
    return step.accept() if images else None


@faults.plant("clUpdateMutableCommandsKHR", succeeded=False)
def image_accepted_by_update(step: SimulatedStep) -> Outcome | None:
    """An update sets an argument to an image, whatever the argument is declared as."""
    given = step.argument("configs", DispatchConfigs)
    updates = [each for config in (given.values if given else ()) if config for each in config.arg_list or ()]
    values = [each.value.handle for each in updates if isinstance(each.value, HandleBytes)]
    return step.accept() if any(isinstance(step.model.find(each), Image) for each in values) else None


def _passes(step: SimulatedStep, kind: type[MemoryObject]) -> bool:
    """Return whether the value of an argument is an object of this class."""
    given = step.argument("arg_value", HandleBytes)
    return given is not None and isinstance(step.model.find(given.handle), kind)


def _get_parameter(step: SimulatedStep, kind: ArgumentKind | None = None) -> KernelParameter | None:
    """Return the declaration of the argument that a call sets, if it is of this kind; otherwise None."""
    kernel, index = step.find("kernel", Kernel), step.call.arg_index
    declared = kernel.parameters if kernel is not None else None
    found = declared[index] if declared is not None and index < len(declared) else None
    return found if found is not None and kind in (None, found.kind) else None
