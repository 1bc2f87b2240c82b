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

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids

if TYPE_CHECKING:
    from clconform.calls.values import Value

CREATION_FUNCTIONS = ("clCreateImage", "clCreateImageWithProperties", "clCreateImage2D", "clCreateImage3D")
OF_OBJECTS = CREATION_FUNCTIONS[:2]
LIST_FORMATS = "clGetSupportedImageFormats"
IMAGE_2D, IMAGE_3D, IMAGE_1D_BUFFER = "CL_MEM_OBJECT_IMAGE2D", "CL_MEM_OBJECT_IMAGE3D", "CL_MEM_OBJECT_IMAGE1D_BUFFER"
READ, WRITE, READ_WRITE, KERNEL_READ_AND_WRITE = USES
RGBA8, BGRA8 = ("CL_RGBA", "CL_UNORM_INT8"), ("CL_BGRA", "CL_UNORM_INT8")
IMAGE_FACTS = {
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


class ImageFormatWorld(OracleSetup):
    """A platform of devices with images, and a context of all devices, whose format lists are unknown."""

    def __init__(self, version: str = "3.0", extensions: str = "", devices: int = 1, **facts: int | str) -> None:
        super().__init__(*[DevicePlan()] * devices, version=version, extensions=extensions)
        for device in self.roots:
            device.facts |= {**IMAGE_FACTS, **facts}
        self.context = Context("context1", devices=list(self.roots))
        self.model.add(self.context)

    def format_values(self, names: tuple[str | int, str | int]) -> tuple[int, int]:
        """Return the values of the channel order and the channel data type of a format."""
        order, channel_type = names
        return self.value(order), self.value(channel_type)

    def set_format_lists(self, *formats: tuple[str, str], flags: str = "", image_type: str = "") -> None:
        """Set the format list of the context for these flags and type, or for all. Other lists are empty."""
        for use in supported_uses(self.context, self.model):
            named = (not flags or use[0] == self.value(flags)) and (not image_type or use[1] == self.value(image_type))
            pairs = tuple(map(self.format_values, formats)) if named else ()
            self.context.formats[use] = FormatList(len(pairs), pairs)

    def creation_call(self, function: str, channels: Value, flags: str = READ_WRITE, **fields: Value) -> Call:
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
            "image_desc": self.create_description(**fields),
            "host_ptr": None,
            "errcode_ret": OutputBuffer(1),
        }
        names = [parameter.name for parameter in self.model.tables.functions[function].parameters]
        return Call(function, {name: given[name] for name in names})

    def create_description(
        self, image_type: str = IMAGE_2D, source: str = "", width: int = 4, pitch: int = 0
    ) -> ElementList:
        """Return a description of an image of two rows."""
        thing = Handle(source) if source else None
        return ElementList((self.value(image_type), width, 2, 0, 0, pitch, 0, 0, 0, thing))

    def find_decision(self, call: Call, requirement: str) -> str:
        """Return "must", "may" or "no" for an error condition of a call."""
        musts, mays = (each.split() for each in get_condition_ids(self.oracle.expect(call)))
        return "must" if requirement in musts else "may" if requirement in mays else "no"

    def list_call(
        self, flags: int | str = READ, image_type: int | str = IMAGE_2D, entries: int = 0, **changes: Value
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
        return Call(LIST_FORMATS, {**given, **changes})

    def judge_list(
        self, call: Call, number: int | None, *formats: tuple[str | int, str | int]
    ) -> tuple[set[str], set[str]]:
        """Judge a list that a driver returns, and return the violated and the fulfilled requirements."""
        outputs = {}
        if number is not None:
            outputs["num_image_formats"] = Output([number], 4)
        if call.image_formats is not None:
            values: list[int | float | str | None] = [each for names in formats for each in self.format_values(names)]
            rest = [UNTOUCHED] * (2 * call.num_entries - len(values))
            outputs["image_formats"] = Output([*values, *rest], 4 * len(values))
        judgement = self.oracle.judge(self.oracle.expect(call), Returned(0, outputs))
        blamed = {requirement for deviation in judgement.deviations for requirement in deviation.requirements}
        return blamed, {requirement for requirement, kind in judgement.evidence if kind == "conforms"}


# formats that clCreateImage and the other creation functions reject


@pytest.mark.parametrize("function", CREATION_FUNCTIONS)
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
def test_image_format_with_mismatched_order_and_type_is_rejected(
    function: str, names: tuple[str | int, str | int], reply: str
) -> None:
    there = ImageFormatWorld()
    requirement = f"{function}/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1"
    assert (
        there.find_decision(there.creation_call(function, ElementList(there.format_values(names))), requirement)
        == reply
    )


@pytest.mark.parametrize(
    "record",
    [
        "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
        "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
        "clCreateImage2D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
        "clCreateImage3D/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1",
    ],
)
def test_null_format_is_rejected_and_listed_format_is_valid(record: str) -> None:
    there, function = ImageFormatWorld(), record.partition("/")[0]
    assert there.find_decision(there.creation_call(function, None), record) == "must"
    odd = ("CL_RGB", "CL_UNORM_INT8")
    there.set_format_lists(odd)
    assert there.find_decision(there.creation_call(function, ElementList(there.format_values(odd))), record) == "no"


@pytest.mark.parametrize(("version", "reply"), [("1.2", "may"), ("2.0", "no")])
def test_image_channel_order_of_later_version_may_be_rejected(version: str, reply: str) -> None:
    there = ImageFormatWorld(version)
    call = there.creation_call("clCreateImage", ElementList(there.format_values(("CL_ABGR", "CL_UNORM_INT8"))))
    assert there.find_decision(call, "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1") == reply


@pytest.mark.parametrize(
    "record",
    [
        "clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
        "clCreateImageWithProperties/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
        "clCreateImage2D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
        "clCreateImage3D/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    ],
)
def test_image_format_is_rejected_if_the_lists_of_all_flags_lack_it(record: str) -> None:
    function = record.partition("/")[0]
    own = IMAGE_3D if function.endswith("3D") else IMAGE_2D

    def reply(there: ImageFormatWorld, flags: str = READ_WRITE) -> str:
        return there.find_decision(
            there.creation_call(function, ElementList(there.format_values(RGBA8)), flags), record
        )

    there = ImageFormatWorld()
    assert reply(there) == "may"
    there.set_format_lists(BGRA8)
    assert reply(there) == "must"
    del there.context.formats[there.value(KERNEL_READ_AND_WRITE), there.value(IMAGE_1D_BUFFER)]
    assert reply(there) == "may"
    for flags, image_type, expected in (
        (READ_WRITE, own, "no"),
        (READ, own, "may"),
        (READ_WRITE, IMAGE_1D_BUFFER, "may"),
        (KERNEL_READ_AND_WRITE, own, "may"),
    ):
        there.set_format_lists(RGBA8, flags=flags, image_type=image_type)
        assert reply(there) == expected
    there.set_format_lists(RGBA8, flags=READ, image_type=own)
    assert reply(there, READ) == "no"


def test_format_of_image_created_from_buffer_may_be_unsupported() -> None:
    there = ImageFormatWorld()
    there.set_format_lists(RGBA8)
    there.model.add(Buffer("mem1", context=there.context, size=4096))
    requirement = "clCreateImage/CL_IMAGE_FORMAT_NOT_SUPPORTED/1"
    channels = ElementList(there.format_values(RGBA8))
    assert (
        there.find_decision(there.creation_call("clCreateImage", channels, source="mem1", pitch=64), requirement)
        == "may"
    )
    assert (
        there.find_decision(
            there.creation_call("clCreateImage", channels, image_type=IMAGE_1D_BUFFER, source="mem1"), requirement
        )
        == "no"
    )


@pytest.mark.parametrize(
    "record",
    [
        "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
        "clCreateImageWithProperties/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/2",
    ],
)
def test_image_created_from_buffer_with_invalid_row_pitch_is_rejected(record: str) -> None:
    there, function = ImageFormatWorld(), record.partition("/")[0]
    there.model.add(Buffer("mem1", context=there.context, size=4096))
    channels = ElementList(there.format_values(RGBA8))
    for pitch, reply in ((64, "no"), (128, "no"), (65, "must"), (66, "must"), (80, "may"), (12, "must"), (0, "may")):
        assert (
            there.find_decision(there.creation_call(function, channels, source="mem1", pitch=pitch), record) == reply
        ), pitch
    assert there.find_decision(there.creation_call(function, channels), record) == "no"
    line = there.creation_call(function, channels, image_type=IMAGE_1D_BUFFER, source="mem1", pitch=65)
    assert there.find_decision(line, record) == "no"
    there.model.add(Buffer("mem2", context=there.context, size=127))
    for pitch, reply in ((64, "may"), (65, "must")):
        assert (
            there.find_decision(there.creation_call(function, channels, source="mem2", pitch=pitch), record) == reply
        ), pitch


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
def test_image_created_from_image_with_mismatched_format_is_rejected(
    record: str, names: tuple[str, str], width: int, reply: str
) -> None:
    there, function = ImageFormatWorld(), record.partition("/")[0]
    shape = ImageDescription(IMAGE_2D, 4, 2)
    there.model.add(Image("mem1", context=there.context, format=ImageFormat(*there.format_values(RGBA8)), shape=shape))
    call = there.creation_call(function, ElementList(there.format_values(names)), source="mem1", width=width)
    assert there.find_decision(call, record) == reply
    assert there.find_decision(there.creation_call(function, ElementList(there.format_values(names))), record) == "no"


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
def test_format_list_rejects_invalid_flags_and_types(changes: dict[str, Value], reply: str) -> None:
    there = ImageFormatWorld()
    assert there.find_decision(there.list_call(**changes), "clGetSupportedImageFormats/CL_INVALID_VALUE/1") == reply


@pytest.mark.parametrize(("flags", "image_type"), [(KERNEL_READ_AND_WRITE, IMAGE_2D), (READ, IMAGE_1D_BUFFER)])
def test_flags_and_types_of_later_versions_may_be_rejected_by_1_1(flags: str, image_type: str) -> None:
    there = ImageFormatWorld("1.1")
    call = there.list_call(flags, image_type)
    assert there.find_decision(call, "clGetSupportedImageFormats/CL_INVALID_VALUE/1") == "may"


REQUIRED_RGBA = [("CL_RGBA", name) for name in ("CL_UNORM_INT8", "CL_UNORM_INT16", "CL_HALF_FLOAT", "CL_FLOAT")]
REQUIRED_RGBA += [("CL_RGBA", f"CL_{sign}SIGNED_INT{bits}") for sign in ("", "UN") for bits in (8, 16, 32)]
REQUIRED_FORMATS = [*REQUIRED_RGBA, BGRA8]
SUCCESS = "clGetSupportedImageFormats/success"


def test_list_without_required_format_deviates() -> None:
    there = ImageFormatWorld()
    for missing in REQUIRED_FORMATS:
        there.context.formats.clear()
        rest = [pair for pair in REQUIRED_FORMATS if pair != missing]
        blamed, right = there.judge_list(there.list_call(entries=20), len(rest), *rest)
        assert blamed == {f"{missing[0]}/{missing[1]}/read-or-write"}
        assert len([requirement for requirement in right if requirement.endswith("/read-or-write")]) == len(rest)


def test_truncated_format_list_may_omit_required_formats() -> None:
    there = ImageFormatWorld()
    there.judge_list(there.list_call(), len(REQUIRED_FORMATS))
    assert not there.judge_list(there.list_call(entries=3), len(REQUIRED_FORMATS), *REQUIRED_FORMATS[:3])[0]


@pytest.mark.parametrize(
    ("first", "number", "formats", "wrong"),
    [
        (11, 11, REQUIRED_FORMATS, False),
        (11, 10, REQUIRED_FORMATS, True),
        (11, 11, REQUIRED_FORMATS[:10], True),
        (None, 11, REQUIRED_FORMATS, False),
        (None, 12, REQUIRED_FORMATS, True),
    ],
)
def test_format_count_that_differs_from_the_list_deviates(
    first: int | None, number: int, formats: list[tuple[str, str]], *, wrong: bool
) -> None:
    there = ImageFormatWorld()
    if first is not None:
        assert not there.judge_list(there.list_call(), first)[0]
    blamed, _ = there.judge_list(there.list_call(entries=12), number, *formats)
    assert (SUCCESS in blamed) == wrong


@pytest.mark.parametrize("length", [0, 1, 10])
def test_list_shorter_than_its_number_is_one_deviation(length: int) -> None:
    """The formats that such a list lacks are not deviations of their own."""
    there = ImageFormatWorld()
    there.judge_list(there.list_call(), len(REQUIRED_FORMATS))
    blamed, _ = there.judge_list(there.list_call(entries=12), len(REQUIRED_FORMATS), *REQUIRED_FORMATS[:length])
    assert blamed == {SUCCESS}


@pytest.mark.parametrize("length", [0, 1, 10])
def test_list_shorter_than_the_number_of_the_same_call_is_one_deviation(length: int) -> None:
    """No earlier call has returned the number. On revision 9a89dfee, each required format that is missing deviated."""
    there = ImageFormatWorld()
    blamed, right = there.judge_list(there.list_call(entries=12), len(REQUIRED_FORMATS), *REQUIRED_FORMATS[:length])
    assert blamed == {SUCCESS}
    assert not {requirement for requirement in right if requirement.endswith("/read-or-write")}


@pytest.mark.parametrize("room", [1, 4, 11])
def test_number_that_equals_the_room_for_its_list_does_not_make_the_list_complete(room: int) -> None:
    """A driver may have limited the number to the room, which is one deviation; no format counts as missing."""
    there = ImageFormatWorld()
    assert not there.judge_list(there.list_call(entries=room), room, *REQUIRED_FORMATS[:room])[0]
    assert there.judge_list(there.list_call(entries=20), len(REQUIRED_FORMATS), *REQUIRED_FORMATS)[0] <= {SUCCESS}


def test_repeated_format_list_may_change_only_its_order() -> None:
    there = ImageFormatWorld()
    there.judge_list(there.list_call(entries=20), len(REQUIRED_FORMATS), *REQUIRED_FORMATS)
    assert not there.judge_list(there.list_call(entries=20), len(REQUIRED_FORMATS), *REQUIRED_FORMATS[::-1])[0]
    other = [*REQUIRED_FORMATS[:-1], ("CL_R", "CL_FLOAT")]
    assert SUCCESS in there.judge_list(there.list_call(entries=20), len(REQUIRED_FORMATS), *other)[0]


def test_listed_format_of_24_bits_deviates() -> None:
    there = ImageFormatWorld()
    formats = [*REQUIRED_FORMATS, ("CL_RGB", "CL_UNORM_INT8")]
    assert there.judge_list(there.list_call(entries=20), 12, *formats)[0] == {"OpenCL:image-format-descriptor/1"}
    assert (element_bits("CL_RGB", "CL_UNORM_SHORT_565"), element_bits("CL_RGB", "CL_FLOAT"), element_bits("", "")) == (
        16,
        96,
        0,
    )
    assert texel_layout("CL_RGB", "CL_UNORM_INT8") is not None


@pytest.mark.parametrize(
    ("version", "facts", "flags", "image_type", "extensions", "record"),
    [
        ("3.0", {"CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS": 0}, KERNEL_READ_AND_WRITE, IMAGE_2D, "", "read-write-images"),
        ("2.0", {"CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS": 0}, KERNEL_READ_AND_WRITE, IMAGE_2D, "", ""),
        ("3.0", {}, WRITE, IMAGE_3D, "", "3d-image-writes"),
        ("3.0", {}, READ_WRITE, IMAGE_3D, "", "3d-image-writes"),
        ("3.0", {}, READ, IMAGE_3D, "", ""),
        ("3.0", {}, WRITE, IMAGE_2D, "", ""),
        ("3.0", {}, WRITE, IMAGE_3D, "cl_khr_3d_image_writes", ""),
        ("1.2", {}, WRITE, IMAGE_3D, "", ""),
    ],
)
def test_nonempty_format_list_without_the_feature_deviates(
    version: str, facts: dict[str, int], flags: str, image_type: str, extensions: str, record: str
) -> None:
    there = ImageFormatWorld(version, extensions, **facts)
    blamed, _ = there.judge_list(there.list_call(flags, image_type, 99), 1, RGBA8)
    empty = {"read-write-images:clGetSupportedImageFormats/1", "3d-image-writes:clGetSupportedImageFormats/1"}
    assert blamed & empty == ({f"{record}:clGetSupportedImageFormats/1"} if record else set())


@pytest.mark.parametrize(
    ("version", "profile", "flags", "image_type", "count"),
    [
        ("3.0", "FULL_PROFILE", READ, IMAGE_2D, 11),
        ("3.0", "FULL_PROFILE", WRITE, IMAGE_2D, 11),
        ("3.0", "FULL_PROFILE", READ_WRITE, IMAGE_2D, 0),
        ("3.0", "FULL_PROFILE", KERNEL_READ_AND_WRITE, IMAGE_2D, 18),
        ("3.0", "FULL_PROFILE", READ, IMAGE_3D, 11),
        ("3.0", "FULL_PROFILE", WRITE, IMAGE_3D, 0),
        ("2.0", "FULL_PROFILE", WRITE, IMAGE_3D, 37),
        ("2.0", "FULL_PROFILE", READ, IMAGE_2D, 40),
        ("2.0", "FULL_PROFILE", READ, IMAGE_1D_BUFFER, 37),
        ("2.0", "FULL_PROFILE", WRITE, IMAGE_2D, 39),
        ("1.1", "FULL_PROFILE", READ, IMAGE_1D_BUFFER, 0),
        ("3.0", "EMBEDDED_PROFILE", READ, IMAGE_2D, 10),
        ("3.0", "EMBEDDED_PROFILE", KERNEL_READ_AND_WRITE, IMAGE_2D, 0),
        ("3.0", "EMBEDDED_PROFILE", WRITE, "CL_MEM_OBJECT_IMAGE2D_ARRAY", 0),
    ],
)
def test_number_of_required_formats_matches_the_document(
    version: str, profile: str, flags: str, image_type: str, count: int
) -> None:
    """Tables 27 to 29: 12 types of 3 orders, 2 of depth, 1 each of BGRA and sRGBA; 10 and 1; 9 of 2 orders."""
    there = ImageFormatWorld(version, CL_DEVICE_PROFILE=profile)
    assert len(set(required_formats(there.roots, flags, image_type, there.model).values())) == count


def test_device_without_images_has_no_required_formats() -> None:
    there = ImageFormatWorld(CL_DEVICE_IMAGE_SUPPORT=0)
    assert not any(required_formats(there.roots, flags, kind, there.model) for flags in USES for kind in TYPES)


def test_format_list_of_context_is_the_union_over_its_devices() -> None:
    there = ImageFormatWorld(devices=2)
    alone = [Context(f"context{number}", devices=[device]) for number, device in enumerate(there.roots, 2)]
    for context, extra in zip(alone, ("CL_R", "CL_RG"), strict=True):
        there.model.add(context)
        pairs = tuple(map(there.format_values, [*REQUIRED_FORMATS, (extra, "CL_FLOAT")]))
        context.formats[there.value(READ), there.value(IMAGE_2D)] = FormatList(len(pairs), pairs)
    both = [*REQUIRED_FORMATS, ("CL_R", "CL_FLOAT"), ("CL_RG", "CL_FLOAT")]
    union = "clGetSupportedImageFormats/effect/6"
    assert union in there.judge_list(there.list_call(entries=20), 13, *both)[1]
    there.context.formats.clear()
    assert there.judge_list(there.list_call(entries=20), 12, *both[:-1])[0] == {union}


def test_image_format_given_as_raw_bytes_may_be_rejected() -> None:
    there = ImageFormatWorld()
    call = there.creation_call("clCreateImage", Data(bytes(8)))
    assert there.find_decision(call, "clCreateImage/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1") == "may"


@pytest.mark.parametrize(("alignment", "version", "reply"), [(0, "3.0", "may"), (16, "3.0", "no"), (0, "1.2", "no")])
def test_image_created_from_image_may_fail_without_buffer_image_support(
    alignment: int, version: str, reply: str
) -> None:
    there = ImageFormatWorld(version, CL_DEVICE_IMAGE_PITCH_ALIGNMENT=alignment)
    shape = ImageDescription(IMAGE_2D, 4, 2)
    there.model.add(Image("mem1", context=there.context, format=ImageFormat(*there.format_values(RGBA8)), shape=shape))
    call = there.creation_call("clCreateImage", ElementList(there.format_values(RGBA8)), source="mem1")
    codes = {
        each.clause.code
        for each in there.oracle.expect(call).optional_errors
        if each.interpretation.startswith("images-on")
    }
    assert ("CL_INVALID_OPERATION" in codes) == (reply == "may")
