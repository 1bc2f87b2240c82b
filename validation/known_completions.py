"""Tracks commands that the program knows to be complete, although it has not waited for them.

This knowledge is not a synchronization point, so the model treats these commands as possibly running. However, the
program may reuse the host memory that they used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.model.enqueued_command import pending_chains
from clconform.oracles.model.events import Event

if TYPE_CHECKING:
    from collections.abc import Container

    from clconform.calls.call import Call, CallbackInvocation, Returned
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

STATUS_QUERY = "CL_EVENT_COMMAND_EXECUTION_STATUS"
RUNNING = 1
"""The status of a running command, which means that all earlier commands of its queue have ended."""
_MAX_ENTRIES = 256


class KnownCompletions:
    """The commands of one program that the program knows to be complete."""

    def __init__(self) -> None:
        self._ended: dict[Command, None] = {}
        self._most_ended = _MAX_ENTRIES
        self._callbacks: dict[str, Command] = {}
        self._called: dict[str, int] = {}

    def __contains__(self, command: Command) -> bool:
        """Return whether a command is known to be complete."""
        return command.is_complete or command in self._ended

    def forget(self, commands: list[Command]) -> None:
        """Forget commands that the model has removed."""
        for each in commands:
            self._ended.pop(each, None)

    def has_any_ended(self, pending: Container[Command], function: str = "") -> bool:
        """Return whether one of the pending commands is known to be complete; ``function``: only commands of it."""
        return any(each in pending and function in ("", each.function) for each in self._ended)

    def note_query(self, call: Call, outcome: Returned, model: Model) -> None:
        """Note the status of a command that a successful query of its event returned."""
        if call.function == "clGetEventInfo":
            told = outcome.outputs.get("param_value")
            status = told.values[0] if told is not None and told.values else None
            if (
                call.arguments["param_name"] != model.constant_value(STATUS_QUERY)
                or not isinstance(status, int)
                or status > RUNNING
            ):
                return
        elif call.function == "clGetEventProfilingInfo":
            status = 0
        else:
            return
        event = model.find(call.arguments["event"])
        if isinstance(event, Event) and event.command is not None:
            self._mark_ended(event.command, itself=status < RUNNING)

    def note_registration(self, call: Call, name: str, model: Model) -> None:
        """Note the callback of an event, which the driver may have called before its registration returned."""
        event = model.find(call.arguments["event"])
        if not isinstance(event, Event) or event.command is None:
            return
        status = self._called.pop(name, None)
        if status is not None:
            self._mark_ended(event.command, itself=status < RUNNING)
            return
        self._callbacks[name] = event.command
        if len(self._callbacks) > _MAX_ENTRIES:
            self._callbacks = {key: each for key, each in self._callbacks.items() if each not in self}

    def note_callback(self, called: CallbackInvocation, model: Model) -> None:
        """Note a callback call, which reports the status of a command."""
        status = called.arguments.get("event_command_status")
        if not isinstance(status, int) or status > RUNNING:
            return
        command = self._callbacks.pop(called.name, None)
        name = called.arguments.get("event")
        event = model.find(Handle(name)) if isinstance(name, str) else None
        if command is None and isinstance(event, Event):
            command = event.command
        if command is not None:
            self._mark_ended(command, itself=status < RUNNING)
        else:
            self._called[called.name] = status
            if len(self._called) > _MAX_ENTRIES:
                del self._called[next(iter(self._called))]

    def _mark_ended(self, command: Command, *, itself: bool) -> None:
        """Note that all commands before a command are complete; with ``itself``, also the command."""
        ended = list(pending_chains((command,), self._ended))
        self._ended |= dict.fromkeys(each for each in ended if itself or each is not command)
        if len(self._ended) > self._most_ended:
            self._ended = {each: None for each in self._ended if not each.is_complete}
            self._most_ended = max(_MAX_ENTRIES, 2 * len(self._ended))
