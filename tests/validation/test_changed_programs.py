"""A valid program with a call moved, repeated or dropped: exactly the calls that become illegal are reported."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from clconform.validation.findings import ADVICE, UNDEFINED

from .chance import CallEvents, ChangeStatistics, ProgramJudge, random_changes
from .chance import record_program as recorded_calls
from .conftest import POCL
from .legality import created_handles, find_illegal_calls

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Program = tuple[ProgramJudge, list[CallEvents]]

RELEASES = {
    "clReleaseMemObject": "cl_mem",
    "clReleaseKernel": "cl_kernel",
    "clReleaseProgram": "cl_program",
    "clReleaseCommandQueue": "cl_command_queue",
    "clReleaseEvent": "cl_event",
    "clReleaseContext": "cl_context",
}


@pytest.fixture(scope="module")
def recorded_program(build_program: Callable[..., Path], layer: Path) -> Program:
    """Return a judge for changed versions of a valid program, and the calls of the valid program."""
    del layer
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OCL_ICD_VENDORS", str(POCL))
        before, calls = recorded_calls(build_program("mistakes", "SHORT"))
    return ProgramJudge(before), calls


def released_object(call: CallEvents) -> int:
    return next(iter(call.begun.arguments.values())).bits


LISTS = ("event_wait_list", "event_list", "arg_value", "input_programs")
"""Arguments that are lists of handles, or the bytes of a handle."""


def uses_object(call: CallEvents, address: int) -> bool:
    """Return whether a call of the program uses an object: as an argument, in a list, or as a kernel argument."""
    if call.begun.opening:
        return False
    wanted = address.to_bytes(8, "little")
    for name, each in call.begun.arguments.items():
        listed = each.content if isinstance(each.content, bytes) else b""
        if each.bits == address or (name in LISTS and wanted in listed):
            return True
    return False


def test_unchanged_program_has_no_finding(recorded_program: Program) -> None:
    judging, calls = recorded_program
    assert judging.find_findings(calls) == []


def test_additional_release_is_reported_as_undefined_call(recorded_program: Program) -> None:
    judging, calls = recorded_program
    tried = 0
    for index, call in enumerate(calls):
        if call.begun.function in RELEASES:
            findings = judging.find_findings([*calls[: index + 1], call, *calls[index + 1 :]])
            assert [(each.kind, each.function) for each in findings] == [(UNDEFINED, call.begun.function)]
            tried += 1
    assert tried >= 10


def test_early_release_is_reported_at_next_use(recorded_program: Program) -> None:
    judging, calls = recorded_program
    tried = 0
    for index, call in enumerate(calls):
        last = max((at for at in range(index) if uses_object(calls[at], released_object(call))), default=None)
        if call.begun.function not in RELEASES or last is None:
            continue
        findings = judging.find_findings(
            [*calls[:last], call, calls[last], *calls[last + 1 : index], *calls[index + 1 :]]
        )
        serious = [each for each in findings if each.kind != ADVICE]
        assert [each.kind for each in serious] == [UNDEFINED], call.begun.function
        assert serious[0].function == calls[last].begun.function
        tried += 1
    assert tried >= 8


def test_missing_release_is_reported_as_advice(recorded_program: Program) -> None:
    judging, calls = recorded_program
    for index, call in enumerate(calls):
        if call.begun.function in RELEASES:
            findings = judging.find_findings([*calls[:index], *calls[index + 1 :]])
            assert {each.kind for each in findings} == {ADVICE}, call.begun.function


def test_swap_of_consecutive_releases_is_not_reported(recorded_program: Program) -> None:
    """Two consecutive releases may be swapped, because objects retain the objects that they were created from."""
    judging, calls = recorded_program
    tried = 0
    for index, (one, other) in enumerate(itertools.pairwise(calls)):
        if one.begun.function in RELEASES and other.begun.function in RELEASES:
            assert judging.find_findings([*calls[:index], other, one, *calls[index + 2 :]]) == []
            tried += 1
    assert tried >= 6


def test_random_changes_are_reported_only_if_illegal(
    build_program: Callable[..., Path], layer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Judge 40 random changes; ``python -m tests.validation.chance`` judges many more."""
    del layer
    monkeypatch.setenv("OCL_ICD_VENDORS", str(POCL))
    before, calls = recorded_calls(build_program("lifetimes"))
    assert find_illegal_calls(calls, created_handles(calls)) == []
    measured = ChangeStatistics(before, calls)
    for change in random_changes(len(calls), 1, 40):
        measured.judge_change(change)
    assert measured.illegal > 15
    assert measured.legal > 5
    assert measured.missed == []
    assert measured.false == []
