"""Binary statuses that clCreateProgramWithBinary returns if it rejects a binary (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.chapters.programs.error_conditions.binaries import is_empty_at, programs_with_binary_at
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.matchers import Mismatch
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError

if TYPE_CHECKING:
    from clconform.calls.call import Call, Returned
    from clconform.oracles.model.state import Model

rules = Rules()

LOAD, STATUS = "clCreateProgramWithBinary", "clCreateProgramWithBinary/effect/1"
LOADED, EMPTY, INVALID = "CL_SUCCESS", "CL_INVALID_VALUE", "CL_INVALID_BINARY"


def allowed_statuses(call: Call, code: str, model: Model) -> list[tuple[str, ...]]:
    """Return the allowed values of each element of ``binary_status`` after a failed call with this error code.

    An empty tuple allows any value of an element. An empty list allows any values of all elements. The list is empty
    for codes other than CL_INVALID_VALUE and CL_INVALID_BINARY, and for lists with fewer than num_devices elements.
    """
    whole = all(
        isinstance(each, ElementList) and len(each.values) >= call.num_devices
        for each in (call.device_list, call.lengths)
    )
    asked = isinstance(call.binary_status, OutputBuffer) and call.binary_status.count >= call.num_devices > 0
    if code not in (EMPTY, INVALID) or not whole or not asked or call.binaries is None:
        return []
    places = range(call.num_devices)
    empty = [is_empty_at(call, at, model) for at in places]
    if code == EMPTY:
        return [(EMPTY,) if none else () for none in empty]
    try:
        known = [bool(programs_with_binary_at(call, at, model)) for at in places]
    except UnknownFactError:  # an element of device_list is not a valid device
        return []
    refused = (INVALID,) if known.count(False) == 1 else (INVALID, LOADED)
    return [] if any(empty) else [(LOADED,) if loaded else refused for loaded in known]


@rules.watch(LOAD)
def check_binary_statuses(call: Call, outcome: Returned, code: str, model: Model) -> tuple[list[Mismatch], set[str]]:
    """Report an element of binary_status that does not match the binary at the same index."""
    told = outcome.outputs.get("binary_status") if call.function == LOAD else None
    if told is None:
        return [], set()
    wrong = []
    allowed = allowed_statuses(call, code, model)
    for at, (names, seen) in enumerate(zip(allowed, told.values, strict=False)):
        if names and seen not in [model.constant_value(name) for name in names]:
            words = f"binary_status[{at}]: {' or '.join(names)}"
            found = "left as it was" if seen == UNTOUCHED else str(seen)
            reading = InterpretationId("status-of-the-other-binaries") if names == (LOADED,) else None
            symptom = symptoms.unexpected_values((STATUS,))
            wrong.append(Mismatch(STATUS, words, found, interpretation=reading, symptom=symptom))
    return wrong[:1], {STATUS} if any(allowed) and not wrong else set()


rules.uses_interpretation("status-of-the-other-binaries", STATUS)
