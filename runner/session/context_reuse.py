"""Reuses contexts in later examples, for drivers on which creating a context, or building in a new context, is slow.

On a GPU, creating and releasing a context can take more time than all other calls of an example, and the driver
serialises this work for all processes of the machine. Other drivers load their library of built-in functions again for
each context with a build, which takes longer than the build. In both cases, a context that an example leaves unchanged
is not released. The next example that would create an equal context receives this context instead. The steps of the
example contain the creating call as usual, so that a replay makes the call. It is not evidence, because it was not
made.

After a deviation, an example keeps no contexts, with three exceptions: the call was rejected with an unexpected error
code, the call created an object of another type that the example then released, or the call queried an object of
another type. Minimising reuses contexts even then, because its result is repeated. Confirmations use new contexts, and
so do the examples of items that target the creation of contexts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness.deadlines import BUILD_FUNCTIONS
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.model.contexts import Context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Outcome
    from clconform.harness import Worker
    from clconform.oracles.engine.judgements import Judgement
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables

SLOW_CREATION_SECONDS = 0.01
"""A context is kept if its creation takes at least this many seconds, or if a build in it is slow."""
SLOW_BUILD_SECONDS = 0.25
"""A build in a context is slow if it takes at least this many seconds."""
MAX_CONTEXTS = 4
"""Maximum number of contexts that are kept at the same time."""
CONTEXT_CREATION, CONTEXT_RELEASE, CONTEXT_QUERY = "clCreateContext", "clReleaseContext", "clGetContextInfo"
CREATION_PREFIX = "clCreate"
"""Prefix of the names of functions that create an object and have no other effect."""
NEW_CONTEXT_FUNCTIONS = (CONTEXT_CREATION, "clRetainContext", CONTEXT_RELEASE, "clSetContextDestructorCallback")
"""Functions whose requirements need new contexts."""


class KeptContexts:
    """The contexts that the driver process keeps for later examples, and those of the running example that may be kept.

    A kept context is identified by the names of its root devices.
    """

    def __init__(self, roots: list[str], *, after_deviations: bool) -> None:
        """Start without contexts.

        ``roots``: the names of the root devices. ``after_deviations``: keep contexts even after deviations.
        """
        self._after_deviations = after_deviations
        self._roots = frozenset(roots)
        self._slots: dict[int, tuple[str, ...]] = {}
        self._next_slot = 0
        self._created: dict[str, tuple[str, ...]] = {}
        self._slow: set[str] = set()
        self._is_unchanged = True
        self._is_paused = False

    def set_paused(self, *, paused: bool) -> None:
        """Suspend or resume keeping and reusing contexts."""
        self._is_paused = paused

    def forget_all(self) -> None:
        """Forget all contexts, because the process has ended."""
        self._slots, self._next_slot = {}, 0
        self.begin_example()

    def begin_example(self) -> None:
        """Start an example, which has created no contexts yet."""
        self._created, self._slow, self._is_unchanged = {}, set(), True

    def note_deviation(self) -> None:
        """Keep no contexts of this example, because the deviating call may have changed a context."""
        self._is_unchanged = self._after_deviations

    def record_call(self, call: Call, outcome: Outcome, model: Model) -> None:
        """Record a context that the example creates, and whether its creation or a build in it is slow."""
        if not isinstance(outcome, Returned):
            return
        if call.function == CONTEXT_CREATION:
            devices = self._root_devices_of(call)
            if devices and isinstance(outcome.value, str):
                self._created[outcome.value] = devices
                if outcome.seconds >= SLOW_CREATION_SECONDS:
                    self._slow.add(outcome.value)
        elif call.function in BUILD_FUNCTIONS and outcome.seconds >= SLOW_BUILD_SECONDS:
            self._slow.update(_context_names(call, model))

    def take_context(self, call: Call, worker: Worker) -> Outcome | None:
        """Return the outcome of a call that would create a context equal to a kept context; None if none is equal.

        The call is not made; the kept context is used. If the driver's process has ended in the meantime, return this
        as the outcome.
        """
        devices = self._root_devices_of(call)
        slot = next((slot for slot, known in self._slots.items() if known == devices), None) if devices else None
        if devices is None or slot is None or self._is_paused:
            return None
        del self._slots[slot]
        back = worker.take_back(slot)
        if not isinstance(back, Returned):
            return back
        self._created[str(back.value)] = devices
        self._slow.add(str(back.value))
        outputs = {"errcode_ret": Output([0], 4)} if isinstance(call.errcode_ret, OutputBuffer) else {}
        return Returned(back.value, outputs)

    def keep_context(self, call: Call, model: Model, worker: Worker) -> bool:
        """Keep the context that a call would release, if the context is unchanged; return whether it is kept."""
        if (
            self._is_paused
            or call.function != CONTEXT_RELEASE
            or not self._is_unchanged
            or len(self._slots) >= MAX_CONTEXTS
        ):
            return False
        context = model.find(call.context)
        devices = self._created.get(call.context.name)
        if devices is None or call.context.name not in self._slow:
            return False
        if not isinstance(context, Context) or not _is_unchanged(context, model):
            return False
        worker.put_aside(context.name)
        model.remove(context)
        self._slots[self._next_slot] = devices
        self._next_slot += 1
        return True

    def _root_devices_of(self, call: Call) -> tuple[str, ...] | None:
        """Return the root devices of a context that a call creates without properties and callback; else None."""
        if call.function != CONTEXT_CREATION or call.properties is not None or call.pfn_notify is not None:
            return None
        listed = call.devices.values if isinstance(call.devices, ElementList) else ()
        names = tuple(each.name for each in listed if isinstance(each, Handle))
        whole = call.user_data is None and call.num_devices == len(names) == len(listed) > 0
        return names if whole and self._roots.issuperset(names) else None


def may_have_changed(call: Call, outcome: Outcome, judgement: Judgement, tables: Tables) -> bool:
    """Return whether a deviating call may have changed a context.

    A rejection with any error code has not changed a context. A query has changed a context only if it queries a
    context or writes beyond its buffer. A call that creates an object of another type has not changed a context,
    because the object is released before the context is kept.
    """
    if not isinstance(outcome, Returned) or outcome.overrun:
        return True
    if judgement.observed != SUCCESS:
        return False
    function = tables.functions.get(call.function)
    if function is None:
        return True
    asks = bool(function.queries) and function.name != CONTEXT_QUERY
    makes = function.name.startswith(CREATION_PREFIX) and function.creates not in ("", Context.type)
    return not asks and not makes


def _is_unchanged(context: Context, model: Model) -> bool:
    """Return whether a context has one reference, no other objects, and no registered callbacks."""
    return (
        context.references == 1
        and not context.tainted
        and not any(_belongs_to(thing, context) for thing in model.objects.values())
        and not any(registered.subject is context for registered in model.callback_registrations)
    )


def _context_names(call: Call, model: Model) -> Iterator[str]:
    """Yield the names of the contexts in which a call builds a program."""
    for name in ("context", "program"):
        thing = model.find(call.arguments.get(name))
        context = thing if isinstance(thing, Context) else getattr(thing, "context", None)
        if isinstance(context, Context):
            yield context.name


def _belongs_to(thing: ClObject, context: Context) -> bool:
    return getattr(thing, "context", None) is context
