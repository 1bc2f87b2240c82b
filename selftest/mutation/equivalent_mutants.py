"""Mutants that no call can kill, each with the reason; a run reports those that are killed nevertheless."""

from __future__ import annotations

from clconform.selftest.mutation.equivalent_mutants_commands import OF_COMMANDS
from clconform.selftest.mutation.equivalent_mutants_programs import OF_PROGRAMS
from clconform.selftest.mutation.explanations import MutantExplanation
from clconform.selftest.mutation.mutants import DROPPED, NEGATED
from clconform.selftest.mutation.mutation_operators import BOUNDARY, JUNCTION, NUMBER
from clconform.selftest.mutation.survival_reasons import (
    ALIKE,
    EITHER_CODE,
    NO_CODE,
    NO_SUCH_DEVICE,
    NO_SUCH_PLATFORM,
    SAME_CODE,
    UNREACHED,
    UNSENT,
)

OBJECT_CHECKS = "*/CL_INVALID_CONTEXT/1 */CL_INVALID_DEVICE/1 */CL_INVALID_COMMAND_QUEUE/1 */CL_INVALID_*OBJECT/1 \
*/CL_INVALID_KERNEL/1 */CL_INVALID_PROGRAM/1 clWaitForEvents/CL_INVALID_EVENT/1 clGetEvent*Info/CL_INVALID_EVENT/1 \
clSetEventCallback/CL_INVALID_EVENT/1 clRetainEvent/CL_INVALID_EVENT/1 clReleaseEvent/CL_INVALID_EVENT/1"
OBJECT_KIND_CHECKS = "clEnqueue*Buffer/CL_INVALID_COMMAND_QUEUE/1 clEnqueue*BufferRect/CL_INVALID_COMMAND_QUEUE/1 \
clEnqueue*Mem*/CL_INVALID_COMMAND_QUEUE/1 clEnqueueSVM*/CL_INVALID_COMMAND_QUEUE/1 \
clEnqueue*Buffer/CL_INVALID_MEM_OBJECT/1 clEnqueue*BufferRect/CL_INVALID_MEM_OBJECT/1 \
clEnqueue*SignalAMD/CL_INVALID_MEM_OBJECT/1 clEnqueue*Image*/CL_INVALID_COMMAND_QUEUE/1 \
clEnqueue*Image/CL_INVALID_MEM_OBJECT/1 clGetImageInfo/CL_INVALID_MEM_OBJECT/1 \
clGetPipeInfo/CL_INVALID_MEM_OBJECT/1 clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_COMMAND_QUEUE/1 \
clEnqueueNDRangeKernel/CL_INVALID_COMMAND_QUEUE/1 clEnqueueTask/CL_INVALID_COMMAND_QUEUE/1 \
clEnqueueNativeKernel/CL_INVALID_COMMAND_QUEUE/1 clEnqueueMarker*/CL_INVALID_COMMAND_QUEUE/1 \
clEnqueueBarrier*/CL_INVALID_COMMAND_QUEUE/1 clEnqueueWaitForEvents/CL_INVALID_COMMAND_QUEUE/1 \
clFlush/CL_INVALID_COMMAND_QUEUE/1 clFinish/CL_INVALID_COMMAND_QUEUE/1"
"""Error conditions that require a host queue, a buffer, an image or a pipe."""
QUERY_NAME_CHECKS = "clGet*Info*/CL_INVALID_VALUE/[12]"
QUERY_NAME_CHECKS_WITHOUT_BINARIES = "clGet[!P]*Info*/CL_INVALID_VALUE/[12] clGetP[il]*Info*/CL_INVALID_VALUE/[12] \
clGetProgramBuildInfo/CL_INVALID_VALUE/[12]"
"""The error conditions of functions that do not write to a list of pointers."""
CONTEXTS = "clCreateContext*/CL_INVALID_PROPERTY/1"
MEMORY_LISTS = "clCreateBufferWithProperties/CL_INVALID_PROPERTY/3 clCreateImageWithProperties/CL_INVALID_PROPERTY/3"
QUEUES = "clCreateCommandQueueWithProperties*/CL_INVALID_QUEUE_PROPERTIES/1"
OLD_QUEUES = (
    "clCreateCommandQueue/CL_INVALID_QUEUE_PROPERTIES/1 clSetCommandQueueProperty/CL_INVALID_QUEUE_PROPERTIES/1"
)
DEFAULT_QUEUE = "clSetDefaultDeviceCommandQueue/CL_INVALID_OPERATION/1"
OVERLAP = "clEnqueueCopyBufferRect/CL_MEM_COPY_OVERLAP/1"
FURTHER = "clCreateSubDevicesEXT/CL_DEVICE_PARTITION_FAILED_EXT/1"
PLACEMENTS = "cl*MemAllocINTEL/CL_INVALID_PROPERTY/"
BUS_MEMORY = "clCreateBuffer/CL_MEM_OBJECT_ALLOCATION_FAILURE/2"
BUS_POINTER = "clCreateBuffer/CL_INVALID_HOST_PTR/3"
RESIDENT = "clEnqueueMakeBuffersResidentAMD/CL_INVALID_OPERATION/1"
NULL_COORDINATES = "clEnqueue[!F]*Image/CL_INVALID_VALUE/1 clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/1 \
clEnqueueFillImage/CL_INVALID_VALUE/2"
"""Error conditions for NULL origins and regions, which are not valid positions in an image either."""
EXTENSION_OBJECT_CHECKS = "clEnqueue*KHR/CL_INVALID_COMMAND_QUEUE/2 clEnqueue*KHR/CL_INVALID_EVENT_WAIT_LIST/4 \
clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/2"
"""Error conditions for invalid objects whose ordinals differ from those of core functions."""
EXCLUDED_WITH_HANDLE = "clCreateBufferWithProperties/CL_INVALID_VALUE/2 clCreateImageWithProperties/CL_INVALID_VALUE/4 \
clCreate*WithProperties/CL_INVALID_HOST_PTR/2"
"""Error conditions for arguments that exclude an external handle; a valid handle is never sent."""

