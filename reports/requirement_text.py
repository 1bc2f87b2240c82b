"""Writes the texts of requirements that are rows of the tables: a query, a value, a format, a rule about sizes.

The texts of error conditions and of sentences in the prose are handwritten. The texts of other requirements are
generated from the columns of their row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import (
    AccessQualifier,
    AlignmentRule,
    AllocationAccess,
    CommandType,
    CompatibleOrder,
    Effect,
    Flag,
    HandleTransference,
    HostPointerSize,
    OptionalBehaviour,
    PartitionScheme,
    Property,
    Query,
    RequiredImageFormat,
    SharingFormat,
    SizeRule,
    StateTransition,
    Success,
    UsageRule,
)

if TYPE_CHECKING:
    from clconform.spec_tables.requirements import Requirement

CAUSES = {
    "completion": "when its commands are complete",
    "enqueue": "when the command is enqueued",
    "progress": "as the command progresses",
}
OBJECTS = {"cl_event": "event", "cl_command_buffer_khr": "command-buffer"}
SUBJECTS = {
    "host_ptr": "the size of the memory at host_ptr",
    "mem_object": "the size of the buffer mem_object",
}
ALIGNED_OFFSETS = {"sub-buffer": ("a sub-buffer", "offset"), "origin": ("a region", "origin")}
"""Maps subjects of alignment rules to the object that a function accepts, and to the aligned number of the object."""
FACTORS = {
    "element-size": "the size of an image element",
    "largest-data-type": "the size of the largest data type of the device",
    "width": "the width of the region",
    "height": "the height of the region",
}
CIRCUMSTANCES = {
    "host-pointer": "host_ptr is not NULL",
    "no-host-pointer": "host_ptr is NULL",
    "external-memory": "the image is created from external memory",
    "not-external-memory": "the image is not created from external memory",
    "image-from-buffer": "a 2D image is created from a buffer",
    "not-image-from-buffer": "the image is not created from a buffer",
    "buffer-uses-host-pointer": "the buffer was created with CL_MEM_USE_HOST_PTR",
    "device-given": "device is not NULL",
    "no-device": "device is NULL",
    "otherwise": "the image is an image array or a 3D image",
}
"""Maps the circumstances of size rules, except for kinds of images, to their text after *if*."""
ACCESSORS = {
    "host": "The host",
    "device": "A device",
    "specific device": "The device that the allocation is associated with",
}
IMAGES = {
    "image-1d": "a 1D image",
    "image-1d-buffer": "a 1D image buffer",
    "image-1d-array": "a 1D image array",
    "image-2d": "a 2D image",
    "image-2d-array": "a 2D image array",
    "image-3d": "a 3D image",
}
BIT_QUERIES = {
    "cl_device_affinity_domain": "CL_DEVICE_PARTITION_AFFINITY_DOMAIN",
    "cl_device_atomic_capabilities": ("CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES and CL_DEVICE_ATOMIC_FENCE_CAPABILITIES"),
    "cl_device_command_buffer_capabilities_khr": "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR",
    "cl_device_device_enqueue_capabilities": "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES",
    "cl_device_exec_capabilities": "CL_DEVICE_EXECUTION_CAPABILITIES",
    "cl_device_fp_config": "CL_DEVICE_SINGLE_FP_CONFIG, CL_DEVICE_DOUBLE_FP_CONFIG, and CL_DEVICE_HALF_FP_CONFIG",
    "cl_device_integer_dot_product_capabilities": "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES",
    "cl_device_integer_dot_product_capabilities_khr": "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR",
    "cl_device_kernel_clock_capabilities_khr": "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR",
    "cl_device_partition_property": "CL_DEVICE_PARTITION_PROPERTIES",
    "cl_device_svm_capabilities": "CL_DEVICE_SVM_CAPABILITIES",
    "cl_device_terminate_capability_khr": "CL_DEVICE_TERMINATE_CAPABILITY_KHR",
    "cl_device_unified_shared_memory_capabilities_intel": "CL_DEVICE_*_MEM_CAPABILITIES_INTEL",
    "cl_kernel_arg_type_qualifier": "CL_KERNEL_ARG_TYPE_QUALIFIER",
    "cl_mutable_dispatch_fields_khr": "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR",
    "cl_platform_command_buffer_capabilities_khr": "CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR",
}
"""Maps types of bits, or of list elements, to the queries that return them."""
VALUE_QUERIES = {
    "cl_build_status": "CL_PROGRAM_BUILD_STATUS",
    "cl_command_buffer_state_khr": "CL_COMMAND_BUFFER_STATE_KHR",
    "cl_device_local_mem_type": "CL_DEVICE_LOCAL_MEM_TYPE",
    "cl_device_mem_cache_type": "CL_DEVICE_GLOBAL_MEM_CACHE_TYPE",
    "cl_kernel_arg_access_qualifier": "CL_KERNEL_ARG_ACCESS_QUALIFIER",
    "cl_kernel_arg_address_qualifier": "CL_KERNEL_ARG_ADDRESS_QUALIFIER",
    "cl_mem_object_type": "CL_MEM_TYPE",
    "cl_program_binary_type": "CL_PROGRAM_BINARY_TYPE",
    "cl_unified_shared_memory_type_intel": "CL_MEM_ALLOC_TYPE_INTEL",
}
"""Maps types of single values to the queries that return them."""
COPIED_BUFFERS = {
    "clEnqueueCopyBuffer/alignment/1": "src_buffer",
    "clEnqueueCopyBuffer/alignment/2": "dst_buffer",
    "clEnqueueCopyBufferRect/alignment/3": "src_buffer",
    "clEnqueueCopyBufferRect/alignment/4": "dst_buffer",
}
"""Maps alignment rules of functions with two buffers to the parameter that the rule is about."""
KERNEL_ENQUEUES = ("clEnqueueNDRangeKernel", "clEnqueueTask", "clGetKernelSuggestedLocalWorkSizeKHR")
"""Functions that take sub-buffers as arguments of their kernel."""
FEATURES = {
    "3d-image-writes": "writes to 3D images",
    "creating-2d-images-from-buffers": "the creation of 2D images from buffers",
    "device-side-enqueue": "device-side enqueue",
    "generic-address-space": "the generic address space",
    "intermediate-language-programs": "intermediate-language programs",
    "memory-consistency-model": "the full memory consistency model",
    "non-uniform-work-groups": "non-uniform work-groups",
    "program-initialization-and-clean-up-kernels": "program initialization and clean-up kernels",
    "program-scope-global-variables": "program scope global variables",
    "read-write-images": "read-write images",
    "srgb-images": "sRGB images",
    "sub-groups": "sub-groups",
    "work-group-collective-functions": "work-group collective functions",
}
"""Maps optional features to their text after *without support for*, if this text differs from the feature's name."""
WITHOUT_FEATURE_TEXTS = {
    "3d-image-writes:CL_DEVICE_EXTENSIONS/1": "CL_DEVICE_EXTENSIONS does not list cl_khr_3d_image_writes",
    "3d-image-writes:clGetSupportedImageFormats/1": "clGetSupportedImageFormats lists no format for 3D images that "
    "kernels write",
    "creating-2d-images-from-buffers:CL_DEVICE_EXTENSIONS/1": "CL_DEVICE_EXTENSIONS does not list "
    "cl_khr_image2d_from_buffer",
    "creating-2d-images-from-buffers:clCreateImage/1": "clCreateImage returns CL_INVALID_OPERATION for a 2D image that "
    "is created from a buffer",
    "creating-2d-images-from-buffers:clCreateImageWithProperties/1": "clCreateImageWithProperties returns "
    "CL_INVALID_OPERATION for a 2D image that is created from a buffer",
    "depth-images:clGetSupportedImageFormats/1": "clGetSupportedImageFormats lists no depth formats",
    "device-side-enqueue:CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES/2": "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES may lack "
    "CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT",
    "device-side-enqueue:CL_PROFILING_COMMAND_COMPLETE/1": "CL_PROFILING_COMMAND_COMPLETE returns the same value as "
    "CL_PROFILING_COMMAND_END",
    "intermediate-language-programs:CL_DEVICE_IL_VERSION/1": "CL_DEVICE_IL_VERSION returns an empty string",
    "intermediate-language-programs:CL_DEVICE_ILS_WITH_VERSION/1": "CL_DEVICE_ILS_WITH_VERSION returns an empty array",
    "intermediate-language-programs:CL_PROGRAM_IL/1": "CL_PROGRAM_IL returns an empty array",
    "non-uniform-work-groups:clEnqueueNDRangeKernel/1": "clEnqueueNDRangeKernel behaves as if the kernel did not "
    "enable them",
    "read-write-images:clGetSupportedImageFormats/1": "clGetSupportedImageFormats lists no format for "
    "CL_MEM_KERNEL_READ_AND_WRITE",
    "shared-virtual-memory:clSVMFree/1": "clSVMFree has no effect",
    "srgb-images:clGetSupportedImageFormats/1": "clGetSupportedImageFormats lists no sRGB formats",
    "sub-groups:CL_DEVICE_EXTENSIONS/1": "CL_DEVICE_EXTENSIONS does not list cl_khr_subgroups",
}
"""Maps rows about optional behaviour to their texts, if the behaviour is not a value that a query returns."""


