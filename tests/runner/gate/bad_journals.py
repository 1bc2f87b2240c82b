"""Generates journals from a conforming one, by seed: each has one new bad event, which no known deviation accepts.

The base is a run in which every tested requirement conforms, except for one known deviation in some of the journals.
``EVENTS`` has the bad events. Each changes the lines of the base, or the bytes of the file.
"""

from __future__ import annotations

import datetime as dt
import random
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls.call import Died, Hung, Returned, Step
from clconform.calls.deviation_keys import build_key
from clconform.calls.journal import (
    Confirmation,
    Deviation,
    ItemEnd,
    KilledProcess,
    PlatformLine,
    RunEnd,
    RunHeader,
    Selection,
)
from clconform.reports.known_deviations import KnownDeviation
from tests.reports import fabricated_journals

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.line_kinds import JournalLine

    Event = Callable[["Draft"], None]

TODAY = dt.date(2026, 11, 21)
TABLES = fabricated_journals.create_tables()
SUB = fabricated_journals.SUB
UNSUITABLE = ("clReleaseDevice/use/1", f"{SUB}EXT/CL_INVALID_VALUE/1")
"""Requirements that are untestable or not applicable in the base."""
TESTED = [requirement for requirement in TABLES.requirements if requirement not in UNSUITABLE]
KNOWN = f"{SUB}/CL_INVALID_VALUE/2"
SYMPTOMS = {
    "deviates": ("CL_SUCCESS", "CL_INVALID_DEVICE", "wrong bytes", "other size", "an error"),
    "crashes": ("signal SIGSEGV", "signal SIGABRT", "exit 1", "killed SIGKILL", "heap spoilt"),
    "hangs": ("no answer",),
}
OUTCOMES = {"deviates": Returned(0), "crashes": Died("signal", "SIGSEGV"), "hangs": Hung(5.0)}
ITEMS = tuple(f"partition.equally::test_room[{number}]" for number in range(6))


class BadJournal(NamedTuple):
    """A generated journal, and the entries of the known deviations with which it is checked."""

    event: str
    content: bytes
    entries: list[KnownDeviation]


class Draft:
    """A journal under construction; ``is_torn``: its last line is cut off."""

    def __init__(self, chance: random.Random) -> None:
        """Start with the lines of a conforming run, and with entries that accept its known deviation."""
        self.chance = chance
        head = fabricated_journals.journal_lines()[:2]
        self.lines: list[JournalLine] = [*head, Selection(len(ITEMS))]
        for number, item in enumerate(ITEMS):
            evidence = {name: {"conforms": chance.randint(1, 9)} for name in TESTED[number :: len(ITEMS)]}
            values = {name: ["size=0", "size=1"] for name in evidence}
            self.lines.append(ItemEnd(item, "passed", 0.5, 5, evidence, values))
        self.lines.append(RunEnd("2025-11-20T23:41:30Z", 90.5))
        self.entries: list[KnownDeviation] = []
        self.cut = 0
        self.garbage: bytes | None = None
        if chance.random() < 0.5:
            known = self.add_deviation("deviates", [KNOWN], "CL_SUCCESS", confirmed="deviates", values=("size=0",))
            self.entries.append(create_entry(**{"requirement": KNOWN, **self._narrowing(known)}))
        self.entries += [create_entry(name) for name in chance.sample(UNSUITABLE, chance.randint(0, 2))]

    def _narrowing(self, known: Deviation) -> dict[str, object]:
        """Return keys with which an entry still accepts the known deviation."""
        choices: tuple[dict[str, object], ...] = (
            {},
            {"symptom": known.symptom},
            {"test_values": ["size=0"]},
            {"tests": [known.item]},
            {"until": TODAY},
            {"requirement": f"{SUB}/CL_INVALID_VALUE/[23]"},
        )
        return self.chance.choice(choices)

    @property
    def items(self) -> list[ItemEnd]:
        """The last lines of the items."""
        return [line for line in self.lines if isinstance(line, ItemEnd)]

    def replace(self, old: JournalLine, *new: JournalLine) -> None:
        """Replace a line by other lines."""
        at = next(place for place, line in enumerate(self.lines) if line is old)
        self.lines[at : at + 1] = new

    def change(self, kind: type, **fields: object) -> None:
        """Replace fields of all lines of a type."""
        self.lines = [
            msgspec.structs.replace(line, **fields) if isinstance(line, kind) else line for line in self.lines
        ]

    def choose_item(self) -> ItemEnd:
        """Return the last line of a random item."""
        return self.chance.choice(self.items)

    def choose_requirements(self, most: int = 1) -> list[str]:
        """Return random requirements that no entry accepts."""
        free = [name for name in TESTED if name != KNOWN]
        return self.chance.sample(free, self.chance.randint(1, most))

    def insert_before_end(self, line: JournalLine) -> None:
        """Insert a line before the last line of the run, if there is one."""
        at = len(self.lines) - isinstance(self.lines[-1], RunEnd)
        self.lines.insert(at, line)

    def add_deviation(
        self,
        verdict: str,
        requirements: list[str],
        symptom: str = "",
        *,
        confirmed: str = "",
        values: tuple[str, ...] = (),
        evidence: bool = True,
        **fields: object,
    ) -> Deviation:
        """Add a deviation to a random item, with its evidence and, if ``confirmed`` is a verdict, its confirmation."""
        symptom = symptom or self.chance.choice(SYMPTOMS[verdict])
        end = self.choose_item()
        step = Step(fabricated_journals.split_call((0x1087, -1, 0, 0), output_buffer=4), OUTCOMES[verdict])
        line = Deviation(
            end.item,
            build_key(SUB, requirements, symptom),
            requirements,
            verdict,
            "literal",
            ["CL_INVALID_VALUE"],
            symptom,
            {},
            [step],
            **fields,
        )
        found = end
        if evidence:
            counts = {name: {**end.evidence.get(name, {}), verdict: 1} for name in requirements}
            found = msgspec.structs.replace(end, outcome="failed", evidence=end.evidence | counts)
        each_value = [msgspec.structs.replace(line, test_value=value) for value in values] or [line]
        self.replace(end, *each_value, found)
        if confirmed:
            times = 0 if confirmed in ("flaky", "unconfirmed") else 2
            self.insert_before_end(Confirmation(line.key, confirmed, times, 2, []))
        return line

    def encode(self) -> bytes:
        """Return the content of the file."""
        lines = fabricated_journals.encode_journal(self.lines).splitlines(keepends=True)
        if self.garbage is not None:
            lines.insert(self.chance.randrange(1, len(lines)), self.garbage)
        content = b"".join(lines)
        return content[: len(content) - self.cut]


