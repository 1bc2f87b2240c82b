"""Chooses the items of a smoke test from whole runs: ``python -m tests.smoke RESULT... > suites/smoke.txt``.

The results are of runs with ``--tier tables``, one for each driver. The items that are chosen find on each of these
drivers what all items found: a verdict on the same records, and the same deviations. Of those that find the same, the
quickest are taken.
"""

from __future__ import annotations

import heapq
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.reports import JournalError, read_journal
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.suites.conftest import WITHOUT_CASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clconform.reports.journal_reader import JournalContents

VERDICTS = ("conforms", "deviates", "crashes", "hangs")
AT_LEAST = 0.006
"""Seconds that an item takes beside its calls."""
WHILE_HANGING = 0.5
"""Seconds that an item counts for in which a call hangs: where that is known, no longer is waited."""


def found_by(journal: JournalContents) -> dict[str, set[tuple[str, str]]]:
    """Return what each item of a run found: its verdicts on records, and its deviations."""
    found = {
        name: {
            (record, verdict) for record, counts in end.evidence.items() for verdict in VERDICTS if counts.get(verdict)
        }
        for name, end in journal.items.items()
    }
    for deviation in journal.deviations:
        found.setdefault(deviation.item, set()).add(("", deviation.key))
    return found


def costs_of(journal: JournalContents) -> dict[str, float]:
    """Return the share of a run's time that each of its items takes."""
    hanging = {line.item for line in journal.deviations if line.verdict == "hangs"}
    seconds = {
        name: AT_LEAST + (min(end.seconds, WHILE_HANGING) if name in hanging else end.seconds)
        for name, end in journal.items.items()
    }
    whole = sum(seconds.values())
    return {name: each / whole for name, each in seconds.items()}


def chosen(journals: Sequence[JournalContents]) -> set[str]:
    """Return items that together find what all items found in each of these runs, and cost little.

    The item that finds most of what is left for its cost is taken, one after the other; in the end those are dropped
    that later ones have made needless.
    """
    found: dict[str, set[tuple[int, str, str]]] = defaultdict(set)
    cost: dict[str, float] = defaultdict(float)
    for number, journal in enumerate(journals):
        for name, each in found_by(journal).items():
            found[name] |= {(number, *one) for one in each}
        for name, share in costs_of(journal).items():
            cost[name] += share / len(journals)
    left = set().union(*found.values())
    heap = [(-len(each) / cost[name], name) for name, each in found.items() if each and name in cost]
    heapq.heapify(heap)
    taken: set[str] = set()
    while heap:
        _, name = heapq.heappop(heap)
        gain = len(found[name] & left)
        worth = -gain / cost[name]
        if gain and heap and worth > heap[0][0]:
            heapq.heappush(heap, (worth, name))  # others find some of it, too, and were taken meanwhile
        elif gain:
            taken.add(name)
            left -= found[name]
    finders = Counter(each for name in taken for each in found[name])
    for name in sorted(taken, key=lambda name: -cost[name]):
        if all(finders[each] > 1 for each in found[name]):
            finders.subtract(found[name])
            taken.discard(name)
    return taken


def listed(items: Iterable[str], taken: set[str]) -> str:
    """Return the list's text: each test of the items, and below it those of its cases that are taken."""
    tests: dict[str, list[str]] = {}
    for name in sorted(items):
        test, bracket, case = name.partition("[")
        cases = tests.setdefault(test, [])
        if name in taken:
            cases.append(bracket + case or WITHOUT_CASES)
    return "".join(f"{test}\n" + "".join(f"  {case}\n" for case in cases) for test, cases in tests.items())


def summary(journals: Mapping[str, JournalContents], taken: set[str]) -> str:
    """Return how many items are taken, and what share of each run's time they took."""
    lines = [f"{len(taken)} items"]
    for name, journal in journals.items():
        share = sum(cost for item, cost in costs_of(journal).items() if item in taken)
        ran = sum(item in taken and end.outcome != "skipped" for item, end in journal.items.items())
        lines.append(f"{name}: {ran} of {len(journal.items)} items, {share:.0%} of their time")
    return "\n".join(lines)


def main(words: Sequence[str]) -> int:
    """Print the list, and on standard error what it comes to; 2 where a result cannot be read."""
    if not words:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    try:
        journals = {word: read_journal(Path(word) / JOURNAL_FILE) for word in words}
    except JournalError as error:
        sys.stderr.write(f"tests.smoke: {error}\n")
        return 2
    taken = chosen(list(journals.values()))
    every = {name for journal in journals.values() for name in journal.items}
    sys.stdout.write(listed(every, taken))
    sys.stderr.write(f"{summary(journals, taken)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
