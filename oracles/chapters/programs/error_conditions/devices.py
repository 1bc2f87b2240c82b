"""The devices that a program call lists, and the devices of a build."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, PredicateResult
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model


def listed_devices(call: Call, model: Model) -> list[Device]:
    """Return the devices in device_list; UnknownFactError if device_list is not a list."""
    if not isinstance(call.device_list, ElementList):
        raise UnknownFactError("no devices")
    return [model.device(value) for value in call.device_list.values]


def build_devices(call: Call, own: Sequence[Device], model: Model) -> list[Device]:
    """Return the devices of a build: the devices in device_list, or else the devices ``own``."""
    found = listed_devices(call, model) if isinstance(call.device_list, ElementList) else list(own)
    if not found:
        raise UnknownFactError("devices")
    return found


def evaluate_devices(devices: object, model: Model, judged: Callable[[Device], PredicateResult]) -> PredicateResult:
    """Return the predicate result for a list of devices; an invalid device requires the error.

    ``judged``: the predicate of one device, which is applied only if all devices are valid.
    """
    if not isinstance(devices, ElementList):
        return NO
    replies = [is_invalid_object(value, "cl_device_id", model) for value in devices.values]
    if MUST in replies or UNDEFINED in replies:
        return UNDEFINED if UNDEFINED in replies else MUST
    found = [judged(model.device(value)) for value in devices.values]
    return next((reply for reply in found if reply is not NO), NO)


def find_foreign_devices(
    devices: object, model: Model, judged: Callable[[Device], PredicateResult], owner: str
) -> Iterator[str]:
    """Yield each device of an invalid list that is NULL, not valid, or not associated with ``owner``."""
    invalid = list(find_invalid_object("device_list", devices, "cl_device_id", model))
    yield from invalid
    for at, value in enumerate(devices.values if isinstance(devices, ElementList) and not invalid else ()):
        if judged(model.device(value)).is_must:
            yield f"device_list[{at}] is not associated with {owner}"
