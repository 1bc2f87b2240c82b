"""Kernels with USM: invalid and valid variations of the calls."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, OffsetPointer, Pointers
from clconform.oracles.chapters.kernels.execution_info import INDIRECT, SYSTEM
from clconform.oracles.contents.usm import DEVICE, TYPES
from clconform.suites.chapters.usm.negative_cases import UNKNOWN_NAME
from clconform.suites.chapters.usm.valid_calls import ARGUMENTS
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import require_handle, skip_unless
from clconform.suites.kit.memory import MAX_TYPE_BYTES, SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

TRUE, FALSE = (Data(struct.pack("I", truth)) for truth in (1, 0))
INVALID_BOOLEANS = (0x10000, 0x20000)
"""Numbers that are neither CL_TRUE nor CL_FALSE; only their third byte differs from CL_FALSE."""
PARTIAL_SIZES = (1, 4, 7)
"""Sizes in bytes of parts of a pointer; where a pointer has 4 bytes, this size is skipped."""
LIST_LENGTHS = (2, 3, 17)
"""Lengths of pointer lists."""
variations = VariationRegistry()

# clSetKernelArgMemPointerINTEL


@variations.declare("clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_INDEX/1")
def invalid_indices() -> Iterator[Variation]:
    """Yield indices past the arguments of the kernel."""
    yield Variation("arg_index=number", {"arg_index": len(ARGUMENTS)})
    yield Variation("arg_index=largest", {"arg_index": 0xFFFFFFFF})


@variations.declare("clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_VALUE/1")
def invalid_arguments() -> Iterator[Variation]:
    """Yield addresses outside the context's allocations, and indices of arguments that are not global pointers."""
    yield Variation("the end of an allocation", bind_values(_with_address, SIZE))
    for name in ("shared", "offset"):
        yield Variation(f"a pointer as {name}", {"arg_index": ARGUMENTS[name]})
        yield Variation(f"NULL as {name}", {"arg_index": ARGUMENTS[name], "arg_value": None})
    yield Variation("system memory", lambda kit, _given: {"arg_value": _allocate_system_memory(kit)})
    yield Variation("of another context", lambda kit, _given: {"arg_value": kit.foreign.usm()})


@variations.declare("clSetKernelArgMemPointerINTEL/success")
def valid_arguments() -> Iterator[Variation]:
    """Yield NULL, and addresses in USM of each type."""
    yield Variation("arg_value=NULL", {"arg_value": None})
    yield Variation("to constant memory", {"arg_index": ARGUMENTS["scale"]})
    for memory_type in TYPES:
        yield Variation(memory_type, bind_values(_with_address, 0, memory_type))
    for offset in (1, 4, SIZE - 1):
        yield Variation(f"at offset {offset} of an allocation", bind_values(_with_address, offset))


def _with_address(kit: Kit, _given: Arguments, offset: int, *memory_types: str) -> dict[str, Value]:
    """Return an address in an allocation of the first supported type among ``memory_types``."""
    memory = kit.usm(*memory_types)
    return {"arg_value": OffsetPointer(memory, offset) if offset else memory}


def _allocate_system_memory(kit: Kit) -> Handle:
    return require_handle(kit.cl.host_allocate(SIZE, MAX_TYPE_BYTES))


# clSetKernelExecInfo


@variations.declare("clSetKernelExecInfo/CL_INVALID_VALUE/1")
def invalid_values() -> Iterator[Variation]:
    """Yield values with an invalid size or content, and unknown names.

    Some values are lists with addresses outside the context's allocations.
    """
    for name, memory_type in ((name, kind.title) for name, kind in INDIRECT.items()):
        yield Variation(f"{memory_type}, NULL", bind_values(_with_info, name, 4, None))
        for size in (0, 1, 3):
            yield Variation(f"{memory_type}, {size} bytes", bind_values(_with_info, name, size, TRUE))
        yield Variation(f"{memory_type}, 5 bytes", bind_values(_with_info, name, 5, Data(bytes(5))))
    yield Variation("pointers, NULL", {"param_value": None})
    for size in PARTIAL_SIZES:
        yield Variation(f"pointers, {size} bytes", bind_values(_with_size, size))
    for count in LIST_LENGTHS:
        for less in PARTIAL_SIZES:
            yield Variation(f"{count} pointers less {less} bytes", bind_values(_with_partial_pointer, count, less))
        yield Variation(f"{count} pointers, NULL", bind_values(_with_null_list, count))
    for number in INVALID_BOOLEANS:
        yield Variation(
            f"system memory, {number:#x}", bind_values(_with_info, SYSTEM, 4, Data(struct.pack("I", number)))
        )
    yield Variation("a list of NULL", bind_values(_with_pointer_list, (None,)))
    yield Variation("a list of a pointer and NULL", bind_values(_with_pointer_list, (0, None)))
    yield Variation("a list of an inner pointer", bind_values(_with_pointer_list, (MAX_TYPE_BYTES,)))
    yield Variation(
        "a list with system memory", lambda kit, _given: {"param_value": Pointers((_allocate_system_memory(kit),))}
    )
    yield Variation("a list with memory of another context", _with_pointer_of_another_context)
    for number in (UNKNOWN_NAME, 0xFFFFFFFF):
        yield Variation(f"param_name={number:#x}", {"param_name": number})


