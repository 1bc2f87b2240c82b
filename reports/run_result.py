"""The result of a run: a journal and the tables combined into one JSON document.

Every report is written from ``RunResult``, and ``clconform replay`` and ``reproduce`` read it. Its schema is published
in ``schemas/result.schema.json`` and generated from these types. Strings from a driver are kept verbatim; code that
displays them passes them through ``escaping`` first.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from clconform.calls.call import Call, Step
from clconform.calls.deviation_keys import UNEXPECTED_BYTES, parse_symptom
from clconform.calls.journal import AttributedRequirements, DeviceSplit, Interpretation, OwnerCapabilities, Shard
from clconform.calls.values import Operand
from clconform.reports.error_codes import ErrorCodeCounts
from clconform.reports.json_documents import ResultError, read_document
from clconform.reports.trace_timelines import TraceResult

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 3
TITLE = "Result of a clconform run"

Status = Literal[
    "crashes",
    "hangs",
    "deviates",
    "flaky",
    "conforms",
    "inconclusive",
    "not-covered",
    "not-run",
    "not-applicable",
    "untestable",
]
DeviationId = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{8,64}(?!\n)$")]
"""The first digits of the digest of a deviation's key; files are named by it."""
DeviatingStatus = Literal["crashes", "hangs", "deviates", "flaky"]
GateKind = Literal[
    "new",
    "worse",
    "elsewhere",
    "fixed",
    "less-severe",
    "expired",
    "matches-nothing",
    "known",
    "not-seen",
    "not-tested",
    "other-version",
]

ENTRY_FINDINGS = ("fixed", "expired", "matches-nothing", "not-seen", "not-tested", "other-version")
"""Kinds of findings about an entry that matched no deviation; the others are about a deviation."""


class DeviceTested(msgspec.Struct, frozen=True):
    """A device of the platform, as it reports itself; ``handle``: its name in calls."""

    handle: str
    name: str
    type: int
    version: str
    driver_version: str
    compute_units: int


class PlatformTested(msgspec.Struct, frozen=True):
    """The tested platform. ``device``: the handle of the device that calls used.

    ``access``: loader, direct or simulated. ``missing``: functions that the loader offers although the driver lacks
    them, each with the result that a call would return.
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

    @property
    def device_name(self) -> str:
        """The reported name of the device that calls used."""
        return next((device.name for device in self.devices if device.handle == self.device), self.device)


class RunFacts(msgspec.Struct, frozen=True):
    """The conditions of the run. ``planned``: items selected (0: unknown); ``items``: items finished.

    ``unknown_records``: ids in the journal that these tables do not have. ``revision``: digest of the code that makes
    and judges calls. ``shard``: as in ``3/8``, for a part of a run. ``budget_spent``: the budget ended before every
    item was started, and ``unreached`` items were not. Of the finished items, ``failed`` ones had an internal error,
    and ``killed`` ones lost the driver's process to SIGKILL, which was not repeated. ``reached``: the driver started,
    and has a platform. ``gaps``: why the run is incomplete, as text; empty if it is complete.
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
    gaps: list[str] = []


class StatusGroup(msgspec.Struct, frozen=True):
    """A part of the requirements (a chapter, a kind) with the number of requirements by status."""

    name: str
    title: str
    requirements: int
    statuses: dict[str, int]


class ResultSummaryCounts(msgspec.Struct, frozen=True):
    """The result in numbers; ``verdict``: a one-line summary. ``statuses`` holds every status.

    ``error_codes``: distinct pairs of a function and an error code, seen and listed.
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

    ``chapter``: where it is counted: ``4.3`` of the main document, or the extension's name. ``calls``: number of calls
    that tested it, without those with weak evidence. ``evidence``: counts by kind, as in the journal. ``observed``: the
    distinct observations. ``deviations``: ids of those that name it, including explained ones.
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


class DeviationResult(msgspec.Struct, frozen=True):
    """One distinct deviation of the driver; ``id`` is short and stable across runs.

    ``key``: the source of the id: function, requirements, and the symptom's code. ``allowed``, ``observed``,
    ``conditions``: for people; they may be reworded between versions. ``operands``: requirement id to the operands of
    its condition, with their values in the last call of ``sequence``. ``repeated`` of ``attempts`` new worker processes
    showed it again (0 of 0: never repeated). ``minimised``: the sequence is the minimised one. ``seen``: number of
    occurrences. ``item``: the first pytest item that found it, of ``items``. ``tests``: those that make the same calls
    in each run. ``also``: other requirements that the same outcomes violate, and that share the verdict.
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

    @property
    def symptom(self) -> str:
        """Return the symptom code, which equal deviations have in common."""
        return parse_symptom(self.key)

    @property
    def attribution_note(self) -> str:
        """Return the result of its repetitions if the last call need not be the cause; else an empty string."""
        another = self.verdict in ("crashes", "flaky") or self.symptom == UNEXPECTED_BYTES
        return self.note if self.attempts and another else ""


