"""Kernels with USM: invalid and valid variations of the calls."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Inside, Pointers
from clconform.oracles.chapters.kernels.execution_info import INDIRECT, SYSTEM
from clconform.oracles.contents.storage import POINTER_BYTES
from clconform.oracles.contents.unified import DEVICE, TYPES
from clconform.suites.chapters.usm.valid_calls import ARGUMENTS
from clconform.suites.chapters.usm.variations import NOBODYS_NAME
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import LARGEST_TYPE, SIZE
from clconform.suites.steps import needs, one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

TRUE, FALSE = (Data(struct.pack("I", truth)) for truth in (1, 0))
NEITHER = (0x10000, 0x20000)
"""Numbers that are neither CL_TRUE nor CL_FALSE; they differ from both in the third byte."""
MANY = (2, 3, 17)
"""Lengths of pointer lists."""
variations = Variations()

# clSetKernelArgMemPointerINTEL


@variations.of("clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_INDEX/1")
def no_arguments() -> Iterator[Variation]:
    """Yield indices past the arguments of the kernel."""
    yield Variation("arg_index=number", {"arg_index": len(ARGUMENTS)})
    yield Variation("arg_index=largest", {"arg_index": 0xFFFFFFFF})


@variations.of("clSetKernelArgMemPointerINTEL/CL_INVALID_ARG_VALUE/1")
def invalid_arguments() -> Iterator[Variation]:
    """Yield addresses outside the context's allocations, and arguments that are not pointers to global memory."""
    yield Variation("the end of an allocation", bound(_at, SIZE))
    for name in ("shared", "offset"):
        yield Variation(f"a pointer as {name}", {"arg_index": ARGUMENTS[name]})
        yield Variation(f"NULL as {name}", {"arg_index": ARGUMENTS[name], "arg_value": None})
    yield Variation("system memory", lambda kit, _given: {"arg_value": _own_memory(kit)})
    yield Variation("of another context", lambda kit, _given: {"arg_value": kit.foreign.unified()})


@variations.of("clSetKernelArgMemPointerINTEL/success")
def valid_arguments() -> Iterator[Variation]:
    """Yield NULL, and addresses in USM of each type."""
    yield Variation("arg_value=NULL", {"arg_value": None})
    yield Variation("to constant memory", {"arg_index": ARGUMENTS["scale"]})
    for memory_type in TYPES:
        yield Variation(memory_type, bound(_at, 0, memory_type))
    for offset in (1, 4, SIZE - 1):
        yield Variation(f"at offset {offset} of an allocation", bound(_at, offset))


def _at(kit: Kit, _given: Arguments, offset: int, *memory_types: str) -> dict[str, Value]:
    """Return an address in an allocation of the first supported type."""
    memory = kit.unified(*memory_types)
    return {"arg_value": Inside(memory, offset) if offset else memory}


def _own_memory(kit: Kit) -> Handle:
    return one(kit.cl.host_allocate(SIZE, LARGEST_TYPE))


# clSetKernelExecInfo


@variations.of("clSetKernelExecInfo/CL_INVALID_VALUE/1")
def invalid_values() -> Iterator[Variation]:
    """Yield invalid sizes, lists with addresses outside the context's allocations, and unknown names."""
    for name, memory_type in ((name, kind.title) for name, kind in INDIRECT.items()):
        yield Variation(f"{memory_type}, NULL", bound(_told, name, 4, None))
        for size in (0, 1, 3):
            yield Variation(f"{memory_type}, {size} bytes", bound(_told, name, size, TRUE))
        yield Variation(f"{memory_type}, 5 bytes", bound(_told, name, 5, Data(bytes(5))))
    yield Variation("pointers, NULL", {"param_value": None})
    for size in (1, 4, 7):
        yield Variation(f"pointers, {size} bytes", {"param_value_size": size})
    for count in MANY:
        whole = POINTER_BYTES * count
        for less in (1, 4, 7):
            yield Variation(f"{count} pointers less {less} bytes", bound(_listing, (0,) * count, whole - less))
        yield Variation(f"{count} pointers, NULL", {"param_value": None, "param_value_size": whole})
    for number in NEITHER:
        yield Variation(f"system memory, {number:#x}", bound(_told, SYSTEM, 4, Data(struct.pack("I", number))))
    yield Variation("a list of NULL", bound(_listing, (None,)))
    yield Variation("a list of a pointer and NULL", bound(_listing, (0, None)))
    yield Variation("a list of an inner pointer", bound(_listing, (LARGEST_TYPE,)))
    yield Variation("a list with system memory", lambda kit, _given: {"param_value": Pointers((_own_memory(kit),))})
    yield Variation("a list with memory of another context", _listing_another_contexts)
    for number in (NOBODYS_NAME, 0xFFFFFFFF):
        yield Variation(f"param_name={number:#x}", {"param_name": number})


@variations.of("clSetKernelExecInfo/CL_INVALID_OPERATION/1")
def values_without_shared_memory() -> Iterator[Variation]:
    """Yield values that require SVM, and values that require USM."""
    yield Variation("system memory disallowed", bound(_told, SYSTEM, 4, FALSE))
    for name in INDIRECT:
        yield Variation(name, bound(_told, name, 4, TRUE))


@variations.of("clSetKernelExecInfo/CL_INVALID_OPERATION/2")
def unsupported_values() -> Iterator[Variation]:
    """Yield all host memory, which the device may not support."""
    yield Variation("all system memory", _all_of_the_hosts)


@variations.of("clSetKernelExecInfo/success")
def valid_values() -> Iterator[Variation]:
    """Yield each type allowed and disallowed, and lists of pointers."""
    for name, memory_type in ((name, kind.title) for name, kind in INDIRECT.items()):
        yield Variation(f"may reach {memory_type}", bound(_told, name, 4, TRUE))
        yield Variation(f"may not reach {memory_type}", bound(_told, name, 4, FALSE))
    yield Variation("num_pointers=0", {"param_value_size": 0, "param_value": None})
    for count in MANY:
        yield Variation(f"{count} pointers", bound(_listing, (0,) * count))
    yield Variation("the first of two pointers", bound(_listing, (0, 0), POINTER_BYTES))


def _told(kit: Kit, _given: Arguments, name: str, size: int, value: Value) -> dict[str, Value]:
    return {"param_name": kit.value(name), "param_value_size": size, "param_value": value}


def _listing(kit: Kit, _given: Arguments, offsets: tuple[int | None, ...], size: int | None = None) -> dict[str, Value]:
    """List pointers to these offsets of new allocations, or NULL; ``size``: bytes of the list, by default all."""
    pointers = Pointers(tuple(None if offset is None else _pointer(kit, offset) for offset in offsets))
    whole = POINTER_BYTES * len(offsets)
    return {"param_value": pointers, "param_value_size": whole if size is None else size}


def _pointer(kit: Kit, offset: int) -> Handle | Inside:
    memory = kit.unified()
    return Inside(memory, offset) if offset else memory


def _listing_another_contexts(kit: Kit, _given: Arguments) -> dict[str, Value]:
    return {"param_value": Pointers((kit.foreign.unified(),))}


def _all_of_the_hosts(kit: Kit, _given: Arguments) -> dict[str, Value]:
    shared = kit.cl.fact("CL_DEVICE_SVM_CAPABILITIES") or kit.has_unified(DEVICE)
    needs(shared, "the device shares no memory with the host")
    return {"param_name": kit.value(SYSTEM), "param_value_size": 4, "param_value": TRUE}
