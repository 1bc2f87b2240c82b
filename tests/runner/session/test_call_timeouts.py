"""The deadline of a call depends on its function and on the memory that it frees."""

from __future__ import annotations

import pytest

from clconform.calls.values import Handle
from clconform.harness import Deadlines
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointer_memory import SvmAllocation
from clconform.runner.session.call_timeouts import MANY_HANGS, SHORT_FACTOR, call_deadline

from ...oracles.oracle_setup import DevicePlan, OracleSetup  # noqa: TID252 (tests are no part of the installed package)

DEADLINES = Deadlines(slow_calls=7.0, others=3.0)
GIB = 1 << 30


@pytest.mark.parametrize(
    ("function", "arguments", "seconds"),
    [
        ("clSVMFree", (Handle("context1"), Handle("pointer1")), 3.0 + 36),
        ("clReleaseMemObject", (Handle("mem1"),), 3.0 + 2),
        ("clSVMFree", (Handle("context1"), None), 3.0),
        ("clRetainMemObject", (Handle("mem1"),), 3.0),
        ("clReleaseContext", (Handle("context1"),), 7.0),
    ],
)
def test_deadline_of_call_grows_with_the_memory_that_it_frees(
    function: str, arguments: tuple[Handle | None, ...], seconds: float
) -> None:
    there = OracleSetup(DevicePlan())
    context = there.model.add(Context("context1", devices=[there.model.objects["device1"]]))
    there.model.add(SvmAllocation("pointer1", context=context, size=36 * GIB))
    there.model.add(MemoryObject("mem1", context=context, size=2 * GIB))
    expectation = Oracle(there.model).expect(there.call(function, *arguments))
    most = call_deadline(expectation, DEADLINES, there.model, known_to_hang=(), hung_with=(), times_hung={})
    assert most == pytest.approx(seconds)


@pytest.mark.parametrize(("times", "seconds"), [(MANY_HANGS - 1, 3.0), (MANY_HANGS, 3.0 * SHORT_FACTOR)])
def test_deadline_of_function_is_shorter_after_many_hangs(times: int, seconds: float) -> None:
    there = OracleSetup(DevicePlan())
    there.model.add(Context("context1", devices=[there.model.objects["device1"]]))
    for function, most in (("clRetainContext", seconds), ("clReleaseContext", 7.0)):
        expectation = Oracle(there.model).expect(there.call(function, Handle("context1")))
        hung = {"clRetainContext": times}
        assert call_deadline(
            expectation, DEADLINES, there.model, known_to_hang=(), hung_with=(), times_hung=hung
        ) == pytest.approx(most)