def requirement_text(requirement: Requirement, handwritten: str) -> str:
    """Return the text of a requirement: the handwritten text, or the generated text if the row is more specific.

    For example, the row of an alignment is more specific than the text of the error condition that tests it. Empty if
    there is no text.
    """
    fact = generated_text(requirement)
    return fact if fact and isinstance(requirement, ROW_TEXT_KINDS) else handwritten or fact


ROW_TEXT_KINDS = (AlignmentRule, OptionalBehaviour, SizeRule)
"""Kinds of requirements whose row is more specific than the text of the error condition that tests them."""


def generated_text(requirement: Requirement) -> str:  # noqa: C901, PLR0912 (one case a kind)
    """Return the text generated from the row; empty for kinds of requirements that use the text of the predicate."""
    match requirement:
        case Success():
            return (
                "The call succeeds if no error condition holds, and returns only error codes listed for the function."
            )
        case Effect() | UsageRule():
            return requirement.text
        case Query():
            return (
                f"The query returns {_value_text(requirement)}{f', in {requirement.unit}' if requirement.unit else ''}."
            )
        case PartitionScheme():
            value = f"a value of type {requirement.value_type}"
            if requirement.list_end:
                value = f"a list of values of type {requirement.value_type} that {requirement.list_end} terminates"
            return f"A device can be partitioned with {requirement.name} followed by {value}."
        case Property():
            return (
                f"{requirement.function} accepts the property {requirement.name} with a value of type "
                f"{requirement.value_type}."
            )
        case Flag():
            return _flag_text(requirement)
        case RequiredImageFormat():
            uses = {
                "read-or-write": "for reading and for writing",
                "read-and-write": "for reading and writing in the same kernel",
            }
            use = uses.get(requirement.access, f"to {_with_spaces(requirement.access)}")
            return f"The image format {requirement.order} with {requirement.data_type} is supported {use}."
        case SharingFormat():
            return (
                f"{requirement.external} corresponds to the image format {requirement.order} with "
                f"{requirement.data_type}."
            )
        case CompatibleOrder():
            return f"An image with channel order {requirement.order} can be created from one with {requirement.other}."
        case CommandType():
            return f"The command type of an event from {requirement.function} is {requirement.name}."
        case HostPointerSize():
            return f"For {requirement.name}, host_ptr points to at least {' * '.join(requirement.factors)} bytes."
        case OptionalBehaviour():
            return _optional_text(requirement)
        case AlignmentRule():
            return _alignment_text(requirement)
        case SizeRule():
            return _size_text(requirement)
        case StateTransition():
            return _transition_text(requirement)
        case AccessQualifier():
            return (
                f"A {requirement.qualifier} kernel argument accepts images of the formats that "
                f"clGetSupportedImageFormats "
                f"lists for {requirement.name}."
            )
        case HandleTransference():
            carried = "refers to" if requirement.transference == "reference" else "holds a copy of"
            return f"A handle of type {requirement.name} {carried} the exported payload."
        case AllocationAccess():
            allowed = {"yes": "can access", "no": "cannot access"}.get(
                requirement.accessible, "need not be able to access"
            )
            who = ACCESSORS.get(requirement.accessor, _with_spaces(requirement.accessor).capitalize())
            return f"{who} {allowed} a {_with_spaces(requirement.allocation)} allocation."
    return ""