REGIONS = "regions_overlap: first.offset < second.offset + second.size and second.offset < first.offset + first.size"
FLAG = "placed_wrongly: 1 if call.function == 'clSharedMemAllocINTEL' else 0 ->"
NO_DEVICES = "devices_of: not isinstance(context, Context) or not context.devices"

EXPLAINED: tuple[MutantExplanation, ...] = (
    # objects and plain arguments
    MutantExplanation(UNSENT, JUNCTION, OBJECT_CHECKS, ("valid_object: thing is None or thing.references < 1",)),
    MutantExplanation(UNSENT, JUNCTION, OBJECT_KIND_CHECKS, ("valid_object: wanted is None or type(thing) in UNTOLD",)),
    MutantExplanation(ALIKE, JUNCTION, OBJECT_CHECKS, ("gravest: reply is not Answer.NO and reply is not False",)),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clCreateContext/CL_INVALID_DEVICE/1 clEnqueueMigrateMemObjects/CL_INVALID_MEM_OBJECT/1 "
        "clLinkProgram/CL_INVALID_PROGRAM/1 clWaitForEvents/CL_INVALID_EVENT/1",
        ("_elements: value is None and listed",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clEnqueue*Migrate*/CL_INVALID_VALUE/1 clCreateProgram*/CL_INVALID_VALUE/1 clWaitForEvents/CL_INVALID_VALUE/1 "
        "clEnqueueWaitForEvents/CL_INVALID_VALUE/1",
        ("_null_or_zero: call.arguments.get(name, 1)",),
    ),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clCreateContext/CL_INVALID_VALUE/3 clCreateContextFromType/CL_INVALID_VALUE/1 "
        "clBuildProgram/CL_INVALID_VALUE/2 clCompileProgram/CL_INVALID_VALUE/3 clLinkProgram/CL_INVALID_VALUE/3",
        (
            (
                "_user_data_without_callback: {name for name in record.condition.parameters "
                "if name.startswith('pfn')} or {'pfn_notify'}"
            ),
        ),
    ),
    MutantExplanation(
        NO_SUCH_PLATFORM,
        JUNCTION,
        "*/CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST/1",
        ("_has_failed: event.tainted and (not event.complete)",),
    ),
    # queries
    MutantExplanation(
        NO_SUCH_PLATFORM,
        JUNCTION,
        QUERY_NAME_CHECKS,
        (
            "_not_a_name: others and call.function not in others",
            (
                "_of_nothing: call.arguments[first.name] is None and (not first.pointers) and "
                "(first.base != 'cl_platform_id')"
            ),
        ),
    ),
    MutantExplanation(UNREACHED, BOUNDARY, QUERY_NAME_CHECKS_WITHOUT_BINARIES, ("_buffers_too_short: count < size",)),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        "clGet*Info/CL_INVALID_VALUE/1",
        ("_too_small_for_any: query is None or query.name in AS_MUCH_AS_FITS",),
    ),
    MutantExplanation(
        EITHER_CODE,
        BOUNDARY,
        QUERY_NAME_CHECKS,
        ("_too_small_for_any: call.param_value_size >= model.lookups.size_of(query.type)",),
    ),
    # lists of properties
    MutantExplanation(UNSENT, NUMBER, CONTEXTS, ("read_list: name if isinstance(name, int) else 0",)),
    MutantExplanation(ALIKE, NUMBER, CONTEXTS, ("value_not_valid: value if isinstance(value, int) else 0",)),
    MutantExplanation(
        UNREACHED, JUNCTION, CONTEXTS, ("value_not_valid: type_name == 'cl_uint' and 0 <= number < 1 << 32",)
    ),
    MutantExplanation(UNREACHED, BOUNDARY, CONTEXTS, ("value_not_valid: 0 <= number < 1 << 32",)),
    MutantExplanation(
        UNREACHED, NUMBER, CONTEXTS, ("value_not_valid: 0 <= number < 1 << 32", "value_not_valid: 1 << 32")
    ),
    MutantExplanation(
        ALIKE, NUMBER, "clSetUserEventStatus/CL_INVALID_OPERATION/1", ("set_already: event.status <= 0",)
    ),
    MutantExplanation(NO_SUCH_PLATFORM, DROPPED, "clGetEventInfo/CL_INVALID_VALUE/2"),
    MutantExplanation(SAME_CODE, DROPPED, MEMORY_LISTS),
    MutantExplanation(
        SAME_CODE, JUNCTION, MEMORY_LISTS, ("devices_without_a_handle: given_in(call.properties, model) or ()",)
    ),
    # queues
    MutantExplanation(EITHER_CODE, NUMBER, QUEUES, ("VENDORS: 7 << 29", "LARGEST_UINT: 1 << 32")),
    MutantExplanation(
        EITHER_CODE, JUNCTION, QUEUES, ("list_not_supported: wrong is Answer.MUST or isinstance(wrong, Must)",)
    ),
    MutantExplanation(
        UNREACHED, JUNCTION, OLD_QUEUES, ("bits_not_supported: supported == 0 or bool(bits & modes & ~supported)",)
    ),
    MutantExplanation(UNREACHED, NUMBER, OLD_QUEUES, ("bits_not_supported: supported == 0",)),
    MutantExplanation(
        NO_SUCH_DEVICE,
        BOUNDARY,
        DEFAULT_QUEUE,
        (
            "_default_of_it_stays: device.version < (2, 0)",
            "_default_of_it_stays: device.number('CL_DEVICE_MAX_ON_DEVICE_QUEUES') > 0",
        ),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        NUMBER,
        DEFAULT_QUEUE,
        (
            "_default_of_it_stays: device.version < (2, 0) -> device.version < (2, 1)",
            "_default_of_it_stays: device.number('CL_DEVICE_MAX_ON_DEVICE_QUEUES') > 0",
        ),
    ),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clSetDefaultDeviceCommandQueue/CL_INVALID_COMMAND_QUEUE/1",
        ("no_queue_for_the_default: reply is not Answer.NO or not isinstance(queue, Queue)",),
    ),
    # buffers and memory objects
    MutantExplanation(NO_SUCH_DEVICE, NUMBER, "*/CL_MISALIGNED_SUB_BUFFER_OFFSET/[12]", ("is_aligned: bits == 0",)),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clEnqueue*BufferRect/CL_INVALID_VALUE/[678]",
        ("pitches: not isinstance(row, int) or not isinstance(slices, int)",),
    ),
    MutantExplanation(SAME_CODE, NUMBER, "clEnqueueCopyBufferRect/CL_INVALID_VALUE/[67]", ("_slices: slices != 0",)),
    MutantExplanation(EITHER_CODE, NUMBER, OVERLAP, ("shared_bytes: [0, 0]",)),
    MutantExplanation(EITHER_CODE, BOUNDARY, OVERLAP, ("shared_bytes: start < reached[1 - side]",)),
    MutantExplanation(SAME_CODE, DROPPED, "clEnqueueCopyBufferRect/CL_INVALID_VALUE/1"),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clCreateSubBuffer/CL_INVALID_VALUE/[45]",
        (
            (
                "_region: not isinstance(call.buffer_create_info, Data) or "
                "len(call.buffer_create_info.content) < _REGION.size"
            ),
        ),
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clCreateSubBuffer/CL_INVALID_VALUE/4",
        ("aligned_for_no_device: context is None or not context.devices",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clEnqueueFillBuffer/CL_INVALID_VALUE/2",
        ("LARGEST_WITHOUT_LONGS: LARGEST_WITHOUT_LONGS = 64",),
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clEnqueue*ExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
        ("queue_not_for_them: owner is not None and owner.devices and (device not in owner.devices)",),
    ),
    MutantExplanation(NO_SUCH_PLATFORM, DROPPED, "clCreateBuffer/CL_INVALID_DEVICE/[234]"),
    MutantExplanation(
        NO_SUCH_DEVICE,
        BOUNDARY,
        "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1",
        ("size_not_valid: (1, 1) <= device.version < (3, 0)",),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        NUMBER,
        "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1",
        ("size_not_valid: (1, 1) <= device.version < (3, 0)",),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clCreateBuffer*/CL_INVALID_HOST_PTR/1 clCreateImage*/CL_INVALID_HOST_PTR/1",
        ("_takes_addresses: call.function != 'clCreateBuffer' or not flags & model.value(EXTERNAL)",),
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1",
        (
            (
                "copy_overlaps: call.src_offset + call.size <= source.size and "
                "call.dst_offset + call.size <= destination.size"
            ),
        ),
    ),
    MutantExplanation(ALIKE, JUNCTION, "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1", (REGIONS,)),
    MutantExplanation(
        ALIKE,
        BOUNDARY,
        "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1",
        tuple(f"regions_overlap: {side}" for side in REGIONS.removeprefix("regions_overlap: ").split(" and ")),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        OVERLAP,
        (
            (
                "_overlap_everywhere: overlap_by_the_appendix(one, other) and "
                "all((shared_bytes(one.spans(), each) for each in (target, moved)))"
            ),
        ),
    ),
    # images
    MutantExplanation(SAME_CODE, DROPPED, NULL_COORDINATES),
    MutantExplanation(SAME_CODE, DROPPED, "clCreateImage*/CL_INVALID_OPERATION/1"),
    MutantExplanation(ALIKE, DROPPED, "clCreateImage/CL_INVALID_DEVICE/[234]"),
    MutantExplanation(
        UNSENT,
        BOUNDARY,
        "clEnqueue*Image*/CL_INVALID_MIP_LEVEL/1 clEnqueue*Image*/CL_INVALID_VALUE/[234]",
        ("level_named: at < len(origin)",),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clEnqueueCopyImageToBuffer/CL_INVALID_MEM_OBJECT/1 clEnqueueCopyBufferToImage/CL_INVALID_MEM_OBJECT/1",
        ("_not_valid_beside: one.source is other and one.shape.image_type == OF_A_BUFFER",),
    ),
    MutantExplanation(
        SAME_CODE,
        BOUNDARY,
        "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2 clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2",
        ("bytes_outside: size > 0",),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        BOUNDARY,
        "clCreateImageWithProperties/CL_INVALID_VALUE/[23]",
        ("_since_2_0: device.version < (2, 0)",),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        NUMBER,
        "clCreateImageWithProperties/CL_INVALID_VALUE/[23]",
        ("_since_2_0: device.version < (2, 0)",),
    ),
    *OF_PROGRAMS,
    # shared memory
    MutantExplanation(NO_CODE, DROPPED, "clSVMAlloc/NULL/[1-7]"),
    MutantExplanation(ALIKE, NUMBER, "clSVMAlloc/NULL/5", ("unknown_flags: added = 0",)),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clSVMAlloc/NULL/5",
        (
            (
                "unknown_flags: bits if any((gate.subject == 'extension' for gate in "
                "model.tables.enumerants[name].gates)) else 0"
            ),
        ),
    ),
    MutantExplanation(
        SAME_CODE,
        JUNCTION,
        "clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2",
        ("beyond_the_allocation: isinstance(size, int) and size",),
    ),
    # sub-devices of the extension
    MutantExplanation(
        NO_SUCH_DEVICE,
        JUNCTION,
        "clCreateSubDevicesEXT/CL_INVALID_PROPERTY/1 clCreateSubDevicesEXT/CL_INVALID_VALUE/1",
        ("style_unknown_or_not_supported: request.scheme == '?' or not supports(device, request, EXT)",),
    ),
    MutantExplanation(
        UNREACHED, BOUNDARY, FURTHER, ("cannot_be_partitioned_further: len(parts(device, request, EXT, model)) <= 1",)
    ),
    MutantExplanation(
        UNREACHED, NUMBER, FURTHER, ("cannot_be_partitioned_further: len(parts(device, request, EXT, model)) <= 1",)
    ),
    MutantExplanation(NO_SUCH_DEVICE, NUMBER, FURTHER, ("cannot_be_partitioned_further: units == 1",)),
    MutantExplanation(
        ALIKE, BOUNDARY, "clCreateSubDevicesEXT/CL_INVALID_PARTITION_NAME_EXT/1", ("names_out_of_range: name < -1",)
    ),
    # unified shared memory
    MutantExplanation(SAME_CODE, DROPPED, f"{PLACEMENTS}2"),
    MutantExplanation(SAME_CODE, JUNCTION, f"{PLACEMENTS}[12]", ("placed_wrongly: read_list(call.properties) or ()",)),
    MutantExplanation(
        SAME_CODE,
        NUMBER,
        "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/[12]",
        (f"{FLAG} 2 if call.function == 'clSharedMemAllocINTEL' else 0",),
    ),
    MutantExplanation(
        UNREACHED,
        NUMBER,
        "clSharedMemAllocINTEL/CL_INVALID_PROPERTY/[12]",
        (f"{FLAG} 1 if call.function == 'clSharedMemAllocINTEL' else 1",),
    ),
    MutantExplanation(
        UNREACHED,
        NUMBER,
        "cl[DH]*MemAllocINTEL/CL_INVALID_PROPERTY/[12]",
        (f"{FLAG} 2 if call.function == 'clSharedMemAllocINTEL' else 0",),
    ),
    MutantExplanation(
        SAME_CODE,
        NUMBER,
        "cl[DH]*MemAllocINTEL/CL_INVALID_PROPERTY/2",
        (f"{FLAG} 1 if call.function == 'clSharedMemAllocINTEL' else 1",),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clEnqueueMemFillINTEL/CL_INVALID_VALUE/1 clEnqueueMemcpyINTEL/CL_INVALID_VALUE/1",
        ("_out_of_reach: foreign or not usable_by(memory, _device(call, model), model)",),
    ),
    MutantExplanation(EITHER_CODE, JUNCTION, "clDeviceMemAllocINTEL/CL_INVALID_*", (NO_DEVICES,)),
    MutantExplanation(NO_SUCH_PLATFORM, JUNCTION, "clSharedMemAllocINTEL/CL_INVALID_OPERATION/1", (NO_DEVICES,)),
    MutantExplanation(ALIKE, JUNCTION, "clSharedMemAllocINTEL/CL_INVALID_BUFFER_SIZE/1", (NO_DEVICES,)),
    MutantExplanation(SAME_CODE, NEGATED, "clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/1"),
    MutantExplanation(SAME_CODE, DROPPED, "clEnqueueMigrateMemINTEL/CL_INVALID_VALUE/2"),
    MutantExplanation(SAME_CODE, NEGATED, "clEnqueueMemAdviseINTEL/CL_INVALID_VALUE/[12]"),
    # bus-addressable memory
    MutantExplanation(SAME_CODE, DROPPED, BUS_MEMORY),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        BUS_MEMORY,
        ("not_mapped: call.size > surface.memory.size or surface.memory.references < 1",),
    ),
    MutantExplanation(UNSENT, BOUNDARY, BUS_POINTER, ("_places: len(value.content) >= 2 * WORD",)),
    MutantExplanation(
        UNSENT, NUMBER, BUS_POINTER, ("_places: 2 * WORD", "_places:  for at in (0, WORD)", "WORD: WORD = 8")
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        RESIDENT,
        (
            "nothing_given_for_a_pointer: call.num_mem_objects == 0 or not is_said(call, model)",
            "is_said: not apart and (call.arguments[count] == 0) == (events is None)",
        ),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clEnqueue*SignalAMD/CL_INVALID_VALUE/1",
        ("is_said: not apart and (call.arguments[count] == 0) == (events is None)",),
    ),
    MutantExplanation(NO_SUCH_PLATFORM, DROPPED, "clEnqueue*SignalAMD/CL_INVALID_VALUE/1"),
    # semaphores and imported memory
    MutantExplanation(SAME_CODE, DROPPED, "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2"),
    MutantExplanation(NO_SUCH_PLATFORM, DROPPED, "clEnqueue*SemaphoresKHR/CL_INVALID_VALUE/2"),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1 clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1",
        (
            "handle_not_valid: not isinstance(value, int) or value >= 0",
            "no_descriptor: not isinstance(call.fd, int) or call.fd >= 0",
        ),
    ),
    MutantExplanation(
        UNSENT,
        BOUNDARY,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1 clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1",
        ("handle_not_valid: value >= 0", "no_descriptor: call.fd >= 0"),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1 clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1",
        (
            "handle_not_valid: value >= 0",
            "handle_not_valid: value in (0, None)",
            "no_descriptor: call.fd >= 0",
        ),
    ),
    MutantExplanation(
        NO_SUCH_PLATFORM,
        JUNCTION,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1",
        ("_no_type: each or ()",),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1",
        ("_names_no_device: len(context.candidates) == 1",),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clEnqueue*SemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4",
        (
            "beside_the_context: device is None or any((owner is None or not owner.devices for owner in owners))",
            "beside_the_context: owner is None or not owner.devices",
        ),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        f"*/CL_INVALID_SEMAPHORE_KHR/1 {EXTENSION_OBJECT_CHECKS}",
        ("valid_object: thing is None or thing.references < 1",),
    ),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        f"*/CL_INVALID_SEMAPHORE_KHR/1 {EXTENSION_OBJECT_CHECKS}",
        ("gravest: reply is not Answer.NO and reply is not False",),
    ),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clEnqueue*KHR/CL_INVALID_EVENT_WAIT_LIST/4",
        ("_elements: value is None and listed",),
    ),
    MutantExplanation(
        SAME_CODE,
        NUMBER,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2 clCreate*WithProperties/CL_INVALID_PROPERTY/4",
        (
            "several_handles: len(imports_in(read_properties(call.sema_props, model) or (), model)) > 1",
            "several_handles: len(handles_in(call.properties, model)) > 1",
        ),
    ),
    MutantExplanation(
        SAME_CODE,
        BOUNDARY,
        "clCreate*WithProperties/CL_INVALID_PROPERTY/4",
        ("several_handles: len(handles_in(call.properties, model)) > 1",),
    ),
    MutantExplanation(
        SAME_CODE,
        JUNCTION,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2 clCreate*WithProperties/CL_INVALID_PROPERTY/[34]",
        (
            "several_handles: read_properties(call.sema_props, model) or ()",
            "handles_in: given_in(properties, model) or ()",
            "devices_in: given_in(properties, model) or ()",
            "_supported: types is not None and given.name in types",
            (
                "_supported: bool(told) and all((types is not None and given.name in types for given in handles "
                "for types in told))"
            ),
            "devices_without_a_handle: not others.intersection(names) and EXTERNAL in extensions",
        ),
    ),
    MutantExplanation(SAME_CODE, DROPPED, "clCreate*WithProperties/CL_INVALID_PROPERTY/4"),
    MutantExplanation(UNSENT, DROPPED, "clEnqueue*ExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/3"),
    MutantExplanation(EITHER_CODE, DROPPED, "clEnqueue*ExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4"),
    MutantExplanation(EITHER_CODE, DROPPED, EXCLUDED_WITH_HANDLE),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        EXCLUDED_WITH_HANDLE,
        (
            "handles_in: given_in(properties, model) or ()",
            "devices_in: given_in(properties, model) or ()",
            "_supported: types is not None and given.name in types",
            (
                "_supported: bool(told) and all((types is not None and given.name in types for given in handles "
                "for types in told))"
            ),
        ),
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clCreate*WithProperties/CL_INVALID_DEVICE/[34]",
        (
            (
                "not_imported_by_a_named_device: devices_in(call.properties, model) is not None and "
                "_cannot_import(call, model)"
            ),
            "_cannot_import: not told or None in told",
            "_cannot_import: types or ()",
        ),
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clCreate*WithProperties/CL_INVALID_DEVICE/4",
        ("devices_in: given_in(properties, model) or ()",),
    ),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        "clGetSemaphoreInfoKHR/CL_INVALID_VALUE/1",
        ("_too_small_for_any: query is None or query.name in AS_MUCH_AS_FITS",),
    ),
    *OF_COMMANDS,
)
