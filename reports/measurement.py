"""The circumstances of a measurement, which are stored with its figures: command, commit, machine, load."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import os
import platform
import resource
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[1]
UNMEASURED_FOLDERS = ("docs", "measurements", "tests")
"""The folders of a checkout whose content does not affect any measurement."""
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
    """A machine: its system and architecture, the name of its processor, its usable cores, and its memory in MiB."""

    system: str
    processor: str
    cores: int
    memory: int

    def format_text(self) -> str:
        """Return the machine as a phrase for people."""
        return f"{self.processor}, {self.cores} cores, {self.memory / 1024:.0f} GiB, {self.system}"


class MachineLoad(msgspec.Struct, frozen=True):
    """The load of a machine during a measurement.

    ``seconds``: the duration. ``load_before``, ``load_after``: the load averages over one minute. ``others``: the share
    of all cores, from 0 to 1, used by other processes or by other machines on the same hardware; None if the system
    does not report it.
    """

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
        said = f"load {self.load_before:.1f} before and {self.load_after:.1f} after, {used}"
        return f"{said}: a busy machine, on which times are longer" if self.is_busy else said


class MeasurementHeader(msgspec.Struct, frozen=True):
    """The circumstances of a measurement.

    ``command``: the command line. ``date``: when the measurement began, UTC. ``commit``: the commit of the checkout,
    with ``-dirty`` if files have been changed that can affect a measurement; empty outside a checkout. ``version``,
    ``python``: the versions of clconform and of Python.
    """

    command: str
    date: str
    commit: str
    version: str
    python: str
    machine: HostMachine
    load: MachineLoad

    def format_text(self) -> str:
        """Return everything except the command as a phrase for people."""
        version = " ".join(("clconform", self.version, *((f"({self.commit})",) if self.commit else ())))
        parts = (
            f"{version}, Python {self.python}",
            self.machine.format_text(),
            f"{self.date[:10]}, {self.load.format_text()}",
        )
        return "; ".join(parts)


class MeasurementMonitor:
    """Monitors the load of the machine from its creation until ``get_load`` or ``create_header`` is called.

    The load of other processes excludes this process and all its descendants that have ended and been waited for.
    """

    def __init__(self, arguments: Sequence[str]) -> None:
        """``arguments``: the arguments of the command that measures."""
        self._command = shlex.join(["clconform", *arguments])
        self._date = dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
        self._commit = get_commit()
        self._start = time.monotonic()
        self._load = os.getloadavg()[0]
        self._own, self._all = _get_own_cpu_seconds(), read_core_times()

    def create_header(self) -> MeasurementHeader:
        """Return the header of a measurement that ends now."""
        return MeasurementHeader(
            self._command,
            self._date,
            self._commit,
            importlib.metadata.version("clconform"),
            platform.python_version(),
            get_host_machine(),
            self.get_load(),
        )

    def get_load(self) -> MachineLoad:
        """Return the load since the creation of the monitor."""
        own, every = _get_own_cpu_seconds() - self._own, read_core_times()
        others = None
        if self._all is not None and every is not None and every[1] > self._all[1]:
            busy, passed = every[0] - self._all[0], every[1] - self._all[1]
            others = round(min(max((busy - own) / passed, 0.0), 1.0), 3)
        seconds = round(time.monotonic() - self._start, 1)
        return MachineLoad(seconds, round(self._load, 2), round(os.getloadavg()[0], 2), others)


def get_host_machine() -> HostMachine:
    """Return the properties of this machine."""
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    return HostMachine(_get_system_name(), _get_processor_name(), len(os.sched_getaffinity(0)), memory)


def get_commit(root: Path = ROOT) -> str:
    """Return the commit of a checkout, with ``-dirty`` after changes; empty if the folder is not a checkout."""
    git = shutil.which("git")
    if git is None or not (root / ".git").exists():
        return ""
    command = [git, "-C", str(root), "-c", f"safe.directory={root}"]
    done = subprocess.run([*command, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False)
    excluded = (f":!{folder}" for folder in UNMEASURED_FOLDERS)
    changes = subprocess.run(
        [*command, "diff", "--quiet", "HEAD", "--", ".", *excluded], capture_output=True, check=False
    )
    return f"{done.stdout.strip()}-dirty" if changes.returncode == 1 else done.stdout.strip()


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


def _get_system_name() -> str:
    """Return the names of the distribution, the kernel and the architecture."""
    try:
        distribution = platform.freedesktop_os_release()["PRETTY_NAME"]
    except (OSError, KeyError):
        distribution = ""
    return ", ".join(filter(None, (distribution, f"{platform.system()} {platform.machine()}")))


def _get_processor_name() -> str:
    """Return the processor's name, or the architecture if the system does not report a name."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="backslashreplace").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "") or platform.processor() or platform.machine()