def create_entry(requirement: str = "clF/A/1", verdict: str = "deviates", **more: object) -> KnownDeviation:
    """Return an entry of a file of known deviations."""
    return msgspec.convert(
        {"requirement": requirement, "verdict": verdict, "reason": "known", "number": 1} | more, KnownDeviation
    )


EVENTS: dict[str, Event] = {}


def event(function: Event) -> Event:
    """Add a bad event to ``EVENTS``."""
    EVENTS[function.__name__] = function
    return function


def generate(seed: int) -> BadJournal:
    """Return the journal of a seed; consecutive seeds have different events."""
    names = sorted(EVENTS)
    name = names[seed % len(names)]
    draft = Draft(random.Random(seed))  # noqa: S311 (no secret)
    EVENTS[name](draft)
    return BadJournal(name, draft.encode(), draft.entries)


def generate_base(seed: int) -> BadJournal:
    """Return the journal of a seed without its bad event."""
    draft = Draft(random.Random(seed))  # noqa: S311 (no secret)
    return BadJournal("", draft.encode(), draft.entries)


# deviations


@event
def crash(draft: Draft) -> None:
    draft.add_deviation("crashes", draft.choose_requirements(), confirmed="crashes")


@event
def hang(draft: Draft) -> None:
    draft.add_deviation("hangs", draft.choose_requirements(), confirmed="hangs")


@event
def deviation(draft: Draft) -> None:
    draft.add_deviation("deviates", draft.choose_requirements(), confirmed="deviates")


@event
def flaky(draft: Draft) -> None:
    draft.add_deviation(draft.chance.choice(list(SYMPTOMS)), draft.choose_requirements(), confirmed="flaky")


@event
def unconfirmed(draft: Draft) -> None:
    draft.add_deviation(draft.chance.choice(list(SYMPTOMS)), draft.choose_requirements(), confirmed="unconfirmed")


@event
def no_confirmation(draft: Draft) -> None:
    draft.add_deviation(draft.chance.choice(list(SYMPTOMS)), draft.choose_requirements())


@event
def deviation_of_several_requirements(draft: Draft) -> None:
    verdict = draft.chance.choice(list(SYMPTOMS))
    requirements = sorted({*draft.choose_requirements(3), TESTED[0]})
    draft.add_deviation(verdict, requirements, confirmed=draft.chance.choice((verdict, "flaky", "unconfirmed")))


