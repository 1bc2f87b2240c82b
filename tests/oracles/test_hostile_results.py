"""Results of a driver are untrusted input: arbitrary results must not raise exceptions in the oracle.

The valid call of each function and each query are judged with arbitrary outcomes. Further calls are then judged, also
with arbitrary outcomes, on the model that results.
"""

from __future__ import annotations

import copy
import functools
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from clconform.calls.call import UNTOUCHED, Call, CallbackInvocation, Died, Hung, Output, Returned
from clconform.calls.values import OutputBuffer, OutputBuffers
from clconform.oracles.engine.judge import IMPOSSIBLE_OUTCOME, Oracle
from clconform.oracles.engine.operands import operands_of
from clconform.oracles.model.devices import Device, Platform
from clconform.runner.session.cleanup import release_calls
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.spec_tables import load
from clconform.spec_tables.lookups import TableLookups
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.query_modes import QueryCaller
from clconform.suites.kit.valid_calls import all_valid_calls
from clconform.suites.queries.kinds import all_object_kinds

from ..case_sampling import ALL  # noqa: TID252 (tests are not part of the installed package)
from .kits import open_kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Outcome
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.requirements import Query

EXAMPLES = 400 if ALL else 200
"""Number of result sequences that are drawn for each platform; ``find_failures`` takes any number."""
FOLLOW_UP_CALLS = 4
"""Maximum number of release calls after the first arbitrary result; they have arbitrary results too."""
TOPOLOGIES = ("numa-16", "everything", "bus-shared")


class CallSnapshot(NamedTuple):
    """A call, and the model before the call."""

    call: Call
    model: Model


def _copy_model(model: Model) -> Model:
    """Return a copy of the model. Immutable parts are shared."""
    shared = {id(each): each for each in (model.tables, model.lookups)}
    return copy.deepcopy(model, shared)


def _generate_calls(topology: str) -> Iterator[CallSnapshot]:
    """Yield the valid call of each function, and each query with all outputs, with the model before the call."""
    tables = load()
    with open_kit(topology) as first:
        session = first.cl
        for function in all_valid_calls():
            with session.example(), suppress(pytest.skip.Exception, UndefinedCallError, ExampleOverError):
                arguments = Kit(session).valid_arguments(function)
                yield CallSnapshot(Call(function, arguments), _copy_model(session.model))
        for function, kinds in all_object_kinds().items():
            queries = [each for each in tables.queries_of(function) if each.name in tables.enumerants]
            for kind in kinds.values():
                with session.example(), suppress(pytest.skip.Exception, UndefinedCallError, ExampleOverError):
                    asker = QueryCaller(session, function, kind.create(Kit(session)))
                    model = _copy_model(session.model)
                    for query in queries:
                        for size in (_get_value_size(query) or 1, 64):
                            call = asker.build_call(tables.enumerants[query.name].value, size, OutputBuffer(size))
                            yield CallSnapshot(call, model)


def _get_value_size(query: Query) -> int:
    return TableLookups.for_tables(load()).size_of(query.type)


