"""How a module of a chapter declares its rules: each once, with the words that describe it, under its record's id.

A module that declares any has them in ``rules = Rules()``; ``rulebook`` finds the modules and joins their rules.
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
    """The test for a trigger that only queries of these names meet."""

    names: tuple[str, ...]
    holds: Callable[[AnsweredCall], bool]

    def __call__(self, asked: AnsweredCall) -> bool:
        """Return whether a call that asks for one of the names meets the trigger."""
        return self.holds(asked)


@dataclass(frozen=True)
class Trigger:
    """When an effect is tested, and which records are violated with it.

    ``by_success``: only a successful call is evidence for it; a call that fails wrongly is evidence against it.
    """

    parents: tuple[str, ...]
    holds: Callable[[AnsweredCall], bool]
    by_success: bool = False


@dataclass(frozen=True)
class AnswerRule:
    """What a query must answer of objects of a kind."""

    kind: type[ClObject]
    says: Answerer


@dataclass(frozen=True)
class GeneralRule:
    """A sentence by which calls of many functions fail with one code.

    ``code_of``: an error clause that has the code. ``applies``: whether it is about a function. ``predicate``: when it
    holds for a call.
    """

    code_of: str
    applies: Callable[[Function], bool]
    predicate: Predicate


class Watched(NamedTuple):
    """A rule that checks the calls of some functions, or every call where none is named."""

    check: Watch
    functions: frozenset[str]


def _words(function: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(function) or "").split())


class Rules:
    """The rules of one module, or of all modules together.

    ``predicates``: record id of an error clause or usage rule to when it holds. ``parts``: record id of a clause that
    is a part of an older one to which of the cases of that clause are its own. ``general``: record id of a sentence
    about many functions to what it says of their calls. ``confidence``: record id to
    ``inferred`` or ``interpretation`` if a rule is not literal; others are ``literal``. ``readings``: pairs of a record
    and an entry of the register by which its rule allows more, or on which it rests. ``promises``: function to what
    a successful call returns and changes. ``aftermaths``: function to what a failed call leaves behind.
    ``objects_with``: function to the error with which it may return an object. ``answers``:
    query to what the model allows on an object. ``effects``: function to what it does to contents of memory.
    ``triggers``: record id of an effect, and a function, to the calls of it that test the effect. ``not_testable``:
    record id to the reason why no call can test it. ``builders``: kind of a recurring condition to what makes its
    predicates. ``carriers``: function to how the clauses that another function lends it are asked of its calls.
    ``between``: topic of an effect, or name of an optional feature, to the rule between answers.
    ``watches``: rules that check outcomes of any function. ``completions``: functions that add rules that follow from
    the tables, after all others. ``unstated_in``: record id to the versions whose own documents lack its sentence.
    ``words``: record id to its condition or effect in the project's wording; ``kind_words`` and ``topic_words`` the
    same for recurring conditions and for topics.
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

        ``record``: a key's name there.
        """

        def declare(function: _F) -> _F:
            registry.declare(*keys)(function)
            words.update(dict.fromkeys(map(record.format, keys), _words(function)))
            return function

        return declare

    def clause(self, *records: str) -> Callable[[_F], _F]:
        """Declare a predicate; its docstring states in plain words when the clauses hold."""
        return self._declare(self.predicates, records, self.words)

    def part(self, *records: str) -> Callable[[_F], _F]:
        """Declare of what an older clause says these parts are: they hold where that must, and the function says so.

        The docstring states in plain words when they hold.
        """
        return self._declare(self.parts, records, self.words)

    def generally(self, record: str, code_of: str, applies: Callable[[Function], bool]) -> Callable[[_F], _F]:
        """Declare the predicate of a sentence about many functions, as for a ``GeneralRule``."""

        def declare(function: _F) -> _F:
            self.general.add(record, GeneralRule(code_of, applies, function))  # type: ignore[arg-type]
            self.words[record] = _words(function)
            return function

        return declare

    def success(self, *functions: str) -> Callable[[_F], _F]:
        """Declare what success of these functions means; the docstring describes it in plain words."""
        return self._declare(self.promises, functions, self.words, "{}/success")

    def aftermath(self, *functions: str) -> Callable[[_F], _F]:
        """Declare what a failed call of these functions leaves behind; it gets the call, the model and the error.

        With CL_SUCCESS as the error: what one leaves that has succeeded although it had to fail; with ``UNEXPECTED``:
        that has failed without a condition of the call that explains it, and may have done all, a part or nothing.
        """
        return self.aftermaths.declare(*functions)

    def object_with(self, function: str, code: str) -> None:
        """Declare that a function may return an object with this error; a watch takes it into the model."""
        self.objects_with.add(function, code)

    def answer(self, *queries: str, of: type[ClObject] = ClObject) -> Callable[[_F], _F]:
        """Declare what a query must answer of objects of a kind; the docstring describes it in plain words.

        The rule gets the object and the question, and returns None if it does not apply.
        """

        def declare(function: _F) -> _F:
            for query in queries:
                self.answers.add(query, AnswerRule(of, function))  # type: ignore[arg-type]
                self.words[query] = _words(function)
            return function

        return declare

    def effect(self, *functions: str) -> Callable[[_F], _F]:
        """Declare what these functions do to the contents of memory."""
        return self.effects.declare(*functions)

    def recurring(self, kind: str, words: str) -> Callable[[_F], _F]:
        """Declare a function that builds the predicates of a kind.

        In its words ``{0}`` stands for a clause's first parameter and so on, ``{any}`` for all of them joined by *or*,
        ``{all}`` for all of them joined by *and*, ``{objects}`` for the same with what lists hold, ``{object}`` for the
        name of the handle type, ``{lacking}`` for the capabilities that the clause names, and ``{blocking}`` for the
        condition that the call blocks, where the clause has it.
        """
        self.kind_words[kind] = words
        return self.builders.declare(kind)

    def carries(self, *functions: str) -> Callable[[_F], _F]:
        """Declare how clauses of other functions, which the documents say hold here as well, are asked of calls.

        The rule gets the call, the model, the other function's name and its clause's predicate.
        """
        return self.carriers.declare(*functions)

    def between_answers(self, *topics: str) -> Callable[[_F], _F]:
        """Declare the rule of these topics; the docstring says it in plain words."""
        return self._declare(self.between, topics, self.topic_words)

    def watch(self, *functions: str) -> Callable[[_F], _F]:
        """Declare a rule that checks every returned call: it returns what is wrong, and which records were right.

        It gets the call, the outcome, the error code's name and the model. ``functions``: those whose calls it checks;
        every call where none is named.
        """

        def declare(function: _F) -> _F:
            watched = Watched(function, frozenset(functions))  # type: ignore[arg-type]
            self.watches.add(f"{function.__module__}.{function.__name__}", watched)
            return function

        return declare

    def lacks(self, function: _F) -> _F:
        """Declare a function that finds the records that a device cannot exercise, each with the reason."""
        return self.lacking.declare(f"{function.__module__}.{function.__name__}")(function)

    def completion(self, function: _F) -> _F:
        """Declare a function that adds rules that follow from the tables, after all modules have declared theirs."""
        return self.completions.declare(f"{function.__module__}.{function.__name__}")(function)

    def inferred(self, *records: str) -> None:
        """Declare that the rules of these records follow from the text, which does not state them."""
        self.confidence.update(dict.fromkeys(records, "inferred"))

    def by_reading(self, entry: str, *records: str) -> None:
        """Declare that the rules of these records, which are no clauses, allow more by an entry of the register."""
        self.readings.update((record, entry) for record in records)

    def interpreted(self, entry: str, *records: str) -> None:
        """Declare that the rules of these records rest on an entry of the register."""
        self.by_reading(entry, *records)
        self.confidence.update(dict.fromkeys(records, "interpretation"))

    def unstated(self, since: str, before: str, interpretation: str, *records: str) -> None:
        """Declare that the documents of the versions from ``since`` to before ``before`` lack these records' sentences.

        For a driver of such a version the records are inferred at most; ``interpretation``: the register's entry.
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
        """Declare when a call of ``function`` tests an effect.

        The judge complains about ``parents``; in a call that meets the trigger, the effect gets the same verdict.
        Several functions may test the same effect.
        """
        self.triggers.add((record, function), Trigger(parents, holds, by_success))
        self.words[record] = words

    def untestable(self, record: str, words: str, reason: str) -> None:
        """Declare that no call can test a record, and why."""
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
