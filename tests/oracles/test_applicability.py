"""Applicability conditions: the versions and extensions with which requirements apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.engine.applicability import describe_unmet_condition
from clconform.oracles.model.devices import Device, Platform
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import ApplicabilityCondition
from clconform.spec_tables.versions import pack_version

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    ("extension", "reported", "words"),
    [
        (DRAFT, {DRAFT: (0, 9, 5)}, ""),
        (DRAFT, {DRAFT: (0, 9, 0)}, ""),
        (DRAFT, {DRAFT: (0, 9, 9)}, "cl_khr_command_buffer is of revision 0.9.9; the tables have 0.9.5"),
        (DRAFT, {}, "cl_khr_command_buffer is of revision unknown; the tables have 0.9.5"),
        (DEPENDENT_DRAFT, {DRAFT: (0, 9, 5), DEPENDENT_DRAFT: (0, 9, 3)}, ""),
        (
            DEPENDENT_DRAFT,
            {DRAFT: (1, 1, 0), DEPENDENT_DRAFT: (0, 9, 3)},
            "cl_khr_command_buffer is of revision 1.1.0; the tables have 0.9.5",
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
def test_draft_extension_is_supported_only_at_a_known_revision(
    extension: str, reported: dict[str, tuple[int, int, int]], words: str
) -> None:
    device = create_device(extension, reported)
    part = Device("device2", parent=device, extensions=device.extensions)
    gates = (ApplicabilityCondition("extension", name=extension),)
    assert describe_unmet_condition(gates, None, device) == words
    assert describe_unmet_condition(gates, None, part) == words


CHANGED = "CL_COMMAND_BUFFER_STATE_KHR"
"""A query whose text changed at revision 0.9.8 of command-buffers."""


@pytest.mark.parametrize(
    ("reported", "words"),
    [
        ((0, 9, 5), ""),
        ((1, 0, 0), "1.0.0; the tables have 0.9.5 (--tables 3.1.1 has 1.0.0); changed at revision 0.9.8: "),
        ((0, 9, 8), "0.9.8; the tables have 0.9.5 (--tables 3.1.1 has 0.9.8); changed at revision 0.9.8: "),
    ],
)
def test_changed_requirement_names_the_change_and_the_tables_to_use(reported: tuple[int, int, int], words: str) -> None:
    device = create_device(DRAFT, {DRAFT: reported})
    part = Device("device2", parent=device, extensions=device.extensions)
    requirement = load().requirements[CHANGED]
    for each in (device, part):
        found = describe_unmet_condition(requirement.applicability, None, each)
        assert found.startswith(f"{DRAFT} is of revision {words}" if words else "")
        assert bool(found) == bool(words)


def create_device(extension: str, reported: dict[str, tuple[int, int, int]]) -> Device:
    """Return a device that reports an extension, and the revisions ``reported`` of extensions."""
    array = tuple(element for name, numbers in reported.items() for element in (pack_version(*numbers), name))
    facts = {"CL_DEVICE_EXTENSIONS": extension, "CL_DEVICE_EXTENSIONS_WITH_VERSION": array}
    device = Device("device1", facts=dict(facts))
    device.refresh()
    return device


@pytest.fixture
def newer_tables() -> Iterator[None]:
    """Select the tables of revision 3.1.1."""
    loading.select_folder(loading.REVISIONS / "3.1.1")
    yield
    loading.select_folder(loading.DATA)


@pytest.mark.usefixtures("newer_tables")
@pytest.mark.parametrize(
    ("extension", "reported", "applies"),
    [
        (DRAFT, {DRAFT: (0, 9, 8)}, True),
        (DRAFT, {DRAFT: (1, 0, 0)}, True),
        (DRAFT, {DRAFT: (0, 9, 7)}, True),
        (DRAFT, {DRAFT: (1, 1, 0)}, False),
        (DEPENDENT_DRAFT, {DRAFT: (1, 0, 0), DEPENDENT_DRAFT: (0, 9, 5)}, True),
        (DEPENDENT_DRAFT, {DRAFT: (1, 0, 0), DEPENDENT_DRAFT: (0, 9, 3)}, True),
    ],
)
def test_requirements_also_apply_to_a_revision_with_the_same_text(
    extension: str, reported: dict[str, tuple[int, int, int]], *, applies: bool
) -> None:
    """On revision 9a89dfee, the requirements of command-buffers did not apply to devices of their revision 1.0.0."""
    gates = (ApplicabilityCondition("extension", name=extension),)
    assert (describe_unmet_condition(gates, None, create_device(extension, reported)) == "") == applies
