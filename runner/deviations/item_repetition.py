"""Repeats whole items for deviations that several items have observed, and whose stored calls do not show them again.

Such a deviation may depend on values that the stored calls contain as constants. The items compute these values anew.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

    from clconform.calls.journal import Confirmation, Deviation

MIN_ITEMS = 2
"""The number of items that must have observed a deviation, and the number of them that are repeated."""
MAX_REPEATED_ITEMS = 20
"""Maximum number of items that are repeated in one run."""
WHOLE_ITEMS_NOTE = "the calls alone do not show it again; each of these tests, repeated as a whole, does: {}"


def confirm_by_items(
    deviations: Iterable[Deviation],
    confirmations: Mapping[str, Confirmation],
    repeat: Callable[[str], Collection[str]],
) -> Iterator[Confirmation]:
    """Yield a new confirmation for each flaky deviation that whole items show again.

    ``repeat`` runs one item in a new process, and returns the keys of the deviations that it has observed. A deviation
    is confirmed if every repeated item shows it. A crash or a hang is not confirmed in this way after accepted invalid
    calls, or if its cause is undecided, because a whole item does not show which call is the cause.
    """
    observed: dict[str, Collection[str]] = {}
    for key, lines in _lines_by_key(deviations).items():
        confirmation = confirmations.get(key)
        items = list(dict.fromkeys(line.item for line in lines))
        if confirmation is None or not _is_open(confirmation) or len(items) < MIN_ITEMS:
            continue
        shown = 0
        for item in items[:MIN_ITEMS]:
            if item not in observed and len(observed) < MAX_REPEATED_ITEMS:
                observed[item] = repeat(item)
            if key not in observed.get(item, ()):
                break
            shown += 1
        if shown == MIN_ITEMS:
            verdict, note = lines[0].verdict, WHOLE_ITEMS_NOTE.format(", ".join(items[:MIN_ITEMS]))
            yield replace(confirmation, verdict=verdict, repeated=shown, attempts=shown, full_history=True, note=note)


def _is_open(confirmation: Confirmation) -> bool:
    return confirmation.verdict == "flaky" and not confirmation.known and not confirmation.replaced_by


def _lines_by_key(deviations: Iterable[Deviation]) -> dict[str, list[Deviation]]:
    """Map keys to the observations whose cause a whole item can confirm, in the order of their appearance."""
    found: dict[str, list[Deviation]] = {}
    for line in deviations:
        if not line.while_confirming and not line.undecided and not line.accepted_before:
            found.setdefault(line.key, []).append(line)
    return found
