"""Requirements that a device cannot exercise because it lacks the objects: pipes, images, device queues."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.gates import closed_gate
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.queries.limits import feature, has_no_minimum, where_of
from clconform.spec_tables.records import Limit

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model

rules = Rules()

PIPES = ("CL_PIPE_PACKET_SIZE", "CL_PIPE_MAX_PACKETS", "CL_PIPE_PROPERTIES")
ON_DEVICE = ("CL_QUEUE_SIZE",)
SUB_GROUPS = (
    "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE",
    "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR",
    "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE",
    "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR",
    "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT",
    "CL_KERNEL_MAX_NUM_SUB_GROUPS",
    "CL_KERNEL_COMPILE_NUM_SUB_GROUPS",
)
OF_CUSTOM_DEVICES = ("CL_KERNEL_GLOBAL_WORK_SIZE",)
IMAGES = (
    "CL_IMAGE_FORMAT",
    "CL_IMAGE_ELEMENT_SIZE",
    "CL_IMAGE_ROW_PITCH",
    "CL_IMAGE_SLICE_PITCH",
    "CL_IMAGE_WIDTH",
    "CL_IMAGE_HEIGHT",
    "CL_IMAGE_DEPTH",
    "CL_IMAGE_ARRAY_SIZE",
    "CL_IMAGE_BUFFER",
    "CL_IMAGE_NUM_MIP_LEVELS",
    "CL_IMAGE_NUM_SAMPLES",
)

TOLD_BY = {"on-device-queues": "CL_DEVICE_MAX_ON_DEVICE_QUEUES", "pipes": "CL_DEVICE_MAX_PIPE_ARGS"}
"""Condition of limits to a query whose 0 reports that it is not met, if the dedicated query does not have a value."""
LACKS = {
    "not-custom": "the device is a custom device, which is exempt",
    "on-device-queues": "the device does not support on-device queues",
}
"""Condition of limits to the description of a device that does not meet it, if its name is not enough."""


@rules.lacks
def objects_lacking(device: Device, model: Model) -> dict[str, str]:
    """Return each requirement that objects of this device cannot exercise, with the reason.

    Unknown features count as supported.
    """
    found: dict[str, str] = {}

    def lacks(names: tuple[str, ...], reason: str) -> None:
        for record in model.tables.records:
            if record in names or record.rpartition("/effect/")[0] in names:
                found[record] = reason

    if _zero(device, "CL_DEVICE_PIPE_SUPPORT"):
        lacks(PIPES, "the device does not support pipes: CL_DEVICE_PIPE_SUPPORT is CL_FALSE")
    if _zero(device, "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES") or _zero(device, "CL_DEVICE_MAX_ON_DEVICE_QUEUES"):
        lacks(ON_DEVICE, "the device does not support on-device queues")
    if _zero(device, "CL_DEVICE_MAX_NUM_SUB_GROUPS"):
        lacks(SUB_GROUPS, "the device does not support sub-groups: CL_DEVICE_MAX_NUM_SUB_GROUPS is 0")
    if _zero(device, "CL_DEVICE_IMAGE_SUPPORT"):
        lacks(IMAGES, "the device does not support images: CL_DEVICE_IMAGE_SUPPORT is CL_FALSE")
    kind = device.facts.get("CL_DEVICE_TYPE")
    usual = isinstance(kind, int) and not kind & model.value("CL_DEVICE_TYPE_CUSTOM")
    if usual and device.facts.get("CL_DEVICE_BUILT_IN_KERNELS") == "":
        lacks(OF_CUSTOM_DEVICES, "only custom devices and built-in kernels answer it, and the device has neither")
    return found | _limits_lacking(device, model)


def _limits_lacking(device: Device, model: Model) -> dict[str, str]:
    """Return the limits of missing features, with the reason, unless the documents define the value then."""
    found = {}
    for record in model.tables.records.values():
        if not isinstance(record, Limit):
            continue
        where = where_of(record, model)
        closed = _closed_query(record, device, model)
        if closed:
            found[record.id] = closed
            continue
        if has_no_minimum(record, device):
            found[record.id] = f"the document of version {device.version} gives no minimum"
        if not where:
            continue
        reason = LACKS.get(where, f"the device has no {where}")
        try:
            if not feature(where, device, model) and record.otherwise < 0:
                found[record.id] = reason
        except UnknownError:
            if where in TOLD_BY and _zero(device, TOLD_BY[where]):
                found[record.id] = f"{reason}: {TOLD_BY[where]} is 0"
    return found


def _closed_query(limit: Limit, device: Device, model: Model) -> str:
    """Return why a device does not have the query of a limit; empty if it has, or if the limit itself does not apply.

    The list for the embedded profile repeats limits without the versions of their queries.
    """
    if closed_gate(limit.gates, device.platform, device):
        return ""
    queries = [query for query in model.tables.queries_of(limit.function) if query.name == limit.name]
    return next((words for query in queries if (words := closed_gate(query.gates, device.platform, device))), "")


def _zero(device: Device, query: str) -> bool:
    """Return whether a device has returned zero for a query."""
    return device.facts.get(query) == 0
