"""Error conditions of image commands: calls on both sides of each limit, and conditions that must or may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Data, ElementList, OutputBuffer
from clconform.suites.kit.memory import SIZE

from .kits import expect_changed_call, open_kit
from .oracle_setup import SIZE_MAX

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit

READ, WRITE, FILL, MAP = "clEnqueueReadImage", "clEnqueueWriteImage", "clEnqueueFillImage", "clEnqueueMapImage"
COPY, TO_BUFFER, TO_IMAGE = "clEnqueueCopyImage", "clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage"
IMAGE_1D, IMAGE_1D_BUFFER, IMAGE_1D_ARRAY = (
    "CL_MEM_OBJECT_IMAGE1D",
    "CL_MEM_OBJECT_IMAGE1D_BUFFER",
    "CL_MEM_OBJECT_IMAGE1D_ARRAY",
)
IMAGE_2D, IMAGE_2D_ARRAY, IMAGE_3D = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE3D"
BOUNDS = {
    READ: "clEnqueueReadImage/CL_INVALID_VALUE/2",
    WRITE: "clEnqueueWriteImage/CL_INVALID_VALUE/2",
    FILL: "clEnqueueFillImage/CL_INVALID_VALUE/3",
    MAP: "clEnqueueMapImage/CL_INVALID_VALUE/2",
    COPY: "clEnqueueCopyImage/CL_INVALID_VALUE/2",
    TO_BUFFER: "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/2",
    TO_IMAGE: "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/2",
}
RULES = {
    READ: "clEnqueueReadImage/CL_INVALID_VALUE/3",
    WRITE: "clEnqueueWriteImage/CL_INVALID_VALUE/3",
    FILL: "clEnqueueFillImage/CL_INVALID_VALUE/4",
    MAP: "clEnqueueMapImage/CL_INVALID_VALUE/3",
    COPY: "clEnqueueCopyImage/CL_INVALID_VALUE/3",
    TO_BUFFER: "clEnqueueCopyImageToBuffer/CL_INVALID_VALUE/3",
    TO_IMAGE: "clEnqueueCopyBufferToImage/CL_INVALID_VALUE/3",
}
LEVELS = {
    READ: "clEnqueueReadImage/CL_INVALID_MIP_LEVEL/1",
    WRITE: "clEnqueueWriteImage/CL_INVALID_MIP_LEVEL/1",
    FILL: "clEnqueueFillImage/CL_INVALID_MIP_LEVEL/1",
    COPY: "clEnqueueCopyImage/CL_INVALID_MIP_LEVEL/1",
    TO_BUFFER: "clEnqueueCopyImageToBuffer/CL_INVALID_MIP_LEVEL/1",
    TO_IMAGE: "clEnqueueCopyBufferToImage/CL_INVALID_MIP_LEVEL/1",
}
ARGUMENT_PREFIXES = {READ: ("",), WRITE: ("",), FILL: ("",), MAP: ("",), COPY: ("src_", "dst_"), TO_BUFFER: ("src_",)}
ARGUMENT_PREFIXES[TO_IMAGE] = ("dst_",)
HOST_BYTES = 1 << 14
MAP_FAILURE = "clEnqueueMapImage/CL_MAP_FAILURE/1"
"""Error condition that may hold for each map of an image outside host-accessible memory."""

COPY_OF_IMAGE_BUFFER = "clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1"
"""Error condition that may hold for a 1D image buffer, because the list of images that can be copied omits it."""


class RegionCase(NamedTuple):
    """A region in an image of 16 columns, 8 rows, 4 slices or 3 layers, and the names of violated conditions."""

    image_type: str
    origin: tuple[int, ...]
    region: tuple[int, ...]
    violated: str = ""


ROWS = (
    RegionCase(IMAGE_1D, (15, 0, 0), (1, 1, 1)),
    RegionCase(IMAGE_1D, (16, 0, 0), (1, 1, 1), "bounds"),
    RegionCase(IMAGE_1D, (0, 0, 0), (17, 1, 1), "bounds"),
    RegionCase(IMAGE_1D, (SIZE_MAX, 0, 0), (2, 1, 1), "bounds"),
    RegionCase(IMAGE_1D, (0, 1, 0), (1, 1, 1), "rules"),
    RegionCase(IMAGE_1D, (0, 0, 1), (1, 1, 1), "rules"),
    RegionCase(IMAGE_1D, (0, 0, 0), (1, 2, 1), "rules"),
    RegionCase(IMAGE_1D, (0, 0, 0), (1, 1, 2), "rules"),
    RegionCase(IMAGE_1D, (0, 0, 0), (0, 1, 1), "rules"),
    RegionCase(IMAGE_1D, (16, 0, 0), (0, 1, 1), "rules"),
    RegionCase(IMAGE_1D, (16, 1, 0), (1, 1, 1), "bounds rules"),
    RegionCase(IMAGE_1D_BUFFER, (15, 0, 0), (1, 1, 1)),
    RegionCase(IMAGE_1D_BUFFER, (15, 0, 0), (2, 1, 1), "bounds"),
    RegionCase(IMAGE_1D_BUFFER, (0, 0, 0), (1, 2, 1), "rules"),
    RegionCase(IMAGE_1D_ARRAY, (15, 2, 0), (1, 1, 1)),
    RegionCase(IMAGE_1D_ARRAY, (0, 3, 0), (1, 1, 1), "bounds"),
    RegionCase(IMAGE_1D_ARRAY, (0, 1, 0), (1, 3, 1), "bounds"),
    RegionCase(IMAGE_1D_ARRAY, (0, SIZE_MAX, 0), (1, 2, 1), "bounds"),
    RegionCase(IMAGE_1D_ARRAY, (0, 0, 1), (1, 1, 1), "rules"),
    RegionCase(IMAGE_1D_ARRAY, (0, 0, 0), (1, 1, 2), "rules"),
    RegionCase(IMAGE_1D_ARRAY, (0, 0, 0), (1, 0, 1), "rules"),
    RegionCase(IMAGE_2D, (15, 7, 0), (1, 1, 1)),
    RegionCase(IMAGE_2D, (0, 8, 0), (1, 1, 1), "bounds"),
    RegionCase(IMAGE_2D, (0, 1, 0), (1, 8, 1), "bounds"),
    RegionCase(IMAGE_2D, (0, 0, 1), (1, 1, 1), "rules"),
    RegionCase(IMAGE_2D, (0, 0, 0), (1, 1, 2), "rules"),
    RegionCase(IMAGE_2D, (0, 0, 0), (1, 1, 0), "rules"),
    RegionCase(IMAGE_2D_ARRAY, (15, 7, 2), (1, 1, 1)),
    RegionCase(IMAGE_2D_ARRAY, (0, 0, 3), (1, 1, 1), "bounds"),
    RegionCase(IMAGE_2D_ARRAY, (0, 0, 1), (1, 1, 3), "bounds"),
    RegionCase(IMAGE_2D_ARRAY, (0, 0, 0), (1, 1, 0), "rules"),
    RegionCase(IMAGE_3D, (15, 7, 3), (1, 1, 1)),
    RegionCase(IMAGE_3D, (0, 0, 4), (1, 1, 1), "bounds"),
    RegionCase(IMAGE_3D, (0, 0, SIZE_MAX), (1, 1, 2), "bounds"),
    RegionCase(IMAGE_3D, (0, 0, 0), (0, 0, 0), "rules"),
)


@pytest.fixture(scope="module")
def kit() -> Iterator[Kit]:
    with open_kit("everything") as made:
        yield made


@pytest.fixture(scope="module")
def mipmap_kit() -> Iterator[Kit]:
    """Yield a kit on a platform whose devices have mip levels."""
    with open_kit("hints") as made:
        yield made


def get_image(kit: Kit, image_type: str) -> Handle:
    return kit.get_cached(("image of", image_type), lambda: kit.image(image_type))


def get_large_image(kit: Kit) -> Handle:
    """Return a 3D image that is twice as large as the ordinary images in each direction."""
    return kit.get_cached("solid", lambda: kit.image(IMAGE_3D, image_width=32, image_height=16, image_depth=8))


def region_arguments(
    kit: Kit, function: str, side: str, image: Handle, origin: tuple[int, ...], region: tuple[int, ...]
) -> dict[str, Value]:
    """Return the arguments that select a region of an image. For a copy, the second image is larger than the region."""
    host = OutputBuffer(HOST_BYTES) if function == READ else Data(bytes(HOST_BYTES))
    other: dict[str, Value] = {"ptr": host}
    if function == COPY:
        name = "dst_" if side == "src_" else "src_"
        other |= {f"{name}image": get_large_image(kit), f"{name}origin": ElementList((0, 0, 0))}
    return {**other, f"{side}image": image, f"{side}origin": ElementList(origin), "region": ElementList(region)}


def remove_ids(ids: str, *left_out: str) -> str:
    return " ".join(each for each in ids.split() if each not in left_out)


@pytest.mark.parametrize("function", ARGUMENT_PREFIXES)
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_region_out_of_bounds_or_with_unused_coordinates_is_rejected(kit: Kit, row: RegionCase, function: str) -> None:
    wrong = {"bounds": BOUNDS[function], "rules": RULES[function]}
    for side in ARGUMENT_PREFIXES[function]:
        changed = region_arguments(kit, function, side, get_image(kit, row.image_type), row.origin, row.region)
        musts, mays = expect_changed_call(kit, function, changed)
        assert musts == " ".join(wrong[each] for each in row.violated.split())
        assert remove_ids(mays, MAP_FAILURE, f"{function}/CL_INVALID_IMAGE_SIZE/1", COPY_OF_IMAGE_BUFFER) == ""
        assert (COPY_OF_IMAGE_BUFFER in mays) == (function == COPY and row.image_type == IMAGE_1D_BUFFER)


def test_nonzero_origin_row_of_1d_image_buffer_may_be_rejected_by_copy(kit: Kit) -> None:
    """The condition about src_origin names 1D images only."""
    image = get_image(kit, IMAGE_1D_BUFFER)
    for side, verdict in (("src_", ("", RULES[COPY])), ("dst_", (RULES[COPY], ""))):
        musts, mays = expect_changed_call(kit, COPY, region_arguments(kit, COPY, side, image, (0, 1, 0), (1, 1, 1)))
        assert (musts, remove_ids(mays, "clEnqueueCopyImage/CL_INVALID_IMAGE_SIZE/1", COPY_OF_IMAGE_BUFFER)) == verdict


# mip levels: 3 of them, each half as large as the one before


@pytest.mark.parametrize("function", LEVELS)
@pytest.mark.parametrize(
    ("image_type", "origin", "wrong"),
    [
        (IMAGE_1D, (3, 2, 0), ""),
        (IMAGE_1D, (4, 2, 0), "bounds"),
        (IMAGE_1D, (0, 3, 0), "level"),
        (IMAGE_1D, (0, 2, 1), "rules"),
        (IMAGE_1D_ARRAY, (7, 2, 1), ""),
        (IMAGE_1D_ARRAY, (0, 3, 1), "bounds"),
        (IMAGE_1D_ARRAY, (0, 0, 3), "level"),
        (IMAGE_2D, (7, 3, 1), ""),
        (IMAGE_2D, (7, 4, 1), "bounds"),
        (IMAGE_2D, (0, 0, 3), "level"),
        (IMAGE_2D, (0, 0, SIZE_MAX), "level"),
        (IMAGE_2D_ARRAY, (7, 3, 2, 1), ""),
        (IMAGE_2D_ARRAY, (0, 0, 3, 1), "bounds"),
        (IMAGE_2D_ARRAY, (0, 0, 0, 3), "level"),
        (IMAGE_3D, (3, 1, 0, 2), ""),
        (IMAGE_3D, (0, 0, 1, 2), "bounds"),
        (IMAGE_3D, (0, 0, 0, 3), "level"),
    ],
)
def test_origin_coordinate_after_the_used_ones_is_the_mip_level(
    mipmap_kit: Kit, image_type: str, origin: tuple[int, ...], wrong: str, function: str
) -> None:
    image = mipmap_kit.get_cached(("mipmapped", image_type), lambda: mipmap_kit.image(image_type, num_mip_levels=3))
    ids = {"": "", "bounds": BOUNDS[function], "rules": RULES[function], "level": LEVELS[function]}
    for side in ARGUMENT_PREFIXES[function]:
        musts, mays = expect_changed_call(
            mipmap_kit, function, region_arguments(mipmap_kit, function, side, image, origin, (1, 1, 1))
        )
        assert musts == ids[wrong]
        assert (BOUNDS[function] in mays) == (wrong == "level")


@pytest.mark.parametrize("function", [*LEVELS, MAP])
def test_image_command_with_origin_without_mip_level_is_undefined(mipmap_kit: Kit, function: str) -> None:
    image = mipmap_kit.get_cached(("mipmapped", IMAGE_3D), lambda: mipmap_kit.image(IMAGE_3D, num_mip_levels=3))
    for side in ARGUMENT_PREFIXES[function]:
        changed = region_arguments(mipmap_kit, function, side, image, (0, 0, 0), (1, 1, 1))
        assert mipmap_kit.cl.oracle.expect(Call(function, mipmap_kit.valid_arguments(function, **changed))).undefined


@pytest.mark.parametrize("function", LEVELS)
def test_third_coordinate_of_2d_image_also_counts_as_mip_level(mipmap_kit: Kit, function: str) -> None:
    for side in ARGUMENT_PREFIXES[function]:
        for origin, held in (((0, 0, 1), True), ((0, 0, 0), False)):
            changed = region_arguments(mipmap_kit, function, side, get_image(mipmap_kit, IMAGE_2D), origin, (1, 1, 1))
            musts, mays = expect_changed_call(mipmap_kit, function, changed)
            assert (RULES[function] in musts, LEVELS[function] in mays) == (held, held)


# reading and writing


@pytest.mark.parametrize(
    ("image_type", "region", "row", "slices", "verdict"),
    [
        (IMAGE_2D, (16, 8, 1), 0, 0, ""),
        (IMAGE_2D, (16, 8, 1), 64, 0, ""),
        (IMAGE_2D, (16, 8, 1), 65, 0, ""),
        (IMAGE_2D, (16, 8, 1), 63, 0, "may"),
        (IMAGE_2D, (16, 8, 1), 0, 512, "must"),
        (IMAGE_2D, (16, 8, 1), 64, 1, "must"),
        (IMAGE_1D, (16, 1, 1), 0, 64, "must"),
        (IMAGE_1D_BUFFER, (16, 1, 1), 0, 64, "may"),
        (IMAGE_1D_BUFFER, (16, 1, 1), 64, 0, ""),
        (IMAGE_1D_ARRAY, (16, 2, 1), 0, 128, ""),
        (IMAGE_3D, (16, 8, 2), 64, 512, ""),
        (IMAGE_3D, (16, 8, 2), 64, 576, ""),
        (IMAGE_3D, (16, 8, 2), 64, 511, "may"),
        (IMAGE_3D, (16, 8, 2), 64, 513, "may"),
        (IMAGE_2D_ARRAY, (16, 8, 2), 0, 448, "may"),
    ],
)
@pytest.mark.parametrize(
    ("function", "prefix", "clause"),
    [
        (READ, "", "clEnqueueReadImage/CL_INVALID_VALUE/4"),
        (WRITE, "input_", "clEnqueueWriteImage/CL_INVALID_VALUE/4"),
    ],
)
def test_slice_pitch_is_rejected_for_2d_image_or_if_below_slice_size(
    kit: Kit,
    function: str,
    prefix: str,
    clause: str,
    image_type: str,
    region: tuple[int, ...],
    row: int,
    slices: int,
    verdict: str,
) -> None:
    where = region_arguments(kit, function, "", get_image(kit, image_type), (0, 0, 0), region)
    musts, mays = expect_changed_call(
        kit, function, {**where, f"{prefix}row_pitch": row, f"{prefix}slice_pitch": slices}
    )
    assert (musts, clause in mays) == (clause if verdict == "must" else "", verdict == "may")


@pytest.mark.parametrize(
    ("function", "flag", "must"),
    [
        (READ, "CL_MEM_HOST_WRITE_ONLY", "clEnqueueReadImage/CL_INVALID_OPERATION/2"),
        (READ, "CL_MEM_HOST_NO_ACCESS", "clEnqueueReadImage/CL_INVALID_OPERATION/2"),
        (READ, "CL_MEM_HOST_READ_ONLY", ""),
        (WRITE, "CL_MEM_HOST_READ_ONLY", "clEnqueueWriteImage/CL_INVALID_OPERATION/2"),
        (WRITE, "CL_MEM_HOST_NO_ACCESS", "clEnqueueWriteImage/CL_INVALID_OPERATION/2"),
        (WRITE, "CL_MEM_HOST_WRITE_ONLY", ""),
        (FILL, "CL_MEM_HOST_NO_ACCESS", ""),
    ],
)
def test_image_read_or_write_against_host_access_flags_is_rejected(
    kit: Kit, function: str, flag: str, must: str
) -> None:
    assert expect_changed_call(kit, function, {"image": kit.image(flags=("CL_MEM_READ_WRITE", flag))}) == (must, "")


def test_image_created_from_buffer_inherits_its_host_access_flags(kit: Kit) -> None:
    line = ElementList((16, 1, 1))
    for flag, must in (("CL_MEM_HOST_NO_ACCESS", "clEnqueueReadImage/CL_INVALID_OPERATION/2"), ("", "")):
        buffer = kit.buffer("CL_MEM_READ_WRITE", *([flag] if flag else []), size=64)
        changed: dict[str, Value] = {"image": kit.image(IMAGE_1D_BUFFER, flags=(), source=buffer), "region": line}
        assert expect_changed_call(kit, READ, changed)[0] == must


def test_overlapping_write_maps_are_rejected(kit: Kit) -> None:
    image = kit.image(IMAGE_3D)
    half: dict[str, Value] = {"image": image, "origin": ElementList((0, 0, 1)), "region": ElementList((16, 8, 2))}
    writing: dict[str, Value] = {**half, "map_flags": kit.constant("CL_MAP_WRITE")}
    kit.cl.call(Call(MAP, kit.valid_arguments(MAP, **writing)))
    twice = "clEnqueueMapImage/CL_INVALID_OPERATION/3"
    for z, region, flag, held in (
        (0, (16, 8, 1), "CL_MAP_WRITE", ""),
        (3, (16, 8, 1), "CL_MAP_WRITE", ""),
        (0, (16, 8, 2), "CL_MAP_WRITE", "must"),
        (2, (1, 1, 1), "CL_MAP_WRITE_INVALIDATE_REGION", "must"),
        (2, (1, 1, 1), "CL_MAP_READ", "may"),
    ):
        again: dict[str, Value] = {
            "origin": ElementList((0, 0, z)),
            "region": ElementList(region),
            "map_flags": kit.constant(flag),
        }
        musts, mays = expect_changed_call(kit, MAP, {"image": image, **again})
        assert (twice in musts, twice in mays) == (held == "must", held == "may")


# copies


@pytest.mark.parametrize(
    ("form", "must"),
    [
        (("CL_RGBA", "CL_UNSIGNED_INT8"), ""),
        (("CL_RGBA", "CL_SIGNED_INT8"), "clEnqueueCopyImage/CL_IMAGE_FORMAT_MISMATCH/1"),
        (("CL_R", "CL_UNSIGNED_INT8"), "clEnqueueCopyImage/CL_IMAGE_FORMAT_MISMATCH/1"),
    ],
)
@pytest.mark.parametrize("name", ["src_image", "dst_image"])
def test_copy_between_different_formats_is_rejected(kit: Kit, form: tuple[str, str], must: str, name: str) -> None:
    assert expect_changed_call(kit, COPY, {name: kit.image(image_format=form)}) == (must, "")


@pytest.mark.parametrize(
    ("image_type", "source", "target", "region", "must"),
    [
        (IMAGE_1D, (0, 0, 0), (8, 0, 0), (8, 1, 1), False),
        (IMAGE_1D, (0, 0, 0), (7, 0, 0), (8, 1, 1), True),
        (IMAGE_1D, (7, 0, 0), (0, 0, 0), (8, 1, 1), True),
        (IMAGE_1D_ARRAY, (0, 0, 0), (0, 1, 0), (16, 1, 1), False),
        (IMAGE_1D_ARRAY, (0, 0, 0), (0, 1, 0), (16, 2, 1), True),
        (IMAGE_2D, (0, 0, 0), (8, 0, 0), (8, 8, 1), False),
        (IMAGE_2D, (0, 0, 0), (7, 3, 0), (8, 4, 1), True),
        (IMAGE_2D, (0, 0, 0), (7, 4, 0), (8, 4, 1), False),
        (IMAGE_2D_ARRAY, (0, 0, 0), (0, 0, 1), (16, 8, 1), False),
        (IMAGE_2D_ARRAY, (0, 0, 0), (0, 0, 1), (16, 8, 2), True),
        (IMAGE_3D, (0, 0, 2), (0, 0, 0), (16, 8, 2), False),
        (IMAGE_3D, (0, 0, 1), (0, 0, 0), (16, 8, 2), True),
    ],
)
def test_copy_within_image_is_rejected_if_regions_share_a_pixel(
    kit: Kit,
    image_type: str,
    source: tuple[int, ...],
    target: tuple[int, ...],
    region: tuple[int, ...],
    *,
    must: bool,
) -> None:
    image = get_image(kit, image_type)
    where: dict[str, Value] = {
        "src_origin": ElementList(source),
        "dst_origin": ElementList(target),
        "region": ElementList(region),
    }
    overlap = "clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1"
    musts, _ = expect_changed_call(kit, COPY, {"src_image": image, "dst_image": image, **where})
    assert musts == (overlap if must else "")
    other = kit.get_cached(("another", image_type), lambda: kit.image(image_type))
    assert expect_changed_call(kit, COPY, {"src_image": image, "dst_image": other, **where})[0] == ""


def test_copy_of_empty_regions_of_one_image_may_be_rejected_as_overlap(kit: Kit) -> None:
    image = get_image(kit, IMAGE_2D)
    changed: dict[str, Value] = {"src_image": image, "dst_image": image, "region": ElementList((0, 8, 1))}
    assert expect_changed_call(kit, COPY, changed) == (RULES[COPY], "clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1")


def test_copy_of_null_image_is_rejected(kit: Kit) -> None:
    for name in ("src_image", "dst_image"):
        assert expect_changed_call(kit, COPY, {name: None})[0] == "clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1"


def test_copy_between_mip_levels_of_one_image_is_not_an_overlap(mipmap_kit: Kit) -> None:
    image = mipmap_kit.get_cached(("mipmapped", IMAGE_2D), lambda: mipmap_kit.image(IMAGE_2D, num_mip_levels=3))
    where: dict[str, Value] = {"src_image": image, "dst_image": image, "region": ElementList((4, 2, 1))}
    for level, must in ((0, "clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1"), (1, "")):
        assert expect_changed_call(mipmap_kit, COPY, {**where, "dst_origin": ElementList((0, 0, level))})[0] == must


def test_copy_between_images_of_the_same_buffer_is_undefined(kit: Kit) -> None:
    buffer = kit.buffer(size=64)
    one, other = (kit.image(IMAGE_1D_BUFFER, source=buffer) for _ in range(2))
    pixel = ElementList((1, 1, 1))
    whole = kit.buffer()
    part = kit.image(IMAGE_1D_BUFFER, source=kit.sub_buffer(whole, 0, 64))
    for function, changed in (
        (COPY, {"src_image": one, "dst_image": other}),
        (TO_BUFFER, {"src_image": part, "dst_buffer": whole}),
        (TO_IMAGE, {"dst_image": part, "src_buffer": whole}),
    ):
        arguments = kit.valid_arguments(function, **changed, region=pixel)  # type: ignore[arg-type]
        assert kit.cl.oracle.expect(Call(function, arguments)).undefined


@pytest.mark.parametrize(
    ("function", "image", "buffer", "clause"),
    [
        (TO_BUFFER, "src_image", "dst_buffer", "clEnqueueCopyImageToBuffer/CL_INVALID_MEM_OBJECT/1"),
        (TO_IMAGE, "dst_image", "src_buffer", "clEnqueueCopyBufferToImage/CL_INVALID_MEM_OBJECT/1"),
    ],
)
def test_copy_between_buffer_and_image_created_from_it_is_rejected(
    kit: Kit, function: str, image: str, buffer: str, clause: str
) -> None:
    memory = kit.buffer(size=64)
    own, pixel = kit.image(IMAGE_1D_BUFFER, source=memory), ElementList((1, 1, 1))
    for changed, must in (
        ({image: own, buffer: memory}, clause),
        ({image: own, buffer: kit.buffer(size=64)}, ""),
        ({image: None}, clause),
        ({buffer: None}, clause),
        ({image: kit.buffer()}, clause),
        ({buffer: get_image(kit, IMAGE_2D)}, clause),
    ):
        assert expect_changed_call(kit, function, {**changed, "region": pixel})[0] == must


@pytest.mark.parametrize(
    ("image_type", "region", "size"),
    [
        (IMAGE_1D, (16, 1, 1), 64),
        (IMAGE_1D_ARRAY, (16, 3, 1), 192),
        (IMAGE_2D, (16, 8, 1), 512),
        (IMAGE_2D_ARRAY, (16, 8, 3), 1536),
        (IMAGE_3D, (16, 8, 4), 2048),
    ],
)
@pytest.mark.parametrize(("function", "side"), [(TO_BUFFER, "dst_"), (TO_IMAGE, "src_")])
def test_region_beyond_the_buffer_is_rejected(
    kit: Kit, function: str, side: str, image_type: str, region: tuple[int, ...], size: int
) -> None:
    where = region_arguments(
        kit, function, ARGUMENT_PREFIXES[function][0], get_image(kit, image_type), (0, 0, 0), region
    )
    for offset, must in (
        (0, ""),
        (SIZE - size, ""),
        (SIZE - size + 1, BOUNDS[function]),
        (SIZE, BOUNDS[function]),
        (SIZE_MAX - size + 1, BOUNDS[function]),
    ):
        assert expect_changed_call(kit, function, {**where, f"{side}offset": offset})[0] == must


# maps


@pytest.mark.parametrize(
    ("flags", "access", "must"),
    [
        (("CL_MAP_READ",), "CL_MEM_HOST_WRITE_ONLY", "clEnqueueMapImage/CL_INVALID_OPERATION/2"),
        (("CL_MAP_READ",), "CL_MEM_HOST_READ_ONLY", ""),
        (("CL_MAP_WRITE",), "CL_MEM_HOST_READ_ONLY", "clEnqueueMapImage/CL_INVALID_OPERATION/2"),
        (("CL_MAP_WRITE",), "CL_MEM_HOST_WRITE_ONLY", ""),
        (("CL_MAP_WRITE_INVALIDATE_REGION",), "CL_MEM_HOST_NO_ACCESS", "clEnqueueMapImage/CL_INVALID_OPERATION/2"),
        (("CL_MAP_READ", "CL_MAP_WRITE_INVALIDATE_REGION"), "", "clEnqueueMapImage/CL_INVALID_VALUE/2"),
    ],
)
def test_map_of_image_against_its_host_access_flags_is_rejected(
    kit: Kit, flags: tuple[str, ...], access: str, must: str
) -> None:
    made = ("CL_MEM_READ_WRITE", access) if access else ("CL_MEM_READ_WRITE",)
    assert expect_changed_call(kit, MAP, {"image": kit.image(flags=made), "map_flags": kit.constant(*flags)}) == (
        must,
        MAP_FAILURE,
    )


def test_map_of_image_without_map_flags_may_be_rejected(kit: Kit) -> None:
    musts, mays = expect_changed_call(kit, MAP, {"map_flags": 0})
    assert (musts, remove_ids(mays, MAP_FAILURE)) == ("", "clEnqueueMapImage/CL_INVALID_VALUE/2")
    assert expect_changed_call(kit, MAP, {"map_flags": 1 << 62})[0] == "clEnqueueMapImage/CL_INVALID_VALUE/2"


@pytest.mark.parametrize(
    ("image_type", "must"),
    [
        (IMAGE_1D, False),
        (IMAGE_1D_BUFFER, False),
        (IMAGE_2D, False),
        (IMAGE_1D_ARRAY, True),
        (IMAGE_2D_ARRAY, True),
        (IMAGE_3D, True),
    ],
)
def test_map_of_array_or_3d_image_requires_image_slice_pitch(kit: Kit, image_type: str, *, must: bool) -> None:
    where = region_arguments(kit, MAP, "", get_image(kit, image_type), (0, 0, 0), (1, 1, 1))
    musts, _ = expect_changed_call(kit, MAP, {**where, "image_slice_pitch": None})
    assert musts == ("clEnqueueMapImage/CL_INVALID_VALUE/5" if must else "")


def test_map_of_alloc_host_ptr_image_must_not_fail(kit: Kit) -> None:
    for flag, left in (("CL_MEM_ALLOC_HOST_PTR", ""), ("CL_MEM_READ_WRITE", "clEnqueueMapImage/CL_MAP_FAILURE/1")):
        assert expect_changed_call(kit, MAP, {"image": kit.image(flags=(flag,))}) == ("", left)


# images that a device may not support


SUPPORT_CONDITIONS = {
    READ: ("clEnqueueReadImage/CL_INVALID_IMAGE_SIZE/1", "clEnqueueReadImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1"),
    WRITE: ("clEnqueueWriteImage/CL_INVALID_IMAGE_SIZE/1", "clEnqueueWriteImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1"),
    FILL: ("clEnqueueFillImage/CL_INVALID_IMAGE_SIZE/1", "clEnqueueFillImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1"),
    MAP: ("clEnqueueMapImage/CL_INVALID_IMAGE_SIZE/1", "clEnqueueMapImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1"),
    COPY: ("clEnqueueCopyImage/CL_INVALID_IMAGE_SIZE/1", "clEnqueueCopyImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1"),
    TO_BUFFER: (
        "clEnqueueCopyImageToBuffer/CL_INVALID_IMAGE_SIZE/1",
        "clEnqueueCopyImageToBuffer/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    ),
    TO_IMAGE: (
        "clEnqueueCopyBufferToImage/CL_INVALID_IMAGE_SIZE/1",
        "clEnqueueCopyBufferToImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    ),
}


@pytest.mark.parametrize("function", ARGUMENT_PREFIXES)
def test_image_size_or_format_may_be_unsupported_with_several_devices(function: str) -> None:
    size, form = SUPPORT_CONDITIONS[function]
    with open_kit("everything") as alone:
        for side in ARGUMENT_PREFIXES[function]:
            line = region_arguments(alone, function, side, get_image(alone, IMAGE_1D_BUFFER), (0, 0, 0), (1, 1, 1))
            assert remove_ids(expect_changed_call(alone, function, line)[1], MAP_FAILURE, COPY_OF_IMAGE_BUFFER) == size
        assert remove_ids(expect_changed_call(alone, function, {})[1], MAP_FAILURE) == ""
        nowhere: dict[str, Value] = {f"{ARGUMENT_PREFIXES[function][0]}origin": None}
        assert not {size, form} & set(expect_changed_call(alone, function, nowhere)[1].split())
        alone.context = alone.new_context(*alone.cl.devices)
        both = alone.for_context(alone.context)
        assert set(remove_ids(expect_changed_call(both, function, {})[1], MAP_FAILURE).split()) == {size, form}
