"""Rules that relate the capabilities of a device: dependencies, and values that are 0 without another capability."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.applicability import reported_profile
from clconform.oracles.engine.matchers import Conditional, Matcher, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.devices import Device
from clconform.oracles.queries.parsing import (
    are_all_zero,
    combine_flags,
    known_names_with_versions,
    single_number,
)
from clconform.spec_tables.versions import unpack_version

if TYPE_CHECKING:
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Effect, OptionalBehaviour

    About = Effect | OptionalBehaviour

rules = Rules()

ORDERS = tuple(f"CL_DEVICE_ATOMIC_ORDER_{name}" for name in ("SEQ_CST", "ACQ_REL", "RELAXED"))
SCOPES = tuple(f"CL_DEVICE_ATOMIC_SCOPE_{name}" for name in ("ALL_DEVICES", "DEVICE", "WORK_GROUP"))
GENERIC = "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"
FROM_BUFFER = "cl_khr_image2d_from_buffer"
DOT_PRODUCT, DOT_INPUT = "cl_khr_integer_dot_product", "CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT"

_NEEDS_OTHER_PROCESSES = "one run cannot compare other processes, driver versions or system reboots"
_NEEDS_DIRECT3D = "no OpenCL query reports whether the system has Direct3D adapters"
UNTESTABLE = (
    (
        "CL_DEVICE_VENDOR_ID/effect/1",
        "A vendor with a PCI vendor ID returns that ID.",
        "no query reports which vendors have a PCI vendor ID",
    ),
    (
        "CL_DEVICE_VENDOR_ID/effect/2",
        "A vendor without a PCI vendor ID returns a Khronos vendor ID.",
        "no query reports which vendors have a PCI vendor ID",
    ),
    (
        "CL_DEVICE_MAX_CLOCK_FREQUENCY/effect/1",
        "The meaning of the clock frequency is implementation-defined.",
        PERMISSION,
    ),
    ("CL_DEVICE_UUID_KHR/effect/1", "The UUID of a device never changes.", _NEEDS_OTHER_PROCESSES),
    ("CL_DEVICE_LUID_KHR/effect/1", "The LUID is undefined if CL_DEVICE_LUID_VALID_KHR is CL_FALSE.", PERMISSION),
    (
        "CL_DEVICE_LUID_KHR/effect/2",
        "A valid LUID on Windows is that of the corresponding IDXGIAdapter1 object.",
        _NEEDS_DIRECT3D,
    ),
    (
        "CL_DEVICE_NODE_MASK_KHR/effect/1",
        "The node mask is undefined if CL_DEVICE_LUID_VALID_KHR is CL_FALSE.",
        PERMISSION,
    ),
    (
        "clGetDeviceInfo/effect/9",
        "",
        "no other query reports what kind of memory a device has",
    ),
    ("CL_DEVICE_NODE_MASK/effect/3", "", _NEEDS_DIRECT3D),
    (
        "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR/effect/1",
        "Images that are imported with other handle types may have any memory layout.",
        PERMISSION,
    ),
    (
        "CL_PLATFORM_HOST_TIMER_RESOLUTION/effect/1",
        "The value is 0 if device and host timer synchronization is not supported.",
        "no other query reports whether the feature is supported",
    ),
)
"""Requirements that no query value can test: id, text and reason."""


@rules.completion
def _declare_untestable(rules: Rules, _tables: Tables) -> None:
    for requirement, words, reason in UNTESTABLE:
        rules.untestable(requirement, words, reason)


@rules.cross_query_rule("one-device-type")
def expect_single_type(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_TYPE of a device of version 3.0 or later has one bit set, and it is not CL_DEVICE_TYPE_DEFAULT."""
    device = question.device
    if device is None or device.version < (3, 0):
        return None
    default = combine_flags(question, "CL_DEVICE_TYPE_DEFAULT")

    def single(seen: Values) -> bool:
        value = single_number(seen)
        return value > 0 and value & (value - 1) == 0 and value != default

    return Satisfies(single, "a single bit, and not CL_DEVICE_TYPE_DEFAULT", (requirement.id,))


rules.inferred("CL_DEVICE_TYPE/effect/1")


@rules.cross_query_rule("double-width-zero")
def expect_zero_double_width(requirement: About, question: QueryRequest) -> Matcher | None:
    """The vector width for double is 0 if a device of version 1.2 or later returns 0 for CL_DEVICE_DOUBLE_FP_CONFIG.

    It is also 0 if a device of an earlier version does not report an extension with fp64 in its name.
    """
    device = question.device
    if device is None:
        return None
    if device.version < (1, 2):
        lacking = not any("fp64" in name for name in device.extensions)
    else:
        lacking = device.number("CL_DEVICE_DOUBLE_FP_CONFIG") == 0
    return Satisfies(are_all_zero, "0: no double precision", (requirement.id,)) if lacking else None


