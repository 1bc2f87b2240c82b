"""Error conditions of image commands: calls on both sides of each limit, and conditions that must or may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Data, ElementList, OutputBuffer
from clconform.suites.kit.memory import SIZE, SIZE_MAX

from .kits import expected, kit_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit

READ, WRITE, FILL, MAP = "clEnqueueReadImage", "clEnqueueWriteImage", "clEnqueueFillImage", "clEnqueueMapImage"
COPY, TO_BUFFER, TO_IMAGE = "clEnqueueCopyImage", "clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage"
LINE, BYTES, LINES = "CL_MEM_OBJECT_IMAGE1D", "CL_MEM_OBJECT_IMAGE1D_BUFFER", "CL_MEM_OBJECT_IMAGE1D_ARRAY"
PLANE, PLANES, SOLID = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE2D_ARRAY", "CL_MEM_OBJECT_IMAGE3D"
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
SIDES = {READ: ("",), WRITE: ("",), FILL: ("",), MAP: ("",), COPY: ("src_", "dst_"), TO_BUFFER: ("src_",)}
SIDES[TO_IMAGE] = ("dst_",)
HOST = 1 << 14
OPEN = "clEnqueueMapImage/CL_MAP_FAILURE/1"
"""Error condition that may hold for each map of an image outside host-accessible memory."""

NOT_LISTED = "clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1"
"""Error condition that may hold for a 1D image buffer, because the list of images that can be copied omits it."""


class Row(NamedTuple):
    """A region in an image of 16 columns, 8 rows, 4 slices or 3 layers, and the names of violated conditions."""

    image_type: str
    origin: tuple[int, ...]
    region: tuple[int, ...]
    wrong: str = ""


ROWS = (
    Row(LINE, (15, 0, 0), (1, 1, 1)),
    Row(LINE, (16, 0, 0), (1, 1, 1), "bounds"),
    Row(LINE, (0, 0, 0), (17, 1, 1), "bounds"),
    Row(LINE, (SIZE_MAX, 0, 0), (2, 1, 1), "bounds"),
    Row(LINE, (0, 1, 0), (1, 1, 1), "rules"),
    Row(LINE, (0, 0, 1), (1, 1, 1), "rules"),
    Row(LINE, (0, 0, 0), (1, 2, 1), "rules"),
    Row(LINE, (0, 0, 0), (1, 1, 2), "rules"),
    Row(LINE, (0, 0, 0), (0, 1, 1), "rules"),
    Row(LINE, (16, 0, 0), (0, 1, 1), "rules"),
    Row(LINE, (16, 1, 0), (1, 1, 1), "bounds rules"),
    Row(BYTES, (15, 0, 0), (1, 1, 1)),
    Row(BYTES, (15, 0, 0), (2, 1, 1), "bounds"),
    Row(BYTES, (0, 0, 0), (1, 2, 1), "rules"),
    Row(LINES, (15, 2, 0), (1, 1, 1)),
    Row(LINES, (0, 3, 0), (1, 1, 1), "bounds"),
    Row(LINES, (0, 1, 0), (1, 3, 1), "bounds"),
    Row(LINES, (0, SIZE_MAX, 0), (1, 2, 1), "bounds"),
    Row(LINES, (0, 0, 1), (1, 1, 1), "rules"),
    Row(LINES, (0, 0, 0), (1, 1, 2), "rules"),
    Row(LINES, (0, 0, 0), (1, 0, 1), "rules"),
    Row(PLANE, (15, 7, 0), (1, 1, 1)),
    Row(PLANE, (0, 8, 0), (1, 1, 1), "bounds"),
    Row(PLANE, (0, 1, 0), (1, 8, 1), "bounds"),
    Row(PLANE, (0, 0, 1), (1, 1, 1), "rules"),
    Row(PLANE, (0, 0, 0), (1, 1, 2), "rules"),
    Row(PLANE, (0, 0, 0), (1, 1, 0), "rules"),
    Row(PLANES, (15, 7, 2), (1, 1, 1)),
    Row(PLANES, (0, 0, 3), (1, 1, 1), "bounds"),
    Row(PLANES, (0, 0, 1), (1, 1, 3), "bounds"),
    Row(PLANES, (0, 0, 0), (1, 1, 0), "rules"),
    Row(SOLID, (15, 7, 3), (1, 1, 1)),
    Row(SOLID, (0, 0, 4), (1, 1, 1), "bounds"),
    Row(SOLID, (0, 0, SIZE_MAX), (1, 1, 2), "bounds"),
    Row(SOLID, (0, 0, 0), (0, 0, 0), "rules"),
)


@pytest.fixture(scope="module")
def kit() -> Iterator[Kit]:
    with kit_on("everything") as made:
        yield made


@pytest.fixture(scope="module")
def hints() -> Iterator[Kit]:
    """Yield a kit on a platform whose devices have mip levels."""
    with kit_on("hints") as made:
        yield made


def image_of(kit: Kit, image_type: str) -> Handle:
    return kit.get_cached(("image of", image_type), lambda: kit.image(image_type))


def solid(kit: Kit) -> Handle:
    """Return a 3D image that is twice as large in each direction."""
    return kit.get_cached("solid", lambda: kit.image(SOLID, image_width=32, image_height=16, image_depth=8))


def at(
    kit: Kit, function: str, side: str, image: Handle, origin: tuple[int, ...], region: tuple[int, ...]
) -> dict[str, Value]:
    """Return the changed arguments of a command on a region; the other image of a copy is larger."""
    host = OutputBuffer(HOST) if function == READ else Data(bytes(HOST))
    other: dict[str, Value] = {"ptr": host}
    if function == COPY:
        name = "dst_" if side == "src_" else "src_"
        other |= {f"{name}image": solid(kit), f"{name}origin": ElementList((0, 0, 0))}
    return {**other, f"{side}image": image, f"{side}origin": ElementList(origin), "region": ElementList(region)}


def without(ids: str, *left_out: str) -> str:
    return " ".join(each for each in ids.split() if each not in left_out)


@pytest.mark.parametrize("function", SIDES)
@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_region_lies_in_the_image_and_uses_the_coordinates_of_its_type(kit: Kit, row: Row, function: str) -> None:
    wrong = {"bounds": BOUNDS[function], "rules": RULES[function]}
    for side in SIDES[function]:
        changed = at(kit, function, side, image_of(kit, row.image_type), row.origin, row.region)
        musts, mays = expected(kit, function, changed)
        assert musts == " ".join(wrong[each] for each in row.wrong.split())
        assert without(mays, OPEN, f"{function}/CL_INVALID_IMAGE_SIZE/1", NOT_LISTED) == ""
        assert (NOT_LISTED in mays) == (function == COPY and row.image_type == BYTES)


def test_rows_of_an_image_of_a_buffer_that_is_copied_may_be_refused(kit: Kit) -> None:
    """The condition about src_origin names 1D images only."""
    image = image_of(kit, BYTES)
    for side, verdict in (("src_", ("", RULES[COPY])), ("dst_", (RULES[COPY], ""))):
        musts, mays = expected(kit, COPY, at(kit, COPY, side, image, (0, 1, 0), (1, 1, 1)))
        assert (musts, without(mays, "clEnqueueCopyImage/CL_INVALID_IMAGE_SIZE/1", NOT_LISTED)) == verdict


# mip levels: 3 of them, each half as large as the one before


@pytest.mark.parametrize("function", LEVELS)
@pytest.mark.parametrize(
    ("image_type", "origin", "wrong"),
    [
        (LINE, (3, 2, 0), ""),
        (LINE, (4, 2, 0), "bounds"),
        (LINE, (0, 3, 0), "level"),
        (LINE, (0, 2, 1), "rules"),
        (LINES, (7, 2, 1), ""),
        (LINES, (0, 3, 1), "bounds"),
        (LINES, (0, 0, 3), "level"),
        (PLANE, (7, 3, 1), ""),
        (PLANE, (7, 4, 1), "bounds"),
        (PLANE, (0, 0, 3), "level"),
        (PLANE, (0, 0, SIZE_MAX), "level"),
        (PLANES, (7, 3, 2, 1), ""),
        (PLANES, (0, 0, 3, 1), "bounds"),
        (PLANES, (0, 0, 0, 3), "level"),
        (SOLID, (3, 1, 0, 2), ""),
        (SOLID, (0, 0, 1, 2), "bounds"),
        (SOLID, (0, 0, 0, 3), "level"),
    ],
)
def test_a_mip_level_stands_after_the_coordinates_in_use(
    hints: Kit, image_type: str, origin: tuple[int, ...], wrong: str, function: str
) -> None:
    image = hints.get_cached(("mipmapped", image_type), lambda: hints.image(image_type, num_mip_levels=3))
    ids = {"": "", "bounds": BOUNDS[function], "rules": RULES[function], "level": LEVELS[function]}
    for side in SIDES[function]:
        musts, mays = expected(hints, function, at(hints, function, side, image, origin, (1, 1, 1)))
        assert musts == ids[wrong]
        assert (BOUNDS[function] in mays) == (wrong == "level")


@pytest.mark.parametrize("function", [*LEVELS, MAP])
def test_an_origin_that_ends_before_the_mip_level_is_never_sent(hints: Kit, function: str) -> None:
    image = hints.get_cached(("mipmapped", SOLID), lambda: hints.image(SOLID, num_mip_levels=3))
    for side in SIDES[function]:
        changed = at(hints, function, side, image, (0, 0, 0), (1, 1, 1))
        assert hints.cl.oracle.expect(Call(function, hints.valid_arguments(function, **changed))).undefined


@pytest.mark.parametrize("function", LEVELS)
def test_an_origin_in_an_image_without_levels_may_count_as_a_level(hints: Kit, function: str) -> None:
    for side in SIDES[function]:
        for origin, held in (((0, 0, 1), True), ((0, 0, 0), False)):
            changed = at(hints, function, side, image_of(hints, PLANE), origin, (1, 1, 1))
            musts, mays = expected(hints, function, changed)
            assert (RULES[function] in musts, LEVELS[function] in mays) == (held, held)


# reading and writing


@pytest.mark.parametrize(
    ("image_type", "region", "row", "slices", "verdict"),
    [
        (PLANE, (16, 8, 1), 0, 0, ""),
        (PLANE, (16, 8, 1), 64, 0, ""),
        (PLANE, (16, 8, 1), 65, 0, ""),
        (PLANE, (16, 8, 1), 63, 0, "may"),
        (PLANE, (16, 8, 1), 0, 512, "must"),
        (PLANE, (16, 8, 1), 64, 1, "must"),
        (LINE, (16, 1, 1), 0, 64, "must"),
        (BYTES, (16, 1, 1), 0, 64, "may"),
        (BYTES, (16, 1, 1), 64, 0, ""),
        (LINES, (16, 2, 1), 0, 128, ""),
        (SOLID, (16, 8, 2), 64, 512, ""),
        (SOLID, (16, 8, 2), 64, 576, ""),
        (SOLID, (16, 8, 2), 64, 511, "may"),
        (SOLID, (16, 8, 2), 64, 513, "may"),
        (PLANES, (16, 8, 2), 0, 448, "may"),
    ],
)
@pytest.mark.parametrize(
    ("function", "prefix", "clause"),
    [
        (READ, "", "clEnqueueReadImage/CL_INVALID_VALUE/4"),
        (WRITE, "input_", "clEnqueueWriteImage/CL_INVALID_VALUE/4"),
    ],
)
def test_only_images_with_slices_have_a_slice_pitch(
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
    where = at(kit, function, "", image_of(kit, image_type), (0, 0, 0), region)
    musts, mays = expected(kit, function, {**where, f"{prefix}row_pitch": row, f"{prefix}slice_pitch": slices})
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
def test_what_the_host_may_not_do(kit: Kit, function: str, flag: str, must: str) -> None:
    assert expected(kit, function, {"image": kit.image(flags=("CL_MEM_READ_WRITE", flag))}) == (must, "")


def test_an_image_of_a_buffer_has_the_access_of_the_host_that_the_buffer_has(kit: Kit) -> None:
    line = ElementList((16, 1, 1))
    for flag, must in (("CL_MEM_HOST_NO_ACCESS", "clEnqueueReadImage/CL_INVALID_OPERATION/2"), ("", "")):
        buffer = kit.buffer("CL_MEM_READ_WRITE", *([flag] if flag else []), size=64)
        changed: dict[str, Value] = {"image": kit.image(BYTES, flags=(), source=buffer), "region": line}
        assert expected(kit, READ, changed)[0] == must


def test_a_region_that_is_mapped_for_writing_is_not_mapped_for_writing_again(kit: Kit) -> None:
    image = kit.image(SOLID)
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
        musts, mays = expected(kit, MAP, {"image": image, **again})
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
def test_images_of_different_formats_are_not_copied(kit: Kit, form: tuple[str, str], must: str, name: str) -> None:
    assert expected(kit, COPY, {name: kit.image(image_format=form)}) == (must, "")


@pytest.mark.parametrize(
    ("image_type", "source", "target", "region", "must"),
    [
        (LINE, (0, 0, 0), (8, 0, 0), (8, 1, 1), False),
        (LINE, (0, 0, 0), (7, 0, 0), (8, 1, 1), True),
        (LINE, (7, 0, 0), (0, 0, 0), (8, 1, 1), True),
        (LINES, (0, 0, 0), (0, 1, 0), (16, 1, 1), False),
        (LINES, (0, 0, 0), (0, 1, 0), (16, 2, 1), True),
        (PLANE, (0, 0, 0), (8, 0, 0), (8, 8, 1), False),
        (PLANE, (0, 0, 0), (7, 3, 0), (8, 4, 1), True),
        (PLANE, (0, 0, 0), (7, 4, 0), (8, 4, 1), False),
        (PLANES, (0, 0, 0), (0, 0, 1), (16, 8, 1), False),
        (PLANES, (0, 0, 0), (0, 0, 1), (16, 8, 2), True),
        (SOLID, (0, 0, 2), (0, 0, 0), (16, 8, 2), False),
        (SOLID, (0, 0, 1), (0, 0, 0), (16, 8, 2), True),
    ],
)
def test_regions_of_one_image_overlap_where_they_share_a_pixel(
    kit: Kit,
    image_type: str,
    source: tuple[int, ...],
    target: tuple[int, ...],
    region: tuple[int, ...],
    *,
    must: bool,
) -> None:
    image = image_of(kit, image_type)
    where: dict[str, Value] = {
        "src_origin": ElementList(source),
        "dst_origin": ElementList(target),
        "region": ElementList(region),
    }
    overlap = "clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1"
    musts, _ = expected(kit, COPY, {"src_image": image, "dst_image": image, **where})
    assert musts == (overlap if must else "")
    other = kit.get_cached(("another", image_type), lambda: kit.image(image_type))
    assert expected(kit, COPY, {"src_image": image, "dst_image": other, **where})[0] == ""


def test_empty_regions_of_one_image_may_overlap(kit: Kit) -> None:
    image = image_of(kit, PLANE)
    changed: dict[str, Value] = {"src_image": image, "dst_image": image, "region": ElementList((0, 8, 1))}
    assert expected(kit, COPY, changed) == (RULES[COPY], "clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1")


def test_null_is_no_image_to_copy(kit: Kit) -> None:
    for name in ("src_image", "dst_image"):
        assert expected(kit, COPY, {name: None})[0] == "clEnqueueCopyImage/CL_INVALID_MEM_OBJECT/1"


def test_levels_of_one_image_do_not_overlap(hints: Kit) -> None:
    image = hints.get_cached(("mipmapped", PLANE), lambda: hints.image(PLANE, num_mip_levels=3))
    where: dict[str, Value] = {"src_image": image, "dst_image": image, "region": ElementList((4, 2, 1))}
    for level, must in ((0, "clEnqueueCopyImage/CL_MEM_COPY_OVERLAP/1"), (1, "")):
        assert expected(hints, COPY, {**where, "dst_origin": ElementList((0, 0, level))})[0] == must


def test_copies_between_views_of_the_same_memory_are_never_sent(kit: Kit) -> None:
    buffer = kit.buffer(size=64)
    one, other = (kit.image(BYTES, source=buffer) for _ in range(2))
    pixel = ElementList((1, 1, 1))
    whole = kit.buffer()
    part = kit.image(BYTES, source=kit.sub_buffer(whole, 0, 64))
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
def test_a_buffer_is_not_copied_from_or_to_its_own_1d_image(
    kit: Kit, function: str, image: str, buffer: str, clause: str
) -> None:
    memory = kit.buffer(size=64)
    own, pixel = kit.image(BYTES, source=memory), ElementList((1, 1, 1))
    for changed, must in (
        ({image: own, buffer: memory}, clause),
        ({image: own, buffer: kit.buffer(size=64)}, ""),
        ({image: None}, clause),
        ({buffer: None}, clause),
        ({image: kit.buffer()}, clause),
        ({buffer: image_of(kit, PLANE)}, clause),
    ):
        assert expected(kit, function, {**changed, "region": pixel})[0] == must


@pytest.mark.parametrize(
    ("image_type", "region", "size"),
    [
        (LINE, (16, 1, 1), 64),
        (LINES, (16, 3, 1), 192),
        (PLANE, (16, 8, 1), 512),
        (PLANES, (16, 8, 3), 1536),
        (SOLID, (16, 8, 4), 2048),
    ],
)
@pytest.mark.parametrize(("function", "side"), [(TO_BUFFER, "dst_"), (TO_IMAGE, "src_")])
def test_the_bytes_of_a_region_lie_in_the_buffer(
    kit: Kit, function: str, side: str, image_type: str, region: tuple[int, ...], size: int
) -> None:
    where = at(kit, function, SIDES[function][0], image_of(kit, image_type), (0, 0, 0), region)
    for offset, must in (
        (0, ""),
        (SIZE - size, ""),
        (SIZE - size + 1, BOUNDS[function]),
        (SIZE, BOUNDS[function]),
        (SIZE_MAX - size + 1, BOUNDS[function]),
    ):
        assert expected(kit, function, {**where, f"{side}offset": offset})[0] == must


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
def test_a_map_asks_for_what_the_host_may_do(kit: Kit, flags: tuple[str, ...], access: str, must: str) -> None:
    made = ("CL_MEM_READ_WRITE", access) if access else ("CL_MEM_READ_WRITE",)
    assert expected(kit, MAP, {"image": kit.image(flags=made), "map_flags": kit.constant(*flags)}) == (must, OPEN)


def test_a_map_without_flags_may_be_refused(kit: Kit) -> None:
    musts, mays = expected(kit, MAP, {"map_flags": 0})
    assert (musts, without(mays, OPEN)) == ("", "clEnqueueMapImage/CL_INVALID_VALUE/2")
    assert expected(kit, MAP, {"map_flags": 1 << 62})[0] == "clEnqueueMapImage/CL_INVALID_VALUE/2"


@pytest.mark.parametrize(
    ("image_type", "must"),
    [(LINE, False), (BYTES, False), (PLANE, False), (LINES, True), (PLANES, True), (SOLID, True)],
)
def test_the_slice_pitch_of_a_map_may_be_null_for_images_without_slices(
    kit: Kit, image_type: str, *, must: bool
) -> None:
    where = at(kit, MAP, "", image_of(kit, image_type), (0, 0, 0), (1, 1, 1))
    musts, _ = expected(kit, MAP, {**where, "image_slice_pitch": None})
    assert musts == ("clEnqueueMapImage/CL_INVALID_VALUE/5" if must else "")


def test_a_map_of_memory_that_the_host_can_address_does_not_fail(kit: Kit) -> None:
    for flag, left in (("CL_MEM_ALLOC_HOST_PTR", ""), ("CL_MEM_READ_WRITE", "clEnqueueMapImage/CL_MAP_FAILURE/1")):
        assert expected(kit, MAP, {"image": kit.image(flags=(flag,))}) == ("", left)


# images that a device may not support


SIZES_AND_FORMATS = {
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


@pytest.mark.parametrize("function", SIDES)
def test_a_device_may_not_support_an_image_that_was_made_for_several(function: str) -> None:
    size, form = SIZES_AND_FORMATS[function]
    with kit_on("everything") as alone:
        for side in SIDES[function]:
            line = at(alone, function, side, image_of(alone, BYTES), (0, 0, 0), (1, 1, 1))
            assert without(expected(alone, function, line)[1], OPEN, NOT_LISTED) == size
        assert without(expected(alone, function, {})[1], OPEN) == ""
        nowhere: dict[str, Value] = {f"{SIDES[function][0]}origin": None}
        assert not {size, form} & set(expected(alone, function, nowhere)[1].split())
        alone.context = alone.new_context(*alone.cl.devices)
        both = alone.for_context(alone.context)
        assert set(without(expected(both, function, {})[1], OPEN).split()) == {size, form}
