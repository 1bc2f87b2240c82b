"""Coverage points for image commands: waiting, sizes, levels (5.3.4 to 5.3.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from clconform.calls.values import Items
from clconform.oracles.chapters.images.clauses.regions import (
    bytes_outside,
    extent_of_level,
    has_levels,
    level_at,
    numbers_in,
    regions_of,
)
from clconform.oracles.engine.answers import Answer, settle
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import NullError, UnknownError
from clconform.oracles.model.images import Image
from clconform.oracles.recurring.flags import made_with_any
from clconform.spec_tables.across import record_named
from clconform.spec_tables.records import AlignmentRule, ErrorClause, Record, SizeRule, UsageRule

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.judged_call import AnsweredCall
    from clconform.spec_tables import Tables

_R = TypeVar("_R", bound=Record)
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
LIMITED = (
    "CL_MEM_HOST_NO_ACCESS",
    "CL_MEM_HOST_READ_ONLY",
    "CL_MEM_HOST_WRITE_ONLY",
    "CL_MEM_READ_ONLY",
    "CL_MEM_WRITE_ONLY",
)


def _of(tables: Tables, kind: type[_R]) -> list[_R]:
    """Return the requirements of one class that the image commands have."""
    return [each for function in FUNCTIONS for each in tables.records_of(function) if isinstance(each, kind)]


# sizes, alignments and flags


@rules.completion
def _sizes(rules: Rules, tables: Tables) -> None:
    for record in _of(tables, SizeRule):
        function, name = record.function, record.subject
        words = _WORDS_OF_SIZES[record.relation].format(name)
        if function == "clEnqueueMapImage":
            words = "The mapped region is at least as large as the requested region."
            types = tuple(_TYPES[each] for each in record.when)
            rules.trigger(record.id, function, words, holds=_of_type(*types), by_success=True)
        elif record.relation == "zero":
            clause = f"{function}/CL_INVALID_VALUE/4"
            rules.trigger(record.id, function, words, clause, holds=_must(clause))
        else:
            holds = _with_zero(name) if record.relation == "taken-as" else _exactly(name)
            rules.trigger(record.id, function, words, holds=holds, by_success=True)


@rules.completion
def _alignments(rules: Rules, tables: Tables) -> None:
    for record in _of(tables, AlignmentRule):
        clause = f"{record.function}/CL_MISALIGNED_SUB_BUFFER_OFFSET/1"
        words = "The offset of the sub-buffer, in bits, is a multiple of CL_DEVICE_MEM_BASE_ADDR_ALIGN."
        rules.trigger(record.id, record.function, words, clause, holds=_must(clause))


_WORDS_OF_SIZES = {
    "taken-as": "If {} is 0, rows and slices have no padding.",
    "at-least": "A {} that equals the size of a row or slice of the region is accepted.",
    "zero": "{} is 0 for an image without slices.",
}
_TYPES = {
    "image-1d": "CL_MEM_OBJECT_IMAGE1D",
    "image-1d-buffer": "CL_MEM_OBJECT_IMAGE1D_BUFFER",
    "image-1d-array": "CL_MEM_OBJECT_IMAGE1D_ARRAY",
    "image-2d": "CL_MEM_OBJECT_IMAGE2D",
    "image-2d-array": "CL_MEM_OBJECT_IMAGE2D_ARRAY",
    "image-3d": "CL_MEM_OBJECT_IMAGE3D",
}


def _with_zero(name: str) -> Callable[[AnsweredCall], bool]:
    return lambda asked: asked.call.arguments[name] == 0


def _exactly(name: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: a pitch equals the size of a row or slice of the region, without a gap."""

    def holds(asked: AnsweredCall) -> bool:
        image, region = asked.model.known(asked.call.image), asked.call.region
        pitches = [asked.call.arguments[each] for each in (name, name.replace("slice", "row"))]
        if not isinstance(image, Image) or not isinstance(region, Items):
            return False
        width, height, *_ = (each if isinstance(each, int) else 0 for each in region.values)
        tight = width * image.format.element_size
        if "slice" in name:
            tight = height * (pitches[1] if isinstance(pitches[1], int) and pitches[1] else tight)
        return pitches[0] == tight

    return holds


def _of_type(*types: str) -> Callable[[AnsweredCall], bool]:
    def holds(asked: AnsweredCall) -> bool:
        image = asked.model.known(asked.call.image)
        return isinstance(image, Image) and image.shape.image_type in types

    return holds


