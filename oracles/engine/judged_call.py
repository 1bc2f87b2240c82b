"""A call while it is judged, with its rules and the values that are computed once per call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from clconform.oracles.engine.gates import gating_of
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.scope import scope_of
from clconform.oracles.queries.questions import question_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.engine.answers import Predicate
    from clconform.oracles.engine.gates import Gating
    from clconform.oracles.engine.wants import Promise, Values, Want
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.scope import Scope
    from clconform.oracles.model.versions import Unstated
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables.records import Effect, ErrorClause, Gate, OptionalBehaviour, UsageRule


_T = TypeVar("_T")


class RulesAsked(Protocol):
    """The part of a rulebook that the judgement of a call needs."""

    def effect_of(self, call: Call, model: Model) -> MemoryEffect:
        """Return a call's effect on contents. UnknownError: the model does not know. ForbiddenError: undefined."""

    def has_effect(self, function: str) -> bool:
        """Return whether a function changes or reads contents."""

    def promiser_of(self, function: str) -> Callable[[Call, Model], Promise] | None:
        """Return the postcondition rule of a function, or None if none is declared."""

    def answer_to(self, question: Question) -> Want | None:
        """Return the expected value of a query by the rule for it; None if there is no rule."""

    def between_answers(
        self, record: Effect | OptionalBehaviour
    ) -> Callable[[Effect | OptionalBehaviour, Question], Want | None] | None:
        """Return the rule for a requirement's topic or optional feature; None if there is no rule."""

    def unstated_in(self, record: str) -> Unstated | None:
        """Return the versions whose own documents lack a requirement's sentence, or None."""

    def predicate_of(self, record: ErrorClause | UsageRule) -> Predicate | None:
        """Return the predicate of a requirement: its own, else that of its recurring condition."""

    def predicate(self, record: str) -> Predicate:
        """Return the predicate that is declared for an id; KeyError if none is declared."""


class JudgedCall:
    """One call, the model state before it, and the rules that judge it."""

    __slots__ = ("_asked", "_effect", "_failed", "_gatings", "_question", "_scope", "call", "model", "rulebook")

    def __init__(self, call: Call, model: Model, rulebook: RulesAsked) -> None:
        self.call, self.model, self.rulebook = call, model, rulebook
        self._asked = False
        self._question: Question | None = None
        self._scope: Scope | None = None
        self._gatings: dict[tuple[Gate, ...], Gating] = {}
        self._effect: MemoryEffect | None = None
        self._failed: UnknownError | ForbiddenError | None = None

    def fix_scope(self) -> None:
        """Compute the scope now; a success may change the model, for example by releasing an object."""
        self._scope = scope_of(self.call, self.model)

    @property
    def scope(self) -> Scope:
        """The platform and the devices that the call concerns."""
        found = self._scope
        if found is None:
            found = self._scope = scope_of(self.call, self.model)
        return found

    def gating(self, gates: tuple[Gate, ...]) -> Gating:
        """Return whether a requirement applies to the scope of the call, cached from the first evaluation."""
        found = self._gatings.get(gates)
        if found is None:
            found = self._gatings[gates] = gating_of(gates, self.scope)
        return found

    @property
    def question(self) -> Question | None:
        """The query of a call of a query function; None if the tables or the model do not know it."""
        if not self._asked:
            self._asked = True
            function = self.model.tables.functions.get(self.call.function)
            if function is not None and function.queries:
                self._question = question_of(self.call, self.model)
        return self._question

    @property
    def effect(self) -> MemoryEffect:
        """The call's effect on contents. UnknownError: the model does not know. ForbiddenError: it is undefined."""
        if self._failed is not None:
            raise self._failed.with_traceback(None)
        if self._effect is None:
            try:
                self._effect = self.rulebook.effect_of(self.call, self.model)
            except (UnknownError, ForbiddenError) as error:
                self._failed = error
                raise
        return self._effect


class AnsweredCall:
    """A call that has returned, as coverage points see it, before the model is updated.

    ``seen``: outputs as returned. ``code``: the error code's name, ``CL_SUCCESS`` included. ``subject``: the object of
    the call, from its first argument. ``raw``: the bytes of outputs that are plain bytes.
    """

    def __init__(
        self, judged: JudgedCall, seen: dict[str, Values], code: str, raw: Mapping[str, bytes] | None = None
    ) -> None:
        self.judged, self.seen, self.code, self.raw = judged, seen, code, raw or {}
        self.call, self.model, self.rulebook = judged.call, judged.model, judged.rulebook
        self.subject: ClObject | None = self.model.known(next(iter(self.call.arguments.values()), None))
        self._worked_out: dict[Callable[[AnsweredCall], object], object] = {}

    def once(self, work: Callable[[AnsweredCall], _T]) -> _T:
        """Return a function's result for this call, computed once for all coverage points that need it."""
        if work not in self._worked_out:
            self._worked_out[work] = work(self)
        return self._worked_out[work]  # type: ignore[return-value]

    @property
    def question(self) -> Question | None:
        """The query of the call, as for ``JudgedCall``."""
        return self.judged.question
