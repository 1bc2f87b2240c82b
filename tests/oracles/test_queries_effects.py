"""Prose requirements of the query sections: values that conform to them and values that deviate."""

from __future__ import annotations

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer

from .worlds import World

FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
SAMPLER = "clCreateSamplerWithProperties"


def told(world: World, function: str, thing: Handle, query: str, *answer: int | str) -> dict[str, str]:
    """Return the evidence that a returned value gives, by requirement."""
    width = world.model.lookups.size_of(world.model.tables.requirements[query].type)
    size = sum(len(each) if isinstance(each, str) else width for each in answer)
    outputs = {"param_value": Output(list(answer), size), "param_value_size_ret": Output([size], 8)}
    expectation = world.expect(function, thing, world.value(query), 256, OutputBuffer(256), OutputBuffer(1))
    return dict(world.oracle.judge(expectation, Returned(0, outputs)).evidence)


def of_profiles(platform: str, device: str) -> World:
    """Return a setup whose platform and device report these profiles."""
    world = World()
    world.platform.facts["CL_PLATFORM_PROFILE"] = platform
    world.roots[0].facts["CL_DEVICE_PROFILE"] = device
    return world


@pytest.mark.parametrize(
    ("platform", "device", "expected"),
    [(EMBEDDED, EMBEDDED, "conforms"), (EMBEDDED, FULL, "deviates"), (FULL, EMBEDDED, None), (FULL, FULL, None)],
)
def test_devices_of_an_embedded_platform(platform: str, device: str, expected: str | None) -> None:
    world = World()
    world.platform.facts["CL_PLATFORM_PROFILE"] = platform
    evidence = told(world, "clGetDeviceInfo", world.device, "CL_DEVICE_PROFILE", f"{device}\0")
    assert evidence.get("clGetPlatformInfo/effect/4") == expected


@pytest.mark.parametrize(("answer", "expected"), [(1, "conforms"), (0, "deviates")])
def test_a_compiler_of_the_full_profile(answer: int, expected: str) -> None:
    world = of_profiles(FULL, FULL)
    evidence = told(world, "clGetDeviceInfo", world.device, "CL_DEVICE_COMPILER_AVAILABLE", answer)
    assert evidence["clGetPlatformInfo/effect/3"] == expected


def test_nothing_is_said_of_a_compiler_in_the_embedded_profile() -> None:
    world = of_profiles(EMBEDDED, EMBEDDED)
    evidence = told(world, "clGetDeviceInfo", world.device, "CL_DEVICE_COMPILER_AVAILABLE", 0)
    assert "clGetPlatformInfo/effect/3" not in evidence


@pytest.mark.parametrize(("answer", "expected"), [("name\0", "conforms"), ("name", "deviates")])
def test_strings_of_a_platform_end_with_a_zero(answer: str, expected: str) -> None:
    world = World()
    evidence = told(world, "clGetPlatformInfo", Handle("platform1"), "CL_PLATFORM_NAME", answer)
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
def test_lists_of_properties_come_back(
    given: tuple[str | int, ...] | None, answer: tuple[str | int, ...], effect: int, expected: str
) -> None:
    world = World()
    world.model.add(Context("context1", devices=list(world.roots)))
    properties = None if given is None else ElementList(tuple(map(world.value, given)))
    making = world.expect(SAMPLER, Handle("context1"), properties, OutputBuffer(1))
    world.oracle.judge(making, Returned("sampler1", {"errcode_ret": Output([0], 4)}))
    query = "CL_SAMPLER_PROPERTIES"
    evidence = told(world, "clGetSamplerInfo", Handle("sampler1"), query, *map(world.value, answer))
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
def test_a_value_is_put_to_the_test_where_it_is_the_only_right_one(
    query: str, answer: str, record: str, expected: str | None
) -> None:
    world = World()
    buffer = Buffer("mem1", size=64)
    world.model.add(buffer)
    evidence = told(world, "clGetMemObjectInfo", Handle(buffer.name), query, world.value(answer))
    assert evidence.get(record) == expected
