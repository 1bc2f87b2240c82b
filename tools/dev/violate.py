"""The ``violate`` command: alters outcomes of calls, and reports requirements without a detected violation."""

from __future__ import annotations

import random
import sys
import time
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls import exit_codes
from clconform.harness import Target
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.reports.measurement import MeasurementMonitor
from clconform.reports.untrusted_files import GivenFileError, read_bytes
from clconform.runner.gate.stop_signals import handle_stop_signals
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.selftest.outcome_mutation.results import (
    KINDS,
    RESULTS_PATH,
    SearchResults,
    decode_results,
    encode_results,
    get_kinds,
    load_committed_results,
)
from clconform.selftest.outcome_mutation.search_ledger import Ledger
from clconform.selftest.outcome_mutation.violation_campaign import SearchPlatform, ViolationCampaign
from clconform.spec_tables import load
from clconform.spec_tables.regular_files import write_given_file
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from clconform.selftest.outcome_mutation.violation import RequirementViolation
    from clconform.selftest.outcome_mutation.violation_campaign import ItemTargets

SAVE_INTERVAL = 20.0
"""Minimum seconds between two writes of the output file."""


def search_violations(
    simulated: Sequence[str],
    driver: str,
    requirements: Sequence[str],
    processes: int,
    out: str,
    *,
    every_item: bool,
    repeat: int | None,
    seed: int,
    renew: bool = False,
) -> int:
    """Search for violations on each platform in turn; return the exit code.

    A search continues from the results in the file ``out``. ``repeat``: do not search, but repeat this number of
    violations in the file. ``renew``: repeat all violations in the file, and search again for those that are no longer
    detected.
    """
    prepare_environment()
    targets = {name: Target.simulated(name) for name in simulated}
    if driver:
        targets[driver] = Target.driver(driver)
    if repeat is not None:
        return _repeat_violations(
            _read_earlier(out) if out else load_committed_results(), targets, requirements, processes, repeat, seed
        )
    if renew:
        return _renew(out, processes)
    before = _read_earlier(out)
    ledger = Ledger(before.requirements)
    wanted = {requirement for requirement in load().requirements if _matches(requirement, requirements)}
    if not wanted:
        raise CommandError(f"--requirement {requirements[0]}: no requirement matches; see: clconform tables")
    state = _SearchState(out, before, ledger)
    with handle_stop_signals() as stop:
        try:
            with ViolationCampaign(SUITES, processes) as campaign:
                for name, target in targets.items():
                    if requirements or name not in before.platforms:
                        one = _PlatformSearch(campaign, SearchPlatform(name, target), wanted if requirements else None)
                        one.search(ledger, state, every_item=every_item)
        except KeyboardInterrupt:
            stop.hold_signals()
    state.save()
    code = _print_summary(ledger, wanted)
    return stop.exit_code if stop.signal else code


class _PlatformSearch(NamedTuple):
    """The search on one platform.

    ``wanted``: the requirements to search for, None for all. ``items``: names of items that are used in any case.
    """

    campaign: ViolationCampaign
    place: SearchPlatform
    wanted: set[str] | None
    items: frozenset[str] = frozenset()

    def search(self, ledger: Ledger, state: _SearchState, *, every_item: bool) -> None:
        """Search with all items that are not finished.

        If ``wanted`` is set, use only the items that target these requirements, and those in ``items``.
        """
        whole = self.wanted is None
        done = state.begin(self.place.name, whole=whole)

        def chosen(sketch: ItemTargets) -> bool:
            aimed = self.wanted is None or not self.wanted.isdisjoint(sketch.requirements)
            return sketch.name not in done and (aimed or sketch.name in self.items)

        asked = self.wanted or ()
        self.campaign.search_platform(self.place, ledger, chosen, state.note_items, every_item=every_item, asked=asked)
        state.finish(self.place.name, whole=whole)


class _SearchState:
    """The output file, which is written regularly, and the state of the search on each platform."""

    def __init__(self, out: str, before: SearchResults, ledger: Ledger) -> None:
        self._out, self._ledger = out, ledger
        self._platforms, self._unfinished = list(before.platforms), before.unfinished
        self._done = list(before.done)
        self._errors = list(before.errors)
        self._saved = time.monotonic()
        self._monitor = MeasurementMonitor(sys.argv[1:])

    def without(self, requirements: Iterable[str]) -> Ledger:
        """Return the ledger from which the file is written, without the violations of these requirements."""
        lost = dict.fromkeys(requirements)
        self._ledger = Ledger({**self._ledger.found, **lost})
        return self._ledger

    def begin(self, name: str, *, whole: bool) -> frozenset[str]:
        """Start the search on a platform; return the names of finished items.

        ``whole``: the search is for all requirements.
        """
        if self._unfinished != name or not whole:
            self._unfinished, self._done = name if whole else "", []
        self._ledger.start_platform()
        return frozenset(self._done)

    def note_items(self, names: Iterable[str]) -> None:
        """Note that these items are finished."""
        self._done += names
        found = self._ledger.found
        if sys.stderr.isatty():
            shown = sum(each is not None for each in found.values())
            print_text(
                f"\r\x1b[K{self._unfinished}: {len(self._done)} items, {shown} of {len(found)}", nl=False, err=True
            )
        if time.monotonic() - self._saved > SAVE_INTERVAL:
            self.save()

    def finish(self, name: str, *, whole: bool) -> None:
        """Note that the search on a platform is finished."""
        self._platforms += [name] if whole else []
        self._unfinished, self._done = "", []
        self.save()

    def save(self) -> None:
        """Write the file; CommandError if that fails."""
        self._saved = time.monotonic()
        if not self._out:
            return
        errors = [*self._errors, *self._ledger.errors]
        written = SearchResults(
            header=self._monitor.create_header(),
            platforms=self._platforms,
            unfinished=self._unfinished,
            done=self._done,
            requirements=self._ledger.found,
            errors=errors,
        )
        try:
            write_given_file(Path(self._out), encode_results(written))
        except OSError as error:
            raise CommandError(f"--json {self._out}: cannot write ({error.strerror})") from None


