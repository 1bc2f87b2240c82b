"""Violations that drivers refuse, kernel arguments, and released objects: one finding for each cause."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import RecordingFile
from clconform.spec_tables import load
from clconform.validation.findings import ERROR, FAILED, NOTE_KINDS, PROBE, PROCESS_ENDED, PROGRAM, UNCLEAR, UNDEFINED
from clconform.validation.recording_judge import validate_recording

from .conftest import HERE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from clconform.validation.findings import Validation

ARGUMENT, ENQUEUE = "clSetKernelArg", "clEnqueueNDRangeKernel"
WRONG: dict[str, list[tuple[str, str]]] = {
    "scalar_size": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_SIZE/1")],
    "vector_size": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_SIZE/1")],
    "macro_size": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_SIZE/1")],
    "wide_size": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_SIZE/1")],
    "object_size": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_SIZE/1")],
    "local_size": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_SIZE/1")],
    "null_value": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_VALUE/1")],
    "argument_index": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_INDEX/1")],
    "no_arguments": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_INDEX/1")],
    "unset": [(ERROR, f"{ENQUEUE}/CL_INVALID_KERNEL_ARGS/1")],
    "unset_of_all": [(ERROR, f"{ENQUEUE}/CL_INVALID_KERNEL_ARGS/1")],
    "unset_of_clone": [(ERROR, f"{ENQUEUE}/CL_INVALID_KERNEL_ARGS/1")],
    "host_pointer": [(ERROR, f"{ARGUMENT}/CL_INVALID_MEM_OBJECT/1")],
    "buffer_as_image": [(ERROR, f"{ARGUMENT}/CL_INVALID_ARG_VALUE/1")],
    "released_argument": [(UNDEFINED, ARGUMENT)],
    "released_before_launch": [(UNDEFINED, ENQUEUE)],
    "released_sampler": [(UNDEFINED, ENQUEUE)],
    "released_event": [(UNDEFINED, "clEnqueueFillBuffer")],
    "released_in_list": [(UNDEFINED, "clEnqueueMigrateMemObjects")],
    "released_in_descriptor": [(UNDEFINED, "clCreateImage")],
    "freed_before_launch": [(UNDEFINED, ENQUEUE)],
    "released_by_clone": [(UNDEFINED, ENQUEUE)],
    "group_size": [(ERROR, f"{ENQUEUE}/CL_INVALID_WORK_ITEM_SIZE/1")],
    "group_multiple": [(ERROR, f"{ENQUEUE}/CL_INVALID_WORK_GROUP_SIZE/4")],
    "required_group": [(ERROR, f"{ENQUEUE}/CL_INVALID_WORK_GROUP_SIZE/1")],
    "kernel_name": [(ERROR, "clCreateKernel/CL_INVALID_KERNEL_NAME/1")],
    "missing_buffer": [(ERROR, "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1")],
    "small_log": [(ERROR, "clGetProgramBuildInfo/CL_INVALID_VALUE/1")],
    "small_name": [(ERROR, "clGetDeviceInfo/CL_INVALID_VALUE/1")],
    "missing_kernel": [(ERROR, "clCreateKernel/CL_INVALID_KERNEL_NAME/1")],
    "read_past_end": [(ERROR, "clEnqueueReadBuffer/CL_INVALID_VALUE/1")],
    "image_format": [(ERROR, "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1")],
}
"""Maps cases of ``refused.c`` to the findings about the program."""
LEGAL = (
    "handle_as_number",
    "null_buffer",
    "retained_before_launch",
    "parent_before_launch",
    "replaced_before_launch",
    "unknown_query",
    "struct_size",
    "hidden_size",
)
"""Cases of ``refused.c`` that violate no rule of which the recording has all facts."""
Runner = "Callable[..., Validation]"


@pytest.fixture
def validate(build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]) -> Runner:
    """Return a function that runs a case of ``refused.c`` and judges the recording."""
    program = build_program("refused")

    def validated(*words: str) -> Validation:
        return validate_recording(RecordingFile(record_program(program, *words)[0], load()), load(), words[0])

    return validated


def program_findings(validation: Validation) -> list[tuple[str, str]]:
    """Return the kind and the rule of each finding about the program that counts."""
    return [
        (each.kind, "+".join(each.requirements) or each.function)
        for each in validation.findings
        if each.party == PROGRAM and each.kind not in NOTE_KINDS
    ]


@pytest.mark.parametrize("name", WRONG)
def test_each_violation_has_one_finding(name: str, validate: Runner) -> None:
    validation = validate(name, "wrong")
    assert program_findings(validation) == WRONG[name]
    unclear = {each.kind for each in validation.findings if each.party == UNCLEAR}
    assert unclear <= {FAILED, PROCESS_ENDED}


@pytest.mark.parametrize("name", [*WRONG, *LEGAL])
def test_program_without_the_violation_has_no_finding(name: str, validate: Runner) -> None:
    validation = validate(name, "right")
    counted = [each for each in validation.findings if each.kind not in NOTE_KINDS]
    assert [each for each in counted if each.function != "clBuildProgram"] == []
    assert validation.not_judged == {}


def test_refusal_is_not_attributed_if_the_declaration_is_unknown(validate: Runner) -> None:
    finding, launch = validate("hidden_size", "wrong").findings
    assert (finding.party, finding.kind) == (UNCLEAR, FAILED)
    assert finding.requirements == [f"{ARGUMENT}/CL_INVALID_ARG_SIZE/1"]
    assert "declaration of argument 1 of kernel1 (hidden) is not known" in finding.reason
    assert (launch.party, launch.kind) == (PROGRAM, ERROR)  # it is certain that the argument is not set


def test_failed_launch_follows_from_the_refused_argument(validate: Runner) -> None:
    (finding,) = validate("scalar_size", "wrong").findings
    assert finding.consequences == 1


def test_finding_names_the_argument_and_both_places_of_a_released_object(validate: Runner) -> None:
    (finding,) = (each for each in validate("released_before_launch", "wrong").findings if each.party == PROGRAM)
    lines = (HERE / "refused.c").read_text(encoding="utf-8").splitlines()
    made = next(number for number, line in enumerate(lines, 1) if "released_before_launch(void)" in line) + 3
    assert "argument 0 (global int* all) of kernel1 (scale)" in finding.reason
    assert f"created by clCreateBuffer, call 9, {HERE / 'refused.c'}:{made}" in finding.reason
    assert f"released by clReleaseMemObject, call 12, {HERE / 'refused.c'}:{made + 4}" in finding.reason


def test_unset_argument_is_named(validate: Runner) -> None:
    (finding,) = validate("unset", "wrong").findings
    assert "argument 1 (int by)" in finding.reason


def test_failed_query_that_succeeds_later_is_a_probe(validate: Runner) -> None:
    (finding,) = validate("small_name", "right").findings
    assert finding.kind == PROBE


def test_only_queries_that_do_not_succeed_later_are_counted(validate: Runner) -> None:
    (finding,) = validate("small_names", "wrong").findings
    assert (finding.kind, finding.count) == (ERROR, 2)
    (finding,) = validate("small_names", "right").findings
    assert (finding.kind, finding.count) == (PROBE, 3)


def test_failed_query_is_a_probe_if_the_process_may_have_been_ended(
    validate: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKIP_EXIT_HANDLERS", "1")
    (finding,) = validate("small_name", "wrong").findings
    assert finding.kind == PROBE


def test_failed_build_is_shown_and_not_attributed(validate: Runner) -> None:
    validation = validate("small_log", "right")
    assert [(each.party, each.kind) for each in validation.findings if each.kind not in NOTE_KINDS] == [
        (UNCLEAR, FAILED)
    ]


@pytest.mark.parametrize("name", ["scalar_size", "macro_size", "unset", "host_pointer", "argument_index"])
def test_information_of_the_driver_leads_to_the_same_findings(
    name: str, validate: Runner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BUILD_OPTIONS", "-cl-kernel-arg-info")
    assert program_findings(validate(name, "wrong")) == WRONG[name]
    assert program_findings(validate(name, "right")) == []
