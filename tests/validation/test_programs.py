"""Programs with known violations: exactly these violations are reported, with rule and line."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import CallEntry, RecordingFile
from clconform.recording.program_launch import ProgramEnd
from clconform.spec_tables import load
from clconform.validation.findings import (
    ADVICE,
    DRIVER,
    ERROR,
    PORTABILITY,
    PROBE,
    PROGRAM,
    UNDEFINED,
    Validation,
    ValidationFinding,
)
from clconform.validation.recording_judge import (
    DEVIATING_DEVICE,
    NO_SCRIPT_LINES,
    OVERLAP,
    UNDESCRIBED,
    validate_recording,
)

from .conftest import HERE, POCL, create_recorder

if TYPE_CHECKING:
    from collections.abc import Callable

VIOLATION_COMMENT = re.compile(r"^\s*WRONG\(.*/\* (?P<named>.*) \*/$")


def judge_recording(path: Path) -> Validation:
    return validate_recording(RecordingFile(path, load()), load(), str(path))


def expected_findings() -> dict[int, str]:
    """Map line numbers of ``mistakes.c`` to the expected findings."""
    lines = (HERE / "mistakes.c").read_text(encoding="utf-8").splitlines()
    found = ((number, VIOLATION_COMMENT.match(line)) for number, line in enumerate(lines, start=1))
    return {number: match["named"] for number, match in found if match}


def finding_name(finding: ValidationFinding) -> str:
    """Return a finding in the form of the program's comments.

    This is an error condition without its number, or a kind of finding and a function.
    """
    if finding.kind in (UNDEFINED, ADVICE, PORTABILITY):
        return f"{finding.kind} {finding.function}"
    return finding.requirements[0].rpartition("/")[0]


def line_of(finding: ValidationFinding) -> int:
    return int(finding.site.source.rpartition(":")[2])


@pytest.fixture(scope="module")
def invalid_program(
    build_program: Callable[..., Path], layer: Path, tmp_path_factory: pytest.TempPathFactory
) -> Validation:
    with pytest.MonkeyPatch.context() as patch:
        return judge_recording(
            create_recorder(layer, tmp_path_factory.mktemp("mistaken"), patch)(build_program("mistakes", "MISTAKES"))[0]
        )


def test_each_violation_is_reported_with_rule_and_line(invalid_program: Validation) -> None:
    expected = {(line, words.removesuffix("/1")) for line, words in expected_findings().items()}
    assert len(expected) >= 25
    of_the_program = [finding for finding in invalid_program.findings if finding.party == PROGRAM]
    assert {(line_of(finding), finding_name(finding)) for finding in of_the_program} == expected
    others = [
        (finding.party, finding_name(finding)) for finding in invalid_program.findings if finding.party != PROGRAM
    ]
    assert others == [(DRIVER, "clEnqueueMapBuffer/CL_INVALID_OPERATION")]  # an invalid call that PoCL accepts
    assert invalid_program.damage == ""


def test_finding_lists_preceding_calls_with_related_objects(invalid_program: Validation) -> None:
    overlap = next(
        finding
        for finding in invalid_program.findings
        if "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP" in finding_name(finding)
    )
    functions = [step.call.function for step in overlap.steps]
    assert overlap.call_numbers == sorted(overlap.call_numbers)
    assert len(overlap.call_numbers) == len(functions)
    assert overlap.call_numbers[-1] == overlap.call_number
    assert functions[-1] == "clEnqueueCopyBuffer"
    assert {"clCreateContext", "clCreateCommandQueue", "clCreateBuffer"} <= set(functions)
    assert overlap.observed == "CL_MEM_COPY_OVERLAP"
    for rule, function in (
        ("concurrent-command", "clEnqueueWriteBuffer"),
        ("host-memory-race", "clEnqueueReadBuffer"),
        ("mapped-memory", "clEnqueueMapBuffer"),
    ):
        (finding,) = (each for each in invalid_program.findings if each.rule == rule)
        assert function in [step.call.function for step in finding.steps[:-1]]


def test_finding_lists_operands_of_its_error_condition(invalid_program: Validation) -> None:
    operands = {record: values for finding in invalid_program.findings for record, values in finding.operands.items()}
    assert operands["clCreateSubBuffer/CL_INVALID_VALUE/5"] == {
        "buffer_create_info->origin + buffer_create_info->size": 512,
        "size of buffer": 256,
    }
    with_clause = [finding for finding in invalid_program.findings if finding.kind == ERROR]
    assert sum(bool(finding.operands) for finding in with_clause) > len(with_clause) * 0.8


def test_valid_program_has_no_finding(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record_program(build_program("mistakes"))
    found = judge_recording(path)
    assert str(ended) == "exit code 0"
    assert found.findings == []
    assert found.not_judged == {UNDESCRIBED: 1}
    assert found.judged == found.calls - 1 > 40


@pytest.mark.parametrize(("word", "name"), [("k", "SIGKILL"), ("t", "SIGTERM")])
def test_all_calls_of_a_killed_program_are_recorded(
    word: str, name: str, build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record_program(build_program("mistakes", "SHORT"), word)
    assert ended == ProgramEnd(128 + getattr(signal, name), name)
    found = judge_recording(path)
    assert found.damage == ""
    assert found.findings == []  # the killed program could not release its objects
    assert found.calls == found.judged > 35


def test_calls_of_threads_and_child_processes_are_recorded(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record_program(build_program("several"))
    assert str(ended) == "exit code 0"
    found = judge_recording(path)
    assert found.findings == []
    assert set(found.not_judged) <= {OVERLAP}
    assert found.judged > 100
    (of_the_child,) = path.parent.glob(f"{path.name}.*")
    calls = [event.function for event in RecordingFile(of_the_child, load()).events() if isinstance(event, CallEntry)]
    assert "clGetPlatformIDs" in calls


def test_map_that_returns_a_known_address_is_not_reported(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record_program(build_program("shared"))
    assert str(ended) == "exit code 0"
    assert judge_recording(path).findings == []


def test_deviating_driver_result_is_not_a_program_violation(
    build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record_program(build_program("misled"))
    found = judge_recording(path)
    assert str(ended) == "exit code 0"
    assert [(each.party, each.requirements) for each in found.findings] == [(DRIVER, ["CL_CONTEXT_DEVICES"])]
    assert found.not_judged == {DEVIATING_DEVICE: 1}


@pytest.mark.parametrize("defined", [[], ["MISTAKES"]])
def test_only_kernel_pointer_outside_shared_memory_is_reported(
    defined: list[str], build_program: Callable[..., Path], record_program: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record_program(build_program("pointers", *defined))
    assert str(ended) == "exit code 0"
    refused = ["clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1"]
    said = [(DRIVER, refused), (PROGRAM, refused)] if defined else []  # the driver does not detect the error
    assert sorted((each.party, each.requirements) for each in judge_recording(path).findings) == said


PYTHON_COMMENT = re.compile(r"# WRONG (?P<named>.*)$")


def expected_python_findings() -> dict[int, str]:
    lines = (HERE / "mistakes.py").read_text(encoding="utf-8").splitlines()
    found = ((number, PYTHON_COMMENT.search(line)) for number, line in enumerate(lines, start=1))
    return {number: match["named"] for number, match in found if match}


@pytest.mark.parametrize("words", [[], ["mistakes"]])
def test_violations_of_python_program_are_reported_with_lines(
    words: list[str], record_program: Callable[..., tuple[Path, object]]
) -> None:
    found = validate_python(record_program, HERE / "mistakes.py", *words)
    expected = set(expected_python_findings().items()) if words else set()
    of_the_program = [finding for finding in found.findings if finding.kind != PROBE]
    assert len(expected) in (0, 22)
    assert {(line_of(finding), finding_name(finding)) for finding in of_the_program} == expected
    assert {Path(finding.site.source.rpartition(":")[0]).name for finding in found.findings} == {"mistakes.py"}
    assert NO_SCRIPT_LINES not in found.not_visible


REJECTED_CALL_PROGRAM = """
import runpy, sys
sys.modules["faulthandler"] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0])
"""


def test_missing_line_numbers_of_python_program_are_reported(
    record_program: Callable[..., tuple[Path, object]],
) -> None:
    found = validate_python(record_program, "-c", REJECTED_CALL_PROGRAM, HERE / "mistakes.py", "mistakes")
    of_the_program = [finding for finding in found.findings if finding.kind != PROBE]
    assert {finding_name(finding) for finding in of_the_program} == set(expected_python_findings().values())
    assert not any(finding.site.source.endswith("mistakes.py") for finding in found.findings)
    assert all(finding.site.module for finding in found.findings)
    assert NO_SCRIPT_LINES in found.not_visible


def validate_python(record_program: Callable[..., tuple[Path, object]], *words: object) -> Validation:
    """Return the validation of a Python program; skip the test if it cannot be recorded."""
    if not POCL.exists():
        pytest.skip("Debian's PoCL is not here (apt-get install pocl-opencl-icd)")
    path, ended = record_program(sys.executable, *words)
    if not path.exists() and os.environ.get("CI") is None:
        pytest.skip("the loader that pyopencl uses here knows no layers")
    assert str(ended) == "exit code 0"
    return judge_recording(path)
