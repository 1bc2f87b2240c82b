"""Recorded kernels (section 5.17.5): variations of the calls, except variations of ranges and work-groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.oracles.model.range_kernels import PRINT_IDS
from clconform.suites.chapters.command_buffers.negative_cases import has_capability
from clconform.suites.chapters.command_buffers.update_lists import FIELDS, UPDATE, get_updatable_bits
from clconform.suites.chapters.execution.kernels import create_enqueueing_kernel, create_range_kernel, set_arguments
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.kit.memory import SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()

ASSERTS, NO_MORE = "CL_MUTABLE_DISPATCH_ASSERTS_KHR", "CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR"
PRINTF, ENQUEUE = "KERNEL_PRINTF", "DEVICE_SIDE_ENQUEUE"
ONE_ITEM: dict[str, Value] = {
    "work_dim": 1,
    "global_work_offset": None,
    "global_work_size": ElementList((1,)),
    "local_work_size": None,
}


@variations.declare("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/2")
def unsupported_printing_kernels() -> Iterator[Variation]:
    """Yield a kernel that calls printf, for a device that cannot record such kernels."""
    yield Variation("a kernel that prints", bind_values(_with_printing_kernel, False))


def _with_printing_kernel(kit: Kit, _given: Arguments, supported: bool) -> dict[str, Value]:  # noqa: FBT001
    skip_unless(
        has_capability(kit, PRINTF) is supported, f"the device records {'no ' if supported else ''}kernels that print"
    )
    return {
        "kernel": set_arguments(kit, create_range_kernel(kit, PRINT_IDS), kit.create_filled_buffer(SIZE)),
        **ONE_ITEM,
    }


@variations.declare("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/3")
def unsupported_enqueueing_kernels() -> Iterator[Variation]:
    """Yield a kernel that enqueues kernels, for a device that cannot record such kernels."""
    yield Variation("a kernel that enqueues kernels", bind_values(_with_enqueueing_kernel, False))


def _with_enqueueing_kernel(kit: Kit, _given: Arguments, supported: bool) -> dict[str, Value]:  # noqa: FBT001
    skip_unless(
        has_capability(kit, ENQUEUE) is supported,
        f"the device records {'no ' if supported else ''}kernels that enqueue kernels",
    )
    return {
        "kernel": set_arguments(kit, create_enqueueing_kernel(kit, "enqueue_at_once"), kit.create_filled_buffer(SIZE)),
        **ONE_ITEM,
    }


@variations.declare("clCommandNDRangeKernelKHR/CL_INVALID_OPERATION/4")
def unsupported_fields() -> Iterator[Variation]:
    """Yield an updatable field that the device cannot update."""
    yield Variation("a field that the device cannot update", _with_unsupported_field)


def _with_unsupported_field(kit: Kit, _given: Arguments) -> dict[str, Value]:
    can = kit.cl.fact("CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR") or 0
    names = ("GLOBAL_OFFSET", "GLOBAL_SIZE", "LOCAL_SIZE", "ARGUMENTS", "EXEC_INFO")
    bits = [kit.constant(f"CL_MUTABLE_DISPATCH_{name}_KHR") for name in names]
    lacking = [bit for bit in bits if not can & bit]
    skip_unless(lacking, "the device can update everything")
    return {"properties": kit.property_list("CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", lacking[0])}


@variations.declare("clCommandNDRangeKernelKHR/CL_INVALID_VALUE/3")
def assertions_without_local_size() -> Iterator[Variation]:
    """Yield kernel commands that set the flag against additional work-groups, but not a local size.

    The flag is a property of the kernel command, or of its command-buffer.
    """
    yield Variation(
        "asserted of the launch",
        lambda kit, _given: {"properties": kit.property_list(ASSERTS, NO_MORE), "local_work_size": None},
    )
    yield Variation("asserted of the command-buffer", _with_asserting_command_buffer)


def _with_asserting_command_buffer(kit: Kit, _given: Arguments) -> dict[str, Value]:
    properties = kit.property_list("CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR", NO_MORE)
    return {"command_buffer": kit.command_buffer(properties), "local_work_size": None}


@variations.declare("clCommandNDRangeKernelKHR/CL_INVALID_VALUE/2")
def unavailable_handles() -> Iterator[Variation]:
    """Yield a call that requests the handle of the command.

    The call is invalid where mutable kernel commands are not supported.
    """
    yield Variation("mutable_handle not NULL", {"mutable_handle": OutputBuffer(1)})


@variations.declare("clCommandNDRangeKernelKHR/CL_INVALID_KERNEL_ARGS/1")
def unset_arguments() -> Iterator[Variation]:
    """Yield kernels with unset arguments that updates cannot set.

    The updatable fields are: none, only the global size, or unspecified.
    """
    yield Variation("no argument set, nothing may be updated", bind_values(_with_unset_arguments, ()))
    yield Variation("no argument set, sizes may be updated", bind_values(_with_unset_arguments, ("GLOBAL_SIZE",)))
    yield Variation("no argument set, no properties", lambda kit, _given: {"kernel": kit.kernel("add_index")})


def _with_unset_arguments(kit: Kit, _given: Arguments, names: tuple[str, ...]) -> dict[str, Value]:
    skip_unless(is_available(kit.cl, UPDATE), "cl_khr_command_buffer_mutable_dispatch is not supported")
    fields = get_updatable_bits(kit, *names) if names else 0
    return {"kernel": kit.kernel("add_index"), "properties": kit.property_list(FIELDS, fields)}


@variations.declare("clCommandNDRangeKernelKHR/success")
def valid_kernel_commands() -> Iterator[Variation]:
    """Yield kernel commands with each updatable field, and kernel commands that need a device capability.

    One of them also asserts that updates do not add work-groups.
    """
    yield Variation("a kernel that prints, where the device records one", bind_values(_with_printing_kernel, True))
    yield Variation(
        "a kernel that enqueues kernels, where the device records one", bind_values(_with_enqueueing_kernel, True)
    )
    yield Variation("the assertion, with a size", bind_values(_with_properties, ASSERTS, NO_MORE))
    for name in ("GLOBAL_OFFSET", "GLOBAL_SIZE", "LOCAL_SIZE", "ARGUMENTS", "EXEC_INFO"):
        yield Variation(f"{name} may be updated", bind_values(_with_field, name))


def _with_properties(kit: Kit, _given: Arguments, name: str, value: str | int) -> dict[str, Value]:
    return {"properties": kit.property_list(name, value), "local_work_size": ElementList((4,))}


def _with_field(kit: Kit, given: Arguments, name: str) -> dict[str, Value]:
    return _with_properties(kit, given, "CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR", get_updatable_bits(kit, name))
