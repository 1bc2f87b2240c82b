"""Texels of the model: read values, stored colours, and kernel reads beyond the edges.

The values are calculated by hand from section 8.3 of the OpenCL C specification.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Data, ElementList, Handle, HandleBytes, OutputBuffer, Text, Texts, Value
from clconform.oracles.contents.color_conversion import convert_colour
from clconform.oracles.contents.storage import Content, Storage, defined_bytes, unknown_bytes
from clconform.oracles.contents.texels import border_colour, encode_words, read_texel
from clconform.oracles.engine.matchers import ExpectedBytes
from clconform.oracles.engine.tolerances import BytesTolerance, NumberTolerance, sort_key
from clconform.oracles.model.image_formats import texel_layout
from clconform.oracles.model.image_kernels import IMAGE_KERNELS

from .oracle_setup import DevicePlan, OracleSetup

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.engine.judgements import Judgement

ONE, HALF, MINUS_ONE = 1.0, 0.5, -1.0
INFINITE, NAN = float("inf"), float("nan")


def float_bits(number: float) -> int:
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def read_fields(order: str, channel_type: str, raw: str) -> list[NumberTolerance]:
    """Return, for each component of a texel, the numbers that a read may return.

    ``raw``: the bytes of the texel in hexadecimal digits.
    """
    layout = texel_layout(order, channel_type)
    assert layout is not None
    fields = read_texel(layout, defined_bytes(bytes.fromhex(raw)))
    assert None not in fields
    return [field for field in fields if field is not None]


EXACT_READS = [
    ("CL_RGBA", "CL_UNORM_INT8", "00ff00ff", (0, ONE, 0, ONE)),
    ("CL_BGRA", "CL_UNORM_INT8", "ff000000", (0, 0, ONE, 0)),
    ("CL_ARGB", "CL_UNORM_INT8", "ff00ff00", (0, ONE, 0, ONE)),
    ("CL_ABGR", "CL_UNORM_INT8", "00ff0000", (0, 0, ONE, 0)),
    ("CL_R", "CL_UNORM_INT16", "ffff", (ONE, 0, 0, ONE)),
    ("CL_A", "CL_UNORM_INT8", "ff", (0, 0, 0, ONE)),
    ("CL_A", "CL_UNORM_INT8", "00", (0, 0, 0, 0)),
    ("CL_RG", "CL_UNORM_INT8", "00ff", (0, ONE, 0, ONE)),
    ("CL_RA", "CL_UNORM_INT8", "ff00", (ONE, 0, 0, 0)),
    ("CL_LUMINANCE", "CL_UNORM_INT8", "ff", (ONE, ONE, ONE, ONE)),
    ("CL_LUMINANCE", "CL_UNORM_INT8", "00", (0, 0, 0, ONE)),
    ("CL_INTENSITY", "CL_UNORM_INT8", "00", (0, 0, 0, 0)),
    ("CL_RGB", "CL_UNORM_SHORT_565", "00f8", (ONE, 0, 0, ONE)),
    ("CL_RGB", "CL_UNORM_SHORT_565", "1f00", (0, 0, ONE, ONE)),
    ("CL_RGB", "CL_UNORM_SHORT_555", "007c", (ONE, 0, 0, ONE)),
    ("CL_RGB", "CL_UNORM_INT_101010", "0000f03f", (ONE, 0, 0, ONE)),
    ("CL_RGBA", "CL_UNORM_INT_101010_2", "03000000", (0, 0, 0, ONE)),
    ("CL_R", "CL_SNORM_INT8", "80", (MINUS_ONE, 0, 0, ONE)),
    ("CL_R", "CL_SNORM_INT8", "81", (MINUS_ONE, 0, 0, ONE)),
    ("CL_R", "CL_SNORM_INT16", "0080", (MINUS_ONE, 0, 0, ONE)),
    ("CL_R", "CL_HALF_FLOAT", "0038", (HALF, 0, 0, ONE)),
    ("CL_R", "CL_HALF_FLOAT", "00fc", (-INFINITE, 0, 0, ONE)),
    ("CL_RG", "CL_FLOAT", "0000003f000080bf", (HALF, MINUS_ONE, 0, ONE)),
    ("CL_DEPTH", "CL_UNORM_INT16", "ffff", (ONE, 0, 0, ONE)),
    ("CL_sRGBA", "CL_UNORM_INT8", "000000ff", (None, None, None, ONE)),
]
"""Texels whose numbers have exactly one value each; None: the number is not compared."""


@pytest.mark.parametrize(("order", "channel_type", "raw", "colour"), EXACT_READS)
def test_texel_with_exact_value_is_read_as_one_colour(
    order: str, channel_type: str, raw: str, colour: tuple[float | None, ...]
) -> None:
    for field, number in zip(read_fields(order, channel_type, raw), colour, strict=True):
        if number is not None:
            assert field.low == field.high == sort_key("float", 32, float_bits(number))
            assert field.accepts(float_bits(number))
            assert not field.accepts(float_bits(number) ^ 1 << 23)


ROUNDED_READS = [
    ("CL_R", "CL_UNORM_INT8", "80", 128 / 255),
    ("CL_R", "CL_UNORM_INT16", "0100", 1 / 65535),
    ("CL_R", "CL_SNORM_INT8", "c0", -64 / 127),
    ("CL_RGB", "CL_UNORM_SHORT_565", "0008", 1 / 31),
    ("CL_RGB", "CL_UNORM_INT_101010", "00001000", 1 / 1023),
]


@pytest.mark.parametrize(("order", "channel_type", "raw", "number"), ROUNDED_READS)
def test_normalised_channel_is_read_within_1_5_ulp(order: str, channel_type: str, raw: str, number: float) -> None:
    field = read_fields(order, channel_type, raw)[0]
    right = float_bits(number)
    assert all(field.accepts(near) for near in (right - 1, right, right + 1))
    assert not any(field.accepts(far) for far in (right - 3, right + 3))


def test_srgb_channel_is_read_as_its_linear_value() -> None:
    field = read_fields("CL_sRGBA", "CL_UNORM_INT8", "bc000000")[0]
    assert field.accepts(float_bits(0.5029))
    assert not field.accepts(float_bits(0.7372))
    assert not field.accepts(float_bits(0.2156))


def test_integer_channels_are_read_unchanged() -> None:
    fields = read_fields("CL_BGRA", "CL_SIGNED_INT8", "0102ff80")
    assert [field.preferred for field in fields] == [0xFFFFFFFF, 2, 1, 0xFFFFFF80]
    assert encode_words(read_fields("CL_R", "CL_UNSIGNED_INT16", "ffff")) == defined_bytes(
        struct.pack("<4I", 65535, 0, 0, 1)
    )


def test_denormal_channel_may_be_read_as_zero() -> None:
    small = read_fields("CL_R", "CL_HALF_FLOAT", "0100")[0]
    assert small.accepts(float_bits(2**-24))
    assert small.accepts(0)
    assert not small.accepts(float_bits(2**-23))
    assert not read_fields("CL_R", "CL_HALF_FLOAT", "0004")[0].accepts(0)


def test_nan_channel_may_be_read_as_any_nan() -> None:
    field = read_fields("CL_R", "CL_FLOAT", "0000c07f")[0]
    assert field.accepts(0xFFC00001)
    assert not field.accepts(float_bits(INFINITE))
    assert not read_fields("CL_R", "CL_FLOAT", "0000003f")[0].accepts(0x7FC00000)


def test_unknown_texel_may_be_read_as_any_value() -> None:
    layout = texel_layout("CL_RG", "CL_UNORM_INT8")
    assert layout is not None
    assert read_texel(layout, unknown_bytes(2))[:2] == (None, None)


def test_border_colour_of_opaque_format_has_alpha_one() -> None:
    layout = texel_layout("CL_R", "CL_FLOAT")
    assert layout is not None
    assert [each.preferred for each in border_colour(layout, opaque=True) if each] == [0, 0, 0, float_bits(ONE)]
    assert [each.preferred for each in border_colour(layout, opaque=False) if each] == [0, 0, 0, 0]


# colours


def store_colour(order: str, channel_type: str, *colour: float, saturates: bool = False) -> Content:
    layout = texel_layout(order, channel_type)
    assert layout is not None
    letter = {"sint": "i", "uint": "I"}.get(layout.encoding, "f")
    return convert_colour(layout, struct.pack(f"<{len(colour)}{letter}", *colour), saturate=saturates)


def is_accepted(content: Content, raw: str) -> bool:
    """Return whether the content of a texel accepts these bytes."""
    given = bytes.fromhex(raw)
    known = all(
        one == other for one, other, sure in zip(given, content.bytes_held, content.defined, strict=True) if sure
    )
    return known and all(each.accepts(given[at : at + each.size]) for at, each in content.tolerances)


STORED_COLOURS = [
    ("CL_RGBA", "CL_UNORM_INT8", (0, ONE, 2, -3), ("00ffff00",), ("00fffe00", "00ff0000", "01ffff00")),
    ("CL_BGRA", "CL_UNORM_INT8", (0, ONE, ONE, 0), ("ffff0000",), ("00ffff00",)),
    ("CL_R", "CL_UNORM_INT8", (HALF, 0, 0, 0), ("7f", "80"), ("7e", "81")),
    ("CL_R", "CL_SNORM_INT8", (-2, 0, 0, 0), ("80", "81"), ("7f", "82")),
    ("CL_R", "CL_SNORM_INT8", (MINUS_ONE, 0, 0, 0), ("81",), ("82", "80")),
    ("CL_A", "CL_UNORM_INT8", (0, 0, 0, ONE), ("ff",), ("00",)),
    ("CL_RA", "CL_UNORM_INT8", (ONE, HALF, HALF, 0), ("ff00",), ("ff80",)),
    ("CL_INTENSITY", "CL_UNORM_INT8", (ONE, 0, 0, 0), ("ff",), ("00",)),
    ("CL_RGB", "CL_UNORM_SHORT_565", (ONE, 0, 0, 0), ("00f8",), ("1f00", "00f0")),
    ("CL_RGB", "CL_UNORM_SHORT_555", (ONE, 0, 0, 0), ("007c", "00fc"), ("00f8",)),
    ("CL_sRGBA", "CL_UNORM_INT8", (HALF, 0, ONE, HALF), ("bc00ff80", "bb00ff7f"), ("8000ff80", "bc00ffbc")),
    ("CL_R", "CL_HALF_FLOAT", (1 / 3, 0, 0, 0), ("5535", "5635"), ("5435", "5735")),
    ("CL_R", "CL_HALF_FLOAT", (70000, 0, 0, 0), ("ff7b", "007c"), ("fe7b", "00fc")),
    ("CL_R", "CL_HALF_FLOAT", (-INFINITE, 0, 0, 0), ("00fc",), ("fffb",)),
    ("CL_R", "CL_HALF_FLOAT", (2**-25, 0, 0, 0), ("0000", "0100"), ("0200",)),
    ("CL_R", "CL_HALF_FLOAT", (NAN, 0, 0, 0), ("007e", "01fc"), ("007c",)),
    ("CL_R", "CL_FLOAT", (HALF, 0, 0, 0), ("0000003f",), ("0100003f",)),
    ("CL_R", "CL_UNORM_INT8", (3e38, 0, 0, 0), ("ff",), ("00",)),
    ("CL_R", "CL_UNORM_INT8", (INFINITE, 0, 0, 0), ("ff", "00"), ()),
    ("CL_R", "CL_UNORM_INT8", (NAN, 0, 0, 0), ("00", "80"), ()),
    ("CL_DEPTH", "CL_FLOAT", (HALF,), ("0000003f",), ("00000000",)),
    ("CL_DEPTH", "CL_FLOAT", (2,), ("00000040", "0000803f"), ()),
    ("CL_BGRA", "CL_SIGNED_INT8", (1, -2, 3, 4), ("03fe0104",), ("01fe0304",)),
]
"""A colour, texels that it may be stored as, and texels that it may not."""


@pytest.mark.parametrize(("order", "channel_type", "colour", "right", "wrong"), STORED_COLOURS)
def test_stored_colour_accepts_only_bytes_within_the_tolerance(
    order: str, channel_type: str, colour: tuple[float, ...], right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    content = store_colour(order, channel_type, *colour)
    assert [raw for raw in right if not is_accepted(content, raw)] == []
    assert [raw for raw in wrong if is_accepted(content, raw)] == []


def test_out_of_range_integers_saturate_only_in_kernels() -> None:
    content = store_colour("CL_R", "CL_UNSIGNED_INT8", 300, 0, 0, 0)
    assert not any(content.defined)
    assert content.tolerances == ()
    content = store_colour("CL_R", "CL_SIGNED_INT8", -300, 0, 0, 0, saturates=True)
    assert is_accepted(content, "80")
    assert not is_accepted(content, "d4")


# numbers in memory

NUMBER = BytesTolerance(2, (NumberTolerance("uint", 0, 16, 5, 7, 6),), "texel-conversion-bounds")


def test_stored_tolerance_ends_if_one_of_its_bytes_is_overwritten() -> None:
    storage = Storage(16)
    storage.write(((4, 6),), unknown_bytes(6)._replace(tolerances=((0, NUMBER), (2, NUMBER), (4, NUMBER))))
    assert storage.read(((4, 4),)).tolerances == ((0, NUMBER), (2, NUMBER))
    assert storage.read(((5, 4),)).tolerances == ((1, NUMBER),)
    storage.write(((7, 1),), defined_bytes(b"\1"))
    assert storage.read(((0, 16),)).tolerances == ((4, NUMBER), (8, NUMBER))


def test_mismatch_of_number_outside_tolerance_names_interpretation() -> None:
    want = ExpectedBytes(bytes(4), b"\1\0\0\0", ("", "made", "made", ""), "read", ((1, NUMBER),))
    assert want.mismatches(["00060000"]) == []
    (complaint,) = want.mismatches(["00080000"])
    assert (complaint.requirement, complaint.inferred_by) == ("made", "texel-conversion-bounds")
    assert want.requirements == ("read", "made")


@pytest.mark.parametrize("draw", [0, 1, 2, 3, 1 << 40])
def test_number_drawn_from_a_tolerance_is_within_it(draw: int) -> None:
    assert NUMBER.accepts(NUMBER.choose(draw))


# kernels

CONTEXT, QUEUE = Handle("context1"), Handle("queue1")
IMAGE, BUFFER = Handle("mem1"), Handle("mem2")
REGION = (ElementList((0, 0, 0)), ElementList((2, 1, 1)))
WAITS: tuple[Value, ...] = (0, None, None)


class TexelScene:
    """A context with an image of two texels in a row, and a buffer for the results of kernels."""

    def __init__(self, order: str, channel_type: str, content: str) -> None:
        world = self.world = OracleSetup(DevicePlan())
        value = world.value
        self.judge("clCreateContext", "context1", None, 1, ElementList((world.device,)), None, None, None)
        self.judge("clCreateCommandQueue", QUEUE.name, CONTEXT, world.device, 0, None)
        described = ElementList((value("CL_MEM_OBJECT_IMAGE1D"), 2, 0, 0, 0, 0, 0, 0, 0, None))
        formed, flags = world.create_list(order, channel_type), value("CL_MEM_READ_WRITE")
        self.judge("clCreateImage", IMAGE.name, CONTEXT, flags, formed, described, None, None)
        self.judge("clCreateBuffer", BUFFER.name, CONTEXT, flags, 256, None, None)
        self.judge("clEnqueueWriteImage", 0, QUEUE, IMAGE, 1, *REGION, 0, 0, Data(bytes.fromhex(content)), *WAITS)

    def create_sampler(self, mode: str, normalized: int = 0) -> Handle:
        """Create a sampler that selects the nearest texel."""
        modes = (self.world.value(mode), self.world.value("CL_FILTER_NEAREST"))
        self.judge("clCreateSampler", "sampler1", CONTEXT, normalized, *modes, None)
        return Handle("sampler1")

    def prepare_kernel(self, name: str, *others: Handle) -> None:
        """Create a kernel, and set its arguments."""
        source = Texts((IMAGE_KERNELS[name].source,))
        self.judge("clCreateProgramWithSource", "program1", CONTEXT, 1, source, None, None)
        self.judge("clBuildProgram", 0, Handle("program1"), 0, None, None, None, None)
        self.judge("clCreateKernel", "kernel1", Handle("program1"), Text(name), None)
        for index, handle in enumerate((IMAGE, *others, BUFFER)):
            self.judge("clSetKernelArg", 0, Handle("kernel1"), index, 8, HandleBytes(handle))

    def kernel_call(self, items: int) -> Call:
        """Return the call that enqueues the kernel."""
        return self.world.call(
            "clEnqueueNDRangeKernel", QUEUE, Handle("kernel1"), 1, None, ElementList((items,)), None, *WAITS
        )

    def run(self, name: str, items: int, *others: Handle) -> None:
        """Prepare a kernel, and judge a successful enqueue of it."""
        self.prepare_kernel(name, *others)
        self._judge_call(self.kernel_call(items), Returned(0, {}))

    def undefined_reason(self, name: str, items: int, *others: Handle) -> str:
        """Return why the enqueue of a kernel is undefined."""
        self.prepare_kernel(name, *others)
        return self.world.oracle.expect(self.kernel_call(items)).undefined

    def write_buffer(self, numbers: bytes) -> None:
        """Write numbers into the buffer."""
        self.judge("clEnqueueWriteBuffer", 0, QUEUE, BUFFER, 1, 0, len(numbers), Data(numbers), *WAITS)

    def buffer_may_hold(self, numbers: bytes) -> bool:
        """Return whether the buffer may begin with these bytes."""
        return self._is_read_conforming("clEnqueueReadBuffer", numbers, QUEUE, BUFFER, 1, 0, len(numbers))

    def image_may_hold(self, texels: str) -> bool:
        """Return whether the image may hold these bytes."""
        return self._is_read_conforming("clEnqueueReadImage", bytes.fromhex(texels), QUEUE, IMAGE, 1, *REGION, 0, 0)

    def judge(self, function: str, answer: int | str, *arguments: Value) -> None:
        """Judge a call that returned this result."""
        self._judge_call(self.world.call(function, *arguments), Returned(answer, {}))

    def _is_read_conforming(self, function: str, seen: bytes, *arguments: Value) -> bool:
        call = self.world.call(function, *arguments, OutputBuffer(len(seen)), *WAITS)
        return not self._judge_call(call, Returned(0, {"ptr": Output([], len(seen), seen)})).deviations

    def _judge_call(self, call: Call, outcome: Returned) -> Judgement:
        expectation = self.world.oracle.expect(call)
        assert not expectation.undefined, expectation.undefined
        return self.world.oracle.judge(expectation, outcome)


BYTE_IMAGE = ("CL_RGBA", "CL_UNSIGNED_INT8", "0102030405060708")
FIRST, SECOND = (1, 2, 3, 4), (5, 6, 7, 8)


def pack_colours(*colours: tuple[int, ...]) -> bytes:
    return b"".join(struct.pack("<4I", *colour) for colour in colours)


def test_image_kernel_reads_each_texel() -> None:
    studio = TexelScene(*BYTE_IMAGE)
    studio.run("read_image1d_ui", 2)
    assert studio.buffer_may_hold(pack_colours(FIRST, SECOND))
    assert not studio.buffer_may_hold(pack_colours(SECOND, FIRST))


def test_kernel_read_accepts_rounded_numbers() -> None:
    studio = TexelScene("CL_R", "CL_UNORM_INT8", "80ff")
    studio.run("read_image1d_f", 2)
    right = float_bits(128 / 255)
    opaque = (0, 0, float_bits(ONE))
    assert studio.buffer_may_hold(pack_colours((right + 1, *opaque), (float_bits(ONE), *opaque)))
    assert not studio.buffer_may_hold(pack_colours((right + 3, *opaque), (float_bits(ONE), *opaque)))
    assert not studio.buffer_may_hold(pack_colours((right, *opaque), (right, *opaque)))


def test_kernel_writes_saturated_integers() -> None:
    studio = TexelScene(*BYTE_IMAGE)
    studio.write_buffer(pack_colours((1, 2, 3, 4), (9, 300, 0, 255)))
    studio.run("write_image1d_ui", 2)
    assert studio.image_may_hold("0102030409ff00ff")
    assert not studio.image_may_hold("01020304092c00ff")


def test_image_kernel_changes_each_texel() -> None:
    studio = TexelScene(*BYTE_IMAGE)
    studio.run("change_image1d_ui", 2)
    assert studio.buffer_may_hold(pack_colours(FIRST, SECOND))
    assert studio.image_may_hold("0203040106070805")
    assert not studio.image_may_hold("0102030405060708")


def test_kernel_reads_image_sizes() -> None:
    studio = TexelScene(*BYTE_IMAGE)
    studio.run("measure_image1d", 1)
    assert studio.buffer_may_hold(pack_colours((2, 0, 0, 0)))
    assert not studio.buffer_may_hold(pack_colours((2, 1, 0, 0)))


TRANSPARENT = (0, 0, 0, 0)
OUTSIDE_SAMPLES = [
    ("sample", "CL_ADDRESS_CLAMP", 0, (TRANSPARENT, TRANSPARENT, FIRST, SECOND, TRANSPARENT, TRANSPARENT)),
    ("sample", "CL_ADDRESS_CLAMP_TO_EDGE", 0, (FIRST, FIRST, FIRST, SECOND, SECOND, SECOND)),
    ("repeat", "CL_ADDRESS_CLAMP", 1, (TRANSPARENT, TRANSPARENT, FIRST, SECOND, TRANSPARENT, TRANSPARENT)),
    ("repeat", "CL_ADDRESS_CLAMP_TO_EDGE", 1, (FIRST, FIRST, FIRST, SECOND, SECOND, SECOND)),
    ("repeat", "CL_ADDRESS_REPEAT", 1, (FIRST, SECOND, FIRST, SECOND, FIRST, SECOND)),
    ("repeat", "CL_ADDRESS_MIRRORED_REPEAT", 1, (SECOND, FIRST, FIRST, SECOND, SECOND, FIRST)),
]


@pytest.mark.parametrize(("work", "mode", "normalized", "found"), OUTSIDE_SAMPLES)
def test_addressing_mode_determines_reads_outside_the_image(
    work: str, mode: str, normalized: int, found: tuple[tuple[int, ...], ...]
) -> None:
    studio = TexelScene(*BYTE_IMAGE)
    studio.run(f"{work}_image1d_ui", 6, studio.create_sampler(mode, normalized))
    assert studio.buffer_may_hold(pack_colours(*found))
    assert not studio.buffer_may_hold(pack_colours(*found[1:], found[0]))


def test_border_of_one_channel_image_has_alpha_one() -> None:
    studio = TexelScene("CL_R", "CL_UNSIGNED_INT32", "0100000002000000")
    studio.run("sample_image1d_ui", 6, studio.create_sampler("CL_ADDRESS_CLAMP"))
    assert studio.buffer_may_hold(pack_colours((0, 0, 0, 1), (0, 0, 0, 1), (1, 0, 0, 1)))


UNDEFINED_ENQUEUES = [
    ("read_image1d_f", 2, "", "the kernel takes the texels for numbers of another kind"),
    ("read_image2d_ui", 2, "", "an argument of the kernel is gone, or it is open what it is"),
    ("read_image1d_ui", 17, "", "the kernel goes beyond the buffer"),
    ("sample_image1d_ui", 6, "CL_ADDRESS_NONE", "what the sampler finds beyond the edges is undefined"),
    ("sample_image1d_ui", 6, "CL_ADDRESS_REPEAT", "what the sampler finds beyond the edges is undefined"),
    ("repeat_image1d_ui", 6, "CL_ADDRESS_CLAMP", "the coordinates are none that the sampler takes"),
]


@pytest.mark.parametrize(("name", "items", "mode", "reason"), UNDEFINED_ENQUEUES)
def test_image_kernel_enqueue_with_unsuitable_arguments_is_undefined(
    name: str, items: int, mode: str, reason: str
) -> None:
    studio = TexelScene(*BYTE_IMAGE)
    others = (studio.create_sampler(mode),) if mode else ()
    assert studio.undefined_reason(name, items, *others) == reason


def test_image_kernel_with_too_few_work_items_leaves_texels_unknown() -> None:
    studio = TexelScene(*BYTE_IMAGE)
    studio.run("write_image1d_ui", 1)
    assert studio.image_may_hold("ffffffffffffffff")
