"""Whose mistake it is that the judge finds in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.values import Operand
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.operands import operands_of
from clconform.validation.findings import (
    ADVICE,
    DEVIATION,
    DRIVER,
    ERROR,
    LOADER,
    NOBODY,
    PROBE,
    PROGRAM,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.engine.judge import Oracle
    from clconform.oracles.engine.judgements import Expectation, Judgement

NOT_FOUND = ("CL_DEVICE_NOT_FOUND", "CL_PLATFORM_NOT_FOUND_KHR")
"""Codes by which a program learns that something is not there."""
OF_LOADERS = ("clGetPlatformIDs", "clGetExtensionFunctionAddress", "clUnloadCompiler")
"""Functions that no object leads to a driver."""
LEADS_ON = {"clCreateContext": "devices", "clWaitForEvents": "event_list"}
"""Functions to the parameter that leads to a driver, where that is not the first."""

Operands = dict[str, dict[str, Operand]]
"""Record id to what the condition's words name, with the values of a call."""


class Verdict(NamedTuple):
    """What is to be said of a call: a ``Finding`` without its place and its calls."""

    party: str
    kind: str
    records: tuple[str, ...]
    words: str
    observed: str
    allowed: tuple[str, ...] = ()
    confidence: str = ""
    operands: Operands = {}  # noqa: RUF012 (never changed)


def operands_before(oracle: Oracle, expectation: Expectation) -> Operands:
    """Return the values of what the conditions name that hold for a call, before it moves the model on."""
    found = {}
    for held in expectation.musts:
        named = operands_of(expectation.call, oracle.model, oracle.rulebook.words_of(held.clause.id))
        if named:
            found[held.clause.id] = named
    return found


def verdicts(
    oracle: Oracle, expectation: Expectation, judgement: Judgement, operands: Mapping[str, dict[str, Operand]]
) -> Iterator[Verdict]:
    """Yield what is to be said of a call that has returned; ``operands``: of the conditions that held for it.

    A call that must fail is the program's mistake, whether or not the driver has noticed. A query that fails because
    something is not supported, or not there, is how programs find that out.
    """
    call, code = expectation.call, judgement.observed
    for blame in judgement.blames:
        party = LOADER if _is_answered_by_a_loader(call) else DRIVER
        words = "; ".join(words for words in blame.conditions.values() if words)
        yield Verdict(
            party, DEVIATION, blame.records, words, blame.observed, blame.allowed, blame.confidence, blame.operands
        )
    queries = oracle.tables.functions[call.function].queries
    for held in expectation.musts:
        asks = code in NOT_FOUND or (queries and held.clause.code == "CL_INVALID_VALUE")
        kind = PROBE if asks and not judgement.blames else ERROR
        words = oracle.rulebook.words_of(held.clause.id)
        values = {held.clause.id: operands[held.clause.id]} if held.clause.id in operands else {}
        sure = "interpretation" if held.interpretation else oracle.rulebook.confidence_of(held.clause.id)
        yield Verdict(PROGRAM, kind, (held.clause.id,), words, code, tuple(expectation.allowed), sure, values)
    if expectation.musts or judgement.blames or code == SUCCESS:
        return
    likely = tuple(held.clause.id for held in expectation.mays if held.clause.code == code)
    if likely:
        kind = PROBE if code in NOT_FOUND or queries else ADVICE
        words = "; ".join(filter(None, map(oracle.rulebook.words_of, likely)))
        yield Verdict(NOBODY, kind, likely, words or f"it fails with {code}", code)
    elif code in expectation.resources:
        yield Verdict(NOBODY, ADVICE, (), f"it fails with {code}: resources were lacking", code)


def _is_answered_by_a_loader(call: Call) -> bool:
    """Return whether nothing in a call leads a loader to a driver, so that it answers itself.

    ``clCreateContextFromType`` without properties goes to the driver of its choice.
    """
    if call.function in OF_LOADERS:
        return True
    first = next(iter(call.arguments), "")
    leads = LEADS_ON.get(call.function, first)
    return bool(leads) and leads != "properties" and call.arguments[leads] is None
