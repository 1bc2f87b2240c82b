"""Limits of queries in recurring wordings: by profile, feature, version, or another query."""

from __future__ import annotations

from typing import Any

import pytest

from clconform.spec_tables.requirements import ApplicabilityCondition, Limit, Section
from clconform.tools.extract.limits import extract_limits
from clconform.tools.extract.query_tables import NameRow

PROFILE = "for the full profile"
FULL, EMBEDDED = (
    ApplicabilityCondition("profile", name="FULL_PROFILE"),
    ApplicabilityCondition("profile", name="EMBEDDED_PROFILE"),
)


def read_limits(*paragraphs: str, by_profile: bool = False, embedded: bool = False) -> list[Limit]:
    row = NameRow("query", "CL_DEVICE_THINGS", "clGetDeviceInfo", "cl_uint", paragraphs, Section("4.2", "Things"), ())
    return [draft.requirement for draft in extract_limits(row, "T", embedded=embedded, by_profile=by_profile)]  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("The minimum value is 1.", {"value": 1, "otherwise": -1}),
        ("The minimum value is (1, 1, 1).", {"value": 1}),
        (
            "The minimum value is 64 KB for devices that are not of type CL_DEVICE_TYPE_CUSTOM.",
            {"value": 65536, "unit": "bytes", "where": "not-custom"},
        ),
        (
            "The minimum value is 8 if CL_DEVICE_IMAGE_SUPPORT is CL_TRUE, the value is 0 otherwise.",
            {"value": 8, "where": "images", "otherwise": 0},
        ),
        (
            "The minimum value is 2 for all devices supporting pipes, and must be 0 for devices without.",
            {"value": 2, "where": "pipes", "otherwise": 0},
        ),
        ("The minimum value for the FULL profile is 1 MB.", {"value": 1 << 20, "applicability": (FULL,)}),
        (
            "The minimum value is max(min(1024, 1/4th of CL_DEVICE_SIZE), 32).",
            {"formula": "max(min(1024, CL_DEVICE_SIZE // 4), 32)"},
        ),
        ("The value returned must be a power of 2.", {"relation": "power-of-two"}),
        ("The value returned cannot exceed CL_DEVICE_OTHER.", {"relation": "at-most", "of": "CL_DEVICE_OTHER"}),
        ("This must be CL_TRUE if CL_DEVICE_OTHER is CL_TRUE.", {"relation": "true-if", "of": "CL_DEVICE_OTHER"}),
        ("The mandated minimum capability is: CL_RUN.", {"relation": "includes", "values": ("CL_RUN",)}),
    ],
)
def test_sentence_with_one_limit_is_read(text: str, facts: dict[str, Any]) -> None:
    (limit,) = read_limits(text)
    assert {name: getattr(limit, name) for name in facts} == facts


def test_sentence_with_both_profiles_has_two_limits() -> None:
    found = read_limits(f"The minimum value is 256 KB {PROFILE} and 64 KB for the embedded profile.")
    assert [(limit.value, limit.applicability) for limit in found] == [(262144, (FULL,)), (65536, (EMBEDDED,))]


def test_alignment_limit_is_in_bits_or_bytes_as_its_sentence_states() -> None:
    rest = "of the largest OpenCL type (long16 in FULL profile, long16 or int16 in EMBEDDED profile)."
    bits, byte = (
        read_limits(f"The minimum value is the size (in bits) {rest}"),
        read_limits(f"The minimum value is the size (in bytes) {rest}"),
    )
    assert [(limit.value, limit.unit) for limit in bits] == [(1024, "bits"), (512, "bits")]
    assert [(limit.value, limit.unit) for limit in byte] == [(128, "bytes"), (64, "bytes")]


def test_minimum_flags_are_read_from_next_paragraph_for_each_version() -> None:
    found = read_limits(
        "If double precision is supported, then the minimum capability for OpenCL 2.0 or newer devices is:",
        "CL_FP_A | CL_FP_B.",
        "or for OpenCL 1.0 or OpenCL 1.1 devices:",
        "CL_FP_C.",
    )
    assert [(limit.values, limit.applicability) for limit in found] == [
        (("CL_FP_A", "CL_FP_B"), (ApplicabilityCondition("device-version", since="2.0"),)),
        (("CL_FP_C",), (ApplicabilityCondition("device-version", before="2.0"),)),
    ]
    assert {limit.where for limit in found} == {"double"}


def test_alternative_minimum_sets_of_flags_are_read() -> None:
    (limit,) = read_limits("The minimum capability is either:", "CL_FP_A", "or", "CL_FP_B | CL_FP_C.")
    assert (limit.relation, limit.values) == ("includes-one-of", ("CL_FP_A", "CL_FP_B | CL_FP_C"))


def test_limit_in_a_table_for_one_profile_applies_only_to_this_profile() -> None:
    assert read_limits("The minimum value is 9.", by_profile=True)[0].applicability == (FULL,)
    assert read_limits("The minimum value is 3.", by_profile=True, embedded=True)[0].applicability == (EMBEDDED,)


def test_sentence_without_a_limit_is_ignored() -> None:
    assert read_limits("The maximum size of a thing.", "A larger value is better.") == []
