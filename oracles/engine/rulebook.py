"""The rulebook: all rules of the oracle, found in the modules of the package, grouped by function, and immutable."""

from __future__ import annotations

import copy
import dataclasses
import functools
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import msgspec

from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.engine import parts
from clconform.oracles.engine.registry import declared_in, modules_in
from clconform.oracles.engine.rules import Answered, Rules
from clconform.oracles.engine.wording import sentence, structured_words
from clconform.spec_tables import across
from clconform.spec_tables.conditions import ABOUT_RESOURCES
from clconform.spec_tables.loading import default
from clconform.spec_tables.lookups import Lookups
from clconform.spec_tables.records import Effect, ErrorClause, UsageRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.engine.rules import (
        Aftermath,
        BetweenAnswers,
        Builder,
        Promiser,
        Trigger,
        Watch,
    )
    from clconform.oracles.engine.wants import Want
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.versions import Unstated
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables
    from clconform.spec_tables.records import Gate, OptionalBehaviour, Record

PACKAGES = ("clconform.oracles.recurring", "clconform.oracles.queries", "clconform.oracles.chapters")
"""Packages that are searched for modules with rules, at any depth."""


class Rule(NamedTuple):
    """A condition that a call can violate: an error clause, or a usage rule if ``clause`` is None.

    A usage rule holds regardless of applicability. ``predicate``: when the condition holds; None if not declared.
    """

    record: str
    clause: ErrorClause | None
    gates: tuple[Gate, ...]
    predicate: Predicate | None


class RulesOf(NamedTuple):
    """The rules of one function, in the documents' order.

    ``resources``: the codes for lack of resources, which only the driver can detect, with their applicability
    conditions.
    """

    breakable: tuple[Rule, ...]
    resources: tuple[tuple[str, tuple[Gate, ...]], ...]


class Candidate(NamedTuple):
    """A requirement that a call may cover, with its coverage point."""

    record: str
    gates: tuple[Gate, ...]
    trigger: Trigger


