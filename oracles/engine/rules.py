"""How a module of a chapter declares its rules: each once, with a description, under the id of its requirement.

A module with rules has them in ``rules = Rules()``; ``rulebook`` finds the modules and merges their rules.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from clconform.oracles.engine.registry import Registry
from clconform.oracles.model.cl_object import ClObject
from clconform.oracles.model.versions import Unstated, read_version

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.oracles.engine.wants import Complaint, Promise, Want
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables import Tables
    from clconform.spec_tables.entries import Function
    from clconform.spec_tables.records import Effect, ErrorClause, OptionalBehaviour

    Promiser: TypeAlias = Callable[[Call, Model], Promise]
    Aftermath: TypeAlias = Callable[[Call, Model, str], None]
    Answerer: TypeAlias = Callable[[Any, Question], Want | None]
    EffectRule: TypeAlias = Callable[[Call, Model], MemoryEffect]
    Builder: TypeAlias = Callable[[ErrorClause], Predicate]
    BetweenAnswers: TypeAlias = Callable[[Effect | OptionalBehaviour, Question], Want | None]
    Watch: TypeAlias = Callable[[Call, Returned, str, Model], tuple[list[Complaint], set[str]]]
    Lacking: TypeAlias = Callable[[Device, Model], dict[str, str]]
    Completion: TypeAlias = Callable[["Rules", Tables], None]
    Carrier: TypeAlias = Callable[[Call, Model, str, Predicate], Reply]

_F = TypeVar("_F", bound=Callable[..., object])


@dataclass(frozen=True)
class Answered:
    """The test of a coverage point that only queries of these names can reach."""

    names: tuple[str, ...]
    holds: Callable[[AnsweredCall], bool]

    def __call__(self, asked: AnsweredCall) -> bool:
        """Return whether a call of one of these queries reaches the coverage point."""
        return self.holds(asked)


@dataclass(frozen=True)
class Trigger:
    """A coverage point: which calls cover a requirement, and which requirements are violated together with it.

    ``by_success``: only a successful call is evidence for the requirement; a call with an unexpected error is evidence
    against it.
    """

    parents: tuple[str, ...]
    holds: Callable[[AnsweredCall], bool]
    by_success: bool = False


@dataclass(frozen=True)
class AnswerRule:
    """The rule for the expected value of a query on objects of one class."""

    kind: type[ClObject]
    says: Answerer


@dataclass(frozen=True)
class GeneralRule:
    """A requirement by which calls of many functions fail with the same code.

    ``code_of``: an error clause with that code. ``applies``: whether it covers a function. ``predicate``: when it holds
    for a call.
    """

    code_of: str
    applies: Callable[[Function], bool]
    predicate: Predicate


class Watched(NamedTuple):
    """A watch: a rule that checks the calls of some functions, or every call if it names none."""

    check: Watch
    functions: frozenset[str]


def _words(function: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(function) or "").split())


class Rules:
    """The rules of one module, or of all modules together. Keys are ids unless another key is named.

    ``predicates``: when an error clause or usage rule holds. ``parts``: which cases of an older clause belong to a
    clause that is a part of it. ``general``: for a requirement about many functions, when their calls violate it.

    ``promises``: function to its postcondition. ``aftermaths``: function to the state after a failed call.
    ``objects_with``: function to the error with which it may return an object. ``answers``: query to the values that
    the model allows for an object. ``effects``: function to its memory effect. ``between``: topic of an effect, or name
    of an optional feature, to the rule between query values. ``watches``: rules that check outcomes of any function.

    ``triggers``: id and function to the calls that cover the requirement. ``not_testable``: the reason why no call can
    test it.

    ``builders``: kind of a recurring condition to the builder of its predicates. ``carriers``: function to the rule
    that applies inherited clauses to its calls. ``completions``: functions that derive rules from the tables, after all
    others.

    ``confidence``: ``inferred`` or ``interpretation`` if a rule is not literal. ``readings``: pairs of a requirement
    and an interpretation by which its rule allows more, or on which it relies. ``unstated_in``: the versions whose own
    documents lack the sentence.

    ``words``: the condition or effect in the project's wording; ``kind_words`` and ``topic_words``: the same for
    recurring conditions and for topics.
    """

    def __init__(self) -> None:
        self.predicates: Registry[str, Predicate] = Registry("predicates")
        self.parts: Registry[str, Predicate] = Registry("parts of an older clause")
        self.general: Registry[str, GeneralRule] = Registry("general rules")
        self.promises: Registry[str, Promiser] = Registry("rules for success")
        self.aftermaths: Registry[str, Aftermath] = Registry("aftermaths")
        self.objects_with: Registry[str, str] = Registry("errors that come with an object")
        self.answers: Registry[str, AnswerRule] = Registry("rules for its answer")
        self.effects: Registry[str, EffectRule] = Registry("effects on memory")
        self.triggers: Registry[tuple[str, str], Trigger] = Registry("triggers")
        self.not_testable: Registry[str, str] = Registry("reasons not to test")
        self.builders: Registry[str, Builder] = Registry("builders of predicates")
        self.carriers: Registry[str, Carrier] = Registry("carriers of another function's clauses")
        self.between: Registry[str, BetweenAnswers] = Registry("rules between answers")
        self.watches: Registry[str, Watched] = Registry("watches")
        self.lacking: Registry[str, Lacking] = Registry("rules for lacking features")
        self.completions: Registry[str, Completion] = Registry("completions")
        self.unstated_in: Registry[str, Unstated] = Registry("gaps in older documents")
        self.confidence: dict[str, str] = {}
        self.readings: set[tuple[str, str]] = set()
        self.words: dict[str, str] = {}
        self.kind_words: dict[str, str] = {}
        self.topic_words: dict[str, str] = {}

    def _declare(
        self, registry: Registry[str, Any], keys: tuple[str, ...], words: dict[str, str], record: str = "{}"
    ) -> Callable[[_F], _F]:
        """Return a decorator that adds a function to a registry under each of the keys, and its docstring to ``words``.

        ``record``: the pattern of a key in ``words``.
        """

        def declare(function: _F) -> _F:
            registry.declare(*keys)(function)
            words.update(dict.fromkeys(map(record.format, keys), _words(function)))
            return function

        return declare

    def clause(self, *records: str) -> Callable[[_F], _F]:
        """Declare a predicate; its docstring describes in plain words when the clauses hold."""
        return self._declare(self.predicates, records, self.words)

    def part(self, *records: str) -> Callable[[_F], _F]:
        """Declare which cases of an older clause belong to these parts: they hold where both it and the function hold.

        The docstring describes in plain words when the parts hold.
        """
        return self._declare(self.parts, records, self.words)

    def generally(self, record: str, code_of: str, applies: Callable[[Function], bool]) -> Callable[[_F], _F]:
        """Declare the predicate of a requirement about many functions, as for a ``GeneralRule``."""

        def declare(function: _F) -> _F:
            self.general.add(record, GeneralRule(code_of, applies, function))  # type: ignore[arg-type]
            self.words[record] = _words(function)
            return function

        return declare

    def success(self, *functions: str) -> Callable[[_F], _F]:
        """Declare the postcondition of these functions; the docstring describes it in plain words."""
        return self._declare(self.promises, functions, self.words, "{}/success")

    def aftermath(self, *functions: str) -> Callable[[_F], _F]:
        """Declare how a failed call of these functions changes the model.

        The rule gets the call, the model and the error. If the error is CL_SUCCESS, the call succeeded although it
        should have failed. If it is ``UNEXPECTED``, no condition of the call explains the failure, and its effects may
        be complete, partial or absent.
        """
        return self.aftermaths.declare(*functions)

    def object_with(self, function: str, code: str) -> None:
        """Declare that a function may return an object with this error; a watch adds it to the model."""
        self.objects_with.add(function, code)

    def answer(self, *queries: str, of: type[ClObject] = ClObject) -> Callable[[_F], _F]:
        """Declare the expected value of a query on objects of a class; the docstring describes it in plain words.

        The rule gets the object and the query, and returns None if it does not apply.
        """

        def declare(function: _F) -> _F:
            for query in queries:
                self.answers.add(query, AnswerRule(of, function))  # type: ignore[arg-type]
                self.words[query] = _words(function)
            return function

        return declare

    def effect(self, *functions: str) -> Callable[[_F], _F]:
        """Declare the effect of these functions on the contents of memory."""
        return self.effects.declare(*functions)

    def recurring(self, kind: str, words: str) -> Callable[[_F], _F]:
        """Declare a function that builds the predicates of a kind.

        In its words ``{0}`` stands for a clause's first parameter and so on, ``{any}`` for all of them joined by *or*,
        ``{all}`` for all of them joined by *and*, ``{objects}`` for the same with the elements of lists, ``{object}``
        for the name of the handle type, ``{lacking}`` for the capabilities that the clause names, and ``{blocking}``
        for the condition that the call blocks, where the clause has it.
        """
        self.kind_words[kind] = words
        return self.builders.declare(kind)

    def carries(self, *functions: str) -> Callable[[_F], _F]:
        """Declare how inherited clauses, which other functions define, apply to calls of these functions.

        The rule gets the call, the model, the other function's name and its clause's predicate.
        """
        return self.carriers.declare(*functions)

    def between_answers(self, *topics: str) -> Callable[[_F], _F]:
        """Declare the rule of these topics; the docstring describes it in plain words."""
        return self._declare(self.between, topics, self.topic_words)

    def watch(self, *functions: str) -> Callable[[_F], _F]:
        """Declare a rule that checks every returned call: it returns the mismatches and the fulfilled requirements.

        It gets the call, the outcome, the error code's name and the model. ``functions``: those whose calls it checks;
        every call if none is named.
        """

        def declare(function: _F) -> _F:
            watched = Watched(function, frozenset(functions))  # type: ignore[arg-type]
            self.watches.add(f"{function.__module__}.{function.__name__}", watched)
            return function

        return declare

    def lacks(self, function: _F) -> _F:
        """Declare a function that finds the requirements that a device cannot exercise, each with the reason."""
        return self.lacking.declare(f"{function.__module__}.{function.__name__}")(function)

    def completion(self, function: _F) -> _F:
        """Declare a function that derives rules from the tables, after all modules have declared theirs."""
        return self.completions.declare(f"{function.__module__}.{function.__name__}")(function)

    def inferred(self, *records: str) -> None:
        """Declare that the rules of these requirements follow from the text, which does not state them."""
        self.confidence.update(dict.fromkeys(records, "inferred"))

    def by_reading(self, entry: str, *records: str) -> None:
        """Declare that the rules of these requirements, which are not clauses, allow more by an interpretation."""
        self.readings.update((record, entry) for record in records)

    def interpreted(self, entry: str, *records: str) -> None:
        """Declare that the rules of these requirements rely on an interpretation."""
        self.by_reading(entry, *records)
        self.confidence.update(dict.fromkeys(records, "interpretation"))

    def unstated(self, since: str, before: str, interpretation: str, *records: str) -> None:
        """Declare that the documents of some versions lack these requirements' sentences.

        The versions are those from ``since`` to before ``before``. For a driver of such a version, deviations are at
        most inferred, by ``interpretation``.
        """
        gap = Unstated(read_version(since), read_version(before), interpretation)
        for record in records:
            self.unstated_in.add(record, gap)

    def trigger(
        self,
        record: str,
        function: str,
        words: str,
        *parents: str,
        holds: Callable[[AnsweredCall], bool],
        by_success: bool = False,
    ) -> None:
        """Declare a coverage point: which calls of ``function`` cover a requirement.

        The judge reports mismatches for ``parents``; in a call that reaches the coverage point, the requirement gets
        the same verdict. Several functions may cover the same requirement.
        """
        self.triggers.add((record, function), Trigger(parents, holds, by_success))
        self.words[record] = words

    def untestable(self, record: str, words: str, reason: str) -> None:
        """Declare that no call can test a requirement, and why."""
        self.not_testable.add(record, reason)
        self.words[record] = words

    def merge(self, other: Rules) -> None:
        """Add the rules of another module; ValueError if both have one for the same key."""
        for name, registry in vars(self).items():
            theirs = getattr(other, name)
            if isinstance(registry, Registry):
                registry.merge(theirs)
            else:
                registry.update(theirs)