@rules.cross_query_rule("half-width-zero")
def expect_zero_half_width(requirement: About, question: QueryRequest) -> Matcher | None:
    """The vector width for half is 0 if the device does not report cl_khr_fp16."""
    device = question.device
    if device is None or "cl_khr_fp16" in device.extensions:
        return None
    return Satisfies(are_all_zero, "0: no cl_khr_fp16", (requirement.id,))


@rules.cross_query_rule("zero-without-image-from-buffer")
def expect_zero_alignment(requirement: About, question: QueryRequest) -> Matcher | None:
    """The image pitch alignment and the image base address alignment are 0 if CL_DEVICE_IMAGE_SUPPORT is CL_FALSE.

    They are also 0 if the device is of version 3.0 or later and does not report cl_khr_image2d_from_buffer.
    """
    device = question.device
    if device is None:
        return None
    if device.facts.get("CL_DEVICE_IMAGE_SUPPORT") == 0:
        return Satisfies(are_all_zero, "0: no images", (requirement.id,))
    if device.version >= (3, 0) and FROM_BUFFER not in device.extensions:
        return Satisfies(are_all_zero, f"0: no {FROM_BUFFER}", (requirement.id,))
    return None


@rules.cross_query_rule("zero-without-device-queues")
def expect_zero_queue_properties(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES is 0 if CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES is 0.

    This applies to devices of version 3.0 or later.
    """
    device = question.device
    if device is None or device.version < (3, 0) or device.number("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"):
        return None
    return Satisfies(are_all_zero, "0: no on-device queues", (requirement.id,))


def _expect_implied_flags(names: tuple[str, ...], requirement: About, question: QueryRequest) -> Matcher:
    """Expect that, for each flag in ``names`` that is set, all later flags in ``names`` are set too."""
    masks = [combine_flags(question, name) for name in names]

    def strong(seen: Values) -> bool:
        return any(single_number(seen) & mask for mask in masks[:-1])

    def whole(seen: Values) -> bool:
        held = [bool(single_number(seen) & mask) for mask in masks]
        return held == sorted(held)

    return Conditional(whole, f"for each of {' > '.join(names)}, all after it", (requirement.id,), applies=strong)


@rules.cross_query_rule("weaker-orders-too")
def expect_weaker_orders(requirement: About, question: QueryRequest) -> Matcher:
    """If a memory order is set in CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, all weaker orders are set too."""
    return _expect_implied_flags(ORDERS, requirement, question)


@rules.cross_query_rule("narrower-scopes-too")
def expect_narrower_scopes(requirement: About, question: QueryRequest) -> Matcher:
    """If a memory scope is set in CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, all narrower scopes are set too.

    The scopes are all devices, device and work-group.
    """
    return _expect_implied_flags(SCOPES, requirement, question)


@rules.cross_query_rule("supported-with-replaceable")
def expect_queue_support(requirement: About, question: QueryRequest) -> Matcher:
    """CL_DEVICE_QUEUE_SUPPORTED is set if CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT is set."""
    supported = combine_flags(question, "CL_DEVICE_QUEUE_SUPPORTED")
    replaceable = combine_flags(question, "CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT")
    return Conditional(
        lambda seen: single_number(seen) & supported != 0,
        "CL_DEVICE_QUEUE_SUPPORTED with CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT",
        (requirement.id,),
        applies=lambda seen: single_number(seen) & replaceable != 0,
    )


@rules.cross_query_rule("generic-address-space-too")
def expect_generic_addresses(requirement: About, question: QueryRequest) -> Matcher | None:
    """If the device supports on-device queues or pipes, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT is CL_TRUE."""
    device = question.device
    if device is None:
        return None
    generic = device.number(GENERIC)
    mask = combine_flags(question, "CL_DEVICE_QUEUE_SUPPORTED") if question.query.name.endswith("_CAPABILITIES") else 1
    return Conditional(
        lambda _seen: bool(generic),
        f"no support: {GENERIC} is CL_FALSE",
        (requirement.id,),
        applies=lambda seen: single_number(seen) & mask != 0,
    )


@rules.cross_query_rule("true-with-extension")
def expect_independent_progress(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS is CL_TRUE if the device reports cl_khr_subgroups.

    It is CL_FALSE if the device does not report cl_khr_subgroups and CL_DEVICE_MAX_NUM_SUB_GROUPS is 0. If the device
    reports the extension, but 0 sub-groups, both values are accepted.
    """
    device = question.device
    if device is None:
        return None
    most = device.facts.get("CL_DEVICE_MAX_NUM_SUB_GROUPS")
    told = "cl_khr_subgroups" in device.extensions
    if most == 0:
        return (
            None
            if told
            else Satisfies(lambda seen: single_number(seen) == 0, "CL_FALSE: no sub-groups", (requirement.id,))
        )
    return (
        Satisfies(lambda seen: single_number(seen) == 1, "CL_TRUE, with cl_khr_subgroups", (requirement.id,))
        if told
        else None
    )


@rules.cross_query_rule("one-bit")
def expect_single_node(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_NODE_MASK_KHR has exactly one bit set if CL_DEVICE_LUID_VALID_KHR is CL_TRUE."""
    if not question.subject.number("CL_DEVICE_LUID_VALID_KHR"):
        return None
    return Satisfies(
        lambda seen: single_number(seen).bit_count() == 1 and single_number(seen) > 0, "a single bit", (requirement.id,)
    )


@rules.cross_query_rule("one-otherwise")
def expect_node_mask_one(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_NODE_MASK_KHR is 1 for a device outside a linked device adapter if CL_DEVICE_LUID_VALID_KHR is CL_TRUE.

    Any other value with a single bit set is also accepted: the device may be a node of a linked device adapter, and no
    query reports whether it is.
    """
    if not question.subject.number("CL_DEVICE_LUID_VALID_KHR"):
        return None
    return Conditional(
        lambda seen: single_number(seen) == 1,
        "1, or the single bit of a node",
        (requirement.id,),
        applies=lambda seen: single_number(seen) in (0, 1) or single_number(seen).bit_count() != 1,
    )


@rules.cross_query_rule("packed-always")
def expect_packed_input(requirement: About, question: QueryRequest) -> Matcher:
    """CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR has CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR set."""
    mask = combine_flags(question, f"{DOT_INPUT}_PACKED_KHR")
    return Satisfies(lambda seen: single_number(seen) & mask == mask, "packed input", (requirement.id,))


@rules.cross_query_rule("unpacked-in-version-2")
def expect_unpacked_input(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR is set if the device reports cl_khr_integer_dot_product 2.x."""
    names = ("CL_DEVICE_EXTENSIONS_WITH_VERSION", "CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR")
    versions = [version for name, version in known_names_with_versions(question.subject, *names) if name == DOT_PRODUCT]
    if not versions or not (2, 0) <= unpack_version(versions[0]) < (3, 0):
        return None
    mask = combine_flags(question, f"{DOT_INPUT}_KHR")
    return Satisfies(lambda seen: single_number(seen) & mask == mask, "also unpacked input", (requirement.id,))


@rules.cross_query_rule("linker-available-with-compiler")
def expect_linker(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_LINKER_AVAILABLE is CL_TRUE for a device of the full profile, unless it is a custom device.

    It is also CL_TRUE for a device of version 3.1 or later whose CL_DEVICE_COMPILER_AVAILABLE is CL_TRUE, unless the
    device is a custom device.
    """
    device = question.device
    if device is None or device.number("CL_DEVICE_TYPE") & combine_flags(question, "CL_DEVICE_TYPE_CUSTOM"):
        return None
    full = reported_profile(device.platform, device) == "FULL_PROFILE"
    if not full and (device.version < (3, 1) or not device.number("CL_DEVICE_COMPILER_AVAILABLE")):
        return None
    return Satisfies(lambda seen: single_number(seen) == 1, "CL_TRUE", (requirement.id,))


rules.uses_interpretation("linker-of-older-embedded-devices", "CL_DEVICE_LINKER_AVAILABLE/effect/2")


@rules.cross_query_rule("sub-groups-required")
def expect_sub_groups(requirement: About, question: QueryRequest) -> Matcher | None:
    """CL_DEVICE_MAX_NUM_SUB_GROUPS of a device of version 2.1, 2.2 or 3.1 is at least 1, except for custom devices."""
    device = question.device
    if device is None or device.version not in ((2, 1), (2, 2), (3, 1)):
        return None
    if device.number("CL_DEVICE_TYPE") & combine_flags(question, "CL_DEVICE_TYPE_CUSTOM"):
        return None
    return Satisfies(lambda seen: single_number(seen) > 0, "at least 1", (requirement.id,))


@rules.cross_query_rule("one-value-per-dimension")
def expect_value_per_dimension(requirement: About, question: QueryRequest) -> Matcher:
    """CL_DEVICE_MAX_WORK_GROUP_SIZES has CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS elements."""
    dimensions = question.subject.number("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS")
    return Satisfies(lambda seen: len(seen) == dimensions, f"{dimensions} sizes", (requirement.id,))


@rules.cross_query_rule("remap-with-automatic")
def expect_remapping(requirement: About, question: QueryRequest) -> Matcher:
    """CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR is set if CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR is set."""
    automatic = combine_flags(question, "CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR")
    remap = combine_flags(question, "CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR")
    return Conditional(
        lambda seen: single_number(seen) & remap != 0,
        "also CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR",
        (requirement.id,),
        applies=lambda seen: single_number(seen) & automatic != 0,
    )


@rules.cross_query_rule("some-device-imports", "some-device-has-semaphores")
def expect_nonempty_somewhere(requirement: About, question: QueryRequest) -> Matcher | None:
    """The list that the query returns is not empty for at least one device of the platform."""
    device = question.subject
    if not isinstance(device, Device) or not device.is_root:
        return None
    others = [other for other in question.model.root_devices(device.platform) if other is not device]
    if any(other.fact(question.fact_key) != () for other in others):
        return None
    return Satisfies(bool, "at least one, since no other device of the platform has any", (requirement.id,))
