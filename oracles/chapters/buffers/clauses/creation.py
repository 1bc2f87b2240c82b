"""Buffers made: sizes, property lists and host pointers that are refused (section 5.2.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.engine.answers import Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.pointed_memory import SvmAllocation
from clconform.oracles.recurring.memory import WANTING

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.world import Model

rules = Rules()

DEVICES = "CL_MEM_DEVICE_HANDLE_LIST_KHR"
EXTERNAL = "cl_khr_external_memory"
HANDLES = "CL_EXTERNAL_MEMORY_HANDLE_"
MUST_BE_REFUSED = (3, 0)
"""The version from which on a size above the largest allocation must be an error."""


@rules.clause("clCreateBuffer/CL_INVALID_BUFFER_SIZE/1", "clCreateBufferWithProperties/CL_INVALID_BUFFER_SIZE/1")
def size_not_valid(call: Call, model: Model) -> Reply:
    """size is 0, exceeds CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device, or exceeds the SVM allocation at host_ptr."""
    if call.size == 0:
        return Answer.MUST
    host = model.known(call.host_ptr)
    used = any(call.flags & model.value(name) for name in WANTING)
    if used and isinstance(host, SvmAllocation) and call.size > host.size:
        return Answer.MUST
    devices = model.context(call.context).devices
    if not devices:
        raise UnknownError("the devices of the context")
    if not all(call.size > device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") for device in devices):
        return Answer.NO
    return (
        Answer.MUST if all(device.version >= MUST_BE_REFUSED for device in devices) else May("above-the-largest-size")
    )


@rules.clause("clCreateBufferWithProperties/CL_INVALID_PROPERTY/1")
def property_not_valid(call: Call, model: Model) -> Reply:
    """properties contains an unsupported property name, an invalid value, or the same name more than once."""
    names = names_in(call.properties, model)
    if names is None:
        return Answer.UNDEFINED
    known = set(model.tables.values_of_group("cl_mem_properties").values())
    return Answer.MUST if set(names) - known else May("property-of-elsewhere") if names else Answer.NO


@rules.clause("clCreateBufferWithProperties/CL_INVALID_PROPERTY/3")
def devices_without_a_handle(call: Call, model: Model) -> Reply:
    """properties contains CL_MEM_DEVICE_HANDLE_LIST_KHR, but no external memory handle."""
    names = names_in(call.properties, model) or []
    if model.value(DEVICES) not in names:
        return Answer.NO
    device = next((model.known(value) for value in call.properties.values if isinstance(value, Handle)), None)
    extensions: frozenset[str] = getattr(device, "extensions", frozenset())
    others = set(model.tables.values_of_group("cl_mem_properties").values()) - {model.value(DEVICES)}
    alone = not others.intersection(names)
    return Answer.MUST if alone and EXTERNAL in extensions else May("property-of-elsewhere")


def names_in(properties: Value, model: Model) -> list[object] | None:
    """Return the names of a property list up to its end; None where it has none.

    The value of one name is a list with an end of its own.
    """
    names: list[object] = []
    rest = list(properties.values) if isinstance(properties, Items) else [0]
    while rest and rest[0] not in (0, None):
        names.append(rest.pop(0))
        end = 0
        if names[-1] == model.value(DEVICES):
            end = rest.index(0) if 0 in rest else len(rest)
        del rest[: end + 1]
    return names if rest else None


@rules.clause(
    "clCreateBuffer/CL_INVALID_DEVICE/2", "clCreateBuffer/CL_INVALID_DEVICE/3", "clCreateBuffer/CL_INVALID_DEVICE/4"
)
def device_of_a_property(_call: Call, _model: Model) -> Reply:
    """A list of properties names a device; clCreateBuffer takes no such list."""
    return Answer.NO


@rules.clause(
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/2",
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/3",
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/4",
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/4",
    "clCreateBufferWithProperties/CL_INVALID_VALUE/2",
    "clCreateBufferWithProperties/CL_INVALID_HOST_PTR/2",
)
def external_memory_not_valid(call: Call, model: Model) -> Reply:
    """properties contains an external memory handle or CL_MEM_DEVICE_HANDLE_LIST_KHR."""
    listed = call.properties.values if isinstance(call.properties, Items) else ()
    names = [name for name in model.tables.enumerants if name.startswith(HANDLES)]
    return May("no-predicate") if any(model.value(name) in listed for name in (*names, DEVICES)) else Answer.NO
