"""Programs in all states: a machine draws creation, builds, compilation, linking, queries and releases (section 5.8).

The live objects are taken from the session's model, and the judge checks each call, so that the machine does not need
its own states.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from clconform.calls.values import Handle, HandleBytes, Items, OutputBuffer, Text
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.known_kernels import ELEMENT_BYTES
from clconform.oracles.model.programs import BinaryProgram, BuildState, BuiltInProgram, Program, SourceProgram
from clconform.oracles.model.sources import BREAKING, INVALID, PARTS, SIMPLE, include
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.suites.chapters.execution.kernels import HANDLE
from clconform.suites.chapters.notifications.waiting import awaited
from clconform.suites.chapters.programs.bench import Bench
from clconform.suites.machines import StateMachine
from clconform.suites.steps import one, succeeded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Outcome
    from clconform.oracles.model.contexts import ContextObject
    from clconform.runner.session.session import Session
    from clconform.suites.chapters.programs.bench import Listed

    _T = TypeVar("_T", bound=ContextObject)
MOST_PROGRAMS, MOST_KERNELS, MOST_BUILDS = 5, 4, 8
"""Maximum number of live programs and kernels, and of builds per example; compilers are slow."""
SOURCES = (
    ("add_index",),
    ("add_index", "copy_plus_one"),
    ("copy_plus_one",),
    ("caller",),
    ("definition",),
    ("caller", "definition"),
    ("breakable",),
)
"""Parts that programs consist of."""
OPTIONS = ("", None, "-w", "-cl-kernel-arg-info", "-D FIRST=1", "-D SECOND=a_word_of_this_build_only", f"-D {BREAKING}")
HEADER = "part"
"""Name of the header that a program may include, without its suffix."""
ODD = ((INVALID,), (include(f"{HEADER}.h"),))
"""Sources that do not compile, or not without a header."""
NO_KERNEL = "no_kernel_has_this_name"
ITEMS, ROOM = 8, 3
"""Work-items of a kernel enqueue, and array size for the kernels of a program, larger than any program needs."""


class States(StateMachine):
    """Programs of one context and their kernels.

    ``bench``: the kit that makes the calls; ``devices``: the devices of the context.
    """

    def __init__(self, cl: Session, devices: Callable[[Bench], Sequence[Handle]]) -> None:
        """Create the context of an example."""
        super().__init__()
        self.cl, self.over, self.builds = cl, False, 0
        self.stale: set[str] = set()
        cl.begin_example()
        self.bench = Bench(cl)
        self.devices: Sequence[Handle] = ()
        try:
            self.devices = devices(self.bench)
            self.bench.context = self.bench.new_context(*self.devices)
        except ExampleOverError:
            self.over = True

    # objects and conditions

    def attempt(self, act: Callable[[], object]) -> None:
        """Make calls unless the example is over; skip undefined calls and unsupported functions."""
        if self.over:
            return
        try:
            with suppress(pytest.skip.Exception, UndefinedCallError):
                act()
        except ExampleOverError:
            self.over = True

    def living(self, kind: type[_T]) -> list[_T]:
        """Return the objects of a type that the application may still use."""
        return [each for each in self.cl.model.of_kind(kind) if each.references > 0 and each.name not in self.stale]

    def pick(self, data: st.DataObject, kind: type[_T]) -> Handle:
        """Draw an object of a type."""
        return Handle(data.draw(st.sampled_from([each.name for each in self.living(kind)]), kind.__name__))

    def listed(self, data: st.DataObject) -> Listed:
        """Draw the devices of a build: NULL, or some of the devices in any order."""
        chosen = data.draw(st.lists(st.sampled_from(self.devices), max_size=len(self.devices), unique=True), "devices")
        return (len(chosen), Items(tuple(chosen))) if chosen else (0, None)

    def has_programs(self) -> bool:
        """Return whether a program exists."""
        return not self.over and bool(self.living(Program))

    def has_kernels(self) -> bool:
        """Return whether a kernel exists."""
        return not self.over and bool(self.living(Kernel))

    def may_make(self) -> bool:
        """Return whether another program may be created."""
        return not self.over and len(self.living(Program)) < MOST_PROGRAMS

    def may_build(self) -> bool:
        """Return whether another build may be made."""
        return self.has_programs() and self.builds < MOST_BUILDS

    # programs

    @initialize(data=st.data(), parts=st.sampled_from(SOURCES), compiled=st.booleans())
    def begin(self, data: st.DataObject, parts: tuple[str, ...], *, compiled: bool) -> None:
        """Create two programs, and build or compile the first one."""
        if self.over:
            return
        devices = self.listed(data)

        def act() -> None:
            program = self.bench.program_of(*(PARTS[part] for part in parts))
            if compiled:
                self.bench.compile(program, devices=devices)
            else:
                self.bench.build(program, devices=devices)
            self.bench.program_of(*(PARTS[part] for part in SIMPLE))

        self.attempt(act)

    @rule(sources=st.sampled_from((*(tuple(PARTS[part] for part in parts) for parts in SOURCES), *ODD)))
    @precondition(may_make)
    def make(self, sources: tuple[str, ...]) -> None:
        """Create a program of known parts, of invalid source, or of source that needs a header."""
        self.attempt(lambda: self.bench.program_of(*sources))

    @rule(data=st.data())
    @precondition(lambda self: self.may_make() and self.has_programs())
    def of_a_binary(self, data: st.DataObject) -> None:
        """Create a program from the binary of a program for a single device, or else one of a built-in kernel."""
        told = [each for each in self.living(Program) if len(each.devices) == 1 and self.holds_a_binary(each)]
        if told:
            by_name = {each.name: each.devices[0] for each in told}
            name = data.draw(st.sampled_from(list(by_name)), "binary of")
            device = Handle(by_name[name].name)
            self.attempt(lambda: self.bench.program_of_binary(self.bench.binary_of(Handle(name)), device))
        elif not self.living(BuiltInProgram):
            self.attempt(lambda: self.bench.program_of_built_in_kernels(1, self.devices[0]))

    @rule(data=st.data(), options=st.sampled_from(OPTIONS), told=st.sampled_from((False, False, True)))
    @precondition(may_build)
    def build(self, data: st.DataObject, options: str | None, *, told: bool) -> None:
        """Build a program, with or without a callback and existing kernels.

        A program from a binary is built with NULL options.
        """
        program = self.pick(data, Program)
        devices, known = self.listed(data), self.cl.model.get(Program, program)
        if isinstance(known, BinaryProgram):
            options = None
            if known.loaded is not BuildState.BUILT:
                return
        self.builds += 1
        callback = f"told{self.builds}" if told else ""
        attached = [each.name for each in self.living(Kernel) if each.program is known]
        freed = attached if data.draw(st.booleans(), "kernels released") else []

        def act() -> None:
            for kernel in freed:
                self.cl.clReleaseKernel(Handle(kernel))
            outcome = self.bench.build(program, options, callback, devices)
            self.mark_stale(known, outcome)
            if callback and succeeded(outcome):
                awaited(self.cl, name=callback)

        self.attempt(act)

    @rule(data=st.data(), options=st.sampled_from(OPTIONS))
    @precondition(may_build)
    def compile(self, data: st.DataObject, options: str | None) -> None:
        """Compile a program, with or without a header."""
        program, devices = self.pick(data, Program), self.listed(data)
        sources = [each.name for each in self.living(SourceProgram)]
        header = data.draw(st.sampled_from(["", *sources]), "header")
        headers = {HEADER: Handle(header)} if header else {}
        self.builds += 1
        known = self.cl.model.get(Program, program)
        self.attempt(lambda: self.mark_stale(known, self.bench.compile(program, options or "", devices, **headers)))

    def mark_stale(self, program: Program, outcome: Outcome) -> None:
        """Exclude a program that was built while its kernels existed; its state is unknown after this violation."""
        kernels = [each.name for each in self.living(Kernel) if each.program is program]
        if kernels and succeeded(outcome):
            self.stale.update(kernels, [program.name])

    @rule(data=st.data(), options=st.sampled_from(("", "", "-create-library")))
    @precondition(lambda self: self.may_build() and self.may_make())
    def link(self, data: st.DataObject, options: str) -> None:
        """Link one program or several; most of them are compiled."""
        ready = [each.name for each in self.living(Program) if self.is_compiled(each)]
        anything = not ready or bool(data.draw(st.sampled_from((0, 0, 1)), "anything"))
        names = [each.name for each in self.living(Program)] if anything else ready
        chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True), "programs")
        devices = self.listed(data)
        self.builds += 1
        self.attempt(lambda: self.bench.link(*map(Handle, chosen), options=options, devices=devices))

    @staticmethod
    def holds_a_binary(program: Program) -> bool:
        """Return whether a program has a build or compilation that did not fail."""
        return not {BuildState.NONE, BuildState.FAILED}.issuperset(each.state for each in program.builds.values())

    @staticmethod
    def is_compiled(program: Program) -> bool:
        """Return whether a program can be linked for some device."""
        return any(each.state in (BuildState.COMPILED, BuildState.LIBRARY) for each in program.builds.values())

    @rule(data=st.data())
    @precondition(has_programs)
    def tell(self, data: st.DataObject) -> None:
        """Query all build properties of a program for each device."""
        program = self.pick(data, Program)
        devices = [Handle(each.name) for each in self.cl.model.get(Program, program).devices]
        for device in devices:
            self.attempt(lambda device=device: self.bench.tell(program, device))  # type: ignore[misc]

    @rule(data=st.data(), more=st.sampled_from((True, True, False)))
    @precondition(has_programs)
    def retain_or_release(self, data: st.DataObject, *, more: bool) -> None:
        """Retain or release a program."""
        program = self.pick(data, Program)
        self.attempt(lambda: self.cl.clRetainProgram(program) if more else self.cl.clReleaseProgram(program))

    # kernels

    def may_make_kernels(self) -> bool:
        """Return whether another kernel may be created."""
        return self.has_programs() and len(self.living(Kernel)) < MOST_KERNELS

    def program_of_kernels(self, data: st.DataObject) -> Program:
        """Draw a program, preferably one with kernels."""
        living = self.living(Program)
        ready = [each for each in living if each.holds]
        chosen = ready if ready and data.draw(st.sampled_from((True, True, False)), "built ones") else living
        by_name = {each.name: each for each in chosen}
        return by_name[data.draw(st.sampled_from(list(by_name)), "program")]

    @rule(data=st.data(), gone=st.booleans())
    @precondition(may_make_kernels)
    def one_kernel(self, data: st.DataObject, *, gone: bool) -> None:
        """Create a kernel by its name or by an unknown name, use it, and possibly release it."""
        program = self.program_of_kernels(data)
        name = data.draw(st.sampled_from((*program.kernels * 2, NO_KERNEL)), "kernel_name")
        device = self.device_for(data, program)

        def act() -> None:
            kernel = one(self.cl.clCreateKernel(Handle(program.name), Text(name), OutputBuffer(1)))
            self.use(kernel, device)
            if gone:
                self.cl.clReleaseKernel(kernel)

        self.attempt(act)

    @rule(data=st.data())
    @precondition(may_make_kernels)
    def all_kernels(self, data: st.DataObject) -> None:
        """Create all kernels of a program."""
        program, room = Handle(self.program_of_kernels(data).name), OutputBuffer(ROOM)
        self.attempt(lambda: self.cl.clCreateKernelsInProgram(program, ROOM, room, OutputBuffer(1)))

    @rule(data=st.data())
    @precondition(has_kernels)
    def use_a_kernel(self, data: st.DataObject) -> None:
        """Query a kernel, and run it on a device that its program is built for."""
        kernel = self.pick(data, Kernel)
        device = self.device_for(data, self.cl.model.get(Kernel, kernel).program)
        self.attempt(lambda: self.use(kernel, device))

    def device_for(self, data: st.DataObject, program: Program | None) -> Handle | None:
        """Draw a device that a program is built for; None if there is none or an earlier build may be left."""
        built = [each.name for each in program.built] if program is not None and not program.may_be_left else []
        return Handle(data.draw(st.sampled_from(built), "device")) if built else None

    def use(self, kernel: Handle, device: Handle | None) -> None:
        """Query a kernel, and run it if it is a simple one."""
        for query in ("FUNCTION_NAME", "PROGRAM", "REFERENCE_COUNT"):
            self.cl.query("clGetKernelInfo", kernel, f"CL_KERNEL_{query}")
        title = self.cl.model.get(Kernel, kernel).title
        if title in SIMPLE and device is not None:
            self.see(kernel, title, device)

    def see(self, kernel: Handle, title: str, device: Handle) -> None:
        """Run a simple kernel on new buffers, which are released afterwards."""
        bench, size = self.bench, ELEMENT_BYTES * ITEMS
        queue = bench.once(("queue", device), lambda: bench.new_queue(device))
        buffers = [bench.buffer(size=size) for _ in range(1 + SIMPLE.index(title))]
        for index, buffer in enumerate(buffers):
            bench.write(buffer, 0, bytes(range(index, index + size)), queue)
            self.cl.clSetKernelArg(kernel, index, HANDLE, HandleBytes(buffer))
        given = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
        bench.enqueue("clEnqueueNDRangeKernel", queue=queue, kernel=kernel, global_work_size=Items((ITEMS,)), **given)
        bench.read(buffers[0], 0, size, queue)
        bench.finish(queue)
        for buffer in buffers:
            self.cl.clReleaseMemObject(buffer)

    @rule(data=st.data())
    @precondition(has_kernels)
    def release_a_kernel(self, data: st.DataObject) -> None:
        """Release a kernel, so that its program may be built again."""
        kernel = self.pick(data, Kernel)
        self.attempt(lambda: self.cl.clReleaseKernel(kernel))

    # teardown

    def teardown(self) -> None:
        """Query all programs once more, and release all objects."""
        for program in self.living(Program):
            for device in program.devices:
                self.attempt(lambda p=program, d=device: self.bench.tell(Handle(p.name), Handle(d.name)))  # type: ignore[misc]
        if not self.over:
            self.cl.finish_example()
