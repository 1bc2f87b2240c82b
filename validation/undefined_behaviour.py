"""Determines when undefined behaviour of a program is certain, although a recording does not contain all actions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.kernel_functions import KERNEL_STATE_SETTERS
from clconform.calls.values import Text
from clconform.oracles.contents.dependencies import create_command, is_blocking
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.undefined_use import AccessConflict
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.spec_tables.requirements import UsageRule
from clconform.validation.host_byte_ranges import HOST_MEMORY_COMMANDS
from clconform.validation.host_memory_races import HostMemoryRaces
from clconform.validation.known_completions import KnownCompletions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import Call, Returned
    from clconform.oracles.engine.judgements import Expectation
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables
    from clconform.validation.call_history import EnqueuedCommand
    from clconform.validation.pending_call import PendingCall
    from clconform.validation.usage_rules import UsageViolation

KERNEL_COMMANDS = ("clEnqueueNDRangeKernel", "clEnqueueTask", "clEnqueueNativeKernel")
"""Commands whose use of memory is not recorded."""
COMMAND_CONFLICTS = (AccessConflict.INCOMPLETE_COMMAND, AccessConflict.UNFLUSHED_QUEUE)
"""Conflicts with a command that the model treats as incomplete; the program may know that the command is complete."""
ADDRESS_QUERIES = ("clGetExtensionFunctionAddressForPlatform", "clGetExtensionFunctionAddress")
"""Functions that return the address of a function by its name."""
CREATED_LISTS = {
    "clCreateSubDevices": ("num_devices", "num_devices_ret"),
    "clCreateSubDevicesEXT": ("num_entries", "num_devices"),
    "clCreateKernelsInProgram": ("num_kernels", "num_kernels_ret"),
}
"""Maps functions that create several objects to their parameters for the room and for the number of objects."""
LISTED_FUNCTIONS = ("clGetPlatformIDs", "clGetDeviceIDs")
"""Functions whose objects the layer lists when a recording begins."""

UNINFORMATIVE_CALLBACKS = (
    "clSetEventCallback",
    "clBuildProgram",
    "clCompileProgram",
    "clLinkProgram",
    "clCreateContext",
)
"""Functions whose callbacks do not inform the program that a command unknown to the model is complete."""
MAX_PENDING = 256
"""Above this number, the model drops commands that the program knows to be complete without having waited for them."""


class UndefinedBehaviour:
    """Determines whether a call of one program certainly has undefined behaviour."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self.ended = KnownCompletions()
        self._host_memory = HostMemoryRaces(self.ended)
        self._blocked: dict[str, dict[Command, None]] = {}
        self._most_pending = MAX_PENDING

    def find_race(self, begun: PendingCall, model: Model) -> UsageViolation | None:
        """Return why a call must not use its host memory now; None if it may. Call this before judging the call."""
        return self._host_memory.find_race(begun.entered, begun.call, model)

    def find_change(self, enqueued: EnqueuedCommand, model: Model) -> str:
        """Return why a change of the host memory that a write command reads was not allowed; empty if it was."""
        return self._host_memory.find_change(enqueued.command, model)

    def note_unjudged(self, call: Call) -> None:
        """Note a call that was not judged, so that the model does not know its commands."""
        if call.function in HOST_MEMORY_COMMANDS:
            self._host_memory.mark_unknown()

    def note_callback(self, function: str) -> None:
        """Note that a callback was called which a call of ``function`` had registered."""
        if function not in UNINFORMATIVE_CALLBACKS:
            self._host_memory.mark_uncertain()

    def note_success(self, begun: PendingCall, outcome: Returned, model: Model, others: Iterable[PendingCall]) -> None:
        """Note a judged call that succeeded; ``others``: calls that have not returned."""
        if len(model.commands.pending) > self._most_pending:
            self._drop_ended_commands(model)
        latest = model.commands.latest
        if latest is not None and is_blocking(begun.call):
            self._latest_blocked(latest.function, model)
            self._blocked.setdefault(latest.function, {})[latest] = None
        self._host_memory.add(begun, model, others)
        if begun.call.function == "clSetEventCallback":
            self.ended.note_registration(begun.call, f"callback{begun.entered.sequence}", model)
        elif begun.call.function.startswith("clGetEvent"):
            self.ended.note_query(begun.call, outcome, model)

    def _drop_ended_commands(self, model: Model) -> None:
        """Remove complete commands from the model.

        A program that queries their status but never waits for them would otherwise accumulate them.
        """
        ended = [each for each in model.commands.pending if each in self.ended]
        model.commands.remove(ended)
        self.ended.forget(ended)
        self._most_pending = max(MAX_PENDING, 2 * len(model.commands.pending))

    def _latest_blocked(self, function: str, model: Model) -> Command | None:
        """Return the latest pending command of a function whose call was blocking, or None."""
        blocked = self._blocked.get(function, {})
        while blocked:
            latest = next(reversed(blocked))
            if latest in model.commands.pending:
                return latest
            del blocked[latest]
        return None

    def certain_reason(self, expectation: Expectation, model: Model) -> str:
        """Return the requirement or reason because of which a call is undefined; empty if that is not certain."""
        reason = expectation.undefined
        if not reason:
            return ""
        if (
            reason in self._tables.requirements
        ):  # a predicate returns undefined if the model does not know the arguments
            return reason if isinstance(self._tables.requirements[reason], UsageRule) else ""
        use = expectation.undefined_use
        if use is None or use.conflict is None:
            return ""
        functions = {expectation.call.function, use.command.function if use.command else ""}
        if not functions.isdisjoint(KERNEL_COMMANDS) and use.conflict is not AccessConflict.UNFLUSHED_QUEUE:
            return ""
        if use.conflict in COMMAND_CONFLICTS and self.ended.has_any_ended(model.commands.pending):
            return ""
        if (
            use.conflict is AccessConflict.CONCURRENT_COMMAND
            and use.command is not None
            and self._may_be_ordered(expectation, use.command, model)
        ):
            return ""
        return reason

    def _may_be_ordered(self, expectation: Expectation, other: Command, model: Model) -> bool:
        """Return whether dependencies that are not recorded may order a command after an earlier one."""
        return self._may_have_ended(other.function, model) or _is_ordered_later(expectation, other, model)

    def _may_have_ended(self, function: str, model: Model) -> bool:
        """Return whether a command of a function may have ended without the knowledge of the model.

        In older versions, a blocking write returns as soon as it has copied the bytes.
        """
        if self.ended.has_any_ended(model.commands.pending, function):
            return True
        return self._latest_blocked(function, model) is not None