class NoteResult(msgspec.Struct, frozen=True):
    """The driver's result for a valid handle of another type, under ``--robustness``: never a deviation."""

    requirement: str
    observed: str
    call: Call


class InterpretationResult(Interpretation, frozen=True):
    """An interpretation; ``seen``: the results of the calls that it decides, with counts."""

    observed: dict[str, int] = msgspec.field(default_factory=dict)


class GateFinding(msgspec.Struct, frozen=True):
    """The verdict of a file of known deviations on one deviation, or of the run on one entry.

    ``code``: the resulting exit code. ``message``: the same as text. ``entry``: its number in the file, from one; 0 if
    none is concerned. ``reason``: the entry's reason.
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
    """The result checked against known deviations, on one day: deviations first, then entries that matched none.

    ``incomplete``: the gaps of the run, as in ``RunFacts.gaps``, because they also affect the exit code.
    """

    file: str
    today: str
    entries: int
    exit_code: int
    findings: list[GateFinding]
    incomplete: list[str] = []

    def finding_kind(self, deviation: str) -> GateKind | None:
        """Return the kind of the gate's finding about the deviation with the given id, or None."""
        about = (finding.kind for finding in self.findings if finding.deviation == deviation)
        return next((kind for kind in about if kind not in ENTRY_FINDINGS), None)

    @property
    def about_entries(self) -> list[GateFinding]:
        """The findings about entries that matched no deviation."""
        return [finding for finding in self.findings if finding.kind in ENTRY_FINDINGS]


class ImageFormatUse(msgspec.Struct, frozen=True, omit_defaults=True):
    """The facts about an image format for some flags and an image type, by their names.

    ``required``: a minimum list of the documents has it, and a call tested that. ``offered``: the driver lists it.
    ``tried``: number of images requested. ``made``: number of images created. ``wrong``: number of deviating outcomes.
    """

    flags: str
    image_type: str
    required: bool = False
    listed: bool = False
    requested: int = 0
    created: int = 0
    deviating: int = 0


class ImageFormatResult(msgspec.Struct, frozen=True):
    """An image format, by the names of its channel order and data type, or by numbers, with the facts about it."""

    order: str
    data_type: str
    uses: list[ImageFormatUse]


class RunResult(msgspec.Struct, frozen=True):
    """A run's result. ``records``: one entry for every requirement of the tables. ``deviations``: the worst first.

    ``capabilities``: query results of the platform and of each of its devices, the platform first. ``left_open``: the
    interpretations, with the driver's behaviour. ``traces``: the calls of a runtime on top of the driver.
    ``partitions``: the partitions of devices. ``image_formats``: the required, listed and tested formats. ``gate``: the
    check against a file of known deviations, if one was given.
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
    gate: GateResult | None = None
    format: int = FORMAT

    def find_deviation(self, id_prefix: str) -> DeviationResult:
        """Return the deviation whose id is, or begins with, ``id_prefix``; ResultError unless there is exactly one."""
        found = [deviation for deviation in self.deviations if id_prefix and deviation.id.startswith(id_prefix)]
        if len(found) == 1:
            return found[0]
        known = ", ".join(deviation.id for deviation in (found or self.deviations)[:10]) or "none"
        raise ResultError(f"{'several deviations' if found else 'no deviation'} with id {id_prefix!r}; known: {known}")


def key_digest(key: str) -> str:
    """Return the digest of a deviation's key; its first digits are the id."""
    return hashlib.sha256(key.encode("utf-8", "backslashreplace")).hexdigest()


def load_result(path: Path) -> RunResult:
    """Read a result from its JSON; ResultError if that fails."""
    return read_document(path, RunResult, FORMAT, "result")
