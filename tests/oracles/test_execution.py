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
from clconform.oracles.model.versions import read_version
from clconform.suites.chapters.execution.kernels import get_add_scaled, set_arguments
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE

from .kits import expected, kit_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.oracles.model.programs import Program
    from clconform.runner.session.session import Session

LAUNCH, TASK, NATIVE = "clEnqueueNDRangeKernel", "clEnqueueTask", "clEnqueueNativeKernel"
SUGGEST = "clGetKernelSuggestedLocalWorkSizeKHR"
OPEN = {
    LAUNCH: "clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1",
    TASK: "clEnqueueTask/CL_OUT_OF_RESOURCES/1",
    SUGGEST: "",
}
"""The error that may hold for every kernel enqueue: the kernel may need more resources than the device has."""
BOTH = (LAUNCH, SUGGEST)
EACH = (LAUNCH, TASK, SUGGEST)
BITS, MOST, SIZES = 40, 128, (256, 64, 8)
"""Limits of the device: address bits, work-group size of the kernel, and work-item sizes by dimension."""
TOP = (1 << BITS) - 1


@pytest.fixture(scope="module")
def aligned() -> Iterator[Session]:
    """Yield a session on a platform with two devices of different alignment."""
    with kit_on("two-alignments") as made:
        yield made.cl


@pytest.fixture(scope="module")
def able() -> Iterator[Session]:
    """Yield a session on the platform ``everything``."""
    with kit_on("everything") as made:
        yield made.cl


@pytest.fixture
def kit(aligned: Session) -> Iterator[Kit]:
    """Yield a kit on two devices of different alignment; both report the limits of these tests."""
    with aligned.example():
        made = Kit(aligned)
        made.context = made.new_context(*made.cl.devices)
        for device in made.cl.model.root_devices():
            device.facts |= {
                "CL_DEVICE_ADDRESS_BITS": BITS,
                "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS": 3,
                "CL_DEVICE_MAX_WORK_ITEM_SIZES": SIZES,
                "CL_DEVICE_LOCAL_MEM_SIZE": 1024,
                "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT": 0,
            }
        yield made


def device(kit: Kit) -> Device:
    return kit.cl.model.device(kit.cl.device)


def kernel_of(kit: Kit, function: str = LAUNCH) -> Kernel:
    """Return the kernel of the valid call, with a known maximum work-group size."""
    kernel = kit.cl.model.get(Kernel, kit.valid_arguments(function)["kernel"])
    kernel.facts[f"CL_KERNEL_WORK_GROUP_SIZE@{kit.cl.device.name}"] = MOST
    return kernel


def program_of(kit: Kit) -> Program:
    program = kernel_of(kit).program
    assert program is not None
    return program


def judged(kit: Kit, function: str, changed: dict[str, Value]) -> tuple[str, str]:
    """Return the error conditions that must and (without ``OPEN``) may hold for a valid call with changes."""
    kernel_of(kit)
    given = {name: value for name, value in changed.items() if name in kit.valid_arguments(function)}
    musts, mays = expected(kit, function, given)
    return musts, " ".join(each for each in mays.split() if each != OPEN.get(function))


def local(*sizes: int, times: int = 1) -> dict[str, Value]:
    """Return the arguments of a kernel enqueue with groups of these sizes; ``times``: groups in each dimension."""
    return {
        "work_dim": len(sizes),
        "global_work_size": ElementList(tuple(times * size for size in sizes)),
        "local_work_size": ElementList(sizes),
    }


def over(sizes: tuple[int, ...], group: tuple[int, ...]) -> dict[str, Value]:
    return {"work_dim": len(sizes), "global_work_size": ElementList(sizes), "local_work_size": ElementList(group)}


def at(offset: tuple[int, ...], sizes: tuple[int, ...]) -> dict[str, Value]:
    return {"work_dim": len(sizes), "global_work_offset": ElementList(offset), "global_work_size": ElementList(sizes)}


