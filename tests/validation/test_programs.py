"""Programs whose mistakes are known: each is named, by rule and line, and nothing else is."""

from __future__ import annotations

import os
import re
import signal
import sys
from typing import TYPE_CHECKING

import pytest

from clconform.recording.file_format import Entered, Recording
from clconform.spec_tables import load
from clconform.validation.findings import ADVICE, PROGRAM, UNDEFINED, Finding, Validation
from clconform.validation.judging import OVERLAP, validated

from .conftest import HERE, POCL

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MISTAKE = re.compile(r"^\s*WRONG\(.*/\* (?P<named>.*) \*/$")


def judged(path: Path) -> Validation:
    return validated(Recording(path, load()), load(), str(path))


def planted() -> dict[int, str]:
    """Return what is to be named, by the line of the program."""
    lines = (HERE / "mistakes.c").read_text(encoding="utf-8").splitlines()
    found = ((number, MISTAKE.match(line)) for number, line in enumerate(lines, start=1))
    return {number: match["named"] for number, match in found if match}


def named(finding: Finding) -> str:
    """Return a finding as the program's comments name it: a clause without its number, or a kind and the function."""
    if finding.kind in (UNDEFINED, ADVICE):
        return f"{finding.kind} {finding.function}"
    return finding.records[0].rpartition("/")[0]


def line_of(finding: Finding) -> int:
    return int(finding.site.source.rpartition(":")[2])


@pytest.fixture
def mistaken(build: Callable[..., Path], record: Callable[..., tuple[Path, object]]) -> Validation:
    return judged(record(build("mistakes", "MISTAKES"))[0])


def test_every_mistake_is_named_by_rule_and_line_and_nothing_else_is(mistaken: Validation) -> None:
    expected = {(line, words.removesuffix("/1")) for line, words in planted().items()}
    assert len(expected) >= 20
    assert {(line_of(finding), named(finding)) for finding in mistaken.findings} == expected
    assert {finding.party for finding in mistaken.findings} == {PROGRAM}
    assert mistaken.cut == ""


def test_the_calls_that_led_to_a_mistake_are_told(mistaken: Validation) -> None:
    overlap = next(
        finding for finding in mistaken.findings if "clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP" in named(finding)
    )
    functions = [step.call.function for step in overlap.steps]
    assert functions[-1] == "clEnqueueCopyBuffer"
    assert {"clCreateContext", "clCreateCommandQueue", "clCreateBuffer"} <= set(functions)
    assert overlap.observed == "CL_MEM_COPY_OVERLAP"


def test_a_program_without_a_mistake_has_none(
    build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record(build("mistakes"))
    found = judged(path)
    assert str(ended) == "exit code 0"
    assert found.findings == []
    assert found.not_judged == {}
    assert found.judged == found.calls > 40


@pytest.mark.parametrize(("word", "name"), [("k", "SIGKILL"), ("t", "SIGTERM")])
def test_a_killed_program_loses_no_call(
    word: str, name: str, build: Callable[..., Path], record: Callable[..., tuple[Path, object]]
) -> None:
    path, ended = record(build("mistakes"), word)
    assert ended == (128 + getattr(signal, name), name)
    found = judged(path)
    assert found.cut == ""
    assert {finding.kind for finding in found.findings} == {ADVICE}  # it had no time to release anything
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


SCRIPT = """
import numpy, pyopencl as cl
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
numbers = numpy.arange(4096, dtype=numpy.int32)
buffer = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=numbers)
program = cl.Program(context, "kernel void twice(global int *all) { all[get_global_id(0)] *= 2; }").build()
program.twice(queue, numbers.shape, None, buffer)
back = numpy.empty_like(numbers)
cl.enqueue_copy(queue, back, buffer)
assert (back == 2 * numbers).all()
if MISTAKE:
    try:
        cl.enqueue_copy(queue, back, buffer, src_offset=4)
    except cl.LogicError:
        pass
"""


@pytest.mark.parametrize("mistake", [False, True])
def test_a_program_in_python(mistake: bool, tmp_path: Path, record: Callable[..., tuple[Path, object]]) -> None:  # noqa: FBT001 (pytest passes it)
    if not POCL.exists():
        pytest.skip("Debian's PoCL is not here (apt-get install pocl-opencl-icd)")
    script = tmp_path / "program.py"
    script.write_text(SCRIPT.replace("MISTAKE", str(mistake)), encoding="ascii")
    path, ended = record(sys.executable, script)
    if not path.exists() and os.environ.get("CI") is None:
        pytest.skip("the loader that pyopencl uses here knows no layers")
    assert str(ended) == "exit code 0"
    serious = [named(finding) for finding in judged(path).findings if finding.kind in ("error", UNDEFINED, "deviation")]
    assert serious == (["clEnqueueReadBuffer/CL_INVALID_VALUE"] if mistake else [])
