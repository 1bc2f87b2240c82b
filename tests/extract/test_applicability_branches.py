"""Applicability conditions of sentences and rows that cover several cases."""

from __future__ import annotations

import pytest

from clconform.spec_tables.requirements import ApplicabilityCondition
from clconform.tools.extract.applicability_notes import conditions_of_error, conditions_of_list, without_notes

WITH_EXTENSION = "CL_INVALID_VALUE if the cl_khr_pairs extension is supported and n is zero"


@pytest.mark.parametrize(
    ("text", "gates"),
    [
        (f"{WITH_EXTENSION}.", (ApplicabilityCondition("extension", "cl_khr_pairs"),)),
        (f"{WITH_EXTENSION}, or if it is not supported and n is 2.", ()),
        ("CL_INVALID_VALUE if n is zero.", ()),
    ],
)
def test_condition_that_can_hold_without_the_extension_does_not_require_it(
    text: str, gates: tuple[ApplicabilityCondition, ...]
) -> None:
    assert conditions_of_error(text) == gates


@pytest.mark.parametrize(
    ("introduction", "gates"),
    [
        (
            "If the cl_khr_pairs extension is supported, clPair may fail with:",
            (ApplicabilityCondition("extension", "cl_khr_pairs"),),
        ),
        ("clPair returns CL_SUCCESS if, if the cl_khr_pairs extension is supported, a pair is left. Else:", ()),
    ],
)
def test_extension_in_the_sentence_on_success_is_not_an_applicability_condition_of_errors(
    introduction: str, gates: tuple[ApplicabilityCondition, ...]
) -> None:
    assert conditions_of_list(introduction) == gates


EXEMPT = "CL_INVALID_VALUE if n is zero. This error {}"
NEWER = "does not apply when the device associated with queue supports OpenCL 2.1 or newer"


@pytest.mark.parametrize(
    ("note", "gates"),
    [
        (f"{NEWER}.", (ApplicabilityCondition("device-version", before="2.1"),)),
        (NEWER, (ApplicabilityCondition("device-version", before="2.1"),)),
        (f"condition {NEWER}.", (ApplicabilityCondition("device-version", before="2.1"),)),
        (f"code {NEWER}.", (ApplicabilityCondition("device-version", before="2.1"),)),
        (
            "does not apply if the device supports OpenCL 3.0 or newer.",
            (ApplicabilityCondition("device-version", before="3.0"),),
        ),
        (
            "does not apply if the platform is OpenCL 3.0 or newer.",
            (ApplicabilityCondition("platform-version", before="3.0"),),
        ),
        (f"{NEWER}. It is a pity.", (ApplicabilityCondition("device-version", before="2.1"),)),
        (f"{NEWER} and the moon is full.", ()),
        (f"{NEWER}, but for pairs.", ()),
        (NEWER.replace("or newer", "or older"), ()),
        (NEWER.replace("the device", "the moon"), ()),
        (NEWER.replace("does not apply", "applies"), ()),
    ],
)
def test_note_about_newer_devices_limits_condition_to_older_ones(
    note: str, gates: tuple[ApplicabilityCondition, ...]
) -> None:
    assert conditions_of_error(EXEMPT.format(note)) == gates


@pytest.mark.parametrize(
    ("note", "gate"),
    [
        ("This error code is missing before version 1.1.", ApplicabilityCondition("platform-version", since="1.1")),
        (
            "Returning this error code is deprecated by version 2.0.",
            ApplicabilityCondition("platform-version", before="2.0"),
        ),
        (
            "This error code is missing before version 1.1 and deprecated by version 2.0.",
            ApplicabilityCondition("platform-version", since="1.1", before="2.0"),
        ),
    ],
)
def test_version_note_sets_the_versions_of_a_condition(note: str, gate: ApplicabilityCondition) -> None:
    assert conditions_of_error(f"CL_INVALID_VALUE if n is zero. {note}") == (gate,)


@pytest.mark.parametrize(
    "note",
    [
        f"This error {NEWER}.",
        f"This error condition {NEWER}",
        "This error code is missing before version 1.1.",
        "Returning this error code in such a case is deprecated by version 2.0.",
        "This error code is missing before version 1.1 and deprecated by version 2.0.",
        f"This error code is missing before version 1.1. This error {NEWER}.",
    ],
)
def test_version_note_is_removed_from_the_condition(note: str) -> None:
    assert without_notes(f"n is zero. {note}") == "n is zero."


@pytest.mark.parametrize(
    "note",
    [
        f"This error {NEWER} and the moon is full.",
        f"This error {NEWER}. It is a pity.",
        f"This error {NEWER}. This error is bad.",
        "This error code is missing before version 1.1 on Mondays.",
        "This error code is bad.",
    ],
)
def test_note_with_words_besides_versions_stays_in_the_condition(note: str) -> None:
    assert without_notes(f"n is zero. {note}") == f"n is zero. {note}"
