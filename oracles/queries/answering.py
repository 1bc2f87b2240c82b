"""Postcondition of a query: a value of the expected size and contents, kept as a fact of the object."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import OutputBuffer
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.answers import May
from clconform.oracles.engine.wants import (
    Complaint,
    Each,
    Element,
    OneOf,
    Promise,
    Such,
    Terminated,
    Values,
    Want,
    When,
    show,
)
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.programs import Program
from clconform.oracles.queries.constraints import by_own_text, constraints
from clconform.oracles.queries.questions import AS_MUCH_AS_FITS, Question, answer_size, queries_of
from clconform.oracles.recurring.making import counts_references, references

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.oracles.engine.judged_call import JudgedCall, RulesAsked
    from clconform.oracles.model.cl_object import Fact

CHANGING = (
    "REFERENCE_COUNT",
    "MAP_COUNT",
    "DEVICE_AVAILABLE",
    "EXECUTION_STATUS",
    "SEMAPHORE_PAYLOAD",
    "COMMAND_BUFFER_STATE",
    "MUTABLE_DISPATCH_GLOBAL_WORK",
    "MUTABLE_DISPATCH_LOCAL_WORK",
    "BUILD_STATUS",
    "BUILD_LOG",
    "QUEUE_DEVICE_DEFAULT",
)
"""Parts of the names of queries whose value may change from one call to the next."""


def answer_of_a_query(judged: JudgedCall) -> Promise:
    """The value has the size of its type, the returned size matches it, and the value describes the object."""
    call, question = judged.call, judged.question
    if question is None:
        return Promise()
    outputs: dict[str, Want] = {}
    if isinstance(call.param_value, OutputBuffer):
        outputs["param_value"] = wanted(question, judged.rulebook)
    if isinstance(call.param_value_size_ret, OutputBuffer):
        size = _wanted_size(question)
        if question.query.shape == "array" and "param_value" not in outputs:
            size = Each((*_of_known_length(question, judged.rulebook), size, *_of_nothing(question, judged.rulebook)))
        outputs["param_value_size_ret"] = size

    def apply(_value: Element, seen: dict[str, Values]) -> list[Complaint]:
        return learn(question, seen)

    return Promise(outputs=outputs, apply=apply)


def wanted(question: Question, rulebook: RulesAsked) -> Want:
    """Return the expected value: by the earlier value, the object's creation, and the tables.

    For an object created by a call that should have failed, only its earlier values are known.
    """
    query, thing = question.query, question.thing
    parts: list[Want] = []
    told = rulebook.answer_to(question)
    if told is not None:
        parts.append(by_own_text(told, query.id, question, rulebook))
    if isinstance(thing, ContextObject) and counts_references(query.name):
        parts.append(references(thing, query.id))
    if not thing.tainted or getattr(thing, "terminated", False):
        parts += constraints(question, rulebook)
    parts.append(_the_same_again(question))
    if query.shape == "string":
        return Terminated(tuple(parts), question.records, or_nothing=_may_be_nothing(question) is not None)
    one = query.shape == "scalar" and not _undefined(question)
    members = question.model.lookups.members_of(query.type) if one else 0
    return Each(tuple(parts), records=question.records, members=members)


def learn(question: Question, seen: dict[str, Values]) -> list[Complaint]:
    """Record a value as a fact of the object; return a mismatch if value and returned size disagree."""
    complaints = _learn(question, seen)
    _under_every_name(question)
    return complaints


def _under_every_name(question: Question) -> None:
    """Record the value under each name of equal value, since rules use the core name or an extension's."""
    facts, key, name = question.thing.facts, question.key, question.query.name
    for query in queries_of(question.call, question.model):
        if query.name != name:
            for kept in (key, f"size of {key}"):
                if kept in facts:
                    facts[kept.replace(name, query.name)] = facts[kept]


def _learn(question: Question, seen: dict[str, Values]) -> list[Complaint]:
    query, thing, key = question.query, question.thing, question.key
    sizes = seen.get("param_value_size_ret", [])
    size = sizes[0] if sizes and isinstance(sizes[0], int) else None
    if "param_value" not in seen:
        if size is not None:
            thing.facts[f"size of {key}"] = size
            if size == 0 and query.shape == "array":
                thing.facts[key] = ()
        return []
    values = [value for value in seen["param_value"] if value != UNTOUCHED]
    fact = _fact(question, values)
    if fact is _NOTHING or (not values and _undefined(question)):
        return []
    thing.facts[key] = fact
    known = _size_of_fact(question, fact)
    if known is not None and size and size != known:
        allowed, observed = f"{known} bytes for {show(values)}", f"param_value_size_ret {size}"
        return [Complaint(query.id, allowed, observed, symptoms.OTHER_SIZE)]
    return []


_NOTHING: Fact = "nothing to keep"


def _fact(question: Question, values: Values) -> Fact:
    """Return the fact to record for a value, or ``_NOTHING`` if the value does not have the query's type."""
    query = question.query
    if query.shape == "string":
        return "".join(str(value) for value in values).rstrip("\0")
    kept = tuple(value for value in values if not isinstance(value, float))
    if len(kept) < len(values):
        return _NOTHING
    if query.shape == "array":
        return kept
    lookups = question.model.lookups
    members = lookups.members_of(query.type)
    if len(kept) != members or (lookups.is_number(query.type) and not all(isinstance(each, int) for each in kept)):
        return _NOTHING
    return kept if members > 1 else kept[0]


