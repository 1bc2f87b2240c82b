"""The committed tables load quickly and are consistent. Errors in broken tables are reported."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.spec_tables import load
from clconform.spec_tables.loading import DATA, REVISIONS, TablesError, read_tables
from clconform.spec_tables.requirements import ApplicabilityCondition, Effect, ErrorCondition, PartitionScheme, Query
from clconform.tools.extract.dispatch_header import newest_dispatch_order

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def tables_copy(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    shutil.copytree(DATA, folder)
    return folder


def test_load_reads_the_default_tables_once() -> None:
    assert load() is load()
    assert read_tables(DATA) is not read_tables(DATA)


def test_tables_have_plausible_number_of_requirements() -> None:
    tables = load()
    clauses = [requirement for requirement in tables.requirements.values() if isinstance(requirement, ErrorCondition)]
    functions = {clause.function for clause in clauses}
    assert len(functions) >= 164
    assert len(clauses) >= 1190
    assert len([requirement for requirement in tables.requirements.values() if isinstance(requirement, Query)]) >= 250


def test_every_code_of_an_error_condition_is_an_error_code() -> None:
    tables = load()
    codes = {
        requirement.code for requirement in tables.requirements.values() if isinstance(requirement, ErrorCondition)
    }
    assert all(code == "NULL" or tables.enumerants[code].value < 0 for code in codes)


def test_error_conditions_of_a_function_are_in_document_order() -> None:
    assert [clause.id for clause in load().error_conditions_of("clCreateSubDevices")] == [
        "clCreateSubDevices/CL_INVALID_DEVICE/1",
        "clCreateSubDevices/CL_INVALID_VALUE/1",
        "clCreateSubDevices/CL_INVALID_VALUE/2",
        "clCreateSubDevices/CL_DEVICE_PARTITION_FAILED/1",
        "clCreateSubDevices/CL_INVALID_DEVICE_PARTITION_COUNT/1",
        "clCreateSubDevices/CL_OUT_OF_RESOURCES/1",
        "clCreateSubDevices/CL_OUT_OF_HOST_MEMORY/1",
    ]


def test_conditions_with_null_result_precede_other_conditions() -> None:
    assert [clause.id for clause in load().error_conditions_of("clSVMAlloc")][:2] == [
        "clSVMAlloc/NULL/1",
        "clSVMAlloc/NULL/2",
    ]


def test_extension_function_has_conditions_for_platforms_before_1_2() -> None:
    requirements = load().requirements
    older = ApplicabilityCondition("platform-version", before="1.2")
    assert older in requirements["clCreateSubDevicesEXT/CL_INVALID_PROPERTY/1"].applicability
    assert (
        ApplicabilityCondition("platform-version", since="1.2")
        in requirements["clCreateSubDevicesEXT/CL_INVALID_VALUE/1"].applicability
    )


def test_affinity_domains_of_device_fission_are_consecutive_numbers() -> None:
    values = {name: entry.value for name, entry in load().enumerants.items() if "_CACHE_EXT" in name}
    assert sorted(values.values()) == [1, 2, 3, 4]
    assert load().values_of_group("cl_device_affinity_domain")["CL_DEVICE_AFFINITY_DOMAIN_L1_CACHE"] == 16


def test_partition_schemes_have_terminators_and_value_choices() -> None:
    schemes = {name: r for name, r in load().requirements.items() if isinstance(r, PartitionScheme)}
    assert len(schemes) == 7
    assert schemes["CL_DEVICE_PARTITION_BY_COUNTS"].list_end == "CL_DEVICE_PARTITION_BY_COUNTS_LIST_END"
    assert len(schemes["CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN"].choices) == 6
    assert len(schemes["CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT"].choices) == 6


def test_name_of_a_value_is_found_within_its_group() -> None:
    tables = load()
    assert tables.name_of(-30, "ErrorCodes") == "CL_INVALID_VALUE"
    assert tables.name_of(12345, "ErrorCodes") is None
    assert tables.values_of_group("no such group") == {}


def test_dispatch_table_is_ordered() -> None:
    dispatch = load().dispatch
    assert dispatch[0] == "clGetPlatformIDs"
    assert dispatch.index("clCreateSubDevicesEXT") == 89
    assert dispatch.index("clGetDeviceIDsFromD3D10KHR") > 0
    assert len(set(dispatch)) == len(dispatch)


def test_dispatch_table_of_3_1_appends_one_function() -> None:
    """Loaders of 3.1 expect the function of 3.1 after the entries of 3.0."""
    older, newer = (read_tables(REVISIONS / name).dispatch for name in ("3.0.17", "3.1.1"))
    assert newer == (*older, "clGetKernelSuggestedLocalWorkSize")


def test_older_icd_header_does_not_remove_functions_from_the_dispatch_table(tmp_path: Path) -> None:
    header = tmp_path / "cl_icd.h"
    header.write_text("struct _cl_icd_dispatch { cl_api_clA clA; cl_api_clB clB; } cl_icd_dispatch;")
    assert newest_dispatch_order(["clA", "clB", "clC"], header) == ["clA", "clB", "clC"]
    assert newest_dispatch_order(["clA"], header) == ["clA", "clB"]
    assert newest_dispatch_order([], header) == ["clA", "clB"]
    assert newest_dispatch_order(["clC"], header) == ["clA", "clB"]
    assert newest_dispatch_order(["clC"], tmp_path / "none.h") == ["clC"]


def test_every_function_has_a_success_requirement() -> None:
    tables = load()
    assert [name for name in tables.functions if f"{name}/success" not in tables.requirements] == []


def test_every_effect_has_a_topic() -> None:
    assert [r.id for r in load().requirements.values() if isinstance(r, Effect) and not r.topic] == []


def test_missing_file_of_tables_is_reported(tables_copy: Path) -> None:
    (tables_copy / "types.json").unlink()
    with pytest.raises(TablesError, match=r"types\.json.*clconform dev extract"):
        read_tables(tables_copy)


def test_corrupt_file_of_tables_is_reported(tables_copy: Path) -> None:
    path = tables_copy / "clauses.json"
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(TablesError, match=r"clauses\.json") as caught:
        read_tables(tables_copy)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("function", "clNoSuchFunction", "functions.json"),
        ("document", "no such document", "documents.json"),
        ("code", "CL_NO_SUCH_CODE", "not a known code"),
        ("condition", {"kind": "no such kind"}, "kind of condition"),
    ],
)
def test_error_in_a_requirement_is_reported_with_its_id(
    tables_copy: Path, field: str, value: object, told: str
) -> None:
    path = tables_copy / "clauses.json"
    rows = msgspec.json.decode(path.read_bytes())
    rows[0][field] = value
    path.write_bytes(msgspec.json.encode(rows))
    with pytest.raises(TablesError, match=told) as caught:
        read_tables(tables_copy)
    assert rows[0]["id"] in str(caught.value)


def test_duplicate_requirement_id_is_reported(tables_copy: Path) -> None:
    path = tables_copy / "clauses.json"
    rows = msgspec.json.decode(path.read_bytes())
    path.write_bytes(msgspec.json.encode([*rows, rows[0]]))
    with pytest.raises(TablesError, match="two records have the id"):
        read_tables(tables_copy)
