"""Rules between answers, by the topic of the effect or the optional feature that states them.

A rule gets its record and the question, and returns what the answer must be, or None where the record says nothing of
this question. It asks other answers as facts of the object: UnknownError where nobody has asked for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.promises import Want
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables.records import Effect, OptionalBehaviour

    Rule: TypeAlias = "Callable[[Effect | OptionalBehaviour, Question], Want | None]"

RULES: dict[str, Rule] = {}
"""Topic of an effect, or name of an optional feature, to its rule."""

RULE_WORDS: dict[str, str] = {}
"""Topic or feature to the rule in our words."""


def rule(*topics: str) -> Callable[[Rule], Rule]:
    """Declare the rule of these topics; the docstring says it in our words."""

    def declare(function: Rule) -> Rule:
        for topic in topics:
            if topic in RULES:
                raise ValueError(f"{topic} has two rules")
            RULES[topic] = function
            RULE_WORDS[topic] = function.__doc__ or ""
        return function

    return declare
