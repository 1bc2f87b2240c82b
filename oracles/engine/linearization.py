"""Judges concurrent calls: their outcomes are valid if an order of the calls explains all outcomes."""

from __future__ import annotations

import copy
import itertools
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Returned
from clconform.oracles.contents.access_rules import WAITING_FUNCTIONS
from clconform.oracles.engine.judgements import SUCCESS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call, Outcome
    from clconform.oracles.engine.judge import Oracle
    from clconform.oracles.engine.judgements import Expectation, Judgement

MAX_REORDERED_CALLS = 4
"""Maximum number of concurrent calls whose order matters: every order of them is tried."""
SET_STATUS = "clSetUserEventStatus"
SUBMITTING_FUNCTIONS = (*WAITING_FUNCTIONS, "clFlush", "clReleaseCommandQueue")
"""Calls that submit or complete earlier commands, but not the commands that concurrent calls enqueue."""


def is_order_relevant(calls: Sequence[Call], oracle: Oracle) -> bool:
    """Return whether calls may observe each other's effects, so that their results depend on their order."""
    queries = [oracle.tables.functions[call.function].queries for call in calls]
    return (any(queries) and not all(queries)) or any(call.function == SET_STATUS for call in calls)


def judge_concurrent_calls(
    oracle: Oracle, calls: Sequence[Call], outcomes: Sequence[Outcome]
) -> list[tuple[Expectation, Judgement]]:
    """Judge concurrent calls of several host threads and update the model; results are in the order of ``calls``.

    An order explains the outcomes if judging the calls in this order yields no deviation. Evidence counts only if every
    such order yields it. Without such an order, the calls are judged in the order with the fewest deviations. Among
    several such orders, it is the one with the fewest failures that no clause requires. If these numbers are equal, it
    is the order of ``calls``, with calls that submit or complete earlier commands first. Callbacks are judged after the
    last call of the order.
    """
    listed = sorted(range(len(calls)), key=lambda index: calls[index].function not in SUBMITTING_FUNCTIONS)
    fitting: list[list[tuple[Expectation, Judgement]]] = []
    best: Sequence[int] = listed
    least = (len(calls) + 1, 0)
    if len(calls) > 1 and is_order_relevant(calls, oracle):
        for order in _find_distinct_orders(listed, calls, outcomes):
            tried = _judge_in_order(_copy_oracle(oracle), calls, outcomes, order)
            wrong = _count_deviations(tried)
            if not any(wrong):
                fitting.append(tried)
            if wrong < least:
                best, least = order, wrong
    judged = _judge_in_order(oracle, calls, outcomes, best)
    for index, (_, judgement) in enumerate(judged):
        judgement.evidence = [
            each for each in judgement.evidence if all(each in tried[index][1].evidence for tried in fitting)
        ]
    return judged


def _count_deviations(judged: Sequence[tuple[Expectation, Judgement]]) -> tuple[int, int]:
    """Return the number of calls with deviations, and how many of these calls failed although no clause requires it."""
    blamed = [
        (expectation.required_errors, judgement.observed) for expectation, judgement in judged if judgement.deviations
    ]
    return len(blamed), sum(not musts and observed != SUCCESS for musts, observed in blamed)


def _judge_in_order(
    oracle: Oracle, calls: Sequence[Call], outcomes: Sequence[Outcome], order: Sequence[int]
) -> list[tuple[Expectation, Judgement]]:
    """Judge the calls one after the other in ``order``; return the results in the order of ``calls``."""
    judged = {}
    oracle.model.concurrent_count = len(calls)
    called_back = [each for outcome in outcomes if isinstance(outcome, Returned) for each in outcome.callbacks]
    for index in order:
        expectation, outcome = oracle.expect(calls[index]), outcomes[index]
        if isinstance(outcome, Returned) and called_back:
            outcome = msgspec.structs.replace(outcome, callbacks=called_back if index == order[-1] else [])
        judged[index] = (expectation, oracle.judge(expectation, outcome, validated=True))
        thing = expectation.context.model.find(next(iter(calls[index].arguments.values()), None))
        if thing is not None and calls[index].function.startswith(("clRetain", "clRelease")):
            thing.counted_concurrently = len(calls) > 1
    oracle.model.concurrent_count = 1
    return [judged[index] for index in range(len(calls))]


def _find_distinct_orders(
    listed: Sequence[int], calls: Sequence[Call], outcomes: Sequence[Outcome]
) -> Iterator[Sequence[int]]:
    """Yield the distinct orders of the calls; equal calls with equal outcomes are interchangeable."""
    pairs = list(zip(calls, outcomes, strict=True))
    alike = [pairs.index(pair) for pair in pairs]
    seen = set()
    for order in itertools.permutations(listed):
        key = tuple(alike[index] for index in order)
        if key not in seen:
            seen.add(key)
            yield order


def _copy_oracle(oracle: Oracle) -> Oracle:
    """Return a copy of the oracle in its current state, in which an order can be tried."""
    model = oracle.model
    shared = {id(each): each for each in (model.tables, model.lookups)}
    other = copy.copy(oracle)
    other.model = copy.deepcopy(model, shared)
    return other
