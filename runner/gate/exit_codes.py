"""The exit codes of a run, and their order of precedence."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

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
    BAD_USAGE: "bad usage: an invalid option, pattern or file",
    INTERNAL_ERROR: "internal error: a bug or a broken installation, never caused by the driver",
    NOTHING_SELECTED: "no test was selected",
    NO_SUCH_PLATFORM: "no such platform or driver, or one without a device",
    NO_RESOURCES: "the machine lacks what a run needs: disk space, open files, memory, a temporary folder",
    INCOMPLETE: "no unknown deviation, but the run is incomplete: tests did not end or have no conclusive result, "
    "deviations are unconfirmed, or the device was lost",
    FLAKY: "deviations, crashes or hangs that are not known ones, and did not repeat",
    DEVIATIONS: "deviations, crashes or hangs that are not known ones",
    WORSE: "a crash or a hang where a known deviation is less severe",
    OUT_OF_DATE: "stale known deviations: fixed, less severe, expired, or matching no requirement",
    PROGRAM_VIOLATIONS: "validate: the program violates the specification",
    HUNG_UP: f"stopped by SIGHUP; {_STOPPED}",
    INTERRUPTED: f"stopped by Ctrl-C; {_STOPPED}",
    QUIT: f"stopped by SIGQUIT; {_STOPPED}",
    USER_SIGNAL: f"stopped by SIGUSR1; {_STOPPED}",
    SECOND_USER_SIGNAL: f"stopped by SIGUSR2; {_STOPPED}",
    ALARM: f"stopped by SIGALRM; {_STOPPED}",
    TERMINATED: f"stopped by SIGTERM; {_STOPPED}",
    OUT_OF_PROCESSOR_TIME: f"stopped by SIGXCPU, at the limit of its processor time; {_STOPPED}",
}

STOPPED = (HUNG_UP, INTERRUPTED, QUIT, USER_SIGNAL, SECOND_USER_SIGNAL, ALARM, TERMINATED, OUT_OF_PROCESSOR_TIME)
PRECEDENCE = (
    INTERNAL_ERROR,
    *STOPPED,
    NO_RESOURCES,
    PROGRAM_VIOLATIONS,
    OUT_OF_DATE,
    WORSE,
    DEVIATIONS,
    FLAKY,
    INCOMPLETE,
    NO_SUCH_PLATFORM,
    NOTHING_SELECTED,
    BAD_USAGE,
    AS_EXPECTED,
)
"""All exit codes; if several apply, the first in this order is returned."""
PRECEDENCE_TEXT = (
    f"Where several apply, {INTERNAL_ERROR} comes first, then {', '.join(map(str, STOPPED[:-1]))} and "
    f"{STOPPED[-1]}, then "
    f"{NO_RESOURCES}, then the highest."
)
"""The order of precedence, as a sentence for help texts."""


def select_exit_code(codes: Iterable[int]) -> int:
    """Return the code with the highest precedence; AS_EXPECTED if ``codes`` is empty.

    An undocumented code counts as INTERNAL_ERROR.
    """
    found = [code if code in MEANINGS else INTERNAL_ERROR for code in codes]
    return min(found, key=PRECEDENCE.index, default=AS_EXPECTED)