def _is_ordered_later(expectation: Expectation, other: Command, model: Model) -> bool:
    """Return whether a user event that is not set may order two commands: the program can set it after one of them."""
    try:
        own = create_command(expectation.call, model, MemoryEffect())
    except (UnknownFactError, UndefinedBehaviourError):
        return True
    return own.waits_for_user_event or other.waits_for_user_event


def concurrent_kernel_use(begun: PendingCall, others: list[PendingCall]) -> str:
    """Return why a call must not use its kernel while other calls are in flight; empty if it may."""
    if "kernel" not in begun.call.arguments:
        return ""
    for other in others:
        functions = {begun.call.function, other.call.function}
        same = other.call.arguments.get("kernel") == begun.call.kernel
        if same and other.entered.thread != begun.entered.thread and functions.intersection(KERNEL_STATE_SETTERS):
            return f"kernel is used by {other.call.function} on another host thread at the same time"
    return ""


def queries_undescribed_function(call: Call, tables: Tables) -> bool:
    """Return whether a call queries the address of a function that no available document describes.

    Such a function may exist nevertheless.
    """
    name = call.arguments.get("func_name") if call.function in ADDRESS_QUERIES else None
    return isinstance(name, Text) and name.content not in tables.functions


def has_unknown_length(call: Call) -> bool:
    """Return whether a call has room for several new objects, but does not request their number.

    What lies after the last object may be older bytes of the program.
    """
    room, number = CREATED_LISTS.get(call.function, ("", ""))
    given = call.arguments.get(room)
    return isinstance(given, int) and given > 1 and call.arguments[number] is None


def may_hide_objects(call: Call, outcome: Returned, tables: Tables) -> bool:
    """Return whether a call may have returned objects that are not recorded.

    The layer's own queries have returned all platforms and devices, and other queries return known objects.
    """
    if queries_undescribed_function(call, tables):
        return outcome.value is not None
    if call.function in LISTED_FUNCTIONS or tables.functions[call.function].queries:
        return False
    return outcome.value == 0 and any(each.unrecorded for name, each in outcome.outputs.items() if name != "ptr")
