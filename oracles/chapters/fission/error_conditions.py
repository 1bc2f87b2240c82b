"""Error conditions of clCreateSubDevicesEXT (cl_ext_device_fission)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import (
    EXT,
    PartitionRequest,
    compute_sub_devices,
    parse_request,
    supports_scheme,
)
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.common.parameters import describe_missing_output
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, PredicateResult, may, must_if
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()


@rules.clause("clCreateSubDevicesEXT/CL_INVALID_VALUE/1", "clCreateSubDevicesEXT/CL_INVALID_PROPERTY/1")
def is_style_unsupported(call: Call, model: Model) -> PredicateResult:
    """properties begins with an unknown value, or with a partition style that in_device does not list as supported."""
    request, device = parse_request(call.properties, EXT, model), model.device(call.in_device)
    if not request.terminated:
        return UNDEFINED
    if not request.scheme:
        return may("empty-partition-list")
    if request.scheme == "?" or not supports_scheme(device, request, EXT, model):
        return MUST
    if request.rest:
        return may("ext-two-styles")
    if request.scheme == EXT.by_domain:
        return _is_domain_invalid(request, device, model)
    return NO


@rules.alternatives_of("clCreateSubDevicesEXT/CL_INVALID_VALUE/1", "clCreateSubDevicesEXT/CL_INVALID_PROPERTY/1")
def find_style_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds.

    The alternatives: the first value of properties is unknown, or is a style that in_device does not list.
    """
    if parse_request(call.properties, EXT, model).scheme == "?":
        yield "properties begins with an unknown value"
    else:
        yield "properties begins with a partition style that in_device does not list as supported"


@rules.clause("clCreateSubDevicesEXT/CL_INVALID_DEVICE/1")
def is_device_invalid(call: Call, model: Model) -> PredicateResult:
    """in_device is NULL or not a valid device."""
    return is_invalid_object(call.in_device, "cl_device_id", model)


@rules.alternatives_of("clCreateSubDevicesEXT/CL_INVALID_DEVICE/1")
def find_device_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: in_device is NULL or not a valid device."""
    return find_invalid_object("in_device", call.in_device, "cl_device_id", model)


@rules.clause("clCreateSubDevicesEXT/usage/1")
def is_list_missing(call: Call, model: Model) -> PredicateResult:
    """The rule is violated if properties is NULL. The document does not define an error for this case."""
    del model
    return must_if(call.properties is None)


@rules.clause("CL_DEVICE_PARTITION_BY_NAMES_EXT/usage/1")
def has_repeated_unit(call: Call, model: Model) -> PredicateResult:
    """The rule is violated if properties contains a name twice after CL_DEVICE_PARTITION_BY_NAMES_EXT.

    The document does not define an error for this case.
    """
    return must_if(_has_repeated_name(parse_request(call.properties, EXT, model)))


@rules.clause("clCreateSubDevicesEXT/CL_INVALID_VALUE/2")
def has_no_output(call: Call, model: Model) -> PredicateResult:
    """num_entries is 0 and out_devices is not NULL, or out_devices and num_devices are both NULL."""
    del model
    no_capacity = call.out_devices is not None and call.num_entries == 0
    return must_if(bool(no_capacity or (call.out_devices is None and call.num_devices is None)))


@rules.alternatives_of("clCreateSubDevicesEXT/CL_INVALID_VALUE/2")
def find_missing_output(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: both outputs are NULL, or out_devices has no capacity."""
    del model
    yield describe_missing_output(call, "num_entries", "out_devices", "num_devices")


@rules.clause("clCreateSubDevicesEXT/CL_DEVICE_PARTITION_FAILED_EXT/1")
def is_not_divisible(call: Call, model: Model) -> PredicateResult:
    """in_device supports the partition style, but this style cannot divide the compute units of in_device further.

    For example, all compute units of in_device share the cache of the requested affinity domain.
    """
    request, device = parse_request(call.properties, EXT, model), model.device(call.in_device)
    if not request.scheme:
        return may("empty-partition-list")
    if not supports_scheme(device, request, EXT, model):
        return NO if request.scheme == "?" else may("scheme-not-listed")
    if request.scheme == EXT.by_domain:
        if _is_domain_invalid(request, device, model) is not NO:
            return may("scheme-not-listed")
        if device.topology is None:
            return may("unknown-topology")
        return must_if(len(compute_sub_devices(device, request, EXT, model)) <= 1)
    if request.scheme == EXT.by_names:
        return NO if request.values else may("ext-empty-names")
    if not request.values:
        return may("empty-partition-counts")
    units = device.number("CL_DEVICE_MAX_COMPUTE_UNITS")
    single = units == 1 or (request.scheme == EXT.by_counts and len(request.values) == 1)
    whole = request.scheme == EXT.equally and request.values[0] > units // 2
    return may("partition-into-one-sub-device") if single or whole else NO