DIMENSION = "clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/1"
TOO_LARGE = "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/2"
OFFSET = "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/1"
GROUP, UNEVEN = (
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/3",
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/4",
)
WIDE = "clEnqueueNDRangeKernel/CL_INVALID_WORK_ITEM_SIZE/1"
ROWS: dict[str, tuple[dict[str, Value], str]] = {
    "one dimension": ({}, ""),
    "three dimensions": ({"work_dim": 3, "global_work_size": ElementList((4, 1, 1))}, ""),
    "four dimensions": ({"work_dim": 4, "global_work_size": ElementList((4, 1, 1, 1))}, DIMENSION),
    "the largest size": ({"global_work_size": ElementList((TOP,))}, ""),
    "a size beyond the device": ({"global_work_size": ElementList((TOP + 1,))}, TOO_LARGE),
    "a second size beyond the device": ({"work_dim": 2, "global_work_size": ElementList((1, TOP + 1))}, TOO_LARGE),
    "a second size that does not count": ({"global_work_size": ElementList((1, TOP + 1))}, ""),
    "an offset to the end": (at((TOP - 16,), (16,)), ""),
    "an offset beyond the end": (at((TOP - 15,), (16,)), OFFSET),
    "a third offset beyond the end": (at((0, 0, TOP), (1, 1, 1)), OFFSET),
    "the largest group": (local(MOST), ""),
    "a group too large": (local(MOST + 1), GROUP),
    "a group too large by its second size": (local(MOST // 2, 3), GROUP),
    "the largest third size": (local(1, 1, SIZES[2]), ""),
    "a third size too large": (local(1, 1, SIZES[2] + 1), WIDE),
    "a second size too large": (local(1, SIZES[1] + 1), WIDE),
    "even groups": (over((16,), (4,)), ""),
    "uneven groups": (over((16,), (3,)), UNEVEN),
    "a range smaller than a group": (over((2,), (4,)), UNEVEN),
    "uneven groups in the second dimension": (over((4, 5), (2, 2)), UNEVEN),
}


@pytest.mark.parametrize("words", ROWS)
def test_ranges(kit: Kit, words: str) -> None:
    changed, must = ROWS[words]
    assert judged(kit, LAUNCH, changed) == (must, "")


SUGGESTED = {
    DIMENSION: "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/1",
    TOO_LARGE: "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/2",
    OFFSET: "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_OFFSET/1",
    "": "",
}


@pytest.mark.parametrize("words", [words for words, (_, must) in ROWS.items() if must in SUGGESTED])
def test_ranges_to_suggest_groups_for(kit: Kit, words: str) -> None:
    changed, must = ROWS[words]
    assert judged(kit, SUGGEST, changed) == (SUGGESTED[must], "")


@pytest.mark.parametrize("function", BOTH)
def test_no_dimension_at_all(kit: Kit, function: str) -> None:
    must = "CL_INVALID_WORK_DIMENSION/1"
    assert judged(kit, function, {"work_dim": 0})[0] == f"{function}/{must}"


@pytest.mark.parametrize("function", BOTH)
def test_an_array_shorter_than_the_dimensions_is_never_sent(kit: Kit, function: str) -> None:
    arguments = kit.valid_arguments(function, work_dim=2)
    assert kit.cl.oracle.expect(Call(function, arguments)).undefined


def test_a_group_of_no_size_is_never_sent(kit: Kit) -> None:
    kernel_of(kit)
    assert kit.cl.oracle.expect(Call(LAUNCH, kit.valid_arguments(LAUNCH, local_work_size=ElementList((0,))))).undefined


EMPTY = {
    "NULL": {"global_work_size": None},
    "zero": {"global_work_size": ElementList((0,))},
    "zero in the second dimension": {"work_dim": 2, "global_work_size": ElementList((4, 0))},
}


@pytest.mark.parametrize("words", EMPTY)
@pytest.mark.parametrize("version", ["2.0", "2.1"])
def test_ranges_without_work_items_are_refused_before_2_1(kit: Kit, words: str, version: str) -> None:
    kit.cl.model.platforms["platform1"].version = read_version(version)
    must = "clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_WORK_SIZE/1" if version == "2.0" else ""
    musts, mays = judged(kit, LAUNCH, EMPTY[words])
    assert musts == must
    assert {"clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1", GROUP} <= set(mays.split())
    assert TOO_LARGE not in mays


@pytest.mark.parametrize("words", EMPTY)
def test_no_groups_are_suggested_for_no_work_items(kit: Kit, words: str) -> None:
    must = "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_GLOBAL_WORK_SIZE/1"
    assert judged(kit, SUGGEST, EMPTY[words])[0] == must


@pytest.mark.parametrize("told", [0, 1 << 62, -1])
def test_a_width_of_addresses_that_no_device_has_says_nothing_of_ranges(kit: Kit, told: int) -> None:
    device(kit).facts["CL_DEVICE_ADDRESS_BITS"] = told
    musts, mays = judged(kit, LAUNCH, at((16,), (16,)))
    assert musts == ""
    assert {TOO_LARGE, OFFSET} <= set(mays.split())


@pytest.mark.parametrize(("version", "must"), [("1.0", OFFSET), ("1.1", "")])
def test_before_1_1_there_is_no_offset(kit: Kit, version: str, must: str) -> None:
    device(kit).version = read_version(version)
    assert judged(kit, LAUNCH, at((0,), (16,)))[0] == must


@pytest.mark.parametrize(
    ("version", "support", "options", "must"),
    [
        ("1.2", 0, "-cl-std=CL2.0", UNEVEN),
        ("2.0", 0, "-cl-std=CL2.0", ""),
        ("2.0", 0, "-cl-std=CL1.2", UNEVEN),
        ("3.0", 0, "-cl-std=CL3.0", UNEVEN),
        ("3.0", 1, "-cl-std=CL3.0", ""),
        ("3.0", 1, "-cl-std=CL2.0 -cl-opt-disable", ""),
        ("3.0", 1, "", UNEVEN),
        ("3.0", 1, "-cl-std=CL3.0 -cl-uniform-work-group-size", UNEVEN),
    ],
)
def test_who_needs_even_groups(kit: Kit, version: str, support: int, options: str, must: str) -> None:
    device(kit).version = read_version(version)
    device(kit).facts["CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT"] = support
    program_of(kit).builds[kit.cl.device.name] = ProgramBuild(BuildState.BUILT, options)
    assert judged(kit, LAUNCH, over((16,), (3,)))[0] == must


@pytest.mark.parametrize(
    ("sizes", "must"),
    [((4,), ""), ((4, 1), ""), ((4, 1, 1), ""), ((2,), "must"), ((4, 2), "must"), ((1, 4), "must"), (None, "may")],
)
def test_a_group_of_the_required_size(kit: Kit, sizes: tuple[int, ...] | None, must: str) -> None:
    record = "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/1"
    kernel = get_add_scaled(kit)
    kit.cl.model.get(Kernel, kernel).facts[f"CL_KERNEL_WORK_GROUP_SIZE@{kit.cl.device.name}"] = MOST
    changed = local(*sizes, times=4) if sizes else {"global_work_size": ElementList((16,))}
    expectation = judged(kit, LAUNCH, {"kernel": kernel, **changed})
    assert expectation == (record if must == "must" else "", record if must == "may" else "")


@pytest.mark.parametrize("required", [True, False])
def test_a_task_is_a_group_of_one(kit: Kit, *, required: bool) -> None:
    changed: dict[str, Value] = {"kernel": get_add_scaled(kit)} if required else {}
    must = "clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/1" if required else ""
    assert judged(kit, TASK, changed) == (must, "")


@pytest.mark.parametrize(
    "record", ["clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2", "clEnqueueTask/CL_INVALID_WORK_GROUP_SIZE/2"]
)
def test_a_source_requires_no_number_of_sub_groups(kit: Kit, record: str) -> None:
    function, one_by_one = record.split("/", maxsplit=1)[0], local(1)
    assert record not in " ".join(judged(kit, function, one_by_one))
    kernel_of(kit, function).program = None
    assert record in judged(kit, function, one_by_one)[1]


def test_groups_that_the_implementation_chooses_have_the_sub_groups_that_are_required(kit: Kit) -> None:
    kernel_of(kit).program = None
    assert "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2" not in " ".join(judged(kit, LAUNCH, {}))


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
def test_the_program_was_built_for_the_device(kit: Kit, record: str, state: BuildState, reply: str) -> None:
    program = program_of(kit)
    program.builds[kit.cl.device.name] = ProgramBuild(state)
    program.built_devices = []
    musts, mays = judged(kit, record.split("/", maxsplit=1)[0], {})
    assert (record in musts, record in mays) == (reply == "must", reply == "may")


@pytest.mark.parametrize(
    ("function", "state", "reply"),
    [
        ("clCreateSubDevices", BuildState.NONE, "no"),
        ("clCreateSubDevices", BuildState.FAILED, "may"),
        ("clCreateSubDevicesEXT", BuildState.NONE, "may"),
    ],
)
def test_a_sub_device_has_the_executable_of_its_parent(kit: Kit, function: str, state: BuildState, reply: str) -> None:
    program, own = program_of(kit), device(kit)
    split = Partition(own, function, "", None, ())
    facts = {"platform": own.platform, "version": own.version, "facts": dict(own.facts)}
    part = Device("device9", parent=own, partition=split, **facts)
    kit.cl.model.add(part)
    kit.cl.model.get(CommandQueue, kit.queue).queue_device = part
    program.builds[part.name] = ProgramBuild(state)
    record = NOT_BUILT[0]
    musts, mays = judged(kit, LAUNCH, {})
    assert (record in musts, record in mays) == (False, reply == "may")


NOT_SET = (
    "clEnqueueNDRangeKernel/CL_INVALID_KERNEL_ARGS/1",
    "clEnqueueTask/CL_INVALID_KERNEL_ARGS/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_KERNEL_ARGS/1",
)


@pytest.mark.parametrize("record", NOT_SET)
def test_all_arguments_are_set(kit: Kit, record: str) -> None:
    function = record.split("/", maxsplit=1)[0]
    for arguments, must in (((), record), ((kit.first_buffer,), record), ((kit.first_buffer, kit.second_buffer), "")):
        kernel = set_arguments(kit, kit.kernel("copy_plus_one"), *arguments)
        assert judged(kit, function, {"kernel": kernel})[0] == must
    kit.cl.model.get(Kernel, kernel).uncertain_arguments.add(1)
    assert record in judged(kit, function, {"kernel": kernel})[1]


def test_a_kernel_and_a_queue_of_two_contexts(kit: Kit) -> None:
    elsewhere = set_arguments(kit, kit.foreign.kernel("add_index"), kit.foreign.first_buffer)
    must = "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_CONTEXT/1"
    assert (judged(kit, SUGGEST, {"kernel": elsewhere})[0], judged(kit, SUGGEST, {})[0]) == (must, "")


MISALIGNED = (
    "clEnqueueNDRangeKernel/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clEnqueueTask/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_MISALIGNED_SUB_BUFFER_OFFSET/1",
)


@pytest.mark.parametrize("record", MISALIGNED)
def test_regions_are_aligned_for_the_device(kit: Kit, record: str) -> None:
    coarse, fine = (each.number("CL_DEVICE_MEM_BASE_ADDR_ALIGN") // 8 for each in kit.cl.model.root_devices())
    whole = kit.buffer(size=4 * SIZE)
    for origin, must in ((fine, record), (coarse, ""), (0, "")):
        kernel = set_arguments(kit, kit.kernel("add_index"), kit.sub_buffer(whole, origin, SIZE))
        assert judged(kit, record.split("/", maxsplit=1)[0], {"kernel": kernel})[0] == must


ADDRESSES = (
    "clEnqueueNDRangeKernel/CL_INVALID_OPERATION/1",
    "clEnqueueTask/CL_INVALID_OPERATION/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_OPERATION/1",
)
OF_IMAGES = (
    "clEnqueueNDRangeKernel/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueTask/CL_INVALID_IMAGE_SIZE/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_IMAGE_SIZE/1",
    "clEnqueueNDRangeKernel/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clEnqueueTask/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
    "clGetKernelSuggestedLocalWorkSizeKHR/CL_IMAGE_FORMAT_NOT_SUPPORTED/1",
)


@pytest.mark.parametrize("record", [*OF_IMAGES, *ADDRESSES])
def test_without_images_and_addresses_there_is_nothing_wrong_with_them(kit: Kit, record: str) -> None:
    assert record not in " ".join(judged(kit, record.split("/", maxsplit=1)[0], {})).split()


@pytest.mark.parametrize("record", OF_IMAGES)
@pytest.mark.parametrize("shared", [True, False])
def test_an_image_for_several_devices_may_suit_one_of_them_only(kit: Kit, record: str, *, shared: bool) -> None:
    context = Context("context9", devices=kit.cl.model.root_devices()[: 2 if shared else 1])
    function = record.split("/", maxsplit=1)[0]
    kernel_of(kit, function).arguments[0] = KernelArgument(None, 8, object=Image("mem9", context=context))
    assert (record in judged(kit, function, {})[1].split()) == shared


@pytest.mark.parametrize(
    "record", ["clEnqueueNDRangeKernel/CL_OUT_OF_RESOURCES/1", "clEnqueueTask/CL_OUT_OF_RESOURCES/1"]
)
def test_more_local_memory_than_the_device_has_may_be_too_much(kit: Kit, record: str) -> None:
    function = record.split("/", maxsplit=1)[0]
    for size, entry in ((1024, "unknown-fact"), (1025, "more-local-memory-than-the-device-has")):
        kernel = kernel_of(kit, function)
        kernel.arguments[7] = KernelArgument(None, size)
        held = kit.cl.oracle.expect(Call(function, kit.valid_arguments(function))).mays
        assert [each.interpretation for each in held if each.clause.id == record] == [entry]


# native kernels


LACKING = "clEnqueueNativeKernel/CL_OUT_OF_RESOURCES/1"
NEVER_SHOWN = f"clEnqueueNativeKernel/CL_INVALID_OPERATION/2 {LACKING}"
"""Error conditions that calls cannot reveal, so their codes are allowed; the first only if there are arguments."""
NULL_LISTED = "clEnqueueNativeKernel/CL_INVALID_MEM_OBJECT/1"
BLOCK = Data(bytes(16))
ONE: dict[str, Value] = {
    "args": BLOCK,
    "cb_args": 16,
    "num_mem_objects": 1,
    "mem_list": ElementList((None,)),
    "args_mem_loc": ElementList((0,)),
}
NATIVES: dict[str, tuple[dict[str, Value], str]] = {
    "no arguments": ({}, ""),
    "a block": ({"args": BLOCK, "cb_args": 16}, ""),
    "bytes at NULL": ({"cb_args": 16}, "clEnqueueNativeKernel/CL_INVALID_VALUE/2"),
    "objects at NULL": (
        {**ONE, "args": None, "cb_args": 0},
        "clEnqueueNativeKernel/CL_INVALID_VALUE/2",
    ),
    "a block of no bytes": ({"args": BLOCK}, "clEnqueueNativeKernel/CL_INVALID_VALUE/3"),
    "objects without a list": ({**ONE, "mem_list": None}, "clEnqueueNativeKernel/CL_INVALID_VALUE/4"),
    "objects without their places": ({**ONE, "args_mem_loc": None}, "clEnqueueNativeKernel/CL_INVALID_VALUE/4"),
    "a list of no objects": (
        {**ONE, "num_mem_objects": 0, "args_mem_loc": None},
        "clEnqueueNativeKernel/CL_INVALID_VALUE/5",
    ),
    "places of no objects": (
        {**ONE, "num_mem_objects": 0, "mem_list": None},
        "clEnqueueNativeKernel/CL_INVALID_VALUE/5",
    ),
}


@pytest.fixture
def native(able: Session) -> Iterator[Kit]:
    """Yield a kit on a device that supports native kernels."""
    with able.example():
        made = Kit(able)
        device(made).facts["CL_DEVICE_EXECUTION_CAPABILITIES"] = 3
        yield made


@pytest.mark.parametrize("words", NATIVES)
def test_blocks_of_arguments(native: Kit, words: str) -> None:
    changed, must = NATIVES[words]
    given = {"command_queue": native.queue, "user_func": HostCallback("native"), "args": None, "cb_args": 0}
    given |= {"num_mem_objects": 0, "mem_list": None, "args_mem_loc": None}
    musts, mays = expected(native, NATIVE, {**given, **changed})
    given |= changed
    left_open = NEVER_SHOWN if given["args"] and given["cb_args"] else LACKING
    assert (musts, mays.removeprefix(NULL_LISTED).strip()) == (must, left_open)


def test_a_device_that_runs_kernels_only(native: Kit) -> None:
    arguments = native.valid_arguments(NATIVE)
    device(native).facts["CL_DEVICE_EXECUTION_CAPABILITIES"] = 1
    (held,) = native.cl.oracle.expect(Call(NATIVE, arguments)).musts
    assert held.clause.id == "clEnqueueNativeKernel/CL_INVALID_OPERATION/1"


def test_only_buffers_are_arguments_of_native_kernels(native: Kit) -> None:
    record = "clEnqueueNativeKernel/CL_INVALID_MEM_OBJECT/1"
    buffer = native.first_buffer
    things: dict[str, tuple[Handle | None, tuple[str, str]]] = {
        "a buffer": (buffer, ("", "")),
        "an image": (native.image(), (record, "")),
        "a region": (native.sub_buffer(buffer, 0, SIZE), ("", record)),
        "NULL": (None, ("", record)),
    }
    for thing, reply in things.values():
        musts, mays = expected(native, NATIVE, {**ONE, "mem_list": ElementList((thing,))})
        assert (musts, record in mays) == (reply[0], bool(reply[1]))
    listed = {**ONE, "mem_list": ElementList((buffer, native.image()))}
    assert expected(native, NATIVE, listed) == ("", NEVER_SHOWN)
