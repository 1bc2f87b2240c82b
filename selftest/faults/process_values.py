"""Faults of queries whose values differ from one process of the driver to the next, in size or as a number."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import UNTOUCHED, Output, Returned
from clconform.calls.values import OutputBuffer
from clconform.selftest.faults.registry import SIZE, VALUE, Faults, SimulatedStep

if TYPE_CHECKING:
    from clconform.calls.call import Outcome

faults = Faults()

SPAN = 400
"""The number of different values."""


@faults.plant("clGetProgramBuildInfo")
def build_log_without_terminator(step: SimulatedStep) -> Outcome | None:
    """The build log lacks its terminator, and contains a path whose length differs between processes."""
    return _with_text(step, f"in /tmp/{_process_text()}") if step.is_query("CL_PROGRAM_BUILD_LOG") else None


@faults.plant("clGetKernelInfo", succeeded=True)
def attributes_without_terminator(step: SimulatedStep) -> Outcome | None:
    """The attributes of a kernel lack their terminator, and their length differs between processes."""
    return _with_text(step, f"attribute {_process_text()}") if step.is_query("CL_KERNEL_ATTRIBUTES") else None


@faults.plant("clGetProgramInfo", succeeded=True)
def terminator_inside_source(step: SimulatedStep) -> Outcome | None:
    """The source of a program has a terminator inside, and its length differs between processes."""
    return _with_text(step, f"source\0{_process_text()}\0") if step.is_query("CL_PROGRAM_SOURCE") else None


@faults.plant("clGetKernelWorkGroupInfo", query="CL_KERNEL_WORK_GROUP_SIZE", succeeded=True)
def larger_work_groups_accepted(step: SimulatedStep) -> Outcome | None:
    """Work-groups may be twice as large as reported; the reported maximum differs between processes."""
    (enforced,) = step.outcome.outputs[VALUE].values
    reported = 1 + len(_process_text()) % (int(enforced or 1) // 2)
    return step.outcome.with_outputs(param_value=Output([reported], 8, reported.to_bytes(8, "little")))


def _process_text() -> str:
    """Return a text whose length is that of no other process that starts soon after."""
    return "x" * (os.getpid() % SPAN + 1)


def _with_text(step: SimulatedStep, text: str) -> Returned:
    """Return the outcome of a query of a text as given, without a terminator of its own."""
    content, shown = text.encode(), step.argument(VALUE, OutputBuffer)
    outputs = dict(step.outcome.outputs)
    if shown is not None and shown.count < len(content):
        outputs |= {VALUE: Output()} | ({SIZE: Output([UNTOUCHED])} if SIZE in outputs else {})
        return Returned(step.constant("CL_INVALID_VALUE"), outputs)
    outputs |= {VALUE: Output([text], len(content), content)} if shown is not None else {}
    outputs |= {SIZE: Output([len(content)], 8)} if SIZE in outputs else {}
    return msgspec.structs.replace(step.outcome, value=0, outputs=outputs)
