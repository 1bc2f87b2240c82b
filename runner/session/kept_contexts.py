"""Contexts that outlive their example, for drivers on which making one, or the first build in one, takes long.

On a GPU, making and releasing a context can take more time than all other calls of an example, and the driver makes one
after the other for all processes of the machine. Others read their library of built-in functions anew for each context
in which something is built, which takes longer than building it. There, a context that an example leaves as it was made
is not released, and the next example that would make the same one gets it instead. Its steps have the call as usual, so
that replaying makes it; but it is no evidence, since it was not made. An example keeps nothing after a deviation,
except one in which the call was refused with a wrong code, made an object that is no context and that the example then
released, or asked about something that is no context; minimising keeps them after all, since its result is repeated.
Every deviation is confirmed with contexts of its own, and so is every example of an item that targets the making of
contexts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.harness.deadlines import BUILDS
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.model.contexts import Context

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Outcome
    from clconform.harness import Worker
    from clconform.oracles.engine.judgements import Judgement
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables

LONG_SECONDS = 0.01
"""A context that took less time to make is not kept,"""
LONG_BUILD_SECONDS = 0.25
"""unless it took so long to build something in it."""
MOST = 4
"""Maximum number of contexts that are kept at a time."""
MAKES, RELEASES, ASKS = "clCreateContext", "clReleaseContext", "clGetContextInfo"
CREATES = "clCreate"
"""How the names of functions begin that do nothing but make an object."""
TESTED_ANEW = (MAKES, "clRetainContext", RELEASES, "clSetContextDestructorCallback")
"""Functions whose records are tested with contexts that are made and released for the purpose."""


class KeptContexts:
    """The contexts that the running driver process keeps, and those of the running example that may be kept.

    A context is known by the names of its root devices.
    """

    def __init__(self, roots: list[str], *, after_deviations: bool) -> None:
        """``roots``: the names of the root devices. ``after_deviations``: keep contexts of any example."""
        self._after_deviations = after_deviations
        self._roots = frozenset(roots)
        self._slots: dict[int, tuple[str, ...]] = {}
        self._next_slot = 0
        self._made: dict[str, tuple[str, ...]] = {}
        self._costly: set[str] = set()
        self._untouched = True
        self._paused = False

    def pause(self, *, paused: bool) -> None:
        """Let no context be kept or taken, or go on."""
        self._paused = paused

    def forget(self) -> None:
        """Forget all contexts: the process has ended."""
        self._slots, self._next_slot = {}, 0
        self.begin_example()

    def begin_example(self) -> None:
        """Start with no context of this example."""
        self._made, self._costly, self._untouched = {}, set(), True

    def deviated(self) -> None:
        """Keep nothing of this example: a call that deviated may have changed a context."""
        self._untouched = self._after_deviations

    def saw(self, call: Call, outcome: Outcome, model: Model) -> None:
        """Note a context that an example made, and one that took long to make or to build something in."""
        if not isinstance(outcome, Returned):
            return
        if call.function == MAKES:
            devices = self._devices(call)
            if devices and isinstance(outcome.value, str):
                self._made[outcome.value] = devices
                if outcome.seconds >= LONG_SECONDS:
                    self._costly.add(outcome.value)
        elif call.function in BUILDS and outcome.seconds >= LONG_BUILD_SECONDS:
            self._costly.update(_names_of_contexts(call, model))

    def take(self, call: Call, worker: Worker) -> Outcome | None:
        """Return the outcome of a call that would make a context like one that is kept; None if there is none.

        If the driver's process has ended meanwhile, that is the outcome.
        """
        devices = self._devices(call)
        slot = next((slot for slot, known in self._slots.items() if known == devices), None) if devices else None
        if devices is None or slot is None or self._paused:
            return None
        del self._slots[slot]
        back = worker.take_back(slot)
        if not isinstance(back, Returned):
            return back
        self._made[str(back.value)] = devices
        self._costly.add(str(back.value))
        outputs = {"errcode_ret": Output([0], 4)} if isinstance(call.errcode_ret, OutputBuffer) else {}
        return Returned(back.value, outputs)

    def keep(self, call: Call, model: Model, worker: Worker) -> bool:
        """Keep the context that a call would release, if it is as it was made; return whether it is kept."""
        if self._paused or call.function != RELEASES or not self._untouched or len(self._slots) >= MOST:
            return False
        context = model.known(call.context)
        devices = self._made.get(call.context.name)
        if devices is None or call.context.name not in self._costly:
            return False
        if not isinstance(context, Context) or not _as_made(context, model):
            return False
        worker.put_aside(context.name)
        model.drop(context)
        self._slots[self._next_slot] = devices
        self._next_slot += 1
        return True

    def _devices(self, call: Call) -> tuple[str, ...] | None:
        """Return the root devices of a context without properties and callback that a call makes; None for others."""
        if call.function != MAKES or call.properties is not None or call.pfn_notify is not None:
            return None
        listed = call.devices.values if isinstance(call.devices, Items) else ()
        names = tuple(each.name for each in listed if isinstance(each, Handle))
        whole = call.user_data is None and call.num_devices == len(names) == len(listed) > 0
        return names if whole and self._roots.issuperset(names) else None


def may_have_changed(call: Call, outcome: Outcome, judgement: Judgement, tables: Tables) -> bool:
    """Return whether a call that deviated may have changed a context.

    Neither a refusal, with whatever code, nor a query does, but for one of contexts, or one whose answer goes past the
    end of its buffer. Nor does a call that makes a wrong object of another type, or one that it had to refuse: that
    object is released before the context is kept.
    """
    if not isinstance(outcome, Returned) or outcome.overrun:
        return True
    if judgement.observed != SUCCESS:
        return False
    function = tables.functions.get(call.function)
    if function is None:
        return True
    asks = bool(function.queries) and function.name != ASKS
    makes = function.name.startswith(CREATES) and function.creates not in ("", Context.type)
    return not asks and not makes


def _as_made(context: Context, model: Model) -> bool:
    """Return whether nothing but the one reference is left of what an example did with a context."""
    return (
        context.references == 1
        and not context.tainted
        and not any(_belongs(thing, context) for thing in model.things.values())
        and not any(registered.thing is context for registered in model.registered)
    )


def _names_of_contexts(call: Call, model: Model) -> Iterator[str]:
    """Yield the names of the contexts in which a call builds something."""
    for name in ("context", "program"):
        thing = model.known(call.arguments.get(name))
        context = thing if isinstance(thing, Context) else getattr(thing, "context", None)
        if isinstance(context, Context):
            yield context.name


def _belongs(thing: ClObject, context: Context) -> bool:
    return getattr(thing, "context", None) is context
