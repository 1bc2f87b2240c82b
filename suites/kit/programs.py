"""Programs and kernels: known kernels from source, binary and intermediate language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, Text, Texts
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.oracles.model.program_sources import PARTS
from clconform.oracles.model.spirv import EMPTY_MODULES
from clconform.runner.program_binaries import MAX_BINARY_BYTES, ProgramText
from clconform.runner.session.outcome_values import MAX_VALUE_BYTES, returned_handles
from clconform.suites.helpers import is_available, is_success, require_handle, skip_unless
from clconform.suites.kit.query_modes import QueryCaller, returned_size
from clconform.suites.kit.samplers import SamplerKit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ARG_INFO_OPTION = "-cl-kernel-arg-info"
"""Build options that keep kernel argument information."""
IL_FUNCTIONS = ("clCreateProgramWithIL", "clCreateProgramWithILKHR")
KERNEL_NOT_BUILT = "the driver does not build the kernel"
"""The skip reason for a program of one kernel."""
MAX_REASON_LENGTH = 300
"""The maximum length of a build log line in a skip reason."""


def kernel_sources(*names: str) -> tuple[str, ...]:
    """Return the sources of the kernels with these names, by default of all known kernels."""
    return tuple(KERNELS[name].source for name in names or KERNELS)


class ProgramKit(SamplerKit):
    """A kit with programs and kernels in its context."""

    def program(self, *names: str) -> Handle:
        """Create a program of known kernels, without building it.

        By default, the program contains all known kernels.
        """
        return self.program_from_source(*kernel_sources(*names))

    def program_from_source(self, *sources: str) -> Handle:
        """Create a program from source."""
        return require_handle(
            self.cl.clCreateProgramWithSource(self.context, len(sources), Texts(sources), None, OutputBuffer(1))
        )

    def try_build(self, program: Handle, options: str | None = "") -> bool:
        """Build a program for the device under test, and return whether the build succeeded."""
        given = None if options is None else Text(options)
        outcome = self.cl.clBuildProgram(program, 1, ElementList((self.cl.device,)), given, None, None)
        return is_success(outcome)

    def built_program(self, *names: str, options: str = "") -> Handle:
        """Create and build a program of known kernels; skip the item if the build fails."""
        return self.program_built_from(*kernel_sources(*names), options=options)

    def program_built_from(
        self, *sources: str, options: str = "", failure: str = "the driver does not build the kernels"
    ) -> Handle:
        """Create and build a program from source; skip the item if the build fails.

        ``failure``: the skip reason, to which the first line of the build log is appended. On a device without a
        compiler, the program is created from the binary that the user supplies.
        """
        program, done = self.try_program(*sources, options=options)
        skip_unless(done, f"{failure}{'' if done else self.first_log_line(program)}")
        return program

    def try_program(self, *sources: str, options: str = "") -> tuple[Handle, bool]:
        """Create a program from source, build it, and return it, with whether the build succeeded.

        On a device without a compiler, the program is created from the binary that the user supplies; the item is
        skipped if the folder lacks the binary or if the driver rejects it.
        """
        if self.cl.program_binaries is not None:
            return self._supplied_program(ProgramText("".join(sources), options)), True
        program = self.program_from_source(*sources)
        return program, self.try_build(program, options)

    def _supplied_program(self, text: ProgramText) -> Handle:
        """Create a program from a binary that the user supplies, and build it; skip the item if that fails."""
        supplied = self.cl.program_binaries
        binary = supplied.find(text) if supplied is not None else None
        if binary is None:
            pytest.skip(f"the device has no compiler, and --program-binaries has no {text.title}")
        given = (ElementList((self.cl.device,)), ElementList((len(binary.content),)), binary)
        outcome = self.cl.clCreateProgramWithBinary(self.context, 1, *given, OutputBuffer(1), OutputBuffer(1))
        programs = returned_handles(outcome)
        skip_unless(programs, f"the driver rejects the binary of {text.title}")
        skip_unless(self.try_build(programs[0], None), f"the driver does not build the binary of {text.title}")
        return programs[0]

    def first_log_line(self, program: Handle) -> str:
        """Return ": " and the first line of a program's build log, for a skip reason; empty if there is no log."""
        asker = QueryCaller(self.cl, "clGetProgramBuildInfo", {"program": program, "device": self.cl.device})
        name = self.constant("CL_PROGRAM_BUILD_LOG")
        size = returned_size(asker.query("size only", name, 0, None))
        readable = size is not None and 0 < size <= MAX_VALUE_BYTES
        outcome = asker.query("exact size", name, size, OutputBuffer(size)) if readable and size else None
        log = outcome.outputs["param_value"].values if is_success(outcome) else []
        lines = [line for line in "".join(map(str, log)).strip("\0").splitlines() if line.strip()]
        return f": {lines[0].strip()[:MAX_REASON_LENGTH]}" if lines else ""

    def compiled_program(self, *parts: str, options: str = "") -> Handle:
        """Create and compile a program of known source parts; skip the item if the compilation fails."""
        skip_unless(is_available(self.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
        program = self.program_from_source(*(PARTS[part] for part in parts))
        devices = (1, ElementList((self.cl.device,)))
        outcome = self.cl.clCompileProgram(program, *devices, Text(options), 0, None, None, None, None)
        skip_unless(is_success(outcome), "the driver does not compile the kernels")
        return program

    def linked_program(self, *programs: Handle, options: str = "") -> Handle:
        """Link programs, and return the linked program; skip the item if linking fails."""
        given = (Text(options), len(programs), ElementList(programs), None, None, OutputBuffer(1))
        return require_handle(self.cl.clLinkProgram(self.context, 1, ElementList((self.cl.device,)), *given))

    def kernel(self, name: str, program: Handle | None = None) -> Handle:
        """Create a known kernel, by default from a program that is built once for each kernel name.

        Skip the item if the kernel follows pointers in memory that are larger than those of the host.
        """
        if name == "walk":
            bits = self.cl.fact("CL_DEVICE_ADDRESS_BITS") or 0
            skip_unless(bits <= 8 * self.pointer_bytes, "addresses of the device are larger than those of the host")
        source = program or self.get_cached(("program", name), lambda: self.built_program(name))
        return require_handle(self.cl.clCreateKernel(source, Text(KERNELS[name].name), OutputBuffer(1)))

    def program_from_binary(self) -> Handle:
        """Create a program from the binary of a successful build; skip the item if the driver does not return one."""
        return self.program_from_bytes(self.get_binary(self.built_program()))

    def program_from_bytes(self, content: bytes, device: Handle | None = None) -> Handle:
        """Create a program from the given binary, by default for the device under test."""
        given = (ElementList((device or self.cl.device,)), ElementList((len(content),)), Data(content))
        return require_handle(
            self.cl.clCreateProgramWithBinary(self.context, 1, *given, OutputBuffer(1), OutputBuffer(1))
        )

    def get_binary(self, program: Handle) -> bytes:
        """Return a program's binary for its first device; skip the item if the driver does not return it."""
        cl = self.cl
        sizes = cl.query("clGetProgramInfo", program, "CL_PROGRAM_BINARY_SIZES") or []
        usable = sizes and all(isinstance(size, int) and 0 < size <= MAX_BINARY_BYTES for size in sizes)
        skip_unless(usable, "the driver returns no binary, or a large one")
        asker = QueryCaller(cl, "clGetProgramInfo", {"program": program})
        outcome = asker.query_pointers(self.constant("CL_PROGRAM_BINARIES"), sizes)
        answer = outcome.outputs.get("param_value") if is_success(outcome) else None
        digits = answer.values if answer else []
        skip_unless(digits and isinstance(digits[0], str), "the driver returns no binary")
        return bytes.fromhex(str(digits[0]))[: sizes[0]]

    def spirv_module(self, modules: Mapping[tuple[str, int], bytes] = EMPTY_MODULES) -> bytes:
        """Return the module for the lowest SPIR-V version that the device supports; skip the item if there is none."""
        told = self.cl.fact("CL_DEVICE_IL_VERSION") or self.cl.fact("CL_DEVICE_IL_VERSION_KHR") or ""
        width = self.cl.fact("CL_DEVICE_ADDRESS_BITS")
        names = [name for name in sorted(told.split()) if (name, width) in modules]
        skip_unless(names, "the device does not support SPIR-V of a version that the module needs")
        return modules[names[0], width]

    def program_from_il(
        self, modules: Mapping[tuple[str, int], bytes] = EMPTY_MODULES, functions: Sequence[str] = IL_FUNCTIONS
    ) -> Handle:
        """Create a program from an IL module with the first available of these functions, or skip the item."""
        function = next((each for each in functions if is_available(self.cl, each)), "")
        skip_unless(function, "the platform does not support intermediate languages")
        content = self.spirv_module(modules)
        return require_handle(getattr(self.cl, function)(self.context, Data(content), len(content), OutputBuffer(1)))

    def built_in_kernel_names(self, device: Handle | None = None) -> list[str]:
        """Return the names of the built-in kernels of a device, by default the device under test."""
        return [name for name in (self.cl.fact("CL_DEVICE_BUILT_IN_KERNELS", device) or "").split(";") if name]

    def program_from_built_in_kernels(self, count: int, device: Handle | None = None) -> Handle:
        """Create a program of the first ``count`` built-in kernels of a device, by default the device under test."""
        skip_unless(
            is_available(self.cl, "clCreateProgramWithBuiltInKernels"),
            "requires OpenCL 1.2 (programs of built-in kernels)",
        )
        names = self.built_in_kernel_names(device)
        skip_unless(len(names) >= count, f"the device has {len(names)} built-in kernels")
        given = (1, ElementList((device or self.cl.device,)), Text(";".join(names[:count])))
        return require_handle(self.cl.clCreateProgramWithBuiltInKernels(self.context, *given, OutputBuffer(1)))
