"""Inherited conditions of recording calls and updates, evaluated on the calls that these are equivalent to."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from clconform.oracles.chapters.command_buffers.effects import seen_by
from clconform.oracles.chapters.command_buffers.standing_for import BORROWING, UPDATE, enqueued
from clconform.oracles.chapters.command_buffers.updated_kernels import kernel_after
from clconform.oracles.chapters.command_buffers.updates import (
    RUN,
    SET,
    SET_POINTER,
    STANDS_FOR,
    TELL,
    configs_in,
    dimensions_of,
    kernel_in,
    launched,
    recorded_of,
)
from clconform.oracles.engine.answers import settle
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.command_buffers import MutableCommand
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.recurring.objects import gravest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.engine.answers import Predicate, Reply
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables

rules = Rules()


@rules.carries(*BORROWING)
def as_if_enqueued(call: Call, model: Model, function: str, predicate: Predicate) -> Reply:
    """Evaluate a condition on the call that would enqueue the command on the command-buffer's queue."""
    return predicate(enqueued(call, model, function), model)


@rules.carries(UPDATE)
def as_if_set(call: Call, model: Model, function: str, predicate: Predicate) -> Reply:
    """Evaluate a condition on each call that an update is equivalent to, with the kernel as it was recorded."""
    return gravest(_replies(call, model, function, predicate))


def _replies(call: Call, model: Model, function: str, predicate: Predicate) -> Iterator[Reply]:
    for config in configs_in(call):
        if not isinstance(model.known(config.command), MutableCommand):
            continue  # reported by another error condition
        recorded = recorded_of(config, model)
        view = seen_by(model, {**recorded.things, recorded.queue.name: recorded.queue})
        if function == RUN:
            dimensions = recorded.call.work_dim
            calls = [launched(config, recorded)] if dimensions_of(config, dimensions) == dimensions else []
            with suppress(UnknownError):  # other error conditions cover arguments that cannot be set
                kernel = kernel_after(config, recorded, model)
                view = seen_by(view, {kernel.name: kernel})
        else:
            calls = list(STANDS_FOR[function](config, kernel_in(recorded).name))
        yield from (settle(predicate, each, view) for each in calls)


NO_FIELD = "an update does not name a kernel, a queue or an event, and the recorded ones do not change"
UNREACHABLE = {
    f"{SET}/CL_INVALID_KERNEL/1": NO_FIELD,
    f"{SET_POINTER}/CL_INVALID_KERNEL/1": NO_FIELD,
    f"{TELL}/CL_INVALID_KERNEL/1": NO_FIELD,
    f"{RUN}/CL_INVALID_KERNEL/1": NO_FIELD,
    f"{RUN}/CL_INVALID_COMMAND_QUEUE/1": NO_FIELD,
    f"{RUN}/CL_INVALID_CONTEXT/1": NO_FIELD,
    f"{RUN}/CL_INVALID_EVENT_WAIT_LIST/1": NO_FIELD,
    f"{RUN}/CL_INVALID_PROGRAM_EXECUTABLE/1": NO_FIELD,
    f"{RUN}/CL_INVALID_KERNEL_ARGS/1": "all arguments of a recorded kernel are set, and an update does not remove any",
    f"{RUN}/CL_INVALID_IMAGE_SIZE/1": (
        "an image can be created only if a device of the context supports it, and no query reports which device"
    ),
    f"{RUN}/CL_INVALID_WORK_DIMENSION/1": "a work_dim other than the recorded one is also CL_INVALID_OPERATION",
}
"""Inherited conditions of updates that no update can violate, or not alone, with the reasons."""


@rules.completion
def _not_by_updates(rules: Rules, tables: Tables) -> None:
    for lent, reason in UNREACHABLE.items():
        record = f"{UPDATE}/via/{lent}"
        if record in tables.records:
            rules.untestable(record, rules.words.get(lent, ""), reason)
