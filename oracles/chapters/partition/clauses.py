"""Error conditions of partitions, and of retaining and releasing devices (section 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.partition.schemes import CORE, EXT, Request, parts, read_request, supports
from clconform.oracles.engine.answers import Answer, May, Must, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.devices import Device
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()


@rules.clause("clCreateSubDevices/CL_INVALID_VALUE/1")
def values_not_valid_or_not_supported(call: Call, model: Model) -> Reply:
    """properties contains an undefined or unsupported scheme, an invalid value for it, or more than one scheme."""
    request, device = read_request(call.properties, CORE, model), model.device(call.in_device)
    if not request.terminated:
        return Answer.UNDEFINED
    if not request.scheme:
        return May("no-scheme")
    if not supports(device, request, CORE):
        return Answer.MUST
    if request.scheme == "?":
        return May("unknown-fact")
    first = _first_scheme(request, device, model)
    if not request.rest or first in (True, Answer.MUST) or isinstance(first, Must):
        return first
    return _second_scheme(request, model)


def _first_scheme(request: Request, device: Device, model: Model) -> Reply:
    """Evaluate the value of the list's first scheme, which the device supports."""
    if request.scheme == CORE.by_domain:
        return _domain(request, device, model)
    if request.scheme == CORE.by_names:
        return May("names-by-intel")
    if request.scheme == CORE.by_counts:
        wrong = not request.values or wrong_counts(request, device)
        return May("empty-counts" if not request.values else "counts-are-values") if wrong else Answer.NO
    return _equal_parts(request, device)


@rules.clause("clCreateSubDevices/CL_INVALID_VALUE/2")
def too_small_an_array(call: Call, model: Model) -> Reply:
    """out_devices is not NULL and num_devices is less than the number of sub-devices of the scheme."""
    if call.out_devices is None:
        return Answer.NO
    if not can_be_made(call, model):
        return Answer.NO
    request = read_request(call.properties, CORE, model)
    if not request.scheme:
        return May("no-scheme")
    if call.num_devices == 0:
        return May("empty-counts") if request.scheme == CORE.by_counts and not request.values else Answer.MUST
    return bool(call.num_devices < len(parts(model.device(call.in_device), request, CORE, model)))


@rules.clause("clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1")
def cannot_be_partitioned_further(call: Call, model: Model) -> Reply:
    """The implementation supports the scheme, but in_device cannot be partitioned further by it."""
    request, device = read_request(call.properties, CORE, model), model.device(call.in_device)
    if not request.scheme:
        return May("no-scheme")
    if not supports(device, request, CORE):
        return Answer.NO if request.scheme == "?" else May("implementation-supports")
    if request.scheme == CORE.by_domain:
        return _undivided_domain(request, device, model)
    if request.scheme == CORE.by_names:
        return May("names-by-intel")
    units = device.number("CL_DEVICE_MAX_COMPUTE_UNITS")
    if request.scheme == CORE.equally:
        reply = _equal_parts(request, device)
        if isinstance(reply, (May, Must)):
            return May(reply.interpretation)
        return May("all-units-in-one") if units // request.values[0] == 1 else Answer.NO
    if not request.values:
        return May("empty-counts")
    return May("all-units-in-one") if units == 1 or len(request.values) == 1 else Answer.NO


@rules.clause("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1")
def counts_out_of_range(call: Call, model: Model) -> Reply:
    """A partition by counts has a negative count, or too many sub-devices or compute units.

    CL_DEVICE_MAX_COMPUTE_UNITS limits both; CL_DEVICE_PARTITION_MAX_SUB_DEVICES limits the sub-devices.
    """
    request, device = read_request(call.properties, CORE, model), model.device(call.in_device)
    if request.scheme == CORE.by_counts:
        return wrong_counts(request, device) if request.values else May("empty-counts")
    if request.scheme == CORE.equally and supports(device, request, CORE):
        reply = _equal_parts(request, device)
        return May(reply.interpretation) if isinstance(reply, (May, Must)) else Answer.NO
    return May("names-by-intel") if request.scheme == CORE.by_names else Answer.NO


@rules.part("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/2")
def too_many_parts(call: Call, model: Model) -> Reply:
    """A partition by counts requests more sub-devices than CL_DEVICE_PARTITION_MAX_SUB_DEVICES."""
    most = model.device(call.in_device).number("CL_DEVICE_PARTITION_MAX_SUB_DEVICES")
    return len(read_request(call.properties, CORE, model).values) > most


