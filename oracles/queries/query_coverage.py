"""Coverage points for the prose about queries whose own rules judge the value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.common.property_lists import list_values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, Pipe, SubBuffer
from clconform.oracles.model.pointer_memory import DeviceAllocation, HostAllocation, SharedAllocation, UsmAllocation
from clconform.oracles.model.samplers import Sampler
from clconform.oracles.queries.prose_rules import DEVICE, PLATFORM, cover_query

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.queries.query_request import QueryRequest

    When = Callable[[QueryRequest], bool]

rules = Rules()

MEMORY_QUERY, SAMPLER_QUERY, ALLOCATION_QUERY = "clGetMemObjectInfo", "clGetSamplerInfo", "clGetMemAllocInfoINTEL"
PROFILE_TEXT = ""
VERSION_TEXT = ""
NAMES_TEXT = ""
COMMON_LIST_TEXT = "Checked after all devices of the platform have returned their own list."
LANGUAGES_TEXT = ""


def _is_always_true(_question: QueryRequest) -> bool:
    return True


def _has_values(*queries: str) -> When:
    """Return a check of a query request: the values of ``queries`` are known, so that the covered rule applies."""
    return lambda question: all(query in question.subject.facts for query in queries)


def _has_nonzero_value(query: str) -> When:
    return lambda question: bool(question.subject.facts.get(query))


def _is_of_version(since: tuple[int, int], before: tuple[int, int], *, compiles: bool = False) -> When:
    """Return a check of a query request: a device has a version from ``since`` to before ``before``.

    The device must not be a custom device. ``compiles``: it must also have a compiler.
    """

    def when(question: QueryRequest) -> bool:
        device = question.subject
        if not isinstance(device, Device) or not since <= device.version < before or not _is_not_custom(question):
            return False
        return not compiles or device.facts.get("CL_DEVICE_COMPILER_AVAILABLE") == 1

    return when


def _is_not_custom(question: QueryRequest) -> bool:
    """Return whether a device is known not to be a custom device."""
    kind = question.subject.facts.get("CL_DEVICE_TYPE")
    return isinstance(kind, int) and not kind & question.model.constant_value("CL_DEVICE_TYPE_CUSTOM")


def _is_full_profile(question: QueryRequest) -> bool:
    device = question.subject
    if not isinstance(device, Device) or device.platform is None or not _is_not_custom(question):
        return False
    told = device.facts.get("CL_DEVICE_PROFILE"), device.platform.facts.get("CL_PLATFORM_PROFILE")
    return told == ("FULL_PROFILE", "FULL_PROFILE")


def _is_reported_by_devices(query: str) -> When:
    """Return a check of a query request: all devices of a platform have returned their list for the same query."""
    own = query.replace("PLATFORM", "DEVICE", 1)

    def when(question: QueryRequest) -> bool:
        platform = question.subject
        if not isinstance(platform, Platform):
            return False
        lists = [device.facts.get(own) for device in question.model.root_devices(platform)]
        return bool(lists) and all(isinstance(each, tuple) for each in lists)

    return when


for _record, _words, _when in (
    ("CL_PLATFORM_PROFILE/effect/1", PROFILE_TEXT, _is_always_true),
    ("CL_PLATFORM_VERSION/effect/1", VERSION_TEXT, _is_always_true),
    ("CL_PLATFORM_EXTENSIONS/effect/2", NAMES_TEXT, _is_always_true),
    ("CL_DEVICE_PROFILE/effect/1", PROFILE_TEXT, _is_always_true),
    ("CL_DEVICE_VERSION/effect/1", VERSION_TEXT, _is_always_true),
    ("CL_DEVICE_EXTENSIONS/effect/5", NAMES_TEXT, _is_always_true),
    *(
        (
            f"CL_PLATFORM_{kind}_TYPES_KHR/effect/1",
            COMMON_LIST_TEXT,
            _is_reported_by_devices(f"CL_PLATFORM_{kind}_TYPES_KHR"),
        )
        for kind in ("EXTERNAL_MEMORY_IMPORT_HANDLE", "SEMAPHORE", "SEMAPHORE_IMPORT_HANDLE", "SEMAPHORE_EXPORT_HANDLE")
    ),
    (
        "CL_DEVICE_MAX_WORK_ITEM_SIZES/effect/1",
        "",
        _has_values("CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS"),
    ),
    ("CL_DEVICE_ADDRESS_BITS/effect/1", "", _is_always_true),
    *(
        (f"CL_DEVICE_IL_VERSION{khr}/effect/{number}", LANGUAGES_TEXT, _has_nonzero_value(f"CL_DEVICE_IL_VERSION{khr}"))
        for khr in ("", "_KHR")
        for number in (3, 4)
    ),
    (
        "CL_DEVICE_IL_VERSION/effect/5",
        "Checked on devices that are not custom devices.",
        _is_of_version((2, 1), (3, 0)),
    ),
    (
        "CL_DEVICE_LOCAL_MEM_TYPE/effect/1",
        "Checked on devices that are not custom devices: the value is not CL_NONE.",
        _is_not_custom,
    ),
    (
        "CL_DEVICE_COMPILER_AVAILABLE/effect/1",
        "Checked on platforms and devices of the full profile, except custom devices: the value is CL_TRUE.",
        _is_full_profile,
    ),
    (
        "CL_DEVICE_LINKER_AVAILABLE/effect/1",
        "Checked on platforms and devices of the full profile, except custom devices: the value is CL_TRUE.",
        _is_full_profile,
    ),
    (
        "CL_DEVICE_OPENCL_C_VERSION/effect/3",
        "",
        _has_nonzero_value("CL_DEVICE_OPENCL_C_VERSION"),
    ),
    *(
        (
            f"CL_DEVICE_OPENCL_C_VERSION/effect/{number}",
            "Checked on devices with a compiler, except custom devices.",
            _is_of_version(since, before, compiles=True),
        )
        for number, since, before in ((5, (2, 0), (3, 0)), (6, (1, 2), (2, 0)), (7, (1, 1), (1, 2)))
    ),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS/effect/1",
        "",
        _has_nonzero_value("CL_DEVICE_OPENCL_C_ALL_VERSIONS"),
    ),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS/effect/2",
        "Checked after CL_DEVICE_OPENCL_C_VERSION has returned a nonempty string.",
        _has_nonzero_value("CL_DEVICE_OPENCL_C_VERSION"),
    ),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS/effect/3",
        "Checked on devices with a compiler, except custom devices.",
        _is_of_version((3, 0), (4, 0), compiles=True),
    ),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS/effect/8",
        "Checked on devices with a compiler, except custom devices.",
        _is_of_version((3, 1), (4, 0), compiles=True),
    ),
):
    _query = _record.partition("/")[0]
    _function = PLATFORM if _query.startswith("CL_PLATFORM") else DEVICE
    rules.coverage_point(_record, _function, _words, _query, holds=cover_query(_query, when=_when))


# objects


def _is_instance(*kinds: type[object], but: type[object] | None = None) -> When:
    return lambda question: isinstance(question.subject, kinds) and not (but and isinstance(question.subject, but))


def _is_image_created_by(*makers: str) -> When:
    return lambda question: isinstance(question.subject, Image) and question.subject.created_by in makers


def _has_parent(question: QueryRequest) -> bool:
    return isinstance(question.subject, Image) and question.subject.parent is not None


def _has_no_parent(question: QueryRequest) -> bool:
    return isinstance(question.subject, MemoryObject) and question.subject.parent is None


def _has_known_host_memory(question: QueryRequest) -> bool:
    memory = question.subject
    return isinstance(memory, MemoryObject) and memory.host is not None and memory.host.is_svm is not None


for _record, _function, _words, _when in (
    ("CL_MEM_TYPE/effect/1", MEMORY_QUERY, "", _is_instance(Buffer)),
    ("CL_MEM_TYPE/effect/2", MEMORY_QUERY, "", _is_image_created_by("clCreateImage2D")),
    ("CL_MEM_TYPE/effect/3", MEMORY_QUERY, "", _is_image_created_by("clCreateImage3D")),
    (
        "CL_MEM_TYPE/effect/4",
        MEMORY_QUERY,
        "",
        _is_image_created_by("clCreateImage", "clCreateImageWithProperties"),
    ),
    ("CL_MEM_TYPE/effect/5", MEMORY_QUERY, "", _is_instance(Pipe)),
    ("CL_MEM_ASSOCIATED_MEMOBJECT/effect/1", MEMORY_QUERY, "", _is_instance(SubBuffer)),
    (
        "CL_MEM_ASSOCIATED_MEMOBJECT/effect/2",
        MEMORY_QUERY,
        "",
        _has_parent,
    ),
    (
        "CL_MEM_ASSOCIATED_MEMOBJECT/effect/3",
        MEMORY_QUERY,
        "Checked with CL_MEM_ASSOCIATED_MEMOBJECT on objects that were not created from another one.",
        _has_no_parent,
    ),
    ("CL_MEM_CONTEXT/effect/1", MEMORY_QUERY, "", _is_instance(SubBuffer)),
    ("CL_MEM_FLAGS/effect/1", MEMORY_QUERY, "", _is_instance(SubBuffer)),
    ("CL_MEM_OFFSET/effect/1", MEMORY_QUERY, "", _is_instance(SubBuffer)),
    ("CL_MEM_OFFSET/effect/2", MEMORY_QUERY, "", _is_instance(MemoryObject, but=SubBuffer)),
    (
        "CL_MEM_USES_SVM_POINTER/effect/1",
        MEMORY_QUERY,
        "",
        _has_known_host_memory,
    ),
    (
        "CL_MEM_ALLOC_TYPE_INTEL/effect/2",
        ALLOCATION_QUERY,
        "",
        _is_instance(HostAllocation),
    ),
    (
        "CL_MEM_ALLOC_TYPE_INTEL/effect/3",
        ALLOCATION_QUERY,
        "",
        _is_instance(DeviceAllocation),
    ),
    (
        "CL_MEM_ALLOC_TYPE_INTEL/effect/4",
        ALLOCATION_QUERY,
        "",
        _is_instance(SharedAllocation),
    ),
    (
        "CL_MEM_ALLOC_FLAGS_INTEL/effect/7",
        ALLOCATION_QUERY,
        "Checked on allocations without flags.",
        lambda question: isinstance(question.subject, UsmAllocation) and not question.subject.flags,
    ),
    (
        "CL_MEM_ALLOC_DEVICE_INTEL/effect/1",
        ALLOCATION_QUERY,
        "Checked on allocations without a device.",
        lambda question: isinstance(question.subject, UsmAllocation) and not question.subject.devices,
    ),
):
    _query = _record.partition("/")[0]
    rules.coverage_point(_record, _function, _words, _query, holds=cover_query(_query, when=_when))


def _lacks_property(name: str) -> When:
    """Return a check of a query request: a sampler was created without a list, or with a list that lacks a property."""

    def when(question: QueryRequest) -> bool:
        sampler = question.subject
        if not isinstance(sampler, Sampler) or not sampler.has_property_list:
            return False
        return question.model.constant_value(name) not in list_values(sampler.properties)

    return when


def _has_null_list(question: QueryRequest) -> bool:
    sampler = question.subject
    return isinstance(sampler, Sampler) and sampler.has_property_list and sampler.properties is None


def _is_created_with_modes(question: QueryRequest) -> bool:
    sampler = question.subject
    return isinstance(sampler, Sampler) and not sampler.has_property_list and sampler.filter_mode is not None


MODES = ("CL_SAMPLER_NORMALIZED_COORDS", "CL_SAMPLER_ADDRESSING_MODE", "CL_SAMPLER_FILTER_MODE")
DEFAULT_TEXT = ""
for _number, _query in enumerate(MODES, 1):
    rules.coverage_point(
        f"{_query}/effect/1",
        SAMPLER_QUERY,
        DEFAULT_TEXT,
        _query,
        holds=cover_query(_query, when=_lacks_property(_query)),
    )
    rules.coverage_point(
        f"clCreateSampler/effect/{_number}",
        SAMPLER_QUERY,
        "Checked by querying the modes of samplers that clCreateSampler created.",
        _query,
        holds=cover_query(_query, when=_is_created_with_modes),
    )
for _number, _words, _when in (
    (1, DEFAULT_TEXT, lambda question: _lacks_property(question.query.name)(question)),
    (2, "", _has_null_list),
):
    rules.coverage_point(
        f"clCreateSamplerWithProperties/effect/{_number}",
        SAMPLER_QUERY,
        _words,
        *MODES,
        holds=cover_query(*MODES, when=_when),
    )


# counts


def _has_references(*, once: bool) -> When:
    """Return a check of a query request: an object has exactly one reference (``once``), or more than one."""

    def when(question: QueryRequest) -> bool:
        number = getattr(question.subject, "references", 0)
        return number == 1 if once else number > 1

    return when


for _sort, _what, _function in (
    ("Context", "CONTEXT", "clGetContextInfo"),
    ("CommandQueue", "QUEUE", "clGetCommandQueueInfo"),
    ("MemObject", "MEM", MEMORY_QUERY),
    ("Sampler", "SAMPLER", SAMPLER_QUERY),
):
    _query = f"CL_{_what}_REFERENCE_COUNT"
    for _number, _words, _once in (
        (1, "Checked by querying the count of a retained object: it is at least the references taken.", False),
        (2, "Checked by querying the count of an object with one reference: it is at least 1.", True),
    ):
        rules.coverage_point(
            f"clRetain{_sort}/effect/{_number}",
            _function,
            _words,
            _query,
            holds=cover_query(_query, when=_has_references(once=_once)),
        )
