"""Makes calls on a driver, judges each call with the oracle, and stores the sequence of calls.

Tests receive a session as ``cl`` and call OpenCL functions as its methods: ``cl.clRetainDevice(device)``. Each method
returns the outcome, which the test need not check.
"""

from __future__ import annotations

import math
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from clconform.calls.call import GARBAGE, Call, Died, Hung, Outcome, Returned, Step
from clconform.calls.harness_actions import HAS_RETURNED, JOIN, NEXT_PROCESS, build_call
from clconform.calls.signature_check import ArgumentTypes
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import BadCall, HarnessError, Worker
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.judgements import SUCCESS, Expectation, Judgement
from clconform.oracles.engine.linearization import judge_concurrent_calls
from clconform.oracles.engine.matchers import format_values
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.thread_safety import find_conflict
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.state import Model
from clconform.runner.session.api_functions import HostFunctions
from clconform.runner.session.call_timeouts import call_deadline
from clconform.runner.session.cleanup import completion_calls, release_calls
from clconform.runner.session.context_reuse import NEW_CONTEXT_FUNCTIONS, KeptContexts, may_have_changed
from clconform.runner.session.device_discovery import (
    SizeQuery,
    is_size_query,
    needed_queries,
    query_facts,
    select_device,
)
from clconform.runner.session.errors import (
    ExampleOverError,
    JudgingError,
    SelfLimitError,
    UndefinedCallError,
    convert_internal_errors,
)
from clconform.runner.session.host_threads import JudgedThreadCall, SessionThread, ThreadCallTracker
from clconform.runner.session.outcome_values import MAX_VALUE_BYTES, TRUNCATED_VALUE_BYTES, long_value_note
from clconform.runner.session.self_limits import SelfLimits
from clconform.runner.session.steps import create_step, create_steps, move_to_end

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.calls.protocol import TargetReached
    from clconform.harness import Deadlines, Target
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.runner.session.device_discovery import SessionBase
    from clconform.runner.session.observer import SessionObserver
    from clconform.spec_tables import Tables


MAX_STEPS = 50_000
"""Maximum number of steps of one example, which stops endless loops; real examples have at most a few thousand."""
HANG_WEIGHT = 2
"""Weight of the hangs after which no more calls are made for a requirement: one hang for the requirement alone, or two
for several requirements together."""


