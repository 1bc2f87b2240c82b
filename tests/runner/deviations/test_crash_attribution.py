"""Attribution of crashes to the last call or to commands, and notes on other possible causes of unexpected bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from clconform.calls.call import Call, Died, Returned, Step
from clconform.calls.deviation_keys import build_key
from clconform.calls.journal import Deviation
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.judgements import SUCCESS, ObservedDeviation
from clconform.runner.deviations.crash_attribution import (
    COMMANDS_NOTE,
    LAST_CALL_NOTE,
    NEEDED_COMMANDS_NOTE,
    OTHER_WRITERS_NOTE,
    UNCHANGED_ATTEMPTS,
    describe_other_writers,
    repeat_unchanged,
)
from clconform.runner.deviations.replay import ReplayResult

if TYPE_CHECKING:
    from clconform.runner.deviations.replay import Replayer

ENQUEUE, BUILD = "clEnqueueNDRangeKernel", "clBuildProgram"
CRASH = Died("signal", "SIGSEGV")


def create_crash(
    function: str, alone: ObservedDeviation | None = None, *, undecided: bool = False
) -> ObservedDeviation:
    """Return a crash that violates the success requirement of a function."""
    requirements = (f"{function}/success",)
    symptom = symptoms.process_ended(CRASH.how, CRASH.detail)
    return ObservedDeviation(
        requirements,
        "crashes",
        "literal",
        (SUCCESS,),
        "a crash",
        {},
        symptom,
        {},
        function,
        undecided=undecided,
        call_deviation=alone,
    )


def crash_key(function: str) -> str:
    """Return the key of a crash that violates the success requirement of a function."""
    return build_key(function, [f"{function}/success"], "signal SIGSEGV")


SEQUENCE = [Step(Call(ENQUEUE, {}), Returned(0)), Step(Call(BUILD, {}), CRASH)]
UNDECIDED_CRASH = Deviation(
    "item",
    crash_key(ENQUEUE),
    [f"{ENQUEUE}/success"],
    "crashes",
    "inferred",
    [SUCCESS],
    "a crash",
    {},
    SEQUENCE,
    undecided=True,
)
CRASH_IN_CALL = create_crash(ENQUEUE, create_crash(BUILD), undecided=True)


def create_run(of: ObservedDeviation, steps: list[Step] = SEQUENCE, extra: tuple[int, ...] = ()) -> ReplayResult:
    """Return the result of a replay that ended with the crash ``of``."""
    return ReplayResult(list(steps), [{}] * (len(steps) - 1) + [{crash_key(ENQUEUE): of}], extra_steps=list(extra))


SURVIVING_RUN = ReplayResult([SEQUENCE[0], Step(SEQUENCE[1].call, Returned(0))], [{}, {}])
CRASH_BEFORE_CALL = create_run(
    create_crash(ENQUEUE, undecided=True), [SEQUENCE[0], Step(Call("clFlush", {}), CRASH)], extra=(1,)
)


class FixedReplayer:
    """A replayer that returns the given results one after another."""

    def __init__(self, *runs: ReplayResult) -> None:
        self._runs = iter(runs)

    def run(self, *_: object, **__: object) -> ReplayResult:
        """Return the next result."""
        return next(self._runs)


def attribute_runs(*runs: ReplayResult) -> tuple[str, int, str, str, list[str]]:
    """Return the verdict, repetitions, note and replacement of the crash, and the keys of further deviations."""
    end, others = repeat_unchanged(UNDECIDED_CRASH, cast("Replayer", FixedReplayer(*runs)))
    return end.verdict, end.repeated, end.note, end.replaced_by, [other.key for other in others]


def test_crash_that_always_occurs_in_one_call_is_attributed_to_the_call() -> None:
    ended = attribute_runs(*[create_run(CRASH_IN_CALL)] * UNCHANGED_ATTEMPTS)
    assert ended == ("crashes", UNCHANGED_ATTEMPTS, LAST_CALL_NOTE, crash_key(BUILD), [crash_key(BUILD)])


def test_crash_that_once_precedes_the_last_call_is_attributed_to_commands() -> None:
    ended = attribute_runs(*[create_run(CRASH_IN_CALL)] * (UNCHANGED_ATTEMPTS - 1), CRASH_BEFORE_CALL)
    assert ended == ("crashes", UNCHANGED_ATTEMPTS, COMMANDS_NOTE, "", [])


def test_intermittent_crash_is_attributed_to_commands() -> None:
    ended = attribute_runs(*[create_run(CRASH_IN_CALL)] * (UNCHANGED_ATTEMPTS - 1), SURVIVING_RUN)
    assert ended == ("crashes", UNCHANGED_ATTEMPTS - 1, COMMANDS_NOTE, "", [])


def test_crash_is_not_attributed_to_waiting_call() -> None:
    ended = attribute_runs(*[create_run(create_crash(ENQUEUE, undecided=True))] * UNCHANGED_ATTEMPTS)
    assert ended == ("crashes", UNCHANGED_ATTEMPTS, COMMANDS_NOTE, "", [])


@pytest.mark.parametrize("killed", [4, 3, 1])
def test_crash_is_unconfirmed_if_each_other_repetition_is_killed_from_outside(killed: int) -> None:
    steps = [SEQUENCE[0], Step(SEQUENCE[1].call, Died("killed", "SIGKILL"))]
    run = create_run(create_crash(ENQUEUE, undecided=True), steps)
    run.killed_keys.add(crash_key(ENQUEUE))
    lost = ReplayResult([Step(SEQUENCE[0].call, Returned(-5))], [{}])
    runs = [run] * killed + [lost] * (UNCHANGED_ATTEMPTS - killed)
    (end, others) = repeat_unchanged(UNDECIDED_CRASH, cast("Replayer", FixedReplayer(*runs)))
    assert (end.verdict, end.repeated, others) == ("unconfirmed", 0, [])
    assert "was killed from outside" in end.note


def test_crash_in_only_one_of_several_repetitions_is_flaky() -> None:
    assert attribute_runs(create_run(CRASH_IN_CALL), *[SURVIVING_RUN] * (UNCHANGED_ATTEMPTS - 1)) == (
        "flaky",
        1,
        "",
        "",
        [],
    )


COPY, FILL, MIGRATE, READ = (
    "clEnqueueCopyImage",
    "clEnqueueFillImage",
    "clEnqueueMigrateMemObjects",
    "clEnqueueReadImage",
)


@pytest.mark.parametrize(
    ("functions", "record", "symptom", "others"),
    [
        ([COPY, FILL, MIGRATE, READ], COPY, symptoms.UNEXPECTED_BYTES, [FILL, MIGRATE]),
        ([FILL, COPY, COPY, "clFinish", MIGRATE, MIGRATE, READ], COPY, symptoms.UNEXPECTED_BYTES, [MIGRATE]),
        ([FILL, MIGRATE, COPY, "clFinish", READ], COPY, symptoms.UNEXPECTED_BYTES, []),
        (["clCreateImage", FILL, READ], READ, symptoms.UNEXPECTED_BYTES, [FILL]),
        (["clCreateImage", READ], READ, symptoms.UNEXPECTED_BYTES, []),
        ([COPY, "clEnqueueReadBufferRect", READ, MIGRATE, READ], COPY, symptoms.UNEXPECTED_BYTES, [MIGRATE]),
        ([COPY, MIGRATE, READ], COPY, symptoms.unexpected_result("CL_INVALID_VALUE"), []),
    ],
)
def test_note_lists_commands_after_the_one_to_which_bytes_are_attributed(
    functions: list[str], record: str, symptom: symptoms.Symptom, others: list[str]
) -> None:
    key = build_key(READ, [f"{record}/success"], symptom.code)
    wrong = Deviation("item", key, [f"{record}/success"], "deviates", "literal", [], "", {}, [])
    steps = [Step(Call(function, {}), Returned(0)) for function in functions]
    for minimised, words in ((True, NEEDED_COMMANDS_NOTE), (False, OTHER_WRITERS_NOTE)):
        said = describe_other_writers(wrong, steps, minimised=minimised)
        assert said == (words.format(" and ".join(others)) if others else "")
