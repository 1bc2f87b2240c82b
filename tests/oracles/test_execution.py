"""Error conditions of kernel enqueues: kernels, ranges and work-groups around each limit, and native kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import Data, ElementList, Handle, HostCallback
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device, Partition
from clconform.oracles.model.images import Image
from clconform.oracles.model.kernels import Kernel, KernelArgument
from clconform.oracles.model.programs import BuildState, ProgramBuild
from clconform.oracles.model.queues import CommandQueue
from clconform.spec_tables.versions import read_version
from clconform.suites.chapters.execution.kernels import get_add_scaled, set_arguments
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE

from .kits import expect_changed_call, open_kit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.oracles.model.programs import Program
    from clconform.runner.session.session import Session

ENQUEUE_KERNEL, TASK, NATIVE = "clEnqueueNDRangeKernel", "clEnqueueTask", "clEnqueueNativeKernel"
SUGGEST = "clGetKernelSuggestedLocalWorkSizeKHR"
UNSPECIFIED_ERRORS = {
    ENQUEUE_KERNEL: "clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1",
    TASK: "clEnqueueTask/CL_OUT_OF_RESOURCES/1",
    SUGGEST: "",
}
"""The error that may hold for every kernel enqueue: the kernel may need more resources than the device has."""
RANGE_FUNCTIONS = (ENQUEUE_KERNEL, SUGGEST)
KERNEL_FUNCTIONS = (ENQUEUE_KERNEL, TASK, SUGGEST)
ADDRESS_BITS, MAX_GROUP_SIZE, MAX_ITEM_SIZES = 40, 128, (256, 64, 8)
"""Limits of the device: address bits, work-group size of the kernel, and work-item sizes by dimension."""
MAX_ADDRESS = (1 << ADDRESS_BITS) - 1


@pytest.fixture(scope="module")
def two_alignments_session() -> Iterator[Session]:
    """Yield a session on a platform with two devices of different alignment."""
    with open_kit("two-alignments") as made:
        yield made.cl


@pytest.fixture(scope="module")
def everything_session() -> Iterator[Session]:
    """Yield a session on the platform ``everything``."""
    with open_kit("everything") as made:
        yield made.cl


@pytest.fixture
def kit(two_alignments_session: Session) -> Iterator[Kit]:
    """Yield a kit on two devices of different alignment. Both report the limits of these tests."""
    with two_alignments_session.example():
        made = Kit(two_alignments_session)
        made.context = made.new_context(*made.cl.devices)
        for device in made.cl.model.root_devices():
            device.facts |= {
                "CL_DEVICE_ADDRESS_BITS": ADDRESS_BITS,
                "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS": 3,
                "CL_DEVICE_MAX_WORK_ITEM_SIZES": MAX_ITEM_SIZES,
                "CL_DEVICE_LOCAL_MEM_SIZE": 1024,
                "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT": 0,
            }
        yield made


def get_device(kit: Kit) -> Device:
    return kit.cl.model.device(kit.cl.device)


def get_kernel(kit: Kit, function: str = ENQUEUE_KERNEL) -> Kernel:
    """Return the kernel of the valid call, with a known maximum work-group size."""
    kernel = kit.cl.model.get(Kernel, kit.valid_arguments(function)["kernel"])
    kernel.facts[f"CL_KERNEL_WORK_GROUP_SIZE@{kit.cl.device.name}"] = MAX_GROUP_SIZE
    return kernel


def get_program(kit: Kit) -> Program:
    program = get_kernel(kit).program
    assert program is not None
    return program


def expect_kernel_call(kit: Kit, function: str, changed: dict[str, Value]) -> tuple[str, str]:
    """Return the error conditions that must and may hold for a changed valid call, without ``UNSPECIFIED_ERRORS``."""
    get_kernel(kit)
    given = {name: value for name, value in changed.items() if name in kit.valid_arguments(function)}
    musts, mays = expect_changed_call(kit, function, given)
    return musts, " ".join(each for each in mays.split() if each != UNSPECIFIED_ERRORS.get(function))


def build_group_arguments(*sizes: int, times: int = 1) -> dict[str, Value]:
    """Return the arguments of a kernel enqueue with groups of these sizes. ``times``: groups in each dimension."""
    return {
        "work_dim": len(sizes),
        "global_work_size": ElementList(tuple(times * size for size in sizes)),
        "local_work_size": ElementList(sizes),
    }


def build_range_arguments(sizes: tuple[int, ...], group: tuple[int, ...]) -> dict[str, Value]:
    return {"work_dim": len(sizes), "global_work_size": ElementList(sizes), "local_work_size": ElementList(group)}


def build_offset_arguments(offset: tuple[int, ...], sizes: tuple[int, ...]) -> dict[str, Value]:
    return {"work_dim": len(sizes), "global_work_offset": ElementList(offset), "global_work_size": ElementList(sizes)}


DIMENSION = "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1"
TOO_LARGE = "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2"
OFFSET = "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1"
GROUP_TOO_LARGE, UNEVEN_GROUPS = (
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3",
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4",
)
ITEM_SIZE_TOO_LARGE = "clEnqueueNDRangeKernel/CL_INVALID_WORK_ITEM_SIZE/1"
RANGE_CASES: dict[str, tuple[dict[str, Value], str]] = {
    "one dimension": ({}, ""),
    "three dimensions": ({"work_dim": 3, "global_work_size": ElementList((4, 1, 1))}, ""),
    "four dimensions": ({"work_dim": 4, "global_work_size": ElementList((4, 1, 1, 1))}, DIMENSION),
    "the largest size": ({"global_work_size": ElementList((MAX_ADDRESS,))}, ""),
    "a size beyond the device": ({"global_work_size": ElementList((MAX_ADDRESS + 1,))}, TOO_LARGE),
    "a second size beyond the device": (
        {"work_dim": 2, "global_work_size": ElementList((1, MAX_ADDRESS + 1))},
        TOO_LARGE,
    ),
    "a second size that does not count": ({"global_work_size": ElementList((1, MAX_ADDRESS + 1))}, ""),
    "an offset to the end": (build_offset_arguments((MAX_ADDRESS - 16,), (16,)), ""),
    "an offset beyond the end": (build_offset_arguments((MAX_ADDRESS - 15,), (16,)), OFFSET),
    "a third offset beyond the end": (build_offset_arguments((0, 0, MAX_ADDRESS), (1, 1, 1)), OFFSET),
    "the largest group": (build_group_arguments(MAX_GROUP_SIZE), ""),
    "a group too large": (build_group_arguments(MAX_GROUP_SIZE + 1), GROUP_TOO_LARGE),
    "a group too large by its second size": (build_group_arguments(MAX_GROUP_SIZE // 2, 3), GROUP_TOO_LARGE),
    "the largest third size": (build_group_arguments(1, 1, MAX_ITEM_SIZES[2]), ""),
    "a third size too large": (build_group_arguments(1, 1, MAX_ITEM_SIZES[2] + 1), ITEM_SIZE_TOO_LARGE),
    "a second size too large": (build_group_arguments(1, MAX_ITEM_SIZES[1] + 1), ITEM_SIZE_TOO_LARGE),
    "even groups": (build_range_arguments((16,), (4,)), ""),
    "uneven groups": (build_range_arguments((16,), (3,)), UNEVEN_GROUPS),
    "a range smaller than a group": (build_range_arguments((2,), (4,)), UNEVEN_GROUPS),
    "uneven groups in the second dimension": (build_range_arguments((4, 5), (2, 2)), UNEVEN_GROUPS),
}


@pytest.mark.parametrize("words", RANGE_CASES)
def test_invalid_ranges_and_work_groups_are_rejected(kit: Kit, words: str) -> None:
    changed, must = RANGE_CASES[words]
    assert expect_kernel_call(kit, ENQUEUE_KERNEL, changed) == (must, "")


SUGGEST_ERRORS = {
    DIMENSION: "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/1",
    TOO_LARGE: "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/2",
    OFFSET: "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_OFFSET/1",
    "": "",
}


@pytest.mark.parametrize("words", [words for words, (_, must) in RANGE_CASES.items() if must in SUGGEST_ERRORS])
def test_suggested_size_query_rejects_invalid_ranges(kit: Kit, words: str) -> None:
    changed, must = RANGE_CASES[words]
    assert expect_kernel_call(kit, SUGGEST, changed) == (SUGGEST_ERRORS[must], "")


@pytest.mark.parametrize("function", RANGE_FUNCTIONS)
def test_kernel_enqueue_with_zero_dimensions_is_rejected(kit: Kit, function: str) -> None:
    must = "CL_INVALID_WORK_DIMENSION/1"
    assert expect_kernel_call(kit, function, {"work_dim": 0})[0] == f"{function}/{must}"


@pytest.mark.parametrize("function", RANGE_FUNCTIONS)
def test_kernel_enqueue_with_array_shorter_than_work_dim_is_undefined(kit: Kit, function: str) -> None:
    arguments = kit.valid_arguments(function, work_dim=2)
    assert kit.cl.oracle.expect(Call(function, arguments)).undefined


def test_kernel_enqueue_with_work_group_size_zero_is_undefined(kit: Kit) -> None:
    get_kernel(kit)
    assert kit.cl.oracle.expect(
        Call(ENQUEUE_KERNEL, kit.valid_arguments(ENQUEUE_KERNEL, local_work_size=ElementList((0,))))
    ).undefined


EMPTY_RANGES = {
    "NULL": {"global_work_size": None},
    "zero": {"global_work_size": ElementList((0,))},
    "zero in the second dimension": {"work_dim": 2, "global_work_size": ElementList((4, 0))},
}


@pytest.mark.parametrize("words", EMPTY_RANGES)
@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_kernel_enqueue_with_empty_range_is_rejected_before_2_1(kit: Kit, words: str, version: str) -> None:
    kit.cl.model.platforms["platform1"].version = read_version(version)
    must = "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1" if version == "2.0" else ""
    musts, mays = expect_kernel_call(kit, ENQUEUE_KERNEL, EMPTY_RANGES[words])
    assert musts == must
    assert {"clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1", GROUP_TOO_LARGE} <= set(mays.split())
    assert TOO_LARGE not in mays


@pytest.mark.parametrize("words", EMPTY_RANGES)
def test_suggested_size_query_of_empty_range_is_rejected(kit: Kit, words: str) -> None:
    must = "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/1"
    assert expect_kernel_call(kit, SUGGEST, EMPTY_RANGES[words])[0] == must


@pytest.mark.parametrize("told", [0, 1 << 62, -1])
def test_range_errors_are_optional_with_invalid_reported_address_bits(kit: Kit, told: int) -> None:
    get_device(kit).facts["CL_DEVICE_ADDRESS_BITS"] = told
    musts, mays = expect_kernel_call(kit, ENQUEUE_KERNEL, build_offset_arguments((16,), (16,)))
    assert musts == ""
    assert {TOO_LARGE, OFFSET} <= set(mays.split())


@pytest.mark.parametrize(("version", "must"), [("1.0", OFFSET), ("1.1", "")])
def test_kernel_enqueue_with_offset_is_rejected_before_1_1(kit: Kit, version: str, must: str) -> None:
    get_device(kit).version = read_version(version)
    assert expect_kernel_call(kit, ENQUEUE_KERNEL, build_offset_arguments((0,), (16,)))[0] == must


@pytest.mark.parametrize(
    ("version", "support", "options", "must"),
    [
        ("1.2", 0, "-cl-std=CL2.0", UNEVEN_GROUPS),
        ("2.0", 0, "-cl-std=CL2.0", ""),
        ("2.0", 0, "-cl-std=CL1.2", UNEVEN_GROUPS),
        ("3.0", 0, "-cl-std=CL3.0", UNEVEN_GROUPS),
        ("3.0", 1, "-cl-std=CL3.0", ""),
        ("3.0", 1, "-cl-std=CL2.0 -cl-opt-disable", ""),
        ("3.0", 1, "", UNEVEN_GROUPS),
        ("3.0", 1, "-cl-std=CL3.0 -cl-uniform-work-group-size", UNEVEN_GROUPS),
    ],
)
def test_non_uniform_work_groups_are_rejected_if_device_or_options_forbid(
    kit: Kit, version: str, support: int, options: str, must: str
) -> None:
    get_device(kit).version = read_version(version)
    get_device(kit).facts["CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT"] = support
    get_program(kit).builds[kit.cl.device.name] = ProgramBuild(BuildState.BUILT, options)
    assert expect_kernel_call(kit, ENQUEUE_KERNEL, build_range_arguments((16,), (3,)))[0] == must


@pytest.mark.parametrize(
    ("sizes", "must"),
    [((4,), ""), ((4, 1), ""), ((4, 1, 1), ""), ((2,), "must"), ((4, 2), "must"), ((1, 4), "must"), (None, "")],
)
def test_work_group_size_that_differs_from_required_size_is_rejected(
    kit: Kit, sizes: tuple[int, ...] | None, must: str
) -> None:
    requirement = "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1"
    kernel = get_add_scaled(kit)
    kit.cl.model.get(Kernel, kernel).facts[f"CL_KERNEL_WORK_GROUP_SIZE@{kit.cl.device.name}"] = MAX_GROUP_SIZE
    changed = build_group_arguments(*sizes, times=4) if sizes else {"global_work_size": ElementList((16,))}
    expectation = expect_kernel_call(kit, ENQUEUE_KERNEL, {"kernel": kernel, **changed})
    assert expectation == (requirement if must == "must" else "", requirement if must == "may" else "")


@pytest.mark.parametrize(
    ("version", "sizes", "may"),
    [("3.0", (16,), False), ("3.1", (4, 3), False), ("3.0", (18,), True), ("3.0", (2, 4), True), ("2.2", (16,), True)],
)
def test_null_local_size_for_required_size_is_accepted_since_3_0(
    kit: Kit, version: str, sizes: tuple[int, ...], *, may: bool
) -> None:
    requirement = "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1"
    get_device(kit).version = read_version(version)
    changed = {"work_dim": len(sizes), "global_work_size": ElementList(sizes)}
    expectation = expect_kernel_call(kit, ENQUEUE_KERNEL, {"kernel": get_add_scaled(kit), **changed})
    assert expectation == ("", requirement if may else "")


@pytest.mark.parametrize("required", [True, False])
def test_task_of_kernel_with_required_work_group_size_is_rejected(kit: Kit, *, required: bool) -> None:
    changed: dict[str, Value] = {"kernel": get_add_scaled(kit)} if required else {}
    must = "clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/1" if required else ""
    assert expect_kernel_call(kit, TASK, changed) == (must, "")


@pytest.mark.parametrize(
    "record", ["clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2", "clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/2"]
)
def test_sub_group_count_error_does_not_apply_to_program_from_source(kit: Kit, record: str) -> None:
    function, one_by_one = record.split("/", maxsplit=1)[0], build_group_arguments(1)
    assert record not in " ".join(expect_kernel_call(kit, function, one_by_one))
    get_kernel(kit, function).program = None
    assert record in expect_kernel_call(kit, function, one_by_one)[1]


def test_null_local_work_size_has_no_sub_group_count_error(kit: Kit) -> None:
    get_kernel(kit).program = None
    assert "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2" not in " ".join(
        expect_kernel_call(kit, ENQUEUE_KERNEL, {})
    )


# kernels and their arguments


NOT_BUILT = (
    "clEnqueueNDRangeKernel/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "clEnqueueTask/CL_INVALID_PROGRAM_EXECUTABLE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_PROGRAM_EXECUTABLE/1",
)


@pytest.mark.parametrize("record", NOT_BUILT)
@pytest.mark.parametrize(
    ("state", "reply"),
    [
        (BuildState.BUILT, "no"),
        (BuildState.NONE, "must"),
        (BuildState.FAILED, "must"),
        (BuildState.GOING_ON, "may"),
        (BuildState.FAILED_FOR_SOME, "may"),
    ],
)
def test_enqueue_of_kernel_without_executable_for_device_is_rejected(
    kit: Kit, record: str, state: BuildState, reply: str
) -> None:
    program = get_program(kit)
    program.builds[kit.cl.device.name] = ProgramBuild(state)
    program.built_devices = []
    musts, mays = expect_kernel_call(kit, record.split("/", maxsplit=1)[0], {})
    assert (record in musts, record in mays) == (reply == "must", reply == "may")


@pytest.mark.parametrize(
    ("function", "state", "reply"),
    [
        ("clCreateSubDevices", BuildState.NONE, "no"),
        ("clCreateSubDevices", BuildState.FAILED, "may"),
        ("clCreateSubDevicesEXT", BuildState.NONE, "may"),
    ],
)
def test_executable_of_parent_device_is_valid_for_core_sub_device(
    kit: Kit, function: str, state: BuildState, reply: str
) -> None:
    program, own = get_program(kit), get_device(kit)
    split = Partition(own, function, "", None, ())
    facts = {"platform": own.platform, "version": own.version, "facts": dict(own.facts)}
    part = Device("device9", parent=own, partition=split, **facts)
    kit.cl.model.add(part)
    kit.cl.model.get(CommandQueue, kit.queue).queue_device = part
    program.builds[part.name] = ProgramBuild(state)
    requirement = NOT_BUILT[0]
    musts, mays = expect_kernel_call(kit, ENQUEUE_KERNEL, {})
    assert (requirement in musts, requirement in mays) == (False, reply == "may")


NOT_SET = (
    "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
    "clEnqueueTask/CL_INVALID_KERNEL_ARGS/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_KERNEL_ARGS/1",
)


@pytest.mark.parametrize("record", NOT_SET)
def test_enqueue_of_kernel_with_unset_argument_is_rejected(kit: Kit, record: str) -> None:
    function = record.split("/", maxsplit=1)[0]
    for arguments, must in (((), record), ((kit.first_buffer,), record), ((kit.first_buffer, kit.second_buffer), "")):
        kernel = set_arguments(kit, kit.kernel("copy_plus_one"), *arguments)
        assert expect_kernel_call(kit, function, {"kernel": kernel})[0] == must
    kit.cl.model.get(Kernel, kernel).uncertain_arguments.add(1)
    assert record in expect_kernel_call(kit, function, {"kernel": kernel})[1]


def test_enqueue_of_kernel_of_another_context_is_rejected(kit: Kit) -> None:
    elsewhere = set_arguments(kit, kit.foreign.kernel("add_index"), kit.foreign.first_buffer)
    must = "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_CONTEXT/1"
    assert (expect_kernel_call(kit, SUGGEST, {"kernel": elsewhere})[0], expect_kernel_call(kit, SUGGEST, {})[0]) == (
        must,
        "",
    )


MISALIGNED = (
    "clEnqueueNDRangeKernel/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clEnqueueTask/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
)


@pytest.mark.parametrize("record", MISALIGNED)
def test_enqueue_with_misaligned_sub_buffer_argument_is_rejected(kit: Kit, record: str) -> None:
    coarse, fine = (each.number("CL_DEVICE_MEM_BASE_ADDR_ALIGN") // 8 for each in kit.cl.model.root_devices())
    whole = kit.buffer(size=4 * SIZE)
    for origin, must in ((fine, record), (coarse, ""), (0, "")):
        kernel = set_arguments(kit, kit.kernel("add_index"), kit.sub_buffer(whole, origin, SIZE))
        assert expect_kernel_call(kit, record.split("/", maxsplit=1)[0], {"kernel": kernel})[0] == must


POINTER_ERRORS = (
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1",
    "clEnqueueTask/CL_INVALID_OPERATION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/1",
)
IMAGE_ERRORS = (
    "clEnqueueNDRangeKernel/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueTask/CL_INVALID_IMAGE_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueNDRangeKernel/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueTask/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
)


@pytest.mark.parametrize("record", [*IMAGE_ERRORS, *POINTER_ERRORS])
def test_kernel_with_buffer_arguments_has_no_image_or_svm_errors(kit: Kit, record: str) -> None:
    assert record not in " ".join(expect_kernel_call(kit, record.split("/", maxsplit=1)[0], {})).split()


@pytest.mark.parametrize("record", IMAGE_ERRORS)
@pytest.mark.parametrize("shared", [True, False])
def test_image_argument_may_be_rejected_if_context_has_several_devices(kit: Kit, record: str, *, shared: bool) -> None:
    context = Context("context9", devices=kit.cl.model.root_devices()[: 2 if shared else 1])
    function = record.split("/", maxsplit=1)[0]
    get_kernel(kit, function).arguments[0] = KernelArgument(None, 8, object=Image("mem9", context=context))
    assert (record in expect_kernel_call(kit, function, {})[1].split()) == shared


@pytest.mark.parametrize(
    "record", ["clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1", "clEnqueueTask/CL_OUT_OF_RESOURCES/1"]
)
def test_local_memory_above_the_limit_may_be_rejected(kit: Kit, record: str) -> None:
    function = record.split("/", maxsplit=1)[0]
    for size, entry in ((1024, "unknown-fact"), (1025, "local-memory-above-limit")):
        kernel = get_kernel(kit, function)
        kernel.arguments[7] = KernelArgument(None, size)
        held = kit.cl.oracle.expect(Call(function, kit.valid_arguments(function))).optional_errors
        assert [each.interpretation for each in held if each.clause.id == record] == [entry]


# native kernels


OUT_OF_RESOURCES = "clEnqueueNativeKernel/CL_OUT_OF_RESOURCES/1"
UNOBSERVABLE_ERRORS = f"clEnqueueNativeKernel/CL_INVALID_OPERATION/2 {OUT_OF_RESOURCES}"
"""Error conditions that calls cannot reveal, so their codes are allowed; the first only if there are arguments."""
NULL_LISTED = "clEnqueueNativeKernel/CL_INVALID_MEM_OBJECT/1"
ARGUMENT_BLOCK = Data(bytes(16))
ONE_OBJECT: dict[str, Value] = {
    "args": ARGUMENT_BLOCK,
    "cb_args": 16,
    "num_mem_objects": 1,
    "mem_list": ElementList((None,)),
    "args_mem_loc": ElementList((0,)),
}
NATIVE_CASES: dict[str, tuple[dict[str, Value], str]] = {
    "no arguments": ({}, ""),
    "a block": ({"args": ARGUMENT_BLOCK, "cb_args": 16}, ""),
    "bytes at NULL": ({"cb_args": 16}, "clEnqueueNativeKernel/CL_INVALID_VALUE/2"),
    "objects at NULL": (
        {**ONE_OBJECT, "args": None, "cb_args": 0},
        "clEnqueueNativeKernel/CL_INVALID_VALUE/2",
    ),
    "a block of no bytes": ({"args": ARGUMENT_BLOCK}, "clEnqueueNativeKernel/CL_INVALID_VALUE/3"),
    "objects without a list": ({**ONE_OBJECT, "mem_list": None}, "clEnqueueNativeKernel/CL_INVALID_VALUE/4"),
    "objects without their places": ({**ONE_OBJECT, "args_mem_loc": None}, "clEnqueueNativeKernel/CL_INVALID_VALUE/4"),
    "a list of no objects": (
        {**ONE_OBJECT, "num_mem_objects": 0, "args_mem_loc": None},
        "clEnqueueNativeKernel/CL_INVALID_VALUE/5",
    ),
    "places of no objects": (
        {**ONE_OBJECT, "num_mem_objects": 0, "mem_list": None},
        "clEnqueueNativeKernel/CL_INVALID_VALUE/5",
    ),
}


@pytest.fixture
def native_kit(everything_session: Session) -> Iterator[Kit]:
    """Yield a kit on a device that supports native kernels."""
    with everything_session.example():
        made = Kit(everything_session)
        get_device(made).facts["CL_DEVICE_EXECUTION_CAPABILITIES"] = 3
        yield made


@pytest.mark.parametrize("words", NATIVE_CASES)
def test_native_kernel_with_invalid_arguments_is_rejected(native_kit: Kit, words: str) -> None:
    changed, must = NATIVE_CASES[words]
    given = {"command_queue": native_kit.queue, "user_func": HostCallback("native"), "args": None, "cb_args": 0}
    given |= {"num_mem_objects": 0, "mem_list": None, "args_mem_loc": None}
    musts, mays = expect_changed_call(native_kit, NATIVE, {**given, **changed})
    given |= changed
    left_open = UNOBSERVABLE_ERRORS if given["args"] and given["cb_args"] else OUT_OF_RESOURCES
    assert (musts, mays.removeprefix(NULL_LISTED).strip()) == (must, left_open)


def test_native_kernel_on_device_without_capability_is_rejected(native_kit: Kit) -> None:
    arguments = native_kit.valid_arguments(NATIVE)
    get_device(native_kit).facts["CL_DEVICE_EXECUTION_CAPABILITIES"] = 1
    (held,) = native_kit.cl.oracle.expect(Call(NATIVE, arguments)).required_errors
    assert held.clause.id == "clEnqueueNativeKernel/CL_INVALID_OPERATION/1"


def test_native_kernel_with_image_as_memory_object_is_rejected(native_kit: Kit) -> None:
    requirement = "clEnqueueNativeKernel/CL_INVALID_MEM_OBJECT/1"
    buffer = native_kit.first_buffer
    things: dict[str, tuple[Handle | None, tuple[str, str]]] = {
        "a buffer": (buffer, ("", "")),
        "an image": (native_kit.image(), (requirement, "")),
        "a region": (native_kit.sub_buffer(buffer, 0, SIZE), ("", requirement)),
        "NULL": (None, ("", requirement)),
    }
    for thing, reply in things.values():
        musts, mays = expect_changed_call(native_kit, NATIVE, {**ONE_OBJECT, "mem_list": ElementList((thing,))})
        assert (musts, requirement in mays) == (reply[0], bool(reply[1]))
    listed = {**ONE_OBJECT, "mem_list": ElementList((buffer, native_kit.image()))}
    assert expect_changed_call(native_kit, NATIVE, listed) == ("", UNOBSERVABLE_ERRORS)
