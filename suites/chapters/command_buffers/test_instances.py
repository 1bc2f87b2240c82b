"""Effects of command-buffers that run once, repeatedly, concurrently and on other queues, and their states (5.17)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, HandleBytes
from clconform.oracles.chapters.command_buffers.equivalent_calls import BARRIER, EQUIVALENTS, INHERITING_FUNCTIONS
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Effect
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.command_buffers.negative_cases import SIMULTANEOUS, has_capability
from clconform.suites.chapters.command_buffers.recorder import (
    ENQUEUE,
    IN_ORDER,
    OUT_OF_ORDER,
    QUEUE_CONFIGS,
    TWO_QUEUES,
    CommandBufferRecorder,
)
from clconform.suites.chapters.execution.range_kit import KernelRange, RangeKit
from clconform.suites.chapters.images.valid_calls import START, WHOLE
from clconform.suites.chapters.notifications.callbacks import (
    await_callback,
    check_not_called,
    register_destructor_callback,
)
from clconform.suites.chapters.svm.valid_calls import allocate_shared
from clconform.suites.common.waiting import waiting_cases
from clconform.suites.helpers import skip_unless
from clconform.suites.kit.images import IMAGE_OF_BUFFER, PIXEL_BYTES, WIDTH
from clconform.suites.kit.memory import HALF, SIZE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle, Value

NAME = "command_buffers.instances"
FILL, COPY, RECTANGLE = "clCommandFillBufferKHR", "clCommandCopyBufferKHR", "clCommandCopyBufferRectKHR"
TO_IMAGE, IMAGES, FROM_IMAGE = "clCommandCopyBufferToImageKHR", "clCommandCopyImageKHR", "clCommandCopyImageToBufferKHR"
FILL_IMAGE, RECORD_KERNEL = "clCommandFillImageKHR", "clCommandNDRangeKernelKHR"
SHARED_COPY, SHARED_FILL = "clCommandSVMMemcpyKHR", "clCommandSVMMemFillKHR"
RUN = "clEnqueueCommandBufferKHR/success"
STATE = "CL_COMMAND_BUFFER_STATE_KHR"
QUERY = "clGetCommandBufferInfoKHR"
ITEMS = 64
ROW = WIDTH * PIXEL_BYTES
PATTERN, OTHER = (Data(bytes(range(first, first + 4))) for first in (0x11, 0x21))
STATES = ("RECORDING", "EXECUTABLE", "PENDING")
RECORDING, EXECUTABLE, PENDING = (f"CL_COMMAND_BUFFER_STATE_{name}_KHR" for name in STATES)


class RangeRecorder(CommandBufferRecorder, RangeKit):
    """A recorder with kernels over ranges."""


cases = CaseRegistry(RangeRecorder)
test_command_buffers_run_recorded_commands = TableTest(lambda: [*cases(), *waiting_cases((ENQUEUE,))])


# commands after other commands


def _record_fill(
    kit: RangeRecorder, buffer: Handle, pattern: Data = PATTERN, *, offset: int = 0, size: int = SIZE
) -> None:
    kit.record(FILL, buffer=buffer, pattern=pattern, pattern_size=4, offset=offset, size=size)


def _record_kernel(kit: RangeRecorder, buffer: Handle, kernel: Handle | None = None, **given: Value) -> Handle:
    """Record a kernel command of ``add_index`` over the first elements of a buffer, and return the kernel."""
    known = kernel or kit.kernel("add_index")
    kit.cl.clSetKernelArg(known, 0, kit.pointer_bytes, HandleBytes(buffer))
    sizes: dict[str, Value] = {
        "global_work_offset": None,
        "global_work_size": ElementList((ITEMS,)),
        "local_work_size": None,
    }
    kit.record(RECORD_KERNEL, kernel=known, work_dim=1, **{**sizes, **given})
    return known


def _record_image_fill(kit: RangeRecorder, image: Handle, number: int) -> None:
    kit.record(FILL_IMAGE, image=image, fill_color=Data(bytes([number, 0, 0, 0] * 4)), origin=START, region=WHOLE)


def _copy_buffer(kit: RangeRecorder) -> None:
    source, target = kit.create_filled_buffer(SIZE, seed=1), kit.create_filled_buffer(SIZE, seed=2)
    _record_fill(kit, source, size=HALF)
    kit.record(COPY, src_buffer=source, dst_buffer=target, src_offset=0, dst_offset=0, size=SIZE)
    _run_twice(kit, kit.read_whole, target)


def _copy_rectangle(kit: RangeRecorder) -> None:
    source, target = kit.create_filled_buffer(SIZE, seed=3), kit.create_filled_buffer(SIZE, seed=4)
    _record_fill(kit, source, offset=HALF, size=64)
    origins: dict[str, Value] = {"src_origin": ElementList((5, 1, 1)), "dst_origin": ElementList((1, 2, 0))}
    pitches: dict[str, Value] = {
        "src_row_pitch": 64,
        "src_slice_pitch": 64 * 16,
        "dst_row_pitch": 32,
        "dst_slice_pitch": 32 * 20,
    }
    region = ElementList((17, 9, 3))
    kit.record(RECTANGLE, src_buffer=source, dst_buffer=target, region=region, **origins, **pitches)
    _run_twice(kit, kit.read_whole, target)


def _copy_to_image(kit: RangeRecorder) -> None:
    source, target = kit.create_filled_buffer(SIZE, seed=5), kit.image()
    _record_fill(kit, source, size=64)
    kit.record(TO_IMAGE, src_buffer=source, dst_image=target, src_offset=0, dst_origin=START, region=WHOLE)
    _run_twice(kit, kit.read_image, target)


def _copy_images(kit: RangeRecorder) -> None:
    source, target = kit.image(), kit.image()
    _record_image_fill(kit, source, 7)
    kit.record(IMAGES, src_image=source, dst_image=target, src_origin=START, dst_origin=START, region=WHOLE)
    _run_twice(kit, kit.read_image, target)


def _copy_from_image(kit: RangeRecorder) -> None:
    source, target = kit.image(), kit.create_filled_buffer(SIZE, seed=6)
    _record_image_fill(kit, source, 9)
    kit.record(FROM_IMAGE, src_image=source, dst_buffer=target, src_origin=START, region=WHOLE, dst_offset=0)
    _run_twice(kit, kit.read_whole, target)


def _fill_buffer(kit: RangeRecorder) -> None:
    buffer = kit.create_filled_buffer(SIZE, "CL_MEM_READ_ONLY", seed=7)
    _record_fill(kit, buffer)
    _record_fill(kit, buffer, OTHER, offset=HALF, size=64)
    _run_twice(kit, kit.read_whole, buffer)


def _fill_image(kit: RangeRecorder) -> None:
    image = kit.image(flags=("CL_MEM_READ_ONLY",))
    _record_image_fill(kit, image, 1)
    _record_image_fill(kit, image, 2)
    _run_twice(kit, kit.read_image, image)


def _run_kernel(kit: RangeRecorder) -> None:
    buffer = kit.create_filled_buffer(SIZE, seed=8)
    _record_fill(kit, buffer)
    _record_kernel(kit, buffer)
    _run_twice(kit, kit.read_whole, buffer)


def _copy_svm(kit: RangeRecorder) -> None:
    skip_unless(kit.has_svm(), "the device has no shared virtual memory")
    source, target = allocate_shared(kit), allocate_shared(kit)
    kit.record(SHARED_FILL, svm_ptr=source, pattern=PATTERN, pattern_size=4, size=SIZE)
    kit.record(SHARED_COPY, dst_ptr=target, src_ptr=source, size=SIZE)
    _run_twice(kit, kit.read_shared, target)


def _fill_svm(kit: RangeRecorder) -> None:
    skip_unless(kit.has_svm(), "the device has no shared virtual memory")
    memory = allocate_shared(kit)
    kit.record(SHARED_FILL, svm_ptr=memory, pattern=PATTERN, pattern_size=4, size=SIZE)
    kit.record(SHARED_FILL, svm_ptr=memory, pattern=OTHER, pattern_size=4, size=HALF)
    _run_twice(kit, kit.read_shared, memory)


def _run_twice(kit: RangeRecorder, read: Callable[[Handle], None], memory: Handle) -> None:
    """Run the command-buffer twice, and read ``memory`` with ``read`` after each run."""
    kit.finalize()
    for _ in range(2):
        kit.run()
        read(memory)


STEPS: dict[str, Callable[[RangeRecorder], None]] = {
    COPY: _copy_buffer,
    RECTANGLE: _copy_rectangle,
    TO_IMAGE: _copy_to_image,
    IMAGES: _copy_images,
    FROM_IMAGE: _copy_from_image,
    FILL: _fill_buffer,
    FILL_IMAGE: _fill_image,
    RECORD_KERNEL: _run_kernel,
    SHARED_COPY: _copy_svm,
    SHARED_FILL: _fill_svm,
}
"""The steps for each recording function.

