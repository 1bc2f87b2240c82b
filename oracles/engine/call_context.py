"""The context in which a call is judged: the model, the rules, and values that are computed once per call."""

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
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables.requirements import (
        ApplicabilityCondition,
        Effect,
        ErrorCondition,
        OptionalBehaviour,
        UsageRule,
    )
    from clconform.spec_tables.versions import UndocumentedVersions


_T = TypeVar("_T")


class PredicateSource(Protocol):
    """The predicates of requirements that the judgement of a call needs."""

    @property
    def declared(self) -> Mapping[str, Predicate]:
        """The predicates of individual requirements, by id."""

    def predicate_of(self, requirement: ErrorCondition | UsageRule) -> Predicate | None:
        """Return the predicate of a requirement, from a rule for its id or for its recurring condition."""


class BasisSource(Protocol):
    """The basis of rules that the judgement of a call needs."""

    def undocumented_versions(self, requirement: str) -> UndocumentedVersions | None:
        """Return the versions whose documents lack the sentence of a requirement, or None."""


class RuleSource(Protocol):
    """The parts of a rulebook that the judgement of a call needs."""

    @property
    def predicates(self) -> PredicateSource:
        """The predicates of requirements."""

    @property
    def basis(self) -> BasisSource:
        """The basis of rules."""

    def effect_of(self, call: Call, model: Model) -> MemoryEffect:
        """Return the memory effect of a call.

        UnknownFactError if the model does not know the effect; UndefinedBehaviourError if the effect is undefined.
        """

    def has_effect(self, function: str) -> bool:
        """Return whether calls of a function read or write the contents of memory."""

    def postcondition_rule(self, function: str) -> Callable[[Call, Model], Postcondition] | None:
        """Return the postcondition rule of a function, or None if none is declared."""

    def expected_value(self, request: QueryRequest) -> Matcher | None:
        """Return the value that a query must return, or None if no rule defines it."""

    def cross_query_rule(
        self, requirement: Effect | OptionalBehaviour
    ) -> Callable[[Effect | OptionalBehaviour, QueryRequest], Matcher | None] | None:
        """Return the rule that relates query values for a requirement's topic or optional feature, or None."""


class CallContext:
    """One call, the model in its state before the call, and the rules that judge the call."""

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
        """Compute the scope before the call updates the model, for example by releasing an object."""
        self._scope = scope_of(self.call, self.model)

    @property
    def scope(self) -> CallScope:
        """The platform and the devices that the call concerns."""
        found = self._scope
        if found is None:
            found = self._scope = scope_of(self.call, self.model)
        return found

    def applicability(self, conditions: tuple[ApplicabilityCondition, ...]) -> Applicability:
        """Return whether a requirement with these applicability conditions applies to the call; results are cached."""
        found = self._applicabilities.get(conditions)
        if found is None:
            found = self._applicabilities[conditions] = applicability_of(conditions, self.scope)
        return found

    @property
    def query_request(self) -> QueryRequest | None:
        """The query that the call makes; None if the call makes none, or if the tables or the model do not know it."""
        if not self._has_query_request:
            self._has_query_request = True
            function = self.model.tables.functions.get(self.call.function)
            if function is not None and function.queries:
                self._query_request = query_request_of(self.call, self.model)
        return self._query_request

    @property
    def effect(self) -> MemoryEffect:
        """The memory effect of the call.

        UnknownFactError if the model does not know the effect; UndefinedBehaviourError if the effect is undefined.
        """
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
    """A call that has returned, with its outputs. Coverage points evaluate it before the call updates the model.

    ``outputs``: the returned values by parameter. ``raw``: parameter to its returned bytes, for outputs that are plain
    bytes. ``code``: the name of the error code, or ``CL_SUCCESS``. ``subject``: the object in the first argument.
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
        """The query that the call makes, or None; details as for ``CallContext``."""
        return self.context.query_request
