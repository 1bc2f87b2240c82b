"""Finds functions that lack resources in many tests in a row, and processes in which no context can be created.

A single call that lacks resources is not evidence, and not a gap: a large allocation may fail. If every call of a
function lacks resources from some test on, the driver has lost the resource, and the following tests show nothing.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from clconform.spec_tables.conditions import NO_DEVICE_CODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clconform.calls.journal import ItemEnd
    from clconform.reports.journal_reader import JournalContents

MIN_SERIES = 5
"""Minimum number of consecutive tests in which every call of a function lacks resources, if it works in other tests."""
MIN_TESTS = 3
"""Minimum number of tests of a function whose calls lack resources in all tests."""
MIN_OTHER_FAILURES = 3
"""Minimum number of tests of a process in which no context can be created for another reason than resources."""
CREATE_CONTEXT = ("clCreateContext", "clCreateContextFromType")
SUCCESS_SUFFIX = "/success"
UNTESTED = ("inconclusive", "not-covered")
"""The statuses of requirements whose tests ran, and tested nothing."""


class TestedFunction(NamedTuple):
    """The outcomes of a function's valid calls in one item.

    ``calls``: number of calls that the process made before the item. ``lacks``: all these outcomes were a lack of
    resources. ``works``: at least one of them was a success.
    """

    item: ItemEnd
    calls: int
    lacks: bool
    works: bool


class Series(NamedTuple):
    """Consecutive items of a process in which every call of a function lacks resources.

    ``kind``: ``always``, ``to the end`` of the process, or ``between`` items in which the function works.
    """

    function: str
    kind: str
    tests: Sequence[TestedFunction]


def describe_lack(journal: JournalContents, statuses: Mapping[str, str]) -> str:
    """Return, as text, which functions lacked resources in many tests in a row; empty if none did.

    Empty also if all requirements of these tests have been tested by others. ``statuses``: maps requirements to their
    statuses.
    """
    found = sorted(_find_series(journal), key=lambda series: (-len(series.tests), series.tests[0].calls))
    untested = _find_untested(chain(*(series.tests for series in found)), statuses)
    if not untested:
        return ""
    worst = found[0]
    others = sorted({series.function for series in found} - {worst.function})
    first, last = worst.tests[0], worst.tests[-1]
    where = {
        "always": "",
        "to the end": f"after call {first.calls}, ",
        "between": f"from call {first.calls} to call {last.calls + last.item.calls}, ",
    }[worst.kind]
    process = f" in process {first.item.process}" if first.item.process and worst.kind != "always" else ""
    also = f", as did those of {_list_names(others)}" if others else ""
    count = f"{len(untested)} requirement{' was' if len(untested) == 1 else 's were'} not tested"
    return (
        f"{where}every call of {worst.function}{process} failed for lack of resources in "
        f"{len(worst.tests)} test{'' if len(worst.tests) == 1 else 's'}{also}; {count}"
    )


def describe_failing_contexts(journal: JournalContents, statuses: Mapping[str, str]) -> str:
    """Return, as text, in how many worker processes contexts could not be created; empty if there are none.

    Empty also if no process created a context, if the run has a single process, or if only a few contexts failed and
    all requirements of their tests have been tested by others. ``statuses``: as for ``describe_lack``.
    """
    found: dict[str, list[TestedFunction]] = defaultdict(list)
    for (process, function), tests in _group_by_function(journal).items():
        if function in CREATE_CONTEXT:
            found[process] += tests
    failing: dict[str, list[TestedFunction]] = {}
    for process, tests in found.items():
        lacking = [tested for tested in tests if tested.lacks]
        never_works = len(tests) >= MIN_OTHER_FAILURES and not any(tested.works for tested in tests)
        if lacking or never_works:
            failing[process] = lacking or tests
    mostly = any(2 * len(tests) >= len(found[process]) for process, tests in failing.items())
    is_contended = len(found) > 1 and any(tested.works for tests in found.values() for tested in tests)
    if not failing or not is_contended or not (mostly or _find_untested(chain(*failing.values()), statuses)):
        return ""
    every = {item.process for item in journal.items.values()}
    return f"contexts failed in {len(failing)} of {len(every)} processes; use -n 1"


def _find_untested(tests: Iterable[TestedFunction], statuses: Mapping[str, str]) -> set[str]:
    """Return the requirements of these tests that no test has tested."""
    targets = (requirement for tested in tests for requirement in _list_targets(tested.item))
    return {requirement for requirement in targets if statuses.get(requirement) in UNTESTED}


def _list_names(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} other functions"


def _list_targets(item: ItemEnd) -> Iterator[str]:
    """Yield the requirements that an item targets or exercises, without those with conclusive evidence."""
    yield from item.skipped_targets
    yield from item.not_covered
    yield from (requirement for requirement, kinds in item.evidence.items() if "conforms" not in kinds)


def _find_series(journal: JournalContents) -> Iterator[Series]:
    by_function: dict[str, list[Sequence[TestedFunction]]] = defaultdict(list)
    for (_, function), tests in _group_by_function(journal).items():
        by_function[function].append(tests)
    for function, processes in by_function.items():
        if all(tested.lacks for tests in processes for tested in tests):
            least = 1 if function in CREATE_CONTEXT else MIN_TESTS
            every = [tested for tests in processes for tested in tests]
            if len(every) >= least:
                yield Series(function, "always", every)
            continue
        for tests in processes:
            longest = max(_split_series(tests), key=len, default=[])
            if len(longest) >= MIN_SERIES:
                yield Series(function, "to the end" if longest[-1] is tests[-1] else "between", longest)


def _split_series(tests: Sequence[TestedFunction]) -> Iterator[list[TestedFunction]]:
    """Yield the longest runs of consecutive tests that lack resources."""
    series: list[TestedFunction] = []
    for tested in tests:
        if tested.lacks:
            series.append(tested)
            continue
        yield series
        series = []
    yield series


def _group_by_function(journal: JournalContents) -> dict[tuple[str, str], list[TestedFunction]]:
    """Map process and function to the function's outcomes in the finished items of the process, in their order."""
    observed: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for line in journal.first_seen:
        if line.requirement.endswith(SUCCESS_SUFFIX):
            observed[line.item][line.requirement.removesuffix(SUCCESS_SUFFIX)].add(line.observed)
    found: dict[tuple[str, str], list[TestedFunction]] = defaultdict(list)
    calls: dict[str, int] = defaultdict(int)
    for item in journal.items.values():
        for function, outcomes in observed.get(item.item, {}).items():
            lacks, works = outcomes.issubset(NO_DEVICE_CODES), "CL_SUCCESS" in outcomes
            found[item.process, function].append(TestedFunction(item, calls[item.process], lacks, works))
        calls[item.process] += item.calls
    return found
