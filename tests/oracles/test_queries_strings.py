"""Formats of strings, and values that a query's description relates to other queries: accepted and rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .query_evaluation import QueryEnvironment, build_name_versions, evaluate_answer, pack_version

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.cl_object import Fact

    Answer = Element | tuple[Element, ...]

COMPILER: dict[str, Fact | str] = {"CL_DEVICE_COMPILER_AVAILABLE": 1}
FULL: dict[str, Fact | str] = {"CL_DEVICE_PROFILE": "FULL_PROFILE"}
FULL_PLATFORM: dict[str, Fact] = {"CL_PLATFORM_PROFILE": "FULL_PROFILE"}
VERSIONS_OF_3_0 = [(3, 0), (1, 2), (1, 1), (1, 0)]
SEMAPHORES = "cl_khr_external_semaphore cl_khr_semaphore"
IMPORT, EXPORT = (f"CL_DEVICE_SEMAPHORE_{way}_HANDLE_TYPES_KHR" for way in ("IMPORT", "EXPORT"))
CLOCK = "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR"


def create_versions(*pairs: tuple[int, int], name: str = "OpenCL C") -> Answer:
    return build_name_versions(*((name, pack_version(*pair)) for pair in pairs))


def create_features(*names: str) -> Answer:
    return build_name_versions(*((f"__opencl_c_{name}", pack_version(3, 0)) for name in names))


CASES: list[tuple[str, QueryEnvironment, Answer, Answer]] = [
    ("CL_PLATFORM_PROFILE", QueryEnvironment(), "EMBEDDED_PROFILE", "FULL"),
    ("CL_DEVICE_PROFILE", QueryEnvironment(), "FULL_PROFILE", "full_profile"),
    ("CL_PLATFORM_VERSION", QueryEnvironment(), "OpenCL 3.0 ", "OpenCL 3.0"),
    ("CL_PLATFORM_VERSION", QueryEnvironment(), "OpenCL 1.2 (made by us)", "OpenCL  1.2 x"),
    ("CL_DEVICE_VERSION", QueryEnvironment(), "OpenCL 3.0 x", "3.0 x"),
    ("CL_DEVICE_VERSION", QueryEnvironment("2.0"), "OpenCL 1.2 x", "OpenCL 2.1 x"),
    ("CL_DEVICE_EXTENSIONS", QueryEnvironment("1.0"), "cl_a cl_b ", "cl_a\tcl_b"),
    ("CL_PLATFORM_EXTENSIONS", QueryEnvironment(), "", "cl_a\ncl_b"),
    ("CL_DEVICE_OPENCL_C_VERSION", QueryEnvironment("1.1"), "OpenCL C 1.1 x", "OpenCL C 1.0 x"),
    ("CL_DEVICE_OPENCL_C_VERSION", QueryEnvironment("2.0"), "OpenCL C 2.0 x", "OpenCL C 1.2 x"),
    ("CL_DEVICE_OPENCL_C_VERSION", QueryEnvironment(), "", "OpenCL 3.0 x"),
    ("CL_DEVICE_OPENCL_C_VERSION", QueryEnvironment(facts=dict(COMPILER)), "OpenCL C 1.2 ", ""),
    ("CL_DEVICE_IL_VERSION", QueryEnvironment(), "SPIR-V_1.0 X_2.10", "SPIR-V 1.0"),
    ("CL_DEVICE_IL_VERSION", QueryEnvironment("2.1"), "X_2.0 SPIR-V_1.0", ""),
    (
        "CL_DEVICE_MAX_WORK_ITEM_SIZES",
        QueryEnvironment(facts={"CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS": 3}),
        (8, 8, 1),
        (8, 8),
    ),
    ("CL_DEVICE_ADDRESS_BITS", QueryEnvironment(), 64, 48),
    ("CL_DEVICE_PLATFORM", QueryEnvironment(), "platform1", "platform2"),
    ("CL_DEVICE_LOCAL_MEM_TYPE", QueryEnvironment(), 1, 0),
    ("CL_DEVICE_COMPILER_AVAILABLE", QueryEnvironment(facts=dict(FULL), platform=dict(FULL_PLATFORM)), 1, 0),
    ("CL_DEVICE_LINKER_AVAILABLE", QueryEnvironment(facts=dict(FULL), platform=dict(FULL_PLATFORM)), 1, 0),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS",
        QueryEnvironment(facts=dict(COMPILER)),
        create_versions(*VERSIONS_OF_3_0),
        create_versions(*VERSIONS_OF_3_0[1:]),
    ),
    ("CL_DEVICE_OPENCL_C_ALL_VERSIONS", QueryEnvironment(), (), create_versions((1, 2), name="C")),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS",
        QueryEnvironment(facts={"CL_DEVICE_OPENCL_C_VERSION": "OpenCL C 2.0 x"}),
        create_versions((2, 0)),
        create_versions((1, 2)),
    ),
    (
        "CL_DEVICE_OPENCL_C_FEATURES",
        QueryEnvironment(),
        create_features("pipes", "generic_address_space"),
        create_features("pipes", "images"),
    ),
    (
        "CL_DEVICE_OPENCL_C_FEATURES",
        QueryEnvironment(facts={CLOCK: 1}),
        create_features("kernel_clock_scope_device"),
        create_features("kernel_clock_scope_sub_group"),
    ),
    (IMPORT, QueryEnvironment("3.0", SEMAPHORES, {EXPORT: ()}), (0x2058,), ()),
    (EXPORT, QueryEnvironment("3.0", SEMAPHORES, {IMPORT: ()}), (0x2058,), ()),
    (
        "CL_PLATFORM_SEMAPHORE_TYPES_KHR",
        QueryEnvironment(
            "3.0",
            SEMAPHORES,
            {"CL_DEVICE_SEMAPHORE_TYPES_KHR": (1, 2)},
            others=({"CL_DEVICE_SEMAPHORE_TYPES_KHR": (2, 3)},),
        ),
        (2,),
        (1, 2),
    ),
]


@pytest.mark.parametrize(("query", "asked", "right", "wrong"), CASES, ids=[case[0] for case in CASES])
def test_query_value_of_invalid_form_deviates(
    query: str, asked: QueryEnvironment, right: Answer, wrong: Answer
) -> None:
    assert evaluate_answer(query, right, asked).get(query) == "fine"
    assert evaluate_answer(query, wrong, asked).get(query) == "wrong"


UNRESTRICTED_CASES: list[tuple[str, QueryEnvironment, Answer]] = [
    ("CL_DEVICE_VERSION", QueryEnvironment("3.2"), "OpenCL 3.2 of later"),
    ("CL_DRIVER_VERSION", QueryEnvironment(), "anything"),
    ("CL_DEVICE_LOCAL_MEM_TYPE", QueryEnvironment(type="CL_DEVICE_TYPE_CUSTOM"), 0),
    ("CL_DEVICE_COMPILER_AVAILABLE", QueryEnvironment(facts={"CL_DEVICE_PROFILE": "EMBEDDED_PROFILE"}), 0),
    (
        "CL_DEVICE_COMPILER_AVAILABLE",
        QueryEnvironment(facts=dict(FULL), platform=dict(FULL_PLATFORM), type="CL_DEVICE_TYPE_CUSTOM"),
        0,
    ),
    ("CL_DEVICE_OPENCL_C_VERSION", QueryEnvironment(facts=dict(COMPILER), type="CL_DEVICE_TYPE_CUSTOM"), ""),
    ("CL_DEVICE_IL_VERSION", QueryEnvironment(), ""),
    (IMPORT, QueryEnvironment("3.0", SEMAPHORES), ()),
]


@pytest.mark.parametrize(("query", "asked", "answer"), UNRESTRICTED_CASES, ids=[case[0] for case in UNRESTRICTED_CASES])
def test_query_value_that_the_documents_leave_open_is_accepted(
    query: str, asked: QueryEnvironment, answer: Answer
) -> None:
    assert "wrong" not in evaluate_answer(query, answer, asked).values()
