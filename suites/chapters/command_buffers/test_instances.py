"""Effects of command-buffers that run once, repeatedly, concurrently and on other queues, and their states (5.17)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from clconform.calls.values import Data, HandleBytes, Items
from clconform.oracles.chapters.command_buffers.standing_for import BARRIER, BORROWING, STANDS_FOR
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.spec_tables import load
from clconform.spec_tables.records import Effect
from clconform.suites.cases import Cases
from clconform.suites.chapters.command_buffers.recording import (
    ENQUEUE,
    FINALIZE,
    IN_ORDER,
    OUT_OF_ORDER,
    TWO_QUEUES,
    WAYS,
    Recorder,
)
from clconform.suites.chapters.command_buffers.variations import SIMULTANEOUS, can
from clconform.suites.chapters.execution.range_kit import Launch, RangeKit
from clconform.suites.chapters.images.valid_calls import START, WHOLE
from clconform.suites.chapters.notifications.waiting import a_moment, awaited, on_end
from clconform.suites.chapters.svm.valid_calls import shared
from clconform.suites.kit.images import OF_A_BUFFER, PIXEL_BYTES, WIDTH
from clconform.suites.kit.memory import HALF, SIZE
from clconform.suites.recurring.waiting import waiting_cases
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.calls.values import Handle, Value
    from clconform.runner.session.session import Session

NAME = "command_buffers.instances"
FILL, COPY, RECTANGLE = "clCommandFillBufferKHR", "clCommandCopyBufferKHR", "clCommandCopyBufferRectKHR"
TO_IMAGE, IMAGES, FROM_IMAGE = "clCommandCopyBufferToImageKHR", "clCommandCopyImageKHR", "clCommandCopyImageToBufferKHR"
COLOUR, LAUNCH = "clCommandFillImageKHR", "clCommandNDRangeKernelKHR"
SHARED_COPY, SHARED_FILL = "clCommandSVMMemcpyKHR", "clCommandSVMMemFillKHR"
HANDLE = 8
RUN = f"{ENQUEUE}/success"
STATE = "CL_COMMAND_BUFFER_STATE_KHR"
QUERY = "clGetCommandBufferInfoKHR"
ITEMS = 64
ROW = WIDTH * PIXEL_BYTES
PATTERN, OTHER = (Data(bytes(range(first, first + 4))) for first in (0x11, 0x21))
KIND = "cl_command_buffer_khr"
STATES = ("RECORDING", "EXECUTABLE", "PENDING")
RECORDING, EXECUTABLE, PENDING = (f"CL_COMMAND_BUFFER_STATE_{name}_KHR" for name in STATES)


class Ranges(Recorder, RangeKit):
    """A recorder with kernels over ranges."""


cases = Cases(Ranges)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, [*cases, *waiting_cases((ENQUEUE,))])


def test_instances(cl: Session, case: Case) -> None:
    case.act(cl)


# commands after other commands


def _fill(kit: Ranges, buffer: Handle, pattern: Data = PATTERN, *, offset: int = 0, size: int = SIZE) -> None:
    kit.record(FILL, buffer=buffer, pattern=pattern, pattern_size=4, offset=offset, size=size)


def _launch(kit: Ranges, buffer: Handle, kernel: Handle | None = None, **given: Value) -> Handle:
    """Record a kernel command of ``add_index`` over the first elements of a buffer, and return the kernel."""
    known = kernel or kit.kernel("add_index")
    kit.cl.clSetKernelArg(known, 0, HANDLE, HandleBytes(buffer))
    sizes: dict[str, Value] = {"global_work_offset": None, "global_work_size": Items((ITEMS,)), "local_work_size": None}
    kit.record(LAUNCH, kernel=known, work_dim=1, **{**sizes, **given})
    return known


def _colour(kit: Ranges, image: Handle, number: int) -> None:
    kit.record(COLOUR, image=image, fill_color=Data(bytes([number, 0, 0, 0] * 4)), origin=START, region=WHOLE)


def _copied(kit: Ranges) -> None:
    source, target = kit.filled(SIZE, seed=1), kit.filled(SIZE, seed=2)
    _fill(kit, source, size=HALF)
    kit.record(COPY, src_buffer=source, dst_buffer=target, src_offset=0, dst_offset=0, size=SIZE)
    _done(kit, kit.whole, target)


def _copied_by_rectangles(kit: Ranges) -> None:
    source, target = kit.filled(SIZE, seed=3), kit.filled(SIZE, seed=4)
    _fill(kit, source, offset=HALF, size=64)
    origins: dict[str, Value] = {"src_origin": Items((5, 1, 1)), "dst_origin": Items((1, 2, 0))}
    pitches: dict[str, Value] = {
        "src_row_pitch": 64,
        "src_slice_pitch": 64 * 16,
        "dst_row_pitch": 32,
        "dst_slice_pitch": 32 * 20,
    }
    region = Items((17, 9, 3))
    kit.record(RECTANGLE, src_buffer=source, dst_buffer=target, region=region, **origins, **pitches)
    _done(kit, kit.whole, target)


def _copied_to_an_image(kit: Ranges) -> None:
    source, target = kit.filled(SIZE, seed=5), kit.image()
    _fill(kit, source, size=64)
    kit.record(TO_IMAGE, src_buffer=source, dst_image=target, src_offset=0, dst_origin=START, region=WHOLE)
    _done(kit, kit.read_image, target)


def _copied_between_images(kit: Ranges) -> None:
    source, target = kit.image(), kit.image()
    _colour(kit, source, 7)
    kit.record(IMAGES, src_image=source, dst_image=target, src_origin=START, dst_origin=START, region=WHOLE)
    _done(kit, kit.read_image, target)


def _copied_from_an_image(kit: Ranges) -> None:
    source, target = kit.image(), kit.filled(SIZE, seed=6)
    _colour(kit, source, 9)
    kit.record(FROM_IMAGE, src_image=source, dst_buffer=target, src_origin=START, region=WHOLE, dst_offset=0)
    _done(kit, kit.whole, target)


def _filled(kit: Ranges) -> None:
    buffer = kit.filled(SIZE, "CL_MEM_READ_ONLY", seed=7)
    _fill(kit, buffer)
    _fill(kit, buffer, OTHER, offset=HALF, size=64)
    _done(kit, kit.whole, buffer)


def _coloured(kit: Ranges) -> None:
    image = kit.image(flags=("CL_MEM_READ_ONLY",))
    _colour(kit, image, 1)
    _colour(kit, image, 2)
    _done(kit, kit.read_image, image)


def _launched(kit: Ranges) -> None:
    buffer = kit.filled(SIZE, seed=8)
    _fill(kit, buffer)
    _launch(kit, buffer)
    _done(kit, kit.whole, buffer)


def _shared_copied(kit: Ranges) -> None:
    needs(kit.has_svm(), "the device has no shared virtual memory")
    source, target = shared(kit), shared(kit)
    kit.record(SHARED_FILL, svm_ptr=source, pattern=PATTERN, pattern_size=4, size=SIZE)
    kit.record(SHARED_COPY, dst_ptr=target, src_ptr=source, size=SIZE)
    _done(kit, kit.read_shared, target)


def _shared_filled(kit: Ranges) -> None:
    needs(kit.has_svm(), "the device has no shared virtual memory")
    memory = shared(kit)
    kit.record(SHARED_FILL, svm_ptr=memory, pattern=PATTERN, pattern_size=4, size=SIZE)
    kit.record(SHARED_FILL, svm_ptr=memory, pattern=OTHER, pattern_size=4, size=HALF)
    _done(kit, kit.read_shared, memory)


def _done(kit: Ranges, see: Callable[[Handle], None], memory: Handle) -> None:
    """Run the recorded commands twice, and read their result with ``see`` after each run."""
    kit.end()
    for _ in range(2):
        kit.run()
        see(memory)


STEPS: dict[str, Callable[[Ranges], None]] = {
    COPY: _copied,
    RECTANGLE: _copied_by_rectangles,
    TO_IMAGE: _copied_to_an_image,
    IMAGES: _copied_between_images,
    FROM_IMAGE: _copied_from_an_image,
    FILL: _filled,
    COLOUR: _coloured,
    LAUNCH: _launched,
    SHARED_COPY: _shared_copied,
    SHARED_FILL: _shared_filled,
}
"""Function to the steps that record its command after one that it depends on, and run both."""
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


def _in(kit: Ranges, way: str, steps: Callable[[Ranges], None]) -> None:
    kit.begin(way)
    steps(kit)


@cases.family
def one_after_the_other() -> Iterator[Case]:
    """Yield each command after another one: in order, ordered by sync-points only, and across two queues."""
    for function in BORROWING:
        effects = [each for each in load().records_of(function) if isinstance(each, Effect)]
        aims = tuple(each.id for each in effects if each.topic in TOPICS)
        for way in WAYS:
            words = f"after another command, {way}"
            others = (*aims, f"{STANDS_FOR[function]}/success", RUN, "OpenCL:command-buffers/1")
            yield cases.case(f"{function}/success", words, _in, way, STEPS[function], others=others)


OF_BUFFERS = (TO_IMAGE, IMAGES, FROM_IMAGE, COLOUR)


def _with_images_of_buffers(kit: Ranges, function: str, *, listed: bool) -> None:
    """Record a fill of a buffer and a command on images of buffers, and read the result.

    ``listed``: the command waits for the fill's sync-point; the queue is an in-order queue in any case.
    """
    kit.begin()
    source, target = kit.filled(ROW, seed=28), kit.filled(ROW, seed=29)
    row = Items((WIDTH, 1, 1))
    _fill(kit, source, size=ROW)
    images: dict[str, Value] = {
        "src_image": kit.image(OF_A_BUFFER, source=source),
        "dst_image": kit.image(OF_A_BUFFER, source=target),
        "image": kit.image(OF_A_BUFFER, source=target),
        "src_buffer": source,
        "dst_buffer": target,
    }
    places: dict[str, Value] = {"src_offset": 0, "dst_offset": 0, "src_origin": START, "dst_origin": START}
    kit.point = kit.point if listed else None
    kit.record(function, **images, **places, origin=START, region=row, fill_color=Data(bytes([3, 0, 0, 0] * 4)))
    kit.whole(target, ROW)
    _done(kit, lambda memory: kit.whole(memory, ROW), target)


@cases.family
def images_of_buffers() -> Iterator[Case]:
    """Yield commands on images created from buffers."""
    for function in OF_BUFFERS:
        others = (f"{STANDS_FOR[function]}/success", RUN, "OpenCL:command-buffers/4")
        for listed in (True, False):
            words = f"an image of a buffer, {'a list' if listed else 'no list'}"
            act = partial(_with_images_of_buffers, function=function, listed=listed)
            yield cases.case(f"{function}/success", words, act, others=others)


BARRIERS = tuple(f"{BARRIER}/effect/{number}" for number in (1, 2, 3, 5, 6))


def _behind_a_barrier(kit: Ranges, way: str, *, listed: bool) -> None:
    """Record fills, a barrier, and a copy that depends on them but has no wait list."""
    kit.begin(way)
    buffer, target = kit.filled(SIZE, seed=9), kit.filled(SIZE, seed=10)
    kit.record_after((), FILL, buffer=buffer, pattern=PATTERN, pattern_size=4, offset=0, size=SIZE)
    point = kit.point
    needs(point is not None, "the driver gives no synchronization-point")
    kit.record_after((point,) if listed and point is not None else (), BARRIER)
    given: dict[str, Value] = {"src_buffer": buffer, "dst_buffer": target, "src_offset": 0, "dst_offset": 0}
    kit.record_after((), COPY, **given, size=SIZE)
    _done(kit, kit.whole, target)


@cases.family
def barriers() -> Iterator[Case]:
    """Yield barriers with and without a wait list."""
    for way in (IN_ORDER, OUT_OF_ORDER):
        for listed in (False, True):
            words = f"{way}, {'a list' if listed else 'no list'}"
            act = lambda kit, way=way, listed=listed: _behind_a_barrier(kit, way, listed=listed)  # noqa: E731
            yield cases.case(f"{BARRIER}/success", words, act, others=BARRIERS)


# repeated, concurrent and on other queues


@cases.of(RUN, "three times, one after the other", "OpenCL:command-buffer-lifecycle/2")
def three_times(kit: Ranges) -> None:
    """Run a command-buffer three times whose kernel changes its buffer in each run."""
    kit.begin()
    buffer = kit.filled(SIZE, seed=11)
    _launch(kit, buffer)
    kit.end()
    for _ in range(3):
        kit.run()
        kit.whole(buffer)


@cases.of(RUN, "two at the same time on one queue", f"cl_command_buffer_flags_khr:{SIMULTANEOUS}")
def two_at_once(kit: Ranges) -> None:
    """Enqueue a command-buffer with simultaneous use twice without waiting in between."""
    needs(can(kit, "SIMULTANEOUS_USE"), "the device does not support simultaneous use")
    kit.begin(IN_ORDER, SIMULTANEOUS)
    buffer = kit.filled(SIZE, seed=12)
    _launch(kit, buffer)
    kit.end()
    kit.run(times=2, wait=False)
    kit.wait()
    kit.whole(buffer)


@cases.of(RUN, "two at the same time on two queues")
def two_in_parallel(kit: Ranges) -> None:
    """Enqueue two command-buffers, each on its own queue."""
    buffers = []
    kits = []
    for seed in (13, 14):
        kit.begin()
        buffers.append(kit.filled(SIZE, seed=seed))
        _launch(kit, buffers[-1])
        kit.end()
        kits.append((kit.buffer_of_commands, kit.queues))
    for kit.buffer_of_commands, kit.queues in kits:
        kit.run(wait=False)
    for kit.buffer_of_commands, kit.queues in kits:
        kit.wait()
    for buffer in buffers:
        kit.whole(buffer)


@cases.of(RUN, "on another queue", "OpenCL:command-buffers/2")
def elsewhere(kit: Ranges) -> None:
    """Run a recorded kernel on a queue with the same properties as the recording's queue."""
    kit.begin()
    buffer = kit.filled(SIZE, seed=15)
    _launch(kit, buffer)
    kit.end()
    other = kit.plain_queue()
    kit.run(other)
    kit.whole(buffer)


