"""Mutants of command-buffers and updates (section 5.17) that no call can kill, each with the reason.

A recording function inherits predicates from the function that enqueues the same command. An explanation for the
enqueue function also covers the inherited predicate, which is evaluated for the same call.
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
"""Error conditions for property lists: all properties of kernels are bit-fields, and other commands have none."""
NO_PROPERTIES = "clCommand[!N]*KHR/CL_INVALID_VALUE/1"
UPDATE = "clUpdateMutableCommandsKHR"
UNCHANGEABLE = f"{UPDATE}/via/*/CL_INVALID_KERNEL/1 {UPDATE}/via/*/CL_INVALID_COMMAND_QUEUE/1 \
{UPDATE}/via/*/CL_INVALID_CONTEXT/1 {UPDATE}/via/*/CL_INVALID_EVENT_WAIT_LIST/1 \
{UPDATE}/via/*/CL_INVALID_WORK_DIMENSION/1"
"""Error conditions for properties that an update cannot change; they never hold for a recorded kernel."""

OF_COMMANDS: tuple[MutantExplanation, ...] = (
    # handles
    MutantExplanation(UNSENT, JUNCTION, HANDLES, ("is_invalid_object: thing is None or thing.references < 1",)),
    MutantExplanation(ALIKE, JUNCTION, HANDLES, ("strongest_result: reply is not Decision.NO and reply is not False",)),
    MutantExplanation(ALIKE, JUNCTION, LISTS_OF_QUEUES, ("_elements: value is None and listed",)),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clRemapCommandBufferKHR/CL_INVALID_VALUE/1",
        ("_build_null_or_zero: call.arguments.get(name, 1)",),
    ),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        "clGetCommandBufferInfoKHR/CL_INVALID_VALUE/1 clGetMutableCommandInfoKHR/CL_INVALID_VALUE/1",
        ("_is_too_small_for_any: query is None or query.name in BUFFER_SIZED_QUERIES",),
    ),
    # creation and enqueue
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCreateCommandBufferKHR/CL_INVALID_PROPERTY/1 clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4",
        ("read_flags: given if isinstance(given, int) else 0",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/4",
        ("read_flags: pairs(properties).get(model.value(FLAGS), 0)",),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        NUMBER,
        "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2",
        ("lacks_required_queue_property: queue.bits or 0",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clCreateCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/5",
        ("lacks_any_synchronization: queues[0]",),
    ),
    MutantExplanation(
        RECORDED,
        JUNCTION,
        "clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/1",
        ("_is_incompatible: one.bits is None or other.bits is None",),
    ),
    MutantExplanation(EITHER_CODE, DROPPED, "clEnqueueCommandBufferKHR/CL_INVALID_CONTEXT/1"),
    # recording
    MutantExplanation(EITHER_CODE, DROPPED, OTHER_CONTEXTS),
    MutantExplanation(EITHER_CODE, NUMBER, OTHER_CONTEXTS, ("_build_context_mismatch: len(contexts) > 1",)),
    MutantExplanation(NO_SUCH_DEVICE, JUNCTION, ONE_QUEUE, ("extension_applicability: scope.devices or (None,)",)),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        SEVERAL_QUEUES,
        (
            "extension_applicability: scope.devices or (None,)",
            "extension_applicability: found is Applicability.NOT_APPLICABLE and reported",
        ),
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
        ("_build_sync_points: not given or not isinstance(known, CommandBuffer)",),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/4",
        ("has_unsupported_updatable_fields: fields if isinstance(fields, int) else 0",),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/3",
        ("read_assertions: given if isinstance(given, int) else 0",),
    ),
    # properties of recorded commands
    MutantExplanation(UNSENT, NUMBER, PROPERTIES, ("parse_list: name if isinstance(name, int) else 0",)),
    MutantExplanation(ALIKE, BOUNDARY, NO_PROPERTIES, ("is_list_invalid: len(set(names)) < len(names)",)),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        NO_PROPERTIES,
        (
            "_of_each: reply is Decision.UNDEFINED or applies(known.gates, scope)",
            "is_value_invalid: type_name.endswith('*') or 'handle' in type_name",
        ),
    ),
    MutantExplanation(UNREACHED, NUMBER, NO_PROPERTIES, ("is_value_invalid: value if isinstance(value, int) else 0",)),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/1",
        ("is_value_invalid: type_name.endswith('*') or 'handle' in type_name",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clCommandNDRangeKernelKHR/CL_INVALID_VALUE/1",
        ("is_value_invalid: value if isinstance(value, int) else 0",),
    ),
    MutantExplanation(
        UNREACHED, JUNCTION, PROPERTIES, ("is_value_invalid: type_name == 'cl_uint' and 0 <= number < 1 << 32",)
    ),
    MutantExplanation(UNREACHED, BOUNDARY, PROPERTIES, ("is_value_invalid: 0 <= number < 1 << 32",)),
    MutantExplanation(
        UNREACHED,
        NUMBER,
        PROPERTIES,
        (
            "is_value_invalid: 0 <= number < 1 << 32",
            "is_value_invalid: 1 << 32",
            "is_value_invalid: value in (0, None)",
            "is_value_invalid: number in (0, 1)",
            "_check_platform: value in (0, None)",
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
