"""Merges the journals of the parts of a run into one journal, as if one run had executed all items."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.journal import (
    ANOTHER_SHARD,
    DESELECTED,
    CapabilityLine,
    Confirmation,
    Deviation,
    RunEnd,
    Selection,
)
from clconform.reports.status_policy import DEVIATING_STATUSES
from clconform.runner.journal.header import header_differences, platform_differences
from clconform.runner.journal.resuming import RunMismatchError, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from clconform.calls.journal import PlatformLine
    from clconform.calls.line_kinds import JournalLine
    from clconform.reports.journal_reader import ItemLine, JournalContents

SHARDS_MAY_DIFFER = ("shard", "target")
"""Fields that may differ between the first lines of shards; lines about the platform show whether the drivers match."""
PARTS_MAY_DIFFER = (*SHARDS_MAY_DIFFER, "requirements", "paths", "keyword", "markers")
"""Fields that may differ between the first lines of other parts, which may have run different tests."""


def merge_journals(parts: Mapping[str, JournalContents]) -> tuple[list[JournalLine], RunEnd]:
    """Return the lines of the merged journal except the last, and separately the last line.

    RunMismatchError if the parts do not match. ``parts``: maps names for messages to journals. If several parts have
    run the same item, the last part counts, together with the deviations that any part has observed.
    """
    check_parts(parts)
    journals = list(parts.values())
    first = journals[0]
    header = msgspec.structs.replace(
        first.run,
        shard="",
        started=min(journal.run.started for journal in journals),
        **{name: _union_of_selections(name, journals) for name in ("requirements", "paths")},
    )
    lines: list[JournalLine] = [header, _platform_of(next(iter(parts)), first)]
    if first.capabilities:
        lines.append(CapabilityLine(first.capabilities))
    last = {item: number for number, journal in enumerate(journals) for item in journal.items}
    lines.append(_merge_selections(journals, len(last)))
    seen_last = {
        (line.item, line.key)
        for number, journal in enumerate(journals)
        for line in journal.deviations
        if last.get(line.item) == number
    }
    for journal in journals:
        lines += (line for line in journal.deviations if line.item not in journal.items)
    for number, journal in enumerate(journals):
        lines += _item_lines(journal, {item for item in journal.items if last[item] == number}, seen_last)
    lines += _merge_confirmations(journals)
    ends = [journal.end for journal in journals if journal.end]
    interrupted = any(end.interrupted for end in ends)
    lost = next((end.device_lost for end in ends if end.device_lost), "")
    slow = "; ".join(dict.fromkeys(end.throttled for end in ends if end.throttled))
    finished, seconds = max(end.finished for end in ends), sum(end.seconds for end in ends)
    return lines, RunEnd(finished, seconds, interrupted, lost, any(end.internal_error for end in ends), slow)


def check_parts(parts: Mapping[str, JournalContents]) -> None:
    """Raise RunMismatchError if the parts do not belong to one run, or if a part is incomplete."""
    platforms = {name: _platform_of(name, journal) for name, journal in parts.items()}
    first, *others = parts
    may_differ = SHARDS_MAY_DIFFER if parts[first].run.shard else PARTS_MAY_DIFFER
    for name in others:
        found = [
            *header_differences(parts[first].run, parts[name].run, *may_differ),
            *platform_differences(platforms[first], platforms[name]),
        ]
        if found:
            told = "; ".join(
                f"{what}: {format_value(there)} there, {format_value(here)} here" for what, there, here in found
            )
            raise RunMismatchError(f"{name}: not the same run as {first} ({told})")
    _check_shards({name: journal.run.shard for name, journal in parts.items()})
    for place, name in enumerate(others, start=1):
        same = next((other for other in list(parts)[:place] if parts[other] == parts[name]), None)
        if same is not None:
            raise RunMismatchError(f"{name}: same content as {same}; give each part once")


def _check_shards(shards: Mapping[str, str]) -> None:
    if set(shards.values()) == {""}:
        return
    given: dict[str, str] = {}
    for name, shard in shards.items():
        if not shard:
            raise RunMismatchError(f"{name}: not a shard; shards can only be merged with shards")
        if shard in given:
            raise RunMismatchError(f"{name}: shard {shard} is also in {given[shard]}; give each shard once")
        given[shard] = name
    totals = {shard.partition("/")[2] for shard in given}
    if len(totals) > 1:
        raise RunMismatchError(f"shards of different runs: {', '.join(sorted(given))}")
    wanted = [f"{number}/{total}" for total in totals for number in range(1, int(total) + 1)]
    missing = [shard for shard in wanted if shard not in given]
    if missing:
        raise RunMismatchError(f"{len(given)} of {len(wanted)} shards given; missing: {', '.join(missing)}")


def _platform_of(name: str, journal: JournalContents) -> PlatformLine:
    if journal.cut_short or journal.platform is None:
        raise RunMismatchError(f"{name}: this part is incomplete; first run: clconform run --resume {name}")
    return journal.platform


def _union_of_selections(name: str, journals: Sequence[JournalContents]) -> list[str]:
    """Return the union of the header field ``name`` over all parts.

    An empty field means that everything is selected, so the union is empty if the field of any part is empty.
    """
    told: list[list[str]] = [getattr(journal.run, name) for journal in journals]
    return sorted({word for words in told for word in words}) if all(told) else []


def _merge_selections(journals: Sequence[JournalContents], items: int) -> Selection:
    """Return the selection of all parts together, in which a requirement is omitted only if all parts omit it."""
    reasons = {}
    for requirement in sorted({requirement for journal in journals for requirement in journal.not_run}):
        found = [journal.not_run.get(requirement) for journal in journals]
        own = [why for why in found if why not in (None, DESELECTED, ANOTHER_SHARD)]
        if own or None not in found:
            reasons[requirement] = str(own[0] if own else DESELECTED if DESELECTED in found else ANOTHER_SHARD)
    planned = sum(journal.planned - len(journal.items) for journal in journals) + items
    return Selection(planned, reasons, sum(journal.unreached for journal in journals))


def _item_lines(journal: JournalContents, counting: set[str], seen_last: set[tuple[str, str]]) -> Iterator[JournalLine]:
    """Yield the lines of the items in ``counting``, and further deviations of all other items.

    The lines of each item stay together and end with its last line, which for other items is that of a later part.
    ``seen_last``: the items and keys of the deviations that the later parts have observed again.
    """
    of_item: dict[str, list[ItemLine]] = defaultdict(list)
    every: list[ItemLine] = [
        *journal.first_seen,
        *journal.deviations,
        *journal.killed,
        *journal.notes,
        *journal.extra_lines,
    ]
    for line in every:
        of_item[line.item].append(line)
    for item, end in journal.items.items():
        if item in counting:
            yield from of_item[item]
            yield end
        else:
            deviations = (line for line in of_item[item] if isinstance(line, Deviation))
            yield from (line for line in deviations if (line.item, line.key) not in seen_last)


def _merge_confirmations(journals: Sequence[JournalContents]) -> list[Confirmation]:
    """Return one confirmation per key: the worst verdict, and among equal verdicts the shortest sequence.

    ``unconfirmed`` and ``flaky`` count least, because another part has reproduced the deviation. The confirmation of a
    known deviation that was not repeated counts only if the key has no other confirmation.
    """
    best: dict[str, Confirmation] = {}
    for journal in journals:
        for key, confirmation in journal.confirmations.items():
            if key not in best or _confirmation_rank(confirmation) < _confirmation_rank(best[key]):
                best[key] = confirmation
    return list(best.values())


def _confirmation_rank(confirmation: Confirmation) -> tuple[bool, int, int]:
    return confirmation.known, DEVIATING_STATUSES.index(confirmation.verdict), len(confirmation.sequence)
