"""Judges the calls of a recording in order, and attributes each violation to a party."""

from __future__ import annotations

import functools
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from clconform.calls.call import Begun, Call, CallbackInvocation, Returned, Step, call_handles
from clconform.calls.kernel_functions import POINTER_SETTERS
from clconform.calls.values import Data, Handle, HandleBytes
from clconform.oracles.contents.storage import Storage, StorageView
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.matchers import handle_names
from clconform.oracles.engine.unmodelled_objects import adopt_objects
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.pointer_memory import HostArea, PointerMemory
from clconform.oracles.model.state import Model
from clconform.recording.conversion import UNKNOWN_SIZE, Conversion
from clconform.recording.file_format import (
    NO_LINES,
    CallbackBegin,
    CallbackEnd,
    CallEntry,
    CallReturn,
    CallStack,
    CodeMapping,
    MemoryChange,
    ProcessExit,
    ScriptPosition,
    UnmappedMemory,
)
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES
from clconform.validation.access_conflicts import describe_conflict
from clconform.validation.call_attribution import (
    NOT_FOUND_CODES,
    attribute_violations,
    find_held_conditions,
    program_errors,
)
from clconform.validation.call_stacks import CallStacks
from clconform.validation.consequences import Consequences
from clconform.validation.finding_collector import FindingCollector
from clconform.validation.findings import (
    ERROR,
    FAILED,
    PROGRAM,
    SERIOUS_KINDS,
    UNDEFINED,
    Validation,
)
from clconform.validation.host_byte_ranges import is_returned_pointer
from clconform.validation.kernel_arguments import find_invalid_argument, find_released_argument, takes_number
from clconform.validation.kernel_information import KERNEL_QUERIES, KernelInformation
from clconform.validation.mapped_pointers import MappedPointers
from clconform.validation.pending_call import PendingCall
from clconform.validation.portability import unguaranteed_sizes
from clconform.validation.remedies import RemedyWriter
from clconform.validation.repeated_queries import RepeatedQueries
from clconform.validation.rules import read_rules
from clconform.validation.unawaited_reads import NEVER_AWAITED, find_unawaited_reads
from clconform.validation.undefined_behaviour import (
    UndefinedBehaviour,
    concurrent_kernel_use,
    has_unknown_length,
    may_hide_objects,
    queries_undescribed_function,
)
from clconform.validation.unknown_contents import UnknownContents
from clconform.validation.unmapped_memory import find_unmapped_memory
from clconform.validation.unreleased_objects import find_unreleased_objects
from clconform.validation.usage_rules import UsageRules, UsageViolation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.model.cl_object import ClObject
    from clconform.recording.file_format import Event, RecordingFile
    from clconform.spec_tables import Tables
    from clconform.validation.call_attribution import HeldConditions
    from clconform.validation.call_sites import CallSiteResolver
    from clconform.validation.findings import ValidationFinding

RELEASED = "the program has released its last reference"
NEVER_RETURNED = "the process or the recording ended while the driver was in this call"
NEVER_ENTERED = "the process was stopped before the driver was entered"
MAY_HAVE_RUN = "may have been running then"
OVERLAP = "a concurrent call of another host thread used the same object"
UNRECORDED_OBJECT = "an object of the call was not returned by any recorded call"
UNKNOWN_HANDLE = "this handle was not returned by any call of the program"
UNDESCRIBED = "the call queries a function that the available documents do not describe"
TAINTED = "an object of the call is in an unknown state since an earlier call"
DEVIATING_DEVICE = "a device of the call comes from a deviating result of the driver"
UNCERTAIN = "whether the call is defined depends on data that the recording does not contain"
UNKNOWN_LENGTH = "the number of objects that the call returned was not requested"
MAX_NESTED_CALLS = 64
"""The number of calls of one host thread that may be under way at the same time; further ones are not judged."""
NESTED = f"the host thread of the call was already in {MAX_NESTED_CALLS} other calls"
TRIGGERS = ("clSetUserEventStatus", "clRelease", "clTerminateContext")
"""Prefixes of the functions whose effects may trigger callbacks before they return."""
NOT_VISIBLE = (
    "memory accesses of kernels, including accesses out of bounds",
    "accesses of the program to mapped memory and to memory shared with devices",
    "the content of image transfers, and of long buffer transfers",
)
"""Texts about the data that no recording contains."""
NO_SCRIPT_LINES = "the lines of a script, since its interpreter does not report them"
"""Text about the lines of scripts, which some recordings do not contain."""
JUDGE_FAILED = "clconform failed to judge the call; please report it"
_MAX_NAMES = 64
MAX_CALLBACKS = 128
"""Above this number of callback registrations, those whose callback was called are forgotten."""
MAX_RUNNING = 4
"""Maximum number of reported commands that may have been running when the process ended."""
MAX_THREADS = 1024
"""Maximum number of host threads whose script position is stored."""


class _ObservedCallback(msgspec.Struct, eq=False):
    """A callback that was called: judged when all calls that may have triggered it are judged.

    ``entered``: the call that registered it. ``in_flight``: the sequence numbers of the calls that may have triggered
    it, and have not returned.
    """

    begun: CallbackBegin
    entered: CallEntry
    called: CallbackInvocation
    in_flight: set[int]


