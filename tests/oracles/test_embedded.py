"""The embedded profile (chapter 7): the listed extensions, and devices without 3D images."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call

from .kits import open_kit
from .query_evaluation import QueryEnvironment, build_name_versions, evaluate_answer, pack_version

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import Fact

EXTENSIONS, PROFILE = "CL_DEVICE_EXTENSIONS", "OpenCL:opencl-embedded-profile"
EMBEDDED: dict[str, Fact] = {"CL_DEVICE_PROFILE": "EMBEDDED_PROFILE"}
FULL: dict[str, Fact] = {"CL_DEVICE_PROFILE": "FULL_PROFILE"}
WITH_LONGS: dict[str, Fact] = {
    "CL_DEVICE_OPENCL_C_FEATURES": build_name_versions(("__opencl_c_int64", pack_version(3, 0)))
}
WITH_OTHER_FEATURE: dict[str, Fact] = {
    "CL_DEVICE_OPENCL_C_FEATURES": build_name_versions(("__opencl_c_int64_base", pack_version(3, 0)))
}
WITH_DOUBLES: dict[str, Fact] = {"CL_DEVICE_DOUBLE_FP_CONFIG": 63}
WITHOUT_DOUBLES: dict[str, Fact] = {"CL_DEVICE_DOUBLE_FP_CONFIG": 0}


@pytest.mark.parametrize(
    ("facts", "must"),
    [
        (EMBEDDED, False),
        (EMBEDDED | WITH_LONGS, True),
        (EMBEDDED | WITH_DOUBLES, True),
        (EMBEDDED | WITH_OTHER_FEATURE | WITH_DOUBLES, True),
        (EMBEDDED | WITH_OTHER_FEATURE | WITHOUT_DOUBLES, False),
        (FULL | WITH_LONGS | WITH_DOUBLES, False),
        (WITH_LONGS | WITH_DOUBLES, False),
    ],
)
def test_embedded_device_with_longs_must_list_cles_khr_int64(facts: dict[str, Fact], *, must: bool) -> None:
    """See ``OpenCL:opencl-embedded-profile/2`` and ``OpenCL:opencl-embedded-profile/29``."""
    listed = evaluate_answer(EXTENSIONS, "cl_a cles_khr_int64", QueryEnvironment(facts=dict(facts)))
    absent = evaluate_answer(EXTENSIONS, "cl_a cles_khr_int64_base", QueryEnvironment(facts=dict(facts)))
    assert listed[EXTENSIONS] == "fine"
    assert (absent[EXTENSIONS] != "fine") is must


@pytest.mark.parametrize("function", ["clCreateImage", "clCreateImageWithProperties"])
@pytest.mark.parametrize(
    ("profile", "depth", "image_type", "must"),
    [
        ("EMBEDDED_PROFILE", 0, "3D", True),
        ("EMBEDDED_PROFILE", 0, "2D", False),
        ("EMBEDDED_PROFILE", 2048, "3D", False),
        ("FULL_PROFILE", 0, "3D", False),
    ],
)
def test_3d_image_creation_fails_on_embedded_device_without_support(
    function: str, profile: str, depth: int, image_type: str, *, must: bool
) -> None:
    with open_kit("everything-embedded") as kit:
        device = kit.cl.model.device(kit.cl.device)
        for name in ("WIDTH", "HEIGHT", "DEPTH"):
            device.facts[f"CL_DEVICE_IMAGE3D_MAX_{name}"] = depth
        device.facts["CL_DEVICE_PROFILE"] = profile
        described = kit.description(f"CL_MEM_OBJECT_IMAGE{image_type}", None)
        expectation = kit.cl.oracle.expect(Call(function, kit.valid_arguments(function, image_desc=described)))
        held = {each.clause.id for each in expectation.required_errors}
        assert (f"{PROFILE}/25" in held) is must
