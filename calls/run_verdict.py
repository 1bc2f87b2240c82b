"""The verdict on a run: one table from the circumstances of a run to its exit code, badge and JUnit outcome.

``decide_verdict`` is pure and total: it takes any set of circumstances. Further circumstances never make the exit code
less severe, the badge greener, or the JUnit outcome milder. Exit codes, help texts, badges and all reports are derived
from ``ROWS``; no other module ranks exit codes or selects colours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from clconform.calls import exit_codes

if TYPE_CHECKING:
    from collections.abc import Iterable

GREEN, GREY, YELLOW, ORANGE, RED = "brightgreen", "lightgrey", "yellow", "orange", "red"
COLORS = (GREEN, GREY, YELLOW, ORANGE, RED)
"""The colours of the badge, from the best to the worst."""
JunitOutcome = Literal["passed", "failure", "error"]
JUNIT_OUTCOMES: tuple[JunitOutcome, ...] = ("passed", "failure", "error")
"""The outcomes of a JUnit file, from the best to the worst."""
Circumstance = Literal[
    "internal-error",
    "stopped-by-sighup",
    "stopped-by-sigint",
    "stopped-by-sigquit",
    "stopped-by-sigusr1",
    "stopped-by-sigusr2",
    "stopped-by-sigalrm",
    "stopped-by-sigterm",
    "stopped-by-sigxcpu",
    "no-resources",
    "worse",
    "new-crash",
    "new-deviation",
    "program-violation",
    "program-failed",
    "flaky",
    "unconfirmed",
    "incomplete",
    "nothing-covered",
    "stale",
    "no-platform",
    "nothing-selected",
    "bad-usage",
    "as-expected",
]


class VerdictRow(NamedTuple):
    """The consequences of one circumstance; ``text``: the circumstance in words."""

    code: int
    color: str
    junit: JunitOutcome
    text: str


ROWS: dict[Circumstance, VerdictRow] = {
    "internal-error": VerdictRow(exit_codes.INTERNAL_ERROR, GREY, "error", "an internal error occurred"),
    "stopped-by-sighup": VerdictRow(exit_codes.HUNG_UP, GREY, "error", "SIGHUP stopped the run"),
    "stopped-by-sigint": VerdictRow(exit_codes.INTERRUPTED, GREY, "error", "Ctrl-C stopped the run"),
    "stopped-by-sigquit": VerdictRow(exit_codes.QUIT, GREY, "error", "SIGQUIT stopped the run"),
    "stopped-by-sigusr1": VerdictRow(exit_codes.USER_SIGNAL, GREY, "error", "SIGUSR1 stopped the run"),
    "stopped-by-sigusr2": VerdictRow(exit_codes.SECOND_USER_SIGNAL, GREY, "error", "SIGUSR2 stopped the run"),
    "stopped-by-sigalrm": VerdictRow(exit_codes.ALARM, GREY, "error", "SIGALRM stopped the run"),
    "stopped-by-sigterm": VerdictRow(exit_codes.TERMINATED, GREY, "error", "SIGTERM stopped the run"),
    "stopped-by-sigxcpu": VerdictRow(exit_codes.OUT_OF_PROCESSOR_TIME, GREY, "error", "SIGXCPU stopped the run"),
    "no-resources": VerdictRow(exit_codes.NO_RESOURCES, GREY, "error", "the machine lacks resources"),
    "worse": VerdictRow(exit_codes.WORSE, RED, "error", "a crash or a hang where a known deviation is less severe"),
    "new-crash": VerdictRow(exit_codes.DEVIATIONS, RED, "error", "a crash or a hang that no entry accepts"),
    "new-deviation": VerdictRow(exit_codes.DEVIATIONS, ORANGE, "failure", "a deviation that no entry accepts"),
    "program-violation": VerdictRow(
        exit_codes.PROGRAM_VIOLATIONS, ORANGE, "failure", "a validated program violates the specification"
    ),
    "program-failed": VerdictRow(
        exit_codes.PROGRAM_FAILED, ORANGE, "failure", "a signal ended a validated program, or it failed"
    ),
    "flaky": VerdictRow(exit_codes.FLAKY, YELLOW, "failure", "a deviation that did not repeat, and no entry accepts"),
    "unconfirmed": VerdictRow(exit_codes.INCOMPLETE, YELLOW, "error", "a deviation with inconclusive repetitions"),
    "incomplete": VerdictRow(exit_codes.INCOMPLETE, GREY, "error", "the run or the recording is incomplete"),
    "nothing-covered": VerdictRow(exit_codes.INCOMPLETE, GREY, "error", "no requirement was covered"),
    "stale": VerdictRow(exit_codes.OUT_OF_DATE, YELLOW, "failure", "an entry is out of date"),
    "bad-usage": VerdictRow(exit_codes.BAD_USAGE, GREY, "error", "an option or a file is invalid"),
    "no-platform": VerdictRow(exit_codes.NO_SUCH_PLATFORM, GREY, "error", "the platform or driver does not exist"),
    "nothing-selected": VerdictRow(exit_codes.NOTHING_SELECTED, GREY, "error", "no test was selected"),
    "as-expected": VerdictRow(exit_codes.AS_EXPECTED, GREEN, "passed", "requirements conform, or deviate as known"),
}
"""Maps every circumstance to its consequences, in the order of precedence of the exit codes."""
PRECEDENCE = tuple(dict.fromkeys(row.code for row in ROWS.values()))
"""All exit codes; if several apply, the first in this order is returned."""
PRECEDENCE_TEXT = (
    f"If several apply, the first of these is returned: {', '.join(map(str, PRECEDENCE[:-1]))}; {PRECEDENCE[-1]} only "
    "if none of them applies."
)
"""The order of precedence, as a sentence for help texts."""


class Verdict(NamedTuple):
    """The consequences of a set of circumstances."""

    code: int
    color: str
    junit: JunitOutcome


def decide_verdict(circumstances: Iterable[Circumstance]) -> Verdict:
    """Return the verdict on these circumstances: of exit code, colour and JUnit outcome, the worst of any of them.

    Without circumstances, everything is as expected.
    """
    rows = [ROWS[each] for each in circumstances] or [ROWS["as-expected"]]
    return Verdict(
        select_exit_code(row.code for row in rows),
        max((row.color for row in rows), key=COLORS.index),
        max((row.junit for row in rows), key=JUNIT_OUTCOMES.index),
    )


def select_exit_code(codes: Iterable[int]) -> int:
    """Return the code with the highest precedence; AS_EXPECTED if ``codes`` is empty.

    An undocumented code counts as INTERNAL_ERROR.
    """
    found = [code if code in PRECEDENCE else exit_codes.INTERNAL_ERROR for code in codes]
    return min(found, key=PRECEDENCE.index, default=exit_codes.AS_EXPECTED)


def format_codes() -> list[str]:
    """Return the lines of a Markdown table of all exit codes."""
    rows = (f"| {code} | {meaning} |" for code, meaning in exit_codes.MEANINGS.items())
    return ["| code | meaning |", "|---|---|", *rows]


def format_rows() -> list[str]:
    """Return the lines of a Markdown table of all circumstances, the exit codes of highest precedence first."""
    rows = (f"| {row.text} | {row.code} | {row.color} | {row.junit} |" for row in ROWS.values())
    return ["| circumstance | exit code | badge | JUnit |", "|---|---|---|---|", *rows]
