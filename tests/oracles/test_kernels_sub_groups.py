"""Allowed values of sub-group queries, written from section 5.9.4."""

from __future__ import annotations

import shutil
import struct
import subprocess
from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.programs import IlProgram, SourceProgram
from clconform.oracles.model.queues import HostQueue
from clconform.oracles.model.spirv import SUB_GROUP_MODULES, SUB_GROUPS_KERNEL

from .oracle_setup import OracleSetup, get_verdict

if TYPE_CHECKING:
    from pathlib import Path

SIZE, COUNT = (f"CL_KERNEL_{name}_FOR_NDRANGE" for name in ("MAX_SUB_GROUP_SIZE", "SUB_GROUP_COUNT"))
LOCAL, COMPILED = "CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT", "CL_KERNEL_COMPILE_NUM_SUB_GROUPS"


def create_world() -> OracleSetup:
    there = OracleSetup()
    there.roots[0].facts |= {"CL_DEVICE_MAX_NUM_SUB_GROUPS": 8, "CL_DEVICE_MAX_WORK_GROUP_SIZE": 256}
    context = Context("context1", devices=there.roots)
    program = SourceProgram("program1", context=context, devices=there.roots, kernels=("add_index",))
    for thing in (context, program, Kernel("kernel1", context=context, program=program, function="add_index")):
        there.model.add(thing)
    return there


def judge_query(there: OracleSetup, query: str, numbers: tuple[int, ...], *answer: int) -> list[str]:
    """Return the requirements that the value of a query violates."""
    content, room = struct.pack(f"@{len(numbers)}N", *numbers), 8 * len(answer)
    given = (len(content), Data(content) if content else None)
    asked = (Handle("kernel1"), there.device, there.value(query), *given, room, OutputBuffer(room), OutputBuffer(1))
    outputs = {"param_value": Output(list(answer), room), "param_value_size_ret": Output([room], 8)}
    judgement = there.oracle.judge(there.expect("clGetKernelSubGroupInfo", *asked), Returned(0, outputs))
    return sorted({requirement for deviation in judgement.deviations for requirement in deviation.requirements})


@pytest.mark.parametrize(
    ("local", "size", "count", "fits"),
    [
        ((16,), 16, 1, True),
        ((16,), 32, 1, True),
        ((16,), 8, 2, True),
        ((16,), 8, 1, False),
        ((16,), 5, 4, True),
        ((16,), 16, 17, False),
        ((16, 4, 2), 16, 8, True),
        ((16, 4, 2), 16, 1, False),
        ((4, 2, 2), 8, 4, True),
        ((9,), 16, 7, False),
    ],
)
@pytest.mark.parametrize("counts_first", [False, True])
def test_sub_group_count_must_match_the_reported_sub_group_size(
    local: tuple[int, ...],
    size: int,
    count: int,
    fits: bool,  # noqa: FBT001
    counts_first: bool,  # noqa: FBT001
) -> None:
    there = create_world()
    asked = [(COUNT, count), (SIZE, size)] if counts_first else [(SIZE, size), (COUNT, count)]
    told = [requirement for query, answer in asked for requirement in judge_query(there, query, local, answer)]
    assert bool(told) != fits


@pytest.mark.parametrize(
    ("wanted", "answer", "is_wrong"),
    [
        (1, (32, 1, 1), False),
        (1, (32,), False),
        (2, (0, 0, 0), False),
        (1, (32, 0, 0), True),
        (1, (8, 4, 1), True),
        (257, (0, 0, 0), False),
        (257, (256, 1, 1), True),
    ],
)
def test_local_size_for_sub_group_count_must_be_one_dimensional(
    wanted: int,
    answer: tuple[int, ...],
    is_wrong: bool,  # noqa: FBT001
) -> None:
    assert judge_query(create_world(), LOCAL, (wanted,), *answer) == ([LOCAL] if is_wrong else [])


@pytest.mark.parametrize(("answer", "is_wrong"), [(0, False), (1, True)])
def test_compile_num_sub_groups_must_be_zero_without_attribute(answer: int, is_wrong: bool) -> None:  # noqa: FBT001
    assert judge_query(create_world(), COMPILED, (), answer) == ([COMPILED] if is_wrong else [])


def create_sub_groups_world() -> OracleSetup:
    """Return a setup with a queue and a kernel of the module. The kernel requires two sub-groups."""
    there = OracleSetup()
    context = Context("context1", devices=there.roots)
    program = IlProgram("program1", context=context, devices=there.roots, kernels=(SUB_GROUPS_KERNEL,))
    kernel = Kernel("kernel1", context=context, program=program, function=SUB_GROUPS_KERNEL)
    for thing in (context, program, kernel, HostQueue("queue1", context=context, queue_device=there.roots[0])):
        there.model.add(thing)
    return there


def test_compile_num_sub_groups_must_equal_the_number_in_the_module() -> None:
    for answer, requirements in ((2, []), (0, [COMPILED]), (1, [COMPILED])):
        assert judge_query(create_sub_groups_world(), COMPILED, (), answer) == requirements


@pytest.mark.parametrize(
    ("local", "holds"),
    [(None, (False, False)), ((1,), (True, False)), ((1, 1, 1), (True, False)), ((2,), (False, True))],
)
def test_enqueue_with_too_few_work_items_for_sub_groups_is_rejected(
    local: tuple[int, ...] | None, holds: tuple[bool, bool]
) -> None:
    sizes = local or (4,)
    given = {
        "command_queue": Handle("queue1"),
        "kernel": Handle("kernel1"),
        "work_dim": len(sizes),
        "global_work_offset": None,
        "global_work_size": ElementList(tuple(4 * size for size in sizes)),
        "local_work_size": ElementList(local) if local is not None else None,
        "num_events_in_wait_list": 0,
        "event_wait_list": None,
        "event": None,
    }
    must, may = get_verdict(create_sub_groups_world(), "clEnqueueNDRangeKernel", **given)
    assert tuple("clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE/2" in each for each in (must, may)) == holds


@pytest.mark.skipif(shutil.which("spirv-val") is None, reason="spirv-val is not installed")
@pytest.mark.parametrize("form", SUB_GROUP_MODULES)
def test_sub_group_module_is_valid_by_spirv_val(form: tuple[str, int], tmp_path: Path) -> None:
    file = tmp_path / "module.spv"
    file.write_bytes(SUB_GROUP_MODULES[form])
    subprocess.run(["spirv-val", "--target-env", f"spv{form[0].partition('_')[2]}", str(file)], check=True)  # noqa: S607
