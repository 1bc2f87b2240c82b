"""The devices that a program call lists, and the devices of a build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.engine.answers import Answer, Reply
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model


def devices_listed(call: Call, model: Model) -> list[Device]:
    """Return the devices that a call lists; UnknownError if it lists none."""
    if not isinstance(call.device_list, Items):
        raise UnknownError("no devices")
    return [model.device(value) for value in call.device_list.values]


def devices_of(call: Call, own: Sequence[Device], model: Model) -> list[Device]:
    """Return the devices of a build: those that the call lists, or else all of ``own``."""
    found = devices_listed(call, model) if isinstance(call.device_list, Items) else list(own)
    if not found:
        raise UnknownError("devices")
    return found


def first_against(devices: object, model: Model, judged: Callable[[Device], Reply]) -> Reply:
    """Evaluate a list of devices: ``judged`` is applied only if every element is a valid device."""
    if not isinstance(devices, Items):
        return Answer.NO
    replies = [valid_object(value, "cl_device_id", model) for value in devices.values]
    if Answer.MUST in replies or Answer.UNDEFINED in replies:
        return Answer.UNDEFINED if Answer.UNDEFINED in replies else Answer.MUST
    found = [judged(model.device(value)) for value in devices.values]
    return next((reply for reply in found if reply not in (Answer.NO, False)), Answer.NO)
