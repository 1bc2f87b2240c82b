"""Attribution of a crash or hang to a wrongly accepted call: all calls return without it, or its object is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Died, Hung, Returned, Step
from clconform.calls.deviation_keys import key_of
from clconform.calls.values import Handle
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.judge import fate_of
from clconform.oracles.engine.judgements import Blame
from clconform.runner.deviations.accepted import ACCEPTED, MADE, left_by_an_accepted_call
from clconform.runner.deviations.replay import Replayed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAKE, FIRST, SECOND, USE = "clCreateContext", "clFirst", "clSecond", "clUse"
CRASH, HANG = Died("signal", "SIGSEGV"), Hung(10)


def ended(outcome: Died | Hung) -> dict[str, Blame]:
    """Return the deviation of a last call with this outcome, by its key."""
    verdict, observed, symptom = fate_of(outcome)
    blame = Blame((f"{USE}/success",), verdict, "literal", ("CL_SUCCESS",), observed, {}, symptom)
    return {key_of(USE, [f"{USE}/success"], symptom.code): blame}


def accepted_key(function: str) -> str:
    return key_of(function, [f"{function}/CL_INVALID_VALUE/1"], "CL_SUCCESS")


def step(function: str, *binds: str, uses: str = "") -> Step:
    return Step(Call(function, {"object": Handle(uses)} if uses else {}), Returned(0), list(binds))


SEQUENCE = [step(MAKE, "context1"), step(FIRST), step(SECOND), step(USE, uses="context1")]


class Driver:
    """A replayer of a driver that wrongly accepts some functions, and crashes or hangs if ``ends`` returns True."""

    def __init__(self, accepts: Sequence[str], ends: Callable[[set[str]], bool], end: Died | Hung = CRASH) -> None:
        self._accepts, self._ends, self._end = accepts, ends, end

    def run(self, sequence: Sequence[Step], *, fresh: bool) -> Replayed:
        """Return the result of a sequence."""
        assert fresh
        steps, keys = list(sequence), [self._blames(each) for each in sequence]
        if steps[-1].call.function == USE and self._ends({each.call.function for each in steps}):
            steps[-1] = Step(steps[-1].call, self._end)
            keys[-1] = ended(self._end)
        return Replayed(steps, keys)

    def _blames(self, made: Step) -> dict[str, Blame]:
        function = made.call.function
        if function not in self._accepts:
            return {}
        record, symptom = f"{function}/CL_INVALID_VALUE/1", symptoms.returned("CL_SUCCESS")
        blame = Blame((record,), "deviates", "literal", ("CL_INVALID_VALUE",), "CL_SUCCESS", {}, symptom)
        return {accepted_key(function): blame}


@pytest.mark.parametrize("end", [CRASH, HANG])
@pytest.mark.parametrize(
    ("accepts", "ends", "function"),
    [
        ([FIRST], lambda made: FIRST in made, FIRST),
        ([FIRST, SECOND], lambda made: FIRST in made, FIRST),
        ([FIRST, SECOND], lambda made: SECOND in made, SECOND),
        ([FIRST, SECOND], lambda made: made >= {FIRST, SECOND}, SECOND),
        ([FIRST, SECOND], lambda made: bool(made & {FIRST, SECOND}), SECOND),
        ([FIRST], lambda made: SECOND in made, ""),
        ([FIRST], lambda _made: True, ""),
        ([FIRST], lambda _made: False, ""),
        ([], lambda made: FIRST in made, ""),
        ([MAKE, FIRST], lambda made: FIRST in made, FIRST),
    ],
)
def test_whose_doing_it_is(
    accepts: list[str], ends: Callable[[set[str]], bool], function: str, end: Died | Hung
) -> None:
    (key,) = ended(end)
    found = left_by_an_accepted_call(key, "item", SEQUENCE, Driver(accepts, ends, end))  # type: ignore[arg-type]
    assert (found.deviation.key if found else "") == (accepted_key(function) if function else "")
    if found is not None:
        assert found.note == ACCEPTED
        deviation = found.deviation
        assert (deviation.item, deviation.verdict, deviation.while_confirming) == ("item", "deviates", True)


OF_IT = step(FIRST, "buffer1", uses="context1")


@pytest.mark.parametrize(
    ("accepts", "sequence", "function"),
    [
        ([MAKE], SEQUENCE, MAKE),
        ([MAKE, SECOND], SEQUENCE, MAKE),
        ([MAKE], [step(MAKE, "context1"), OF_IT, step(USE, uses="buffer1")], MAKE),
        ([MAKE, FIRST], [step(MAKE, "context1"), OF_IT, step(USE, uses="buffer1")], FIRST),
        ([FIRST], [step(MAKE, "context1"), OF_IT, step(USE, uses="context1")], ""),
        ([MAKE], [step(MAKE, "context1"), step(SECOND, "context2"), step(USE, uses="context2")], ""),
    ],
)
def test_what_works_with_an_object_that_there_must_not_be(
    accepts: list[str], sequence: list[Step], function: str
) -> None:
    """The creating call cannot be left out, and the crash is attributed to the last wrongly accepted creation."""
    driver = Driver(accepts, lambda _made: True)
    (key,) = ended(CRASH)
    found = left_by_an_accepted_call(key, "item", sequence, driver)  # type: ignore[arg-type]
    assert (found and (found.deviation.key, found.note)) == ((accepted_key(function), MADE) if function else None)
