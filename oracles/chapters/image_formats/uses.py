"""Uses of image formats (flags and image types), and the formats required for them (5.3.2.1)."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.oracles.engine.applicability import applies
from clconform.oracles.model.call_scope import CallScope
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.queries.features import lacks_feature
from clconform.oracles.queries.parsing import known_features
from clconform.spec_tables.requirements import RequiredImageFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.oracles.model.contexts import Context
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.format_lists import FormatPair, FormatUse
    from clconform.oracles.model.state import Model
    from clconform.spec_tables.lookups import TableLookups
    from clconform.spec_tables.requirements import ApplicabilityCondition

LIST = "clGetSupportedImageFormats"
READ, WRITE, EITHER, BOTH = (
    "CL_MEM_READ_ONLY",
    "CL_MEM_WRITE_ONLY",
    "CL_MEM_READ_WRITE",
    "CL_MEM_KERNEL_READ_AND_WRITE",
)
USES = (READ, WRITE, EITHER, BOTH)
"""The flags with which a format list can be queried, exactly one at a time."""
ACCESS = {"read-or-write": (READ, WRITE), "read-and-write": (BOTH,)}
"""Maps the access of a required format to the flags for which the format must be listed."""
FLAT, SPACE, LAYERS = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE2D_ARRAY"
OF_A_BUFFER = "CL_MEM_OBJECT_IMAGE1D_BUFFER"
SINCE_1_0 = (FLAT, SPACE)
SINCE_1_2 = ("CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE1D_ARRAY", OF_A_BUFFER, LAYERS)
TYPES = (*SINCE_1_0, *SINCE_1_2)
"""The image types."""
STENCIL = "CL_DEPTH_STENCIL"
WRITES_3D, WRITES_3D_MACRO = "cl_khr_3d_image_writes", "__opencl_c_3d_image_writes"


def supported_uses(context: Context, model: Model) -> Iterator[FormatUse]:
    """Yield the pairs of flags and image type that the versions of the devices of a context define."""
    versions = [device.version for device in context.devices]
    for flags in USES[:-1] if all(version < (2, 0) for version in versions) else USES:
        for image_type in SINCE_1_0 if all(version < (1, 2) for version in versions) else TYPES:
            yield model.constant_value(flags), model.constant_value(image_type)


def required_formats(devices: Sequence[Device], flags: str, image_type: str, model: Model) -> dict[str, FormatPair]:
    """Return the formats that the devices of a context must support for flags and an image type.

    The keys are ids of requirements.
    """
    found: dict[str, FormatPair] = {}
    having = [device for device in devices if _supports_use(device, flags, image_type)]
    demanded: dict[tuple[ApplicabilityCondition, ...], bool] = {}
    for requirement, pair in _minimum_formats(flags, model.lookups):
        if requirement.applicability not in demanded:
            demanded[requirement.applicability] = any(_is_required_of(requirement, device) for device in having)
        if demanded[requirement.applicability] and not _is_exempt(requirement, flags, image_type):
            found[requirement.id] = pair
    return found


@functools.cache
def _minimum_formats(flags: str, lookups: TableLookups) -> tuple[tuple[RequiredImageFormat, FormatPair], ...]:
    """Return the required image formats for ``flags``: each requirement, and its channel order and data type."""
    requirements = [each for each in lookups.tables.requirements_of(LIST) if isinstance(each, RequiredImageFormat)]
    values = lookups.values
    return tuple(
        (each, (values[each.order], values[each.data_type])) for each in requirements if flags in ACCESS[each.access]
    )


def _is_required_of(requirement: RequiredImageFormat, device: Device) -> bool:
    """Return whether a device with image support must support a format; False if that is not known."""
    args = device.facts.get("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS")
    if requirement.access == "read-and-write" and (not isinstance(args, int) or not args):
        return False
    return applies(requirement.applicability, CallScope(device.platform, (device,)))


def _is_exempt(requirement: RequiredImageFormat, flags: str, image_type: str) -> bool:
    """Return whether a footnote makes a required format optional for flags and an image type."""
    if requirement.order == STENCIL:  # only from OpenGL
        return True
    if requirement.order == "CL_DEPTH":
        return image_type not in (FLAT, LAYERS)
    return requirement.order == "CL_sRGBA" and (flags != READ or image_type == OF_A_BUFFER)


def _supports_use(device: Device, flags: str, image_type: str) -> bool:
    """Return whether a device certainly supports images of a type with the kernel access in ``flags``."""
    if device.facts.get("CL_DEVICE_IMAGE_SUPPORT") != 1 or (image_type in SINCE_1_2 and device.version < (1, 2)):
        return False
    embedded = device.facts.get("CL_DEVICE_PROFILE") != "FULL_PROFILE"
    if image_type == LAYERS:
        return not embedded or flags == READ
    if image_type != SPACE:
        return True
    if embedded and not device.facts.get("CL_DEVICE_IMAGE3D_MAX_WIDTH"):
        return False
    return flags == READ or WRITES_3D in device.extensions or (2, 0) <= device.version < (3, 0)


def emptying_requirement(devices: Sequence[Device], flags: str, image_type: str) -> str:
    """Return the requirement by which a format list must be empty, or an empty string.

    A list must be empty if all devices lack the feature that it requires. Raise UnknownFactError if a device does not
    report its features.
    """
    if flags == BOTH and all(lacks_feature(device, "read-write-images") for device in devices):
        return "read-write-images:clGetSupportedImageFormats/1"
    if image_type == SPACE and flags != READ and all(map(_lacks_3d_writes, devices)):
        return "3d-image-writes:clGetSupportedImageFormats/1"
    return ""


def _lacks_3d_writes(device: Device) -> bool:
    """Return whether a device reports that its kernels cannot write 3D images."""
    if device.version < (3, 0) or WRITES_3D in device.extensions:
        return False
    features = known_features(device)
    if not features:
        raise UnknownFactError("no features are reported")
    return WRITES_3D_MACRO not in features
