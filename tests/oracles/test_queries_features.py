"""Optional features of OpenCL 3.0: values that queries return if the device lacks the feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.engine.rulebook import rulebook_of
from clconform.spec_tables import load
from clconform.spec_tables.requirements import OptionalBehaviour, Query

from .query_evaluation import QueryEnvironment, build_name_versions, evaluate_answer, evaluate_child_answer

if TYPE_CHECKING:
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.cl_object import Fact

    Answer = Element | tuple[Element, ...]

NO_QUEUES: dict[str, Fact] = {"CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES": 0}
NO_PIPES: dict[str, Fact] = {"CL_DEVICE_PIPE_SUPPORT": 0}
NO_GLOBALS: dict[str, Fact] = {"CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE": 0}
NO_SUB_GROUPS: dict[str, Fact] = {"CL_DEVICE_MAX_NUM_SUB_GROUPS": 0}
NO_SVM: dict[str, Fact] = {"CL_DEVICE_SVM_CAPABILITIES": 0}
NO_IL: dict[str, Fact] = {"CL_DEVICE_IL_VERSION": ""}
NO_IMAGES_FROM_BUFFERS: dict[str, Fact] = {"CL_DEVICE_IMAGE_PITCH_ALIGNMENT": 0}
IMAGES: dict[str, Fact] = {"CL_DEVICE_OPENCL_C_FEATURES": build_name_versions(("__opencl_c_images", 1))}
END_TIME: dict[str, Fact] = {"CL_PROFILING_COMMAND_END": 7}

DEVICE_CASES: list[tuple[str, dict[str, Fact], Answer, Answer]] = [
    ("device-side-enqueue:CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES/1", NO_QUEUES, 0, 3),
    ("device-side-enqueue:CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE/1", NO_QUEUES, 0, 1 << 20),
    ("device-side-enqueue:CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE/1", NO_QUEUES, 0, 1 << 20),
    ("device-side-enqueue:CL_DEVICE_MAX_ON_DEVICE_QUEUES/1", NO_QUEUES, 0, 1),
    ("device-side-enqueue:CL_DEVICE_MAX_ON_DEVICE_EVENTS/1", NO_QUEUES, 0, 1024),
    ("pipes:CL_DEVICE_MAX_PIPE_ARGS/1", NO_PIPES, 0, 16),
    ("pipes:CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS/1", NO_PIPES, 0, 1),
    ("pipes:CL_DEVICE_PIPE_MAX_PACKET_SIZE/1", NO_PIPES, 0, 1024),
    ("program-scope-global-variables:CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE/1", NO_GLOBALS, 0, 64),
    ("sub-groups:CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS/1", NO_SUB_GROUPS, 0, 1),
    ("sub-groups:CL_DEVICE_EXTENSIONS/1", NO_SUB_GROUPS, "cl_x", "cl_khr_subgroups cl_x"),
    (
        "creating-2d-images-from-buffers:CL_DEVICE_EXTENSIONS/1",
        NO_IMAGES_FROM_BUFFERS,
        "cl_x",
        "cl_khr_image2d_from_buffer",
    ),
    ("3d-image-writes:CL_DEVICE_EXTENSIONS/1", IMAGES, "cl_x", "cl_khr_3d_image_writes"),
]
OBJECT_CASES: list[tuple[str, dict[str, Fact], Answer, Answer]] = [
    ("shared-virtual-memory:CL_MEM_USES_SVM_POINTER/1", NO_SVM, 0, 1),
    ("device-side-enqueue:CL_QUEUE_SIZE/1", NO_QUEUES, None, 16384),
    ("device-side-enqueue:CL_QUEUE_DEVICE_DEFAULT/1", NO_QUEUES, (None,), "queue1"),
    ("device-side-enqueue:CL_PROFILING_COMMAND_COMPLETE/1", NO_QUEUES, 7, 8),
    ("program-scope-global-variables:CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE/1", NO_GLOBALS, 0, 8),
    ("intermediate-language-programs:CL_PROGRAM_IL/1", NO_IL, (), (1, 2)),
    ("intermediate-language-programs:CL_KERNEL_COMPILE_NUM_SUB_GROUPS/1", NO_IL, 0, 2),
    ("program-initialization-and-clean-up-kernels:CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT/1", {}, 0, 1),
    ("program-initialization-and-clean-up-kernels:CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT/1", {}, 0, 1),
]


def parse_query_name(requirement: str) -> str:
    return requirement.partition(":")[2].partition("/")[0]


@pytest.mark.parametrize(("record", "facts", "right", "wrong"), DEVICE_CASES, ids=[case[0] for case in DEVICE_CASES])
def test_device_without_feature_must_return_the_fallback_value(
    record: str, facts: dict[str, Fact], right: Answer, wrong: Answer
) -> None:
    query = parse_query_name(record)
    assert evaluate_answer(query, right, QueryEnvironment(facts=dict(facts))).get(record) == "fine"
    assert evaluate_answer(query, wrong, QueryEnvironment(facts=dict(facts))).get(record) == "wrong"
    there: dict[str, Fact | str] = {
        name: build_name_versions(("__opencl_c_3d_image_writes", 1)) if isinstance(told, tuple) else 1
        for name, told in facts.items()
    }
    assert record not in evaluate_answer(query, wrong, QueryEnvironment(facts=there))
    assert record not in evaluate_answer(query, wrong, QueryEnvironment())


@pytest.mark.parametrize(("record", "facts", "right", "wrong"), OBJECT_CASES, ids=[case[0] for case in OBJECT_CASES])
def test_object_without_feature_must_return_the_fallback_value(
    record: str, facts: dict[str, Fact], right: Answer, wrong: Answer
) -> None:
    query = parse_query_name(record)
    if right is not None:
        assert evaluate_child_answer(query, right, QueryEnvironment(facts=dict(facts)), END_TIME).get(record) == "fine"
    assert evaluate_child_answer(query, wrong, QueryEnvironment(facts=dict(facts)), END_TIME).get(record) == "wrong"
    if facts:
        there: dict[str, Fact | str] = {name: "SPIR-V_1.0" if told == "" else 1 for name, told in facts.items()}
        assert record not in evaluate_child_answer(query, wrong, QueryEnvironment(facts=there), END_TIME)


def test_fallback_value_is_not_required_if_any_device_has_the_feature() -> None:
    requirement = "shared-virtual-memory:CL_MEM_USES_SVM_POINTER/1"
    some = QueryEnvironment(facts=dict(NO_SVM), others=({"CL_DEVICE_SVM_CAPABILITIES": 1},))
    none = QueryEnvironment(facts=dict(NO_SVM), others=(dict(NO_SVM),))
    assert evaluate_child_answer("CL_MEM_USES_SVM_POINTER", 0, none).get(requirement) == "fine"
    assert evaluate_child_answer("CL_MEM_USES_SVM_POINTER", 1, some).get(requirement) is None


def test_zero_limit_before_3_0_does_not_require_fallback_values() -> None:
    requirement = "program-scope-global-variables:CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE/1"
    assert requirement not in evaluate_answer(
        parse_query_name(requirement), 64, QueryEnvironment("2.0", facts=dict(NO_GLOBALS))
    )


def test_each_optional_query_behaviour_has_case_or_reason() -> None:
    requirements = load().requirements.values()
    queries = {requirement.name for requirement in requirements if isinstance(requirement, Query)}
    about = {
        requirement.id
        for requirement in requirements
        if isinstance(requirement, OptionalBehaviour) and requirement.subject in queries
    }
    tried = {case[0] for case in (*DEVICE_CASES, *OBJECT_CASES)}
    assert about - rulebook_of(load()).untestable.keys() == tried
