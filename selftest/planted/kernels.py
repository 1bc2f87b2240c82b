"""Faults of kernels: invalid arguments that are accepted, and arguments that are kept incorrectly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Data, Handle, Text
from clconform.oracles.model.kernels import Argument, Kernel
from clconform.oracles.model.parameters import Sort
from clconform.selftest.planted.registry import Faults

if TYPE_CHECKING:
    from clconform.oracles.model.parameters import Parameter
    from clconform.simulator.platform import Simulation

faults = Faults()

SET, CLONE, CREATE = "clSetKernelArg", "clCloneKernel", "clCreateKernel"
SUCCESS = 0


@faults.plant
def size_off_by_one_is_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An argument value one byte larger than its type is accepted."""
    declared = _declared(simulation, call)
    longer = declared is not None and declared.sort is Sort.VALUE and call.arg_size == declared.bytes + 1
    return _accepted(outcome) if longer else outcome


@faults.plant
def index_beyond_is_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The index after that of the last argument is accepted."""
    kernel = _kernel(simulation, call)
    declared = kernel.parameters if kernel is not None else None
    return _accepted(outcome) if declared is not None and call.arg_index == len(declared) else outcome


@faults.plant
def any_image_can_be_read(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A write-only image is accepted for a read-only image argument."""
    declared = _declared(simulation, call)
    reads = declared is not None and declared.access == "CL_KERNEL_ARG_ACCESS_READ_ONLY"
    refused = simulation.model.value("CL_INVALID_ARG_VALUE")
    same = isinstance(outcome, Returned) and outcome.value == refused
    return _accepted(outcome) if reads and same and call.arg_value is not None else outcome


@faults.plant
def samplers_may_be_null(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """NULL is accepted for a sampler argument."""
    declared = _declared(simulation, call)
    sampler = declared is not None and declared.sort is Sort.SAMPLER
    return _accepted(outcome) if sampler and call.arg_value is None else outcome


@faults.plant
def local_memory_of_no_byte(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Local memory of 0 bytes is accepted."""
    declared = _declared(simulation, call)
    local = declared is not None and declared.sort is Sort.LOCAL
    return _accepted(outcome) if local and call.arg_size == 0 else outcome


@faults.plant
def arguments_by_reference(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An argument value is read from the application's memory at the kernel enqueue, not when it is set."""
    if call.function == "host_write":
        for kernel in simulation.model.of_kind(Kernel):
            for index, held in kernel.arguments.items():
                if held.taken_from is not None and isinstance(held.value, Data):
                    kernel.arguments[index] = replace(held, value=Data(held.taken_from.read().held))
    return outcome


@faults.plant
def refused_arguments_are_kept(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An argument that was rejected because of its size is used by later kernel enqueues."""
    kernel, declared = _kernel(simulation, call), _declared(simulation, call)
    refused = isinstance(outcome, Returned) and outcome.value != SUCCESS
    if not refused or kernel is None or declared is None or not isinstance(call.arg_value, Data):
        return outcome
    if declared.sort is Sort.VALUE:
        content = call.arg_value.content[: declared.bytes].ljust(declared.bytes, b"\0")
        kernel.arguments[call.arg_index] = Argument(Data(content), declared.bytes)
    return outcome


@faults.plant
def clones_share_arguments(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Setting an argument of a clone also sets it on the source kernel."""
    kernel = _kernel(simulation, call)
    if kernel is not None and kernel.source is not None and call.arg_index in kernel.arguments:
        kernel.source.arguments[call.arg_index] = kernel.arguments[call.arg_index]
    return outcome


@faults.plant
def clones_without_arguments(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The first value argument of a clone is zero instead of the value set on its source kernel."""
    made = outcome.value if call.function == CLONE and isinstance(outcome, Returned) else None
    kernel = simulation.model.known(Handle(made)) if isinstance(made, str) else None
    for index, held in kernel.arguments.items() if isinstance(kernel, Kernel) else ():
        if isinstance(held.value, Data):
            kernel.arguments[index] = replace(held, value=Data(bytes(len(held.value.content))))  # type: ignore[union-attr]
            break
    return outcome


@faults.plant
def names_of_any_case(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel is found whatever the case of the letters in its name."""
    failed = call.function == CREATE and isinstance(outcome, Returned) and outcome.value is None
    if not failed or not isinstance(call.kernel_name, Text) or call.kernel_name.content.islower():
        return outcome
    return simulation.answer(Call(CREATE, {**call.arguments, "kernel_name": Text(call.kernel_name.content.lower())}))


@faults.plant
def one_kernel_too_few(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The number of kernels that clCreateKernelsInProgram returns is one too small."""
    del simulation
    if call.function != "clCreateKernelsInProgram" or not isinstance(outcome, Returned):
        return outcome
    told = outcome.outputs.get("num_kernels_ret")
    if told is None or outcome.value != SUCCESS or not isinstance(told.values[0], int):
        return outcome
    fewer = Output([told.values[0] - 1], 4)
    return outcome.with_outputs(num_kernels_ret=fewer)


def _kernel(simulation: Simulation, call: Call) -> Kernel | None:
    found = simulation.model.known(call.kernel) if call.function == SET else None
    return found if isinstance(found, Kernel) else None


def _declared(simulation: Simulation, call: Call) -> Parameter | None:
    """Return the declaration of the argument that a call sets, or None."""
    kernel = _kernel(simulation, call)
    declared = kernel.parameters if kernel is not None else None
    return declared[call.arg_index] if declared is not None and call.arg_index < len(declared) else None


def _accepted(outcome: Outcome) -> Outcome:
    """Return the outcome of a call as if it had succeeded."""
    return msgspec.structs.replace(outcome, value=SUCCESS) if isinstance(outcome, Returned) else outcome