@variations.declare("clSetKernelExecInfo/CL_INVALID_OPERATION/1")
def values_without_svm_or_usm() -> Iterator[Variation]:
    """Yield values that require SVM or USM support of the device."""
    yield Variation("system memory disallowed", bind_values(_with_info, SYSTEM, 4, FALSE))
    for name in INDIRECT:
        yield Variation(name, bind_values(_with_info, name, 4, TRUE))


@variations.declare("clSetKernelExecInfo/CL_INVALID_OPERATION/2")
def unsupported_values() -> Iterator[Variation]:
    """Yield access to all host memory, which the device may not support."""
    yield Variation("all system memory", _with_all_system_memory)


@variations.declare("clSetKernelExecInfo/success")
def valid_values() -> Iterator[Variation]:
    """Yield CL_TRUE and CL_FALSE for each type of USM, and lists of pointers."""
    for name, memory_type in ((name, kind.title) for name, kind in INDIRECT.items()):
        yield Variation(f"may reach {memory_type}", bind_values(_with_info, name, 4, TRUE))
        yield Variation(f"may not reach {memory_type}", bind_values(_with_info, name, 4, FALSE))
    yield Variation("num_pointers=0", {"param_value_size": 0, "param_value": None})
    for count in LIST_LENGTHS:
        yield Variation(f"{count} pointers", bind_values(_with_pointer_list, (0,) * count))
    yield Variation(
        "the first of two pointers", lambda kit, given: _with_pointer_list(kit, given, (0, 0), kit.pointer_bytes)
    )


def _with_info(kit: Kit, _given: Arguments, name: str, size: int, value: Value) -> dict[str, Value]:
    return {"param_name": kit.constant(name), "param_value_size": size, "param_value": value}


def _with_pointer_list(
    kit: Kit, _given: Arguments, offsets: tuple[int | None, ...], size: int | None = None
) -> dict[str, Value]:
    """Return a list of pointers to new allocations.

    ``offsets``: the offset of each pointer in its allocation; None stands for a NULL pointer. ``size``:
    param_value_size, by default the size of the list.
    """
    pointers = Pointers(tuple(None if offset is None else _create_pointer(kit, offset) for offset in offsets))
    whole = kit.pointer_bytes * len(offsets)
    return {"param_value": pointers, "param_value_size": whole if size is None else size}


def _with_size(kit: Kit, _given: Arguments, size: int) -> dict[str, Value]:
    skip_unless(size != kit.pointer_bytes, f"a pointer has {size} bytes")
    return {"param_value_size": size}


def _with_partial_pointer(kit: Kit, given: Arguments, count: int, less: int) -> dict[str, Value]:
    skip_unless(less != kit.pointer_bytes, f"a pointer has {less} bytes")
    return _with_pointer_list(kit, given, (0,) * count, kit.pointer_bytes * count - less)


def _with_null_list(kit: Kit, _given: Arguments, count: int) -> dict[str, Value]:
    return {"param_value": None, "param_value_size": kit.pointer_bytes * count}


def _create_pointer(kit: Kit, offset: int) -> Handle | OffsetPointer:
    memory = kit.usm()
    return OffsetPointer(memory, offset) if offset else memory


def _with_pointer_of_another_context(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"param_value": Pointers((kit.foreign.usm(),))}


def _with_all_system_memory(kit: Kit, _given: Arguments) -> dict[str, Value]:
    shared = kit.cl.fact("CL_DEVICE_SVM_CAPABILITIES") or kit.has_usm(DEVICE)
    skip_unless(shared, "the device shares no memory with the host")
    return {"param_name": kit.constant(SYSTEM), "param_value_size": 4, "param_value": TRUE}
