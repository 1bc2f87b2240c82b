"""Kinds of callbacks: of events, destroyed objects, builds, queue commands and errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.events.answers import COMPLETE, SUBMITTED
from clconform.oracles.chapters.notifications.notices import Notice
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.wants import Complaint, OneOf, Such
from clconform.oracles.model.command_buffers import CommandBuffer
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import SubBuffer
from clconform.oracles.model.pointed_memory import PointedMemory
from clconform.oracles.model.programs import BuildState, Program

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.oracles.engine.symptoms import Symptom
    from clconform.oracles.engine.wants import Element, Want
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

NOT_BEFORE_SUB_BUFFERS = "clReleaseMemObject/effect/1"
SETS = "clSetUserEventStatus"
NO_HOLD_ON_ARGUMENTS = "clSetKernelArg/effect/1"
ON_TERMINATION, STATUS_TOLD, ERROR_TOLD, EACH, AT_STATUS = (
    f"clSetEventCallback/effect/{number}" for number in (3, 5, 6, 8, 9)
)
TOLD = {"event": ("clSetEventCallback/effect/4",), "user_data": ("clSetEventCallback/effect/7",)}
"""Argument of an event callback to the requirements about it."""
OF_TERMINATED = ("clTerminateContextKHR/effect/6", "clTerminateContextKHR/effect/17")
"""Requirements about the status argument of a callback after its context was terminated."""
AT_TERMINATION, DATA_OF_ERRORS = "clTerminateContextKHR/effect/11", "clCreateContext/effect/8"
RETAINED_BY_COMMANDS = "OpenCL:command-buffers/5"
AFTER_DESTRUCTION = "clSetContextDestructorCallback/effect/4"
OF_DESTRUCTION: dict[str, dict[str, tuple[str, ...]]] = {
    f"{function}/success": {name: tuple(f"{function}/effect/{number}" for number in numbers) for name, numbers in told}
    for function, told in (
        ("clSetMemObjectDestructorCallback", (("memobj", (2,)), ("user_data", (3,)), ("", (4, 5)))),
        ("clSetContextDestructorCallback", (("user_data", (1,)), ("", (2, 3)))),
        ("clSetProgramReleaseCallback", (("user_data", (1,)), ("", (2, 3)))),
    )
}
"""Registering requirement to the requirements about each callback argument, and, under "", about several callbacks."""


@dataclass(eq=False)
class OfEvent(Notice):
    """Callback registration for an event that reaches ``status`` or an error.

    ``late``: the event had already reached it at the registration.
    """

    status: int = COMPLETE
    late: bool = False

    def expected(self, model: Model) -> dict[str, Want]:
        """Return the expected event and status: the registered one, or an error if the command may have failed."""
        return {
            "event": OneOf(((self.thing.name,),), (self.record,)),
            "event_command_status": self._status(model),
        }

    def _status(self, model: Model) -> Want:
        """Return the expected status. Before version 3.0 it may be a later status of the command.

        The text of those versions refers to the status of the command for which the callback is called.
        """
        platform = model.platform_of([Handle(self.thing.name)])
        older = platform is not None and platform.version < (3, 0)
        told = (self.status, *range(self.status - 1, COMPLETE - 1, -1)) if older else (self.status,)
        registered = OneOf(tuple((status,) for status in told), (self.record,))
        if self._cut_off:
            return OneOf(((model.value("CL_CONTEXT_TERMINATED_KHR"),),), (self.record,))
        if not self._failed:
            return registered
        if not self._terminated:
            return Such(
                lambda seen: seen == [self.status] or _negative(seen),
                "an error too",
                (self.record,),
                (-1,),
                symptoms.AN_ERROR_TOO,
            )
        status = (self._event.status if isinstance(self._event, UserEvent) else -1,)
        return Such(_negative, "an error code", (self.record,), status, symptoms.AN_ERROR_CODE)

    def too_early(self, model: Model) -> Complaint | None:
        """Return a mismatch for a status that cannot be reached before a user event is set."""
        if any(call.function == SETS for call in model.inside.values()):
            return None  # the call is made inside a callback and may not have been recorded yet
        waits = self.command is not None and self.command.waits_for_the_user
        if self._event.context is not None and self._event.context.terminated is None:
            return None
        if self.status == SUBMITTED or not waits:
            return None
        allowed = "not called before the user event is set"
        return Complaint(self.record, allowed, "called", symptoms.CALLED_TOO_EARLY, also=(AT_STATUS,))

    def reached(self, model: Model) -> bool:
        """Return whether the event's command is known to be complete."""
        del model
        return self._event.complete

    def shown_by(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the requirements that an argument covers, or, for '', those that the call itself covers."""
        if parameter == "event_command_status" and self._cut_off:
            return OF_TERMINATED
        if parameter == "event_command_status":
            told = (ERROR_TOLD,) if self._terminated else ()
            return told if self._failed else (STATUS_TOLD,)
        if parameter:
            return TOLD.get(parameter, ())
        several = sum(isinstance(each, OfEvent) and each.thing is self.thing for each in model.registered) > 1
        return (AT_STATUS, *([ON_TERMINATION] if self._failed else []), *([EACH] if several else []))

    def owed(self, model: Model) -> bool:
        """Return whether the callback must be called: after the change, or if late, before the event is deleted.

        An error counts as completion only, not as an earlier status. A flushed command completes.
        """
        if self._failed and self.status != COMPLETE:
            return False
        if self.late:
            return self._event.references < 1
        return self.reached(model) or self._on_its_way(model)

    def never_called(self) -> Symptom:
        """Return the symptom, which includes the status and whether it had passed at the registration."""
        return symptoms.never_called_for(self.status, late=self.late)

    def blamed(self, model: Model) -> str:
        """Return the requirement of releasing the queue if only that flushed the command."""
        del model
        queue = self._event.queue
        released = queue is not None and queue.references < 1 and not self._event.complete
        return "clReleaseCommandQueue/success" if released else self.record

    def _on_its_way(self, model: Model) -> bool:
        """Return whether the command and all before it are flushed, and nothing blocks them or their queue."""
        command = self.command
        if command is None or command.queue is None:
            return False
        near = [*command.line(), *model.order.of_queue(command.queue)]
        return all(each.flushed for each in command.line()) and not any(each.waits_without_end for each in near)

    @property
    def command(self) -> Command | None:
        """The event's command; None if unknown."""
        return self._event.command

    @property
    def _terminated(self) -> bool:
        """Return whether it is for the completion of a command that certainly ends with an error."""
        return self.command is not None and self.command.terminated and self.status == COMPLETE

    @property
    def _cut_off(self) -> bool:
        """Return whether it is for the completion of a command that was waiting when its context was terminated."""
        return self.command is not None and self.command.cut_off and self.status == COMPLETE

    @property
    def _failed(self) -> bool:
        return self.command is not None and self.command.failed

    @property
    def _event(self) -> Event:
        assert isinstance(self.thing, Event)  # noqa: S101 (registered for nothing else)
        return self.thing


@dataclass(eq=False)
class OfDestruction(Notice):
    """Callback registration for the destruction of an object; ``parameter``: the callback's name for the object."""

    parameter: str = ""

    def expected(self, model: Model) -> dict[str, Want]:
        """Return the expected object."""
        del model
        return {self.parameter: OneOf(((self.thing.name,),), (self.record,))}

    def too_early(self, model: Model) -> Complaint | None:
        """Return a mismatch if the application certainly holds the object, or something attached to it."""
        if self.thing.counted_perhaps:
            return None
        if self.thing.references > 0:
            return Complaint(
                self.record, "not called before the last reference is released", "called", symptoms.CALLED_TOO_EARLY
            )
        held = next((thing for thing in model.things.values() if thing.references > 0 and _on(thing, self.thing)), None)
        if held is None and recorded_in(self.thing, model):
            allowed = "not called before the command-buffer is released"
            return Complaint(RETAINED_BY_COMMANDS, allowed, "called", symptoms.CALLED_TOO_EARLY)
        if held is None:
            return None
        record = NOT_BEFORE_SUB_BUFFERS if isinstance(held, SubBuffer) else self.record
        return Complaint(
            record, "not called before the attached objects are released", "called", symptoms.CALLED_TOO_EARLY
        )

    def reached(self, model: Model) -> bool:
        """Return whether nothing holds the object: no reference, no other object, no command-buffer."""
        return model.things.get(self.thing.name) is not self.thing and not recorded_in(self.thing, model)

    def owed(self, model: Model) -> bool:
        """Return whether nothing can hold the object, including commands."""
        return self.reached(model) and not self.thing.counted_perhaps and not model.order.pending

    def blamed(self, model: Model) -> str:
        """Return the requirement that kernels do not retain arguments, if a kernel has this object as an argument."""
        return NO_HOLD_ON_ARGUMENTS if kernels_with(self.thing, model) else self.record

    def out_of_turn(self, later: Iterable[Notice]) -> Complaint | None:
        """Return a mismatch if a later registration for the same object has not been called yet."""
        if all(other.thing is not self.thing or other.times for other in later):
            return None
        allowed, observed = "the last registered called first", "called before a later one"
        return Complaint(self.record, allowed, observed, symptoms.WRONG_ORDER, also=self._shown(""))

    def shown_by(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the requirements that an argument covers, or that a call of one of several callbacks covers."""
        same = (isinstance(each, OfDestruction) and each.thing is self.thing for each in model.registered)
        return self._shown(parameter) if parameter or sum(same) > 1 else ()

    def _shown(self, parameter: str) -> tuple[str, ...]:
        return OF_DESTRUCTION.get(self.record, {}).get(parameter, ())


@dataclass(eq=False)
class OfBuild(Notice):
    """Callback registration for a build, compilation or link, successful or not."""

    def expected(self, model: Model) -> dict[str, Want]:
        """Return the expected program."""
        del model
        return {"program": OneOf(((self.thing.name,),), (self.record,))}

    def reached(self, model: Model) -> bool:
        """Return True: nothing that the application does prevents a build from completing."""
        del model
        return True

    def came(self, model: Model) -> None:
        """Record that the build has completed, successfully or not."""
        del model
        for build in self.thing.builds.values() if isinstance(self.thing, Program) else ():
            if build.state is BuildState.GOING_ON:
                build.state = BuildState.ENDED


@dataclass(eq=False)
class OfQueue(Notice):
    """Callback that a command of a queue calls.

    ``arguments``: parameter to expected value, except the user data. ``command``: None if it completed immediately.
    ``shows``: parameter to the requirements that it covers.
    """

    arguments: tuple[tuple[str, tuple[Element, ...]], ...] = ()
    command: Command | None = None
    shows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def shown_by(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the requirements that an argument covers."""
        del model
        return self.shows.get(parameter, ())

    def expected(self, model: Model) -> dict[str, Want]:
        """Return the arguments that the command was enqueued with."""
        del model
        return {name: OneOf((values,), (self.record,)) for name, values in self.arguments}

    def too_early(self, model: Model) -> Complaint | None:
        """Return a mismatch if the command waits for a user event that is not set."""
        del model
        if self.command is None or not self.command.waits_for_the_user:
            return None
        return Complaint(self.record, "not called before the user event is set", "called", symptoms.CALLED_TOO_EARLY)

    def reached(self, model: Model) -> bool:
        """Return whether the command is known to be complete without an error."""
        del model
        return self.command is None or (self.command.over and not self.command.failed)


@dataclass(eq=False)
class OfErrors(Notice):
    """Error callback of a context: at any time and any number of times, but not after its destruction callback.

    It must be called when the context is terminated.
    """

    once = False

    def reached(self, model: Model) -> bool:
        """Return whether the context was terminated; no other condition requires a call."""
        del model
        return isinstance(self.thing, Context) and self.thing.terminated is True

    def shown_by(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the requirements that the user data, or the call itself, cover."""
        if parameter == "user_data":
            return (DATA_OF_ERRORS,) if self.record.startswith("clCreateContext/") else ()
        return (AT_TERMINATION,) if not parameter and self.reached(model) else ()

    def out_of_turn(self, later: Iterable[Notice]) -> Complaint | None:
        """Return a mismatch if the context's destruction callback has already been called."""
        told = [other for other in later if isinstance(other, OfDestruction) and other.thing is self.thing]
        if not any(other.times for other in told):
            return None
        allowed, also = "no error after the destruction", (AFTER_DESTRUCTION,)
        return Complaint(told[0].record, allowed, "called", symptoms.CALLED_TOO_LATE, also=also)


def kernels_with(thing: ClObject, model: Model) -> list[Kernel]:
    """Return the kernels that have an object as an argument."""
    kernels = model.of_kind(Kernel)
    return [kernel for kernel in kernels if any(argument.object is thing for argument in kernel.arguments.values())]


def recorded_in(thing: ClObject, model: Model) -> bool:
    """Return whether a command of an existing command-buffer uses an object."""
    buffers = model.of_kind(CommandBuffer)
    return any(thing in each.things.values() for buffer in buffers for each in buffer.commands)


def _negative(seen: list[Element]) -> bool:
    return isinstance(seen[0], int) and seen[0] < 0


def _on(thing: ClObject, base: ClObject) -> bool:
    """Return whether an object retains the one that it belongs to: its context, its buffer or its program."""
    if not isinstance(thing, ContextObject) or isinstance(thing, PointedMemory):
        return False
    return thing.context is base or (thing.parent is base and thing.keeps_parent)
