"""Requirements of the unified document only: at most inferred for versions whose own documents lack them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call, Output, Returned
from clconform.calls.values import Data, Handle, OutputBuffer
from clconform.oracles.engine.interpretation_list import INTERPRETATIONS
from clconform.oracles.model.call_scope import versions_of
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.image_formats import texel_layout
from clconform.oracles.model.images import Image, ImageDescription, ImageFormat
from clconform.oracles.model.memory_objects import BackingHostMemory, Buffer
from clconform.oracles.model.queues import HostQueue
from clconform.spec_tables import loading

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids
from .query_evaluation import QueryEnvironment, evaluate_answer

if TYPE_CHECKING:
    from clconform.oracles.engine.judgements import ObservedDeviation
    from clconform.oracles.model.cl_object import Fact

EMBEDDED: dict[str, Fact] = {"CL_DEVICE_PROFILE": "EMBEDDED_PROFILE", "CL_DEVICE_IMAGE_SUPPORT": 0}
FULL: dict[str, Fact] = {"CL_DEVICE_PROFILE": "FULL_PROFILE", "CL_DEVICE_IMAGE_SUPPORT": 1}


def judge_device_query(query: str, answer: int, version: str, facts: dict[str, Fact]) -> ObservedDeviation:
    """Return the only deviation for a value of a device query."""
    world = OracleSetup(version=version)
    world.roots[0].facts |= facts
    call = world.call("clGetDeviceInfo", world.device, world.value(query), 8, OutputBuffer(8), None)
    outcome = Returned(0, {"param_value": Output([answer], 8)})
    (deviation,) = world.oracle.judge(world.oracle.expect(call), outcome, validated=True).deviations
    return deviation


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "3.0"])
@pytest.mark.parametrize(
    "query",
    [
        "CL_DEVICE_IMAGE2D_MAX_WIDTH",
        "CL_DEVICE_IMAGE2D_MAX_HEIGHT",
        "CL_DEVICE_IMAGE3D_MAX_WIDTH",
        "CL_DEVICE_IMAGE3D_MAX_HEIGHT",
        "CL_DEVICE_IMAGE3D_MAX_DEPTH",
        "CL_DEVICE_MAX_READ_IMAGE_ARGS",
        "CL_DEVICE_MAX_WRITE_IMAGE_ARGS",
        "CL_DEVICE_MAX_SAMPLERS",
    ],
)
@pytest.mark.parametrize("profile", ["FULL_PROFILE", "EMBEDDED_PROFILE"])
def test_nonzero_image_limit_without_images_is_inferred_before_3_0(query: str, version: str, profile: str) -> None:
    deviation = judge_device_query(query, 16384, version, EMBEDDED | {"CL_DEVICE_PROFILE": profile})
    assert deviation.confidence == ("literal" if version == "3.0" else "inferred")
    (words,) = deviation.conditions.values()
    assert ("zero-limit-of-missing-feature" in words) == (version != "3.0")


@pytest.mark.parametrize(
    ("version", "confidence"), [("1.1", "literal"), ("1.2", "inferred"), ("2.2", "inferred"), ("3.0", "literal")]
)
def test_deviation_of_deprecated_query_is_inferred_from_1_2_to_2_2(version: str, confidence: str) -> None:
    assert judge_device_query("CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", 1, version, FULL).confidence == confidence


def create_buffer_world(*versions: str, platform: str = "") -> OracleSetup:
    """Return a setup with a device of each version, a context of all, a queue on the first device, and a buffer."""
    world = OracleSetup(*(DevicePlan() for _ in versions), version=versions[0])
    for device, version in zip(world.roots, versions, strict=True):
        device.facts["CL_DEVICE_VERSION"] = f"OpenCL {version} test"
        device.facts["CL_DEVICE_MAX_MEM_ALLOC_SIZE"] = 1 << 20
        device.refresh()
    world.platform.facts["CL_PLATFORM_VERSION"] = f"OpenCL {platform or versions[0]} test"
    world.platform.refresh()
    context = Context("context1", devices=list(world.roots))
    for thing in (context, HostQueue("queue1", context=context, queue_device=world.roots[0])):
        world.model.add(thing)
    world.model.add(Buffer("buffer1", context=context, size=64))
    return world


def null_origin_read(world: OracleSetup) -> Call:
    """Return a read of a rectangle without a buffer origin."""
    arguments = (Handle("queue1"), Handle("buffer1"), 1, None, None, None, 0, 0, 0, 0, None, 0, None, None)
    return world.call("clEnqueueReadBufferRect", *arguments)


@pytest.mark.parametrize(
    ("devices", "platform", "confidence"),
    [
        (("3.0",), "3.0", "literal"),
        (("1.2",), "1.2", "inferred"),
        (("2.2",), "2.2", "inferred"),
        (("1.2",), "3.0", "inferred"),
        (("3.0",), "1.2", "inferred"),
        (("3.0", "1.2"), "3.0", "literal"),
    ],
)
def test_null_origin_error_is_inferred_by_version_of_queue_and_platform(
    devices: tuple[str, ...], platform: str, confidence: str
) -> None:
    world = create_buffer_world(*devices, platform=platform)
    call = null_origin_read(world)
    expectation = world.oracle.expect(call)
    musts = {held.clause.id for held in expectation.required_errors}
    assert "clEnqueueReadBufferRect/CL_INVALID_VALUE/1" in musts
    (deviation,) = world.oracle.judge(expectation, Returned(-5000), validated=True).deviations
    assert deviation.confidence == (confidence if len(musts) == 1 else "literal")
    assert ("null-coordinates" in deviation.conditions["clEnqueueReadBufferRect/CL_INVALID_VALUE/1"]) == (
        confidence == "inferred"
    )


@pytest.mark.parametrize(
    ("versions", "size", "verdict"),
    [
        (("1.0",), 2 << 20, "must"),
        (("1.1",), 2 << 20, "may"),
        (("1.2",), 2 << 20, "may"),
        (("2.2",), 2 << 20, "may"),
        (("3.0",), 2 << 20, "must"),
        (("3.0", "1.2"), 2 << 20, "may"),
        (("1.2",), 1 << 20, "no"),
        (("1.2",), 0, "must"),
    ],
)
def test_oversized_buffer_may_be_accepted_from_1_1_to_2_2(versions: tuple[str, ...], size: int, verdict: str) -> None:
    world = create_buffer_world(*versions)
    call = world.call("clCreateBuffer", Handle("context1"), 1, size, None, OutputBuffer(1))
    musts, mays = get_condition_ids(world.oracle.expect(call))
    clause = "clCreateBuffer/CL_INVALID_BUFFER_SIZE/1"
    assert (musts == clause, clause in mays.split()) == (verdict == "must", verdict == "may")


@pytest.mark.parametrize(
    ("version", "confidence"), [("1.1", "literal"), ("1.2", "inferred"), ("2.1", "inferred"), ("3.0", "literal")]
)
def test_deviation_of_deprecated_function_is_inferred_from_1_2_to_2_1(version: str, confidence: str) -> None:
    world = create_buffer_world(version)
    arguments = {each.name: None for each in world.model.tables.functions["clEnqueueMarker"].parameters}
    call = Call("clEnqueueMarker", arguments)
    expectation = world.oracle.expect(call)
    assert get_condition_ids(expectation)[0] == "clEnqueueMarker/CL_INVALID_COMMAND_QUEUE/1"
    (deviation,) = world.oracle.judge(expectation, Returned(0), validated=True).deviations
    assert deviation.confidence == confidence


def test_versions_of_a_call_omit_objects_of_unknown_version() -> None:
    world = OracleSetup()
    del world.roots[0].facts["CL_DEVICE_VERSION"], world.platform.facts["CL_PLATFORM_VERSION"]
    world.roots[0].refresh()
    world.platform.refresh()
    call = world.call("clRetainDevice", world.device)
    assert versions_of(call, world.model) == set()


def test_each_gap_of_older_documents_names_known_ids_and_versions() -> None:
    world = OracleSetup()
    gaps = world.oracle.rulebook.rules.undocumented_versions.entries
    assert set(gaps) <= set().union(
        *(loading.read_tables(loading.REVISIONS / each).requirements for each in loading.list_revisions())
    )
    assert {gap.interpretation for gap in gaps.values()} <= set(INTERPRETATIONS)
    assert all(gap.since < gap.before for gap in gaps.values())


@pytest.mark.parametrize(
    ("record", "version", "reason"),
    [
        ("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS/limit/2", "1.2", "missing before 2.0; the device's version is 1.2"),
        ("CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE/limit/3", "1.2", "missing before 2.0; the device's version is 1.2"),
        ("CL_DEVICE_IMAGE_MAX_ARRAY_SIZE/limit/2", "1.1", "missing before 1.2; the device's version is 1.1"),
        ("CL_DEVICE_IMAGE3D_MAX_WIDTH/limit/2", "1.2", "the document of version 1.2 gives no minimum"),
        ("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS/limit/2", "2.0", ""),
        ("CL_DEVICE_IMAGE3D_MAX_WIDTH/limit/2", "2.0", ""),
    ],
)
def test_embedded_limit_does_not_apply_to_device_of_older_version(record: str, version: str, reason: str) -> None:
    world = OracleSetup(version=version)
    world.roots[0].facts |= EMBEDDED | {"CL_DEVICE_IMAGE_SUPPORT": 1}
    assert world.oracle.rulebook.missing_features(world.roots[0], world.model).get(record, "") == reason


@pytest.mark.parametrize(
    ("version", "profile", "listed", "complaints"),
    [
        ("1.1", "EMBEDDED_PROFILE", "cl_khr_byte_addressable_store", 0),
        ("1.2", "EMBEDDED_PROFILE", "cl_khr_byte_addressable_store", 0),
        ("2.0", "EMBEDDED_PROFILE", "cl_khr_byte_addressable_store", 0),
        ("1.2", "EMBEDDED_PROFILE", "cles_khr_int64", 1),
        ("1.2", "FULL_PROFILE", "cl_khr_byte_addressable_store", 1),
        ("3.0", "EMBEDDED_PROFILE", "cl_khr_byte_addressable_store", 1),
        ("1.2", "", "cl_khr_byte_addressable_store", 0),
    ],
)
def test_embedded_device_need_not_list_atomics_up_to_2_0(
    version: str, profile: str, listed: str, complaints: int
) -> None:
    requirement = "CL_DEVICE_EXTENSIONS/effect/1"
    asked = QueryEnvironment(version, facts={"CL_DEVICE_PROFILE": profile} if profile else {})
    found = evaluate_answer("CL_DEVICE_EXTENSIONS", listed, asked)
    assert [found.get(requirement)].count("wrong") == complaints


@pytest.mark.parametrize(("version", "confidence"), [("1.2", "inferred"), ("2.2", "inferred"), ("3.0", "literal")])
@pytest.mark.parametrize("query", ["CL_IMAGE_ROW_PITCH", "CL_IMAGE_SLICE_PITCH"])
def test_deviation_of_image_pitch_is_inferred_before_3_0(query: str, version: str, confidence: str) -> None:
    world = create_buffer_world(version)
    shape = ImageDescription("CL_MEM_OBJECT_IMAGE3D", width=3, height=3, depth=3)
    image = Image(
        "image1",
        context=world.model.context(Handle("context1")),
        shape=shape,
        format=ImageFormat(layout=texel_layout("CL_RGBA", "CL_UNORM_INT8")),
    )
    world.model.add(image)
    call = world.call("clGetImageInfo", Handle("image1"), world.value(query), 8, OutputBuffer(8), None)
    outcome = Returned(0, {"param_value": Output([64], 8)})
    (deviation,) = world.oracle.judge(world.oracle.expect(call), outcome, validated=True).deviations
    assert deviation.confidence == confidence


@pytest.mark.parametrize(("version", "complaints"), [("1.0", 0), ("1.1", 0), ("1.2", 1), ("3.0", 1)])
def test_host_pointer_of_copied_memory_may_be_reported_before_1_2(version: str, complaints: int) -> None:
    world = create_buffer_world(version)
    (buffer,) = world.model.objects_of_class(Buffer)
    buffer.host = BackingHostMemory()
    query = world.value("CL_MEM_HOST_PTR")
    call = world.call("clGetMemObjectInfo", Handle(buffer.name), query, 8, OutputBuffer(8), None)
    outcome = Returned(0, {"param_value": Output([4096], 8)})
    assert len(world.oracle.judge(world.oracle.expect(call), outcome, validated=True).deviations) == complaints


@pytest.mark.parametrize(
    ("devices", "platform", "refusable"),
    [(("3.0",), "3.0", False), (("1.2",), "3.0", True), (("3.0", "1.2"), "3.0", True), (("1.2",), "1.2", True)],
)
def test_empty_read_may_be_rejected_before_2_1(devices: tuple[str, ...], platform: str, *, refusable: bool) -> None:
    world = create_buffer_world(*devices, platform=platform)
    arguments = (Handle("queue1"), Handle("buffer1"), 1, 0, 0, Data(b""), 0, None, None)
    _, mays = get_condition_ids(world.oracle.expect(world.call("clEnqueueReadBuffer", *arguments)))
    assert ("clEnqueueReadBuffer/CL_INVALID_VALUE/1" in mays.split()) == refusable
