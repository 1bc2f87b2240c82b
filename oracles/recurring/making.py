"""What all objects of a context share: they are new, report how they were made, and are destroyed when unused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import May
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, Fresh, Promise, Such, Values, Want
from clconform.oracles.engine.wording import by_entry
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.lifetime import release
from clconform.oracles.model.queues import Queue

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.world import Model

rules = Rules()


def made(child: ContextObject, call: Call, model: Model) -> Promise:
    """Return what success means for a new object, which enters the model under its new name."""

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            child.name = value
            model.add(child)
            if child.device is not None:
                child.device.attached += 1

    records = (f"{call.function}/success",)
    return Promise(Fresh(child.type, 1, 1, records, model.alive(child.type)), apply=apply)


def counts_references(query: str) -> bool:
    """Return whether a query, by its name, is one for an object's references."""
    return query.removesuffix("_KHR").endswith("_REFERENCE_COUNT")


def references(thing: ClObject, name: str) -> Want:
    """Return what a reference count must be: at least the references that the application owns."""
    owned = thing.references
    words = by_entry(f"at least {owned}", May("counts-are-stale"))
    return Such(lambda seen: bool(seen) and isinstance(seen[0], int) and seen[0] >= owned, words, (name,), (owned,))


@rules.success(
    "clRetainCommandQueue",
    "clRetainMemObject",
    "clRetainProgram",
    "clRetainKernel",
    "clRetainSampler",
    "clRetainEvent",
    "clRetainSemaphoreKHR",
    "clRetainCommandBufferKHR",
)
def one_reference_more(call: Call, model: Model) -> Promise:
    """The reference count of the object increases by one."""
    child = model.get(ContextObject, next(iter(call.arguments.values())))

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.references += 1

    return Promise(apply=apply)


@rules.success(
    "clReleaseCommandQueue",
    "clReleaseMemObject",
    "clReleaseProgram",
    "clReleaseKernel",
    "clReleaseSampler",
    "clReleaseEvent",
    "clReleaseSemaphoreKHR",
)
def one_reference_less(call: Call, model: Model) -> Promise:
    """The reference count of the object decreases by one; a queue is flushed."""
    child = model.get(ContextObject, next(iter(call.arguments.values())))

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.references -= 1
        if isinstance(child, Queue):
            model.order.flush(child, call.function)
        release(child, model)

    return Promise(apply=apply)
