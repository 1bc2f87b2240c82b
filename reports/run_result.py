"""Defines the result of a run: a journal and the tables, combined into one JSON document.

Every report is written from a ``RunResult``, and the commands ``replay`` and ``reproduce`` read it. Its schema,
``schemas/result.schema.json``, is generated from these types. Strings from a driver are stored unchanged; code that
displays them passes them through ``escaping`` first.
"""

from __future__ import annotations

import hashlib
from typing import Annotated, Literal

import msgspec

from clconform.calls.call import Call, Step
from clconform.calls.deviation_keys import UNEXPECTED_BYTES, parse_symptom
from clconform.calls.journal import AttributedRequirements, Interpretation, OwnerCapabilities, Shard
from clconform.calls.partitions import DeviceSplit
from clconform.calls.values import Operand
from clconform.reports.error_codes import ErrorCodeCounts
from clconform.reports.json_documents import ResultError
from clconform.reports.linked_allocations.trace_results import TraceResult
from clconform.reports.status_policy import DeviatingStatus, Status
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES

Consequence = Literal["correct-programs", "incorrect-programs", "diagnostics"]
"""Which programs a deviation affects, in the order in which deviations are shown (``reports/consequences.py``)."""
ID_DIGITS = 8
"""Number of hexadecimal digits in the id of a deviation, and in the digest of an item's id."""
FORMAT = 3
TITLE = "Result of a clconform run"

DeviationId = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8,64}(?!\n)$")]
"""The first digits of the digest of a deviation's key, which also identify the deviation in file names."""
GateKind = Literal[
    "worse",
    "new",
    "elsewhere",
    "flaky",
    "fixed",
    "less-severe",
    "expired",
    "matches-nothing",
    "known",
    "not-seen",
    "not-tested",
    "other-version",
]
"""The kinds of findings, in the order in which they are shown: the worst first."""

ENTRY_FINDINGS = ("fixed", "expired", "matches-nothing", "not-seen", "not-tested", "other-version")
"""Kinds of findings about an entry that matched no deviation; all other findings are about a deviation."""


class DeviceTested(msgspec.Struct, frozen=True):
    """A device of the platform, with the values that the driver reports; ``handle``: its name in calls."""

    handle: str
    name: str
    type: int
    version: str
    driver_version: str
    compute_units: int


class PlatformTested(msgspec.Struct, frozen=True):
    """The platform that the run tested.

    ``device``: the handle of the device under test. ``access``: loader, direct or simulated. ``missing``: maps the
    functions that the loader has and the driver lacks to the result that a call would return. ``pointer_bytes``: the
    size of a pointer and of size_t on the machine of the driver.
    """

    handle: str
    name: str
    vendor: str
    version: str
    profile: str
    extensions: str
    device: str
    devices: list[DeviceTested]
    access: str
    loader: str
    libraries: list[str]
    missing: dict[str, str] = {}
    pointer_bytes: int = DEFAULT_POINTER_BYTES

    @property
    def device_name(self) -> str:
        """The name that the device under test reports."""
        return next((device.name for device in self.devices if device.handle == self.device), self.device)


class RunFacts(msgspec.Struct, frozen=True):
    """The conditions and the completeness of the run.

    ``planned``: number of selected items, 0 if unknown. ``items``: number of finished items. ``unknown_requirements``:
    ids in the journal that the tables do not contain. ``revision``: digest of the code that makes and judges calls.
    ``shard``: such as ``3/8``, for a part of a run. ``budget_spent``: the budget ended before every item was started;
    ``not_started``: number of items that were then not started. ``failed``: number of items with an internal error.
    ``killed``: number of items in which SIGKILL ended the driver's process, without a repetition. ``driver_started``:
    the driver started and has a platform. ``device_lost``: why the driver no longer worked at the end, or empty.
    ``unconfirmed``: number of deviations with inconclusive repetitions. ``internal_error``: an internal error
    occurred, in an item or outside of all items. ``contradictions``: the first contradictions in the journal, as texts.
    ``covered``: number of requirements with conclusive evidence; None if unknown. ``lacking_resources``: which
    functions lacked resources in many tests, or empty. ``failing_contexts``: in how many processes no context could be
    created, or empty. ``unreadable_versions``: the version queries whose values cannot be read. ``gaps``: why the run
    is incomplete, as texts; empty if it is complete. ``throttled``: how the machines with the driver were slowed down
    at the end, or empty.
    """

    clconform: str
    seed: int
    tier: str
    started: str
    finished: str
    seconds: float
    target: list[str]
    documents: dict[str, str]
    tables: str
    cut_short: bool
    interrupted: bool
    planned: int
    items: int
    unfinished: list[str]
    calls: int
    unknown_requirements: list[str]
    revision: str = ""
    shard: Shard = ""
    budget_spent: bool = False
    driver_started: bool = True
    not_started: int = 0
    failed: int = 0
    killed: int = 0
    device_lost: str = ""
    unconfirmed: int = 0
    internal_error: bool = False
    contradictions: list[str] = []
    covered: int | None = None
    lacking_resources: str = ""
    failing_contexts: str = ""
    unreadable_versions: list[str] = []
    gaps: list[str] = []
    throttled: str = ""