@event
def deviation_that_also_violates_another_requirement(draft: Draft) -> None:
    first, *others = [*draft.choose_requirements(), *draft.choose_requirements(2)]
    draft.add_deviation("deviates", [first], confirmed="deviates", also_violated=others)


@event
def deviation_of_an_unknown_requirement(draft: Draft) -> None:
    draft.add_deviation("crashes", [f"{SUB}/CL_INVALID_VALUE/99"], confirmed="crashes")


@event
def deviation_of_an_unsuitable_requirement(draft: Draft) -> None:
    draft.entries = [entry for entry in draft.entries if entry.requirement not in UNSUITABLE]
    draft.add_deviation("deviates", [draft.chance.choice(UNSUITABLE)], confirmed="deviates")


@event
def deviation_while_confirming(draft: Draft) -> None:
    draft.add_deviation("crashes", draft.choose_requirements(), evidence=False, while_confirming=True)


@event
def deviation_after_the_end_of_its_item(draft: Draft) -> None:
    line = draft.add_deviation("crashes", draft.choose_requirements(), evidence=False)
    draft.lines.remove(line)
    draft.insert_before_end(line)


@event
def deviation_in_the_first_of_two_runs_of_an_item(draft: Draft) -> None:
    clean = draft.choose_item()
    end = msgspec.structs.replace(clean, seconds=0.25)
    line = draft.add_deviation("crashes", draft.choose_requirements(), evidence=False)
    draft.lines.remove(line)
    draft.replace(clean, msgspec.structs.replace(line, item=end.item), clean, end)


@event
def deviation_replaced_by_another(draft: Draft) -> None:
    line = draft.add_deviation("crashes", draft.choose_requirements(), "signal SIGSEGV")
    other = draft.add_deviation("crashes", draft.choose_requirements(), "signal SIGABRT", confirmed="crashes")
    draft.insert_before_end(Confirmation(line.key, "crashes", 2, 2, [], replaced_by=other.key))


@event
def deviations_that_replace_each_other(draft: Draft) -> None:
    line = draft.add_deviation("crashes", draft.choose_requirements(), "signal SIGSEGV")
    other = draft.add_deviation("crashes", draft.choose_requirements(), "signal SIGABRT")
    draft.insert_before_end(Confirmation(line.key, "crashes", 2, 2, [], replaced_by=other.key))
    draft.insert_before_end(Confirmation(other.key, "crashes", 2, 2, [], replaced_by=line.key))


@event
def deviation_replaced_by_one_that_is_missing(draft: Draft) -> None:
    line = draft.add_deviation("crashes", draft.choose_requirements(), "signal SIGSEGV")
    draft.insert_before_end(
        Confirmation(line.key, "crashes", 2, 2, [], replaced_by="clF | clF/success | signal SIGBUS")
    )


# known deviations


@event
def worse_than_known(draft: Draft) -> None:
    name = draft.choose_requirements()[0]
    draft.entries.append(create_entry(draft.chance.choice((name, f"{name[:-1]}*")), symptom="*"))
    verdict = draft.chance.choice(("crashes", "hangs"))
    draft.add_deviation(verdict, [name], confirmed=draft.chance.choice((verdict, "flaky", "unconfirmed")))


@event
def another_symptom_than_known(draft: Draft) -> None:
    name = draft.choose_requirements()[0]
    entry = draft.chance.choice((create_entry(name, symptom="CL_SUCCESS"), create_entry(f"{name[:-1]}*")))
    draft.entries.append(entry)
    draft.add_deviation("deviates", [name], draft.chance.choice(SYMPTOMS["deviates"][1:]), confirmed="deviates")


@event
def another_test_value_than_known(draft: Draft) -> None:
    name = draft.choose_requirements()[0]
    draft.entries.append(create_entry(name, test_values=["size=0"]))
    draft.add_deviation("deviates", [name], confirmed="deviates", values=("size=0", "size=1"))


@event
def another_test_than_known(draft: Draft) -> None:
    name = draft.choose_requirements()[0]
    draft.entries.append(create_entry(name, tests=["partition.equally::test_another"]))
    draft.add_deviation("deviates", [name], confirmed="deviates")


@event
def accepted_by_an_entry_that_is_not_in_force(draft: Draft) -> None:
    name = draft.choose_requirements()[0]
    limits: tuple[dict[str, object], ...] = (
        {"until": TODAY - dt.timedelta(days=draft.chance.randint(1, 999))},
        {"driver": "<3"},
        {"deviation": "00000000"},
    )
    draft.entries.append(create_entry(name, "crashes", **draft.chance.choice(limits)))
    draft.add_deviation("crashes", [name], confirmed="crashes")


