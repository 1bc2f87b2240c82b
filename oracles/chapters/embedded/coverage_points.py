"""Coverage points of the embedded profile (chapter 7), and untestable requirements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.embedded.error_conditions import CREATORS, IMAGE_3D, is_embedded
from clconform.oracles.chapters.images.description import describe_image
from clconform.oracles.chapters.programs.coverage_points.options import ARITHMETIC
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.queries.prose_rules import cover_query
from clconform.oracles.queries.strings import has_doubles, has_longs

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.oracles.queries.query_request import QueryRequest

rules = Rules()

PROFILE = "OpenCL:opencl-embedded-profile"
EXTENSIONS = "CL_DEVICE_EXTENSIONS"


def _is_embedded_device(holds: Callable[[Device], bool]) -> Callable[[QueryRequest], bool]:
    def when(question: QueryRequest) -> bool:
        device = question.subject
        return isinstance(device, Device) and is_embedded(device) and holds(device)

    return when


for _requirement, _words, _holds in (
    (
        "OpenCL:opencl-embedded-profile/2",
        "An embedded device with double precision lists cles_khr_int64 in CL_DEVICE_EXTENSIONS.",
        has_doubles,
    ),
    ("OpenCL:opencl-embedded-profile/29", "", has_longs),
):
    rules.coverage_point(
        _requirement,
        "clGetDeviceInfo",
        _words,
        EXTENSIONS,
        holds=cover_query(EXTENSIONS, when=_is_embedded_device(_holds)),
    )


def _creates_3d_image(asked: CompletedCall) -> bool:
    """Return whether a call creates a 3D image in a context in which all devices have the embedded profile."""
    if describe_image(asked.call, asked.model).shape.image_type != IMAGE_3D:
        return False
    devices = asked.model.get(Context, asked.call.context).devices
    return bool(devices) and all(map(is_embedded, devices))


for _function in CREATORS:
    rules.coverage_point(
        "OpenCL:opencl-embedded-profile/27",
        _function,
        "Checked on calls that create a 3D image in a context in which all devices have the embedded profile.",
        f"{_function}/success",
        holds=_creates_3d_image,
        requires_success=True,
    )

ZERO_LIMITS = "without images the limits of all sizes are 0, so the error for a size above a limit is also allowed"
LANGUAGE_FEATURE = "only programs that use the feature show it, and language tests cover these programs"
SEPARATE_LIMITS = "each number of the table is a requirement of its own, a limit of a query"
UNDEFINED_CONTENTS = "undefined contents can have any value, so nothing can violate it"
for _number, _words, _reason in (
    (1, "Linear filters of images with float channels return undefined values.", UNDEFINED_CONTENTS),
    (3, "Additions, subtractions and multiplications of single precision numbers are correctly rounded.", ARITHMETIC),
    (
        4,
        "Without CL_FP_INF_NAN, the results of overflows and invalid operations are implementation-defined.",
        PERMISSION,
    ),
    (5, "Without CL_FP_INF_NAN, comparisons with NaN are implementation-defined.", PERMISSION),
    (6, "Conversions in kernels are correctly rounded, as in the full profile.", ARITHMETIC),
    (7, "Mathematical functions have the same edge case behaviour as in the full profile.", ARITHMETIC),
    (8, "If the default rounding mode is to zero, fract, fma and fdim also round to zero.", ARITHMETIC),
    (
        24,
        "An embedded device with image support reports at least the minimum limits that chapter 7 lists.",
        SEPARATE_LIMITS,
    ),
    (25, "A 3D image cannot be created if the limits for 3D images are 0.", ZERO_LIMITS),
    (26, "", LANGUAGE_FEATURE),
    (28, "", LANGUAGE_FEATURE),
    (30, "", ARITHMETIC),
    (31, "", ARITHMETIC),
    *(
        (number, "The minimum and maximum of a normalized channel are converted to floats exactly.", ARITHMETIC)
        for number in range(9, 24)
    ),
):
    rules.untestable(f"{PROFILE}/{_number}", _words, _reason)