@cases.of("OpenCL:command-buffers-and-multiple-devices/1", "by its event", RUN)
def by_its_event(kit: Ranges) -> None:
    """Wait for the event of a command-buffer on two queues, and read the results of both queues."""
    kit.begin(TWO_QUEUES)
    buffers = [kit.filled(SIZE, seed=16), kit.filled(SIZE, seed=17)]
    for buffer in buffers:
        kit.point = None
        _fill(kit, buffer)
    kit.end()
    event = kit.event_of(kit.call(ENQUEUE, command_buffer=kit.buffer_of_commands, num_queues=0, queues=None))
    kit.cl.clWaitForEvents(1, Items((event,)))
    for buffer in buffers:
        kit.whole(buffer)


@cases.of("CL_EVENT_COMMAND_QUEUE/effect/2", "behind a user event", "CL_EVENT_COMMAND_EXECUTION_STATUS/effect/6", RUN)
def asked_about_several_queues(kit: Ranges) -> None:
    """Query queue and status of the event of a command-buffer on two queues, before and after it can run."""
    kit.begin(TWO_QUEUES)
    for seed in (25, 26):
        kit.point = None
        _fill(kit, kit.filled(SIZE, seed=seed))
    kit.end()
    gate = kit.gate()
    given: dict[str, Value] = {"command_buffer": kit.buffer_of_commands, "num_queues": 0, "queues": None}
    event = kit.event_of(kit.call(ENQUEUE, **given, **gate.arguments))
    for _ in range(2):
        kit.cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_QUEUE")
        kit.cl.query("clGetEventInfo", event, "CL_EVENT_COMMAND_EXECUTION_STATUS")
        gate.open()
        kit.cl.clWaitForEvents(1, Items((event,)))


