"""A call while it is judged, with its rules and what is computed about it once."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Protocol

from clconform.oracles.model.scope import scope_of
from clconform.oracles.queries.questions import question_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.engine.wants import Promise, Values, Want
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.scope import Scope
    from clconform.oracles.model.versions import Unstated
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables.records import Effect, ErrorClause, OptionalBehaviour, UsageRule


class RulesAsked(Protocol):
    """The part of a rulebook that is needed to judge a call."""

    def effect_of(self, call: Call, model: Model) -> MemoryEffect:
        """Return what a call does to contents. UnknownError: the model does not know. ForbiddenError: undefined."""

    def has_effect(self, function: str) -> bool:
        """Return whether a function does something to contents."""

    def promiser_of(self, function: str) -> Callable[[Call, Model], Promise] | None:
        """Return what success of a function means, or None if no rule is declared."""

    def answer_to(self, question: Question) -> Want | None:
        """Return what the answer to a question must be by the rule for its query; None where there is none."""

    def between_answers(self, topic: str) -> Callable[[Effect | OptionalBehaviour, Question], Want | None] | None:
        """Return the rule of a topic, or None where there is none."""

    def unstated_in(self, record: str) -> Unstated | None:
        """Return the versions whose own documents lack a record's sentence, or None."""

    def predicate_of(self, record: ErrorClause | UsageRule) -> Predicate | None:
        """Return the predicate of a record: the one written for it, else the one of its recurring condition."""

    def predicate(self, record: str) -> Predicate:
        """Return the predicate of the record with an id; KeyError if none is declared."""


class JudgedCall:
    """One call, the state before it, and the rules that it is judged by."""

    def __init__(self, call: Call, model: Model, rulebook: RulesAsked) -> None:
        self.call, self.model, self.rulebook = call, model, rulebook

    @functools.cached_property
    def scope(self) -> Scope:
        """The platform and the devices that the call concerns."""
        return scope_of(self.call, self.model)

    @functools.cached_property
    def question(self) -> Question | None:
        """The question of a call of a query function; None if the tables or the model do not know."""
        function = self.model.tables.functions.get(self.call.function)
        return question_of(self.call, self.model) if function is not None and function.queries else None

    @functools.cached_property
    def effect(self) -> MemoryEffect:
        """What the call does to contents. UnknownError: the model does not know. ForbiddenError: it is undefined."""
        return self.rulebook.effect_of(self.call, self.model)


class AnsweredCall:
    """A call that has returned, as a trigger sees it, before the model is updated.

    ``seen``: outputs as returned. ``code``: the error code's name, ``CL_SUCCESS`` included. ``subject``: the object
    that the call is about, by its first argument.
    """

    def __init__(self, judged: JudgedCall, seen: dict[str, Values], code: str) -> None:
        self.judged, self.seen, self.code = judged, seen, code
        self.call, self.model, self.rulebook = judged.call, judged.model, judged.rulebook
        self.subject: ClObject | None = self.model.known(next(iter(self.call.arguments.values()), None))

    @property
    def question(self) -> Question | None:
        """What the call asks, as for ``JudgedCall``."""
        return self.judged.question