def _with_spaces(name: str) -> str:
    return name.replace("-", " ")


def _value_text(query: Query) -> str:
    if query.shape == "string":
        return "a null-terminated string"
    return f"{'an array of' if query.shape == 'array' else 'a value of type'} {query.type}"


def _flag_text(flag: Flag) -> str:
    beside = f", but not together with {' or '.join(flag.excludes)}" if flag.excludes else ""
    if flag.function:
        return f"{flag.function} accepts {flag.name} as a value of type {flag.type}{beside}."
    if flag.type in BIT_QUERIES:
        return f"{BIT_QUERIES[flag.type]} may include {flag.name}{beside}."
    if flag.type in VALUE_QUERIES:
        return f"{VALUE_QUERIES[flag.type]} may return {flag.name}."
    return f"Functions accept {flag.name} as a value of type {flag.type}{beside}."


def _optional_text(requirement: OptionalBehaviour) -> str:
    what = f"{requirement.subject} returns {' or '.join(requirement.allowed_results)}"
    return (
        f"Without support for {FEATURES.get(requirement.feature, _with_spaces(requirement.feature))}, "
        f"{WITHOUT_FEATURE_TEXTS.get(requirement.id, what)}."
    )


def _transition_text(requirement: StateTransition) -> str:
    thing = OBJECTS.get(requirement.object, requirement.object)
    if not requirement.source:
        cause = CAUSES.get(requirement.cause) or f"when {requirement.function} creates it"
        return f"The state of a new {thing} is {requirement.target} {cause}."
    change = f"changes from {requirement.source} to {requirement.target}"
    if requirement.source == requirement.target:
        change = f"remains {requirement.target}"
    cause = CAUSES.get(requirement.cause) or f"when {requirement.function} succeeds"
    return f"The state of the {thing} {change} {cause}."


