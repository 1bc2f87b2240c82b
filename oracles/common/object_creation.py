"""Common rules for the objects of a context: new handles, reference counts, and destruction of unused objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.judgements import UNEXPECTED_ERROR
from clconform.oracles.engine.matchers import Element, Matcher, NewHandles, Postcondition, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import cite_interpretation
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.lifetime import release, release_context
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model

rules = Rules()


def create_postcondition(created: ContextObject, call: Call, model: Model) -> Postcondition:
    """Return the postcondition of a creating call: a new handle, under which ``created`` is added to the model."""

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            created.name = value
            model.add(created)
            if created.device is not None:
                created.device.attached += 1

    requirements = (f"{call.function}/success",)
    return Postcondition(NewHandles(created.type, 1, 1, requirements, model.live_names(created.type)), apply=apply)


def is_reference_count(query: str) -> bool:
    """Return whether the query of this name returns a reference count."""
    return query.removesuffix("_KHR").endswith("_REFERENCE_COUNT")


def expect_reference_count(counted: ClObject, requirement: str) -> Matcher:
    """Expect a reference count that is at least the number of references that the application owns."""
    owned = counted.references
    words = cite_interpretation(f"at least {owned}", InterpretationId("reference-count-lower-bound"))
    return Satisfies(
        lambda seen: bool(seen) and isinstance(seen[0], int) and seen[0] >= owned, words, (requirement,), (owned,)
    )


RETAIN_FUNCTIONS = (
    "clRetainCommandQueue",
    "clRetainMemObject",
    "clRetainProgram",
    "clRetainKernel",
    "clRetainSampler",
    "clRetainEvent",
    "clRetainSemaphoreKHR",
    "clRetainCommandBufferKHR",
)
RELEASE_QUEUE = "clReleaseCommandQueue"
RELEASE_FUNCTIONS = (
    RELEASE_QUEUE,
    "clReleaseMemObject",
    "clReleaseProgram",
    "clReleaseKernel",
    "clReleaseSampler",
    "clReleaseEvent",
    "clReleaseSemaphoreKHR",
)
"""Functions that release objects of a context; command-buffers have a separate rule."""


@rules.postcondition(*RETAIN_FUNCTIONS)
def retain_postcondition(call: Call, model: Model) -> Postcondition:
    """The reference count of the object increases by one."""
    child = model.get(ContextObject, next(iter(call.arguments.values())))

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.references += 1

    return Postcondition(apply=apply)


@rules.postcondition(*(function for function in RELEASE_FUNCTIONS if function != RELEASE_QUEUE))
def release_postcondition(call: Call, model: Model) -> Postcondition:
    """The reference count of the object decreases by one."""
    child = model.get(ContextObject, next(iter(call.arguments.values())))

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.references -= 1
        release(child, model)

    return Postcondition(apply=apply)


@rules.postcondition(RELEASE_QUEUE)
def release_queue_postcondition(call: Call, model: Model) -> Postcondition:
    """The reference count of command_queue decreases by one, and the commands in the queue are submitted."""
    queue = model.get(CommandQueue, call.command_queue)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        queue.references -= 1
        model.commands.flush(queue, call.function)
        release(queue, model)

    return Postcondition(apply=apply)


@rules.aftermath(*RETAIN_FUNCTIONS, *RELEASE_FUNCTIONS, "clRetainContext", "clReleaseContext")
def mark_count_uncertain(call: Call, model: Model, code: str) -> None:
    """Mark the reference count as uncertain if a retain or release call failed with an unexplained error.

    A release may have destroyed the object, so the model counts it as successful: the application then does not use the
    object after its last release.
    """
    thing = model.find(next(iter(call.arguments.values())))
    if code != UNEXPECTED_ERROR or not isinstance(thing, ContextObject | Context):
        return
    mark_counts_uncertain(thing)
    if "Release" in call.function:
        thing.references -= 1
        if isinstance(thing, Context):
            release_context(thing, model)
        else:
            release(thing, model)


def mark_counts_uncertain(thing: ContextObject | Context) -> None:
    """Mark the reference counts of an object, and of the objects that it keeps alive, as uncertain."""
    for each in _find_longer_lived(thing):
        each.has_uncertain_count = True


def _find_longer_lived(thing: ContextObject | Context) -> Iterator[ClObject]:
    """Yield an object, its parents and its context, which live at least as long as the object."""
    yield thing
    if isinstance(thing, ContextObject):
        if thing.parent is not None:
            yield from _find_longer_lived(thing.parent)
        if thing.context is not None:
            yield thing.context
