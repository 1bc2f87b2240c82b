"""Objects that completed commands have used: once the application has released them, they are deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.release_functions import RELEASE_FUNCTIONS
from clconform.calls.values import Data, ElementList, Handle, HostCallback, OutputBuffer
from clconform.oracles.chapters.command_buffers.equivalent_calls import RECORDING_FUNCTIONS
from clconform.oracles.chapters.notifications.pending_callbacks import PATIENCE_MS
from clconform.oracles.model.command_buffer_state import CommandBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.image_kernels import ImageOperation
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.programs import Program
from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.runner.session.cleanup import completion_calls, release_calls
from clconform.runner.session.outcome_values import returned_handles
from clconform.spec_tables import load
from clconform.suites.chapters.amd_bus_memory.devices import get_bus_devices
from clconform.suites.chapters.execution.kernels import set_arguments
from clconform.suites.chapters.images.kernel_kit import ImageKit
from clconform.suites.helpers import is_available, is_success, skip_unless
from clconform.suites.kit.images import RGBA8
from clconform.suites.kit.memory import SIZE, native_kernel_arguments
from clconform.suites.kit.valid_calls import all_valid_calls
from clconform.suites.lifetime.command_objects import (
    KERNELS,
    MAP_COMMANDS,
    OF_CONTEXT,
    OF_MEMORY,
    Moment,
    blocking_parameters,
    enqueue_functions,
    moments_of,
    takes_memory,
    varied_moment,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Value
    from clconform.runner.session.session import Session
    from clconform.spec_tables.requirements import Function
    from clconform.suites.kit.kit import Kit

    Changes = dict[str, Value]

NAME = "lifetime.after_commands"
MEMORY, PROGRAM, CONTEXT = "memory", "program", "context"
"""The names of the destructor callbacks."""
WAIT_LIST = ("num_events_in_wait_list", "event_wait_list")
RETAINING_TYPES = ("cl_command_buffer_khr", "cl_kernel", "cl_program", "cl_sampler")
"""The handle types of objects that may keep memory objects, and are released before them."""
UNGATED = ("clEnqueueSignalSemaphoresKHR", "clEnqueueWaitSemaphoresKHR")
"""Commands that must not wait for a user event: a wait for a semaphore needs a signal that can be executed."""
BUS_COMMANDS = ("clEnqueueMakeBuffersResidentAMD", "clEnqueueWaitSignalAMD", "clEnqueueWriteSignalAMD")
"""Commands that need a context of two devices; their buffers cannot be sub-buffers."""
BUFFER_PARAMETERS = ("buffer", "src_buffer", "dst_buffer")


class ReleasedObjects:
    """The objects of an item. The application releases them, and waits for the callbacks of their deletion."""

    def __init__(self, cl: Session) -> None:
        """Register callbacks for the memory objects, programs and contexts of the item; skip if the driver has none."""
        self.cl = cl
        self.memory = self._register("clSetMemObjectDestructorCallback", MemoryObject, MEMORY)
        self.programs = self._register("clSetProgramReleaseCallback", Program, PROGRAM)
        self.contexts = self._register("clSetContextDestructorCallback", Context, CONTEXT)
        skip_unless(
            self.memory or self.programs or self.contexts, "no callback reports the deletion of the command's objects"
        )

    def _register(self, function: str, kind: type[Context | MemoryObject | Program], name: str) -> int:
        """Register a callback for each object of a class, and return the number of successful registrations."""
        if not is_available(self.cl, function):
            return 0
        objects = [Handle(each.name) for each in self.cl.model.objects_of_class(kind)]
        return sum(is_success(getattr(self.cl, function)(each, HostCallback(name), None)) for each in objects)

    def release(self, *types: str) -> None:
        """Release all objects of these handle types, or of all types if none is given."""
        chosen = {RELEASE_FUNCTIONS[each] for each in types or RELEASE_FUNCTIONS}
        if "void*" in types or not types:
            chosen.add("clMemFreeINTEL")
        for call in list(release_calls(self.cl.model)):
            if call.function in chosen:
                self.cl.call(call)

    def complete(self) -> None:
        """Complete all commands: set user events, finish queues, and unmap regions."""
        while (call := next(completion_calls(self.cl.model), None)) is not None:
            if not is_success(self.cl.call(call)):
                break

    def release_and_await(self) -> None:
        """Release the memory objects and wait for their callbacks; then release the remaining objects likewise.

        Queues and the context still exist when the memory objects must be deleted. Events do not: the documents do not
        state whether the event of a completed command may keep the objects that the command has used.
        """
        self.release("cl_event", *RETAINING_TYPES, "cl_mem")
        if self._await(MEMORY, self.memory) and self._await(PROGRAM, self.programs):
            self.release()
            self._await(CONTEXT, self.contexts)

    def _await(self, name: str, count: int) -> bool:
        """Wait for a callback, and return whether it was called ``count`` times."""
        if not count:
            return True
        outcome = self.cl.host_await(HostCallback(name), count, PATIENCE_MS)
        return isinstance(outcome, Returned) and isinstance(outcome.value, int) and outcome.value >= count


def list_complete_events(kit: Kit) -> tuple[int, ElementList]:
    """Return the length of a wait list, and the list: a complete user event and the event of another command."""
    events = (kit.event(), kit.command_event())
    kit.cl.clFlush(kit.queue)
    return len(events), ElementList(events)


def release_after_command(cl: Session, function: str, moment: Moment, vary: Callable[[ImageKit], Changes]) -> None:
    """Enqueue a command, release all objects at the given time, and wait until they are deleted.

    A command whose objects are released before its end waits for a user event, which is set before the releases: the
    application must not release objects earlier. Other commands wait for complete events.
    """
    kit = ImageKit(cl)
    if function in BUS_COMMANDS:
        kit.context = get_bus_devices(kit).context
    described = cl.tables.functions[function]
    blocking = int(moment is Moment.BLOCKING)
    changes = {**dict.fromkeys(blocking_parameters(described), blocking), **vary(kit)}
    gate = kit.gate() if moment is Moment.UNFINISHED and function not in UNGATED else None
    if WAIT_LIST[0] in {parameter.name for parameter in described.parameters}:
        wait_list = gate.wait_list if gate is not None else list_complete_events(kit)
        changes |= dict(zip(WAIT_LIST, wait_list, strict=True))
    outcome = kit.call(function, **changes)
    skip_unless(is_success(outcome) or returned_handles(outcome), "the driver does not enqueue the command")
    objects = ReleasedObjects(cl)
    events = returned_handles(outcome, "event")
    if gate is not None:
        gate.open()
    if moment is Moment.UNFINISHED:
        objects.release(*RETAINING_TYPES, *(() if function in MAP_COMMANDS else ("cl_mem",)))
        for listed in gate.wait_list[1].values if gate is not None else ():
            if isinstance(listed, Handle):
                cl.clReleaseEvent(listed)
        if events:
            cl.clWaitForEvents(len(events), ElementList(tuple(events)))
    else:
        objects.release("cl_event")
    objects.complete()
    objects.release_and_await()


def release_after_recording(cl: Session, function: str, moment: Moment, vary: Callable[[ImageKit], Changes]) -> None:
    """Record a command, release all objects at the given time, and wait until they are deleted.

    The command-buffer is enqueued once, or never. It retains the objects of its commands, except the arguments of
    kernels, which the application must keep until it releases the command-buffer.
    """
    kit = ImageKit(cl)
    skip_unless(is_success(kit.call(function, **vary(kit))), "the driver does not record the command")
    (recorded,) = (Handle(each.name) for each in cl.model.objects_of_class(CommandBuffer))
    cl.clFinalizeCommandBufferKHR(recorded)
    objects = ReleasedObjects(cl)
    if moment is Moment.RECORDED:
        objects.release("cl_kernel", "cl_program", *(() if function in KERNELS else ("cl_mem",)))
    if moment is not Moment.NEVER_ENQUEUED:
        count, events = list_complete_events(kit)
        outcome = cl.clEnqueueCommandBufferKHR(0, None, recorded, count, events, OutputBuffer(1))
        skip_unless(is_success(outcome), "the driver does not run the command-buffer")
    objects.complete()
    objects.release_and_await()


# variations of the objects


def use_valid_call(kit: Kit) -> Changes:
    """Use the objects of the valid call."""
    del kit
    return {}


def use_regions(function: str) -> Callable[[ImageKit], Changes]:
    """Return a function that replaces the buffers of a call by sub-buffers of other buffers."""
    names = [each.name for each in load().functions[function].parameters if each.name in BUFFER_PARAMETERS]

    def vary(kit: Kit) -> Changes:
        return {name: kit.sub_buffer(kit.buffer(), 0, SIZE) for name in names}

    return vary


def use_image_and_sampler(kit: ImageKit) -> Changes:
    """Use a kernel with an image, a sampler and a buffer as its arguments."""
    image, sampler = kit.image(), kit.sampler(addressing="CL_ADDRESS_CLAMP_TO_EDGE")
    kernel = kit.get_image_kernel(ImageOperation.SAMPLE, "CL_MEM_OBJECT_IMAGE2D", RGBA8)
    return {"kernel": set_arguments(kit, kernel, image, sampler, kit.buffer(size=SIZE * 8))}


def use_shared_memory(kit: Kit) -> Changes:
    """Use a kernel with an SVM pointer as its argument."""
    memory, kernel = kit.svm(), kit.kernel("add_index")
    kit.cl.clEnqueueSVMMemFill(kit.queue, memory, Data(bytes(4)), 4, SIZE, 0, None, None)
    kit.cl.clSetKernelArgSVMPointer(kernel, 0, memory)
    return {"kernel": kernel}


def use_buffers(kit: Kit) -> Changes:
    """Use a native kernel with two buffers."""
    return native_kernel_arguments(kit, kit.buffer(), kit.buffer())


def use_free_callback(kit: Kit) -> Changes:
    """Free SVM with a callback, which does not free it; the application frees it afterwards."""
    del kit
    return {"pfn_free_func": HostCallback("free")}


VARIATIONS: dict[str, dict[str, Callable[[ImageKit], Changes]]] = {
    **{
        function: {"an image and a sampler": use_image_and_sampler, "shared memory": use_shared_memory}
        for function in KERNELS
    },
    "clEnqueueNativeKernel": {"two buffers": use_buffers},
    "clEnqueueSVMFree": {"a callback": use_free_callback},
}
"""For each function, the further objects that its command uses, with the functions that create them."""


def cases() -> Iterator[TableCase]:
    """Yield items for each function that enqueues or records a command, and for each time of the releases."""
    for function in enqueue_functions():
        if function not in all_valid_calls():
            continue
        described = load().functions[function]
        act = release_after_recording if function in RECORDING_FUNCTIONS else release_after_command
        requirements = (OF_CONTEXT, *([OF_MEMORY] if takes_memory(described) else []))
        moments = [("", use_valid_call, moment) for moment in moments_of(described)]
        further = [(f"{words}, ", vary, varied_moment(described)) for words, vary in variations_of(described).items()]
        for words, vary, moment in (*moments, *further):
            test_value = f"nothing is kept: {words}{moment.value}"
            yield TableCase(f"{function}/success", test_value, bind_action(act, function, moment, vary), requirements)


def variations_of(function: Function) -> dict[str, Callable[[ImageKit], Changes]]:
    """Map further objects that a command may use to the functions that create them."""
    on_bus = function.name in BUS_COMMANDS
    regions = not on_bus and any(parameter.name in BUFFER_PARAMETERS for parameter in function.parameters)
    return {"regions": use_regions(function.name)} if regions else VARIATIONS.get(function.name, {})


test_completed_commands_keep_no_objects = TableTest(cases)
