"""Makes calls on a driver, judges each call with the oracle, and stores the sequence of calls.

Tests receive a session as ``cl`` and call OpenCL functions as its methods: ``cl.clRetainDevice(device)``. Each method
returns the outcome, which the test need not check.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from clconform.calls.call import GARBAGE, Call, Died, Hung, Outcome, Returned, Step
from clconform.calls.harness_actions import HAS_RETURNED, JOIN, NEXT_PROCESS, build_call
from clconform.calls.signature_check import ArgumentTypes
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import BadCall
from clconform.harness.errors import ProcessShortageError
from clconform.oracles.contents.byte_attribution import find_next_request
from clconform.oracles.engine.accepted_calls import describe_unusable, exclude_unusable, is_use_undefined
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.thread_safety import find_conflict
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.state import Model
from clconform.runner.session.api_functions import HostFunctions
from clconform.runner.session.call_sequence import CallSequence
from clconform.runner.session.cleanup import clean_up
from clconform.runner.session.concurrent_calls import ConcurrentCalls
from clconform.runner.session.context_reuse import NEW_CONTEXT_FUNCTIONS, KeptContexts, may_have_changed
from clconform.runner.session.device_discovery import select_device
from clconform.runner.session.device_health import DeviceHealth
from clconform.runner.session.errors import (
    ExampleOverError,
    JudgingError,
    OtherRevisionError,
    SelfLimitError,
    UndefinedCallError,
    convert_internal_errors,
)
from clconform.runner.session.fact_queries import FactQueries
from clconform.runner.session.host_threads import JudgedThreadCall, SessionThread, ThreadCallTracker
from clconform.runner.session.memory_readings import MemoryReader
from clconform.runner.session.number_outputs import NumberOutputs
from clconform.runner.session.outcome_values import (
    MAX_VALUE_BYTES,
    TRUNCATED_VALUE_BYTES,
    long_value_note,
    with_returned_numbers,
)
from clconform.runner.session.process_ends import ProcessEnds
from clconform.runner.session.self_limits import SelfLimits
from clconform.runner.session.session_process import SessionProcess, start_worker
from clconform.runner.session.steps import create_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.calls.protocol import TargetReached
    from clconform.harness import Deadlines, Target, Worker
    from clconform.oracles.engine.judgements import Expectation
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.runner.program_binaries import ProgramBinaries
    from clconform.runner.session.device_discovery import SessionBase
    from clconform.runner.session.observer import SessionObserver
    from clconform.spec_tables import Tables


MAX_READINGS = 6
"""Maximum number of times that memory is read again to attribute unexpected bytes."""


class Session(HostFunctions[Outcome]):
    """Makes calls on one platform and judges each of them.

    ``platform``: the handle of the platform; ``device``: the root device under test. ``base``: the state in which each
    example starts. ``process``: the driver's process; ``fact_queries``: the queries for facts that the oracle needs;
    ``process_ends``: the statistics of calls that ended the process; ``health``: the checks whether the driver still
    works, or None without such checks. ``program_binaries``: the programs that the user supplies for a device without a
    compiler, or None. ``oracle``: the judge of the running example;
    ``sequence``: its calls so far; ``thread_calls``: its calls in flight on host threads.
    """

    def __init__(
        self,
        target: Target,
        tables: Tables,
        observer: SessionObserver,
        *,
        device_index: int = 0,
        deadlines: Deadlines | None = None,
        robustness: bool = False,
        keeps_contexts: Literal["never", "unless-deviating", "always"] = "never",
        own_work: SelfLimits | None = None,
        base: SessionBase | None = None,
        start: Callable[[Target, Deadlines | None], Worker] = start_worker,
        create_oracle: Callable[[Model, Rulebook], Oracle] = Oracle,
    ) -> None:
        """Start a worker, and query the facts that the oracle needs.

        HarnessError if there is no device to test. ``device_index``: index of the root device under test.
        ``robustness``: suites may pass valid handles of another object type. ``keeps_contexts``: whether later examples
        reuse contexts that are slow to create, and whether this also applies after a deviation. ``own_work``: limits
        for the controlling process. ``base``: the base of an earlier session with the same target and device; its query
        results are reused unless this session finds other platforms or devices. ``start``: starts the worker.
        ``create_oracle``: creates the judge of each example.
        """
        super().__init__(tables.functions)
        self.target, self.tables, self.observer = target, tables, observer
        self.rulebook = rulebook_of(tables)
        self.self_limits = own_work or SelfLimits()
        self.robustness = robustness
        self.process_ends = ProcessEnds()
        self.health: DeviceHealth | None = None
        self.program_binaries: ProgramBinaries | None = None
        self.call_count = 0
        self._number_outputs = NumberOutputs.for_tables(tables)

        def start_process() -> Worker:
            worker = start(target, deadlines)
            self.observer.on_process_start()
            return worker

        self.process = SessionProcess(start_process)
        self.reached: TargetReached = self.process.worker.greeting
        self._argument_types = ArgumentTypes(tables, self.reached.pointer_bytes)
        through_loader, pointer_bytes = self.reached.access == "loader", self.reached.pointer_bytes

        def new_oracle() -> Oracle:
            model = Model(tables, through_loader=through_loader, pointer_bytes=pointer_bytes)
            return create_oracle(model, self.rulebook)

        self._new_oracle = new_oracle
        try:
            self.base = select_device(self.reached, device_index)
            self.platform, self.device = Handle(self.base.platform), Handle(self.base.device)
            self.fact_queries = FactQueries(self, self._new_oracle)
            if base is not None and base.has_same_devices(self.base):
                self.base = replace(base)  # a copy: values in another process may differ
            else:
                self.fact_queries.query_all()
            if keeps_contexts != "never":
                kept = KeptContexts(self.base.roots, after_deviations=keeps_contexts == "always")
                self.process.kept_contexts = kept
            self.begin_example()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """End the session, with the driver's process."""
        self.process.end()

    def watch_health(self) -> None:
        """Check the driver after signs of a loss, from now on."""
        self.health = DeviceHealth(self.process, self.tables, self.platform, self.device)

    def set_rulebook(self, rulebook: Rulebook) -> None:
        """Judge by another rulebook, starting with the next call."""
        self.rulebook = self.oracle.rulebook = rulebook

    def set_targets(self, requirements: Sequence[str]) -> None:
        """Set the requirements that the next examples target.

        Examples that target requirements about creating contexts do not reuse kept contexts.
        """
        if self.process.kept_contexts is not None:
            self.process.kept_contexts.set_paused(
                paused=any(requirement.split("/")[0] in NEW_CONTEXT_FUNCTIONS for requirement in requirements)
            )

    # examples

    def begin_example(self) -> None:
        """Start an example with an empty model, which contains only the platform and its root devices.

        DeviceLostError if calls before the example have shown a sign of a loss, and the driver no longer works.
        """
        if self.health is not None:
            self.health.check_if_suspicious()
        self.observer.on_example_start()
        self._begin_example()

    def _begin_example(self) -> None:
        self.fact_queries.update_sizes()
        self.process.worker.begin_example()
        if not self.process.is_running:  # it has no functions left for further callbacks
            self.fact_queries.update_sizes()
        self.oracle = self._new_oracle()
        self.base.restore_to(self.oracle.model)
        self.sequence = CallSequence(self.base.names)
        self.thread_calls = ThreadCallTracker(self.process, self.oracle, self.sequence.known_names)
        if self.process.kept_contexts is not None:
            self.process.kept_contexts.begin_example()

    def finish_example(self) -> None:
        """Release the remaining objects of the example, each as often as the application owns a reference.

        If the driver has accepted an invalid call, the memory of its process may be corrupted, and the objects of the
        call are not used again. The process is then ended, so that no later deviation is a consequence of this call.
        """
        self.sequence.test_value = ""
        if not self.process.is_running:
            return
        if self.sequence.may_be_corrupted or self.model.unusable_objects:
            self.process.end()
            return
        try:
            if not clean_up(self.model, self.thread_calls, self._make_cleanup_call):
                self.process.end()  # a call on a host thread will never return
        except (ExampleOverError, UndefinedCallError):
            return
        except BadCall:
            self.process.end()
            if not self.sequence.has_diverged:
                raise

    def _make_cleanup_call(self, call: Call) -> bool:
        """Make a call of the cleanup; return whether the call was made and succeeded."""
        contexts = self.process.kept_contexts
        if contexts is not None and contexts.keep_context(call, self.model, self.process.worker):
            return False
        try:
            outcome = self.call(call)
        except (UndefinedCallError, ValueError):  # a command may still use the memory, or a call on a host thread does
            return False
        return isinstance(outcome, Returned) and outcome.value in (None, 0)

    @contextmanager
    def example(self) -> Iterator[Session]:
        """Run one example: start with a new model, and release all objects at the end.

        A crash of the driver ends the example early, and so does a call that is undefined or impossible after an
        unexpected result, because the test cannot continue. After an internal error the next example starts in a new
        process, because the model and the driver may disagree.
        """
        self.begin_example()
        try:
            yield self
        except ExampleOverError:
            return
        except (UndefinedCallError, UnknownFactError, BadCall, ProcessShortageError):
            self.process.end()
            if not self.sequence.has_diverged:
                raise
            return
        except (JudgingError, SelfLimitError, MemoryError):
            self.process.end()
            raise
        self.finish_example()

    # the objects under test

    @property
    def model(self) -> Model:
        """Return the model of the running example."""
        return self.oracle.model

    @property
    def devices(self) -> list[Handle]:
        """Return the handles of all root devices of the platform under test."""
        return [Handle(device.name) for device in self.model.root_devices()]

    def fact(self, query: str, device: Handle | None = None) -> Any:
        """Return the value of a device query (default: of the device under test), or None if it was not queried."""
        return self.model.device(device or self.device).facts.get(query)

    def find_inapplicability(self, requirement: str) -> str:
        """Return the condition because of which a requirement does not apply; empty if the requirement applies."""
        return self.base.find_inapplicable(self.tables).get(requirement, "")

    # calls

    def at_value(self, test_value: str) -> Session:
        """Set the name of the test value for the next calls of the example, and return the session."""
        self.sequence.test_value = test_value
        return self

    def call_at(self, test_value: str, call: Call) -> Outcome:
        """Make one call, as ``call`` does; ``test_value`` names the test value of this call alone."""
        before = self.sequence.test_value
        try:
            return self.at_value(test_value).call(call)
        finally:
            self.sequence.test_value = before

    def call(self, call: Call) -> Outcome:
        """Make one call, judge it, and return its outcome.

        UndefinedCallError: the call was not made because its behaviour is undefined. ExampleOverError: the driver died
        in the call. BadCall: the call cannot be expressed in C.
        """
        call = self.sequence.take_references(call)
        _require_fit(self._argument_types, call)
        if call.function in (JOIN, HAS_RETURNED):
            with convert_internal_errors(call):
                waited = self.thread_calls.wait_for_thread(call)
            return self._store_judged(waited)
        with convert_internal_errors(call):
            expectation = self.oracle.expect(call)
        self._reject_undefined(expectation)
        call = expectation.call
        if self.thread_calls:
            with convert_internal_errors(call):
                asked = self.thread_calls.call_meanwhile(expectation)
            return self._store_judged(asked)
        process, contexts = self.process, self.process.kept_contexts
        kept = contexts.take_context(call, process.worker) if contexts is not None else None
        if isinstance(kept, Returned):
            with convert_internal_errors(call):
                self.oracle.judge(expectation, kept)
            self.sequence.append([create_step(call, kept, self.sequence.known_names)])
            return kept
        outcome: Outcome
        if kept is not None:
            outcome = kept
        elif call.function == NEXT_PROCESS:
            outcome = self._start_next_process()
        else:
            worker = process.worker
            outcome = worker.call(call, self.process_ends.deadline_of(expectation, worker.deadlines, self.model))
        outcome = self._read_unexpected_memory(expectation, process.check_outcome(self.oracle, call, outcome))
        with convert_internal_errors(call):
            judgement = self.oracle.judge(expectation, outcome, validated=True)
        step = create_step(call, outcome, self.sequence.known_names)
        outcome = self._store_judged(JudgedThreadCall(expectation, outcome, judgement, step))
        if isinstance(outcome, Returned) and outcome.readings and not process.is_running:
            raise ExampleOverError(f"{call.function}: the driver ended its process while the memory was read again")
        return outcome

    def _read_unexpected_memory(self, expectation: Expectation, outcome: Outcome) -> Outcome:
        """Read memory again, if an outcome has unexpected bytes; return the outcome with these readings."""
        if not isinstance(outcome, Returned) or expectation.required_errors or expectation.implementation_defined:
            return outcome
        reader = None
        for _ in range(MAX_READINGS):
            with convert_internal_errors(expectation.call):
                request = find_next_request(expectation.context, outcome)
            if request is None or not self.process.is_running:
                break
            if reader is None:
                reader = MemoryReader(expectation.call, self.model, self._make_valid_reading, self._make_reading)
            reading = reader.read(request)
            outcome = msgspec.structs.replace(outcome, readings=[*outcome.readings, reading])
        return outcome

    def _make_valid_reading(self, call: Call) -> Outcome | None:
        """Make a call without judging it; return None if the call, or the use of its result, is undefined."""
        if not self.process.is_running or self.find_inapplicability(f"{call.function}/success"):
            return None
        with convert_internal_errors(call):
            expectation = self.oracle.expect(call)
        if expectation.undefined or is_use_undefined(expectation, SUCCESS) or describe_unusable(call, self.model):
            return None
        return self._make_reading(expectation.call)

    def _make_reading(self, call: Call) -> Outcome:
        """Make a call without judging it."""
        if not self.process.is_running:
            return Died(GARBAGE, "", "the driver ended its process")
        worker = self.process.worker
        return self.process.check_outcome(self.oracle, call, worker.call(call, worker.deadlines.slow_calls))

    def _store_judged(self, judged: JudgedThreadCall) -> Outcome:
        """Store a judged call, notify the observer, and return the outcome; ExampleOverError if the driver died."""
        expectation, outcome, judgement, step = judged
        sequence, call = self.sequence, expectation.call
        self.call_count += 1
        if self.health is not None:
            self.health.note_call(expectation, outcome, judgement)
        self.self_limits.reset_time()
        sequence.note_judgement(expectation, judgement)
        contexts = self.process.kept_contexts
        if contexts is not None:
            contexts.record_call(call, outcome, self.model)
            if judgement.deviations and may_have_changed(call, outcome, judgement, self.tables):
                contexts.note_deviation()
        sequence.append([step])
        self.observer.on_judged_call(expectation, outcome, judgement, sequence.steps, sequence.test_value)
        if isinstance(outcome, (Died, Hung)):
            self.process_ends.count(expectation, outcome, judgement)
            raise ExampleOverError(f"{call.function}: {judgement.observed}")
        if expectation.is_unexpected_enqueue(judgement.observed):
            sequence.may_be_corrupted = True
            self.process_ends.count_unexpected_enqueue(judgement)
        sequence.forget_released(self.model, self.process)
        return self._mark_numbers(step.call, outcome)

    def _mark_numbers(self, call: Call, outcome: Outcome, *, later_steps: int = 0) -> Outcome:
        """Return an outcome in which sizes and counts remember that this call returned them.

        ``later_steps``: the number of steps after the one of the call.
        """
        if not isinstance(outcome, Returned):
            return outcome
        outputs = self._number_outputs.outputs_of(call)
        return self.sequence.mark_numbers(outcome, outputs, later_steps) if outputs else outcome

    def _reject_undefined(self, expectation: Expectation) -> None:
        """Raise UndefinedCallError if a call is undefined, or uses the result of an accepted invalid call."""
        expectation = exclude_unusable(expectation, self.model)
        if expectation.undefined:
            self.observer.on_undefined_call(expectation, self.sequence.test_value)
            call = expectation.call
            if expectation.other_revision:
                raise OtherRevisionError(f"not applicable: {expectation.undefined}", call)
            raise UndefinedCallError(f"{call.function}: undefined behaviour by {expectation.undefined}", call)

    def _start_next_process(self) -> Outcome:
        """End the driver's process without releasing objects, and continue the example in a new process."""
        before, marked = self.sequence, self.model.has_marker or self.model.had_marker_before
        self.process.end()
        self._begin_example()
        self.sequence.steps, self.sequence.test_value = before.steps, before.test_value
        self.model.had_marker_before = marked
        return Returned(None)

    def query(self, function: str, thing: Handle, name: str) -> Any:
        """Query the size of a value, then the value, and return the value: a number, a string or a list.

        ``name``: the query. None if the query fails. A value of more than ``MAX_VALUE_BYTES`` is noted, and not
        requested in full.
        """
        functions, value = self.tables.functions, self.tables.enumerants[name].value
        size = self.call(build_call(function, functions, thing, value, 0, None, OutputBuffer(1)))
        if not isinstance(size, Returned) or size.value != 0:
            return None
        bytes_needed = next(iter(size.outputs["param_value_size_ret"].values), None)
        if not isinstance(bytes_needed, int) or bytes_needed < 0:
            return None
        if bytes_needed > MAX_VALUE_BYTES:
            self.observer.on_note(name, long_value_note(bytes_needed), self.sequence.steps[-1].call)
            bytes_needed = TRUNCATED_VALUE_BYTES  # if the query then succeeds, the size was wrong
        output_buffer = OutputBuffer(bytes_needed) if bytes_needed else None
        answer = self.call(build_call(function, functions, thing, value, bytes_needed, output_buffer, OutputBuffer(1)))
        if not isinstance(answer, Returned) or answer.value != 0:
            return None
        return with_returned_numbers(self.model.object_of(thing).facts.get(name), answer)

    # calls on host threads

    def host_thread(self, number: int) -> SessionThread:
        """Return the host thread with a number, from 1; its methods start calls on the thread."""
        return SessionThread(number, self.tables.functions, self._start_on_thread, self.call)

    def _start_on_thread(self, thread: int, call: Call) -> None:
        call = self.sequence.take_references(call)
        _require_fit(self._argument_types, call)
        with convert_internal_errors(call):
            expectation = self.thread_calls.expect(thread, call)
            self._reject_undefined(expectation)
            begun = self.thread_calls.start_call(thread, expectation)
        if not isinstance(begun, Step):
            self._store_judged(begun)
            return
        self.sequence.append([begun])
        self.observer.on_thread_call(expectation, begun)

    def call_concurrently(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make calls concurrently on several host threads.

        They conform if the results match some sequential order. ValueError: a call may be undefined concurrently with
        the others. UndefinedCallError as for ``call``; no call was made. ExampleOverError: the driver died, and only
        the first call without a result is judged.
        """
        calls = [self.sequence.take_references(call) for call in calls]
        _require_fit(self._argument_types, *calls)
        reason = find_conflict(calls, self.model, self.oracle.rulebook)
        if self.thread_calls:
            reason = "a host thread has a call in flight"
        if reason:
            raise ValueError(f"cannot be called concurrently: {reason}")
        expectations = []
        for call in calls:
            with convert_internal_errors(call):
                expectations.append(self.oracle.expect(call))
        for expectation in expectations:
            self._reject_undefined(expectation)
        calls = [expectation.call for expectation in expectations]
        outcomes = self.process.worker.call_concurrently(calls) if calls else []
        outcomes = [
            self.process.check_outcome(self.oracle, call, outcome)
            for call, outcome in zip(calls, outcomes, strict=True)
        ]
        self.call_count += len(calls)
        self.self_limits.reset_time()
        group = ConcurrentCalls(expectations, outcomes, self.sequence)
        self.sequence.append(group.steps)
        for judged in group.judge(self.oracle):
            self.sequence.note_judgement(judged.expectation, judged.judgement)
            if self.health is not None:
                self.health.note_call(judged.expectation, judged.outcome, judged.judgement)
            self.observer.on_judged_call(*judged, self.sequence.test_value)
            if isinstance(judged.outcome, (Died, Hung)):
                raise ExampleOverError(f"{judged.expectation.call.function}: {judged.judgement.observed}")
        self.sequence.forget_released(self.model, self.process)
        return [
            self._mark_numbers(call, outcome, later_steps=len(calls) - 1 - index)
            for index, (call, outcome) in enumerate(zip(calls, outcomes, strict=True))
        ]


def _require_fit(types: ArgumentTypes, *calls: Call) -> None:
    """Raise BadCall if a call cannot be expressed in C."""
    for call in calls:
        reason = types.find_mismatch(call)
        if reason:
            raise BadCall(reason)
