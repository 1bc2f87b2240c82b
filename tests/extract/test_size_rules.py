"""Extraction of sizes from the prose: minimum values, multiples, meanings of 0, and dependencies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.conditions import CIRCUMSTANCES
from clconform.spec_tables.requirements import SizeRule, Type
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.scopes import split_scopes
from clconform.tools.extract.size_rules import ScopeSizes, extract_sizes, parse_circumstances

from .documents import bullets, function_block, html_page, paragraph

if TYPE_CHECKING:
    from pathlib import Path

READ = "cl_int clReadIt(cl_mem image, const size_t* region, size_t row_pitch, void* host_ptr, cl_uint alignment);"
WRITE = "cl_int clWriteIt(cl_mem image, const size_t* region, size_t input_row_pitch, size_t input_slice_pitch);"
TYPES = {"cl_picture": Type("cl_picture", "struct", fields=(("picture_pitch", "size_t"), ("source", "cl_mem")))}
UNITS = {"CL_DEVICE_STEP": "pixels"}


def read_sizes(tmp_path: Path, *parts: str) -> ScopeSizes:
    path = tmp_path / "page.html"
    path.write_text(html_page(*parts).replace(" * ", " \N{MULTIPLICATION SIGN} "), encoding="utf-8")
    scopes = split_scopes(read_html(path, "T").blocks, "T")
    functions = {f.name: f for scope in scopes for f in scope.functions}
    found = ScopeSizes()
    for scope in scopes:
        sizes = extract_sizes(scope, "T", functions, TYPES, UNITS)
        found.drafts += sizes.drafts
        found.unread += sizes.unread
    return found


def rules_of(found: ScopeSizes) -> list[tuple[object, ...]]:
    assert found.unread == []
    return [
        (r.subject, r.relation, r.factors, r.unit, r.when, r.allows_zero)
        for r in (draft.requirement for draft in found.drafts)
        if isinstance(r, SizeRule)
    ]


def test_sentence_about_pitch_yields_a_zero_rule_and_a_minimum_rule_and_a_multiple_rule(tmp_path: Path) -> None:
    text = (
        "row_pitch is the pitch in bytes. This must be 0 if host_ptr is NULL and can be 0 or ≥ width * element size in "
        "bytes if host_ptr is not NULL. If row_pitch is not 0, that must be a multiple of the element size in bytes. "
        "If host_ptr is not NULL and row_pitch is 0, the pitch is computed as width * element size in bytes."
    )
    assert rules_of(read_sizes(tmp_path, function_block("clReadIt", READ, bullets(text)))) == [
        ("row_pitch", "zero", (), "bytes", ("no-host-pointer",), False),
        ("row_pitch", "at-least", ("width", "element-size"), "bytes", ("host-pointer",), True),
        ("row_pitch", "multiple-of", ("element-size",), "bytes", (), True),
        ("row_pitch", "taken-as", ("width", "element-size"), "bytes", ("host-pointer", "zero-given"), False),
    ]


def test_size_rule_depends_on_the_image_type_of_its_sentence(tmp_path: Path) -> None:
    text = (
        "input_slice_pitch is a size in bytes. The pitch must be ≥ the image row pitch * height for a 3D image or a 2D "
        "image array, must be greater than or equal to the image row pitch for a 1D image array."
    )
    assert rules_of(read_sizes(tmp_path, function_block("clWriteIt", WRITE, bullets(text))))[:2] == [
        (
            "input_slice_pitch",
            "at-least",
            ("image_row_pitch", "height"),
            "bytes",
            ("image-3d", "image-2d-array"),
            False,
        ),
        ("input_slice_pitch", "at-least", ("image_row_pitch",), "bytes", ("image-1d-array",), False),
    ]


def test_size_rule_has_the_parameter_name_of_each_function(tmp_path: Path) -> None:
    text = "row_pitch in clReadIt and input_row_pitch in clWriteIt is a length in bytes. It must be ≥ row_pitch * 2."
    found = read_sizes(
        tmp_path, function_block("clReadIt", READ + "\n" + WRITE, bullets(text.replace(" * 2", " * region[0]")))
    )
    assert [
        (d.requirement.function, rule[0], rule[2]) for d, rule in zip(found.drafts, rules_of(found), strict=True)
    ] == [
        ("clReadIt", "row_pitch", ("row_pitch", "region[0]")),
        ("clWriteIt", "input_row_pitch", ("input_row_pitch", "region[0]")),
    ]


def test_size_rules_of_structure_fields_take_the_unit_of_the_query(tmp_path: Path) -> None:
    taking = function_block("clMakeIt", "cl_mem clMakeIt(const cl_picture* picture, cl_int* errcode_ret);")
    listing = "<pre>typedef struct cl_picture { size_t picture_pitch; cl_mem source; } cl_picture;</pre>"
    text = "picture_pitch is in bytes. For a 2D image created from a buffer picture_pitch must be a multiple of the CL_DEVICE_STEP value."  # noqa: E501
    more = "For a 2D image created from a buffer object, picture_pitch * height must be ≤ the size of the buffer object specified by source."  # noqa: E501
    found = read_sizes(tmp_path, taking, "<h3>4.2. Pictures</h3>", listing, bullets(text), paragraph(more))
    assert rules_of(found) == [
        ("picture_pitch", "multiple-of", ("CL_DEVICE_STEP",), "bytes", ("image-from-buffer",), False),
        ("source", "at-least", ("picture_pitch", "height"), "bytes", ("image-from-buffer",), False),
    ]
    first = found.drafts[0].requirement
    assert isinstance(first, SizeRule)
    assert (first.function, first.of_unit) == ("clMakeIt", "pixels")


def test_alignment_limit_and_default_are_read_as_size_rules(tmp_path: Path) -> None:
    text = (
        "alignment is in bytes, and a power of two up to the largest data type supported by all of them. If "
        "alignment is 0, the default alignment will be equal to the largest data type supported by it."
    )
    assert rules_of(read_sizes(tmp_path, function_block("clReadIt", READ, paragraph(text)))) == [
        ("alignment", "at-most", ("largest-data-type",), "bytes", (), False),
        ("alignment", "taken-as", ("largest-data-type",), "bytes", ("zero-given",), False),
    ]


def test_size_sentence_with_unknown_condition_is_reported_as_unread(tmp_path: Path) -> None:
    text = "row_pitch is in bytes. If the moon is full, row_pitch must be ≥ region[0]."
    found = read_sizes(tmp_path, function_block("clReadIt", READ, bullets(text)))
    assert (found.drafts, len(found.unread)) == ([], 1)


def test_size_sentence_about_a_list_of_numbers_is_ignored(tmp_path: Path) -> None:
    text = "region is a triple. Its first number must be ≥ 1 and a multiple of 4 if the moon is full."
    assert rules_of(read_sizes(tmp_path, function_block("clReadIt", READ, bullets(text)))) == []


def test_image_types_in_words_are_parsed_as_conditions_of_a_rule() -> None:
    found = parse_circumstances("a 1D image, 1D image buffer or 1D image array")
    assert found == ("image-1d", "image-1d-buffer", "image-1d-array")
    assert set(found) <= CIRCUMSTANCES.keys()
    assert parse_circumstances("the moon is full") is None


BOUND = "row_pitch must be ≥ region[0]"


@pytest.mark.parametrize(
    ("sentence", "when"),
    [
        (f"{BOUND}.", ()),
        (f"If host_ptr is not NULL, {BOUND}.", ("host-pointer",)),
        (
            f"If host_ptr is not NULL and the image is not a 2D image created from a buffer, {BOUND}.",
            ("host-pointer", "not-image-from-buffer"),
        ),
        (f"For a 2D image, {BOUND}.", ("image-2d",)),
        (f"{BOUND} if host_ptr is NULL.", ("no-host-pointer",)),
        (f"{BOUND} when host_ptr is NULL.", ("no-host-pointer",)),
        (f"{BOUND} for a 3D image.", ("image-3d",)),
    ],
)
def test_size_rule_applies_only_under_the_condition_in_its_sentence(
    tmp_path: Path, sentence: str, when: tuple[str, ...]
) -> None:
    (rule,) = rules_of(
        read_sizes(tmp_path, function_block("clReadIt", READ, bullets(f"row_pitch is in bytes. {sentence}")))
    )
    assert (rule[:3], rule[4]) == (("row_pitch", "at-least", ("region[0]",)), when)


@pytest.mark.parametrize(
    "sentence",
    [
        f"If the moon is full, {BOUND}.",
        f"If the moon is full then {BOUND}.",
        f"If the moon is full {BOUND}.",
        f"For red images, {BOUND}.",
        f"For red images {BOUND}.",
        f"When the moon is full, {BOUND}.",
        f"Where the moon is full, {BOUND}.",
        f"Unless host_ptr is NULL, {BOUND}.",
        f"Otherwise, {BOUND}.",
        f"If host_ptr is NULL, and the moon is full, {BOUND}.",
        f"If host_ptr is NULL, or the moon is full, {BOUND}.",
        f"{BOUND} if the moon is full.",
        f"{BOUND} when the moon is full.",
        f"{BOUND} unless host_ptr is NULL.",
        f"{BOUND}, unless host_ptr is NULL.",
        f"{BOUND} for a red image.",
    ],
)
def test_size_rule_with_unknown_condition_is_not_read_as_unconditional(tmp_path: Path, sentence: str) -> None:
    found = read_sizes(tmp_path, function_block("clReadIt", READ, bullets(f"row_pitch is in bytes. {sentence}")))
    assert (found.drafts, len(found.unread)) == ([], 1)


def test_sentence_without_size_is_not_reported_as_unread(tmp_path: Path) -> None:
    text = "row_pitch is in bytes. If the moon is full, row_pitch is red. Unless it rains, all is well."
    assert rules_of(read_sizes(tmp_path, function_block("clReadIt", READ, bullets(text), paragraph(text)))) == []


@pytest.mark.parametrize(
    ("above", "when"),
    [
        ("row_pitch must be 0 if host_ptr is NULL. ", ("otherwise",)),
        ("row_pitch must be 0 if host_ptr is NULL. row_pitch is red. ", ("otherwise",)),
        ("row_pitch is red. ", None),
    ],
)
@pytest.mark.parametrize("comma", ["", ","])
def test_size_rule_after_the_word_otherwise_needs_a_conditional_rule_above(
    tmp_path: Path, above: str, when: tuple[str, ...] | None, comma: str
) -> None:
    text = f"row_pitch is in bytes. {above}Otherwise{comma} {BOUND}."
    found = read_sizes(tmp_path, function_block("clReadIt", READ, bullets(text)))
    last = [draft.requirement.when for draft in found.drafts if isinstance(draft.requirement, SizeRule)][-1:]
    assert (last, len(found.unread)) == (([when], 0) if when else ([], 1))


@pytest.mark.parametrize(
    "sentence",
    [
        "{}, row_pitch * region[0] must be ≤ the size of the buffer object specified by image.",
        "{}, the host_ptr specified to make it must be aligned to CL_DEVICE_STEP.",
    ],
)
@pytest.mark.parametrize(
    ("above", "drafts", "unread"),
    [("For a 2D image", 1, 0), ("For a red image", 0, 1), ("When it rains", 0, 1), ("In any case", 1, 0)],
)
def test_size_rule_in_a_paragraph_needs_a_known_condition(
    tmp_path: Path, sentence: str, above: str, drafts: int, unread: int
) -> None:
    found = read_sizes(tmp_path, function_block("clReadIt", READ, paragraph(sentence.format(above))))
    assert (len(found.drafts), len(found.unread)) == (drafts, unread)


@pytest.mark.parametrize(("kind", "drafts", "unread"), [("a 2D image", 1, 0), ("a red image", 0, 1)])
def test_size_rule_of_a_returned_pointer_needs_a_known_condition(
    tmp_path: Path, kind: str, drafts: int, unread: int
) -> None:
    text = f"The pointer returned maps a region that is at least (region[0] * row_pitch) bytes in size for {kind}."
    found = read_sizes(tmp_path, function_block("clReadIt", READ, paragraph(text)))
    assert (len(found.drafts), len(found.unread)) == (drafts, unread)
