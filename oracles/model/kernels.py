"""Kernels with their arguments, and the memory that they may access indirectly."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from clconform.calls.values import HandleBytes
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.image_kernels import IMAGE_KERNELS
from clconform.oracles.model.kernel_registry import PARAMETERS
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.model.programs import Program

if TYPE_CHECKING:
    import builtins

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.contents.storage import MemoryPlace, PointerTarget
    from clconform.oracles.model.buffer_kernels import BufferKernel
    from clconform.oracles.model.cl_object import ClObject
    from clconform.oracles.model.image_kernels import ImageKernel
    from clconform.oracles.model.parameters import KernelParameter
    from clconform.oracles.model.pointer_memory import PointerMemory, UsmAllocation


SET_CONCURRENTLY = "OpenCL:multiple-host-threads/2"
"""The requirement that an enqueue covers if an argument was set concurrently with calls of other host threads."""
SET_BY_ADDRESS = "clSetKernelArgMemPointerINTEL/effect/1"
"""The requirement that an enqueue covers if an argument was set to an address of unified shared memory."""


@dataclass(frozen=True, eq=False)
class KernelArgument:
    """An argument as it was set: ``value`` as passed, of ``size`` bytes (None for a pointer).

    ``object``: the object whose handle it is; ``reach``: the memory to which the pointer leads; None if absent or
    unknown. ``source``: the host memory from which the value was copied. ``call``: the call that set it.
    """

    value: Value
    size: int | None = None
    object: ClObject | None = None
    reach: PointerTarget | None = None
    source: MemoryPlace | None = None
    call: Call | None = None

    @property
    def is_pointer(self) -> bool:
        """Return whether it was set as an address of shared memory."""
        return self.size is None

    @property
    def used_memory(self) -> ClObject | PointerTarget | None:
        """Return the object or the memory that an enqueue uses through it."""
        return self.reach if self.is_pointer else self.object

    @property
    def is_unknown(self) -> bool:
        """Return whether it is an object or memory that the model does not know."""
        return self.used_memory is None and (self.is_pointer or isinstance(self.value, HandleBytes))


MAX_ARGUMENTS = 1024
"""Maximum plausible number of arguments of a kernel; larger reported numbers are ignored."""


@dataclass(eq=False)
class Kernel(ContextObject):
    """A kernel. ``function``: the name of its function in ``program``.

    ``argument_info``: the program kept the argument information when it was created. ``arguments``: by index, those
    that were set; ``uncertain_arguments``: the indices of those whose state and value are uncertain.
    ``indirect_types``: the types of unified memory, and ``indirect_memory``: by the name of the execution info the
    memory, that it may access without an argument for it; ``uses_system_memory``: the setting for system memory of the
    host, None if not set. ``siblings``: all kernels that one call created from a program; only their names differ.
    ``covered_requirements``: the ids of the requirements that its next enqueue covers. ``source``: the kernel of which
    it is a clone.
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
    indirect_types: set[builtins.type[UsmAllocation]] = field(default_factory=set)
    indirect_memory: dict[str, list[PointerMemory]] = field(default_factory=dict)
    uses_system_memory: int | None = None

    @property
    def parent(self) -> ContextObject | None:
        """The program from which it was created."""
        return self.program

    @property
    def function_name(self) -> str:
        """The name of its function; if it was created without naming one, the reported name, or an empty string."""
        return self.function or str(self.facts.get("CL_KERNEL_FUNCTION_NAME", ""))

    @property
    def suite_kernel_name(self) -> str:
        """The name of its function, or an empty string if it is a foreign kernel of that name.

        It is a suite kernel if its program is known to hold one, or if nothing is known about the program.
        """
        known = self.program is not None and (self.program.tainted or type(self.program) is not Program)
        return (
            ""
            if known and self.program is not None and self.function_name not in self.program.kernels
            else self.function_name
        )

    @property
    def parameters(self) -> tuple[KernelParameter, ...] | None:
        """Its arguments as the source declares them; None if it is not certainly a suite kernel."""
        there = self.program is not None and self.function_name in self.program.kernels
        return PARAMETERS.get(self.function_name) if there else None

    @property
    def unset_arguments(self) -> tuple[int, ...] | None:
        """The indices of the arguments that are not set, without doubtful ones; None if their number is unknown."""
        count = self.facts.get("CL_KERNEL_NUM_ARGS") if self.parameters is None else len(self.parameters)
        if not isinstance(count, int) or count > MAX_ARGUMENTS:
            return None
        return tuple(
            index for index in range(count) if index not in self.arguments and index not in self.uncertain_arguments
        )

    @property
    def local_bytes(self) -> int:
        """The local memory that its arguments request, as far as they are set."""
        sizes = {index: each.size for index, each in self.arguments.items() if index not in self.uncertain_arguments}
        local = [index for index, each in enumerate(self.parameters or ()) if each.kind is ArgumentKind.LOCAL]
        return sum(sizes.get(index) or 0 for index in local)

    @property
    def buffer_kernel(self) -> BufferKernel | None:
        """The model's description of it if it is a suite kernel over buffers; else None."""
        return KERNELS.get(self.suite_kernel_name)

    @property
    def image_kernel(self) -> ImageKernel | None:
        """The model's description of it if it is a suite kernel over images; else None."""
        return IMAGE_KERNELS.get(self.suite_kernel_name)
