"""Required rules are in the tables: alignments, sizes, optional features, and the extensions."""

from __future__ import annotations

from typing import TypeVar

import pytest

from clconform.spec_tables import load
from clconform.spec_tables.conditions import CIRCUMSTANCES
from clconform.spec_tables.requirements import (
    AlignmentRule,
    AllocationAccess,
    ApplicabilityCondition,
    Effect,
    HandleTransference,
    OptionalBehaviour,
    Query,
    SizeRule,
    UsageRule,
)

_Kind = TypeVar("_Kind")
MAIN = "OpenCL"
EXTENSIONS = ("cl_ext_device_fission", "cl_intel_unified_shared_memory", "cl_amd_bus_addressable_memory")


def requirements_of_kind(kind: type[_Kind]) -> list[_Kind]:
    return [requirement for requirement in load().requirements.values() if isinstance(requirement, kind)]


# Alignments and sizes


def test_alignment_and_size_rules_have_units() -> None:
    units = {query.name: query.unit for query in requirements_of_kind(Query)}
    assert units["CL_DEVICE_MEM_BASE_ADDR_ALIGN"] == "bits"
    assert units["CL_DEVICE_IMAGE_PITCH_ALIGNMENT"] == units["CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT"] == "pixels"
    for rule in requirements_of_kind(AlignmentRule):
        assert rule.unit == units.get(rule.of, "bytes"), rule.id
    for rule in requirements_of_kind(SizeRule):
        assert rule.unit or rule.of_unit, rule.id
        assert set(rule.when) <= CIRCUMSTANCES.keys(), rule.id


@pytest.mark.parametrize(
    ("function", "subject"),
    [
        ("clCreateSubBuffer", "origin"),
        ("clEnqueueFillBuffer", "pattern_size"),
        ("clEnqueueSVMMemFill", "svm_ptr"),
        ("clSVMAlloc", "alignment"),
        ("clHostMemAllocINTEL", "alignment"),
        ("clEnqueueMemFillINTEL", "dst_ptr"),
        ("clCreateBuffer", "surfbusaddress"),
        ("clCreateBuffer", "signalbusaddress"),
        ("clEnqueueCopyBufferRect", "src_slice_pitch"),
    ],
)
def test_tables_contain_alignment_rule_of_function_and_parameter(function: str, subject: str) -> None:
    assert subject in {rule.subject for rule in requirements_of_kind(AlignmentRule) if rule.function == function}


@pytest.mark.parametrize(
    ("function", "subject", "relation"),
    [
        ("clCreateBuffer", "host_ptr", "at-least"),
        ("clCreateImage", "host_ptr", "multiple-of"),
        ("clCreateImage", "image_row_pitch", "multiple-of"),
        ("clCreateImage", "image_slice_pitch", "at-least"),
        ("clCreateImage", "mem_object", "at-least"),
        ("clCreateImage2D", "image_row_pitch", "taken-as"),
        ("clEnqueueReadImage", "row_pitch", "at-least"),
        ("clEnqueueWriteImage", "input_slice_pitch", "zero"),
        ("clEnqueueReadBufferRect", "host_slice_pitch", "taken-as"),
        ("clSVMAlloc", "alignment", "at-most"),
        ("clSharedMemAllocINTEL", "alignment", "taken-as"),
    ],
)
def test_tables_contain_size_rule_of_function_and_parameter(function: str, subject: str, relation: str) -> None:
    assert (subject, relation) in {
        (r.subject, r.relation) for r in requirements_of_kind(SizeRule) if r.function == function
    }


def test_rules_of_images_created_from_buffers_have_pixel_alignments() -> None:
    found = [r for r in requirements_of_kind(SizeRule) if r.function == "clCreateImage" and r.of_unit]
    assert {(r.subject, r.factors, r.of_unit) for r in found} == {
        ("image_row_pitch", ("CL_DEVICE_IMAGE_PITCH_ALIGNMENT",), "pixels"),
        ("host_ptr", ("CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT",), "pixels"),
    }


# Appendices and extensions


def test_optional_features_state_allowed_results_without_the_feature() -> None:
    requirements = requirements_of_kind(OptionalBehaviour)
    assert len({requirement.feature for requirement in requirements}) >= 17
    assert all(requirement.allowed_results for requirement in requirements)
    assert all(requirement.function in load().functions for requirement in requirements)
    queries = {query.name for query in requirements_of_kind(Query)}
    assert {r.subject for r in requirements if r.function == "clGetDeviceInfo"} <= queries


def test_main_document_has_a_rule_for_overlapping_copies() -> None:
    assert [r.id for r in load().requirements.values() if r.document == MAIN and "copy-overlap" in r.id] != []


@pytest.mark.parametrize("document", EXTENSIONS)
def test_extension_has_functions_conditions_effects_and_enumerants(document: str) -> None:
    tables = load()
    own = [function for function in tables.functions.values() if function.document == document]
    assert own
    assert all(tables.error_conditions_of(f.name) for f in own if f.name != "clEnqueueMemsetINTEL")
    requirements = [requirement for requirement in tables.requirements.values() if requirement.document == document]
    assert all(any(gate.name == document for gate in requirement.applicability) for requirement in requirements)
    assert {type(requirement) for requirement in requirements} >= {Effect}
    assert any(document in entry.documents for entry in tables.enumerants.values())


def test_access_table_of_unified_shared_memory_has_ten_rows() -> None:
    found = {(r.allocation, r.accessor): (r.accessible, r.migratable) for r in requirements_of_kind(AllocationAccess)}
    assert found["device", "host"] == ("no", "no")
    assert found["shared", "another device"] == ("optional", "optional")
    assert len(found) == 10


def test_semaphore_handle_types_are_transferred_by_reference_or_copy() -> None:
    found = {requirement.name: requirement.transference for requirement in requirements_of_kind(HandleTransference)}
    assert found["CL_SEMAPHORE_HANDLE_SYNC_FD_KHR"] == "copy"
    assert set(found.values()) == {"reference", "copy"}


def test_note_on_linked_allocations_has_the_expected_topics() -> None:
    topics = {r.topic for r in requirements_of_kind(Effect) if r.document == "linked-allocations"} | {
        r.topic for r in requirements_of_kind(UsageRule) if r.document == "linked-allocations"
    }
    assert {"same-memory-object", "exactly-one-on-host", "neither-linked-before"} <= topics
    assert {"creation", "host-allocation", "transfer", "linked-if-memory-is-unified"} <= topics


def test_optional_features_apply_to_devices_except_timer_synchronization() -> None:
    optional = requirements_of_kind(OptionalBehaviour)
    by_platform = {
        requirement.feature
        for requirement in optional
        if requirement.applicability == (ApplicabilityCondition("platform-version", since="3.0"),)
    }
    by_device = {
        requirement.feature
        for requirement in optional
        if requirement.applicability == (ApplicabilityCondition("device-version", since="3.0"),)
    }
    assert by_platform == {"device-and-host-timer-synchronization"}
    assert by_platform | by_device == {requirement.feature for requirement in optional}
