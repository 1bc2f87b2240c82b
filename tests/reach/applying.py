"""Which faults of an injection campaign affect a driver's calls, and why the others of its functions cannot."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports.campaign import Campaign, FaultResult
    from clconform.reports.result import Result

    from .reached import Reached

RETURNED_CODE = ("another-error", "success-for-error")
"""Operators that change calls in which the driver returns the code that the fault is about."""
NO_CLAUSE = "no clause with its code applies to the driver"
UNREACHABLE = "its code is listed as unreachable"
NEVER_RETURNED = "the driver never returns its code where a clause asks for it"
NO_QUERY = "its query does not apply to the driver"
NEVER_CHANGES = "its query answers the same about an object as long as that lives"
NOTHING_KNOWN = "no such call was made"
STALE, COUNT = "answer-of-before", "_REFERENCE_COUNT"
"""The operator that gives an earlier answer about the same object, and how queries of counts end."""
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
"""The other queries whose answer about an object a call can change: of builds, local memory, maps, events, queues.

Queries about devices are left out: some of their drivers' answers change by themselves.
"""


@dataclass
class Applying:
    """The faults in functions that a driver has. ``applied``: how many of them affected calls.

    ``others``: the number of those that did not, by reason; those with any reason but ``NOTHING_KNOWN`` cannot.
    """

    listed: int = 0
    applied: int = 0
    others: Counter[str] = field(default_factory=Counter)

    @property
    def possible(self) -> int:
        """Return how many faults can affect calls on this driver, as far as is known."""
        return self.applied + self.others[NOTHING_KNOWN]

    @property
    def raw_share(self) -> float:
        """Return the share applied of all listed faults, 1 where there is none."""
        return self.applied / self.listed if self.listed else 1.0

    @property
    def share(self) -> float:
        """Return the share applied of those that can be, 1 where there is none."""
        return self.applied / self.possible if self.possible else 1.0


def applying(campaign: Campaign, found: Reached, results: Sequence[Result]) -> Applying:
    """Count a campaign's faults in the functions of a driver; ``found``: its pairs, of the sections that count.

    ``results``: runs on the same driver. A function that no fault affects is taken as absent.
    """
    has = {fault.function for fault in campaign.faults if fault.reached}
    functions = {function for function, _ in found.applicable}
    absent = {record.id for result in results for record in result.records if record.status == "not-applicable"} - {
        record.id for result in results for record in result.records if record.status != "not-applicable"
    }
    told = Applying()
    for fault in campaign.faults:
        if fault.function not in has & functions:
            continue
        told.listed += 1
        if fault.reached:
            told.applied += 1
        else:
            told.others[_why(fault, found, absent)] += 1
    return told


def _why(fault: FaultResult, found: Reached, absent: set[str]) -> str:
    pair = (fault.function, fault.subject)
    if fault.operator in RETURNED_CODE:
        if pair not in found.applicable:
            return NO_CLAUSE
        if pair in found.unreachable:
            return UNREACHABLE
        return NEVER_RETURNED if pair in found.refused else NOTHING_KNOWN
    if fault.subject in absent:
        return NO_QUERY
    changes = fault.subject in CHANGING or fault.subject.endswith(COUNT) or fault.subject.startswith("CL_DEVICE")
    return NOTHING_KNOWN if changes or fault.operator != STALE else NEVER_CHANGES
