"""Inherited error conditions of recording calls and updates, evaluated on the equivalent calls."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.command_updates import (
    ENQUEUE,
    EQUIVALENT_CALLS,
    dimensions_of,
    kernel_in,
    listed_configs,
    recorded_of,
    updated_enqueue,
)
from clconform.oracles.chapters.command_buffers.effects import recorded_view
from clconform.oracles.chapters.command_buffers.equivalent_calls import INHERITING_FUNCTIONS, UPDATE, equivalent_enqueue
from clconform.oracles.chapters.command_buffers.updated_kernels import update_kernel
from clconform.oracles.engine.predicate_result import Predicate, PredicateResult, evaluate, strongest_result
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffer_state import MutableCommand
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables

rules = Rules()


@rules.inherits_conditions(*INHERITING_FUNCTIONS)
def evaluate_as_enqueue(call: Call, model: Model, function: str, predicate: Predicate) -> PredicateResult:
    """Evaluate an inherited condition of a recording call on the equivalent call that enqueues the command."""
    return predicate(equivalent_enqueue(call, model, function), model)


@rules.inherits_conditions(UPDATE)
def evaluate_as_update(call: Call, model: Model, function: str, predicate: Predicate) -> PredicateResult:
    """Evaluate an inherited condition of an update on each equivalent call, with the kernel in its recorded state."""
    return strongest_result(_evaluate_each(call, model, function, predicate))


def _evaluate_each(call: Call, model: Model, function: str, predicate: Predicate) -> Iterator[PredicateResult]:
    for config in listed_configs(call):
        if not isinstance(model.find(config.command), MutableCommand):
            continue  # reported by another error condition
        recorded = recorded_of(config, model)
        view = recorded_view(model, {**recorded.objects, recorded.queue.name: recorded.queue})
        if function == ENQUEUE:
            dimensions = recorded.call.work_dim
            calls = [updated_enqueue(config, recorded)] if dimensions_of(config, dimensions) == dimensions else []
            with suppress(UnknownFactError):  # other error conditions cover invalid arguments
                kernel = update_kernel(config, recorded, model)
                view = recorded_view(view, {kernel.name: kernel})
        else:
            calls = list(EQUIVALENT_CALLS[function](config, kernel_in(recorded).name))
        yield from (evaluate(predicate, each, view) for each in calls)


NO_SUCH_FIELD = "an update does not name a kernel, a queue or an event, and the recorded ones do not change"
UNREACHABLE = {
    "clSetKernelArg/CL_INVALID_KERNEL/1": NO_SUCH_FIELD,
    "clSetKernelArgSVMPointer/CL_INVALID_KERNEL/1": NO_SUCH_FIELD,
    "clSetKernelExecInfo/CL_INVALID_KERNEL/1": NO_SUCH_FIELD,
    "clEnqueueNDRangeKernel/CL_INVALID_KERNEL/1": NO_SUCH_FIELD,
    "clEnqueueNDRangeKernel/CL_INVALID_COMMAND_QUEUE/1": NO_SUCH_FIELD,
    "clEnqueueNDRangeKernel/CL_INVALID_CONTEXT/1": NO_SUCH_FIELD,
    "clEnqueueNDRangeKernel/CL_INVALID_EVENT_WAIT_LIST/1": NO_SUCH_FIELD,
    "clEnqueueNDRangeKernel/CL_INVALID_PROGRAM_EXECUTABLE/1": NO_SUCH_FIELD,
    "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1": (
        "all arguments of a recorded kernel are set, and an update does not remove any"
    ),
    "clEnqueueNDRangeKernel/CL_INVALID_IMAGE_SIZE/1": (
        "an image can be created only if a device of the context supports it, and no query reports which device"
    ),
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1": (
        "a work_dim other than the recorded one is also CL_INVALID_OPERATION"
    ),
}
"""Maps inherited conditions to the reasons why no update violates them alone."""


@rules.completion
def _declare_unreachable(rules: Rules, tables: Tables) -> None:
    for lent, reason in UNREACHABLE.items():
        requirement = f"{UPDATE}/via/{lent}"
        if requirement in tables.requirements:
            rules.untestable(requirement, rules.words.get(lent, ""), reason)
