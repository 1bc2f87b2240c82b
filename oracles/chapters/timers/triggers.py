"""Which calls put what is said of timers to the test (section 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.timers.clauses import DEVICE, FEATURE, FUNCTIONS, RESOLUTION
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.devices import Device

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

rules = Rules()


def _lacking(asked: AnsweredCall) -> bool:
    """Return whether a call asks for the timer of a device of 3.0 or newer whose platform says that it has none."""
    device = asked.model.known(asked.call.device)
    if not isinstance(device, Device) or device.platform is None or asked.call.host_timestamp is None:
        return False
    both = asked.call.arguments.get(DEVICE, 0) is not None
    return both and device.platform.version >= (3, 0) and device.platform.number(RESOLUTION) == 0


@rules.completion
def _declare(rules: Rules, _tables: Tables) -> None:
    for function in FUNCTIONS:
        rules.trigger(
            f"{FEATURE}:{function}/1",
            function,
            "The call returns CL_INVALID_OPERATION if CL_PLATFORM_HOST_TIMER_RESOLUTION is 0.",
            f"{function}/CL_INVALID_OPERATION/1",
            holds=_lacking,
        )
        words = "The timebases of the host and the device timestamp are implementation-defined."
        rules.untestable(f"{function}/effect/1", words, PERMISSION)
