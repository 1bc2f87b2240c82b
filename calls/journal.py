"""The lines of a journal: all the data of a run, flushed line by line.

A journal is a file of JSON lines. It opens with a ``RunHeader``, a ``PlatformLine`` and a ``CapabilityLine``; a
``FirstSeen`` or a ``Deviation`` follows whenever something new is observed; each pytest item closes with an
``ItemEnd``; confirming and minimising adds a ``Confirmation`` for each distinct deviation; a ``RunEnd`` closes it.
Without that last line the run is incomplete. A run that continues an earlier journal writes ``Resumed`` first.
"""

from __future__ import annotations

from typing import Annotated, Union

import msgspec

from clconform.calls.call import Begun, Call, Outcome, Step
from clconform.calls.deviation_keys import symptom_in
from clconform.calls.protocol import PlatformSeen
from clconform.calls.traces import Trace, Violation
from clconform.calls.values import Operand

FORMAT = 2

DESELECTED = "deselected"
ANOTHER_SHARD = "another shard"
BUDGET_SPENT = "budget spent"

Count = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
"""A number of things. A journal may come from somebody else: what cannot be a count is refused where it is read."""
Shard = Annotated[str, msgspec.Meta(pattern=r"^([1-9][0-9]{0,3}/[1-9][0-9]{0,3})?(?!\n)$")]
"""A part of a run, as in ``3/8``, or empty."""
Scale = Annotated[float, msgspec.Meta(ge=0.1, le=100)]
"""A scale of deadlines."""
Severity = Annotated[str, msgspec.Meta(pattern=r"^(deviates|crashes|hangs)(?!\n)$")]
"""The verdict on a deviation that was seen."""
Finding = Annotated[str, msgspec.Meta(pattern=r"^(deviates|crashes|hangs|flaky)(?!\n)$")]
"""The verdict on a deviation that was repeated."""
Blamed = Annotated[list[str], msgspec.Meta(min_length=1)]
"""The records that a deviation is blamed on."""


class RunHeader(msgspec.Struct, frozen=True, tag_field="line", tag="run"):
    """How the run was started. ``started`` is ISO 8601 in UTC; ``target``: the options that name the driver.

    ``documents``: name to revision; ``tables``: digest of the documents; ``revision``: digest of the code that makes
    and judges calls. ``device``: which root device, from 0. ``examples``: of a random test, 0 for the tier's number.
    The selection of items: ``records`` are patterns, ``paths`` suites or items, ``keyword`` and ``markers`` pytest's
    expressions, ``shard`` is ``1/2`` or empty. ``deadline_scale``: how many times as long as by default the driver may
    take.
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
    records: list[str] = []
    paths: list[str] = []
    keyword: str = ""
    markers: str = ""
    shard: Shard = ""
    deadline_scale: Scale = 1.0
    format: int = FORMAT


class Interpretation(msgspec.Struct, frozen=True):
    """One interpretation of what the documents leave open, an entry of the register.

    ``where``: the place in the document; ``reading``: what the oracle does; ``reason``: why.
    """

    id: str
    where: str
    reading: str
    reason: str


class PlatformLine(msgspec.Struct, frozen=True, tag_field="line", tag="platform"):
    """What was tested. ``not_applicable``: record id to the gate; ``untestable``: record id to reason.

    ``access``: ``loader``, ``direct`` or ``simulated``. ``conditions``: record id to its condition in our own
    words. ``missing``: functions that the loader offers but the driver does not have, each with the result of a call.
    ``interpretations``: what the documents leave open.
    """

    platform: PlatformSeen
    device: str
    access: str
    loader: str
    libraries: list[str]
    not_applicable: dict[str, str]
    untestable: dict[str, str]
    conditions: dict[str, str]
    missing: dict[str, str] = {}
    interpretations: list[Interpretation] = []


class Capability(msgspec.Struct, frozen=True, omit_defaults=True):
    """One query's answer for display; strings in it come from the driver and may be hostile.

    ``minimum``: what the documents require, in words. ``mark``: ``below`` that, ``outside`` other requirements,
    ``meets``, or empty if they leave it open. ``reason``: why there is no answer: a gate, or the driver gave none.
    """

    query: str
    section: str
    value: str = ""
    minimum: str = ""
    mark: str = ""
    reason: str = ""


class CapabilitiesOf(msgspec.Struct, frozen=True):
    """All answers of one platform or root device, in the order of the documents; ``name``: as it reports it."""

    handle: str
    name: str
    answers: list[Capability]


class CapabilityLine(msgspec.Struct, frozen=True, tag_field="line", tag="capabilities"):
    """What the platform under test and its root devices reported at the start: the platform first."""

    capabilities: list[CapabilitiesOf]


class FirstSeen(msgspec.Struct, frozen=True, tag_field="line", tag="first-seen"):
    """An item's first observation of (record, allowed, observed, boundary), with the call."""

    item: str
    record: str
    allowed: list[str]
    observed: str
    boundary: str
    call: Call


