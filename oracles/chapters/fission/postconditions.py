"""Postconditions of clCreateSubDevicesEXT (cl_ext_device_fission)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.postconditions import partition_postcondition
from clconform.oracles.chapters.partition.schemes import EXT
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.matchers import Postcondition
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.postcondition("clCreateSubDevicesEXT")
def expect_sub_devices(call: Call, model: Model) -> Postcondition:
    """The call creates new sub-devices, each with separate compute units.

    If the call creates more than num_entries sub-devices, out_devices receives the first num_entries of them.
    """
    return partition_postcondition(
        call, model, EXT, out=call.out_devices, capacity=call.num_entries, count_out=call.num_devices
    )
