"""Faults of an injection campaign that affect a driver's calls, and reasons why other faults cannot."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from clconform.selftest.injection.baseline import (
    ANOTHERS,
    FAILING,
    NO_SUCCESS,
    STALE,
)

from .listed_pairs import list_constant_queries, list_impossible_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.findings.unreachable import UnreachableList
    from clconform.reports.fault_campaign import FaultCampaign, FaultResult
    from clconform.reports.run_result import RunResult

    from .pair_coverage import PairCoverage

CODE_OPERATORS = ("another-error", "success-for-error")
"""Operators that change calls in which the driver returns the fault's code."""
NO_CONDITION = "no clause with its code applies to the driver"
UNREACHABLE = "its code is listed as unreachable"
UNREACHABLE_WITH_FEATURES = "its code is listed as one that no driver with the same features can return for certain"
NEVER_RETURNED = "the driver never returns its code where a clause asks for it"
OPTIONAL_CODE = "its code is asked for where the driver may do something else, and does"
INAPPLICABLE_QUERY = "its query does not apply to the driver"
NEVER_CHANGES = "its query answers the same about an object as long as that lives"
MISSING_FEATURE = "the driver refuses each call of its function, as it may without the feature"
CONSTANT_QUERY = "its query has one answer only on the driver, by the list"
UNCHANGEABLE_BYTES = "its parameter is no memory, or holds nothing that can be changed so"
NO_CALLBACK = "no call makes the driver call its callback"
UNEXPLAINED = "no such call was made"
REASONS_FOR_ALL_DRIVERS = (
    NO_CONDITION,
    UNREACHABLE_WITH_FEATURES,
    MISSING_FEATURE,
    INAPPLICABLE_QUERY,
    NEVER_CHANGES,
    CONSTANT_QUERY,
    UNCHANGEABLE_BYTES,
    NO_CALLBACK,
)
"""Reasons that hold for every conforming driver with the same version and features."""
COUNT_NAME_PART = "_REFERENCE_COUNT"
"""Common part of the names of queries for reference counts."""
UNCHANGEABLE_PLACES = {
    *(("clSetKernelArgSVMPointer", "", operator) for operator in ("flipped", "dropped", "shifted")),
    *(
        (function, "", operator)
        for function in (
            "clEnqueueUnmapMemObject",
            "clEnqueueSVMMap",
            "clEnqueueSVMUnmap",
            "clEnqueueMigrateMemINTEL",
            "clEnqueueMemAdviseINTEL",
        )
        for operator in ("flipped", "dropped", "shifted")
    ),
    ("clCreateSubBuffer", "", "shifted"),
    ("clCreateProgramWithBinary", "", "one-less"),
    ("clGetProgramInfo", "CL_PROGRAM_BINARIES", "wrong-handle"),
}
"""Function, query and operator for places that differ from the impression of the prototype.

These are an address that the function takes as it is, a size whose last bytes are both 0, a status code, which is never
above 0, and pointers to bytes.
"""
CONTEXT_CALLBACKS = {("clCreateContext", "pfn_notify"), ("clCreateContextFromType", "pfn_notify")}
"""Callbacks with which a driver may report errors of a context at any time."""
VALUE_OPERATORS = (STALE, ANOTHERS, "one-less", "one-more", "bit-dropped", "wrong-handle")
"""Operators that cannot change a query with a single value, if a campaign has not applied them."""
CHANGING_QUERIES = {
    "CL_EVENT_COMMAND_EXECUTION_STATUS",
    "CL_KERNEL_LOCAL_MEM_SIZE",
    "CL_MEM_MAP_COUNT",
    "CL_PROGRAM_BINARIES",
    "CL_PROGRAM_BINARY_SIZES",
    "CL_PROGRAM_BINARY_TYPE",
    "CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE",
    "CL_PROGRAM_BUILD_LOG",
    "CL_PROGRAM_BUILD_OPTIONS",
    "CL_PROGRAM_BUILD_STATUS",
    "CL_PROGRAM_KERNEL_NAMES",
    "CL_PROGRAM_NUM_KERNELS",
    "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT",
    "CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT",
    "CL_QUEUE_DEVICE_DEFAULT",
    "CL_QUEUE_PROPERTIES",
}
"""Other queries whose value for an object a call can change: builds, local memory, maps, events, queues.

Values of a device may change spontaneously, and then the fault is applied; calls do not change them.
"""