class Deviation(msgspec.Struct, frozen=True, tag_field="line", tag="deviation"):
    """The driver did what no clause allows.

    ``key``: one string for function, records and the symptom's code, which identifies equal deviations.
    ``records``: the records to blame; more than one if several clauses held at once. ``also``: other records that the
    same outcome violates, and that share the verdict. ``verdict``: ``deviates``, ``crashes`` or ``hangs``.
    ``confidence``: ``literal``, ``inferred`` or ``interpretation``.
    ``conditions``: record id to the condition that held, in our words; ``operands``: record id to what these
    words name, with the values of the call to blame, which is the last of the sequence. ``allowed``, ``observed``: for
    people; they may be reworded between versions. ``sequence``: the example's calls up to and
    including the one to blame. ``while_confirming``: it was seen while another deviation of the item was repeated,
    after the item's end. ``undecided``: the process ended while commands might still be running, or between calls; the
    records are those of these commands, or of what was called before, and only repetitions can tell whether the call
    under way, the last of the sequence, is to blame instead. ``accepted_before``: of a crash or a hang, the
    functions of which calls had succeeded in the same process, in earlier examples, that had to fail. ``drawn``: the
    item draws its calls at random.
    """

    item: str
    key: str
    records: Blamed
    verdict: Severity
    confidence: str
    allowed: list[str]
    observed: str
    conditions: dict[str, str]
    sequence: list[Step]
    while_confirming: bool = False
    operands: dict[str, dict[str, Operand]] = {}
    undecided: bool = False
    also: list[str] = []
    accepted_before: list[str] = []
    drawn: bool = False

    @property
    def symptom(self) -> str:
        """Return the symptom code, which equal deviations have in common."""
        return symptom_in(self.key)

    @property
    def tests(self) -> list[str]:
        """Return the item, if it makes the same calls in each run and has itself seen the deviation."""
        return [] if self.drawn or self.while_confirming else [self.item]


class Killed(msgspec.Struct, frozen=True, tag_field="line", tag="killed"):
    """The driver's process was killed with SIGKILL in a call: by the system, by somebody, or by the driver itself.

    The fields are those of a ``Deviation``. It becomes one only if fresh processes are killed in the same calls with
    memory to spare; otherwise the item proves nothing about these records.
    """

    item: str
    key: str
    records: list[str]
    confidence: str
    allowed: list[str]
    observed: str
    conditions: dict[str, str]
    sequence: list[Step]
    operands: dict[str, dict[str, Operand]] = {}
    undecided: bool = False


class Note(msgspec.Struct, frozen=True, tag_field="line", tag="note"):
    """What the documents leave to a driver, and what it did: never a deviation.

    A valid handle of the wrong type; an output buffer that a query changed on an error, or past the end of its answer.
    """

    item: str
    record: str
    observed: str
    call: Call


class TraceLine(msgspec.Struct, frozen=True, tag_field="line", tag="trace"):
    """What a runtime did above the driver: the first trace of an item, and each that violates the runtime's own rules.

    ``violations`` are the runtime's, never the driver's. ``blamed``: accesses with a wrong answer of the driver.
    """

    item: str
    trace: Trace
    violations: list[Violation] = []
    blamed: list[int] = []


class Part(msgspec.Struct, frozen=True):
    """One step from a device to a sub-device: the scheme that split it, and the index of the sub-device."""

    scheme: list[int]
    number: int


class Split(msgspec.Struct, frozen=True):
    """One split of a device and its result. ``path``: how the device was created, from its root device on.

    ``scheme``: the list of properties; ``units``: the compute units of each sub-device, 0 if not queried.
    """

    root: str
    path: list[Part]
    function: str
    scheme: list[int]
    observed: str
    units: list[int]


class PartitionLine(msgspec.Struct, frozen=True, tag_field="line", tag="partitions"):
    """The distinct splits of devices in an item."""

    item: str
    splits: list[Split]


class ListedFormats(msgspec.Struct, frozen=True):
    """The image formats that a context has listed for some flags and an image type, by value.

    ``formats``: pairs of a channel order and a channel data type.
    """

    flags: int
    image_type: int
    formats: list[tuple[int, int]]


class TriedFormat(msgspec.Struct, frozen=True):
    """Images that an item asked for, by value: ``flags`` are those of the access by kernels.

    ``asked``: how often; ``made``: how many were; ``wrong``: how many outcomes were deviations.
    """

    flags: int
    image_type: int
    order: int
    data_type: int
    asked: Count
    made: Count
    wrong: Count


class FormatLine(msgspec.Struct, frozen=True, tag_field="line", tag="image-formats"):
    """The lists of image formats that an item was first to see, and the images that it asked for."""

    item: str
    listed: list[ListedFormats] = []
    tried: list[TriedFormat] = []


