"""Attribution of crashes to the last call or to commands, and notes on other possible causes of unexpected bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pytest

from clconform.calls.call import Call, Died, Returned, Step
from clconform.calls.deviation_keys import key_of
from clconform.calls.journal import Deviation
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.judgements import SUCCESS, Blame
from clconform.runner.deviations.attributing import (
    BETWEEN_THEM,
    CAME_BETWEEN,
    ITSELF,
    SEVERAL,
    TOGETHER,
    repeated,
    who_else,
)
from clconform.runner.deviations.replay import Replayed

if TYPE_CHECKING:
    from clconform.runner.deviations.replay import Replayer

LAUNCH, BUILD = "clEnqueueNDRangeKernel", "clBuildProgram"
CRASH = Died("signal", "SIGSEGV")


def blame(function: str, alone: Blame | None = None, *, undecided: bool = False) -> Blame:
    """Return a crash that violates the success requirement of a function."""
    records = (f"{function}/success",)
    symptom = symptoms.died(CRASH.how, CRASH.detail)
    return Blame(
        records,
        "crashes",
        "literal",
        (SUCCESS,),
        "a crash",
        {},
        symptom,
        {},
        function,
        undecided=undecided,
        alone=alone,
    )


def key(function: str) -> str:
    """Return the key of such a crash."""
    return key_of(function, [f"{function}/success"], "signal SIGSEGV")


SEQUENCE = [Step(Call(LAUNCH, {}), Returned(0)), Step(Call(BUILD, {}), CRASH)]
SEEN = Deviation(
    "item",
    key(LAUNCH),
    [f"{LAUNCH}/success"],
    "crashes",
    "inferred",
    [SUCCESS],
    "a crash",
    {},
    SEQUENCE,
    undecided=True,
)
IN_THE_CALL = blame(LAUNCH, blame(BUILD), undecided=True)


def crashed(of: Blame, steps: list[Step] = SEQUENCE, extra: tuple[int, ...] = ()) -> Replayed:
    """Return a run that ended with this crash."""
    return Replayed(list(steps), [{}] * (len(steps) - 1) + [{key(LAUNCH): of}], extra=list(extra))


SURVIVED = Replayed([SEQUENCE[0]], [{}])
BEFORE_THE_CALL = crashed(blame(LAUNCH, undecided=True), [SEQUENCE[0], Step(Call("clFlush", {}), CRASH)], extra=(1,))


class Repeats:
    """A replayer that returns these results one after another."""

    def __init__(self, *runs: Replayed) -> None:
        self._runs = iter(runs)

    def run(self, *_: object, **__: object) -> Replayed:
        """Return the next run."""
        return next(self._runs)


def end_of(*runs: Replayed) -> tuple[str, int, str, str, list[str]]:
    """Return verdict, count, note, replacement, and the keys of the other deviations."""
    end, others = repeated(SEEN, cast("Replayer", Repeats(*runs)))
    return end.verdict, end.repeated, end.note, end.instead, [other.key for other in others]


def test_a_crash_that_always_comes_in_the_same_call_is_the_calls() -> None:
    ended = end_of(*[crashed(IN_THE_CALL)] * SEVERAL)
    assert ended == ("crashes", SEVERAL, ITSELF, key(BUILD), [key(BUILD)])


def test_a_crash_that_once_comes_before_the_call_is_the_commands() -> None:
    ended = end_of(*[crashed(IN_THE_CALL)] * (SEVERAL - 1), BEFORE_THE_CALL)
    assert ended == ("crashes", SEVERAL, TOGETHER, "", [])


def test_a_crash_that_once_stays_away_is_the_commands() -> None:
    ended = end_of(*[crashed(IN_THE_CALL)] * (SEVERAL - 1), SURVIVED)
    assert ended == ("crashes", SEVERAL - 1, TOGETHER, "", [])


def test_a_call_that_waits_for_the_commands_is_never_to_blame() -> None:
    ended = end_of(*[crashed(blame(LAUNCH, undecided=True))] * SEVERAL)
    assert ended == ("crashes", SEVERAL, TOGETHER, "", [])


def test_one_crash_of_several_is_flaky() -> None:
    assert end_of(crashed(IN_THE_CALL), *[SURVIVED] * (SEVERAL - 1)) == ("flaky", 1, "", "", [])


COPY, FILL, MIGRATE, READ = (
    "clEnqueueCopyImage",
    "clEnqueueFillImage",
    "clEnqueueMigrateMemObjects",
    "clEnqueueReadImage",
)


@pytest.mark.parametrize(
    ("functions", "record", "symptom", "others"),
    [
        ([COPY, FILL, MIGRATE, READ], COPY, symptoms.WRONG_BYTES, [FILL, MIGRATE]),
        ([FILL, COPY, COPY, "clFinish", MIGRATE, MIGRATE, READ], COPY, symptoms.WRONG_BYTES, [MIGRATE]),
        ([FILL, MIGRATE, COPY, "clFinish", READ], COPY, symptoms.WRONG_BYTES, []),
        (["clCreateImage", FILL, READ], READ, symptoms.WRONG_BYTES, [FILL]),
        (["clCreateImage", READ], READ, symptoms.WRONG_BYTES, []),
        ([COPY, "clEnqueueReadBufferRect", READ, MIGRATE, READ], COPY, symptoms.WRONG_BYTES, [MIGRATE]),
        ([COPY, MIGRATE, READ], COPY, symptoms.returned("CL_INVALID_VALUE"), []),
    ],
)
def test_commands_behind_the_one_that_wrote_wrong_bytes_are_named(
    functions: list[str], record: str, symptom: symptoms.Symptom, others: list[str]
) -> None:
    key = key_of(READ, [f"{record}/success"], symptom.code)
    wrong = Deviation("item", key, [f"{record}/success"], "deviates", "literal", [], "", {}, [])
    steps = [Step(Call(function, {}), Returned(0)) for function in functions]
    for minimised, words in ((True, BETWEEN_THEM), (False, CAME_BETWEEN)):
        said = who_else(wrong, steps, minimised=minimised)
        assert said == (words.format(" and ".join(others)) if others else "")
