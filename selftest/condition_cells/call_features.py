"""Features of calls that the cells of error conditions refer to: their shape, and the carriers of their objects."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.calls.values import find_handles
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, SubBuffer
from clconform.oracles.model.programs import LinkedProgram
from clconform.oracles.model.queues import CommandQueue
from clconform.suites.errors.carriers import RETAINED, SUB_DEVICE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import ErrorCondition

CARRIERS_OF_TYPE: dict[str, tuple[str, ...]] = {
    "cl_kernel": ("clone", "kernel of a linked program", RETAINED),
    "cl_mem": ("sub-buffer", "image of a buffer", RETAINED),
    "cl_program": ("linked program", RETAINED),
    "cl_context": (RETAINED,),
    "cl_command_queue": (RETAINED,),
    "cl_event": (RETAINED,),
    "cl_sampler": (RETAINED,),
}
"""Maps C types of parameters to the carriers for their objects."""
_HANDLE = re.compile(r"Handle\(name='([^']*?)\d*', epoch=\d+\)")


def describe_arguments(call: Call) -> dict[str, str]:
    """Map the parameters of a call to its arguments as text; handles are the kinds of their objects."""
    return {name: _HANDLE.sub(r"\1", repr(value)) for name, value in call.arguments.items()}


def describe_shape(call: Call) -> str:
    """Return the call as text, without the numbers of its objects."""
    return f"{call.function}({', '.join(describe_arguments(call).values())})"


def object_parameters_of(clause: ErrorCondition, tables: Tables) -> frozenset[str]:
    """Return the parameters whose objects can carry a condition: those in its sentence, or else all of its function."""
    inputs = [
        each
        for each in tables.functions[clause.function].parameters
        if each.direction != "out" and each.base in CARRIERS_OF_TYPE
    ]
    named = [each.name for each in inputs if each.name in clause.parameters]
    return frozenset(named or [each.name for each in inputs])


def find_carriers(call: Call, model: Model, parameters: Collection[str], retained: Collection[str]) -> frozenset[str]:
    """Return the carriers of the objects in these parameters of a call, and ``SUB_DEVICE`` for any of its objects.

    ``retained``: the names of the objects that the application has retained.
    """
    found: set[str] = set()
    for name, value in call.arguments.items():
        for handle in find_handles(value):
            thing = model.find(handle)
            if thing is None:
                continue
            if _is_on_sub_device(thing):
                found.add(SUB_DEVICE)
            if name in parameters:
                found.update(_carriers_of(thing))
                found.update({RETAINED} if handle.name in retained else ())
    return frozenset(found)


def _carriers_of(thing: ClObject) -> Iterator[str]:
    if isinstance(thing, Kernel) and thing.source is not None:
        yield "clone"
    if isinstance(thing, Kernel) and isinstance(thing.program, LinkedProgram):
        yield "kernel of a linked program"
    if isinstance(thing, LinkedProgram):
        yield "linked program"
    if isinstance(thing, SubBuffer):
        yield "sub-buffer"
    if isinstance(thing, Image) and isinstance(thing.source, Buffer):
        yield "image of a buffer"


def _is_on_sub_device(thing: ClObject) -> bool:
    """Return whether an object is a sub-device, a queue on one, or belongs to a context with one."""
    if isinstance(thing, Device):
        return not thing.is_root
    if isinstance(thing, CommandQueue):
        return thing.device is not None and not thing.device.is_root
    context = thing if isinstance(thing, Context) else thing.context if isinstance(thing, ContextObject) else None
    return context is not None and any(not device.is_root for device in context.devices)


def find_differences(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """Return the parameters in which two calls of a function differ, by their described arguments."""
    return [name for name, value in one.items() if other.get(name) != value]
