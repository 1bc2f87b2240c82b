"""What all objects of a context share: they are new, they repeat what they were made with, and they go when unused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.contexts.success import release_context
from clconform.oracles.chapters.partition.lifetime import let_go
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Element, Fresh, Promise, Such, Values, Want
from clconform.oracles.model.world import Child, Thing

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Answers, Model

rules = Rules()


def made(type_name: str, call: Call, model: Model, child: Child) -> Promise:
    """Return the promise of a new object of a type; ``child`` enters the model under the name that it gets."""

    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            child.name = value
            model.add(child)
            if child.device is not None:
                child.device.attached += 1

    return Promise(Fresh(type_name, 1, 1, (f"{call.function}/success",), model.alive(type_name)), apply=apply)


def exactly(value: int | str | None) -> Answers:
    """Return the only answer that there is."""
    return ((value,),)


def counts_references(query: str) -> bool:
    """Tell whether a query, by its name, is one for an object's references."""
    return query.removesuffix("_KHR").endswith("_REFERENCE_COUNT")


def references(thing: Thing, name: str) -> Want:
    """Return what a reference count must be: at least the references that the application owns."""
    owned = thing.references
    words = f"at least {owned}"
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
    """The object has one reference more."""
    child = model.child(next(iter(call.arguments.values())))

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
    """The object has one reference less, and goes with the last one once nothing uses it; a queue is flushed."""
    child = model.child(next(iter(call.arguments.values())))

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.references -= 1
        if child.type == "cl_command_queue":
            model.order.flush(child)
        release_child(child, model)

    return Promise(apply=apply)


def holds_its_parent(child: Child) -> bool:
    """Tell whether an object keeps what it was made of: a region its buffer, a kernel its program, a command its list.

    No document says so of an image of a buffer, nor of what a queue has or has had to do.
    """
    return child.sort == "sub-buffer" or child.type in ("cl_kernel", "cl_mutable_command_khr")


def release_child(child: Child, model: Model) -> None:
    """Take a context's object out of the model once nobody holds it, and give back what it held.

    What others that do not hold it then tell of it is open.
    """
    own = [thing for thing in model.things.values() if isinstance(thing, Child) and thing.parent is child]
    if child.references > 0 or any(map(holds_its_parent, own)) or model.things.get(child.name) is not child:
        return
    for thing in own:
        thing.echoes = {key: answers for key, answers in thing.echoes.items() if (child.name,) not in answers}
        thing.facts = {key: fact for key, fact in thing.facts.items() if fact != child.name}
    model.drop(child)
    if child.parent is not None:
        release_child(child.parent, model)
    if child.device is not None:
        child.device.attached -= 1
        let_go(child.device, model)
    if child.context is not None:
        release_context(child.context, model)
