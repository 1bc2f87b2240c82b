"""Coverage points for image creation, and untestable requirements on image creation (section 5.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.buffers.coverage_points.general import HANDLE_TYPE_SUFFIXES
from clconform.oracles.chapters.images.description import LIMITS, OF_A_BUFFER, available_bytes, describe_image
from clconform.oracles.chapters.images.image_sources import is_buffer_too_small
from clconform.oracles.chapters.images.pitches import (
    has_misaligned_base,
    has_misaligned_row_pitch,
    has_partial_element_in_row,
    has_partial_row_in_slice,
    has_row_pitch_without_rows,
    has_slice_pitch_without_slices,
    has_small_row_pitch,
    has_small_slice_pitch,
)
from clconform.oracles.chapters.memory_objects.creation import ACCESS_FLAGS, HOST_ACCESS_FLAGS
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.predicate_result import MUST, Predicate, evaluate
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wording import PERMISSION
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer
from clconform.spec_tables.requirements import Effect, HostPointerSize, SizeRule

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.chapters.images.description import RequestedImage
    from clconform.oracles.engine.call_context import CompletedCall
    from clconform.spec_tables import Tables

    Test = Callable[[CompletedCall, RequestedImage], bool]

rules = Rules()

CREATING = ("clCreateImage", "clCreateImageWithProperties")
OLDER = ("clCreateImage2D", "clCreateImage3D")
INFO, FLAGS = "clGetMemObjectInfo", "CL_MEM_FLAGS"
EXTERNAL_MEMORY_REASON = "it needs memory that another API has exported, which this suite does not create"
APPLICATION_REASON = "it is a requirement on the application; a call that violates it is undefined and is never made"
UNUSED_FIELD_VALUE = 1 << 16
"""A value above any limit. Fields that the image type does not use are tested with larger values."""
RULES: dict[tuple[str, str, str], Predicate] = {
    ("image_row_pitch", "zero", ""): has_row_pitch_without_rows,
    ("image_row_pitch", "at-least", "image_width"): has_small_row_pitch,
    ("image_row_pitch", "multiple-of", "element-size"): has_partial_element_in_row,
    ("image_row_pitch", "multiple-of", "CL_DEVICE_IMAGE_PITCH_ALIGNMENT"): has_misaligned_row_pitch,
    ("image_slice_pitch", "zero", ""): has_slice_pitch_without_slices,
    ("image_slice_pitch", "at-least", "image_row_pitch"): has_small_slice_pitch,
    ("image_slice_pitch", "multiple-of", "image_row_pitch"): has_partial_row_in_slice,
    ("mem_object", "at-least", "image_row_pitch"): is_buffer_too_small,
    ("host_ptr", "multiple-of", "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT"): has_misaligned_base,
}
"""Maps the subject, relation and first factor of a size rule to the predicate for a violation of the rule."""
LAYER_SUFFIXES = {"image-2d-array": "2D_ARRAY", "image-1d-array": "1D_ARRAY", "image-3d": "IMAGE3D"}
"""Maps a circumstance of a rule about slices to the suffix of the image types to which the rule applies."""


def _describes(test: Test, *, made: bool) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: the requested image passes ``test``.

    If ``made`` is true, the call must also succeed.
    """

    def holds(asked: CompletedCall) -> bool:
        try:
            return (asked.code == SUCCESS or not made) and test(asked, describe_image(asked.call, asked.model))
        except UnknownFactError:
            return False

    return holds


def _violates(predicate: Predicate, ends: tuple[str, ...]) -> Test:
    """Return a function that checks whether ``predicate`` certainly holds for the call that requests an image.

    ``ends``: suffixes of the image types; empty for all types.
    """

    def test(asked: CompletedCall, description: RequestedImage) -> bool:
        if ends and not description.shape.image_type.endswith(ends):
            return False
        return evaluate(predicate, asked.call, asked.model) is MUST

    return test


def _has_tight_zero_pitch(subject: str, ends: tuple[str, ...]) -> Test:
    """Return a function that checks whether a requested image has host_ptr, and 0 as its pitch ``subject``.

    ``ends``: suffixes of the image types; empty for all types.
    """

    def test(_asked: CompletedCall, description: RequestedImage) -> bool:
        pitch = getattr(description.shape, subject.removeprefix("image_"))
        return description.host and pitch == 0 and (not ends or description.shape.image_type.endswith(ends))

    return test


@rules.completion
def _declare_sizes(rules: Rules, tables: Tables) -> None:
    for requirement in tables.requirements.values():
        if not isinstance(requirement, SizeRule) or requirement.function not in (*CREATING, *OLDER):
            continue
        ends = tuple(LAYER_SUFFIXES[each] for each in requirement.when if each in LAYER_SUFFIXES)
        if requirement.relation == "taken-as":
            test, parent, made = (
                _has_tight_zero_pitch(requirement.subject, ends),
                f"{requirement.function}/success",
                True,
            )
        else:
            predicate = RULES[requirement.subject, requirement.relation, next(iter(requirement.factors), "")]
            test, parent, made = _violates(predicate, ends), _error_condition_of(requirement), False
        rules.coverage_point(
            requirement.id,
            requirement.function,
            rules.words.get(requirement.id, ""),
            parent,
            holds=_describes(test, made=made),
        )


