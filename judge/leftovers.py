"""What an example leaves behind, and the calls that give it back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Call
from clconform.calls.values import Handle
from clconform.oracles.model import Child, Device, Platform, Thing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.model import Model

RELEASES = {
    "cl_event": "clReleaseEvent",
    "void*": "clSVMFree",
    "cl_kernel": "clReleaseKernel",
    "cl_program": "clReleaseProgram",
    "cl_sampler": "clReleaseSampler",
    "cl_mem": "clReleaseMemObject",
    "cl_command_queue": "clReleaseCommandQueue",
    "cl_context": "clReleaseContext",
    "cl_device_id": "clReleaseDevice",
}
"""Handle type to the function that releases it, in the order in which leftovers go: users before what they use."""


def release_calls(model: Model) -> Iterator[Call]:
    """Yield the next release for an object that the application still owns; ask anew after each call."""
    for type_name, function in RELEASES.items():
        for thing in reversed(list(model.things.values())):
            if thing.type == type_name and thing.references > 0 and not _kept(thing):
                name = _by(thing, function)
                *first, last = model.tables.functions[name].parameters
                context = thing.context if first and isinstance(thing, Child) else None
                others = {"context": Handle(context.name)} if context else {}
                yield Call(name, {**others, last.name: Handle(thing.name)})


def _kept(thing: Thing) -> bool:
    return isinstance(thing, Platform) or (isinstance(thing, Device) and thing.root)


def _by(thing: Thing, function: str) -> str:
    """Return the release function for an object: what an extension has made goes by the extension."""
    if isinstance(thing, Device) and thing.partition is not None and thing.partition.function.endswith("EXT"):
        return "clReleaseDeviceEXT"
    return "clMemFreeINTEL" if isinstance(thing, Child) and thing.sort == "usm" else function
