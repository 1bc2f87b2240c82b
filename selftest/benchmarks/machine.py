"""What the machine is, and what it did besides while something was measured."""

from __future__ import annotations

import datetime as dt
import os
import platform
import resource
import time
from pathlib import Path

import msgspec

BUSY = 0.1
"""Share of all cores that other processes may use before figures of time are said to be from a busy machine."""
TICK = os.sysconf("SC_CLK_TCK")
WAITING = (3, 4)
"""The fields of the first line of /proc/stat in which no core works: idle, and waiting for a disk."""
COUNTED = 8
"""The fields of that line that add up to the time of all cores: guests are counted among the users already."""


class Machine(msgspec.Struct, frozen=True):
    """A machine: its system and architecture, the processor's name, and how many cores a process may use."""

    system: str
    processor: str
    cores: int


class Besides(msgspec.Struct, frozen=True):
    """What a machine did while something was measured.

    ``began``: date and time, UTC. ``seconds``: how long it took. ``load_before``, ``load_after``: the load average of
    one minute. ``others``: the share of all cores, from 0 to 1, that other processes used, or another machine on the
    same hardware; None where the system does not tell.
    """

    began: str
    seconds: float
    load_before: float
    load_after: float
    others: float | None

    @property
    def busy(self) -> bool:
        """Whether other processes used so much that times are longer than on an idle machine."""
        return self.others is not None and self.others > BUSY

    def in_words(self) -> str:
        """Return it as a sentence's end for people."""
        used = "what others used is not known" if self.others is None else f"others used {self.others:.0%} of the cores"
        said = f"{self.began[:10]}, load {self.load_before:.1f} before and {self.load_after:.1f} after, {used}"
        return f"{said}: a busy machine, on which times are longer" if self.busy else said


class Watch:
    """Watches the machine from its creation to ``besides``.

    The time of our own processes is this one's and that of all that have ended below it and were waited for.
    """

    def __init__(self) -> None:
        self._began = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        self._start = time.monotonic()
        self._load = os.getloadavg()[0]
        self._own, self._all = _own(), cores_time()

    def besides(self) -> Besides:
        """Return what the machine did since."""
        own, every = _own() - self._own, cores_time()
        others = None
        if self._all is not None and every is not None and every[1] > self._all[1]:
            busy, passed = every[0] - self._all[0], every[1] - self._all[1]
            others = round(min(max((busy - own) / passed, 0.0), 1.0), 3)
        seconds = round(time.monotonic() - self._start, 1)
        return Besides(self._began, seconds, round(self._load, 2), round(os.getloadavg()[0], 2), others)


def this_machine() -> Machine:
    """Return what is known about this machine."""
    return Machine(f"{platform.system()} {platform.machine()}", _processor(), len(os.sched_getaffinity(0)))


def cores_time(path: Path = Path("/proc/stat")) -> tuple[float, float] | None:
    """Return for how many seconds all cores together have worked, and have been there; None if that is not told.

    What a hypervisor has given to other machines counts as work.
    """
    try:
        fields = path.read_text(encoding="ascii").split("\n", 1)[0].split()[1 : COUNTED + 1]
        ticks = [int(each) for each in fields]
    except (OSError, ValueError):
        return None
    if len(ticks) < COUNTED:
        return None
    idle = sum(ticks[number] for number in WAITING)
    return (sum(ticks) - idle) / TICK, sum(ticks) / TICK


def _own() -> float:
    return sum(
        used.ru_utime + used.ru_stime
        for used in (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    )


def _processor() -> str:
    """Return the processor's name, or the architecture where the system does not tell a name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="backslashreplace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()
