"""Prose requirements of the query sections: values that conform to them and values that deviate."""

from __future__ import annotations

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer

from .oracle_setup import OracleSetup

FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
SAMPLER = "clCreateSamplerWithProperties"


def collect_evidence(
    world: OracleSetup, function: str, thing: Handle, query: str, *answer: int | str
) -> dict[str, str]:
    """Return the evidence that a query gives if it returns ``answer``: maps requirements to verdicts."""
    width = world.model.lookups.size_of(world.model.tables.requirements[query].type)
    size = sum(len(each) if isinstance(each, str) else width for each in answer)
    outputs = {"param_value": Output(list(answer), size), "param_value_size_ret": Output([size], 8)}
    expectation = world.expect(function, thing, world.value(query), 256, OutputBuffer(256), OutputBuffer(1))
    return dict(world.oracle.judge(expectation, Returned(0, outputs)).evidence)


def set_up_profiles(platform: str, device: str) -> OracleSetup:
    """Return a setup whose platform and device report these profiles."""
    world = OracleSetup()
    world.platform.facts["CL_PLATFORM_PROFILE"] = platform
    world.roots[0].facts["CL_DEVICE_PROFILE"] = device
    return world


@pytest.mark.parametrize(
    ("platform", "device", "expected"),
    [(EMBEDDED, EMBEDDED, "conforms"), (EMBEDDED, FULL, "deviates"), (FULL, EMBEDDED, None), (FULL, FULL, None)],
)
def test_full_profile_device_of_embedded_platform_deviates(platform: str, device: str, expected: str | None) -> None:
    world = OracleSetup()
    world.platform.facts["CL_PLATFORM_PROFILE"] = platform
    evidence = collect_evidence(world, "clGetDeviceInfo", world.device, "CL_DEVICE_PROFILE", f"{device}\0")
    assert evidence.get("clGetPlatformInfo/effect/4") == expected


@pytest.mark.parametrize(("answer", "expected"), [(1, "conforms"), (0, "deviates")])
def test_full_profile_device_without_compiler_deviates(answer: int, expected: str) -> None:
    world = set_up_profiles(FULL, FULL)
    evidence = collect_evidence(world, "clGetDeviceInfo", world.device, "CL_DEVICE_COMPILER_AVAILABLE", answer)
    assert evidence["clGetPlatformInfo/effect/3"] == expected


def test_embedded_profile_device_without_compiler_conforms() -> None:
    world = set_up_profiles(EMBEDDED, EMBEDDED)
    evidence = collect_evidence(world, "clGetDeviceInfo", world.device, "CL_DEVICE_COMPILER_AVAILABLE", 0)
    assert "clGetPlatformInfo/effect/3" not in evidence


@pytest.mark.parametrize(("answer", "expected"), [("name\0", "conforms"), ("name", "deviates")])
def test_platform_strings_are_null_terminated(answer: str, expected: str) -> None:
    world = OracleSetup()
    evidence = collect_evidence(world, "clGetPlatformInfo", Handle("platform1"), "CL_PLATFORM_NAME", answer)
    assert evidence["clGetPlatformInfo/effect/5"] == expected


@pytest.mark.parametrize(
    ("given", "answer", "effect", "expected"),
    [
        (("CL_SAMPLER_NORMALIZED_COORDS", 0, 0), ("CL_SAMPLER_NORMALIZED_COORDS", 0, 0), 1, "conforms"),
        (("CL_SAMPLER_NORMALIZED_COORDS", 0, 0), (), 1, "deviates"),
        (None, (), 2, "conforms"),
        (None, ("CL_SAMPLER_NORMALIZED_COORDS", 0, 0), 2, "deviates"),
    ],
)
def test_queried_properties_that_differ_from_creation_deviate(
    given: tuple[str | int, ...] | None, answer: tuple[str | int, ...], effect: int, expected: str
) -> None:
    world = OracleSetup()
    world.model.add(Context("context1", devices=list(world.roots)))
    properties = None if given is None else ElementList(tuple(map(world.value, given)))
    making = world.expect(SAMPLER, Handle("context1"), properties, OutputBuffer(1))
    world.oracle.judge(making, Returned("sampler1", {"errcode_ret": Output([0], 4)}))
    query = "CL_SAMPLER_PROPERTIES"
    evidence = collect_evidence(world, "clGetSamplerInfo", Handle("sampler1"), query, *map(world.value, answer))
    assert evidence[f"{query}/effect/{effect}"] == expected
    assert f"{query}/effect/{3 - effect}" not in evidence


@pytest.mark.parametrize(
    ("query", "answer", "record", "expected"),
    [
        ("CL_MEM_TYPE", "CL_MEM_OBJECT_BUFFER", "cl_mem_object_type:CL_MEM_OBJECT_BUFFER", "conforms"),
        ("CL_MEM_TYPE", "CL_MEM_OBJECT_PIPE", "cl_mem_object_type:CL_MEM_OBJECT_BUFFER", "deviates"),
        ("CL_MEM_TYPE", "CL_MEM_OBJECT_PIPE", "cl_mem_object_type:CL_MEM_OBJECT_PIPE", None),
        ("CL_MEM_FLAGS", "CL_MEM_READ_ONLY", "cl_mem_flags:CL_MEM_READ_ONLY", None),
    ],
)
def test_enumerant_is_covered_only_if_no_other_value_is_allowed(
    query: str, answer: str, record: str, expected: str | None
) -> None:
    world = OracleSetup()
    buffer = Buffer("mem1", size=64)
    world.model.add(buffer)
    evidence = collect_evidence(world, "clGetMemObjectInfo", Handle(buffer.name), query, world.value(answer))
    assert evidence.get(record) == expected