@cases.of("OpenCL:command-buffers/6", "the buffer is released first", "OpenCL:command-buffers/5")
def outlived(kit: Ranges) -> None:
    """Release a buffer that a command-buffer fills, then the command-buffer: the last release deletes both objects."""
    _outlived(kit, references=1)


@cases.of(
    "OpenCL:command-buffers/6",
    "the last of two references",
    "clRetainCommandBufferKHR/success",
    "clReleaseCommandBufferKHR/success",
)
def outlived_by_two_references(kit: Ranges) -> None:
    """Retain the command-buffer, then release it twice: only the second release deletes it and its buffer."""
    _outlived(kit, references=2)


def _outlived(kit: Ranges, references: int) -> None:
    kit.begin()
    buffer = kit.filled(SIZE, seed=27)
    _fill(kit, buffer)
    kit.end()
    kit.wait()
    on_end(kit.cl, "clSetMemObjectDestructorCallback", buffer)
    kit.cl.clReleaseMemObject(buffer)
    for _ in range(references - 1):
        kit.cl.clRetainCommandBufferKHR(kit.buffer_of_commands)
        kit.cl.clReleaseCommandBufferKHR(kit.buffer_of_commands)
        kit.cl.clRetainCommandBufferKHR(kit.buffer_of_commands)
    a_moment(kit.cl)
    kit.run()
    for _ in range(references):
        a_moment(kit.cl)
        kit.cl.clReleaseCommandBufferKHR(kit.buffer_of_commands)
    awaited(kit.cl)


