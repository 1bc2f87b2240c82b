"""The results of fault injection: the document of ``clconform inject``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, TypeVar, get_args

import msgspec

from clconform.reports.call_formatting import natural_sort_key
from clconform.reports.json_documents import read_document

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

FORMAT = 3
TITLE = "Output of clconform inject"
FaultStatus = Literal["found", "equivalent", "survived", "not-tried", "not-applied"]
Key = TypeVar("Key", str, tuple[str, str])
STATUSES: tuple[FaultStatus, ...] = get_args(FaultStatus)


class FaultResult(msgspec.Struct, frozen=True):
    """The result of one fault.

    ``name``: unique, composed of its ``operator``, ``function``, ``place`` (a parameter, or ``result``), ``subject``
    (an error code, a query, a position) and ``turn`` (which matching call is affected; 0: each). ``reason``: the item
    that detected it and how, the rule, or the tests run. ``applied``: number of calls affected. ``items``: number of
    items run with it, out of those that it would affect (``reached``). A fault that is not tried would affect calls,
    but no item was run with it.
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
    """Some of the faults: of an operator, or of a chapter. ``statuses`` holds every status.

    ``share_found``: relative to faults that were applied and are not equivalent. ``share_equivalent``: relative to
    faults that were applied. None if there are none. ``description``: the effect of the operator.
    """

    name: str
    faults: int
    statuses: dict[str, int]
    share_found: float | None
    share_equivalent: float | None
    description: str = ""


class FaultCampaign(msgspec.Struct, frozen=True):
    """A campaign; ``target``: the options that name the driver, as in a result's ``run``."""

    target: list[str]
    summary: FaultGroup
    operators: list[FaultGroup]
    chapters: list[FaultGroup]
    faults: list[FaultResult]
    format: int = FORMAT


def make_campaign(faults: Sequence[FaultResult], target: list[str], words: Mapping[str, str]) -> FaultCampaign:
    """Return the campaign of these faults; ``words``: the description of each operator."""
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
    )


def group_faults(faults: Iterable[FaultResult], key: Callable[[FaultResult], Key]) -> dict[Key, list[FaultResult]]:
    """Return the faults by a key, in their order."""
    members: dict[Key, list[FaultResult]] = {}
    for fault in faults:
        members.setdefault(key(fault), []).append(fault)
    return members


def make_group(name: str, faults: Sequence[FaultResult], words: str = "") -> FaultGroup:
    """Return some faults, counted."""
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
    """Read a campaign from its JSON; ResultError if that fails."""
    return read_document(path, FaultCampaign, FORMAT, "file of faults", "clconform inject --json")