They record another command, record the function's command so that it depends on that command, and run both.
"""
TOPICS = (
    "waits-for-sync-points",
    "wait-list-reusable",
    "usage-flags-ignored",
    "copies-rect-region",
    "rect-offset-computation",
    "rect-copy-layout",
    "fill-region-with-pattern",
    "pattern-reusable-on-return",
    "unique-global-ids",
    "global-id-from-offset",
)


def _record_on(kit: RangeRecorder, queue_config: str, steps: Callable[[RangeRecorder], None]) -> None:
    kit.begin(queue_config)
    steps(kit)


@cases.declare_family
def dependent_commands() -> Iterator[TableCase]:
    """Yield an item for each function and queue configuration: its command depends on an earlier command."""
    for function in INHERITING_FUNCTIONS:
        effects = [each for each in load().requirements_of(function) if isinstance(each, Effect)]
        aims = tuple(each.id for each in effects if each.topic in TOPICS)
        for way in QUEUE_CONFIGS:
            words = f"after another command, {way}"
            others = (*aims, f"{EQUIVALENTS[function]}/success", RUN, "OpenCL:command-buffers/1")
            yield cases.create_case(f"{function}/success", words, _record_on, way, STEPS[function], others=others)


OF_BUFFERS = (TO_IMAGE, IMAGES, FROM_IMAGE, FILL_IMAGE)


def _record_on_buffer_images(kit: RangeRecorder, function: str, *, listed: bool) -> None:
    """Record a fill of a buffer and a command on an image created from the buffer, and read the result.

    ``listed``: the command waits for the fill's sync-point. The queue is always in-order.
    """
    kit.begin()
    source, target = kit.create_filled_buffer(ROW, seed=28), kit.create_filled_buffer(ROW, seed=29)
    row = ElementList((WIDTH, 1, 1))
    _record_fill(kit, source, size=ROW)
    images: dict[str, Value] = {
        "src_image": kit.image(IMAGE_OF_BUFFER, source=source),
        "dst_image": kit.image(IMAGE_OF_BUFFER, source=target),
        "image": kit.image(IMAGE_OF_BUFFER, source=target),
        "src_buffer": source,
        "dst_buffer": target,
    }
    places: dict[str, Value] = {"src_offset": 0, "dst_offset": 0, "src_origin": START, "dst_origin": START}
    kit.point = kit.point if listed else None
    kit.record(function, **images, **places, origin=START, region=row, fill_color=Data(bytes([3, 0, 0, 0] * 4)))
    kit.read_whole(target, ROW)
    _run_twice(kit, lambda memory: kit.read_whole(memory, ROW), target)


@cases.declare_family
def images_of_buffers() -> Iterator[TableCase]:
    """Yield commands on images created from buffers."""
    for function in OF_BUFFERS:
        others = (f"{EQUIVALENTS[function]}/success", RUN, "OpenCL:command-buffers/4")
        for listed in (True, False):
            words = f"an image of a buffer, {'a list' if listed else 'no list'}"
            act = partial(_record_on_buffer_images, function=function, listed=listed)
            yield cases.create_case(f"{function}/success", words, act, others=others)


BARRIERS = tuple(f"{BARRIER}/effect/{number}" for number in (1, 2, 3, 5, 6))


def _record_after_barrier(kit: RangeRecorder, way: str, *, listed: bool) -> None:
    """Record a fill, a barrier, and a copy that depends on the fill but does not have a wait list.

    ``listed``: the barrier waits for the fill's sync-point.
    """
    kit.begin(way)
    buffer, target = kit.create_filled_buffer(SIZE, seed=9), kit.create_filled_buffer(SIZE, seed=10)
    kit.record_after((), FILL, buffer=buffer, pattern=PATTERN, pattern_size=4, offset=0, size=SIZE)
    point = kit.point
    skip_unless(point is not None, "the driver gives no synchronization-point")
    kit.record_after((point,) if listed and point is not None else (), BARRIER)
    given: dict[str, Value] = {"src_buffer": buffer, "dst_buffer": target, "src_offset": 0, "dst_offset": 0}
    kit.record_after((), COPY, **given, size=SIZE)
    _run_twice(kit, kit.read_whole, target)


@cases.declare_family
def barriers() -> Iterator[TableCase]:
    """Yield barriers with and without a wait list."""
    for way in (IN_ORDER, OUT_OF_ORDER):
        for listed in (False, True):
            words = f"{way}, {'a list' if listed else 'no list'}"
            act = lambda kit, way=way, listed=listed: _record_after_barrier(kit, way, listed=listed)  # noqa: E731
            yield cases.create_case("clCommandBarrierWithWaitListKHR/success", words, act, others=BARRIERS)


# repeated, concurrent and on other queues


@cases.declare(RUN, "three times, one after the other", "OpenCL:command-buffer-lifecycle/2")
def run_three_times(kit: RangeRecorder) -> None:
    """Run a command-buffer three times. Its kernel changes a buffer in each run."""
    kit.begin()
    buffer = kit.create_filled_buffer(SIZE, seed=11)
    _record_kernel(kit, buffer)
    kit.finalize()
    for _ in range(3):
        kit.run()
        kit.read_whole(buffer)


@cases.declare(
    RUN, "two at the same time on one queue", "cl_command_buffer_flags_khr:CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR"
)
def run_two_instances(kit: RangeRecorder) -> None:
    """Enqueue a command-buffer with simultaneous use twice without waiting in between."""
    skip_unless(has_capability(kit, "SIMULTANEOUS_USE"), "the device does not support simultaneous use")
    kit.begin(IN_ORDER, SIMULTANEOUS)
    buffer = kit.create_filled_buffer(SIZE, seed=12)
    _record_kernel(kit, buffer)
    kit.finalize()
    kit.run(times=2, wait=False)
    kit.finish_queues()
    kit.read_whole(buffer)


@cases.declare(RUN, "two at the same time on two queues")
def run_on_two_queues(kit: RangeRecorder) -> None:
    """Enqueue two command-buffers, each on its own queue."""
    buffers = []
    kits = []
    for seed in (13, 14):
        kit.begin()
        buffers.append(kit.create_filled_buffer(SIZE, seed=seed))
        _record_kernel(kit, buffers[-1])
        kit.finalize()
        kits.append((kit.recorded_buffer, kit.queues))
    for kit.recorded_buffer, kit.queues in kits:
        kit.run(wait=False)
    for kit.recorded_buffer, kit.queues in kits:
        kit.finish_queues()
    for buffer in buffers:
        kit.read_whole(buffer)


@cases.declare(RUN, "on another queue", "OpenCL:command-buffers/2")
def run_on_another_queue(kit: RangeRecorder) -> None:
    """Run a recorded kernel on a queue with the same properties as the recording's queue."""
    kit.begin()
    buffer = kit.create_filled_buffer(SIZE, seed=15)
    _record_kernel(kit, buffer)
    kit.finalize()
    other = kit.command_buffer_queue()
    kit.run(other)
    kit.read_whole(buffer)


