"""Where the rules are kept: predicates by clause, promises by function, answers by query.

A rule is written once, beside the words that describe it, and found by the id of its record.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.answers import Predicate
    from clconform.oracles.model import Model, Thing
    from clconform.oracles.promises import Promise, Values, Want

    Promiser: TypeAlias = Callable[[Call, Model], Promise]
    Answerer: TypeAlias = Callable[[Thing, Model], Want]

PREDICATES: dict[str, Predicate] = {}
"""Record id of an error clause to the predicate that tells when it holds."""

SURE: dict[str, str] = {}
"""Record id to ``inferred`` where its predicate goes beyond the letter; all others are ``literal``."""

PROMISERS: dict[str, Promiser] = {}
"""Function to what a successful call of it gives and changes."""

AFTERMATHS: dict[str, Callable[[Call, Model, str], None]] = {}
"""Function to what a failed call of it leaves behind all the same."""

ANSWERERS: dict[str, Answerer] = {}
"""Query to the values that the model allows on an object."""

SITUATIONS: dict[tuple[str, str], Situation] = {}
"""Record id of an effect, and a function, to the calls of it that put the effect to the test."""

UNTESTABLE: dict[str, str] = {}
"""Record id to the reason why no call can put it to the test."""

WORDS: dict[str, str] = {}
"""Record id to its condition or effect in the project's own words."""


@dataclass(eq=False)
class Asked:
    """A call as a situation sees it: before the model has moved on.

    ``seen``: outputs as they came back. ``code``: the error code's name, ``CL_SUCCESS`` included. ``subject``: the
    object that the call is about, by its first argument.
    """

    call: Call
    model: Model
    seen: dict[str, Values]
    code: str
    subject: Thing | None = field(init=False)

    def __post_init__(self) -> None:
        """Find the subject, which most situations ask for."""
        self.subject = self.model.known(next(iter(self.call.arguments.values()), None))


@dataclass(frozen=True)
class Answered:
    """The test for a situation that only calls which ask for one of these names can make."""

    names: tuple[str, ...]
    holds: Callable[[Asked], bool]

    def __call__(self, asked: Asked) -> bool:
        """Tell whether the situation is there, in a call that asks for one of the names."""
        return self.holds(asked)


@dataclass(frozen=True)
class Situation:
    """When an effect is put to the test, and which records a complaint falls on where it is violated.

    ``by_success``: only a call that succeeds can speak for it; one that fails wrongly speaks against it.
    """

    parents: tuple[str, ...]
    holds: Callable[[Asked], bool]
    by_success: bool = False


_F = TypeVar("_F", bound=Callable[..., object])


def _words(function: Callable[..., object]) -> str:
    return " ".join((inspect.getdoc(function) or "").split())


def clause(*records: str, sure: str = "literal") -> Callable[[_F], _F]:
    """Declare a predicate: its docstring says in our words when the clauses hold."""

    def declare(function: _F) -> _F:
        for record in records:
            if record in PREDICATES:
                raise ValueError(f"{record} has two predicates: {PREDICATES[record]!r} and {function!r}")
            PREDICATES[record] = function  # type: ignore[assignment]
            WORDS[record] = _words(function)
            if sure != "literal":
                SURE[record] = sure
        return function

    return declare


def promise(*functions: str) -> Callable[[_F], _F]:
    """Declare what success of these functions means; the docstring describes it in our words."""

    def declare(function: _F) -> _F:
        for name in functions:
            if name in PROMISERS:
                raise ValueError(f"{name} is promised twice")
            PROMISERS[name] = function  # type: ignore[assignment]
            WORDS[f"{name}/success"] = _words(function)
        return function

    return declare


def aftermath(*functions: str) -> Callable[[_F], _F]:
    """Declare what a failed call of these functions leaves behind; it gets the call, the model and the error's name."""

    def declare(function: _F) -> _F:
        for name in functions:
            if name in AFTERMATHS:
                raise ValueError(f"{name} has two aftermaths")
            AFTERMATHS[name] = function  # type: ignore[assignment]
        return function

    return declare


def answer(*queries: str) -> Callable[[_F], _F]:
    """Declare what a query must answer; the docstring describes it in our words."""

    def declare(function: _F) -> _F:
        for name in queries:
            if name in ANSWERERS:
                raise ValueError(f"{name} is answered twice")
            ANSWERERS[name] = function  # type: ignore[assignment]
            WORDS[name] = _words(function)
        return function

    return declare


def situation(
    record: str,
    function: str,
    words: str,
    *parents: str,
    holds: Callable[[Asked], bool],
    by_success: bool = False,
) -> None:
    """Declare when a call of ``function`` puts an effect to the test.

    The judge complains of ``parents``; in a call to which the situation applies, the effect shares their fate. Several
    functions may put the same effect to the test.
    """
    if (record, function) in SITUATIONS:
        raise ValueError(f"{record} is put to the test by {function} twice")
    SITUATIONS[record, function] = Situation(parents, holds, by_success)
    WORDS[record] = words


def untestable(record: str, words: str, reason: str) -> None:
    """Declare that no call can put a record to the test, and why."""
    UNTESTABLE[record] = reason
    WORDS[record] = words
