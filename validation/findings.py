"""The findings of a validation: the party, the rule, the call site, and the calls that led to it."""

from __future__ import annotations

import msgspec

from clconform.calls.call import Step
from clconform.calls.values import Operand

PROGRAM, DRIVER, LOADER, UNCLEAR = "program", "driver", "loader", "nobody known"
PARTIES = (PROGRAM, DRIVER, LOADER, UNCLEAR)
"""The parties that a finding may be attributed to."""
ERROR, UNDEFINED, DEVIATION, ADVICE, PROBE, PROCESS_ENDED = (
    "error",
    "undefined",
    "deviation",
    "advice",
    "probe",
    "ended",
)
PORTABILITY = "portability"
"""Kinds of findings.

A call that must fail; undefined behaviour; a driver's result that no requirement allows; advice for the program; a
failed query for an unsupported feature, which is how programs detect support; a call in which the process ended;
behaviour that works here but that the documents do not guarantee.
"""
SERIOUS_KINDS = (ERROR, UNDEFINED, DEVIATION)
"""Kinds that count against a party."""
NOTE_KINDS = (ADVICE, PROBE, PORTABILITY)
"""Kinds that are printed only on request."""


class CallSite(msgspec.Struct, frozen=True):
    """The origin of a call. ``module``: file of the code; ``offset``: in that file.

    ``source``: ``FILE_VARIABLE:LINE``.
    """

    module: str = ""
    offset: int = 0
    source: str = ""

    def __str__(self) -> str:
        if self.source:
            return self.source
        return f"{self.module}+{self.offset:#x}" if self.module else "an unknown call site"


class ValidationFinding(msgspec.Struct):
    """One rule and one call site in the program, with the number of occurrences.

    ``records``: ids of the requirements, empty for a violated rule of the order of commands or of lifetimes. ``words``:
    the condition or the reason. ``allowed``, ``observed``: outcomes. ``number``: of the first call, from 1; ``thread``:
    its host thread. ``steps``: the calls that led to it, and finally the call itself; ``numbers``: the numbers of these
    calls. ``operands``: requirement id to the operands of its condition, with the values of the call.
    """

    party: str
    kind: str
    function: str
    requirements: list[str]
    reason: str
    site: CallSite
    call_number: int
    thread: int
    steps: list[Step]
    call_numbers: list[int] = []
    allowed: list[str] = []
    observed: str = ""
    confidence: str = ""
    operands: dict[str, dict[str, Operand]] = {}
    count: int = 1

    @property
    def sequence(self) -> list[Step]:
        """The calls, by the name that a deviation of a test run uses."""
        return self.steps


class Validation(msgspec.Struct):
    """All findings of one recording.

    ``calls``: of the program; ``judged``: calls with a verdict; ``not_judged``: reason to the number of calls without.
    ``under_way``: calls that had not returned when the recording ended, each with its call site. ``cut``: why a part
    could not be read. ``platforms``: name and version of the available platforms. ``unseen``: events that recordings
    cannot contain. ``suppressed``: number of findings suppressed by a file.
    """

    recording: str
    calls: int
    judged: int
    not_judged: dict[str, int]
    findings: list[ValidationFinding]
    pending_calls: list[str] = []
    damage: str = ""
    platforms: list[str] = []
    not_visible: list[str] = []
    suppressed: int = 0


FORMAT = 2
"""The version of the document below."""
TITLE = "clconform: what was found in the calls of a program"


class ValidationDocument(msgspec.Struct, frozen=True):
    """The output of ``clconform validate``: a validation for each process of a program that made calls."""

    validations: list[Validation]
    format: int = FORMAT
