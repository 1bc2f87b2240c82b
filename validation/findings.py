"""What a validation finds: whose mistake, which rule, where in the program, and by which calls."""

from __future__ import annotations

import msgspec

from clconform.calls.call import Step
from clconform.calls.values import Operand

PROGRAM, DRIVER, LOADER, NOBODY = "program", "driver", "loader", "nobody known"
PARTIES = (PROGRAM, DRIVER, LOADER, NOBODY)
"""Who a finding is about."""
ERROR, UNDEFINED, DEVIATION, ADVICE, PROBE, ENDED = "error", "undefined", "deviation", "advice", "probe", "ended"
PORTABILITY = "portability"
"""Kinds of findings: a call that must fail; undefined behaviour; a driver's answer that no clause allows; what a
program had better do; a query that fails because something is not supported, which is how programs find that out; a
call in which the process has ended; what works here and is beyond what the documents guarantee."""
SERIOUS = (ERROR, UNDEFINED, DEVIATION)
"""Kinds that count against a party."""
NOTES = (ADVICE, PROBE, PORTABILITY)
"""Kinds that are not printed unless they are asked for."""


class Site(msgspec.Struct, frozen=True):
    """Where a call comes from. ``module``: file of the code; ``offset``: in that file; ``source``: ``FILE:LINE``."""

    module: str = ""
    offset: int = 0
    source: str = ""

    def __str__(self) -> str:
        if self.source:
            return self.source
        return f"{self.module}+{self.offset:#x}" if self.module else "an unknown place"


class Finding(msgspec.Struct):
    """One rule and one place in the program, with how often it was met.

    ``records``: ids of the clauses, empty where a rule of the order of commands or of lifetimes was violated.
    ``words``: the condition or the reason. ``allowed``, ``observed``: outcomes. ``number``: of the first call, from 1;
    ``thread``: its host thread. ``steps``: the calls that led there, and the call itself, the last; ``numbers``: of
    these. ``operands``: record id to what its condition names, with the values of the call.
    """

    party: str
    kind: str
    function: str
    records: list[str]
    words: str
    site: Site
    number: int
    thread: int
    steps: list[Step]
    numbers: list[int] = []
    allowed: list[str] = []
    observed: str = ""
    confidence: str = ""
    operands: dict[str, dict[str, Operand]] = {}
    count: int = 1

    @property
    def sequence(self) -> list[Step]:
        """The calls, as a deviation of a test run names them."""
        return self.steps


class Validation(msgspec.Struct):
    """All that was found in one recording.

    ``calls``: of the program; ``judged``: those with a verdict; ``not_judged``: reason to the number of calls without.
    ``under_way``: calls that had not returned when the recording ended, each with where it comes from. ``cut``: why a
    part could not be read. ``platforms``: name and version of those that were there. ``unseen``: what no recording
    shows. ``suppressed``: findings that were left out, as a file asks for.
    """

    recording: str
    calls: int
    judged: int
    not_judged: dict[str, int]
    findings: list[Finding]
    under_way: list[str] = []
    cut: str = ""
    platforms: list[str] = []
    unseen: list[str] = []
    suppressed: int = 0


FORMAT = 1
"""The version of the document below."""
TITLE = "clconform: what was found in the calls of a program"


class Document(msgspec.Struct, frozen=True):
    """What ``clconform validate`` writes: a validation for each process of a program that has made calls."""

    validations: list[Validation]
    format: int = FORMAT
