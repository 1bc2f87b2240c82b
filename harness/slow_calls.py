"""Distinguishes calls that are slow from calls that hang, by the driver's processes and threads in ``/proc`` (Linux).

A driver that waits for an event that never comes sleeps interruptibly and uses no processor time. Such a call hangs
when its deadline has passed. Any other call gets more time, within a limit:

- A driver that uses processor time works, or runs in circles. A busy machine may give it little of this time.
- A thread that is runnable waits for a processor of a busy machine.
- A thread in uninterruptible sleep waits for a lock or a device that other threads release: a GPU's kernel driver
  creates the contexts of all processes of a machine one after the other. A dying process is also blocked, until the
  kernel has released its contexts; unless the harness waits for its end, a crash would look like a hang.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from clconform.harness.process_stats import ProcessStat, read_process_stat, read_stat, thread_stat_files

if TYPE_CHECKING:
    from collections.abc import Callable

_T = TypeVar("_T")
MAX_WAIT_SECONDS = 60.0
"""Maximum seconds to wait for a call after its deadline, if its driver is blocked, or works on an idle machine."""
WORK_FACTOR = 12.0
"""A call whose driver works gets at most this multiple of its deadline on an idle machine: 60 s instead of 5 s."""
MIN_PROCESSOR_SHARE = 0.5
"""The machine is busy for a driver that has used a smaller share of one processor after the deadline."""
MAX_BUSY_SECONDS = 180.0
"""Maximum seconds to wait for a call after its deadline, if its driver works on a busy machine."""
WATCHED_SECONDS = 1.0
"""The last seconds before the deadline, in which the harness watches whether the driver works."""
RETRY_SECONDS = 1.0
"""Length in seconds of each further wait for a reply after its deadline."""
MIN_WORKING_SHARE, MIN_WORKING_SECONDS = 0.05, 0.02
"""A driver works if its processes use at least this share of one processor, and at least these seconds of it."""
SAMPLES, PAUSE_SECONDS, MIN_RUNNABLE = 20, 0.01, 3
"""Number of samples of the thread states, seconds between them, and the samples in which a thread must be runnable.

Between two locks a thread runs briefly, and a thread that only waits is runnable now and then."""
_UNINTERRUPTIBLE, _RUNNABLE = "D", "R"


class Observation(NamedTuple):
    """An observation of a driver's processes.

    ``used_seconds``: the processor time that they have used. ``is_blocked``: the kernel blocks one of their threads.
    ``is_runnable``: one of their threads needs a processor.
    """

    used_seconds: float
    is_blocked: bool
    is_runnable: bool


class SlowCall:
    """Decides whether a call that has not returned within its deadline may still return.

    ``extra_seconds``: how long the driver was waited for after the deadline.
    """

    def __init__(self, observe: Callable[[], Observation], used: float, deadline: float) -> None:
        """Begin to watch the processes of a driver.

        ``used``: the processor time in seconds that they have used so far. ``deadline``: of the call, in seconds.
        """
        self._observe, self._deadline = observe, deadline
        self._passed_at: float | None = None
        self._watched_since, self._used = time.monotonic(), used
        self._worked_seconds = self.extra_seconds = 0.0

    def may_return(self, *, held: bool = False) -> bool:
        """Return whether to wait further; the first call is made when the deadline has passed.

        ``held``: other processes block the call.
        """
        now = time.monotonic()
        self._passed_at = now if self._passed_at is None else self._passed_at
        self.extra_seconds = now - self._passed_at
        observed = self._observe()
        has_worked = self._has_worked(observed.used_seconds)
        if held or observed.is_blocked:
            return self.extra_seconds < MAX_WAIT_SECONDS
        if not (observed.is_runnable or has_worked):
            return False
        enough = min(MAX_WAIT_SECONDS, (WORK_FACTOR - 1) * self._deadline)
        busy = self._worked_seconds < MIN_PROCESSOR_SHARE * enough
        return self.extra_seconds < (MAX_BUSY_SECONDS if busy else enough)

    def _has_worked(self, used: float) -> bool:
        """Return whether the processes have used processor time since the last look; ``used``: in all, in seconds."""
        now = time.monotonic()
        seconds, work = now - self._watched_since, used - self._used
        self._watched_since, self._used = now, used
        self._worked_seconds += max(0.0, work)
        return work >= max(MIN_WORKING_SECONDS, MIN_WORKING_SHARE * seconds)


def wait_beyond_deadline(
    wait: Callable[[float], _T | None],
    seconds: float,
    watch: Callable[[], SlowCall],
    is_held: Callable[[], bool] = lambda: False,
) -> tuple[_T | None, float]:
    """Return the result of ``wait``, and how many seconds after the deadline it was waited for.

    ``wait`` waits for a number of seconds; the result is None if it has none in time. The deadline of ``seconds`` is
    extended while the driver works, or is blocked by the kernel or by other processes (``is_held``). ``watch`` begins
    to watch the driver before the deadline.
    """
    watched = min(WATCHED_SECONDS, seconds / 2)
    found = wait(seconds - watched)
    if found is not None:
        return found, 0.0
    slow = watch()
    found = wait(watched)
    while found is None and slow.may_return(held=is_held()):
        found = wait(RETRY_SECONDS)
    return found, slow.extra_seconds


class ThreadStates(NamedTuple):
    """The states of a driver's threads.

    ``blocked``: a thread is blocked in the kernel or exiting. ``runnable``: a thread needs a processor.
    """

    blocked: bool
    runnable: bool


def observe_processes(reaper: int) -> Observation:
    """Return an observation of the processes below a reaper, which takes a fifth of a second."""
    states = sample_states(reaper)
    return Observation(used_seconds(reaper), is_blocked=states.blocked, is_runnable=states.runnable)


def sample_states(reaper: int) -> ThreadStates:
    """Return the states of all threads of the processes below a reaper; both are False if the processes have ended."""
    runnable = 0
    threads = [path for process in find_descendants(reaper) for path in thread_stat_files(process)]
    for look in range(SAMPLES):
        if look:
            time.sleep(PAUSE_SECONDS)
        stats = [read_stat(path) for path in threads]
        if any(map(is_blocked, stats)):
            return ThreadStates(blocked=True, runnable=False)
        runnable += any(stat.state == _RUNNABLE for stat in stats)
    return ThreadStates(blocked=False, runnable=runnable >= MIN_RUNNABLE)


def is_blocked(thread: ProcessStat) -> bool:
    """Return whether a thread is blocked in the kernel or exiting; a thread that has ended is neither."""
    return thread.state == _UNINTERRUPTIBLE or (thread.is_exiting and not thread.has_ended)


def used_seconds(reaper: int) -> float:
    """Return the processor time in seconds that the processes below a reaper, and their ended children, have used."""
    return sum(read_process_stat(process).used_seconds for process in find_descendants(reaper))


def find_descendants(process: int) -> set[int]:
    """Return the ids of the processes below a process, without this process itself."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            children.setdefault(read_stat(entry / "stat").parent, []).append(int(entry.name))
    found: set[int] = set()
    pending = [process]
    while pending:
        new = set(children.get(pending.pop(), ())) - found
        found |= new
        pending += new
    return found
