"""Error conditions of recording kernels (section 5.17.5), without recurring and inherited conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.clauses.making import CAPABILITIES, device_behind
from clconform.oracles.chapters.command_buffers.standing_for import RECORDING, enqueued, queue_of
from clconform.oracles.chapters.execution.clauses.launches import arguments_not_set
from clconform.oracles.engine.answers import Answer, May, Reply, settle
from clconform.oracles.engine.gates import Gating
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import CommandBuffer
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.range_kernels import PRINTS
from clconform.oracles.recurring.command_buffers import extended_by
from clconform.oracles.recurring.property_lists import pairs
from clconform.spec_tables.entries import Gate

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables

rules = Rules()

MUTABLE = Gate(subject="extension", name="cl_khr_command_buffer_mutable_dispatch")
ASSERTS, FIELDS = "CL_MUTABLE_DISPATCH_ASSERTS_KHR", "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR"
NO_MORE_GROUPS = "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR"
ARGUMENTS = "CL_MUTABLE_DISPATCH_ARGUMENTS_KHR"
UPDATABLE = "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR"


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_VALUE/2")
def handle_of_nothing(call: Call, model: Model) -> Reply:
    """mutable_handle is not NULL, and cl_khr_command_buffer_mutable_dispatch is not supported."""
    if call.mutable_handle is None:
        return Answer.NO
    found = extended_by(MUTABLE, call, model)
    return May("undecided-gate") if found is Gating.UNDECIDED else found is Gating.CLOSED


def devices_of(call: Call, model: Model) -> list[Device]:
    """Return the device that a command is recorded for, or else the devices of the command-buffer's queues."""
    queue = queue_of(call, model)
    if queue is not None:
        return [device_behind(queue)]
    return model.given(CommandBuffer, call.command_buffer).devices


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/4")
def fields_that_cannot_be_updated(call: Call, model: Model) -> Reply:
    """properties contains updatable fields that CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR does not report."""
    fields = pairs(call.properties).get(model.value(FIELDS), 0)
    wanted = fields if isinstance(fields, int) else 0
    return any(wanted & ~device.number(UPDATABLE) for device in devices_of(call, model)) if wanted else Answer.NO


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/2")
def kernel_that_prints(call: Call, model: Model) -> Reply:
    """kernel calls printf, and the device lacks CL_COMMAND_BUFFER_CAPABILITY_KERNEL_PRINTF_KHR."""
    return _beyond("KERNEL_PRINTF", (PRINTS,), call, model)


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/3")
def kernel_that_enqueues(call: Call, model: Model) -> Reply:
    """kernel enqueues kernels, and the device lacks CL_COMMAND_BUFFER_CAPABILITY_DEVICE_SIDE_ENQUEUE_KHR."""
    return _beyond("DEVICE_SIDE_ENQUEUE", ENQUEUEING_KERNELS, call, model)


def _beyond(capability: str, needing: Collection[str], call: Call, model: Model) -> Reply:
    """Return whether a kernel needs a capability that its device lacks; ``needing``: the kernels that need it."""
    kernel = model.get(Kernel, call.kernel)
    bit = model.value(f"CL_COMMAND_BUFFER_CAPABILITY_{capability}_KHR")
    if all(device.number(CAPABILITIES) & bit for device in devices_of(call, model)):
        return Answer.NO
    return May("no-predicate") if kernel.parameters is None else kernel.title in needing


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_KERNEL_ARGS/1")
def arguments_neither_set_nor_updatable(call: Call, model: Model) -> Reply:
    """An argument of kernel is not set, and properties does not allow updates of arguments.

    The error is optional if properties does not contain CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR and the device can
    update arguments.
    """
    reply = settle(arguments_not_set, enqueued(call, model), model)
    if reply is not Answer.MUST:
        return reply
    bit = model.value(ARGUMENTS)
    fields = pairs(call.properties).get(model.value(FIELDS))
    if isinstance(fields, int):
        return not fields & bit
    can = [device.facts.get(UPDATABLE, 0) for device in devices_of(call, model)]
    open_here = any(isinstance(each, int) and each & bit for each in can)
    return May("arguments-updatable-by-default") if open_here else Answer.MUST


def asserted(properties: object, model: Model, name: str = ASSERTS) -> int:
    """Return the assertions of a property list about later updates."""
    given = pairs(properties).get(model.value(name), 0)
    return given if isinstance(given, int) else 0


@rules.clause("clCommandNDRangeKernelKHR/CL_INVALID_VALUE/3")
def groups_asserted_without_a_size(call: Call, model: Model) -> Reply:
    """local_work_size is NULL, and properties or command_buffer asserts that updates do not add work-groups."""
    buffer = model.given(CommandBuffer, call.command_buffer)
    bits = buffer.asserts | asserted(call.properties, model)
    return call.local_work_size is None and bool(bits & model.value(NO_MORE_GROUPS))


@rules.completion
def _only_together(rules: Rules, tables: Tables) -> None:
    """Declare the error conditions that no call can violate alone, or for which the function lacks the parameter."""
    for name in RECORDING:
        for clause in tables.clauses_of(name):
            if clause.condition.kind == "context-mismatch-if-given":
                rules.untestable(
                    clause.id,
                    "command_queue is not NULL and belongs to a different context than command_buffer.",
                    "such a queue does not belong to the command-buffer, so CL_INVALID_COMMAND_QUEUE is also allowed",
                )
    rules.untestable(
        "clCommandSVMMemcpyKHR/via/clEnqueueSVMMemcpy/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1",
        "The call blocks, and the execution status of an event in event_wait_list is negative.",
        "a recording call has no event wait list and does not block",
    )
