"""Error conditions of recording kernels (section 5.17.5), without recurring and inherited conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.equivalent_calls import (
    RECORDING_FUNCTIONS,
    equivalent_enqueue,
    recording_queue,
)
from clconform.oracles.chapters.command_buffers.error_conditions.creation import CAPABILITIES, device_of_queue
from clconform.oracles.chapters.execution.error_conditions.kernel_enqueues import has_unset_arguments
from clconform.oracles.common.command_buffers import extension_applicability
from clconform.oracles.common.property_lists import list_values
from clconform.oracles.engine.applicability import Applicability
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, evaluate, may, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.range_kernels import PRINT_IDS
from clconform.spec_tables.entries import ApplicabilityCondition

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables

rules = Rules()

MUTABLE = ApplicabilityCondition(subject="extension", name="cl_khr_command_buffer_mutable_dispatch")
DISPATCH_ASSERTS, UPDATABLE_FIELDS = "CL_MUTABLE_DISPATCH_ASSERTS_KHR", "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR"
NO_ADDITIONAL_GROUPS = "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR"
ARGUMENTS = "CL_MUTABLE_DISPATCH_ARGUMENTS_KHR"
UPDATE_CAPABILITIES = "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR"


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_VALUE/2")
def is_handle_unsupported(call: Call, model: Model) -> PredicateResult:
    """mutable_handle is not NULL, and cl_khr_command_buffer_mutable_dispatch is not supported."""
    if call.mutable_handle is None:
        return NO
    found = extension_applicability(MUTABLE, call, model)
    return (
        may("undecided-applicability")
        if found is Applicability.UNDECIDED
        else must_if(found is Applicability.NOT_APPLICABLE)
    )


def recording_devices(call: Call, model: Model) -> list[Device]:
    """Return the device of the queue for which a call records a command.

    If the queue is not known, return all devices of the command-buffer.
    """
    queue = recording_queue(call, model)
    if queue is not None:
        return [device_of_queue(queue)]
    return model.require(CommandBuffer, call.command_buffer).devices


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/4")
def has_unsupported_updatable_fields(call: Call, model: Model) -> PredicateResult:
    """properties contains updatable fields that the device does not support.

    The fields are in CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR. The device supports the fields in
    CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR.
    """
    fields = list_values(call.properties).get(model.constant_value(UPDATABLE_FIELDS), 0)
    wanted = fields if isinstance(fields, int) else 0
    return (
        must_if(any(wanted & ~device.number(UPDATE_CAPABILITIES) for device in recording_devices(call, model)))
        if wanted
        else NO
    )


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/2")
def is_printf_unsupported(call: Call, model: Model) -> PredicateResult:
    """kernel calls printf, and the device lacks CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR."""
    return _lacks_kernel_capability("KERNEL_PRINTF", (PRINT_IDS,), call, model)


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/3")
def is_device_enqueue_unsupported(call: Call, model: Model) -> PredicateResult:
    """kernel enqueues kernels, and the device lacks CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR."""
    return _lacks_kernel_capability("DEVICE_SIDE_ENQUEUE", ENQUEUEING_KERNELS, call, model)


def _lacks_kernel_capability(capability: str, needing: Collection[str], call: Call, model: Model) -> PredicateResult:
    """Return whether a kernel needs a capability that the device of the recorded command lacks.

    ``needing``: the names of the kernels of the suites that need the capability.
    """
    kernel = model.get(Kernel, call.kernel)
    bit = model.constant_value(f"CL_COMMAND_BUFFER_CAPABILITY_{capability}_KHR")
    if all(device.number(CAPABILITIES) & bit for device in recording_devices(call, model)):
        return NO
    return may("no-predicate") if kernel.parameters is None else must_if(kernel.function_name in needing)


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_KERNEL_ARGS/1")
def has_missing_arguments(call: Call, model: Model) -> PredicateResult:
    """An argument of kernel is not set, and properties does not allow updates of arguments.

    CL_MUTABLE_DISPATCH_ARGUMENTS_KHR in CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR allows such updates. The error is
    optional if properties does not contain CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR and the device can update
    arguments.
    """
    reply = evaluate(has_unset_arguments, equivalent_enqueue(call, model), model)
    if reply is not MUST:
        return reply
    bit = model.constant_value(ARGUMENTS)
    fields = list_values(call.properties).get(model.constant_value(UPDATABLE_FIELDS))
    if isinstance(fields, int):
        return must_if(not fields & bit)
    can = [device.facts.get(UPDATE_CAPABILITIES, 0) for device in recording_devices(call, model)]
    open_here = any(isinstance(each, int) and each & bit for each in can)
    return may("arguments-updatable-by-default") if open_here else MUST


def read_assertions(properties: object, model: Model, name: str = DISPATCH_ASSERTS) -> int:
    """Return the bits of property ``name`` in a property list. Each bit asserts a limit of later updates."""
    given = list_values(properties).get(model.constant_value(name), 0)
    return given if isinstance(given, int) else 0


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_VALUE/3")
def lacks_local_size_for_assertion(call: Call, model: Model) -> PredicateResult:
    """local_work_size is NULL, and an assertion forbids updates to add work-groups.

    The assertion CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR is in properties, or command_buffer was
    created with it.
    """
    buffer = model.require(CommandBuffer, call.command_buffer)
    bits = buffer.asserts | read_assertions(call.properties, model)
    return must_if(call.local_work_size is None and bool(bits & model.constant_value(NO_ADDITIONAL_GROUPS)))


@rules.alternatives_of("clCommandNDRangeKernelKHR/CL_INVALID_VALUE/3")
def find_assertions(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: the assertion is in properties, or command_buffer was created with it."""
    bit = model.constant_value(NO_ADDITIONAL_GROUPS)
    if read_assertions(call.properties, model) & bit:
        yield f"local_work_size is NULL and properties contains {NO_ADDITIONAL_GROUPS}"
    if model.require(CommandBuffer, call.command_buffer).asserts & bit:
        yield f"local_work_size is NULL and command_buffer was created with {NO_ADDITIONAL_GROUPS}"


@rules.completion
def _declare_untestable(rules: Rules, tables: Tables) -> None:
    """Declare error conditions that no call can violate alone, or for which the function has no parameter."""
    for name in RECORDING_FUNCTIONS:
        for clause in tables.error_conditions_of(name):
            if clause.condition.kind == "context-mismatch-if-given":
                rules.untestable(
                    clause.id,
                    "command_queue is not NULL and belongs to a different context than command_buffer.",
                    "such a queue is not a queue of the command-buffer, so CL_INVALID_COMMAND_QUEUE is also allowed",
                )
    rules.untestable(
        "clCommandSVMMemcpyKHR/via/clEnqueueSVMMemcpy/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1",
        "The call blocks, and the execution status of an event in event_wait_list is negative.",
        "a recording call has no event wait list and does not block",
    )
