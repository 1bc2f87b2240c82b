"""The kinds of callbacks: of events, of objects that are destroyed, of builds, of what a queue has done, of errors."""

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
"""Argument of an event's callback to the sentence about it."""
OF_TERMINATED = ("clTerminateContextKHR/effect/6", "clTerminateContextKHR/effect/17")
"""What the status shows that a callback gets after its context was terminated."""
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
"""What registers a callback for an object's end to the sentences about its arguments, and about several callbacks."""


@dataclass(eq=False)
class OfEvent(Notice):
    """An event has reached a status: ``status``, or an error. ``late``: it had done so when this was registered."""

    status: int = COMPLETE
    late: bool = False

    def expected(self, model: Model) -> dict[str, Want]:
        """Return the event, and the status: the one registered, or an error where the command may have failed."""
        return {
            "event": OneOf(((self.thing.name,),), (self.record,)),
            "event_command_status": self._status(model),
        }

    def _status(self, model: Model) -> Want:
        """Return the status to be told. Before version 3.0 it may be that of the command, which is past the other one.

        The text of those versions speaks of the status of the command for which the callback is called.
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
        """Complain of a status that cannot be reached before an event of the user is set, which is not."""
        if any(call.function == SETS for call in model.inside.values()):
            return None  # by a call from inside a callback, which is not known to have been made
        waits = self.command is not None and self.command.waits_for_the_user
        if self._event.context is not None and self._event.context.terminated is None:
            return None
        if self.status == SUBMITTED or not waits:
            return None
        allowed = "not called before the user event is set"
        return Complaint(self.record, allowed, "called", symptoms.CALLED_TOO_EARLY, also=(AT_STATUS,))

    def reached(self, model: Model) -> bool:
        """Return whether the event's command is known to be over."""
        del model
        return self._event.complete

    def shown_by(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return what an argument tests, or that it comes at all: an error, another registration, both or neither."""
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
        """Return whether it must be called: after the change, or before the event goes where that was past already.

        An error counts as the end of a command, not as a status before that. What is on its way comes to its end.
        """
        if self._failed and self.status != COMPLETE:
            return False
        if self.late:
            return self._event.references < 1
        return self.reached(model) or self._on_its_way(model)

    def never_called(self) -> Symptom:
        """Return the symptom, which tells for which status it is, and whether that was past."""
        return symptoms.never_called_for(self.status, late=self.late)

    def blamed(self, model: Model) -> str:
        """Return the release of the queue where that alone has set the command on its way."""
        del model
        queue = self._event.queue
        released = queue is not None and queue.references < 1 and not self._event.complete
        return "clReleaseCommandQueue/success" if released else self.record

    def _on_its_way(self, model: Model) -> bool:
        """Return whether the command and all before it were flushed, and nothing holds them or their queue up."""
        command = self.command
        if command is None or command.queue is None:
            return False
        near = [*command.line(), *model.order.of_queue(command.queue)]
        return all(each.flushed for each in command.line()) and not any(each.waits_without_end for each in near)

    @property
    def command(self) -> Command | None:
        """The event's command; None where it is not known."""
        return self._event.command

    @property
    def _terminated(self) -> bool:
        """Return whether it is for the end of a command that certainly ends in an error."""
        return self.command is not None and self.command.terminated and self.status == COMPLETE

    @property
    def _cut_off(self) -> bool:
        """Return whether it is for the end of a command that was waiting when its context was terminated."""
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
    """An object is destroyed; ``parameter`` is how its callback calls it."""

    parameter: str = ""

    def expected(self, model: Model) -> dict[str, Want]:
        """Return the object."""
        del model
        return {self.parameter: OneOf(((self.thing.name,),), (self.record,))}

    def too_early(self, model: Model) -> Complaint | None:
        """Complain of it while the application holds the object, or something that is attached to it, for certain."""
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
        """Return whether nothing holds the object any more: no reference, no other object, no command-buffer."""
        return model.things.get(self.thing.name) is not self.thing and not recorded_in(self.thing, model)

    def owed(self, model: Model) -> bool:
        """Return whether nothing can hold the object any more, commands included."""
        return self.reached(model) and not self.thing.counted_perhaps and not model.order.pending

    def blamed(self, model: Model) -> str:
        """Return the rule that kernels hold no arguments, where one has this object as an argument."""
        return NO_HOLD_ON_ARGUMENTS if kernels_with(self.thing, model) else self.record

    def out_of_turn(self, later: Iterable[Notice]) -> Complaint | None:
        """Complain where one that was registered later for the same object has not been called yet."""
        if all(other.thing is not self.thing or other.times for other in later):
            return None
        allowed, observed = "the last registered called first", "called before a later one"
        return Complaint(self.record, allowed, observed, symptoms.WRONG_ORDER, also=self._shown(""))

    def shown_by(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return what an argument tests, or that one of several comes: that none takes the place of another."""
        same = (isinstance(each, OfDestruction) and each.thing is self.thing for each in model.registered)
        return self._shown(parameter) if parameter or sum(same) > 1 else ()

    def _shown(self, parameter: str) -> tuple[str, ...]:
        return OF_DESTRUCTION.get(self.record, {}).get(parameter, ())


@dataclass(eq=False)
class OfBuild(Notice):
    """A program was built, compiled or linked, or that has failed."""

    def expected(self, model: Model) -> dict[str, Want]:
        """Return the program."""
        del model
        return {"program": OneOf(((self.thing.name,),), (self.record,))}

    def reached(self, model: Model) -> bool:
        """Tell that it must come about: nothing that the application does keeps a build from its end."""
        del model
        return True

    def came(self, model: Model) -> None:
        """Note that the build is over, one way or the other."""
        del model
        for build in self.thing.builds.values() if isinstance(self.thing, Program) else ():
            if build.state is BuildState.GOING_ON:
                build.state = BuildState.ENDED


@dataclass(eq=False)
class OfQueue(Notice):
    """A command of a queue calls it.

    ``arguments``: by parameter, what it gets beside the user data. ``command``: None where it was over at once.
    ``shows``: the records that an argument tests, by parameter.
    """

    arguments: tuple[tuple[str, tuple[Element, ...]], ...] = ()
    command: Command | None = None
    shows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def shown_by(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the records that an argument tests."""
        del model
        return self.shows.get(parameter, ())

    def expected(self, model: Model) -> dict[str, Want]:
        """Return what the command was given."""
        del model
        return {name: OneOf((values,), (self.record,)) for name, values in self.arguments}

    def too_early(self, model: Model) -> Complaint | None:
        """Complain of it where the command waits for an event that the user has not set."""
        del model
        if self.command is None or not self.command.waits_for_the_user:
            return None
        return Complaint(self.record, "not called before the user event is set", "called", symptoms.CALLED_TOO_EARLY)

    def reached(self, model: Model) -> bool:
        """Return whether the command is known to be over, and not by an error."""
        del model
        return self.command is None or (self.command.over and not self.command.failed)


@dataclass(eq=False)
class OfErrors(Notice):
    """A context has something to tell, at any time and as often as it likes, but not when it is being destroyed.

    It has to when it is terminated.
    """

    once = False

    def reached(self, model: Model) -> bool:
        """Return whether the context was terminated: nothing else has to come about."""
        del model
        return isinstance(self.thing, Context) and self.thing.terminated is True

    def shown_by(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return what the user data test, and that it comes at all."""
        if parameter == "user_data":
            return (DATA_OF_ERRORS,) if self.record.startswith("clCreateContext/") else ()
        return (AT_TERMINATION,) if not parameter and self.reached(model) else ()

    def out_of_turn(self, later: Iterable[Notice]) -> Complaint | None:
        """Complain where the context's destruction has been told of already."""
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
    """Return whether a command of a living command-buffer uses an object."""
    buffers = model.of_kind(CommandBuffer)
    return any(thing in each.things.values() for buffer in buffers for each in buffer.commands)


def _negative(seen: list[Element]) -> bool:
    return isinstance(seen[0], int) and seen[0] < 0


def _on(thing: ClObject, base: ClObject) -> bool:
    """Return whether an object keeps the one that it belongs to: its context, its buffer, its program."""
    if not isinstance(thing, ContextObject) or isinstance(thing, PointedMemory):
        return False
    return thing.context is base or (thing.parent is base and thing.keeps_parent)
