"""Finds the parts of the oracle that judge a requirement, or the reason why there are none."""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.engine.rules import Answered
from clconform.oracles.engine.success import is_command, success_of
from clconform.oracles.queries.answering import answer_of_a_query
from clconform.oracles.queries.constraints import constraints
from clconform.oracles.queries.limits import within
from clconform.runner.journal.applicability import NEVER_SENT, NOTHING_SCARCE
from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.spec_tables.records import (
    Effect,
    ErrorClause,
    Flag,
    Limit,
    OptionalBehaviour,
    PartitionScheme,
    Query,
    Success,
    UsageRule,
)
from clconform.tools.explain.explanation import Rule
from clconform.tools.explain.resting import NO_PREDICATE, interpretations_of, strings_below
from clconform.tools.explain.sources import ROOT, Naming, place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.oracles.engine.rules import Trigger
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Record
    from clconform.tools.explain.explanation import Judged, Place, Role

    Ruling = Callable[..., object]

NOBODY = "no rule: no call is evidence for or against it, so it is shown as not covered"
NO_RULE = (
    "no rule evaluates its condition, so its code is always allowed: a call that returns it never deviates, and "
    "the requirement is shown as not covered"
)
NO_PROMISE = (
    "no rule has its postconditions, so only errors that no condition allows are evidence against it, and nothing "
    "is evidence for it"
)
OF_ANSWERS = "a possible query result: judged with the queries that return it, not separately"


class Judging(NamedTuple):
    """How a requirement is judged. ``interpretations``: those that it depends on, each with the place that names it."""

    judged: Judged
    reason: str
    rules: list[Rule]
    interpretations: Mapping[str, Place | None]


class Judges:
    """The rules for the requirements of one set of tables."""

    def __init__(self, tables: Tables, rulebook: Rulebook) -> None:
        self._tables, self._book = tables, rulebook
        queries = [record for record in tables.records.values() if isinstance(record, Query)]
        self._queries = {query.name for query in queries}
        self._answers = {query.type for query in queries}
        self._triggers: dict[str, list[tuple[str, Trigger]]] = {}
        for (record, function), trigger in rulebook.rules.triggers.known.items():
            self._triggers.setdefault(record, []).append((function, trigger))

    def of(self, record: Record) -> Judging:
        """Return how a requirement is judged."""
        found = list(self._rulings(record))
        rules = [rule for rule, _ in found]
        interpretations = interpretations_of(ruling for _, ruling in found if ruling is not None)
        reason = self._untestable(record)
        if isinstance(record, ErrorClause) and not rules and not reason:
            return Judging("no-rule", NO_RULE, [], {NO_PREDICATE: None})
        if not rules or all(rule.role == "trigger" for rule in rules):
            rules += [Rule("named-in", place) for place in self._naming(record)]
        if reason:
            return Judging("untestable", reason, rules, interpretations)
        if rules:
            return Judging("by-rules", "", rules, interpretations)
        if isinstance(record, Flag) and record.type in self._answers:
            return Judging("no-rule", OF_ANSWERS, [], {})
        return Judging("no-rule", NO_PROMISE if isinstance(record, Success) else NOBODY, [], {})

    def _untestable(self, record: Record) -> str:
        if isinstance(record, ErrorClause) and record.condition.kind in ABOUT_RESOURCES:
            return NOTHING_SCARCE
        return NEVER_SENT if isinstance(record, UsageRule) else self._book.untestable.get(record.id, "")

    def _rulings(self, record: Record) -> Iterator[tuple[Rule, Ruling | None]]:
        """Yield the rules, each with the function whose source may name interpretations."""
        if isinstance(record, (ErrorClause, UsageRule)):
            yield from self._predicate(record)
        elif isinstance(record, (Success, PartitionScheme)):
            yield from self._promise(record.function)
        elif isinstance(record, Query):
            yield from self._answer(record)
        elif isinstance(record, Limit):
            yield _rule("limit", within), None
        elif isinstance(record, (Effect, OptionalBehaviour)):
            yield from self._between(record)
        for function, trigger in self._triggers.get(record.id, ()):
            test = trigger.holds.holds if isinstance(trigger.holds, Answered) else trigger.holds
            checked = self._book.check_of(record.id)
            yield Rule("trigger", place_of(test), checked, function, list(trigger.parents)), None

    def _predicate(self, record: ErrorClause | UsageRule) -> Iterator[tuple[Rule, Ruling]]:
        written = self._book.written.get(record.id)
        if written is not None:
            yield _rule("predicate", written), written
        elif isinstance(record, ErrorClause):
            builder = self._book.builder_of(record)
            if builder is not None:
                yield _rule("builder", builder), builder

    def _promise(self, function: str) -> Iterator[tuple[Rule, Ruling | None]]:
        own = self._book.promiser_of(function)
        if own is not None:
            yield _rule("promise", own, function), own
        known = self._tables.functions.get(function)
        if known is not None and own is None and known.queries:
            yield _rule("promise", answer_of_a_query, function), None
        elif known is not None and is_command(known):
            words = "" if own is not None else "only the command's event and its order; no effect of its own"
            yield Rule("promise", place_of(success_of), words, function), None
        effect = self._book.rules.effects.known.get(function)
        if effect is not None:
            yield _rule("effect-on-memory", effect, function), effect
        left = self._book.aftermath_of(function)
        if left is not None:
            yield _rule("promise", left, function), left

    def _answer(self, query: Query) -> Iterator[tuple[Rule, Ruling | None]]:
        rule = self._book.rules.answers.known.get(query.id)
        if rule is not None:
            yield _rule("answer", rule.says, query.function), rule.says
        yield _rule("answer", answer_of_a_query, query.function), None
        yield _rule("answer", constraints, query.function), None

    def _between(self, record: Effect | OptionalBehaviour) -> Iterator[tuple[Rule, Ruling]]:
        name = record.id.partition("/")[0] if isinstance(record, Effect) else record.subject
        rule = self._book.between_answers(record)
        if rule is not None and name in self._queries:
            yield _rule("between-answers", rule), rule

    def _naming(self, record: Record) -> list[Place]:
        """Return the functions of the oracle that contain an id, if only the requirement can have it.

        The postcondition of a function may name its requirements without the function, as in ``size/2``.
        """
        found = _oracle().of(record.id) if {"/", ":", "@"}.intersection(record.id) else []
        promiser = self._book.promiser_of(record.function) if record.function else None
        if promiser is None or found:
            return found
        rest = record.id.removeprefix(f"{record.function}/")
        below = strings_below(promiser.__module__, promiser.__qualname__)
        return [place for text, place in below if text == rest and "/" in rest]


def _rule(role: Role, function: Ruling, of: str = "") -> Rule:
    return Rule(role, place_of(function), " ".join((inspect.getdoc(function) or "").split()), of)


@functools.cache
def _oracle() -> Naming:
    """Return where the oracle's source names ids, except in lists of interpretations."""
    return Naming(path for path in (ROOT / "oracles").rglob("*.py") if path.name != "interpretations.py")
