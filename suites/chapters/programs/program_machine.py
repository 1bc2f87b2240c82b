"""A state machine that creates, builds, compiles, links, queries and releases programs (section 5.8).

The live objects are taken from the session's model, and the judge checks each call, so that the machine does not need
its own states.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from clconform.calls.values import ElementList, Handle, HandleBytes, OutputBuffer, Text
from clconform.oracles.model.buffer_kernels import ELEMENT_BYTES
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.program_sources import BREAKING_MACRO, INVALID_LINE, PARTS, PORTABLE_KERNELS, include_line
from clconform.oracles.model.programs import BinaryProgram, BuildState, BuiltInProgram, Program, SourceProgram
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.suites.chapters.notifications.callbacks import await_callback
from clconform.suites.chapters.programs.build_kit import BuildKit
from clconform.suites.helpers import is_success, require_handle
from clconform.suites.state_machine_base import StateMachine

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from clconform.calls.call import Outcome
    from clconform.oracles.model.contexts import ContextObject
    from clconform.runner.session.session import Session
    from clconform.suites.chapters.programs.build_kit import Listed

    _T = TypeVar("_T", bound=ContextObject)
MAX_PROGRAMS, MAX_KERNELS, MAX_BUILDS = 5, 4, 8
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
"""The possible combinations of source parts in a program; a part is given by its name."""
OPTIONS = (
    "",
    None,
    "-w",
    "-cl-kernel-arg-info",
    "-D FIRST=1",
    "-D SECOND=a_word_of_this_build_only",
    f"-D {BREAKING_MACRO}",
)
HEADER = "part"
"""Name of a header that a program may include, without its suffix."""
UNUSUAL_SOURCES = ((INVALID_LINE,), (include_line(f"{HEADER}.h"),))
"""Sources that do not compile, or that compile only with a header."""
UNKNOWN_KERNEL = "no_kernel_has_this_name"
ITEMS, KERNEL_ARRAY_SIZE = 8, 3
"""Work-items of a kernel enqueue, and the array size for all kernels of a program, more than any program has."""


class ProgramMachine(StateMachine):
    """The programs of one context, and their kernels.

    ``kit``: the kit that makes the calls; ``devices``: the devices of the context.
    """

    def __init__(self, cl: Session, devices: Callable[[BuildKit], Sequence[Handle]]) -> None:
        """Create a context with these devices for one example."""
        super().__init__()
        self.cl, self.is_over, self.builds = cl, False, 0
        self.excluded: set[str] = set()
        cl.begin_example()
        self.kit = BuildKit(cl)
        self.devices: Sequence[Handle] = ()
        try:
            self.devices = devices(self.kit)
            self.kit.context = self.kit.new_context(*self.devices)
        except ExampleOverError:
            self.is_over = True

    # objects and conditions

    def try_calls(self, act: Callable[[], object]) -> None:
        """Make calls unless the example is over; skip undefined calls and unsupported functions."""
        if self.is_over:
            return
        try:
            with suppress(pytest.skip.Exception, UndefinedCallError):
                act()
        except ExampleOverError:
            self.is_over = True

    def get_live_objects(self, kind: type[_T]) -> list[_T]:
        """Return the objects of a type that the application may still use."""
        return [
            each
            for each in self.cl.model.objects_of_class(kind)
            if each.references > 0 and each.name not in self.excluded
        ]

    def pick_handle(self, data: st.DataObject, kind: type[_T]) -> Handle:
        """Draw a live object of a type."""
        return Handle(data.draw(st.sampled_from([each.name for each in self.get_live_objects(kind)]), kind.__name__))

    def draw_devices(self, data: st.DataObject) -> Listed:
        """Draw the device list of a build: NULL, or some devices of the context in any order."""
        chosen = data.draw(st.lists(st.sampled_from(self.devices), max_size=len(self.devices), unique=True), "devices")
        return (len(chosen), ElementList(tuple(chosen))) if chosen else (0, None)

    def has_programs(self) -> bool:
        """Return whether a live program exists."""
        return not self.is_over and bool(self.get_live_objects(Program))

    def has_kernels(self) -> bool:
        """Return whether a live kernel exists."""
        return not self.is_over and bool(self.get_live_objects(Kernel))

    def may_create(self) -> bool:
        """Return whether another program may be created."""
        return not self.is_over and len(self.get_live_objects(Program)) < MAX_PROGRAMS

    def may_build(self) -> bool:
        """Return whether another build may be made."""
        return self.has_programs() and self.builds < MAX_BUILDS

    # programs

    @initialize(data=st.data(), parts=st.sampled_from(SOURCES), compiled=st.booleans())
    def begin(self, data: st.DataObject, parts: tuple[str, ...], *, compiled: bool) -> None:
        """Create two programs, and build or compile the first one."""
        if self.is_over:
            return
        devices = self.draw_devices(data)

        def act() -> None:
            program = self.kit.program_from_source(*(PARTS[part] for part in parts))
            if compiled:
                self.kit.compile(program, devices=devices)
            else:
                self.kit.build(program, devices=devices)
            self.kit.program_from_source(*(PARTS[part] for part in PORTABLE_KERNELS))

        self.try_calls(act)

    @rule(sources=st.sampled_from((*(tuple(PARTS[part] for part in parts) for parts in SOURCES), *UNUSUAL_SOURCES)))
    @precondition(may_create)
    def create_program(self, sources: tuple[str, ...]) -> None:
        """Create a program of known parts, of invalid source, or of source that needs a header."""
        self.try_calls(lambda: self.kit.program_from_source(*sources))

    @rule(data=st.data())
    @precondition(lambda self: self.may_create() and self.has_programs())
    def create_from_binary(self, data: st.DataObject) -> None:
        """Create a program from the binary of a program with one device, or else from a built-in kernel."""
        told = [each for each in self.get_live_objects(Program) if len(each.devices) == 1 and self.has_binary(each)]
        if told:
            by_name = {each.name: each.devices[0] for each in told}
            name = data.draw(st.sampled_from(list(by_name)), "binary of")
            device = Handle(by_name[name].name)
            self.try_calls(lambda: self.kit.program_from_bytes(self.kit.get_binary(Handle(name)), device))
        elif not self.get_live_objects(BuiltInProgram):
            self.try_calls(lambda: self.kit.program_from_built_in_kernels(1, self.devices[0]))

    @rule(data=st.data(), options=st.sampled_from(OPTIONS), told=st.sampled_from((False, False, True)))
    @precondition(may_build)
    def build(self, data: st.DataObject, options: str | None, *, told: bool) -> None:
        """Build a program, with or without a callback, and with or without existing kernels.

        ``told``: whether there is a callback. A program from a binary is built with NULL options.
        """
        program = self.pick_handle(data, Program)
        devices, known = self.draw_devices(data), self.cl.model.get(Program, program)
        if isinstance(known, BinaryProgram):
            options = None
            if known.saved_state is not BuildState.BUILT:
                return
        self.builds += 1
        callback = f"told{self.builds}" if told else ""
        attached = [each.name for each in self.get_live_objects(Kernel) if each.program is known]
        freed = attached if data.draw(st.booleans(), "kernels released") else []

        def act() -> None:
            for kernel in freed:
                self.cl.clReleaseKernel(Handle(kernel))
            outcome = self.kit.build(program, options, callback, devices)
            self.exclude_if_undefined(known, outcome)
            if callback and is_success(outcome):
                await_callback(self.cl, name=callback)

        self.try_calls(act)

    @rule(data=st.data(), options=st.sampled_from(OPTIONS))
    @precondition(may_build)
    def compile(self, data: st.DataObject, options: str | None) -> None:
        """Compile a program, with or without a header."""
        program, devices = self.pick_handle(data, Program), self.draw_devices(data)
        sources = [each.name for each in self.get_live_objects(SourceProgram)]
        header = data.draw(st.sampled_from(["", *sources]), "header")
        headers = {HEADER: Handle(header)} if header else {}
        self.builds += 1
        known = self.cl.model.get(Program, program)
        self.try_calls(
            lambda: self.exclude_if_undefined(known, self.kit.compile(program, options or "", devices, **headers))
        )

    def exclude_if_undefined(self, program: Program, outcome: Outcome) -> None:
        """Exclude a program from later calls if it was built while its kernels existed.

        The state of such a program is unknown.
        """
        kernels = [each.name for each in self.get_live_objects(Kernel) if each.program is program]
        if kernels and is_success(outcome):
            self.excluded.update(kernels, [program.name])

    @rule(data=st.data(), options=st.sampled_from(("", "", "-create-library")))
    @precondition(lambda self: self.may_build() and self.may_create())
    def link(self, data: st.DataObject, options: str) -> None:
        """Link one or several programs, most of which are compiled."""
        ready = [each.name for each in self.get_live_objects(Program) if self.is_compiled(each)]
        anything = not ready or bool(data.draw(st.sampled_from((0, 0, 1)), "anything"))
        names = [each.name for each in self.get_live_objects(Program)] if anything else ready
        chosen = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3, unique=True), "programs")
        devices = self.draw_devices(data)
        self.builds += 1
        self.try_calls(lambda: self.kit.link(*map(Handle, chosen), options=options, devices=devices))

    @staticmethod
    def has_binary(program: Program) -> bool:
        """Return whether a program has a build or compilation that did not fail."""
        return not {BuildState.NONE, BuildState.FAILED}.issuperset(each.state for each in program.builds.values())

    @staticmethod
    def is_compiled(program: Program) -> bool:
        """Return whether a program can be linked for at least one device."""
        return any(each.state in (BuildState.COMPILED, BuildState.LIBRARY) for each in program.builds.values())

    @rule(data=st.data())
    @precondition(has_programs)
    def query_program(self, data: st.DataObject) -> None:
        """Query all build properties of a program for each device."""
        program = self.pick_handle(data, Program)
        devices = [Handle(each.name) for each in self.cl.model.get(Program, program).devices]
        for device in devices:
            self.try_calls(lambda device=device: self.kit.query_program(program, device))  # type: ignore[misc]

    @rule(data=st.data(), more=st.sampled_from((True, True, False)))
    @precondition(has_programs)
    def retain_or_release(self, data: st.DataObject, *, more: bool) -> None:
        """Retain or release a program."""
        program = self.pick_handle(data, Program)
        self.try_calls(lambda: self.cl.clRetainProgram(program) if more else self.cl.clReleaseProgram(program))

    # kernels

    def may_create_kernels(self) -> bool:
        """Return whether another kernel may be created."""
        return self.has_programs() and len(self.get_live_objects(Kernel)) < MAX_KERNELS

    def draw_program(self, data: st.DataObject) -> Program:
        """Draw a program, usually one with kernels."""
        living = self.get_live_objects(Program)
        ready = [each for each in living if each.available_kernels]
        chosen = ready if ready and data.draw(st.sampled_from((True, True, False)), "built ones") else living
        by_name = {each.name: each for each in chosen}
        return by_name[data.draw(st.sampled_from(list(by_name)), "program")]

    @rule(data=st.data(), gone=st.booleans())
    @precondition(may_create_kernels)
    def create_kernel(self, data: st.DataObject, *, gone: bool) -> None:
        """Create a kernel by its name or by an unknown name, and use it.

        ``gone``: whether the kernel is released afterwards.
        """
        program = self.draw_program(data)
        name = data.draw(st.sampled_from((*program.kernels * 2, UNKNOWN_KERNEL)), "kernel_name")
        device = self.draw_device(data, program)

        def act() -> None:
            kernel = require_handle(self.cl.clCreateKernel(Handle(program.name), Text(name), OutputBuffer(1)))
            self.use_kernel(kernel, device)
            if gone:
                self.cl.clReleaseKernel(kernel)

        self.try_calls(act)

    @rule(data=st.data())
    @precondition(may_create_kernels)
    def create_all_kernels(self, data: st.DataObject) -> None:
        """Create all kernels of a program."""
        program, room = Handle(self.draw_program(data).name), OutputBuffer(KERNEL_ARRAY_SIZE)
        self.try_calls(lambda: self.cl.clCreateKernelsInProgram(program, KERNEL_ARRAY_SIZE, room, OutputBuffer(1)))

    @rule(data=st.data())
    @precondition(has_kernels)
    def use_existing_kernel(self, data: st.DataObject) -> None:
        """Query a kernel, and run it on a device for which its program is built."""
        kernel = self.pick_handle(data, Kernel)
        device = self.draw_device(data, self.cl.model.get(Kernel, kernel).program)
        self.try_calls(lambda: self.use_kernel(kernel, device))

    def draw_device(self, data: st.DataObject, program: Program | None) -> Handle | None:
        """Draw a device for which a program is built.

        The result is None if there is no such device, or if the executable of an earlier build may remain.
        """
        built = (
            [each.name for each in program.built_devices]
            if program is not None and not program.may_keep_executable
            else []
        )
        return Handle(data.draw(st.sampled_from(built), "device")) if built else None

    def use_kernel(self, kernel: Handle, device: Handle | None) -> None:
        """Query a kernel, and run it if its arguments are simple."""
        for query in ("FUNCTION_NAME", "PROGRAM", "REFERENCE_COUNT"):
            self.cl.query("clGetKernelInfo", kernel, f"CL_KERNEL_{query}")
        title = self.cl.model.get(Kernel, kernel).function_name
        if title in PORTABLE_KERNELS and device is not None:
            self.run_kernel(kernel, title, device)

    def run_kernel(self, kernel: Handle, title: str, device: Handle) -> None:
        """Run a kernel with simple arguments on new buffers, and release the buffers."""
        bench, size = self.kit, ELEMENT_BYTES * ITEMS
        queue = bench.get_cached(("queue", device), lambda: bench.new_queue(device))
        buffers = [bench.buffer(size=size) for _ in range(1 + PORTABLE_KERNELS.index(title))]
        for index, buffer in enumerate(buffers):
            bench.write(buffer, 0, bytes(range(index, index + size)), queue)
            self.cl.clSetKernelArg(kernel, index, self.cl.model.pointer_bytes, HandleBytes(buffer))
        given = {"work_dim": 1, "global_work_offset": None, "local_work_size": None}
        bench.enqueue(
            "clEnqueueNDRangeKernel", queue=queue, kernel=kernel, global_work_size=ElementList((ITEMS,)), **given
        )
        bench.read(buffers[0], 0, size, queue)
        bench.finish(queue)
        for buffer in buffers:
            self.cl.clReleaseMemObject(buffer)

    @rule(data=st.data())
    @precondition(has_kernels)
    def release_kernel(self, data: st.DataObject) -> None:
        """Release a kernel, so that its program may be built again."""
        kernel = self.pick_handle(data, Kernel)
        self.try_calls(lambda: self.cl.clReleaseKernel(kernel))

    # teardown

    def teardown(self) -> None:
        """Query all programs, and release all objects."""
        for program in self.get_live_objects(Program):
            for device in program.devices:
                self.try_calls(lambda p=program, d=device: self.kit.query_program(Handle(p.name), Handle(d.name)))  # type: ignore[misc]
        if not self.is_over:
            self.cl.finish_example()
