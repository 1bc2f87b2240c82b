"""The choice of a simulated platform among allowed behaviours: the first one, or a random one by a seed."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.oracles.common.object_creation import is_reference_count
from clconform.oracles.engine.judgements import NO_EVIDENCE, OTHER_TYPE
from clconform.oracles.engine.matchers import (
    AllOf,
    Anything,
    ExpectedBytes,
    NewHandles,
    OneOf,
    Satisfies,
    TerminatedString,
)
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.queries.answering import expect_query_value, is_stable
from clconform.oracles.queries.default_answers import find_answered_queries, output_of_fact
from clconform.oracles.queries.query_request import value_size
from clconform.simulator.features import update_c_features

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.engine.call_context import RuleSource
    from clconform.oracles.engine.judgements import ClauseMatch, Expectation
    from clconform.oracles.engine.matchers import Element, Matcher
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.state import Model
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.simulator.topologies import SimulatedPlatform

OPTIONAL_FAILURE_RATES = (0.0, 0.05, 0.3)
"""Probabilities that a call fails if it may fail; the seed chooses one.

Frequent failures make long sequences rare.
"""
RESOURCE_FAILURE_RATES = (0.0, 0.0, 0.01)
"""Probabilities that a call fails for lack of resources; the seed chooses one."""
MAX_CHANGES = 24
"""The maximum number of values that a device reports differently."""
MAX_DRAWS = 8
"""The maximum number of random choices of numbers for one query."""


class FirstAllowedPolicy:
    """Chooses the first required error, or else success with the first allowed values.

    The plan of the platform decides whether an optional error is returned.
    """

    def __init__(self, plan: SimulatedPlatform) -> None:
        self._plan = plan

    def begin_example(self) -> None:
        """Begin an example; this policy does not depend on the example."""

    def begin_call(self, call: Call) -> None:
        """Prepare the choices for a call that is about to be made; this policy does not depend on earlier calls."""
        del call

    def choose_error(self, expectation: Expectation) -> str:
        """Return the code with which a call fails; empty if it succeeds."""
        if expectation.required_errors:
            return expectation.required_errors[0].clause.code
        return next((held.clause.code for held in expectation.optional_errors if self._rejects(held)), "")

    def _rejects(self, held: ClauseMatch) -> bool:
        """Return whether the platform returns an error for an unspecified condition."""
        open_ended = held.interpretation in (*NO_EVIDENCE, OTHER_TYPE)
        return held.interpretation in self._plan.rejects_by or (self._plan.strict and not open_ended)

    def choose_values(self, want: Matcher | None, new_name: Callable[[str], str]) -> list[Element]:
        """Return values that match the expected value; UnknownFactError if it does not define any.

        ``new_name``: returns the name of a new object of a handle type.
        """
        if isinstance(want, ExpectedBytes):
            return [want.content.hex()]
        if isinstance(want, OneOf):
            return list(want.alternatives[0])
        if isinstance(want, (AllOf, TerminatedString)):
            return self._first_choice(want, new_name)
        if isinstance(want, NewHandles):
            count = want.capacity if want.count is None else min(want.count, want.capacity)
            return [new_name(want.type) for _ in range(count)]
        if isinstance(want, (Anything, Satisfies)):
            return _default_choice(want)
        return []

    def _first_choice(self, want: AllOf | TerminatedString, new_name: Callable[[str], str]) -> list[Element]:
        """Return values of the first part of an expected value that defines values.

        An alternative of a part is chosen only if it matches all parts.
        """
        for part in want.matchers:
            for alternative in self._order_alternatives(part.alternatives) if isinstance(part, OneOf) else ():
                if not want.mismatches(list(alternative)):
                    return list(alternative)
            try:
                return self.choose_values(part, new_name)
            except UnknownFactError:
                continue
        return _default_choice(want)

    def _order_alternatives(self, alternatives: Sequence[tuple[Element, ...]]) -> Sequence[tuple[Element, ...]]:
        """Return alternatives in order of preference."""
        return alternatives

    def choose_reused_name(self, gone: Sequence[str]) -> str:
        """Return an empty string: new objects do not reuse the names of destroyed objects, which are in ``gone``."""
        del gone
        return ""

    def decide_value(self, question: QueryRequest, rulebook: RuleSource) -> bool:
        """Return False: this policy does not decide values independently of the rule for a query.

        A policy that does stores the value as a fact of the object, and returns True.
        """
        del question, rulebook
        return False

    def vary_device_values(self, device: Device, fixed: Collection[str], model: Model, rulebook: RuleSource) -> None:
        """Do nothing.

        Other policies may change the reported values of a root device. ``fixed``: keys of facts that they must not
        change.
        """


class RandomPolicy(FirstAllowedPolicy):
    """Chooses any allowed behaviour at random: the same calls in the same example always have the same outcomes."""

    def __init__(self, plan: SimulatedPlatform, seed: int) -> None:
        super().__init__(plan)
        self._first = FirstAllowedPolicy(plan)
        self._seed = seed
        self._draw = random.Random(str(seed))  # noqa: S311 (a choice of answers, no secret)
        self._reluctance = self._draw.choice(OPTIONAL_FAILURE_RATES)
        self._scarcity = self._draw.choice(RESOURCE_FAILURE_RATES)
        self.begin_example()

    def begin_example(self) -> None:
        """Begin an example: forget the calls of the previous example."""
        self._made: Counter[str] = Counter()

    def begin_call(self, call: Call) -> None:
        """Seed the random choices by the call and the number of its repetitions, independently of all other calls."""
        words = f"{call.function} {sorted(call.arguments.items(), key=lambda pair: pair[0])!r}"
        self._made[words] += 1
        self._draw = random.Random(f"{self._seed} {words} {self._made[words]}")  # noqa: S311

    def choose_error(self, expectation: Expectation) -> str:
        """Return any allowed code; if all errors are optional, success is more frequent."""
        codes = sorted({held.clause.code for held in (*expectation.required_errors, *expectation.optional_errors)})
        if expectation.resource_codes and self._draw.random() < self._scarcity:
            return self._draw.choice(expectation.resource_codes)
        if not codes or (not expectation.required_errors and self._draw.random() >= self._reluctance):
            return ""
        return self._draw.choice(codes)

    def choose_values(self, want: Matcher | None, new_name: Callable[[str], str]) -> list[Element]:
        """Return any values that match the expected value; UnknownFactError if it does not define any."""
        if isinstance(want, ExpectedBytes):
            drawn = zip(want.content, want.defined, self._draw.randbytes(len(want.content)), strict=True)
            content = bytearray(byte if known else other for byte, known, other in drawn)
            for at, permitted in want.tolerances:
                content[at : at + permitted.size] = permitted.choose(self._draw.getrandbits(64))
            return [content.hex()]
        if isinstance(want, OneOf):
            return list(self._draw.choice(want.alternatives))
        if isinstance(want, (Satisfies, AllOf)):
            usual = super().choose_values(want, new_name)
            if want.mismatches(usual):  # chosen for one part of the expected value, and a mismatch for another part
                usual = self._first.choose_values(want, new_name)
            others = [self._draw_near_values(usual) for _ in range(MAX_DRAWS)]
            if isinstance(want, Satisfies) and want.is_minimum:
                others = [each for each in others if each >= usual]
            return next((each for each in others if each != usual and not want.mismatches(each)), usual)
        return super().choose_values(want, new_name)

    def _draw_near_values(self, usual: list[Element]) -> list[Element]:
        """Return values near the usual ones; handles and texts do not change."""
        return [self._draw_near_number(each) if isinstance(each, int) else each for each in usual]

    def _draw_near_number(self, usual: int) -> int:
        draw = self._draw
        near = (
            usual + 1,
            usual - 1,
            2 * usual,
            4 * usual,
            usual | 1 << draw.randrange(20),
            usual & draw.getrandbits(64),
        )
        return max(0, draw.choice((*near, 0, 1, usual + draw.randrange(1, 1000))))

    def _order_alternatives(self, alternatives: Sequence[tuple[Element, ...]]) -> Sequence[tuple[Element, ...]]:
        """Return alternatives in random order."""
        return self._draw.sample(alternatives, len(alternatives))

    def choose_reused_name(self, gone: Sequence[str]) -> str:
        """Return, in half of all cases, the name of a destroyed object, as a driver reuses an address."""
        return self._draw.choice(gone) if gone and self._draw.random() < 0.5 else ""  # noqa: PLR2004 (as often as not)

    def decide_value(self, question: QueryRequest, rulebook: RuleSource) -> bool:
        """Choose any allowed value; a value that must not change stays the same if it is still allowed."""
        facts, key = question.subject.facts, question.fact_key
        had, known = key in facts, facts.get(key)
        if isinstance(question.subject, Device) and not is_reference_count(question.query.name):
            return False  # root devices have presented values, and values of sub-devices follow from these
        if question.query.function == "clGetEventProfilingInfo":
            return False  # the profiling timestamps of a command depend on each other
        with suppress(UnknownFactError):
            if had and is_stable(question.query.name):
                return not expect_query_value(question, rulebook).mismatches(output_of_fact(question, known))
            want = expect_query_value(question, rulebook)  # the rule may depend on the previous value
            facts.pop(key, None)
            for fact in self._draw_facts(question, rulebook, known):
                if not want.mismatches(output_of_fact(question, fact)):
                    facts[key] = fact
                    if question.query.shape == "array":
                        facts[f"size of {key}"] = value_size(question)  # returned before the value itself
                    return True
        if had:
            facts[key] = known
        return False

    def _draw_facts(self, question: QueryRequest, rulebook: RuleSource, known: Fact) -> Iterator[Fact]:
        """Yield candidate values for a fact in random order, whether allowed or not."""
        told = rulebook.expected_value(question)
        query, lookups = question.query, question.model.lookups
        if isinstance(told, OneOf):
            for values in self._draw.sample(told.alternatives, len(told.alternatives)):
                kept = tuple(value for value in values if not isinstance(value, float))
                yield kept if query.shape == "array" or len(kept) != 1 else kept[0]
            return
        if query.shape != "scalar" or lookups.count_members(query.type) != 1 or not lookups.is_number(query.type):
            return
        chosen = told.example if isinstance(told, (Satisfies, Anything)) else None
        usual = chosen[0] if isinstance(chosen, tuple) and len(chosen) == 1 else known
        yield from self._draw_numbers(question, usual if isinstance(usual, int) else 0)

    def _draw_numbers(self, question: QueryRequest, usual: int) -> Iterator[Fact]:
        group = sorted(question.model.tables.values_of_group(question.query.type).values())
        for _ in range(MAX_DRAWS):
            yield self._draw_near_number(usual)
            if group:
                yield sum({value for value in group if self._draw.random() < 0.5})  # noqa: PLR2004
                yield self._draw.choice(group)

    def vary_device_values(self, device: Device, fixed: Collection[str], model: Model, rulebook: RuleSource) -> None:
        """Change numeric values of a root device, while all its values stay consistent.

        ``fixed``: keys of facts that do not change. Values that already violate a rule do not change either, and no
        other rule is violated afterwards.
        """
        questions = [each for each in find_answered_queries(device, model) if is_stable(each.query.name)]
        self._draw = random.Random(f"{self._seed} {device.name}")  # noqa: S311
        by_plan = {each.fact_key for each in questions if _violates_rule(each, rulebook)}
        others = [each for each in questions if each.fact_key not in by_plan]
        numbers = [
            each for each in others if each.fact_key not in fixed and isinstance(device.facts[each.fact_key], int)
        ]
        for each in self._draw.sample(numbers, min(MAX_CHANGES, len(numbers))):
            usual = device.facts[each.fact_key]
            for fact in self._draw_facts(each, rulebook, usual):
                device.facts[each.fact_key] = fact
                update_c_features(device, model)
                if fact != usual and not _violates_rule(each, rulebook):
                    break
            if any(_violates_rule(one, rulebook) for one in others):
                device.facts[each.fact_key] = usual
                update_c_features(device, model)


def _violates_rule(question: QueryRequest, rulebook: RuleSource) -> bool:
    """Return whether a query value violates its rule, given all other values.

    The result is False if the rule needs the value itself.
    """
    facts, key = question.subject.facts, question.fact_key
    fact = facts.pop(key)
    try:
        return bool(expect_query_value(question, rulebook).mismatches(output_of_fact(question, fact)))
    except UnknownFactError:
        return False
    finally:
        facts[key] = fact


def _default_choice(want: Anything | Satisfies | AllOf | TerminatedString) -> list[Element]:
    if want.example is None:
        raise UnknownFactError("no rule gives an answer")
    return [want.example] if isinstance(want.example, str) else list(want.example)
