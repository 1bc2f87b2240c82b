"""Requirements that a device cannot exercise because it lacks a feature: pipes, images, on-device queues, ..."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.applicability import describe_unmet_condition
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.queries.limits import condition_of, has_feature, has_no_minimum
from clconform.spec_tables.requirements import Limit

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

rules = Rules()

PIPE_QUERIES = ("CL_PIPE_PACKET_SIZE", "CL_PIPE_MAX_PACKETS", "CL_PIPE_PROPERTIES")
DEVICE_QUEUE_QUERIES = ("CL_QUEUE_SIZE",)
SUB_GROUP_QUERIES = (
    "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE",
    "CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE_KHR",
    "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE",
    "CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE_KHR",
    "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT",
    "CL_KERNEL_MAX_NUM_SUB_GROUPS",
    "CL_KERNEL_COMPILE_NUM_SUB_GROUPS",
)
CUSTOM_DEVICE_QUERIES = ("CL_KERNEL_GLOBAL_WORK_SIZE",)
IMAGE_QUERIES = (
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

FALLBACK_QUERIES = {"on-device-queues": "CL_DEVICE_MAX_ON_DEVICE_QUEUES", "pipes": "CL_DEVICE_MAX_PIPE_ARGS"}
"""Maps conditions of limits to a query whose value 0 shows that a device does not meet the condition.

The query is used if the values of other queries do not show this.
"""
LACK_REASONS = {
    "not-custom": "the device is a custom device, which is exempt",
    "on-device-queues": "the device does not support on-device queues",
}
"""Maps conditions of limits to the reason why a limit does not apply, if the name of a condition is not clear enough.
"""


@rules.missing_feature
def find_unexercisable(device: Device, model: Model) -> dict[str, str]:
    """Map requirement ids to the reasons why the device and its objects cannot exercise the requirements.

    Unknown features count as supported.
    """
    found: dict[str, str] = {}

    def lacks(names: tuple[str, ...], reason: str) -> None:
        for requirement in model.tables.requirements:
            if requirement in names or requirement.rpartition("/effect/")[0] in names:
                found[requirement] = reason

    if _is_zero(device, "CL_DEVICE_PIPE_SUPPORT"):
        lacks(PIPE_QUERIES, "the device does not support pipes: CL_DEVICE_PIPE_SUPPORT is CL_FALSE")
    if _is_zero(device, "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES") or _is_zero(device, "CL_DEVICE_MAX_ON_DEVICE_QUEUES"):
        lacks(DEVICE_QUEUE_QUERIES, "the device does not support on-device queues")
    if _is_zero(device, "CL_DEVICE_MAX_NUM_SUB_GROUPS"):
        lacks(SUB_GROUP_QUERIES, "the device does not support sub-groups: CL_DEVICE_MAX_NUM_SUB_GROUPS is 0")
    if _is_zero(device, "CL_DEVICE_IMAGE_SUPPORT"):
        lacks(IMAGE_QUERIES, "the device does not support images: CL_DEVICE_IMAGE_SUPPORT is CL_FALSE")
    kind = device.facts.get("CL_DEVICE_TYPE")
    usual = isinstance(kind, int) and not kind & model.constant_value("CL_DEVICE_TYPE_CUSTOM")
    if usual and device.facts.get("CL_DEVICE_BUILT_IN_KERNELS") == "":
        lacks(CUSTOM_DEVICE_QUERIES, "only custom devices and built-in kernels answer it, and the device has neither")
    return found | _find_missing_limits(device, model)


def _find_missing_limits(device: Device, model: Model) -> dict[str, str]:
    """Return the limits that do not apply to the device, with the reason.

    A limit applies to a device without the feature if the documents define its value for such devices.
    """
    found = {}
    for requirement in model.tables.requirements.values():
        if not isinstance(requirement, Limit):
            continue
        where = condition_of(requirement, model)
        closed = _describe_missing_query(requirement, device, model)
        if closed:
            found[requirement.id] = closed
            continue
        if has_no_minimum(requirement, device):
            found[requirement.id] = f"the document of version {device.version} gives no minimum"
        if not where:
            continue
        reason = LACK_REASONS.get(where, f"the device has no {where}")
        try:
            if not has_feature(where, device, model) and requirement.otherwise < 0:
                found[requirement.id] = reason
        except UnknownFactError:
            if where in FALLBACK_QUERIES and _is_zero(device, FALLBACK_QUERIES[where]):
                found[requirement.id] = f"{reason}: {FALLBACK_QUERIES[where]} is 0"
    return found


def _describe_missing_query(limit: Limit, device: Device, model: Model) -> str:
    """Return why a device does not have the query of a limit; empty if it has, or if the limit does not apply.

    The list of the embedded profile repeats limits without the versions of their queries.
    """
    if describe_unmet_condition(limit.applicability, device.platform, device):
        return ""
    queries = [query for query in model.tables.queries_of(limit.function) if query.name == limit.name]
    return next(
        (
            words
            for query in queries
            if (words := describe_unmet_condition(query.applicability, device.platform, device))
        ),
        "",
    )


def _is_zero(device: Device, query: str) -> bool:
    """Return whether a device has returned zero for a query."""
    return device.facts.get(query) == 0
