"""Error conditions of partitions that revision 3.1.0 split off from older conditions (section 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import CORE, parse_request
from clconform.oracles.engine.predicate_result import PredicateResult, must_if
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause_part("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/2")
def has_too_many_sub_devices(call: Call, model: Model) -> PredicateResult:
    """A partition by counts requests more sub-devices than CL_DEVICE_PARTITION_MAX_SUB_DEVICES."""
    most = model.device(call.in_device).number("CL_DEVICE_PARTITION_MAX_SUB_DEVICES")
    return must_if(len(parse_request(call.properties, CORE, model).values) > most)


@rules.clause_part("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/3")
def has_too_many_units(call: Call, model: Model) -> PredicateResult:
    """A partition by counts requests more compute units than CL_DEVICE_MAX_COMPUTE_UNITS."""
    units = model.device(call.in_device).number("CL_DEVICE_MAX_COMPUTE_UNITS")
    return must_if(sum(parse_request(call.properties, CORE, model).values) > units)


@rules.clause_part("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/4")
def has_negative_count(call: Call, model: Model) -> PredicateResult:
    """A partition by counts has a negative count."""
    return must_if(any(count < 0 for count in parse_request(call.properties, CORE, model).values))


@rules.clause_part("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/5")
def has_more_sub_devices_than_units(call: Call, model: Model) -> PredicateResult:
    """A partition by counts requests more sub-devices than CL_DEVICE_MAX_COMPUTE_UNITS."""
    units = model.device(call.in_device).number("CL_DEVICE_MAX_COMPUTE_UNITS")
    return must_if(len(parse_request(call.properties, CORE, model).values) > units)
