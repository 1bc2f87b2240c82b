"""Judges the calls of a recording, one after the other, and says whose mistake each surprise is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.calls.call import Begun, Call, Returned, Step, handles_of
from clconform.calls.values import Handle
from clconform.oracles.engine.adopting import adopt
from clconform.oracles.engine.commands import leave_unknown
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointed_memory import PointedMemory, UsmAllocation
from clconform.oracles.model.world import Model
from clconform.recording.conversion import Conversion
from clconform.recording.file_format import CallbackBegun, Entered, Left, Mapped
from clconform.validation.findings import (
    ADVICE,
    DEVIATION,
    DRIVER,
    ERROR,
    LOADER,
    NOBODY,
    PROBE,
    PROGRAM,
    UNDEFINED,
    Finding,
    Validation,
)
from clconform.validation.sites import Sites

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.calls.call import CalledBack
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.model.cl_object import ClObject
    from clconform.recording.conversion import Converted
    from clconform.recording.file_format import Recording
    from clconform.spec_tables import Tables

NOT_FOUND = ("CL_DEVICE_NOT_FOUND", "CL_PLATFORM_NOT_FOUND_KHR")
"""Codes by which a program learns that something is not there."""
KERNELS = ("clEnqueueNDRangeKernel", "clEnqueueTask", "clEnqueueNativeKernel")
"""Commands of which the recording does not show which memory they use."""
RACE = "may run at the same time and uses the same memory"
REASONS = (
    RACE,
    "a command that may not be complete uses the same memory",
    "the memory is mapped",
    "the queue of an awaited event is not flushed",
    "commands wait for an unset user event",
)
"""Reasons of the oracle, or their ends, by which a call is undefined without doubt where no kernel is concerned."""
RELEASED = "it is used after the program has released its last reference"
NEVER_RELEASED = "the program has not released it when it ends"
NEVER_FREED = "the program has not freed it when it ends"
NEVER_SET = "the program has not set the status of this user event when it ends"
NEVER_RETURNED = "it had not returned when the recording ended"
OVERLAP = "calls of other host threads were under way at the same time"
STRANGE = "an object of it was returned by no recorded call"
TAINTED = "an object of it is in an unknown state after an earlier mistake"
MAPS = ("clEnqueueMapBuffer", "clEnqueueMapImage", "clEnqueueUnmapMemObject", "clEnqueueSVMMap", "clEnqueueSVMUnmap")
"""Calls after or before which the host may write, which no recording shows."""
UNSEEN = (
    "what kernels do to memory, accesses out of bounds included",
    "what the program reads and writes in mapped memory and in memory that it shares with devices",
)
"""What no recording shows, in words."""
_LONGEST_HISTORY = 24
_MOST_GONE = 4096


@dataclass
class _UnderWay:
    """A call that the driver has not left yet. ``overlapped``: a call of another thread was under way meanwhile."""

    entered: Entered
    converted: Converted
    number: int
    overlapped: bool = False
    called_back: list[CalledBack] = field(default_factory=list)


class Judge:
    """Judges one recording."""

    def __init__(self, tables: Tables) -> None:
        """Start with no platform known."""
        self._tables = tables
        self._oracle = Oracle(Model(tables, through_loader=True))
        self._conversion = Conversion(tables)
        self._sites = Sites()
        self._under_way: dict[int, _UnderWay] = {}
        self._gone: dict[str, tuple[tuple[_UnderWay, Step] | None, _UnderWay]] = {}
        self._registered: dict[int, Entered] = {}
        self._made_by: dict[str, tuple[_UnderWay, Step]] = {}
        self._findings: dict[tuple[object, ...], Finding] = {}
        self._not_judged: Counter[str] = Counter()
        self._called_back: list[CalledBack] = []
        self._host_threads: set[int] = set()
        self._calls = self._judged = 0

    @property
    def _model(self) -> Model:
        return self._oracle.model

    def judge(self, recording: Recording, name: str) -> Validation:
        """Judge a whole recording; ``name`` is shown for it."""
        for event in recording.events():
            if isinstance(event, Entered):
                self._enter(event)
            elif isinstance(event, Left):
                self._leave(event)
            elif isinstance(event, CallbackBegun):
                self._call_back(event)
            elif isinstance(event, Mapped):
                self._sites.add(event)
        self._end()
        return Validation(
            recording=name,
            calls=self._calls,
            judged=self._judged,
            not_judged=dict(self._not_judged),
            findings=sorted(self._findings.values(), key=lambda finding: finding.number),
            under_way=[
                f"{each.entered.function}, from {self._sites.of(each.entered.site)}"
                for each in self._under_way.values()
            ],
            cut=recording.cut,
            platforms=[
                ", ".join(str(platform.facts.get(f"CL_PLATFORM_{what}", "?")) for what in ("NAME", "VERSION"))
                for platform in self._model.platforms.values()
            ],
            unseen=list(UNSEEN),
        )

    # events

    def _enter(self, entered: Entered) -> None:
        self._host_threads.add(entered.thread)
        if not entered.opening:
            self._calls += 1
        converted = self._conversion.call(entered)
        others = [each for each in self._under_way.values() if not each.entered.opening]
        for each in others:
            each.overlapped = True
        self._under_way[entered.sequence] = _UnderWay(entered, converted, self._calls, bool(others))
        if any(name.startswith("pfn_") and given.bits for name, given in entered.arguments.items()):
            self._registered[entered.sequence] = entered

    def _call_back(self, begun: CallbackBegun) -> None:
        entered = self._registered.get(begun.entered)
        if entered is not None:
            elsewhere = begun.thread not in self._host_threads
            self._called_back.append(self._conversion.called_back(begun, entered, driver_thread=elsewhere))

    def _leave(self, left: Left) -> None:
        begun = self._under_way.pop(left.entered, None)
        if begun is None:
            return
        called, self._called_back = self._called_back, []
        outcome = self._conversion.outcome(begun.entered, left, begun.converted.call, called)
        if begun.entered.opening:
            self._open(begun.converted.call, outcome)
        else:
            self._take(begun, outcome)
        gone = self._model.gone
        if gone:
            self._conversion.forget(gone)
            for name in gone:
                self._go(name, begun)
            gone.clear()

    def _go(self, name: str, begun: _UnderWay) -> None:
        """Remember by which call an object went, for a program that uses it once more."""
        made = self._made_by.pop(name, None)
        self._gone[name] = made, begun
        if len(self._gone) > _MOST_GONE:
            del self._gone[next(iter(self._gone))]

    # what the layer asked at the start

    def _open(self, call: Call, outcome: Returned) -> None:
        model = self._model
        made = outcome.outputs if outcome.value == 0 else {}
        if call.function == "clGetPlatformIDs" and "platforms" in made:
            for name in made["platforms"].values:
                if isinstance(name, str) and name not in model.things:
                    model.platforms[name] = platform = Platform(name)
                    model.add(platform)
        if call.function == "clGetDeviceIDs" and "devices" in made:
            platform = model.known(call.platform)
            for name in made["devices"].values:
                if isinstance(name, str) and name not in model.things and isinstance(platform, Platform):
                    model.add(Device(name, platform=platform))
        self._oracle.judge(self._oracle.expect(call), outcome)
        asked = model.known(next(iter(call.arguments.values())))
        if isinstance(asked, Platform | Device):
            asked.refresh()

    # the program's calls

    def _take(self, begun: _UnderWay, outcome: Returned) -> None:
        call, model = begun.converted.call, self._model
        step = Step(call, outcome)
        if self._uses_what_is_released(begun, step):
            adopt(call, outcome, model)
            return
        reason = self._why_not(begun)
        expectation = self._oracle.expect(call)
        judgement = self._oracle.judge(expectation, outcome)
        self._remember(begun, step, outcome)
        undefined = self._undefined(expectation) if not reason else ""
        if undefined:
            self._find_undefined(begun, step, undefined)
        if expectation.undefined or reason or self._is_unclear(expectation):
            leave_unknown(expectation.judged)
        self._forget_what_the_host_may_write(expectation, call)
        if expectation.undefined and not undefined and not reason:
            reason = "whether it is defined depends on what the recording does not show"
        if reason:
            self._not_judged[reason] += 1
            if judgement.blames:
                self._taint(call, outcome)
            return
        self._judged += 1
        if undefined:
            self._taint(call, outcome)
            return
        self._say(begun, step, expectation, judgement)

    def _uses_what_is_released(self, begun: _UnderWay, step: Step) -> bool:
        released = self._released(begun.converted)
        for name, parameter in released[:1]:
            by = self._gone[name][1] if name in self._gone else None
            told = f" (by {by.entered.function}, call {by.number}, {self._sites.of(by.entered.site)})" if by else ""
            self._find(begun, step, PROGRAM, UNDEFINED, [], f"{parameter} is {name}: {RELEASED}{told}")
        return bool(released)

    def _released(self, converted: Converted) -> list[tuple[str, str]]:
        """Return the released objects that a call uses, each with its parameter."""
        found = list(converted.released)
        for parameter, value in converted.call.arguments.items():
            for handle in handles_of(Call("", {parameter: value})):
                thing = self._model.known(handle)
                if (
                    thing is not None
                    and thing.references <= 0
                    and not isinstance(thing, Platform | Device | PointedMemory)
                ):
                    found.append((handle.name, parameter))
        return found

    def _why_not(self, begun: _UnderWay) -> str:
        if begun.overlapped:
            return OVERLAP
        if begun.converted.unclear:
            return begun.converted.unclear
        if begun.converted.strange:
            return STRANGE
        if any(thing.tainted for thing in self._named(begun.converted.call)):
            return TAINTED
        return ""

    def _named(self, call: Call) -> list[ClObject]:
        return self._model.named(handles_of(call))

    def _undefined(self, expectation: Expectation) -> str:
        """Return the record or the reason by which a call is undefined, if that is certain; or an empty string."""
        reason = expectation.undefined
        if reason in self._tables.records:
            return reason
        if expectation.call.function in KERNELS or any(name in reason for name in KERNELS):
            return ""
        return reason if any(known in reason for known in REASONS) else ""

    @staticmethod
    def _is_unclear(expectation: Expectation) -> bool:
        try:
            return expectation.judged.effect is None
        except (UnknownError, ForbiddenError):
            return True

    def _forget_what_the_host_may_write(self, expectation: Expectation, call: Call) -> None:
        if call.function in MAPS:
            for thing in self._named(call):
                _forget(thing)
            pointed = self._model.known(call.arguments.get("mapped_ptr"))
            if pointed is not None:
                _forget(pointed)
        try:
            places = expectation.judged.effect.writes if self._oracle.rulebook.has_effect(call.function) else ()
        except (UnknownError, ForbiddenError):
            return
        for place in places:
            if isinstance(place.owner, UsmAllocation) or (isinstance(place.owner, PointedMemory) and place.owner.fine):
                place.storage.forget()

    def _taint(self, call: Call, outcome: Returned) -> None:
        """Judge nothing more that has to do with what a call has worked on or made."""
        names = [outcome.value, *(value for output in outcome.outputs.values() for value in output.values)]
        made = self._model.named(Handle(name) for name in names if isinstance(name, str))
        for thing in (*self._named(call), *made):
            if not isinstance(thing, Platform | Device):
                thing.tainted = True

    def _say(self, begun: _UnderWay, step: Step, expectation: Expectation, judgement: Judgement) -> None:
        call, code = begun.converted.call, judgement.observed
        for blame in judgement.blames:
            party = LOADER if next(iter(call.arguments.values()), 0) is None else DRIVER
            words = "; ".join(words for words in blame.conditions.values() if words)
            finding = self._find(begun, step, party, DEVIATION, list(blame.records), words)
            finding.allowed, finding.observed = list(blame.allowed), blame.observed
            finding.confidence, finding.operands = blame.confidence, blame.operands
        if expectation.musts:
            function = self._tables.functions[call.function]
            for held in expectation.musts:
                asks = code in NOT_FOUND or (function.queries and held.clause.code == "CL_INVALID_VALUE")
                words = self._oracle.rulebook.words_of(held.clause.id)
                kind = PROBE if asks and not judgement.blames else ERROR
                finding = self._find(begun, step, PROGRAM, kind, [held.clause.id], words)
                finding.allowed, finding.observed = expectation.allowed, code
        elif code != SUCCESS and not judgement.blames and expectation.mays:
            likely = [held.clause.id for held in expectation.mays if held.clause.code == code]
            kind = PROBE if code in NOT_FOUND or self._tables.functions[call.function].queries else ADVICE
            words = "; ".join(filter(None, map(self._oracle.rulebook.words_of, likely)))
            finding = self._find(begun, step, NOBODY, kind, likely, words or f"it fails with {code}")
            finding.observed = code
        elif code in expectation.resources:
            finding = self._find(begun, step, NOBODY, ADVICE, [], f"it fails with {code}: the driver lacks resources")
            finding.observed = code

    def _find_undefined(self, begun: _UnderWay, step: Step, undefined: str) -> None:
        records = [undefined] if undefined in self._tables.records else []
        words = self._oracle.rulebook.words_of(undefined) if records else undefined
        self._find(begun, step, PROGRAM, UNDEFINED, records, words)

    def _find(self, begun: _UnderWay, step: Step, party: str, kind: str, records: list[str], words: str) -> Finding:
        site = self._sites.of(begun.entered.site)
        key = (party, kind, step.call.function, tuple(records) or _without_names(words), site)
        known = self._findings.get(key)
        if known is not None:
            known.count += 1
            return known
        steps = [*self._history(step.call), step]
        finding = Finding(
            party, kind, step.call.function, records, words, site, begun.number, begun.entered.thread, steps
        )
        self._findings[key] = finding
        return finding

    # what led to a call

    def _remember(self, begun: _UnderWay, step: Step, outcome: Returned) -> None:
        names = [outcome.value, *(value for output in outcome.outputs.values() for value in output.values[:64])]
        for name in names:
            if isinstance(name, str) and name in self._model.things and name not in self._made_by:
                self._made_by[name] = begun, step

    def _history(self, call: Call) -> list[Step]:
        """Return the calls that made the objects of a call, and the objects of those, in their order."""
        found: dict[int, Step] = {}
        open_ = [handle.name for handle in handles_of(call)]
        while open_ and len(found) < _LONGEST_HISTORY:
            name = open_.pop()
            made = self._made_by.get(name) or (self._gone[name][0] if name in self._gone else None)
            if made is not None and made[0].number not in found:
                found[made[0].number] = made[1]
                open_ += [handle.name for handle in handles_of(made[1].call)]
        return [found[number] for number in sorted(found)]

    # the end

    def _end(self) -> None:
        """Say what is wrong with calls that have not returned, and advise of what is left."""
        for begun in self._under_way.values():
            step = Step(begun.converted.call, Begun(), lane=begun.entered.thread)
            if self._uses_what_is_released(begun, step) or self._why_not(begun):
                continue
            expectation = self._oracle.expect(begun.converted.call)
            undefined = self._undefined(expectation)
            if undefined:
                self._find_undefined(begun, step, undefined)
            for held in expectation.musts:
                words = self._oracle.rulebook.words_of(held.clause.id)
                finding = self._find(begun, step, PROGRAM, ERROR, [held.clause.id], words)
                finding.allowed, finding.observed = expectation.allowed, NEVER_RETURNED
        if not self._under_way:
            self._advise()

    def _advise(self) -> None:
        """Advise of objects that the program has not released, and of events that it has not set."""
        submitted = self._model.value("CL_SUBMITTED")
        waiting = {event.name for event in self._model.of_kind(UserEvent) if event.status == submitted}
        for thing in list(self._model.things.values()):
            made = self._made_by.get(thing.name)
            if made is None or isinstance(thing, Platform | Device) or thing.references <= 0 or thing.tainted:
                continue
            begun, step = made
            if thing.name in waiting:
                self._find(begun, step, PROGRAM, ADVICE, [], NEVER_SET)
            words = f"{NEVER_FREED if isinstance(thing, PointedMemory) else NEVER_RELEASED}: {thing.type}"
            self._find(begun, step, PROGRAM, ADVICE, [], words)


def _forget(thing: object) -> None:
    if isinstance(thing, MemoryObject | PointedMemory) and thing.memory is not None:
        thing.memory.storage.forget()


def _without_names(words: str) -> str:
    """Return a reason without the numbers of objects, by which equal ones differ."""
    return "".join(letter for letter in words if not letter.isdigit())


def validated(recording: Recording, tables: Tables, name: str) -> Validation:
    """Judge a recording."""
    return Judge(tables).judge(recording, name)


def parties_of(findings: Iterable[Finding]) -> Counter[str]:
    """Return how many findings there are of each party and kind."""
    return Counter(f"{finding.party}: {finding.kind}" for finding in findings)
