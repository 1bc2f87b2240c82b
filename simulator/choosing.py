"""The choice of a simulated platform among allowed behaviours: the first one, or a random one by a seed."""

from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import NO_CREDIT, OTHER_TYPE
from clconform.oracles.engine.wants import Anything, Bytes, Each, Fresh, OneOf, Such, Terminated
from clconform.oracles.model.devices import Device
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.queries.answering import stable, wanted
from clconform.oracles.queries.plausible import answered, shown
from clconform.oracles.queries.questions import answer_size
from clconform.oracles.recurring.making import counts_references

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.engine.judged_call import RulesAsked
    from clconform.oracles.engine.judgements import Expectation, Held
    from clconform.oracles.engine.wants import Element, Want
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question
    from clconform.simulator.topologies import SimulatedPlatform

RELUCTANCE = (0.0, 0.05, 0.3)
"""The probability, by the seed, that a call fails if it may: frequent failures make long sequences rare."""
SCARCITY = (0.0, 0.0, 0.01)
"""The probability, by the seed, that a call fails for lack of resources."""
CHANGES = 24
"""The maximum number of values that a device reports differently."""
DRAWS = 8
"""The maximum number of values drawn for one query."""


class FirstAllowed:
    """Chooses the first required error, else success with first allowed values; the plan decides optional errors."""

    def __init__(self, plan: SimulatedPlatform) -> None:
        self._plan = plan

    def begin(self) -> None:
        """Begin an example."""

    def begin_call(self, call: Call) -> None:
        """Begin the choices for a call."""
        del call

    def error(self, expectation: Expectation) -> str:
        """Return the code with which a call fails; empty if it succeeds."""
        if expectation.musts:
            return expectation.musts[0].clause.code
        return next((held.clause.code for held in expectation.mays if self._refuses(held)), "")

    def _refuses(self, held: Held) -> bool:
        """Return whether the platform returns an error for an unspecified condition."""
        open_ended = held.interpretation in (*NO_CREDIT, OTHER_TYPE)
        return held.interpretation in self._plan.refuses or (self._plan.strict and not open_ended)

    def values(self, want: Want | None, new_name: Callable[[str], str]) -> list[Element]:
        """Return values that match the expected value; UnknownError if it does not define any.

        ``new_name``: returns the name of a new object of a handle type.
        """
        if isinstance(want, Bytes):
            return [want.content.hex()]
        if isinstance(want, OneOf):
            return list(want.alternatives[0])
        if isinstance(want, (Each, Terminated)):
            return self._first_choice(want, new_name)
        if isinstance(want, Fresh):
            count = want.capacity if want.count is None else min(want.count, want.capacity)
            return [new_name(want.type) for _ in range(count)]
        if isinstance(want, (Anything, Such)):
            return _choice_of(want)
        return []

    def _first_choice(self, want: Each | Terminated, new_name: Callable[[str], str]) -> list[Element]:
        """Return the first choice of the parts that define values: the first one that matches all parts."""
        for part in want.parts:
            for alternative in self._ordered(part.alternatives) if isinstance(part, OneOf) else ():
                if not want.complaints(list(alternative)):
                    return list(alternative)
            try:
                return self.values(part, new_name)
            except UnknownError:
                continue
        return _choice_of(want)

    def _ordered(self, alternatives: Sequence[tuple[Element, ...]]) -> Sequence[tuple[Element, ...]]:
        """Return alternatives in order of preference."""
        return alternatives

    def reused(self, gone: Sequence[str]) -> str:
        """Return the name of a destroyed object that a new one reuses; empty for a new name."""
        del gone
        return ""

    def fact(self, question: Question, rulebook: RulesAsked) -> bool:
        """Decide a query's value independently of its rule, as a fact of the object; return whether it is decided."""
        del question, rulebook
        return False

    def present(self, device: Device, fixed: Collection[str], model: Model, rulebook: RulesAsked) -> None:
        """Change the values that a root device reports, except those of the ``fixed`` queries."""