# state that a recording captures, and state that it leaves unchanged


@cases.of(f"{LAUNCH}/effect/2", "an argument set after the recording", f"{LAUNCH}/effect/3", "OpenCL:command-buffers/3")
def another_argument(kit: Ranges) -> None:
    """Record a kernel twice with different arguments, then set a third argument and enqueue the kernel directly."""
    kit.begin()
    first, second, third = (kit.filled(SIZE, seed=seed) for seed in (18, 19, 20))
    kernel = _launch(kit, first)
    _launch(kit, second, kernel)
    kit.cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(third))
    sizes: dict[str, Value] = {"global_work_offset": None, "global_work_size": Items((ITEMS,)), "local_work_size": None}
    kit.enqueue("clEnqueueNDRangeKernel", queue=kit.queues[0], kernel=kernel, work_dim=1, **sizes)
    kit.point = None
    fourth = kit.filled(SIZE, seed=21)
    _fill(kit, fourth)
    kit.end()
    kit.run()
    for buffer in (first, second, third, fourth):
        kit.whole(buffer)


@cases.of("OpenCL:command-buffers/4", "nothing runs while it is recorded")
def nothing_runs(kit: Ranges) -> None:
    """Record a fill, and read the buffer before and after the command-buffer runs."""
    kit.begin()
    buffer = kit.filled(SIZE, seed=22)
    _fill(kit, buffer)
    kit.wait()
    kit.whole(buffer)
    kit.end()
    kit.wait()
    kit.whole(buffer)
    kit.run()
    kit.whole(buffer)


