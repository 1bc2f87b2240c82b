"""Postconditions of callback registration, and checks of the callbacks that a driver calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import POINTED_OBJECTS, SHOWN_BYTES
from clconform.calls.harness_actions import AWAIT
from clconform.calls.values import Data, ElementList, Handle, HostCallback
from clconform.oracles.chapters.notifications.callback_kinds import (
    DESTRUCTION_REQUIREMENTS,
    BuildCallback,
    DestructionCallback,
    ErrorCallback,
    EventCallback,
    QueueCallback,
)
from clconform.oracles.chapters.notifications.pending_callbacks import check_called, find_missing
from clconform.oracles.contents.storage import MemoryPlace
from clconform.oracles.engine.matchers import Postcondition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Returned
    from clconform.oracles.chapters.notifications.pending_callbacks import PendingCallback
    from clconform.oracles.engine.matchers import Element, Mismatch
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model

rules = Rules()
rules.words.update(
    {
        "clSetEventCallback/effect/3": "",
        "clSetEventCallback/effect/4": "",
        "clSetEventCallback/effect/5": "",
        "clSetEventCallback/effect/6": "",
        "clSetEventCallback/effect/7": "",
        "clSetEventCallback/effect/8": "",
        "clSetEventCallback/effect/9": "",
    }
)


@rules.postcondition("clSetEventCallback")
def expect_event_callback(call: Call, model: Model) -> Postcondition:
    """The callback is called once, with user_data, when the event reaches command_exec_callback_type or an error."""
    del call, model
    return Postcondition()


@rules.postcondition("clSetProgramReleaseCallback")
def expect_release_callback(call: Call, model: Model) -> Postcondition:
    """The callback is called once, with user_data, when the program is deleted."""
    del call, model
    return Postcondition()


DESTRUCTOR_PARAMETERS = {
    "clSetMemObjectDestructorCallback": "memobj",
    "clSetContextDestructorCallback": "context",
    "clSetProgramReleaseCallback": "program",
}
"""Maps each function to two parameter names for the object: that of the function and that of its callback."""
DESTRUCTION_TEXTS = {
    "memobj": "",
    "user_data": "",
    "": "Checked on objects with several callbacks: each is called once, the last registered first.",
}
"""Maps each callback argument to the text of its requirement. The key "" is for the number and order of the calls."""
BUILDS = ("clBuildProgram", "clCompileProgram", "clLinkProgram")
BUILD_RESULTS = ("CL_SUCCESS", "CL_BUILD_PROGRAM_FAILURE", "CL_COMPILE_PROGRAM_FAILURE", "CL_LINK_PROGRAM_FAILURE")
"""Results of calls that started a build. The callback is called after each of them, even if the build failed."""
FREE, NATIVE = "clEnqueueSVMFree", "clEnqueueNativeKernel"
REUSED_LIST, FREE_ARGUMENTS, FREE_CALLED, FREE_USER_DATA = (f"{FREE}/effect/{number}" for number in (1, 2, 3, 4))
"""Requirements about free callbacks: a reused list, the arguments, the call itself, and the user data."""
NATIVE_OBJECTS, NATIVE_ARGUMENTS, NATIVE_REUSED_ARGUMENTS = (f"{NATIVE}/effect/{number}" for number in (2, 3, 4))
"""Requirements about native kernels: memory objects in args, a copy of args, and its use after the call returned."""

rules.words |= {
    REUSED_LIST: (
        "Checked on calls whose svm_pointers list was changed after the return: the callback receives the original "
        "pointers."
    ),
    FREE_ARGUMENTS: "Checked on free callbacks: they receive the queue and the pointers of the clEnqueueSVMFree call.",
    FREE_CALLED: "",
    FREE_USER_DATA: "",
    NATIVE_OBJECTS: "Checked on native kernels that report the first bytes of each memory object in their arguments.",
    NATIVE_ARGUMENTS: "Checked on native kernels that report their argument block: it contains the bytes at args.",
    NATIVE_REUSED_ARGUMENTS: (
        "Checked on native kernels that run after the bytes at args were changed: they report the original bytes."
    ),
}
for _told in DESTRUCTION_REQUIREMENTS.values():
    for _parameter, _records in _told.items():
        rules.words |= dict.fromkeys(_records, DESTRUCTION_TEXTS[_parameter])


@rules.watch()
def check_callbacks(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Mismatch], set[str]]:
    """Check the callbacks that were called, and report an awaited callback that was not called."""
    record_registration(call, outcome.value, code, model)
    if not outcome.callbacks and call.function != AWAIT:
        return [], set()
    complaints, fulfilled = check_called(outcome.callbacks, model)
    if call.function == AWAIT and isinstance(call.callback, HostCallback) and outcome.value < call.times:
        complaints += find_missing(call.callback.name, model, call.milliseconds)
    return complaints, fulfilled


def record_registration(call: Call, value: Element, code: str, model: Model) -> None:
    """Record the callback that a call registers.

    ``value``: the call's result; ``code``: the name of its error code.
    """
    if code == "CL_SUCCESS" or (call.function in BUILDS and code in BUILD_RESULTS):
        notice = _create_registration(call, value, model)
        if notice is not None:
            model.callback_registrations.append(notice)


def _create_registration(call: Call, value: Element, model: Model) -> PendingCallback | None:
    """Return the registration of the callback that a call passes; None if the call does not pass a callback."""
    make = _FACTORIES.get(call.function)
    if make is None:
        return None
    callback = next((each for each in call.arguments.values() if isinstance(each, HostCallback)), None)
    if callback is None:
        return None
    first = next(iter(call.arguments.values()))
    thing = model.objects.get(str(value)) if isinstance(value, str) else model.find(first)
    return make(callback.name, call, thing, model) if thing is not None else None


def _user_data(call: Call, model: Model) -> int | None:
    """Return the user data as callbacks receive them: an unsigned number, None for NULL."""
    given = call.arguments.get("user_data")
    return (given % (model.size_max + 1) or None) if isinstance(given, int) else None


def _register_event(name: str, call: Call, thing: ClObject, model: Model) -> PendingCallback | None:
    """Return the registration for an event; None if the object is not an event, but a driver accepted it."""
    if not isinstance(thing, Event):
        return None
    told, status = _user_data(call, model), call.command_exec_callback_type
    return EventCallback(name, f"{call.function}/success", told, thing, status=status, late=thing.is_complete)


def _register_destruction(name: str, call: Call, thing: ClObject, model: Model) -> PendingCallback:
    return DestructionCallback(
        name, f"{call.function}/success", _user_data(call, model), thing, parameter=DESTRUCTOR_PARAMETERS[call.function]
    )


def _register_build(name: str, call: Call, thing: ClObject, model: Model) -> PendingCallback:
    return BuildCallback(name, f"{call.function}/success", _user_data(call, model), thing)


def _register_errors(name: str, call: Call, thing: ClObject, model: Model) -> PendingCallback:
    return ErrorCallback(name, f"{call.function}/success", _user_data(call, model), thing)


def _register_free(name: str, call: Call, thing: ClObject, model: Model) -> PendingCallback:
    given = call.svm_pointers.values if isinstance(call.svm_pointers, ElementList) else ()
    pointers = tuple(each.name if isinstance(each, Handle) else each for each in given)
    arguments = (
        ("queue", (thing.name,)),
        ("num_svm_pointers", (call.num_svm_pointers,)),
        ("svm_pointers", pointers),
    )
    command = _last_command(thing, model)
    gone = (REUSED_LIST,) if command is not None and command.waits_for_user_event else ()
    shows = {
        "": (FREE_CALLED,),
        "queue": (FREE_ARGUMENTS,),
        "svm_pointers": (FREE_ARGUMENTS, *gone),
        "user_data": (FREE_USER_DATA,),
    }
    return QueueCallback(
        name,
        "clEnqueueSVMFree/success",
        _user_data(call, model),
        thing,
        arguments=arguments,
        command=command,
        shows=shows,
    )


def _register_native_kernel(name: str, call: Call, thing: ClObject, model: Model) -> PendingCallback:
    given = call.args.content[: call.cb_args].hex() if isinstance(call.args, Data) else ""
    arguments: tuple[tuple[str, tuple[Element, ...]], ...] = (("", (given,)),) if given else ()
    command = _last_command(thing, model)
    later = (NATIVE_REUSED_ARGUMENTS,) if command is not None and command.waits_for_user_event else ()
    shows = {"": (NATIVE_ARGUMENTS, *later)} if given else {}
    if model.commands.pending.keys() <= {command} and (found := _first_bytes_of_buffers(call, model)):
        arguments, shows = (*arguments, (POINTED_OBJECTS, found)), {**shows, POINTED_OBJECTS: (NATIVE_OBJECTS,)}
    return QueueCallback(
        name, "clEnqueueNativeKernel/success", None, thing, arguments=arguments, command=command, shows=shows
    )


def _first_bytes_of_buffers(call: Call, model: Model) -> tuple[str, ...]:
    """Return the first bytes of the buffers that a native kernel receives; empty if any are unknown."""
    listed = call.mem_list.values if isinstance(call.mem_list, ElementList) else ()
    found = []
    for buffer in map(model.find, listed):
        view = buffer.memory if type(buffer) is Buffer else None
        if view is None or view.size < SHOWN_BYTES:
            return ()
        content = MemoryPlace(view.storage, view.spans(0, SHOWN_BYTES)).read()
        if not all(content.defined) or len(content.defined) < SHOWN_BYTES:
            return ()
        found.append(content.bytes_held.hex())
    return tuple(found)


def _last_command(queue: ClObject, model: Model) -> Command | None:
    """Return the last command of a queue that may still run; None if all commands are known to be complete."""
    pending = model.commands.of_queue(queue) if isinstance(queue, CommandQueue) else []
    return pending[-1] if pending else None


_FACTORIES: dict[str, Callable[[str, Call, ClObject, Model], PendingCallback | None]] = {
    "clSetEventCallback": _register_event,
    **dict.fromkeys(DESTRUCTOR_PARAMETERS, _register_destruction),
    **dict.fromkeys(BUILDS, _register_build),
    "clCreateContext": _register_errors,
    "clCreateContextFromType": _register_errors,
    FREE: _register_free,
    NATIVE: _register_native_kernel,
}
