"""The XML registry: values, aliases, casts, groups, types, structures, prototypes, and unreadable entries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec
import pytest

from clconform.spec_tables.requirements import ApplicabilityCondition
from clconform.tools.extract.assembly_registry import complete_applicability
from clconform.tools.extract.xml_registry import XmlRegistry, read_registry

from .documents import REGISTRY

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def registry(tmp_path: Path) -> XmlRegistry:
    path = tmp_path / "cl.xml"
    path.write_text(REGISTRY, encoding="utf-8")
    return read_registry(path)


def test_registry_values_and_aliases_are_read_as_integers(registry: XmlRegistry) -> None:
    values = {name: enumerant.value for name, enumerant in registry.enumerants.items()}
    assert values["CL_INVALID_VALUE"] == -30
    assert values["CL_LAST"] == -1
    assert values["CL_THING_RED"] == 8
    assert values["CL_THING_SIZE_KHR"] == values["CL_THING_SIZE"] == 0x1000
    assert "CL_A_FLOAT" not in values


def test_groups_and_applicability_of_registry_values_are_read(registry: XmlRegistry) -> None:
    assert registry.enumerants["CL_THING_SIZE"].group == "cl_thing_info"
    assert registry.enumerants["CL_THING_RED"].group == "cl_thing_flags"
    assert registry.enumerants["CL_THING_RED"].applicability == (
        ApplicabilityCondition("platform-version", since="1.2"),
    )
    assert registry.enumerants["CL_THING_SIZE_KHR"].applicability == (
        ApplicabilityCondition("extension", name="cl_khr_things"),
    )
    assert registry.enumerants["CL_INVALID_CONTEXT"].group == "ErrorCodes"


def test_registry_values_of_unknown_vendor_extensions_are_ignored(registry: XmlRegistry) -> None:
    assert "CL_ODD" not in registry.enumerants
    assert registry.unread == []


def test_registry_types_have_kind_base_and_fields(registry: XmlRegistry) -> None:
    assert (registry.types["cl_thing_flags"].kind, registry.types["cl_thing_flags"].base) == ("bitfield", "uint64")
    assert (registry.types["cl_thing_info"].kind, registry.types["cl_thing_info"].base) == ("scalar", "uint32")
    assert registry.types["cl_thing"].kind == "handle"
    assert registry.types["cl_thing_desc"].fields == (
        ("kind", "cl_uint"),
        ("other", "cl_thing"),
        ("label", "char[CL_LABEL_SIZE]"),
    )


def test_registry_prototypes_have_parameters_and_created_object(registry: XmlRegistry) -> None:
    function = registry.functions["clCreateThing"]
    assert function.document == "registry"
    assert [p.name for p in function.parameters] == ["context", "sizes", "pfn_notify", "errcode_ret"]
    assert function.creates == "cl_thing"


def test_registry_value_that_is_not_an_integer_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "cl.xml"
    path.write_text(REGISTRY.replace('value="-34"', 'value="what"'), encoding="utf-8")
    assert read_registry(path).unread == ["cl.xml: CL_INVALID_CONTEXT has a value that is not an integer"]


@pytest.mark.parametrize(
    ("depends", "since"),
    [
        ("CL_VERSION_2_0", ["2.0"]),
        ("CL_VERSION_2_0+cl_khr_pairs", ["2.0"]),
        ("CL_VERSION_2_0,cl_khr_pairs", []),
        ("cl_khr_pairs", []),
    ],
)
def test_required_version_of_part_of_extension_is_read(tmp_path: Path, depends: str, since: list[str]) -> None:
    part = re.search(r'<extension name="cl_khr_things".*?</extension>', REGISTRY, re.DOTALL)
    assert part is not None
    path = tmp_path / "cl.xml"
    changed = part[0].replace("<require", f'<require depends="{depends}"')
    path.write_text(REGISTRY.replace(part[0], changed), encoding="utf-8")
    found = read_registry(path).enumerants["CL_THING_SIZE_KHR"].applicability
    assert [condition.since for condition in found if condition.since] == since
    assert found[-1] == ApplicabilityCondition("extension", name="cl_khr_things")


EXTENSION_ORIGIN = ApplicabilityCondition("extension", name="cl_khr_things")
VERSION_ORIGIN = ApplicabilityCondition("platform-version", since="2.0")


@pytest.mark.parametrize("name", ["clCreateThing", "clReleaseThing", "clGetThingInfo"])
@pytest.mark.parametrize(
    ("printed", "registered", "complete"),
    [
        ((), (EXTENSION_ORIGIN,), (EXTENSION_ORIGIN,)),
        ((EXTENSION_ORIGIN,), (VERSION_ORIGIN, EXTENSION_ORIGIN), (VERSION_ORIGIN, EXTENSION_ORIGIN)),
        ((EXTENSION_ORIGIN,), (), (EXTENSION_ORIGIN,)),
        ((VERSION_ORIGIN,), (ApplicabilityCondition("platform-version", since="1.2"),), (VERSION_ORIGIN,)),
    ],
)
def test_origin_that_the_document_does_not_print_comes_from_the_registry(
    registry: XmlRegistry,
    name: str,
    printed: tuple[ApplicabilityCondition, ...],
    registered: tuple[ApplicabilityCondition, ...],
    complete: tuple[ApplicabilityCondition, ...],
) -> None:
    function = msgspec.structs.replace(registry.functions["clCreateThing"], name=name, applicability=printed)
    registry.functions[name] = msgspec.structs.replace(function, applicability=registered)
    assert complete_applicability(function, registry).applicability == complete
