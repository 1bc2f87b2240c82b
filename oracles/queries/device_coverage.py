"""Coverage points for the prose about platforms and devices outside the query tables of sections 4.1 and 4.2."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.queries.prose_rules import DEVICE, cover_query

if TYPE_CHECKING:
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

BUILT_IN, WITH_VERSION = "CL_DEVICE_BUILT_IN_KERNELS", "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION"
SUB_DEVICE_QUERIES = ("CL_DEVICE_MAX_COMPUTE_UNITS", "CL_DEVICE_PARENT_DEVICE", "CL_DEVICE_PARTITION_TYPE")
"""Queries whose value differs between a sub-device and its root device."""
FULL_PROFILE_REASON = "each requirement of the full profile is checked separately"
EMBEDDED_PROFILE_REASON = "each requirement of the embedded profile, in chapter 7, is checked separately"
QUERY_MISSING_REASON = "devices of these versions do not have this query"
NO_CLAUSE_REASON = "the documents do not define an error for a kernel with more arguments than the limit"
EXTERNAL_MEMORY_REASON = "it needs memory that another API has exported, which this suite does not create"


def _has_built_in_kernels(question: QueryRequest, *, some: bool) -> bool:
    """Return whether a device has returned its list of built-in kernels; ``some``: whether it must be nonempty."""
    told = question.subject.facts.get(BUILT_IN)
    return isinstance(told, str) and bool(told) is some


for _number, _words, _some in (
    (1, "Checked by comparing the names with the list of CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION.", True),
    (2, "Checked by comparing the string with the list of CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION.", False),
):
    rules.coverage_point(
        f"{BUILT_IN}/effect/{_number}",
        DEVICE,
        _words,
        "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION/effect/1",
        holds=cover_query(WITH_VERSION, when=lambda question, some=_some: _has_built_in_kernels(question, some=some)),  # type: ignore[misc]
    )
rules.coverage_point(
    "clGetDeviceInfo/effect/8",
    DEVICE,
    "Checked by the compute units, the parent and the partition type of a sub-device.",
    *SUB_DEVICE_QUERIES,
    holds=cover_query(
        *SUB_DEVICE_QUERIES, when=lambda question: isinstance(question.subject, Device) and not question.subject.is_root
    ),
)
for _number, _name in ((6, "DEFAULT"), (7, "ALL")):
    rules.coverage_point(
        f"clGetDeviceIDs/effect/{_number}",
        DEVICE,
        f"Checked on each queried device: CL_DEVICE_TYPE is a single type other than CL_DEVICE_TYPE_{_name}.",
        "CL_DEVICE_TYPE",
        "CL_DEVICE_TYPE/effect/1",
        holds=cover_query("CL_DEVICE_TYPE", when=lambda question: isinstance(question.subject, Device)),
    )
rules.coverage_point(
    "CL_DEVICE_IL_VERSION_KHR/effect/5",
    DEVICE,
    "",
    "CL_DEVICE_IL_VERSION_KHR",
    "CL_DEVICE_IL_VERSION",
    holds=cover_query(
        "CL_DEVICE_IL_VERSION",
        "CL_DEVICE_IL_VERSION_KHR",
        when=lambda question: isinstance(question.subject, Device) and (2, 1) <= question.subject.version < (3, 0),
    ),
)
for _record, _words, _reason in (
    ("CL_PLATFORM_PROFILE/effect/2", "", FULL_PROFILE_REASON),
    ("CL_PLATFORM_PROFILE/effect/3", "", EMBEDDED_PROFILE_REASON),
    ("CL_DEVICE_PROFILE/effect/2", "", FULL_PROFILE_REASON),
    ("CL_DEVICE_PROFILE/effect/3", "", EMBEDDED_PROFILE_REASON),
    ("CL_DEVICE_MAX_PARAMETER_SIZE/effect/1", "", NO_CLAUSE_REASON),
    ("CL_DEVICE_MAX_PARAMETER_SIZE/effect/2", "", NO_CLAUSE_REASON),
    (
        "CL_DEVICE_OPENCL_C_VERSION/effect/2",
        "",
        (
            "a device that reports all versions also reports the newest compatible version; on other devices no query "
            "returns the other versions"
        ),
    ),
    ("CL_DEVICE_OPENCL_C_VERSION/effect/8", "", QUERY_MISSING_REASON),
    *(
        (
            f"CL_DEVICE_OPENCL_C_ALL_VERSIONS/effect/{number}",
            "",
            QUERY_MISSING_REASON,
        )
        for number, version in ((4, "2.x"), (5, "1.2"), (6, "1.1"), (7, "1.0"))
    ),
    (
        "CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR/effect/2",
        "",
        "no call shows whether devices wait for each other or the host waits for them",
    ),
    (
        "CL_DEVICE_NODE_MASK_KHR/effect/4",
        "",
        "no OpenCL query reports whether the system has Direct3D adapters",
    ),
    (
        "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR/effect/2",
        "",
        EXTERNAL_MEMORY_REASON,
    ),
    (
        "OpenCL:querying-opencl-devices-corresponding-to-direct3d-10-devices/1",
        "",
        "it needs objects of Direct3D 10, which this suite does not create",
    ),
    (
        "OpenCL:querying-opencl-devices-corresponding-to-direct3d-11-devices/1",
        "",
        "it needs objects of Direct3D 11, which this suite does not create",
    ),
):
    rules.untestable(_record, _words, _reason)
