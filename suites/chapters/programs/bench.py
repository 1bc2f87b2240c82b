"""The kit for programs that are built, compiled and linked repeatedly, with queries after each step (section 5.8)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from clconform.calls.values import Callback, Items, OutputBuffer, Text, Texts
from clconform.runner.session.answers import LONGEST_ANSWER_BYTES, made
from clconform.suites.kit.kit import Kit
from clconform.suites.steps import needs, promised, succeeded

if TYPE_CHECKING:
    from clconform.calls.call import Outcome
    from clconform.calls.values import Handle, Value

    Listed = tuple[Value, Value]
    """A number of devices, and the list of them."""

STATUS, OPTIONS, LOG, TYPE = (
    "CL_PROGRAM_BUILD_STATUS",
    "CL_PROGRAM_BUILD_OPTIONS",
    "CL_PROGRAM_BUILD_LOG",
    "CL_PROGRAM_BINARY_TYPE",
)
NAMES, NUMBER, SIZES, DEVICES = (
    "CL_PROGRAM_KERNEL_NAMES",
    "CL_PROGRAM_NUM_KERNELS",
    "CL_PROGRAM_BINARY_SIZES",
    "CL_PROGRAM_DEVICES",
)


class Bench(Kit):
    """A kit whose programs are built repeatedly and queried after each build."""

    @cached_property
    def on_the_device(self) -> Listed:
        """The device under test, as a list."""
        return 1, Items((self.cl.device,))

    def within(self, context: Handle) -> Bench:
        """Return a kit that creates its objects in this context."""
        bench = Bench(self.cl)
        bench.context = context
        return bench

    def tell(self, program: Handle, device: Handle | None = None) -> None:
        """Query all properties of a program that a build changes."""
        for query in (STATUS, OPTIONS, LOG, TYPE):
            if not self.cl.applies(query):
                self.of_build(program, query, device or self.cl.device)
        for query in (NUMBER, NAMES, SIZES, DEVICES):
            if not self.cl.applies(query):
                self.cl.query("clGetProgramInfo", program, query)

    def of_build(self, program: Handle, query: str, device: Handle) -> None:
        """Query a property of the build for a device, after its size."""
        value, size = self.value(query), OutputBuffer(1)
        outcome = self.cl.clGetProgramBuildInfo(program, device, value, 0, None, size)
        told = outcome.outputs["param_value_size_ret"].values[0] if succeeded(outcome) else 0
        if isinstance(told, int) and 0 < told <= LONGEST_ANSWER_BYTES:
            self.cl.clGetProgramBuildInfo(program, device, value, told, OutputBuffer(told), size)

    def build(
        self, program: Handle, options: str | None = "", callback: str = "", devices: Listed | None = None
    ) -> Outcome:
        """Build a program, by default for the device under test."""
        given = Text(options) if options is not None else None
        notify = Callback(callback) if callback else None
        return self.cl.clBuildProgram(program, *(devices or self.on_the_device), given, notify, None)

    def compile(self, program: Handle, options: str = "", devices: Listed | None = None, **headers: Handle) -> Outcome:
        """Compile a program; each keyword argument is a header, named after the keyword with the suffix ``.h``."""
        needs(promised(self.cl, "clCompileProgram"), "requires OpenCL 1.2 (compiled programs)")
        names = Texts(tuple(f"{name.rstrip('_')}.h" for name in headers)) if headers else None
        listed = Items(tuple(headers.values())) if headers else None
        given = (len(headers), listed, names)
        return self.cl.clCompileProgram(program, *(devices or self.on_the_device), Text(options), *given, None, None)

    def link(self, *programs: Handle, options: str = "", devices: Listed | None = None) -> Handle | None:
        """Link programs, and return the new program, or None if there is none."""
        needs(promised(self.cl, "clLinkProgram"), "requires OpenCL 1.2 (linked programs)")
        inputs = (len(programs), Items(programs))
        given = (*(devices or self.on_the_device), Text(options), *inputs)
        found = made(self.cl.clLinkProgram(self.context, *given, None, None, OutputBuffer(1)))
        return found[0] if found else None

    def tell_linked(self, *programs: Handle) -> Handle | None:
        """Link programs, query all build properties of the new program, and return it, or None if there is none."""
        linked = self.link(*programs)
        if linked is not None:
            self.tell(linked)
        return linked
