"""Mutants of command-buffers and updates (section 5.17) that no call can kill, each with the reason.

A recording function inherits whole predicates from the function that enqueues the same command. The explanation of the
latter also covers the inherited predicate, which is evaluated for the same call.
"""

from __future__ import annotations

from clconform.selftest.mutation.explanations import MutantExplanation
from clconform.selftest.mutation.mutants import DROPPED
from clconform.selftest.mutation.mutation_operators import BOUNDARY, JUNCTION, NUMBER
from clconform.selftest.mutation.survival_reasons import (
    ALIKE,
    EITHER_CODE,
    NO_SUCH_DEVICE,
    RECORDED,
    SAME_CODE,
    UNREACHED,
    UNSENT,
)

HANDLES = "*/CL_INVALID_COMMAND_BUFFER_KHR/1 clGetMutableCommandInfoKHR/CL_INVALID_MUTABLE_COMMAND_KHR/1"
LISTS_OF_QUEUES = (
    "clCreateCommandBufferKHR/CL_INVALID_COMMAND_QUEUE/1 clRemapCommandBufferKHR/CL_INVALID_COMMAND_QUEUE/1"
)
ONE_QUEUE = "clCommand*KHR/CL_INVALID_COMMAND_QUEUE/1"
"""Error conditions for the queue of command-buffers that have only one queue."""
SEVERAL_QUEUES = "clCommand*KHR/CL_INVALID_COMMAND_QUEUE/2"
OTHER_CONTEXTS = "clCommandBarrier*KHR/CL_INVALID_CONTEXT/1 clCommandSVM*KHR/CL_INVALID_CONTEXT/1 \
clCommand*KHR/CL_INVALID_CONTEXT/2"
"""Error conditions for a queue of another context, which is not a queue of the command-buffer either."""
PROPERTIES = "clCommand*KHR/CL_INVALID_VALUE/1"
"""Error conditions for property lists: those of kernels are bit-fields, and other commands have none."""
NO_PROPERTIES = "clCommand[!N]*KHR/CL_INVALID_VALUE/1"
UPDATE = "clUpdateMutableCommandsKHR"
UNCHANGEABLE = f"{UPDATE}/via/*/CL_INVALID_KERNEL/1 {UPDATE}/via/*/CL_INVALID_COMMAND_QUEUE/1 \
{UPDATE}/via/*/CL_INVALID_CONTEXT/1 {UPDATE}/via/*/CL_INVALID_EVENT_WAIT_LIST/1 \
{UPDATE}/via/*/CL_INVALID_WORK_DIMENSION/1"
"""Error conditions for properties that an update cannot change; they never hold for a recorded kernel."""

