"""Programs with known violations: exactly these are reported, with rule and line."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import Entered, Recording
from clconform.spec_tables import load
from clconform.validation.findings import (
    ADVICE,
    DRIVER,
    ERROR,
    PORTABILITY,
    PROBE,
    PROGRAM,
    UNDEFINED,
    Finding,
    Validation,
)
from clconform.validation.judging import MISLED, OVERLAP, UNDESCRIBED, WITHOUT_LINES, validated

from .conftest import HERE, POCL, recorder

if TYPE_CHECKING:
    from collections.abc import Callable

MISTAKE = re.compile(r"^\s*WRONG\(.*/\* (?P<named>.*) \*/$")


def judged(path: Path) -> Validation:
    return validated(Recording(path, load()), load(), str(path))


def planted() -> dict[int, str]:
    """Return the expected findings by the line of the program."""
    lines = (HERE / "mistakes.c").read_text(encoding="utf-8").splitlines()
    found = ((number, MISTAKE.match(line)) for number, line in enumerate(lines, start=1))
    return {number: match["named"] for number, match in found if match}


def named(finding: Finding) -> str:
    """Return a finding as in the program's comments: an error condition without number, or a kind and a function."""
    if finding.kind in (UNDEFINED, ADVICE, PORTABILITY):
        return f"{finding.kind} {finding.function}"
    return finding.records[0].rpartition("/")[0]


def line_of(finding: Finding) -> int:
    return int(finding.site.source.rpartition(":")[2])


@pytest.fixture(scope="module")
def mistaken(build: Callable[..., Path], layer: Path, tmp_path_factory: pytest.TempPathFactory) -> Validation:
    with pytest.MonkeyPatch.context() as patch:
        return judged(recorder(layer, tmp_path_factory.mktemp("mistaken"), patch)(build("mistakes", "MISTAKES"))[0])


def test_every_mistake_is_named_by_rule_and_line_and_nothing_else_is(mistaken: Validation) -> None:
    expected = {(line, words.removesuffix("/1")) for line, words in planted().items()}
    assert len(expected) >= 25
    of_the_program = [finding for finding in mistaken.findings if finding.party == PROGRAM]
    assert {(line_of(finding), named(finding)) for finding in of_the_program} == expected
    others = [(finding.party, named(finding)) for finding in mistaken.findings if finding.party != PROGRAM]
    assert others == [(DRIVER, "clEnqueueMapBuffer/CL_INVALID_OPERATION")]  # an invalid call that PoCL accepts
    assert mistaken.cut == ""


def test_the_calls_that_led_to_a_mistake_are_told(mistaken: Validation) -> None:
    overlap = next(
        finding for finding in mistaken.findings if "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP" in named(finding)
    )
    functions = [step.call.function for step in overlap.steps]
    assert overlap.numbers == sorted(overlap.numbers)
    assert len(overlap.numbers) == len(functions)
    assert overlap.numbers[-1] == overlap.number
    assert functions[-1] == "clEnqueueCopyBuffer"
    assert {"clCreateContext", "clCreateCommandQueue", "clCreateBuffer"} <= set(functions)
    assert overlap.observed == "CL_MEM_COPY_OVERLAP"
    for words, function in (
        ("may run at the same time", "clEnqueueWriteBuffer"),
        ("ptr is host memory of", "clEnqueueReadBuffer"),
        ("the memory is mapped", "clEnqueueMapBuffer"),
    ):
        (finding,) = (each for each in mistaken.findings if words in each.words)
        assert function in [step.call.function for step in finding.steps[:-1]]


def test_a_mistake_is_told_with_the_values_that_make_it_one(mistaken: Validation) -> None:
    operands = {record: values for finding in mistaken.findings for record, values in finding.operands.items()}
    assert operands["clCreateSubBuffer/CL_INVALID_VALUE/5"] == {
        "buffer_create_info->origin + buffer_create_info->size": 512,
        "size of buffer": 256,
    }
    with_clause = [finding for finding in mistaken.findings if finding.kind == ERROR]
    assert sum(bool(finding.operands) for finding in with_clause) > len(with_clause) * 0.8