class StatusGroup(msgspec.Struct, frozen=True):
    """A group of requirements, such as a chapter or a kind, with the number of requirements for each status."""

    name: str
    title: str
    requirements: int
    statuses: dict[str, int]


class ResultSummaryCounts(msgspec.Struct, frozen=True):
    """The result in numbers.

    ``verdict``: a summary in one line. ``statuses``: contains every status. ``error_codes``: numbers of distinct pairs
    of a function and an error code.
    """

    verdict: str
    requirements: int
    statuses: dict[str, int]
    chapters: list[StatusGroup]
    kinds: list[StatusGroup]
    deviations: int
    error_codes: ErrorCodeCounts | None = None


class RequirementResult(msgspec.Struct, frozen=True):
    """One requirement and its result.

    ``chapter``: the chapter in which the requirement is counted: ``4.3`` of the main document, or the name of an
    extension. ``calls``: number of calls that tested the requirement, without weak evidence. ``evidence``: number of
    calls for each kind of evidence, as in the journal. ``observed``: the distinct observations. ``deviations``: the ids
    of all deviations that name the requirement, including those that other deviations explain. ``machines``: the
    addresses of the machines on which calls tested it, if the run used several.
    """

    id: str
    kind: str
    document: str
    section: str
    status: Status
    calls: int
    chapter: str
    title: str = ""
    anchor: str = ""
    function: str = ""
    condition: str = ""
    reason: str = ""
    evidence: dict[str, int] = {}
    test_values: list[str] = []
    observed: list[str] = []
    deviations: list[str] = []
    machines: list[str] = []


class DeviationResult(msgspec.Struct, frozen=True):
    """One distinct deviation of the driver; ``id``: short, and the same in every run.

    ``key``: the text from which the id is computed: function, requirements, and symptom code. ``allowed``,
    ``observed``, ``conditions``: texts for people, which later versions may reword. ``operands``: maps requirement ids
    to the operands of their condition, with the values in the last call of ``sequence``. ``repeated``: number of new
    driver processes that showed the deviation again, of ``attempts``; both are 0 if it was not repeated. ``minimised``:
    whether ``sequence`` is minimised. ``seen``: number of occurrences. ``items``: number of pytest items with the
    deviation; ``item``: the first of them. ``tests``: the items with the deviation that make the same calls in each
    run. ``test_values``: the test values at which these items showed it, up to ``MAX_DEVIATION_TEST_VALUES``; empty if
    they are unknown. ``also_violated``: other requirements that the same outcomes violate; they share the verdict.
    ``machines``: the addresses of the machines on which it was seen, if the run used several. ``consequence``: which
    programs it affects; None if it did not repeat, and in results of earlier versions.
    """

    id: DeviationId
    key: str
    function: str
    requirements: AttributedRequirements
    verdict: DeviatingStatus
    confidence: str
    allowed: list[str]
    observed: str
    conditions: dict[str, str]
    sequence: list[Step]
    minimised: bool
    repeated: int
    attempts: int
    full_history: bool
    item: str
    items: int
    seen: int
    note: str = ""
    operands: dict[str, dict[str, Operand]] = {}
    also_violated: list[str] = []
    tests: list[str] = []
    test_values: list[str] = []
    machines: list[str] = []
    consequence: Consequence | None = None

    @property
    def symptom(self) -> str:
        """Return the symptom code, which is the same for equal deviations."""
        return parse_symptom(self.key)

    @property
    def attribution_note(self) -> str:
        """Return a note on the repetitions if the last call need not be the cause of the deviation; else empty."""
        another = self.verdict in ("crashes", "unconfirmed", "flaky") or self.symptom == UNEXPECTED_BYTES
        return self.note if self.attempts and another else ""


