"""The benchmark machine, and its other load during a measurement."""

from __future__ import annotations

import datetime as dt
import os
import platform
import resource
import time
from pathlib import Path

import msgspec

BUSY_SHARE = 0.1
"""The share of all cores that other processes may use before the machine counts as busy."""
TICK = os.sysconf("SC_CLK_TCK")
IDLE_FIELDS = (3, 4)
"""The fields of the first line of /proc/stat that count idle time: idle, and waiting for I/O."""
CPU_FIELDS = 8
"""The number of leading fields in the first line of /proc/stat whose sum is the time of all cores.

The later fields count guest time, which is already part of user time.
"""


class HostMachine(msgspec.Struct, frozen=True):
    """A machine: its system and architecture, the name of its processor, and the number of cores for this process."""

    system: str
    processor: str
    cores: int


class MachineLoad(msgspec.Struct, frozen=True):
    """The load of a machine during a measurement.

    ``began``: date and time, UTC. ``seconds``: the duration. ``load_before``, ``load_after``: the load averages over
    one minute. ``others``: the share of all cores, from 0 to 1, used by other processes or by other machines on the
    same hardware; None if the system does not report it.
    """

    began: str
    seconds: float
    load_before: float
    load_after: float
    others: float | None

    @property
    def is_busy(self) -> bool:
        """Return whether other processes used enough of the cores to slow down the measurement."""
        return self.others is not None and self.others > BUSY_SHARE

    def format_text(self) -> str:
        """Return the load as a phrase for people."""
        used = "what others used is not known" if self.others is None else f"others used {self.others:.0%} of the cores"
        said = f"{self.began[:10]}, load {self.load_before:.1f} before and {self.load_after:.1f} after, {used}"
        return f"{said}: a busy machine, on which times are longer" if self.is_busy else said


class LoadMonitor:
    """Monitors the load of the machine from its creation until ``get_load`` is called.

    The load of other processes excludes this process and all its descendants that have ended and been waited for.
    """

    def __init__(self) -> None:
        self._began = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        self._start = time.monotonic()
        self._load = os.getloadavg()[0]
        self._own, self._all = _get_own_cpu_seconds(), read_core_times()

    def get_load(self) -> MachineLoad:
        """Return the load since the creation of the monitor."""
        own, every = _get_own_cpu_seconds() - self._own, read_core_times()
        others = None
        if self._all is not None and every is not None and every[1] > self._all[1]:
            busy, passed = every[0] - self._all[0], every[1] - self._all[1]
            others = round(min(max((busy - own) / passed, 0.0), 1.0), 3)
        seconds = round(time.monotonic() - self._start, 1)
        return MachineLoad(self._began, seconds, round(self._load, 2), round(os.getloadavg()[0], 2), others)


def get_host_machine() -> HostMachine:
    """Return the properties of this machine."""
    return HostMachine(f"{platform.system()} {platform.machine()}", _get_processor_name(), len(os.sched_getaffinity(0)))


def read_core_times(path: Path = Path("/proc/stat")) -> tuple[float, float] | None:
    """Return the busy and the total seconds of all cores together; None if the system does not report them.

    Time that a hypervisor gave to other machines counts as busy.
    """
    try:
        fields = path.read_text(encoding="ascii").split("\n", 1)[0].split()[1 : CPU_FIELDS + 1]
        ticks = [int(each) for each in fields]
    except (OSError, ValueError):
        return None
    if len(ticks) < CPU_FIELDS:
        return None
    idle = sum(ticks[number] for number in IDLE_FIELDS)
    return (sum(ticks) - idle) / TICK, sum(ticks) / TICK


def _get_own_cpu_seconds() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def _get_processor_name() -> str:
    """Return the processor's name, or the architecture if the system does not report a name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="backslashreplace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()
