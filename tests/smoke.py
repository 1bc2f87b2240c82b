"""Chooses the items of a smoke test from whole runs: ``python -m tests.smoke RESULT... > suites/smoke.txt``.

The results are the folders of runs with ``--tier tables``, one for each driver. On each driver, the chosen items find
the same as all items: verdicts on the same requirements, and the same deviations. Among items with equal findings, the
fastest are chosen. If a RESULT is only a ``result.json``, the chosen items find the same deviations.
"""

from __future__ import annotations

import heapq
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.reports import JournalError, ResultError, load_result, read_journal
from clconform.runner.journal.writer import JOURNAL_FILE
from clconform.suites.conftest import WITHOUT_CASES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from clconform.reports.journal_reader import JournalContents
    from clconform.reports.run_result import RunResult

VERDICTS = ("conforms", "deviates", "crashes", "hangs")
MIN_SECONDS = 0.006
"""Overhead of an item in seconds, excluding its calls."""
MAX_HANG_SECONDS = 0.5
"""Maximum seconds counted for an item with a hang, because a known hang is not waited for any longer."""


def findings_by_item(journal: JournalContents) -> dict[str, set[tuple[str, str]]]:
    """Return the findings of each item of a run: its verdicts on requirements, and its deviations."""
    found = {
        name: {
            (requirement, verdict)
            for requirement, counts in end.evidence.items()
            for verdict in VERDICTS
            if counts.get(verdict)
        }
        for name, end in journal.items.items()
    }
    for deviation in journal.deviations:
        found.setdefault(deviation.item, set()).add(("", deviation.key))
    return found


def time_shares(journal: JournalContents) -> dict[str, float]:
    """Return the share of each item in the time of a run."""
    hanging = {line.item for line in journal.deviations if line.verdict == "hangs"}
    seconds = {
        name: MIN_SECONDS + (min(end.seconds, MAX_HANG_SECONDS) if name in hanging else end.seconds)
        for name, end in journal.items.items()
    }
    whole = sum(seconds.values())
    return {name: each / whole for name, each in seconds.items()}


def choose_items(journals: Sequence[JournalContents], results: Sequence[RunResult] = ()) -> set[str]:
    """Return items that together find everything that all items found in these runs, at low cost.

    ``results``: of further runs, of which they find the deviations.

    Greedy: repeatedly take the item with the most new findings for its cost; finally drop items that later ones made
    redundant.
    """
    found, cost = _gather_findings(journals, results)
    left = set().union(*found.values())
    heap = [(-len(each) / cost[name], name) for name, each in found.items() if each and name in cost]
    heapq.heapify(heap)
    taken: set[str] = set()
    while heap:
        _, name = heapq.heappop(heap)
        gain = len(found[name] & left)
        worth = -gain / cost[name]
        if gain and heap and worth > heap[0][0]:
            heapq.heappush(heap, (worth, name))  # items chosen since then have some of its findings
        elif gain:
            taken.add(name)
            left -= found[name]
    finders = Counter(each for name in taken for each in found[name])
    for name in sorted(taken, key=lambda name: -cost[name]):
        if all(finders[each] > 1 for each in found[name]):
            finders.subtract(found[name])
            taken.discard(name)
    return taken


def _gather_findings(
    journals: Sequence[JournalContents], results: Sequence[RunResult]
) -> tuple[dict[str, set[tuple[int, str, str]]], dict[str, float]]:
    """Return the findings of each item in all runs, and its mean share of their time."""
    found: dict[str, set[tuple[int, str, str]]] = defaultdict(set)
    cost: dict[str, float] = defaultdict(float)
    for number, journal in enumerate(journals):
        for name, each in findings_by_item(journal).items():
            found[name] |= {(number, *one) for one in each}
        for name, share in time_shares(journal).items():
            cost[name] += share / len(journals)
    for number, result in enumerate(results, len(journals)):
        for deviation in result.deviations:
            for name in {deviation.item, *deviation.tests} & cost.keys():
                found[name].add((number, "", deviation.key))
    return found, cost


def format_list(items: Iterable[str], taken: set[str]) -> str:
    """Return the text of the list: each test, followed by its chosen cases."""
    tests: dict[str, list[str]] = {}
    for name in sorted(items):
        test, bracket, case = name.partition("[")
        cases = tests.setdefault(test, [])
        if name in taken:
            cases.append(bracket + case or WITHOUT_CASES)
    return "".join(f"{test}\n" + "".join(f"  {case}\n" for case in cases) for test, cases in tests.items())


def format_summary(journals: Mapping[str, JournalContents], taken: set[str]) -> str:
    """Return the number of chosen items, and their share in the time of each run."""
    lines = [f"{len(taken)} items"]
    for name, journal in journals.items():
        share = sum(cost for item, cost in time_shares(journal).items() if item in taken)
        ran = sum(item in taken and end.outcome != "skipped" for item, end in journal.items.items())
        lines.append(f"{name}: {ran} of {len(journal.items)} items, {share:.0%} of their time")
    return "\n".join(lines)


def main(words: Sequence[str]) -> int:
    """Print the list, and a summary on standard error. Return 2 if a result cannot be read."""
    if not words:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    try:
        journals = {word: read_journal(Path(word) / JOURNAL_FILE) for word in words if Path(word).is_dir()}
        results = [load_result(Path(word)) for word in words if word not in journals]
    except (JournalError, ResultError) as error:
        sys.stderr.write(f"tests.smoke: {error}\n")
        return 2
    taken = choose_items(list(journals.values()), results)
    every = {name for journal in journals.values() for name in journal.items}
    sys.stdout.write(format_list(every, taken))
    sys.stderr.write(f"{format_summary(journals, taken)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