class NoteResult(msgspec.Struct, frozen=True):
    """The result of a call that passes a valid handle of another object type.

    Only runs with ``--robustness`` make such calls. The result is never a deviation.
    """

    requirement: str
    observed: str
    call: Call


class InterpretationResult(Interpretation, frozen=True):
    """An interpretation; ``observed``: the results of the calls that depend on it, with the number of calls."""

    observed: dict[str, int] = msgspec.field(default_factory=dict)


class GateFinding(msgspec.Struct, frozen=True):
    """The conclusion of the gate for one deviation, or for one entry of the file of known deviations.

    ``code``: the exit code that follows. ``message``: the finding as text. ``entry``: the number of the entry in the
    file, from 1; 0 without an entry. ``reason``: the reason that the entry states.
    """

    kind: GateKind
    code: int
    message: str
    requirement: str
    deviation: str = ""
    entry: int = 0
    line: int = 0
    reason: str = ""


class GateResult(msgspec.Struct, frozen=True):
    """The verdict of the gate on one day.

    Findings about deviations come first, then those about unmatched entries. ``incomplete``: the gaps of the run, as in
    ``RunFacts.gaps``, because they also affect the exit code.
    """

    file: str
    today: str
    entries: int
    exit_code: int
    findings: list[GateFinding]
    incomplete: list[str] = []

    def about_deviations(self) -> dict[str, GateFinding]:
        """Map the id of each deviation with a finding to its first finding."""
        about = (finding for finding in reversed(self.findings) if finding.kind not in ENTRY_FINDINGS)
        return {finding.deviation: finding for finding in about}

    @property
    def about_entries(self) -> list[GateFinding]:
        """The findings about entries that matched no deviation."""
        return [finding for finding in self.findings if finding.kind in ENTRY_FINDINGS]


class ImageFormatUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """The facts about an image format with some flags and an image type, which are given by their names.

    ``required``: a minimum list of the documents contains the format, and a call tested this. ``listed``: the driver
    lists the format. ``requested``: number of images that calls requested. ``created``: number of images that were
    created. ``deviating``: number of outcomes that deviate.
    """

    flags: str
    image_type: str
    required: bool = False
    listed: bool = False
    requested: int = 0
    created: int = 0
    deviating: int = 0


class ImageFormatResult(msgspec.Struct, frozen=True):
    """An image format with the facts about it.

    Channel order and data type are names, or numbers without a name.
    """

    order: str
    data_type: str
    uses: list[ImageFormatUse]


class RunResult(msgspec.Struct, frozen=True):
    """The result of a run.

    ``requirements``: one element for every requirement of the tables. ``deviations``: the worst come first.
    ``capabilities``: the query results of the platform, then those of each device. ``interpretations``: the
    interpretations, with the driver's behaviour. ``traces``: the calls of a runtime above the driver. ``partitions``:
    the partitionings of devices. ``image_formats``: the required, listed and tested formats. ``gate``: the verdict of
    the gate, if a file of known deviations was used.
    """

    platform: PlatformTested | None
    run: RunFacts
    summary: ResultSummaryCounts
    requirements: list[RequirementResult]
    deviations: list[DeviationResult]
    notes: list[NoteResult] = []
    capabilities: list[OwnerCapabilities] = []
    interpretations: list[InterpretationResult] = []
    traces: list[TraceResult] = []
    partitions: list[DeviceSplit] = []
    image_formats: list[ImageFormatResult] = []
    item_digests: list[str] = []
    gate: GateResult | None = None
    format: int = FORMAT

    def find_deviation(self, id_prefix: str) -> DeviationResult:
        """Return the deviation whose id begins with ``id_prefix``; ResultError unless there is exactly one."""
        found = [deviation for deviation in self.deviations if id_prefix and deviation.id.startswith(id_prefix)]
        if len(found) == 1:
            return found[0]
        known = ", ".join(deviation.id for deviation in (found or self.deviations)[:10]) or "none"
        raise ResultError(f"{'several deviations' if found else 'no deviation'} with id {id_prefix!r}; known: {known}")


def item_digest(item: str) -> str:
    """Return the first digits of the digest of an item's id."""
    return key_digest(item)[:ID_DIGITS]


def key_digest(key: str) -> str:
    """Return the digest of a deviation's key.

    The first digits of the digest are the id.
    """
    return hashlib.sha256(key.encode("utf-8", "backslashreplace")).hexdigest()
