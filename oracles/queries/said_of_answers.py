"""Coverage points for the prose about queries, where the query's own rule judges the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, Pipe, SubBuffer
from clconform.oracles.model.pointed_memory import DeviceAllocation, HostAllocation, SharedAllocation, UsmAllocation
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.queries.effects import DEVICE, PLATFORM, answered
from clconform.oracles.recurring.property_lists import pairs

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.queries.questions import Question

    When = Callable[[Question], bool]

rules = Rules()

MEMORY, SAMPLER, ALLOCATION = "clGetMemObjectInfo", "clGetSamplerInfo", "clGetMemAllocInfoINTEL"
PROFILE = ""
VERSION = ""
NAMES = ""
COMMON = "Checked after all devices of the platform have returned their own list."
LANGUAGES = ""


def _always(_question: Question) -> bool:
    return True


def _known(*queries: str) -> When:
    """Return whether the object has returned the values of other queries, on which the rule for this one depends."""
    return lambda question: all(query in question.thing.facts for query in queries)


def _told(query: str) -> When:
    return lambda question: bool(question.thing.facts.get(query))


def _of_version(since: tuple[int, int], before: tuple[int, int], *, compiles: bool = False) -> When:
    """Return whether the device has one of some versions, is not a custom device, and has a compiler if needed."""

    def when(question: Question) -> bool:
        device = question.thing
        if not isinstance(device, Device) or not since <= device.version < before or not _ordinary(question):
            return False
        return not compiles or device.facts.get("CL_DEVICE_COMPILER_AVAILABLE") == 1

    return when


def _ordinary(question: Question) -> bool:
    """Return whether a device is known not to be a custom device."""
    kind = question.thing.facts.get("CL_DEVICE_TYPE")
    return isinstance(kind, int) and not kind & question.model.value("CL_DEVICE_TYPE_CUSTOM")


def _full(question: Question) -> bool:
    device = question.thing
    if not isinstance(device, Device) or device.platform is None or not _ordinary(question):
        return False
    told = device.facts.get("CL_DEVICE_PROFILE"), device.platform.facts.get("CL_PLATFORM_PROFILE")
    return told == ("FULL_PROFILE", "FULL_PROFILE")


def _told_by_devices(query: str) -> When:
    """Return whether every device of a platform has returned its own list for the same query."""
    own = query.replace("PLATFORM", "DEVICE", 1)

    def when(question: Question) -> bool:
        platform = question.thing
        if not isinstance(platform, Platform):
            return False
        lists = [device.facts.get(own) for device in question.model.root_devices(platform)]
        return bool(lists) and all(isinstance(each, tuple) for each in lists)

    return when


for _record, _words, _when in (
    ("CL_PLATFORM_PROFILE/effect/1", PROFILE, _always),
    ("CL_PLATFORM_VERSION/effect/1", VERSION, _always),
    ("CL_PLATFORM_EXTENSIONS/effect/2", NAMES, _always),
    ("CL_DEVICE_PROFILE/effect/1", PROFILE, _always),
    ("CL_DEVICE_VERSION/effect/1", VERSION, _always),
    ("CL_DEVICE_EXTENSIONS/effect/5", NAMES, _always),
    *(
        (f"CL_PLATFORM_{kind}_TYPES_KHR/effect/1", COMMON, _told_by_devices(f"CL_PLATFORM_{kind}_TYPES_KHR"))
        for kind in ("EXTERNAL_MEMORY_IMPORT_HANDLE", "SEMAPHORE", "SEMAPHORE_IMPORT_HANDLE", "SEMAPHORE_EXPORT_HANDLE")
    ),
    (
        "CL_DEVICE_MAX_WORK_ITEM_SIZES/effect/1",
        "",
        _known("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS"),
    ),
    ("CL_DEVICE_ADDRESS_BITS/effect/1", "", _always),
    *(
        (f"CL_DEVICE_IL_VERSION{khr}/effect/{number}", LANGUAGES, _told(f"CL_DEVICE_IL_VERSION{khr}"))
        for khr in ("", "_KHR")
        for number in (3, 4)
    ),
    (
        "CL_DEVICE_IL_VERSION/effect/5",
        "Checked on devices that are not custom devices.",
        _of_version((2, 1), (3, 0)),
    ),
    (
        "CL_DEVICE_LOCAL_MEM_TYPE/effect/1",
        "Checked on devices that are not custom devices: the value is not CL_NONE.",
        _ordinary,
    ),
    (
        "CL_DEVICE_COMPILER_AVAILABLE/effect/1",
        "Checked on platforms and devices of the full profile, except custom devices: the value is CL_TRUE.",
        _full,
    ),
    (
        "CL_DEVICE_LINKER_AVAILABLE/effect/1",
        "Checked on platforms and devices of the full profile, except custom devices: the value is CL_TRUE.",
        _full,
    ),
    (
        "CL_DEVICE_OPENCL_C_VERSION/effect/3",
        "",
        _told("CL_DEVICE_OPENCL_C_VERSION"),
    ),
    *(
        (
            f"CL_DEVICE_OPENCL_C_VERSION/effect/{number}",
            "Checked on devices with a compiler, except custom devices.",
            _of_version(since, before, compiles=True),
        )
        for number, since, before in ((5, (2, 0), (3, 0)), (6, (1, 2), (2, 0)), (7, (1, 1), (1, 2)))
    ),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS/effect/1",
        "",
        _told("CL_DEVICE_OPENCL_C_ALL_VERSIONS"),
    ),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS/effect/2",
        "Checked after CL_DEVICE_OPENCL_C_VERSION has returned a nonempty string.",
        _told("CL_DEVICE_OPENCL_C_VERSION"),
    ),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS/effect/3",
        "Checked on devices with a compiler, except custom devices.",
        _of_version((3, 0), (4, 0), compiles=True),
    ),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS/effect/8",
        "Checked on devices with a compiler, except custom devices.",
        _of_version((3, 1), (4, 0), compiles=True),
    ),
):
    _query = _record.partition("/")[0]
    _function = PLATFORM if _query.startswith("CL_PLATFORM") else DEVICE
    rules.trigger(_record, _function, _words, _query, holds=answered(_query, when=_when))


# objects


def _of(*kinds: type[object], but: type[object] | None = None) -> When:
    return lambda question: isinstance(question.thing, kinds) and not (but and isinstance(question.thing, but))


def _image(*makers: str) -> When:
    return lambda question: isinstance(question.thing, Image) and question.thing.maker in makers


def _made_of_another(question: Question) -> bool:
    return isinstance(question.thing, Image) and question.thing.parent is not None


def _made_of_nothing(question: Question) -> bool:
    return isinstance(question.thing, MemoryObject) and question.thing.parent is None


def _shared(question: Question) -> bool:
    memory = question.thing
    return isinstance(memory, MemoryObject) and memory.host is not None and memory.host.shared is not None


for _record, _function, _words, _when in (
    ("CL_MEM_TYPE/effect/1", MEMORY, "", _of(Buffer)),
    ("CL_MEM_TYPE/effect/2", MEMORY, "", _image("clCreateImage2D")),
    ("CL_MEM_TYPE/effect/3", MEMORY, "", _image("clCreateImage3D")),
    (
        "CL_MEM_TYPE/effect/4",
        MEMORY,
        "",
        _image("clCreateImage", "clCreateImageWithProperties"),
    ),
    ("CL_MEM_TYPE/effect/5", MEMORY, "", _of(Pipe)),
    ("CL_MEM_ASSOCIATED_MEMOBJECT/effect/1", MEMORY, "", _of(SubBuffer)),
    (
        "CL_MEM_ASSOCIATED_MEMOBJECT/effect/2",
        MEMORY,
        "",
        _made_of_another,
    ),
    (
        "CL_MEM_ASSOCIATED_MEMOBJECT/effect/3",
        MEMORY,
        "Checked with CL_MEM_ASSOCIATED_MEMOBJECT on objects that were not created from another one.",
        _made_of_nothing,
    ),
    ("CL_MEM_CONTEXT/effect/1", MEMORY, "", _of(SubBuffer)),
    ("CL_MEM_FLAGS/effect/1", MEMORY, "", _of(SubBuffer)),
    ("CL_MEM_OFFSET/effect/1", MEMORY, "", _of(SubBuffer)),
    ("CL_MEM_OFFSET/effect/2", MEMORY, "", _of(MemoryObject, but=SubBuffer)),
    (
        "CL_MEM_USES_SVM_POINTER/effect/1",
        MEMORY,
        "",
        _shared,
    ),
    (
        "CL_MEM_ALLOC_TYPE_INTEL/effect/2",
        ALLOCATION,
        "",
        _of(HostAllocation),
    ),
    (
        "CL_MEM_ALLOC_TYPE_INTEL/effect/3",
        ALLOCATION,
        "",
        _of(DeviceAllocation),
    ),
    (
        "CL_MEM_ALLOC_TYPE_INTEL/effect/4",
        ALLOCATION,
        "",
        _of(SharedAllocation),
    ),
    (
        "CL_MEM_ALLOC_FLAGS_INTEL/effect/7",
        ALLOCATION,
        "Checked on allocations without flags.",
        lambda question: isinstance(question.thing, UsmAllocation) and not question.thing.flags,
    ),
    (
        "CL_MEM_ALLOC_DEVICE_INTEL/effect/1",
        ALLOCATION,
        "Checked on allocations without a device.",
        lambda question: isinstance(question.thing, UsmAllocation) and not question.thing.devices,
    ),
):
    _query = _record.partition("/")[0]
    rules.trigger(_record, _function, _words, _query, holds=answered(_query, when=_when))


def _without(name: str) -> When:
    """Return whether a sampler was created with a list that lacks a property, or with NULL for the list."""

    def when(question: Question) -> bool:
        sampler = question.thing
        if not isinstance(sampler, Sampler) or not sampler.with_list:
            return False
        return question.model.value(name) not in pairs(sampler.properties)

    return when


def _without_a_list(question: Question) -> bool:
    sampler = question.thing
    return isinstance(sampler, Sampler) and sampler.with_list and sampler.properties is None


def _by_modes(question: Question) -> bool:
    sampler = question.thing
    return isinstance(sampler, Sampler) and not sampler.with_list and sampler.filter_mode is not None


MODES = ("CL_SAMPLER_NORMALIZED_COORDS", "CL_SAMPLER_ADDRESSING_MODE", "CL_SAMPLER_FILTER_MODE")
DEFAULT = ""
for _number, _query in enumerate(MODES, 1):
    rules.trigger(f"{_query}/effect/1", SAMPLER, DEFAULT, _query, holds=answered(_query, when=_without(_query)))
    rules.trigger(
        f"clCreateSampler/effect/{_number}",
        SAMPLER,
        "Checked by querying the modes of samplers that clCreateSampler created.",
        _query,
        holds=answered(_query, when=_by_modes),
    )
for _number, _words, _when in (
    (1, DEFAULT, lambda question: _without(question.query.name)(question)),
    (2, "", _without_a_list),
):
    rules.trigger(
        f"clCreateSamplerWithProperties/effect/{_number}", SAMPLER, _words, *MODES, holds=answered(*MODES, when=_when)
    )


# counts


def _counted(*, once: bool) -> When:
    """Return whether an object has one reference, or more than one."""

    def when(question: Question) -> bool:
        number = getattr(question.thing, "references", 0)
        return number == 1 if once else number > 1

    return when


for _sort, _what, _function in (
    ("Context", "CONTEXT", "clGetContextInfo"),
    ("CommandQueue", "QUEUE", "clGetCommandQueueInfo"),
    ("MemObject", "MEM", MEMORY),
    ("Sampler", "SAMPLER", SAMPLER),
):
    _query = f"CL_{_what}_REFERENCE_COUNT"
    for _number, _words, _once in (
        (1, "Checked by querying the count of a retained object: it is at least the references taken.", False),
        (2, "Checked by querying the count of an object with one reference: it is at least 1.", True),
    ):
        rules.trigger(
            f"clRetain{_sort}/effect/{_number}",
            _function,
            _words,
            _query,
            holds=answered(_query, when=_counted(once=_once)),
        )