class JudgedCall(NamedTuple):
    """A call of the program that has returned, and why it was not judged; empty if it was; ``sites``: for its place."""

    begun: PendingCall
    step: Step
    sites: CallSiteResolver
    reason: str


class RecordingJudge:
    """Judges one recording of a process."""

    def __init__(
        self,
        tables: Tables,
        *,
        pointer_bytes: int = DEFAULT_POINTER_BYTES,
        through_loader: bool = True,
        inherits: bool = False,
        observer: Callable[[JudgedCall], None] | None = None,
        my_code: Sequence[str] = (),
        is_remote: bool = False,
    ) -> None:
        """Start without platforms; ``pointer_bytes``: the size of a pointer in the program.

        ``through_loader``: a loader received the calls. ``inherits``: the process may use objects of the process that
        forked it. ``observer``: is called for each call of the program that has returned. ``my_code``: patterns of the
        code in which calls have their places. ``is_remote``: the program ran on another machine.
        """
        self._tables, self._observer = tables, observer
        self._conversion = Conversion(tables, pointer_bytes)
        model = Model(tables, through_loader=through_loader, pointer_bytes=self._conversion.pointer_bytes)
        self._oracle = Oracle(model, records_coverage=False)
        self._model.commands.keeps_history = False
        self._model.commands.may_flush_later = True
        self._collector = FindingCollector(RemedyWriter(tables), my_code, is_remote=is_remote)
        self._certainty = UndefinedBehaviour(tables)
        self._contents = UnknownContents(self._oracle)
        self._under_way: dict[int, PendingCall] = {}
        self._nested: Counter[int] = Counter()
        self._registered: dict[int, PendingCall] = {}
        self._called_back: list[_ObservedCallback] = []
        self._inside: dict[int, list[PendingCall | None]] = {}
        self._usage = UsageRules(tables)
        self._host_threads: set[int] = set()
        self._scripts: dict[int, str] = {}
        self._stacks = CallStacks()
        self._lacks_lines = False
        self._misled: set[str] = set()
        self._maps = MappedPointers()
        self._unmapped: dict[int, UnmappedMemory] = {}
        self._kernels = KernelInformation()
        self._consequences = Consequences(tables)
        self._queries = RepeatedQueries()
        self._not_judged: Counter[str] = Counter()
        self._calls = self._judged = 0
        self._most_callbacks = MAX_CALLBACKS
        self._has_unseen_objects = inherits
        self._has_exited = False
        self._running: list[str] = []
        self._stopped: set[int] = set()

    @property
    def collector(self) -> FindingCollector:
        """The findings until now."""
        return self._collector

    @property
    def _model(self) -> Model:
        return self._oracle.model

    def judge(self, recording: RecordingFile, name: str) -> Validation:
        """Judge a whole recording; ``name``: the name of the recording in reports."""
        for event in recording.events():
            self.note_event(event)
        return self.finish(name, recording.truncation)

    def finish(self, name: str, truncation: str) -> Validation:
        """Judge what can be judged only after the last event, and return the result.

        ``name``: the name of the recording in reports. ``truncation``: why further events are missing; empty if there
        are none.
        """
        with self._collector.sites.lines:
            if truncation:
                self._cut()
            else:
                self._finish()
            return Validation(
                recording=name,
                calls=self._calls,
                judged=self._judged,
                not_judged=dict(self._not_judged),
                findings=self._collector.findings(),
                pending_calls=[
                    f"{each.entered.function}, from {self._collector.sites.site_of(each)}"
                    for each in self._under_way.values()
                ],
                damage=self._describe_damage(truncation),
                running_commands=self._running,
                platforms=[
                    ", ".join(str(platform.facts.get(f"CL_PLATFORM_{what}", "?")) for what in ("NAME", "VERSION"))
                    for platform in self._model.platforms.values()
                ],
                not_visible=[*NOT_VISIBLE, *([NO_SCRIPT_LINES] if self._lacks_lines else [])],
            )

    # events of the recording

    def note_event(self, event: Event) -> None:
        """Judge an event, the next one in the order of all threads."""
        match event:
            case CallEntry():
                self._begin_call(event)
            case CallReturn():
                self._end_call(event)
            case CallbackBegin():
                self._note_callback(event)
            case CallbackEnd():
                self._end_callback(event)
            case MemoryChange():
                self._find_change(event)
            case CodeMapping():
                self._collector.sites.add(event)
            case ScriptPosition() | CallStack() | UnmappedMemory():
                self._note_before_call(event)
            case ProcessExit():
                self._note_exit(event)

    def _note_exit(self, exited: ProcessExit) -> None:
        """Note that the process exits; the driver need not return to the threads that the exit ends."""
        self._has_exited = True
        for each in self._under_way.values():
            each.is_left = each.entered.thread != exited.thread

    def _note_before_call(self, event: ScriptPosition | CallStack | UnmappedMemory) -> None:
        """Store an event about the next calls of its host thread."""
        match event:
            case ScriptPosition():
                self._note_script(event)
            case CallStack():
                self._stacks.add(event)
            case UnmappedMemory() if not self._has_unseen_objects:  # which may use memory of devices
                self._unmapped[event.thread] = event

    def _note_script(self, script: ScriptPosition) -> None:
        """Store the script position of a host thread.

        Above ``MAX_THREADS`` threads, forget the position of the least recently active thread.
        """
        self._scripts.pop(script.thread, None)
        self._scripts[script.thread] = script.lines
        if len(self._scripts) > MAX_THREADS:
            del self._scripts[next(iter(self._scripts))]
        self._lacks_lines |= script.lines == NO_LINES

    def _begin_call(self, entered: CallEntry) -> None:
        inside = self._inside.get(entered.thread)
        if not inside:
            self._host_threads.add(entered.thread)
        if not entered.opening:
            self._calls += 1
        unmapped = self._unmapped.pop(entered.thread, None)
        if self._nested[entered.thread] >= MAX_NESTED_CALLS:  # a driver that calls itself through the loader
            self._not_judged[NESTED] += 1
            self._has_unseen_objects = True
            return
        self._nested[entered.thread] += 1
        others = [each for each in self._under_way.values() if not each.entered.opening] if self._under_way else []
        begun = PendingCall(entered, self._conversion.convert_call(entered), self._calls)
        begun.frames = self._stacks.frames_of(entered)
        begun.script, begun.callback = self._scripts.get(entered.thread, ""), inside[-1] if inside else None
        begun.unmapped = unmapped
        for each in others if not entered.opening else ():
            begun.note_concurrent(each)
        self._under_way[entered.sequence] = begun
        shared = concurrent_kernel_use(begun, others) if others and not entered.opening else ""
        if shared:
            self._add_finding(begun, _pending_step(begun), "kernel-on-two-threads", shared)
        if len(self._host_threads) == 1 and not (inside or others or entered.opening or self._called_back):
            self._find_unsubmitted_callback(begun)
        if any(name.startswith("pfn_") and given.bits for name, given in entered.arguments.items()):
            self._registered[entered.sequence] = begun
            if len(self._registered) > self._most_callbacks:
                self._forget_callbacks()
                self._most_callbacks = max(MAX_CALLBACKS, 2 * len(self._registered))

    def _note_callback(self, begun: CallbackBegin) -> None:
        registering = self._registered.get(begun.entered)
        self._inside.setdefault(begun.thread, []).append(registering)
        self._certainty.note_callback(registering.call.function if registering else "")
        if registering is None:
            return
        entered = registering.entered
        elsewhere = begun.thread not in self._host_threads
        called = self._conversion.convert_callback(begun, entered, driver_thread=elsewhere)
        triggers = {
            number
            for number, each in self._under_way.items()
            if number == begun.entered or each.call.function.startswith(TRIGGERS)
        }
        self._called_back.append(_ObservedCallback(begun, entered, called, triggers))
        if entered.function == "clSetEventCallback":
            self._certainty.ended.note_callback(called, self._model)

    def _end_callback(self, ended: CallbackEnd) -> None:
        inside = self._inside.get(ended.thread)
        if inside:
            inside.pop()
            if not inside:
                del self._inside[ended.thread]

    def _find_unsubmitted_callback(self, begun: PendingCall) -> None:
        """Add advice if only a callback can end a wait, for a command that the program has not submitted."""
        found = self._usage.find_unsubmitted_callback(begun.call, self._model)
        if found is not None:
            self._add_violation(begun, _pending_step(begun), found)

    def _take_callbacks(self, returned: CallEntry) -> Iterator[CallbackInvocation]:
        """Yield the callbacks that can be judged with a call that has returned.

        Objects that a call creates get their names only when it returns, also for its own callbacks.
        """
        observed, self._called_back = self._called_back, []
        for each in observed:
            each.in_flight.discard(returned.sequence)
            if each.entered is returned and self._tables.functions[returned.function].creates:
                elsewhere = each.called.driver_thread
                each.called = self._conversion.convert_callback(each.begun, returned, driver_thread=elsewhere)
            if each.in_flight:
                self._called_back.append(each)
            else:
                yield each.called

    def _find_change(self, changed: MemoryChange) -> None:
        """Add a finding if the program changed host memory that a command may still read."""
        enqueued = self._collector.history.find_command(changed.entered)
        words = self._certainty.find_change(enqueued, self._model) if enqueued else ""
        if enqueued and words:
            self._add_finding(*enqueued.known, "changed-host-memory", words, {"parameter": "ptr"})

    def _forget_callbacks(self) -> None:
        """Forget callbacks that were called and cannot be called again, then the oldest that were never called."""
        model = self._model
        model.callback_registrations = [
            each
            for each in model.callback_registrations
            if not each.call_count or each.subject is model.objects.get(each.subject.name)
        ]
        kept = {each.name for each in model.callback_registrations}
        newest = list(self._registered)[-MAX_CALLBACKS // 2 :]
        self._registered = {
            number: registering
            for number, registering in self._registered.items()
            if f"callback{number}" in kept or number >= newest[0]
        }

    def _take_pending(self, left: CallReturn) -> PendingCall | None:
        """Return the call that has returned; None if its start is not recorded, or was not kept."""
        begun = self._under_way.pop(left.entered, None)
        if begun is not None:
            thread = begun.entered.thread
            self._nested[thread] -= 1
            if not self._nested[thread]:
                del self._nested[thread]
        return begun

    def _end_call(self, left: CallReturn) -> None:
        begun = self._take_pending(left)
        if begun is None:
            return
        called: list[CallbackInvocation] = []
        outcome = self._conversion.convert_outcome(begun.entered, left, begun.call, called)
        called += self._take_callbacks(begun.entered)
        self._has_unseen_objects |= may_hide_objects(begun.call, outcome, self._tables)
        reason = ""
        try:
            if begun.entered.opening and begun.call.function in KERNEL_QUERIES:
                self._kernels.note_query(begun.call, outcome, self._model)
            elif begun.entered.opening:
                self._read_platforms(begun.call, outcome)
            else:
                reason = self._judge_call(begun, outcome)
        except Exception as error:  # noqa: BLE001 (a recording may be untrusted: an impossible call can violate any assumption)
            reason = f"{JUDGE_FAILED} ({type(error).__name__}, {begun.call.function})"
        if reason:
            self._not_judged[reason] += 1
        elif not begun.entered.opening:
            self._judged += 1
        step = Step(begun.call, outcome, host_thread=begun.entered.thread)
        if self._observer is not None and not begun.entered.opening:
            self._observer(JudgedCall(begun, step, self._collector.sites, reason))
        self._maps.note_call(begun, step, left.result, self._model, is_judged=not reason)
        self._note_last_release(begun, outcome)
        gone = self._model.released
        if gone:
            self._conversion.forget(gone)
            for name in gone:
                self._collector.history.note_released(name, begun)
            self._maps.forget(gone)
            gone.clear()

    def _note_last_release(self, begun: PendingCall, outcome: Returned) -> None:
        """Store the call that released the last reference of the program to an object."""
        if begun.call.function.startswith("clRelease") and outcome.value == 0:
            for handle, _ in begun.handles[:1]:
                thing = self._model.objects.get(handle.name)
                if thing is None or _is_released(thing):
                    self._collector.history.note_last_release(handle.name, begun)

    # queries of the layer at the start

    def _read_platforms(self, call: Call, outcome: Returned) -> None:
        """Add to the model the platforms, devices and query results that the layer recorded at its start."""
        model, made = self._model, outcome.outputs if outcome.value == 0 else {}
        if call.function == "clGetPlatformIDs" and "platforms" in made:
            for name in handle_names(made["platforms"].values):
                if name not in model.objects:
                    model.platforms[name] = platform = Platform(name)
                    model.add(platform)
        if call.function == "clGetDeviceIDs" and "devices" in made:
            owner = model.find(call.platform)
            for name in handle_names(made["devices"].values):
                if name not in model.objects and isinstance(owner, Platform):
                    model.add(Device(name, platform=owner))
        self._oracle.judge(self._oracle.expect(call), outcome)
        asked = model.find(next(iter(call.arguments.values())))
        if isinstance(asked, Platform | Device):
            asked.refresh()

    # the program's calls

    def _judge_call(self, begun: PendingCall, outcome: Returned) -> str:
        """Judge a call of the program, and return why that is not possible; empty if it is."""
        self._complete_kernel(begun.call)
        self._read_number(begun)
        call, model, step = begun.call, self._model, Step(begun.call, outcome)
        if (
            self._find_released_use(begun, step)
            or self._find_unknown_handle(begun, step)
            or self._find_invalid_argument(begun, step)
        ):
            adopt_objects(call, outcome, model)
            self._certainty.note_unjudged(call)
            self._contents.forget_used(call)
            return ""
        reason = self._not_judged_reason(begun)
        raced = None if reason else self._find_undefined_use(begun)
        model.concurrent_count = 2 if begun.is_concurrent else 1
        own = self._add_own_memory(begun)
        violations = list(self._usage.find_callback_violations(begun))
        expectation = self._oracle.expect(call)
        violations += () if reason else self._find_violated_rules(begun, expectation)
        undefined = None if reason else self._certain_violation(expectation) or raced
        conditions = find_held_conditions(self._oracle, expectation)
        judgement = self._oracle.judge(expectation, outcome)
        model.objects.pop(own, None)
        self._note_effects(begun, step, is_success=judgement.observed == SUCCESS)
        self._contents.forget_after(expectation, in_doubt=bool(expectation.undefined or undefined or reason))
        if undefined is not None:
            self._add_violation(begun, step, undefined)
            if undefined.requirements:
                self._mark_unknown(call, outcome)
            return ""
        for violation in violations:
            self._add_violation(begun, step, violation)
        if any(each.kind in SERIOUS_KINDS for each in violations):
            return ""
        reason = reason or self._doubt_reason(begun, expectation, judgement)
        if not reason:
            self._add_verdicts(begun, step, expectation, judgement, conditions)
            return ""
        if reason != TAINTED or not self._collector.has_serious():
            self._find_failure(begun, step, expectation, judgement.observed, reason)
        if judgement.deviations and reason != DEVIATING_DEVICE:
            self._mark_unknown(call, outcome)
        return reason

    def _doubt_reason(self, begun: PendingCall, expectation: Expectation, judgement: Judgement) -> str:
        """Return why the judgement on a call that can be judged is in doubt; empty if it is not."""
        if expectation.undefined:
            return UNCERTAIN
        if judgement.deviations and has_unknown_length(begun.call):
            return UNKNOWN_LENGTH
        if expectation.required_errors and self._is_about_deviating_device(expectation):
            return DEVIATING_DEVICE
        return ""

    def _note_effects(self, begun: PendingCall, step: Step, *, is_success: bool) -> None:
        """Store what later calls need of a call, after the oracle has updated the model."""
        model, outcome = self._model, step.outcome
        assert isinstance(outcome, Returned)  # noqa: S101 (it was judged)
        if is_success:
            self._consequences.note_success(step.call)
            self._queries.note_success(step.call)
            self._certainty.note_success(begun, outcome, model, self._under_way.values())
            self._usage.note_success(begun, model)
            self._collector.history.add(begun, step, model)
        if outcome.outputs or isinstance(outcome.value, str):
            created = [name for name in _returned_names(outcome) if name in model.objects]
            self._collector.history.note_created(begun, step, created)
            self._contents.forget_created(created)
            self._find_shared_host_memory(begun, step, created)

    def _find_shared_host_memory(self, begun: PendingCall, step: Step, created: list[str]) -> None:
        """Add advice about new buffers that use the host memory of another buffer."""
        for name in created:
            found = self._usage.find_creation_advice(begun, name, self._model)
            if found is not None:
                self._add_violation(begun, step, found)

    def _add_violation(self, begun: PendingCall, step: Step, found: UsageViolation) -> None:
        self._collector.add_finding(
            begun, step, self._model, PROGRAM, found.kind, found.requirements, found.reason, found.rule, found.values
        )

    def _add_verdicts(
        self, begun: PendingCall, step: Step, expectation: Expectation, judgement: Judgement, conditions: HeldConditions
    ) -> None:
        """Add the findings of a judged call.

        ``conditions``: the error conditions that held, with operand values from before the call updated the model.
        """
        collector = self._collector
        fine = judgement.observed == SUCCESS
        if judgement.deviations and self._tables.functions[step.call.function].queries:
            assert isinstance(step.outcome, Returned)  # noqa: S101 (it was judged)
            self._misled |= {
                name for name in _returned_names(step.outcome) if isinstance(self._model.objects.get(name), Device)
            }
        more = unguaranteed_sizes(step.call, self._tables) if fine else ()
        verdicts = [*attribute_violations(self._oracle, expectation, judgement, conditions), *more]
        cause = None
        if any(said.kind in (ERROR, FAILED) for said in verdicts):
            cause = self._consequences.find_cause(expectation, judgement.observed, self._model)
        if cause is not None:
            cause.consequences += 1
            verdicts = [said for said in verdicts if said.kind not in (ERROR, FAILED)]
            self._consequences.note_failure(step.call, cause)
        for said in verdicts:
            finding = collector.add_finding(
                begun, step, self._model, said.party, said.kind, said.requirements, said.reason, said.rule, said.values
            )
            if finding.count == 1:
                finding.allowed, finding.observed = list(said.allowed), said.observed
                finding.confidence, finding.operands = said.confidence, said.operands
            if said.unless_repeated:
                self._queries.note_failure(step.call, finding, said.unless_repeated)
            if said.kind in (ERROR, FAILED) or (said.kind in SERIOUS_KINDS and not fine):
                self._consequences.note_failure(step.call, finding)
        if fine and expectation.required_errors and step.call.function.startswith("clCreate"):
            assert isinstance(step.outcome, Returned)  # noqa: S101 (it was judged)
            self._mark_unknown(step.call, step.outcome, Context)  # the created object is unknown

    def _find_released_use(self, begun: PendingCall, step: Step) -> bool:
        """Add a finding for the first released object that a call uses; return whether there is one."""
        used, things = list(begun.converted.released), self._model.objects
        for handle, parameter in begun.handles:
            thing = things.get(handle.name)
            if thing is not None and thing.references <= 0 and _is_released(thing):
                used.append((thing.name, parameter))
        for name, parameter in used[:1]:
            words = f"{parameter} is {name}: {self._describe_released(name)}"
            self._add_finding(begun, step, "released-object", words, self._released_values(name))
        return bool(used)

    def _complete_kernel(self, call: Call) -> None:
        """Add to the kernel of a call its declaration, if it has none."""
        self._kernels.complete(call.arguments.get("kernel", call.arguments.get("source_kernel")), self._model)

    def _read_number(self, begun: PendingCall) -> None:
        """Read a kernel argument that is declared as a number from its bytes, even if they are those of a handle."""
        value = begun.call.arguments.get("arg_value") if begun.call.function == "clSetKernelArg" else None
        kernel = self._model.find(begun.call.arguments.get("kernel"))
        if not isinstance(value, HandleBytes) or not isinstance(kernel, Kernel):
            return
        content = begun.entered.arguments["arg_value"].content
        if isinstance(content, bytes) and takes_number(kernel, begun.call.arg_index):
            begun.replace_argument("arg_value", Data(content))

    def _released_values(self, name: str) -> dict[str, str]:
        """Return the values of a finding about a released object for its remedy."""
        releasing = self._collector.history.releasing_call(name)
        release = {"release": releasing.call.function} if releasing is not None else {}
        return {"object": name, **release}

    def _describe_released(self, name: str) -> str:
        """Return a text about a released object, with the places where it was created and released."""
        places = self._collector.describe_places(name)
        return f"{RELEASED} ({places})" if places else RELEASED

    def _find_invalid_argument(self, begun: PendingCall, step: Step) -> bool:
        """Note a kernel argument whose bytes are certainly not a valid object, with a finding; return whether it is."""
        finding = self._add_invalid_argument(begun, step)
        if finding is None:
            return False
        kernel = self._model.find(begun.call.kernel)
        if isinstance(kernel, Kernel):
            kernel.uncertain_arguments.add(begun.call.arg_index)
        self._consequences.note_failure(begun.call, finding)
        return True

    def _add_invalid_argument(self, begun: PendingCall, step: Step) -> ValidationFinding | None:
        """Return a new finding if the bytes of a kernel argument are certainly not a valid object, else None."""
        if begun.call.function != "clSetKernelArg" or self._has_unseen_objects or self._not_judged_reason(begun):
            return None
        found = find_invalid_argument(begun.call, self._model, self._conversion, self._describe_released)
        if found is None:
            return None
        if found.object:
            given = begun.call.arguments | {"arg_value": HandleBytes(Handle(found.object))}
            step = Step(Call(begun.call.function, given), step.outcome)
        rule, values = ("", {}) if found.requirements else ("released-object", self._released_values(found.object))
        finding = self._collector.add_finding(
            begun, step, self._model, PROGRAM, found.kind, found.requirements, found.reason, rule, values
        )
        if finding.count == 1 and isinstance(step.outcome, Returned):
            finding.allowed, finding.observed = (
                list(found.allowed),
                self._oracle.error_code_of(begun.call, step.outcome),
            )
        return finding

    def _find_violated_rules(self, begun: PendingCall, expectation: Expectation) -> Iterator[UsageViolation]:
        """Yield the usage rules that a call violates, whatever its result."""
        yield from self._usage.find_violations(begun, self._model)
        yield from self._maps.find_violations(begun, self._model)
        yield from find_unmapped_memory(begun, expectation)

    def _find_undefined_use(self, begun: PendingCall) -> UsageViolation | None:
        """Return why a call must not use its memory or the arguments of its kernel; None if it may."""
        found = self._find_released_argument(begun) or self._certainty.find_race(begun, self._model)
        if found is not None:
            return found
        words = self._unmap_error(begun)
        return UsageViolation(UNDEFINED, (), words, "pointer-not-mapped") if words else None

    def _find_released_argument(self, begun: PendingCall) -> UsageViolation | None:
        """Return why a call must not use its kernel: an argument is a released object; None if there is none."""
        found = find_released_argument(begun.call, self._model, self._describe_released)
        if found is None:
            return None
        return UsageViolation(UNDEFINED, (), found.reason, "released-argument", self._released_values(found.object))

    def _certain_violation(self, expectation: Expectation) -> UsageViolation | None:
        """Return the rule because of which a call is certainly undefined; None if that is not certain."""
        reason = self._certainty.certain_reason(expectation, self._model)
        if reason in self._tables.requirements:
            return UsageViolation(UNDEFINED, (reason,), self._oracle.rulebook.texts.words_of(reason))
        use = expectation.undefined_use
        if not reason or use is None:
            return None
        return describe_conflict(use, expectation.call, self._model, self._collector.history)

    def _find_failure(
        self, begun: PendingCall, step: Step, expectation: Expectation, observed: str, reason: str
    ) -> None:
        """Add a finding about a call that failed and cannot be judged, unless it is a query or follows from another."""
        if observed == SUCCESS or self._tables.functions[begun.call.function].queries:
            return
        finding = self._consequences.find_cause(expectation, observed, self._model)
        if finding is not None:
            finding.consequences += 1
        else:
            words = f"it fails with {observed}; not judged, because {reason}"
            finding = self._add_finding(begun, step, "unjudged-failure", words)
        self._consequences.note_failure(begun.call, finding)

    def _find_unknown_handle(self, begun: PendingCall, step: Step) -> bool:
        """Add a finding if a call uses a handle that no recorded call returned.

        The finding is added only if the recording contains all calls that may return such handles. Return whether there
        is a finding.
        """
        if not begun.converted.unknown_handles or self._has_unseen_objects:
            return False
        parameter = begun.converted.unknown_handles[0]
        values = {"parameter": parameter.split(" ")[0]}
        self._add_finding(begun, step, "unknown-handle", f"{parameter}: {UNKNOWN_HANDLE}", values)
        return True

    def _add_own_memory(self, begun: PendingCall) -> str:
        """Add to the model the memory of the program that a kernel will use; return its name, or an empty string.

        Only the argument of the kernel refers to this memory; other calls cannot name it.
        """
        value = begun.call.arguments.get("arg_value") if begun.call.function in POINTER_SETTERS else None
        if not isinstance(value, Handle) or is_returned_pointer(value) or self._has_unseen_objects:
            return ""
        if not self._conversion.is_program_memory(begun.entered.arguments["arg_value"].bits):
            return ""
        memory = StorageView(Storage(UNKNOWN_SIZE, host=True), 0, UNKNOWN_SIZE)
        self._model.add(HostArea(value.name, size=UNKNOWN_SIZE, memory=memory))
        return value.name

    def _is_about_deviating_device(self, expectation: Expectation) -> bool:
        """Return whether a call must fail only because it uses a device from a deviating result of the driver."""
        about_devices = all(held.clause.code == "CL_INVALID_DEVICE" for held in expectation.required_errors)
        return about_devices and any(each.name in self._misled for each in call_handles(expectation.call))

    def _unmap_error(self, begun: PendingCall) -> str:
        """Return why a call must not unmap its pointer; empty if it may."""
        return "" if self._has_unseen_objects else self._maps.unmap_error(begun.entered)

    def _not_judged_reason(self, begun: PendingCall) -> str:
        """Return why a call cannot be judged; empty if it can."""
        if begun.concurrent_objects and begun.concurrent_objects & begun.used_objects():
            return OVERLAP
        if begun.converted.unclear:
            return begun.converted.unclear
        if begun.converted.unknown_handles:
            return UNRECORDED_OBJECT
        if queries_undescribed_function(begun.call, self._tables):
            return UNDESCRIBED
        things = self._model.objects
        named = (things.get(handle.name) for handle, _ in begun.handles)
        return TAINTED if any(thing is not None and thing.tainted for thing in named) else ""

    def _add_finding(
        self, begun: PendingCall, step: Step, rule: str, words: str, values: dict[str, str] | None = None
    ) -> ValidationFinding:
        """Add a finding about a rule in ``rules.toml``, which determines its party and its kind."""
        known = read_rules()[rule]
        return self._collector.add_finding(begun, step, self._model, known.party, known.kind, (), words, rule, values)

    def _named_objects(self, call: Call) -> list[ClObject]:
        return self._model.find_all(call_handles(call))

    def _mark_unknown(self, call: Call, outcome: Returned, *but: type[ClObject]) -> None:
        """Stop judging calls on the objects that a call used or created, except for objects of the types ``but``."""
        made = self._model.find_all(map(Handle, _returned_names(outcome)))
        for thing in (*self._named_objects(call), *made):
            if not isinstance(thing, (Platform, Device, *but)):
                self._model.taint(thing)

    # calls that have not returned

    def find_at_entry(self, sequence: int) -> list[ValidationFinding]:
        """Return the new findings about a call that has not returned, if they are certain to be findings later.

        They are not added to the result. Call this before any later event is judged. ``sequence``: the number of the
        call's entry.
        """
        begun = self._under_way.get(sequence)
        if begun is None or begun.entered.opening:
            return []
        return self._collector.collect_trial(functools.partial(self._find_certain, begun))

    def _find_certain(self, begun: PendingCall) -> None:
        """Add the findings about a call that has not returned, if they are certain to be findings later."""
        try:
            expectation = self._judge_entry(begun)
            if expectation is not None and self._must_fail(expectation):
                self._find_required_errors(begun, expectation, "")
        except Exception:  # noqa: BLE001, S110 (when the call returns, it is counted with this reason)
            pass

    def note_stop(self, sequence: int) -> None:
        """Note that the process is stopped before this call enters the driver."""
        self._stopped.add(sequence)

    def _must_fail(self, expectation: Expectation) -> bool:
        """Return whether a call must fail, and this is certainly a finding: not a probe, a consequence or in doubt."""
        errors, function = expectation.required_errors, self._tables.functions[expectation.call.function]
        if not program_errors(expectation) or expectation.undefined or self._is_about_deviating_device(expectation):
            return False
        may_probe = function.queries or any(held.clause.code in NOT_FOUND_CODES for held in errors)
        return not may_probe and self._consequences.find_cause(expectation, "", self._model) is None

    # the end of the recording

    def _cut(self) -> None:
        """Drop what depends on the lost rest of an incomplete recording: pending calls, and failed queries."""
        self._calls -= sum(not each.entered.opening for each in self._under_way.values())
        self._under_way.clear()
        self._collector.remove(self._queries.undecided_findings())

    def _describe_damage(self, reason: str) -> str:
        return f"judged the first {self._calls:,} calls of an incomplete recording: {reason}" if reason else ""

    def _finish(self) -> None:
        """Add findings for calls that have not returned, or, if the process has exited, about what it has not done."""
        has_finished = self._has_exited and not self._under_way
        if not self._has_exited:
            self._running = list(self._find_running_commands())
        left = [each for each in self._under_way.values() if each.is_left]
        self._under_way = {number: each for number, each in self._under_way.items() if not each.is_left}
        under_way = list(self._under_way.values())
        for begun in under_way:
            if begun.entered.opening:
                self._find_end(begun)
            else:
                self._judge_pending_call(begun)
        for read in find_unawaited_reads(
            self._model, self._collector.history, self._certainty.ended, under_way, has_finished=has_finished
        ):
            self._add_finding(*read, "result-not-awaited", NEVER_AWAITED)
        if self._has_exited:
            self._queries.finish()
        if self._has_exited and not under_way:
            for found in find_unreleased_objects(self._model, self._collector.history, self._maps, left):
                self._add_finding(*found.created, found.rule, found.reason, found.values)

    def _judge_pending_call(self, begun: PendingCall) -> None:
        """Add findings for a call of the program that has not returned."""
        expectation = self._judge_entry(begun)
        if expectation is None:
            return
        cause = self._consequences.find_cause(expectation, "", self._model) if expectation.required_errors else None
        if cause is not None:
            cause.consequences += 1
        if cause is not None or not program_errors(expectation):
            self._find_end(begun)
        else:
            is_stopped = begun.entered.sequence in self._stopped
            self._find_required_errors(begun, expectation, NEVER_ENTERED if is_stopped else NEVER_RETURNED)

    def _judge_entry(self, begun: PendingCall) -> Expectation | None:
        """Add the findings, except required errors, that are known before the driver is entered.

        Return the expectation if there is no serious finding, and the call can be judged; else None. The model does not
        change.
        """
        self._complete_kernel(begun.call)
        self._read_number(begun)
        step = _pending_step(begun)
        if self._find_released_use(begun, step) or self._find_unknown_handle(begun, step):
            return None
        if self._add_invalid_argument(begun, step) is not None:
            return None
        violations, expectation = list(self._usage.find_callback_violations(begun)), None
        if not self._not_judged_reason(begun):
            expectation = self._expect_pending(begun)
            undefined = self._certain_violation(expectation) or self._find_undefined_use(begun)
            if undefined is not None:
                self._add_violation(begun, step, undefined)
                return None
            violations += self._find_violated_rules(begun, expectation)
        for violation in violations:
            self._add_violation(begun, step, violation)
        return None if any(each.kind in SERIOUS_KINDS for each in violations) else expectation

    def _expect_pending(self, begun: PendingCall) -> Expectation:
        """Return what is expected of a call that has not returned."""
        self._model.concurrent_count = 2 if begun.is_concurrent else 1
        own = self._add_own_memory(begun)
        expectation = self._oracle.expect(begun.call)
        self._model.objects.pop(own, None)
        return expectation

    def _find_required_errors(self, begun: PendingCall, expectation: Expectation, observed: str) -> None:
        """Add a finding for each error condition that holds for a call that has not returned."""
        conditions = find_held_conditions(self._oracle, expectation)
        for each in program_errors(expectation):
            words, operands = conditions[each]
            finding = self._collector.add_finding(
                begun, _pending_step(begun), self._model, PROGRAM, ERROR, (each,), words
            )
            if finding.count == 1:
                finding.allowed, finding.observed = expectation.allowed_codes, observed
                finding.operands = {each: operands} if operands else {}

    def _find_end(self, begun: PendingCall) -> None:
        """Add a finding for a call in which the process or the recording ended, unless it was stopped there."""
        if begun.entered.sequence not in self._stopped:
            words = "; ".join([NEVER_RETURNED, *(f"{MAY_HAVE_RUN}: {each}" for each in self._running)])
            self._add_finding(begun, _pending_step(begun), "process-ended", words)

    def _find_running_commands(self) -> Iterator[str]:
        """Yield the latest commands that may have been running when the process ended, each with its call."""
        pending = (each for each in reversed(self._model.commands.pending) if each not in self._certainty.ended)
        yield from filter(None, map(self._collector.describe_command, islice(pending, MAX_RUNNING)))


def _pending_step(begun: PendingCall) -> Step:
    return Step(begun.call, Begun(), host_thread=begun.entered.thread)


def _returned_names(outcome: Returned) -> list[str]:
    """Return the names of the objects that a call returned; of a long list, only the first names."""
    values = [outcome.value, *(value for output in outcome.outputs.values() for value in output.values[:_MAX_NAMES])]
    return handle_names(values)


def _is_released(thing: ClObject) -> bool:
    return thing.references <= 0 and not isinstance(thing, Platform | Device | PointerMemory)


def validate_recording(
    recording: RecordingFile, tables: Tables, name: str, *, my_code: Sequence[str] = (), is_remote: bool = False
) -> Validation:
    """Judge a recording; ``my_code``: patterns of the code in which calls have their places.

    ``is_remote``: the program ran on another machine, so that code files of this machine are not read. The name of a
    child process's recording ends with the number of the process.
    """
    judge = RecordingJudge(
        tables,
        pointer_bytes=recording.pointer_bytes,
        through_loader=recording.through_loader,
        inherits=recording.is_of_child,
        my_code=my_code,
        is_remote=is_remote,
    )
    return judge.judge(recording, name)
