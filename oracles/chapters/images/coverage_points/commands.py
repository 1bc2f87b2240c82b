"""Coverage points for image commands: sizes, alignments, flags and mip levels (5.3.4 to 5.3.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from clconform.calls.values import ElementList
from clconform.oracles.chapters.images.error_conditions.regions import (
    exceeds_buffer,
    is_mipmapped,
    iterate_regions,
    level_extent,
    mip_level_of,
    parse_coordinates,
)
from clconform.oracles.common.flags import has_any_flag
from clconform.oracles.engine.predicate_result import MUST, evaluate
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import NullObjectError, UnknownFactError
from clconform.oracles.model.images import Image
from clconform.spec_tables.requirements import AlignmentRule, ErrorCondition, Requirement, SizeRule, UsageRule
from clconform.spec_tables.revision_ids import find_requirement

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

_R = TypeVar("_R", bound=Requirement)
rules = Rules()

FUNCTIONS = (
    "clEnqueueReadImage",
    "clEnqueueWriteImage",
    "clEnqueueCopyImage",
    "clEnqueueFillImage",
    "clEnqueueCopyImageToBuffer",
    "clEnqueueCopyBufferToImage",
    "clEnqueueMapImage",
)
STATUS, QUERY = "CL_EVENT_COMMAND_EXECUTION_STATUS", "clGetEventInfo"
ACCESS_FLAGS = (
    "CL_MEM_HOST_NO_ACCESS",
    "CL_MEM_HOST_READ_ONLY",
    "CL_MEM_HOST_WRITE_ONLY",
    "CL_MEM_READ_ONLY",
    "CL_MEM_WRITE_ONLY",
)


def _requirements_of(tables: Tables, kind: type[_R]) -> list[_R]:
    """Return the requirements of class ``kind`` that the image commands have."""
    return [each for function in FUNCTIONS for each in tables.requirements_of(function) if isinstance(each, kind)]


# sizes, alignments and flags


@rules.completion
def _declare_sizes(rules: Rules, tables: Tables) -> None:
    for requirement in _requirements_of(tables, SizeRule):
        function, name = requirement.function, requirement.subject
        words = _SIZE_TEXTS[requirement.relation].format(name)
        if function == "clEnqueueMapImage":
            words = "The memory at the returned pointer is at least as large as the requested region."
            types = tuple(_TYPES[each] for each in requirement.when)
            rules.coverage_point(requirement.id, function, words, holds=_has_image_type(*types), requires_success=True)
        elif requirement.relation == "zero":
            clause = f"{function}/CL_INVALID_VALUE/4"
            rules.coverage_point(requirement.id, function, words, clause, holds=_is_error_required(clause))
        else:
            holds = _has_zero_pitch(name) if requirement.relation == "taken-as" else _has_exact_pitch(name)
            rules.coverage_point(requirement.id, function, words, holds=holds, requires_success=True)


@rules.completion
def _declare_alignments(rules: Rules, tables: Tables) -> None:
    for requirement in _requirements_of(tables, AlignmentRule):
        clause = f"{requirement.function}/CL_MISALIGNED_SUB_BUFFER_OFFSET/1"
        words = "The offset in bits of a sub-buffer argument is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN."
        rules.coverage_point(requirement.id, requirement.function, words, clause, holds=_is_error_required(clause))


_SIZE_TEXTS = {
    "taken-as": "If {} is 0, the pitch in host memory is the size in bytes of a row or slice of the region.",
    "at-least": "A {} that equals the size in bytes of a row or slice of the region is accepted.",
    "zero": "{} must be 0 for a 1D or 2D image.",
}
_TYPES = {
    "image-1d": "CL_MEM_OBJECT_IMAGE1D",
    "image-1d-buffer": "CL_MEM_OBJECT_IMAGE1D_BUFFER",
    "image-1d-array": "CL_MEM_OBJECT_IMAGE1D_ARRAY",
    "image-2d": "CL_MEM_OBJECT_IMAGE2D",
    "image-2d-array": "CL_MEM_OBJECT_IMAGE2D_ARRAY",
    "image-3d": "CL_MEM_OBJECT_IMAGE3D",
}


def _has_zero_pitch(name: str) -> Callable[[CompletedCall], bool]:
    return lambda asked: asked.call.arguments[name] == 0


def _has_exact_pitch(name: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the pitch ``name`` equals the size in bytes of a row or slice of the region."""

    def holds(asked: CompletedCall) -> bool:
        image, region = asked.model.find(asked.call.image), asked.call.region
        pitches = [asked.call.arguments[each] for each in (name, name.replace("slice", "row"))]
        if not isinstance(image, Image) or not isinstance(region, ElementList):
            return False
        width, height, *_ = (each if isinstance(each, int) else 0 for each in region.values)
        tight = width * image.format.element_size
        if "slice" in name:
            tight = height * (pitches[1] if isinstance(pitches[1], int) and pitches[1] else tight)
        return pitches[0] == tight

    return holds