def _error_condition_of(requirement: SizeRule) -> str:
    """Return the id of the error condition that holds for calls that violate a size rule."""
    if requirement.function in OLDER:
        return f"{requirement.function}/CL_INVALID_IMAGE_SIZE/1"
    on_buffers = any(factor.startswith("CL_DEVICE_IMAGE_") for factor in requirement.factors)
    code = "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2" if on_buffers else "CL_INVALID_IMAGE_DESCRIPTOR/1"
    return f"{requirement.function}/{code}"


@rules.completion
def _declare_host_memory(rules: Rules, tables: Tables) -> None:
    def exact(name: str) -> Test:
        return lambda asked, description: (
            description.shape.image_type == name
            and description.host
            and available_bytes(asked.call.host_ptr, asked.model) == description.host_bytes
        )

    for requirement in tables.requirements.values():
        if not isinstance(requirement, HostPointerSize):
            continue
        words = (
            f"An image of type {requirement.name} can be created with exactly as much memory at host_ptr as its "
            f"pitches "
            "require."
        )
        if requirement.name.endswith("1D_BUFFER"):
            rules.untestable(requirement.id, words, "such an image is created on a buffer, so host_ptr is NULL")
            continue
        for function in CREATING:
            success = f"{function}/success"
            holds = _describes(exact(requirement.name), made=True)
            rules.coverage_point(requirement.id, function, words, success, holds=holds, requires_success=True)


# Flags that an image has although the call that created it did not pass them


