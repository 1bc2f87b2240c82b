"""The end of a driver's process at its start is confirmed by further starts, if these are conclusive."""

from __future__ import annotations

import pytest

from clconform.calls.call import Call, Died, Hung
from clconform.harness import HarnessError, StartError, Target
from clconform.harness.oom_watch import MemoryWatch
from clconform.runner.deviations import startup_failures
from clconform.runner.deviations.startup_failures import confirm_start, create_start_deviation
from clconform.spec_tables import load

CALL, OTHER = Call("clGetPlatformInfo", {}), Call("clGetDeviceInfo", {})
CRASH, KILL, HANG = Died("signal", "SIGSEGV"), Died("killed", "SIGKILL"), Hung(5.0)
CRASHES, KILLS, HANGS = (StartError("no start", CALL, outcome) for outcome in (CRASH, KILL, HANG))
ELSEWHERE = StartError("no start", OTHER, CRASH)
GONE = HarnessError("no platform")


class UnstartableWorker:
    """A worker whose starts end with these errors, one after another; None: it starts."""

    ends: list[HarnessError | None]

    def __init__(self, _target: Target) -> None:
        end = UnstartableWorker.ends.pop(0)
        if end is not None:
            raise end

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("first", "further", "verdict", "repeated", "has_memory"),
    [
        (CRASHES, [CRASHES, CRASHES], "crashes", 2, True),
        (CRASHES, [CRASHES, None], "flaky", 1, True),
        (CRASHES, [None, None], "flaky", 0, True),
        (CRASHES, [ELSEWHERE, CRASHES], "flaky", 1, True),
        (CRASHES, [GONE, GONE], "unconfirmed", 0, True),
        (CRASHES, [CRASHES, GONE], "unconfirmed", 1, True),
        (CRASHES, [KILLS, KILLS], "unconfirmed", 0, True),
        (CRASHES, [KILLS, None], "flaky", 0, True),
        (HANGS, [HANGS], "hangs", 1, True),
        (HANGS, [KILLS], "unconfirmed", 0, True),
        (HANGS, [None], "flaky", 0, True),
        (KILLS, [KILLS, KILLS], "crashes", 2, True),
        (KILLS, [KILLS, KILLS], "unconfirmed", 0, False),
        (KILLS, [None, None], "unconfirmed", 0, True),
        (KILLS, [KILLS, GONE], "unconfirmed", 1, True),
    ],
)
def test_verdict_follows_from_the_further_starts(
    first: StartError,
    further: list[HarnessError | None],
    verdict: str,
    repeated: int,
    has_memory: bool,  # noqa: FBT001 (a table)
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(startup_failures, "Worker", UnstartableWorker)
    monkeypatch.setattr(MemoryWatch, "had_spare_memory", lambda _self: has_memory)
    monkeypatch.setattr(UnstartableWorker, "ends", list(further), raising=False)
    deviation = create_start_deviation(first, load())
    assert deviation is not None
    end = confirm_start(deviation, Target.simulated("flat-4"), load())
    assert (end.verdict, end.repeated, end.attempts) == (verdict, repeated, len(further))
    assert end.note