class AnyAllowed(FirstAllowed):
    """Chooses any allowed behaviour at random: the same calls in the same example always have the same outcomes."""

    def __init__(self, plan: SimulatedPlatform, seed: int) -> None:
        super().__init__(plan)
        self._first = FirstAllowed(plan)
        self._seed = seed
        self._draw = random.Random(str(seed))  # noqa: S311 (a choice of answers, no secret)
        self._reluctance = self._draw.choice(RELUCTANCE)
        self._scarcity = self._draw.choice(SCARCITY)
        self.begin()

    def begin(self) -> None:
        """Begin an example: forget the calls made."""
        self._made: Counter[str] = Counter()

    def begin_call(self, call: Call) -> None:
        """Seed the draws by the call and its number of repetitions, so that removing earlier calls changes nothing."""
        words = f"{call.function} {sorted(call.arguments.items(), key=lambda pair: pair[0])!r}"
        self._made[words] += 1
        self._draw = random.Random(f"{self._seed} {words} {self._made[words]}")  # noqa: S311

    def error(self, expectation: Expectation) -> str:
        """Return any allowed code; if all errors are optional, success is more frequent."""
        codes = sorted({held.clause.code for held in (*expectation.musts, *expectation.mays)})
        if expectation.resources and self._draw.random() < self._scarcity:
            return self._draw.choice(expectation.resources)
        if not codes or (not expectation.musts and self._draw.random() >= self._reluctance):
            return ""
        return self._draw.choice(codes)

    def values(self, want: Want | None, new_name: Callable[[str], str]) -> list[Element]:
        """Return any values that match the expected value; raises the same errors as the base class."""
        if isinstance(want, Bytes):
            drawn = zip(want.content, want.defined, self._draw.randbytes(len(want.content)), strict=True)
            content = bytearray(byte if known else other for byte, known, other in drawn)
            for at, permitted in want.loose:
                content[at : at + permitted.size] = permitted.other(self._draw.getrandbits(64))
            return [content.hex()]
        if isinstance(want, OneOf):
            return list(self._draw.choice(want.alternatives))
        if isinstance(want, (Such, Each)):
            usual = super().values(want, new_name)
            if want.complaints(usual):  # drawn for one part, and a mismatch for another
                usual = self._first.values(want, new_name)
            others = [self._other(usual) for _ in range(DRAWS)]
            if isinstance(want, Such) and want.rises:
                others = [each for each in others if each >= usual]
            return next((each for each in others if each != usual and not want.complaints(each)), usual)
        return super().values(want, new_name)

    def _other(self, usual: list[Element]) -> list[Element]:
        """Return values near the usual ones; handles and texts do not change."""
        return [self._number(each) if isinstance(each, int) else each for each in usual]

    def _number(self, usual: int) -> int:
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

    def _ordered(self, alternatives: Sequence[tuple[Element, ...]]) -> Sequence[tuple[Element, ...]]:
        """Return alternatives in random order."""
        return self._draw.sample(alternatives, len(alternatives))

    def reused(self, gone: Sequence[str]) -> str:
        """Return the name of a destroyed object sometimes, as a driver reuses an address."""
        return self._draw.choice(gone) if gone and self._draw.random() < 0.5 else ""  # noqa: PLR2004 (as often as not)

    def fact(self, question: Question, rulebook: RulesAsked) -> bool:
        """Decide on any allowed value; a value that must not change is kept if it is still allowed."""
        facts, key = question.thing.facts, question.key
        had, known = key in facts, facts.get(key)
        if isinstance(question.thing, Device) and not counts_references(question.query.name):
            return False  # root devices have presented values, and values of sub-devices follow from these
        if question.query.function == "clGetEventProfilingInfo":
            return False  # the profiling timestamps of a command depend on each other
        with suppress(UnknownError):
            if had and stable(question.query.name):
                return not wanted(question, rulebook).complaints(shown(question, known))
            want = wanted(question, rulebook)  # the rule may depend on the previous value
            facts.pop(key, None)
            for fact in self._drawn(question, rulebook, known):
                if not want.complaints(shown(question, fact)):
                    facts[key] = fact
                    if question.query.shape == "array":
                        facts[f"size of {key}"] = answer_size(question)  # returned before the value itself
                    return True
        if had:
            facts[key] = known
        return False

    def _drawn(self, question: Question, rulebook: RulesAsked, known: Fact) -> Iterator[Fact]:
        """Yield candidate values in random order, allowed or not."""
        told = rulebook.answer_to(question)
        query, lookups = question.query, question.model.lookups
        if isinstance(told, OneOf):
            for values in self._draw.sample(told.alternatives, len(told.alternatives)):
                kept = tuple(value for value in values if not isinstance(value, float))
                yield kept if query.shape == "array" or len(kept) != 1 else kept[0]
            return
        if query.shape != "scalar" or lookups.members_of(query.type) != 1 or not lookups.is_number(query.type):
            return
        chosen = told.choice if isinstance(told, (Such, Anything)) else None
        usual = chosen[0] if isinstance(chosen, tuple) and len(chosen) == 1 else known
        yield from self._numbers(question, usual if isinstance(usual, int) else 0)

    def _numbers(self, question: Question, usual: int) -> Iterator[Fact]:
        group = sorted(question.model.tables.values_of_group(question.query.type).values())
        for _ in range(DRAWS):
            yield self._number(usual)
            if group:
                yield sum({value for value in group if self._draw.random() < 0.5})  # noqa: PLR2004
                yield self._draw.choice(group)

    def present(self, device: Device, fixed: Collection[str], model: Model, rulebook: RulesAsked) -> None:
        """Change numeric values of a root device, while all its values stay consistent.

        Values that violate rules according to the plan do not change.
        """
        questions = [each for each in answered(device, model) if stable(each.query.name)]
        self._draw = random.Random(f"{self._seed} {device.name}")  # noqa: S311
        by_plan = {each.key for each in questions if _complains(each, rulebook)}
        others = [each for each in questions if each.key not in by_plan]
        numbers = [each for each in others if each.key not in fixed and isinstance(device.facts[each.key], int)]
        for each in self._draw.sample(numbers, min(CHANGES, len(numbers))):
            usual = device.facts[each.key]
            for fact in self._drawn(each, rulebook, usual):
                device.facts[each.key] = fact
                if fact != usual and not _complains(each, rulebook):
                    break
            if any(_complains(one, rulebook) for one in others):
                device.facts[each.key] = usual


def _complains(question: Question, rulebook: RulesAsked) -> bool:
    """Return whether a fact violates its rule given all others; a fact that only depends on itself does not."""
    facts, key = question.thing.facts, question.key
    fact = facts.pop(key)
    try:
        return bool(wanted(question, rulebook).complaints(shown(question, fact)))
    except UnknownError:
        return False
    finally:
        facts[key] = fact


def _choice_of(want: Anything | Such | Each | Terminated) -> list[Element]:
    if want.choice is None:
        raise UnknownError("no rule gives an answer")
    return [want.choice] if isinstance(want.choice, str) else list(want.choice)