@rules.part("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/3")
def too_many_units(call: Call, model: Model) -> Reply:
    """A partition by counts requests more compute units than CL_DEVICE_MAX_COMPUTE_UNITS."""
    units = model.device(call.in_device).number("CL_DEVICE_MAX_COMPUTE_UNITS")
    return sum(read_request(call.properties, CORE, model).values) > units


@rules.part("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/4")
def fewer_than_none(call: Call, model: Model) -> Reply:
    """A partition by counts has a negative count."""
    return any(count < 0 for count in read_request(call.properties, CORE, model).values)


@rules.part("clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/5")
def more_parts_than_units(call: Call, model: Model) -> Reply:
    """A partition by counts requests more sub-devices than CL_DEVICE_MAX_COMPUTE_UNITS."""
    units = model.device(call.in_device).number("CL_DEVICE_MAX_COMPUTE_UNITS")
    return len(read_request(call.properties, CORE, model).values) > units


def wrong_counts(request: Request, device: Device) -> bool:
    """Return whether a list of counts has a negative count, too many sub-devices or too many units."""
    units, counts = device.number("CL_DEVICE_MAX_COMPUTE_UNITS"), request.values
    if any(count < 0 for count in counts) or sum(counts) > units or len(counts) > units:
        return True
    return len(counts) > device.number("CL_DEVICE_PARTITION_MAX_SUB_DEVICES")


def can_be_made(call: Call, model: Model) -> bool:
    """Return whether the partition could fail only because of the output buffer."""
    replies = (values_not_valid_or_not_supported(call, model), counts_out_of_range(call, model))
    return not any(reply in (Answer.MUST, True) or isinstance(reply, Must) for reply in replies)


def _second_scheme(request: Request, model: Model) -> Reply:
    schemes = CORE.schemes(model.tables)
    following = schemes.get(request.rest[0])
    if request.scheme == CORE.by_counts:
        return May("after-the-counts")
    if following == request.scheme:
        return May("scheme-twice")
    return Answer.MUST


def _domain(request: Request, device: Device, model: Model) -> Reply:
    (domain,) = request.values
    singles = [model.value(name) for name in (*CORE.domains.values(), CORE.next_domain)]
    if domain not in singles:
        known = sum(singles)
        return Must("several-domains") if domain and domain & ~known == 0 else Answer.MUST
    return domain & device.number("CL_DEVICE_PARTITION_AFFINITY_DOMAIN") == 0


def _undivided_domain(request: Request, device: Device, model: Model) -> Reply:
    if _domain(request, device, model) is not False:
        return May("implementation-supports")
    if device.topology is None:
        return May("cannot-divide-further")
    made = len(parts(device, request, CORE, model))
    return made <= 1 or made > device.number("CL_DEVICE_PARTITION_MAX_SUB_DEVICES")


def _equal_parts(request: Request, device: Device) -> Reply:
    """Evaluate the number after the scheme "equally"."""
    units, each = device.number("CL_DEVICE_MAX_COMPUTE_UNITS"), request.values[0]
    if each == 0:
        return Must("no-unit-each")
    if each < 0 or each > units:
        return Must("more-than-all-units")
    most = device.number("CL_DEVICE_PARTITION_MAX_SUB_DEVICES")
    return May("too-many-equal-parts") if units // each > most else Answer.NO


EXT_PAIR = ("clRetainDeviceEXT", "clReleaseDeviceEXT")


@rules.clause(
    "clRetainDevice/CL_INVALID_DEVICE/1",
    "clReleaseDevice/CL_INVALID_DEVICE/1",
    "clRetainDeviceEXT/CL_INVALID_DEVICE/1",
    "clReleaseDeviceEXT/CL_INVALID_DEVICE/1",
)
def no_valid_device(call: Call, model: Model) -> Reply:
    """device is NULL or not a valid device."""
    # Sub-devices created by the other document's function are never passed: neither document specifies their count
    # then.
    reply, device = valid_object(call.device, "cl_device_id", model), model.known(call.device)
    if reply is Answer.NO and isinstance(device, Device) and device.partition is not None:
        own = (EXT if call.function in EXT_PAIR else CORE).function
        return reply if device.partition.function == own else Answer.UNDEFINED
    return reply


@rules.clause("clReleaseDevice/usage/1", "clReleaseDeviceEXT/usage/1")
def a_reference_not_owned(call: Call, model: Model) -> Reply:
    """The application releases a sub-device of which it does not own a reference."""
    device = model.known(call.device)
    if isinstance(device, Device) and not device.root and device.references < 1:
        return Answer.UNDEFINED
    return Answer.NO
