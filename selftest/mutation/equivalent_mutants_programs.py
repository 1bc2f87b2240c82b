"""Mutants of programs, kernels and execution (sections 5.8 to 5.10) that no call can kill, each with the reason."""

from __future__ import annotations

from clconform.selftest.mutation.explanations import MutantExplanation
from clconform.selftest.mutation.mutants import DROPPED, NEGATED
from clconform.selftest.mutation.mutation_operators import BOUNDARY, JUNCTION, NUMBER
from clconform.selftest.mutation.survival_reasons import (
    ALIKE,
    ALLOWED,
    EITHER_CODE,
    NO_SUCH_PLATFORM,
    RECORDED,
    SAME_CODE,
    UNREACHED,
    UNSENT,
)

RESOURCE_CONDITIONS = "clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1 clEnqueueTask/CL_OUT_OF_RESOURCES/1"
"""Error conditions that may hold for every call. Their predicates only select the interpretation."""
SUGGEST = "clGetKernelSuggestedLocalWorkSizeKHR"
ATTACHED = "clBuildProgram/CL_INVALID_OPERATION/2 clCompileProgram/CL_INVALID_OPERATION/2"
NO_EXECUTABLE = (
    "clCreateKernel/CL_INVALID_PROGRAM_EXECUTABLE/1 clCreateKernelsInProgram/CL_INVALID_PROGRAM_EXECUTABLE/1"
)
DEFINITIONS = "clCreateKernel/CL_INVALID_KERNEL_DEFINITION/1 clCreateKernelsInProgram/CL_INVALID_VALUE/1"
ROOM = "clCreateKernelsInProgram/CL_INVALID_VALUE/1"
LIMITS = "clSetKernelArg/CL_INVALID_ARG_VALUE/1 clSetKernelArg/CL_INVALID_MEM_OBJECT/1 \
clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1"
"""Error conditions that only a large argument makes unspecified."""
HANDLES = "clSetKernelArg/CL_INVALID_MEM_OBJECT/2 clSetKernelArg/CL_INVALID_SAMPLER/1 \
clSetKernelArg/CL_INVALID_DEVICE_QUEUE/1"
UNEVEN = "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4"
LARGEST_SIZE = f"{SUGGEST}/CL_INVALID_GLOBAL_WORK_SIZE/2 clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2"
"""Error conditions whose limit is the whole range of a device; calls with such a range are never sent."""

