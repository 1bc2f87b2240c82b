"""Prose about functions that share a description: the functions of each rule, the names in it, and prose in tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import (
    Effect,
    ErrorCondition,
    Property,
    RequiredImageFormat,
    Section,
    SizeRule,
    Success,
    UsageRule,
)
from clconform.tools.extract import extract_documents
from clconform.tools.extract.prototypes import (
    counterpart_parameter_names,
    function_from_prototype,
    parse_prototypes,
    with_described_names,
)
from clconform.tools.extract.sentence_text import find_own_parameters, find_symbols, sentence_digest

from .documents import bullets, function_block, html_page, html_table, paragraph, write_folder

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.spec_tables.requirements import Function, Requirement

FUNCTION_PAIR = """cl_int clTakeIt(cl_context context, cl_uint blocking_take, cl_uint row_pitch, void* ptr);
cl_int clGiveIt(cl_context context, cl_uint blocking_give, cl_uint input_row_pitch, const void* ptr);"""
OTHER_FUNCTION = "cl_int clMoveIt(cl_context context, void* ptr);"
PAIR_CONTEXT = "clTakeIt+clGiveIt"


def read_requirements(tmp_path: Path, sorts: dict[str, dict[str, dict[str, str]]], *parts: str) -> list[Requirement]:
    tables = tmp_path / "tables"
    tables.mkdir()
    known = {context: {sentence_digest(text): sort for text, sort in texts.items()} for context, texts in sorts.items()}
    (tables / "classification.json").write_text(json.dumps(known))
    return extract_documents(write_folder(tmp_path / "documents", html_page(*parts)), tables).requirements


def usage_rules(requirements: list[Requirement]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(r.id, r.function, r.parameters) for r in requirements if isinstance(r, UsageRule)]


@pytest.mark.parametrize(
    ("before", "rule", "expected"),
    [
        (
            "",
            "Nobody must touch <em>ptr</em> meanwhile.",
            [("clTakeIt/usage/1", "clTakeIt", ("ptr",)), ("clGiveIt/usage/1", "clGiveIt", ("ptr",))],
        ),
        ("", "In clGiveIt nobody must touch its <em>ptr</em>.", [("clGiveIt/usage/1", "clGiveIt", ("ptr",))]),
        (
            "",
            "The <em>input_row_pitch</em> must not lie.",
            [("clGiveIt/usage/1", "clGiveIt", ("input_row_pitch",))],
        ),
        (
            "With <em>blocking_take</em> it waits. ",
            "Nobody must touch <em>ptr</em> meanwhile.",
            [("clTakeIt/usage/1", "clTakeIt", ("ptr",))],
        ),
        (
            "",
            "Calling clMoveIt with the same <em>ptr</em> must not be tried.",
            [("clMoveIt/usage/1", "clMoveIt", ("ptr",))],
        ),
    ],
)
def test_usage_rule_applies_to_the_functions_whose_names_it_contains(
    tmp_path: Path, before: str, rule: str, expected: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    plain = rule.replace("<em>", "").replace("</em>", "")
    sorts = {PAIR_CONTEXT: {plain: {"classification": "usage", "topic": "t"}}}
    parts = (
        function_block("clTakeIt", FUNCTION_PAIR, paragraph(before + rule)),
        function_block("clMoveIt", OTHER_FUNCTION),
    )
    assert usage_rules(read_requirements(tmp_path, sorts, *parts)) == expected


def test_classification_may_assign_a_rule_to_one_of_two_functions(tmp_path: Path) -> None:
    text = "Nobody must touch it."
    sorts = {PAIR_CONTEXT: {text: {"classification": "usage", "topic": "t", "subject": "clGiveIt"}}}
    found = read_requirements(tmp_path, sorts, function_block("clTakeIt", FUNCTION_PAIR, paragraph(text)))
    assert usage_rules(found) == [("clGiveIt/usage/1", "clGiveIt", ())]


def test_usage_rule_applies_to_functions_that_refer_to_the_parameter_description(tmp_path: Path) -> None:
    rules_there = "Nobody must touch <em>ptr</em>. Nobody must touch <em>ptr</em> of a <em>context</em>."
    plain = ("Nobody must touch ptr.", "Nobody must touch ptr of a context.")
    sorts = {"clMoveIt": {text: {"classification": "usage", "topic": "t"} for text in plain}}
    code = "cl_int clDropIt(cl_context context, void* ptr);"
    refers = bullets("<em>context</em> is a context.", "<em>ptr</em> is as described in clMoveIt.")
    parts = (
        function_block("clMoveIt", OTHER_FUNCTION, paragraph(rules_there)),
        function_block("clDropIt", code, refers),
    )
    assert [rule for rule in usage_rules(read_requirements(tmp_path, sorts, *parts)) if rule[1] == "clDropIt"] == [
        ("clDropIt/usage/1", "clDropIt", ("ptr",))
    ]


def test_word_without_markup_is_not_listed_as_parameter_of_success_requirement(tmp_path: Path) -> None:
    text = "clMoveIt returns CL_SUCCESS if the context has moved to <em>ptr</em>."
    found = read_requirements(tmp_path, {}, function_block("clMoveIt", OTHER_FUNCTION, paragraph(text)))
    assert [r.parameters for r in found if isinstance(r, Success) and r.function == "clMoveIt"] == [("ptr",)]


def test_parameter_name_with_underscore_is_found_without_markup() -> None:
    assert find_own_parameters("the row_pitch of the context", ("row_pitch", "context"), frozenset()) == ("row_pitch",)


def test_name_with_asterisk_for_several_functions_is_not_a_symbol() -> None:
    assert find_symbols("the clMove* calls, clMoveIt and cl_uint* values") == ("clMoveIt", "cl_uint")


def test_classified_prose_in_a_flag_table_becomes_an_effect(tmp_path: Path) -> None:
    text = "One of the things must be a <em>ptr</em> in this context."
    flags = html_table("Table 9. Flags", ("Thing Flags", "Description"), ("CL_THING_RED", text))
    plain = "One of the things must be a ptr in this context."
    sorts = {"clMoveIt": {plain: {"classification": "effect", "topic": "one-of-them"}}}
    found = read_requirements(tmp_path, sorts, function_block("clMoveIt", OTHER_FUNCTION, flags))
    assert [(r.id, r.parameters) for r in found if isinstance(r, Effect)] == [("clMoveIt/effect/1", ("ptr",))]


def test_minimum_accepts_zero_if_zero_stands_for_a_default(tmp_path: Path) -> None:
    text = (
        "<em>row_pitch</em> is the pitch in bytes. That has to be greater than or equal to 4. If <em>row_pitch</em> is "
        "0, the pitch is calculated as <em>width</em>."
    ).replace("equal to 4", "equal to <em>width</em>")
    found = read_requirements(
        tmp_path, {}, function_block("clTakeIt", FUNCTION_PAIR.split("\n", maxsplit=1)[0], bullets(text))
    )
    sizes = [(r.relation, r.allows_zero) for r in found if isinstance(r, SizeRule)]
    assert sizes == [("at-least", True), ("taken-as", False)]


CREATION_FUNCTIONS = """cl_thing clMakeThing(const cl_uint* properties);
cl_thing clMakeThingKHR(const cl_uint* properties);"""
PROPERTY_TEXT = (
    "<em>properties</em> may be NULL. The list of supported properties is described in a <a href='#t'>table</a>."
)


def test_properties_are_read_from_the_table_that_the_parameter_links_to(tmp_path: Path) -> None:
    rows = html_table(
        "Table 9. List of properties for clMakeThing",
        ("Property", "Property Value", "Description"),
        ("CL_THING_SIZE|provided by the cl_khr_things extension.", "cl_uint", "Nothing must be larger."),
    ).replace("<table ", "<table id='t' ")
    sorts = {"CL_THING_SIZE": {"Nothing must be larger.": {"classification": "effect", "topic": "t"}}}
    found = read_requirements(
        tmp_path, sorts, function_block("clMakeThing", CREATION_FUNCTIONS, bullets(PROPERTY_TEXT), rows)
    )
    properties = [(r.id, r.function, r.value_type, r.applicability[0].name) for r in found if isinstance(r, Property)]
    assert properties == [
        (f"CL_THING_SIZE@{name}", name, "cl_uint", "cl_khr_things") for name in ("clMakeThing", "clMakeThingKHR")
    ]
    assert [r.id for r in found if isinstance(r, Effect)] == ["CL_THING_SIZE/effect/1"]


@pytest.mark.parametrize(("before", "profiles"), [("For full profile devices it is:", ["FULL_PROFILE"]), ("Or:", [])])
def test_profile_named_above_format_table_restricts_the_formats(
    tmp_path: Path, before: str, profiles: list[str]
) -> None:
    header = ("num_channels", "channel_order", "channel_data_type")
    rows = html_table("Table 9. Least formats for reading or writing", header, ("4", "CL_RGBA", "CL_FLOAT"))
    found = read_requirements(tmp_path, {}, paragraph(before) + rows)
    assert [[gate.name for gate in r.applicability] for r in found if isinstance(r, RequiredImageFormat)] == [profiles]


def test_image_format_with_extension_name_requires_the_extension(tmp_path: Path) -> None:
    header = ("num_channels", "channel_order", "channel_data_type")
    rows = html_table("Table 9. Least formats for reading or writing", header, ("4", "CL_THING_SIZE_KHR", "CL_FLOAT"))
    found = read_requirements(tmp_path, {}, rows)
    assert [[gate.name for gate in r.applicability] for r in found if isinstance(r, RequiredImageFormat)] == [
        ["cl_khr_things"]
    ]


RENAMED_PARAMETERS = """cl_int clMixThings(cl_uint num_things, const cl_thing* things, cl_uint count);
cl_int clMixThingsKHR(cl_uint number_of_things, const cl_thing* thing_list, cl_uint count);"""
RETURN_TEXT = paragraph("They return CL_SUCCESS if it worked. Otherwise, they return one of these errors:")


def read_conditions(
    tmp_path: Path, code: str, *items: str
) -> dict[str, list[tuple[tuple[str, ...], str, tuple[str, ...]]]]:
    """Return, for each function, the parameters, kind and condition parameters of its error conditions."""
    found: dict[str, list[tuple[tuple[str, ...], str, tuple[str, ...]]]] = {}
    for requirement in read_requirements(
        tmp_path, {}, function_block("clMixThings", code, RETURN_TEXT, bullets(*items))
    ):
        if isinstance(requirement, ErrorCondition) and requirement.function.startswith("clMix"):
            own = (requirement.parameters, requirement.condition.kind, requirement.condition.parameters)
            found.setdefault(requirement.function, []).append(own)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "CL_INVALID_VALUE if things is NULL and num_things is greater than zero.",
        "CL_INVALID_VALUE if thing_list is NULL and number_of_things is greater than zero.",
    ],
)
def test_condition_with_names_of_one_function_also_applies_to_its_variant(tmp_path: Path, text: str) -> None:
    found = read_conditions(tmp_path, RENAMED_PARAMETERS, text)
    assert found["clMixThings"] == [(("things", "num_things"), "null-with-count", ("num_things", "things"))]
    own = ("number_of_things", "thing_list")
    assert found["clMixThingsKHR"] == [(own[::-1], "null-with-count", own)]


def test_condition_with_parameter_names_of_two_functions_keeps_only_own_name_in_each(tmp_path: Path) -> None:
    found = read_conditions(
        tmp_path, RENAMED_PARAMETERS, "CL_INVALID_VALUE if things or thing_list is odd and count is even."
    )
    assert [parameters for (parameters, *_) in found["clMixThings"]] == [("things", "count")]
    assert [parameters for (parameters, *_) in found["clMixThingsKHR"]] == [("thing_list", "count")]


def test_condition_with_additional_words_has_kind_other_in_both_functions(tmp_path: Path) -> None:
    found = read_conditions(tmp_path, RENAMED_PARAMETERS, "CL_INVALID_VALUE if things is NULL on Mondays.")
    assert [kind for own in found.values() for _, kind, _ in own] == ["other", "other"]


def test_parameter_names_are_not_translated_between_unrelated_functions(tmp_path: Path) -> None:
    code = RENAMED_PARAMETERS.replace("clMixThingsKHR", "clMixThem")
    found = read_conditions(
        tmp_path, code, "CL_INVALID_VALUE if things is NULL.", "CL_INVALID_VALUE if thing_list is NULL."
    )
    assert found == {
        "clMixThings": [(("things",), "null-parameter", ("things",))],
        "clMixThem": [(("thing_list",), "null-parameter", ("thing_list",))],
    }


def test_condition_with_one_of_three_parameter_names_applies_to_all_three_functions(tmp_path: Path) -> None:
    code = "".join(
        f"cl_int clMixThings{suffix}(const cl_thing* {name});\n"
        for suffix, name in (("", "things"), ("KHR", "thing_list"), ("EXT", "all_things"))
    )
    for index, name in enumerate(("things", "thing_list", "all_things")):
        (tmp_path / str(index)).mkdir()
        found = read_conditions(tmp_path / str(index), code, f"CL_INVALID_VALUE if {name} is NULL.")
        assert found == {
            "clMixThings": [(("things",), "null-parameter", ("things",))],
            "clMixThingsKHR": [(("thing_list",), "null-parameter", ("thing_list",))],
            "clMixThingsEXT": [(("all_things",), "null-parameter", ("all_things",))],
        }


def create_functions(code: str) -> list[Function]:
    return [function_from_prototype(prototype, "T", Section("", "")) for prototype in parse_prototypes(code)]


@pytest.mark.parametrize(
    ("one", "other", "own"),
    [
        ("clMix(cl_uint a)", "clMixKHR(cl_uint b)", {"b": "a"}),
        ("clMixKHR(cl_uint a)", "clMix(cl_uint b)", {"b": "a"}),
        ("clMixKHR(cl_uint a)", "clMixEXT(cl_uint b)", {"b": "a"}),
        ("clMixIL(cl_uint a)", "clMixILKHR(cl_uint b)", {"b": "a"}),
        ("clMixILKHR(cl_uint a)", "clMixIL(cl_uint b)", {"b": "a"}),
        ("clMixILKHR(cl_uint a)", "clMixILEXT(cl_uint b)", {"b": "a"}),
        ("clMix(cl_uint a)", "clMixINTEL(cl_uint b)", {"b": "a"}),
        ("clMix(cl_uint a, cl_uint c)", "clMixKHR(cl_uint b, cl_uint c)", {"b": "a"}),
        ("clMix(cl_uint a)", "clMixKHR(cl_uint b, cl_uint c)", {}),
        ("clMix(cl_uint a)", "clMixAll(cl_uint b)", {}),
        ("clMix(cl_uint a)", "clDropKHR(cl_uint b)", {}),
        ("clMix(cl_uint a)", "clMixKHR(cl_uint a)", {}),
    ],
)
def test_parameters_are_paired_only_if_function_names_differ_by_suffix(
    one: str, other: str, own: dict[str, str]
) -> None:
    both = create_functions(f"cl_int {one};\ncl_int {other};")
    assert counterpart_parameter_names(both[0], both) == own


@pytest.mark.parametrize(
    ("text", "called"),
    [("if b is odd", ("b", "d")), ("if a is odd", ("a", "d")), ("if a or b is odd", ("a", "d")), ("if d", ("a", "d"))],
)
def test_parameter_gets_its_described_name_if_the_text_uses_that_name(text: str, called: tuple[str, ...]) -> None:
    (function_here,) = create_functions("cl_int clMix(cl_uint a, cl_uint d);")
    described = with_described_names(function_here, {"b": "a", "c": "d"}, text)
    assert tuple(parameter.name for parameter in described.parameters) == called
