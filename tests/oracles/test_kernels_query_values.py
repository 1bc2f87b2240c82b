"""Values of kernel and argument queries, and arguments stored by echo kernels (sections 5.9.2 and 5.9.4)."""

from __future__ import annotations

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import Data, Handle, HandleBytes, OutputBuffer, Pointers
from clconform.oracles.chapters.kernels.argument_echo import argument_echo_effect
from clconform.oracles.contents.storage import Storage, StorageView, defined_bytes
from clconform.oracles.model.argument_kernels import ARGUMENT_KERNELS
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.kernels import Kernel, KernelArgument
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.programs import BinaryProgram, SourceProgram

from .oracle_setup import OracleSetup

KERNEL = Handle("kernel1")
NAMES = ("add_alone", "add_hinted", "add_scaled", "qualified", "read_image2d_ui", "tell_memory", "tell_values")


def create_world(function: str, *, binary: bool = False) -> OracleSetup:
    """Return a kernel of a program from source or a binary. Its argument information is kept."""
    there = OracleSetup(version="3.0", extensions="")
    context = Context("context1", devices=there.roots)
    kind = BinaryProgram if binary else SourceProgram
    program = kind("program1", context=context, devices=there.roots, built_devices=list(there.roots))
    program.kernels = () if binary else NAMES
    kernel = Kernel(KERNEL.name, context=context, program=program, function=function, argument_info=True)
    for thing in (context, program, kernel):
        there.model.add(thing)
    return there


def judge_query(there: OracleSetup, function: str, *asked: object, answer: int | str) -> list[str]:
    """Return the requirements that the value of a query violates."""
    text = isinstance(answer, str)
    size = (
        len(answer) + 1 if isinstance(answer, str) else 8 if "WorkGroup" in function or asked[-1] == QUALIFIERS else 4
    )
    query = there.value(str(asked[-1]))
    expected = there.expect(function, KERNEL, *asked[:-1], query, size, OutputBuffer(size), OutputBuffer(1))
    value = Output([f"{answer}\0"], size, f"{answer}\0".encode()) if text else Output([answer], size)
    returned = Returned(0, {"param_value": value, "param_value_size_ret": Output([size], 8)})
    judgement = there.oracle.judge(expected, returned)
    return [requirement for deviation in judgement.deviations for requirement in deviation.requirements]


QUALIFIERS, ADDRESS_SPACE, TYPE = (
    f"CL_KERNEL_ARG_{name}" for name in ("TYPE_QUALIFIER", "ADDRESS_QUALIFIER", "TYPE_NAME")
)


@pytest.mark.parametrize(
    ("index", "query", "right", "others"),
    [
        (1, QUALIFIERS, "CL_KERNEL_ARG_TYPE_CONST", ["CL_KERNEL_ARG_TYPE_NONE"]),
        (2, QUALIFIERS, "CL_KERNEL_ARG_TYPE_NONE", ["CL_KERNEL_ARG_TYPE_CONST"]),
        (3, QUALIFIERS, "CL_KERNEL_ARG_TYPE_VOLATILE", ["CL_KERNEL_ARG_TYPE_NONE"]),
        (4, QUALIFIERS, "CL_KERNEL_ARG_TYPE_NONE", ["CL_KERNEL_ARG_TYPE_VOLATILE"]),
        (5, QUALIFIERS, "CL_KERNEL_ARG_TYPE_CONST", ["CL_KERNEL_ARG_TYPE_NONE"]),
        (6, QUALIFIERS, "CL_KERNEL_ARG_TYPE_RESTRICT", ["CL_KERNEL_ARG_TYPE_NONE"]),
        (7, QUALIFIERS, "CL_KERNEL_ARG_TYPE_NONE", ["CL_KERNEL_ARG_TYPE_CONST"]),
        (5, ADDRESS_SPACE, "CL_KERNEL_ARG_ADDRESS_CONSTANT", ["CL_KERNEL_ARG_ADDRESS_GLOBAL"]),
        (7, ADDRESS_SPACE, "CL_KERNEL_ARG_ADDRESS_PRIVATE", ["CL_KERNEL_ARG_ADDRESS_GLOBAL"]),
    ],
)
def test_argument_qualifiers_that_differ_from_the_declaration_deviate(
    index: int, query: str, right: str, others: list[str]
) -> None:
    there = create_world("qualified")
    assert judge_query(create_world("qualified"), "clGetKernelArgInfo", index, query, answer=there.value(right)) == []
    for other in others:
        assert judge_query(
            create_world("qualified"), "clGetKernelArgInfo", index, query, answer=there.value(other)
        ) == [query]


