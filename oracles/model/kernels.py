"""Kernels with their arguments, and the memory that they may access indirectly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.calls.values import HandleBytes
from clconform.oracles.contents.storage import PointerTarget
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.image_kernels import IMAGE_KERNELS
from clconform.oracles.model.kernel_registry import find_parameters
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.model.programs import Program

if TYPE_CHECKING:
    import builtins

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.model.buffer_kernels import BufferKernel
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.image_kernels import ImageKernel
    from clconform.oracles.model.kernel_declarations import KernelDeclaration
    from clconform.oracles.model.parameters import KernelParameter
    from clconform.oracles.model.pointer_memory import PointerMemory, UsmAllocation


SET_CONCURRENTLY = "OpenCL:multiple-host-threads/2"
"""The requirement that a kernel enqueue covers if an argument was set concurrently with other host threads' calls."""
SET_BY_ADDRESS = "clSetKernelArgMemPointerINTEL/effect/1"
"""The requirement that a kernel enqueue covers if an argument was set to an address of unified shared memory."""


@dataclass(frozen=True, eq=False)
class KernelArgument:
    """The value to which a kernel argument was set.

    ``value``: the passed value. ``size``: its size in bytes, or None for a pointer to shared memory. ``object``: the
    object, if the value is a handle, or None. ``reach``: the memory that can be accessed through the pointer, or None.
    ``source``: the host memory from which the value was copied. ``call``: the call that set the argument.
    """

    value: Value
    size: int | None = None
    object: ClObject | None = None
    reach: PointerTarget | None = None
    source: MemoryPlace | None = None
    call: Call | None = None

    @property
    def is_pointer(self) -> bool:
        """Return whether the argument was set to an address of shared memory."""
        return self.size is None

    @property
    def used_memory(self) -> ClObject | PointerTarget | None:
        """Return the object or the memory that a kernel enqueue uses by the argument."""
        return self.reach if self.is_pointer else self.object

    @property
    def is_unknown(self) -> bool:
        """Return whether the argument is an object that the model does not know, or memory that it does not know."""
        return self.used_memory is None and (self.is_pointer or isinstance(self.value, HandleBytes))


MAX_ARGUMENTS = 1024
"""Maximum plausible number of arguments of a kernel; larger reported numbers are ignored."""


@dataclass(eq=False)
class Kernel(ContextObject):
    """A kernel of the function ``function`` in ``program``.

    ``argument_info``: the program had argument information when the kernel was created. ``arguments``: maps indices to
    the arguments that were set. ``uncertain_arguments``: the indices of arguments with an uncertain state and value.
    ``indirect_types``: the types of unified shared memory that the kernel may access without an argument.
    ``indirect_memory``: maps names of execution infos to the memory that the kernel may access without an argument.
    ``uses_system_memory``: the setting for system memory of the host, or None if not set. ``siblings``: all kernels
    that the creating call created; only their names differ. ``covered_requirements``: the requirements that the next
    enqueue of the kernel covers. ``source``: the kernel of which it is a clone. ``declaration``: its declaration, if a
    recording contains it.
    """

    type: ClassVar[str] = "cl_kernel"
    keeps_parent: ClassVar[bool] = True

    program: Program | None = None
    function: str = ""
    argument_info: bool = False
    arguments: dict[int, KernelArgument] = field(default_factory=dict)
    uncertain_arguments: set[int] = field(default_factory=set)
    siblings: list[Kernel] = field(default_factory=list)
    covered_requirements: set[str] = field(default_factory=set)
    source: Kernel | None = None
    declaration: KernelDeclaration | None = None
    indirect_types: set[builtins.type[UsmAllocation]] = field(default_factory=set)
    indirect_memory: dict[str, list[PointerMemory]] = field(default_factory=dict)
    uses_system_memory: int | None = None

    @property
    def parent(self) -> ContextObject | None:
        """The program from which the kernel was created."""
        return self.program

    @property
    def function_name(self) -> str:
        """The name of the kernel's function.

        If the kernel was created without a name, it is the name that queries return, or an empty string.
        """
        return self.function or str(self.facts.get("CL_KERNEL_FUNCTION_NAME", ""))

    @property
    def suite_kernel_name(self) -> str:
        """The name of the kernel's function, or an empty string if it is certainly not a kernel of the suites.

        It may be a suite kernel if its program has one of this name, or if the contents of the program are unknown.
        """
        known = self.program is not None and (self.program.tainted or type(self.program) is not Program)
        return (
            ""
            if known and self.program is not None and self.function_name not in self.program.kernels
            else self.function_name
        )

    @property
    def parameters(self) -> tuple[KernelParameter, ...] | None:
        """The arguments as the source declares them; None if the kernel may not be a kernel of the suites."""
        there = self.program is not None and self.function_name in self.program.kernels
        return find_parameters(self.function_name) if there else None

    @property
    def declared_arguments(self) -> tuple[KernelParameter | None, ...] | None:
        """The arguments as the source or the driver declares them, with None for those of an unknown type.

        None if their number is unknown.
        """
        if self.parameters is not None or self.declaration is None:
            return self.parameters
        return self.declaration.arguments

    def declared_argument(self, index: int) -> KernelParameter | None:
        """Return an argument as it is declared; None if its type or the number of arguments is unknown."""
        declared = self.declared_arguments
        return declared[index] if declared is not None and index < len(declared) else None

    @property
    def unset_arguments(self) -> tuple[int, ...] | None:
        """The indices of the arguments that are certainly not set; None if the number of arguments is unknown."""
        declared = self.declared_arguments
        count = self.facts.get("CL_KERNEL_NUM_ARGS") if declared is None else len(declared)
        if not isinstance(count, int) or count > MAX_ARGUMENTS:
            return None
        return tuple(
            index for index in range(count) if index not in self.arguments and index not in self.uncertain_arguments
        )

    @property
    def used_objects(self) -> list[ClObject]:
        """The objects that an enqueue of the kernel uses: its arguments, and the memory that it may access."""
        used = (each.used_memory for each in self.arguments.values())
        given = [each.owner if isinstance(each, PointerTarget) else each for each in used]
        return [*filter(None, given), *(memory for listed in self.indirect_memory.values() for memory in listed)]

    @property
    def local_bytes(self) -> int:
        """The number of bytes of local memory that the arguments request, as far as they are set."""
        sizes = {index: each.size for index, each in self.arguments.items() if index not in self.uncertain_arguments}
        local = [index for index, each in enumerate(self.parameters or ()) if each.kind is ArgumentKind.LOCAL]
        return sum(sizes.get(index) or 0 for index in local)

    @property
    def has_too_little_local_memory(self) -> bool:
        """Whether an argument in local memory is certainly smaller than one element, which each kernel accesses."""
        for index, each in enumerate(self.parameters or ()):
            size = self.arguments[index].size if index in self.arguments else None
            if each.kind is ArgumentKind.LOCAL and size is not None and size < each.bytes:
                return True
        return False

    @property
    def buffer_kernel(self) -> BufferKernel | None:
        """The model's description of the kernel if it is a suite kernel over buffers, or None."""
        return KERNELS.get(self.suite_kernel_name)

    @property
    def image_kernel(self) -> ImageKernel | None:
        """The model's description of the kernel if it is a suite kernel over images, or None."""
        return IMAGE_KERNELS.get(self.suite_kernel_name)
