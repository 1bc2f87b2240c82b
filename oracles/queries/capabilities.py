"""Rules between the capabilities of a device: what asks for what else, and what is zero without what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Such, Values, Want, When
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

_PERMISSION = "a permission: nothing could violate it"
_OTHER_PROCESSES = "a run sees one boot, one driver and one version of it"
_WINDOWS = "nothing tells whether the system has adapters of Direct3D, and most have none"
NOT_TESTABLE = (
    ("CL_DEVICE_VENDOR_ID/effect/1", "a vendor's number in PCI", "nothing tells which vendors have one"),
    ("CL_DEVICE_VENDOR_ID/effect/2", "else one that Khronos gave", "that list has grown since the document"),
    ("CL_DEVICE_MAX_CLOCK_FREQUENCY/effect/1", "a frequency of some kind", _PERMISSION),
    ("CL_DEVICE_UUID_KHR/effect/1", "a device keeps its identifier for good", _OTHER_PROCESSES),
    ("CL_DEVICE_LUID_KHR/effect/1", "no demand where it is not valid", _PERMISSION),
    ("CL_DEVICE_LUID_KHR/effect/2", "it is that of an adapter", _WINDOWS),
    ("CL_DEVICE_NODE_MASK_KHR/effect/1", "no demand where the identifier is not valid", _PERMISSION),
    ("CL_DEVICE_NODE_MASK_KHR/effect/3", "1 where there are no nodes", _WINDOWS),
    (
        "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR/effect/1",
        "images of other handle types are laid out at will",
        _PERMISSION,
    ),
    (
        "CL_PLATFORM_HOST_TIMER_RESOLUTION/effect/1",
        "zero where host and device timers cannot be compared",
        "no other query tells; the clauses of the two timer functions ask this one",
    ),
)
"""Records that no answer can put to the test: our words, and the reason."""


@rules.completion
def _not_testable(rules: Rules, _tables: Tables) -> None:
    for record, words, reason in NOT_TESTABLE:
        rules.untestable(record, words, reason)


@rules.between_answers("one-device-type")
def one_type(record: About, question: Question) -> Want | None:
    """A device of version 3.0 or newer answers one type; texts of older versions let it combine several."""
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
    """A vector width of zero where the device has no double precision."""
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
    """A vector width of zero where the device does not report cl_khr_fp16."""
    device = question.device
    if device is None or "cl_khr_fp16" in device.extensions:
        return None
    return Such(zeros, "0: no cl_khr_fp16", (record.id,))


@rules.between_answers("zero-without-image-from-buffer")
def no_alignment(record: About, question: Question) -> Want | None:
    """Zero on a device without images, and since 3.0 on one that does not report the extension for it."""
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
    """Zero on a device that reports no queues of its own."""
    device = question.device
    if device is None or device.version < (3, 0) or device.number("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"):
        return None
    return Such(zeros, "0: no on-device queues", (record.id,))


def _chain(names: tuple[str, ...], record: About, question: Question) -> Want:
    """Return that each of the flags brings those after it along."""
    masks = [bits(question, name) for name in names]

    def strong(seen: Values) -> bool:
        return any(number(seen) & mask for mask in masks[:-1])

    def whole(seen: Values) -> bool:
        held = [bool(number(seen) & mask) for mask in masks]
        return held == sorted(held)

    return When(whole, f"with each of {' > '.join(names)} all after it", (record.id,), applies=strong)


@rules.between_answers("weaker-orders-too")
def orders(record: About, question: Question) -> Want:
    """A memory order comes with all weaker ones."""
    return _chain(ORDERS, record, question)


@rules.between_answers("narrower-scopes-too")
def scopes(record: About, question: Question) -> Want:
    """A memory scope comes with all narrower ones down to the work-group."""
    return _chain(SCOPES, record, question)


@rules.between_answers("supported-with-replaceable")
def queues_with_replaceable(record: About, question: Question) -> Want:
    """A replaceable default queue is told only where on-device queues are."""
    supported = bits(question, "CL_DEVICE_QUEUE_SUPPORTED")
    replaceable = bits(question, "CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT")
    return When(
        lambda seen: number(seen) & supported != 0,
        "CL_DEVICE_QUEUE_SUPPORTED beside CL_DEVICE_QUEUE_REPLACEABLE_DEFAULT",
        (record.id,),
        applies=lambda seen: number(seen) & replaceable != 0,
    )


@rules.between_answers("generic-address-space-too")
def with_generic_addresses(record: About, question: Question) -> Want | None:
    """On-device queues and pipes are told only where the generic address space is."""
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
    """True on a device that reports cl_khr_subgroups, false on one without sub-groups."""
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
    """A single bit where the device has a valid LUID."""
    if not question.thing.number("CL_DEVICE_LUID_VALID_KHR"):
        return None
    return Such(lambda seen: number(seen).bit_count() == 1 and number(seen) > 0, "a single bit", (record.id,))


@rules.between_answers("packed-always")
def packed_input(record: About, question: Question) -> Want:
    """Packed input is always there."""
    mask = bits(question, f"{DOT_INPUT}_PACKED_KHR")
    return Such(lambda seen: number(seen) & mask == mask, "packed input", (record.id,))


@rules.between_answers("unpacked-in-version-2")
def unpacked_input(record: About, question: Question) -> Want | None:
    """Unpacked input is there too in version 2 of the extension."""
    names = ("CL_DEVICE_EXTENSIONS_WITH_VERSION", "CL_DEVICE_EXTENSIONS_WITH_VERSION_KHR")
    versions = [version for name, version in list_of(question.thing, *names) if name == DOT_PRODUCT]
    if not versions or not (2, 0) <= unpacked(versions[0]) < (3, 0):
        return None
    mask = bits(question, f"{DOT_INPUT}_KHR")
    return Such(lambda seen: number(seen) & mask == mask, "unpacked input too", (record.id,))


@rules.between_answers("remap-with-automatic")
def remapping_with_automatic(record: About, question: Question) -> Want:
    """Automatic remapping comes with remapping."""
    automatic = bits(question, "CL_COMMAND_BUFFER_PLATFORM_AUTOMATIC_REMAP_KHR")
    remap = bits(question, "CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR")
    return When(
        lambda seen: number(seen) & remap != 0,
        "CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR too",
        (record.id,),
        applies=lambda seen: number(seen) & automatic != 0,
    )


@rules.between_answers("some-device-imports", "some-device-has-semaphores")
def not_empty_everywhere(record: About, question: Question) -> Want | None:
    """One device of the platform at least lists something: this one where all others list nothing."""
    device = question.thing
    if not isinstance(device, Device) or not device.root:
        return None
    others = [other for other in question.model.root_devices(device.platform) if other is not device]
    if any(other.fact(question.key) != () for other in others):
        return None
    return Such(bool, "at least one: no other device of the platform has any", (record.id,))
