"""The exit codes of a run, in one place; where several apply, the highest wins."""

from __future__ import annotations

AS_EXPECTED = 0
BAD_USAGE = 2
OUR_FAILURE = 3
NOTHING_SELECTED = 5
NO_SUCH_PLATFORM = 6
DEVIATIONS = 10
WORSE = 11
OUT_OF_DATE = 12
INTERRUPTED = 130

MEANINGS = {
    AS_EXPECTED: "no deviation, or only known ones",
    BAD_USAGE: "bad usage: an option, a pattern or a file that makes no sense",
    OUR_FAILURE: "internal error: a bug or a broken installation, never caused by the driver",
    NOTHING_SELECTED: "no test was selected",
    NO_SUCH_PLATFORM: "no such platform or driver, or one without a device",
    DEVIATIONS: "deviations, crashes or hangs that are not known ones",
    WORSE: "a crash or a hang where a known deviation is less severe",
    OUT_OF_DATE: "stale known deviations: fixed, less severe, expired, or matching no requirement",
    INTERRUPTED: "stopped by Ctrl-C; the journal and the reports have what was found until then",
}