def _must(clause: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: an error condition holds and its error is required."""

    def holds(asked: AnsweredCall) -> bool:
        record = record_named(clause, asked.model.tables)
        predicate = asked.rulebook.predicate_of(record) if isinstance(record, ErrorClause) else None
        return predicate is not None and settle(predicate, asked.call, asked.model) is Answer.MUST

    return holds


def _bytes_beyond(asked: AnsweredCall) -> bool:
    try:
        return bytes_outside(asked.call, asked.model)
    except (UnknownError, NullError):
        return False


def _limited(asked: AnsweredCall) -> bool:
    image = asked.model.known(asked.call.image)
    return isinstance(image, Image) and made_with_any(image, LIMITED, asked.model)


for _function, _record in (
    ("clEnqueueCopyImageToBuffer", "clEnqueueCopyImageToBuffer/effect/4"),
    ("clEnqueueCopyBufferToImage", "clEnqueueCopyBufferToImage/effect/8"),
):
    rules.trigger(
        _record,
        _function,
        "Checked on calls whose region exceeds the buffer: they fail.",
        f"{_function}/CL_INVALID_VALUE/2",
        holds=_bytes_beyond,
    )
rules.trigger(
    "clEnqueueFillImage/effect/11",
    "clEnqueueFillImage",
    "Checked on fills of an image that a kernel or the host must not read or write.",
    holds=_limited,
    by_success=True,
)


# mip levels

LEVELS = "OpenCL:specifying-mipmap-levels-to-image-operations"


@rules.completion
def _levels(rules: Rules, _tables: Tables) -> None:
    for function in FUNCTIONS:
        words = "Checked on successful commands on an image with several mip levels."
        rules.trigger(f"{LEVELS}/1", function, words, holds=_mipmapped(*_TYPES.values()), by_success=True)
        if function == "clEnqueueMapImage":
            continue
        clause = f"{function}/CL_INVALID_MIP_LEVEL/1"
        for number, words, types in (
            (
                2,
                "Checked on calls with a level in the origin that a mipmapped image does not have: they fail.",
                tuple(_TYPES.values()),
            ),
            (
                3,
                "Checked on calls with a level in origin[1] that a mipmapped 1D image does not have: they fail.",
                (_TYPES["image-1d"],),
            ),
            (
                4,
                "Checked on calls with a level in origin[2] that a mipmapped 1D image array does not have: they fail.",
                (_TYPES["image-1d-array"],),
            ),
            (
                5,
                "Checked on calls with a level in origin[2] that a mipmapped 2D image does not have: they fail.",
                (_TYPES["image-2d"],),
            ),
            (
                6,
                (
                    "Checked on calls with a level in origin[3] that a mipmapped 2D image array or 3D image does not "
                    "have: they fail."
                ),
                (_TYPES["image-2d-array"], _TYPES["image-3d"]),
            ),
        ):
            rules.trigger(f"{LEVELS}/{number}", function, words, clause, holds=_beyond_levels(*types))
    for function, record in (
        ("clEnqueueCopyImage", "clEnqueueCopyImage/effect/4"),
        ("clEnqueueCopyImageToBuffer", "clEnqueueCopyImageToBuffer/effect/3"),
    ):
        words = "Checked on calls with a level in src_origin that src_image does not have: they fail."
        clause = f"{function}/CL_INVALID_MIP_LEVEL/1"
        rules.trigger(record, function, words, clause, holds=_beyond_levels(*_TYPES.values(), name="src_image"))


@rules.completion
def _sizes_of_levels(rules: Rules, _tables: Tables) -> None:
    words = (
        "Checked on reads and writes at the end of a level after the first: a region up to its last pixel is "
        "accepted, one beyond it fails."
    )
    for maker in ("clCreateImage", "clCreateImageWithProperties"):
        for function in ("clEnqueueReadImage", "clEnqueueWriteImage"):
            parents = (f"{function}/success", f"{function}/CL_INVALID_VALUE/2")
            rules.trigger(f"{maker}/effect/8", function, words, *parents, holds=_at_the_end_of_a_level(maker))


def _at_the_end_of_a_level(maker: str) -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: a region ends at or after the end of a level after the first.

    ``maker``: the function that created the image.
    """

    def holds(asked: AnsweredCall) -> bool:
        try:
            region = numbers_in(asked.call.region)
        except UnknownError:
            return False
        for image, origin in _images_with_levels(asked):
            level = level_at(image, origin) or 0
            if image.maker == maker and 0 < level < image.shape.mip_levels:
                bounds = extent_of_level(image.shape, level)
                return any(start + size >= end > 1 for start, size, end in zip(origin, region, bounds, strict=False))
        return False

    return holds


def _mipmapped(*types: str) -> Callable[[AnsweredCall], bool]:
    return lambda asked: any(image.shape.image_type in types for image, _ in _images_with_levels(asked))


def _beyond_levels(*types: str, name: str = "") -> Callable[[AnsweredCall], bool]:
    """Return a coverage condition: the level of a mipmapped image is too large.

    ``name``: the parameter of the image, if only one is checked.
    """

    def holds(asked: AnsweredCall) -> bool:
        return any(
            image.shape.image_type in types
            and (level_at(image, origin) or 0) >= image.shape.mip_levels
            and (not name or asked.model.known(asked.call.arguments[name]) is image)
            for image, origin in _images_with_levels(asked)
        )

    return holds


def _images_with_levels(asked: AnsweredCall) -> list[tuple[Image, tuple[int, ...]]]:
    try:
        return [each for each in regions_of(asked.call, asked.model) if has_levels(each[0])]
    except (UnknownError, NullError):
        return []


# requirements that cannot be tested

_USAGE = {
    "event-in-its-wait-list": "event is not an element of event_wait_list.",
    "early-use-of-destination": "The application does not use the memory at ptr before the read is complete.",
    "early-reuse-of-source": "The application does not reuse the memory at ptr before the write is complete.",
    "own-host-area": "A read or write with ptr in the image's own host memory has the pitches of the image.",
    "host-ptr-commands-finished": "",
    "host-ptr-not-mapped": "",
    "host-ptr-not-used": "",
    "host-ptr-latest-bits": "",
    "early-use-of-mapping": "The application does not use the pointer before the map is complete.",
    "outside-mapped-region": "The application does not access memory outside the mapped region.",
}
"""Topic of a usage rule to its text."""


@rules.completion
def _untestable(rules: Rules, tables: Tables) -> None:
    for record in _of(tables, UsageRule):
        if record.topic in _USAGE:
            reason = "it is a requirement on the application; a call that violates it is undefined and is never made"
            rules.untestable(record.id, _USAGE[record.topic], reason)
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
        "The region cannot be mapped; images with CL_MEM_USE_HOST_PTR or CL_MEM_ALLOC_HOST_PTR are excluded.",
        "no call can force a mapping to fail",
    )
