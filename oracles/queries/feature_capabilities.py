"""The capabilities that each optional feature of OpenCL C is paired with, and whether a device reports them.

Section 3.4.2 pairs each optional feature with a macro and with a query; the appendix on optional features and the
sections of extensions name the pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from clconform.oracles.engine.interpretation import InterpretationId
from clconform.oracles.engine.wording import cite_interpretation

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

EMBEDDED_PROFILE, FULL_PROFILE = "EMBEDDED_PROFILE", "FULL_PROFILE"
INT64_FEATURE, INT64_EXTENSION = "int64", "cles_khr_int64"
ATOMIC_INTERPRETATION = InterpretationId("atomic-features-without-fences")
"""The interpretation by which the query about fences does not decide whether an atomic feature is supported."""


@dataclass(frozen=True)
class FeatureCapability:
    """A query, and a bit of its value that reports a feature; without a bit, each nonzero value reports it."""

    query: str
    bit: str = ""

    def __str__(self) -> str:
        return f"{self.bit} in {self.query}" if self.bit else self.query

    def is_reported(self, device: Device, model: Model) -> bool | None:
        """Return whether a device reports the capability; None if the query has no known value."""
        value = device.facts.get(self.query)
        if not isinstance(value, int):
            return None
        return bool(value & model.constant_value(self.bit) if self.bit else value)


ATOMICS = "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES"
DOT_PRODUCT, KERNEL_CLOCK = (
    "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR",
    "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR",
)
FEATURE_CAPABILITIES: Mapping[str, FeatureCapability] = {
    "atomic_order_acq_rel": FeatureCapability(ATOMICS, "CL_DEVICE_ATOMIC_ORDER_ACQ_REL"),
    "atomic_order_seq_cst": FeatureCapability(ATOMICS, "CL_DEVICE_ATOMIC_ORDER_SEQ_CST"),
    "atomic_scope_device": FeatureCapability(ATOMICS, "CL_DEVICE_ATOMIC_SCOPE_DEVICE"),
    "atomic_scope_all_devices": FeatureCapability(ATOMICS, "CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES"),
    "device_enqueue": FeatureCapability("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES", "CL_DEVICE_QUEUE_SUPPORTED"),
    "fp64": FeatureCapability("CL_DEVICE_DOUBLE_FP_CONFIG"),
    "generic_address_space": FeatureCapability("CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"),
    "images": FeatureCapability("CL_DEVICE_IMAGE_SUPPORT"),
    "pipes": FeatureCapability("CL_DEVICE_PIPE_SUPPORT"),
    "program_scope_global_variables": FeatureCapability("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE"),
    "read_write_images": FeatureCapability("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS"),
    "subgroups": FeatureCapability("CL_DEVICE_MAX_NUM_SUB_GROUPS"),
    "work_group_collective_functions": FeatureCapability("CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT"),
    "integer_dot_product_input_4x8bit_packed": FeatureCapability(
        DOT_PRODUCT, "CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_PACKED_KHR"
    ),
    "integer_dot_product_input_4x8bit": FeatureCapability(
        DOT_PRODUCT, "CL_DEVICE_INTEGER_DOT_PRODUCT_INPUT_4x8BIT_KHR"
    ),
    **{
        f"kernel_clock_scope_{scope}": FeatureCapability(
            KERNEL_CLOCK, f"CL_DEVICE_KERNEL_CLOCK_SCOPE_{scope.upper()}_KHR"
        )
        for scope in ("device", "work_group", "sub_group")
    },
}
"""Maps features, without the prefix of the macros' names, to the capabilities that report them."""


class Support(Enum):
    """Whether a device reports a feature; ``OPEN``: a query has no known value."""

    YES = "supported"
    NO = "not supported"
    OPEN = "open"


def find_support(feature: str, device: Device, model: Model) -> tuple[Support, str]:
    """Return whether a device reports a feature, and the query, the extension or the profile that does so.

    The full profile requires ``int64``; in the embedded profile, an extension reports it.
    """
    if feature == INT64_FEATURE:
        return _find_support_of_longs(device)
    capability = FEATURE_CAPABILITIES[feature]
    reported = capability.is_reported(device, model)
    words = str(capability)
    if capability.query == ATOMICS:
        words = cite_interpretation(words, ATOMIC_INTERPRETATION)
    return Support.OPEN if reported is None else Support.YES if reported else Support.NO, words


def _find_support_of_longs(device: Device) -> tuple[Support, str]:
    profile = device.facts.get("CL_DEVICE_PROFILE")
    if profile == FULL_PROFILE:
        return Support.YES, "the full profile"
    if profile == EMBEDDED_PROFILE and INT64_EXTENSION in device.extensions:
        return Support.YES, INT64_EXTENSION
    return Support.OPEN, ""


def list_features() -> tuple[str, ...]:
    """Return all features with a capability, without the prefix of the macros' names."""
    return (*FEATURE_CAPABILITIES, INT64_FEATURE)
