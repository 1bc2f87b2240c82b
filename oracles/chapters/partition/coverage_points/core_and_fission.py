"""Coverage points for device partitioning that the core document and cl_ext_device_fission share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.coverage_kinds import (
    INFO,
    UNITS,
    compute_units_of,
    has_requested_domain,
    is_created_by_next_domain,
    is_created_by_scheme,
    is_root,
    is_sub_device,
    queries_device,
    requests_any_domain,
    requests_domain,
    requests_partition,
    style_query,
)
from clconform.oracles.chapters.partition.coverage_points.capability import EXAMPLE_COUNTS, EXAMPLE_EQUALLY
from clconform.oracles.chapters.partition.schemes import CORE, EXT, ORDER, Dialect, PartitionRequest
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.model.devices import Device
    from clconform.spec_tables import Tables

rules = Rules()


@rules.completion
def _declare_both(rules: Rules, _tables: Tables) -> None:
    for dialect, suffix in ((CORE, ""), (EXT, "_EXT")):
        _declare_dialect(rules, dialect, suffix)


def _declare_dialect(rules: Rules, dialect: Dialect, suffix: str) -> None:
    """Declare the coverage points that both documents share, with the functions and constants of one document.

    ``suffix``: empty for the core document, and _EXT for cl_ext_device_fission.
    """
    make, success = dialect.function, f"{dialect.function}/success"
    out, capacity, count = (
        "out_devices",
        "num_entries" if suffix else "num_devices",
        "num_devices" if suffix else "num_devices_ret",
    )
    parent, style = f"CL_DEVICE_PARENT_DEVICE{suffix}", style_query(suffix)
    references = f"CL_DEVICE_REFERENCE_COUNT{suffix}"

    def query(number: int, name: str, words: str, when: Callable[[Device], bool]) -> None:
        rules.coverage_point(f"{name}/effect/{number}", INFO, words, name, holds=queries_device(name, when))

    def made(
        requirement: str, words: str, when: Callable[[CompletedCall, PartitionRequest, Device], bool], *parents: str
    ) -> None:
        rules.coverage_point(requirement, make, words, success, *parents, holds=requests_partition(dialect, when))

    query(1, parent, "For a sub-device the value is the device that was partitioned.", is_sub_device)
    query(2, parent, "For a root device the value is NULL.", is_root)
    query(
        1, dialect.supported, "The value lists the partitioning schemes that the device supports.", lambda _device: True
    )
    query(
        2,
        dialect.supported,
        "The value lists only partitioning schemes that the document defines.",
        lambda _device: True,
    )
    query(
        1,
        dialect.supported_domains,
        "The value lists the affinity domains that the device supports.",
        lambda _device: True,
    )
    query(
        1,
        style,
        "For a sub-device the value is the property list that the sub-device was created with.",
        lambda device: is_sub_device(device) and not is_created_by_next_domain(dialect)(device),
    )
    query(1, references, "For a sub-device the value is its reference count.", is_sub_device)
    query(2, references, "For a root device the value is 1.", is_root)
    made(
        "clCreateSubDevicesEXT/effect/5" if suffix else "clCreateSubDevices/effect/4",
        "out_devices receives the new sub-devices.",
        lambda asked, *_: out in asked.outputs,
    )
    made(
        "clCreateSubDevicesEXT/effect/6" if suffix else "clCreateSubDevices/effect/5",
        "If out_devices is NULL, the call succeeds and does not write devices.",
        lambda asked, *_: asked.call.arguments[out] is None,
    )
    made(
        "clCreateSubDevicesEXT/effect/8" if suffix else "clCreateSubDevices/effect/6",
        f"{count} receives the number of sub-devices that the scheme creates.",
        lambda asked, *_: count in asked.outputs,
    )
    made(
        "clCreateSubDevicesEXT/effect/9" if suffix else "clCreateSubDevices/effect/7",
        f"If {count} is NULL, the call succeeds and does not write the number of sub-devices.",
        lambda asked, *_: asked.call.arguments[count] is None and asked.call.arguments[capacity] > 0,
    )
    made(
        "clCreateSubDevicesEXT/effect/10" if suffix else "clCreateSubDevices/effect/2",
        "properties is a list that ends with 0.",
        lambda _asked, request, _device: bool(request.scheme) and not request.rest,
    )
    rules.coverage_point(
        "clCreateSubDevicesEXT/effect/1" if suffix else "clCreateSubDevices/effect/8",
        INFO,
        "The sub-devices of a partition do not have more compute units together than their parent.",
        UNITS,
        holds=queries_device(UNITS, lambda device: bool(device.partition and device.partition.function == make)),
    )
    _declare_schemes(rules, dialect, suffix)
    _declare_domains(rules, dialect)
    rules.coverage_point(
        f"{dialect.retain}/effect/1",
        INFO,
        "Retaining a sub-device increases its reference count by one.",
        references,
        holds=queries_device(references, lambda device: is_sub_device(device) and device.retained > 0),
    )
    rules.coverage_point(
        f"{dialect.release}/effect/1",
        INFO,
        "Releasing a sub-device decreases its reference count by one.",
        references,
        holds=queries_device(references, lambda device: is_sub_device(device) and device.released > 0),
    )


def _declare_schemes(rules: Rules, dialect: Dialect, suffix: str) -> None:
    make, success = dialect.function, f"{dialect.function}/success"

    def made(
        requirement: str, words: str, when: Callable[[CompletedCall, PartitionRequest, Device], bool], *parents: str
    ) -> None:
        rules.coverage_point(requirement, make, words, success, *parents, holds=requests_partition(dialect, when))

    equally, counts = dialect.equally, dialect.by_counts
    made(
        f"{equally}/effect/1",
        "A partition into equal sub-devices creates as many sub-devices as possible.",
        lambda _asked, request, device: (
            request.scheme == equally and request.values[0] > 0 and compute_units_of(device) % request.values[0] == 0
        ),
        equally,
    )
    made(
        f"{equally}/effect/2",
        "Compute units that remain after a partition into equal sub-devices are not part of any sub-device.",
        lambda _asked, request, device: (
            request.scheme == equally and request.values[0] > 0 and compute_units_of(device) % request.values[0] != 0
        ),
        equally,
    )
    made(
        f"{counts}/effect/1",
        (
            "In properties, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END ends the list of counts, and 0 ends the properties. "
            "In cl_ext_device_fission, CL_PARTITION_BY_COUNTS_LIST_END_EXT ends the list of counts."
        ),
        lambda _asked, request, _device: request.scheme == counts,
        counts,
    )
    made(
        f"{counts}/effect/2",
        "Each count creates one sub-device with that number of compute units.",
        lambda _asked, request, _device: request.scheme == counts and len(request.values) > 1,
        counts,
    )
    made(
        "CL_DEVICE_PARTITION_EQUALLY_EXT/effect/3" if suffix else "clCreateSubDevices/effect/11",
        "A device with 16 compute units is partitioned equally into sub-devices of 8 units.",
        lambda _asked, request, device: (
            request.scheme == equally and request.values == (8,) and compute_units_of(device) == EXAMPLE_EQUALLY
        ),
        equally,
    )
    example = (2, 2) if suffix else (3, 1)
    made(
        "CL_DEVICE_PARTITION_BY_COUNTS_EXT/effect/3" if suffix else "clCreateSubDevices/effect/12",
        f"A device with 4 compute units is partitioned into sub-devices of {example[0]} and {example[1]} units.",
        lambda _asked, request, device: (
            request.scheme == counts and request.values == example and compute_units_of(device) == EXAMPLE_COUNTS
        ),
        counts,
    )


def _describe_domain(level: str) -> str:
    return "a NUMA node" if level == "NUMA" else f"a level {level[1:]} data cache"


def _declare_domains(rules: Rules, dialect: Dialect) -> None:
    make, success, scheme = dialect.function, f"{dialect.function}/success", dialect.by_domain
    style = style_query("EXT" if dialect is EXT else "")
    rules.coverage_point(
        f"{scheme}/effect/1",
        INFO,
        (
            "The compute units of a sub-device share the affinity domain. The sub-devices of a partition do not have "
            "more compute units together than their parent."
        ),
        UNITS,
        holds=queries_device(UNITS, is_created_by_scheme(scheme)),
    )
    rules.coverage_point(
        f"{scheme}/effect/2",
        make,
        "The value that follows the scheme is an affinity domain that the document defines.",
        "clCreateSubDevices/CL_INVALID_VALUE/1",
        scheme,
        success,
        holds=lambda asked: requests_any_domain(asked, dialect),
    )
    for number, level in enumerate(ORDER, start=3):
        name = dialect.domains[level]
        rules.coverage_point(
            f"{scheme}/effect/{number}",
            make,
            f"With {name}, the compute units of each sub-device share {_describe_domain(level)}.",
            success,
            scheme,
            holds=requests_partition(dialect, has_requested_domain(dialect, name)),
        )
    rules.coverage_point(
        f"{scheme}/effect/8",
        make,
        f"With {dialect.next_domain}, a partition uses the first of NUMA, L4, L3, L2, and L1 that divides the device.",
        success,
        scheme,
        holds=requests_partition(
            dialect, lambda asked, request, _device: requests_domain(asked, request, dialect, dialect.next_domain)
        ),
    )
    rules.coverage_point(
        f"{scheme}/effect/9",
        INFO,
        "A partition by the next domain uses the first of NUMA, L4, L3, L2, L1 that can partition the device.",
        style,
        holds=queries_device(style, is_created_by_next_domain(dialect)),
    )
    rules.coverage_point(
        "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT/effect/10" if dialect is EXT else "clCreateSubDevices/effect/13",
        make,
        f"With {dialect.next_domain}, a device without NUMA domains is partitioned along its outermost cache.",
        success,
        scheme,
        holds=requests_partition(
            dialect, lambda asked, request, _device: requests_domain(asked, request, dialect, dialect.next_domain)
        ),
    )
