"""The kit for programs that are repeatedly built, compiled and linked, with queries after each step (5.8)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HostCallback, OutputBuffer, Text, Texts
from clconform.runner.session.outcome_values import MAX_VALUE_BYTES, returned_handles
from clconform.suites.helpers import is_available, is_success, skip_unless
from clconform.suites.kit.kit import Kit

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import Handle

    Listed = tuple[int, ElementList | None]
    """The number of devices in a list, and the list."""

STATUS, OPTIONS, LOG, TYPE = (
    "CL_PROGRAM_BUILD_STATUS",
    "CL_PROGRAM_BUILD_OPTIONS",
    "CL_PROGRAM_BUILD_LOG",
    "CL_PROGRAM_BINARY_TYPE",
)
KERNEL_NAMES, KERNEL_COUNT, BINARY_SIZES, DEVICES = (
    "CL_PROGRAM_KERNEL_NAMES",
    "CL_PROGRAM_NUM_KERNELS",
    "CL_PROGRAM_BINARY_SIZES",
    "CL_PROGRAM_DEVICES",
)


class BuildKit(Kit):
    """A kit that builds programs repeatedly and queries them after each build."""

    @cached_property
    def device_under_test(self) -> Listed:
        """A list that contains only the device under test, and its length."""
        return 1, ElementList((self.cl.device,))

    def for_context(self, context: Handle) -> BuildKit:
        """Return a kit that creates its objects in this context."""
        bench = BuildKit(self.cl)
        bench.context = context
        return bench

    def query_program(self, program: Handle, device: Handle | None = None) -> None:
        """Query all properties of a program that a build changes."""
        for query in (STATUS, OPTIONS, LOG, TYPE):
            if not self.cl.find_inapplicability(query):
                self.query_build(program, query, device or self.cl.device)
        for query in (KERNEL_COUNT, KERNEL_NAMES, BINARY_SIZES, DEVICES):
            if not self.cl.find_inapplicability(query):
                self.cl.query("clGetProgramInfo", program, query)

    def query_build(self, program: Handle, query: str, device: Handle) -> None:
        """Query the size and the value of a build property of a program, for one device."""
        value, size = self.constant(query), OutputBuffer(1)
        outcome = self.cl.clGetProgramBuildInfo(program, device, value, 0, None, size)
        told = outcome.outputs["param_value_size_ret"].values[0] if is_success(outcome) else 0
        if isinstance(told, int) and 0 < told <= MAX_VALUE_BYTES:
            self.cl.clGetProgramBuildInfo(program, device, value, told, OutputBuffer(told), size)

    def build(
        self, program: Handle, options: str | None = "", callback: str = "", devices: Listed | None = None
    ) -> Outcome:
        """Build a program, by default for the device under test."""
        given = Text(options) if options is not None else None
        notify = HostCallback(callback) if callback else None
        return self.cl.clBuildProgram(program, *(devices or self.device_under_test), given, notify, None)

    def compile(self, program: Handle, options: str = "", devices: Listed | None = None, **headers: Handle) -> Outcome:
        """Compile a program with headers.

        Each keyword argument is a header, named after the keyword with the suffix ``.h``.
        """
        skip_unless(is_available(self.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
        names = Texts(tuple(f"{name.rstrip('_')}.h" for name in headers)) if headers else None
        listed = ElementList(tuple(headers.values())) if headers else None
        return self.cl.clCompileProgram(
            program, *(devices or self.device_under_test), Text(options), len(headers), listed, names, None, None
        )

    def link(self, *programs: Handle, options: str = "", devices: Listed | None = None) -> Handle | None:
        """Link programs, and return the new program, or None if the driver does not return a program."""
        skip_unless(is_available(self.cl, "clLinkProgram"), "requires OpenCL 1.2 (linked programs)")
        number, listed = devices or self.device_under_test
        inputs = ElementList(programs)
        outcome = self.cl.clLinkProgram(
            self.context, number, listed, Text(options), len(programs), inputs, None, None, OutputBuffer(1)
        )
        found = returned_handles(outcome)
        return found[0] if found else None

    def link_and_query(self, *programs: Handle) -> Handle | None:
        """Link programs, query all build properties of the new program, and return it.

        The result is None if the driver does not return a program.
        """
        linked = self.link(*programs)
        if linked is not None:
            self.query_program(linked)
        return linked
