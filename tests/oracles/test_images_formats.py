"""Image formats: listed, rejected and required formats, compared with tables from the document."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import UNTOUCHED, Call, Output, Returned
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.chapters.image_formats.uses import TYPES, USES, required_formats, supported_uses
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.format_lists import FormatList
from clconform.oracles.model.image_formats import element_bits, texel_layout
from clconform.oracles.model.images import Image, ImageDescription, ImageFormat
from clconform.oracles.model.memory_objects import Buffer

from .worlds import Plan, World, clauses

if TYPE_CHECKING:
    from clconform.calls.values import Value

CREATING = ("clCreateImage", "clCreateImageWithProperties", "clCreateImage2D", "clCreateImage3D")
OF_OBJECTS = CREATING[:2]
LIST = "clGetSupportedImageFormats"
FLAT, SPACE, LINE = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE1D_BUFFER"
READ, WRITE, EITHER, BOTH = USES
RGBA8, BGRA8 = ("CL_RGBA", "CL_UNORM_INT8"), ("CL_BGRA", "CL_UNORM_INT8")
IMAGES = {
    "CL_DEVICE_IMAGE_SUPPORT": 1,
    "CL_DEVICE_PROFILE": "FULL_PROFILE",
    "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS": 64,
    "CL_DEVICE_IMAGE2D_MAX_WIDTH": 16384,
    "CL_DEVICE_IMAGE2D_MAX_HEIGHT": 16384,
    "CL_DEVICE_IMAGE3D_MAX_WIDTH": 2048,
    "CL_DEVICE_IMAGE3D_MAX_HEIGHT": 2048,
    "CL_DEVICE_IMAGE3D_MAX_DEPTH": 2048,
    "CL_DEVICE_IMAGE_PITCH_ALIGNMENT": 16,
    "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT": 16,
    "CL_DEVICE_OPENCL_C_FEATURES": (3 << 22, "__opencl_c_images"),
}


class There(World):
    """A platform of devices with images, and a context of all devices, whose format lists are unknown."""

    def __init__(self, version: str = "3.0", extensions: str = "", devices: int = 1, **facts: int | str) -> None:
        super().__init__(*[Plan()] * devices, version=version, extensions=extensions)
        for device in self.roots:
            device.facts |= {**IMAGES, **facts}
        self.context = Context("context1", devices=list(self.roots))
        self.model.add(self.context)

    def pair(self, names: tuple[str | int, str | int]) -> tuple[int, int]:
        """Return a format by value."""
        order, channel_type = names
        return self.value(order), self.value(channel_type)

    def tells(self, *formats: tuple[str, str], flags: str = "", image_type: str = "") -> None:
        """Set the formats that the context lists for one use or for all; lists of other uses are empty."""
        for use in supported_uses(self.context, self.model):
            named = (not flags or use[0] == self.value(flags)) and (not image_type or use[1] == self.value(image_type))
            pairs = tuple(map(self.pair, formats)) if named else ()
            self.context.formats[use] = FormatList(len(pairs), pairs)

    def creation(self, function: str, channels: Value, flags: str = EITHER, **fields: Value) -> Call:
        """Return a call that creates a small 2D image, or a 3D image for clCreateImage3D, with fields changed."""
        given: dict[str, Value] = {
            "context": Handle("context1"),
            "properties": None,
            "flags": self.value(flags),
            "image_format": channels,
            "image_width": 4,
            "image_height": 2,
            "image_depth": 2,
            "image_row_pitch": 0,
            "image_slice_pitch": 0,
            "image_desc": self.described(**fields),
            "host_ptr": None,
            "errcode_ret": OutputBuffer(1),
        }
        names = [parameter.name for parameter in self.model.tables.functions[function].parameters]
        return Call(function, {name: given[name] for name in names})

    def described(self, image_type: str = FLAT, source: str = "", width: int = 4, pitch: int = 0) -> ElementList:
        """Return a description of an image of two rows."""
        thing = Handle(source) if source else None
        return ElementList((self.value(image_type), width, 2, 0, 0, pitch, 0, 0, 0, thing))

    def answer(self, call: Call, record: str) -> str:
        """Return "must", "may" or "no" for an error condition of a call."""
        musts, mays = (each.split() for each in clauses(self.oracle.expect(call)))
        return "must" if record in musts else "may" if record in mays else "no"

    def listing(
        self, flags: int | str = READ, image_type: int | str = FLAT, entries: int = 0, **changes: Value
    ) -> Call:
        """Return a call that lists formats, by default only their number for read-only 2D images."""
        given: dict[str, Value] = {
            "context": Handle("context1"),
            "flags": self.value(flags),
            "image_type": self.value(image_type),
            "num_entries": entries,
            "image_formats": OutputBuffer(entries) if entries else None,
            "num_image_formats": OutputBuffer(1),
        }
        return Call(LIST, {**given, **changes})

    def judged(
        self, call: Call, number: int | None, *formats: tuple[str | int, str | int]
    ) -> tuple[set[str], set[str]]:
        """Judge a list that a driver returns; return the violated and the fulfilled requirements."""
        outputs = {}
        if number is not None:
            outputs["num_image_formats"] = Output([number], 4)
        if call.image_formats is not None:
            values: list[int | float | str | None] = [each for names in formats for each in self.pair(names)]
            rest = [UNTOUCHED] * (2 * call.num_entries - len(values))
            outputs["image_formats"] = Output([*values, *rest], 4 * len(values))
        judgement = self.oracle.judge(self.oracle.expect(call), Returned(0, outputs))
        blamed = {record for blame in judgement.deviations for record in blame.requirements}
        return blamed, {record for record, kind in judgement.evidence if kind == "conforms"}


# formats that clCreateImage and the other creation functions reject


@pytest.mark.parametrize("function", CREATING)
@pytest.mark.parametrize(
    ("names", "reply"),
    [
        (RGBA8, "no"),
        ((0, "CL_UNORM_INT8"), "must"),
        (("CL_RGBA", 0), "must"),
        (("CL_UNORM_INT8", "CL_RGBA"), "must"),
        ((0x410E, "CL_UNORM_INT8"), "may"),
        (("CL_RGB", "CL_UNORM_SHORT_565"), "no"),
        (("CL_RGBx", "CL_UNORM_SHORT_555"), "no"),
        (("CL_RGBA", "CL_UNORM_SHORT_565"), "must"),
        (("CL_R", "CL_UNORM_INT_101010"), "must"),
        (("CL_RGBA", "CL_UNORM_INT_101010_2"), "no"),
        (("CL_RGB", "CL_UNORM_INT_101010_2"), "must"),
        (("CL_RGB", "CL_UNORM_INT8"), "must"),
        (("CL_RGB", "CL_FLOAT"), "must"),
        (("CL_RGBx", "CL_UNORM_INT8"), "may"),
        (("CL_LUMINANCE", "CL_UNORM_INT8"), "no"),
        (("CL_LUMINANCE", "CL_SIGNED_INT8"), "may"),
        (("CL_ARGB", "CL_FLOAT"), "may"),
        (("CL_DEPTH", "CL_FLOAT"), "no"),
        (("CL_DEPTH", "CL_UNORM_INT8"), "may"),
        (("CL_sRGBA", "CL_UNORM_INT16"), "may"),
        (("CL_DEPTH_STENCIL", "CL_FLOAT"), "may"),
    ],
)
def test_orders_and_types_that_do_not_go_together(
    function: str, names: tuple[str | int, str | int], reply: str
) -> None:
    there = There()
    record = f"{function}/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1"
    assert there.answer(there.creation(function, ElementList(there.pair(names))), record) == reply


@pytest.mark.parametrize(
    "record",
    [
        "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
        "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
        "clCreateImage2D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
        "clCreateImage3D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    ],
)
def test_no_format_is_refused_and_a_listed_one_is_valid(record: str) -> None:
    there, function = There(), record.partition("/")[0]
    assert there.answer(there.creation(function, None), record) == "must"
    odd = ("CL_RGB", "CL_UNORM_INT8")
    there.tells(odd)
    assert there.answer(there.creation(function, ElementList(there.pair(odd))), record) == "no"


@pytest.mark.parametrize(("version", "reply"), [("1.2", "may"), ("2.0", "no")])
def test_an_order_of_a_later_version_is_open(version: str, reply: str) -> None:
    there = There(version)
    call = there.creation("clCreateImage", ElementList(there.pair(("CL_ABGR", "CL_UNORM_INT8"))))
    assert there.answer(call, "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1") == reply


@pytest.mark.parametrize(
    "record",
    [
        "clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
        "clCreateImageWithProperties/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
        "clCreateImage2D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
        "clCreateImage3D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    ],
)
def test_a_format_is_refused_by_all_lists_together(record: str) -> None:
    function = record.partition("/")[0]
    own = SPACE if function.endswith("3D") else FLAT

    def reply(there: There, flags: str = EITHER) -> str:
        return there.answer(there.creation(function, ElementList(there.pair(RGBA8)), flags), record)

    there = There()
    assert reply(there) == "may"
    there.tells(BGRA8)
    assert reply(there) == "must"
    del there.context.formats[there.value(BOTH), there.value(LINE)]
    assert reply(there) == "may"
    for flags, image_type, expected in (
        (EITHER, own, "no"),
        (READ, own, "may"),
        (EITHER, LINE, "may"),
        (BOTH, own, "may"),
    ):
        there.tells(RGBA8, flags=flags, image_type=image_type)
        assert reply(there) == expected
    there.tells(RGBA8, flags=READ, image_type=own)
    assert reply(there, READ) == "no"


def test_a_view_may_be_more_than_a_device_supports() -> None:
    there = There()
    there.tells(RGBA8)
    there.model.add(Buffer("mem1", context=there.context, size=4096))
    record = "clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1"
    channels = ElementList(there.pair(RGBA8))
    assert there.answer(there.creation("clCreateImage", channels, source="mem1", pitch=64), record) == "may"
    assert there.answer(there.creation("clCreateImage", channels, image_type=LINE, source="mem1"), record) == "no"


@pytest.mark.parametrize(
    "record",
    [
        "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
        "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
    ],
)
def test_rows_of_an_image_on_a_buffer(record: str) -> None:
    there, function = There(), record.partition("/")[0]
    there.model.add(Buffer("mem1", context=there.context, size=4096))
    channels = ElementList(there.pair(RGBA8))
    for pitch, reply in ((64, "no"), (128, "no"), (65, "must"), (66, "must"), (80, "may"), (12, "must"), (0, "may")):
        assert there.answer(there.creation(function, channels, source="mem1", pitch=pitch), record) == reply, pitch
    assert there.answer(there.creation(function, channels), record) == "no"
    line = there.creation(function, channels, image_type=LINE, source="mem1", pitch=65)
    assert there.answer(line, record) == "no"
    there.model.add(Buffer("mem2", context=there.context, size=127))
    for pitch, reply in ((64, "may"), (65, "must")):
        assert there.answer(there.creation(function, channels, source="mem2", pitch=pitch), record) == reply, pitch


@pytest.mark.parametrize(
    "record",
    [
        "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
        "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/3",
    ],
)
@pytest.mark.parametrize(
    ("names", "width", "reply"),
    [
        (("CL_sRGBA", "CL_UNORM_INT8"), 4, "no"),
        (("CL_RGBA", "CL_UNORM_INT8"), 4, "may"),
        (("CL_BGRA", "CL_UNORM_INT8"), 4, "must"),
        (("CL_sBGRA", "CL_UNORM_INT8"), 4, "must"),
        (("CL_sRGBA", "CL_SNORM_INT8"), 4, "must"),
        (("CL_sRGBA", "CL_UNORM_INT8"), 5, "must"),
    ],
)
def test_formats_of_an_image_of_an_image(record: str, names: tuple[str, str], width: int, reply: str) -> None:
    there, function = There(), record.partition("/")[0]
    shape = ImageDescription(FLAT, 4, 2)
    there.model.add(Image("mem1", context=there.context, format=ImageFormat(*there.pair(RGBA8)), shape=shape))
    call = there.creation(function, ElementList(there.pair(names)), source="mem1", width=width)
    assert there.answer(call, record) == reply
    assert there.answer(there.creation(function, ElementList(there.pair(names))), record) == "no"


# clGetSupportedImageFormats


@pytest.mark.parametrize(
    ("changes", "reply"),
    [
        ({}, "no"),
        ({"num_image_formats": None}, "no"),
        ({"num_entries": 1}, "no"),
        ({"num_entries": 1, "image_formats": OutputBuffer(1)}, "no"),
        ({"image_formats": OutputBuffer(1)}, "must"),
        ({"flags": 1 << 62}, "must"),
        ({"flags": 1 | 2}, "must"),
        ({"flags": 1 << 12}, "no"),
        ({"flags": 1 << 12 | 1}, "may"),
        ({"flags": 0}, "may"),
        ({"flags": 1 | 1 << 5}, "may"),
        ({"flags": 1 | 1 << 9}, "may"),
        ({"image_type": 0x10F0}, "must"),
        ({"image_type": 0x10F7}, "must"),
        ({"image_type": 0}, "must"),
        ({"image_type": 0x4001}, "may"),
        ({"image_type": 0x10F6}, "no"),
    ],
)
def test_what_can_be_listed(changes: dict[str, Value], reply: str) -> None:
    there = There()
    assert there.answer(there.listing(**changes), "clGetSupportedImageFormats/CL_INVALID_VALUE/1") == reply


@pytest.mark.parametrize(("flags", "image_type"), [(BOTH, FLAT), (READ, LINE)])
def test_what_1_1_does_not_know_is_open(flags: str, image_type: str) -> None:
    there = There("1.1")
    call = there.listing(flags, image_type)
    assert there.answer(call, "clGetSupportedImageFormats/CL_INVALID_VALUE/1") == "may"


LEAST = [("CL_RGBA", name) for name in ("CL_UNORM_INT8", "CL_UNORM_INT16", "CL_HALF_FLOAT", "CL_FLOAT")]
LEAST += [("CL_RGBA", f"CL_{sign}SIGNED_INT{bits}") for sign in ("", "UN") for bits in (8, 16, 32)]
ALL = [*LEAST, BGRA8]
SUCCESS = "clGetSupportedImageFormats/success"


def test_a_list_without_a_required_format_is_wrong() -> None:
    there = There()
    for missing in ALL:
        there.context.formats.clear()
        rest = [pair for pair in ALL if pair != missing]
        blamed, right = there.judged(there.listing(entries=20), len(rest), *rest)
        assert blamed == {f"{missing[0]}/{missing[1]}/read-or-write"}
        assert len([record for record in right if record.endswith("/read-or-write")]) == len(rest)


def test_a_part_of_a_list_lacks_nothing() -> None:
    there = There()
    there.judged(there.listing(), len(ALL))
    assert not there.judged(there.listing(entries=3), len(ALL), *ALL[:3])[0]


@pytest.mark.parametrize(
    ("first", "number", "formats", "wrong"),
    [
        (11, 11, ALL, False),
        (11, 10, ALL, True),
        (11, 11, ALL[:10], True),
        (None, 11, ALL, False),
        (None, 12, ALL, True),
    ],
)
def test_numbers_and_lists_agree(
    first: int | None, number: int, formats: list[tuple[str, str]], *, wrong: bool
) -> None:
    there = There()
    if first is not None:
        assert not there.judged(there.listing(), first)[0]
    blamed, _ = there.judged(there.listing(entries=12), number, *formats)
    assert (SUCCESS in blamed) == wrong


def test_a_list_stays_the_same_in_any_order() -> None:
    there = There()
    there.judged(there.listing(entries=20), len(ALL), *ALL)
    assert not there.judged(there.listing(entries=20), len(ALL), *ALL[::-1])[0]
    other = [*ALL[:-1], ("CL_R", "CL_FLOAT")]
    assert SUCCESS in there.judged(there.listing(entries=20), len(ALL), *other)[0]


def test_elements_of_24_bits_are_listed_wrongly() -> None:
    there = There()
    formats = [*ALL, ("CL_RGB", "CL_UNORM_INT8")]
    assert there.judged(there.listing(entries=20), 12, *formats)[0] == {"OpenCL:image-format-descriptor/1"}
    assert (element_bits("CL_RGB", "CL_UNORM_SHORT_565"), element_bits("CL_RGB", "CL_FLOAT"), element_bits("", "")) == (
        16,
        96,
        0,
    )
    assert texel_layout("CL_RGB", "CL_UNORM_INT8") is not None


@pytest.mark.parametrize(
    ("version", "facts", "flags", "image_type", "extensions", "record"),
    [
        ("3.0", {"CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS": 0}, BOTH, FLAT, "", "read-write-images"),
        ("2.0", {"CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS": 0}, BOTH, FLAT, "", ""),
        ("3.0", {}, WRITE, SPACE, "", "3d-image-writes"),
        ("3.0", {}, EITHER, SPACE, "", "3d-image-writes"),
        ("3.0", {}, READ, SPACE, "", ""),
        ("3.0", {}, WRITE, FLAT, "", ""),
        ("3.0", {}, WRITE, SPACE, "cl_khr_3d_image_writes", ""),
        ("1.2", {}, WRITE, SPACE, "", ""),
    ],
)
def test_a_list_is_empty_without_the_feature(
    version: str, facts: dict[str, int], flags: str, image_type: str, extensions: str, record: str
) -> None:
    there = There(version, extensions, **facts)
    blamed, _ = there.judged(there.listing(flags, image_type, 99), 1, RGBA8)
    empty = {"read-write-images:clGetSupportedImageFormats/1", "3d-image-writes:clGetSupportedImageFormats/1"}
    assert blamed & empty == ({f"{record}:clGetSupportedImageFormats/1"} if record else set())


@pytest.mark.parametrize(
    ("version", "profile", "flags", "image_type", "count"),
    [
        ("3.0", "FULL_PROFILE", READ, FLAT, 11),
        ("3.0", "FULL_PROFILE", WRITE, FLAT, 11),
        ("3.0", "FULL_PROFILE", EITHER, FLAT, 0),
        ("3.0", "FULL_PROFILE", BOTH, FLAT, 18),
        ("3.0", "FULL_PROFILE", READ, SPACE, 11),
        ("3.0", "FULL_PROFILE", WRITE, SPACE, 0),
        ("2.0", "FULL_PROFILE", WRITE, SPACE, 37),
        ("2.0", "FULL_PROFILE", READ, FLAT, 40),
        ("2.0", "FULL_PROFILE", READ, LINE, 37),
        ("2.0", "FULL_PROFILE", WRITE, FLAT, 39),
        ("1.1", "FULL_PROFILE", READ, LINE, 0),
        ("3.0", "EMBEDDED_PROFILE", READ, FLAT, 10),
        ("3.0", "EMBEDDED_PROFILE", BOTH, FLAT, 0),
        ("3.0", "EMBEDDED_PROFILE", WRITE, "CL_MEM_OBJECT_IMAGE2D_ARRAY", 0),
    ],
)
def test_how_many_formats_are_required(version: str, profile: str, flags: str, image_type: str, count: int) -> None:
    """Tables 27 to 29: 12 types of 3 orders, 2 of depth, 1 each of BGRA and sRGBA; 10 and 1; 9 of 2 orders."""
    there = There(version, CL_DEVICE_PROFILE=profile)
    assert len(set(required_formats(there.roots, flags, image_type, there.model).values())) == count


def test_nothing_is_required_of_a_device_without_images() -> None:
    there = There(CL_DEVICE_IMAGE_SUPPORT=0)
    assert not any(required_formats(there.roots, flags, kind, there.model) for flags in USES for kind in TYPES)


def test_a_context_lists_what_any_of_its_devices_supports() -> None:
    there = There(devices=2)
    alone = [Context(f"context{number}", devices=[device]) for number, device in enumerate(there.roots, 2)]
    for context, extra in zip(alone, ("CL_R", "CL_RG"), strict=True):
        there.model.add(context)
        pairs = tuple(map(there.pair, [*ALL, (extra, "CL_FLOAT")]))
        context.formats[there.value(READ), there.value(FLAT)] = FormatList(len(pairs), pairs)
    both = [*ALL, ("CL_R", "CL_FLOAT"), ("CL_RG", "CL_FLOAT")]
    union = "clGetSupportedImageFormats/effect/6"
    assert union in there.judged(there.listing(entries=20), 13, *both)[1]
    there.context.formats.clear()
    assert there.judged(there.listing(entries=20), 12, *both[:-1])[0] == {union}


def test_data_is_no_format() -> None:
    there = There()
    call = there.creation("clCreateImage", Data(bytes(8)))
    assert there.answer(call, "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1") == "may"


@pytest.mark.parametrize(("alignment", "version", "reply"), [(0, "3.0", "may"), (16, "3.0", "no"), (0, "1.2", "no")])
def test_without_images_on_buffers_those_on_images_are_open(alignment: int, version: str, reply: str) -> None:
    there = There(version, CL_DEVICE_IMAGE_PITCH_ALIGNMENT=alignment)
    shape = ImageDescription(FLAT, 4, 2)
    there.model.add(Image("mem1", context=there.context, format=ImageFormat(*there.pair(RGBA8)), shape=shape))
    call = there.creation("clCreateImage", ElementList(there.pair(RGBA8)), source="mem1")
    codes = {each.clause.code for each in there.oracle.expect(call).mays if each.interpretation.startswith("images-on")}
    assert ("CL_INVALID_OPERATION" in codes) == (reply == "may")
