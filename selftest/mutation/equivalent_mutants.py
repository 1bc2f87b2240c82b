"""Mutants that no call can kill, each with the reason. A run reports the mutants of this list that it kills."""

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
"""Error conditions of query functions, except clGetProgramInfo, which writes binaries to a list of pointers."""
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
"""Error conditions for NULL origins and regions. NULL also violates the conditions for positions in an image."""
EXTENSION_OBJECT_CHECKS = "clEnqueue*KHR/CL_INVALID_COMMAND_QUEUE/2 clEnqueue*KHR/CL_INVALID_EVENT_WAIT_LIST/4 \
clGetSemaphoreHandleForTypeKHR/CL_INVALID_DEVICE/2"
"""Error conditions for invalid objects. The numbers at the end of their ids differ from those for core functions."""
EXCLUDED_WITH_HANDLE = "clCreateBufferWithProperties/CL_INVALID_VALUE/2 clCreateImageWithProperties/CL_INVALID_VALUE/4 \
clCreate*WithProperties/CL_INVALID_HOST_PTR/2"
"""Error conditions for arguments that exclude an external handle; a valid handle is never sent."""

REGIONS = (
    "do_sub_buffers_overlap: first.offset < second.offset + second.size and second.offset < first.offset + first.size"
)
NO_DEVICES = "devices_of: not isinstance(context, Context) or not context.devices"

