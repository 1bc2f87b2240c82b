"""Checks whether this machine has what a driver needs: before a run, and again after the driver's process has ended.

A driver that cannot write or map its compiled kernels, or cannot start its threads, often aborts its process. Such an
end is not evidence against the driver. ``ShortageError`` names everything that is missing, with the remedies.
"""

from __future__ import annotations

import functools
import mmap
import multiprocessing
import os
import resource
import stat
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.harness.control_groups import count_refused_tasks
from clconform.harness.host_shortages import FILE_SIZE_REACHED, RAISE_TASKS, ShortageError, find_shortage
from clconform.harness.mailbox import create_segment, release_segment
from clconform.harness.oom_watch import free_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

MIB = 1 << 20
SEMAPHORES = Path("/dev/shm")  # noqa: S108 (the folder of the C library's semaphores)
MIN_SEMAPHORE_BYTES = MIB
_OTHER_FOLDER = "set TMPDIR to another folder"


@dataclass(frozen=True)
class _Minimum:
    """Minimum bytes and inodes of the scratch folder, and minimum free bytes of memory."""

    scratch_bytes: int
    inodes: int
    memory_bytes: int


AT_START = _Minimum(scratch_bytes=64 * MIB, inodes=1024, memory_bytes=512 * MIB)
AFTER_END = _Minimum(scratch_bytes=4 * MIB, inodes=16, memory_bytes=32 * MIB)
"""Minimum after a process has ended; the run itself has used some of the rest."""
MIN_TASKS = 16
"""Minimum number of processes and threads that can be started, in addition to two for each processor."""
MAX_TRIED_TASKS = 128
LIMITS = (
    (resource.RLIMIT_AS, 2 << 30, "bytes of address space", "-v"),
    (resource.RLIMIT_DATA, 1 << 30, "bytes of data", "-d"),
    (resource.RLIMIT_STACK, MIB, "bytes of stack", "-s"),
    (resource.RLIMIT_FSIZE, 16 * MIB, "bytes in a file", "-f"),
    (resource.RLIMIT_CPU, 600, "seconds of processor time", "-t"),
)
"""Limits of a process: the resource, the minimum, its unit, and the option of ``ulimit``."""
_ENDING_LIMITS = {
    "SIGXCPU": (resource.RLIMIT_CPU, "the limit of processor time is reached; raise it with ulimit -t"),
    "SIGXFSZ": (resource.RLIMIT_FSIZE, FILE_SIZE_REACHED),
}
"""Signals by which the kernel enforces a limit: the resource, and what is missing."""


def require_working_folder() -> None:
    """Raise ShortageError if the current folder does not exist or cannot be accessed."""
    try:
        os.getcwd()  # noqa: PTH109 (only the system call matters)
    except OSError as error:
        raise ShortageError(
            f"the current folder cannot be used, perhaps because it was removed ({error.strerror}); change to another"
        ) from None


@functools.cache
def require_machine(*, for_driver: bool) -> None:
    """Raise ShortageError if this machine lacks something that a run needs; a success is stored for this process.

    ``for_driver``: also check what only a driver needs, not a simulated platform.
    """
    require_working_folder()
    missing = [*_find_missing_basics(), *(_find_missing_resources(AT_START) if for_driver else ())]
    if missing:
        raise ShortageError("; ".join(missing))


class MachineWatch:
    """Finds what this machine lacked while a driver's process ran, so that its end is not evidence."""

    def __init__(self, *, for_driver: bool) -> None:
        """Begin to watch, before the process is started; ``for_driver`` as for ``require_machine``."""
        self._for_driver = for_driver
        self._refused = count_refused_tasks()

    def find_shortage(self, signal_name: str = "") -> str:
        """Return what is missing, with remedies, or an empty text; ``signal_name``: the signal that ended the process.

        After an end that the kernel has enforced by a limit of this process, the limit is missing.
        """
        if not self._for_driver:
            return ""
        missing = [*_find_missing_basics(), *_find_missing_resources(AFTER_END)]
        if count_refused_tasks() > self._refused:
            missing.append(f"a control group has refused to start a further process or thread; {RAISE_TASKS}")
        kind, words = _ENDING_LIMITS.get(signal_name, (resource.RLIMIT_CPU, ""))
        if words and resource.getrlimit(kind)[0] != resource.RLIM_INFINITY:
            missing.append(words)
        return "; ".join(dict.fromkeys(missing))