@cases.family
def ranges() -> Iterator[Case]:
    """Yield recorded kernels over ranges of one to three dimensions, with work-group sizes and offsets."""
    for words, launch in (
        ("1 dimension, 4 groups", Launch((24,), (6,))),
        ("2 dimensions, an offset", Launch((4, 6), (2, 3), (7, 1))),
        ("3 dimensions, an offset", Launch((2, 6, 2), (1, 3, 1), (0, 9, 1000))),
    ):
        aims = tuple(f"{LAUNCH}/effect/{number}" for number in (8, 9, 10, 11, 12))
        yield cases.case(f"{LAUNCH}/success", words, _range, launch, others=aims)


@cases.of(f"{LAUNCH}/success", "linear ids", f"{LAUNCH}/effect/8", f"{LAUNCH}/effect/10")
def linear_ids(kit: Ranges) -> None:
    """Record a kernel that writes its linear ids."""
    _range(kit, Launch((4, 6), (2, 3)), "tell_groups", in_c2=True)


def _range(kit: Ranges, launch: Launch, name: str = "tell_ids", *, in_c2: bool = False) -> None:
    kit.begin()
    kernel = kit.kernel_over(name, in_c2=in_c2)
    size = kit.room_for(name, launch)
    buffer = kit.filled(size, seed=23)
    kit.cl.clSetKernelArg(kernel, 0, HANDLE, HandleBytes(buffer))
    kit.record(LAUNCH, kernel=kernel, **launch.arguments)
    kit.end()
    kit.run(times=2)
    kit.read(buffer, 0, size)


