"""Limits a worker process, so that its driver cannot harm the machine: memory, core dumps and lifetime."""

from __future__ import annotations

import ctypes
import resource
import signal

GIB = 1 << 30
_PR_SET_PDEATHSIG = 1
_PR_SET_PTRACER = 0x59616D61
_PR_SET_PTRACER_ANY = ctypes.c_ulong(-1)


def limit_process() -> None:
    """Disable this process's core dumps, and let it die with the thread that started it.

    Debuggers may attach, for the backtrace of a hung driver.
    """
    die_with_parent()
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(_PR_SET_PTRACER, _PR_SET_PTRACER_ANY, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # the default actions, as in a C program: Python's handlers must not shield a driver from these signals
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def limit_data(limit_bytes: int) -> None:
    """Set RLIMIT_DATA of this process; 0 for the hard limit. Beyond the limit, malloc fails in the driver.

    This is called after the driver has listed its devices, since some drivers derive the memory and the largest images
    of a device from this limit (PoCL does).
    """
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    bounded = limit_bytes if hard == resource.RLIM_INFINITY else min(limit_bytes, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (bounded if limit_bytes else hard, hard))


def die_with_parent(number: int = signal.SIGKILL) -> None:
    """Deliver a signal to this process as soon as the thread that started it ends."""
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, number, 0, 0, 0)
