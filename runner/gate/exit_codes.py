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
    AS_EXPECTED: "no unexpected deviation",
    BAD_USAGE: "bad usage: an option, a pattern or a file that makes no sense",
    OUR_FAILURE: "our own failure: a bug or a broken installation, never the driver's doing",
    NOTHING_SELECTED: "no item was selected",
    NO_SUCH_PLATFORM: "no such platform or driver, or one without a device",
    DEVIATIONS: "deviations, crashes or hangs that no expectation has",
    WORSE: "a crash or a hang where only something milder was expected",
    OUT_OF_DATE: "an expectation that vanished, is milder now, has expired, or matches nothing in the tables",
    INTERRUPTED: "stopped by Ctrl-C; what was found until then is in the journal and the reports",
}