@cases.declare("OpenCL:command-buffers-and-multiple-devices/1", "by its event", RUN)
def wait_for_event(kit: RangeRecorder) -> None:
    """Wait for the event of a command-buffer on two queues, and read the results of both queues."""
    kit.begin(TWO_QUEUES)
    buffers = [kit.create_filled_buffer(SIZE, seed=16), kit.create_filled_buffer(SIZE, seed=17)]
    for buffer in buffers:
        kit.point = None
        _record_fill(kit, buffer)
    kit.finalize()
    event = kit.require_event(kit.call(ENQUEUE, command_buffer=kit.recorded_buffer, num_queues=0, queues=None))
    kit.cl.clWaitForEvents(1, ElementList((event,)))
    for buffer in buffers:
        kit.read_whole(buffer)


@cases.declare(
    "CL_EVENT_COMMAND_QUEUE/effect/2", "after a user event", "CL_EVENT_COMMAND_EXECUTION_STATUS/effect/6", RUN
)
def query_event_of_two_queues(kit: RangeRecorder) -> None:
    """Query queue and status of the event of a command-buffer on two queues, before and after it completes."""
    kit.begin(TWO_QUEUES)
    for seed in (25, 26):
        kit.point = None
        _record_fill(kit, kit.create_filled_buffer(SIZE, seed=seed))
    kit.finalize()
    gate = kit.gate()
    given: dict[str, Value] = {"command_buffer": kit.recorded_buffer, "num_queues": 0, "queues": None}
    event = kit.require_event(kit.call(ENQUEUE, **given, **gate.arguments))
    for _ in range(2):
        kit.cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_QUEUE")
        kit.cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")
        gate.open()
        kit.cl.clWaitForEvents(1, ElementList((event,)))


