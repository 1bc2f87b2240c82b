"""Recorded kernels (section 5.17.5): variations of the calls, except those of ranges and work-groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, OutputBuffer
from clconform.oracles.model.range_kernels import PRINTS
from clconform.suites.chapters.command_buffers.updating import FIELDS, LAUNCH, UPDATE, updatable
from clconform.suites.chapters.command_buffers.variations import can
from clconform.suites.chapters.execution.kernels import enqueueing, range_kernel, with_arguments
from clconform.suites.errors.variations import Variation, Variations, bound
from clconform.suites.kit.memory import SIZE
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = Variations()

ASSERTS, NO_MORE = "CL_MUTABLE_DISPATCH_ASSERTS_KHR", "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR"
PRINTF, ENQUEUE = "KERNEL_PRINTF", "DEVICE_SIDE_ENQUEUE"
ONE_ITEM: dict[str, Value] = {
    "work_dim": 1,
    "global_work_offset": None,
    "global_work_size": Items((1,)),
    "local_work_size": None,
}


@variations.of("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/2")
def kernels_that_print() -> Iterator[Variation]:
    """Yield a kernel with printf, where the device cannot record one."""
    yield Variation("a kernel that prints", bound(_printing, False))


def _printing(kit: Kit, _given: Arguments, able: bool) -> dict[str, Value]:  # noqa: FBT001
    needs(can(kit, PRINTF) is able, f"the device records {'no ' if able else ''}kernels that print")
    return {"kernel": with_arguments(kit, range_kernel(kit, PRINTS), kit.filled(SIZE)), **ONE_ITEM}


@variations.of("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/3")
def kernels_that_enqueue() -> Iterator[Variation]:
    """Yield a kernel that enqueues kernels, where the device cannot record one."""
    yield Variation("a kernel that enqueues kernels", bound(_enqueueing, False))


def _enqueueing(kit: Kit, _given: Arguments, able: bool) -> dict[str, Value]:  # noqa: FBT001
    needs(can(kit, ENQUEUE) is able, f"the device records {'no ' if able else ''}kernels that enqueue kernels")
    return {"kernel": with_arguments(kit, enqueueing(kit, "enqueue_at_once"), kit.filled(SIZE)), **ONE_ITEM}


@variations.of("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/4")
def fields_of_no_device() -> Iterator[Variation]:
    """Yield a field that the device cannot update."""
    yield Variation("a field that the device cannot update", _unsupported)


def _unsupported(kit: Kit, _given: Arguments) -> dict[str, Value]:
    can = kit.cl.fact("CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR") or 0
    names = ("GLOBAL_OFFSET", "GLOBAL_SIZE", "LOCAL_SIZE", "ARGUMENTS", "EXEC_INFO")
    bits = [kit.value(f"CL_MUTABLE_DISPATCH_{name}_KHR") for name in names]
    lacking = [bit for bit in bits if not can & bit]
    needs(lacking, "the device can update everything")
    return {"properties": kit.listed("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", lacking[0])}


@variations.of("clCommandNDRangeKernelKHR/CL_INVALID_VALUE/3")
def asserted_without_a_size() -> Iterator[Variation]:
    """Yield the assertion on the number of work-groups without a local size, on command and command-buffer."""
    yield Variation(
        "asserted of the launch",
        lambda kit, _given: {"properties": kit.listed(ASSERTS, NO_MORE), "local_work_size": None},
    )
    yield Variation("asserted of the command-buffer", _asserted)


def _asserted(kit: Kit, _given: Arguments) -> dict[str, Value]:
    properties = kit.listed("CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR", NO_MORE)
    return {"command_buffer": kit.command_buffer(properties), "local_work_size": None}


@variations.of("clCommandNDRangeKernelKHR/CL_INVALID_VALUE/2")
def handles_of_nothing() -> Iterator[Variation]:
    """Yield a handle for commands that do not have one."""
    yield Variation("mutable_handle not NULL", {"mutable_handle": OutputBuffer(1)})


@variations.of("clCommandNDRangeKernelKHR/CL_INVALID_KERNEL_ARGS/1")
def without_arguments() -> Iterator[Variation]:
    """Yield kernels with unset arguments, where updates may change nothing or only sizes, or without properties."""
    yield Variation("no argument set, nothing may be updated", bound(_without_arguments, ()))
    yield Variation("no argument set, sizes may be updated", bound(_without_arguments, ("GLOBAL_SIZE",)))
    yield Variation("no argument set, no properties", lambda kit, _given: {"kernel": kit.kernel("add_index")})


def _without_arguments(kit: Kit, _given: Arguments, names: tuple[str, ...]) -> dict[str, Value]:
    needs(promised(kit.cl, UPDATE), "cl_khr_command_buffer_mutable_dispatch is not supported")
    fields = updatable(kit, *names) if names else 0
    return {"kernel": kit.kernel("add_index"), "properties": kit.listed(FIELDS, fields)}


@variations.of(f"{LAUNCH}/success")
def recorded_otherwise() -> Iterator[Variation]:
    """Yield kernels with each updatable field, with the assertion, and with constructs that need a capability."""
    yield Variation("a kernel that prints, where the device records one", bound(_printing, True))
    yield Variation("a kernel that enqueues kernels, where the device records one", bound(_enqueueing, True))
    yield Variation("the assertion, with a size", bound(_with_properties, ASSERTS, NO_MORE))
    for name in ("GLOBAL_OFFSET", "GLOBAL_SIZE", "LOCAL_SIZE", "ARGUMENTS", "EXEC_INFO"):
        yield Variation(f"{name} may be updated", bound(_with_field, name))


def _with_properties(kit: Kit, _given: Arguments, name: str, value: str | int) -> dict[str, Value]:
    return {"properties": kit.listed(name, value), "local_work_size": Items((4,))}


def _with_field(kit: Kit, given: Arguments, name: str) -> dict[str, Value]:
    return _with_properties(kit, given, "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", updatable(kit, name))
