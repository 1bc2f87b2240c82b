"""Limits by version, profile and feature, with values just inside and just outside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from .query_evaluation import QueryEnvironment, evaluate_answer

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.cl_object import Fact

FULL: dict[str, Fact | str] = {"CL_DEVICE_PROFILE": "FULL_PROFILE", "CL_DEVICE_IMAGE_SUPPORT": 1}
EMBEDDED: dict[str, Fact | str] = {"CL_DEVICE_PROFILE": "EMBEDDED_PROFILE", "CL_DEVICE_IMAGE_SUPPORT": 1}
NO_IMAGES: dict[str, Fact | str] = {"CL_DEVICE_PROFILE": "FULL_PROFILE", "CL_DEVICE_IMAGE_SUPPORT": 0}
SMALL_MEMORY: dict[str, Fact | str] = {**EMBEDDED, "CL_DEVICE_GLOBAL_MEM_SIZE": 64 << 20}
TINY_MEMORY: dict[str, Fact | str] = {"CL_DEVICE_GLOBAL_MEM_SIZE": 1 << 20}
NEAREST, TO_ZERO, INF_NAN, FMA, DENORM = 1 << 2, 1 << 3, 1 << 1, 1 << 5, 1

CASES: list[tuple[str, QueryEnvironment, Element, Element]] = [
    ("CL_DEVICE_IMAGE2D_MAX_WIDTH/limit/1", QueryEnvironment(facts=FULL), 16384, 16383),
    ("CL_DEVICE_IMAGE2D_MAX_WIDTH/limit/1", QueryEnvironment("1.2", facts=FULL), 8192, 8191),
    ("CL_DEVICE_IMAGE2D_MAX_WIDTH/limit/1", QueryEnvironment(facts=NO_IMAGES), 0, 16384),
    ("CL_DEVICE_IMAGE2D_MAX_WIDTH/limit/2", QueryEnvironment(facts=EMBEDDED), 2048, 2047),
    ("CL_DEVICE_IMAGE3D_MAX_DEPTH/limit/2", QueryEnvironment("2.0", facts=EMBEDDED), 0, 2047),
    ("CL_DEVICE_MAX_WRITE_IMAGE_ARGS/limit/2", QueryEnvironment("1.2", facts=EMBEDDED), 1, 0),
    ("CL_DEVICE_MEM_BASE_ADDR_ALIGN/limit/1", QueryEnvironment("1.1", facts=FULL), 1024, 512),
    ("CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE/limit/2", QueryEnvironment("1.1", facts=EMBEDDED), 64, 63),
    ("CL_DEVICE_MAX_MEM_ALLOC_SIZE/limit/1", QueryEnvironment("1.2", facts=SMALL_MEMORY), 16 << 20, (16 << 20) - 1),
    ("CL_DEVICE_MAX_MEM_ALLOC_SIZE/limit/1", QueryEnvironment("2.0", facts=SMALL_MEMORY), 32 << 20, 16 << 20),
    ("CL_DEVICE_MAX_MEM_ALLOC_SIZE/limit/1", QueryEnvironment("1.2", facts=SMALL_MEMORY | FULL), 32 << 20, 16 << 20),
    (
        "CL_DEVICE_MAX_MEM_ALLOC_SIZE/limit/1",
        QueryEnvironment("1.2", facts=SMALL_MEMORY | TINY_MEMORY),
        1 << 20,
        (1 << 20) - 1,
    ),
    ("CL_DEVICE_MAX_WRITE_IMAGE_ARGS/limit/1", QueryEnvironment("1.2", facts=FULL), 8, 7),
    ("CL_DEVICE_MAX_WRITE_IMAGE_ARGS/limit/1", QueryEnvironment("2.0", facts=FULL), 64, 8),
    ("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS/limit/1", QueryEnvironment(facts=FULL), 0, 63),
    ("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS/limit/1", QueryEnvironment("2.0", facts=FULL), 64, 0),
    ("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS/limit/2", QueryEnvironment(facts=EMBEDDED), 0, 7),
    ("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS/limit/2", QueryEnvironment("2.0", facts=EMBEDDED), 8, 0),
    ("CL_DEVICE_MAX_NUM_SUB_GROUPS/limit/1", QueryEnvironment("2.1"), 1, 0),
    ("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE/limit/1", QueryEnvironment("2.0"), 65536, 0),
    ("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE/limit/1", QueryEnvironment("2.0"), 64000, 63999),
    (
        "CL_DEVICE_PRINTF_BUFFER_SIZE/limit/1",
        QueryEnvironment(facts={"CL_DEVICE_PROFILE": "FULL_PROFILE"}),
        1000000,
        999999,
    ),
    ("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE/limit/1", QueryEnvironment(), 0, 1),
    ("CL_DEVICE_DOUBLE_FP_CONFIG/limit/1", QueryEnvironment(), 0, FMA | NEAREST),
    ("CL_DEVICE_DOUBLE_FP_CONFIG/limit/1", QueryEnvironment(), FMA | NEAREST | INF_NAN | DENORM, NEAREST),
    ("CL_DEVICE_SINGLE_FP_CONFIG/limit/2", QueryEnvironment(facts=EMBEDDED), NEAREST, INF_NAN),
    ("CL_DEVICE_SINGLE_FP_CONFIG/limit/2", QueryEnvironment(facts=EMBEDDED), TO_ZERO, FMA),
    ("CL_DEVICE_MAX_PARAMETER_SIZE/limit/1", QueryEnvironment("1.0", facts=FULL), 256, 255),
    ("CL_DEVICE_LOCAL_MEM_SIZE/limit/1", QueryEnvironment("1.0", facts=FULL), 16384, 15999),
    ("CL_DEVICE_LOCAL_MEM_SIZE/limit/1", QueryEnvironment("1.1", facts=FULL), 32768, 16384),
    ("CL_DEVICE_IMAGE_PITCH_ALIGNMENT/limit/1", QueryEnvironment("3.0", "cl_khr_image2d_from_buffer"), 64, 48),
    ("CL_DEVICE_SVM_CAPABILITIES/limit/1", QueryEnvironment("2.0"), 1, 0),
    ("CL_DEVICE_QUEUE_ON_HOST_PROPERTIES/limit/1", QueryEnvironment("2.0"), 2, 1),
    ("CL_DEVICE_PARTITION_MAX_SUB_DEVICES/limit/1", QueryEnvironment(facts={"CL_DEVICE_MAX_COMPUTE_UNITS": 4}), 4, 5),
    (
        "CL_DEVICE_MAX_MEM_ALLOC_SIZE/limit/1",
        QueryEnvironment(facts={"CL_DEVICE_GLOBAL_MEM_SIZE": 1 << 29}),
        1 << 27,
        (1 << 27) - 1,
    ),
]


@pytest.mark.parametrize(("record", "asked", "inside", "outside"), CASES, ids=[case[0] for case in CASES])
def test_value_at_a_limit_conforms_and_value_beyond_it_deviates(
    record: str, asked: QueryEnvironment, inside: Element, outside: Element
) -> None:
    query = record.partition("/")[0]
    assert evaluate_answer(query, inside, asked).get(record) == "fine"
    assert evaluate_answer(query, outside, asked).get(record) == "wrong"


@pytest.mark.parametrize(
    ("record", "asked", "answer"),
    [
        ("CL_DEVICE_MAX_PARAMETER_SIZE/limit/1", QueryEnvironment(facts=FULL, type="CL_DEVICE_TYPE_CUSTOM"), 0),
        ("CL_DEVICE_SVM_CAPABILITIES/limit/1", QueryEnvironment(), 0),
        ("CL_DEVICE_HALF_FP_CONFIG/limit/1", QueryEnvironment(), 0),
        ("CL_DEVICE_IMAGE2D_MAX_WIDTH/limit/1", QueryEnvironment(facts=EMBEDDED), 2048),
        ("CL_DEVICE_MAX_MEM_ALLOC_SIZE/limit/1", QueryEnvironment(), 0),
        ("CL_DEVICE_MAX_MEM_ALLOC_SIZE/limit/1", QueryEnvironment("1.2", facts=TINY_MEMORY), 0),
        ("CL_DEVICE_IMAGE3D_MAX_DEPTH/limit/2", QueryEnvironment("1.2", facts=EMBEDDED), 1024),
        ("CL_DEVICE_MEM_BASE_ADDR_ALIGN/limit/1", QueryEnvironment("1.0", facts=FULL), 8),
        ("CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE/limit/1", QueryEnvironment("1.0", facts=FULL), 1),
        ("CL_DEVICE_LOCAL_MEM_SIZE/limit/1", QueryEnvironment(platform={"CL_PLATFORM_PROFILE": "FULL_PROFILE"}), 1024),
    ],
    ids=[
        "custom",
        "since 3.0",
        "no such extension",
        "embedded",
        "size not told",
        "profile not told before 2.0",
        "3D images before 2.0",
        "alignment in 1.0",
        "alignment of types in 1.0",
        "profile not told",
    ],
)
def test_inapplicable_limit_is_not_evaluated(record: str, asked: QueryEnvironment, answer: Element) -> None:
    query = record.partition("/")[0]
    if query == "CL_DEVICE_HALF_FP_CONFIG":
        asked = QueryEnvironment("3.0", "cl_khr_fp16")
        assert evaluate_answer(query, TO_ZERO, asked).get(record) == "fine"
        assert evaluate_answer(query, INF_NAN, asked).get(record) == "wrong"
        return
    assert record not in evaluate_answer(query, answer, asked)