EXPLAINED: tuple[MutantExplanation, ...] = (
    # objects and plain arguments
    MutantExplanation(UNSENT, JUNCTION, OBJECT_CHECKS, ("is_invalid_object: thing is None or thing.references < 1",)),
    MutantExplanation(
        UNSENT, JUNCTION, OBJECT_KIND_CHECKS, ("is_invalid_object: wanted is None or type(thing) in UNTOLD",)
    ),
    MutantExplanation(
        ALIKE, JUNCTION, OBJECT_CHECKS, ("strongest_result: reply is not Decision.NO and reply is not False",)
    ),
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
        ("_build_null_or_zero: call.arguments.get(name, 1)",),
    ),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clCreateContext/CL_INVALID_VALUE/3 clCreateContextFromType/CL_INVALID_VALUE/1 "
        "clBuildProgram/CL_INVALID_VALUE/2 clCompileProgram/CL_INVALID_VALUE/3 clLinkProgram/CL_INVALID_VALUE/3",
        (
            (
                "_build_user_data_without_callback: {name for name in record.condition.parameters "
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
            "_is_foreign_name: others and call.function not in others",
            (
                "_of_nothing: call.arguments[first.name] is None and (not first.pointers) and "
                "(first.base != 'cl_platform_id')"
            ),
        ),
    ),
    MutantExplanation(UNREACHED, BOUNDARY, QUERY_NAME_CHECKS_WITHOUT_BINARIES, ("_has_short_buffers: count < size",)),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        "clGet*Info/CL_INVALID_VALUE/1",
        ("_is_too_small_for_any: query is None or query.name in BUFFER_SIZED_QUERIES",),
    ),
    MutantExplanation(
        EITHER_CODE,
        BOUNDARY,
        QUERY_NAME_CHECKS,
        ("_is_too_small_for_any: call.param_value_size >= model.lookups.size_of(query.type)",),
    ),
    # lists of properties
    MutantExplanation(UNSENT, NUMBER, CONTEXTS, ("parse_list: name if isinstance(name, int) else 0",)),
    MutantExplanation(ALIKE, NUMBER, CONTEXTS, ("is_value_invalid: value if isinstance(value, int) else 0",)),
    MutantExplanation(
        UNREACHED, JUNCTION, CONTEXTS, ("is_value_invalid: type_name == 'cl_uint' and 0 <= number < 1 << 32",)
    ),
    MutantExplanation(UNREACHED, BOUNDARY, CONTEXTS, ("is_value_invalid: 0 <= number < 1 << 32",)),
    MutantExplanation(
        UNREACHED, NUMBER, CONTEXTS, ("is_value_invalid: 0 <= number < 1 << 32", "is_value_invalid: 1 << 32")
    ),
    MutantExplanation(
        ALIKE, NUMBER, "clSetUserEventStatus/CL_INVALID_OPERATION/1", ("is_already_set: event.status <= 0",)
    ),
    MutantExplanation(NO_SUCH_PLATFORM, DROPPED, "clGetEventInfo/CL_INVALID_VALUE/2"),
    MutantExplanation(SAME_CODE, DROPPED, MEMORY_LISTS),
    MutantExplanation(
        SAME_CODE,
        JUNCTION,
        MEMORY_LISTS,
        ("has_devices_without_handle: read_properties(call.properties, model) or ()",),
    ),
    # queues
    MutantExplanation(EITHER_CODE, NUMBER, QUEUES, ("VENDORS: 7 << 29", "LARGEST_UINT: 1 << 32")),
    MutantExplanation(
        EITHER_CODE, JUNCTION, QUEUES, ("has_unsupported_list: wrong is Decision.MUST or isinstance(wrong, Must)",)
    ),
    MutantExplanation(
        UNREACHED, JUNCTION, OLD_QUEUES, ("has_unsupported_bits: supported == 0 or bool(bits & modes & ~supported)",)
    ),
    MutantExplanation(UNREACHED, NUMBER, OLD_QUEUES, ("has_unsupported_bits: supported == 0",)),
    MutantExplanation(
        NO_SUCH_DEVICE,
        BOUNDARY,
        DEFAULT_QUEUE,
        (
            "_is_default_of_device_fixed: device.version < (2, 0)",
            "_is_default_of_device_fixed: device.number('CL_DEVICE_MAX_ON_DEVICE_QUEUES') > 0",
        ),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        NUMBER,
        DEFAULT_QUEUE,
        (
            "_is_default_of_device_fixed: device.version < (2, 0) -> device.version < (2, 1)",
            "_is_default_of_device_fixed: device.number('CL_DEVICE_MAX_ON_DEVICE_QUEUES') > 0",
        ),
    ),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clSetDefaultDeviceCommandQueue/CL_INVALID_COMMAND_QUEUE/1",
        ("is_queue_invalid_as_default: reply is not Decision.NO or not isinstance(queue, CommandQueue)",),
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
    MutantExplanation(EITHER_CODE, NUMBER, OVERLAP, ("overlaps: [0, 0]",)),
    MutantExplanation(EITHER_CODE, BOUNDARY, OVERLAP, ("overlaps: start < reached[1 - side]",)),
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
        ("is_origin_misaligned: context is None or not context.devices",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clEnqueueFillBuffer/CL_INVALID_VALUE/2",
        ("MAX_PATTERN_WITHOUT_INT64: MAX_PATTERN_WITHOUT_INT64 = 64",),
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clEnqueue*ExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/4",
        ("is_device_outside_context: owner is not None and owner.devices and (device not in owner.devices)",),
    ),
    MutantExplanation(NO_SUCH_PLATFORM, DROPPED, "clCreateBuffer/CL_INVALID_DEVICE/[234]"),
    MutantExplanation(
        NO_SUCH_DEVICE,
        BOUNDARY,
        "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1",
        ("is_size_invalid: (1, 1) <= device.version < (3, 0)",),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        NUMBER,
        "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1",
        ("is_size_invalid: (1, 1) <= device.version < (3, 0)",),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clCreateBuffer*/CL_INVALID_HOST_PTR/1 clCreateImage*/CL_INVALID_HOST_PTR/1",
        ("_accepts_bus_addresses: call.function != 'clCreateBuffer' or not flags & model.value(EXTERNAL)",),
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1",
        (
            (
                "does_copy_overlap: call.src_offset + call.size <= source.size and "
                "call.dst_offset + call.size <= destination.size"
            ),
        ),
    ),
    MutantExplanation(ALIKE, JUNCTION, "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1", (REGIONS,)),
    MutantExplanation(
        ALIKE,
        BOUNDARY,
        "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP/1",
        tuple(
            f"do_sub_buffers_overlap: {side}"
            for side in REGIONS.removeprefix("do_sub_buffers_overlap: ").split(" and ")
        ),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        OVERLAP,
        (
            (
                "_do_regions_overlap_certainly: rectangles_overlap(one, other) and "
                "all((overlaps(one.spans(), each) for each in (target, moved)))"
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
        ("mip_coordinate: at < len(origin)",),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clEnqueueCopyImageToBuffer/CL_INVALID_MEM_OBJECT/1 clEnqueueCopyBufferToImage/CL_INVALID_MEM_OBJECT/1",
        ("_is_pair_invalid: one.source is other and one.shape.image_type == OF_A_BUFFER",),
    ),
    MutantExplanation(
        SAME_CODE,
        BOUNDARY,
        "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2 clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2",
        ("exceeds_buffer: size > 0",),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        BOUNDARY,
        "clCreateImageWithProperties/CL_INVALID_VALUE/[23]",
        ("_contradiction_result: device.version < (2, 0)",),
    ),
    MutantExplanation(
        NO_SUCH_DEVICE,
        NUMBER,
        "clCreateImageWithProperties/CL_INVALID_VALUE/[23]",
        ("_contradiction_result: device.version < (2, 0)",),
    ),
    *OF_PROGRAMS,
    # shared memory
    MutantExplanation(NO_CODE, DROPPED, "clSVMAlloc/NULL/[1-7]"),
    MutantExplanation(ALIKE, NUMBER, "clSVMAlloc/NULL/5", ("has_unknown_flags: added = 0",)),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clSVMAlloc/NULL/5",
        (
            (
                "has_unknown_flags: bits if any((gate.subject == 'extension' for gate in "
                "model.tables.enumerants[name].gates)) else 0"
            ),
        ),
    ),
    MutantExplanation(
        SAME_CODE,
        JUNCTION,
        "clEnqueueSVMMigrateMem/CL_INVALID_VALUE/2",
        ("exceeds_allocation: isinstance(size, int) and size",),
    ),
    # sub-devices of the extension
    MutantExplanation(
        NO_SUCH_DEVICE,
        JUNCTION,
        "clCreateSubDevicesEXT/CL_INVALID_PROPERTY/1 clCreateSubDevicesEXT/CL_INVALID_VALUE/1",
        ("is_style_unsupported: request.scheme == '?' or not supports(device, request, EXT)",),
    ),
    MutantExplanation(
        UNREACHED, BOUNDARY, FURTHER, ("cannot_be_partitioned_further: len(parts(device, request, EXT, model)) <= 1",)
    ),
    MutantExplanation(
        UNREACHED, NUMBER, FURTHER, ("cannot_be_partitioned_further: len(parts(device, request, EXT, model)) <= 1",)
    ),
    MutantExplanation(NO_SUCH_DEVICE, NUMBER, FURTHER, ("cannot_be_partitioned_further: units == 1",)),
    MutantExplanation(
        ALIKE, BOUNDARY, "clCreateSubDevicesEXT/CL_INVALID_PARTITION_NAME_EXT/1", ("are_names_out_of_range: name < -1",)
    ),
    # unified shared memory
    MutantExplanation(SAME_CODE, DROPPED, f"{PLACEMENTS}2"),
    MutantExplanation(
        SAME_CODE, JUNCTION, f"{PLACEMENTS}[12]", ("has_invalid_placement: parse_list(call.properties) or ()",)
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clEnqueueMemFillINTEL/CL_INVALID_VALUE/1 clEnqueueMemcpyINTEL/CL_INVALID_VALUE/1",
        ("_out_of_reach: foreign or not is_usable_by(memory, _device(call, model), model)",),
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
        ("is_mapping_impossible: call.size > surface.memory.size or surface.memory.references < 1",),
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
            "has_null_pointer: call.num_mem_objects == 0 or not is_specified(call, model)",
            "is_specified: not apart and (call.arguments[count] == 0) == (events is None)",
        ),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clEnqueue*SignalAMD/CL_INVALID_VALUE/1",
        ("is_specified: not apart and (call.arguments[count] == 0) == (events is None)",),
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
            "is_handle_invalid: not isinstance(value, int) or value >= 0",
            "is_descriptor_invalid: not isinstance(call.fd, int) or call.fd >= 0",
        ),
    ),
    MutantExplanation(
        UNSENT,
        BOUNDARY,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1 clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1",
        ("is_handle_invalid: value >= 0", "is_descriptor_invalid: call.fd >= 0"),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1 clReImportSemaphoreSyncFdKHR/CL_INVALID_VALUE/1",
        (
            "is_handle_invalid: value >= 0",
            "is_handle_invalid: value in (0, None)",
            "is_descriptor_invalid: call.fd >= 0",
        ),
    ),
    MutantExplanation(
        NO_SUCH_PLATFORM,
        JUNCTION,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1",
        ("_is_type_invalid: each or ()",),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/1",
        ("_lacks_device: len(context.candidates) == 1",),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clEnqueue*SemaphoresKHR/CL_INVALID_COMMAND_QUEUE/4",
        (
            "is_outside_context: device is None or any((owner is None or not owner.devices for owner in owners))",
            "is_outside_context: owner is None or not owner.devices",
        ),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        f"*/CL_INVALID_SEMAPHORE_KHR/1 {EXTENSION_OBJECT_CHECKS}",
        ("is_invalid_object: thing is None or thing.references < 1",),
    ),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        f"*/CL_INVALID_SEMAPHORE_KHR/1 {EXTENSION_OBJECT_CHECKS}",
        ("strongest_result: reply is not Decision.NO and reply is not False",),
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
            "has_several_handles: len(imported_handles(read_properties(call.sema_props, model) or (), model)) > 1",
            "has_several_handles: len(external_handles(call.properties, model)) > 1",
        ),
    ),
    MutantExplanation(
        SAME_CODE,
        BOUNDARY,
        "clCreate*WithProperties/CL_INVALID_PROPERTY/4",
        ("has_several_handles: len(external_handles(call.properties, model)) > 1",),
    ),
    MutantExplanation(
        SAME_CODE,
        JUNCTION,
        "clCreateSemaphoreWithPropertiesKHR/CL_INVALID_PROPERTY/2 clCreate*WithProperties/CL_INVALID_PROPERTY/[34]",
        (
            "has_several_handles: read_properties(call.sema_props, model) or ()",
            "external_handles: read_properties(properties, model) or ()",
            "listed_devices: read_properties(properties, model) or ()",
            "_is_supported: types is not None and given.name in types",
            (
                "_is_supported: bool(told) and all((types is not None and given.name in types for given in handles "
                "for types in told))"
            ),
            "has_devices_without_handle: not others.intersection(names) and EXTERNAL in extensions",
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
            "external_handles: read_properties(properties, model) or ()",
            "listed_devices: read_properties(properties, model) or ()",
            "_is_supported: types is not None and given.name in types",
            (
                "_is_supported: bool(told) and all((types is not None and given.name in types for given in handles "
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
                "is_import_unsupported_by_named_device: listed_devices(call.properties, model) is not None and "
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
        ("listed_devices: read_properties(properties, model) or ()",),
    ),
    MutantExplanation(
        UNREACHED,
        JUNCTION,
        "clGetSemaphoreInfoKHR/CL_INVALID_VALUE/1",
        ("_is_too_small_for_any: query is None or query.name in BUFFER_SIZED_QUERIES",),
    ),
    *OF_COMMANDS,
)
