"""Prose under functions that share a description: whose rules it holds, and what it names; prose inside of tables."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.records import Effect, ImageFormat, Property, SizeRule, Success, UsageRule
from clconform.tools.extract import extract
from clconform.tools.extract.wording import digest, own_parameters, symbols_in

from .documents import bullets, function, page, paragraph, table, write_folder

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.spec_tables.records import Record

TWINS = """cl_int clTakeIt(cl_context context, cl_uint blocking_take, cl_uint row_pitch, void* ptr);
cl_int clGiveIt(cl_context context, cl_uint blocking_give, cl_uint input_row_pitch, const void* ptr);"""
OTHER = "cl_int clMoveIt(cl_context context, void* ptr);"
BOTH = "clTakeIt+clGiveIt"


def read(tmp_path: Path, sorts: dict[str, dict[str, dict[str, str]]], *parts: str) -> list[Record]:
    tables = tmp_path / "tables"
    tables.mkdir()
    known = {context: {digest(text): sort for text, sort in texts.items()} for context, texts in sorts.items()}
    (tables / "classification.json").write_text(json.dumps(known))
    return extract(write_folder(tmp_path / "documents", page(*parts)), tables).records


def rules(records: list[Record]) -> list[tuple[str, str, tuple[str, ...]]]:
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
    assert own_parameters("the row_pitch of the context", ("row_pitch", "context"), frozenset()) == ("row_pitch",)


def test_a_family_of_functions_is_no_function() -> None:
    assert symbols_in("the clMove* calls, clMoveIt and cl_uint* values") == ("clMoveIt", "cl_uint")


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