OF_PROGRAMS: tuple[MutantExplanation, ...] = (
    # programs
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clCreateProgramWithSource/CL_INVALID_VALUE/1",
        ("_exceeds_strings: not isinstance(lengths, Items) or len(lengths.values) < count",),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCreateProgramWithSource/CL_INVALID_VALUE/1 clCreateProgramWithBinary/CL_INVALID_VALUE/2",
        (
            "_exceeds_strings: len(text.encode('utf-8', 'surrogateescape')) + 1",
            "_sizes: len(text.encode('utf-8', 'surrogateescape')) + 1",
        ),
    ),
    MutantExplanation(
        UNSENT,
        NUMBER,
        "clCreateProgramWithBinary/CL_INVALID_VALUE/2",
        (
            "_readable_bytes: max(0, area.size - split_address(pointer)[1])",
            "_readable_bytes: max(0, area.size - split_address(pointer)[1]) if area is not None else 0",
        ),
    ),
    MutantExplanation(
        UNSENT,
        BOUNDARY,
        "clCreateProgramWithBinary/CL_INVALID_BINARY/1",
        ("programs_with_binary_at: at >= len(given)",),
    ),
    MutantExplanation(
        ALIKE,
        NUMBER,
        "clCreateProgramWithIL*/CL_INVALID_OPERATION/1",
        ("lacks: told in (0, '')",),
    ),
    MutantExplanation(
        NO_SUCH_PLATFORM,
        JUNCTION,
        "clSetProgramReleaseCallback/CL_INVALID_OPERATION/1",
        ("lacks_destructor_support: context is None or not context.devices",),
    ),
    MutantExplanation(
        UNSENT,
        JUNCTION,
        "clSetProgramSpecializationConstant/CL_INVALID_PROGRAM/1",
        ("is_not_from_il: program is None or program.references < 1",),
    ),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clBuildProgram/CL_BUILD_PROGRAM_FAILURE/1",
        ("source_of: not isinstance(names, Texts) or not isinstance(headers, Items)",),
    ),
    MutantExplanation(
        ALLOWED,
        JUNCTION,
        "clCreateProgramWithBinary/CL_INVALID_BINARY/1",
        ("_matches_reported: len(told) >= LONGEST_BYTES and content.startswith(told)",),
    ),
    MutantExplanation(
        RECORDED,
        BOUNDARY,
        "clCreateProgramWithBinary/CL_INVALID_BINARY/1",
        ("_matches_reported: len(told) >= LONGEST_BYTES",),
    ),
    MutantExplanation(
        ALLOWED,
        JUNCTION,
        ATTACHED,
        (
            (
                "has_attached_kernels: bool(model.commands.pending) and "
                "any((name.startswith('kernel') for name in model.gone))"
            ),
            "has_attached_kernels: doubtful or in_use",
            "has_attached_kernels: each.program is None or each.program is program",
        ),
    ),
    MutantExplanation(ALIKE, BOUNDARY, ATTACHED, ("has_attached_kernels: each.references > 0",)),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clLinkProgram/CL_LINK_PROGRAM_FAILURE/1",
        (
            (
                "has_binary: program.from_source and (not isinstance(program, LinkedProgram)) and "
                "(type(program) is not Program)"
            ),
            "has_binary: state is BuildState.NONE and device.parent is None",
        ),
    ),
    # kernels
    MutantExplanation(SAME_CODE, DROPPED, "clSetKernelArg/CL_INVALID_MEM_OBJECT/2"),
    MutantExplanation(
        SAME_CODE,
        JUNCTION,
        "clSetKernelArg/CL_INVALID_MEM_OBJECT/2",
        ("lacks_depth_image: _is_other_kind(given, declared) or given.format.order != model.value('CL_DEPTH')",),
    ),
    MutantExplanation(UNREACHED, BOUNDARY, NO_EXECUTABLE, ("lacks_executable: states <= WITHOUT_EXECUTABLE",)),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        "clCreateKernel/CL_INVALID_KERNEL_NAME/1",
        ("lacks_kernel: states and states <= WITHOUT_EXECUTABLE",),
    ),
    MutantExplanation(
        UNREACHED,
        BOUNDARY,
        "clCreateKernel/CL_INVALID_KERNEL_NAME/1",
        ("lacks_kernel: states <= WITHOUT_EXECUTABLE",),
    ),
    MutantExplanation(ALLOWED, BOUNDARY, DEFINITIONS, ("differs: len(program.builds) > 1",)),
    MutantExplanation(
        ALLOWED,
        BOUNDARY,
        ROOM,
        ("differs: len({MORE in (build.options or '') for build in program.builds.values()}) > 1",),
    ),
    MutantExplanation(
        ALIKE,
        BOUNDARY,
        ROOM,
        (
            (
                "has_too_few_kernels: count <= call.num_kernels < len(program.holds) -> "
                "count <= call.num_kernels <= len(program.holds)"
            ),
            "has_too_few_kernels: call.num_kernels < count",
        ),
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clSetKernelArg/CL_INVALID_ARG_VALUE/1",
        ("no_such_value: reply is Decision.MUST or isinstance(reply, Must)",),
    ),
    MutantExplanation(
        ALLOWED, BOUNDARY, LIMITS, ("_is_too_large: size > SMALL_BYTES", "_is_too_large: size > device.number(query)")
    ),
    MutantExplanation(ALLOWED, NUMBER, LIMITS, ("SMALL_BYTES: SMALL_BYTES = 1024",)),
    MutantExplanation(UNSENT, JUNCTION, HANDLES, ("_handle: isinstance(value, Pointers) and value.values",)),
    MutantExplanation(EITHER_CODE, NUMBER, HANDLES, ("_handle: value.values[0] -> value.values[1]",)),
    MutantExplanation(
        ALIKE, NUMBER, "clSetKernelExecInfo/CL_INVALID_VALUE/1", ("no_such_information: call.param_value_size > 0",)
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clGetKernelWorkGroupInfo/CL_INVALID_VALUE/2",
        (
            (
                "is_global_size_of_source_kernel: model.known(call.device) or "
                "next(iter(program.built if program else []), None)"
            ),
        ),
    ),
    # execution
    MutantExplanation(ALIKE, NEGATED, RESOURCE_CONDITIONS),
    MutantExplanation(
        ALIKE,
        JUNCTION,
        RESOURCE_CONDITIONS,
        (
            "lacks_resources: each.size or 0",
            "lacks_resources: each.value is None and (not each.is_pointer)",
        ),
    ),
    MutantExplanation(
        ALIKE,
        BOUNDARY,
        RESOURCE_CONDITIONS,
        ("lacks_resources: local > device.number('CL_DEVICE_LOCAL_MEM_SIZE')",),
    ),
    MutantExplanation(ALIKE, NUMBER, RESOURCE_CONDITIONS, ("lacks_resources: each.size or 0",)),
    MutantExplanation(
        ALLOWED,
        JUNCTION,
        "*/CL_INVALID_PROGRAM_EXECUTABLE/1",
        (
            (
                "has_ancestor_executable: device.name in program.builds and "
                "program.builds[device.name].state is BuildState.NONE"
            ),
        ),
    ),
    MutantExplanation(
        ALLOWED,
        JUNCTION,
        f"{SUGGEST}/CL_INVALID_KERNEL_ARGS/1 clEnqueueTask/CL_INVALID_KERNEL_ARGS/1",
        ("has_unset_arguments: kernel.unset is None or (kernel.doubtful and (not kernel.unset))",),
    ),
    MutantExplanation(
        ALLOWED,
        JUNCTION,
        f"{SUGGEST}/CL_INVALID_IMAGE_SIZE/1 clEnqueueTask/CL_INVALID_IMAGE_SIZE/1",
        ("size_not_supported: each.shape.row_pitch or each.shape.slice_pitch or each.has_memory_object",),
    ),
    MutantExplanation(
        RECORDED,
        JUNCTION,
        f"{SUGGEST}/CL_INVALID_OPERATION/1 clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1 "
        "clEnqueueTask/CL_INVALID_OPERATION/1",
        ("has_unsupported_pointer: device is None or any((each.is_unknown for each in arguments))",),
    ),
    MutantExplanation(UNSENT, BOUNDARY, LARGEST_SIZE, ("is_global_size_too_large: size > _max_size_t(call, model)",)),
    MutantExplanation(
        UNSENT,
        NUMBER,
        LARGEST_SIZE,
        (
            (
                "_max_size_t: (1 << device_of(call, model).address_bits) - 1 -> "
                "(1 << device_of(call, model).address_bits) - 2"
            ),
        ),
    ),
    MutantExplanation(
        EITHER_CODE,
        JUNCTION,
        "clEnqueueNDRangeKernel/CL_INVALID_WORK_ITEM_SIZE/1",
        ("is_group_dimension_too_large: not isinstance(most, tuple) or len(most) < len(local)",),
    ),
    # a task has one work-item
    MutantExplanation(
        ALIKE,
        BOUNDARY,
        "clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/2",
        ("lacks_required_sub_groups: math.prod(local) >= SUB_GROUPS",),
    ),
    # tables with this error condition do not contain one about empty work-groups
    MutantExplanation(
        UNSENT,
        JUNCTION,
        UNEVEN,
        (
            (
                "_forbids_zero_local_size: ZERO_LOCAL_SIZE in model.tables.requirements and "
                "device_of(call, model).version >= (3, 1)"
            ),
        ),
    ),
    MutantExplanation(ALIKE, BOUNDARY, UNEVEN, ("_forbids_zero_local_size: device_of(call, model).version >= (3, 1)",)),
    MutantExplanation(ALIKE, NUMBER, UNEVEN, ("_forbids_zero_local_size: device_of(call, model).version >= (3, 1)",)),
)
