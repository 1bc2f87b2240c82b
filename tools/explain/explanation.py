"""Defines the information about one requirement as the JSON document that ``clconform explain --json`` prints."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

FORMAT = 3
TITLE = "Output of clconform explain for a requirement"
TITLE_OF_A_LISTING = "Output of clconform explain for a name that several requirements share"

JudgedBy = Literal["by-rules", "no-rule", "untestable"]
RuleRole = Literal[
    "predicate",
    "builder",
    "postcondition",
    "expected-value",
    "cross-query-rule",
    "limit",
    "coverage-point",
    "effect-on-memory",
    "named-in",
]


class SourceLocation(msgspec.Struct, frozen=True):
    """A source location: a file relative to the folder of the package, a line, and the name defined on this line."""

    file: str
    line: int
    name: str = ""

    def __str__(self) -> str:
        """Return the location as ``FILE:LINE NAME``."""
        return f"{self.file}:{self.line} {self.name}".rstrip()


class StructuredCondition(msgspec.Struct, frozen=True):
    """The recurring condition of an error condition: its kind, the meaning of this kind, parameters and values."""

    kind: str
    meaning: str
    parameters: list[str] = []
    values: list[str] = []


class RequirementSummary(msgspec.Struct, frozen=True):
    """A requirement with its kind and its condition text."""

    id: str
    kind: str
    condition: str


class OracleRule(msgspec.Struct, frozen=True):
    """A part of the oracle that judges the requirement.

    ``description``: the text of the rule. ``function``: the function whose calls the rule judges. ``requirements``: for
    a coverage point, the requirements whose verdicts also count for this requirement.
    """

    role: RuleRole
    place: SourceLocation | None
    description: str = ""
    function: str = ""
    requirements: list[str] = []


class TestValue(msgspec.Struct, frozen=True):
    """A variation of the valid call.

    ``place``: the function that creates the variation. ``valid``: the call stays valid; otherwise it violates the error
    condition.
    """

    name: str
    place: SourceLocation | None
    valid: bool


class TargetingItem(msgspec.Struct, frozen=True):
    """A pytest item that targets the requirement; ``is_random``: its calls are random, by its seed."""

    id: str
    place: SourceLocation
    is_random: bool


class AppliedInterpretation(msgspec.Struct, frozen=True):
    """An interpretation on which the rules depend.

    ``place``: its definition. ``used``: the place where a rule names it.
    """

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
    """The requirement in one result.

    ``status``: empty if the result does not contain the requirement. ``result``: the file of the result. ``platform``:
    the name of the driver. ``access``: the path to the driver. ``started``: the start time.
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

    ``condition``: its text in the project's words. ``structured_condition``: for an error condition with a recurring
    condition, the kind, the parameters and the values. ``applicability``: its applicability conditions as text; all of
    them must hold. ``requirement``: the requirement as in the tables. ``confidence``: ``literal``, or ``inferred`` or
    ``interpretation`` if the rules go beyond the text. ``judged``: rules judge the requirement, no rule exists, or no
    call can test it; ``reason``: why. ``valid_call``: the function that makes the valid call, which the test values
    vary. ``tests``: the places where the tests of the project name the requirement; null if the tests are not
    installed.
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
    """The requirements of a function, a query or a type, or of another name that is not an id."""

    name: str
    requirements: list[RequirementSummary]
    format: int = FORMAT
