"""Kinds of callbacks: for events, destroyed objects, builds, queue commands and errors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.values import Handle
from clconform.oracles.chapters.events.query_results import COMPLETE, SUBMITTED
from clconform.oracles.chapters.notifications.pending_callbacks import PendingCallback
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.matchers import Mismatch, OneOf, Satisfies
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import SubBuffer
from clconform.oracles.model.pointer_memory import PointerMemory
from clconform.oracles.model.programs import BuildState, Program

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from clconform.oracles.engine.matchers import Element, Matcher
    from clconform.oracles.engine.symptoms import Symptom
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

NOT_BEFORE_SUB_BUFFERS = "clReleaseMemObject/effect/1"
SET_USER_EVENT = "clSetUserEventStatus"
ARGUMENTS_NOT_RETAINED = "clSetKernelArg/effect/1"
ON_TERMINATION, STATUS_ARGUMENT, ERROR_ARGUMENT, EACH_REGISTRATION, AT_STATUS = (
    f"clSetEventCallback/effect/{number}" for number in (3, 5, 6, 8, 9)
)
ARGUMENT_REQUIREMENTS = {"event": ("clSetEventCallback/effect/4",), "user_data": ("clSetEventCallback/effect/7",)}
"""Maps each argument of an event callback to the requirements about this argument."""
TERMINATION_REQUIREMENTS = ("clTerminateContextKHR/effect/6", "clTerminateContextKHR/effect/17")
"""Requirements about the status argument of an event callback after the termination of the context."""
AT_TERMINATION, DATA_OF_ERRORS = "clTerminateContextKHR/effect/11", "clCreateContext/effect/8"
RETAINED_BY_COMMANDS = "OpenCL:command-buffers/5"
AFTER_DESTRUCTION = "clSetContextDestructorCallback/effect/4"
DESTRUCTION_REQUIREMENTS: dict[str, dict[str, tuple[str, ...]]] = {
    f"{function}/success": {name: tuple(f"{function}/effect/{number}" for number in numbers) for name, numbers in told}
    for function, told in (
        ("clSetMemObjectDestructorCallback", (("memobj", (2,)), ("user_data", (3,)), ("", (4, 5)))),
        ("clSetContextDestructorCallback", (("user_data", (1,)), ("", (2, 3)))),
        ("clSetProgramReleaseCallback", (("user_data", (1,)), ("", (2, 3)))),
    )
}
"""Maps the success of each registering function to the requirements about each callback argument.

