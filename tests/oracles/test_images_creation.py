"""Error conditions of image creation: calls on both sides of each limit, and conditions that must or may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer
from clconform.oracles.chapters.images.description import describe_image
from clconform.oracles.chapters.images.pitches import has_misaligned_base
from clconform.oracles.engine.predicate_result import Decision, May, evaluate
from clconform.oracles.model.versions import read_version
from clconform.suites.kit.images import HEIGHT, IMAGE_OF_BUFFER, WIDTH
from clconform.suites.kit.memory import SIZE, SIZE_MAX

from .kits import kit_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit

    Change = Callable[[Kit], dict[str, Value]]

IMAGE, LISTED, OLD_2D, OLD_3D = "clCreateImage", "clCreateImageWithProperties", "clCreateImage2D", "clCreateImage3D"
IDS = {
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
"""Short name of an error condition to its ids for clCreateImage and clCreateImageWithProperties."""
LIMIT_2D, LIMIT_3D, LAYERS, BUFFER = 16384, 2048, 2048, 65536
"""Limits of the simulated devices: the minimum values for devices with images."""
ROW = 4 * WIDTH
D1, D2, D3 = "CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D"
A1, A2 = "CL_MEM_OBJECT_IMAGE1D_ARRAY", "CL_MEM_OBJECT_IMAGE2D_ARRAY"


@pytest.fixture(scope="module")
def kit() -> Iterator[Kit]:
    with kit_on("everything") as kit:
        for query in (
            *(f"CL_DEVICE_IMAGE{each}" for each in ("_SUPPORT", "2D_MAX_WIDTH", "2D_MAX_HEIGHT")),
            *(f"CL_DEVICE_IMAGE3D_MAX_{each}" for each in ("WIDTH", "HEIGHT", "DEPTH")),
            *(f"CL_DEVICE_IMAGE_{each}" for each in ("MAX_ARRAY_SIZE", "MAX_BUFFER_SIZE", "PITCH_ALIGNMENT")),
            "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT",
        ):
            kit.cl.fact(query)
        yield kit


def image(image_type: str = D2, source: str = "", **fields: int) -> Change:
    """Return a change of image_desc; ``source``: the name of the memory object below the image."""
    return lambda kit: {"image_desc": kit.description(image_type, made(kit, source), **fields)}


def made(kit: Kit, source: str) -> Handle | None:
    """Return a cached memory object: a buffer with flags, a sub-buffer, an image of a type, or a pipe."""
    if not source:
        return None
    makers: dict[str, Callable[[], Handle]] = {
        "part": lambda: kit.sub_buffer(kit.first_buffer, 0, ROW),
        "pipe": kit.pipe,
        D2: lambda: kit.image(D2),
        D3: lambda: kit.image(D3),
    }
    return kit.get_cached(source, makers.get(source, lambda: kit.buffer(*source.split())))


def viewed(order: str, channel_type: str) -> Change:
    """Return a change to a 2D image on another image, with its own format."""
    names = (order, channel_type)
    return lambda kit: {**image(D2, D2)(kit), "image_format": ElementList(tuple(kit.constant(name) for name in names))}


def hosted(image_type: str = D2, *flags: str, **fields: int) -> Change:
    """Return a change to an image with enough host memory for all pitches in this file."""

    def change(kit: Kit) -> dict[str, Value]:
        names = flags or ("CL_MEM_COPY_HOST_PTR",)
        described = kit.description(image_type, None, **fields)
        return {"image_desc": described, "flags": kit.constant(*names), "host_ptr": Data(bytes(1 << 16))}

    return change


def flagged(below: str, *own: str) -> Change:
    """Return a change to a 1D image with the flags ``own`` on a buffer with the flags ``below``."""

    def change(kit: Kit) -> dict[str, Value]:
        host = (
            Data(bytes(ROW)) if any(name in ("CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR") for name in own) else None
        )
        return {**image(IMAGE_OF_BUFFER, below)(kit), "flags": kit.constant(*own), "host_ptr": host}

    return change


def no_description(_kit: Kit) -> dict[str, Value]:
    return {"image_desc": None}


def of_number(number: int) -> Change:
    return lambda kit: {"image_desc": ElementList((number, *kit.description(D2).values[1:]))}


READ, WRITE = "CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY"
PLAIN = "CL_MEM_READ_WRITE"
ROWS: dict[str, tuple[Change, str, str]] = {
    "a 2D image": (image(), "", ""),
    "no description": (no_description, "description", ""),
    "an unknown type": (of_number(0x10EF), "description", ""),
    "the type of a buffer": (of_number(0x10F0), "description", ""),
    "the type of a pipe": (of_number(0x10F7), "description", ""),
    "samples": (image(num_samples=1), "description", ""),
    "two levels": (image(num_mip_levels=2), "description", ""),
    "one level": (image(num_mip_levels=1), "", "description"),
    "no width": (image(image_width=0), "description", "size"),
    "no height": (image(image_height=0), "description", "size"),
    "no depth": (image(D3, image_depth=0), "description", "size"),
    "no layers": (image(A2, image_array_size=0), "description", "size"),
    "no layers of rows": (image(A1, image_array_size=0), "description", "size"),
    "no height where there is none": (image(A1, image_height=0), "", ""),
    "garbage where nothing is used": (
        image(D1, image_height=SIZE_MAX, image_depth=SIZE_MAX, image_array_size=SIZE_MAX),
        "",
        "",
    ),
    "garbage in a 2D image": (image(D2, image_depth=SIZE_MAX, image_array_size=SIZE_MAX), "", ""),
    "garbage in a 3D image": (image(D3, image_array_size=SIZE_MAX), "", ""),
    "garbage in layers": (image(A2, image_depth=SIZE_MAX), "", ""),
    "the largest width": (image(image_width=LIMIT_2D), "", ""),
    "one pixel more": (image(image_width=LIMIT_2D + 1), "size", "description"),
    "the largest number": (image(image_width=SIZE_MAX), "size", "description"),
    "the largest height": (image(image_height=LIMIT_2D), "", ""),
    "one row more": (image(image_height=LIMIT_2D + 1), "size", "description"),
    "the largest width of 1D": (image(D1, image_width=LIMIT_2D), "", ""),
    "one pixel more of 1D": (image(D1, image_width=LIMIT_2D + 1), "size", "description"),
    "the largest depth": (image(D3, image_depth=LIMIT_3D), "", ""),
    "one slice more": (image(D3, image_depth=LIMIT_3D + 1), "size", "description"),
    "3D as wide as 2D": (image(D3, image_width=LIMIT_3D + 1), "size", "description"),
    "3D as high as 2D": (image(D3, image_height=LIMIT_3D + 1), "size", "description"),
    "the most layers": (image(A1, image_array_size=LAYERS), "", ""),
    "one layer more": (image(A1, image_array_size=LAYERS + 1), "size", "description"),
    "one 2D layer more": (image(A2, image_array_size=LAYERS + 1), "size", "description"),
    "a pitch without memory": (image(image_row_pitch=ROW), "description", ""),
    "a pitch of slices without memory": (image(D3, image_slice_pitch=ROW * HEIGHT), "description", ""),
    "a pitch of slices where there are none": (image(image_slice_pitch=ROW * HEIGHT), "", "description"),
    "packed rows": (hosted(image_row_pitch=ROW), "", ""),
    "a pitch one pixel too small": (hosted(image_row_pitch=ROW - 4), "description", ""),
    "a pitch of broken pixels": (hosted(image_row_pitch=ROW + 1), "description", ""),
    "a gap after rows": (hosted(image_row_pitch=ROW + 4), "", ""),
    "packed slices": (hosted(D3, image_slice_pitch=ROW * HEIGHT), "", ""),
    "slices too small": (hosted(D3, image_slice_pitch=ROW * (HEIGHT - 1)), "description", ""),
    "slices of broken rows": (hosted(A2, image_slice_pitch=ROW * HEIGHT + 4), "description", ""),
    "a gap after slices": (hosted(A2, image_slice_pitch=ROW * (HEIGHT + 1)), "", ""),
    "layers of one row": (hosted(A1, image_slice_pitch=ROW), "", ""),
    "layers of less than a row": (hosted(A1, image_slice_pitch=ROW - 4), "description", ""),
    "slices of wider rows": (hosted(D3, image_row_pitch=2 * ROW, image_slice_pitch=ROW * HEIGHT), "description", ""),
    "slices of no rows, with memory": (hosted(D2, image_slice_pitch=ROW), "", "description"),
    "on a buffer": (image(IMAGE_OF_BUFFER, PLAIN), "", ""),
    "on nothing": (image(IMAGE_OF_BUFFER), "", "description"),
    "all of a buffer": (image(IMAGE_OF_BUFFER, PLAIN, image_width=SIZE // 4), "", ""),
    "more than a buffer": (image(IMAGE_OF_BUFFER, PLAIN, image_width=SIZE // 4 + 1), "description", "size"),
    "all of a part": (image(IMAGE_OF_BUFFER, "part"), "", ""),
    "more than a part": (image(IMAGE_OF_BUFFER, "part", image_width=WIDTH + 1), "description", "size"),
    "more than any buffer": (image(IMAGE_OF_BUFFER, PLAIN, image_width=BUFFER + 1), "description size", ""),
    "a pitch on a buffer": (image(IMAGE_OF_BUFFER, PLAIN, image_row_pitch=ROW), "description", ""),
    "1D on a buffer": (image(D1, PLAIN), "description", ""),
    "3D on a buffer": (image(D3, PLAIN), "description", ""),
    "layers on a buffer": (image(A1, PLAIN), "description", ""),
    "2D on a buffer": (image(D2, PLAIN, image_row_pitch=ROW), "", ""),
    "2D on a buffer without a pitch": (image(D2, PLAIN), "", "description"),
    "2D on a buffer, misaligned in bytes and pixels": (
        image(D2, PLAIN, image_width=1, image_row_pitch=ROW + 2),
        "description",
        "",
    ),
    "2D on a buffer, aligned in bytes only": (
        image(D2, PLAIN, image_width=1, image_row_pitch=ROW + 4),
        "",
        "description",
    ),
    "all rows of a buffer": (image(D2, PLAIN, image_row_pitch=ROW, image_height=SIZE // ROW), "", ""),
    "one row more than a buffer": (
        image(D2, PLAIN, image_row_pitch=ROW, image_height=SIZE // ROW + 1),
        "description",
        "size",
    ),
    "on a pipe": (image(IMAGE_OF_BUFFER, "pipe"), "description", ""),
    "a buffer's image on an image": (image(IMAGE_OF_BUFFER, D2), "description", ""),
    "3D on 3D": (image(D3, D3), "description", ""),
    "2D on 2D": (image(D2, D2), "", ""),
    "2D on 3D": (image(D2, D3), "description", ""),
    "a wider view": (image(D2, D2, image_width=WIDTH + 1), "description", ""),
    "a lower view": (image(D2, D2, image_height=HEIGHT - 1), "description", ""),
    "a view of another type": (viewed("CL_RGBA", "CL_FLOAT"), "", "description"),
    "a view of an order that does not fit": (viewed("CL_RG", "CL_UNSIGNED_INT8"), "", "description"),
    "a view with a pitch": (image(D2, D2, image_row_pitch=ROW), "", "description"),
    "to read, of one to write": (flagged(WRITE, READ), "access", ""),
    "to read and write, of one to write": (flagged(WRITE, PLAIN), "access", ""),
    "to write, of one to read": (flagged(READ, WRITE), "access", ""),
    "to read, of one to read": (flagged(READ, READ), "", ""),
    "no flags": (flagged(READ), "", ""),
    "to write, of any": (flagged(PLAIN, WRITE), "", ""),
    "USE on a buffer": (flagged(PLAIN, "CL_MEM_USE_HOST_PTR"), "access", ""),
    "COPY on a buffer": (flagged(PLAIN, "CL_MEM_COPY_HOST_PTR"), "access", ""),
    "ALLOC on a buffer": (flagged(PLAIN, "CL_MEM_ALLOC_HOST_PTR"), "access", ""),
    "for the host to read": (flagged("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY"), "host access", ""),
    "for the host to write": (flagged("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_WRITE_ONLY"), "host access", ""),
    "for the host that has no access": (flagged("CL_MEM_HOST_NO_ACCESS", "CL_MEM_HOST_READ_ONLY"), "host access", ""),
    "for no host": (flagged("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"), "", ""),
}


def told(kit: Kit, function: str, changed: dict[str, Value]) -> tuple[set[str], set[str]]:
    """Return the names from ``IDS`` of the conditions that must hold, and of those that may hold."""
    expectation = kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, **changed)))
    assert not expectation.undefined
    names = {ids[function == LISTED]: name for name, ids in IDS.items()}
    musts, mays = ({names.get(held.clause.id, "") for held in some} for some in (expectation.musts, expectation.mays))
    return musts - {""}, mays - {""}


def words(several: str) -> set[str]:
    return {name for name in IDS if name in several} - ({"access"} if several == "host access" else set())


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("function", [IMAGE, LISTED])
def test_what_is_wrong_with_a_description_is_told(kit: Kit, function: str, row: str) -> None:
    change, must, may = ROWS[row]
    assert told(kit, function, change(kit)) == (words(must), words(may))


AS_BEFORE: dict[str, tuple[dict[str, Value], bool]] = {
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
IN_3D: dict[str, tuple[dict[str, Value], bool]] = {
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
        *(("clCreateImage2D/CL_INVALID_IMAGE_SIZE/1", row) for row in AS_BEFORE),
        *(("clCreateImage3D/CL_INVALID_IMAGE_SIZE/1", row) for row in (*AS_BEFORE, *IN_3D)),
    ],
)
def test_what_is_wrong_with_a_size_is_told_by_the_older_functions(kit: Kit, record: str, row: str) -> None:
    changed, must = {**AS_BEFORE, **IN_3D}[row]
    if "host_ptr" in changed:
        changed = {**changed, "flags": kit.constant("CL_MEM_COPY_HOST_PTR")}
    function = record.partition("/")[0]
    expectation = kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, **changed)))
    assert (record in {held.clause.id for held in expectation.musts}) == must
    assert record not in {held.clause.id for held in expectation.mays}


USING = {
    "clCreateImage/usage/1": D1,
    "clCreateImage/usage/2": D1,
    "clCreateImage/usage/3": D2,
    "clCreateImage/usage/4": D3,
    "clCreateImage/usage/5": A1,
    "clCreateImage/usage/6": A2,
    "clCreateImageWithProperties/usage/2": D1,
    "clCreateImageWithProperties/usage/3": D1,
    "clCreateImageWithProperties/usage/4": D2,
    "clCreateImageWithProperties/usage/5": D3,
    "clCreateImageWithProperties/usage/6": A1,
    "clCreateImageWithProperties/usage/7": A2,
}
BYTES = {D1: ROW, D2: ROW * HEIGHT, D3: ROW * HEIGHT * 4, A1: ROW * 3, A2: ROW * HEIGHT * 3}


@pytest.mark.parametrize("record", USING)
def test_less_host_memory_than_an_image_takes_is_never_sent(kit: Kit, record: str) -> None:
    kind = USING[record]
    predicate = kit.cl.oracle.rulebook.predicate(record)
    for size, short in ((BYTES[kind], False), (BYTES[kind] - 1, True)):
        for flags, reads in (("CL_MEM_USE_HOST_PTR", True), (PLAIN, False)):
            described = {
                "image_desc": kit.description(kind),
                "host_ptr": Data(bytes(size)),
                "flags": kit.constant(flags),
            }
            call = Call(record.partition("/")[0], kit.valid_arguments(record.partition("/")[0], **described))
            assert evaluate(predicate, call, kit.cl.model) is (Decision.MUST if short and reads else Decision.NO)
    gaps = {"image_desc": kit.description(D2, image_row_pitch=2 * ROW), "host_ptr": Data(bytes(ROW * HEIGHT))}
    call = Call(IMAGE, kit.valid_arguments(IMAGE, **gaps, flags=kit.constant("CL_MEM_USE_HOST_PTR")))
    assert evaluate(predicate, call, kit.cl.model) is Decision.MUST


@pytest.mark.parametrize("function", [IMAGE, OLD_2D])
def test_a_format_or_description_without_all_fields_is_never_sent(kit: Kit, function: str) -> None:
    """clCreateImage/CL_INVALID_IMAGE_DESCRIPTOR/1 and similar conditions hold only for readable structures."""
    short = [{"image_format": ElementList((kit.constant("CL_RGBA"),))}]
    short += [{"image_desc": ElementList(kit.description(D2).values[:9])}] if function == IMAGE else []
    for changed in short:
        assert kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, **changed))).undefined


def test_levels_are_for_devices_with_the_extension(kit: Kit) -> None:
    device = kit.cl.model.device(kit.cl.device)
    before = device.extensions
    device.extensions = before | {"cl_khr_mipmap_image"}
    try:
        for levels, kind, expected in (
            (1, D2, ""),
            (5, D2, ""),
            (6, D2, "may"),
            (2, A2, ""),
            (2, IMAGE_OF_BUFFER, "may"),
        ):
            source = PLAIN if kind == IMAGE_OF_BUFFER else ""
            musts, mays = told(kit, IMAGE, image(kind, source, num_mip_levels=levels)(kit))
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
@pytest.mark.parametrize("function", [IMAGE, LISTED])
def test_images_on_buffers_are_for_devices_that_have_them(
    function: str, version: str, pitch: int, must: str, may: str
) -> None:
    with kit_on("images-of-some") as kit:
        change = image(D2, PLAIN, image_row_pitch=ROW)(kit)
        device = kit.cl.model.device(kit.cl.device)
        assert kit.cl.fact("CL_DEVICE_IMAGE_SUPPORT")
        for query in ("2D_MAX_WIDTH", "2D_MAX_HEIGHT"):
            kit.cl.fact(f"CL_DEVICE_IMAGE{query}")
        device.version = read_version(version)
        device.facts["CL_DEVICE_IMAGE_PITCH_ALIGNMENT"] = pitch
        assert told(kit, function, change) == (words(must), words(may))
        assert told(kit, function, image(IMAGE_OF_BUFFER, PLAIN)(kit))[0] == set()


@pytest.mark.parametrize("version", ["3.0", "3.1"])
@pytest.mark.parametrize("function", [IMAGE, LISTED])
def test_from_3_1_on_a_description_that_is_not_valid_need_not_be_refused(function: str, version: str) -> None:
    with kit_on("everything") as kit:
        for device in kit.cl.model.root_devices():
            device.version = read_version(version)
        for change in (image(D2, image_width=0), image(D2, num_samples=1), image(D2, image_row_pitch=1)):
            musts, mays = told(kit, function, change(kit))
            assert "description" in (mays if version == "3.1" else musts)
            assert "description" not in (musts if version == "3.1" else mays)
        on_a_buffer = Call(function, kit.valid_arguments(function, **image(D1, PLAIN)(kit)))
        assert bool(kit.cl.oracle.expect(on_a_buffer).undefined) == (version == "3.1")
        assert told(kit, function, {"image_desc": None})[version == "3.1"] == {"description"}
        assert told(kit, function, {**image(D2, image_width=0)(kit), "context": None})[0] == {"description"}


@pytest.mark.parametrize(("version", "must"), [("1.2", False), ("2.0", True)])
def test_before_2_0_only_images_of_buffers_are_on_memory(version: str, *, must: bool) -> None:
    with kit_on("everything") as kit:
        changed = {**image(D2, D2)(kit), "flags": kit.constant(READ)}
        source = kit.cl.model.find(made(kit, D2))
        source.flags = kit.constant(WRITE)  # type: ignore[union-attr]
        for device in kit.cl.model.root_devices():
            device.version = read_version(version)
        assert ("access" in told(kit, IMAGE, changed)[0]) == must
        assert "access" in told(kit, IMAGE, flagged(WRITE, READ)(kit))[0]


def test_a_limit_of_one_device_is_none_of_the_others() -> None:
    with kit_on("images-of-some") as there:
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
            assert told(there, IMAGE, image(image_width=width)(there)) == (must, may)
            call = Call(OLD_2D, there.valid_arguments(OLD_2D, image_width=width))
            held = {each.clause.id for each in there.cl.oracle.expect(call).musts}
            assert ("clCreateImage2D/CL_INVALID_IMAGE_SIZE/1" in held) == bool(must)


@pytest.mark.parametrize(
    ("offset", "expected"), [(0, Decision.NO), (64, May("alignment-in-pixels")), (4, Decision.MUST)]
)
def test_an_address_is_aligned_by_pixels(kit: Kit, offset: int, expected: Decision | May) -> None:
    """The device reports an alignment of 64 pixels, each of 4 bytes."""
    area = kit.get_cached("area", lambda: kit.host_area(bytes(2 * SIZE)))
    buffer = kit.buffer_on_host_memory(OffsetPointer(area, offset) if offset else area)
    described = kit.description(D2, buffer, image_row_pitch=ROW)
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
def test_the_devices_of_a_list_are_no_names(
    kit: Kit, elements: tuple[str | int, ...], *, must: bool, may: bool
) -> None:
    """Names and values do not alternate in a device list, which has its own terminator."""
    given = [
        kit.cl.device if each == "device" else kit.constant(each) if isinstance(each, str) else each
        for each in elements
    ]
    expectation = kit.cl.oracle.expect(Call(LISTED, kit.valid_arguments(LISTED, properties=ElementList(tuple(given)))))
    musts, mays = ({held.clause.id for held in some} for some in (expectation.musts, expectation.mays))
    record = "clCreateImageWithProperties/CL_INVALID_PROPERTY/1"
    assert (record in musts, record in mays) == (must, may)


@pytest.mark.parametrize(
    "record",
    ["clCreateImage/CL_INVALID_DEVICE/2", "clCreateImage/CL_INVALID_DEVICE/3", "clCreateImage/CL_INVALID_DEVICE/4"],
)
def test_a_function_without_properties_lists_no_device(kit: Kit, record: str) -> None:
    predicate = kit.cl.oracle.rulebook.predicate(record)
    assert evaluate(predicate, Call(IMAGE, kit.valid_arguments(IMAGE)), kit.cl.model) is Decision.NO


def test_rows_of_a_description_are_those_of_its_type(kit: Kit) -> None:
    for kind, size in BYTES.items():
        call = Call(IMAGE, kit.valid_arguments(IMAGE, **image(kind)(kit)))
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
def test_an_image_answers_with_the_flags_that_it_has(
    kit: Kit, below: tuple[str, ...], own: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    source = kit.buffer(*below) if below else None
    kind = IMAGE_OF_BUFFER if below else D2
    created = kit.call(IMAGE, image_desc=kit.description(kind, source), flags=kit.constant(*own))
    thing = kit.cl.model.find(Handle(str(created.value)))  # type: ignore[union-attr]
    assert set(thing.reportable_flags) == {kit.constant(*names.split()) for names in wanted}  # type: ignore[union-attr]
