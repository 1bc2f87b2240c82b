"""A call while it is judged, with its rules and the values that are computed once per call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from clconform.oracles.engine.applicability import applicability_of
from clconform.oracles.model.call_scope import scope_of
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.queries.query_request import query_request_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.engine.applicability import Applicability
    from clconform.oracles.engine.matchers import Matcher, Postcondition, Values
    from clconform.oracles.engine.predicate_result import Predicate
    from clconform.oracles.model.call_scope import CallScope
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.oracles.model.versions import UndocumentedVersions
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables.requirements import (
        ApplicabilityCondition,
        Effect,
        ErrorCondition,
        OptionalBehaviour,
        UsageRule,
    )


_T = TypeVar("_T")


class RuleSource(Protocol):
    """The part of a rulebook that the judgement of a call needs."""

    def effect_of(self, call: Call, model: Model) -> MemoryEffect:
        """Return a call's effect on contents. UnknownError: the model does not know. ForbiddenError: undefined."""

    def has_effect(self, function: str) -> bool:
        """Return whether a function changes or reads contents."""

    def postcondition_rule(self, function: str) -> Callable[[Call, Model], Postcondition] | None:
        """Return the postcondition rule of a function, or None if none is declared."""

    def expected_value(self, request: QueryRequest) -> Matcher | None:
        """Return the expected value of a query by the rule for it; None if there is no rule."""

    def cross_query_rule(
        self, requirement: Effect | OptionalBehaviour
    ) -> Callable[[Effect | OptionalBehaviour, QueryRequest], Matcher | None] | None:
        """Return the rule for a requirement's topic or optional feature; None if there is no rule."""

    def undocumented_versions(self, requirement: str) -> UndocumentedVersions | None:
        """Return the versions whose own documents lack a requirement's sentence, or None."""

    def predicate_of(self, requirement: ErrorCondition | UsageRule) -> Predicate | None:
        """Return the predicate of a requirement: its own, else that of its recurring condition."""

    def predicate(self, requirement: str) -> Predicate:
        """Return the predicate that is declared for an id; KeyError if none is declared."""


class CallContext:
    """One call, the model state before it, and the rules that judge it."""

    __slots__ = (
        "_applicabilities",
        "_effect",
        "_effect_error",
        "_has_query_request",
        "_query_request",
        "_scope",
        "call",
        "model",
        "rulebook",
    )

    def __init__(self, call: Call, model: Model, rulebook: RuleSource) -> None:
        self.call, self.model, self.rulebook = call, model, rulebook
        self._has_query_request = False
        self._query_request: QueryRequest | None = None
        self._scope: CallScope | None = None
        self._applicabilities: dict[tuple[ApplicabilityCondition, ...], Applicability] = {}
        self._effect: MemoryEffect | None = None
        self._effect_error: UnknownFactError | UndefinedBehaviourError | None = None

    def compute_scope(self) -> None:
        """Compute the scope now; a success may change the model, for example by releasing an object."""
        self._scope = scope_of(self.call, self.model)

    @property
    def scope(self) -> CallScope:
        """The platform and the devices that the call concerns."""
        found = self._scope
        if found is None:
            found = self._scope = scope_of(self.call, self.model)
        return found

    def applicability(self, conditions: tuple[ApplicabilityCondition, ...]) -> Applicability:
        """Return whether a requirement applies to the scope of the call, cached from the first evaluation."""
        found = self._applicabilities.get(conditions)
        if found is None:
            found = self._applicabilities[conditions] = applicability_of(conditions, self.scope)
        return found

    @property
    def query_request(self) -> QueryRequest | None:
        """The query of a call of a query function; None if the tables or the model do not know it."""
        if not self._has_query_request:
            self._has_query_request = True
            function = self.model.tables.functions.get(self.call.function)
            if function is not None and function.queries:
                self._query_request = query_request_of(self.call, self.model)
        return self._query_request

    @property
    def effect(self) -> MemoryEffect:
        """The call's effect on contents. UnknownError: the model does not know. ForbiddenError: it is undefined."""
        if self._effect_error is not None:
            raise self._effect_error.with_traceback(None)
        if self._effect is None:
            try:
                self._effect = self.rulebook.effect_of(self.call, self.model)
            except (UnknownFactError, UndefinedBehaviourError) as error:
                self._effect_error = error
                raise
        return self._effect


class CompletedCall:
    """A call that has returned, as coverage points see it, before the model is updated.

    ``seen``: outputs as returned. ``code``: the error code's name, ``CL_SUCCESS`` included. ``subject``: the object of
    the call, from its first argument. ``raw``: the bytes of outputs that are plain bytes.
    """

    def __init__(
        self, judged: CallContext, seen: dict[str, Values], code: str, raw: Mapping[str, bytes] | None = None
    ) -> None:
        self.context, self.outputs, self.code, self.raw = judged, seen, code, raw or {}
        self.call, self.model, self.rulebook = judged.call, judged.model, judged.rulebook
        self.subject: ClObject | None = self.model.find(next(iter(self.call.arguments.values()), None))
        self._cache: dict[Callable[[CompletedCall], object], object] = {}

    def cached(self, function: Callable[[CompletedCall], _T]) -> _T:
        """Return a function's result for this call, computed once for all coverage points that need it."""
        if function not in self._cache:
            self._cache[function] = function(self)
        return self._cache[function]  # type: ignore[return-value]

    @property
    def query_request(self) -> QueryRequest | None:
        """The query of the call, as for ``CallContext``."""
        return self.context.query_request