The key "" is for the requirements about objects with several callbacks.
"""


@dataclass(eq=False)
class EventCallback(PendingCallback):
    """Registration of a callback that is called when an event reaches ``status`` or an error.

    ``late``: whether the event was already complete at the registration.
    """

    status: int = COMPLETE
    late: bool = False

    def expected_arguments(self, model: Model) -> dict[str, Matcher]:
        """Return the expected event and status: the registered status, or an error if the command may have failed."""
        return {
            "event": OneOf(((self.subject.name,),), (self.requirement,)),
            "event_command_status": self._expected_status(model),
        }

    def _expected_status(self, model: Model) -> Matcher:
        """Return the expected status. Before version 3.0, a later status of the command is also allowed.

        The documents of these versions describe the argument as the status of the command.
        """
        platform = model.platform_of([Handle(self.subject.name)])
        older = platform is not None and platform.version < (3, 0)
        told = (self.status, *range(self.status - 1, COMPLETE - 1, -1)) if older else (self.status,)
        registered = OneOf(tuple((status,) for status in told), (self.requirement,))
        if self._is_cut_off:
            return OneOf(((model.constant_value("CL_CONTEXT_TERMINATED_KHR"),),), (self.requirement,))
        if not self._has_failed:
            return registered
        if not self._is_terminated:
            return Satisfies(
                lambda seen: seen == [self.status] or _is_negative(seen),
                "an error too",
                (self.requirement,),
                (-1,),
                symptoms.AN_ERROR_TOO,
            )
        status = (self._event.status if isinstance(self._event, UserEvent) else -1,)
        return Satisfies(_is_negative, "an error code", (self.requirement,), status, symptoms.AN_ERROR_CODE)

    def check_too_early(self, model: Model) -> Mismatch | None:
        """Return a mismatch if the event cannot have reached the status, because a user event is not set."""
        if any(call.function == SET_USER_EVENT for call in model.reentrant_calls.values()):
            return None  # the call is made inside a callback and may not have been recorded yet
        waits = self.command is not None and self.command.waits_for_user_event
        if self._event.context is not None and self._event.context.terminated is None:
            return None
        if self.status == SUBMITTED or not waits:
            return None
        allowed = "not called before the user event is set"
        return Mismatch(self.requirement, allowed, "called", symptoms.CALLED_TOO_EARLY, also_violated=(AT_STATUS,))

    def is_due(self, model: Model) -> bool:
        """Return whether the event's command is known to be complete."""
        del model
        return self._event.is_complete

    def covered_requirements(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the requirements that a callback argument covers; for '', those that the call itself covers."""
        if parameter == "event_command_status" and self._is_cut_off:
            return TERMINATION_REQUIREMENTS
        if parameter == "event_command_status":
            told = (ERROR_ARGUMENT,) if self._is_terminated else ()
            return told if self._has_failed else (STATUS_ARGUMENT,)
        if parameter:
            return ARGUMENT_REQUIREMENTS.get(parameter, ())
        several = (
            sum(
                isinstance(each, EventCallback) and each.subject is self.subject
                for each in model.callback_registrations
            )
            > 1
        )
        return (AT_STATUS, *([ON_TERMINATION] if self._has_failed else []), *([EACH_REGISTRATION] if several else []))

    def must_be_called(self, model: Model) -> bool:
        """Return whether the callback must be called: the command is complete, or it is flushed and will complete.

        After a late registration, the callback must be called once the event does not have references. If the command
        may have failed, only a callback for CL_COMPLETE must be called.
        """
        if self._has_failed and self.status != COMPLETE:
            return False
        if self.late:
            return self._event.references < 1
        return self.is_due(model) or self._will_complete(model)

    def missing_symptom(self) -> Symptom:
        """Return the symptom of a missing call, with the status and whether the registration was late."""
        return symptoms.never_called_for(self.status, late=self.late)

    def responsible_requirement(self, model: Model) -> str:
        """Return the requirement to which a missing call of the callback is attributed.

        If only the release of the queue flushed the command, this is the requirement of clReleaseCommandQueue.
        """
        del model
        queue = self._event.queue
        released = queue is not None and queue.references < 1 and not self._event.is_complete
        return "clReleaseCommandQueue/success" if released else self.requirement

    def _will_complete(self, model: Model) -> bool:
        """Return whether the command and its predecessors are flushed, and nothing blocks them or their queue."""
        command = self.command
        if command is None or command.queue is None:
            return False
        near = [*command.pending_chain(), *model.commands.of_queue(command.queue)]
        return all(each.is_flushed for each in command.pending_chain()) and not any(
            each.waits_indefinitely for each in near
        )

    @property
    def command(self) -> Command | None:
        """The event's command; None if unknown."""
        return self._event.command

    @property
    def _is_terminated(self) -> bool:
        """Return whether the callback is for the completion of a command that certainly ends with an error."""
        return self.command is not None and self.command.terminated and self.status == COMPLETE

    @property
    def _is_cut_off(self) -> bool:
        """Return whether the callback is for the completion of a command that the context's termination stopped."""
        return self.command is not None and self.command.is_cut_off and self.status == COMPLETE

    @property
    def _has_failed(self) -> bool:
        return self.command is not None and self.command.may_have_failed

    @property
    def _event(self) -> Event:
        assert isinstance(self.subject, Event)  # noqa: S101 (only events have such callbacks)
        return self.subject


@dataclass(eq=False)
class DestructionCallback(PendingCallback):
    """Registration of a callback that is called when an object is destroyed.

    ``parameter``: the callback parameter that receives the object.
    """

    parameter: str = ""

    def expected_arguments(self, model: Model) -> dict[str, Matcher]:
        """Return the expected argument: the object that was destroyed."""
        del model
        return {self.parameter: OneOf(((self.subject.name,),), (self.requirement,))}

    def check_too_early(self, model: Model) -> Mismatch | None:
        """Return a mismatch if the object certainly cannot be destroyed yet.

        The application owns a reference to it, or to an object that retains it, or a command-buffer uses it.
        """
        if self.subject.has_uncertain_count:
            return None
        if self.subject.references > 0:
            return Mismatch(
                self.requirement,
                "not called before the last reference is released",
                "called",
                symptoms.CALLED_TOO_EARLY,
            )
        held = next(
            (thing for thing in model.objects.values() if thing.references > 0 and _is_attached(thing, self.subject)),
            None,
        )
        if held is None and is_recorded(self.subject, model):
            allowed = "not called before the command-buffer is released"
            return Mismatch(RETAINED_BY_COMMANDS, allowed, "called", symptoms.CALLED_TOO_EARLY)
        if held is None:
            return None
        requirement = NOT_BEFORE_SUB_BUFFERS if isinstance(held, SubBuffer) else self.requirement
        return Mismatch(
            requirement, "not called before the attached objects are released", "called", symptoms.CALLED_TOO_EARLY
        )

    def is_due(self, model: Model) -> bool:
        """Return whether the object can be destroyed: references, other objects and command-buffers do not hold it."""
        return model.objects.get(self.subject.name) is not self.subject and not is_recorded(self.subject, model)

    def must_be_called(self, model: Model) -> bool:
        """Return whether the driver must have destroyed the object.

        This applies if the callback is due, the reference count of the object is certain, and all commands are
        complete.
        """
        return self.is_due(model) and not self.subject.has_uncertain_count and not model.commands.pending

    def responsible_requirement(self, model: Model) -> str:
        """Return the requirement to which a missing call of the callback is attributed.

        If a kernel has the object as an argument, this is the requirement that kernels do not retain their arguments.
        """
        return ARGUMENTS_NOT_RETAINED if kernels_with_argument(self.subject, model) else self.requirement

    def check_order(self, later: Iterable[PendingCallback]) -> Mismatch | None:
        """Return a mismatch if the callback of a later registration for the same object has not been called yet."""
        if all(other.subject is not self.subject or other.call_count for other in later):
            return None
        allowed, observed = "the last registered called first", "called before a later one"
        return Mismatch(
            self.requirement, allowed, observed, symptoms.UNEXPECTED_ORDER, also_violated=self._covered_by("")
        )

    def covered_requirements(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the requirements that a callback argument covers.

        For '', return the requirements that a call covers if the object has several destruction callbacks.
        """
        same = (
            isinstance(each, DestructionCallback) and each.subject is self.subject
            for each in model.callback_registrations
        )
        return self._covered_by(parameter) if parameter or sum(same) > 1 else ()

    def _covered_by(self, parameter: str) -> tuple[str, ...]:
        return DESTRUCTION_REQUIREMENTS.get(self.requirement, {}).get(parameter, ())


@dataclass(eq=False)
class BuildCallback(PendingCallback):
    """Registration of a callback that is called when a build, compilation or link ends, with or without success."""

    def expected_arguments(self, model: Model) -> dict[str, Matcher]:
        """Return the expected argument: the program."""
        del model
        return {"program": OneOf(((self.subject.name,),), (self.requirement,))}

    def is_due(self, model: Model) -> bool:
        """Return True: a build completes, whatever the application does."""
        del model
        return True

    def record_call(self, model: Model) -> None:
        """Record that the build has completed, successfully or not."""
        del model
        for build in self.subject.builds.values() if isinstance(self.subject, Program) else ():
            if build.state is BuildState.GOING_ON:
                build.state = BuildState.ENDED


@dataclass(eq=False)
class QueueCallback(PendingCallback):
    """Registration of a callback that is called during the execution of a command.

    ``arguments``: maps parameters, except the user data, to expected values. ``command``: the command; None if it
    completed immediately. ``shows``: maps parameters to the requirements that their arguments cover.
    """

    arguments: tuple[tuple[str, tuple[Element, ...]], ...] = ()
    command: Command | None = None
    shows: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def covered_requirements(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the requirements that a callback argument covers; for '', those that the call itself covers."""
        del model
        return self.shows.get(parameter, ())

    def expected_arguments(self, model: Model) -> dict[str, Matcher]:
        """Return the arguments that the command was enqueued with."""
        del model
        return {name: OneOf((values,), (self.requirement,)) for name, values in self.arguments}

    def check_too_early(self, model: Model) -> Mismatch | None:
        """Return a mismatch if the command waits for a user event that is not set."""
        del model
        if self.command is None or not self.command.waits_for_user_event:
            return None
        return Mismatch(
            self.requirement, "not called before the user event is set", "called", symptoms.CALLED_TOO_EARLY
        )

    def is_due(self, model: Model) -> bool:
        """Return whether the command is known to be complete without an error."""
        del model
        return self.command is None or (self.command.is_complete and not self.command.may_have_failed)


@dataclass(eq=False)
class ErrorCallback(PendingCallback):
    """Error callback of a context, which may be called any number of times before the destruction callback.

    The error callback must be called when the context is terminated.
    """

    once = False

    def is_due(self, model: Model) -> bool:
        """Return whether the driver must invoke the callback, which is the case only after a termination.

        Otherwise the driver may invoke the callback.
        """
        del model
        return isinstance(self.subject, Context) and self.subject.terminated is True

    def covered_requirements(self, parameter: str, model: Model) -> tuple[str, ...]:
        """Return the requirements that the user data covers; for '', those that the call itself covers."""
        if parameter == "user_data":
            return (DATA_OF_ERRORS,) if self.requirement.startswith("clCreateContext/") else ()
        return (AT_TERMINATION,) if not parameter and self.is_due(model) else ()

    def check_order(self, later: Iterable[PendingCallback]) -> Mismatch | None:
        """Return a mismatch if the context's destruction callback has already been called."""
        told = [other for other in later if isinstance(other, DestructionCallback) and other.subject is self.subject]
        if not any(other.call_count for other in told):
            return None
        allowed, also = "no error after the destruction", (AFTER_DESTRUCTION,)
        return Mismatch(told[0].requirement, allowed, "called", symptoms.CALLED_TOO_LATE, also_violated=also)


def kernels_with_argument(thing: ClObject, model: Model) -> list[Kernel]:
    """Return the kernels that have an object as an argument."""
    kernels = model.objects_of_class(Kernel)
    return [kernel for kernel in kernels if any(argument.object is thing for argument in kernel.arguments.values())]


def is_recorded(thing: ClObject, model: Model) -> bool:
    """Return whether a command of an existing command-buffer uses an object."""
    buffers = model.objects_of_class(CommandBuffer)
    return any(thing in each.objects.values() for buffer in buffers for each in buffer.commands)


def _is_negative(seen: list[Element]) -> bool:
    return isinstance(seen[0], int) and seen[0] < 0


def _is_attached(thing: ClObject, base: ClObject) -> bool:
    """Return whether ``thing`` retains ``base``, which is its context, its buffer or its program."""
    if not isinstance(thing, ContextObject) or isinstance(thing, PointerMemory):
        return False
    return thing.context is base or (thing.parent is base and thing.keeps_parent)
