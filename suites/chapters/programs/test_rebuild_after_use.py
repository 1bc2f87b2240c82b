"""Builds, compilations and links of a program whose kernels were run before and are released (5.8.4 to 5.8.6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.argument_kernels import WORD_BYTES
from clconform.oracles.model.option_kernels import ECHO_OPTIONS, WORDS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.programs.build_kit import BuildKit
from clconform.suites.helpers import is_available, is_success, require_handle, skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.call import Outcome
    from clconform.calls.values import Handle

    Use = Callable[["UsedProgram"], None]

NAME = "programs.rebuild_after_use"
BUILT, COMPILED, LINKED = (f"{name}/success" for name in ("clBuildProgram", "clCompileProgram", "clLinkProgram"))
RUN, RELEASED = "clEnqueueNDRangeKernel/success", "clReleaseKernel/success"
REPETITIONS, MANY_REPETITIONS = 3, 16
"""The number of builds after a use. A driver that destroys kernels on a host thread rejects only some of the builds."""
DATA_BYTES = WORD_BYTES * WORDS
cases: CaseRegistry[BuildKit] = CaseRegistry(BuildKit)
test_programs_are_built_after_use = TableTest(cases)


class UsedProgram:
    """A program of the kernel that writes its build options, and the buffer to which the kernel writes."""

    def __init__(self, bench: BuildKit) -> None:
        self.bench = bench
        self.program = bench.program_from_source(ECHO_OPTIONS.source)
        self.data = bench.create_filled_buffer(DATA_BYTES)

    def create_kernel(self, program: Handle | None = None) -> Handle:
        """Create the kernel, by default of the used program, and set its argument."""
        made = self.bench.cl.clCreateKernel(program or self.program, Text(ECHO_OPTIONS.name), OutputBuffer(1))
        kernel = require_handle(made)
        self.set_argument(kernel)
        return kernel

    def set_argument(self, kernel: Handle) -> None:
        """Set the buffer as the argument of the kernel."""
        self.bench.cl.clSetKernelArg(kernel, 0, self.bench.pointer_bytes, HandleBytes(self.data))

    def enqueue(self, kernel: Handle, queue: Handle | None = None, event: OutputBuffer | None = None) -> Outcome:
        """Enqueue the kernel with one work-item."""
        return self.bench.enqueue(
            "clEnqueueNDRangeKernel",
            queue=queue,
            kernel=kernel,
            work_dim=1,
            global_work_offset=None,
            global_work_size=ElementList((1,)),
            local_work_size=None,
            event=event,
        )

    def read(self) -> None:
        """Read the buffer; the judge compares the content with the options of the last build."""
        self.bench.read(self.data, 0, DATA_BYTES)

    def release(self, *kernels: Handle) -> None:
        """Release kernels."""
        for kernel in kernels:
            self.bench.cl.clReleaseKernel(kernel)


def _finish_and_release(used: UsedProgram) -> None:
    kernel = used.create_kernel()
    used.enqueue(kernel)
    used.bench.finish()
    used.release(kernel)


def _release_and_finish(used: UsedProgram) -> None:
    kernel = used.create_kernel()
    used.enqueue(kernel)
    used.release(kernel)
    used.bench.finish()


def _wait_and_release(used: UsedProgram) -> None:
    """Wait for the event of the kernel, which is not released before the next build."""
    kernel = used.create_kernel()
    event = used.bench.require_event(used.enqueue(kernel, event=OutputBuffer(1)))
    used.bench.cl.clWaitForEvents(1, ElementList((event,)))
    used.release(kernel)


def _read_and_release(used: UsedProgram) -> None:
    kernel = used.create_kernel()
    used.enqueue(kernel)
    used.read()
    used.release(kernel)


def _run_twice_and_release(used: UsedProgram) -> None:
    kernel = used.create_kernel()
    for queue in (used.bench.queue, used.bench.new_queue()):
        used.enqueue(kernel, queue)
        used.bench.finish(queue)
    used.release(kernel)


def _retain_and_release(used: UsedProgram) -> None:
    kernel = used.create_kernel()
    used.bench.cl.clRetainKernel(kernel)
    used.enqueue(kernel)
    used.bench.finish()
    used.release(kernel, kernel)


def _clone_and_release(used: UsedProgram) -> None:
    skip_unless(is_available(used.bench.cl, "clCloneKernel"), "requires OpenCL 2.1 (clCloneKernel)")
    kernel = used.create_kernel()
    clone = require_handle(used.bench.cl.clCloneKernel(kernel, OutputBuffer(1)))
    used.enqueue(clone)
    used.bench.finish()
    used.release(kernel, clone)


def _run_all_and_release(used: UsedProgram) -> None:
    outcome = used.bench.cl.clCreateKernelsInProgram(used.program, 1, OutputBuffer(1), OutputBuffer(1))
    for kernel in returned_handles(outcome, "kernels"):
        used.set_argument(kernel)
        used.enqueue(kernel)
        used.bench.finish()
        used.release(kernel)


USES: dict[str, Use] = {
    "finished and released": _finish_and_release,
    "released and finished": _release_and_finish,
    "waited for by an event": _wait_and_release,
    "read by a blocking call": _read_and_release,
    "run in two queues": _run_twice_and_release,
    "retained": _retain_and_release,
    "cloned": _clone_and_release,
    "created with all kernels": _run_all_and_release,
}
"""Maps descriptions to uses of a built program, after which no kernel of the program exists."""


@cases.declare_family
def builds_after_use() -> Iterator[TableCase]:
    """Yield an item for each use: a program is built and used repeatedly, each time with other options."""
    for words, use in USES.items():
        times = MANY_REPETITIONS if use is _finish_and_release else REPETITIONS
        yield cases.create_case(
            BUILT, f"after its kernel was {words}", build_and_use, use, times, others=(RUN, RELEASED)
        )


def build_and_use(bench: BuildKit, use: Use, times: int) -> None:
    """Build a program, use it, and build and use it again with other options, ``times`` times.

    What the kernel has written is read after the next build, so that the build follows the release immediately.
    """
    used = UsedProgram(bench)
    for number in range(1 + times):
        skip_unless(is_success(bench.build(used.program, f"-D FIRST={number}")), "the driver does not build the kernel")
        used.read()
        use(used)
    used.read()


@cases.declare(COMPILED, "after its kernel was finished and released", LINKED, RUN, RELEASED)
def compile_and_use(bench: BuildKit) -> None:
    """Build and use a program, then compile it, link the result, and use the linked program, repeatedly."""
    used = UsedProgram(bench)
    skip_unless(is_success(bench.build(used.program)), "the driver does not build the kernel")
    _finish_and_release(used)
    for number in range(REPETITIONS):
        bench.compile(used.program, f"-D FIRST={number}")
        used.read()
        _run_linked(used)


@cases.declare(LINKED, "after its kernel was finished and released", RUN, RELEASED)
def link_and_use(bench: BuildKit) -> None:
    """Compile a program once, and repeatedly link it and use the linked program, which is then released."""
    used = UsedProgram(bench)
    bench.compile(used.program, "-D SECOND=3")
    for _ in range(REPETITIONS):
        _run_linked(used)


def _run_linked(used: UsedProgram) -> None:
    """Link the compiled program, use the linked program, and release it."""
    linked = used.bench.link(used.program)
    skip_unless(linked is not None, "the driver does not link the program")
    kernel = used.create_kernel(linked)
    used.enqueue(kernel)
    used.bench.finish()
    used.release(kernel)
    used.read()
    used.bench.cl.clReleaseProgram(linked)


@cases.declare(BUILT, "from a binary, after its kernel was finished and released", RUN, RELEASED)
def build_binary_and_use(bench: BuildKit) -> None:
    """Build a program from a binary, use it, and build and use it again."""
    used = UsedProgram(bench)
    skip_unless(is_success(bench.build(used.program, "-D FIRST=4")), "the driver does not build the kernel")
    used.program = bench.program_from_bytes(bench.get_binary(used.program))
    for _ in range(REPETITIONS):
        skip_unless(is_success(bench.build(used.program)), "the driver does not build the program")
        used.read()
        _finish_and_release(used)
    used.read()
