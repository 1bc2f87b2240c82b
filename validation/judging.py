"""Judges the calls of a recording in order, and attributes each violation to a party."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import Begun, Call, Returned, Step, handles_of
from clconform.calls.values import Handle
from clconform.oracles.contents.storage import Storage, View
from clconform.oracles.engine.adopting import adopt
from clconform.oracles.engine.commands import leave_unknown
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import ForbiddenError, UnknownError
from clconform.oracles.model.events import UserEvent
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.pointed_memory import HostArea, PointedMemory, UsmAllocation
from clconform.oracles.model.world import Model
from clconform.recording.conversion import ENOUGH, Conversion
from clconform.recording.file_format import NO_LINES, CallbackBegun, Changed, Entered, Left, Mapped, Script
from clconform.validation.certainty import (
    Certainty,
    asks_for_a_stranger,
    hides_objects,
    is_unclear,
    kernel_of_two_threads,
)
from clconform.validation.collecting import Collector
from clconform.validation.findings import ADVICE, ENDED, ERROR, NOBODY, PROGRAM, UNDEFINED, Validation
from clconform.validation.host_bytes import is_named
from clconform.validation.host_memory import Maps
from clconform.validation.portability import beyond_what_is_guaranteed
from clconform.validation.under_way import UnderWay
from clconform.validation.verdicts import operands_before, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import CalledBack
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.model.cl_object import ClObject
    from clconform.recording.file_format import Recording
    from clconform.spec_tables import Tables
    from clconform.validation.verdicts import Operands

RELEASED = "used after the program released its last reference"
NEVER_RELEASED = "leaked: the program never released it"
NEVER_FREED = "leaked: the program never freed it"
NEVER_SET = "the program never set the status of this user event"
NEVER_RETURNED = "the process or the recording ended while the driver was in this call"
OVERLAP = "a concurrent call of another host thread used the same object"
STRANGE = "one of its objects was not returned by any recorded call"
NEVER_MADE = "this handle was not returned by any call of the program"
UNDESCRIBED = "it queries a function that the available documents do not describe"
TAINTED = "one of its objects is in an unknown state after an earlier violation"
MISLED = "one of its devices comes from a deviating result of the driver"
UNCERTAIN = "whether it is defined depends on data that the recording does not contain"
MAPS = ("clEnqueueMapBuffer", "clEnqueueMapImage", "clEnqueueUnmapMemObject", "clEnqueueSVMMap", "clEnqueueSVMUnmap")
"""Calls after or before which the host may write memory without a recorded call."""
POINTERS = ("clSetKernelArgSVMPointer", "clSetKernelArgMemPointerINTEL")
"""Functions that pass the address of memory to a kernel."""
UNSEEN = (
    "memory accesses of kernels, including accesses out of bounds",
    "accesses of the program to mapped memory and to memory shared with devices",
    "the content of image transfers, and of long buffer transfers",
    "the number of a kernel's arguments, unless the program queries it",
)
"""Texts about data that recordings do not contain."""
WITHOUT_LINES = "the lines of a script, since its interpreter does not report them"
"""Text about data that some recordings do not contain."""
FAILED = "clconform failed to judge it; please report it"
_FIRST_NAMES = 64
MOST_CALLBACKS = 128
"""Minimum number of callback registrations kept; above it, registrations of called callbacks are forgotten."""
MOST_THREADS = 1024
"""Maximum number of host threads with a known script position."""


class _Inside(NamedTuple):
    """A callback that was called before the call that registers it returned."""

    begun: CallbackBegun
    called: CalledBack


class Judge:
    """Judges one recording."""

    def __init__(self, tables: Tables, *, inherits: bool = False) -> None:
        """Start without known platforms; ``inherits``: the process may have objects of the process that forked it."""
        self._tables = tables
        self._oracle = Oracle(Model(tables, through_loader=True), credits_triggers=False)
        self._model.order.keeps_past = False
        self._conversion = Conversion(tables)
        self._collector = Collector()
        self._certainty = Certainty(tables)
        self._under_way: dict[int, UnderWay] = {}
        self._registered: dict[int, Entered] = {}
        self._called_back: list[CalledBack] = []
        self._inside: dict[int, list[_Inside]] = {}
        self._host_threads: set[int] = set()
        self._scripts: dict[int, str] = {}
        self._lacks_lines = False
        self._misled: set[str] = set()
        self._maps = Maps()
        self._not_judged: Counter[str] = Counter()
        self._calls = self._judged = 0
        self._most_callbacks = MOST_CALLBACKS
        self._has_unseen_objects = inherits

    @property
    def _model(self) -> Model:
        return self._oracle.model

    def judge(self, recording: Recording, name: str) -> Validation:
        """Judge a whole recording; ``name``: its name for display."""
        for event in recording.events():
            self._has_unseen_objects |= bool(recording.cut)
            if isinstance(event, Entered):
                self._enter(event)
            elif isinstance(event, Left):
                self._leave(event)
            elif isinstance(event, CallbackBegun):
                self._call_back(event)
            elif isinstance(event, Changed):
                self._change(event)
            elif isinstance(event, Mapped):
                self._collector.sites.add(event)
            elif isinstance(event, Script):
                self._follow(event)
        self._end()
        return Validation(
            recording=name,
            calls=self._calls,
            judged=self._judged,
            not_judged=dict(self._not_judged),
            findings=self._collector.findings(),
            under_way=[
                f"{each.entered.function}, from {self._collector.sites.of(each.entered.site, each.script)}"
                for each in self._under_way.values()
            ],
            cut=recording.cut,
            platforms=[
                ", ".join(str(platform.facts.get(f"CL_PLATFORM_{what}", "?")) for what in ("NAME", "VERSION"))
                for platform in self._model.platforms.values()
            ],
            unseen=[*UNSEEN, *([WITHOUT_LINES] if self._lacks_lines else [])],
        )

    # events

    def _follow(self, script: Script) -> None:
        """Note the position in a script, for the last host threads only."""
        self._scripts.pop(script.thread, None)
        self._scripts[script.thread] = script.lines
        if len(self._scripts) > MOST_THREADS:
            del self._scripts[next(iter(self._scripts))]
        self._lacks_lines |= script.lines == NO_LINES

    def _enter(self, entered: Entered) -> None:
        self._host_threads.add(entered.thread)
        if not entered.opening:
            self._calls += 1
        others = [each for each in self._under_way.values() if not each.entered.opening] if self._under_way else []
        begun = UnderWay(entered, self._conversion.call(entered), self._calls)
        begun.script = self._scripts.get(entered.thread, "")
        for each in others:
            begun.overlap(each)
        self._under_way[entered.sequence] = begun
        shared = kernel_of_two_threads(begun, others) if others else ""
        if shared:
            self._find(begun, _unfinished(begun), UNDEFINED, shared)
        if any(name.startswith("pfn_") and given.bits for name, given in entered.arguments.items()):
            self._registered[entered.sequence] = entered
            if len(self._registered) > self._most_callbacks:
                self._forget_callbacks()
                self._most_callbacks = max(MOST_CALLBACKS, 2 * len(self._registered))

    def _call_back(self, begun: CallbackBegun) -> None:
        entered = self._registered.get(begun.entered)
        self._certainty.told(entered.function if entered else "")
        if entered is None:
            return
        elsewhere = begun.thread not in self._host_threads
        called = self._conversion.called_back(begun, entered, driver_thread=elsewhere)
        if begun.entered in self._under_way:
            self._inside.setdefault(begun.entered, []).append(_Inside(begun, called))
        else:
            self._called_back.append(called)
        if entered.function == "clSetEventCallback":
            self._certainty.ended.called_back(called, self._model)

    def _called_inside(self, entered: Entered) -> Iterator[CalledBack]:
        """Yield the callbacks that were called before the call that registers them returned.

        Objects that the call creates have names only at its return.
        """
        makes = bool(self._tables.functions[entered.function].creates)
        for begun, called in self._inside.pop(entered.sequence, ()):
            elsewhere = called.driver_thread
            yield self._conversion.called_back(begun, entered, driver_thread=elsewhere) if makes else called

    def _change(self, changed: Changed) -> None:
        """Add a finding if the program changed host memory that a command may still read."""
        enqueued = self._collector.history.enqueued(changed.entered)
        words = self._certainty.changed(enqueued, self._model) if enqueued else ""
        if enqueued and words:
            self._find(*enqueued.known, UNDEFINED, words)

    def _forget_callbacks(self) -> None:
        """Forget callbacks that were called once and cannot be called again, and then the oldest ones never called."""
        model = self._model
        model.registered = [
            each for each in model.registered if not each.times or each.thing is model.things.get(each.thing.name)
        ]
        kept = {each.name for each in model.registered}
        newest = list(self._registered)[-MOST_CALLBACKS // 2 :]
        self._registered = {
            number: entered
            for number, entered in self._registered.items()
            if f"callback{number}" in kept or number >= newest[0]
        }

    def _leave(self, left: Left) -> None:
        begun = self._under_way.pop(left.entered, None)
        if begun is None:
            return
        called, self._called_back = self._called_back, []
        outcome = self._conversion.outcome(begun.entered, left, begun.call, called)
        called += self._called_inside(begun.entered)
        self._has_unseen_objects |= hides_objects(begun.call, outcome, self._tables)
        try:
            if begun.entered.opening:
                self._open(begun.call, outcome)
            else:
                self._take(begun, outcome)
        except Exception as error:  # noqa: BLE001 (a recording may be untrusted: an impossible call can violate any assumption)
            self._not_judged[f"{FAILED} ({type(error).__name__}, {begun.call.function})"] += 1
        self._maps.follow(begun.entered, left.result)
        gone = self._model.gone
        if gone:
            self._conversion.forget(gone)
            for name in gone:
                self._collector.history.go(name, begun)
            gone.clear()

    # queries of the layer at the start

    def _open(self, call: Call, outcome: Returned) -> None:
        """Add the platforms and their devices, with their query results."""
        model, made = self._model, outcome.outputs if outcome.value == 0 else {}
        if call.function == "clGetPlatformIDs" and "platforms" in made:
            for name in made["platforms"].values:
                if isinstance(name, str) and name not in model.things:
                    model.platforms[name] = platform = Platform(name)
                    model.add(platform)
        if call.function == "clGetDeviceIDs" and "devices" in made:
            owner = model.known(call.platform)
            for name in made["devices"].values:
                if isinstance(name, str) and name not in model.things and isinstance(owner, Platform):
                    model.add(Device(name, platform=owner))
        self._oracle.judge(self._oracle.expect(call), outcome)
        asked = model.known(next(iter(call.arguments.values())))
        if isinstance(asked, Platform | Device):
            asked.refresh()

    # the program's calls

    def _take(self, begun: UnderWay, outcome: Returned) -> None:
        call, model, step = begun.call, self._model, Step(begun.call, outcome)
        if self._uses_what_is_released(begun, step) or self._uses_what_was_never_made(begun, step):
            self._judged += 1
            adopt(call, outcome, model)
            self._certainty.lost(call)
            return
        reason = self._why_not(begun)
        raced = "" if reason else self._certainty.race(begun, model) or self._lacks_map(begun)
        model.at_once = 2 if begun.overlapped else 1
        own = self._own_memory(begun)
        expectation = self._oracle.expect(call)
        undefined = "" if reason else self._certainty.undefined(expectation, model) or raced
        operands = operands_before(self._oracle, expectation)
        judgement = self._oracle.judge(expectation, outcome)
        model.things.pop(own, None)
        if judgement.observed == SUCCESS:
            self._certainty.succeeded(begun, outcome, model, self._under_way.values())
            self._collector.history.add(begun, step, model)
        if outcome.outputs or isinstance(outcome.value, str):
            self._collector.history.made(begun, step, [name for name in _names(outcome) if name in model.things])
        self._forget(expectation, in_doubt=bool(expectation.undefined or undefined or reason))
        if expectation.undefined and not undefined:
            reason = reason or UNCERTAIN
        if not reason and expectation.musts and self._is_misled(begun, expectation):
            reason = MISLED
        if reason:
            self._not_judged[reason] += 1
            if judgement.blames and reason != MISLED:
                self._taint(call, outcome)
            return
        self._judged += 1
        if undefined:
            self._find_undefined(begun, step, undefined)
            if undefined in self._tables.records:
                self._taint(call, outcome)
            return
        self._tell(begun, step, expectation, judgement, operands)

    def _tell(
        self, begun: UnderWay, step: Step, expectation: Expectation, judgement: Judgement, operands: Operands
    ) -> None:
        """Add the findings of a judged call; ``operands``: from before the call updated the model."""
        collector = self._collector
        fine = judgement.observed == SUCCESS
        if judgement.blames and self._tables.functions[step.call.function].queries:
            assert isinstance(step.outcome, Returned)  # noqa: S101 (it was judged)
            self._misled |= {name for name in _names(step.outcome) if isinstance(self._model.things.get(name), Device)}
        more = beyond_what_is_guaranteed(step.call, self._tables) if fine else ()
        for said in (*verdicts(self._oracle, expectation, judgement, operands), *more):
            finding = collector.find(begun, step, self._model, said.party, said.kind, said.records, said.words)
            if finding.count == 1:
                finding.allowed, finding.observed = list(said.allowed), said.observed
                finding.confidence, finding.operands = said.confidence, said.operands
        if fine and expectation.musts and step.call.function.startswith("clCreate"):
            assert isinstance(step.outcome, Returned)  # noqa: S101 (it was judged)
            self._taint(step.call, step.outcome, Context)  # the created object is unknown

    def _uses_what_is_released(self, begun: UnderWay, step: Step) -> bool:
        """Add a finding for the first object that a call uses after its release; return whether there is one."""
        used, things = list(begun.converted.released), self._model.things
        for handle, parameter in begun.handles:
            thing = things.get(handle.name)
            if thing is not None and thing.references <= 0 and _is_released(thing):
                used.append((thing.name, parameter))
        for name, parameter in used[:1]:
            by = self._collector.released_by(name)
            words = f"{parameter} is {name}: {RELEASED}{f' ({by})' if by else ''}"
            self._find(begun, step, UNDEFINED, words)
        return bool(used)

    def _uses_what_was_never_made(self, begun: UnderWay, step: Step) -> bool:
        """Add a finding if a call uses a handle that no call returned, if all returning calls are recorded."""
        if not begun.converted.strange or self._has_unseen_objects:
            return False
        self._find(begun, step, UNDEFINED, f"{begun.converted.strange[0]}: {NEVER_MADE}")
        return True

    def _own_memory(self, begun: UnderWay) -> str:
        """Add the program's own memory that a kernel will use to the model; return its name, or an empty string.

        The kernel's argument refers to it; other calls cannot name it.
        """
        value = begun.call.arguments.get("arg_value") if begun.call.function in POINTERS else None
        if not isinstance(value, Handle) or is_named(value) or self._has_unseen_objects:
            return ""
        if not self._conversion.is_of_the_program(begun.entered.arguments["arg_value"].bits):
            return ""
        memory = View(Storage(ENOUGH, host=True), 0, ENOUGH)
        self._model.add(HostArea(value.name, size=ENOUGH, memory=memory))
        return value.name

    def _is_misled(self, begun: UnderWay, expectation: Expectation) -> bool:
        """Return whether a call must fail only because of a device from a deviating result of the driver."""
        about_devices = all(held.clause.code == "CL_INVALID_DEVICE" for held in expectation.musts)
        return about_devices and any(handle.name in self._misled for handle, _ in begun.handles)

    def _lacks_map(self, begun: UnderWay) -> str:
        """Return why a call may not unmap its pointer, or an empty string."""
        return "" if self._has_unseen_objects else self._maps.lacks(begun.entered)

    def _why_not(self, begun: UnderWay) -> str:
        """Return why a call cannot be judged, or an empty string."""
        if begun.met and begun.met & begun.works_on():
            return OVERLAP
        if begun.converted.unclear:
            return begun.converted.unclear
        if begun.converted.strange:
            return STRANGE
        if asks_for_a_stranger(begun.call, self._tables):
            return UNDESCRIBED
        things = self._model.things
        named = (things.get(handle.name) for handle, _ in begun.handles)
        return TAINTED if any(thing is not None and thing.tainted for thing in named) else ""

    def _find(self, begun: UnderWay, step: Step, kind: str, words: str) -> None:
        """Add a finding that the program violates a rule without a requirement."""
        self._collector.find(begun, step, self._model, PROGRAM, kind, (), words)

    def _named(self, call: Call) -> list[ClObject]:
        return self._model.named(handles_of(call))

    def _find_undefined(self, begun: UnderWay, step: Step, undefined: str) -> None:
        records = (undefined,) if undefined in self._tables.records else ()
        words = self._oracle.rulebook.words_of(undefined) if records else undefined
        self._collector.find(begun, step, self._model, PROGRAM, UNDEFINED, records, words)

    def _forget(self, expectation: Expectation, *, in_doubt: bool) -> None:
        """Forget the bytes of memory whose content is unknown after a call."""
        function = expectation.call.function
        has_effect = self._oracle.rulebook.has_effect(function)
        if has_effect and (in_doubt or is_unclear(expectation)):
            leave_unknown(expectation.judged)
        if has_effect or function in MAPS:
            self._forget_what_the_host_may_write(expectation)

    def _forget_what_the_host_may_write(self, expectation: Expectation) -> None:
        """Forget the bytes of memory that the program can access without a call: mapped or shared with devices."""
        call = expectation.call
        if call.function in MAPS:
            pointed = self._model.known(call.arguments.get("mapped_ptr"))
            for thing in (*self._named(call), pointed):
                if isinstance(thing, MemoryObject | PointedMemory) and thing.memory is not None:
                    thing.memory.storage.forget()
        try:
            places = expectation.judged.effect.writes if self._oracle.rulebook.has_effect(call.function) else ()
        except (UnknownError, ForbiddenError):
            return
        mapped = {id(each.region.storage) for each in self._model.maps if each.writes}
        for place in places:
            if id(place.storage) in mapped:
                place.storage.forget()
            if isinstance(place.owner, UsmAllocation) or (isinstance(place.owner, PointedMemory) and place.owner.fine):
                place.storage.forget()

    def _taint(self, call: Call, outcome: Returned, *but: type[ClObject]) -> None:
        """Stop judging calls on the objects that a call used or created, ``but`` those of some types."""
        made = self._model.named(map(Handle, _names(outcome)))
        for thing in (*self._named(call), *made):
            if not isinstance(thing, (Platform, Device, *but)):
                thing.tainted = True

    # the end

    def _end(self) -> None:
        """Add findings for calls that have not returned, and advice about objects that remain."""
        for begun in self._under_way.values():
            step = _unfinished(begun)
            if self._uses_what_is_released(begun, step) or self._why_not(begun):
                continue
            expectation = self._oracle.expect(begun.call)
            undefined = self._certainty.undefined(expectation, self._model)
            if undefined:
                self._find_undefined(begun, step, undefined)
            elif not expectation.musts:
                self._collector.find(begun, step, self._model, NOBODY, ENDED, (), NEVER_RETURNED)
            operands = operands_before(self._oracle, expectation)
            for held in expectation.musts:
                words = self._oracle.rulebook.words_of(held.clause.id)
                finding = self._collector.find(begun, step, self._model, PROGRAM, ERROR, (held.clause.id,), words)
                if finding.count == 1:
                    finding.allowed, finding.observed = expectation.allowed, NEVER_RETURNED
                    finding.operands = {key: each for key, each in operands.items() if key == held.clause.id}
        if not self._under_way:
            self._advise()

    def _advise(self) -> None:
        """Add advice about objects that the program did not release, and events that it did not set."""
        submitted = self._model.value("CL_SUBMITTED")
        for thing in self._model.things.values():
            made = self._collector.history.maker(thing.name)
            if made is None or isinstance(thing, Platform | Device) or thing.references <= 0 or thing.tainted:
                continue
            if isinstance(thing, UserEvent) and thing.status == submitted:
                self._find(*made, ADVICE, NEVER_SET)
            words = NEVER_FREED if isinstance(thing, PointedMemory) else NEVER_RELEASED
            self._find(*made, ADVICE, f"{words}: {thing.type}")


def _unfinished(begun: UnderWay) -> Step:
    return Step(begun.call, Begun(), lane=begun.entered.thread)


def _names(outcome: Returned) -> list[str]:
    """Return the names of objects that a call returned; for a long list, only the first ones."""
    values = [outcome.value, *(value for output in outcome.outputs.values() for value in output.values[:_FIRST_NAMES])]
    return [value for value in values if isinstance(value, str)]


def _is_released(thing: ClObject) -> bool:
    return thing.references <= 0 and not isinstance(thing, Platform | Device | PointedMemory)


def validated(recording: Recording, tables: Tables, name: str) -> Validation:
    """Judge a recording; the name of a child process's recording ends with its number."""
    return Judge(tables, inherits=recording.of_child).judge(recording, name)
