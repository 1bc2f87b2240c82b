"""Semaphores that cannot be made (section 5.13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, Items
from clconform.oracles.engine.answers import Answer, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.world import Model

rules = Rules()

TYPE, DEVICES, EXPORTS = (f"CL_SEMAPHORE_{name}_KHR" for name in ("TYPE", "DEVICE_HANDLE_LIST", "EXPORT_HANDLE_TYPES"))


@rules.clause("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4")
def no_type_of_semaphore(call: Call, model: Model) -> Reply:
    """sema_props does not contain CL_SEMAPHORE_TYPE_KHR."""
    if call.sema_props is None:
        return Answer.NO
    return model.value(TYPE) not in properties_given(call.sema_props, model)


def properties_given(properties: Value, model: Model) -> dict[int, list[int | Handle | None]]:
    """Return the values of each property of a list; some properties hold a list of their own, which a zero ends."""
    if not isinstance(properties, Items):
        raise UnknownError("no list of properties")
    lists = (model.value(DEVICES), model.value(EXPORTS))
    found: dict[int, list[int | Handle | None]] = {}
    name, *rest = properties.values or (0,)
    while isinstance(name, int) and name and rest:
        end = rest.index(0) if name in lists and 0 in rest else 1
        found[name] = rest[:end]
        name, *rest = rest[end + (name in lists) :] or [0]
    return found