def _read_earlier(out: str) -> SearchResults:
    if not out or _is_missing(Path(out)):
        return SearchResults()
    try:
        return decode_results(read_bytes(Path(out)))
    except (GivenFileError, ValueError) as error:
        raise CommandError(f"--json {out}: not an output of clconform dev violate --json: {error}") from None


def _is_missing(path: Path) -> bool:
    """Return whether a file does not exist.

    A circular link exists but cannot be written.
    """
    try:
        path.stat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False


def _matches(requirement: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatchcase(requirement, pattern) for pattern in patterns)


def _print_summary(ledger: Ledger, wanted: Iterable[str]) -> int:
    """Print the requirements without a detected violation, the internal errors and the counts; return the exit code."""
    found = {requirement: ledger.found[requirement] for requirement in wanted if requirement in ledger.found}
    kinds = Counter(get_kinds(found, found, rulebook_of(load())).values())
    for requirement in sorted(requirement for requirement, violation in found.items() if violation is None):
        print_text(f"no violation detected: {requirement}")
    for error in ledger.errors:
        print_text(f"internal error: {error}")
    sorts = Counter(violation.kind for violation in found.values() if violation is not None)
    print_text(", ".join(f"{sort}: {number}" for sort, number in sorts.most_common()))
    print_text(f"{len(found)} requirements tested: " + ", ".join(f"{kind}: {kinds[kind]}" for kind in KINDS))
    return exit_codes.DEVIATIONS if kinds["not"] or ledger.errors else exit_codes.AS_EXPECTED


def _repeat_violations(
    earlier: SearchResults,
    targets: dict[str, Target],
    requirements: Sequence[str],
    processes: int,
    number: int,
    seed: int,
) -> int:
    """Repeat some violations on the driver, and print those that the judge does not detect; return the exit code."""
    there = {
        requirement: found
        for requirement, found in earlier.requirements.items()
        if found is not None and _matches(requirement, requirements) and (not targets or found.platform in targets)
    }
    drawn = random.Random(seed).sample(sorted(there), min(number, len(there)))  # noqa: S311 (a sample)
    with ViolationCampaign(SUITES, min(processes, len(drawn) or 1)) as campaign:
        missed = _missed(campaign, {requirement: there[requirement] for requirement in drawn}, targets)
    print_text(f"{len(drawn) - len(missed)} of {len(drawn)} violations are found and named")
    return exit_codes.DEVIATIONS if missed else exit_codes.AS_EXPECTED


def _renew(out: str, processes: int) -> int:
    """Repeat every violation in a file, and search for those that are no longer detected; return the exit code."""
    before = _read_earlier(out) if out else load_committed_results()
    there = {requirement: found for requirement, found in before.requirements.items() if found is not None}
    state = _SearchState(out or str(RESULTS_PATH), before, Ledger(before.requirements))
    with ViolationCampaign(SUITES, processes) as campaign:
        missed = _missed(campaign, there, {})
        ledger = state.without(missed)
        for platform, names in _by_platform({requirement: there[requirement] for requirement in missed}):
            items = frozenset(there[requirement].item for requirement in names)
            search = _PlatformSearch(campaign, SearchPlatform(platform, Target.simulated(platform)), set(names), items)
            search.search(ledger, state, every_item=True)
    return _print_summary(ledger, before.requirements)


def _missed(
    campaign: ViolationCampaign, there: dict[str, RequirementViolation], targets: dict[str, Target]
) -> list[str]:
    """Repeat violations; print and return the requirements that the judge no longer names."""
    missed = []
    for platform, names in _by_platform(there):
        place = SearchPlatform(platform, targets.get(platform) or Target.simulated(platform))
        violations = campaign.repeat_violations(place, [there[requirement] for requirement in names])
        for requirement, (violation, named) in zip(names, violations, strict=True):
            if (violation.instead or requirement) not in named:
                missed.append(requirement)
                print_text(f"not named: {requirement}: {violation.item}, {violation.answer}: {violation.wrong}")
    return missed


def _by_platform(found: dict[str, RequirementViolation]) -> Iterator[tuple[str, list[str]]]:
    for platform in dict.fromkeys(violation.platform for violation in found.values()):
        yield platform, [requirement for requirement, violation in found.items() if violation.platform == platform]
