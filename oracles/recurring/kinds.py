"""The registry of recurring conditions: what builds the predicate of each kind, and how it reads in our words."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.answers import Predicate
    from clconform.spec_tables.records import ErrorClause

    Builder: TypeAlias = Callable[[ErrorClause], Predicate]

_BUILDERS: dict[str, Builder] = {}
_WORDS = {
    "resources-device": "the device has no room for what the call needs",
    "resources-host": "the host has no room for what the call needs",
    "resources-object": "there is no memory for what the object holds",
}


def recurring(kind: str, words: str) -> Callable[[Builder], Builder]:
    """Declare what builds the predicates of a kind; ``{}`` in its words stands for the parameters of a clause."""

    def declare(builder: Builder) -> Builder:
        if kind in _BUILDERS:
            raise ValueError(f"the kind {kind} has two builders: {_BUILDERS[kind]!r} and {builder!r}")
        _BUILDERS[kind] = builder
        _WORDS[kind] = words
        return builder

    return declare


def structured_predicate(record: ErrorClause) -> Predicate | None:
    """Return the predicate for a clause whose condition is one of the recurring kinds, or None where it is not."""
    builder = builder_of(record)
    return builder(record) if builder else None


def builder_of(record: ErrorClause) -> Builder | None:
    """Return what builds the predicate for a clause of a recurring kind, or None where its condition is not one."""
    return _BUILDERS.get(record.condition.kind) if record.condition.parameters else None


def structured_words(record: ErrorClause) -> str:
    """Return in our words what a recurring condition says, or an empty string where it is not one."""
    words = _WORDS.get(record.condition.kind, "")
    if not words or ("{}" in words and not record.condition.parameters):
        return ""
    return words.format(" and ".join(record.condition.parameters))