def _alignment_text(rule: AlignmentRule) -> str:
    if rule.relation == "one-of":
        asked = f"one of {', '.join(map(str, rule.values))}"
    elif rule.relation == "power-of-two":
        asked = "a power of two"
    else:
        asked = f"a multiple of {'the page size' if rule.of == 'page' else rule.of}"
    if rule.below:
        small = f"{'a nonzero' if rule.zero else 'a'} {rule.subject} smaller than {' * '.join(rule.below)}"
        return f"{rule.function} accepts {small} only if it is {asked}."
    allowed = _join_alternatives([*(["0"] if rule.zero else []), asked])
    if rule.subject in ALIGNED_OFFSETS:
        use = " that is an argument of the kernel" if rule.function in KERNEL_ENQUEUES else ""
        use = f" as {COPIED_BUFFERS[rule.id]}" if rule.id in COPIED_BUFFERS else use
        subject = ALIGNED_OFFSETS[rule.subject]
        unit = ", in bits," if rule.unit == "bits" else ""
        return f"{rule.function} accepts {subject[0]}{use} only if its {subject[1]}{unit} is {allowed}."
    return f"{rule.function} accepts {rule.subject} only if it is {allowed}."


def _join_alternatives(alternatives: list[str]) -> str:
    *others, last = alternatives
    comma = "," if len(others) > 1 else ""
    return f"{', '.join(others)}{comma} or {last}" if others else last


def _size_text(rule: SizeRule) -> str:
    spelled = any(factor in FACTORS for factor in rule.factors)
    product = (" times " if spelled else " * ").join(FACTORS.get(factor, factor) for factor in rule.factors)
    measure = rule.of_unit if rule.relation == "multiple-of" else rule.unit
    unit = f" {measure}" if measure and product and not spelled else ""
    subject = SUBJECTS.get(rule.subject, rule.subject)
    if rule.subject == "host_ptr" and rule.relation == "multiple-of":
        subject = "the address host_ptr"
    when = _circumstances_text(rule.when)
    if rule.relation == "taken-as":
        article = "An" if subject[0] in "aeiou" else "A"
        return f"{article} {subject} of 0 means {product}{unit}{when}."
    relation = {"at-least": "at least", "at-most": "at most", "multiple-of": "a multiple of", "zero": "0"}[
        rule.relation
    ]
    asked = " ".join(filter(None, (relation, product))) + unit
    allowed = _join_alternatives([*(["0"] if rule.allows_zero else []), asked])
    if not rule.subject:
        return f"{rule.function} maps {allowed}{when}."
    return f"{rule.function} requires {subject} to be {allowed}{when}."


def _circumstances_text(when: tuple[str, ...]) -> str:
    """Return the circumstances of a size rule as text that begins with *if*; empty without circumstances.

    If there are several kinds of images, one of them must apply. All other circumstances must hold.
    """
    images = [IMAGES[each] for each in when if each in IMAGES]
    others = [
        CIRCUMSTANCES.get(each, _with_spaces(each)) for each in when if each not in IMAGES and each != "zero-given"
    ]
    all_of = [*others, *([f"the image is {_join_alternatives(images)}"] if images else [])]
    if not all_of:
        return ""
    *first, last = all_of
    return f" if {', '.join(first)}{' and ' if first else ''}{last}"
