"""A plain-text extension: tokens, inline conditions, schemes, queries, clarifications, misprints."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.spec_tables.requirements import ApplicabilityCondition, Erratum
from clconform.tools.extract.extension_text import ExtensionText, correct_misprints, parse_extension
from clconform.tools.extract.prose_sentences import pair_with_lists
from clconform.tools.extract.text_reader import read_plain_text

from .documents import EXTENSION

if TYPE_CHECKING:
    from pathlib import Path

GATE = ApplicabilityCondition("extension", name="cl_ext_device_fission")


@pytest.fixture
def extension(tmp_path: Path) -> ExtensionText:
    path = tmp_path / "extension.txt"
    path.write_text(EXTENSION, encoding="utf-8")
    return parse_extension(read_plain_text(path))


def test_key_and_revision_of_extension_text_are_read(tmp_path: Path) -> None:
    path = tmp_path / "extension.txt"
    path.write_text(EXTENSION, encoding="utf-8")
    source = read_plain_text(path)
    assert (source.key, source.revision) == ("cl_ext_device_fission", "7")


def test_functions_and_tokens_of_extension_text_are_read(extension: ExtensionText) -> None:
    assert [function.name for function in extension.functions] == ["clCutDeviceEXT"]
    assert extension.functions[0].applicability == (GATE,)
    assert extension.tokens == {"CL_CUT_IN_HALF_EXT": 0x4050, "CL_DEVICE_CUTS_EXT": 0x4051, "CL_LAST_EXT": -1}


def test_error_code_for_older_platforms_is_a_separate_condition(extension: ExtensionText) -> None:
    assert [(clause.code, clause.applicability) for clause in extension.clauses] == [
        ("CL_INVALID_PROPERTY", (GATE, ApplicabilityCondition("platform-version", before="1.2"))),
        ("CL_INVALID_VALUE", (GATE, ApplicabilityCondition("platform-version", since="1.2"))),
        ("CL_INVALID_DEVICE", (GATE,)),
    ]
    assert extension.success["clCutDeviceEXT"].startswith("CL_SUCCESS")


def test_partition_schemes_and_queries_of_extension_text_are_read(extension: ExtensionText) -> None:
    scheme, query = extension.rows
    assert (scheme.kind, scheme.name, scheme.function, scheme.type) == (
        "partition",
        "CL_CUT_IN_HALF_EXT",
        "clCutDeviceEXT",
        "cl_int",
    )
    assert scheme.description[-1] == "Halves are equal."
    assert (query.kind, query.name, query.function, query.type) == (
        "query",
        "CL_DEVICE_CUTS_EXT",
        "clGetDeviceInfo",
        "cl_ulong[]",
    )


def test_prose_of_extension_text_belongs_to_its_function_or_scheme(extension: ExtensionText) -> None:
    contexts = {text: context for context, text, _ in extension.prose}
    assert contexts["Only whole devices are returned."] == "clGetDeviceIDs"
    assert contexts["Halves are equal."] == "CL_CUT_IN_HALF_EXT"
    assert contexts["clCutDeviceEXT cuts <in_device>."] == "clCutDeviceEXT"


def test_misprints_are_corrected_before_reading(tmp_path: Path) -> None:
    path = tmp_path / "extension.txt"
    path.write_text(
        EXTENSION.replace("CL_DEVICE_CUTS_EXT                 0x4051", "CL_DEVICE CUTS_EXT  0x4051"), encoding="utf-8"
    )
    source = read_plain_text(path)
    assert parse_extension(source).unread != []
    erratum = Erratum("cl_ext_device_fission", "CL_DEVICE CUTS_EXT", "CL_DEVICE_CUTS_EXT", "a blank", everywhere=True)
    assert parse_extension(correct_misprints(source, (erratum,))).tokens["CL_DEVICE_CUTS_EXT"] == 0x4051


def test_paragraphs_of_names_are_paired_with_their_introduction() -> None:
    paragraphs = ["First. All of these are there:", "CL_ONE CL_TWO", "CL_TEN", "Next.", "CL_SIX"]
    assert pair_with_lists(paragraphs) == [
        ("First.", ()),
        ("All of these are there:", ("CL_ONE", "CL_TWO", "CL_TEN")),
        ("CL_ONE CL_TWO", ()),
        ("CL_TEN", ()),
        ("Next.", ()),
        ("CL_SIX", ()),
    ]