@dataclass
class FaultCounts:
    """The number of faults in functions that a driver has. ``applied``: the number that affected calls.

    ``unapplied``: maps reasons to the numbers of other faults; only faults with the reason ``UNEXPLAINED`` may affect
    calls. ``unexplained``: maps the names of these faults to the campaign's reason.
    """

    listed: int = 0
    applied: int = 0
    unapplied: Counter[str] = field(default_factory=Counter)
    unexplained: dict[str, str] = field(default_factory=dict)

    @property
    def possible(self) -> int:
        """Return the number of faults that can affect calls on this driver, as far as known."""
        return self.applied + self.unapplied[UNEXPLAINED]

    @property
    def demonstrable(self) -> int:
        """Return the number of faults that a conforming driver with the same features can show."""
        return self.listed - sum(self.unapplied[reason] for reason in REASONS_FOR_ALL_DRIVERS)

    @property
    def demonstrable_share(self) -> float:
        """Return the applied share of the faults that a conforming driver can show, or 1 if there are none."""
        return self.applied / self.demonstrable if self.demonstrable else 1.0

    @property
    def raw_share(self) -> float:
        """Return the applied share of all listed faults, or 1 if there are none."""
        return self.applied / self.listed if self.listed else 1.0

    @property
    def share(self) -> float:
        """Return the applied share of the possible faults, or 1 if there are none."""
        return self.applied / self.possible if self.possible else 1.0


def count_faults(
    campaign: FaultCampaign, found: PairCoverage, results: Sequence[RunResult], listed: UnreachableList
) -> FaultCounts:
    """Count a campaign's faults in the functions of a driver.

    ``found``: the driver's pairs in the selected sections. ``results``: runs on the same driver. A function that no
    fault affects counts as absent.
    """
    told_of = _DriverFacts(results, listed)
    has = {fault.function for fault in campaign.faults if fault.affected_items}
    functions = {function for function, _ in found.applicable}
    told = FaultCounts()
    for fault in campaign.faults:
        if fault.function not in has & functions:
            continue
        told.listed += 1
        if fault.affected_items:
            told.applied += 1
            continue
        why = _find_reason(fault, found, told_of)
        told.unapplied[why] += 1
        if why == UNEXPLAINED:
            told.unexplained[fault.name] = fault.reason
    return told


class _DriverFacts:
    """Facts from the results of one driver: requirements that do not apply, and functions that never succeed.

    ``constant_queries``: the queries that have a single value on the driver, according to the list.
    ``unreachable_with_features``: the pairs that no driver with its features can return, according to the list.
    """

    def __init__(self, results: Sequence[RunResult], listed: UnreachableList) -> None:
        requirements = [requirement for result in results for requirement in result.requirements]
        self.inapplicable_ids = {
            requirement.id for requirement in requirements if requirement.status == "not-applicable"
        } - {requirement.id for requirement in requirements if requirement.status != "not-applicable"}
        of_success = [
            requirement for requirement in requirements if requirement.id == f"{requirement.function}/success"
        ]
        self.unsupported_functions = {requirement.function for requirement in of_success} - {
            requirement.function
            for requirement in of_success
            if requirement.evidence.keys() & {"conforms", "deviates", "weak"}
        }
        self.unreachable_with_features = _intersect([list_impossible_pairs(listed, result) for result in results])
        self.constant_queries = _intersect([list_constant_queries(listed, result) for result in results])


def _intersect(sets: Sequence[set[Any]]) -> set[Any]:
    return set.intersection(*sets) if sets else set()


def _find_reason(fault: FaultResult, found: PairCoverage, driver: _DriverFacts) -> str:
    pair = (fault.function, fault.subject)
    if (fault.function, fault.subject if fault.place == "param_value" else "", fault.operator) in UNCHANGEABLE_PLACES:
        return UNCHANGEABLE_BYTES
    if (fault.function, fault.place) in CONTEXT_CALLBACKS:
        return NO_CALLBACK
    if fault.operator in CODE_OPERATORS:
        if pair not in found.applicable:
            return NO_CONDITION
        if pair in found.unreachable:
            return UNREACHABLE_WITH_FEATURES if pair in driver.unreachable_with_features else UNREACHABLE
        if pair in found.not_observed:
            return NEVER_RETURNED
        return OPTIONAL_CODE if pair in found.optional else UNEXPLAINED
    if fault.reason == NO_SUCCESS and fault.operator not in FAILING and fault.function in driver.unsupported_functions:
        return MISSING_FEATURE
    if fault.subject in driver.inapplicable_ids:
        return INAPPLICABLE_QUERY
    if fault.subject in driver.constant_queries and fault.operator in VALUE_OPERATORS:
        return CONSTANT_QUERY
    changes = fault.subject in CHANGING_QUERIES or COUNT_NAME_PART in fault.subject
    return UNEXPLAINED if changes or fault.operator != STALE else NEVER_CHANGES
