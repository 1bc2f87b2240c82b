"""Reads an earlier run's journal for the items that deviated, so that a quick run runs only these items again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls.journal import ItemEnd
from clconform.reports.escaping import escape_unprintable
from clconform.reports.journal_reader import BrokenLineError, journal_bytes, parse_journal
from clconform.reports.untrusted_files import MalformedError, decode_with

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.calls.journal import RunHeader

ITEM_PREFIX, DEVIATION_PREFIX = b'{"line":"item",', b'{"line":"deviation",'
"""Prefixes of the two kinds of lines that are read; the many lines of other kinds are skipped."""


class LastRun(NamedTuple):
    """An earlier run: its header, and two mappings from items to their deviations.

    ``failed``: items with unexpected deviations, without an end, or with an internal error. ``known``: items with only
    known deviations. Both map each item to the keys of its deviations, and each key to the test values of the
    deviation, which are empty if they are unknown.
    """

    header: RunHeader
    failed: dict[str, dict[str, list[str]]]
    known: dict[str, dict[str, list[str]]]


class _DeviationStart(msgspec.Struct, frozen=True):
    """The fields of a deviation line that ``read_last_run`` reads."""

    item: str
    key: str
    while_confirming: bool = False
    test_value: str = ""


def read_last_run(path: Path) -> LastRun:
    """Read the failed items from the journal at ``path``; JournalError if the file is unreadable."""
    content = journal_bytes(path)
    first, _, rest = content.partition(b"\n")
    header = parse_journal(first + b"\n", str(path)).run
    ends, begun = msgspec.json.Decoder(ItemEnd), msgspec.json.Decoder(_DeviationStart)
    outcomes: dict[str, str] = {}
    found: dict[str, dict[str, list[str]]] = {}
    for number, line in enumerate(rest.split(b"\n")[:-1], start=2):
        try:
            if line.startswith(ITEM_PREFIX):
                end = decode_with(ends, line)
                outcomes[end.item] = end.outcome
            elif line.startswith(DEVIATION_PREFIX):
                seen = decode_with(begun, line)
                if not seen.while_confirming:
                    values = found.setdefault(seen.item, {}).setdefault(seen.key, [])
                    values += [seen.test_value] if seen.test_value else []
        except MalformedError as error:
            raise BrokenLineError(
                f"{escape_unprintable(str(path))}: line {number} is broken: {error}", number
            ) from None
    wrong = {item for item, outcome in outcomes.items() if outcome in ("failed", "error")} | found.keys() - outcomes
    known = {item for item, outcome in outcomes.items() if outcome == "xfailed"}
    return LastRun(header, *({item: found.get(item, {}) for item in sorted(each)} for each in (wrong, known)))
