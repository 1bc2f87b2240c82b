"""Host and device timers: consecutive reads, NULL output pointers, and invalid devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.queues import PROFILING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "platforms.timers"
HOST, BOTH = "clGetHostTimer", "clGetDeviceAndHostTimer"
FEATURE = "device-and-host-timer-synchronization"
TIME_BYTES = 8
"""Bytes of a profiling timestamp."""
TIMES = 20
"""Number of consecutive reads of a timer."""


def host_again(cl: Session) -> None:
    """Read each device's host timer repeatedly."""
    for device in cl.devices:
        for _ in range(TIMES):
            cl.clGetHostTimer(device, OutputBuffer(1))


def both_again(cl: Session) -> None:
    """Read each device's two timers repeatedly."""
    for device in cl.devices:
        for _ in range(TIMES):
            cl.clGetDeviceAndHostTimer(device, OutputBuffer(1), OutputBuffer(1))


def in_turn(cl: Session) -> None:
    """Read the host timer alternately with both functions."""
    for device in cl.devices:
        for _ in range(TIMES):
            cl.clGetHostTimer(device, OutputBuffer(1))
            cl.clGetDeviceAndHostTimer(device, OutputBuffer(1), OutputBuffer(1))


def of_a_part(cl: Session) -> None:
    """Read the timers of a sub-device."""
    device = part(cl, CORE_ENTRY)
    cl.clGetHostTimer(device, OutputBuffer(1))
    cl.clGetDeviceAndHostTimer(device, OutputBuffer(1), OutputBuffer(1))


def around_commands(cl: Session) -> None:
    """Read the device timer before and after commands, and query their end timestamps."""
    end = cl.model.value("CL_PROFILING_COMMAND_END")
    kit = Kit(cl, cl.model.value(PROFILING))
    for _ in range(3):
        cl.clGetDeviceAndHostTimer(cl.device, OutputBuffer(1), OutputBuffer(1))
        event = kit.event_of(kit.call("clEnqueueCopyBuffer"))
        kit.finish()
        cl.clGetEventProfilingInfo(event, end, TIME_BYTES, OutputBuffer(TIME_BYTES), None)
        cl.clGetDeviceAndHostTimer(cl.device, OutputBuffer(1), OutputBuffer(1))


def cases() -> Iterator[Case]:
    """Yield items for both functions and their error conditions."""
    yield Case(
        f"{HOST}/success",
        "again and again",
        host_again,
        ("clGetHostTimer/CL_INVALID_OPERATION/1", f"{FEATURE}:{HOST}/1"),
    )
    yield Case(
        f"{BOTH}/success",
        "again and again",
        both_again,
        ("clGetDeviceAndHostTimer/CL_INVALID_OPERATION/1", f"{FEATURE}:{BOTH}/1"),
    )
    yield Case(f"{BOTH}/success", "both functions in turn", in_turn, (f"{HOST}/success",))
    yield Case(
        "clGetDeviceAndHostTimer/effect/7",
        "before and after commands",
        around_commands,
        ("clGetHostTimer/effect/6", f"{BOTH}/success"),
    )
    yield Case("clGetHostTimer/CL_INVALID_DEVICE/1", "device NULL", lambda cl: cl.clGetHostTimer(None, OutputBuffer(1)))
    yield Case(
        "clGetDeviceAndHostTimer/CL_INVALID_DEVICE/1",
        "device NULL",
        lambda cl: cl.clGetDeviceAndHostTimer(None, OutputBuffer(1), OutputBuffer(1)),
    )
    yield Case(
        "clGetHostTimer/CL_INVALID_DEVICE/1",
        "a sub-device",
        of_a_part,
        ("clGetDeviceAndHostTimer/CL_INVALID_DEVICE/1",),
    )
    yield Case(
        "clGetHostTimer/CL_INVALID_VALUE/1", "host_timestamp NULL", lambda cl: cl.clGetHostTimer(cl.device, None)
    )
    yield Case("clGetHostTimer/CL_INVALID_VALUE/1", "all NULL", lambda cl: cl.clGetHostTimer(None, None))
    yield Case(
        "clGetDeviceAndHostTimer/CL_INVALID_VALUE/1",
        "host_timestamp NULL",
        lambda cl: cl.clGetDeviceAndHostTimer(cl.device, OutputBuffer(1), None),
    )
    yield Case(
        "clGetDeviceAndHostTimer/CL_INVALID_VALUE/1",
        "device_timestamp NULL",
        lambda cl: cl.clGetDeviceAndHostTimer(cl.device, None, OutputBuffer(1)),
    )
    yield Case(
        "clGetDeviceAndHostTimer/CL_INVALID_VALUE/1",
        "both timestamps NULL",
        lambda cl: cl.clGetDeviceAndHostTimer(cl.device, None, None),
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases())


def test_timers(cl: Session, case: Case) -> None:
    case.act(cl)
