"""Confines a worker process so that its driver does no harm: memory, core dumps, lifetime."""

from __future__ import annotations

import ctypes
import resource
import signal

GIB = 1 << 30
_PR_SET_PDEATHSIG = 1
_PR_SET_PTRACER = 0x59616D61
_PR_SET_PTRACER_ANY = ctypes.c_ulong(-1)


def confine(data_limit_bytes: int) -> None:
    """Confine this process: it dies with the thread that started it, dumps no core, and its data stays below the limit.

    ``data_limit_bytes``: for RLIMIT_DATA; 0 stands for the hard limit, whatever limit this process started with. A
    driver that wants more gets an error from malloc. Debuggers may attach, for the backtrace of a hung driver.
    """
    die_with_parent()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PTRACER, _PR_SET_PTRACER_ANY, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bounded = data_limit_bytes if hard == resource.RLIM_INFINITY else min(data_limit_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bounded if data_limit_bytes else hard, hard))
    # as in a C program: Python's settings must not protect a driver from these signals
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Have this process get a signal as soon as the thread that started it ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