OF_COMMANDS: tuple[MutantExplanation, ...] = (
    # handles
    MutantExplanation(UNSENT, JUNCTION, HANDLES, ("valid_object: thing is None or thing.references < 1",)),
    MutantExplanation(ALIKE, JUNCTION, HANDLES, ("gravest: reply is not Answer.NO and reply is not False",)),
    MutantExplanation(ALIKE, JUNCTION, LISTS_OF_QUEUES, ("_elements: value is None and listed",)),
    MutantExplanation(
        ALIKE, NUMBER, "clRemapCommandBufferKHR/CL_INVALID_VALUE/1", ("_null_or_zero: call.arguments.get(name, 1)",)
    ),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        "clGetCommandBufferInfoKHR/CL_INVALID_VALUE/1 clGetMutableCommandInfoKHR/CL_INVALID_VALUE/1",
        ("_too_small_for_any: query is None or query.name in AS_MUCH_AS_FITS",),
    ),
    # creation and enqueue
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1 clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4",
        ("flags_in: given if isinstance(given, int) else 0",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4",
        ("flags_in: pairs(properties).get(model.value(FLAGS), 0)",),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        NUMBER,
        "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2",
        ("without_required_properties: queue.bits or 0",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5",
        ("not_at_all: queues[0]",),
    ),
    MutantExplanation(
        RECORDED,
        JUNCTION,
        "clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1",
        ("_unlike: one.bits is None or other.bits is None",),
    ),
    MutantExplanation(EITHER_CODE, DROPPED, "clEnqueueCommandBufferKHR/CL_INVALID_CONTEXT/1"),
    # recording
    MutantExplanation(EITHER_CODE, DROPPED, OTHER_CONTEXTS),
    MutantExplanation(EITHER_CODE, NUMBER, OTHER_CONTEXTS, ("_context_mismatch: len(contexts) > 1",)),
    MutantExplanation(NO_SUCH_DEVICE, JUNCTION, ONE_QUEUE, ("extended_by: scope.devices or (None,)",)),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        SEVERAL_QUEUES,
        ("extended_by: scope.devices or (None,)", "extended_by: found is Gating.CLOSED and reported"),
    ),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        ONE_QUEUE,
        ("_queue: not isinstance(given, Handle) or given.name not in [each.name for each in queues]",),
    ),
    MutantExplanation(UNREACHED, BOUNDARY, ONE_QUEUE, ("_queue: len(queues) > 1",)),
    MutantExplanation(UNREACHED, NUMBER, ONE_QUEUE, ("_queue: len(queues) > 1", "_queue: buffer[0]")),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clCommand*KHR/CL_INVALID_SYNC_POINT_WAIT_LIST_KHR/1",
        ("_sync_points: not given or not isinstance(known, CommandBuffer)",),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/4",
        ("fields_that_cannot_be_updated: fields if isinstance(fields, int) else 0",),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/3",
        ("asserted: given if isinstance(given, int) else 0",),
    ),
    # properties of recorded commands
    MutantExplanation(UNSENT, NUMBER, PROPERTIES, ("read_list: name if isinstance(name, int) else 0",)),
    MutantExplanation(ALIKE, BOUNDARY, NO_PROPERTIES, ("list_not_valid: len(set(names)) < len(names)",)),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        NO_PROPERTIES,
        (
            "_of_each: reply is Answer.UNDEFINED or applies(known.gates, scope)",
            "value_not_valid: type_name.endswith('*') or 'handle' in type_name",
        ),
    ),
    MutantExplanation(UNREACHED, NUMBER, NO_PROPERTIES, ("value_not_valid: value if isinstance(value, int) else 0",)),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/1",
        ("value_not_valid: type_name.endswith('*') or 'handle' in type_name",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/1",
        ("value_not_valid: value if isinstance(value, int) else 0",),
    ),
    MutantExplanation(
        UNREACHED, JUNCTION, PROPERTIES, ("value_not_valid: type_name == 'cl_uint' and 0 <= number < 1 << 32",)
    ),
    MutantExplanation(UNREACHED, BOUNDARY, PROPERTIES, ("value_not_valid: 0 <= number < 1 << 32",)),
    MutantExplanation(
        UNREACHED,
        NUMBER,
        PROPERTIES,
        (
            "value_not_valid: 0 <= number < 1 << 32",
            "value_not_valid: 1 << 32",
            "value_not_valid: value in (0, None)",
            "value_not_valid: number in (0, 1)",
            "_platform: value in (0, None)",
        ),
    ),
    # error conditions of other functions
    MutantExplanation(ALIKE, DROPPED, UNCHANGEABLE),
    MutantExplanation(
        SAME_CODE,
        DROPPED,
        f"{UPDATE}/via/clSetKernelArg/CL_INVALID_MEM_OBJECT/2 "
        f"{UPDATE}/via/clSetKernelArgSVMPointer/CL_INVALID_OPERATION/1",
    ),
    MutantExplanation(
        ALIKE,
        DROPPED,
        "clCommandSVMMemcpyKHR/via/clEnqueueSVMMemcpy/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1",
    ),
)
