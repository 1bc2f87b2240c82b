"""Extraction of the tables of flags, formats, command types, sizes and optional features."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import Function, Section
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.table_facts import extract_facts

from .documents import html_page, html_table

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.spec_tables.requirements import Requirement

FUNCTIONS = {name: Function(name, "cl_int", (), "T", Section("", "")) for name in ("clEnqueueA", "clEnqueueB")}


def read_table(tmp_path: Path, html: str) -> list[Requirement]:
    path = tmp_path / "page.html"
    path.write_text(html_page(html), encoding="utf-8")
    block = next(block for block in read_html(path, "T").blocks if block.kind == "table")
    return [draft.requirement for draft in extract_facts(block, "T", FUNCTIONS)]


def test_exclusions_of_flags_are_read_from_their_table(tmp_path: Path) -> None:
    rows = (
        ("CL_MEM_ONE", "The first. CL_MEM_ONE, CL_MEM_TWO and CL_MEM_TEN are mutually exclusive."),
        ("CL_MEM_TWO", "The second."),
        ("CL_MEM_TEN|missing before version 1.2.", "CL_MEM_SIX or CL_MEM_SEVEN and CL_MEM_TEN are mutually exclusive."),
    )
    found = read_table(tmp_path, html_table("Table 9. Flags", ("Memory Flags", "Description"), *rows))
    assert {flag.name: flag.excludes for flag in found} == {  # type: ignore[union-attr]
        "CL_MEM_ONE": ("CL_MEM_TEN", "CL_MEM_TWO"),
        "CL_MEM_TWO": ("CL_MEM_ONE", "CL_MEM_TEN"),
        "CL_MEM_TEN": ("CL_MEM_ONE", "CL_MEM_SEVEN", "CL_MEM_SIX", "CL_MEM_TWO"),
    }
    assert found[2].applicability[0].since == "1.2"


def test_required_image_formats_have_profile_and_access_of_the_caption(tmp_path: Path) -> None:
    header = ("num_channels", "channel_order", "channel_data_type")
    caption = "Table 9. Minimum list for reading and writing (embedded profile)"
    found = read_table(tmp_path, html_table(caption, header, ("4", "CL_RGBA", "CL_UNORM_INT8 CL_FLOAT")))
    assert [(f.order, f.data_type, f.channels, f.access) for f in found] == [  # type: ignore[union-attr]
        ("CL_RGBA", "CL_UNORM_INT8", 4, "read-and-write"),
        ("CL_RGBA", "CL_FLOAT", 4, "read-and-write"),
    ]
    assert found[0].applicability[0].name == "EMBEDDED_PROFILE"


def test_row_of_command_type_table_may_name_several_functions(tmp_path: Path) -> None:
    header = ("Events Created By", "Event Command Type")
    found = read_table(tmp_path, html_table("Table 9. Types", header, ("clEnqueueA, clEnqueueB", "CL_COMMAND_A")))
    assert [(r.function, r.name) for r in found] == [("clEnqueueA", "CL_COMMAND_A"), ("clEnqueueB", "CL_COMMAND_A")]  # type: ignore[union-attr]


def test_table_of_optional_feature_yields_allowed_results(tmp_path: Path) -> None:
    rows = (
        ("clGetDeviceInfo, passing CL_A or CL_B1", "Returns 0 if it is not supported."),
        ("clEnqueueA, clEnqueueB", "Returns CL_INVALID_OPERATION if it is not supported."),
        ("clGetThings", "Returns an empty set."),
    )
    found = read_table(tmp_path, html_table("", ("API", "Behavior"), *rows))
    assert [(r.function, r.subject, r.allowed_results) for r in found] == [  # type: ignore[union-attr]
        ("clGetDeviceInfo", "CL_A", ("0",)),
        ("clGetDeviceInfo", "CL_B1", ("0",)),
        ("clEnqueueA", "clEnqueueA", ("CL_INVALID_OPERATION",)),
        ("clEnqueueB", "clEnqueueB", ("CL_INVALID_OPERATION",)),
        ("clGetThings", "clGetThings", ("empty",)),
    ]
    assert {r.feature for r in found} == {"things"}  # type: ignore[union-attr]


def test_table_of_host_ptr_sizes_yields_factors_for_each_image_type(tmp_path: Path) -> None:
    header = ("Image Type", "Size of buffer that host_ptr points to")
    found = read_table(
        tmp_path,
        html_table(
            "Table 9. Sizes",
            header,
            ("CL_MEM_OBJECT_IMAGE3D", "≥ image_slice_pitch \N{MULTIPLICATION SIGN} image_depth"),
        ),
    )
    assert [(r.name, r.factors) for r in found] == [("CL_MEM_OBJECT_IMAGE3D", ("image_slice_pitch", "image_depth"))]  # type: ignore[union-attr]


def test_tables_without_facts_are_ignored(tmp_path: Path) -> None:
    assert read_table(tmp_path, html_table("Table 9. Colours", ("Colour", "Meaning"), ("CL_RED", "stop"))) == []