@cases.declare("OpenCL:command-buffers/6", "the buffer is released first", "OpenCL:command-buffers/5")
def release_buffer_first(kit: RangeRecorder) -> None:
    """Release a buffer that a command-buffer fills, then release the command-buffer.

    Only the second release deletes the two objects.
    """
    _release_in_order(kit, references=1)


@cases.declare(
    "OpenCL:command-buffers/6",
    "the last of two references",
    "clRetainCommandBufferKHR/success",
    "clReleaseCommandBufferKHR/success",
)
def release_two_references(kit: RangeRecorder) -> None:
    """Retain the command-buffer, then release it twice: only the second release deletes it and its buffer."""
    _release_in_order(kit, references=2)


def _release_in_order(kit: RangeRecorder, references: int) -> None:
    kit.begin()
    buffer = kit.create_filled_buffer(SIZE, seed=27)
    _record_fill(kit, buffer)
    kit.finalize()
    kit.finish_queues()
    register_destructor_callback(kit.cl, "clSetMemObjectDestructorCallback", buffer)
    kit.cl.clReleaseMemObject(buffer)
    for _ in range(references - 1):
        kit.cl.clRetainCommandBufferKHR(kit.recorded_buffer)
        kit.cl.clReleaseCommandBufferKHR(kit.recorded_buffer)
        kit.cl.clRetainCommandBufferKHR(kit.recorded_buffer)
    check_not_called(kit.cl)
    kit.run()
    for _ in range(references):
        check_not_called(kit.cl)
        kit.cl.clReleaseCommandBufferKHR(kit.recorded_buffer)
    await_callback(kit.cl)