def _find_missing_basics() -> Iterator[str]:
    """Yield what is missing for every run."""
    yield from _find_missing_system_files()
    try:
        release_segment(create_segment())
    except ShortageError as error:
        yield str(error)


def _find_missing_system_files() -> Iterator[str]:
    try:
        own = str(Path("/proc/self").readlink())
        memory = os.open("/proc/self/mem", os.O_RDONLY | os.O_CLOEXEC)
        os.close(memory)
    except OSError as error:
        own = ""
        problem = f"/proc cannot be used ({error.strerror})"
    else:
        problem = "/proc belongs to another process namespace"
    if own != str(os.getpid()):
        yield f"{problem}; mount it with mount -t proc proc /proc"
    try:
        null = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
        is_device = stat.S_ISCHR(os.fstat(null).st_mode)
        os.close(null)
    except OSError:
        is_device = False
    if not is_device:
        yield f"{os.devnull} is missing or not a device; mount /dev"


def _find_missing_resources(minimum: _Minimum) -> Iterator[str]:
    """Yield what is missing for a driver."""
    yield from _find_missing_scratch(minimum)
    yield from _find_missing_semaphores()
    yield from _find_missing_limits()
    free = free_bytes()
    if free is not None and free < minimum.memory_bytes:
        yield (
            f"only {max(free, 0) // MIB} MiB of memory are free, and a driver needs {minimum.memory_bytes // MIB} MiB; "
            "free some, or raise the limit of the container"
        )
    if not _can_start_tasks(min(MIN_TASKS + 2 * len(os.sched_getaffinity(0)), MAX_TRIED_TASKS)):
        yield f"too few processes and threads can be started; {RAISE_TASKS}"


def _find_missing_scratch(minimum: _Minimum) -> Iterator[str]:
    """Yield what is missing in the folder for temporary files, where drivers write, map and run compiled kernels."""
    try:
        folder = Path(tempfile.gettempdir())
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(mmap.PAGESIZE))
            file.flush()
            space = os.fstatvfs(file.fileno())
            try:
                mmap.mmap(file.fileno(), mmap.PAGESIZE, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_EXEC).close()
            except PermissionError:
                yield (
                    f"programs in {folder} cannot be run (mounted noexec), and drivers run the kernels that they "
                    f"compile there; {_OTHER_FOLDER}"
                )
    except OSError as error:
        yield find_shortage(error) or f"no temporary file can be written ({error.strerror}); set TMPDIR to a folder"
        return
    free = space.f_bavail * space.f_frsize
    if space.f_blocks and free < minimum.scratch_bytes:
        yield (
            f"only {free / MIB:.1f} MiB are free in {folder}, and a driver needs {minimum.scratch_bytes // MIB} MiB; "
            f"free some, or {_OTHER_FOLDER}"
        )
    if space.f_files and space.f_favail < minimum.inodes:
        yield (
            f"only {space.f_favail} further files can be created in {folder}, and a driver needs {minimum.inodes}; "
            f"remove some, or {_OTHER_FOLDER}"
        )


def _find_missing_semaphores() -> Iterator[str]:
    remedy = f"mount a tmpfs at {SEMAPHORES}, or enlarge it"
    try:
        multiprocessing.get_context("fork").Lock()  # unlike that of "spawn", it needs no process that tracks it
        space = os.statvfs(SEMAPHORES)
    except OSError as error:
        yield f"no semaphore can be created in {SEMAPHORES} ({error.strerror or error}); {remedy}"
        return
    if space.f_blocks and space.f_bavail * space.f_frsize < MIN_SEMAPHORE_BYTES:
        yield f"less than {MIN_SEMAPHORE_BYTES // MIB} MiB are free in {SEMAPHORES}; {remedy}"


def _find_missing_limits() -> Iterator[str]:
    for kind, least, unit, option in LIMITS:
        limit, _ = resource.getrlimit(kind)
        if limit != resource.RLIM_INFINITY and limit < least:
            yield f"a process is limited to {limit} {unit}, and a driver needs {least}; raise it with ulimit {option}"


def _can_start_tasks(count: int) -> bool:
    """Return whether this process can have so many further threads, which count like processes."""
    release = threading.Event()
    started: list[threading.Thread] = []
    try:
        for _ in range(count):
            thread = threading.Thread(target=release.wait, daemon=True)
            thread.start()
            started.append(thread)
    except (RuntimeError, MemoryError):
        return False
    finally:
        release.set()
        for thread in started:
            thread.join()
    return True
