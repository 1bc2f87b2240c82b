"""Error conditions of partitions, and of retaining and releasing devices (section 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import (
    CORE,
    EXT,
    PartitionRequest,
    compute_sub_devices,
    parse_request,
    supports_scheme,
)
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, PredicateResult, may, must_by, must_if
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clCreateSubDevices/CL_INVALID_VALUE/1")
def has_invalid_properties(call: Call, model: Model) -> PredicateResult:
    """properties contains a scheme that in_device does not support, an invalid value for a scheme, or several schemes.

    CL_DEVICE_PARTITION_PROPERTIES lists the supported schemes.
    """
    request, device = parse_request(call.properties, CORE, model), model.device(call.in_device)
    if not request.terminated:
        return UNDEFINED
    if not request.scheme:
        return may("empty-partition-list")
    if not supports_scheme(device, request, CORE, model):
        return MUST
    if request.scheme == "?":
        return may("unknown-fact")
    first = _evaluate_first_scheme(request, device, model)
    if not request.rest or first.is_must:
        return first
    return _evaluate_second_scheme(request, model)


@rules.alternatives_of("clCreateSubDevices/CL_INVALID_VALUE/1")
def find_property_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: in_device does not support the scheme, its value is invalid, or there are several schemes.
    """
    request, device = parse_request(call.properties, CORE, model), model.device(call.in_device)
    if not supports_scheme(device, request, CORE, model):
        yield "properties contains a scheme that in_device does not support"
    elif _evaluate_first_scheme(request, device, model).is_must:
        yield "properties contains an invalid value for a scheme"
    else:
        yield "properties contains several schemes"


def _evaluate_first_scheme(request: PartitionRequest, device: Device, model: Model) -> PredicateResult:
    """Return whether the value of the first scheme in properties is invalid.

    The caller has checked that the device supports the scheme.
    """
    if request.scheme == CORE.by_domain:
        return _is_domain_invalid(request, device, model)
    if request.scheme == CORE.by_names:
        return may("partition-by-names")
    if request.scheme == CORE.by_counts:
        wrong = not request.values or has_invalid_counts(request, device)
        return may("empty-partition-counts" if not request.values else "code-for-counts-out-of-range") if wrong else NO
    return _evaluate_equal_size(request, device)


@rules.clause("clCreateSubDevices/CL_INVALID_VALUE/2")
def is_array_too_small(call: Call, model: Model) -> PredicateResult:
    """out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme."""
    if call.out_devices is None:
        return NO
    if not is_partition_valid(call, model):
        return NO
    request = parse_request(call.properties, CORE, model)
    if not request.scheme:
        return may("empty-partition-list")
    if call.num_devices == 0:
        return may("empty-partition-counts") if request.scheme == CORE.by_counts and not request.values else MUST
    return must_if(
        bool(call.num_devices < len(compute_sub_devices(model.device(call.in_device), request, CORE, model)))
    )


@rules.clause("clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1")
def is_indivisible(call: Call, model: Model) -> PredicateResult:
    """The implementation supports the scheme in properties, but cannot partition in_device further with that scheme."""
    request, device = parse_request(call.properties, CORE, model), model.device(call.in_device)
    if not request.scheme:
        return may("empty-partition-list")
    if not supports_scheme(device, request, CORE, model):
        return NO if request.scheme == "?" else may("scheme-not-listed")
    if request.scheme == CORE.by_domain:
        return _is_domain_indivisible(request, device, model)
    if request.scheme == CORE.by_names:
        return may("partition-by-names")
    units = device.number("CL_DEVICE_MAX_COMPUTE_UNITS")
    if request.scheme == CORE.equally:
        reply = _evaluate_equal_size(request, device)
        if reply.interpretation:
            return may(reply.interpretation)
        return may("partition-into-one-sub-device") if units // request.values[0] == 1 else NO
    if not request.values:
        return may("empty-partition-counts")
    return may("partition-into-one-sub-device") if units == 1 or len(request.values) == 1 else NO


@rules.clause("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1")
def has_counts_out_of_range(call: Call, model: Model) -> PredicateResult:
    """properties contains CL_DEVICE_PARTITION_BY_COUNTS with counts that are out of range.

    A count is negative, the sum of the counts is more than CL_DEVICE_MAX_COMPUTE_UNITS, or the number of counts is more
    than CL_DEVICE_MAX_COMPUTE_UNITS or more than CL_DEVICE_PARTITION_MAX_SUB_DEVICES.
    """
    request, device = parse_request(call.properties, CORE, model), model.device(call.in_device)
    if request.scheme == CORE.by_counts:
        return must_if(has_invalid_counts(request, device)) if request.values else may("empty-partition-counts")
    if request.scheme == CORE.equally and supports_scheme(device, request, CORE, model):
        reply = _evaluate_equal_size(request, device)
        return may(reply.interpretation) if reply.interpretation else NO
    return may("partition-by-names") if request.scheme == CORE.by_names else NO


@rules.alternatives_of("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1")
def find_counts_out_of_range(call: Call, model: Model) -> Iterator[str]:
    """Yield each reason why the counts are out of range."""
    return _find_invalid_counts(parse_request(call.properties, CORE, model), model.device(call.in_device))


