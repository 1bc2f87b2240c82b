"""Error lists: order of codes, applicability, nested lists, failures without a code, inheritance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import ApplicabilityCondition
from clconform.tools.extract.error_conditions import ScopeErrors, read_errors
from clconform.tools.extract.html_reader import read_html
from clconform.tools.extract.scopes import split_scopes

from .documents import bullets, function_block, html_page, note, paragraph

if TYPE_CHECKING:
    from pathlib import Path

CODES = frozenset({"CL_INVALID_VALUE", "CL_INVALID_CONTEXT", "CL_OUT_OF_HOST_MEMORY"})
CODE = "cl_int clUseThing(cl_context context, cl_uint count);"
RETURNS = paragraph(
    "clUseThing returns CL_SUCCESS if all went well. Otherwise, it returns one of the following errors:"
)


def read_page_errors(tmp_path: Path, *body: str, code: str = CODE, name: str = "clUseThing") -> ScopeErrors:
    path = tmp_path / "page.html"
    path.write_text(html_page(function_block(name, code, *body)), encoding="utf-8")
    scope = next(scope for scope in split_scopes(read_html(path, "T").blocks, "T") if scope.functions)
    return read_errors(scope, CODES)


def test_error_conditions_are_read_in_document_order(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path, RETURNS, bullets("CL_INVALID_VALUE if a.", "CL_INVALID_CONTEXT if b.", "CL_INVALID_VALUE if c.")
    )
    assert [clause.code for clause in found.conditions] == [
        "CL_INVALID_VALUE",
        "CL_INVALID_CONTEXT",
        "CL_INVALID_VALUE",
    ]
    assert found.success["clUseThing"].startswith("clUseThing returns CL_SUCCESS")
    assert found.unread == []


def test_unsplit_nested_list_is_part_of_its_condition_text(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path,
        RETURNS,
        bullets("CL_INVALID_VALUE if any of these hold:|" + bullets("one.", "two."), "CL_INVALID_CONTEXT if d."),
    )
    assert next(clause.text for clause in found.conditions) == "CL_INVALID_VALUE if any of these hold: one. two."
    assert len(found.conditions) == 2


def test_error_list_introduced_by_an_extension_requires_the_extension(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path,
        RETURNS,
        bullets("CL_INVALID_VALUE if a."),
        paragraph("The following errors may be returned if the cl_khr_things extension is supported:"),
        bullets("CL_INVALID_CONTEXT if b."),
    )
    assert [clause.applicability for clause in found.conditions] == [
        (),
        (ApplicabilityCondition("extension", name="cl_khr_things"),),
    ]


def test_applicability_is_read_from_the_condition_text(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path,
        RETURNS,
        bullets(
            "CL_INVALID_VALUE if a. This error code is missing before version 1.1.",
            "CL_INVALID_VALUE if b. Returning this error code here is deprecated by version 2.1.",
            "CL_INVALID_VALUE if the cl_khr_things extension is supported and c.",
        ),
    )
    assert [clause.applicability for clause in found.conditions] == [
        (ApplicabilityCondition("platform-version", since="1.1"),),
        (ApplicabilityCondition("platform-version", before="2.1"),),
        (ApplicabilityCondition("extension", name="cl_khr_things"),),
    ]


def test_condition_with_error_code_unknown_to_the_registry_is_read(tmp_path: Path) -> None:
    found = read_page_errors(tmp_path, RETURNS, bullets("CL_INVALID_NOVELTY if a.", "CL_INVALID_VALUE if b."))
    assert [clause.code for clause in found.conditions] == ["CL_INVALID_NOVELTY", "CL_INVALID_VALUE"]


def test_list_item_without_error_code_is_reported(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path, RETURNS, bullets("CL_INVALID_VALUE if a.", "Any other error may be returned too.")
    )
    assert found.unread == ["Any other error may be returned too."]


def test_list_of_names_is_not_an_error_list(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path, paragraph("All but these may differ:"), bullets("CL_THING_SIZE", "CL_THING_COLOUR"), RETURNS
    )
    assert found.conditions == []


def test_conditions_of_a_failure_without_error_code_have_code_null(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path,
        paragraph("clThingAlloc returns an address if it worked. Otherwise it returns NULL. clThingAlloc will fail if"),
        bullets("context is wrong.", "size is 0."),
        code="void* clThingAlloc(cl_context context, size_t size);",
        name="clThingAlloc",
    )
    assert [(clause.code, clause.functions) for clause in found.conditions] == [("NULL", ("clThingAlloc",))] * 2


def test_condition_that_names_a_function_applies_only_to_that_function(tmp_path: Path) -> None:
    code = "cl_int clReadThing(cl_context context);\ncl_int clWriteThing(cl_context context);"
    found = read_page_errors(
        tmp_path,
        paragraph(
            "clReadThing and clWriteThing return CL_SUCCESS if it worked. Otherwise, they return one of these errors:"
        ),
        bullets("CL_INVALID_CONTEXT if a.", "CL_INVALID_VALUE if clReadThing is called on b."),
        code=code,
        name="clReadThing",
    )
    assert [clause.functions for clause in found.conditions] == [("clReadThing", "clWriteThing"), ("clReadThing",)]
    assert set(found.success) == {"clReadThing", "clWriteThing"}


def test_replacement_of_an_inherited_condition_is_read(tmp_path: Path) -> None:
    found = read_page_errors(
        tmp_path,
        paragraph(
            "clUseThing returns CL_SUCCESS if it worked. Otherwise, it returns the "
            "errors defined by clUseA, clUseB, and clUseC except:"
        ),
        paragraph("CL_INVALID_CONTEXT is replaced with:"),
        bullets("CL_INVALID_CONTEXT if it is worse."),
        paragraph("New errors:"),
        bullets("CL_INVALID_VALUE if new."),
    )
    assert found.inherits == ("clUseA", "clUseB", "clUseC")
    assert found.replaces == ("CL_INVALID_CONTEXT",)
    assert [clause.code for clause in found.conditions] == ["CL_INVALID_CONTEXT", "CL_INVALID_VALUE"]


def test_version_note_limits_the_applicability_of_a_function(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    body = note("<b>clUseThing</b> is missing before version 1.2 and deprecated by version 2.0.")
    path.write_text(html_page(function_block("clUseThing", CODE, body)), encoding="utf-8")
    (scope,) = (scope for scope in split_scopes(read_html(path, "T").blocks, "T") if scope.functions)
    assert scope.functions[0].applicability == (ApplicabilityCondition("platform-version", since="1.2"),)
    assert scope.functions[0].deprecated_by == "2.0"


def test_prototype_outside_open_block_starts_a_new_scope(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    listing = '<div id="{0}" class="listingblock"><pre>cl_int {0}(cl_context context);</pre></div>'
    body = [
        part
        for name in ("clOneThing", "clTwoThings")
        for part in (
            listing.format(name),
            paragraph(f"{name} returns an error:"),
            bullets(f"CL_INVALID_VALUE if {name}."),
        )
    ]
    path.write_text(html_page(*body), encoding="utf-8")
    scopes = [scope for scope in split_scopes(read_html(path, "T").blocks, "T") if scope.functions]
    assert [clause.functions for scope in scopes for clause in read_errors(scope, CODES).conditions] == [
        ("clOneThing",),
        ("clTwoThings",),
    ]


def test_adjacent_prototypes_outside_open_block_share_an_error_list(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    listing = '<div id="{0}" class="listingblock"><pre>cl_int {0}(cl_context context);</pre></div>'
    texts = [listing.format("clReadThing"), paragraph("Or its twin:"), listing.format("clWriteThing")]
    path.write_text(html_page(*texts, paragraph("They return one of these errors:"), bullets("CL_INVALID_VALUE if a.")))
    (scope,) = (scope for scope in split_scopes(read_html(path, "T").blocks, "T") if scope.functions)
    assert read_errors(scope, CODES).conditions[0].functions == ("clReadThing", "clWriteThing")


def test_parameter_described_as_ordered_list_is_an_input(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    code = "cl_int clUseThings(cl_uint count, cl_thing* things, cl_uint* made);"
    items = bullets("count is a number.", "things is an ordered list of things.", "made returns a list of numbers.")
    path.write_text(html_page(function_block("clUseThings", code, items)))
    (scope,) = (scope for scope in split_scopes(read_html(path, "T").blocks, "T") if scope.functions)
    assert [parameter.direction for parameter in scope.functions[0].parameters] == ["in", "in", "out"]


def test_condition_applies_only_to_functions_with_its_parameter(tmp_path: Path) -> None:
    one = "cl_int clOneThing(cl_uint n, cl_uint in_pitch);"
    code = f"{one}\ncl_int clTwoThings(cl_uint n, cl_uint out_pitch, cl_uint more);"
    found = read_page_errors(
        tmp_path,
        paragraph("They return CL_SUCCESS if it worked. Otherwise, they return one of these errors:"),
        bullets(
            "CL_INVALID_VALUE if n is 0.",
            "CL_INVALID_VALUE if more is 0.",
            "CL_INVALID_VALUE if in_pitch or out_pitch is 0.",
        ),
        code=code,
        name="clOneThing",
    )
    both = ("clOneThing", "clTwoThings")
    assert [clause.functions for clause in found.conditions] == [both, ("clTwoThings",), both]


FUNCTION_PAIR = """cl_thing clMakeThing(cl_context context, cl_uint count);
cl_thing clMakeThingWithProperties(cl_context context, const cl_uint* properties, cl_uint count);"""
PAIR_NAMES = ("clMakeThing", "clMakeThingWithProperties")


@pytest.mark.parametrize(
    ("words", "concerned"),
    [
        ("if a name in properties is odd.", PAIR_NAMES[1:]),
        ("if properties includes CL_THING_RED.", PAIR_NAMES[1:]),
        ("if properties does not include CL_THING_RED and count is 0.", PAIR_NAMES),
        ("if CL_THING_RED is not specified in properties and count is 0.", PAIR_NAMES),
        ("if CL_THING_RED is not specified as part of the properties.", PAIR_NAMES),
        ("if CL_THING_RED is specified in properties.", PAIR_NAMES[1:]),
        ("if properties does not include CL_THING_RED and a name in properties is odd.", PAIR_NAMES[1:]),
        ("if count is 0.", PAIR_NAMES),
    ],
)
def test_missing_property_condition_applies_to_function_without_property_list(
    tmp_path: Path, words: str, concerned: tuple[str, ...]
) -> None:
    says = paragraph("They return CL_SUCCESS if it worked. Otherwise, they return one of these errors:")
    found = read_page_errors(
        tmp_path, says, bullets(f"CL_INVALID_VALUE {words}"), code=FUNCTION_PAIR, name="clMakeThingWithProperties"
    )
    assert [clause.functions for clause in found.conditions] == [concerned]


def test_note_at_end_of_condition_limits_it_to_older_devices(tmp_path: Path) -> None:
    note_below = (
        "This error condition does not apply when the device associated with count supports OpenCL 2.1 or newer."
    )
    found = read_page_errors(
        tmp_path, RETURNS, bullets(f"CL_INVALID_VALUE if a. {note_below}", "CL_INVALID_VALUE if b.")
    )
    assert [clause.applicability for clause in found.conditions] == [
        (ApplicabilityCondition("device-version", before="2.1"),),
        (),
    ]