numbers = st.one_of(
    st.sampled_from([0, 1, -1, 2, 3, -30, 1 << 31, (1 << 32) - 1, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1]),
    st.integers(-(1 << 63), (1 << 64) - 1),
)
names = st.sampled_from(["device1", "device2", "context1", "event1", "queue1", "mem99", "platform1", "pointer7", "x"])
texts = st.one_of(
    st.sampled_from(
        [
            "",
            "\0",
            "OpenCL 3.0 x\0",
            "OpenCL 99999999999.1\0",
            "OpenCL C \0",
            "OpenCL C x.y \0",
            "FULL_PROFILE\0",
            "9" * 5000 + ".1\0",
            "\0\0",
            "OpenCL \u0661.\u0662 \0",
            "a;b;",
            "-",
            "0",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=40),
)
odd_values = st.one_of(
    numbers,
    st.integers(),
    names,
    texts,
    st.none(),
    st.just(UNTOUCHED),
    st.floats(),
    st.booleans(),
)


bytes_up_to = functools.cache(lambda count: st.binary(max_size=count))
elements = st.sampled_from([numbers, names, texts, st.just(UNTOUCHED), odd_values])
lists_of = functools.cache(lambda each, count: st.lists(each, max_size=count))
argument_names = functools.cache(lambda arguments: st.lists(st.sampled_from([*arguments, "nobody"]), max_size=2))
one_in_ten, booleans, one_in_twenty = st.integers(0, 9), st.booleans(), st.integers(0, 19)
any_output = st.builds(Output, st.lists(odd_values, max_size=20), st.integers(-1, 1 << 40), st.binary())
abnormal_ends = st.sampled_from([Died("signal", "SIGSEGV"), Died("odd", "", "x"), Hung(5.0), Hung(float("inf"))])
values = st.one_of(st.just(0), st.just(None), st.just("context2"), st.just("pointer3"), numbers, odd_values)
callback_invocations = st.builds(
    CallbackInvocation,
    st.sampled_from(["done", "told", "x"]),
    st.dictionaries(
        st.sampled_from(["event", "user_data", "memobj", "", "x"]), odd_values | st.lists(odd_values), max_size=3
    ),
    st.booleans(),
)
callback_lists = st.lists(callback_invocations, max_size=2)
alignments, any_alignment, any_seconds = st.sampled_from([0, 1, 4096]), st.integers(), st.floats()
"""Strategies are created once: creating and checking them takes longer than drawing."""


@st.composite
def outputs_for(draw: st.DrawFn, call: Call) -> dict[str, Output]:
    """Draw outputs, mostly of the expected shape, because the check of their form rejects all others."""
    found: dict[str, Output] = {}
    for name, value in call.arguments.items():
        if isinstance(value, OutputBuffers):
            parts = [draw(bytes_up_to(count)).hex() for count in value.counts]
            found[name] = Output(list(parts), sum(len(each) // 2 for each in parts))
        elif isinstance(value, OutputBuffer):
            few = draw(lists_of(draw(elements), min(value.count, 8)))
            raw = draw(bytes_up_to(min(value.count, 64)))
            found[name] = Output(list(few), draw(st.sampled_from([0, len(raw), value.count])), raw)
    if draw(one_in_ten) == 0:
        for name in draw(argument_names(tuple(call.arguments))):
            found.pop(name, None)
            if draw(booleans):
                found[name] = draw(any_output)
    return found


@st.composite
def outcomes_for(draw: st.DrawFn, call: Call) -> Outcome:
    """Draw an outcome of a call."""
    fate = draw(one_in_twenty)
    if fate == 0:
        return draw(abnormal_ends)
    value = draw(values)
    called = draw(callback_lists) if fate == 1 else []
    overrun = draw(argument_names(tuple(call.arguments))) if fate == 2 else []
    alignment = draw(any_alignment if fate == 3 else alignments)
    seconds = draw(any_seconds) if fate == 4 else 0.0
    return Returned(value, draw(outputs_for(call)), overrun, called, seconds, alignment)


def _follow_up_calls(model: Model, call: Call) -> list[Call]:
    """Return the same call again, and calls that release the model's objects."""
    for thing in model.objects.values():
        if isinstance(thing, Platform | Device):
            thing.refresh()
    return [call, *(each for each, _ in zip(release_calls(model), range(FOLLOW_UP_CALLS), strict=False))]


def _judge(oracle: Oracle, call: Call, outcome: Outcome) -> None:
    expectation = oracle.expect(call)
    judgement = oracle.judge(expectation, outcome)
    assert judgement.observed or judgement.implementation_defined
    for deviation in judgement.deviations:
        assert deviation.requirements
        assert len(deviation.observed) < 10_000
        operands_of(call, oracle.model, deviation.observed)
    if judgement.observed == IMPOSSIBLE_OUTCOME:
        assert not judgement.deviations


@functools.cache
def _split_calls(topology: str) -> tuple[tuple[CallSnapshot, ...], ...]:
    """Return the valid calls and the queries as separate tuples, because there are many more queries."""
    every = tuple(_generate_calls(topology))
    valid = len(all_valid_calls())
    return every[:valid], every[valid:]


def find_failures(topology: str, examples: int) -> dict[str, str]:
    """Judge ``examples`` arbitrary results, each with further calls; map source locations to the exceptions there."""
    failed: dict[str, str] = {}
    any_call = st.one_of(map(st.sampled_from, _split_calls(topology)))

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=True,
        phases=(Phase.generate,),
        suppress_health_check=tuple(HealthCheck),
    )
    @given(st.data())
    def answered(data: st.DataObject) -> None:
        asked = data.draw(any_call)
        oracle = Oracle(_copy_model(asked.model))
        calls = [asked.call]
        try:
            _judge(oracle, asked.call, data.draw(outcomes_for(asked.call)))
            for call in _follow_up_calls(oracle.model, asked.call):
                calls.append(call)
                _judge(oracle, call, data.draw(outcomes_for(call)))
        except Exception as error:  # noqa: BLE001 (all exceptions are reported together)
            failed.setdefault(_locate_error(error), f"{error!r} at {calls[-1].function}")

    answered()
    return failed


def _locate_error(error: BaseException) -> str:
    """Return the source location in the oracle where an exception was raised."""
    last, place = error.__traceback__, "elsewhere"
    while last is not None:
        code = last.tb_frame.f_code
        if "/oracles/" in code.co_filename and "/tests/" not in code.co_filename:
            place = f"{code.co_filename.rpartition('/oracles/')[2]}:{last.tb_lineno}"
        last = last.tb_next
    return place


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_arbitrary_results_do_not_raise_exceptions_in_the_oracle(topology: str) -> None:
    assert not find_failures(topology, EXAMPLES)
