"""The command ``device check``: what a machine with a driver is like, in about ten lines."""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.calls.call import Call
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import HarnessError, Worker
from clconform.harness.errors import fold_line
from clconform.harness.remote.links import return_link, take_link
from clconform.harness.remote.throttling import describe_throttling
from clconform.tools.device_speed import describe_deadlines
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from clconform.calls.protocol import TargetReached
    from clconform.calls.values import Value
    from clconform.harness.remote.device import RemoteDevice
    from clconform.tools.driver_options import DriverOptions

SAMPLES = 20
CALLS_OF_A_RUN = 155_000
"""The number of calls of a default run on a driver with most features."""
GIB = 1 << 30
_WIDTH = 9
_PLATFORM_VERSION = 0x0901


def check_device(named: DriverOptions) -> int:
    """Print what is found; return NO_SUCH_PLATFORM if no platform can be tested. HarnessError without a connection."""
    target = named.target()
    if target.device is None:
        raise AssertionError("the options name a device")
    _print_machine(target.device)
    try:
        with Worker(target, devices_needed=False) as worker:
            _print_calls(worker)
            _print_line("deadlines", describe_deadlines(worker))
            return _print_platforms(worker.greeting)
    except HarnessError as error:
        _print_line("missing", str(error))
        return exit_codes.NO_SUCH_PLATFORM


def _print_machine(device: RemoteDevice) -> None:
    """Print the address, the machine, its clock and the latency of the link."""
    link = take_link(device)
    facts = link.read_facts()
    difference = int(facts.get("time", "0")) - time.time()
    times = sorted(link.measure_latency() for _ in range(SAMPLES))
    return_link(link)
    system = " ".join(facts.get(name, "?") for name in ("system", "release", "machine"))
    _print_line("device", f"{device} ({facts.get('name', '?')})")
    _print_line("machine", f"{system}, {facts.get('processors', '?')} processors")
    _print_line("widths", facts.get("widths", "?"))
    memory = f"{_gib(facts, 'memory')} of memory, {_gib(facts, 'free memory')} free"
    _print_line("memory", f"{memory}; {_gib(facts, 'free space')} free for files in {link.folder}")
    _print_line("clock", "as here" if abs(difference) <= 1 else f"{difference:+.0f} s from the clock here")
    slowest = f"{1000 * times[-1]:.2f} ms at most"
    _print_line("latency", f"{1000 * statistics.median(times):.2f} ms there and back, {slowest}")
    slow = describe_throttling(facts)
    if slow:
        _print_line("speed", slow)


def _gib(facts: dict[str, str], name: str) -> str:
    text = facts.get(name, "")
    return f"{int(text) / GIB:.1f} GiB" if text.isdecimal() else "? GiB"


def _print_calls(worker: Worker) -> None:
    """Print the time of a call."""
    first = worker.greeting.platforms[0].handle
    values: dict[str, Value] = {
        "platform": Handle(first),
        "param_name": _PLATFORM_VERSION,
        "param_value_size": 0,
        "param_value": None,
    }
    call = Call("clGetPlatformInfo", {**values, "param_value_size_ret": OutputBuffer(1)})
    began = time.perf_counter()
    for _ in range(SAMPLES):
        worker.call(call)
    seconds = (time.perf_counter() - began) / SAMPLES
    minutes = seconds * CALLS_OF_A_RUN / 60
    _print_line("calls", f"{1000 * seconds:.2f} ms each; {CALLS_OF_A_RUN:,} calls of a run take {minutes:.0f} min")


def _print_platforms(reached: TargetReached) -> int:
    """Print the platforms; return whether one of them can be tested, as an exit code."""
    _print_line("loader", reached.loader or "none: the driver's library is called directly")
    for platform in reached.platforms:
        name = f"{fold_line(platform.name)}, {fold_line(platform.version)}"
        for device in platform.devices:
            _print_line("platform", f"{name}: {fold_line(device.name)}, driver {fold_line(device.driver_version)}")
        if not platform.devices:
            _print_line("platform", f"{name}: no device")
    if any(platform.devices for platform in reached.platforms):
        return exit_codes.AS_EXPECTED
    return exit_codes.NO_SUCH_PLATFORM


def _print_line(name: str, text: str) -> None:
    print_text(f"{name:{_WIDTH}} {text}")
