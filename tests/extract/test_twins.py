"""Prose about functions that share a description: the functions of each rule, the names in it, and prose in tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import (
    Effect,
    ErrorCondition,
    ImageFormat,
    Property,
    Section,
    SizeRule,
    Success,
    UsageRule,
)
from clconform.tools.extract import extract_documents
from clconform.tools.extract.prototypes import (
    function_from_prototype,
    parse_prototypes,
    twin_parameter_names,
    with_described_names,
)
from clconform.tools.extract.sentence_text import find_own_parameters, find_symbols, sentence_digest

from .documents import bullets, function, page, paragraph, table, write_folder

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.spec_tables.requirements import Function, Requirement

TWINS = """cl_int clTakeIt(cl_context context, cl_uint blocking_take, cl_uint row_pitch, void* ptr);
cl_int clGiveIt(cl_context context, cl_uint blocking_give, cl_uint input_row_pitch, const void* ptr);"""
OTHER = "cl_int clMoveIt(cl_context context, void* ptr);"
BOTH = "clTakeIt+clGiveIt"


def read(tmp_path: Path, sorts: dict[str, dict[str, dict[str, str]]], *parts: str) -> list[Requirement]:
    tables = tmp_path / "tables"
    tables.mkdir()
    known = {context: {sentence_digest(text): sort for text, sort in texts.items()} for context, texts in sorts.items()}
    (tables / "classification.json").write_text(json.dumps(known))
    return extract_documents(write_folder(tmp_path / "documents", page(*parts)), tables).requirements


def rules(records: list[Requirement]) -> list[tuple[str, str, tuple[str, ...]]]:
    return [(r.id, r.function, r.parameters) for r in records if isinstance(r, UsageRule)]


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
def test_a_rule_belongs_to_those_that_it_is_about(
    tmp_path: Path, before: str, rule: str, expected: list[tuple[str, str, tuple[str, ...]]]
) -> None:
    plain = rule.replace("<em>", "").replace("</em>", "")
    sorts = {BOTH: {plain: {"sort": "usage", "topic": "t"}}}
    parts = (function("clTakeIt", TWINS, paragraph(before + rule)), function("clMoveIt", OTHER))
    assert rules(read(tmp_path, sorts, *parts)) == expected


def test_what_the_sorting_gives_to_one_function_stays_there(tmp_path: Path) -> None:
    text = "Nobody must touch it."
    sorts = {BOTH: {text: {"sort": "usage", "topic": "t", "subject": "clGiveIt"}}}
    found = read(tmp_path, sorts, function("clTakeIt", TWINS, paragraph(text)))
    assert rules(found) == [("clGiveIt/usage/1", "clGiveIt", ())]


def test_what_another_function_describes_is_ruled_there(tmp_path: Path) -> None:
    rules_there = "Nobody must touch <em>ptr</em>. Nobody must touch <em>ptr</em> of a <em>context</em>."
    plain = ("Nobody must touch ptr.", "Nobody must touch ptr of a context.")
    sorts = {"clMoveIt": {text: {"sort": "usage", "topic": "t"} for text in plain}}
    code = "cl_int clDropIt(cl_context context, void* ptr);"
    refers = bullets("<em>context</em> is a context.", "<em>ptr</em> is as described in clMoveIt.")
    parts = (function("clMoveIt", OTHER, paragraph(rules_there)), function("clDropIt", code, refers))
    assert [rule for rule in rules(read(tmp_path, sorts, *parts)) if rule[1] == "clDropIt"] == [
        ("clDropIt/usage/1", "clDropIt", ("ptr",))
    ]


def test_plain_words_of_the_prose_are_no_parameters(tmp_path: Path) -> None:
    text = "clMoveIt returns CL_SUCCESS if the context has moved to <em>ptr</em>."
    found = read(tmp_path, {}, function("clMoveIt", OTHER, paragraph(text)))
    assert [r.parameters for r in found if isinstance(r, Success) and r.function == "clMoveIt"] == [("ptr",)]


def test_a_word_with_an_underscore_is_a_name_without_a_mark() -> None:
    assert find_own_parameters("the row_pitch of the context", ("row_pitch", "context"), frozenset()) == ("row_pitch",)


def test_a_family_of_functions_is_no_function() -> None:
    assert find_symbols("the clMove* calls, clMoveIt and cl_uint* values") == ("clMoveIt", "cl_uint")


def test_the_prose_in_a_table_of_flags_is_read(tmp_path: Path) -> None:
    text = "One of the things must be a <em>ptr</em> in this context."
    flags = table("Table 9. Flags", ("Thing Flags", "Description"), ("CL_THING_RED", text))
    plain = "One of the things must be a ptr in this context."
    sorts = {"clMoveIt": {plain: {"sort": "effect", "topic": "one-of-them"}}}
    found = read(tmp_path, sorts, function("clMoveIt", OTHER, flags))
    assert [(r.id, r.parameters) for r in found if isinstance(r, Effect)] == [("clMoveIt/effect/1", ("ptr",))]


def test_beside_a_least_value_zero_will_do_where_it_stands_for_another(tmp_path: Path) -> None:
    text = (
        "<em>row_pitch</em> is the pitch in bytes. That has to be greater than or equal to 4. If <em>row_pitch</em> is "
        "0, the pitch is calculated as <em>width</em>."
    ).replace("equal to 4", "equal to <em>width</em>")
    found = read(tmp_path, {}, function("clTakeIt", TWINS.split("\n", maxsplit=1)[0], bullets(text)))
    sizes = [(r.relation, r.allows_zero) for r in found if isinstance(r, SizeRule)]
    assert sizes == [("at-least", True), ("taken-as", False)]


MAKERS = """cl_thing clMakeThing(const cl_uint* properties);
cl_thing clMakeThingKHR(const cl_uint* properties);"""
LINKED = "<em>properties</em> may be NULL. The list of supported properties is described in a <a href='#t'>table</a>."


def test_a_property_list_that_refers_to_a_table_has_what_stands_there(tmp_path: Path) -> None:
    rows = table(
        "Table 9. List of properties for clMakeThing",
        ("Property", "Property Value", "Description"),
        ("CL_THING_SIZE|provided by the cl_khr_things extension.", "cl_uint", "Nothing must be larger."),
    ).replace("<table ", "<table id='t' ")
    sorts = {"CL_THING_SIZE": {"Nothing must be larger.": {"sort": "effect", "topic": "t"}}}
    found = read(tmp_path, sorts, function("clMakeThing", MAKERS, bullets(LINKED), rows))
    properties = [(r.id, r.function, r.value_type, r.gates[0].name) for r in found if isinstance(r, Property)]
    assert properties == [
        (f"CL_THING_SIZE@{name}", name, "cl_uint", "cl_khr_things") for name in ("clMakeThing", "clMakeThingKHR")
    ]
    assert [r.id for r in found if isinstance(r, Effect)] == ["CL_THING_SIZE/effect/1"]


@pytest.mark.parametrize(("before", "profiles"), [("For full profile devices it is:", ["FULL_PROFILE"]), ("Or:", [])])
def test_the_sentence_above_a_table_tells_the_profile(tmp_path: Path, before: str, profiles: list[str]) -> None:
    header = ("num_channels", "channel_order", "channel_data_type")
    rows = table("Table 9. Least formats for reading or writing", header, ("4", "CL_RGBA", "CL_FLOAT"))
    found = read(tmp_path, {}, paragraph(before) + rows)
    assert [[gate.name for gate in r.gates] for r in found if isinstance(r, ImageFormat)] == [profiles]


def test_a_format_of_an_extension_is_gated_by_that(tmp_path: Path) -> None:
    header = ("num_channels", "channel_order", "channel_data_type")
    rows = table("Table 9. Least formats for reading or writing", header, ("4", "CL_THING_SIZE_KHR", "CL_FLOAT"))
    found = read(tmp_path, {}, rows)
    assert [[gate.name for gate in r.gates] for r in found if isinstance(r, ImageFormat)] == [["cl_khr_things"]]


RENAMED = """cl_int clMixThings(cl_uint num_things, const cl_thing* things, cl_uint count);
cl_int clMixThingsKHR(cl_uint number_of_things, const cl_thing* thing_list, cl_uint count);"""
SAYS = paragraph("They return CL_SUCCESS if it worked. Otherwise, they return one of these errors:")


def clauses(tmp_path: Path, code: str, *items: str) -> dict[str, list[tuple[tuple[str, ...], str, tuple[str, ...]]]]:
    """Return, for each function, the parameters, kind and condition parameters of its error conditions."""
    found: dict[str, list[tuple[tuple[str, ...], str, tuple[str, ...]]]] = {}
    for record in read(tmp_path, {}, function("clMixThings", code, SAYS, bullets(*items))):
        if isinstance(record, ErrorCondition) and record.function.startswith("clMix"):
            own = (record.parameters, record.condition.kind, record.condition.parameters)
            found.setdefault(record.function, []).append(own)
    return found


@pytest.mark.parametrize(
    "text",
    [
        "CL_INVALID_VALUE if things is NULL and num_things is greater than zero.",
        "CL_INVALID_VALUE if thing_list is NULL and number_of_things is greater than zero.",
    ],
)
def test_twins_have_each_clause_with_names_of_their_own(tmp_path: Path, text: str) -> None:
    found = clauses(tmp_path, RENAMED, text)
    assert found["clMixThings"] == [(("things", "num_things"), "null-with-count", ("num_things", "things"))]
    own = ("number_of_things", "thing_list")
    assert found["clMixThingsKHR"] == [(own[::-1], "null-with-count", own)]


def test_a_clause_that_names_both_is_about_one_parameter_of_each(tmp_path: Path) -> None:
    found = clauses(tmp_path, RENAMED, "CL_INVALID_VALUE if things or thing_list is odd and count is even.")
    assert [parameters for (parameters, *_) in found["clMixThings"]] == [("things", "count")]
    assert [parameters for (parameters, *_) in found["clMixThingsKHR"]] == [("thing_list", "count")]


def test_a_sentence_that_says_more_is_of_no_kind_for_a_twin_either(tmp_path: Path) -> None:
    found = clauses(tmp_path, RENAMED, "CL_INVALID_VALUE if things is NULL on Mondays.")
    assert [kind for own in found.values() for _, kind, _ in own] == ["other", "other"]


def test_functions_with_other_names_are_no_twins(tmp_path: Path) -> None:
    code = RENAMED.replace("clMixThingsKHR", "clMixThem")
    found = clauses(tmp_path, code, "CL_INVALID_VALUE if things is NULL.", "CL_INVALID_VALUE if thing_list is NULL.")
    assert found == {
        "clMixThings": [(("things",), "null-parameter", ("things",))],
        "clMixThem": [(("thing_list",), "null-parameter", ("thing_list",))],
    }


def test_three_twins_with_three_names(tmp_path: Path) -> None:
    code = "".join(
        f"cl_int clMixThings{suffix}(const cl_thing* {name});\n"
        for suffix, name in (("", "things"), ("KHR", "thing_list"), ("EXT", "all_things"))
    )
    for index, name in enumerate(("things", "thing_list", "all_things")):
        (tmp_path / str(index)).mkdir()
        found = clauses(tmp_path / str(index), code, f"CL_INVALID_VALUE if {name} is NULL.")
        assert found == {
            "clMixThings": [(("things",), "null-parameter", ("things",))],
            "clMixThingsKHR": [(("thing_list",), "null-parameter", ("thing_list",))],
            "clMixThingsEXT": [(("all_things",), "null-parameter", ("all_things",))],
        }


def functions(code: str) -> list[Function]:
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
def test_twins_differ_by_a_suffix_and_have_as_many_parameters(one: str, other: str, own: dict[str, str]) -> None:
    both = functions(f"cl_int {one};\ncl_int {other};")
    assert twin_parameter_names(both[0], both) == own


@pytest.mark.parametrize(
    ("text", "called"),
    [("if b is odd", ("b", "d")), ("if a is odd", ("a", "d")), ("if a or b is odd", ("a", "d")), ("if d", ("a", "d"))],
)
def test_a_function_is_described_by_the_names_in_the_text(text: str, called: tuple[str, ...]) -> None:
    (function_here,) = functions("cl_int clMix(cl_uint a, cl_uint d);")
    described = with_described_names(function_here, {"b": "a", "c": "d"}, text)
    assert tuple(parameter.name for parameter in described.parameters) == called
