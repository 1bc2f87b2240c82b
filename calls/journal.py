"""The general lines of a journal: all data of a run, flushed line by line.

A journal is a file of JSON lines. It starts with a ``RunHeader``, a ``PlatformLine`` and a ``CapabilityLine``; each new
observation adds a ``FirstObservation`` or a ``Deviation``; each pytest item ends with an ``ItemEnd``; confirming and
minimising adds a ``Confirmation`` for each distinct deviation; a ``RunEnd`` is the last line. Without it the run is
incomplete. A run that continues an earlier journal writes ``Resumed`` first. ``line_kinds`` lists all kinds of lines,
including those about one subject only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Union

import msgspec

from clconform.calls.call import Begun, Call, Outcome, Step
from clconform.calls.deviation_keys import parse_symptom
from clconform.calls.protocol import PlatformIdentity
from clconform.calls.values import Operand
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = 3

DESELECTED = "deselected"
ANOTHER_SHARD = "another shard"
BUDGET_SPENT = "budget spent"

NOT_MINIMISED_FURTHER = "repeated once, and not minimised further"
"""The note on a deviation that was repeated with the calls that its last call needs, without other attempts."""

IN_THIS_CALL = " In this call: "
"""Separates the text of a condition from the part of it that held in the call."""
QUERY_SEPARATOR = ": "
"""Separates the id of a query from the rest of the test value of a deviation."""
MAX_DEVIATION_TEST_VALUES = 1000
"""Maximum number of test values of a deviation.

