"""Bisection of builds: the first changed build is found, and a replay determines the result of each build."""

from __future__ import annotations

import pytest

from clconform.calls.call import Call, Returned, Step
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import Deadlines, Target
from clconform.runner.deviations.bisection import BuildResult, find_first_change, run_on_build
from clconform.selftest.faults.partition import UNKNOWN_KEYS
from clconform.spec_tables import load

GOOD, BAD, WORSE, LOST = (
    BuildResult("good"),
    BuildResult("bad", frozenset("a")),
    BuildResult("bad", frozenset("b")),
    BuildResult("untestable"),
)
RESULTS_BY_LETTER = {"g": GOOD, "b": BAD, "w": WORSE, "?": LOST}


class FakeBuilds:
    """Builds whose results are given by letters. ``asked``: the numbers of the tested builds."""

    def __init__(self, letters: str) -> None:
        self.letters = letters
        self.asked: list[int] = []

    def __call__(self, number: int) -> BuildResult:
        """Return the result of a build."""
        self.asked.append(number)
        return RESULTS_BY_LETTER[self.letters[number]]


@pytest.mark.parametrize(
    ("letters", "suspects"),
    [
        ("gb", [1]),
        ("bg", [1]),
        ("ggggggggggggggbb", [14]),
        ("gbbbbbbbbbbbbbbb", [1]),
        ("gggggggbbbbbbbbbb", [7]),
        ("bbbbbbbbbbgggg", [10]),
        ("bbbbwwww", [4]),
        ("ggggbbwww", [4]),
        ("ggg???bbb", [3, 4, 5, 6]),
        ("?gggb???", [4]),
        ("g????????b", [*range(1, 10)]),
        ("gg?g?b?b?bb", [4, 5]),
        ("gggg?gbbbbb", [6]),
    ],
)
def test_bisection_finds_first_changed_build_and_tests_each_at_most_once(letters: str, suspects: list[int]) -> None:
    builds = FakeBuilds(letters)
    found = find_first_change(len(letters), builds)
    assert list(found.suspects) == suspects
    assert not found.is_unchanged
    assert len(builds.asked) == len(set(builds.asked))


def test_bisection_of_1000_builds_tests_at_most_12() -> None:
    for first in range(1, 1000, 37):
        builds = FakeBuilds("g" * first + "b" * (1000 - first))
        assert list(find_first_change(1000, builds).suspects) == [first]
        assert len(builds.asked) <= 12


@pytest.mark.parametrize("letters", ["gggg", "bbbb", "gbbg", "?g?g?"])
def test_builds_between_ends_with_equal_results_are_not_tested(letters: str) -> None:
    builds = FakeBuilds(letters)
    found = find_first_change(len(letters), builds)
    assert found.is_unchanged
    assert {number for number in builds.asked if letters[number] != "?"} == {
        min(letters.index(letter) for letter in "gb" if letter in letters),
        max(letters.rindex(letter) for letter in "gb" if letter in letters),
    }


@pytest.mark.parametrize("letters", ["", "g", "???", "?g??"])
def test_fewer_than_two_testable_builds_give_no_result(letters: str) -> None:
    found = find_first_change(len(letters), FakeBuilds(letters))
    assert (found.before, found.after, found.is_unchanged, list(found.suspects)) == (None, None, False, [])


def sequence_with_unknown_key() -> list[Step]:
    """Return a sequence whose last call has a property list with an unknown property."""
    retain = Step(Call("clRetainDevice", {"device": Handle("device1")}), Returned(0))
    arguments = {
        "in_device": Handle("device1"),
        "properties": ElementList((UNKNOWN_KEYS, 1, 0)),
        "num_devices": 1,
        "out_devices": OutputBuffer(1),
        "num_devices_ret": None,
    }
    return [retain, Step(Call("clCreateSubDevices", arguments), Returned(-30))]


def run_with_fault(fault: str) -> BuildResult:
    target = Target.simulated("numa-16", *(("--fault", fault) if fault else ()))
    return run_on_build(
        target, load(), sequence_with_unknown_key(), deadlines=Deadlines(builds=0.3, slow_calls=0.3, others=0.3)
    )


def test_change_among_simulated_builds_is_found() -> None:
    """Two of sixteen builds cannot be run. Only the last six have a fault that the sequence triggers."""
    faults = [*["", "sub-device-without-parent"] * 4, "no-such-fault", "no-such-fault", *["unknown-property-exits"] * 6]
    answers = {fault: run_with_fault(fault) for fault in dict.fromkeys(faults)}
    found = find_first_change(len(faults), lambda number: answers[faults[number]])
    assert list(found.suspects) == [8, 9, 10]
    assert "no-such-fault" in answers["no-such-fault"].reason


@pytest.mark.parametrize(
    ("fault", "observed"), [("unknown-property-exits", "exit"), ("unknown-property-hangs", "no answer")]
)
def test_build_that_crashes_or_hangs_has_verdict_bad(fault: str, observed: str) -> None:
    answer = run_with_fault(fault)
    assert answer.verdict == "bad"
    (key,) = answer.deviation_keys
    assert observed in key
    assert len(answer.steps) == 2


def test_build_on_which_sequence_is_impossible_has_verdict_untestable() -> None:
    gone = [Step(Call("clRetainDevice", {"device": Handle("device9")}), Returned(0))]
    answer = run_on_build(Target.simulated("numa-16"), load(), gone)
    assert (answer.verdict, answer.deviation_keys, bool(answer.reason)) == ("untestable", frozenset(), True)
