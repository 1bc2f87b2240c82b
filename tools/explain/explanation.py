"""The information about one requirement, as the JSON document that ``clconform explain --json`` prints."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

FORMAT = 3
TITLE = "Output of clconform explain for a record"
TITLE_OF_A_LISTING = "Output of clconform explain for a name that several records share"

JudgedBy = Literal["by-rules", "no-rule", "untestable"]
RuleRole = Literal[
    "predicate", "builder", "promise", "answer", "between-answers", "limit", "trigger", "effect-on-memory", "named-in"
]


class SourceLocation(msgspec.Struct, frozen=True):
    """A source location: a file relative to the package's folder, a line, and the name that is defined there."""

    file: str
    line: int
    name: str = ""

    def __str__(self) -> str:
        """Return it as ``FILE_VARIABLE:LINE NAME``."""
        return f"{self.file}:{self.line} {self.name}".rstrip()


class StructuredCondition(msgspec.Struct, frozen=True):
    """The structured condition of an error condition: its kind, the meaning of the kind, and its operands."""

    kind: str
    meaning: str
    parameters: list[str] = []
    values: list[str] = []


class RequirementSummary(msgspec.Struct, frozen=True):
    """A requirement in one line."""

    id: str
    kind: str
    condition: str


class OracleRule(msgspec.Struct, frozen=True):
    """A part of the oracle that judges the requirement.

    ``words``: its description. ``function``: the function whose calls it judges. ``records``: for a coverage point, the
    requirements whose verdicts apply to this one.
    """

    role: RuleRole
    place: SourceLocation | None
    description: str = ""
    function: str = ""
    requirements: list[str] = []


class TestValue(msgspec.Struct, frozen=True):
    """A variation of the valid call: its name, and the function that yields it.

    ``valid``: the call is still valid; otherwise it violates the error condition.
    """

    name: str
    place: SourceLocation | None
    valid: bool


class TargetingItem(msgspec.Struct, frozen=True):
    """A pytest item that targets the requirement. ``drawn``: its calls are generated at random from its seed."""

    id: str
    place: SourceLocation
    is_random: bool


class AppliedInterpretation(msgspec.Struct, frozen=True):
    """An interpretation that the rules depend on. ``place``: its definition. ``used``: where a rule names it."""

    id: str
    where: str
    text: str
    reason: str
    place: SourceLocation | None
    used: SourceLocation | None


class DeviationSummary(msgspec.Struct, frozen=True):
    """A deviation that names the requirement."""

    id: str
    verdict: str
    allowed: list[str]
    observed: str


class ResultSummary(msgspec.Struct, frozen=True):
    """One result for the requirement; ``status`` is empty if the result does not contain the requirement.

    ``result``: its file. ``platform``: the driver's name. ``access``: how the driver was loaded. ``started``: start
    time.
    """

    result: str
    platform: str
    access: str
    started: str
    status: str
    reason: str = ""
    calls: int = 0
    test_values: list[str] = []
    observed: list[str] = []
    deviations: list[DeviationSummary] = []


class RequirementExplanation(msgspec.Struct, frozen=True):
    """The information about one requirement.

    ``condition``: its text in our words. ``structured_condition``: for an error condition of a recurring kind, the kind
    and its operands. ``applies``: its applicability conditions in words, all of which must hold. ``record``: the
    requirement as in the tables. ``confidence``: ``literal``, or ``inferred`` or ``interpretation`` if the rules go
    beyond the text. ``judged`` with ``reason``: rules judge it, it has no rule, or no call can test it. ``valid_call``:
    the function that makes the valid call that boundaries vary. ``tests``: where our own tests name it; null if they
    are not installed.
    """

    id: str
    kind: str
    document: str
    section: str
    title: str
    function: str
    condition: str
    applicability: list[str]
    structured_condition: StructuredCondition | None
    requirement: dict[str, Any]
    related: list[RequirementSummary]
    judged: JudgedBy
    reason: str
    confidence: str
    rules: list[OracleRule]
    valid_call: SourceLocation | None
    test_values: list[TestValue]
    items: list[TargetingItem]
    interpretations: list[AppliedInterpretation]
    tests: list[SourceLocation] | None
    results: list[ResultSummary]
    format: int = FORMAT


class RequirementListing(msgspec.Struct, frozen=True):
    """The requirements of a function, a query, a type, or of another name that is not a requirement's id."""

    name: str
    requirements: list[RequirementSummary]
    format: int = FORMAT