def _has_image_type(*types: str) -> Callable[[CompletedCall], bool]:
    def holds(asked: CompletedCall) -> bool:
        image = asked.model.find(asked.call.image)
        return isinstance(image, Image) and image.shape.image_type in types

    return holds


def _is_error_required(clause: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the error condition ``clause`` holds, and its error is required."""

    def holds(asked: CompletedCall) -> bool:
        requirement = find_requirement(clause, asked.model.tables)
        predicate = (
            asked.rulebook.predicates.predicate_of(requirement) if isinstance(requirement, ErrorCondition) else None
        )
        return predicate is not None and evaluate(predicate, asked.call, asked.model) is MUST

    return holds


def _exceeds_buffer(asked: CompletedCall) -> bool:
    try:
        return exceeds_buffer(asked.call, asked.model)
    except (UnknownFactError, NullObjectError):
        return False


def _has_limited_access(asked: CompletedCall) -> bool:
    image = asked.model.find(asked.call.image)
    return isinstance(image, Image) and has_any_flag(image, ACCESS_FLAGS, asked.model)


for _function, _record in (
    ("clEnqueueCopyImageToBuffer", "clEnqueueCopyImageToBuffer/effect/4"),
    ("clEnqueueCopyBufferToImage", "clEnqueueCopyBufferToImage/effect/8"),
):
    rules.coverage_point(
        _record,
        _function,
        "Checked on calls whose region exceeds the buffer. These calls must fail.",
        f"{_function}/CL_INVALID_VALUE/2",
        holds=_exceeds_buffer,
    )
rules.coverage_point(
    "clEnqueueFillImage/effect/11",
    "clEnqueueFillImage",
    "Checked on fills of an image whose flags limit the access of kernels or of the host.",
    holds=_has_limited_access,
    requires_success=True,
)


# mip levels


@rules.completion
def _declare_levels(rules: Rules, _tables: Tables) -> None:
    for function in FUNCTIONS:
        words = "Checked on successful commands on an image with several mip levels."
        rules.coverage_point(
            "OpenCL:specifying-mipmap-levels-to-image-operations/1",
            function,
            words,
            holds=_uses_mipmapped(*_TYPES.values()),
            requires_success=True,
        )
        if function == "clEnqueueMapImage":
            continue
        clause = f"{function}/CL_INVALID_MIP_LEVEL/1"
        for requirement, words, types in (
            (
                "OpenCL:specifying-mipmap-levels-to-image-operations/2",
                "Checked on calls with a level in the origin that a mipmapped image does not have.",
                tuple(_TYPES.values()),
            ),
            (
                "OpenCL:specifying-mipmap-levels-to-image-operations/3",
                "Checked on calls with a level in origin[1] that a mipmapped 1D image does not have.",
                (_TYPES["image-1d"],),
            ),
            (
                "OpenCL:specifying-mipmap-levels-to-image-operations/4",
                "Checked on calls with a level in origin[2] that a mipmapped 1D image array does not have.",
                (_TYPES["image-1d-array"],),
            ),
            (
                "OpenCL:specifying-mipmap-levels-to-image-operations/5",
                "Checked on calls with a level in origin[2] that a mipmapped 2D image does not have.",
                (_TYPES["image-2d"],),
            ),
            (
                "OpenCL:specifying-mipmap-levels-to-image-operations/6",
                (
                    "Checked on calls with a level in origin[3] that a mipmapped 2D image array or 3D image does not "
                    "have."
                ),
                (_TYPES["image-2d-array"], _TYPES["image-3d"]),
            ),
        ):
            rules.coverage_point(requirement, function, words, clause, holds=_exceeds_levels(*types))
    for function, requirement in (
        ("clEnqueueCopyImage", "clEnqueueCopyImage/effect/4"),
        ("clEnqueueCopyImageToBuffer", "clEnqueueCopyImageToBuffer/effect/3"),
    ):
        words = "Checked on calls with a level in src_origin that src_image does not have."
        clause = f"{function}/CL_INVALID_MIP_LEVEL/1"
        rules.coverage_point(
            requirement, function, words, clause, holds=_exceeds_levels(*_TYPES.values(), name="src_image")
        )


@rules.completion
def _declare_level_sizes(rules: Rules, _tables: Tables) -> None:
    words = (
        "Checked on reads and writes at the end of a mip level after the first: a region up to the last pixel is "
        "accepted, and a region beyond the last pixel fails."
    )
    for maker in ("clCreateImage", "clCreateImageWithProperties"):
        for function in ("clEnqueueReadImage", "clEnqueueWriteImage"):
            parents = (f"{function}/success", f"{function}/CL_INVALID_VALUE/2")
            rules.coverage_point(f"{maker}/effect/8", function, words, *parents, holds=_reaches_level_end(maker))


def _reaches_level_end(maker: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a region ends at or beyond the end of a mip level after the first.

    ``maker``: the function that created the image.
    """

    def holds(asked: CompletedCall) -> bool:
        try:
            region = parse_coordinates(asked.call.region)
        except UnknownFactError:
            return False
        for image, origin in _mipmapped_images(asked):
            level = mip_level_of(image, origin) or 0
            if image.created_by == maker and 0 < level < image.shape.mip_levels:
                bounds = level_extent(image.shape, level)
                return any(start + size >= end > 1 for start, size, end in zip(origin, region, bounds, strict=False))
        return False

    return holds


def _uses_mipmapped(*types: str) -> Callable[[CompletedCall], bool]:
    return lambda asked: any(image.shape.image_type in types for image, _ in _mipmapped_images(asked))


def _exceeds_levels(*types: str, name: str = "") -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: an origin selects a mip level that the image does not have.

    ``types``: the types of the images. ``name``: the only image parameter to check; if empty, all are checked.
    """

    def holds(asked: CompletedCall) -> bool:
        return any(
            image.shape.image_type in types
            and (mip_level_of(image, origin) or 0) >= image.shape.mip_levels
            and (not name or asked.model.find(asked.call.arguments[name]) is image)
            for image, origin in _mipmapped_images(asked)
        )

    return holds


def _mipmapped_images(asked: CompletedCall) -> list[tuple[Image, tuple[int, ...]]]:
    try:
        return [each for each in iterate_regions(asked.call, asked.model) if is_mipmapped(each[0])]
    except (UnknownFactError, NullObjectError):
        return []


# requirements that cannot be tested

_USAGE = {
    "event-in-its-wait-list": "",
    "early-use-of-destination": "The application does not use the memory at ptr before the read is complete.",
    "early-reuse-of-source": "The application does not reuse the memory at ptr before the write is complete.",
    "own-host-area": "If ptr points to the host_ptr memory of the image, the pitches equal those of the image.",
    "host-ptr-commands-finished": "",
    "host-ptr-not-mapped": "",
    "host-ptr-not-used": "",
    "host-ptr-latest-bits": "",
    "early-use-of-mapping": "The application does not use the returned pointer before the command is complete.",
    "outside-mapped-region": "The application does not access memory outside the mapped region.",
}
"""Maps the topic of a usage rule to the text of the rule."""


@rules.completion
def _declare_untestable(rules: Rules, tables: Tables) -> None:
    for requirement in _requirements_of(tables, UsageRule):
        if requirement.topic in _USAGE:
            reason = "it is a requirement on the application; a call that violates it is undefined and is never made"
            rules.untestable(requirement.id, _USAGE[requirement.topic], reason)
    for function in FUNCTIONS:
        rules.untestable(
            f"{function}/CL_INVALID_IMAGE_SIZE/1",
            "The device of command_queue does not support the sizes or pitches of an image.",
            "an image can be created only if a device of the context supports it, and no query reports which device",
        )
        rules.untestable(
            f"{function}/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
            "The device of command_queue does not support the format of an image.",
            (
                "an image can be created only if a device of the context supports its format, and no query reports "
                "which device"
            ),
        )
    rules.untestable(
        "clEnqueueMapImage/CL_MAP_FAILURE/1",
        "The region cannot be mapped, and image has neither CL_MEM_USE_HOST_PTR nor CL_MEM_ALLOC_HOST_PTR.",
        "no call can force a mapping to fail",
    )
