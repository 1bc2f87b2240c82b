"""Error conditions that exist only from revision 3.1.0 on, violated and not violated on simulated platforms of 3.1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.values import ElementList, OutputBuffer
from clconform.spec_tables import load, loading
from clconform.spec_tables.requirements import ErrorCondition
from clconform.suites.errors.variation_collection import collect_variations

from .kits import open_kit
from .oracle_setup import get_condition_ids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit

NEWER = (
    "clSetKernelArg/CL_INVALID_MEM_OBJECT/6",
    "clSetKernelArg/CL_INVALID_CONTEXT/1",
    "clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/6",
    "clCompileProgram/CL_INVALID_CONTEXT/1",
    "clLinkProgram/CL_INVALID_CONTEXT/2",
    "clEnqueueSVMMigrateMem/CL_INVALID_VALUE/5",
    "clEnqueueMapImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/3",
    "clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2",
    "clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3",
    "clEnqueueCommandBufferKHR/CL_INVALID_DEVICE/1",
    "clCommandNDRangeKernelKHR/CL_INVALID_KERNEL_ARGS/1",
    "clGetKernelSubGroupInfoKHR/CL_INVALID_DEVICE/1",
    "clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/1",
    "clGetKernelSubGroupInfoKHR/CL_INVALID_VALUE/2",
)
DEMANDING = (
    "clEnqueueMapImage/CL_INVALID_MIP_LEVEL/1",
    "clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/2",
    "clEnqueueCommandBufferKHR/CL_INCOMPATIBLE_COMMAND_QUEUE_KHR/3",
)
"""Conditions that need mip levels, or queues that devices do not support."""


@pytest.fixture(scope="module")
def tables_3_1() -> Iterator[None]:
    """Select the tables of revision 3.1.1."""
    loading.select_folder(loading.REVISIONS / "3.1.1")
    yield
    loading.select_folder(loading.DATA)


@pytest.fixture
def kit(tables_3_1: None, record: str) -> Iterator[Kit]:
    """Return a kit on a platform of 3.1."""
    del tables_3_1
    with open_kit("demanding-3.1" if record in DEMANDING else "everything-3.1") as made:
        yield made


def find_conditions(kit: Kit, requirement: str, test_value: str) -> tuple[set[str], set[str]]:
    """Return the conditions that must and may hold for the valid call, changed to a test value if one is given."""
    function = requirement.partition("/")[0]
    given = kit.valid_arguments(function)
    clause = load().requirements[requirement]
    assert isinstance(clause, ErrorCondition)
    variation = next(
        (each for each in collect_variations().violating_variations(clause, load()) if each.test_value == test_value),
        None,
    )
    assert variation is not None or not test_value
    changed = {**given, **variation.changes_for(kit, given)} if variation is not None else given
    musts, mays = get_condition_ids(kit.cl.oracle.expect(Call(function, changed)))
    return set(musts.split()), set(mays.split())


@pytest.mark.parametrize("record", NEWER)
def test_each_variation_violates_its_condition(kit: Kit, record: str) -> None:
    """Another revision or an interpretation may make a test value unspecified. At least one must be a violation."""
    assert record not in find_conditions(kit, record, "")[0]
    found = []
    for each in collect_variations().variations_for(record):
        try:
            musts, mays = find_conditions(kit, record, each.test_value)
        except pytest.skip.Exception:
            continue
        assert record in musts | mays, each.test_value
        found.append(record in musts)
    assert any(found)


@pytest.mark.parametrize("record", ["clGetKernelWorkGroupInfo/CL_INVALID_VALUE/3"])
def test_global_work_size_query_of_source_kernel_is_rejected(kit: Kit, record: str) -> None:
    """Queries have no variations. The query suites cover them."""
    size = 24
    for name, breaks in (("CL_KERNEL_GLOBAL_WORK_SIZE", True), ("CL_KERNEL_COMPILE_WORK_GROUP_SIZE", False)):
        asked = {
            "kernel": kit.kernel("add_index"),
            "device": kit.cl.device,
            "param_name": kit.constant(name),
            "param_value_size": size,
            "param_value": OutputBuffer(size),
            "param_value_size_ret": OutputBuffer(1),
        }
        musts, _ = get_condition_ids(kit.cl.oracle.expect(Call("clGetKernelWorkGroupInfo", asked)))
        assert (record in musts.split()) == breaks


NARROWED = (
    ("clEnqueueNDRangeKernel/CL_INVALID_WORK_DIMENSION/2", "work_dim=0", "work_dim=most+1"),
    ("clGetKernelSuggestedLocalWorkSizeKHR/CL_INVALID_WORK_DIMENSION/2", "work_dim=0", "work_dim=most+1"),
    ("clUpdateMutableCommandsKHR/CL_INVALID_OPERATION/10", "work_dim=0", "work_dim=2"),
)
"""A condition, a test value that only its older wording rejects, and one that both wordings reject."""


@pytest.mark.parametrize(("record", "older", "both"), NARROWED)
def test_values_that_only_older_wording_rejects_need_not_be_rejected(
    kit: Kit, record: str, older: str, both: str
) -> None:
    assert record not in find_conditions(kit, record, older)[0]
    assert record in find_conditions(kit, record, both)[0]


@pytest.mark.parametrize("record", ["clCommandNDRangeKernelKHR/CL_INVALID_KERNEL_ARGS/1"])
def test_recording_with_unset_arguments_is_rejected_unless_updatable(kit: Kit, record: str) -> None:
    """The property list states which arguments are updatable. Without the property, the device's capabilities do."""
    fields = "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR"
    given = {**kit.valid_arguments("clCommandNDRangeKernelKHR"), "kernel": kit.kernel("add_index")}
    found = []
    for properties in (
        kit.property_list(fields, "CL_MUTABLE_DISPATCH_ARGUMENTS_KHR"),
        None,
        kit.property_list(fields, 0),
    ):
        asked = kit.cl.oracle.expect(Call("clCommandNDRangeKernelKHR", {**given, "properties": properties}))
        musts, mays = get_condition_ids(asked)
        found.append("must" if record in musts.split() else "may" if record in mays.split() else "no")
    assert found == ["no", "may", "must"]


