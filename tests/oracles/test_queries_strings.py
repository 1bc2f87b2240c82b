"""Formats of strings, and values that a query's description relates to other queries: accepted and rejected."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .asking import Asked, named, packed, verdicts

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.cl_object import Fact

    Answer = Element | tuple[Element, ...]

COMPILER: dict[str, Fact | str] = {"CL_DEVICE_COMPILER_AVAILABLE": 1}
FULL: dict[str, Fact | str] = {"CL_DEVICE_PROFILE": "FULL_PROFILE"}
FULL_PLATFORM: dict[str, Fact] = {"CL_PLATFORM_PROFILE": "FULL_PROFILE"}
OF_3 = [(3, 0), (1, 2), (1, 1), (1, 0)]
SEMAPHORES = "cl_khr_external_semaphore cl_khr_semaphore"
IMPORT, EXPORT = (f"CL_DEVICE_SEMAPHORE_{way}_HANDLE_TYPES_KHR" for way in ("IMPORT", "EXPORT"))
CLOCK = "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR"


def versions(*pairs: tuple[int, int], name: str = "OpenCL C") -> Answer:
    return named(*((name, packed(*pair)) for pair in pairs))


def features(*names: str) -> Answer:
    return named(*((f"__opencl_c_{name}", packed(3, 0)) for name in names))


CASES: list[tuple[str, Asked, Answer, Answer]] = [
    ("CL_PLATFORM_PROFILE", Asked(), "EMBEDDED_PROFILE", "FULL"),
    ("CL_DEVICE_PROFILE", Asked(), "FULL_PROFILE", "full_profile"),
    ("CL_PLATFORM_VERSION", Asked(), "OpenCL 3.0 ", "OpenCL 3.0"),
    ("CL_PLATFORM_VERSION", Asked(), "OpenCL 1.2 (made by us)", "OpenCL  1.2 x"),
    ("CL_DEVICE_VERSION", Asked(), "OpenCL 3.0 x", "3.0 x"),
    ("CL_DEVICE_VERSION", Asked("2.0"), "OpenCL 1.2 x", "OpenCL 2.1 x"),
    ("CL_DEVICE_EXTENSIONS", Asked("1.0"), "cl_a cl_b ", "cl_a\tcl_b"),
    ("CL_PLATFORM_EXTENSIONS", Asked(), "", "cl_a\ncl_b"),
    ("CL_DEVICE_OPENCL_C_VERSION", Asked("1.1"), "OpenCL C 1.1 x", "OpenCL C 1.0 x"),
    ("CL_DEVICE_OPENCL_C_VERSION", Asked("2.0"), "OpenCL C 2.0 x", "OpenCL C 1.2 x"),
    ("CL_DEVICE_OPENCL_C_VERSION", Asked(), "", "OpenCL 3.0 x"),
    ("CL_DEVICE_OPENCL_C_VERSION", Asked(facts=dict(COMPILER)), "OpenCL C 1.2 ", ""),
    ("CL_DEVICE_IL_VERSION", Asked(), "SPIR-V_1.0 X_2.10", "SPIR-V 1.0"),
    ("CL_DEVICE_IL_VERSION", Asked("2.1"), "X_2.0 SPIR-V_1.0", ""),
    (
        "CL_DEVICE_MAX_WORK_ITEM_SIZES",
        Asked(facts={"CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS": 3}),
        (8, 8, 1),
        (8, 8),
    ),
    ("CL_DEVICE_ADDRESS_BITS", Asked(), 64, 48),
    ("CL_DEVICE_PLATFORM", Asked(), "platform1", "platform2"),
    ("CL_DEVICE_LOCAL_MEM_TYPE", Asked(), 1, 0),
    ("CL_DEVICE_COMPILER_AVAILABLE", Asked(facts=dict(FULL), platform=dict(FULL_PLATFORM)), 1, 0),
    ("CL_DEVICE_LINKER_AVAILABLE", Asked(facts=dict(FULL), platform=dict(FULL_PLATFORM)), 1, 0),
    ("CL_DEVICE_OPENCL_C_ALL_VERSIONS", Asked(facts=dict(COMPILER)), versions(*OF_3), versions(*OF_3[1:])),
    ("CL_DEVICE_OPENCL_C_ALL_VERSIONS", Asked(), (), versions((1, 2), name="C")),
    (
        "CL_DEVICE_OPENCL_C_ALL_VERSIONS",
        Asked(facts={"CL_DEVICE_OPENCL_C_VERSION": "OpenCL C 2.0 x"}),
        versions((2, 0)),
        versions((1, 2)),
    ),
    (
        "CL_DEVICE_OPENCL_C_FEATURES",
        Asked(),
        features("pipes", "generic_address_space"),
        features("pipes", "images"),
    ),
    (
        "CL_DEVICE_OPENCL_C_FEATURES",
        Asked(facts={CLOCK: 1}),
        features("kernel_clock_scope_device"),
        features("kernel_clock_scope_sub_group"),
    ),
    (IMPORT, Asked("3.0", SEMAPHORES, {EXPORT: ()}), (0x2058,), ()),
    (EXPORT, Asked("3.0", SEMAPHORES, {IMPORT: ()}), (0x2058,), ()),
    (
        "CL_PLATFORM_SEMAPHORE_TYPES_KHR",
        Asked(
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
def test_the_form_of_an_answer(query: str, asked: Asked, right: Answer, wrong: Answer) -> None:
    assert verdicts(query, right, asked).get(query) == "fine"
    assert verdicts(query, wrong, asked).get(query) == "wrong"


FREE: list[tuple[str, Asked, Answer]] = [
    ("CL_DEVICE_VERSION", Asked("3.2"), "OpenCL 3.2 of later"),
    ("CL_DRIVER_VERSION", Asked(), "anything"),
    ("CL_DEVICE_LOCAL_MEM_TYPE", Asked(type="CL_DEVICE_TYPE_CUSTOM"), 0),
    ("CL_DEVICE_COMPILER_AVAILABLE", Asked(facts={"CL_DEVICE_PROFILE": "EMBEDDED_PROFILE"}), 0),
    (
        "CL_DEVICE_COMPILER_AVAILABLE",
        Asked(facts=dict(FULL), platform=dict(FULL_PLATFORM), type="CL_DEVICE_TYPE_CUSTOM"),
        0,
    ),
    ("CL_DEVICE_OPENCL_C_VERSION", Asked(facts=dict(COMPILER), type="CL_DEVICE_TYPE_CUSTOM"), ""),
    ("CL_DEVICE_IL_VERSION", Asked(), ""),
    (IMPORT, Asked("3.0", SEMAPHORES), ()),
]


@pytest.mark.parametrize(("query", "asked", "answer"), FREE, ids=[case[0] for case in FREE])
def test_what_the_document_leaves_open_is_not_complained_of(query: str, asked: Asked, answer: Answer) -> None:
    assert "wrong" not in verdicts(query, answer, asked).values()
