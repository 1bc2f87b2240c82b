"""Query results are formatted and compared with the minimums of the documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.queries.capability_text import (
    BELOW,
    MEETS,
    NO_VALUE,
    OUTSIDE,
    describe_capabilities,
    format_fact,
)
from clconform.runner.session.device_discovery import SessionBase, query_facts
from clconform.simulator.device_info import extension_versions
from clconform.spec_tables.requirements import Query

from .oracle_setup import DevicePlan, OracleSetup

if TYPE_CHECKING:
    from clconform.calls.journal import Capability
    from clconform.oracles.model.cl_object import Fact

EXTENSIONS = "cl_khr_fp16 cl_khr_pci_bus_info cl_khr_device_uuid cl_ext_device_fission"
PACKED_VERSION = 2 << 22 | 1 << 12 | 37


def describe_value(name: str, fact: Fact, *, version: str = "3.0", **others: Fact) -> Capability:
    """Return the row of a query that returned this value."""
    world = OracleSetup(version=version, extensions=EXTENSIONS)
    device = world.roots[0]
    device.facts.update({"CL_DEVICE_PROFILE": "FULL_PROFILE", **others, name: fact})
    return get_row(world, name)


def get_row(world: OracleSetup, name: str, device: int = 0) -> Capability:
    """Return the row of a query in the capabilities of a device."""
    return next(row for row in describe_capabilities(world.model)[1 + device].values if row.query == name)


@pytest.mark.parametrize(
    ("name", "fact", "shown"),
    [
        ("CL_DEVICE_TYPE", 6, "CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU"),
        ("CL_DEVICE_TYPE", 2 | 1 << 40, "CL_DEVICE_TYPE_CPU | 0x10000000000"),
        ("CL_DEVICE_SVM_CAPABILITIES", 0, "none"),
        ("CL_DEVICE_GLOBAL_MEM_CACHE_TYPE", 2, "CL_READ_WRITE_CACHE"),
        ("CL_DEVICE_GLOBAL_MEM_CACHE_TYPE", 77, "0x4d"),
        (
            "CL_DEVICE_PARTITION_PROPERTIES",
            (0x1086, 0x1087),
            "CL_DEVICE_PARTITION_EQUALLY, CL_DEVICE_PARTITION_BY_COUNTS",
        ),
        ("CL_DEVICE_PARTITION_PROPERTIES", (0,), "none"),
        ("CL_DEVICE_AVAILABLE", 1, "yes"),
        ("CL_DEVICE_AVAILABLE", 0, "no"),
        ("CL_DEVICE_AVAILABLE", 5, "5"),
        ("CL_DEVICE_GLOBAL_MEM_SIZE", 5406102528, "5406102528 bytes (5.035 GiB)"),
        ("CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE", 64, "64 bytes"),
        ("CL_DEVICE_MAX_CLOCK_FREQUENCY", 2596, "2596 MHz"),
        ("CL_DEVICE_NUMERIC_VERSION", PACKED_VERSION, "2.1.37"),
        ("CL_DEVICE_ILS_WITH_VERSION", (PACKED_VERSION, "SPIR-V", 1 << 22, "Other"), "SPIR-V 2.1.37, Other 1.0.0"),
        ("CL_DEVICE_ILS_WITH_VERSION", (PACKED_VERSION,), " 2.1.37"),
        ("CL_DEVICE_ILS_WITH_VERSION", (), "none"),
        ("CL_DEVICE_MAX_WORK_ITEM_SIZES", (1024, 64, 1), "1024, 64, 1"),
        ("CL_DEVICE_PCI_BUS_INFO_KHR", (0, 3, 1, 0), "pci_domain 0, pci_bus 3, pci_device 1, pci_function 0"),
        ("CL_DEVICE_UUID_KHR", tuple(range(16)), "000102030405060708090a0b0c0d0e0f"),
        ("CL_DEVICE_PARENT_DEVICE", None, "NULL"),
        ("CL_DEVICE_NAME", "\x1b[31m</td>", "\x1b[31m</td>"),
    ],
)
def test_query_value_is_shown_with_names_and_units(name: str, fact: Fact, shown: str) -> None:
    assert describe_value(name, fact).value == shown


COMMAND_BUFFER_EXTENSIONS = "cl_khr_command_buffer cl_khr_command_buffer_multi_device"


@pytest.mark.parametrize(
    ("of_the_device", "told"),
    [
        (COMMAND_BUFFER_EXTENSIONS, ("CL_COMMAND_BUFFER_PLATFORM_REMAP_QUEUES_KHR", "")),
        ("", ("", "cl_khr_command_buffer_multi_device is not supported")),
    ],
)
def test_platform_queries_include_those_of_device_extensions(of_the_device: str, told: tuple[str, str]) -> None:
    world, name = OracleSetup(extensions="cl_khr_icd"), "CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR"
    device = world.roots[0]
    asked: list[tuple[str, str]] = []
    device.facts["CL_DEVICE_EXTENSIONS"] = of_the_device
    device.facts |= extension_versions("DEVICE", of_the_device.split(), world.model)
    device.refresh()
    base = SessionBase(world.platform.name, device.name, [], [device.name])
    query_facts(base, world.model, lambda _call: None, lambda function, _thing, query: asked.append((function, query)))
    assert (("clGetPlatformInfo", name) in asked) is bool(of_the_device)
    world.platform.facts[name] = 2
    row = next(row for row in describe_capabilities(world.model)[0].values if row.query == name)
    assert (row.value, row.reason) == told


def test_query_value_of_unknown_type_is_shown_as_a_number() -> None:
    world = OracleSetup()
    query = Query("X", "", world.model.tables.queries_of("clGetDeviceInfo")[0].section, "", type="cl_unknown")
    assert format_fact(7, query, "", world.model) == "7"


@pytest.mark.parametrize(
    ("name", "fact", "least", "mark"),
    [
        ("CL_DEVICE_MAX_COMPUTE_UNITS", 0, "at least 1", BELOW),
        ("CL_DEVICE_MAX_COMPUTE_UNITS", 1, "at least 1", MEETS),
        ("CL_DEVICE_MAX_WORK_ITEM_SIZES", (), "at least 1", BELOW),
        ("CL_DEVICE_EXECUTION_CAPABILITIES", 2, "CL_EXEC_KERNEL", BELOW),
        ("CL_DEVICE_PARTITION_MAX_SUB_DEVICES", 17, "at most 16", OUTSIDE),
        ("CL_DEVICE_IMAGE_PITCH_ALIGNMENT", 3, "a power of two", OUTSIDE),
        ("CL_DEVICE_VENDOR_ID", 0, "", ""),
    ],
)
def test_query_value_below_its_minimum_is_marked(name: str, fact: Fact, least: str, mark: str) -> None:
    row = describe_value(name, fact, CL_DEVICE_IMAGE_SUPPORT=1)
    assert (row.minimum, row.mark) == (least, mark)


def test_minimum_does_not_apply_if_its_feature_is_missing() -> None:
    lacking = describe_value("CL_DEVICE_MAX_SAMPLERS", 0, CL_DEVICE_IMAGE_SUPPORT=0)
    assert (lacking.minimum, lacking.mark) == ("0: the device lacks images", MEETS)
    assert describe_value("CL_DEVICE_MAX_SAMPLERS", 4, CL_DEVICE_IMAGE_SUPPORT=0).mark == OUTSIDE
    assert describe_value("CL_DEVICE_MAX_SAMPLERS", 4, CL_DEVICE_IMAGE_SUPPORT=1).mark == BELOW


def test_minimum_that_depends_on_profile_is_shown_only_if_profile_is_known() -> None:
    world = OracleSetup()
    world.roots[0].facts.update({"CL_DEVICE_LOCAL_MEM_SIZE": 1})
    assert get_row(world, "CL_DEVICE_LOCAL_MEM_SIZE").mark == ""
    world.roots[0].facts["CL_DEVICE_PROFILE"] = "EMBEDDED_PROFILE"
    assert get_row(world, "CL_DEVICE_LOCAL_MEM_SIZE").minimum == "at least 1024 bytes (1000 if a KB has 1000 bytes)"


def test_row_of_inapplicable_query_states_the_reason() -> None:
    row = get_row(OracleSetup(version="1.2"), "CL_DEVICE_SVM_CAPABILITIES")
    assert (row.value, row.minimum, row.mark) == ("", "", "")
    assert row.reason == "missing before 2.0; the device's version is 1.2"


def test_row_of_query_without_value_states_the_reason() -> None:
    row = get_row(OracleSetup(), "CL_DEVICE_NAME")
    assert (row.value, row.reason) == ("", NO_VALUE)
    assert get_row(OracleSetup(), "CL_DEVICE_VERSION").reason == ""


def test_row_of_alias_query_shows_the_value_of_the_older_name() -> None:
    row = describe_value("CL_DEVICE_QUEUE_ON_HOST_PROPERTIES", 0, CL_DEVICE_QUEUE_PROPERTIES=2)
    assert row.mark == BELOW
    world = OracleSetup()
    world.roots[0].facts["CL_DEVICE_QUEUE_PROPERTIES"] = 2
    row = get_row(world, "CL_DEVICE_QUEUE_ON_HOST_PROPERTIES")
    assert (row.value, row.mark) == ("CL_QUEUE_PROFILING_ENABLE", MEETS)


def test_capabilities_list_the_platform_before_its_devices() -> None:
    world = OracleSetup(DevicePlan(), DevicePlan(units=4))
    world.add_sub_device("device9")
    found = describe_capabilities(world.model)
    assert [each.handle for each in found] == ["platform1", "device1", "device2"]
    assert all(row.query.startswith("CL_PLATFORM_") for row in found[0].values)
    assert found[1].values[0].section == "4.2"
    assert get_row(world, "CL_DEVICE_MAX_COMPUTE_UNITS", 1).value == "4"