def test_a_program_without_a_mistake_has_none(
    build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record(build("mistakes"))
    found = judged(path)
    assert str(ended) == "exit code 0"
    assert found.findings == []
    assert found.not_judged == {UNDESCRIBED: 1}
    assert found.judged == found.calls - 1 > 40


@pytest.mark.parametrize(("word", "name"), [("k", "SIGKILL"), ("t", "SIGTERM")])
def test_a_killed_program_loses_no_call(
    word: str, name: str, build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record(build("mistakes", "SHORT"), word)
    assert ended == (128 + getattr(signal, name), name)
    found = judged(path)
    assert found.cut == ""
    assert {finding.kind for finding in found.findings} == {ADVICE}  # it could not release its objects
    assert found.calls == found.judged > 35


def test_threads_and_children(build: Callable[..., Path], record: Callable[..., tuple[Path, object]]) -> None:
    path, ended = record(build("several"))
    assert str(ended) == "exit code 0"
    found = judged(path)
    assert found.findings == []
    assert set(found.not_judged) <= {OVERLAP}
    assert found.judged > 100
    (of_the_child,) = path.parent.glob(f"{path.name}.*")
    calls = [event.function for event in Recording(of_the_child, load()).events() if isinstance(event, Entered)]
    assert "clGetPlatformIDs" in calls


def test_a_map_may_return_an_address_that_is_known(
    build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record(build("shared"))
    assert str(ended) == "exit code 0"
    assert judged(path).findings == []


def test_what_a_driver_has_told_wrongly_is_not_the_programs_mistake(
    build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record(build("misled"))
    found = judged(path)
    assert str(ended) == "exit code 0"
    assert [(each.party, each.records) for each in found.findings] == [(DRIVER, ["CL_CONTEXT_DEVICES"])]
    assert found.not_judged == {MISLED: 1}


@pytest.mark.parametrize("defined", [[], ["MISTAKES"]])
def test_memory_that_no_call_has_returned_is_no_shared_memory(
    defined: list[str], build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record(build("pointers", *defined))
    assert str(ended) == "exit code 0"
    refused = ["clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1"]
    said = [(DRIVER, refused), (PROGRAM, refused)] if defined else []  # the driver does not detect it
    assert sorted((each.party, each.records) for each in judged(path).findings) == said


IN_PYTHON = re.compile(r"# WRONG (?P<named>.*)$")


def planted_in_python() -> dict[int, str]:
    lines = (HERE / "mistakes.py").read_text(encoding="utf-8").splitlines()
    found = ((number, IN_PYTHON.search(line)) for number, line in enumerate(lines, start=1))
    return {number: match["named"] for number, match in found if match}


@pytest.mark.parametrize("words", [[], ["mistakes"]])
def test_a_program_in_python(words: list[str], record: Callable[..., tuple[Path, object]]) -> None:
    found = in_python(record, HERE / "mistakes.py", *words)
    expected = set(planted_in_python().items()) if words else set()
    of_the_program = [finding for finding in found.findings if finding.kind != PROBE]
    assert len(expected) in (0, 22)
    assert {(line_of(finding), named(finding)) for finding in of_the_program} == expected
    assert {Path(finding.site.source.rpartition(":")[0]).name for finding in found.findings} == {"mistakes.py"}
    assert WITHOUT_LINES not in found.unseen


REFUSES = """
import runpy, sys
sys.modules["faulthandler"] = None
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0])
"""


def test_where_an_interpreter_tells_no_lines_the_report_says_so(record: Callable[..., tuple[Path, object]]) -> None:
    found = in_python(record, "-c", REFUSES, HERE / "mistakes.py", "mistakes")
    of_the_program = [finding for finding in found.findings if finding.kind != PROBE]
    assert {named(finding) for finding in of_the_program} == set(planted_in_python().values())
    assert not any(finding.site.source.endswith("mistakes.py") for finding in found.findings)
    assert all(finding.site.module for finding in found.findings)
    assert WITHOUT_LINES in found.unseen


def in_python(record: Callable[..., tuple[Path, object]], *words: object) -> Validation:
    """Return the validation of a Python program; skip the test if it cannot be recorded."""
    if not POCL.exists():
        pytest.skip("Debian's PoCL is not here (apt-get install pocl-opencl-icd)")
    path, ended = record(sys.executable, *words)
    if not path.exists() and os.environ.get("CI") is None:
        pytest.skip("the loader that pyopencl uses here knows no layers")
    assert str(ended) == "exit code 0"
    return judged(path)