# state that a recording captures, and state that a recording does not change


@cases.declare(
    "clCommandNDRangeKernelKHR/effect/2",
    "an argument set after the recording",
    "clCommandNDRangeKernelKHR/effect/3",
    "OpenCL:command-buffers/3",
)
def set_argument_after_recording(kit: RangeRecorder) -> None:
    """Record a kernel twice with different arguments, then enqueue the kernel with a third argument."""
    kit.begin()
    first, second, third = (kit.create_filled_buffer(SIZE, seed=seed) for seed in (18, 19, 20))
    kernel = _record_kernel(kit, first)
    _record_kernel(kit, second, kernel)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(third))
    sizes: dict[str, Value] = {
        "global_work_offset": None,
        "global_work_size": ElementList((ITEMS,)),
        "local_work_size": None,
    }
    kit.enqueue("clEnqueueNDRangeKernel", queue=kit.queues[0], kernel=kernel, work_dim=1, **sizes)
    kit.point = None
    fourth = kit.create_filled_buffer(SIZE, seed=21)
    _record_fill(kit, fourth)
    kit.finalize()
    kit.run()
    for buffer in (first, second, third, fourth):
        kit.read_whole(buffer)


@cases.declare("OpenCL:command-buffers/4", "nothing runs while it is recorded")
def record_without_running(kit: RangeRecorder) -> None:
    """Record a fill, and read the buffer before and after the command-buffer runs."""
    kit.begin()
    buffer = kit.create_filled_buffer(SIZE, seed=22)
    _record_fill(kit, buffer)
    kit.finish_queues()
    kit.read_whole(buffer)
    kit.finalize()
    kit.finish_queues()
    kit.read_whole(buffer)
    kit.run()
    kit.read_whole(buffer)


@cases.declare_family
def ranges() -> Iterator[TableCase]:
    """Yield recorded kernels over ranges of one to three dimensions, with work-group sizes and offsets."""
    for words, launch in (
        ("1 dimension, 4 groups", KernelRange((24,), (6,))),
        ("2 dimensions, an offset", KernelRange((4, 6), (2, 3), (7, 1))),
        ("3 dimensions, an offset", KernelRange((2, 6, 2), (1, 3, 1), (0, 9, 1000))),
    ):
        aims = tuple(f"{RECORD_KERNEL}/effect/{number}" for number in (8, 9, 10, 11, 12))
        yield cases.create_case("clCommandNDRangeKernelKHR/success", words, _record_range, launch, others=aims)


