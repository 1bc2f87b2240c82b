"""Defines the findings of a validation: the party, the rule, the call site, and the calls that led to the finding."""

from __future__ import annotations

import msgspec

from clconform.calls.call import Step
from clconform.calls.values import Operand

PROGRAM, DRIVER, LOADER, UNCLEAR = "program", "driver", "loader", "nobody known"
PARTIES = (PROGRAM, DRIVER, LOADER, UNCLEAR)
"""The parties to which a finding may be attributed."""
ERROR, UNDEFINED, DEVIATION, ADVICE, PROBE, PROCESS_ENDED = (
    "error",
    "undefined",
    "deviation",
    "advice",
    "probe",
    "ended",
)
PORTABILITY, FAILED = "portability", "failed"
"""Kinds of findings, in this order:

- a call that must fail
- a call with undefined behaviour
- a result of the driver that no requirement allows
- advice for the program
- a failed query for an unsupported feature, by which programs detect support
- a call in which the process ended
- behaviour that works on this device but that the documents do not guarantee
- a call that failed with an error that may be allowed"""
KINDS = (ERROR, UNDEFINED, DEVIATION, ADVICE, PROBE, PROCESS_ENDED, PORTABILITY, FAILED)
SERIOUS_KINDS = (ERROR, UNDEFINED, DEVIATION)
"""Kinds that count against a party."""
LEAK_RULES = ("leaked-object", "leaked-memory", "leaked-mapping")
"""The rules about objects, memory and mapped regions that the program never releases."""
NOTE_KINDS = (ADVICE, PROBE, PORTABILITY)
"""Kinds that are printed only on request."""


class CallSite(msgspec.Struct, frozen=True):
    """The place of a call in the program, or of a caller.

    ``module``: the code file. ``offset``: the position in this file. ``source``: the source line as ``FILE:LINE``.
    ``function``: the function that contains it. Each is empty if it is unknown.
    """

    module: str = ""
    offset: int = 0
    source: str = ""
    function: str = ""

    def __str__(self) -> str:
        if self.source:
            return self.source
        return f"{self.module}+{self.offset:#x}" if self.module else "an unknown call site"


class ValidationFinding(msgspec.Struct):
    """One rule and one call site in the program, with the number of occurrences.

    ``rule``: the id of the rule: of the first requirement, or in ``rules.toml``. ``requirements``: ids of the
    requirements; empty for a rule of ``rules.toml``. ``reason``: the condition text or the reason. ``remedy``: what
    the program should do instead; empty if that is not known. ``allowed``, ``observed``: outcomes. ``call_number``: the
    number of the first such call, from 1. ``thread``: its host thread. ``steps``: the calls that led to it, and finally
    the call itself. ``call_numbers``: the numbers of these calls. ``operands``: maps requirement ids to the operands of
    their condition, with the values in the call. ``consequences``: the number of later calls that failed because of the
    first; they have no findings of their own. ``stack``: the call stack of the first such call, the innermost frame
    first; empty if only the call site is known.
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
    consequences: int = 0
    rule: str = ""
    remedy: str = ""
    stack: list[CallSite] = []

    @property
    def sequence(self) -> list[Step]:
        """The steps of the finding, under the name that a deviation of a run uses."""
        return self.steps


class Validation(msgspec.Struct):
    """All findings of one recording.

    ``calls``: number of calls of the program. ``judged``: number of calls with a verdict. ``not_judged``: maps reasons
    to the number of calls without a verdict. ``pending_calls``: calls that had not returned at the end of the
    recording, each with its call site. ``running_commands``: the latest commands that may have been running when the
    process ended abnormally, each with its call. ``damage``: the number of judged calls of an incomplete recording, and
    why it is incomplete, as a sentence; else empty. Calls without a result are not counted then. ``platforms``: name
    and version of the available platforms. ``not_visible``: data that recordings cannot contain. ``suppressed``: number
    of findings that a file suppressed. ``program_end``: how the program ended if a signal ended it or its exit code was
    not 0; else empty.
    """

    recording: str
    calls: int
    judged: int
    not_judged: dict[str, int]
    findings: list[ValidationFinding]
    pending_calls: list[str] = []
    running_commands: list[str] = []
    damage: str = ""
    platforms: list[str] = []
    not_visible: list[str] = []
    suppressed: int = 0
    program_end: str = ""


FORMAT = 3
"""The format number of the following document."""
TITLE = "clconform: what was found in the calls of a program"


class ValidationDocument(msgspec.Struct, frozen=True):
    """The output of ``clconform validate``: one validation for each process of the program that made calls."""

    validations: list[Validation]
    format: int = FORMAT
