"""Concurrent host threads: objects created, released and counted, commands enqueued, kernels changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, HandleBytes, Items, OutputBuffer, Text, Value
from clconform.oracles.model.known_kernels import KERNELS
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.answers import made
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.memory import SIZE
from clconform.suites.steps import at_least, needs, succeeded
from clconform.suites.threads.counting import COUNTED, MADE_BY, called, count_of, one_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pytest

    from clconform.runner.session.session import Session

NAME = "threads.calls"
THREADS = 8
ROUNDS = 5
KERNEL = KERNELS["add_index"]


def at_once(cl: Session, function: str, *each: Sequence[Value]) -> list[Handle]:
    """Make a call for each list of arguments, all concurrently; return the objects that they returned."""
    outcomes = cl.together([called(cl, function, *arguments) for arguments in each])
    return [handle for outcome in outcomes for handle in made(outcome)]


def made_and_released(cl: Session, object_type: str) -> None:
    """Create objects of one type on several threads, and release all of them."""
    arguments = tuple(Kit(cl).arguments(MADE_BY[object_type]).values())
    for _ in range(ROUNDS):
        things = at_once(cl, MADE_BY[object_type], *[arguments] * THREADS)
        needs(things, "the driver does not create the object")
        at_once(cl, f"clRelease{object_type}", *[(thing,) for thing in dict.fromkeys(things)])


def counted(cl: Session, object_type: str) -> None:
    """Retain and release one object on several threads, and query its reference count."""
    thing, query = one_of(cl, object_type), count_of(object_type)
    for _ in range(ROUNDS):
        at_once(cl, f"clRetain{object_type}", *[(thing,)] * THREADS)
        cl.query(COUNTED[object_type], thing, query)
        at_once(cl, f"clRelease{object_type}", *[(thing,)] * (THREADS - 1))
        cl.query(COUNTED[object_type], thing, query)


def enqueued(cl: Session, queues: int) -> None:
    """Copy between buffers from several threads, on one queue or several, and read the destinations."""
    kit = Kit(cl)
    others = [kit.queue, *(kit.new_queue() for _ in range(queues - 1))]
    pairs = [(kit.buffer(), kit.buffer()) for _ in range(THREADS)]
    for index, (source, _) in enumerate(pairs):
        content = Data(bytes([index + 1]) * SIZE)
        cl.clEnqueueWriteBuffer(kit.queue, source, 1, 0, SIZE, content, 0, None, None)
    if not at_least(cl, (3, 0)):
        cl.clFinish(kit.queue)  # before 3.0 a blocking write may return before it is complete
    copies = [
        (others[index % queues], source, target, 0, 0, SIZE, 0, None, OutputBuffer(1))
        for index, (source, target) in enumerate(pairs)
    ]
    cl.together([called(cl, "clEnqueueCopyBuffer", *each) for each in copies])
    for queue in others:
        cl.clFinish(queue)
    for _, target in pairs:
        cl.clEnqueueReadBuffer(kit.queue, target, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


def different_kernels(cl: Session) -> None:
    """Create kernels of one program, set their arguments and run them, each step on several threads."""
    kit = Kit(cl)
    program, queue = kit.built(), kit.queue
    kernels = at_once(cl, "clCreateKernel", *[(program, Text(KERNEL.name), OutputBuffer(1))] * THREADS)
    buffers = at_once(cl, "clCreateBuffer", *[tuple(kit.arguments("clCreateBuffer").values())] * THREADS)
    needs(len(kernels) == len(buffers) == THREADS, "the driver does not create the objects")
    for buffer in buffers:
        cl.clEnqueueWriteBuffer(queue, buffer, 1, 0, SIZE, Data(bytes(SIZE)), 0, None, None)
    both = list(zip(kernels, buffers, strict=True))
    arguments = [called(cl, "clSetKernelArg", kernel, 0, 8, HandleBytes(buffer)) for kernel, buffer in both]
    needs(all(map(succeeded, cl.together(arguments))), "the driver does not set the arguments")
    ranges = [(queue, kernel, 1, None, Items((SIZE // 4,)), None, 0, None, None) for kernel in kernels]
    at_once(cl, "clEnqueueNDRangeKernel", *ranges)
    cl.clFinish(queue)
    for buffer in buffers:
        cl.clEnqueueReadBuffer(queue, buffer, 1, 0, SIZE, OutputBuffer(SIZE), 0, None, None)


def doing(act: Callable[[Session, str], object], object_type: str) -> Callable[[Session], object]:
    """Return a function that calls ``act`` with one type of object."""
    return lambda cl: act(cl, object_type)


def cases() -> Iterator[Case]:
    """Yield items for each type of object, and for objects that several threads share."""
    for object_type in MADE_BY:
        yield Case(
            f"clRelease{object_type}/success",
            "made and released by several threads",
            doing(made_and_released, object_type),
        )
    for object_type in MADE_BY:
        yield Case(
            f"clRetain{object_type}/success",
            "counted for several threads",
            doing(counted, object_type),
            (f"clRelease{object_type}/success", "OpenCL:multiple-host-threads/1"),
        )
    yield Case("clEnqueueCopyBuffer/success", "one queue, several threads", lambda cl: enqueued(cl, 1))
    yield Case("clEnqueueCopyBuffer/success", "several queues, several threads", lambda cl: enqueued(cl, 3))
    yield Case(
        "clSetKernelArg/success",
        "different kernels, several threads",
        different_kernels,
        ("clCreateKernel/success", "OpenCL:multiple-host-threads/2"),
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, cases())


def test_threads(cl: Session, case: Case) -> None:
    case.act(cl)
