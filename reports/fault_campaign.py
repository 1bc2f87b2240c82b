"""Defines the results of fault injection, which ``clconform dev inject`` writes as a document."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

import msgspec

from clconform.reports.call_formatting import natural_sort_key
from clconform.reports.json_documents import read_document
from clconform.reports.measurement import MeasurementHeader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

FORMAT = 3
TITLE = "Output of clconform dev inject"
FaultStatus = Literal["found", "equivalent", "survived", "not-tried", "not-applied"]
Key = TypeVar("Key", str, tuple[str, str])
STATUSES: tuple[FaultStatus, ...] = get_args(FaultStatus)


class FaultResult(msgspec.Struct, frozen=True):
    """The result of one fault.

    ``name``: unique; composed of ``operator``, ``function``, ``place``, ``subject`` and ``occurrence``. ``place``: a
    parameter, or ``result``. ``subject``: an error code, a query or a position. ``occurrence``: which matching call is
    affected; 0: each. ``reason``: the item that detected the fault and how, the rule that applies, or the tests that
    were run. ``affected_calls``: number of calls that the fault changed. ``items``: number of items that were run with
    the fault. ``affected_items``: number of items with calls that the fault would change. A fault with the status
    ``not-tried`` would change calls, but no item was run with it.
    """

    name: str
    operator: str
    function: str
    chapter: str
    status: FaultStatus
    reason: str
    place: str = ""
    subject: str = ""
    occurrence: int = 0
    affected_calls: int = 0
    items: int = 0
    affected_items: int = 0


class FaultGroup(msgspec.Struct, frozen=True):
    """The faults of one operator or one chapter, with the number of faults for each status.

    ``share_found``: the share of detected faults among the faults that changed a call and are not equivalent.
    ``share_equivalent``: the share of equivalent faults among the faults that changed a call. Both are None without
    such faults. ``description``: the effect of the operator.
    """

    name: str
    faults: int
    statuses: dict[str, int]
    share_found: float | None
    share_equivalent: float | None
    description: str = ""


class FaultCampaign(msgspec.Struct, frozen=True):
    """The results of all faults on one driver.

    ``target``: the options that name the driver, as in the ``run`` of a result. ``header``: None in files of earlier
    versions.
    """

    target: list[str]
    summary: FaultGroup
    operators: list[FaultGroup]
    chapters: list[FaultGroup]
    faults: list[FaultResult]
    header: MeasurementHeader | None = None
    format: int = FORMAT


def make_campaign(
    faults: Sequence[FaultResult],
    target: list[str],
    words: Mapping[str, str],
    header: MeasurementHeader | None = None,
) -> FaultCampaign:
    """Return the campaign with these faults; ``words``: maps operators to their descriptions."""
    by_chapter = group_faults(faults, lambda fault: fault.chapter)
    return FaultCampaign(
        target,
        make_group("all", faults),
        [
            make_group(name, those, words[name])
            for name, those in group_faults(faults, lambda fault: fault.operator).items()
        ],
        [make_group(name, by_chapter[name]) for name in sorted(by_chapter, key=natural_sort_key)],
        list(faults),
        header,
    )


def group_faults(faults: Iterable[FaultResult], key: Callable[[FaultResult], Key]) -> dict[Key, list[FaultResult]]:
    """Return the faults grouped by a key.

    Each group has the order of ``faults``.
    """
    members: dict[Key, list[FaultResult]] = {}
    for fault in faults:
        members.setdefault(key(fault), []).append(fault)
    return members


def make_group(name: str, faults: Sequence[FaultResult], words: str = "") -> FaultGroup:
    """Return a group with the counts of these faults."""
    counts = Counter(fault.status for fault in faults)
    telling = counts["found"] + counts["survived"]
    return FaultGroup(
        name,
        len(faults),
        {status: counts[status] for status in STATUSES},
        _share(counts["found"], telling),
        _share(counts["equivalent"], telling + counts["equivalent"]),
        words,
    )


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def load_campaign(path: Path) -> FaultCampaign:
    """Read a campaign from its JSON file; ResultError if that fails."""
    return read_document(path, FaultCampaign, FORMAT, "file of faults", "clconform dev inject --json")