@pytest.mark.parametrize(
    ("index", "right", "other"),
    [(1, "uint*", "const uint*"), (6, "float4*", "float4 *"), (8, "uchar", "unsigned char"), (11, "ulong", "unsigned")],
)
def test_argument_type_name_that_differs_from_the_declaration_deviates(index: int, right: str, other: str) -> None:
    assert judge_query(create_world("qualified"), "clGetKernelArgInfo", index, TYPE, answer=right) == []
    assert judge_query(create_world("qualified"), "clGetKernelArgInfo", index, TYPE, answer=other) == [TYPE]


@pytest.mark.parametrize(
    ("place", "is_wrong"), [("GLOBAL", False), ("PRIVATE", False), ("CONSTANT", True), ("LOCAL", True)]
)
def test_image_argument_may_report_global_or_private_address_space(place: str, is_wrong: bool) -> None:  # noqa: FBT001
    there = create_world("read_image2d_ui")
    answer = there.value(f"CL_KERNEL_ARG_ADDRESS_{place}")
    assert judge_query(there, "clGetKernelArgInfo", 0, ADDRESS_SPACE, answer=answer) == (
        [ADDRESS_SPACE] if is_wrong else []
    )


@pytest.mark.parametrize(
    ("binary", "answer", "is_wrong"),
    [
        (False, "reqd_work_group_size(4,1,1) vec_type_hint(uint)", False),
        (False, "vec_type_hint(uint) reqd_work_group_size(4, 1, 1)", False),
        (False, "reqd_work_group_size(4,1,1)vec_type_hint(uint)", True),
        (False, "reqd_work_group_size(4,1,1)\nvec_type_hint(uint)", True),
        (False, "reqd_work_group_size(4,1,1)", True),
        (False, "", True),
        (True, "", False),
        (True, "reqd_work_group_size(4,1,1)", True),
    ],
)
def test_kernel_attributes_that_differ_from_the_source_deviate(binary: bool, answer: str, is_wrong: bool) -> None:  # noqa: FBT001
    told = judge_query(
        create_world("add_scaled", binary=binary), "clGetKernelInfo", "CL_KERNEL_ATTRIBUTES", answer=answer
    )
    assert told == (["CL_KERNEL_ATTRIBUTES"] if is_wrong else [])


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("add_hinted", "work_group_size_hint(4, 1, 1)"),
        ("add_alone", "reqd_work_group_size(1,1,1)"),
        ("tell_memory", ""),
    ],
)
def test_kernel_attributes_with_another_work_group_size_deviate(name: str, right: str) -> None:
    others = {"work_group_size_hint(4,1,1)", "reqd_work_group_size(1,1,1)", "reqd_work_group_size(4,1,1)", ""}
    query = "CL_KERNEL_ATTRIBUTES"
    assert judge_query(create_world(name), "clGetKernelInfo", query, answer=right) == []
    for other in others - {right.replace(", ", ",")}:
        told = judge_query(create_world(name), "clGetKernelInfo", query, answer=other)
        assert told == ([query] if name != "tell_memory" else [])


