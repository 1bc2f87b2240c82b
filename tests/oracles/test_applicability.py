"""Applicability conditions: the versions and extensions with which requirements apply."""

from __future__ import annotations

import pytest

from clconform.oracles.engine.applicability import describe_unmet_condition
from clconform.oracles.model.devices import Device, Platform
from clconform.spec_tables.requirements import ApplicabilityCondition
from clconform.spec_tables.versions import pack_version


@pytest.mark.parametrize(
    ("version", "extensions", "closed"),
    [
        ("1.2", "", True),
        ("1.2", "cl_khr_other", True),
        ("1.2", "cl_khr_things", False),
        ("2.0", "", False),
    ],
)
def test_requirement_applies_if_extension_replaces_version(version: str, extensions: str, closed: bool) -> None:  # noqa: FBT001
    facts = {"CL_PLATFORM_VERSION": f"OpenCL {version} test", "CL_PLATFORM_EXTENSIONS": extensions}
    platform = Platform("platform1", facts=dict(facts))
    platform.refresh()
    gates = (ApplicabilityCondition("platform-version", since="2.0", instead="cl_khr_things"),)
    assert bool(describe_unmet_condition(gates, platform, None)) == closed


DRAFT, DEPENDENT_DRAFT, FINAL, WITHOUT_REVISIONS = (
    "cl_khr_command_buffer",
    "cl_khr_command_buffer_mutable_dispatch",
    "cl_khr_semaphore",
    "cl_intel_unified_shared_memory",
)
"""Extensions of the tables: 0.9.5, 0.9.3 (requires the first), 1.0.0, and one without a numbered revision."""


@pytest.mark.parametrize(
    ("extension", "told", "words"),
    [
        (DRAFT, {DRAFT: (0, 9, 5)}, ""),
        (DRAFT, {DRAFT: (0, 9, 0)}, "cl_khr_command_buffer is of revision 0.9.0; the tables have 0.9.5"),
        (
            DRAFT,
            {DRAFT: (1, 0, 0)},
            "cl_khr_command_buffer is of revision 1.0.0; the tables have 0.9.5 (--tables 3.1.1 has 1.0.0)",
        ),
        (DRAFT, {}, "cl_khr_command_buffer is of revision unknown; the tables have 0.9.5"),
        (DEPENDENT_DRAFT, {DRAFT: (0, 9, 5), DEPENDENT_DRAFT: (0, 9, 3)}, ""),
        (
            DEPENDENT_DRAFT,
            {DRAFT: (1, 0, 0), DEPENDENT_DRAFT: (0, 9, 3)},
            "cl_khr_command_buffer is of revision 1.0.0; the tables have 0.9.5 (--tables 3.1.1 has 1.0.0)",
        ),
        (FINAL, {FINAL: (1, 0, 0)}, ""),
        (FINAL, {FINAL: (1, 1, 0)}, ""),
        (FINAL, {FINAL: (0, 0, 0)}, ""),
        (FINAL, {}, ""),
        (FINAL, {FINAL: (0, 9, 1)}, "cl_khr_semaphore is of revision 0.9.1; the tables have 1.0.0"),
        (WITHOUT_REVISIONS, {WITHOUT_REVISIONS: (1, 1, 0)}, ""),
        (
            WITHOUT_REVISIONS,
            {WITHOUT_REVISIONS: (0, 18, 0)},
            "cl_intel_unified_shared_memory is of revision 0.18.0; the tables are of a document without a revision",
        ),
    ],
)
def test_requirements_of_draft_extension_apply_only_at_the_same_revision(
    extension: str, told: dict[str, tuple[int, int, int]], words: str
) -> None:
    array = tuple(element for name, numbers in told.items() for element in (pack_version(*numbers), name))
    facts = {"CL_DEVICE_EXTENSIONS": extension, "CL_DEVICE_EXTENSIONS_WITH_VERSION": array}
    device = Device("device1", facts=dict(facts))
    device.refresh()
    part = Device("device2", parent=device, extensions=device.extensions)
    gates = (ApplicabilityCondition("extension", name=extension),)
    assert describe_unmet_condition(gates, None, device) == words
    assert describe_unmet_condition(gates, None, part) == words
