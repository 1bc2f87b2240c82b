"""Large programs: many kernels in one program, and kernels with long names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.limit_kernels import PARAMETER_QUERY, LimitKernel, find_limit_kernel
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.programs.build_kit import KERNEL_COUNT, KERNEL_NAMES, BuildKit
from clconform.suites.helpers import is_success, require_handle, skip_unless
from clconform.suites.kit.memory import pattern_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "programs.large"
KIND, VALUE_BYTES = "vectors_of_1", 8
"""The type of the kernels' arguments, and its size."""
KERNELS = 24
"""The number of kernels of a large program; each has one argument more than the one before it."""
NAME_LENGTHS = (63, 1023)
"""Lengths of kernel names. C has no limit for the length of an identifier; at least 63 characters are significant."""
BUILT, CREATED, RUN = (f"{each}/success" for each in ("clBuildProgram", "clCreateKernel", "clEnqueueNDRangeKernel"))
ALL_CREATED, NAMED = "clCreateKernelsInProgram/success", "CL_KERNEL_FUNCTION_NAME"
cases: CaseRegistry[BuildKit] = CaseRegistry(BuildKit)
test_large_programs_are_built = TableTest(cases)


@cases.declare(BUILT, "a program of many kernels", ALL_CREATED, RUN, KERNEL_COUNT, KERNEL_NAMES)
def build_many_kernels(bench: BuildKit) -> None:
    """Build a program of many kernels, create all of them, and run the first and the last one."""
    count = min(KERNELS, (bench.cl.fact(PARAMETER_QUERY) or 0) // VALUE_BYTES - 1)
    skip_unless(count > 1, f"{PARAMETER_QUERY} is too small")
    sources = [LimitKernel(KIND, number).source for number in range(1, 1 + count)]
    program = bench.program_from_source(*sources)
    skip_unless(is_success(bench.build(program)), "the driver does not build the kernels")
    _query_names(bench, program)
    outcome = bench.cl.clCreateKernelsInProgram(program, count, OutputBuffer(count), OutputBuffer(1))
    kernels = returned_handles(outcome, "kernels")
    for kernel in (kernels[0], kernels[-1]) if kernels else ():
        name = bench.cl.query("clGetKernelInfo", kernel, NAMED)
        known = find_limit_kernel(str(name))
        if known is not None:
            _run(bench, kernel, known)


@cases.declare_family
def long_names() -> Iterator[TableCase]:
    """Yield a program whose kernel has a long name, for each length."""
    for length in NAME_LENGTHS:
        words = f"a kernel name of {length} characters"
        yield cases.create_case(CREATED, words, build_long_name, length, others=(BUILT, RUN, NAMED))


def build_long_name(bench: BuildKit, length: int) -> None:
    """Build a kernel with a name of this length, create it by its name, query the name, and run the kernel."""
    short = LimitKernel(KIND, 1)
    known = LimitKernel(KIND, 1, "_".ljust(length - len(short.name), "x"))
    program = bench.program_from_source(known.source)
    skip_unless(is_success(bench.build(program)), "the driver does not build the kernel")
    kernel = require_handle(bench.cl.clCreateKernel(program, Text(known.name), OutputBuffer(1)))
    _query_names(bench, program)
    bench.cl.query("clGetKernelInfo", kernel, NAMED)
    _run(bench, kernel, known)


def _query_names(bench: BuildKit, program: Handle) -> None:
    """Query the number and the names of a program's kernels."""
    for query in (KERNEL_COUNT, KERNEL_NAMES):
        if not bench.cl.find_inapplicability(query):
            bench.cl.query("clGetProgramInfo", program, query)


def _run(bench: BuildKit, kernel: Handle, known: LimitKernel) -> None:
    """Set the arguments of a kernel, run it, and read what it has written."""
    results = bench.create_filled_buffer(WORD_BYTES * known.count, seed=8)
    bench.cl.clSetKernelArg(kernel, 0, bench.pointer_bytes, HandleBytes(results))
    for index in range(known.count):
        bench.cl.clSetKernelArg(kernel, 1 + index, VALUE_BYTES, Data(pattern_bytes(VALUE_BYTES, index)))
    one_item = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
    bench.enqueue("clEnqueueNDRangeKernel", kernel=kernel, global_work_size=ElementList((1,)), **one_item)
    bench.read(results, 0, WORD_BYTES * known.count)