def has_invalid_counts(request: PartitionRequest, device: Device) -> bool:
    """Return whether a list of counts has a negative count, too many sub-devices or too many units."""
    return any(_find_invalid_counts(request, device))


def _find_invalid_counts(request: PartitionRequest, device: Device) -> Iterator[str]:
    """Yield why a list of counts is out of range."""
    units, counts = device.number("CL_DEVICE_MAX_COMPUTE_UNITS"), request.values
    if any(count < 0 for count in counts):
        yield "a count is negative"
    if sum(counts) > units:
        yield f"the sum of the counts, {sum(counts)}, is more than CL_DEVICE_MAX_COMPUTE_UNITS"
    if len(counts) > units:
        yield f"the number of counts, {len(counts)}, is more than CL_DEVICE_MAX_COMPUTE_UNITS"
    if len(counts) > device.number("CL_DEVICE_PARTITION_MAX_SUB_DEVICES"):
        yield f"the number of counts, {len(counts)}, is more than CL_DEVICE_PARTITION_MAX_SUB_DEVICES"


def is_partition_valid(call: Call, model: Model) -> bool:
    """Return whether properties is valid: the error conditions about properties do not require an error."""
    replies = (has_invalid_properties(call, model), has_counts_out_of_range(call, model))
    return not any(reply.is_must for reply in replies)


def _evaluate_second_scheme(request: PartitionRequest, model: Model) -> PredicateResult:
    schemes = CORE.schemes(model.tables)
    following = schemes.get(request.rest[0])
    if request.scheme == CORE.by_counts:
        return may("numbers-after-partition-counts")
    if following == request.scheme:
        return may("repeated-partition-scheme")
    return MUST


def _is_domain_invalid(request: PartitionRequest, device: Device, model: Model) -> PredicateResult:
    (domain,) = request.values
    singles = [model.constant_value(name) for name in (*CORE.domains.values(), CORE.next_domain)]
    if domain not in singles:
        known = sum(singles)
        return must_by("several-affinity-domains") if domain and domain & ~known == 0 else MUST
    return must_if(domain & device.number("CL_DEVICE_PARTITION_AFFINITY_DOMAIN") == 0)


def _is_domain_indivisible(request: PartitionRequest, device: Device, model: Model) -> PredicateResult:
    if _is_domain_invalid(request, device, model) is not NO:
        return may("scheme-not-listed")
    if device.topology is None:
        return may("unknown-topology")
    made = len(compute_sub_devices(device, request, CORE, model))
    return must_if(made <= 1 or made > device.number("CL_DEVICE_PARTITION_MAX_SUB_DEVICES"))


def _evaluate_equal_size(request: PartitionRequest, device: Device) -> PredicateResult:
    """Return whether the number of units after CL_DEVICE_PARTITION_EQUALLY is out of range."""
    units, each = device.number("CL_DEVICE_MAX_COMPUTE_UNITS"), request.values[0]
    if each == 0:
        return must_by("equal-partition-of-zero-units")
    if each < 0 or each > units:
        return must_by("equal-partition-above-all-units")
    most = device.number("CL_DEVICE_PARTITION_MAX_SUB_DEVICES")
    return may("too-many-equal-sub-devices") if units // each > most else NO


EXT_PAIR = ("clRetainDeviceEXT", "clReleaseDeviceEXT")


@rules.clause(
    "clRetainDevice/CL_INVALID_DEVICE/1",
    "clReleaseDevice/CL_INVALID_DEVICE/1",
    "clRetainDeviceEXT/CL_INVALID_DEVICE/1",
    "clReleaseDeviceEXT/CL_INVALID_DEVICE/1",
)
def is_device_invalid(call: Call, model: Model) -> PredicateResult:
    """device is NULL or not a valid device."""
    # A sub-device that the function of the other document created is never passed: neither document specifies its
    # reference count.
    reply, device = is_invalid_object(call.device, "cl_device_id", model), model.find(call.device)
    if reply is NO and isinstance(device, Device) and device.partition is not None:
        own = (EXT if call.function in EXT_PAIR else CORE).function
        return reply if device.partition.function == own else UNDEFINED
    return reply


@rules.alternatives_of(
    "clRetainDevice/CL_INVALID_DEVICE/1",
    "clReleaseDevice/CL_INVALID_DEVICE/1",
    "clRetainDeviceEXT/CL_INVALID_DEVICE/1",
    "clReleaseDeviceEXT/CL_INVALID_DEVICE/1",
)
def find_device_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: device is NULL or not a valid device."""
    return find_invalid_object("device", call.device, "cl_device_id", model)


@rules.clause("clReleaseDevice/usage/1", "clReleaseDeviceEXT/usage/1")
def is_reference_not_owned(call: Call, model: Model) -> PredicateResult:
    """device is a sub-device, and the application does not own a reference to device."""
    device = model.find(call.device)
    if isinstance(device, Device) and not device.is_root and device.references < 1:
        return UNDEFINED
    return NO