class Rulebook:
    """The rules for one set of tables; the rules of a function are collected on first use and cached."""

    def __init__(self, tables: Tables, rules: Rules) -> None:
        """Combine rules and tables: the completions add rules that follow from the tables to ``rules``."""
        for complete in rules.completions.known.values():
            complete(rules, tables)
        self._tables, self._rules = tables, rules
        self._older = tables if tables.documents == default().documents else default()
        self._twins = {} if self._older is tables else across.twins_in_prose(tables)
        self._predicates: dict[str, Predicate] = dict(rules.predicates.known)
        self._of: dict[str, RulesOf] = {}
        self._candidates: dict[tuple[str, tuple[str, ...]], tuple[Candidate, ...]] = {}
        self._built: dict[str, Predicate | None] = {}
        self._watches: dict[str, tuple[Watch, ...]] = {}
        self._words: dict[str, str] = {}
        self._triggers: dict[str, list[tuple[str, Trigger]]] = {}
        for (record, function), trigger in rules.triggers.known.items():
            self._triggers.setdefault(function, []).append((record, trigger))
        known = rules.not_testable.known
        clauses = (each for each in tables.records.values() if isinstance(each, ErrorClause))
        lent = {each.id: known[each.same_as] for each in clauses if each.same_as in known}
        twins = {name: known[twin] for name, twin in self._twins.items() if twin in known}
        self._untestable = {**lent, **twins, **known}

    def with_predicate(self, record: str, predicate: Predicate) -> Rulebook:
        """Return the same rules with another predicate for one requirement."""
        other = copy.copy(self)
        other._predicates = {**self._predicates, record: predicate}  # noqa: SLF001 (of its own class)
        other._of = {}  # noqa: SLF001
        return other

    # by requirement

    def predicate_of(self, record: ErrorClause | UsageRule) -> Predicate | None:
        """Return the predicate of a requirement: its own, else that of its recurring condition.

        A rule for another wording does not count until a maintainer has confirmed that both mean the same.
        """
        if not isinstance(record, ErrorClause):
            return self._predicates.get(record.id)
        found = None if record.reworded else self._predicates.get(record.id)
        found = found or self._carried(record)
        if found is None:
            split = self._is_rest(record) or self._is_narrowed(record)
            found = self._part(record) if split else self._structured(self._as_before(record))
        twin = self._twin(record) if found is None else None
        return found if twin is None else self.predicate_of(twin)

    def _as_before(self, clause: ErrorClause) -> ErrorClause:
        """Return a clause with its older condition, where that condition is not recognised in its later wording."""
        return clause if self._older is self._tables else across.as_before(clause)

    def _twin(self, clause: ErrorClause) -> ErrorClause | None:
        """Return the extension function's clause that a core function's clause replaces, or None."""
        return None if self._older is self._tables else across.clause_of_twin(clause, self._tables)

    def _known_as(self, name: str) -> str:
        """Return the name under which a function or query has rules: its own, or its name in the extension."""
        return name if self._older is self._tables else across.twin_of(name, self._tables) or name

    def _whole(self, record: str) -> ErrorClause | None:
        """Return the older clause of which a requirement is a part, or None."""
        clause = self._tables.records.get(record)
        whole = self._older.records.get(clause.part_of) if isinstance(clause, ErrorClause) else None
        return whole if isinstance(whole, ErrorClause) else None

    def _is_rest(self, clause: ErrorClause) -> bool:
        """Return whether a clause is a part of an older clause's condition and has no predicate of its own."""
        exact = clause.condition.kind in parts.EXACT and self.builder_of(clause) is not None
        own = clause.id in self._predicates or clause.id in self._rules.parts.known
        return self._whole(clause.id) is not None and not own and not exact

    def _is_narrowed(self, clause: ErrorClause) -> bool:
        """Return whether a rule selects the cases of an older clause's condition that belong to this part."""
        whole = self._whole(clause.id)
        return clause.id in self._rules.parts.known and whole is not None and clause.id not in self._predicates

    def _part(self, clause: ErrorClause) -> Predicate | None:
        """Return the predicate of a part of an older clause's condition; see ``parts``."""
        if clause.id not in self._built:
            whole = self._whole(clause.id)
            siblings = parts.siblings_of(clause, self._tables)
            known = self._predicates.get(whole.id) or self._structured(whole) if whole is not None else None
            narrow = self._rules.parts.known.get(clause.id)
            if known is None:
                self._built[clause.id] = None
            elif narrow is not None:
                named = ((each, self._rules.parts.known.get(each.id) or self._alone(each)) for each in siblings)
                own = [
                    parts.where_it_applies(each, said) for each, said in named if each != clause and said is not None
                ]
                self._built[clause.id] = parts.narrowed(known, narrow, own)
            else:
                rest = [each for each in siblings if self._is_rest(each)]
                others = ((each, self.predicate_of(each)) for each in siblings if each not in rest)
                alone = all(each.gates == clause.gates for each in rest)
                given = [parts.where_it_applies(each, said) for each, said in others if said is not None]
                self._built[clause.id] = parts.rest_of(known, given, alone=alone)
        return self._built[clause.id]

    def _alone(self, clause: ErrorClause) -> Predicate | None:
        """Return the predicate of a part that does not depend on the older clause, or None."""
        return None if self._is_rest(clause) else self._predicates.get(clause.id) or self._structured(clause)

    def _standing(self, record: str) -> str:
        """Return the requirement whose rule judges this one.

        It is the older clause for a remaining part, the extension's counterpart of a core clause, or the requirement
        itself.
        """
        clause = self._tables.records.get(record)
        if self._older is self._tables or not isinstance(clause, ErrorClause):
            told = record in self._rules.words or record not in self._twins
            return self._known_as(record) if told else self._twins[record]
        if self._is_rest(clause):
            return clause.part_of
        twin = self._twin(clause)
        return record if twin is None or record in self._predicates else self._standing(twin.id)

    def _resting_on(self, record: str) -> str:
        """Return the requirement whose rule a verdict relies on: for a part the older clause, else the judging one."""
        clause = self._tables.records.get(record)
        if isinstance(clause, ErrorClause) and self._is_narrowed(clause):
            return clause.part_of
        return self._standing(record)

    def predicate(self, record: str) -> Predicate:
        """Return the predicate that is declared for an id; KeyError if none is declared."""
        return self._predicates[record]

    def lent_to(self, clause: ErrorClause) -> ErrorClause | None:
        """Return the clause that a clause inherits, if a rule applies it to the calls of its function; else None."""
        lent = self._tables.records.get(clause.same_as)
        return lent if clause.function in self._rules.carriers.known and isinstance(lent, ErrorClause) else None

    def _carried(self, clause: ErrorClause) -> Predicate | None:
        """Return the predicate of an inherited clause, evaluated on the call that its function stands for."""
        lent = self.lent_to(clause)
        inner = self.predicate_of(lent) if lent is not None else None
        if lent is None or inner is None:
            return None
        function, predicate, carrier = lent.function, inner, self._rules.carriers.known[clause.function]
        return lambda call, model: carrier(call, model, function, predicate)

    def _structured(self, clause: ErrorClause) -> Predicate | None:
        if clause.id not in self._built:
            build = self.builder_of(clause)
            self._built[clause.id] = build(clause) if build else None
        return self._built[clause.id]

    def builder_of(self, clause: ErrorClause) -> Builder | None:
        """Return the builder of the predicate for a recurring condition, or None if the condition is not recurring."""
        return self._rules.builders.known.get(clause.condition.kind) if clause.condition.parameters else None

    @property
    def written(self) -> Mapping[str, Predicate]:
        """The predicates of individual requirements, by id."""
        return self._predicates

    def confidence_of(self, record: str) -> str:
        """Return the confidence of a requirement's rule: ``literal``, ``inferred`` or ``interpretation``."""
        return self._rules.confidence.get(self._resting_on(record), "literal")

    def unstated_in(self, record: str) -> Unstated | None:
        """Return the versions whose own documents lack a requirement's sentence, or None."""
        return self._rules.unstated_in.known.get(self._resting_on(record))

    def readings_of(self, record: str) -> frozenset[str]:
        """Return the interpretations on which the rule of a requirement other than a clause relies."""
        return frozenset(entry for known, entry in self._rules.readings if known == record)

    @property
    def rules(self) -> Rules:
        """All rules as they were declared, and those that follow from the tables."""
        return self._rules

    @property
    def untestable(self) -> Mapping[str, str]:
        """The requirements that no call can test, each with the reason; inherited clauses share it."""
        return self._untestable

    def words_of(self, record: str) -> str:
        """Return the text of a requirement as a sentence: the tables' own, else that of its rule; may be empty."""
        known = self._words.get(record)
        if known is None:
            known = self._words[record] = self._put_in_words(record)
        return known

    def has_rule(self, record: str) -> bool:
        """Return whether a rule with a text, which may be empty, is declared for a requirement."""
        return self._standing(record) in self._rules.words

    def check_of(self, record: str) -> str:
        """Return how a requirement with a text in the tables is checked, if its rule adds to it; may be empty."""
        found = self._tables.records.get(record)
        if not isinstance(found, (Effect, UsageRule)) or not found.words:
            return ""
        said = sentence(self._rules.words.get(self._standing(record), ""))
        return "" if said == self.words_of(record) else said

    def _put_in_words(self, record: str) -> str:
        found = self._tables.records.get(record)
        if isinstance(found, (Effect, UsageRule)) and found.words:
            return sentence(found.words, {found.function})
        standing = self._standing(record)
        told = found if standing == record else self._older.records.get(standing)
        told = self._as_before(told) if isinstance(told, ErrorClause) else told
        words = self._rules.words.get(standing, "") or (structured_words(told, self._rules) if told else "")
        if words and isinstance(found, ErrorClause) and standing == found.part_of:
            words = f"One of the reasons for this code holds: {words}"
        if not words and isinstance(found, ErrorClause) and found.same_as:
            return self.words_of(found.same_as)
        function = self._tables.functions.get(found.function) if found else None
        return sentence(words, {each.name for each in function.parameters} if function else set())

    # by function or query

    def promiser_of(self, function: str) -> Promiser | None:
        """Return the postcondition rule of a function, or None if none is declared."""
        return self._rules.promises.known.get(self._known_as(function))

    def aftermath_of(self, function: str) -> Aftermath | None:
        """Return the aftermath rule of a function: how a failed call changes the model; or None."""
        return self._rules.aftermaths.known.get(self._known_as(function))

    def code_with_object(self, function: str) -> str:
        """Return the error with which a function may return an object, or an empty string."""
        return self._rules.objects_with.known.get(function, "")

    def answer_to(self, question: Question) -> Want | None:
        """Return the expected value of a query by the rule for it; None if there is no rule."""
        rule = self._rules.answers.known.get(self._known_as(question.query.id))
        return rule.says(question.thing, question) if rule and isinstance(question.thing, rule.kind) else None

    def between_answers(self, record: Effect | OptionalBehaviour) -> BetweenAnswers | None:
        """Return the rule for a requirement's topic or optional feature; None if there is no rule."""
        if isinstance(record, Effect):
            return self._rules.between.known.get(across.topic_of(record, self._twins.get(record.id, "")))
        return self._rules.between.known.get(record.feature)

    def lacking(self, device: Device, model: Model) -> dict[str, str]:
        """Return the requirements that a device cannot exercise because it lacks their subject, with reasons."""
        found: dict[str, str] = {}
        for rule in self._rules.lacking.known.values():
            found.update(rule(device, model))
        return found

    def watches_of(self, function: str) -> tuple[Watch, ...]:
        """Return the watches that check the outcomes of a function's calls."""
        found = self._watches.get(function)
        if found is None:
            known = self._rules.watches.known.values()
            found = self._watches[function] = tuple(
                each.check for each in known if not each.functions or function in each.functions
            )
        return found

    def has_effect(self, function: str) -> bool:
        """Return whether a function reads or changes contents."""
        return self._known_as(function) in self._rules.effects.known

    def effect_of(self, call: Call, model: Model) -> MemoryEffect:
        """Return a call's effect on contents. UnknownError: the model does not know. ForbiddenError: undefined."""
        found = self._rules.effects.known.get(self._known_as(call.function))
        return found(call, model) if found is not None else MemoryEffect()

    def rules_of(self, function: str) -> RulesOf:
        """Return the conditions that a call of a function can violate: usage rules with predicates, error clauses."""
        found = self._of.get(function)
        if found is None:
            records = self._tables.records_of(function)
            clauses = [each for each in records if isinstance(each, ErrorClause)]
            resources = [each for each in clauses if each.condition.kind in ABOUT_RESOURCES]
            found = self._of[function] = RulesOf(
                (
                    *(self._rule(each) for each in records if self._can_be_broken(each) and each not in resources),
                    *self._dropped(function),
                    *self._general(function),
                ),
                tuple((each.code, each.gates) for each in resources),
            )
        return found

    def _rule(self, record: ErrorClause | UsageRule) -> Rule:
        predicate = self.predicate_of(record)
        if isinstance(record, UsageRule):
            return Rule(record.id, None, (), predicate)
        return Rule(record.id, record, record.gates, predicate)

    def _dropped(self, function: str) -> Iterator[Rule]:
        """Yield the clauses of the older document that this one lacks; their codes are still allowed."""
        if self._older is self._tables:
            return
        for clause in parts.dropped(function, self._tables, self._older):
            known = self._predicates.get(clause.id) or self._structured(clause)
            if known is not None and clause.condition.kind not in ABOUT_RESOURCES:
                yield Rule(clause.id, clause, clause.gates, parts.still_allowed(known))

    def _general(self, function: str) -> Iterator[Rule]:
        """Yield the rules about many functions that cover this one, each as an error clause with its own id."""
        known = self._tables.functions.get(function)
        for record, rule in self._rules.general.known.items():
            clause = self._tables.records.get(rule.code_of)
            if known is not None and isinstance(clause, ErrorClause) and rule.applies(known):
                own = msgspec.structs.replace(clause, id=record, function=function)
                yield Rule(record, own, (), rule.predicate)

    def _can_be_broken(self, record: Record) -> TypeGuard[ErrorClause | UsageRule]:
        return isinstance(record, ErrorClause) or (isinstance(record, UsageRule) and record.id in self._predicates)

    def candidates_of(self, function: str, names: tuple[str, ...]) -> tuple[Candidate, ...]:
        """Return the requirements that a call of a function may cover; ``names``: those of its query, if any."""
        found = self._candidates.get((function, names))
        if found is None:
            found = self._candidates[function, names] = tuple(self._found(function, names))
        return found

    def _found(self, function: str, names: tuple[str, ...]) -> Iterator[Candidate]:
        records = self._tables.records
        for record, known in self._triggers.get(function, ()):
            if record in records and _may_hold(known, names):
                parents = across.parts_among(known.parents, self._tables)
                same = parents == known.parents
                whole = known if same else dataclasses.replace(known, parents=parents)
                yield Candidate(record, records[record].gates, whole)
        yield from self._found_as_twins(function)

    def _found_as_twins(self, function: str) -> Iterator[Candidate]:
        """Yield the requirements that a call of a former extension function covers by that extension's rules."""
        twin = self._known_as(function)
        for record, same in self._twins.items() if twin != function else ():
            known = self._rules.triggers.known.get((same, twin))
            if known is not None:
                renamed = (each.replace(f"{twin}/", f"{function}/", 1) for each in known.parents)
                parents = across.parts_among(renamed, self._tables)
                yield Candidate(record, self._tables.records[record].gates, dataclasses.replace(known, parents=parents))


def _may_hold(trigger: Trigger, names: tuple[str, ...]) -> bool:
    return not isinstance(trigger.holds, Answered) or any(name in trigger.holds.names for name in names)


def modules_with_rules() -> Iterator[str]:
    """Yield the names of all modules that may contain rules."""
    for package in PACKAGES:
        yield from modules_in(package)


def declared() -> Rules:
    """Return the combined rules of all modules; ValueError if two modules declare a rule for the same key."""
    whole = Rules()
    for package in PACKAGES:
        for own in declared_in(package, "rules", Rules):
            whole.merge(own)
    return whole


def rulebook_of(tables: Tables) -> Rulebook:
    """Return the one rulebook of a set of tables."""
    return _rulebook_of(Lookups.of(tables))


@functools.cache
def _rulebook_of(lookups: Lookups) -> Rulebook:
    return Rulebook(lookups.tables, declared())
