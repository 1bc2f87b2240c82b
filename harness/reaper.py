"""The parent process of a driver's process: reports its exit status, and kills all processes that the driver started.

A driver may start processes that leave its session and process group. They become children of the reaper when their
parents end, so the reaper can kill all of them.
"""

from __future__ import annotations

import ctypes
import os
import signal
from typing import TYPE_CHECKING

from clconform.harness.children import continue_process, is_traced_from_below, kill_children, kill_process
from clconform.harness.sandbox import die_with_parent

if TYPE_CHECKING:
    from clconform.harness.mailbox import Mailbox

_PR_SET_CHILD_SUBREAPER = 36
_WATCHED_SIGNALS = {signal.SIGCHLD, signal.SIGTERM}
_MAX_KILL_SECONDS = 2.0
_WATCH_SECONDS = 2.0
"""Seconds between two checks whether the driver traces the session's process, which a tracer can stop for ever."""
_prctl = ctypes.CDLL(None).prctl


def fork_below_reaper(mailbox: Mailbox) -> None:
    """Fork: return only in the child, which leads a new session; the current process becomes its reaper.

    The reaper ends on SIGTERM, which it also receives when the thread that started it ends.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    die_with_parent(signal.SIGTERM)
    signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED_SIGNALS)
    session = mailbox.session
    child = os.fork()
    if child == 0:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _WATCHED_SIGNALS)
        os.setsid()
        mailbox.exclude_from_forks()
        return
    mailbox.process = child
    if os.getppid() != session:  # the session ended before prctl requested the signal
        kill_process(child)
    mailbox.set_ended(_wait_for_child(child, session))
    kill_children(_MAX_KILL_SECONDS)
    continue_process(session)  # if the driver has traced the session, its end leaves the session stopped
    os._exit(0)


def _wait_for_child(child: int, session: int) -> int:
    """Wait for the child, and return its exit status as ``os.waitpid`` does.

    Kill the child on SIGTERM, and if one of its processes traces the session's process.
    """
    while True:
        received = signal.sigtimedwait(_WATCHED_SIGNALS, _WATCH_SECONDS)
        if received is None and not is_traced_from_below(session):
            continue
        if received is None or received.si_signo == signal.SIGTERM:
            kill_process(child)
        try:
            while True:
                ended, status = os.waitpid(-1, os.WNOHANG)
                if ended == child:
                    return status
                if not ended:
                    break
        except ChildProcessError:  # the child has ended, and its status was discarded
            return signal.SIGKILL
