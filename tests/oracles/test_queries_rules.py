"""Cross-query rules by topic: earlier values, a conforming value, a deviating value, and values without a verdict."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import OutputBuffer
from clconform.oracles.engine.call_context import CallContext
from clconform.oracles.engine.matchers import match_values
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.queries.answering import query_postcondition
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import Effect, Limit, OptionalBehaviour, Query

from .oracle_setup import OracleSetup
from .query_evaluation import QueryEnvironment, build_name_versions, evaluate_answer, pack_version

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.spec_tables import Tables

    Answer = Element | tuple[Element, ...]

TABLES = load()
RULEBOOK = rulebook_of(TABLES)
RULES = RULEBOOK.rules.cross_query_rules.entries
CORE_EXTENSIONS = (
    "cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics"
)
VERSIONED, DOT, COMMANDS = "cl_khr_extended_versioning", "cl_khr_integer_dot_product", "cl_khr_command_buffer"
TWO_EXTENSIONS = build_name_versions(("cl_a", 1), ("cl_b", 2))
DUPLICATE_EXTENSION = build_name_versions(("cl_a", 1), ("cl_a", 2))
SPIRV = "SPIR-V_1.0 SPIR-V_1.2"
IL_ARRAY = build_name_versions(("SPIR-V", pack_version(1, 2)), ("SPIR-V", pack_version(1, 0, 7)))
VALID_LUID = {"CL_DEVICE_LUID_VALID_KHR": 1}
NO_SEMAPHORE_TYPES: dict[str, tuple[int, ...]] = {"CL_DEVICE_SEMAPHORE_TYPES_KHR": ()}
NO_HANDLE_TYPES: dict[str, tuple[int, ...]] = {"CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR": ()}
ENQUEUE_CAPABILITIES = "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"
GENERIC_ADDRESS_SPACE = "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT"
PITCHES = {"CL_DEVICE_IMAGE_PITCH_ALIGNMENT": 1, "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT": 1}
SYNC = "CL_DEVICE_COMMAND_BUFFER_SYNC"
RELAXED, WORK_GROUP_SCOPE = 1, 1 << 4
ALL_ORDERS, ALL_SCOPES = 0b111, 0b1110000

CASES: list[tuple[str, QueryEnvironment, Answer, Answer]] = [
    ("CL_PLATFORM_NUMERIC_VERSION/effect/1", QueryEnvironment(), pack_version(3, 0, 14), pack_version(2, 2)),
    (
        "CL_PLATFORM_NUMERIC_VERSION_KHR/effect/1",
        QueryEnvironment("1.2", VERSIONED),
        pack_version(1, 2),
        pack_version(1, 1),
    ),
    ("CL_DEVICE_NUMERIC_VERSION/effect/1", QueryEnvironment(), pack_version(3, 0), pack_version(3, 1)),
    ("CL_DEVICE_NUMERIC_VERSION_KHR/effect/1", QueryEnvironment("2.0", VERSIONED), pack_version(2, 0), 3),
    (
        "CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR/effect/1",
        QueryEnvironment("2.0", VERSIONED, {"CL_DEVICE_OPENCL_C_VERSION": "OpenCL C 1.2 x"}),
        pack_version(1, 2),
        pack_version(2, 0),
    ),
    ("CL_PLATFORM_EXTENSIONS_WITH_VERSION/effect/1", QueryEnvironment(), TWO_EXTENSIONS, DUPLICATE_EXTENSION),
    (
        "CL_PLATFORM_EXTENSIONS_WITH_VERSION/effect/2",
        QueryEnvironment("3.0", "cl_b cl_a"),
        TWO_EXTENSIONS,
        DUPLICATE_EXTENSION,
    ),
    ("CL_DEVICE_EXTENSIONS_WITH_VERSION/effect/1", QueryEnvironment(), TWO_EXTENSIONS, DUPLICATE_EXTENSION),
    ("CL_DEVICE_EXTENSIONS_WITH_VERSION/effect/2", QueryEnvironment("3.0", "cl_b cl_a "), TWO_EXTENSIONS, ()),
    (
        "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION/effect/1",
        QueryEnvironment(facts={"CL_DEVICE_BUILT_IN_KERNELS": "one;two"}),
        build_name_versions(("two", 1), ("one", 1)),
        build_name_versions(("two", 1)),
    ),
    (
        "CL_DEVICE_ILS_WITH_VERSION/effect/1",
        QueryEnvironment(facts={"CL_DEVICE_IL_VERSION": SPIRV}),
        IL_ARRAY,
        IL_ARRAY[:2],
    ),
    ("CL_DEVICE_IL_VERSION/effect/2", QueryEnvironment("3.0", "cl_khr_il_program"), SPIRV, "LLVM_1.0"),
    ("CL_DEVICE_IL_VERSION/effect/1", QueryEnvironment(facts={"CL_DEVICE_ILS_WITH_VERSION": ()}), "", SPIRV),
    ("CL_DEVICE_OPENCL_C_VERSION/effect/1", QueryEnvironment(), "OpenCL C 1.2 x", "OpenCL C 1.1 x"),
    (
        "CL_DEVICE_EXTENSIONS/effect/1",
        QueryEnvironment("1.1"),
        f"cl_x {CORE_EXTENSIONS}",
        CORE_EXTENSIONS.partition(" ")[2],
    ),
    (
        "CL_DEVICE_EXTENSIONS/effect/2",
        QueryEnvironment(facts={"CL_DEVICE_DOUBLE_FP_CONFIG": 63}),
        "cl_khr_fp64 cl_x",
        "cl_x",
    ),
    ("CL_DEVICE_EXTENSIONS/effect/2", QueryEnvironment(facts={"CL_DEVICE_DOUBLE_FP_CONFIG": 0}), "cl_x", "cl_khr_fp64"),
    (
        "CL_DEVICE_EXTENSIONS/effect/3",
        QueryEnvironment("2.1", "", {"CL_DEVICE_IMAGE_SUPPORT": 1}),
        "cl_khr_depth_images cl_khr_3d_image_writes cl_khr_image2d_from_buffer",
        "cl_khr_depth_images cl_khr_3d_image_writes",
    ),
    ("CL_DEVICE_EXTENSIONS/effect/4", QueryEnvironment(facts=dict(PITCHES)), "cl_khr_image2d_from_buffer", "cl_x"),
    (
        "CL_DEVICE_EXTENSIONS/effect/4",
        QueryEnvironment(facts={"CL_DEVICE_IMAGE_PITCH_ALIGNMENT": 0}),
        "cl_x",
        "cl_khr_image2d_from_buffer",
    ),
    ("CL_DEVICE_TYPE/effect/1", QueryEnvironment(), 1 << 2, 1 << 2 | 1 << 1),
    ("CL_DEVICE_TYPE/effect/1", QueryEnvironment(), 1 << 4, 1),
    ("CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE/effect/1", QueryEnvironment(facts={"CL_DEVICE_DOUBLE_FP_CONFIG": 0}), 0, 2),
    ("CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE/effect/1", QueryEnvironment("1.1"), 0, 2),
    ("CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF/effect/2", QueryEnvironment(), 0, 4),
    ("CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF/effect/2", QueryEnvironment(), 0, 4),
    ("CL_DEVICE_IMAGE_PITCH_ALIGNMENT/effect/1", QueryEnvironment(), 0, 64),
    (
        "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT/effect/1",
        QueryEnvironment("2.0", "", {"CL_DEVICE_IMAGE_SUPPORT": 0}),
        0,
        64,
    ),
    ("CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES/effect/1", QueryEnvironment(facts={ENQUEUE_CAPABILITIES: 0}), 0, 3),
    ("CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS/effect/1", QueryEnvironment("3.0", "cl_khr_subgroups"), 1, 0),
    (
        "CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS/effect/1",
        QueryEnvironment(facts={"CL_DEVICE_MAX_NUM_SUB_GROUPS": 0}),
        0,
        1,
    ),
    (
        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES/effect/1",
        QueryEnvironment(),
        ALL_ORDERS | WORK_GROUP_SCOPE,
        0b101 | WORK_GROUP_SCOPE,
    ),
    ("CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES/effect/2", QueryEnvironment(), RELAXED | ALL_SCOPES, RELAXED | 0b1010000),
    (f"{ENQUEUE_CAPABILITIES}/effect/1", QueryEnvironment(), 0b11, 0b10),
    (f"{ENQUEUE_CAPABILITIES}/effect/2", QueryEnvironment(facts={GENERIC_ADDRESS_SPACE: 1}), 1, None),
    (f"{ENQUEUE_CAPABILITIES}/effect/2", QueryEnvironment(facts={GENERIC_ADDRESS_SPACE: 0}), None, 1),
    ("CL_DEVICE_PIPE_SUPPORT/effect/1", QueryEnvironment(facts={GENERIC_ADDRESS_SPACE: 0}), None, 1),
    ("CL_DEVICE_PIPE_SUPPORT/effect/1", QueryEnvironment(facts={GENERIC_ADDRESS_SPACE: 1}), 1, None),
    ("CL_DEVICE_NODE_MASK_KHR/effect/2", QueryEnvironment("3.0", "cl_khr_device_uuid", dict(VALID_LUID)), 4, 6),
    ("CL_DEVICE_NODE_MASK_KHR/effect/3", QueryEnvironment("3.0", "cl_khr_device_uuid", dict(VALID_LUID)), 1, 6),
    ("CL_DEVICE_NODE_MASK_KHR/effect/3", QueryEnvironment("3.0", "cl_khr_device_uuid", dict(VALID_LUID)), 1, 0),
    ("CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR/effect/1", QueryEnvironment("3.0", DOT), 1, 2),
    (
        "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR/effect/2",
        QueryEnvironment(
            "3.0", DOT, {"CL_DEVICE_EXTENSIONS_WITH_VERSION": build_name_versions((DOT, pack_version(2, 0)))}
        ),
        3,
        1,
    ),
    (
        "CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR/effect/1",
        QueryEnvironment("3.0", f"{COMMANDS} {COMMANDS}_multi_device"),
        0b110,
        0b100,
    ),
    (
        "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR/effect/1",
        QueryEnvironment("3.0", "cl_khr_external_memory", others=(dict(NO_HANDLE_TYPES),)),
        (0x2060,),
        (),
    ),
    (
        "CL_DEVICE_SEMAPHORE_TYPES_KHR/effect/1",
        QueryEnvironment("3.0", "cl_khr_semaphore", others=(dict(NO_SEMAPHORE_TYPES),)),
        (1,),
        (),
    ),
    (
        "CL_DEVICE_ILS_WITH_VERSION_KHR/effect/2",
        QueryEnvironment("2.1", VERSIONED),
        IL_ARRAY,
        build_name_versions(("LLVM", 1)),
    ),
    ("CL_DEVICE_IMAGE_PITCH_ALIGNMENT/effect/2", QueryEnvironment("2.0", "", {"CL_DEVICE_IMAGE_SUPPORT": 1}), 64, 0),
    (
        "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS/effect/1",
        QueryEnvironment("2.0", "", {"CL_DEVICE_IMAGE_SUPPORT": 1}),
        64,
        0,
    ),
    ("CL_DEVICE_PIPE_MAX_PACKET_SIZE/effect/1", QueryEnvironment("2.0"), 1024, 0),
    ("CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE/effect/1", QueryEnvironment("2.2"), 65536, 0),
    ("CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES/effect/2", QueryEnvironment("2.0"), 3, 0),
    ("CL_DEVICE_MAX_NUM_SUB_GROUPS/effect/1", QueryEnvironment("2.1"), 1, 0),
    ("CL_PLATFORM_HOST_TIMER_RESOLUTION/effect/2", QueryEnvironment("2.1"), 1, 0),
    ("CL_PLATFORM_VERSION/effect/2", QueryEnvironment(), "OpenCL 3.0 x", "OpenCL 2.5 x"),
    (
        "CL_DEVICE_ILS_WITH_VERSION/effect/3",
        QueryEnvironment(),
        IL_ARRAY,
        build_name_versions(("SPIR-V", pack_version(1, 2)), ("SPIR-V", pack_version(1, 2, 7))),
    ),
    ("CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION/effect/2", QueryEnvironment(), TWO_EXTENSIONS, DUPLICATE_EXTENSION),
    (
        "CL_DEVICE_OPENCL_C_FEATURES/effect/1",
        QueryEnvironment(),
        build_name_versions(("__opencl_c_images", pack_version(3, 0)), ("__opencl_c_x", 1)),
        build_name_versions(("__opencl_c_images", pack_version(1, 0))),
    ),
    (
        "CL_DEVICE_OPENCL_C_VERSION/effect/4",
        QueryEnvironment(
            facts={"CL_DEVICE_OPENCL_C_FEATURES": build_name_versions(("__opencl_c_images", pack_version(3, 0)))}
        ),
        None,
        "OpenCL C 3.0 x",
    ),
    ("CL_DEVICE_SPIR_VERSIONS/effect/1", QueryEnvironment("3.0", "cl_khr_spir"), "1.2 2.0", "1.2,2.0"),
    (
        "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR/effect/3",
        QueryEnvironment(
            "3.0", "cl_khr_external_memory", {"CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR": (0x2060,)}
        ),
        (0x2060,),
        (0x2061,),
    ),
    (
        "CL_DEVICE_COMMAND_BUFFER_NUM_SYNC_DEVICES_KHR/effect/1",
        QueryEnvironment(
            "3.0", f"{COMMANDS} {COMMANDS}_multi_device", {"CL_DEVICE_COMMAND_BUFFER_SYNC_DEVICES_KHR": ("device1",)}
        ),
        1,
        2,
    ),
]


@pytest.mark.parametrize(("record", "asked", "right", "wrong"), CASES, ids=[case[0] for case in CASES])
def test_query_rule_accepts_conforming_and_rejects_deviating_values(
    record: str, asked: QueryEnvironment, right: Answer, wrong: Answer
) -> None:
    name = record.partition("/")[0]
    if right is not None:
        assert evaluate_answer(name, right, asked).get(record) == "fine"
    if wrong is not None:
        assert evaluate_answer(name, wrong, asked).get(record) == "wrong"


INAPPLICABLE_CASES: list[tuple[str, QueryEnvironment, Answer]] = [
    ("CL_DEVICE_TYPE/effect/1", QueryEnvironment("1.2"), 1 << 1 | 1 << 2),
    ("CL_DEVICE_EXTENSIONS/effect/1", QueryEnvironment("1.0"), "cl_x"),
    ("CL_DEVICE_EXTENSIONS/effect/1", QueryEnvironment(type="CL_DEVICE_TYPE_CUSTOM"), "cl_x"),
    ("CL_DEVICE_EXTENSIONS/effect/2", QueryEnvironment(), "cl_x"),
    ("CL_DEVICE_EXTENSIONS/effect/3", QueryEnvironment("2.0", "", {"CL_DEVICE_IMAGE_SUPPORT": 0}), "cl_x"),
    ("CL_DEVICE_EXTENSIONS/effect/3", QueryEnvironment("3.0", "", {"CL_DEVICE_IMAGE_SUPPORT": 1}), "cl_x"),
    ("CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES/effect/1", QueryEnvironment(), RELAXED | WORK_GROUP_SCOPE),
    (f"{ENQUEUE_CAPABILITIES}/effect/1", QueryEnvironment(), 1),
    (f"{ENQUEUE_CAPABILITIES}/effect/2", QueryEnvironment(facts={GENERIC_ADDRESS_SPACE: 0}), 0),
    (f"{ENQUEUE_CAPABILITIES}/effect/2", QueryEnvironment(), 1),
    ("CL_DEVICE_IL_VERSION/effect/2", QueryEnvironment(), ""),
    ("CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE/effect/1", QueryEnvironment("1.1", "cl_amd_fp64"), 2),
    (
        "CL_DEVICE_NODE_MASK_KHR/effect/2",
        QueryEnvironment("3.0", "cl_khr_device_uuid", {"CL_DEVICE_LUID_VALID_KHR": 0}),
        6,
    ),
    (
        "CL_DEVICE_NODE_MASK_KHR/effect/3",
        QueryEnvironment("3.0", "cl_khr_device_uuid", {"CL_DEVICE_LUID_VALID_KHR": 0}),
        6,
    ),
    ("CL_DEVICE_NODE_MASK_KHR/effect/3", QueryEnvironment("3.0", "cl_khr_device_uuid", dict(VALID_LUID)), 4),
    ("CL_DEVICE_SEMAPHORE_TYPES_KHR/effect/1", QueryEnvironment("3.0", "cl_khr_semaphore", others=({},)), ()),
    (
        "CL_DEVICE_SEMAPHORE_TYPES_KHR/effect/1",
        QueryEnvironment("3.0", "cl_khr_semaphore", others=({"CL_DEVICE_SEMAPHORE_TYPES_KHR": (1,)},)),
        (),
    ),
    ("CL_DEVICE_ILS_WITH_VERSION/effect/1", QueryEnvironment(facts={"CL_DEVICE_IL_VERSION": "no version"}), IL_ARRAY),
]


@pytest.mark.parametrize(
    ("record", "asked", "answer"), INAPPLICABLE_CASES, ids=[case[0] for case in INAPPLICABLE_CASES]
)
def test_inapplicable_query_rule_is_not_evaluated(record: str, asked: QueryEnvironment, answer: Answer) -> None:
    assert record not in evaluate_answer(record.partition("/")[0], answer, asked)


@pytest.mark.parametrize(("size", "verdict"), [(0, "wrong"), (68, None)])
def test_size_query_of_versioned_extensions_rejects_size_zero(size: int, verdict: str | None) -> None:
    world = OracleSetup(extensions="cl_a")
    name = "CL_DEVICE_EXTENSIONS_WITH_VERSION"
    call = world.call("clGetDeviceInfo", world.device, world.value(name), 0, None, OutputBuffer(1))
    judged = CallContext(call, world.model, world.oracle.rulebook)
    complaints, fulfilled = match_values(query_postcondition(judged).outputs["param_value_size_ret"], [size])
    told = dict.fromkeys(fulfilled, "fine") | {complaint.requirement: "wrong" for complaint in complaints}
    assert told.get(f"{name}/effect/2") == verdict
    assert told.get(name) == "fine"


@pytest.mark.parametrize(
    ("name", "size", "may", "must"),
    [
        ("CL_CONTEXT_REFERENCE_COUNT", 4, False, False),
        ("CL_CONTEXT_REFERENCE_COUNT", 3, False, True),
        ("CL_CONTEXT_DEVICES", 3, True, False),
        ("CL_CONTEXT_NUM_DEVICES", 4, True, False),
    ],
)
def test_query_of_null_context_may_also_return_invalid_value(name: str, size: int, *, may: bool, must: bool) -> None:
    """CL_INVALID_VALUE is also allowed for a name of a later version and for a value of variable length."""
    world = OracleSetup()
    call = world.call("clGetContextInfo", None, world.value(name), size, OutputBuffer(size), OutputBuffer(1))
    expectation = world.oracle.expect(call)
    told = [
        "CL_INVALID_VALUE" in {held.clause.code for held in some}
        for some in (expectation.optional_errors, expectation.required_errors)
    ]
    assert told == [may, must]


def list_query_effects(tables: Tables = TABLES) -> list[Effect | OptionalBehaviour]:
    """Return the effects and optional behaviours of queries."""
    queries = {requirement.name for requirement in tables.requirements.values() if isinstance(requirement, Query)}
    return [
        requirement
        for requirement in tables.requirements.values()
        if (isinstance(requirement, Effect) and requirement.id.partition("/")[0] in queries)
        or (isinstance(requirement, OptionalBehaviour) and requirement.subject in queries)
    ]


def get_topic(requirement: Effect | OptionalBehaviour) -> str:
    return requirement.topic if isinstance(requirement, Effect) else requirement.feature


def test_each_topic_with_a_query_rule_is_in_the_tables() -> None:
    every = (loading.read_tables(loading.REVISIONS / revision) for revision in loading.list_revisions())
    assert not set(RULES) - {get_topic(requirement) for tables in every for requirement in list_query_effects(tables)}


def test_judged_or_untestable_query_requirements_have_texts() -> None:
    known = RULEBOOK.untestable.keys() | {requirement for requirement, _ in RULEBOOK.rules.coverage_points.entries}
    judged = [
        requirement
        for requirement in list_query_effects()
        if requirement.id in known or get_topic(requirement) in RULES
    ]
    assert not [requirement.id for requirement in judged if not RULEBOOK.texts.words_of(requirement.id)]
    limits = [requirement.id for requirement in TABLES.requirements.values() if isinstance(requirement, Limit)]
    assert not [limit for limit in limits if not RULEBOOK.texts.words_of(limit)]


TOPICS_WITH_OBJECTS = {"sync-devices-root-only"}
"""Topics whose conforming and deviating values are objects that exist only in a run."""


def test_each_topic_with_a_query_rule_has_a_case() -> None:
    effects = [requirement for requirement in list_query_effects() if isinstance(requirement, Effect)]
    tried = {requirement.topic for requirement in effects if requirement.id in {case[0] for case in CASES}}
    assert {requirement.topic for requirement in effects if requirement.topic in RULES} - TOPICS_WITH_OBJECTS <= tried