def _queries_flags(maker: str, test: Callable[[int, Image, CompletedCall], bool]) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: CL_MEM_FLAGS of an image is queried, and ``test`` is true.

    ``maker``: the function that created the image. ``test`` receives the flags that this call passed, the image, and
    the query.
    """

    def holds(asked: CompletedCall) -> bool:
        image = asked.subject
        if not isinstance(image, Image) or image.created_by != maker or image.reportable_flags is None:
            return False
        return asked.call.param_name == asked.model.constant_value(FLAGS) and test(
            image.reportable_flags[0], image, asked
        )

    return holds


def _has_inherited_flags(names: tuple[str, ...]) -> Callable[[int, Image, CompletedCall], bool]:
    def test(given: int, image: Image, asked: CompletedCall) -> bool:
        mask = sum(asked.model.constant_value(name) for name in names)
        return image.source is not None and not given & mask and bool(image.source.flags & mask)

    return test


@rules.completion
def _declare_flags(rules: Rules, _tables: Tables) -> None:
    def nothing(given: int, image: Image, _asked: CompletedCall) -> bool:
        return given == 0 and image.source is None

    for function in (*CREATING, *OLDER):
        number = 1 if function in OLDER else 2
        words = "Checked on queries of CL_MEM_FLAGS of an image created with flags 0: it is CL_MEM_READ_WRITE or 0."
        rules.coverage_point(f"{function}/effect/{number}", INFO, words, FLAGS, holds=_queries_flags(function, nothing))
    for function in CREATING:
        for number, names, words in (
            (
                3,
                ACCESS_FLAGS,
                "Checked on queries of CL_MEM_FLAGS: the value has the kernel access flags of mem_object",
            ),
            (
                5,
                HOST_ACCESS_FLAGS,
                "Checked on queries of CL_MEM_FLAGS: the value has the host access flags of mem_object",
            ),
        ):
            told = _queries_flags(function, _has_inherited_flags(names))
            rules.coverage_point(f"{function}/effect/{number}", INFO, f"{words}, or none of them.", FLAGS, holds=told)


@rules.completion
def _declare_levels_and_fields(rules: Rules, _tables: Tables) -> None:
    def levels(_asked: CompletedCall, description: RequestedImage) -> bool:
        return description.shape.mip_levels > 1

    def no_power_of_two(asked: CompletedCall, description: RequestedImage) -> bool:
        return levels(asked, description) and any(size & (size - 1) for size in description.sizes.values())

    def unused(field: str) -> Test:
        return lambda _asked, description: (
            field not in LIMITS.get(description.shape.image_type, (field,))
            and getattr(description.shape, field) > UNUSED_FIELD_VALUE
        )

    for function in CREATING:
        success = f"{function}/success"
        for requirement, words, test in (
            (f"{function}/effect/6", "Checked on the creation of images with num_mip_levels above 1.", levels),
            (
                f"{function}/effect/7",
                "Checked on the creation of mipmapped images whose sizes are not powers of two.",
                no_power_of_two,
            ),
            (
                "OpenCL:image-descriptor/3",
                "Checked on calls that pass a value beyond any limit as image_height for a type that does not use it.",
                unused("height"),
            ),
            (
                "OpenCL:image-descriptor/4",
                "Checked on calls that pass a value beyond any limit as image_array_size if the type does not use it.",
                unused("array_size"),
            ),
            (
                "OpenCL:image-descriptor/14",
                "Checked on calls that pass a value beyond any limit as image_depth for a type that does not use it.",
                unused("depth"),
            ),
        ):
            rules.coverage_point(
                requirement, function, words, success, holds=_describes(test, made=False), requires_success=True
            )
    levels_told = "CL_IMAGE_NUM_MIP_LEVELS"
    rules.coverage_point(
        "OpenCL:image-descriptor/7",
        "clGetImageInfo",
        "Checked on images created with num_mip_levels 0 or 1: CL_IMAGE_NUM_MIP_LEVELS is this number.",
        levels_told,
        holds=lambda asked: (
            isinstance(asked.subject, Image)
            and asked.call.param_name == asked.model.constant_value(levels_told)
            and asked.subject.shape.mip_levels in (0, 1)
        ),
    )


@rules.completion
def _declare_images_on_buffers(rules: Rules, tables: Tables) -> None:
    """Declare the requirements of revisions from 3.1.0 on for images created from buffers."""

    def on_a_buffer(image_type: str) -> Test:
        return lambda asked, description: (
            description.shape.image_type == image_type and isinstance(asked.model.find(description.source), Buffer)
        )

    for function in CREATING:
        found = [each for each in tables.requirements_of(function) if isinstance(each, Effect)]
        both = [each.id for each in found if each.topic == "image-from-buffer"]
        for requirement, image_type in zip(both, (OF_A_BUFFER, "CL_MEM_OBJECT_IMAGE2D"), strict=False):
            words = f"Checked on calls that create an image of the type {image_type} from a buffer."
            holds = _describes(on_a_buffer(image_type), made=False)
            rules.coverage_point(
                requirement, function, words, f"{function}/success", holds=holds, requires_success=True
            )


@rules.completion
def _declare_untestable(rules: Rules, _tables: Tables) -> None:
    about = "CL_MEM_DEVICE_HANDLE_LIST_KHR in properties names a device that "
    foreign = {
        "CL_INVALID_DEVICE/2": f"{about}is not valid or not a device of context.",
        "CL_INVALID_DEVICE/3": f"{about}cannot import the external memory.",
        "CL_INVALID_DEVICE/4": "CL_MEM_DEVICE_HANDLE_LIST_KHR is not in properties, and a device of context cannot "
        "import the memory.",
        "CL_INVALID_VALUE/4": "properties has an external memory handle, and flags has a CL_MEM_*_HOST_PTR flag.",
        "CL_INVALID_HOST_PTR/2": "properties contains an external memory handle, and host_ptr is not NULL.",
        "CL_INVALID_PROPERTY/4": "properties contains more than one external memory handle.",
        "effect/18": "",
        "effect/19": "",
    }
    for requirement, words in foreign.items():
        if requirement not in HANDLE_TYPE_SUFFIXES:
            rules.untestable(f"clCreateImageWithProperties/{requirement}", words, EXTERNAL_MEMORY_REASON)
        if requirement.startswith("CL_INVALID_DEVICE"):
            rules.untestable(
                f"clCreateImage/{requirement}", words, "clCreateImage does not have a properties parameter"
            )
    rules.untestable(
        "clCreateImage/effect/18", foreign["effect/19"], "clCreateImage does not have a properties parameter"
    )
    rules.untestable(
        "CL_MEM_DEVICE_HANDLE_LIST_KHR@clCreateImageWithProperties",
        "With CL_MEM_DEVICE_HANDLE_LIST_KHR, an image can be created from external memory for a list of devices.",
        EXTERNAL_MEMORY_REASON,
    )
    for function in (*CREATING, *OLDER):
        rules.untestable(
            f"{function}/CL_INVALID_OPERATION/1",
            "All devices of context lack support for images.",
            "without images the limits of all sizes are 0, so the error for a size above a limit is also allowed",
        )
    for number, pitch in ((1, "image_row_pitch"), (2, "image_slice_pitch")):
        rules.untestable(
            f"OpenCL:image-descriptor/{number}",
            f"If {pitch} of an image from external memory is 0, the implementation chooses the pitch.",
            PERMISSION,
        )
    for number, words in (
        (1, "The application does not access a buffer and an image created from it concurrently, except to read both."),
        (2, "The application does not run a kernel that writes an image created from a buffer and reads the buffer."),
        (3, "The application does not run a kernel that writes a buffer and reads an image created from the buffer."),
        (4, ""),
    ):
        rules.untestable(f"OpenCL:image-descriptor/usage/{number}", words, APPLICATION_REASON)
    rules.untestable("OpenCL:image-descriptor/16", "", PERMISSION)
    rules.untestable("clCreateImageWithProperties/usage/1", "", APPLICATION_REASON)
