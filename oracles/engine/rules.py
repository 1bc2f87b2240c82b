"""Declaration of rules: each once, with a description, under the id of its requirement.

A module declares its rules by the decorators and methods of its ``rules = Rules()``; ``rulebook`` finds the modules and
merges their rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from clconform.oracles.engine.registry import Registry
from clconform.oracles.model.cl_object import ClObject
from clconform.spec_tables.versions import UndocumentedVersions, read_version

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call, Returned
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.engine.interpretation import InterpretationId
    from clconform.oracles.engine.matchers import Matcher, Mismatch, Postcondition
    from clconform.oracles.engine.predicate_result import Predicate, PredicateResult
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables
    from clconform.spec_tables.entries import Function
    from clconform.spec_tables.requirements import Effect, ErrorCondition, OptionalBehaviour

    PostconditionRule: TypeAlias = Callable[[Call, Model], Postcondition]
    ObjectRecorder: TypeAlias = Callable[[Call, str, Model], None]
    AftermathRule: TypeAlias = Callable[[Call, Model, str], None]
    ExpectedValueFunction: TypeAlias = Callable[[Any, QueryRequest], Matcher | None]
    MemoryEffectRule: TypeAlias = Callable[[Call, Model], MemoryEffect]
    HeldAlternatives: TypeAlias = Callable[[Call, Model], Iterable[str]]
    RecurringAlternatives: TypeAlias = Callable[[Call, Model, ErrorCondition], Iterable[str]]
    PredicateBuilder: TypeAlias = Callable[[ErrorCondition], Predicate]
    CrossQueryRule: TypeAlias = Callable[[Effect | OptionalBehaviour, QueryRequest], Matcher | None]
    WatchFunction: TypeAlias = Callable[[Call, Returned, str, Model], tuple[list[Mismatch], set[str]]]
    MissingFeatureRule: TypeAlias = Callable[[Device, Model], dict[str, str]]
    Completion: TypeAlias = Callable[["Rules", Tables], None]
    InheritanceRule: TypeAlias = Callable[[Call, Model, str, Predicate], PredicateResult]

_F = TypeVar("_F", bound=Callable[..., object])
_P = TypeVar("_P", bound="Predicate")


@dataclass(frozen=True)
class QueryCoverage:
    """The condition of a coverage point that only queries of the names in ``names`` can reach."""

    names: tuple[str, ...]
    holds: Callable[[CompletedCall], bool]

    def __call__(self, asked: CompletedCall) -> bool:
        """Return whether a call of one of these queries reaches the coverage point."""
        return self.holds(asked)


@dataclass(frozen=True)
class CoveragePoint:
    """A coverage point: the calls that cover a requirement without an error code.

    ``judged_requirements``: the requirements by which these calls are judged; the covered requirement is violated
    together with them. ``holds``: decides whether a call reaches the coverage point. ``requires_success``: only a
    successful call is evidence for the requirement; a call with an unexpected error is evidence against it.
    """

    judged_requirements: tuple[str, ...]
    holds: Callable[[CompletedCall], bool]
    requires_success: bool = False


@dataclass(frozen=True)
class ExpectedValueRule:
    """The rule for the expected value of a query on objects of one class."""

    object_class: type[ClObject]
    rule: ExpectedValueFunction


@dataclass(frozen=True)
class GeneralRule:
    """A requirement by which calls of many functions fail with the same code.

    ``code_source``: an error clause with that code. ``applies``: decides whether the requirement covers a function.
    ``predicate``: decides whether a call violates the requirement.
    """

    code_source: str
    applies: Callable[[Function], bool]
    predicate: Predicate


@dataclass(frozen=True)
class ObjectWithError:
    """The error code with which a function returns an object.

    ``record`` adds the object to the model; it gets the call, the object's name and the model. ``requirement`` demands
    the object, by ``interpretation`` if the text alone does not settle that.
    """

    code: str
    record: ObjectRecorder
    requirement: str
    interpretation: InterpretationId | None


class OutcomeWatch(NamedTuple):
    """A watch: a rule that checks every returned call of ``functions``, or of any function if there are none."""

    check: WatchFunction
    functions: frozenset[str]


def _describe(function: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(function) or "").split())


class Rules:
    """The rules of one module, or of all modules together. Keys are ids unless another key is named.

    ``predicates``: id to the predicate of an error clause or usage rule. ``clause_parts``: id of a clause that is a
    part of an older clause, to the predicate that selects the cases of the part. ``general``: id of a requirement about
    many functions to its rule.

    ``postconditions``: function to its postcondition. ``aftermaths``: function to the rule that updates the model after
    a failed call. ``objects_with``: function to the error code with which it returns an object. ``expected_values``:
    query to the rule for its value. ``memory_effects``: function to its memory effect. ``cross_query_rules``: topic of
    an effect, or name of an optional feature, to the rule that relates a query value to other values. ``watches``:
    rules that check the outcomes of many functions. ``missing_features``: rules that find the requirements that a
    device cannot exercise.

    ``coverage_points``: id and function to the calls that cover the requirement. ``not_testable``: id to the reason why
    no call can test the requirement.

    ``alternatives``: id of an error condition with several alternatives, to the function that finds those that hold for
    a call. ``recurring_alternatives``: kind of recurring condition to such a function.

    ``builders``: kind of a recurring condition to the builder of its predicates. ``inheritance_rules``: function to the
    rule that applies inherited clauses to its calls. ``completions``: functions that derive rules from the tables,
    after all modules have declared theirs.

    ``confidence``: id to ``inferred`` or ``interpretation``; rules without an entry are literal. ``interpretations``:
    pairs of a requirement and an interpretation by which its rule allows more, or on which it relies.
    ``undocumented_versions``: id to the versions whose documents lack the sentence of the requirement.

    ``words``: id to the text of a condition or effect, in the project's own words. ``kind_words`` and ``topic_words``:
    kind of a recurring condition, or topic, to its text.
    """

    def __init__(self) -> None:
        self.predicates: Registry[str, Predicate] = Registry("predicates")
        self.clause_parts: Registry[str, Predicate] = Registry("parts of an older clause")
        self.general: Registry[str, GeneralRule] = Registry("general rules")
        self.postconditions: Registry[str, PostconditionRule] = Registry("rules for success")
        self.aftermaths: Registry[str, AftermathRule] = Registry("aftermaths")
        self.objects_with: Registry[str, ObjectWithError] = Registry("errors that come with an object")
        self.expected_values: Registry[str, ExpectedValueRule] = Registry("rules for its answer")
        self.memory_effects: Registry[str, MemoryEffectRule] = Registry("effects on memory")
        self.coverage_points: Registry[tuple[str, str], CoveragePoint] = Registry("triggers")
        self.not_testable: Registry[str, str] = Registry("reasons not to test")
        self.alternatives: Registry[str, HeldAlternatives] = Registry("alternatives of a condition")
        self.recurring_alternatives: Registry[str, RecurringAlternatives] = Registry("alternatives of a kind")
        self.builders: Registry[str, PredicateBuilder] = Registry("builders of predicates")
        self.inheritance_rules: Registry[str, InheritanceRule] = Registry("carriers of another function's clauses")
        self.cross_query_rules: Registry[str, CrossQueryRule] = Registry("rules between answers")
        self.watches: Registry[str, OutcomeWatch] = Registry("watches")
        self.missing_features: Registry[str, MissingFeatureRule] = Registry("rules for lacking features")
        self.completions: Registry[str, Completion] = Registry("completions")
        self.undocumented_versions: Registry[str, UndocumentedVersions] = Registry("gaps in older documents")
        self.confidence: dict[str, str] = {}
        self.interpretations: set[tuple[str, str]] = set()
        self.words: dict[str, str] = {}
        self.kind_words: dict[str, str] = {}
        self.topic_words: dict[str, str] = {}

    def _declare(
        self, registry: Registry[str, Any], keys: tuple[str, ...], words: dict[str, str], requirement: str = "{}"
    ) -> Callable[[_F], _F]:
        """Return a decorator that adds a function to a registry under each of the keys, and its docstring to ``words``.

        ``requirement``: the pattern of a key in ``words``.
        """

        def declare(function: _F) -> _F:
            registry.declare(*keys)(function)
            words.update(dict.fromkeys(map(requirement.format, keys), _describe(function)))
            return function

        return declare

    def clause(self, *requirements: str) -> Callable[[_P], _P]:
        """Declare a predicate; its docstring describes in plain words when the clauses hold."""
        return self._declare(self.predicates, requirements, self.words)

    def alternatives_of(self, *requirements: str) -> Callable[[_F], _F]:
        """Declare the function that finds which alternatives of an error condition hold for a call.

        The condition combines several alternatives. The function is called only for a call for which the condition
        holds, and yields the alternatives as texts without a final period, such as ``event is a user event``.
        """
        return self.alternatives.declare(*requirements)

    def alternatives_of_kind(self, *kinds: str) -> Callable[[_F], _F]:
        """Declare which alternatives hold for a call, for recurring conditions of these kinds.

        The function is as for ``alternatives_of``, and also gets the error condition.
        """
        return self.recurring_alternatives.declare(*kinds)

    def clause_part(self, *requirements: str) -> Callable[[_P], _P]:
        """Declare a predicate that selects the cases of an older clause that belong to one of its parts.

        A part holds if the older clause and the predicate hold. The docstring describes in plain words when the part
        holds.
        """
        return self._declare(self.clause_parts, requirements, self.words)

    def general_condition(
        self, requirement: str, code_of: str, applies: Callable[[Function], bool]
    ) -> Callable[[_P], _P]:
        """Declare the predicate of a requirement about many functions; the parameters are those of ``GeneralRule``."""

        def declare(function: _P) -> _P:
            self.general.add(requirement, GeneralRule(code_of, applies, function))
            self.words[requirement] = _describe(function)
            return function

        return declare

    def postcondition(self, *functions: str) -> Callable[[_F], _F]:
        """Declare the postcondition of these functions; the docstring describes it in plain words."""
        return self._declare(self.postconditions, functions, self.words, "{}/success")

    def aftermath(self, *functions: str) -> Callable[[_F], _F]:
        """Declare how a failed call of these functions changes the model.

        The rule gets the call, the model and the error. If the error is CL_SUCCESS, the call succeeded although it
        should have failed. If it is ``UNEXPECTED_ERROR``, no condition of the call explains the failure, and its
        effects may be complete, partial or absent.
        """
        return self.aftermaths.declare(*functions)

    def object_with_error(
        self, function: str, code: str, requirement: str, interpretation: InterpretationId | None = None
    ) -> Callable[[_F], _F]:
        """Declare that a function returns an object with an error code; the rule adds the object to the model."""

        def declare(record: _F) -> _F:
            rule = ObjectWithError(code, record, requirement, interpretation)  # type: ignore[arg-type]
            self.objects_with.add(function, rule)
            return record

        return declare

    def expected_value(self, *queries: str, of: type[ClObject] = ClObject) -> Callable[[_F], _F]:
        """Declare the expected value of a query on objects of a class; the docstring describes it in plain words.

        The rule gets the object and the query, and returns None if it does not apply.
        """

        def declare(function: _F) -> _F:
            for query in queries:
                self.expected_values.add(query, ExpectedValueRule(of, function))  # type: ignore[arg-type]
                self.words[query] = _describe(function)
            return function

        return declare

    def memory_effect(self, *functions: str) -> Callable[[_F], _F]:
        """Declare the effect of these functions on the contents of memory."""
        return self.memory_effects.declare(*functions)

    def recurring_condition(self, kind: str, words: str) -> Callable[[_F], _F]:
        """Declare a function that builds the predicates of a kind of recurring condition, with the text of the kind.

        The text has placeholders. ``{0}``: the first parameter of the clause, and so on. ``{any}``: all parameters,
        joined by *or*. ``{all}``: all parameters, joined by *and*. ``{objects}``: as ``{all}``, with the elements of
        lists instead of the lists. ``{object}``: the name of the handle type. ``{lacking}``: the capabilities in the
        clause. ``{blocking}``: the word *The*; in a clause about blocking calls, the words *The call blocks, and the*.
        """
        self.kind_words[kind] = words
        return self.builders.declare(kind)

    def inherits_conditions(self, *functions: str) -> Callable[[_F], _F]:
        """Declare how clauses that these functions inherit from other functions apply to their calls.

        The rule gets the call, the model, the name of the other function and the predicate of the inherited clause.
        """
        return self.inheritance_rules.declare(*functions)

    def cross_query_rule(self, *topics: str) -> Callable[[_F], _F]:
        """Declare the rule that relates query values for these topics; the docstring describes it in plain words."""
        return self._declare(self.cross_query_rules, topics, self.topic_words)

    def watch(self, *functions: str) -> Callable[[_F], _F]:
        """Declare a rule that checks every returned call of these functions; of any function if none is given.

        The rule gets the call, the outcome, the name of the error code and the model. It returns the mismatches and the
        fulfilled requirements.
        """

        def declare(function: _F) -> _F:
            watched = OutcomeWatch(function, frozenset(functions))  # type: ignore[arg-type]
            self.watches.add(f"{function.__module__}.{function.__name__}", watched)
            return function

        return declare

    def missing_feature(self, function: _F) -> _F:
        """Declare a function that finds the requirements that a device cannot exercise, each with the reason."""
        return self.missing_features.declare(f"{function.__module__}.{function.__name__}")(function)

    def completion(self, function: _F) -> _F:
        """Declare a function that derives rules from the tables, after all modules have declared theirs."""
        return self.completions.declare(f"{function.__module__}.{function.__name__}")(function)

    def inferred(self, *requirements: str) -> None:
        """Declare that these requirements follow from the document, which does not state them literally."""
        self.confidence.update(dict.fromkeys(requirements, "inferred"))

    def uses_interpretation(self, entry: str, *requirements: str) -> None:
        """Declare that the rules of these requirements, which must not be clauses, allow more by an interpretation."""
        self.interpretations.update((requirement, entry) for requirement in requirements)

    def relies_on_interpretation(self, entry: str, *requirements: str) -> None:
        """Declare that the rules of these requirements rely on an interpretation."""
        self.uses_interpretation(entry, *requirements)
        self.confidence.update(dict.fromkeys(requirements, "interpretation"))

    def undocumented_in(self, since: str, before: str, interpretation: str, *requirements: str) -> None:
        """Declare that the documents of the versions from ``since`` to before ``before`` lack these requirements.

        For a driver of such a version, deviations are at most inferred, by ``interpretation``.
        """
        gap = UndocumentedVersions(read_version(since), read_version(before), interpretation)
        for requirement in requirements:
            self.undocumented_versions.add(requirement, gap)

    def coverage_point(
        self,
        requirement: str,
        function: str,
        words: str,
        *parents: str,
        holds: Callable[[CompletedCall], bool],
        requires_success: bool = False,
    ) -> None:
        """Declare a coverage point: which calls of ``function`` cover a requirement.

        ``parents``: the requirements by which these calls are judged. If a call that reaches the coverage point
        violates one of them, it also violates ``requirement``. Several functions may cover the same requirement.
        """
        self.coverage_points.add((requirement, function), CoveragePoint(parents, holds, requires_success))
        self.words[requirement] = words

    def untestable(self, requirement: str, words: str, reason: str) -> None:
        """Declare that no call can test a requirement; ``words``: its text, ``reason``: why no call can test it."""
        self.not_testable.add(requirement, reason)
        self.words[requirement] = words

    def merge(self, other: Rules) -> None:
        """Add the rules of another module; ValueError if both have one for the same key."""
        for name, registry in vars(self).items():
            theirs = getattr(other, name)
            if isinstance(registry, Registry):
                registry.merge(theirs)
            else:
                registry.update(theirs)
