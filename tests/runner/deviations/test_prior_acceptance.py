"""Attribution of a crash or hang to an accepted invalid call: the crash needs this call, or uses its object."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Died, Hung, Returned, Step
from clconform.calls.deviation_keys import build_key
from clconform.calls.values import Handle
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.judge import describe_process_end
from clconform.oracles.engine.judgements import ObservedDeviation
from clconform.runner.deviations.prior_acceptance import (
    RETURNS_WITHOUT_ACCEPTED,
    USES_ACCEPTED_OBJECT,
    find_accepted_cause,
)
from clconform.runner.deviations.replay import ReplayResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CREATE, FIRST, SECOND, USE = "clCreateContext", "clFirst", "clSecond", "clUse"
CRASH, HANG = Died("signal", "SIGSEGV"), Hung(10)


def end_deviation(outcome: Died | Hung) -> dict[str, ObservedDeviation]:
    """Return one deviation, under its key: a last call crashed or hung with this outcome."""
    verdict, observed, symptom = describe_process_end(outcome)
    deviation = ObservedDeviation((f"{USE}/success",), verdict, "literal", ("CL_SUCCESS",), observed, {}, symptom)
    return {build_key(USE, [f"{USE}/success"], symptom.code): deviation}


def accepted_key(function: str) -> str:
    return build_key(function, [f"{function}/CL_INVALID_VALUE/1"], "CL_SUCCESS")


def create_step(function: str, *binds: str, uses: str = "") -> Step:
    return Step(Call(function, {"object": Handle(uses)} if uses else {}), Returned(0), list(binds))


SEQUENCE = [create_step(CREATE, "context1"), create_step(FIRST), create_step(SECOND), create_step(USE, uses="context1")]


class AcceptingReplayer:
    """A replayer of a driver that accepts some invalid calls, and crashes or hangs if ``ends`` returns True."""

    def __init__(self, accepts: Sequence[str], ends: Callable[[set[str]], bool], end: Died | Hung = CRASH) -> None:
        self._accepts, self._ends, self._end = accepts, ends, end

    def run(self, sequence: Sequence[Step], *, fresh: bool) -> ReplayResult:
        """Return the result of a replay of the sequence on this driver."""
        assert fresh
        steps, keys = list(sequence), [self._deviations_of(each) for each in sequence]
        if steps[-1].call.function == USE and self._ends({each.call.function for each in steps}):
            steps[-1] = Step(steps[-1].call, self._end)
            keys[-1] = end_deviation(self._end)
        return ReplayResult(steps, keys)

    def _deviations_of(self, made: Step) -> dict[str, ObservedDeviation]:
        function = made.call.function
        if function not in self._accepts:
            return {}
        requirement, symptom = f"{function}/CL_INVALID_VALUE/1", symptoms.unexpected_result("CL_SUCCESS")
        deviation = ObservedDeviation(
            (requirement,), "deviates", "literal", ("CL_INVALID_VALUE",), "CL_SUCCESS", {}, symptom
        )
        return {accepted_key(function): deviation}


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
        ([CREATE, FIRST], lambda made: FIRST in made, FIRST),
    ],
)
def test_crash_or_hang_is_attributed_to_the_accepted_call_that_it_needs(
    accepts: list[str], ends: Callable[[set[str]], bool], function: str, end: Died | Hung
) -> None:
    (key,) = end_deviation(end)
    found = find_accepted_cause(key, "item", SEQUENCE, AcceptingReplayer(accepts, ends, end))  # type: ignore[arg-type]
    assert (found.deviation.key if found else "") == (accepted_key(function) if function else "")
    if found is not None:
        assert found.note == RETURNS_WITHOUT_ACCEPTED
        deviation = found.deviation
        assert (deviation.item, deviation.verdict, deviation.while_confirming) == ("item", "deviates", True)


FIRST_WITH_OBJECT = create_step(FIRST, "buffer1", uses="context1")


@pytest.mark.parametrize(
    ("accepts", "sequence", "function"),
    [
        ([CREATE], SEQUENCE, CREATE),
        ([CREATE, SECOND], SEQUENCE, CREATE),
        ([CREATE], [create_step(CREATE, "context1"), FIRST_WITH_OBJECT, create_step(USE, uses="buffer1")], CREATE),
        (
            [CREATE, FIRST],
            [create_step(CREATE, "context1"), FIRST_WITH_OBJECT, create_step(USE, uses="buffer1")],
            FIRST,
        ),
        ([FIRST], [create_step(CREATE, "context1"), FIRST_WITH_OBJECT, create_step(USE, uses="context1")], ""),
        (
            [CREATE],
            [create_step(CREATE, "context1"), create_step(SECOND, "context2"), create_step(USE, uses="context2")],
            "",
        ),
    ],
)
def test_crash_with_invalid_object_is_attributed_to_its_creation(
    accepts: list[str], sequence: list[Step], function: str
) -> None:
    """No sequence works without the creating call. Of several accepted creations, the last is named."""
    driver = AcceptingReplayer(accepts, lambda _made: True)
    (key,) = end_deviation(CRASH)
    found = find_accepted_cause(key, "item", sequence, driver)  # type: ignore[arg-type]
    assert (found and (found.deviation.key, found.note)) == (
        (accepted_key(function), USES_ACCEPTED_OBJECT) if function else None
    )