A list with this number of values may be incomplete, so it is not compared with other lists."""

Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
"""A count. A journal may come from an untrusted source: reading it rejects values that are not counts."""
Shard = Annotated[str, msgspec.Meta(pattern=r"^([1-9][0-9]{0,3}/[1-9][0-9]{0,3})?(?!\n)$")]
"""A shard of a run, as in ``3/8``, or empty."""
Scale = Annotated[float, msgspec.Meta(ge=0.1, le=100)]
"""A factor for deadlines."""
Severity = Annotated[str, msgspec.Meta(pattern=r"^(deviates|crashes|hangs)(?!\n)$")]
"""The verdict on an observed deviation."""
ConfirmedSeverity = Annotated[str, msgspec.Meta(pattern=r"^(deviates|crashes|hangs|unconfirmed|flaky)(?!\n)$")]
"""The verdict on a repeated deviation."""
AttributedRequirements = Annotated[list[str], msgspec.Meta(min_length=1)]
"""The requirements that a deviation is attributed to."""


class RunHeader(msgspec.Struct, frozen=True, tag_field="line", tag="run"):
    """How the run was started.

    ``started``: ISO 8601 in UTC. ``target``: the options that select the driver. ``documents``: maps names of documents
    to revisions. ``tables``: digest of the documents. ``revision``: digest of the code that makes and judges calls.
    ``device``: the index of the root device, from 0. ``examples``: the number of examples of each random test, 0 for
    the tier's default.

    The selection of items: ``requirements`` are patterns, ``paths`` suites or items, ``keyword`` and ``markers``
    pytest's expressions, ``shard`` is ``1/2`` or empty. ``deadline_scale``: the factor for the default deadlines.
    ``program_binaries``: the folder of binaries for a device without a compiler, or empty. ``program_manifest``: the
    digest of the manifest in this folder.
    """

    version: str
    seed: Count
    tier: str
    started: str
    target: list[str]
    documents: dict[str, str]
    tables: str
    revision: str = ""
    device: Count = 0
    examples: Count = 0
    robustness: bool = False
    requirements: list[str] = []
    paths: list[str] = []
    keyword: str = ""
    markers: str = ""
    shard: Shard = ""
    deadline_scale: Scale = 1.0
    program_binaries: str = ""
    program_manifest: str = ""
    format: int = FORMAT


class Interpretation(msgspec.Struct, frozen=True):
    """One interpretation of an unspecified point of the documents.

    ``where``: the place in the document; ``text``: the oracle's behaviour; ``reason``: its justification.
    """

    id: str
    where: str
    text: str
    reason: str


class PlatformLine(msgspec.Struct, frozen=True, tag_field="line", tag="platform"):
    """The tested platform and device.

    ``not_applicable``: maps requirement ids to the applicability condition that does not hold. ``untestable``: maps
    requirement ids to reasons. ``access``: ``loader``, ``direct`` or ``simulated``. ``conditions``: maps requirement
    ids to their conditions in our own words. ``missing``: functions that the loader offers but the driver does not
    implement, each with the result of a call. ``interpretations``: the interpretations of unspecified points.
    ``unreadable_versions``: the version queries of the platform and the device whose values do not have the form that
    the documents require. ``pointer_bytes``: the size of a pointer and of size_t on the machine of the driver.
    """

    platform: PlatformIdentity
    device: str
    access: str
    loader: str
    libraries: list[str]
    not_applicable: dict[str, str]
    untestable: dict[str, str]
    conditions: dict[str, str]
    missing: dict[str, str] = {}
    interpretations: list[Interpretation] = []
    unreadable_versions: list[str] = []
    pointer_bytes: int = DEFAULT_POINTER_BYTES


class Capability(msgspec.Struct, frozen=True, omit_defaults=True):
    """One query's value for display; its strings come from the driver and may be hostile.

    ``minimum``: the documents' minimum as text. ``mark``: ``below`` (the minimum), ``outside`` (violates another
    requirement), ``meets``, or empty if no value is required. ``reason``: why there is no value: an applicability
    condition, or a failed query.
    """

    query: str
    section: str
    value: str = ""
    minimum: str = ""
    mark: str = ""
    reason: str = ""


class OwnerCapabilities(msgspec.Struct, frozen=True):
    """All query values of one platform or root device, in document order; ``name``: the name that it reports."""

    handle: str
    name: str
    values: list[Capability]


class CapabilityLine(msgspec.Struct, frozen=True, tag_field="line", tag="capabilities"):
    """The capabilities that the platform under test and its root devices reported at the start, platform first."""

    capabilities: list[OwnerCapabilities]


class FirstObservation(msgspec.Struct, frozen=True, tag_field="line", tag="first-seen"):
    """The first time that an item observes a combination of requirement, allowed, observed and test value."""

    item: str
    requirement: str
    allowed: list[str]
    observed: str
    test_value: str
    call: Call


class Deviation(msgspec.Struct, frozen=True, tag_field="line", tag="deviation"):
    """An outcome that no requirement allows, with the calls up to it.

    ``key``: a string of function, requirements and symptom code, which identifies equal deviations. ``requirements``:
    the requirements that it is attributed to; more than one if several error conditions held. ``also_violated``:
    further requirements that the same outcome violates, with the same verdict. ``verdict``: ``deviates``, ``crashes``
    or ``hangs``. ``confidence``: ``literal``, ``inferred`` or ``interpretation``.

    ``conditions``: maps requirement ids to the conditions that held, in our words. For a condition with several
    alternatives, ``IN_THIS_CALL`` and the alternative that held follow. ``operands``: maps requirement ids to the
    operands of the condition, with their values in the call that the deviation is attributed to, the last of the
    sequence. ``allowed``, ``observed``: texts for readers, which may change between versions. ``sequence``: the
    example's calls, up to and including that call.

    ``while_confirming``: the deviation was observed while another deviation of the item was repeated, after the end of
    the item. ``undecided``: the process ended while commands could still be running, or between calls. The requirements
    are those of these commands or of the previous call; only repetitions show whether the pending call, the last of the
    sequence, is the cause instead. ``accepted_before``: for a crash or a hang, the functions of calls that should have
    failed but succeeded in earlier examples of the same process. ``is_random``: the item chooses its calls at random.

    ``test_value``: the test value of the call that showed the deviation, for a query after its id; empty if the
    call has none, or if the item is random. An item writes a line for each test value, up to
    ``MAX_DEVIATION_TEST_VALUES``. A long sequence in a further line is shortened to the calls that may affect the last
    call.
    """

    item: str
    key: str
    requirements: AttributedRequirements
    verdict: Severity
    confidence: str
    allowed: list[str]
    observed: str
    conditions: dict[str, str]
    sequence: list[Step]
    while_confirming: bool = False
    operands: dict[str, dict[str, Operand]] = {}
    undecided: bool = False
    also_violated: list[str] = []
    accepted_before: list[str] = []
    is_random: bool = False
    test_value: str = ""

    @property
    def symptom(self) -> str:
        """Return the symptom code, which equal deviations share."""
        return parse_symptom(self.key)

    @property
    def tests(self) -> list[str]:
        """Return the item, or an empty list if no test reproduces the deviation.

        This is the case if the item chooses its calls at random, or did not observe the deviation itself.
        """
        return [] if self.is_random or self.while_confirming else [self.item]

    @property
    def test_values(self) -> list[str]:
        """Return the test value, or an empty list if there is none."""
        return [self.test_value] if self.test_value else []


def sequence_order(line: Deviation) -> tuple[bool, int]:
    """Return the sorting key that puts the line with the fewest calls first, and those without calls last."""
    return not line.sequence, len(line.sequence)


def first_lines(deviations: Iterable[Deviation]) -> list[Deviation]:
    """Return the lines with the whole sequence of calls: all except those for further test values of an item."""
    seen: set[tuple[str, str]] = set()
    first = []
    for line in deviations:
        place = line.item, line.key
        if not line.test_value or place not in seen:
            first.append(line)
        seen.add(place)
    return first


class KilledProcess(msgspec.Struct, frozen=True, tag_field="line", tag="killed"):
    """The driver process was killed with SIGKILL during a call: by the system, a user, or the driver itself.

    The fields are those of a ``Deviation``. The kill becomes a deviation only if new processes are killed in the same
    calls although enough memory is available; otherwise the item is inconclusive for these requirements.
    """

    item: str
    key: str
    requirements: list[str]
    confidence: str
    allowed: list[str]
    observed: str
    conditions: dict[str, str]
    sequence: list[Step]
    operands: dict[str, dict[str, Operand]] = {}
    undecided: bool = False
    test_value: str = ""


class ImplementationNote(msgspec.Struct, frozen=True, tag_field="line", tag="note"):
    """Implementation-defined behaviour of the driver, which is never a deviation.

    Examples are the result of a call with a valid handle of a type that the call does not accept, and an output buffer
    that a query changed on an error or past the end of its value.
    """

    item: str
    requirement: str
    observed: str
    call: Call


class Confirmation(msgspec.Struct, frozen=True, tag_field="line", tag="confirmation"):
    """One distinct deviation, repeated in new workers and minimised.

    ``verdict``: ``deviates``, ``crashes``, ``hangs``; ``flaky`` if the same calls had an allowed outcome; or
    ``unconfirmed`` if the repetitions are inconclusive, for the reason in ``note``. ``repeated``: the number
    of new workers in which it occurred, out of ``attempts``. ``sequence``: the shortest sequence that reproduces it.
    ``full_history``: it only occurs after the full history of calls. ``allowed``, ``observed``, ``conditions`` and
    ``operands``: as in a ``Deviation``, for this sequence; the first two are empty if the sequence was not run again.

    ``replaced_by``: the key of the deviation that replaces it in reports, if the repetitions show that other deviation.
    ``known``: it was not repeated because the run's file of known deviations has an equal entry; ``verdict`` is then
    that of the entry, and ``sequence`` is empty.
    """

    key: str
    verdict: ConfirmedSeverity
    repeated: Count
    attempts: Count
    sequence: list[Step]
    full_history: bool = False
    note: str = ""
    allowed: list[str] = []
    observed: str = ""
    operands: dict[str, dict[str, Operand]] = {}
    replaced_by: str = ""
    known: bool = False
    conditions: dict[str, str] = {}


ERROR = "error"
"""The outcome of an item that failed because of an error in this project."""


class ItemEnd(msgspec.Struct, frozen=True, tag_field="line", tag="item"):
    """A pytest item has ended. An item without this line is run again completely.

    ``evidence``: maps requirement ids to counts of each kind: ``conforms``, ``weak``, ``deviates``, ``crashes``,
    ``hangs``, ``inconclusive``, ``refused``. ``outcome``: ``passed``, ``failed``, ``xfailed`` (only known deviations),
    ``skipped`` or ``error`` (an error in this project). ``test_values``: maps requirement ids to the test values used.
    ``skipped_targets``: the targets of a skipped item. ``not_covered``: for any other item, the targets that were not
    covered by any call. ``interpretations``: maps ids of interpretations to the results of calls that depend on it,
    with counts. ``process``: the worker process of pytest-xdist that ran the item, empty without such processes.
    ``machine``: the address of the machine with the driver, if the run uses several; else empty.
    """

    item: str
    outcome: str
    seconds: float
    calls: Count
    evidence: dict[str, dict[str, Count]]
    test_values: dict[str, list[str]] = {}
    reason: str = ""
    skipped_targets: list[str] = []
    not_covered: list[str] = []
    interpretations: dict[str, dict[str, Count]] = {}
    process: str = ""
    machine: str = ""


class Selection(msgspec.Struct, frozen=True, tag_field="line", tag="selection"):
    """The selection of this run: ``items`` is the number of selected pytest items.

    ``not_run``: maps requirement ids to the reason why their items were not run: ``DESELECTED``, ``ANOTHER_SHARD``, or
    that the function cannot be called; or ``BUDGET_SPENT``, if at least one of the items was not run. ``not_started``:
    the number of items that did not start because the budget was spent. Later lines add to earlier ones.
    """

    items: Count
    not_run: dict[str, str] = {}
    not_started: int = 0


class Resumed(msgspec.Struct, frozen=True, tag_field="line", tag="resumed"):
    """The run is resumed: items without an ``ItemEnd`` above this line run again; their lines are discarded.

    Items that did not start because the budget was spent run as well.
    """

    started: str


class RunEnd(msgspec.Struct, frozen=True, tag_field="line", tag="end"):
    """The run reached its end; ``finished`` is ISO 8601 in UTC.

    ``device_lost``: why the driver no longer works although it worked at the start, or empty. ``internal_error``: an
    internal error occurred, in an item or outside of all items. ``throttled``: how the machines with the driver were
    slowed down at the end, such as by heat; empty if they were not, or if this is unknown.
    """

    finished: str
    seconds: float
    interrupted: bool = False
    device_lost: str = ""
    internal_error: bool = False
    throttled: str = ""


class CallDeviation(msgspec.Struct, frozen=True):
    """A deviation of a call, as in a ``Deviation``; ``symptom``: its code, empty in lines of earlier versions."""

    requirements: list[str]
    verdict: str
    confidence: str
    allowed: list[str]
    observed: str
    symptom: str = ""


class CallVerdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The verdict on one call.

    ``required_errors`` and ``optional_errors``: the error conditions that must or may hold, each with its
    interpretation or an empty string. ``resources``: the out-of-resources codes. ``undefined``: why the call was not
    made. ``evidence``: pairs of a requirement and a kind. ``implementation_defined``, ``notes``: as in the judge's
    ``Judgement``.
    """

    required_errors: list[tuple[str, str]] = []
    optional_errors: list[tuple[str, str]] = []
    resources: list[str] = []
    undefined: str = ""
    observed: str = ""
    evidence: list[tuple[str, str]] = []
    deviations: list[CallDeviation] = []
    implementation_defined: list[str] = []
    notes: list[tuple[str, str]] = []


class CallLine(msgspec.Struct, frozen=True):
    """One call of a run with ``--journal full``: a line of ``calls.jsonl``.

    ``process``: the process of the run that made the call. ``example``: the number of the example in that process, from
    1; the first example finds the platforms and devices. ``outcome``: None if the call was rejected before it reached
    the driver. ``together``, ``host_thread``, ``entered`` and ``returned``: as in a ``Step``.
    """

    process: str
    example: int
    item: str
    call: Call
    verdict: CallVerdict
    outcome: Union[Outcome, Begun, None] = None  # noqa: UP007 (msgspec reads it at run time)
    test_value: str = ""
    together: int = 0
    host_thread: int = 0
    entered: int = 0
    returned: int = 0
