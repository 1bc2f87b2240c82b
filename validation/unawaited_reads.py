"""Finds reads for which the program has not waited, when it has ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.oracles.model.state import Model
    from clconform.validation.call_history import CallHistory, KnownCall
    from clconform.validation.known_completions import KnownCompletions
    from clconform.validation.pending_call import PendingCall

READS = ("clEnqueueReadBuffer", "clEnqueueReadBufferRect", "clEnqueueReadImage")
"""Commands that write to host memory for the program."""
RELEASE_QUEUE = "clReleaseCommandQueue"
NEVER_AWAITED = "the program never waits for this command, so its result may be incomplete when the program uses it"


def find_unawaited_reads(
    model: Model,
    history: CallHistory,
    ended: KnownCompletions,
    under_way: Sequence[PendingCall],
    *,
    has_finished: bool,
) -> Iterator[KnownCall]:
    """Yield the calls that enqueued reads for which the program has not waited.

    A process that a signal has ended might have waited later, unless it could no longer name the command's queue and
    event. ``under_way``: the calls that have not returned. ``has_finished``: the process has exited after all its calls
    had returned.
    """
    releasing = [each.call.command_queue for each in under_way if each.call.function == RELEASE_QUEUE]
    gone = {handle.name for handle in releasing if isinstance(handle, Handle)}
    for command in model.commands.pending:
        enqueued = history.enqueuing_call(command)
        if enqueued is None or enqueued.step.call.function not in READS or command in ended:
            continue
        queue = command.queue
        is_released = queue is not None and queue.references <= (queue.name in gone)
        if has_finished or (is_released and enqueued.step.call.event is None):
            yield enqueued