@cases.declare(
    "clCommandNDRangeKernelKHR/success",
    "linear ids",
    "clCommandNDRangeKernelKHR/effect/8",
    "clCommandNDRangeKernelKHR/effect/10",
)
def record_linear_ids(kit: RangeRecorder) -> None:
    """Record a kernel that writes its linear ids."""
    _record_range(kit, KernelRange((4, 6), (2, 3)), "tell_groups", in_c2=True)


def _record_range(kit: RangeRecorder, launch: KernelRange, name: str = "tell_ids", *, in_c2: bool = False) -> None:
    kit.begin()
    kernel = kit.get_range_kernel(name, in_c2=in_c2)
    size = kit.result_bytes(name, launch)
    buffer = kit.create_filled_buffer(size, seed=23)
    kit.cl.clSetKernelArg(kernel, 0, kit.pointer_bytes, HandleBytes(buffer))
    kit.record(RECORD_KERNEL, kernel=kernel, **launch.arguments)
    kit.finalize()
    kit.run(times=2)
    kit.read(buffer, 0, size)


# states


def _query_state(kit: RangeRecorder) -> None:
    kit.cl.query(QUERY, kit.recorded_buffer, STATE)


@cases.declare_family
def state_transitions() -> Iterator[TableCase]:
    """Yield items for a command-buffer's state transitions, with one instance and with several instances."""
    transitions = (
        "cl_command_buffer_khr:new/CL_COMMAND_BUFFER_STATE_RECORDING_KHR/clCreateCommandBufferKHR",
        "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_RECORDING_KHR/CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR/clFinalizeCommandBufferKHR",
        "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR/CL_COMMAND_BUFFER_STATE_PENDING_KHR/clEnqueueCommandBufferKHR",
        "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_PENDING_KHR/CL_COMMAND_BUFFER_STATE_EXECUTABLE_KHR/completion",
    )
    aims = (*(f"{STATE}/effect/{number}" for number in (1, 2, 3)), "OpenCL:command-buffer-lifecycle/2", *transitions)
    yield cases.create_case(
        "OpenCL:command-buffer-lifecycle/1", "one instance", _query_states_of_one_instance, others=aims
    )
    twice = (
        "cl_command_buffer_khr:CL_COMMAND_BUFFER_STATE_PENDING_KHR/CL_COMMAND_BUFFER_STATE_PENDING_KHR/clEnqueueCommandBufferKHR",
        "cl_command_buffer_flags_khr:CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR",
    )
    yield cases.create_case(
        "OpenCL:command-buffer-lifecycle/2", "two instances", _query_states_of_two_instances, others=(*aims, *twice)
    )


def _query_states_of_one_instance(kit: RangeRecorder) -> None:
    kit.begin()
    buffer = kit.create_filled_buffer(SIZE, seed=24)
    _query_state(kit)
    _record_kernel(kit, buffer)
    _query_state(kit)
    kit.finalize()
    _query_state(kit)
    _enqueue_after_user_event(kit, 1)
    kit.read_whole(buffer)


def _query_states_of_two_instances(kit: RangeRecorder) -> None:
    skip_unless(has_capability(kit, "SIMULTANEOUS_USE"), "the device does not support simultaneous use")
    kit.begin(IN_ORDER, SIMULTANEOUS)
    buffer = kit.create_filled_buffer(SIZE, seed=25)
    _record_kernel(kit, buffer)
    kit.finalize()
    _enqueue_after_user_event(kit, 2)
    kit.read_whole(buffer)


def _enqueue_after_user_event(kit: RangeRecorder, count: int) -> None:
    """Enqueue instances that wait for a user event, query the command-buffer's state, and run it again.

    The state is queried before and after the instances are complete.
    """
    gate = kit.gate()
    for _ in range(count):
        count, events = gate.wait_list
        kit.cl.clEnqueueCommandBufferKHR(0, None, kit.recorded_buffer, count, events, None)
        _query_state(kit)
    gate.open()
    kit.finish_queues()
    _query_state(kit)
    kit.run()
    _query_state(kit)