def _size_of_fact(question: Question, fact: Fact) -> int | None:
    if isinstance(fact, str) and question.query.shape == "string":
        return len(fact.encode(errors="surrogateescape")) + 1 if "\\x" not in fact else None
    width = question.model.lookups.size_of(question.query.type)
    if question.query.shape == "array" and isinstance(fact, tuple) and width:
        return width * len(fact) // question.model.lookups.members_of(question.query.type)
    return None


def _wanted_size(question: Question) -> Want:
    """Return the expected size: the type's, or a multiple of an element's, and the same as before."""
    query = question.query
    width = question.model.lookups.size_of(query.type)
    if not width:
        return Each(())
    if query.shape == "scalar":
        return _size_of_one(width, query.id)
    try:
        size = answer_size(question)
    except UnknownError:
        size = None
    nothing = query.shape == "string" and _may_be_nothing(question) is not None
    known = question.thing.facts.get(f"size of {question.key}")
    before = known if isinstance(known, int) and stable(query.name) else None
    return _size_of_many(query.shape, width, query.id, size, before, or_nothing=nothing)


@functools.cache
def _size_of_one(width: int, record: str) -> Want:
    """Expect the size of the type."""
    return OneOf(((width,),), (record,))


@functools.lru_cache
def _size_of_many(
    shape: str, width: int, record: str, size: int | None, before: int | None, *, or_nothing: bool
) -> Want:
    """Expect a size that fits a string or an array, and equals ``before``; ``size``: the simulated platform's size."""
    choice = None if size is None else (size,)
    if shape == "string":
        least, why = (0, "there may be no source") if or_nothing else (1, "a string has a terminator")
        fits = Such(lambda seen: _number(seen) >= least, f"at least {least}: {why}", (record,), choice)
    else:
        fits = Such(lambda seen: _number(seen) % width == 0, f"a multiple of {width}", (record,), choice)
    if before is None:
        return fits
    return Each((fits, Such(lambda seen: _number(seen) == before, f"{before} as before", (record,))))


def _may_be_nothing(question: Question) -> May | None:
    """Return why a string may be empty, without a terminator; None if it must not."""
    program = question.thing
    sourceless = isinstance(program, Program) and not program.from_source
    return May("no-source-at-all") if sourceless and question.query.name == "CL_PROGRAM_SOURCE" else None


def _of_known_length(question: Question, rulebook: RulesAsked) -> list[Want]:
    """Return the expected size of an array, if only the size is queried and the rule lists all allowed values."""
    told = rulebook.answer_to(question)
    lookups = question.model.lookups
    width = lookups.size_of(question.query.type)
    if not isinstance(told, OneOf) or not width:
        return []
    members = lookups.members_of(question.query.type)
    sizes = dict.fromkeys(len(values) * width // members for values in told.alternatives)
    return [OneOf(tuple((size,) for size in sizes), told.records)]


def _of_nothing(question: Question, rulebook: RulesAsked) -> list[Want]:
    """Return the demands of the tables on an array, if only its size is queried and reported as 0."""

    def demand(want: Such) -> When:
        def empty(seen: Values) -> bool:
            return seen == [0] and (not isinstance(want, When) or want.applies([]))

        test, entry = want.test, want.inferred_by
        return When(lambda _seen: test([]), want.allowed, want.records, inferred_by=entry, applies=empty)

    found = [want for want in constraints(question, rulebook) if isinstance(want, Such)]
    return [demand(want) for want in found if want.records != (question.query.id,)]


def _the_same_again(question: Question) -> Want:
    """Expect the same value as before, for queries whose value does not change between calls."""
    known = question.thing.facts.get(question.key)
    if known is None or not stable(question.query.name) or _undefined(question) or _may_differ(question):
        return Each((), choice=known if isinstance(known, (str, tuple)) else None if known is None else (known,))
    values = known if isinstance(known, tuple) else (known,)
    return Each(()) if _names_what_is_gone(values, question) else OneOf((values,), (question.query.id,))


def _names_what_is_gone(values: Sequence[Element], question: Question) -> bool:
    """Return whether a value was an object that the application has released, whose handle no longer has a name."""
    type_ = question.model.tables.types.get(question.query.type)
    gone = (value for value in values if isinstance(value, str) and value not in question.model.things)
    return type_ is not None and type_.kind == "handle" and any(gone)


def _may_differ(question: Question) -> May | None:
    """Return why a value may differ between calls, where the documents do not specify it; None if it must not."""
    return _MAY_DIFFER.get(question.query.name)


_MAY_DIFFER = {
    "CL_DEVICE_MAX_CLOCK_FREQUENCY": May("clock-frequency"),
    "CL_PROGRAM_BINARY_SIZES": May("binaries-that-grow"),
}
"""Query to the interpretation by which its value may differ between calls."""


def _undefined(question: Question) -> bool:
    """Return whether a value is undefined, so that it may differ between calls or remain unwritten."""
    name = question.query.name.removesuffix("_KHR")
    if name not in ("CL_DEVICE_LUID", "CL_DEVICE_NODE_MASK"):
        return False
    facts = question.thing.facts
    return not any(facts.get(f"CL_DEVICE_LUID_VALID{suffix}") for suffix in ("", "_KHR"))


@functools.cache
def stable(name: str) -> bool:
    """Return whether the value of a query stays the same as long as the object does not change."""
    return name not in AS_MUCH_AS_FITS and not any(part in name for part in CHANGING)


def _number(seen: Values) -> int:
    return seen[0] if seen and isinstance(seen[0], int) else -1
