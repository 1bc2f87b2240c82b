"""Postconditions of callback registration, and checks of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import OBJECTS, SHOWN_BYTES
from clconform.calls.host import AWAIT
from clconform.calls.values import Callback, Data, Handle, Items
from clconform.oracles.chapters.notifications.kinds import (
    OF_DESTRUCTION,
    OfBuild,
    OfDestruction,
    OfErrors,
    OfEvent,
    OfQueue,
)
from clconform.oracles.chapters.notifications.notices import missing, take
from clconform.oracles.contents.storage import Place
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Promise
from clconform.oracles.model.events import Event
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call, Returned
    from clconform.oracles.chapters.notifications.notices import Notice
    from clconform.oracles.engine.wants import Complaint, Element
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.commands import Command
    from clconform.oracles.model.world import Model

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


@rules.success("clSetEventCallback")
def registered_for_a_status(call: Call, model: Model) -> Promise:
    """The callback is called once, with user_data, when the event reaches command_exec_callback_type or an error."""
    del call, model
    return Promise()


@rules.success("clSetProgramReleaseCallback")
def registered_for_the_release(call: Call, model: Model) -> Promise:
    """The callback is called once, with user_data, when the program is deleted."""
    del call, model
    return Promise()


DESTRUCTORS = {
    "clSetMemObjectDestructorCallback": "memobj",
    "clSetContextDestructorCallback": "context",
    "clSetProgramReleaseCallback": "program",
}
"""Function to the parameter name of the object, in the function and in its callback."""
SHOWN_BY_DESTRUCTION = {
    "memobj": "",
    "user_data": "",
    "": "Checked on objects with several callbacks.",
}
"""Callback argument to the text of its requirement; "" for the number and order of the calls."""
BUILDS = ("clBuildProgram", "clCompileProgram", "clLinkProgram")
BUILT = ("CL_SUCCESS", "CL_BUILD_PROGRAM_FAILURE", "CL_COMPILE_PROGRAM_FAILURE", "CL_LINK_PROGRAM_FAILURE")
"""Results of builds that were started: the callback is then called, whether the build succeeded or not."""
FREE, NATIVE = "clEnqueueSVMFree", "clEnqueueNativeKernel"
LIST_GONE, HANDED, CALLED, FREES_WITH = (f"{FREE}/effect/{number}" for number in (1, 2, 3, 4))
"""Requirements about free callbacks: a reused list, the arguments, the call itself, and the user data."""
OBJECTS_FOUND, ARGUMENTS_COPIED, ARGUMENTS_GONE = (f"{NATIVE}/effect/{number}" for number in (2, 3, 4))
"""Requirements about native kernels: memory objects in arguments, copied arguments, copies after the call returned."""

rules.words |= {
    LIST_GONE: (
        "Checked on free callbacks of a call whose list was changed after it returned: they receive the original "
        "pointers."
    ),
    HANDED: "Checked on the queue and pointer arguments of free callbacks.",
    CALLED: "",
    FREES_WITH: "",
    OBJECTS_FOUND: "Checked on native kernels that report the first bytes of the buffers in their argument block.",
    ARGUMENTS_COPIED: "Checked on native kernels that report their argument block: it has the bytes given at args.",
    ARGUMENTS_GONE: (
        "Checked on native kernels that run after the bytes at args were changed: they report the original bytes."
    ),
}
for _told in OF_DESTRUCTION.values():
    for _parameter, _records in _told.items():
        rules.words |= dict.fromkeys(_records, SHOWN_BY_DESTRUCTION[_parameter])


@rules.watch()
def callbacks_told(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Complaint], set[str]]:
    """Check the callbacks that were called, and those that a harness action waited for without a call."""
    took_place(call, outcome.value, code, model)
    if not outcome.called_back and call.function != AWAIT:
        return [], set()
    complaints, fulfilled = take(outcome.called_back, model)
    if call.function == AWAIT and isinstance(call.callback, Callback) and outcome.value < call.times:
        complaints += missing(call.callback.name, model, call.milliseconds)
    return complaints, fulfilled


def took_place(call: Call, value: Element, code: str, model: Model) -> None:
    """Record the callback that a call registers.

    ``value``: the call's result; ``code``: the name of its error code.
    """
    if code == "CL_SUCCESS" or (call.function in BUILDS and code in BUILT):
        notice = _notice(call, value, model)
        if notice is not None:
            model.registered.append(notice)


def _notice(call: Call, value: Element, model: Model) -> Notice | None:
    """Return the registration that a call made; None without a callback."""
    make = _MAKERS.get(call.function)
    if make is None:
        return None
    callback = next((each for each in call.arguments.values() if isinstance(each, Callback)), None)
    if callback is None:
        return None
    first = next(iter(call.arguments.values()))
    thing = model.things.get(str(value)) if isinstance(value, str) else model.known(first)
    return make(callback.name, call, thing, model) if thing is not None else None


def _user_data(call: Call) -> int | None:
    """Return the user data as callbacks receive them: an unsigned number, None for NULL."""
    given = call.arguments.get("user_data")
    return (given % (1 << 64) or None) if isinstance(given, int) else None


def _of_event(name: str, call: Call, thing: ClObject, model: Model) -> Notice | None:
    """Return the registration for an event; None for another object that a driver accepted as one."""
    del model
    if not isinstance(thing, Event):
        return None
    told, status = _user_data(call), call.command_exec_callback_type
    return OfEvent(name, f"{call.function}/success", told, thing, status=status, late=thing.complete)


def _of_destruction(name: str, call: Call, thing: ClObject, model: Model) -> Notice:
    del model
    return OfDestruction(
        name, f"{call.function}/success", _user_data(call), thing, parameter=DESTRUCTORS[call.function]
    )


def _of_build(name: str, call: Call, thing: ClObject, model: Model) -> Notice:
    del model
    return OfBuild(name, f"{call.function}/success", _user_data(call), thing)


def _of_errors(name: str, call: Call, thing: ClObject, model: Model) -> Notice:
    del model
    return OfErrors(name, f"{call.function}/success", _user_data(call), thing)


def _of_free(name: str, call: Call, thing: ClObject, model: Model) -> Notice:
    given = call.svm_pointers.values if isinstance(call.svm_pointers, Items) else ()
    pointers = tuple(each.name if isinstance(each, Handle) else each for each in given)
    arguments = (
        ("queue", (thing.name,)),
        ("num_svm_pointers", (call.num_svm_pointers,)),
        ("svm_pointers", pointers),
    )
    command = _latest(thing, model)
    gone = (LIST_GONE,) if command is not None and command.waits_for_the_user else ()
    shows = {"": (CALLED,), "queue": (HANDED,), "svm_pointers": (HANDED, *gone), "user_data": (FREES_WITH,)}
    return OfQueue(name, f"{FREE}/success", _user_data(call), thing, arguments=arguments, command=command, shows=shows)


def _of_native(name: str, call: Call, thing: ClObject, model: Model) -> Notice:
    given = call.args.content[: call.cb_args].hex() if isinstance(call.args, Data) else ""
    arguments: tuple[tuple[str, tuple[Element, ...]], ...] = (("", (given,)),) if given else ()
    command = _latest(thing, model)
    later = (ARGUMENTS_GONE,) if command is not None and command.waits_for_the_user else ()
    shows = {"": (ARGUMENTS_COPIED, *later)} if given else {}
    if set(model.order.pending) <= {command} and (found := _found_in_objects(call, model)):
        arguments, shows = (*arguments, (OBJECTS, found)), {**shows, OBJECTS: (OBJECTS_FOUND,)}
    return OfQueue(name, f"{NATIVE}/success", None, thing, arguments=arguments, command=command, shows=shows)


def _found_in_objects(call: Call, model: Model) -> tuple[str, ...]:
    """Return the first bytes of the buffers that a native kernel receives; empty if any are unknown."""
    listed = call.mem_list.values if isinstance(call.mem_list, Items) else ()
    found = []
    for buffer in map(model.known, listed):
        view = buffer.memory if type(buffer) is Buffer else None
        if view is None or view.size < SHOWN_BYTES:
            return ()
        content = Place(view.storage, view.spans(0, SHOWN_BYTES)).read()
        if not all(content.defined) or len(content.defined) < SHOWN_BYTES:
            return ()
        found.append(content.held.hex())
    return tuple(found)


def _latest(queue: ClObject, model: Model) -> Command | None:
    """Return the last enqueued command of a queue, unless it is known to be complete."""
    pending = model.order.of_queue(queue) if isinstance(queue, Queue) else []
    return pending[-1] if pending else None


_MAKERS: dict[str, Callable[[str, Call, ClObject, Model], Notice | None]] = {
    "clSetEventCallback": _of_event,
    **dict.fromkeys(DESTRUCTORS, _of_destruction),
    **dict.fromkeys(BUILDS, _of_build),
    "clCreateContext": _of_errors,
    "clCreateContextFromType": _of_errors,
    FREE: _of_free,
    NATIVE: _of_native,
}
