"""Tries altered outcomes of one item's calls on copies of the model, for the requirements that the calls test."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.selftest.outcome_mutation.probes import (
    AlteredOutcome,
    ObjectQuery,
    get_object_query,
    make_altered_outcomes,
)
from clconform.selftest.outcome_mutation.violation import GENERAL_KINDS, RequirementViolation, get_rank, is_general

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from clconform.oracles.engine.judgements import Expectation
    from clconform.selftest.outcome_mutation.probes import OutcomeProbe, ProbedOracle

VIOLATED_BY_HANG = frozenset(
    (
        "clEnqueueWriteSignalAMD/effect/1",
        "clSVMFree/effect/1",
        "clSVMFree/effect/2",
        "clTerminateContextKHR/effect/3",
        "shared-virtual-memory:clSVMFree/1",
    )
)
"""Requirements of the prose that a call violates if it never returns.

They state that a call has no effect, does not wait, or stops waiting.
"""


class AlterationTrial:
    """Tries altered outcomes of one item's calls that test some requirements.

    ``parents``: maps each requirement of the prose to the requirements by which its calls are judged (``get_parents``).
    ``found``: maps each requirement to its best violation.
    """

    def __init__(self, platform: str, item: str, bench: OutcomeProbe, parents: Mapping[str, frozenset[str]]) -> None:
        self._platform, self._item, self._bench, self._prose = platform, item, bench, parents
        self._alone = frozenset(requirement for requirement, others in parents.items() if not others)
        self._wanted: dict[int, set[str]] = {}
        self.found: dict[str, RequirementViolation | None] = {}
        self.errors: list[str] = []

    def begin(self, wanted: Mapping[str, Collection[int]]) -> None:
        """Start a run of the item.

        ``wanted``: for each requirement, the sequence numbers of the outcomes to be altered.
        """
        self._wanted = {}
        for requirement, numbers in wanted.items():
            for number in numbers:
                self._wanted.setdefault(number, set()).add(requirement)

    def __call__(self, oracle: ProbedOracle, expectation: Expectation, outcome: Returned) -> None:
        """Try altered outcomes of one call, until no better violation of any wanted requirement can be found."""
        number, answer = self._bench.number, self._bench.name
        left = {requirement for requirement in self._wanted.get(number, ()) if not self._is_exact(requirement)}
        for name, sort, altered in make_altered_outcomes(oracle, expectation, outcome) if left else ():
            try:
                named = oracle.judge_altered(expectation.call, altered)
            except Exception as error:  # noqa: BLE001 (any exception is reported)
                self.errors.append(f"{self._item} {answer} {name}: {type(error).__name__}: {error}")
                continue
            for requirement in left & named:
                self.keep_best(
                    requirement, RequirementViolation(self._platform, self._item, answer, name, sort, len(named))
                )
            for requirement in left - named if named and sort in GENERAL_KINDS else ():
                answering = self._prose.get(requirement, frozenset()) & named
                if requirement in self._alone or (requirement in VIOLATED_BY_HANG and answering and sort == "never"):
                    instead = min(answering or named)
                    self.keep_best(
                        requirement,
                        RequirementViolation(self._platform, self._item, answer, name, sort, len(named), instead),
                    )
            left = {requirement for requirement in left if not self._is_exact(requirement)}
            if not left:
                return

    def keep_best(self, requirement: str, violation: RequirementViolation) -> None:
        """Keep a violation of a requirement if it is the best so far."""
        before = self.found.get(requirement)
        if before is None or get_rank(requirement, violation) < get_rank(requirement, before):
            self.found[requirement] = violation

    def _is_exact(self, requirement: str) -> bool:
        """Return whether no better violation of a requirement can be found.

        The judge never names a requirement of the prose alone, so any specific violation of it is exact.
        """
        found = self.found.get(requirement)
        if found is None or is_general(requirement, found):
            return found is not None and bool(found.instead)
        return found.named == 1 or requirement in self._prose


class EarlierQueryTrial:
    """Tries altered values of queries made before a call, for requirements that this call tests.

    ``wanted``: the number of the last outcome that tests each requirement. ``found``: maps each requirement to the
    alterations for which the judge names it. ``errors``: exceptions in this project's code.
    """

    def __init__(self, bench: OutcomeProbe, wanted: Mapping[str, Sequence[int]]) -> None:
        self._bench = bench
        self.errors: list[str] = []
        self.wanted = {requirement: numbers[-1] for requirement, numbers in wanted.items()}
        self.found: dict[str, list[AlteredOutcome]] = {}

    def __call__(self, oracle: ProbedOracle, expectation: Expectation, outcome: Returned) -> None:
        """Try the alterations at the last call that tests a requirement."""
        number, call = self._bench.number, expectation.call
        wanted = {requirement for requirement, last in self.wanted.items() if last == number}
        if not wanted:
            return
        own = get_object_query(call)
        for name, key in oracle.get_read_facts(call, outcome):
            query = oracle.model.tables.enumerants.get(key.partition("@")[0])
            told = self._bench.answers.get((name, query.value)) if query is not None else None
            if query is None or told is None or (name, query.value) == own:
                continue
            for words, sort, answer in make_altered_outcomes(oracle, oracle.expect(told.call), told.answer):
                if sort != "value" or not isinstance(answer, Returned):
                    continue
                try:
                    named = oracle.judge_altered(call, outcome, ObjectQuery(told.call, answer))
                except Exception as error:  # noqa: BLE001 (any exception is reported)
                    self.errors.append(f"{number} after {query.name}: {words}: {type(error).__name__}: {error}")
                    continue
                for requirement in wanted & named:
                    self.found.setdefault(requirement, []).append(
                        AlteredOutcome(self._bench.name, words, query.name, name)
                    )
