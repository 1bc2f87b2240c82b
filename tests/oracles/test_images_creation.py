"""Error conditions of image creation: calls on both sides of each limit, and conditions that must or may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer
from clconform.oracles.chapters.images.description import describe_image
from clconform.oracles.chapters.images.pitches import has_misaligned_base
from clconform.oracles.engine import predicate_result
from clconform.oracles.engine.predicate_result import MUST, NO, PredicateResult, evaluate
from clconform.spec_tables.versions import read_version
from clconform.suites.kit.images import HEIGHT, IMAGE_OF_BUFFER, WIDTH
from clconform.suites.kit.memory import SIZE

from .kits import open_kit
from .oracle_setup import SIZE_MAX

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit

    Change = Callable[[Kit], dict[str, Value]]

IMAGE, WITH_PROPERTIES, OLD_2D, OLD_3D = (
    "clCreateImage",
    "clCreateImageWithProperties",
    "clCreateImage2D",
    "clCreateImage3D",
)
CONDITION_IDS = {
    "description": (
        "clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1",
        "clCreateImageWithProperties/CL_INVALID_IMAGE_DESCRIPTOR/1",
    ),
    "size": ("clCreateImage/CL_INVALID_IMAGE_SIZE/1", "clCreateImageWithProperties/CL_INVALID_IMAGE_SIZE/1"),
    "access": ("clCreateImage/CL_INVALID_VALUE/2", "clCreateImageWithProperties/CL_INVALID_VALUE/2"),
    "host access": ("clCreateImage/CL_INVALID_VALUE/3", "clCreateImageWithProperties/CL_INVALID_VALUE/3"),
    "feature": (
        "creating-2d-images-from-buffers:clCreateImage/1",
        "creating-2d-images-from-buffers:clCreateImageWithProperties/1",
    ),
    "devices alone": ("", "clCreateImageWithProperties/CL_INVALID_PROPERTY/3"),
}
"""Maps short names of error conditions to their ids for clCreateImage and clCreateImageWithProperties."""
LIMIT_2D, LIMIT_3D, LIMIT_LAYERS, LIMIT_BUFFER = 16384, 2048, 2048, 65536
"""Limits of the simulated devices: the minimum values for devices with images."""
ROW = 4 * WIDTH
IMAGE_1D, IMAGE_2D, IMAGE_3D = "CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"
IMAGE_1D_ARRAY, IMAGE_2D_ARRAY = "CL_MEM_OBJECT_IMAGE1D_ARRAY", "CL_MEM_OBJECT_IMAGE2D_ARRAY"


@pytest.fixture(scope="module")
def kit() -> Iterator[Kit]:
    with open_kit("everything") as kit:
        for query in (
            *(f"CL_DEVICE_IMAGE{each}" for each in ("_SUPPORT", "2D_MAX_WIDTH", "2D_MAX_HEIGHT")),
            *(f"CL_DEVICE_IMAGE3D_MAX_{each}" for each in ("WIDTH", "HEIGHT", "DEPTH")),
            *(f"CL_DEVICE_IMAGE_{each}" for each in ("MAX_ARRAY_SIZE", "MAX_BUFFER_SIZE", "PITCH_ALIGNMENT")),
            "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT",
        ):
            kit.cl.fact(query)
        yield kit


def change_description(image_type: str = IMAGE_2D, source: str = "", **fields: int) -> Change:
    """Return a change of image_desc.

    ``source``: the memory object that the image is created from, for ``get_source``.
    """
    return lambda kit: {"image_desc": kit.description(image_type, get_source(kit, source), **fields)}


def get_source(kit: Kit, source: str) -> Handle | None:
    """Return a cached memory object: a buffer with flags, a sub-buffer, an image of a type, or a pipe."""
    if not source:
        return None
    makers: dict[str, Callable[[], Handle]] = {
        "part": lambda: kit.sub_buffer(kit.first_buffer, 0, ROW),
        "pipe": kit.pipe,
        IMAGE_2D: lambda: kit.image(IMAGE_2D),
        IMAGE_3D: lambda: kit.image(IMAGE_3D),
    }
    return kit.get_cached(source, makers.get(source, lambda: kit.buffer(*source.split())))


def change_view_format(order: str, channel_type: str) -> Change:
    """Return a change to a 2D image that is created from another image and has this format."""
    names = (order, channel_type)
    return lambda kit: {
        **change_description(IMAGE_2D, IMAGE_2D)(kit),
        "image_format": ElementList(tuple(kit.constant(name) for name in names)),
    }


def change_host_memory(image_type: str = IMAGE_2D, *flags: str, **fields: int) -> Change:
    """Return a change to an image with enough host memory for all pitches in this file."""

    def change(kit: Kit) -> dict[str, Value]:
        names = flags or ("CL_MEM_COPY_HOST_PTR",)
        described = kit.description(image_type, None, **fields)
        return {"image_desc": described, "flags": kit.constant(*names), "host_ptr": Data(bytes(1 << 16))}

    return change


def change_flags(below: str, *own: str) -> Change:
    """Return a change to a 1D image with the flags ``own``, created from a buffer with the flags ``below``."""

    def change(kit: Kit) -> dict[str, Value]:
        host = (
            Data(bytes(ROW)) if any(name in ("CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR") for name in own) else None
        )
        return {**change_description(IMAGE_OF_BUFFER, below)(kit), "flags": kit.constant(*own), "host_ptr": host}

    return change


def remove_description(_kit: Kit) -> dict[str, Value]:
    return {"image_desc": None}


def change_type_number(number: int) -> Change:
    return lambda kit: {"image_desc": ElementList((number, *kit.description(IMAGE_2D).values[1:]))}


READ, WRITE = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY"
READ_WRITE = "CL_MEM_READ_WRITE"
ROWS: dict[str, tuple[Change, str, str]] = {
    "a 2D image": (change_description(), "", ""),
    "no description": (remove_description, "description", ""),
    "an unknown type": (change_type_number(0x10EF), "description", ""),
    "the type of a buffer": (change_type_number(0x10F0), "description", ""),
    "the type of a pipe": (change_type_number(0x10F7), "description", ""),
    "samples": (change_description(num_samples=1), "description", ""),
    "two levels": (change_description(num_mip_levels=2), "description", ""),
    "one level": (change_description(num_mip_levels=1), "", "description"),
    "no width": (change_description(image_width=0), "description", "size"),
    "no height": (change_description(image_height=0), "description", "size"),
    "no depth": (change_description(IMAGE_3D, image_depth=0), "description", "size"),
    "no layers": (change_description(IMAGE_2D_ARRAY, image_array_size=0), "description", "size"),
    "no layers of rows": (change_description(IMAGE_1D_ARRAY, image_array_size=0), "description", "size"),
    "no height where there is none": (change_description(IMAGE_1D_ARRAY, image_height=0), "", ""),
    "garbage where nothing is used": (
        change_description(IMAGE_1D, image_height=SIZE_MAX, image_depth=SIZE_MAX, image_array_size=SIZE_MAX),
        "",
        "",
    ),
    "garbage in a 2D image": (change_description(IMAGE_2D, image_depth=SIZE_MAX, image_array_size=SIZE_MAX), "", ""),
    "garbage in a 3D image": (change_description(IMAGE_3D, image_array_size=SIZE_MAX), "", ""),
    "garbage in layers": (change_description(IMAGE_2D_ARRAY, image_depth=SIZE_MAX), "", ""),
    "the largest width": (change_description(image_width=LIMIT_2D), "", ""),
    "one pixel more": (change_description(image_width=LIMIT_2D + 1), "size", "description"),
    "the largest number": (change_description(image_width=SIZE_MAX), "size", "description"),
    "the largest height": (change_description(image_height=LIMIT_2D), "", ""),
    "one row more": (change_description(image_height=LIMIT_2D + 1), "size", "description"),
    "the largest width of 1D": (change_description(IMAGE_1D, image_width=LIMIT_2D), "", ""),
    "one pixel more of 1D": (change_description(IMAGE_1D, image_width=LIMIT_2D + 1), "size", "description"),
    "the largest depth": (change_description(IMAGE_3D, image_depth=LIMIT_3D), "", ""),
    "one slice more": (change_description(IMAGE_3D, image_depth=LIMIT_3D + 1), "size", "description"),
    "3D as wide as 2D": (change_description(IMAGE_3D, image_width=LIMIT_3D + 1), "size", "description"),
    "3D as high as 2D": (change_description(IMAGE_3D, image_height=LIMIT_3D + 1), "size", "description"),
    "the most layers": (change_description(IMAGE_1D_ARRAY, image_array_size=LIMIT_LAYERS), "", ""),
    "one layer more": (change_description(IMAGE_1D_ARRAY, image_array_size=LIMIT_LAYERS + 1), "size", "description"),
    "one 2D layer more": (change_description(IMAGE_2D_ARRAY, image_array_size=LIMIT_LAYERS + 1), "size", "description"),
    "a pitch without memory": (change_description(image_row_pitch=ROW), "description", ""),
    "a pitch of slices without memory": (
        change_description(IMAGE_3D, image_slice_pitch=ROW * HEIGHT),
        "description",
        "",
    ),
    "a pitch of slices where there are none": (change_description(image_slice_pitch=ROW * HEIGHT), "", "description"),
    "packed rows": (change_host_memory(image_row_pitch=ROW), "", ""),
    "a pitch one pixel too small": (change_host_memory(image_row_pitch=ROW - 4), "description", ""),
    "a pitch of broken pixels": (change_host_memory(image_row_pitch=ROW + 1), "description", ""),
    "a gap after rows": (change_host_memory(image_row_pitch=ROW + 4), "", ""),
    "packed slices": (change_host_memory(IMAGE_3D, image_slice_pitch=ROW * HEIGHT), "", ""),
    "slices too small": (change_host_memory(IMAGE_3D, image_slice_pitch=ROW * (HEIGHT - 1)), "description", ""),
    "slices of broken rows": (
        change_host_memory(IMAGE_2D_ARRAY, image_slice_pitch=ROW * HEIGHT + 4),
        "description",
        "",
    ),
    "a gap after slices": (change_host_memory(IMAGE_2D_ARRAY, image_slice_pitch=ROW * (HEIGHT + 1)), "", ""),
    "layers of one row": (change_host_memory(IMAGE_1D_ARRAY, image_slice_pitch=ROW), "", ""),
    "layers of less than a row": (change_host_memory(IMAGE_1D_ARRAY, image_slice_pitch=ROW - 4), "description", ""),
    "slices of wider rows": (
        change_host_memory(IMAGE_3D, image_row_pitch=2 * ROW, image_slice_pitch=ROW * HEIGHT),
        "description",
        "",
    ),
    "slices of no rows, with memory": (change_host_memory(IMAGE_2D, image_slice_pitch=ROW), "", "description"),
    "on a buffer": (change_description(IMAGE_OF_BUFFER, READ_WRITE), "", ""),
    "on nothing": (change_description(IMAGE_OF_BUFFER), "", "description"),
    "all of a buffer": (change_description(IMAGE_OF_BUFFER, READ_WRITE, image_width=SIZE // 4), "", ""),
    "more than a buffer": (
        change_description(IMAGE_OF_BUFFER, READ_WRITE, image_width=SIZE // 4 + 1),
        "description",
        "size",
    ),
    "all of a part": (change_description(IMAGE_OF_BUFFER, "part"), "", ""),
    "more than a part": (change_description(IMAGE_OF_BUFFER, "part", image_width=WIDTH + 1), "description", "size"),
    "more than any buffer": (
        change_description(IMAGE_OF_BUFFER, READ_WRITE, image_width=LIMIT_BUFFER + 1),
        "description size",
        "",
    ),
    "a pitch on a buffer": (change_description(IMAGE_OF_BUFFER, READ_WRITE, image_row_pitch=ROW), "description", ""),
    "1D on a buffer": (change_description(IMAGE_1D, READ_WRITE), "description", ""),
    "3D on a buffer": (change_description(IMAGE_3D, READ_WRITE), "description", ""),
    "layers on a buffer": (change_description(IMAGE_1D_ARRAY, READ_WRITE), "description", ""),
    "2D on a buffer": (change_description(IMAGE_2D, READ_WRITE, image_row_pitch=ROW), "", ""),
    "2D on a buffer without a pitch": (change_description(IMAGE_2D, READ_WRITE), "", "description"),
    "2D on a buffer, misaligned in bytes and pixels": (
        change_description(IMAGE_2D, READ_WRITE, image_width=1, image_row_pitch=ROW + 2),
        "description",
        "",
    ),
    "2D on a buffer, aligned in bytes only": (
        change_description(IMAGE_2D, READ_WRITE, image_width=1, image_row_pitch=ROW + 4),
        "",
        "description",
    ),
    "all rows of a buffer": (
        change_description(IMAGE_2D, READ_WRITE, image_row_pitch=ROW, image_height=SIZE // ROW),
        "",
        "",
    ),
    "one row more than a buffer": (
        change_description(IMAGE_2D, READ_WRITE, image_row_pitch=ROW, image_height=SIZE // ROW + 1),
        "description",
        "size",
    ),
    "on a pipe": (change_description(IMAGE_OF_BUFFER, "pipe"), "description", ""),
    "a buffer's image on an image": (change_description(IMAGE_OF_BUFFER, IMAGE_2D), "description", ""),
    "3D on 3D": (change_description(IMAGE_3D, IMAGE_3D), "description", ""),
    "2D on 2D": (change_description(IMAGE_2D, IMAGE_2D), "", ""),
    "2D on 3D": (change_description(IMAGE_2D, IMAGE_3D), "description", ""),
    "a wider view": (change_description(IMAGE_2D, IMAGE_2D, image_width=WIDTH + 1), "description", ""),
    "a lower view": (change_description(IMAGE_2D, IMAGE_2D, image_height=HEIGHT - 1), "description", ""),
    "a view of another type": (change_view_format("CL_RGBA", "CL_FLOAT"), "", "description"),
    "a view of an order that does not fit": (change_view_format("CL_RG", "CL_UNSIGNED_INT8"), "", "description"),
    "a view with a pitch": (change_description(IMAGE_2D, IMAGE_2D, image_row_pitch=ROW), "", "description"),
    "to read, of one to write": (change_flags(WRITE, READ), "access", ""),
    "to read and write, of one to write": (change_flags(WRITE, READ_WRITE), "access", ""),
    "to write, of one to read": (change_flags(READ, WRITE), "access", ""),
    "to read, of one to read": (change_flags(READ, READ), "", ""),
    "no flags": (change_flags(READ), "", ""),
    "to write, of any": (change_flags(READ_WRITE, WRITE), "", ""),
    "USE on a buffer": (change_flags(READ_WRITE, "CL_MEM_USE_HOST_PTR"), "access", ""),
    "COPY on a buffer": (change_flags(READ_WRITE, "CL_MEM_COPY_HOST_PTR"), "access", ""),
    "ALLOC on a buffer": (change_flags(READ_WRITE, "CL_MEM_ALLOC_HOST_PTR"), "access", ""),
    "for the host to read": (change_flags("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY"), "host access", ""),
    "for the host to write": (change_flags("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_WRITE_ONLY"), "host access", ""),
    "for the host that has no access": (
        change_flags("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_READ_ONLY"),
        "host access",
        "",
    ),
    "for no host": (change_flags("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"), "", ""),
}


def find_conditions(kit: Kit, function: str, changed: dict[str, Value]) -> tuple[set[str], set[str]]:
    """Return the short names of the conditions that must hold, and of the conditions that may hold."""
    expectation = kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, **changed)))
    assert not expectation.undefined
    names = {ids[function == WITH_PROPERTIES]: name for name, ids in CONDITION_IDS.items()}
    musts, mays = (
        {names.get(held.clause.id, "") for held in some}
        for some in (expectation.required_errors, expectation.optional_errors)
    )
    return musts - {""}, mays - {""}


def split_names(several: str) -> set[str]:
    return {name for name in CONDITION_IDS if name in several} - ({"access"} if several == "host access" else set())


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("function", [IMAGE, WITH_PROPERTIES])
def test_invalid_image_descriptions_are_rejected(kit: Kit, function: str, row: str) -> None:
    change, must, may = ROWS[row]
    assert find_conditions(kit, function, change(kit)) == (split_names(must), split_names(may))


CASES_2D_AND_3D: dict[str, tuple[dict[str, Value], bool]] = {
    "as it is": ({}, False),
    "no width": ({"image_width": 0}, True),
    "no height": ({"image_height": 0}, True),
    "too wide": ({"image_width": LIMIT_2D + 1}, True),
    "too high": ({"image_height": LIMIT_2D + 1}, True),
    "a pitch without memory": ({"image_row_pitch": ROW}, True),
    "a pitch": ({"image_row_pitch": ROW, "host_ptr": Data(bytes(1 << 16))}, False),
    "a pitch too small": ({"image_row_pitch": ROW - 4, "host_ptr": Data(bytes(1 << 16))}, True),
    "a pitch of broken pixels": ({"image_row_pitch": ROW + 2, "host_ptr": Data(bytes(1 << 16))}, True),
}
CASES_3D: dict[str, tuple[dict[str, Value], bool]] = {
    "no depth": ({"image_depth": 0}, True),
    "a depth of 1": ({"image_depth": 1}, True),
    "a depth of 2": ({"image_depth": 2}, False),
    "too deep": ({"image_depth": LIMIT_3D + 1}, True),
    "slices without memory": ({"image_slice_pitch": ROW * HEIGHT}, True),
    "slices": ({"image_slice_pitch": ROW * HEIGHT, "host_ptr": Data(bytes(1 << 16))}, False),
    "slices of broken rows": ({"image_slice_pitch": ROW * HEIGHT + 4, "host_ptr": Data(bytes(1 << 16))}, True),
    "slices too small": ({"image_slice_pitch": ROW, "host_ptr": Data(bytes(1 << 16))}, True),
}


@pytest.mark.parametrize(
    ("record", "row"),
    [
        *(("clCreateImage2D/CL_INVALID_IMAGE_SIZE/1", row) for row in CASES_2D_AND_3D),
        *(("clCreateImage3D/CL_INVALID_IMAGE_SIZE/1", row) for row in (*CASES_2D_AND_3D, *CASES_3D)),
    ],
)
def test_create_image_2d_and_3d_reject_invalid_sizes(kit: Kit, record: str, row: str) -> None:
    changed, must = {**CASES_2D_AND_3D, **CASES_3D}[row]
    if "host_ptr" in changed:
        changed = {**changed, "flags": kit.constant("CL_MEM_COPY_HOST_PTR")}
    function = record.partition("/")[0]
    expectation = kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, **changed)))
    assert (record in {held.clause.id for held in expectation.required_errors}) == must
    assert record not in {held.clause.id for held in expectation.optional_errors}


USAGE_RULES = {
    "clCreateImage/usage/1": IMAGE_1D,
    "clCreateImage/usage/2": IMAGE_1D,
    "clCreateImage/usage/3": IMAGE_2D,
    "clCreateImage/usage/4": IMAGE_3D,
    "clCreateImage/usage/5": IMAGE_1D_ARRAY,
    "clCreateImage/usage/6": IMAGE_2D_ARRAY,
    "clCreateImageWithProperties/usage/2": IMAGE_1D,
    "clCreateImageWithProperties/usage/3": IMAGE_1D,
    "clCreateImageWithProperties/usage/4": IMAGE_2D,
    "clCreateImageWithProperties/usage/5": IMAGE_3D,
    "clCreateImageWithProperties/usage/6": IMAGE_1D_ARRAY,
    "clCreateImageWithProperties/usage/7": IMAGE_2D_ARRAY,
}
IMAGE_BYTES = {
    IMAGE_1D: ROW,
    IMAGE_2D: ROW * HEIGHT,
    IMAGE_3D: ROW * HEIGHT * 4,
    IMAGE_1D_ARRAY: ROW * 3,
    IMAGE_2D_ARRAY: ROW * HEIGHT * 3,
}


@pytest.mark.parametrize("record", USAGE_RULES)
def test_image_creation_with_too_little_host_memory_is_undefined(kit: Kit, record: str) -> None:
    kind = USAGE_RULES[record]
    predicate = kit.cl.oracle.rulebook.predicates.declared[record]
    for size, short in ((IMAGE_BYTES[kind], False), (IMAGE_BYTES[kind] - 1, True)):
        for flags, reads in (("CL_MEM_USE_HOST_PTR", True), (READ_WRITE, False)):
            described = {
                "image_desc": kit.description(kind),
                "host_ptr": Data(bytes(size)),
                "flags": kit.constant(flags),
            }
            call = Call(record.partition("/")[0], kit.valid_arguments(record.partition("/")[0], **described))
            assert evaluate(predicate, call, kit.cl.model) is (MUST if short and reads else NO)
    gaps = {"image_desc": kit.description(IMAGE_2D, image_row_pitch=2 * ROW), "host_ptr": Data(bytes(ROW * HEIGHT))}
    call = Call(IMAGE, kit.valid_arguments(IMAGE, **gaps, flags=kit.constant("CL_MEM_USE_HOST_PTR")))
    assert evaluate(predicate, call, kit.cl.model) is MUST


@pytest.mark.parametrize("function", [IMAGE, OLD_2D])
def test_image_creation_with_incomplete_structure_is_undefined(kit: Kit, function: str) -> None:
    """clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1 and similar conditions hold only for readable structures."""
    short = [{"image_format": ElementList((kit.constant("CL_RGBA"),))}]
    short += [{"image_desc": ElementList(kit.description(IMAGE_2D).values[:9])}] if function == IMAGE else []
    for changed in short:
        assert kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, **changed))).undefined


def test_image_with_mip_levels_is_rejected_without_the_extension(kit: Kit) -> None:
    device = kit.cl.model.device(kit.cl.device)
    before = device.extensions
    device.extensions = before | {"cl_khr_mipmap_image"}
    try:
        for levels, kind, expected in (
            (1, IMAGE_2D, ""),
            (5, IMAGE_2D, ""),
            (6, IMAGE_2D, "may"),
            (2, IMAGE_2D_ARRAY, ""),
            (2, IMAGE_OF_BUFFER, "may"),
        ):
            source = READ_WRITE if kind == IMAGE_OF_BUFFER else ""
            musts, mays = find_conditions(kit, IMAGE, change_description(kind, source, num_mip_levels=levels)(kit))
            assert (musts, mays) == (set(), {"description"} if expected else set()), (levels, kind)
    finally:
        device.extensions = before


@pytest.mark.parametrize(
    ("version", "pitch", "must", "may"),
    [
        ("3.0", 4, "", ""),
        ("3.0", 0, "feature", "description"),
        ("2.0", 0, "", "feature description"),
        ("2.0", 4, "", ""),
        ("1.2", 4, "", "feature description"),
    ],
)
@pytest.mark.parametrize("function", [IMAGE, WITH_PROPERTIES])
def test_2d_image_created_from_buffer_is_rejected_without_device_support(
    function: str, version: str, pitch: int, must: str, may: str
) -> None:
    with open_kit("images-of-some") as kit:
        change = change_description(IMAGE_2D, READ_WRITE, image_row_pitch=ROW)(kit)
        device = kit.cl.model.device(kit.cl.device)
        assert kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT")
        for query in ("2D_MAX_WIDTH", "2D_MAX_HEIGHT"):
            kit.cl.fact(f"CL_DEVICE_IMAGE{query}")
        device.version = read_version(version)
        device.facts["CL_DEVICE_IMAGE_PITCH_ALIGNMENT"] = pitch
        assert find_conditions(kit, function, change) == (split_names(must), split_names(may))
        assert find_conditions(kit, function, change_description(IMAGE_OF_BUFFER, READ_WRITE)(kit))[0] == set()


@pytest.mark.parametrize("version", ["3.0", "3.1"])
@pytest.mark.parametrize("function", [IMAGE, WITH_PROPERTIES])
def test_invalid_description_may_be_accepted_from_3_1(function: str, version: str) -> None:
    with open_kit("everything") as kit:
        for device in kit.cl.model.root_devices():
            device.version = read_version(version)
        for change in (
            change_description(IMAGE_2D, image_width=0),
            change_description(IMAGE_2D, num_samples=1),
            change_description(IMAGE_2D, image_row_pitch=1),
        ):
            musts, mays = find_conditions(kit, function, change(kit))
            assert "description" in (mays if version == "3.1" else musts)
            assert "description" not in (musts if version == "3.1" else mays)
        on_a_buffer = Call(function, kit.valid_arguments(function, **change_description(IMAGE_1D, READ_WRITE)(kit)))
        assert bool(kit.cl.oracle.expect(on_a_buffer).undefined) == (version == "3.1")
        assert find_conditions(kit, function, {"image_desc": None})[version == "3.1"] == {"description"}
        assert find_conditions(kit, function, {**change_description(IMAGE_2D, image_width=0)(kit), "context": None})[
            0
        ] == {"description"}


@pytest.mark.parametrize(("version", "must"), [("1.2", False), ("2.0", True)])
def test_image_with_more_access_than_its_source_is_rejected_from_2_0(version: str, *, must: bool) -> None:
    with open_kit("everything") as kit:
        changed = {**change_description(IMAGE_2D, IMAGE_2D)(kit), "flags": kit.constant(READ)}
        source = kit.cl.model.find(get_source(kit, IMAGE_2D))
        source.flags = kit.constant(WRITE)  # type: ignore[union-attr]
        for device in kit.cl.model.root_devices():
            device.version = read_version(version)
        assert ("access" in find_conditions(kit, IMAGE, changed)[0]) == must
        assert "access" in find_conditions(kit, IMAGE, change_flags(WRITE, READ)(kit))[0]


def test_image_size_is_rejected_only_above_the_limits_of_all_devices() -> None:
    with open_kit("images-of-some") as there:
        there.context = there.new_context(*there.cl.devices)
        first, second = there.cl.model.root_devices()
        for device in (first, second):
            for name in ("WIDTH", "HEIGHT"):
                device.facts[f"CL_DEVICE_IMAGE2D_MAX_{name}"] = 1024
        first.facts["CL_DEVICE_IMAGE2D_MAX_WIDTH"] = 2048
        for width, must, may in (
            (1024, set(), set()),
            (1025, set(), {"description"}),
            (2049, {"size"}, {"description"}),
        ):
            assert find_conditions(there, IMAGE, change_description(image_width=width)(there)) == (must, may)
            call = Call(OLD_2D, there.valid_arguments(OLD_2D, image_width=width))
            held = {each.clause.id for each in there.cl.oracle.expect(call).required_errors}
            assert ("clCreateImage2D/CL_INVALID_IMAGE_SIZE/1" in held) == bool(must)


@pytest.mark.parametrize(
    ("offset", "expected"), [(0, NO), (64, predicate_result.may("alignment-in-pixels")), (4, MUST)]
)
def test_2d_image_created_from_misaligned_host_memory_is_rejected(
    kit: Kit, offset: int, expected: PredicateResult
) -> None:
    """The device reports an alignment of 64 pixels, each of 4 bytes."""
    area = kit.get_cached("area", lambda: kit.host_area(bytes(2 * SIZE)))
    buffer = kit.buffer_on_host_memory(OffsetPointer(area, offset) if offset else area)
    described = kit.description(IMAGE_2D, buffer, image_row_pitch=ROW)
    call = Call(IMAGE, kit.valid_arguments(IMAGE, image_desc=described))
    assert evaluate(has_misaligned_base, call, kit.cl.model) == expected


@pytest.mark.parametrize(
    ("elements", "must", "may"),
    [
        ((0,), False, False),
        (("CL_MEM_DEVICE_HANDLE_LIST_KHR", "device", 0, 0), False, True),
        (("CL_MEM_DEVICE_HANDLE_LIST_KHR", *("device",) * 4, 0, 0), False, True),
        (("CL_MEM_DEVICE_HANDLE_LIST_KHR", *("device",) * 4, 0, 0x7777, 1, 0), True, False),
        ((0x7777, 1, 0), True, False),
    ],
)
def test_devices_in_image_property_list_are_not_read_as_properties(
    kit: Kit, elements: tuple[str | int, ...], *, must: bool, may: bool
) -> None:
    """Names and values do not alternate in a device list, which has its own terminator."""
    given = [
        kit.cl.device if each == "device" else kit.constant(each) if isinstance(each, str) else each
        for each in elements
    ]
    expectation = kit.cl.oracle.expect(
        Call(WITH_PROPERTIES, kit.valid_arguments(WITH_PROPERTIES, properties=ElementList(tuple(given))))
    )
    musts, mays = (
        {held.clause.id for held in some} for some in (expectation.required_errors, expectation.optional_errors)
    )
    requirement = "clCreateImageWithProperties/CL_INVALID_PROPERTY/1"
    assert (requirement in musts, requirement in mays) == (must, may)


@pytest.mark.parametrize(
    "record",
    ["clCreateImage/CL_INVALID_DEVICE/2", "clCreateImage/CL_INVALID_DEVICE/3", "clCreateImage/CL_INVALID_DEVICE/4"],
)
def test_create_image_without_properties_has_no_device_list_errors(kit: Kit, record: str) -> None:
    predicate = kit.cl.oracle.rulebook.predicates.declared[record]
    assert evaluate(predicate, Call(IMAGE, kit.valid_arguments(IMAGE)), kit.cl.model) is NO


def test_size_of_image_host_memory_depends_on_the_image_type(kit: Kit) -> None:
    for kind, size in IMAGE_BYTES.items():
        call = Call(IMAGE, kit.valid_arguments(IMAGE, **change_description(kind)(kit)))
        assert describe_image(call, kit.cl.model).host_bytes == size


@pytest.mark.parametrize(
    ("below", "own", "wanted"),
    [
        ((), (), ("", "CL_MEM_READ_WRITE")),
        (("CL_MEM_READ_ONLY",), (), ("", "CL_MEM_READ_ONLY")),
        (
            ("CL_MEM_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"),
            (),
            ("", "CL_MEM_READ_ONLY", "CL_MEM_READ_ONLY CL_MEM_HOST_NO_ACCESS"),
        ),
        (("CL_MEM_READ_WRITE",), ("CL_MEM_WRITE_ONLY",), ("CL_MEM_WRITE_ONLY",)),
    ],
)
def test_image_may_report_its_own_or_inherited_flags(
    kit: Kit, below: tuple[str, ...], own: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    source = kit.buffer(*below) if below else None
    kind = IMAGE_OF_BUFFER if below else IMAGE_2D
    created = kit.call(IMAGE, image_desc=kit.description(kind, source), flags=kit.constant(*own))
    thing = kit.cl.model.find(Handle(str(created.value)))  # type: ignore[union-attr]
    assert set(thing.reportable_flags) == {kit.constant(*names.split()) for names in wanted}  # type: ignore[union-attr]
