"""Rules between the capabilities of a device: dependencies, and capabilities that are zero without others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.gates import profile_of
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Such, Values, Want, When
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.devices import Device
from clconform.oracles.queries.reading import bits, list_of, number, unpacked, zeros

if TYPE_CHECKING:
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Effect, OptionalBehaviour

    About = Effect | OptionalBehaviour

rules = Rules()

ORDERS = tuple(f"CL_DEVICE_ATOMIC_ORDER_{name}" for name in ("SEQ_CST", "ACQ_REL", "RELAXED"))
SCOPES = tuple(f"CL_DEVICE_ATOMIC_SCOPE_{name}" for name in ("ALL_DEVICES", "DEVICE", "WORK_GROUP"))
GENERIC = "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"
FROM_BUFFER = "cl_khr_image2d_from_buffer"
DOT_PRODUCT, DOT_INPUT = "cl_khr_integer_dot_product", "CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT"

_OTHER_PROCESSES = "one run cannot compare other processes, driver versions or system reboots"
_WINDOWS = "no OpenCL query reports whether the system has Direct3D adapters"
NOT_TESTABLE = (
    (
        "CL_DEVICE_VENDOR_ID/effect/1",
        "A vendor with a PCI vendor ID returns that ID.",
        "no query reports which vendors have one",
    ),
    (
        "CL_DEVICE_VENDOR_ID/effect/2",
        "A vendor without a PCI vendor ID returns a Khronos vendor ID.",
        "no query reports which vendors have one",
    ),
    (
        "CL_DEVICE_MAX_CLOCK_FREQUENCY/effect/1",
        "The meaning of the clock frequency is implementation-defined.",
        PERMISSION,
    ),
    ("CL_DEVICE_UUID_KHR/effect/1", "The UUID of a device never changes.", _OTHER_PROCESSES),
    ("CL_DEVICE_LUID_KHR/effect/1", "The LUID is undefined if CL_DEVICE_LUID_VALID_KHR is CL_FALSE.", PERMISSION),
    (
        "CL_DEVICE_LUID_KHR/effect/2",
        "A valid LUID on Windows is that of the corresponding IDXGIAdapter1 object.",
        _WINDOWS,
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
    ("CL_DEVICE_NODE_MASK/effect/3", "", _WINDOWS),
    (
        "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR/effect/1",
        "Images that are imported with other handle types may have any memory layout.",
        PERMISSION,
    ),
    (
        "CL_PLATFORM_HOST_TIMER_RESOLUTION/effect/1",
        "The value is 0 if device and host timer synchronization is not supported.",
        "no other query reports whether it is supported",
    ),
)
"""Requirements that no query value can test: text, and reason."""


@rules.completion
def _not_testable(rules: Rules, _tables: Tables) -> None:
    for record, words, reason in NOT_TESTABLE:
        rules.untestable(record, words, reason)


@rules.between_answers("one-device-type")
def one_type(record: About, question: Question) -> Want | None:
    """A device of version 3.0 or later returns a single device type, which is not CL_DEVICE_TYPE_DEFAULT."""
    device = question.device
    if device is None or device.version < (3, 0):
        return None
    default = bits(question, "CL_DEVICE_TYPE_DEFAULT")

    def single(seen: Values) -> bool:
        value = number(seen)
        return value > 0 and value & (value - 1) == 0 and value != default

    return Such(single, "a single bit, and not CL_DEVICE_TYPE_DEFAULT", (record.id,))


rules.inferred("CL_DEVICE_TYPE/effect/1")


@rules.between_answers("double-width-zero")
def no_doubles_no_width(record: About, question: Question) -> Want | None:
    """The vector width is 0 if the device does not support double precision."""
    device = question.device
    if device is None:
        return None
    if device.version < (1, 2):
        lacking = not any("fp64" in name for name in device.extensions)
    else:
        lacking = device.number("CL_DEVICE_DOUBLE_FP_CONFIG") == 0
    return Such(zeros, "0: no double precision", (record.id,)) if lacking else None


@rules.between_answers("half-width-zero")
def no_halves_no_width(record: About, question: Question) -> Want | None:
    """The vector width is 0 if the device does not report cl_khr_fp16."""
    device = question.device
    if device is None or "cl_khr_fp16" in device.extensions:
        return None
    return Such(zeros, "0: no cl_khr_fp16", (record.id,))


@rules.between_answers("zero-without-image-from-buffer")
def no_alignment(record: About, question: Question) -> Want | None:
    """The value is 0 if the device lacks images, or is of version 3.0 and lacks cl_khr_image2d_from_buffer."""
    device = question.device
    if device is None:
        return None
    if device.facts.get("CL_DEVICE_IMAGE_SUPPORT") == 0:
        return Such(zeros, "0: no images", (record.id,))
    if device.version >= (3, 0) and FROM_BUFFER not in device.extensions:
        return Such(zeros, f"0: no {FROM_BUFFER}", (record.id,))
    return None


@rules.between_answers("zero-without-device-queues")
def no_queue_properties(record: About, question: Question) -> Want | None:
    """The value is 0 if a device of version 3.0 or later does not support on-device queues."""
    device = question.device
    if device is None or device.version < (3, 0) or device.number("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"):
        return None
    return Such(zeros, "0: no on-device queues", (record.id,))


def _chain(names: tuple[str, ...], record: About, question: Question) -> Want:
    """Expect that each of the flags comes with all flags after it."""
    masks = [bits(question, name) for name in names]

    def strong(seen: Values) -> bool:
        return any(number(seen) & mask for mask in masks[:-1])

    def whole(seen: Values) -> bool:
        held = [bool(number(seen) & mask) for mask in masks]
        return held == sorted(held)

    return When(whole, f"for each of {' > '.join(names)}, all after it", (record.id,), applies=strong)


@rules.between_answers("weaker-orders-too")
def orders(record: About, question: Question) -> Want:
    """A device that supports a memory order also supports all weaker orders."""
    return _chain(ORDERS, record, question)


@rules.between_answers("narrower-scopes-too")
def scopes(record: About, question: Question) -> Want:
    """A device that supports a memory scope also supports all narrower scopes down to the work-group."""
    return _chain(SCOPES, record, question)


@rules.between_answers("supported-with-replaceable")
def queues_with_replaceable(record: About, question: Question) -> Want:
    """CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT is set only together with CL_DEVICE_QUEUE_SUPPORTED."""
    supported = bits(question, "CL_DEVICE_QUEUE_SUPPORTED")
    replaceable = bits(question, "CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT")
    return When(
        lambda seen: number(seen) & supported != 0,
        "CL_DEVICE_QUEUE_SUPPORTED with CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT",
        (record.id,),
        applies=lambda seen: number(seen) & replaceable != 0,
    )


@rules.between_answers("generic-address-space-too")
def with_generic_addresses(record: About, question: Question) -> Want | None:
    """A device that supports on-device queues or pipes also supports the generic address space."""
    device = question.device
    if device is None:
        return None
    generic = device.number(GENERIC)
    mask = bits(question, "CL_DEVICE_QUEUE_SUPPORTED") if question.query.name.endswith("_CAPABILITIES") else 1
    return When(
        lambda _seen: bool(generic),
        f"no support: {GENERIC} is CL_FALSE",
        (record.id,),
        applies=lambda seen: number(seen) & mask != 0,
    )


@rules.between_answers("true-with-extension")
def progress_with_the_extension(record: About, question: Question) -> Want | None:
    """The value is CL_TRUE if the device reports cl_khr_subgroups, and CL_FALSE if it does not support sub-groups."""
    device = question.device
    if device is None:
        return None
    most = device.facts.get("CL_DEVICE_MAX_NUM_SUB_GROUPS")
    told = "cl_khr_subgroups" in device.extensions
    if most == 0:
        return None if told else Such(lambda seen: number(seen) == 0, "CL_FALSE: no sub-groups", (record.id,))
    return Such(lambda seen: number(seen) == 1, "CL_TRUE, with cl_khr_subgroups", (record.id,)) if told else None


@rules.between_answers("one-bit")
def one_node(record: About, question: Question) -> Want | None:
    """The node mask has exactly one bit set if CL_DEVICE_LUID_VALID_KHR is CL_TRUE."""
    if not question.thing.number("CL_DEVICE_LUID_VALID_KHR"):
        return None
    return Such(lambda seen: number(seen).bit_count() == 1 and number(seen) > 0, "a single bit", (record.id,))


@rules.between_answers("one-otherwise")
def no_node(record: About, question: Question) -> Want | None:
    """The node mask is 1 if the device is not part of a linked device adapter and CL_DEVICE_LUID_VALID_KHR is CL_TRUE.

    Another single bit may be that of a Direct3D 12 node, which no query reports.
    """
    if not question.thing.number("CL_DEVICE_LUID_VALID_KHR"):
        return None
    return When(
        lambda seen: number(seen) == 1,
        "1, or the single bit of a node",
        (record.id,),
        applies=lambda seen: number(seen) in (0, 1) or number(seen).bit_count() != 1,
    )


@rules.between_answers("packed-always")
def packed_input(record: About, question: Question) -> Want:
    """CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR is always set."""
    mask = bits(question, f"{DOT_INPUT}_PACKED_KHR")
    return Such(lambda seen: number(seen) & mask == mask, "packed input", (record.id,))


@rules.between_answers("unpacked-in-version-2")
def unpacked_input(record: About, question: Question) -> Want | None:
    """CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR is set from version 2.0 of the extension on."""
    names = ("CL_DEVICE_EXTENSIONS_WITH_VERSION", "CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR")
    versions = [version for name, version in list_of(question.thing, *names) if name == DOT_PRODUCT]
    if not versions or not (2, 0) <= unpacked(versions[0]) < (3, 0):
        return None
    mask = bits(question, f"{DOT_INPUT}_KHR")
    return Such(lambda seen: number(seen) & mask == mask, "also unpacked input", (record.id,))


@rules.between_answers("linker-available-with-compiler")
def linker_with_compiler(record: About, question: Question) -> Want | None:
    """The value is CL_TRUE for devices of the full profile, and for those of 3.1 and later with a compiler.

    Custom devices are exempt.
    """
    device = question.device
    if device is None or device.number("CL_DEVICE_TYPE") & bits(question, "CL_DEVICE_TYPE_CUSTOM"):
        return None
    full = profile_of(device.platform, device) == "FULL_PROFILE"
    if not full and (device.version < (3, 1) or not device.number("CL_DEVICE_COMPILER_AVAILABLE")):
        return None
    return Such(lambda seen: number(seen) == 1, "CL_TRUE", (record.id,))


rules.by_reading("linker-of-older-embedded-devices", "CL_DEVICE_LINKER_AVAILABLE/effect/2")


@rules.between_answers("sub-groups-required")
def sub_groups(record: About, question: Question) -> Want | None:
    """The value is not 0 for a device of version 2.1, 2.2 or 3.1, unless it is a custom device."""
    device = question.device
    if device is None or device.version not in ((2, 1), (2, 2), (3, 1)):
        return None
    if device.number("CL_DEVICE_TYPE") & bits(question, "CL_DEVICE_TYPE_CUSTOM"):
        return None
    return Such(lambda seen: number(seen) > 0, "at least 1", (record.id,))


@rules.between_answers("one-value-per-dimension")
def a_value_for_each_dimension(record: About, question: Question) -> Want:
    """The number of elements is CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS."""
    dimensions = question.thing.number("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS")
    return Such(lambda seen: len(seen) == dimensions, f"{dimensions} sizes", (record.id,))


@rules.between_answers("remap-with-automatic")
def remapping_with_automatic(record: About, question: Question) -> Want:
    """A platform that supports automatic remapping also supports CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR."""
    automatic = bits(question, "CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR")
    remap = bits(question, "CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR")
    return When(
        lambda seen: number(seen) & remap != 0,
        "also CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR",
        (record.id,),
        applies=lambda seen: number(seen) & automatic != 0,
    )


@rules.between_answers("some-device-imports", "some-device-has-semaphores")
def not_empty_everywhere(record: About, question: Question) -> Want | None:
    """The list is not empty for at least one device of the platform."""
    device = question.thing
    if not isinstance(device, Device) or not device.root:
        return None
    others = [other for other in question.model.root_devices(device.platform) if other is not device]
    if any(other.fact(question.key) != () for other in others):
        return None
    return Such(bool, "at least one, since no other device of the platform has any", (record.id,))
