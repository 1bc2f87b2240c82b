"""Coverage points of section 3.2 on calls: queues, non-blocking calls and kernel enqueues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.execution.enqueueing_kernel_effects import CHILD_KERNELS_RAN
from clconform.oracles.chapters.execution.range_kernel_effects import EXCHANGED_IN_GROUP
from clconform.oracles.common.ordering_evidence import READ_BUFFER
from clconform.oracles.common.readback_evidence import cover_capability
from clconform.oracles.contents.dependencies import create_command, is_blocking
from clconform.oracles.engine.call_postcondition import is_command
from clconform.oracles.engine.rules import QueryCoverage, Rules
from clconform.oracles.model.enqueueing_kernels import count_enqueued_blocks
from clconform.oracles.model.errors import UndefinedBehaviourError
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

rules = Rules()

QUEUES = ("clCreateCommandQueue", "clCreateCommandQueueWithProperties")
EVIDENCE = {
    "OpenCL:synchronization/1": (
        (EXCHANGED_IN_GROUP,),
        "A work-item passes a barrier only after all work-items of its work-group have reached the barrier.",
    ),
    "OpenCL:work-group-functions/1": (
        (EXCHANGED_IN_GROUP,),
        "After a work-group barrier, work-items see the earlier stores of their group to local memory.",
    ),
}
"""Maps a requirement to evidence tags, any of which suffices, and to the text of its coverage point."""


for _record, (_ways, _words) in EVIDENCE.items():
    rules.coverage_point(
        _record, READ_BUFFER, _words, "clEnqueueNDRangeKernel/success", _record, holds=cover_capability(*_ways)
    )
CHILD_COMPLETION = ("OpenCL:device-side-enqueue/2", "OpenCL:execution-model/11", "OpenCL:synchronization/6")
"""Three requirements that all state that a kernel is complete only after its child kernels."""
rules.relies_on_interpretation("device-side-enqueue-failure", *CHILD_COMPLETION)


def _shows_child_kernels(asked: CompletedCall) -> bool:
    """Return whether a read returns bytes of a kernel and of at least one child kernel."""
    return (
        asked.call.offset == 0
        and cover_capability(CHILD_KERNELS_RAN)(asked)
        and count_enqueued_blocks(asked.raw.get("ptr", b"")) > 0
    )


for _record in CHILD_COMPLETION:
    _words = "Checked on reads of bytes that child kernels wrote, after a wait for their parent kernel."
    rules.coverage_point(_record, READ_BUFFER, _words, "clEnqueueNDRangeKernel/success", holds=_shows_child_kernels)


def _has_another_queue(like: Callable[[CommandQueue, CompletedCall], bool]) -> Callable[[CompletedCall], bool]:
    """Return a function that checks whether a call creates a queue while ``like`` is true for another queue."""
    return lambda asked: any(like(each, asked) for each in asked.model.objects_of_class(CommandQueue))


def _is_of_context(queue: CommandQueue, asked: CompletedCall) -> bool:
    return queue.context is asked.model.find(asked.call.context)


def _is_of_device(queue: CommandQueue, asked: CompletedCall) -> bool:
    return queue.device is asked.model.find(asked.call.device)


for _record, _like in (
    ("OpenCL:execution-model/22", _is_of_context),
    ("OpenCL:execution-of-kernel-instances/7", _is_of_device),
    (
        "OpenCL:execution-of-kernel-instances/8",
        lambda queue, asked: _is_of_device(queue, asked) and not _is_of_context(queue, asked),
    ),
):
    for _function in QUEUES:
        _holds = _has_another_queue(_like)
        rules.coverage_point(_record, _function, "", f"{_function}/success", holds=_holds, requires_success=True)


def _is_version_string_known(asked: CompletedCall) -> bool:
    """Return whether a numeric version is queried after the version string of the same object."""
    subject = asked.subject
    return subject is not None and any(name in subject.facts for name in ("CL_DEVICE_VERSION", "CL_PLATFORM_VERSION"))


for _record in ("OpenCL:version-numbers/1", "OpenCL:version-numbers/2"):
    for _function, _query in (
        ("clGetDeviceInfo", "CL_DEVICE_NUMERIC_VERSION"),
        ("clGetPlatformInfo", "CL_PLATFORM_NUMERIC_VERSION"),
    ):
        rules.coverage_point(
            _record,
            _function,
            "Checked on queries of a numeric version after a query of the version string.",
            f"{_query}/effect/1",
            _query,
            holds=QueryCoverage((_query,), _is_version_string_known),
        )


def _returns_first(asked: CompletedCall) -> bool:
    """Return whether a non-blocking call returns while its command waits for a user event."""
    if is_blocking(asked.call):
        return False
    try:
        return create_command(asked.call, asked.model, asked.context.effect).waits_for_user_event
    except UndefinedBehaviourError:
        return False


@rules.completion
def _declare_non_blocking(rules: Rules, tables: Tables) -> None:
    words = "Checked on non-blocking calls that return while their command waits for a user event."
    for function in tables.functions.values():
        blocks = any(parameter.name.startswith("blocking") for parameter in function.parameters)
        requirements = (
            ("OpenCL:execution-model/19", "OpenCL:memory-objects/6") if blocks else ("OpenCL:execution-model/19",)
        )
        for requirement in requirements if is_command(function) else ():
            success = f"{function.name}/success"
            rules.coverage_point(
                requirement, function.name, words, success, holds=_returns_first, requires_success=True
            )
