"""The exit codes, and their meanings."""

from __future__ import annotations

import signal

AS_EXPECTED = 0
BAD_USAGE = 2
INTERNAL_ERROR = 3
NOTHING_SELECTED = 5
NO_SUCH_PLATFORM = 6
NO_RESOURCES = 7
INCOMPLETE = 8
FLAKY = 9
DEVIATIONS = 10
WORSE = 11
OUT_OF_DATE = 12
PROGRAM_VIOLATIONS = 13
PROGRAM_FAILED = 14
HUNG_UP = 128 + signal.SIGHUP
INTERRUPTED = 128 + signal.SIGINT
QUIT = 128 + signal.SIGQUIT
USER_SIGNAL = 128 + signal.SIGUSR1
SECOND_USER_SIGNAL = 128 + signal.SIGUSR2
ALARM = 128 + signal.SIGALRM
TERMINATED = 128 + signal.SIGTERM
OUT_OF_PROCESSOR_TIME = 128 + signal.SIGXCPU

_STOPPED = "the journal and the reports have the results until then"
MEANINGS = {
    AS_EXPECTED: "no deviation, or only known ones",
    BAD_USAGE: "bad usage: an invalid option, pattern or file, or a result that contradicts itself",
    INTERNAL_ERROR: "internal error: a bug or a broken installation, never caused by the driver",
    NOTHING_SELECTED: "no test was selected",
    NO_SUCH_PLATFORM: "no such platform or driver, or one without a device",
    NO_RESOURCES: "the machine lacks a resource that a run needs: disk space, open files, memory, processes, "
    "executable scratch memory, /proc, a temporary folder",
    INCOMPLETE: "no unknown deviation, but the run or the recording is incomplete: no requirement was covered, tests "
    "did not end or have no conclusive result, deviations are unconfirmed, or the device was lost",
    FLAKY: "unknown deviations, crashes or hangs that did not repeat",
    DEVIATIONS: "unknown deviations, crashes or hangs",
    WORSE: "a crash or a hang where a known deviation is less severe",
    OUT_OF_DATE: "stale known deviations: fixed, less severe, expired, or matching no requirement",
    PROGRAM_VIOLATIONS: "validate: the program violates the specification",
    PROGRAM_FAILED: "validate: the program was ended by a signal, or returned an exit code other than 0",
    HUNG_UP: f"stopped by SIGHUP; {_STOPPED}",
    INTERRUPTED: f"stopped by Ctrl-C; {_STOPPED}",
    QUIT: f"stopped by SIGQUIT; {_STOPPED}",
    USER_SIGNAL: f"stopped by SIGUSR1; {_STOPPED}",
    SECOND_USER_SIGNAL: f"stopped by SIGUSR2; {_STOPPED}",
    ALARM: f"stopped by SIGALRM; {_STOPPED}",
    TERMINATED: f"stopped by SIGTERM; {_STOPPED}",
    OUT_OF_PROCESSOR_TIME: f"stopped by SIGXCPU, at the limit of its processor time; {_STOPPED}",
}
"""Maps every exit code to its meaning."""
