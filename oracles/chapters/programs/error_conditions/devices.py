"""The devices that a program call lists, and the devices of a build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.common.objects import is_invalid_object
from clconform.oracles.engine.predicate_result import Decision, PredicateResult
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model


def listed_devices(call: Call, model: Model) -> list[Device]:
    """Return the devices that a call lists; UnknownError if it lists none."""
    if not isinstance(call.device_list, ElementList):
        raise UnknownFactError("no devices")
    return [model.device(value) for value in call.device_list.values]


def build_devices(call: Call, own: Sequence[Device], model: Model) -> list[Device]:
    """Return the devices of a build: those that the call lists, or else all of ``own``."""
    found = listed_devices(call, model) if isinstance(call.device_list, ElementList) else list(own)
    if not found:
        raise UnknownFactError("devices")
    return found


def evaluate_devices(devices: object, model: Model, judged: Callable[[Device], PredicateResult]) -> PredicateResult:
    """Evaluate a list of devices: ``judged`` is applied only if every element is a valid device."""
    if not isinstance(devices, ElementList):
        return Decision.NO
    replies = [is_invalid_object(value, "cl_device_id", model) for value in devices.values]
    if Decision.MUST in replies or Decision.UNDEFINED in replies:
        return Decision.UNDEFINED if Decision.UNDEFINED in replies else Decision.MUST
    found = [judged(model.device(value)) for value in devices.values]
    return next((reply for reply in found if reply not in (Decision.NO, False)), Decision.NO)
