"""Faults of kernels: invalid arguments are accepted, or arguments are stored incorrectly."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Data, Handle, Text
from clconform.oracles.model.kernels import Kernel, KernelArgument
from clconform.oracles.model.parameters import ArgumentKind
from clconform.selftest.faults.registry import Faults

if TYPE_CHECKING:
    from clconform.oracles.model.parameters import KernelParameter
    from clconform.simulator.platform import Simulation

faults = Faults()

SET, CLONE, CREATE = "clSetKernelArg", "clCloneKernel", "clCreateKernel"
SUCCESS = 0


@faults.plant
def argument_one_byte_too_large_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An argument value one byte larger than its type is accepted."""
    declared = _get_parameter(simulation, call)
    longer = declared is not None and declared.kind is ArgumentKind.VALUE and call.arg_size == declared.bytes + 1
    return _accept(outcome) if longer else outcome


@faults.plant
def argument_index_off_by_one_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An argument index one above the index of the last argument is accepted."""
    kernel = _get_kernel(simulation, call)
    declared = kernel.parameters if kernel is not None else None
    return _accept(outcome) if declared is not None and call.arg_index == len(declared) else outcome


@faults.plant
def write_only_image_accepted_for_reading(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A write-only image is accepted for a read-only image argument."""
    declared = _get_parameter(simulation, call)
    reads = declared is not None and declared.access_qualifier == "CL_KERNEL_ARG_ACCESS_READ_ONLY"
    refused = simulation.model.constant_value("CL_INVALID_ARG_VALUE")
    same = isinstance(outcome, Returned) and outcome.value == refused
    return _accept(outcome) if reads and same and call.arg_value is not None else outcome


@faults.plant
def null_sampler_argument_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """NULL is accepted for a sampler argument."""
    declared = _get_parameter(simulation, call)
    sampler = declared is not None and declared.kind is ArgumentKind.SAMPLER
    return _accept(outcome) if sampler and call.arg_value is None else outcome


@faults.plant
def empty_local_memory_accepted(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Local memory of 0 bytes is accepted."""
    declared = _get_parameter(simulation, call)
    local = declared is not None and declared.kind is ArgumentKind.LOCAL
    return _accept(outcome) if local and call.arg_size == 0 else outcome


@faults.plant
def arguments_not_copied(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An argument value is read from the application's memory at the kernel enqueue, not when it is set."""
    if call.function == "host_write":
        for kernel in simulation.model.objects_of_class(Kernel):
            for index, held in kernel.arguments.items():
                if held.source is not None and isinstance(held.value, Data):
                    kernel.arguments[index] = replace(held, value=Data(held.source.read().bytes_held))
    return outcome


@faults.plant
def rejected_argument_kept(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """An argument that was rejected because of its size is used by later kernel enqueues."""
    kernel, declared = _get_kernel(simulation, call), _get_parameter(simulation, call)
    refused = isinstance(outcome, Returned) and outcome.value != SUCCESS
    if not refused or kernel is None or declared is None or not isinstance(call.arg_value, Data):
        return outcome
    if declared.kind is ArgumentKind.VALUE:
        content = call.arg_value.content[: declared.bytes].ljust(declared.bytes, b"\0")
        kernel.arguments[call.arg_index] = KernelArgument(Data(content), declared.bytes)
    return outcome


@faults.plant
def clone_shares_arguments(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """Setting an argument of a clone also sets it on the source kernel."""
    kernel = _get_kernel(simulation, call)
    if kernel is not None and kernel.source is not None and call.arg_index in kernel.arguments:
        kernel.source.arguments[call.arg_index] = kernel.arguments[call.arg_index]
    return outcome


@faults.plant
def clone_loses_first_value(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The first value argument of a clone is zero instead of the value set on its source kernel."""
    made = outcome.value if call.function == CLONE and isinstance(outcome, Returned) else None
    kernel = simulation.model.find(Handle(made)) if isinstance(made, str) else None
    for index, held in kernel.arguments.items() if isinstance(kernel, Kernel) else ():
        if isinstance(held.value, Data):
            kernel.arguments[index] = replace(held, value=Data(bytes(len(held.value.content))))  # type: ignore[union-attr]
            break
    return outcome


@faults.plant
def kernel_name_case_ignored(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """A kernel is found whatever the case of the letters in its name."""
    failed = call.function == CREATE and isinstance(outcome, Returned) and outcome.value is None
    if not failed or not isinstance(call.kernel_name, Text) or call.kernel_name.content.islower():
        return outcome
    return simulation.make_call(Call(CREATE, {**call.arguments, "kernel_name": Text(call.kernel_name.content.lower())}))


@faults.plant
def kernel_count_off_by_one(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
    """The number of kernels that clCreateKernelsInProgram returns is one too small."""
    del simulation
    if call.function != "clCreateKernelsInProgram" or not isinstance(outcome, Returned):
        return outcome
    told = outcome.outputs.get("num_kernels_ret")
    if told is None or outcome.value != SUCCESS or not isinstance(told.values[0], int):
        return outcome
    fewer = Output([told.values[0] - 1], 4)
    return outcome.with_outputs(num_kernels_ret=fewer)


def _get_kernel(simulation: Simulation, call: Call) -> Kernel | None:
    found = simulation.model.find(call.kernel) if call.function == SET else None
    return found if isinstance(found, Kernel) else None


def _get_parameter(simulation: Simulation, call: Call) -> KernelParameter | None:
    """Return the declaration of the argument that a call sets, or None."""
    kernel = _get_kernel(simulation, call)
    declared = kernel.parameters if kernel is not None else None
    return declared[call.arg_index] if declared is not None and call.arg_index < len(declared) else None


def _accept(outcome: Outcome) -> Outcome:
    """Return the outcome of a call as if it had succeeded."""
    return msgspec.structs.replace(outcome, value=SUCCESS) if isinstance(outcome, Returned) else outcome
