"""A reader keeps the calls of some occurrences of a deviation only, and equal values of lines once."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from clconform.calls.journal import Deviation, FirstObservation, ItemEnd
from clconform.reports.journal_reader import MAX_SEQUENCES_OF_KEY, parse_journal

from . import fabricated_journals

OCCURRENCES = 3 * MAX_SEQUENCES_OF_KEY


def create_journal(lengths: list[int]) -> bytes:
    """Return a journal in which one deviation occurs in as many items, each with this number of calls."""
    lines = fabricated_journals.journal_lines()
    deviation = next(line for line in lines if isinstance(line, Deviation))
    end = next(line for line in lines if isinstance(line, ItemEnd))
    observed = next(line for line in lines if isinstance(line, FirstObservation))
    added: list[object] = []
    for number, length in enumerate(lengths):
        item = f"item-{number}"
        added += [
            replace(observed, item=item),
            replace(observed, item=item),
            replace(deviation, item=item, key="f | g/success | x", sequence=deviation.sequence[:1] * length),
            replace(end, item=item),
        ]
    return b"".join(msgspec.json.encode(line) + b"\n" for line in [*lines[:2], *added])


def test_occurrences_with_the_fewest_calls_keep_them_and_all_are_counted() -> None:
    lengths = [*range(OCCURRENCES, 0, -1), *range(1, OCCURRENCES)]
    found = parse_journal(create_journal(lengths), "j").deviations
    assert len(found) == len(lengths)
    kept = sorted(len(line.sequence) for line in found if line.sequence)
    assert kept[:MAX_SEQUENCES_OF_KEY] == sorted(lengths)[:MAX_SEQUENCES_OF_KEY]
    assert len(kept) < len(lengths)


def test_equal_values_of_observations_are_one_object() -> None:
    first, second, *_ = parse_journal(create_journal([1]), "j").first_seen
    assert first == second
    assert first.call is second.call
    assert first.allowed is second.allowed