# states


def _ask(kit: Ranges) -> None:
    kit.cl.query(QUERY, kit.buffer_of_commands, STATE)


@cases.family
def states() -> Iterator[Case]:
    """Yield the state transitions of a command-buffer with one instance and with several."""
    transitions = (
        f"{KIND}:new/{RECORDING}/clCreateCommandBufferKHR",
        f"{KIND}:{RECORDING}/{EXECUTABLE}/{FINALIZE}",
        f"{KIND}:{EXECUTABLE}/{PENDING}/{ENQUEUE}",
        f"{KIND}:{PENDING}/{EXECUTABLE}/completion",
    )
    aims = (*(f"{STATE}/effect/{number}" for number in (1, 2, 3)), "OpenCL:command-buffer-lifecycle/2", *transitions)
    yield cases.case("OpenCL:command-buffer-lifecycle/1", "one instance", _life, others=aims)
    twice = (f"{KIND}:{PENDING}/{PENDING}/{ENQUEUE}", f"cl_command_buffer_flags_khr:{SIMULTANEOUS}")
    yield cases.case("OpenCL:command-buffer-lifecycle/2", "two instances", _life_twice, others=(*aims, *twice))


def _life(kit: Ranges) -> None:
    kit.begin()
    buffer = kit.filled(SIZE, seed=24)
    _ask(kit)
    _launch(kit, buffer)
    _ask(kit)
    kit.end()
    _ask(kit)
    _held_up(kit, 1)
    kit.whole(buffer)


def _life_twice(kit: Ranges) -> None:
    needs(can(kit, "SIMULTANEOUS_USE"), "the device does not support simultaneous use")
    kit.begin(IN_ORDER, SIMULTANEOUS)
    buffer = kit.filled(SIZE, seed=25)
    _launch(kit, buffer)
    kit.end()
    _held_up(kit, 2)
    kit.whole(buffer)


def _held_up(kit: Ranges, times: int) -> None:
    """Enqueue instances after a user event, query the state before and after its completion, and run once more."""
    gate = kit.gate()
    for _ in range(times):
        count, events = gate.wait
        kit.cl.clEnqueueCommandBufferKHR(0, None, kit.buffer_of_commands, count, events, None)
        _ask(kit)
    gate.open()
    kit.wait()
    _ask(kit)
    kit.run()
    _ask(kit)