@rules.clause("clCreateSubDevicesEXT/CL_INVALID_PARTITION_COUNT_EXT/1")
def are_counts_out_of_range(call: Call, model: Model) -> PredicateResult:
    """properties requests more compute units or sub-devices than in_device has compute units, or a count below 1."""
    request, device = parse_request(call.properties, EXT, model), model.device(call.in_device)
    units = device.number("CL_DEVICE_MAX_COMPUTE_UNITS")
    if request.scheme == EXT.equally:
        return must_if(any(_find_invalid_counts(request, units)))
    if request.scheme == EXT.by_counts:
        return must_if(any(_find_invalid_counts(request, units))) if request.values else may("empty-partition-counts")
    if request.scheme == EXT.by_names:
        return must_if(len(request.values) > units) if request.values else may("ext-empty-names")
    return NO


def _find_invalid_counts(request: PartitionRequest, units: int) -> Iterator[str]:
    """Yield why the counts of a request are out of range; the number of sub-devices matters only for several counts."""
    counts = request.values
    if any(count < 1 for count in counts):
        yield "properties requests a count below 1"
    if sum(counts) > units:
        yield f"properties requests {sum(counts)} compute units, more than in_device has"
    if len(counts) > units:
        yield f"properties requests {len(counts)} sub-devices, more than in_device has compute units"


@rules.alternatives_of("clCreateSubDevicesEXT/CL_INVALID_PARTITION_COUNT_EXT/1")
def find_counts_out_of_range(call: Call, model: Model) -> Iterator[str]:
    """Yield why the counts, or the number of names, are out of range."""
    request, device = parse_request(call.properties, EXT, model), model.device(call.in_device)
    if request.scheme == EXT.by_names:
        yield f"properties requests {len(request.values)} compute units, more than in_device has"
    else:
        yield from _find_invalid_counts(request, device.number("CL_DEVICE_MAX_COMPUTE_UNITS"))


@rules.clause("clCreateSubDevicesEXT/CL_INVALID_PARTITION_NAME_EXT/1")
def are_names_out_of_range(call: Call, model: Model) -> PredicateResult:
    """With CL_DEVICE_PARTITION_BY_NAMES_EXT, a name is less than 0, or at least in_device's number of compute units."""
    request, device = parse_request(call.properties, EXT, model), model.device(call.in_device)
    if request.scheme != EXT.by_names:
        return NO
    units = device.number("CL_DEVICE_MAX_COMPUTE_UNITS")
    if any(name < -1 or name >= units for name in request.values):
        return MUST
    return NO if request.values else may("ext-empty-names")


@rules.alternatives_of("clCreateSubDevicesEXT/CL_INVALID_PARTITION_NAME_EXT/1")
def find_names_out_of_range(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: a name is below 0, or at least the number of compute units."""
    names = parse_request(call.properties, EXT, model).values
    if any(name < -1 for name in names):
        yield "a name is less than 0"
    if any(name >= model.device(call.in_device).number("CL_DEVICE_MAX_COMPUTE_UNITS") for name in names):
        yield "a name is at least in_device's number of compute units"


def _is_domain_invalid(request: PartitionRequest, device: Device, model: Model) -> PredicateResult:
    """Return whether the affinity domain of a request may be rejected.

    The error is optional for an unknown domain and for a domain that the device does not list.
    """
    known = {model.constant_value(name) for name in EXT.domains.values()}
    (domain,) = request.values
    if domain == model.constant_value(EXT.next_domain):
        return NO
    if domain not in known:
        return may("ext-unknown-domain")
    listed = device.numbers(EXT.supported_domains)
    return NO if domain in listed else may("ext-unlisted-domain")


def _has_repeated_name(request: PartitionRequest) -> bool:
    return request.scheme == EXT.by_names and len(set(request.values)) < len(request.values)
