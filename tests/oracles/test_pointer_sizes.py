"""The oracle on machines with pointers of 4 and 8 bytes: sizes of arguments, wrapping offsets, lists and structures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Call
from clconform.calls.signature_check import ArgumentTypes
from clconform.calls.values import ElementList, Handle, HandleBytes, Pointers
from clconform.oracles.contents.storage import MemoryPlace, Storage, StorageView, defined_bytes
from clconform.oracles.engine.call_preconditions import find_short_argument
from clconform.oracles.engine.operands import structure_fields
from clconform.oracles.model.state import Model
from clconform.spec_tables import load
from clconform.spec_tables.lookups import TableLookups

from .kits import expect_changed_call, open_kit
from .oracle_setup import buffer_region

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit

SIZE_MAX = (1 << 32) - 1
SUB_BUFFER, READ_RECT, SET_ARGUMENT = "clCreateSubBuffer", "clEnqueueReadBufferRect", "clSetKernelArg"


@pytest.fixture
def kit() -> Iterator[Kit]:
    """Yield a kit on a platform whose pointers have 32 bits."""
    with open_kit("narrow") as narrow:
        yield narrow


@pytest.mark.parametrize(
    ("type_name", "sizes"),
    [
        ("size_t", (4, 8)),
        ("void*", (4, 8)),
        ("cl_mem", (4, 8)),
        ("cl_context_properties", (4, 8)),
        ("cl_device_partition_property", (4, 8)),
        ("cl_queue_properties", (8, 8)),
        ("cl_device_partition_property_ext", (8, 8)),
        ("cl_buffer_region", (8, 16)),
        ("cl_image_desc", (40, 72)),
        ("cl_name_version", (68, 68)),
    ],
)
def test_size_of_type_depends_on_machine(type_name: str, sizes: tuple[int, int]) -> None:
    found = tuple(TableLookups.for_tables(load(), width).size_of(type_name) for width in (4, 8))
    assert found == sizes


@pytest.mark.parametrize(
    ("size", "conditions"),
    [(4, ""), (8, f"{SET_ARGUMENT}/CL_INVALID_ARG_SIZE/1"), (2, f"{SET_ARGUMENT}/CL_INVALID_ARG_SIZE/1")],
)
def test_buffer_argument_has_the_size_of_a_handle(kit: Kit, size: int, conditions: str) -> None:
    kernel = kit.kernel("add_index")
    value = Pointers((kit.first_buffer, None))
    changed = {"kernel": kernel, "arg_index": 0, "arg_size": size, "arg_value": value}
    assert expect_changed_call(kit, SET_ARGUMENT, changed)[0] == conditions


def test_memory_of_a_handle_is_too_short_for_a_wider_one(kit: Kit) -> None:
    arguments = {"kernel": Handle("kernel1"), "arg_index": 0, "arg_size": 8, "arg_value": HandleBytes(Handle("mem1"))}
    assert find_short_argument(Call(SET_ARGUMENT, arguments), kit.cl.model) == "arg_value"
    assert find_short_argument(Call(SET_ARGUMENT, arguments), Model(load())) == ""


@pytest.mark.parametrize(
    ("origin", "must"),
    [((0, 1 << 27, 0), False), ((0, (1 << 27) - 1, 0), True), ((SIZE_MAX, 0, 0), True), ((0, 1 << 26, 0), True)],
    ids=str,
)
def test_offset_that_wraps_at_32_bits_may_be_rejected(kit: Kit, origin: tuple[int, ...], *, must: bool) -> None:
    changed = {"buffer_origin": ElementList(origin), "buffer_row_pitch": 32, "buffer_slice_pitch": 0}
    musts, mays = expect_changed_call(kit, READ_RECT, changed)
    condition = f"{READ_RECT}/CL_INVALID_VALUE/2"
    assert (condition in musts, condition in mays) == (must, not must)


@pytest.mark.parametrize(
    ("origin", "size", "conditions"),
    [(0, 4096, ""), (0, 4097, f"{SUB_BUFFER}/CL_INVALID_VALUE/5"), (0, SIZE_MAX, f"{SUB_BUFFER}/CL_INVALID_VALUE/5")],
)
def test_region_of_sub_buffer_has_fields_of_size_t(kit: Kit, origin: int, size: int, conditions: str) -> None:
    changed = {"buffer_create_info": buffer_region(origin, size, 4)}
    assert expect_changed_call(kit, SUB_BUFFER, changed)[0] == conditions
    call = Call(SUB_BUFFER, kit.valid_arguments(SUB_BUFFER, **changed))
    assert structure_fields(call, kit.cl.model)["buffer_create_info->size"] == size


@pytest.mark.parametrize(
    ("function", "changed", "fits"),
    [
        ("clCreateBuffer", {"size": SIZE_MAX}, True),
        ("clCreateBuffer", {"size": SIZE_MAX + 1}, False),
        ("clCreateBuffer", {"size": -1}, False),
        ("clCreateBuffer", {"flags": 1 << 63}, True),
        (READ_RECT, {"region": ElementList((1, 1, SIZE_MAX))}, True),
        (READ_RECT, {"region": ElementList((1, 1, SIZE_MAX + 1))}, False),
        ("clCreateContext", {"properties": ElementList((0x1084, -(1 << 31), 0))}, True),
        ("clCreateContext", {"properties": ElementList((0x1084, 1 << 32, 0))}, False),
    ],
)
def test_numbers_that_do_not_fit_the_machine_are_refused(
    kit: Kit, function: str, changed: dict[str, ElementList | int], *, fits: bool
) -> None:
    call = Call(function, kit.valid_arguments(function, **changed))
    assert (ArgumentTypes(load(), 4).find_mismatch(call) == "") is fits


@pytest.mark.parametrize("width", [4, 8])
def test_addresses_in_memory_have_the_size_of_a_pointer(width: int) -> None:
    storage = Storage(32)
    storage.write(((0, 32),), defined_bytes(bytes(32)))
    view = StorageView(storage, 0, 32)
    whole = MemoryPlace(storage, view.to_storage_spans(((0, 2 * width),)))
    whole.write_addresses(Pointers((Handle("pointer1"), Handle("pointer2"))), width, "")
    assert storage.pointers == {0: Handle("pointer1"), width: Handle("pointer2")}
    storage.write(((width, 1),), defined_bytes(b"x"))
    assert storage.pointers == {0: Handle("pointer1")}
    assert MemoryPlace(storage, ((0, width),)).read_address() == Handle("pointer1")
