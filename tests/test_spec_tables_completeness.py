"""The tables are complete: one test for each kind of content, on the committed tables."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

import pytest

from clconform.spec_tables import load
from clconform.spec_tables.conditions import KINDS
from clconform.spec_tables.requirements import (
    CommandType,
    Flag,
    HostPointerSize,
    Limit,
    PartitionScheme,
    Property,
    Query,
    RequiredImageFormat,
    SharingFormat,
    StateTransition,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.spec_tables.requirements import Function, Requirement

_Kind = TypeVar("_Kind")
MAIN = "OpenCL"
EXTENSIONS = ("cl_ext_device_fission", "cl_intel_unified_shared_memory", "cl_amd_bus_addressable_memory")
FUNCTIONS_WITHOUT_ERRORS = {"clUnloadCompiler", "clSVMFree", "clGetExtensionFunctionAddress"}
"""Described functions whose text lists no error."""
FOREIGN_TYPES = {"GLint", "GLenum", "GLsizei", "ID3D10Resource *", "ID3D11Resource *", "void*", "unsigned char*"}
"""Types of query results from other APIs or from C."""


def requirements_of_kind(kind: type[_Kind]) -> list[_Kind]:
    return [requirement for requirement in load().requirements.values() if isinstance(requirement, kind)]


def described_functions() -> list[Function]:
    return [function for function in load().functions.values() if function.document != "registry"]


def names_of(requirements: Iterable[Requirement]) -> set[str]:
    return {getattr(requirement, "name", "") for requirement in requirements}


# Functions, types and enumerants


def test_function_entries_state_error_reporting_and_created_object() -> None:
    for function in described_functions():
        by = {parameter.name for parameter in function.parameters}
        expected = "errcode_ret" if "errcode_ret" in by else "return" if function.returns == "cl_int" else "none"
        assert function.error_by == expected, function.name
        assert not function.creates or load().types[function.creates].kind == "handle", function.name
        if re.match(r"clCreate|clCommand|clEnqueue", function.name):
            assert function.creates or function.name == "clCreateSubDevices" or not _can_create(function), function.name


def _can_create(function: Function) -> bool:
    handles = {name for name, entry in load().types.items() if entry.kind == "handle"}
    outs = {parameter.base for parameter in function.parameters if parameter.direction == "out"}
    return bool(({function.returns} | outs) & handles)


def test_parameters_have_known_types_and_directions() -> None:
    plain = {"void", "callback", "intptr_t"} | set(load().types)
    foreign = re.compile(r"GL\w+|E?GL[a-z]\w*|CLegl\w+|ID3D\w+|IDirect\w+|VA\w+|HANDLE|UINT")
    for function in described_functions():
        for parameter in function.parameters:
            assert parameter.base in plain or foreign.fullmatch(parameter.base), (function.name, parameter)
            assert parameter.direction in ("in", "out", "callback"), (function.name, parameter)
            assert parameter.direction != "out" or parameter.pointers, (function.name, parameter)


def test_function_entries_state_section_version_and_extension() -> None:
    functions = load().functions
    assert [f.name for f in described_functions() if f.document == MAIN and not f.section.number] == []
    since = {
        name: [g.since for g in f.applicability if g.subject == "platform-version"] for name, f in functions.items()
    }
    assert (since["clCreateContext"], since["clCreateSubDevices"], since["clSVMAlloc"]) == ([], ["1.2"], ["2.0"])
    assert functions["clCreateCommandQueue"].deprecated_by == "2.0"
    newer = [f for f in described_functions() if f.name.endswith(("KHR", "EXT", "INTEL", "AMD"))]
    assert [f.name for f in newer if not any(gate.subject == "extension" for gate in f.applicability)] == []


def test_every_callback_has_its_type() -> None:
    taken = {f"{f.name}/{p.name}" for f in load().functions.values() for p in f.parameters if "CL_CALLBACK" in p.type}
    assert set(load().callbacks) == taken
    assert len(taken) >= 11
    for callback in load().callbacks.values():
        assert callback.returns == "void"
        assert callback.parameters[-1].type == "void*", callback.name
    status = load().callbacks["clSetEventCallback/pfn_notify"].parameters
    assert [p.base for p in status] == ["cl_event", "cl_int", "void"]


def test_structures_have_fields_of_known_types() -> None:
    types = load().types
    structures = [entry for entry in types.values() if entry.kind == "struct"]
    assert {"cl_image_desc", "cl_image_format", "cl_buffer_region", "cl_mutable_dispatch_config_khr"} <= {
        entry.name for entry in structures
    }
    for entry in structures:
        assert entry.fields, entry.name
        for field, spelled in entry.fields:
            base = re.sub(r"\bconst\b|\*|\[\w+\]", "", spelled).strip()
            assert base in types or base in ("void", "unsigned int", "intptr_t"), (entry.name, field, spelled)


def test_scalar_and_bit_field_types_have_a_base_type() -> None:
    for entry in load().types.values():
        assert entry.kind not in ("scalar", "bitfield") or entry.base, entry.name
    assert load().types["cl_mem_flags"].kind == "bitfield"


def test_enumerants_have_group_and_are_named_by_document_and_registry() -> None:
    entries = load().enumerants.values()
    assert [entry.name for entry in entries if not entry.group or not entry.documents] == []
    printed = [entry for entry in entries if set(entry.documents) & {MAIN, *EXTENSIONS}]
    assert len([entry for entry in printed if "registry" in entry.documents]) > 650
    assert {name for entry in printed for name in entry.documents} >= {MAIN, *EXTENSIONS}


# Error conditions


def test_every_described_function_has_conditions() -> None:
    silent = {function.name for function in described_functions() if not load().error_conditions_of(function.name)}
    assert silent <= FUNCTIONS_WITHOUT_ERRORS | {"clGetExtensionFunctionAddressForPlatform", "clEnqueueMemsetINTEL"}


def test_most_conditions_of_kind_other_name_a_symbol_or_parameter() -> None:
    clauses = [clause for function in load().functions for clause in load().error_conditions_of(function)]
    kinds = Counter(clause.condition.kind for clause in clauses)
    assert set(kinds) <= KINDS.keys()
    assert kinds["other"] < len(clauses) / 2
    assert all(re.fullmatch(r"[0-9a-f]{16}", clause.digest) for clause in clauses)
    mute = [c.id for c in clauses if c.condition.kind == "other" and not (c.symbols or c.parameters)]
    assert len(mute) <= 45, mute  # words that only look like parameters do not count


def test_applicability_of_a_condition_may_add_to_that_of_its_function() -> None:
    clauses = [clause for function in load().functions for clause in load().error_conditions_of(function)]
    own = [c for c in clauses if set(c.applicability) - set(load().functions[c.function].applicability)]
    assert {gate.subject for c in own for gate in c.applicability} >= {"extension", "platform-version"}


# Queries and limits


def test_queries_have_known_type_value_and_shape() -> None:
    tables = load()
    for query in requirements_of_kind(Query):
        assert query.type in tables.types or query.type in FOREIGN_TYPES, query.id
        assert query.name in tables.enumerants, query.id
        assert query.shape in ("scalar", "array", "string"), query.id
        assert (
            tables.functions[query.function].queries
            or query.function == "clGetGLContextInfoKHR"
            or any(parameter.name == "param_name" for parameter in tables.functions[query.function].parameters)
        ), query.id


def test_every_query_function_has_queries() -> None:
    asking = {function.name for function in described_functions() if function.queries}
    answered = {query.function for query in requirements_of_kind(Query)}
    assert asking - answered <= {"clGetKernelSubGroupInfoKHR", "clGetImageRequirementsInfoEXT"}


def test_every_device_query_name_in_a_document_has_a_query_requirement() -> None:
    known = {name for name, entry in load().enumerants.items() if entry.group == "cl_device_info"}
    printed = {name for name in known if {MAIN, *EXTENSIONS} & set(load().enumerants[name].documents)}
    missing = printed - {query.name for query in requirements_of_kind(Query)}
    assert missing == set()


def test_limits_include_every_relation_and_both_profiles() -> None:
    limits = requirements_of_kind(Limit)
    relations = {limit.relation for limit in limits}
    assert relations >= {"at-least", "at-most", "power-of-two", "includes", "includes-one-of", "true-if"}
    profiles = {gate.name for limit in limits for gate in limit.applicability if gate.subject == "profile"}
    assert profiles == {"FULL_PROFILE", "EMBEDDED_PROFILE"}
    by_name = {
        (limit.name, gate.name): limit for limit in limits for gate in limit.applicability if gate.subject == "profile"
    }
    assert by_name["CL_DEVICE_LOCAL_MEM_SIZE", "FULL_PROFILE"].value == 32 * 1024
    assert by_name["CL_DEVICE_LOCAL_MEM_SIZE", "EMBEDDED_PROFILE"].value == 1024
    plain = [limit for limit in limits if limit.relation == "at-least" and not (limit.of or limit.formula)]
    assert [limit.name for limit in plain if not limit.value and limit.otherwise] == [
        "CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE"
    ]
    assert [r.id for r in limits if r.relation.startswith("includes") and not r.values] == []


# Properties, flags and formats


@pytest.mark.parametrize(
    ("function", "name"),
    [
        ("clCreateContext", "CL_CONTEXT_PLATFORM"),
        ("clCreateCommandQueueWithProperties", "CL_QUEUE_PROPERTIES"),
        ("clCreateBufferWithProperties", "CL_MEM_DEVICE_HANDLE_LIST_KHR"),
        ("clCreateImageWithProperties", "CL_MEM_DEVICE_HANDLE_LIST_KHR"),
        ("clCreateSamplerWithProperties", "CL_SAMPLER_ADDRESSING_MODE"),
        ("clCreateSemaphoreWithPropertiesKHR", "CL_SEMAPHORE_TYPE_KHR"),
        ("clCreateCommandBufferKHR", "CL_COMMAND_BUFFER_FLAGS_KHR"),
        ("clCommandNDRangeKernelKHR", "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR"),
        ("clHostMemAllocINTEL", "CL_MEM_ALLOC_FLAGS_INTEL"),
    ],
)
def test_property_of_each_listed_function_has_a_value_type(function: str, name: str) -> None:
    found = [requirement for requirement in requirements_of_kind(Property) if requirement.function == function]
    assert name in names_of(found)
    assert all(requirement.value_type for requirement in found)


def test_partition_schemes_of_both_documents_are_listed() -> None:
    assert {scheme.document for scheme in requirements_of_kind(PartitionScheme)} == {MAIN, "cl_ext_device_fission"}


@pytest.mark.parametrize("group", ["cl_mem_flags", "cl_map_flags", "cl_svm_mem_flags", "cl_mem_alloc_flags_intel",
                                   "cl_mutable_dispatch_fields_khr", "cl_command_buffer_flags_khr"])  # fmt: skip
def test_every_flag_of_a_type_has_a_requirement(group: str) -> None:
    flags = requirements_of_kind(Flag)
    assert set(load().values_of_group(group)) <= names_of(flags)
    assert [flag for flag in flags if flag.type == group]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("CL_MEM_READ_WRITE", "CL_MEM_READ_ONLY"),
        ("CL_MEM_READ_WRITE", "CL_MEM_WRITE_ONLY"),
        ("CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY"),
        ("CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR"),
        ("CL_MEM_USE_HOST_PTR", "CL_MEM_COPY_HOST_PTR"),
        ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_READ_ONLY"),
        ("CL_MEM_HOST_WRITE_ONLY", "CL_MEM_HOST_NO_ACCESS"),
        ("CL_MEM_HOST_READ_ONLY", "CL_MEM_HOST_NO_ACCESS"),
    ],
)
def test_memory_flags_of_each_pair_exclude_each_other(one: str, other: str) -> None:
    flags = {flag.name: flag for flag in requirements_of_kind(Flag) if flag.type == "cl_mem_flags"}
    assert other in flags[one].excludes
    assert one in flags[other].excludes


def test_no_further_memory_flags_exclude_each_other() -> None:
    flags = [f for f in requirements_of_kind(Flag) if f.type == "cl_mem_flags" and f.document == MAIN]
    assert sum(len(flag.excludes) for flag in flags) == 2 * 8


def test_write_invalidate_map_flag_excludes_read_and_write() -> None:
    flags = {flag.name: flag.excludes for flag in requirements_of_kind(Flag) if flag.type == "cl_map_flags"}
    assert flags["CL_MAP_WRITE_INVALIDATE_REGION"] == ("CL_MAP_READ", "CL_MAP_WRITE")


def test_image_formats_have_known_channel_orders_and_types() -> None:
    tables = load()
    formats = requirements_of_kind(RequiredImageFormat)
    always = {f.access for f in formats if [gate.name for gate in f.applicability] == ["FULL_PROFILE"]}
    assert always == {"read-or-write", "read-and-write"}
    assert all(f.applicability and f.applicability[0].subject == "profile" for f in formats)
    for requirement in [*formats, *requirements_of_kind(SharingFormat)]:
        assert tables.enumerants[requirement.order].group == "cl_channel_order", requirement.id
        assert tables.enumerants[requirement.data_type].group == "cl_channel_type", requirement.id
    for group in ("cl_channel_order", "cl_channel_type"):
        assert len([flag for flag in requirements_of_kind(Flag) if flag.type == group]) >= 14


def test_required_formats_with_four_channels_are_listed() -> None:
    for profile in ("FULL_PROFILE", "EMBEDDED_PROFILE"):
        formats = [
            f for f in requirements_of_kind(RequiredImageFormat) if [gate.name for gate in f.applicability] == [profile]
        ]
        least = {(f.order, f.data_type) for f in formats if f.access == "read-or-write"}
        assert {("CL_RGBA", "CL_UNORM_INT8"), ("CL_RGBA", "CL_FLOAT"), ("CL_RGBA", "CL_SIGNED_INT32")} <= least


def test_every_image_type_has_a_rule_for_the_size_of_host_ptr() -> None:
    images = {name for name in load().values_of_group("cl_mem_object_type") if "IMAGE" in name}
    assert names_of(requirements_of_kind(HostPointerSize)) == images
    assert {f for requirement in requirements_of_kind(HostPointerSize) for f in requirement.factors} <= {
        field for field, _ in load().types["cl_image_desc"].fields
    }


def test_main_document_lists_every_command_type() -> None:
    printed = {name for name, value in load().values_of_group("cl_command_type").items() if value}
    told = names_of(requirements_of_kind(CommandType))
    assert {name for name in printed if MAIN in load().enumerants[name].documents} - told <= {
        "CL_COMMAND_USER", "CL_COMMAND_COMMAND_BUFFER_KHR", "CL_COMMAND_GL_FENCE_SYNC_OBJECT_KHR"}  # fmt: skip


def test_every_command_buffer_state_has_transitions_to_and_from_it() -> None:
    moves = [move for move in requirements_of_kind(StateTransition) if move.object == "cl_command_buffer_khr"]
    states = set(load().values_of_group("cl_command_buffer_state_khr"))
    assert {move.target for move in moves} == states
    assert {move.source for move in moves} == states | {""}
    again = [move for move in moves if move.source == move.target]
    assert [move.required_flag for move in again] == ["CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR"]
    assert not [move for move in moves if move.target.endswith("RECORDING_KHR") and move.source]


def test_event_status_transitions_decrease_the_value() -> None:
    moves = [move for move in requirements_of_kind(StateTransition) if move.object == "cl_event" and move.source]
    values = {name: entry.value for name, entry in load().enumerants.items()}
    assert len(moves) == 3
    assert all(values[move.source] > values[move.target] for move in moves)