@pytest.mark.parametrize(
    ("given", "answer", "is_wrong"), [(64, 64, False), (64, 80, False), (64, 0, True), (0, 0, False)]
)
def test_reported_local_memory_below_the_set_arguments_deviates(given: int, answer: int, is_wrong: bool) -> None:  # noqa: FBT001
    there = create_world("tell_memory")
    kernel = there.model.get(Kernel, KERNEL)
    if given:
        kernel.arguments[3] = KernelArgument(None, given)
    query = "CL_KERNEL_LOCAL_MEM_SIZE"
    told = judge_query(there, "clGetKernelWorkGroupInfo", there.device, query, answer=answer)
    assert told == ([query] if is_wrong else [])


def test_local_memory_query_may_change_after_an_argument_is_set() -> None:
    there = create_world("tell_memory")
    query = "CL_KERNEL_LOCAL_MEM_SIZE"
    assert judge_query(there, "clGetKernelWorkGroupInfo", there.device, query, answer=0) == []
    there.oracle.judge(there.expect("clSetKernelArg", KERNEL, 3, 64, None), Returned(0))
    assert judge_query(there, "clGetKernelWorkGroupInfo", there.device, query, answer=64) == []


def create_buffer(name: str, content: bytes) -> Buffer:
    """Return a buffer that holds these bytes."""
    storage = Storage(len(content))
    storage.write(((0, len(content)),), defined_bytes(content))
    return Buffer(name, size=len(content), memory=StorageView(storage, 0, len(content)))


@pytest.mark.parametrize(
    ("other", "fixed", "stored"),
    [
        (HandleBytes(Handle("mem2")), HandleBytes(Handle("mem3")), (0x01010101, 0x02020202, 7)),
        (None, HandleBytes(Handle("mem3")), (0x4E554C4C, 0x02020202, 7)),
        (HandleBytes(Handle("mem2")), Pointers((None,)), (0x01010101, 0x4E554C4C, 7)),
    ],
    ids=str,
)
def test_echo_kernel_stores_its_memory_arguments(
    other: HandleBytes | None, fixed: HandleBytes | Pointers, stored: tuple[int, ...]
) -> None:
    there = create_world("tell_memory")
    kernel = there.model.get(Kernel, KERNEL)
    target, one, two = (
        create_buffer("mem1", bytes(64)),
        create_buffer("mem2", b"\1" * 64),
        create_buffer("mem3", b"\2" * 64),
    )
    kernel.arguments = {
        0: KernelArgument(HandleBytes(Handle("mem1")), 8, object=target),
        1: KernelArgument(other, 8, object=one if other is not None else None),
        2: KernelArgument(fixed, 8, object=two if isinstance(fixed, HandleBytes) else None),
        3: KernelArgument(None, 64),
        4: KernelArgument(Data((7).to_bytes(4, "little")), 4),
    }
    effect = argument_echo_effect(kernel, ARGUMENT_KERNELS["tell_memory"], "the record")
    effect.apply(None, None)
    assert target.memory is not None
    held = target.memory.storage.read(((0, 12),))
    assert all(held.defined)
    assert held.bytes_held == b"".join(word.to_bytes(4, "little") for word in stored)


def test_echo_kernel_stores_its_value_arguments() -> None:
    there = create_world("tell_values")
    kernel, target = there.model.get(Kernel, KERNEL), create_buffer("mem1", bytes(256))
    sizes = (1, 2, 4, 8, 4, 2, 16, 16, 64, 12)
    values = [bytes([index]) + bytes(range(100, 99 + size)) for index, size in enumerate(sizes, 1)]
    kernel.arguments = {index: KernelArgument(Data(value), len(value)) for index, value in enumerate(values, 1)}
    kernel.arguments[0] = KernelArgument(HandleBytes(Handle("mem1")), 8, object=target)
    argument_echo_effect(kernel, ARGUMENT_KERNELS["tell_values"], "the record").apply(None, None)
    assert target.memory is not None
    words = target.memory.storage.read(((0, 136),)).bytes_held
    wanted = [values[0], values[1], values[2], values[3], values[4], values[5][:1], values[5][1:], values[6][:12]]
    wanted += [values[7], values[8], values[9][:4], values[9][4:5], values[9][8:]]
    assert words == b"".join(each.ljust(-(-len(each) // 4) * 4, b"\0") for each in wanted)
