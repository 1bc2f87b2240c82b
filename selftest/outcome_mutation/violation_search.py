"""Searches a violation of each requirement: run items, and alter the outcomes of calls that test a requirement."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from clconform.harness import BadCall, HarnessError
from clconform.runner.session.errors import UndefinedCallError
from clconform.selftest.outcome_mutation.altered_outcomes import AlterationKind, name_full_flip
from clconform.selftest.outcome_mutation.outcome_trials import AlterationTrial, EarlierQueryTrial
from clconform.selftest.outcome_mutation.probes import (
    ALL_OUTCOMES,
    NO_CALLBACKS,
    RETURNS_IMMEDIATELY,
    AlteredOutcome,
    OutcomeProbe,
    ProbedSession,
    get_named_requirements,
    get_violated_requirements,
)
from clconform.selftest.outcome_mutation.search_ledger import ItemSearch
from clconform.selftest.outcome_mutation.unviolable_requirements import NEVER_VIOLATED
from clconform.selftest.outcome_mutation.violation import GENERAL_KINDS, RequirementViolation, get_parents
from clconform.selftest.trial import run_item

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from clconform.harness import Target
    from clconform.oracles.engine.judgements import Judgement
    from clconform.runner.pytest_plugin.item_collection import SuiteItem
    from clconform.spec_tables import Tables

MAX_REAL_RUNS = 6
"""The maximum number of runs of an item for a requirement, each with an altered value of an earlier query."""


class PlatformSearch:
    """The search on one platform called ``name``."""

    def __init__(self, name: str, target: Target, tables: Tables) -> None:
        """Start a session; HarnessError if the target cannot be tested."""
        self._name, self._target, self._tables, self._bench = name, target, tables, OutcomeProbe()
        self.session = ProbedSession(target, tables, self._bench)
        self._parents = get_parents(self.session.rulebook)
        self._of_sequences: set[str] = set()

    def close(self) -> None:
        """End the session's process."""
        self.session.close()

    def search_item(self, item: SuiteItem, settled: Collection[str], unfound: Collection[str] = ()) -> ItemSearch:
        """Run an item, and run it again with altered outcomes if it tests requirements that are not ``settled``.

        An item is skipped if none of its targets applies to the platform. ``unfound``: requirements without a violation
        so far. For an error condition among them, calls in which it must hold together with others also count. For a
        requirement of the prose, calls that test one of its parent requirements (``get_parents``) also count.
        """
        if item.requirements and all(map(self.session.find_inapplicability, item.requirements)):
            return ItemSearch(frozenset(), {})
        tested = self._find_tested(item)
        left = {requirement: numbers for requirement, numbers in tested.items() if requirement not in settled}
        together = {clause: numbers for clause, numbers in self._bench.required_errors.items() if clause in unfound}
        wrong_reasons = [
            f"{item.name}: {clause} had to hold"
            for clause in sorted(self._bench.required_errors.keys() & NEVER_VIOLATED.keys())
        ]
        beside = self._find_tested_parents(unfound, tested)
        if not left and not together and not beside:
            return ItemSearch(frozenset(tested), {}, tuple(wrong_reasons))
        trying = AlterationTrial(self._name, item.name, self._bench, self._parents)
        self._try_altered(
            item,
            trying,
            {requirement: self._choose_numbers(numbers) for requirement, numbers in (together | left).items()},
        )
        self._try_in_real_runs(item, left, trying)
        self._try_parents(item, left, tested, trying)
        self._try_earlier_queries(item, beside | left, trying)
        found: dict[str, RequirementViolation | None] = dict.fromkeys(left)
        return ItemSearch(frozenset(tested), found | trying.found, (*wrong_reasons, *trying.errors))

    def _find_tested_parents(
        self, unfound: Collection[str], tested: Mapping[str, Sequence[int]]
    ) -> dict[str, Sequence[int]]:
        """Map untested requirements of the prose to the numbers of the outcomes that test one of their parents."""
        return {
            requirement: tested[parent]
            for requirement in unfound
            if requirement not in tested
            for parent in self._parents.get(requirement, ())
            if parent in tested
        }

    def _find_tested(self, item: SuiteItem) -> dict[str, list[int]]:
        """Run an item; map the requirements that its calls test to the numbers of the outcomes."""
        tested: dict[str, list[int]] = {}

        def saw(judgement: Judgement) -> None:
            for requirement in {requirement for requirement, kind in judgement.evidence if kind == "conforms"}:
                tested.setdefault(requirement, []).append(self._bench.number)

        def heard(evidence: Sequence[tuple[str, str]]) -> None:
            self._of_sequences |= {requirement for requirement, kind in evidence if kind == "conforms"}
            tested.update((requirement, [*self._bench.contents]) for requirement in self._of_sequences)

        self._of_sequences = set()
        self._run_observed(item, saw, heard)
        return {requirement: numbers for requirement, numbers in tested.items() if numbers}

    def _try_altered(self, item: SuiteItem, trying: AlterationTrial, wanted: Mapping[str, Collection[int]]) -> None:
        """Run an item, and try altered outcomes for requirements.

        ``wanted``: maps each requirement to the numbers of the outcomes to alter.
        """
        trying.begin(wanted)
        self._bench.on_outcome = trying
        self._run_observed(item)
        self._bench.on_outcome = None

    def _try_in_real_runs(self, item: SuiteItem, left: Mapping[str, Collection[int]], trying: AlterationTrial) -> None:
        """Run an item with alterations that show only in later calls, for requirements without a violation."""
        names = self._bench.names
        places = [AlteredOutcome(names[number], RETURNS_IMMEDIATELY) for number in sorted(self._bench.thread_call_ends)]
        if self._bench.called_back:
            places.append(AlteredOutcome(ALL_OUTCOMES, NO_CALLBACKS))
        if self._of_sequences:
            places += [
                AlteredOutcome(names[number], name_full_flip(name)) for number, name in self._bench.contents.items()
            ]
        for altered in places:
            here = (
                requirement
                for requirement, numbers in left.items()
                if altered.answer in (ALL_OUTCOMES, *(names[number] for number in numbers))
            )
            mine = {requirement for requirement in here if trying.found.get(requirement) is None}
            named = self.run_altered(item, altered) if mine else frozenset()
            for requirement in mine & named:
                sort: AlterationKind = (
                    "callback"
                    if altered.name == NO_CALLBACKS
                    else "contents"
                    if requirement in self._of_sequences
                    else "value"
                )
                trying.keep_best(
                    requirement, RequirementViolation(self._name, item.name, *altered[:2], sort, len(named))
                )

    def _try_parents(
        self,
        item: SuiteItem,
        left: Mapping[str, Sequence[int]],
        tested: Mapping[str, Sequence[int]],
        trying: AlterationTrial,
    ) -> None:
        """Search violations of parent requirements, for requirements without a violation.

        They are searched in the calls that test a requirement, and in later calls.

        ``left``, ``tested``: requirements with the numbers of the outcomes that test them.
        """
        for requirement, numbers in left.items():
            if trying.found.get(requirement) is not None:
                continue
            for parent in sorted(self._parents.get(requirement, ())):
                later = [number for number in tested.get(parent, ()) if number >= numbers[0]]
                read = [number for number in self._bench.contents if number > numbers[0]]
                if any(
                    self._keep_parent_violation(item, requirement, parent, each, trying)
                    for each in (later, read)
                    if each
                ):
                    break

    def _keep_parent_violation(
        self, item: SuiteItem, requirement: str, parent: str, numbers: Sequence[int], trying: AlterationTrial
    ) -> bool:
        """Search a violation of ``parent``, keep it for ``requirement``, and return True.

        Without a violation, or if the violation is of a general kind, return False.
        """
        other = AlterationTrial(self._name, item.name, self._bench, {})
        self._try_altered(item, other, {parent: self._choose_numbers(numbers)})
        found = other.found.get(parent)
        if found is None or found.kind in GENERAL_KINDS:
            return False
        trying.keep_best(requirement, msgspec.structs.replace(found, instead=parent))
        return True

    def _try_earlier_queries(self, item: SuiteItem, left: Mapping[str, Sequence[int]], trying: AlterationTrial) -> None:
        """Search alterations of earlier query values, for requirements without a violation."""
        before = EarlierQueryTrial(
            self._bench,
            {requirement: left[requirement] for requirement in left if trying.found.get(requirement) is None},
        )
        if not before.wanted:
            return
        self._bench.on_outcome = before
        self._run_observed(item)
        self._bench.on_outcome = None
        trying.errors += before.errors
        for requirement, places in before.found.items():
            for altered in places[:MAX_REAL_RUNS]:
                named = self.run_altered(item, altered)
                if requirement in named:
                    found = RequirementViolation(
                        self._name, item.name, *altered[:2], "value", len(named), "", *altered[2:]
                    )
                    trying.keep_best(requirement, found)
                    break

    def _choose_numbers(self, numbers: Sequence[int]) -> set[int]:
        """Return the first number, the last two numbers, and the first number of an outcome with a value."""
        with_value = [number for number in numbers if number in self._bench.valued]
        return {numbers[0], *numbers[-2:], *with_value[:1]}

    def run_altered(self, item: SuiteItem, altered: AlteredOutcome) -> frozenset[str]:
        """Run an item with an altered outcome; return the requirements that its judgements name."""
        if altered.query:
            return self._run_with_altered_query(item, altered)
        named: set[str] = set()
        self._bench.altered = altered
        self._run_observed(
            item,
            lambda judgement: named.update(get_named_requirements(judgement)),
            lambda heard: named.update(get_violated_requirements(heard)),
        )
        self._bench.altered = None
        self.session.process.end()
        return frozenset(named)

    def _run_with_altered_query(self, item: SuiteItem, altered: AlteredOutcome) -> frozenset[str]:
        """Run an item in a new session, with every value of a query altered; return the requirements that are named."""
        named: set[str] = set()
        bench = OutcomeProbe()
        bench.altered = altered
        try:
            session = ProbedSession(self._target, self._tables, bench)
        except HarnessError:
            return frozenset()
        session.set_rulebook(self.session.rulebook)
        bench.begin(lambda judgement: named.update(get_named_requirements(judgement)))
        with suppress(UndefinedCallError, BadCall):
            run_item(item, session)
        session.close()
        return frozenset(named)

    def _run_observed(
        self,
        item: SuiteItem,
        saw: Callable[[Judgement], None] | None = None,
        heard: Callable[[Sequence[tuple[str, str]]], None] | None = None,
    ) -> None:
        self._bench.begin(saw)
        self._bench.on_evidence = heard
        with suppress(UndefinedCallError, BadCall):
            run_item(item, self.session)
        self._bench.on_judgement = self._bench.on_evidence = None
