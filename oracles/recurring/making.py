"""Common rules for all objects of a context: handles are new, reference counts, and destruction of unused objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import May
from clconform.oracles.engine.judgements import UNEXPECTED
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, Fresh, Promise, Such, Values, Want
from clconform.oracles.engine.wording import by_entry
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.lifetime import release, release_context
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.world import Model

rules = Rules()


def made(child: ContextObject, call: Call, model: Model) -> Promise:
    """Return the postcondition of creating an object, which enters the model under its new name."""

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            child.name = value
            model.add(child)
            if child.device is not None:
                child.device.attached += 1

    records = (f"{call.function}/success",)
    return Promise(Fresh(child.type, 1, 1, records, model.alive(child.type)), apply=apply)


def counts_references(query: str) -> bool:
    """Return whether a query, by its name, returns an object's reference count."""
    return query.removesuffix("_KHR").endswith("_REFERENCE_COUNT")


def references(thing: ClObject, name: str) -> Want:
    """Expect a reference count of at least the references that the application owns."""
    owned = thing.references
    words = by_entry(f"at least {owned}", May("counts-are-stale"))
    return Such(lambda seen: bool(seen) and isinstance(seen[0], int) and seen[0] >= owned, words, (name,), (owned,))


RETAINS = (
    "clRetainCommandQueue",
    "clRetainMemObject",
    "clRetainProgram",
    "clRetainKernel",
    "clRetainSampler",
    "clRetainEvent",
    "clRetainSemaphoreKHR",
    "clRetainCommandBufferKHR",
)
RELEASES = (
    "clReleaseCommandQueue",
    "clReleaseMemObject",
    "clReleaseProgram",
    "clReleaseKernel",
    "clReleaseSampler",
    "clReleaseEvent",
    "clReleaseSemaphoreKHR",
)
"""Functions that release objects of a context in the same way; command-buffers have a rule of their own."""


@rules.success(*RETAINS)
def one_reference_more(call: Call, model: Model) -> Promise:
    """The reference count of the object increases by one."""
    child = model.get(ContextObject, next(iter(call.arguments.values())))

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.references += 1

    return Promise(apply=apply)


@rules.success(*RELEASES)
def one_reference_less(call: Call, model: Model) -> Promise:
    """The reference count of the object decreases by one; a queue is flushed."""
    child = model.get(ContextObject, next(iter(call.arguments.values())))

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.references -= 1
        if isinstance(child, Queue):
            model.order.flush(child, call.function)
        release(child, model)

    return Promise(apply=apply)


@rules.aftermath(*RETAINS, *RELEASES, "clRetainContext", "clReleaseContext")
def counted_perhaps(call: Call, model: Model, code: str) -> None:
    """The number of references of the object is unknown after an unexplained error.

    A release may have destroyed it, so the application owns one reference less, and never uses the last one again.
    """
    thing = model.known(next(iter(call.arguments.values())))
    if code != UNEXPECTED or not isinstance(thing, ContextObject | Context):
        return
    leave_count_open(thing)
    if "Release" in call.function:
        thing.references -= 1
        if isinstance(thing, Context):
            release_context(thing, model)
        else:
            release(thing, model)


def leave_count_open(thing: ContextObject | Context) -> None:
    """Mark the reference counts of an object, and of those that live at least as long, as uncertain."""
    for each in _holding(thing):
        each.counted_perhaps = True


def _holding(thing: ContextObject | Context) -> Iterator[ClObject]:
    """Yield an object, and those that live at least as long."""
    yield thing
    if isinstance(thing, ContextObject):
        if thing.parent is not None:
            yield from _holding(thing.parent)
        if thing.context is not None:
            yield thing.context