@event
def known_only_for_one_of_several_requirements(draft: Draft) -> None:
    one, other = draft.chance.sample([name for name in TESTED if name != KNOWN], 2)
    draft.entries.append(create_entry(one))
    draft.add_deviation("deviates", [one, other], "CL_SUCCESS", confirmed="deviates")


@event
def less_severe_than_known(draft: Draft) -> None:
    name = draft.choose_requirements()[0]
    draft.entries.append(create_entry(name, "crashes"))
    draft.add_deviation("deviates", [name], confirmed="deviates")


@event
def fixed(draft: Draft) -> None:
    draft.entries.append(create_entry(draft.choose_requirements()[0]))


# losses


@event
def last_line_torn(draft: Draft) -> None:
    draft.cut = draft.chance.randint(2, 40)


@event
def file_cut_off(draft: Draft) -> None:
    sizes = [len(msgspec.json.encode(line)) + 1 for line in draft.lines]
    draft.cut = draft.chance.randint(sizes[-1], sum(sizes[2:]))


@event
def garbage_line(draft: Draft) -> None:
    draft.garbage = draft.chance.choice((b"{\n", b"\0\0\n", b'{"line":"no such"}\n', b'{"line":"item"}\n', b"\xff\n"))


@event
def no_end(draft: Draft) -> None:
    draft.lines.pop()


@event
def missing_item(draft: Draft) -> None:
    draft.lines.remove(draft.choose_item())


@event
def missing_items_of_a_larger_selection(draft: Draft) -> None:
    draft.change(Selection, items=len(ITEMS) + draft.chance.randint(1, 9999))


@event
def missing_selection(draft: Draft) -> None:
    draft.lines = [line for line in draft.lines if not isinstance(line, Selection)]


@event
def missing_platform(draft: Draft) -> None:
    draft.lines = [line for line in draft.lines if not isinstance(line, PlatformLine)]


@event
def lost_device(draft: Draft) -> None:
    draft.change(RunEnd, device_lost="CL_DEVICE_AVAILABLE is not CL_TRUE")


@event
def interrupted(draft: Draft) -> None:
    draft.change(RunEnd, interrupted=True)


@event
def internal_error(draft: Draft) -> None:
    if draft.chance.random() < 0.5:
        draft.change(RunEnd, internal_error=True)
    else:
        end = draft.choose_item()
        draft.replace(end, msgspec.structs.replace(end, outcome="error"))


@event
def killed_process(draft: Draft) -> None:
    name, end = draft.choose_requirements()[0], draft.choose_item()
    key = build_key(SUB, [name], "killed SIGKILL")
    draft.replace(end, KilledProcess(end.item, key, [name], "literal", [], "killed SIGKILL", {}, []), end)


@event
def nothing_covered(draft: Draft) -> None:
    kind = draft.chance.choice(("weak", "inconclusive", "refused"))
    draft.entries = []
    draft.lines = [line for line in draft.lines if not isinstance(line, (Deviation, Confirmation))]
    for end in draft.items:
        draft.replace(end, msgspec.structs.replace(end, evidence={name: {kind: 1} for name in end.evidence}))


@event
def no_items(draft: Draft) -> None:
    draft.entries = []
    kept = (RunHeader, PlatformLine, Selection, RunEnd)
    draft.lines = [line for line in draft.lines if isinstance(line, kept)]
    if draft.chance.random() < 0.5:
        draft.change(Selection, items=0)


@event
def missing_shard(draft: Draft) -> None:
    draft.change(RunHeader, shard=f"{draft.chance.randint(1, 2)}/{draft.chance.randint(2, 9)}")


# contradictions


@event
def evidence_without_a_deviation(draft: Draft) -> None:
    end, name = draft.choose_item(), draft.choose_requirements()[0]
    kind = draft.chance.choice(("deviates", "crashes", "hangs"))
    counts = {**end.evidence.get(name, {}), kind: draft.chance.randint(1, 9)}
    draft.replace(end, msgspec.structs.replace(end, evidence=end.evidence | {name: counts}))


@event
def confirmation_without_a_deviation(draft: Draft) -> None:
    verdict = draft.chance.choice(list(SYMPTOMS))
    line = draft.add_deviation(verdict, draft.choose_requirements(), confirmed=verdict, evidence=False)
    draft.lines.remove(line)


@event
def more_items_than_selected(draft: Draft) -> None:
    draft.change(Selection, items=draft.chance.randint(1, len(ITEMS) - 1))


@event
def two_journals_in_one_file(draft: Draft) -> None:
    at = draft.chance.randrange(2, len(draft.lines))
    draft.lines.insert(at, draft.lines[draft.chance.randint(0, 1)])
