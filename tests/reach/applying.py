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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports.fault_campaign import FaultCampaign, FaultResult
    from clconform.reports.run_result import RunResult

    from .reached import Reached
    from .unreachable import Unreachable

RETURNED_CODE = ("another-error", "success-for-error")
"""Operators that change calls in which the driver returns the fault's code."""
NO_CLAUSE = "no clause with its code applies to the driver"
UNREACHABLE = "its code is listed as unreachable"
UNREACHABLE_BY_ALL = "its code is listed as one that no driver with the same features can return for certain"
NEVER_RETURNED = "the driver never returns its code where a clause asks for it"
OTHERWISE_RIGHT = "its code is asked for where the driver may do something else, and does"
NO_QUERY = "its query does not apply to the driver"
NEVER_CHANGES = "its query answers the same about an object as long as that lives"
NO_FEATURE = "the driver refuses each call of its function, as it may without the feature"
ONE_ANSWER = "its query has one answer only on the driver, by the list"
NO_BYTES = "its parameter is no memory, or holds nothing that can be changed so"
NEVER_CALLS = "no call makes the driver call its callback"
NOTHING_KNOWN = "no such call was made"
SHOWN_BY_NONE = (NO_CLAUSE, UNREACHABLE_BY_ALL, NO_FEATURE, NO_QUERY, NEVER_CHANGES, ONE_ANSWER, NO_BYTES, NEVER_CALLS)
"""Reasons that hold for every conforming driver with the same version and features."""
COUNT = "_REFERENCE_COUNT"
"""Common part of the names of queries for reference counts."""
OTHERWISE = {
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
OF_CONTEXTS = {("clCreateContext", "pfn_notify"), ("clCreateContextFromType", "pfn_notify")}
"""Callbacks with which a driver may report errors of a context at any time."""
OF_ANSWERS = (STALE, ANOTHERS, "one-less", "one-more", "bit-dropped", "wrong-handle")
"""Operators that cannot change a query with a single value, if a campaign has not applied them."""
CHANGING = {
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
class Applying:
    """The faults in functions that a driver has. ``applied``: the number that affected calls.

    ``others``: the number of unapplied faults by reason; only those with the reason ``NOTHING_KNOWN`` may apply.
    ``open``: the names of these faults, each with the campaign's reason.
    """

    listed: int = 0
    applied: int = 0
    others: Counter[str] = field(default_factory=Counter)
    open: dict[str, str] = field(default_factory=dict)

    @property
    def possible(self) -> int:
        """Return the number of faults that can affect calls on this driver, as far as known."""
        return self.applied + self.others[NOTHING_KNOWN]

    @property
    def shown(self) -> int:
        """Return the number of faults that a conforming driver with the same features can show."""
        return self.listed - sum(self.others[reason] for reason in SHOWN_BY_NONE)

    @property
    def shown_share(self) -> float:
        """Return the applied share of the faults that a conforming driver can show; 1 if there are none."""
        return self.applied / self.shown if self.shown else 1.0

    @property
    def raw_share(self) -> float:
        """Return the applied share of all listed faults; 1 if there are none."""
        return self.applied / self.listed if self.listed else 1.0

    @property
    def share(self) -> float:
        """Return the applied share of the possible faults; 1 if there are none."""
        return self.applied / self.possible if self.possible else 1.0


def applying(campaign: FaultCampaign, found: Reached, results: Sequence[RunResult], listed: Unreachable) -> Applying:
    """Count a campaign's faults in the functions of a driver; ``found``: its pairs in the selected sections.

    ``results``: runs on the same driver. A function that no fault affects counts as absent.
    """
    told_of = _Driver(results, listed)
    has = {fault.function for fault in campaign.faults if fault.reached}
    functions = {function for function, _ in found.applicable}
    told = Applying()
    for fault in campaign.faults:
        if fault.function not in has & functions:
            continue
        told.listed += 1
        if fault.reached:
            told.applied += 1
            continue
        why = _why(fault, found, told_of)
        told.others[why] += 1
        if why == NOTHING_KNOWN:
            told.open[fault.name] = fault.reason
    return told


class _Driver:
    """Facts from the results of one driver: requirements that do not apply, and functions that never succeed.

    ``constant``: the queries that have a single value on the driver, according to the list. ``everywhere``: the pairs
    that no driver with its features can return, according to the list.
    """

    def __init__(self, results: Sequence[RunResult], listed: Unreachable) -> None:
        records = [record for result in results for record in result.records]
        self.absent = {record.id for record in records if record.status == "not-applicable"} - {
            record.id for record in records if record.status != "not-applicable"
        }
        of_success = [record for record in records if record.id == f"{record.function}/success"]
        self.refused = {record.function for record in of_success} - {
            record.function for record in of_success if record.evidence.keys() & {"conforms", "deviates", "weak"}
        }
        self.everywhere = _in_all([listed.without_choice(result) for result in results])
        self.constant = _in_all([listed.constant_queries(result) for result in results])


def _in_all(sets: Sequence[set[Any]]) -> set[Any]:
    return set.intersection(*sets) if sets else set()


def _why(fault: FaultResult, found: Reached, driver: _Driver) -> str:
    pair = (fault.function, fault.subject)
    if (fault.function, fault.subject if fault.place == "param_value" else "", fault.operator) in OTHERWISE:
        return NO_BYTES
    if (fault.function, fault.place) in OF_CONTEXTS:
        return NEVER_CALLS
    if fault.operator in RETURNED_CODE:
        if pair not in found.applicable:
            return NO_CLAUSE
        if pair in found.unreachable:
            return UNREACHABLE_BY_ALL if pair in driver.everywhere else UNREACHABLE
        if pair in found.refused:
            return NEVER_RETURNED
        return OTHERWISE_RIGHT if pair in found.allowed else NOTHING_KNOWN
    if fault.reason == NO_SUCCESS and fault.operator not in FAILING and fault.function in driver.refused:
        return NO_FEATURE
    if fault.subject in driver.absent:
        return NO_QUERY
    if fault.subject in driver.constant and fault.operator in OF_ANSWERS:
        return ONE_ANSWER
    changes = fault.subject in CHANGING or COUNT in fault.subject
    return NOTHING_KNOWN if changes or fault.operator != STALE else NEVER_CHANGES
