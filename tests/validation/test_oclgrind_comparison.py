"""The comparison with Oclgrind: its errors are read, each has a finding, and the page has the table of the file."""

from __future__ import annotations

from .cases.case_table import CaseFinding
from .oclgrind_comparison import PAGE, OclgrindError, compare_program, read_errors, read_rows, renew_page

SIZE, ARGUMENTS = "CL_INVALID_ARG_SIZE", "CL_INVALID_KERNEL_ARGS"
SET, ENQUEUE = "clSetKernelArg", "clEnqueueNDRangeKernel"
OUTPUT = f"""
Oclgrind - OpenCL runtime error detected
	Function: {SET}
	Error:    {SIZE}
	arg_size is 8


Oclgrind - OpenCL runtime error detected
	Function: {ENQUEUE}
	Error:    {ARGUMENTS}


Invalid write to mapped buffer
	Kernel: k
Invalid read of size 4 at global memory address 0x1000
"""


def test_errors_are_read_from_the_output_of_oclgrind() -> None:
    assert read_errors(OUTPUT) == [
        OclgrindError(SET, SIZE),
        OclgrindError(ENQUEUE, ARGUMENTS),
        OclgrindError(ENQUEUE, "Invalid write to mapped buffer"),
    ]


def test_error_that_follows_from_a_finding_is_named() -> None:
    errors = [OclgrindError(SET, SIZE), OclgrindError(ENQUEUE, ARGUMENTS)]
    finding = CaseFinding("program", "error", SET, f"{SET}/{SIZE}/1", consequences=1)
    other = CaseFinding("program", "advice", "clCreateBuffer", "leaked")
    assert compare_program("p", errors, [finding]).relation == "same"
    assert compare_program("p", errors, [finding, other]).relation == "more"
    assert compare_program("p", errors, [other]).lacking == errors
    assert compare_program("p", errors, []).relation == "less"


def test_each_error_of_the_committed_file_has_a_finding() -> None:
    rows = read_rows().rows
    assert len(rows) > 60
    assert [row.program for row in rows if row.lacking] == []


def test_page_has_the_table_of_the_committed_file() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert renew_page(text, read_rows()) == text, "renew it: python -m tests.validation.oclgrind_comparison"