class Confirmation(msgspec.Struct, frozen=True, tag_field="line", tag="confirmation"):
    """One distinct deviation, repeated in fresh workers and minimised.

    ``verdict``: ``deviates``, ``crashes``, ``hangs``, or ``flaky`` if it was not reproduced.
    ``repeated``: how many of ``attempts`` fresh workers showed it. ``sequence``: the shortest that reproduces it.
    ``full_history``: True if it occurs only after the full history of calls. ``allowed``, ``observed`` and
    ``operands``: as in a ``Deviation``, for this sequence; the first two are empty if it was not
    run again. ``instead``: the key of the deviation that it turned out to be, by which the reports replace it.
    ``known``: it was not repeated, since the run's file of known deviations names it and it looks the same as there;
    then ``verdict`` is that of the file's entry, and ``sequence`` is empty.
    """

    key: str
    verdict: Finding
    repeated: Count
    attempts: Count
    sequence: list[Step]
    full_history: bool = False
    note: str = ""
    allowed: list[str] = []
    observed: str = ""
    operands: dict[str, dict[str, Operand]] = {}
    instead: str = ""
    known: bool = False


FAILED = "error"
"""Outcome of an item that failed for a reason of our own."""


class ItemEnd(msgspec.Struct, frozen=True, tag_field="line", tag="item"):
    """A pytest item has ended. An item without this line is run again as a whole.

    ``evidence``: record id to counts by kind: ``conforms``, ``weak``, ``deviates``, ``crashes``, ``hangs``,
    ``inconclusive``, ``refused``. ``outcome``: ``passed``, ``failed``, ``xfailed`` (only known deviations),
    ``skipped`` or ``error`` (a failure of our own). ``boundaries``: record id to the boundary values tried.
    ``missed``: if the item was skipped, the records that it targets; ``unmet``: otherwise, those that no call tested.
    ``left_open``: id of an interpretation to the results of calls that it decides, with counts.
    """

    item: str
    outcome: str
    seconds: float
    calls: Count
    evidence: dict[str, dict[str, Count]]
    boundaries: dict[str, list[str]] = {}
    reason: str = ""
    missed: list[str] = []
    unmet: list[str] = []
    left_open: dict[str, dict[str, Count]] = {}


class Selection(msgspec.Struct, frozen=True, tag_field="line", tag="selection"):
    """The selection of this run: ``items`` counts the selected pytest items.

    ``not_run``: record id to the reason why none of the items that target it was run: ``DESELECTED``,
    ``ANOTHER_SHARD``, or its function cannot be called; with ``BUDGET_SPENT``, why one of them was not.
    ``unreached``: how many of the items were not begun because no budget was left. Later lines add to earlier ones.
    """

    items: Count
    not_run: dict[str, str] = {}
    unreached: int = 0


class Resumed(msgspec.Struct, frozen=True, tag_field="line", tag="resumed"):
    """The run is resumed: items without an ``ItemEnd`` above this line are run again, and their lines are discarded.

    The same holds for items for which no budget was left.
    """

    started: str


class RunEnd(msgspec.Struct, frozen=True, tag_field="line", tag="end"):
    """The run reached its end; ``finished`` is ISO 8601 in UTC."""

    finished: str
    seconds: float
    interrupted: bool = False


class BlameLine(msgspec.Struct, frozen=True):
    """A blame on a call, as in a ``Deviation``; ``symptom``: its code, empty in lines of earlier versions."""

    records: list[str]
    verdict: str
    confidence: str
    allowed: list[str]
    observed: str
    symptom: str = ""


class Verdict(msgspec.Struct, frozen=True, omit_defaults=True):
    """The verdict on one call.

    ``musts`` and ``mays``: the clauses that held, each with the interpretation by which it did, or nothing.
    ``resources``: the out-of-resources codes. ``undefined``: why the call was not made. ``evidence``: pairs of a
    record and a kind. ``implementation_defined``, ``notes``: as in the judge's ``Judgement``.
    """

    musts: list[tuple[str, str]] = []
    mays: list[tuple[str, str]] = []
    resources: list[str] = []
    undefined: str = ""
    observed: str = ""
    evidence: list[tuple[str, str]] = []
    blames: list[BlameLine] = []
    implementation_defined: list[str] = []
    notes: list[tuple[str, str]] = []


class CallLine(msgspec.Struct, frozen=True):
    """One call of a full journal.

    ``process``: which of the run's processes made it; ``example`` counts that process' examples from 1, the first of
    which is the opening. ``outcome`` is None where the call was refused. ``together``, ``lane``, ``entered`` and
    ``returned``: as in a ``Step``.
    """

    process: str
    example: int
    item: str
    call: Call
    verdict: Verdict
    outcome: Union[Outcome, Begun, None] = None  # noqa: UP007 (msgspec reads it at run time)
    boundary: str = ""
    together: int = 0
    lane: int = 0
    entered: int = 0
    returned: int = 0


Line = Union[  # noqa: UP007 (msgspec reads it at run time)
    RunHeader,
    PlatformLine,
    CapabilityLine,
    FirstSeen,
    Deviation,
    Killed,
    Note,
    TraceLine,
    PartitionLine,
    FormatLine,
    Confirmation,
    ItemEnd,
    Selection,
    Resumed,
    RunEnd,
]
