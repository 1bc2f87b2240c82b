"""The whole extraction: written and loaded tables, the check, changes between revisions, and unread text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.loading import read_tables
from clconform.spec_tables.requirements import ApplicabilityCondition, Effect, ErrorCondition
from clconform.tools.extract import ExtractError, compare_tables, extract_documents, write_tables
from clconform.tools.extract.sentence_text import sentence_digest

from .documents import REGISTRY, bullets, function_block, html_page, html_table, paragraph, write_folder

if TYPE_CHECKING:
    from pathlib import Path

PROTOTYPE = """cl_thing clCreateThing(cl_context context, const cl_uint* sizes,
    void (CL_CALLBACK* pfn_notify)(cl_thing thing, void* user_data), cl_int* errcode_ret);"""
RETURNS = "clCreateThing returns a thing, and CL_SUCCESS in errcode_ret. Otherwise, one of these errors:"


def create_document(*clauses: str) -> str:
    return html_page(function_block("clCreateThing", PROTOTYPE, paragraph(RETURNS), bullets(*clauses)))


OLD = create_document("CL_INVALID_CONTEXT if context is not a valid context.", "CL_INVALID_VALUE if sizes is NULL.")
NEW = create_document("CL_INVALID_VALUE if a size in sizes is 0.", "CL_INVALID_VALUE if sizes is NULL.")


def test_written_tables_can_be_loaded(tmp_path: Path) -> None:
    result = extract_documents(write_folder(tmp_path / "documents", OLD), tmp_path / "tables")
    write_tables(result, tmp_path / "tables")
    (tmp_path / "tables" / "errata.json").write_text("[]")
    tables = read_tables(tmp_path / "tables")
    assert [clause.id for clause in tables.error_conditions_of("clCreateThing")] == [
        "clCreateThing/CL_INVALID_CONTEXT/1",
        "clCreateThing/CL_INVALID_VALUE/1",
    ]
    assert "clCreateThing/success" in tables.requirements
    assert tables.documents["OpenCL"].revision == "9.8.7"


def test_second_extraction_writes_equal_tables(tmp_path: Path) -> None:
    documents = write_folder(tmp_path / "documents", OLD)
    write_tables(extract_documents(documents, tmp_path / "tables"), tmp_path / "tables")
    again = extract_documents(documents, tmp_path / "tables")
    assert [line for line in compare_tables(again, tmp_path / "tables") if not line.startswith("un")] == []


def test_requirement_ids_stay_the_same_in_a_new_revision(tmp_path: Path) -> None:
    write_tables(extract_documents(write_folder(tmp_path / "old", OLD), tmp_path / "tables"), tmp_path / "tables")
    result = extract_documents(write_folder(tmp_path / "new", NEW), tmp_path / "tables")
    numbers = {
        requirement.digest: requirement.id
        for requirement in result.requirements
        if isinstance(requirement, ErrorCondition)
    }
    before = {requirement.digest: requirement.id for requirement in read_conditions(tmp_path / "old", tmp_path)}
    shared = numbers.keys() & before.keys()
    assert shared
    assert all(numbers[digest] == before[digest] for digest in shared)
    assert "clCreateThing/CL_INVALID_VALUE/2" in numbers.values()


def read_conditions(documents: Path, tmp_path: Path) -> list[ErrorCondition]:
    result = extract_documents(documents, tmp_path / "tables")
    return [requirement for requirement in result.requirements if isinstance(requirement, ErrorCondition)]


def test_comparison_states_whether_tables_or_documents_have_each_id(tmp_path: Path) -> None:
    write_tables(extract_documents(write_folder(tmp_path / "old", OLD), tmp_path / "tables"), tmp_path / "tables")
    differences = compare_tables(
        extract_documents(write_folder(tmp_path / "new", NEW), tmp_path / "tables"), tmp_path / "tables"
    )
    assert "clauses.json: clCreateThing/CL_INVALID_CONTEXT/1: in the committed tables only" in differences
    assert "clauses.json: clCreateThing/CL_INVALID_VALUE/2: in the documents only" in differences


def test_list_item_that_is_not_a_condition_is_reported_as_unparsed(tmp_path: Path) -> None:
    html = create_document("CL_INVALID_CONTEXT if context is not a valid context.", "Or something else.")
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert any("clCreateThing" in text for text in result.unparsed)


def test_prototype_mismatch_with_registry_is_reported(tmp_path: Path) -> None:
    html = OLD.replace("const cl_uint* sizes", "cl_uint* lengths")
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert "clCreateThing: parameter lengths, in the registry sizes" in result.differences


@pytest.mark.parametrize("missing", ["OpenCL_API-9.8.7.html", "cl-9.8.7.xml"])
def test_missing_document_is_reported_in_one_line(tmp_path: Path, missing: str) -> None:
    documents = write_folder(tmp_path / "documents", OLD)
    (documents / missing).unlink()
    with pytest.raises(ExtractError, match="registry") as caught:
        extract_documents(documents, tmp_path / "tables")
    assert "\n" not in str(caught.value)


def test_missing_folder_is_reported_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ExtractError, match="no such folder"):
        extract_documents(tmp_path / "nowhere")


def test_code_missing_in_registry_fails_the_check(tmp_path: Path) -> None:
    html = create_document("CL_INVALID_NOVELTY if sizes is NULL.")
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert any("CL_INVALID_NOVELTY is not an error code" in text for text in result.unparsed)


def test_unread_table_is_reported_with_caption_or_header(tmp_path: Path) -> None:
    strange = html_table("Table 3. Weather", ("Colour", "Meaning"), ("grey", "rain")) + html_table(
        "", ("Wind", "Use"), ("a", "b")
    )
    result = extract_documents(write_folder(tmp_path / "documents", html_page(strange)), tmp_path / "tables")
    (captioned, bare) = (text for text in result.unparsed if "unread table" in text)
    assert "Weather" in captioned
    assert "Use, Wind" in bare


def test_table_with_stored_reason_is_ignored_under_any_table_number(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "unread.json").write_text(f'{{"{sentence_digest("Weather")}": "it changes"}}')
    html = html_page(html_table("Table 31. Weather", ("Colour", "Meaning"), ("grey", "rain")))
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert [text for text in result.unparsed if "unread table" in text] == []


def test_table_row_with_missing_cell_is_reported(tmp_path: Path) -> None:
    html = html_page(
        html_table("Table 3. Flags", ("Memory Flags", "Description"), ("CL_THING_RED", "red"), ("CL_THING_SIZE",))
    )
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path / "tables")
    assert len([text for text in result.unparsed if "lacks a cell" in text]) == 1
    assert "cl_mem_flags:CL_THING_RED" in {requirement.id for requirement in result.requirements}


# rewordings

FIRST, SECOND = "CL_INVALID_VALUE if sizes is NULL.", "CL_INVALID_VALUE if sizes is NULL on Mondays."
REWORDED = "clCreateThing/CL_INVALID_VALUE/1"


def extract_second_revision(tmp_path: Path, text: str, same: dict[str, dict[str, str]]) -> list[ErrorCondition]:
    """Return the conditions of a second revision in which the text of the only condition is ``text``."""
    tables = tmp_path / "tables"
    write_tables(extract_documents(write_folder(tmp_path / "old", create_document(FIRST)), tables), tables)
    found = {name: {key: {"verdict": word} for key, word in words.items()} for name, words in same.items()}
    (tables / "rewordings.json").write_text(json.dumps(found))
    result = extract_documents(write_folder(tmp_path / "new", create_document(text)), tables)
    write_tables(result, tables)
    loaded = read_tables(tables).requirements
    clauses = [
        requirement
        for requirement in result.requirements
        if isinstance(requirement, ErrorCondition) and requirement.code != "NULL"
    ]
    assert all(loaded[clause.id] == clause for clause in clauses)
    return [clause for clause in clauses if clause.function == "clCreateThing"]


@pytest.mark.parametrize(
    ("text", "same", "reworded"),
    [
        (SECOND, {}, True),
        (SECOND, {REWORDED: {sentence_digest(SECOND): "same"}}, False),
        (SECOND, {REWORDED: {"0123": "different", sentence_digest(SECOND): "same"}}, False),
        (SECOND, {REWORDED: {sentence_digest(FIRST): "same"}}, True),
        (SECOND, {"clCreateThing/CL_INVALID_VALUE/2": {sentence_digest(SECOND): "same"}}, True),
        (FIRST, {}, False),
        (FIRST.replace("if", "- if").removesuffix("."), {}, False),
    ],
)
def test_reworded_condition_needs_a_decision(
    tmp_path: Path, text: str, same: dict[str, dict[str, str]], *, reworded: bool
) -> None:
    (clause,) = extract_second_revision(tmp_path, text, same)
    assert (clause.id, clause.digest, clause.reworded) == (REWORDED, sentence_digest(text), reworded)


def test_condition_restored_to_its_first_wording_is_not_reworded(tmp_path: Path) -> None:
    assert extract_second_revision(tmp_path, SECOND, {})[0].reworded
    (clause,) = (
        requirement
        for requirement in extract_documents(tmp_path / "old", tmp_path / "tables").requirements
        if isinstance(requirement, ErrorCondition) and requirement.id == REWORDED
    )
    assert not clause.reworded


def test_condition_reworded_to_name_another_parameter_gets_a_new_id(tmp_path: Path) -> None:
    (clause,) = extract_second_revision(tmp_path, "CL_INVALID_VALUE if context is odd.", {})
    assert (clause.id, clause.reworded) == ("clCreateThing/CL_INVALID_VALUE/2", False)


# text that cannot be read

INFO = """cl_int clGetThingInfo(cl_thing thing, cl_thing_info param_name, size_t param_value_size, void* param_value,
size_t* param_value_size_ret);"""
HEADINGS = ("Thing Info", "Return Type", "Description")


@pytest.mark.parametrize(
    ("printed", "unknown"),
    [
        ("cl_uint", False),
        ("cl_thing[]", False),
        ("char[]", False),
        ("const char*[]", False),
        ("cl_novelty", True),
        ("cl_novelty[]", True),
        ("cl_uint or cl_ulong", True),
    ],
)
def test_query_of_unknown_type_fails_the_check(tmp_path: Path, printed: str, *, unknown: bool) -> None:
    rows = html_table(
        "Table 3. List of supported param_names by clGetThingInfo", HEADINGS, ("CL_THING_SIZE", printed, "It.")
    )
    result = extract_documents(
        write_folder(tmp_path / "documents", html_page(function_block("clGetThingInfo", INFO, rows))), tmp_path
    )
    assert [text.partition(":")[0] for text in result.unparsed if "unknown type" in text] == ["CL_THING_SIZE"] * unknown


REGISTRY_WITH_STATES = REGISTRY.replace(
    "</types>",
    '<type category="define">typedef <type>cl_uint</type> <name>cl_thing_state</name>;</type></types>'
    '<enums name="enums.2000"><enum value="0x2000" name="CL_THING_STATE_OPEN"/></enums>',
).replace(
    '<require comment="cl_thing_info">',
    '<require comment="cl_thing_state"><enum name="CL_THING_STATE_OPEN"/></require><require comment="cl_thing_info">',
)
OPEN_STATE = "<dl><dt>Open</dt><dd><p>Initial state of a thing on creation.</p></dd></dl>"


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("", 0),
        (paragraph("Then it is CL_THING_STATE_OPEN."), 1),
        (paragraph("It is CL_THING_STATE_OPEN.") + OPEN_STATE, 0),
    ],
)
def test_state_without_transition_to_it_is_reported(tmp_path: Path, body: str, told: int) -> None:
    documents = write_folder(tmp_path / "documents", html_page(function_block("clCreateThing", PROTOTYPE, body)))
    (documents / "cl-9.8.7.xml").write_text(REGISTRY_WITH_STATES, encoding="utf-8")
    result = extract_documents(documents, tmp_path)
    assert [text for text in result.unparsed if "state" in text] == (
        ["CL_THING_STATE_OPEN: nothing leads to this state"] * told
    )


def test_unknown_size_dependency_without_a_reason_fails_the_check(tmp_path: Path) -> None:
    size = "If the moon is full, row_pitch must be ≥ region[0]."
    code = "cl_int clReadIt(const size_t* region, size_t row_pitch);"
    html = html_page(function_block("clReadIt", code, bullets(f"row_pitch is in bytes. {size}")))
    documents = write_folder(tmp_path / "documents", html)
    (line,) = (text for text in extract_documents(documents, tmp_path).unparsed if "size" in text)
    assert sentence_digest(size) in line
    (tmp_path / "unread.json").write_text(json.dumps({sentence_digest(size): "nobody sees the moon"}))
    assert [text for text in extract_documents(documents, tmp_path).unparsed if "size" in text] == []


def test_unclassified_sentence_fails_the_check(tmp_path: Path) -> None:
    texts = ("Things are rarely red.", "Nobody knows why.")
    html = html_page(function_block("clCreateThing", PROTOTYPE, paragraph(texts[0]), bullets(texts[1])))
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path)
    for text in texts:
        (line,) = (line for line in result.unparsed if sentence_digest(text) in line)
        assert "under clCreateThing" in line
    known = {"clCreateThing": {sentence_digest(text): {"classification": "informative"} for text in texts}}
    (tmp_path / "classification.json").write_text(json.dumps(known))
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path)
    assert not any(sentence_digest(text) in line for text in texts for line in result.unparsed)


# sections of extensions

SENTENCE = "Things must be red."
PROVIDED_BY = "// Provided by cl_khr_things\n"
ONE, TWO = "cl_int clOneThing(cl_uint count);", "cl_int clTwoThings(cl_uint count);"
THINGS = (ApplicabilityCondition("extension", name="cl_khr_things"),)


@pytest.mark.parametrize(
    ("codes", "gates"),
    [
        ((PROVIDED_BY + ONE, PROVIDED_BY + TWO), THINGS),
        ((PROVIDED_BY + ONE, "// Provided by CL_VERSION_1_2, cl_khr_things\n" + TWO), THINGS),
        ((PROVIDED_BY + ONE, TWO), ()),
        ((PROVIDED_BY + ONE, PROVIDED_BY.replace("things", "others") + TWO), ()),
        ((PROVIDED_BY + ONE,), ()),
        (("// Provided by CL_VERSION_1_2\n" + ONE, "// Provided by CL_VERSION_1_2\n" + TWO), ()),
        ((), ()),
    ],
)
@pytest.mark.parametrize("below", [False, True])
def test_extension_section_requires_the_extension(
    tmp_path: Path, codes: tuple[str, ...], gates: tuple[ApplicabilityCondition, ...], *, below: bool
) -> None:
    known = {"Things": {sentence_digest(SENTENCE): {"classification": "effect", "topic": "red"}}}
    (tmp_path / "classification.json").write_text(json.dumps(known))
    first = '<h4 id="one">4.1.1. Making</h4>' if below else ""
    functions = [function_block(code.split()[-3].partition("(")[0], code) for code in codes]
    other = '<h3 id="other">4.10. More</h3>' + function_block("clMore", "cl_int clMore(cl_uint count);")
    html = html_page(paragraph(SENTENCE), first, *functions, other)
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path)
    (effect,) = (requirement for requirement in result.requirements if isinstance(requirement, Effect))
    assert (effect.id, effect.applicability) == ("OpenCL:things/1", gates)


def test_effect_has_the_applicability_of_its_function(tmp_path: Path) -> None:
    known = {"clOneThing": {sentence_digest(SENTENCE): {"classification": "effect", "topic": "red"}}}
    (tmp_path / "classification.json").write_text(json.dumps(known))
    html = html_page(
        function_block("clOneThing", PROVIDED_BY + ONE, paragraph(SENTENCE)), function_block("clTwoThings", TWO)
    )
    result = extract_documents(write_folder(tmp_path / "documents", html), tmp_path)
    assert [requirement.applicability for requirement in result.requirements if isinstance(requirement, Effect)] == [
        THINGS
    ]


def test_effects_of_extension_document_require_the_extension(tmp_path: Path) -> None:
    known = {"Weather": {sentence_digest(SENTENCE): {"classification": "effect", "topic": "red"}}}
    (tmp_path / "classification.json").write_text(json.dumps(known))
    documents = write_folder(tmp_path / "documents", html_page())
    html = (
        f"<html><body><h1>cl_khr_things</h1><h2>Weather</h2>{paragraph(SENTENCE)}<h2>Issues</h2>{paragraph('Why not?')}"
    )
    (documents / "cl_khr_things-1.0.0.html").write_text(f"{html}</body></html>", encoding="utf-8")
    result = extract_documents(documents, tmp_path)
    effects = [
        (requirement.document, requirement.applicability)
        for requirement in result.requirements
        if isinstance(requirement, Effect)
    ]
    assert effects == [("cl_khr_things", THINGS)]
    assert [one for one in result.unclassified() if one.document == "cl_khr_things"] == []
