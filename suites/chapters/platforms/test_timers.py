"""Host and device timers: consecutive reads, NULL output pointers, and invalid devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import OutputBuffer
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.queues import PROFILING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session

NAME = "platforms.timers"
HOST, BOTH = "clGetHostTimer", "clGetDeviceAndHostTimer"
FEATURE = "device-and-host-timer-synchronization"
TIME_BYTES = 8
"""Bytes of a profiling timestamp."""
READS = 20
"""Number of consecutive reads of a timer."""


def read_host_timer(cl: Session) -> None:
    """Read each device's host timer repeatedly."""
    for device in cl.devices:
        for _ in range(READS):
            cl.clGetHostTimer(device, OutputBuffer(1))


def read_both_timers(cl: Session) -> None:
    """Read each device's two timers repeatedly."""
    for device in cl.devices:
        for _ in range(READS):
            cl.clGetDeviceAndHostTimer(device, OutputBuffer(1), OutputBuffer(1))


def alternate_functions(cl: Session) -> None:
    """Read the host timer with both functions alternately."""
    for device in cl.devices:
        for _ in range(READS):
            cl.clGetHostTimer(device, OutputBuffer(1))
            cl.clGetDeviceAndHostTimer(device, OutputBuffer(1), OutputBuffer(1))


def read_timers_of_sub_device(cl: Session) -> None:
    """Read the timers of a sub-device."""
    device = create_sub_device(cl, CORE_ENTRY)
    cl.clGetHostTimer(device, OutputBuffer(1))
    cl.clGetDeviceAndHostTimer(device, OutputBuffer(1), OutputBuffer(1))


def read_around_commands(cl: Session) -> None:
    """Read the device timer before and after commands, and query the end timestamps of the commands."""
    end = cl.model.constant_value("CL_PROFILING_COMMAND_END")
    kit = Kit(cl, cl.model.constant_value(PROFILING))
    for _ in range(3):
        cl.clGetDeviceAndHostTimer(cl.device, OutputBuffer(1), OutputBuffer(1))
        event = kit.require_event(kit.call("clEnqueueCopyBuffer"))
        kit.finish()
        cl.clGetEventProfilingInfo(event, end, TIME_BYTES, OutputBuffer(TIME_BYTES), None)
        cl.clGetDeviceAndHostTimer(cl.device, OutputBuffer(1), OutputBuffer(1))


def cases() -> Iterator[TableCase]:
    """Yield items for both timer functions and their error conditions."""
    yield TableCase(
        "clGetHostTimer/success",
        "repeatedly",
        read_host_timer,
        ("clGetHostTimer/CL_INVALID_OPERATION/1", "device-and-host-timer-synchronization:clGetHostTimer/1"),
    )
    yield TableCase(
        "clGetDeviceAndHostTimer/success",
        "repeatedly",
        read_both_timers,
        (
            "clGetDeviceAndHostTimer/CL_INVALID_OPERATION/1",
            "device-and-host-timer-synchronization:clGetDeviceAndHostTimer/1",
        ),
    )
    yield TableCase(
        "clGetDeviceAndHostTimer/success",
        "both functions alternately",
        alternate_functions,
        ("clGetHostTimer/success",),
    )
    yield TableCase(
        "clGetDeviceAndHostTimer/effect/7",
        "before and after commands",
        read_around_commands,
        ("clGetHostTimer/effect/6", "clGetDeviceAndHostTimer/success"),
    )
    yield TableCase(
        "clGetHostTimer/CL_INVALID_DEVICE/1", "device NULL", lambda cl: cl.clGetHostTimer(None, OutputBuffer(1))
    )
    yield TableCase(
        "clGetDeviceAndHostTimer/CL_INVALID_DEVICE/1",
        "device NULL",
        lambda cl: cl.clGetDeviceAndHostTimer(None, OutputBuffer(1), OutputBuffer(1)),
    )
    yield TableCase(
        "clGetHostTimer/CL_INVALID_DEVICE/1",
        "a sub-device",
        read_timers_of_sub_device,
        ("clGetDeviceAndHostTimer/CL_INVALID_DEVICE/1",),
    )
    yield TableCase(
        "clGetHostTimer/CL_INVALID_VALUE/1", "host_timestamp NULL", lambda cl: cl.clGetHostTimer(cl.device, None)
    )
    yield TableCase("clGetHostTimer/CL_INVALID_VALUE/1", "all NULL", lambda cl: cl.clGetHostTimer(None, None))
    yield TableCase(
        "clGetDeviceAndHostTimer/CL_INVALID_VALUE/1",
        "host_timestamp NULL",
        lambda cl: cl.clGetDeviceAndHostTimer(cl.device, OutputBuffer(1), None),
    )
    yield TableCase(
        "clGetDeviceAndHostTimer/CL_INVALID_VALUE/1",
        "device_timestamp NULL",
        lambda cl: cl.clGetDeviceAndHostTimer(cl.device, None, OutputBuffer(1)),
    )
    yield TableCase(
        "clGetDeviceAndHostTimer/CL_INVALID_VALUE/1",
        "both timestamps NULL",
        lambda cl: cl.clGetDeviceAndHostTimer(cl.device, None, None),
    )


test_timers_advance = TableTest(cases)
