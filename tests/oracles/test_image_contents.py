"""Contents of images in the model: calls on images of each type, with the bytes that they must return."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.harness_actions import ALLOCATE, READ, WRITE
from clconform.calls.values import Data, ElementList, Handle, OffsetPointer, OutputBuffer
from clconform.oracles.contents.image_layout import host_spans, mapped_row_offsets, mask_unused_bits, texel_place
from clconform.oracles.contents.storage import defined_bytes
from clconform.oracles.model.image_formats import texel_layout
from clconform.oracles.model.images import Image

from .test_contents import DEFAULT_ARGUMENTS, HOST_AREA, ContentsChecker

if TYPE_CHECKING:
    from clconform.calls.values import Value
    from clconform.oracles.engine.judgements import Judgement

IMAGE, OTHER_IMAGE, IMAGE_BUFFER = Handle("mem1"), Handle("mem2"), Handle("mem9")
FIELDS = ("image_width", "image_height", "image_depth", "image_array_size", "image_row_pitch", "image_slice_pitch")
IMAGE_SIZES: dict[str, tuple[int, int, int, int]] = {
    "IMAGE1D": (5, 0, 0, 0),
    "IMAGE1D_ARRAY": (5, 0, 0, 3),
    "IMAGE2D": (5, 4, 0, 0),
    "IMAGE2D_ARRAY": (5, 2, 0, 3),
    "IMAGE3D": (5, 2, 3, 0),
}
"""Maps image types to the sizes of their images in these tests; a texel has one byte."""
EXTENTS = {
    "IMAGE1D": (5, 1, 1),
    "IMAGE1D_ARRAY": (5, 3, 1),
    "IMAGE2D": (5, 4, 1),
    "IMAGE2D_ARRAY": (5, 2, 3),
    "IMAGE3D": (5, 2, 3),
}
BYTES = bytes(range(1, 121))
IMAGE_ARGUMENTS: dict[str, Value] = {
    **DEFAULT_ARGUMENTS,
    "image": IMAGE,
    "row_pitch": 0,
    "slice_pitch": 0,
    "input_row_pitch": 0,
    "input_slice_pitch": 0,
    "image_row_pitch": OutputBuffer(1),
    "image_slice_pitch": OutputBuffer(1),
}
UNWRITTEN_BYTE = 0xA5
"""Value of an unwritten byte of an output buffer."""


class ImageContentsChecker(ContentsChecker):
    """A checker of memory contents with images, by default with texels of one byte."""

    def create_image(
        self,
        image_type: str,
        name: str = "mem1",
        *flags: str,
        host: Value = None,
        row: int = 0,
        slice_: int = 0,
        source: Value = None,
        sizes: tuple[int, int, int, int] | None = None,
        texel: tuple[str, str] = ("CL_R", "CL_UNSIGNED_INT8"),
    ) -> Judgement:
        """Judge a successful call that creates an image, by default with texels of one byte."""
        value = self.world.value
        described = (
            value(f"CL_MEM_OBJECT_{image_type}"),
            *(sizes or IMAGE_SIZES[image_type]),
            row,
            slice_,
            0,
            0,
            source,
        )
        bits = sum(map(value, ("CL_MEM_READ_WRITE", *flags)))
        channels = ElementList((value(texel[0]), value(texel[1])))
        return self.judge("clCreateImage", name, Handle("context1"), bits, channels, ElementList(described), host, None)

    def judge_image_command(
        self, function: str, seen: bytes | None = None, answer: int | str = 0, **arguments: Value
    ) -> Judgement:
        """Judge a command that succeeded. ``seen``: the bytes that it left in its output buffer."""
        call = self.world.call(function, *self.build_arguments(function, arguments))
        return self._judge_outcome(call, Returned(answer, {} if seen is None else {"ptr": Output([], len(seen), seen)}))

    def build_arguments(self, function: str, arguments: dict[str, Value]) -> list[Value]:
        """Return all arguments of a command, in order."""
        names = [parameter.name for parameter in self.world.model.tables.functions[function].parameters]
        return [{**IMAGE_ARGUMENTS, **arguments}[name] for name in names]

    def write_image(self, content: bytes, image: Handle = IMAGE, **arguments: Any) -> None:
        """Write bytes to a region of an image, by default the whole image."""
        self.judge_image_command(
            "clEnqueueWriteImage", image=image, ptr=Data(content), **self.add_region(image, arguments)
        )

    def judge_read(self, seen: bytes, image: Handle = IMAGE, **arguments: Any) -> Judgement:
        """Judge a read of a region, by default the whole image, that returned these bytes."""
        room = OutputBuffer(len(seen))
        return self.judge_image_command(
            "clEnqueueReadImage", seen, image=image, ptr=room, **self.add_region(image, arguments)
        )

    def add_region(self, image: Handle, arguments: dict[str, Any]) -> dict[str, Value]:
        """Return arguments with an origin and a region, by default those of the whole image."""
        whole = self.world.model.get(Image, image).shape.extent
        origin, region = arguments.pop("origin", (0, 0, 0)), arguments.pop("region", whole)
        return {"origin": ElementList(origin), "region": ElementList(region), **arguments}

    def judge_map(
        self, row: int, slice_: int, answer: str = "pointer7", flag: str = "CL_MAP_WRITE", **place: Any
    ) -> Judgement:
        """Judge a map that returned these pitches."""
        arguments: dict[str, Value] = {"map_flags": self.world.value(flag), **self.add_region(IMAGE, place)}
        call = self.world.call("clEnqueueMapImage", *self.build_arguments("clEnqueueMapImage", arguments))
        outputs = {"image_row_pitch": Output([row], 8), "image_slice_pitch": Output([slice_], 8)}
        return self._judge_outcome(call, Returned(answer, outputs))

    def judge_host_read(self, pointer: Value, seen: bytes) -> Judgement:
        """Judge a read of these bytes on the host."""
        return self.judge_action(READ, None, seen, pointer=pointer, size=len(seen), content=OutputBuffer(len(seen)))


@pytest.fixture
def checker() -> ImageContentsChecker:
    return ImageContentsChecker()


REGIONS = [
    # type, origin, region, bytes of the region if the image holds 1, 2, 3...
    ("IMAGE1D", (1, 0, 0), (3, 1, 1), (2, 3, 4)),
    ("IMAGE1D_ARRAY", (1, 1, 0), (2, 2, 1), (7, 8, 12, 13)),
    ("IMAGE2D", (3, 2, 0), (2, 2, 1), (14, 15, 19, 20)),
    ("IMAGE2D_ARRAY", (4, 0, 1), (1, 2, 2), (15, 20, 25, 30)),
    ("IMAGE3D", (0, 1, 1), (2, 1, 2), (16, 17, 26, 27)),
]


@pytest.mark.parametrize(("image_type", "origin", "region", "expected"), REGIONS)
def test_read_of_image_region_returns_written_bytes(
    checker: ImageContentsChecker, image_type: str, origin: Any, region: Any, expected: Any
) -> None:
    checker.create_image(image_type)
    width, height, depth = EXTENTS[image_type]
    size = width * height * depth
    checker.write_image(BYTES[:size])
    assert not checker.judge_read(BYTES[:size]).deviations
    assert not checker.judge_read(bytes(expected), origin=origin, region=region).deviations
    (deviation,) = checker.judge_read(bytes((*expected[:-1], 99)), origin=origin, region=region).deviations
    assert deviation.requirements == ("clEnqueueReadImage/success",)
    checker.write_image(bytes(len(expected)), origin=origin, region=region)
    whole = bytes(0 if byte in expected else byte for byte in BYTES[:size])
    assert not checker.judge_read(whole).deviations
    assert checker.judge_read(BYTES[:size]).deviations


HOST_ROWS = [
    # type, region, row pitch, slice pitch, start offsets of its rows in host memory
    ("IMAGE1D", (3, 1, 1), 0, 0, (0,)),
    ("IMAGE1D", (3, 1, 1), 4, 0, (0,)),
    ("IMAGE2D", (3, 2, 1), 0, 0, (0, 3)),
    ("IMAGE2D", (3, 2, 1), 4, 0, (0, 4)),
    ("IMAGE1D_ARRAY", (3, 2, 1), 0, 0, (0, 3)),
    ("IMAGE1D_ARRAY", (3, 2, 1), 4, 0, (0, 4)),
    ("IMAGE1D_ARRAY", (3, 2, 1), 4, 8, (0, 8)),
    ("IMAGE3D", (3, 2, 2), 0, 0, (0, 3, 6, 9)),
    ("IMAGE3D", (3, 2, 2), 4, 0, (0, 4, 8, 12)),
    ("IMAGE3D", (3, 2, 2), 4, 12, (0, 4, 12, 16)),
    ("IMAGE2D_ARRAY", (3, 1, 2), 0, 5, (0, 5)),
]


@pytest.mark.parametrize(("image_type", "region", "row", "slice_", "starts"), HOST_ROWS)
def test_spans_of_host_rows_follow_row_and_slice_pitch(
    checker: ImageContentsChecker, image_type: str, region: Any, row: int, slice_: int, starts: tuple[int, ...]
) -> None:
    checker.create_image(image_type)
    image = checker.world.model.get(Image, IMAGE)
    held = {at + byte for at in starts for byte in range(3)}
    spans = host_spans(image, region, row, slice_)
    assert {byte for start, size in spans for byte in range(start, start + size)} == held
    reach = max(held) + 1
    checker.write_image(BYTES[:reach], region=region, input_row_pitch=row, input_slice_pitch=slice_)
    expected = bytes(BYTES[at] if at in held else UNWRITTEN_BYTE for at in range(reach))
    assert not checker.judge_read(expected, region=region, row_pitch=row, slice_pitch=slice_).deviations
    texels_alone = b"".join(BYTES[at : at + 3] for at in starts)
    assert not checker.judge_read(texels_alone, region=region).deviations


@pytest.mark.parametrize(
    ("source", "target", "src", "dst", "region"),
    [
        ("IMAGE2D", "IMAGE3D", (1, 2, 0), (0, 0, 2), (3, 2, 1)),
        ("IMAGE3D", "IMAGE2D_ARRAY", (0, 0, 1), (2, 0, 0), (3, 2, 2)),
        ("IMAGE1D_ARRAY", "IMAGE2D", (0, 1, 0), (1, 2, 0), (4, 2, 1)),
        ("IMAGE1D", "IMAGE1D_ARRAY", (1, 0, 0), (0, 2, 0), (4, 1, 1)),
    ],
)
def test_copy_between_image_types_transfers_the_region(
    checker: ImageContentsChecker, source: str, target: str, src: Any, dst: Any, region: Any
) -> None:
    checker.create_image(source)
    checker.create_image(target, "mem2")
    naive: dict[Handle, dict[tuple[int, int, int], int]] = {}
    for handle, kind, add in ((IMAGE, source, 0), (OTHER_IMAGE, target, 100)):
        width, height, depth = EXTENTS[kind]
        places = [(x, y, z) for z in range(depth) for y in range(height) for x in range(width)]
        naive[handle] = {place: add + index for index, place in enumerate(places)}
        checker.write_image(bytes(naive[handle].values()), handle)
    where: dict[str, Value] = {"src_image": IMAGE, "dst_image": OTHER_IMAGE}
    where |= {"src_origin": ElementList(src), "dst_origin": ElementList(dst), "region": ElementList(region)}
    checker.judge_image_command("clEnqueueCopyImage", **where)
    before = bytes(naive[OTHER_IMAGE].values())
    for x, y, z in [(x, y, z) for z in range(region[2]) for y in range(region[1]) for x in range(region[0])]:
        there, here = (
            tuple(map(sum, zip(dst, (x, y, z), strict=True))),
            tuple(map(sum, zip(src, (x, y, z), strict=True))),
        )
        naive[OTHER_IMAGE][there] = naive[IMAGE][here]  # type: ignore[index]
    assert not checker.judge_read(bytes(naive[OTHER_IMAGE].values()), OTHER_IMAGE).deviations
    (deviation,) = checker.judge_read(before, OTHER_IMAGE).deviations
    assert deviation.requirements == ("clEnqueueReadImage/success",)


def test_copy_from_image_to_buffer_packs_the_region(checker: ImageContentsChecker) -> None:
    checker.create_image("IMAGE3D")
    checker.write_image(BYTES[:30])
    checker.create_buffer("CL_MEM_COPY_HOST_PTR", host=Data(bytes(20)), name="mem9", size=20)
    where: dict[str, Value] = {"src_origin": ElementList((3, 0, 1)), "region": ElementList((2, 2, 2))}
    checker.judge_image_command(
        "clEnqueueCopyImageToBuffer", src_image=IMAGE, dst_buffer=IMAGE_BUFFER, dst_offset=5, **where
    )
    held = bytes(5) + bytes((14, 15, 19, 20, 24, 25, 29, 30)) + bytes(7)
    read: dict[str, Value] = {"buffer": IMAGE_BUFFER, "offset": 0, "size": 20, "ptr": OutputBuffer(20)}
    assert not checker.judge_command("clEnqueueReadBuffer", held, **read).deviations
    (deviation,) = checker.judge_command("clEnqueueReadBuffer", bytes(20), **read).deviations
    assert deviation.requirements == ("clEnqueueReadBuffer/success",)
    where = {"dst_origin": ElementList((0, 1, 0)), "region": ElementList((3, 1, 1))}
    checker.judge_image_command(
        "clEnqueueCopyBufferToImage", src_buffer=IMAGE_BUFFER, dst_image=IMAGE, src_offset=4, **where
    )
    assert not checker.judge_read(bytes((0, 14, 15)), origin=(0, 1, 0), region=(3, 1, 1)).deviations
    (deviation,) = checker.judge_read(bytes((6, 7, 8)), origin=(0, 1, 0), region=(3, 1, 1)).deviations
    assert deviation.requirements == ("clEnqueueReadImage/success",)


def test_image_fill_changes_each_texel_of_the_region(checker: ImageContentsChecker) -> None:
    checker.create_image("IMAGE2D")
    checker.write_image(BYTES[:20])
    colour = Data((77).to_bytes(4, "little") + bytes(12))
    place = checker.add_region(IMAGE, {"origin": (1, 1, 0), "region": (2, 2, 1)})
    checker.judge_image_command("clEnqueueFillImage", image=IMAGE, fill_color=colour, **place)
    whole = bytes(77 if byte in (7, 8, 12, 13) else byte for byte in BYTES[:20])
    assert not checker.judge_read(whole).deviations
    (deviation,) = checker.judge_read(BYTES[:20]).deviations
    assert deviation.requirements == ("clEnqueueReadImage/success",)


# maps


def test_texels_of_mapped_image_are_at_the_returned_pitches(checker: ImageContentsChecker) -> None:
    checker.create_image("IMAGE3D")
    checker.write_image(BYTES[:30])
    assert not checker.judge_map(64, 256, origin=(1, 0, 1), region=(3, 2, 2)).deviations
    mapped = Handle("pointer7")
    assert not checker.judge_host_read(mapped, bytes((12, 13, 14))).deviations
    assert not checker.judge_host_read(OffsetPointer(mapped, 64), bytes((17, 18, 19))).deviations
    assert not checker.judge_host_read(OffsetPointer(mapped, 256 + 65), bytes((28,))).deviations
    (deviation,) = checker.judge_host_read(OffsetPointer(mapped, 256), bytes((12, 13, 14))).deviations
    assert deviation.requirements == ("clEnqueueMapImage/success", "clEnqueueWriteImage/success")
    checker.judge_action(WRITE, None, pointer=OffsetPointer(mapped, 256), size=2, content=Data(b"xy"))
    checker.judge_image_command("clEnqueueUnmapMemObject", memobj=IMAGE, mapped_ptr=mapped)
    whole = bytes({22: ord("x"), 23: ord("y")}.get(byte, byte) for byte in BYTES[:30])
    assert not checker.judge_read(whole).deviations
    (deviation,) = checker.judge_read(BYTES[:30]).deviations
    assert deviation.requirements == ("clEnqueueReadImage/success",)


def test_host_access_outside_mapped_texels_is_undefined(checker: ImageContentsChecker) -> None:
    checker.create_image("IMAGE2D")
    checker.write_image(BYTES[:20])
    checker.judge_map(64, 0, region=(3, 2, 1))
    look: dict[str, Value] = {"size": 1, "content": OutputBuffer(1)}
    for offset in (3, 63, 67, 128):
        assert "no bytes of the mapped image" in checker.get_undefined_reason(
            READ, pointer=OffsetPointer(Handle("pointer7"), offset), **look
        )
    assert not checker.get_undefined_reason(READ, pointer=OffsetPointer(Handle("pointer7"), 66), **look)


@pytest.mark.parametrize(
    ("image_type", "region", "pitches", "record"),
    [
        ("IMAGE1D", (3, 1, 1), (0, 0), ""),
        ("IMAGE1D", (3, 1, 1), (3, 3), "clEnqueueMapImage/effect/5"),
        ("IMAGE2D", (3, 2, 1), (3, 0), ""),
        ("IMAGE2D", (3, 2, 1), (2, 0), "clEnqueueMapImage/effect/3"),
        ("IMAGE2D", (3, 1, 1), (0, 0), ""),
        ("IMAGE2D", (3, 2, 1), (3, 1), "clEnqueueMapImage/effect/5"),
        ("IMAGE1D_ARRAY", (3, 2, 1), (0, 3), ""),
        ("IMAGE1D_ARRAY", (3, 2, 1), (3, 2), "clEnqueueMapImage/effect/4"),
        ("IMAGE1D_ARRAY", (3, 1, 1), (3, 0), ""),
        ("IMAGE3D", (3, 2, 2), (3, 6), ""),
        ("IMAGE3D", (3, 2, 2), (3, 5), "clEnqueueMapImage/effect/4"),
        ("IMAGE3D", (3, 2, 1), (3, 0), ""),
    ],
)
def test_map_with_pitches_smaller_than_rows_or_slices_deviates(
    checker: ImageContentsChecker, image_type: str, region: Any, pitches: tuple[int, int], record: str
) -> None:
    checker.create_image(image_type)
    deviations = checker.judge_map(*pitches, flag="CL_MAP_READ", region=region).deviations
    assert [each.requirements for each in deviations] == ([(record,)] if record else [])


def test_row_offsets_are_empty_if_mapped_rows_overlap(checker: ImageContentsChecker) -> None:
    checker.create_image("IMAGE2D")
    image = checker.world.model.get(Image, IMAGE)
    assert mapped_row_offsets(image, (3, 2, 1), 2, 0) == ()
    assert mapped_row_offsets(image, (3, 2, 1), 3, 0) == (0, 3)


# host memory and memory objects


def test_image_copies_host_rows_without_their_padding(checker: ImageContentsChecker) -> None:
    checker.create_image("IMAGE2D", "mem1", "CL_MEM_COPY_HOST_PTR", host=Data(BYTES[:28]), row=7)
    held = b"".join(BYTES[start : start + 5] for start in (0, 7, 14, 21))
    assert not checker.judge_read(held).deviations
    (deviation,) = checker.judge_read(BYTES[:20]).deviations
    assert deviation.requirements == ("clEnqueueReadImage/success",)


def test_1d_array_layers_are_one_slice_pitch_apart(checker: ImageContentsChecker) -> None:
    checker.create_image("IMAGE1D_ARRAY", "mem1", "CL_MEM_COPY_HOST_PTR", host=Data(BYTES[:36]), row=6, slice_=12)
    assert not checker.judge_read(b"".join(BYTES[start : start + 5] for start in (0, 12, 24))).deviations


def test_use_host_ptr_image_is_accessible_while_mapped(checker: ImageContentsChecker) -> None:
    checker.judge_action(WRITE, None, pointer=HOST_AREA, size=28, content=Data(BYTES[:28]))
    checker.create_image("IMAGE2D", "mem1", "CL_MEM_USE_HOST_PTR", host=HOST_AREA, row=7)
    look: dict[str, Value] = {"pointer": HOST_AREA, "size": 5, "content": OutputBuffer(5)}
    assert "not mapped" in checker.get_undefined_reason(READ, **look)
    (deviation,) = checker.judge_map(8, 0, HOST_AREA.name, flag="CL_MAP_READ").deviations
    assert deviation.requirements == ("clEnqueueMapImage/effect/3",)
    checker.judge_image_command("clEnqueueUnmapMemObject", memobj=IMAGE, mapped_ptr=HOST_AREA)
    (deviation,) = checker.judge_map(7, 0, "pointer7", flag="CL_MAP_READ").deviations
    assert deviation.requirements == ("clEnqueueMapImage/effect/17",)
    checker.judge_image_command("clEnqueueUnmapMemObject", memobj=IMAGE, mapped_ptr=Handle("pointer7"))
    assert not checker.judge_map(7, 0, HOST_AREA.name, flag="CL_MAP_READ").deviations
    assert not checker.judge_host_read(OffsetPointer(HOST_AREA, 7), BYTES[7:12]).deviations
    assert checker.judge_host_read(OffsetPointer(HOST_AREA, 7), BYTES[8:13]).deviations


def test_image_created_from_buffer_shares_its_bytes(checker: ImageContentsChecker) -> None:
    checker.create_buffer("CL_MEM_COPY_HOST_PTR", host=Data(BYTES[:28]), name="mem9", size=28)
    checker.create_image("IMAGE2D", source=IMAGE_BUFFER, row=7)
    assert not checker.judge_read(b"".join(BYTES[start : start + 5] for start in (0, 7, 14, 21))).deviations
    checker.write_image(b"xy", origin=(1, 2, 0), region=(2, 1, 1))
    read: dict[str, Value] = {"buffer": IMAGE_BUFFER, "offset": 14, "size": 5, "ptr": OutputBuffer(5)}
    assert not checker.judge_command("clEnqueueReadBuffer", BYTES[14:15] + b"xy" + BYTES[17:19], **read).deviations
    assert checker.judge_command("clEnqueueReadBuffer", BYTES[14:19], **read).deviations
    gap: dict[str, Value] = {"buffer": IMAGE_BUFFER, "offset": 19, "size": 2, "ptr": OutputBuffer(2)}
    assert not checker.judge_command("clEnqueueReadBuffer", b"\0\0", **gap).deviations


def test_image_created_from_image_shares_its_bytes(checker: ImageContentsChecker) -> None:
    sizes, linear = (2, 2, 0, 0), ("CL_RGBA", "CL_UNORM_INT8")
    checker.create_image("IMAGE2D", sizes=sizes, texel=linear)
    checker.create_image("IMAGE2D", "mem2", source=IMAGE, sizes=sizes, texel=("CL_sRGBA", "CL_UNORM_INT8"))
    checker.write_image(BYTES[:16], OTHER_IMAGE)
    assert not checker.judge_read(BYTES[:16]).deviations


def test_use_of_image_created_from_released_buffer_is_undefined(checker: ImageContentsChecker) -> None:
    checker.create_buffer(name="mem9", size=28)
    checker.create_image("IMAGE2D", source=IMAGE_BUFFER, row=5)
    checker.judge("clReleaseMemObject", 0, IMAGE_BUFFER)
    arguments = checker.build_arguments(
        "clEnqueueReadImage", {"ptr": OutputBuffer(20), **checker.add_region(IMAGE, {})}
    )
    call = checker.world.call("clEnqueueReadImage", *arguments)
    assert "released" in checker.world.oracle.expect(call).undefined


def test_write_to_image_while_its_buffer_is_mapped_is_undefined(checker: ImageContentsChecker) -> None:
    checker.create_buffer(name="mem9", size=28)
    checker.create_image("IMAGE2D", source=IMAGE_BUFFER, row=5)
    flags = checker.world.value("CL_MAP_WRITE")
    checker.judge_command(
        "clEnqueueMapBuffer", answer="pointer5", buffer=IMAGE_BUFFER, map_flags=flags, offset=24, size=4
    )
    arguments = checker.build_arguments(
        "clEnqueueWriteImage", {"ptr": Data(BYTES[:20]), **checker.add_region(IMAGE, {})}
    )
    call = checker.world.call("clEnqueueWriteImage", *arguments)
    assert "mapped" in checker.world.oracle.expect(call).undefined


def test_transfer_with_too_short_host_memory_is_undefined(checker: ImageContentsChecker) -> None:
    checker.create_image("IMAGE2D")
    for function, ptr in (("clEnqueueReadImage", OutputBuffer(19)), ("clEnqueueWriteImage", Data(BYTES[:19]))):
        call = checker.world.call(
            function, *checker.build_arguments(function, {"ptr": ptr, **checker.add_region(IMAGE, {})})
        )
        assert "shorter" in checker.world.oracle.expect(call).undefined
    checker.judge_action(ALLOCATE, "pointer3", size=19, alignment=64)
    arguments = checker.build_arguments(
        "clEnqueueReadImage", {"ptr": Handle("pointer3"), **checker.add_region(IMAGE, {})}
    )
    assert "past the end" in checker.world.oracle.expect(checker.world.call("clEnqueueReadImage", *arguments)).undefined


def test_read_may_return_any_value_for_unused_bits_of_a_texel() -> None:
    layout = texel_layout("CL_RGB", "CL_UNORM_SHORT_555")
    assert layout is not None
    stored = mask_unused_bits(defined_bytes(b"abcd"), layout)
    first, second = stored.tolerances
    assert (first[0], second[0], stored.defined) == (0, 2, bytes(4))
    assert first[1].accepts(b"ab")
    assert first[1].accepts(bytes((ord("a"), ord("b") ^ 0x80)))
    assert not first[1].accepts(bytes((ord("a"), ord("b") ^ 0x40)))


def test_adjacent_rows_of_texels_form_one_span(checker: ImageContentsChecker) -> None:
    checker.create_image("IMAGE2D")
    image = checker.world.model.get(Image, IMAGE)
    assert texel_place(image, (1, 1, 0), (2, 2, 1)).spans == ((6, 2), (11, 2))
    assert texel_place(image, (0, 1, 0), (5, 2, 1)).spans == ((5, 10),)


@pytest.mark.parametrize("pitch", [0, 32])
@pytest.mark.parametrize("waits", [False, True])
def test_blocking_image_read_that_waits_for_unset_event_is_undefined(pitch: int, *, waits: bool) -> None:
    """With both a row and a slice pitch, the layout of the texels of a 1D image array is unspecified."""
    kit = ImageContentsChecker()
    kit.create_image("IMAGE1D_ARRAY")
    kit.judge("clCreateUserEvent", "event1", Handle("context1"), None)
    listed: dict[str, Value] = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((Handle("event1"),))}
    arguments = {
        "ptr": OutputBuffer(256),
        "blocking_read": 1,
        "row_pitch": 16 if pitch else 0,
        "slice_pitch": pitch,
        **(listed if waits else {}),
    }
    given = kit.build_arguments("clEnqueueReadImage", {**arguments, **kit.add_region(IMAGE, {})})
    assert bool(kit.world.expect("clEnqueueReadImage", *given).undefined) == waits