class Session(HostFunctions[Outcome]):
    """Makes calls on one platform and judges each of them.

    ``device``: the root device under test; ``devices``: all root devices of its platform; ``platform``: the handle of
    the platform. ``known_to_hang``: error conditions with known hangs; their calls get a short deadline.
    ``has_full_deadlines``: deadlines do not become shorter after hangs; False in a run, because a run repeats its
    deviations. ``max_process_ends``: number of driver processes that calls for one requirement may end before suites
    stop making such calls; ``single_process_requirements``: requirements for which one process is enough, because their
    deviation is known. ``has_diverged``: in this example, the driver has deviated or has rejected a valid call.
    ``unproved_end``: the last call that hung or crashed without a deviation, as text, or empty.
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
    ) -> None:
        """Start a worker, and query the facts that the oracle needs.

        HarnessError if there is no device to test. ``device_index``: index of the root device under test.
        ``robustness``: suites may pass valid handles of another object type. ``keeps_contexts``: whether later examples
        reuse contexts that are slow to create, and whether this also applies after a deviation. ``own_work``: limits
        for the controlling process. ``base``: the base of an earlier session with the same target and device; its query
        results are reused unless this session finds other platforms or devices.
        """
        super().__init__(tables.functions)
        self.target, self.tables, self.observer = target, tables, observer
        self.rulebook = rulebook_of(tables)
        self._deadlines = deadlines
        self.self_limits = own_work or SelfLimits()
        self.robustness = robustness
        self._worker: Worker | None = None
        self._queried_worker: Worker | None = None
        self.start_error: HarnessError | None = None
        self._test_value = ""
        self.steps: list[Step] = []
        self._hang_weights: Counter[str] = Counter()
        self._ended_processes: Counter[str] = Counter()
        self.max_process_ends: float = math.inf
        self.single_process_requirements: frozenset[str] = frozenset()
        self.known_to_hang: frozenset[str] = frozenset()
        self._hung_with: set[str] = set()
        self._times_hung: Counter[str] = Counter()
        self.has_full_deadlines = True
        self.unproved_end = ""
        self.call_count = 0
        self._argument_forms = ArgumentTypes(tables)
        self._kept_contexts: KeptContexts | None = None
        self.reached: TargetReached = self.worker.greeting
        try:
            self.base = select_device(self.reached, device_index)
            self.opening_failures = self._query_facts(base)
            if keeps_contexts != "never":
                self._kept_contexts = KeptContexts(self.base.roots, after_deviations=keeps_contexts == "always")
            self.begin_example()
        except BaseException:
            self.close()
            raise

    def _query_facts(self, earlier: SessionBase | None) -> list[JudgingError]:
        """Query the facts that the oracle needs, or reuse those of an earlier session; return internal errors."""
        if earlier is not None and earlier.has_same_devices(self.base):
            self.base = replace(earlier)  # a copy: values in another process may differ
            return []
        self._queried_worker = self.worker
        self.begin_example()
        failures = query_facts(
            self.base, self.model, self._isolate_call(self.call), self._isolate_call(self._query_size)
        )
        self.base.store_facts(self.oracle.model)
        return failures

    def _query_size(self, function: str, thing: Handle, name: str) -> Any:
        """Query a value as the method ``query`` does, and store the call and its outcome if the value is a size."""
        value = self.query(function, thing, name)
        if value is not None and is_size_query(self.tables.requirements.get(name)):
            call, outcome = self.steps[-1].call, self.steps[-1].outcome
            if isinstance(outcome, Returned):
                self.base.size_queries.append(SizeQuery(name, call, outcome))
        return value

    def _repeat_size_queries(self) -> None:
        """Repeat the queries for sizes in a new process of the driver, and use the new values.

        A limit may depend on the free memory at the start of a process. The repeated calls are not reported to the
        observer, and are not part of a sequence. If one of these calls ends the process, they are no longer repeated.
        """
        worker, oracle = self.worker, self._new_oracle()
        self.base.restore_to(oracle.model)
        answers = list(self.base.size_queries)
        for index, (name, call, before) in enumerate(answers):
            outcome = worker.call(call)
            if not isinstance(outcome, Returned) or oracle.find_outcome_error(call, outcome):
                self.restart()
                self.base.size_queries = []
                self.observer.on_note(name, "not answered by a new process of the driver, which has ended", call)
                return
            if (outcome.value, outcome.outputs) != (before.value, before.outputs):
                answers[index] = SizeQuery(name, call, outcome)
                with convert_internal_errors(call):
                    oracle.judge(oracle.expect(call), outcome, validated=True)
        if answers != self.base.size_queries:
            self.base.size_queries = answers
            self.base.store_facts(oracle.model)

    # the driver's process

    @property
    def worker(self) -> Worker:
        """Return a running worker; start a new worker if the last one has ended."""
        if self._worker is None or not self._worker.is_alive:
            self.close()
            self._worker = self._start_worker()
        return self._worker

    def _start_worker(self) -> Worker:
        """Start a worker; HarnessError, also stored in ``start_error``, if the driver does not start."""
        try:
            worker = Worker(self.target, deadlines=self._deadlines)
        except HarnessError as error:
            self.start_error = error
            raise
        self.start_error = None
        self.observer.on_process_start()
        return worker

    def _isolate_call(self, make: Callable[..., object]) -> Callable[..., object]:
        """Return a function that calls ``make``.

        If the driver dies in this call, the stored sequence is cleared, so that the next call starts a new sequence.
        """

        def made_alone(*arguments: Any) -> object:
            try:
                return make(*arguments)
            except ExampleOverError:
                self.steps = []
                raise

        return made_alone

    @property
    def driver_has_died(self) -> bool:
        """Whether the driver's process has ended since the last call.

        The next call then detects the end.
        """
        return self._worker is not None and self._worker.has_died

    @property
    def has_pending_threads(self) -> bool:
        """Whether a call is in flight on a host thread."""
        return bool(self._thread_calls)

    def set_rulebook(self, rulebook: Rulebook) -> None:
        """Judge by another rulebook, starting with the next call."""
        self.rulebook = self.oracle.rulebook = rulebook

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
            if self._kept_contexts is not None:
                self._kept_contexts.forget_all()

    def restart(self) -> None:
        """Let the next example start in a new process of the driver."""
        self.close()

    def set_targets(self, requirements: Sequence[str]) -> None:
        """Set the requirements that the next examples target.

        Examples that target requirements about creating contexts do not reuse kept contexts.
        """
        if self._kept_contexts is not None:
            self._kept_contexts.set_paused(
                paused=any(requirement.split("/")[0] in NEW_CONTEXT_FUNCTIONS for requirement in requirements)
            )

    # examples

    def begin_example(self) -> None:
        """Start an example with an empty model, which contains only the platform and its root devices."""
        self.observer.on_example_start()
        self._begin_example()

    def _begin_example(self) -> None:
        if self.worker is not self._queried_worker:
            self._repeat_size_queries()
            self._queried_worker = self.worker
        self.worker.begin_example()
        self.oracle = self._new_oracle()
        self.base.restore_to(self.oracle.model)
        self.steps = []
        self._known_names = set(self.base.names)
        self._thread_calls = ThreadCallTracker(self.worker, self.oracle, self._known_names, self._check_outcome)
        self._may_be_corrupted = False
        self.has_diverged = False
        self._test_value = ""
        if self._kept_contexts is not None:
            self._kept_contexts.begin_example()

    def _new_oracle(self) -> Oracle:
        """Return an oracle for a new example."""
        return Oracle(self._new_model(), self.rulebook)

    def _new_model(self) -> Model:
        return Model(self.tables, through_loader=self.reached.access == "loader")

    def finish_example(self) -> None:
        """Release the remaining objects of the example, each as often as the application owns a reference.

        If the driver has accepted a command that it had to reject, the memory of its process may be corrupted. The
        process is then ended, so that no later deviation is a consequence of this command.
        """
        self._test_value = ""
        if self._worker is None or not self._worker.is_alive:
            return
        if self._may_be_corrupted:
            self.restart()
            return
        refused: list[Call] = []
        try:
            while True:
                call = next((each for each in self._cleanup_calls() if each not in refused), None)
                if call is None and self._thread_calls:
                    self.restart()  # a call on a host thread will never return
                if call is None:
                    return
                kept = self._kept_contexts is not None and self._kept_contexts.keep_context(
                    call, self.model, self.worker
                )
                if kept or not self._make_cleanup_call(call):
                    refused.append(call)
        except (ExampleOverError, UndefinedCallError):
            return
        except BadCall:
            self.restart()
            if not self.has_diverged:
                raise

    def _cleanup_calls(self) -> Iterator[Call]:
        """Yield calls that complete commands, join host threads and release objects.

        Only the first call is valid now; make it, and call this method again for the next.
        """
        yield from completion_calls(self.model)
        yield from self._thread_calls.join_calls()
        if not self._thread_calls:
            yield from release_calls(self.model)

    def _make_cleanup_call(self, call: Call) -> bool:
        """Make a call of the cleanup; return whether the call was made and succeeded."""
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
        except (UndefinedCallError, UnknownFactError, BadCall):
            self.restart()
            if not self.has_diverged:
                raise
            return
        except (JudgingError, SelfLimitError, MemoryError):
            self.restart()
            raise
        self.finish_example()

    # the objects under test

    @property
    def model(self) -> Model:
        """Return the model of the running example."""
        return self.oracle.model

    @property
    def platform(self) -> Handle:
        """Return the handle of the platform under test."""
        return Handle(self.base.platform)

    @property
    def device(self) -> Handle:
        """Return the handle of the root device under test."""
        return Handle(self.base.device)

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
        self._test_value = test_value
        return self

    def call(self, call: Call) -> Outcome:
        """Make one call, judge it, and return its outcome.

        UndefinedCallError: the call was not made because its behaviour is undefined. ExampleOverError: the driver died
        in the call. BadCall: the call cannot be expressed in C.
        """
        self._reject_unfit(call)
        if call.function in (JOIN, HAS_RETURNED):
            with convert_internal_errors(call):
                waited = self._thread_calls.wait_for_thread(call)
            return self._store_judged(waited)
        with convert_internal_errors(call):
            expectation = self.oracle.expect(call)
        self._reject_undefined(expectation)
        call = expectation.call
        if self._thread_calls:
            with convert_internal_errors(call):
                asked = self._thread_calls.call_meanwhile(expectation)
            return self._store_judged(asked)
        kept = self._kept_contexts.take_context(call, self.worker) if self._kept_contexts is not None else None
        if isinstance(kept, Returned):
            with convert_internal_errors(call):
                self.oracle.judge(expectation, kept)
            self._store_steps([create_step(call, kept, self._known_names)])
            return kept
        outcome = kept or (
            self._start_next_process() if call.function == NEXT_PROCESS else self._call_worker(expectation)
        )
        outcome = self._check_outcome(call, outcome)
        with convert_internal_errors(call):
            judgement = self.oracle.judge(expectation, outcome, validated=True)
        return self._store_judged(
            JudgedThreadCall(expectation, outcome, judgement, create_step(call, outcome, self._known_names))
        )

    def _call_worker(self, expectation: Expectation) -> Outcome:
        most = call_deadline(
            expectation,
            self.worker.deadlines,
            self.model,
            known_to_hang=self.known_to_hang,
            hung_with=self._hung_with,
            times_hung={} if self.has_full_deadlines else self._times_hung,
        )
        return self.worker.call(expectation.call, most)

    def _store_judged(self, judged: JudgedThreadCall) -> Outcome:
        """Store a judged call, notify the observer, and return the outcome; ExampleOverError if the driver died."""
        expectation, outcome, judgement, step = judged
        self.call_count += 1
        self.self_limits.reset_time()
        self.has_diverged |= is_divergence(expectation, judgement)
        call = expectation.call
        if self._kept_contexts is not None:
            self._kept_contexts.record_call(call, outcome, self.model)
            if judgement.deviations and may_have_changed(call, outcome, judgement, self.tables):
                self._kept_contexts.note_deviation()
        self._store_steps([step])
        self.observer.on_judged_call(expectation, outcome, judgement, self.steps, self._test_value)
        if isinstance(outcome, (Died, Hung)):
            self._count_endings(judgement)
            if isinstance(outcome, Hung):
                self._hung_with.update(held.clause.code for held in expectation.required_errors)
                self._times_hung[call.function] += not expectation.required_errors
            if not judgement.deviations and not judgement.suspected_deviations:
                self.unproved_end = f"{call.function}: {judgement.observed}"
            raise ExampleOverError(f"{call.function}: {judgement.observed}")
        if expectation.is_unexpected_enqueue(judgement.observed):
            self._may_be_corrupted = True
            self._ended_processes.update(
                requirement for deviation in judgement.deviations for requirement in deviation.requirements
            )
        self._forget_released()
        return outcome

    def _reject_unfit(self, *calls: Call) -> None:
        for call in calls:
            reason = self._argument_forms.find_mismatch(call)
            if reason:
                raise BadCall(reason)

    def _reject_undefined(self, expectation: Expectation) -> None:
        if expectation.undefined:
            self.observer.on_undefined_call(expectation, self._test_value)
            call = expectation.call
            raise UndefinedCallError(f"{call.function}: undefined behaviour by {expectation.undefined}", call)

    # calls on host threads

    def start_on_thread(self, thread: int, call: Call) -> None:
        """Start a call on the host thread with the number ``thread``, from 1.

        ``SessionThread.join`` waits for the call. CallNotAllowedError: the call cannot be started now, or never on a
        host thread. Other errors as for ``call``.
        """
        self._reject_unfit(call)
        with convert_internal_errors(call):
            expectation = self._thread_calls.expect(thread, call)
            self._reject_undefined(expectation)
            begun = self._thread_calls.start_call(thread, expectation)
        if not isinstance(begun, Step):
            self._store_judged(begun)
            return
        self._store_steps([begun])
        self.observer.on_thread_call(expectation, begun)

    def host_thread(self, number: int) -> SessionThread:
        """Return a host thread, whose methods start OpenCL functions on the thread."""
        return SessionThread(number, self.tables.functions, self.start_on_thread, self.call)

    def _check_outcome(self, call: Call, outcome: Outcome) -> Outcome:
        """Return a well-formed outcome unchanged; for any other outcome, end the process and return ``Died``.

        Only a driver that has overwritten memory of the worker can cause such an outcome.
        """
        reason = self.oracle.find_outcome_error(call, outcome) if isinstance(outcome, Returned) else ""
        if not reason:
            return outcome
        self.restart()
        return Died(GARBAGE, "", reason)

    def _start_next_process(self) -> Outcome:
        """End the driver's process without releasing objects, and continue the example in a new process."""
        steps, test_value, marked = self.steps, self._test_value, self.model.has_marker or self.model.had_marker_before
        self.restart()
        self._begin_example()
        self.steps, self._test_value, self.model.had_marker_before = steps, test_value, marked
        return Returned(None)

    def call_concurrently(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make calls concurrently on several host threads.

        They conform if the results match some sequential order. ValueError: a call may be undefined concurrently with
        the others. UndefinedCallError as for ``call``; no call was made. ExampleOverError: the driver died, and only
        the first call without a result is judged.
        """
        self._reject_unfit(*calls)
        reason = find_conflict(calls, self.model, self.oracle.rulebook)
        if self._thread_calls:
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
        outcomes = self.worker.call_concurrently(calls) if calls else []
        outcomes = [self._check_outcome(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]
        self.call_count += len(calls)
        self.self_limits.reset_time()
        before, known = list(self.steps), set(self._known_names)
        number = max((step.together for step in before), default=0) + 1 if len(calls) > 1 else 0
        group = create_steps(zip(calls, outcomes, strict=True), known, number)
        self._store_steps(group)
        lost = next(
            (each for each in zip(expectations, outcomes, strict=True) if isinstance(each[1], (Died, Hung))), None
        )
        if lost is not None:
            with convert_internal_errors(lost[0].call):
                judgement = self.oracle.judge(*lost, validated=True)
            self.has_diverged |= is_divergence(lost[0], judgement)
            self.observer.on_judged_call(*lost, judgement, self.steps, self._test_value)
            raise ExampleOverError(f"{lost[0].call.function}: {judgement.observed}")
        if calls:
            with convert_internal_errors(calls[0]):
                judged = judge_concurrent_calls(self.oracle, calls, outcomes)
            for index, (expectation, judgement) in enumerate(judged):
                self.has_diverged |= is_divergence(expectation, judgement)
                steps = before + move_to_end(group, index, known)
                self.observer.on_judged_call(expectation, outcomes[index], judgement, steps, self._test_value)
        self._forget_released()
        return outcomes

    def _count_endings(self, judgement: Judgement) -> None:
        for deviation in judgement.deviations:
            if deviation.verdict == "hangs":
                for requirement in deviation.requirements:
                    self._hang_weights[requirement] += HANG_WEIGHT // len(deviation.requirements) or 1
            elif deviation.verdict == "crashes":
                self._ended_processes.update(deviation.requirements)

    def has_hung(self, requirement: str) -> bool:
        """Return whether calls for a requirement have hung: once for it alone, or twice for it and others together.

        Further calls for the requirement would take time without new information.
        """
        return self._hang_weights[requirement] >= HANG_WEIGHT

    def should_skip(self, requirement: str) -> bool:
        """Return whether suites should skip calls for a requirement: its calls hung or ended many processes before."""
        return self.has_hung(requirement) or self._ended_processes[requirement] >= (
            1 if requirement in self.single_process_requirements else self.max_process_ends
        )

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
            self.observer.on_note(name, long_value_note(bytes_needed), self.steps[-1].call)
            bytes_needed = TRUNCATED_VALUE_BYTES  # if the query then succeeds, the size was wrong
        output_buffer = OutputBuffer(bytes_needed) if bytes_needed else None
        answer = self.call(build_call(function, functions, thing, value, bytes_needed, output_buffer, OutputBuffer(1)))
        return (
            self.model.object_of(thing).facts.get(name) if isinstance(answer, Returned) and answer.value == 0 else None
        )

    def check_with_pyopencl(self, thing: Handle, query: str, call: Call) -> None:
        """Repeat a query with pyopencl, and write a note if pyopencl returns another value."""
        known = self.model.object_of(thing).facts.get(query)
        read = self.worker.query_with_pyopencl(thing.name, self.tables.enumerants[query].value)
        if read is None or known is None:
            return
        ours = list(known) if isinstance(known, tuple) else [known]
        if read != ours:
            told = f"pyopencl reads {format_values(read)}, we read {format_values(ours)}: one of them is wrong"
            self.observer.on_note(query, told, call)

    def query_device_facts(self, device: Handle) -> None:
        """Query the facts that the oracle needs about a device."""
        for name in needed_queries(self.tables, self.model.device(device)):
            self.query("clGetDeviceInfo", device, name)

    def _forget_released(self) -> None:
        """Make the worker forget the objects that the model no longer contains."""
        gone = self.oracle.model.released
        if gone:
            self.worker.forget_objects(gone)
            self._known_names.difference_update(gone)
            gone.clear()

    def _store_steps(self, steps: list[Step]) -> None:
        self.steps += steps
        for step in steps:
            self._known_names.update(step.new_names)
        if len(self.steps) > MAX_STEPS:
            last = ", ".join(step.call.function for step in self.steps[-3:])
            self.steps = []
            raise SelfLimitError(f"one example has made more than {MAX_STEPS:,} calls; the last ones: {last}")


def is_divergence(expectation: Expectation, judgement: Judgement) -> bool:
    """Return whether the driver has deviated or rejected a valid call, after which a test may be unable to continue."""
    refused = not expectation.required_errors and judgement.observed != SUCCESS
    return bool(judgement.deviations) or (refused and not expectation.call.function.startswith("host_"))
