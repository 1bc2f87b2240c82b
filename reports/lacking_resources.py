"""Finds functions that lack resources in many tests in a row, and processes in which no context can be created.

A single call that lacks resources is not evidence, and not a gap: a large allocation may fail. If a function lacks
resources in one test after another, the driver has lost the resource, and these tests show less than they should.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from clconform.spec_tables.conditions import NO_DEVICE_CODES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clconform.calls.journal import ItemEnd
    from clconform.reports.journal_reader import JournalContents

MIN_SERIES = 5
"""Minimum number of consecutive tests in which a function lacks resources, if it works at all."""
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

    ``calls``: number of calls that the process made before the item. ``lacks``: at least one of these outcomes was a
    lack of resources. ``works``: at least one of them was another outcome. ``succeeds``: at least one of them was a
    success.
    """

    item: ItemEnd
    calls: int
    lacks: bool
    works: bool
    succeeds: bool


OutcomesByFunction: TypeAlias = "Mapping[tuple[str, str], Sequence[TestedFunction]]"
"""Maps process and function to the function's outcomes in the finished items of the process, in their order."""


class Series(NamedTuple):
    """Consecutive items of a process in which a function lacks resources.

    ``is_whole``: the function lacks resources in all items of the run. ``is_last``: no later item of the process uses
    the function.
    """

    function: str
    tests: Sequence[TestedFunction]
    is_whole: bool
    is_last: bool

    def describe(self) -> str:
        """Return the series as text."""
        first, last = self.tests[0], self.tests[-1]
        process = f" in process {first.item.process}" if first.item.process and not self.is_whole else ""
        count = f"{len(self.tests)} test{'' if len(self.tests) == 1 else 's'}"
        if any(tested.works for tested in self.tests):
            return f"calls of {self.function}{process} failed for lack of resources in {count} in a row"
        whole = f"every call of {self.function}{process} failed for lack of resources in {count}"
        if self.is_whole:
            return whole
        if self.is_last:
            return f"after call {first.calls}, {whole}"
        return f"from call {first.calls} to call {last.calls + last.item.calls}, {whole}"


def describe_lack(outcomes: OutcomesByFunction, statuses: Mapping[str, str]) -> str:
    """Return, as text, which functions lacked resources in many tests in a row; empty if none did.

    ``outcomes``: the result of ``group_by_function``. ``statuses``: maps requirements to their statuses.
    """
    found = sorted(_find_series(outcomes), key=lambda series: (-len(series.tests), series.tests[0].calls))
    if not found:
        return ""
    worst = found[0]
    others = sorted({series.function for series in found} - {worst.function})
    also = f", as did those of {_list_names(others)}" if others else ""
    untested = len(_find_untested(chain(*(series.tests for series in found)), statuses))
    count = f"; {untested} requirement{' was' if untested == 1 else 's were'} not tested" if untested else ""
    return f"{worst.describe()}{also}{count}"


def describe_failing_contexts(outcomes: OutcomesByFunction, statuses: Mapping[str, str], processes: int) -> str:
    """Return, as text, in how many worker processes contexts could not be created; empty if there are none.

    Empty also if no process created a context, if the run has a single process, or if only a few contexts failed and
    all requirements of their tests have been tested by others. ``outcomes`` and ``statuses``: as for ``describe_lack``.
    ``processes``: number of processes of the run.
    """
    found: dict[str, list[TestedFunction]] = defaultdict(list)
    for (process, function), tests in outcomes.items():
        if function in CREATE_CONTEXT:
            found[process] += tests
    failing: dict[str, list[TestedFunction]] = {}
    for process, tests in found.items():
        lacking = [tested for tested in tests if tested.lacks]
        never_works = len(tests) >= MIN_OTHER_FAILURES and not any(tested.succeeds for tested in tests)
        if lacking or never_works:
            failing[process] = lacking or tests
    mostly = any(2 * len(tests) >= len(found[process]) for process, tests in failing.items())
    is_contended = len(found) > 1 and any(tested.succeeds for tests in found.values() for tested in tests)
    if not failing or not is_contended or not (mostly or _find_untested(chain(*failing.values()), statuses)):
        return ""
    return f"contexts failed in {len(failing)} of {processes} processes; use -n 1"


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


def _find_series(outcomes: OutcomesByFunction) -> Iterator[Series]:
    by_function: dict[str, list[Sequence[TestedFunction]]] = defaultdict(list)
    for (_, function), of_process in outcomes.items():
        by_function[function].append(of_process)
    for function, processes in by_function.items():
        every = [tested for tests in processes for tested in tests]
        if all(tested.lacks and not tested.works for tested in every):
            least = 1 if function in CREATE_CONTEXT else MIN_TESTS
            if len(every) >= least:
                yield Series(function, every, is_whole=True, is_last=True)
            continue
        for tests in processes:
            longest = max(_split_series(tests), key=len)
            if len(longest) >= MIN_SERIES:
                yield Series(function, longest, is_whole=False, is_last=longest[-1] is tests[-1])


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


def group_by_function(journal: JournalContents) -> OutcomesByFunction:
    """Return the outcomes of each function in the finished items of each process."""
    observed: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for line in journal.first_seen:
        if line.requirement.endswith(SUCCESS_SUFFIX):
            observed[line.item][line.requirement.removesuffix(SUCCESS_SUFFIX)].add(line.observed)
    found: dict[tuple[str, str], list[TestedFunction]] = defaultdict(list)
    calls, lack = defaultdict[str, int](int), set(NO_DEVICE_CODES)
    for item in journal.items.values():
        for function, outcomes in observed.get(item.item, {}).items():
            lacks, works = bool(outcomes & lack), bool(outcomes - lack)
            tested = TestedFunction(item, calls[item.process], lacks, works, "CL_SUCCESS" in outcomes)
            found[item.process, function].append(tested)
        calls[item.process] += item.calls
    return found
