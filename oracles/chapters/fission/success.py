"""Postconditions of clCreateSubDevicesEXT (cl_ext_device_fission)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import EXT
from clconform.oracles.chapters.partition.success import partition_promise
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.wants import Promise
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.success("clCreateSubDevicesEXT")
def sub_devices(call: Call, model: Model) -> Promise:
    """The call creates new sub-devices, each with separate compute units.

    If more are created than num_entries, out_devices receives the first num_entries of them.
    """
    return partition_promise(
        call, model, EXT, out=call.out_devices, capacity=call.num_entries, count_out=call.num_devices
    )