@pytest.mark.parametrize("record", ["clEnqueueCommandBufferKHR/CL_INVALID_OPERATION/3"])
def test_enqueue_of_command_buffer_with_unset_arguments_is_rejected(kit: Kit, record: str) -> None:
    arguments = "CL_MUTABLE_DISPATCH_ARGUMENTS_KHR"
    listed = kit.property_list("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", arguments)
    for kernel, breaks in (
        (kit.valid_arguments("clCommandNDRangeKernelKHR")["kernel"], False),
        (kit.kernel("add_index"), True),
    ):
        buffer = kit.command_buffer()
        kit.call("clCommandNDRangeKernelKHR", command_buffer=buffer, kernel=kernel, properties=listed)
        kit.cl.clFinalizeCommandBufferKHR(buffer)
        given = {**kit.valid_arguments("clEnqueueCommandBufferKHR"), "command_buffer": buffer}
        musts, _ = get_condition_ids(kit.cl.oracle.expect(Call("clEnqueueCommandBufferKHR", given)))
        assert (record in musts.split()) == breaks


@pytest.mark.parametrize("record", ["clEnqueueNDRangeKernel/CL_INVALID_GLOBAL_OFFSET/3"])
def test_kernel_enqueue_with_wrapping_offset_is_rejected_from_1_1(kit: Kit, record: str) -> None:
    """Any offset is an error only before 1.1. An offset that wraps around is an error in later versions, too."""
    function = record.partition("/")[0]
    for offset, breaks in ((0, False), ((1 << 64) - 1, True)):
        given = {**kit.valid_arguments(function), "work_dim": 1, "global_work_offset": ElementList((offset,))}
        musts, _ = get_condition_ids(
            kit.cl.oracle.expect(Call(function, {**given, "global_work_size": ElementList((16,))}))
        )
        assert (record in musts.split()) == breaks


@pytest.mark.parametrize("record", ["clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/6"])
def test_kernel_enqueue_with_work_group_size_zero_is_rejected(kit: Kit, record: str) -> None:
    """A size of 0 does not divide the range, which alone would make the call undefined."""
    function = record.partition("/")[0]
    sizes = {"work_dim": 1, "global_work_size": ElementList((15,)), "local_work_size": ElementList((0,))}
    musts, _ = get_condition_ids(kit.cl.oracle.expect(Call(function, {**kit.valid_arguments(function), **sizes})))
    assert record in musts.split()


@pytest.mark.parametrize("record", ["clGetKernelSubGroupInfoKHR/CL_INVALID_OPERATION/1"])
def test_sub_group_query_for_device_without_sub_groups_is_rejected(kit: Kit, record: str) -> None:
    function = record.partition("/")[0]
    given = kit.valid_arguments(function)
    device = kit.cl.oracle.model.device(kit.cl.device)
    for number, breaks in ((8, False), (0, True)):
        device.facts["CL_DEVICE_MAX_NUM_SUB_GROUPS"] = number
        musts, _ = get_condition_ids(kit.cl.oracle.expect(Call(function, given)))
        assert (record in musts.split()) == breaks


@pytest.mark.parametrize("record", ["clSetKernelExecInfo/CL_INVALID_OPERATION/3"])
def test_exec_info_with_svm_pointers_is_rejected_without_svm_support(kit: Kit, record: str) -> None:
    """For further values of param_name, the error is a separate condition or was removed."""
    function = record.partition("/")[0]
    given = {**kit.valid_arguments(function), "param_value_size": 0, "param_value": None}
    device = kit.cl.oracle.model.device(kit.cl.device)
    device.facts["CL_DEVICE_SVM_CAPABILITIES"] = 0
    for name, breaks in (("CL_KERNEL_EXEC_INFO_SVM_PTRS", True), ("CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM", False)):
        musts, _ = get_condition_ids(kit.cl.oracle.expect(Call(function, {**given, "param_name": kit.constant(name)})))
        assert (record in musts.split()) == breaks
