"""A session makes calls on a driver, lets the oracle judge each one, and stores the sequence of calls.

Tests get a session as ``cl`` and call OpenCL functions as its methods: ``cl.clRetainDevice(device)``. The methods
return the outcome, which the test need not check.
"""

from __future__ import annotations

import math
from collections import Counter
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from clconform.calls.call import GARBAGE, Call, Died, Hung, Outcome, Returned, Step
from clconform.calls.fitting import ArgumentForms
from clconform.calls.host import HAS_RETURNED, HOST_STEPS, JOIN, NEXT_PROCESS, call_of
from clconform.calls.values import Handle, OutputBuffer
from clconform.harness import BadCall, HarnessError, Worker
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.engine.judgements import SUCCESS, Expectation, Judgement
from clconform.oracles.engine.orders import judged_at_once
from clconform.oracles.engine.rulebook import rulebook_of
from clconform.oracles.engine.threads import in_each_others_way
from clconform.oracles.engine.wants import show
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.world import Model
from clconform.runner.session.answers import LONGEST_ANSWER_BYTES, SHORT_ANSWER_BYTES, too_long
from clconform.runner.session.errors import (
    ExampleOverError,
    JudgingError,
    OwnWorkError,
    UndefinedCallError,
    judging,
)
from clconform.runner.session.kept_contexts import TESTED_ANEW, KeptContexts, may_have_changed
from clconform.runner.session.lanes import Judged, Lane, LaneCalls
from clconform.runner.session.leftovers import endings, release_calls
from clconform.runner.session.opening import Answered, ask_all, chosen, queries_needed, tells_a_size
from clconform.runner.session.own_work import OwnWork
from clconform.runner.session.patience import most_seconds
from clconform.runner.session.steps import step_of, steps_of, with_last

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from clconform.calls.protocol import Reached
    from clconform.harness import Deadlines, Target
    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.runner.session.observer import Observer
    from clconform.runner.session.opening import Base
    from clconform.spec_tables import Tables


MOST_STEPS = 50_000
"""Maximum number of steps of one example, to stop endless loops; real examples have at most a few thousand."""
CERTAIN = 2
"""Weight of hangs after which calls for a requirement stop: one hang for it alone, or two among several."""


class Session:
    """Makes calls on one platform and judges each of them.

    ``device``: the root device under test; ``devices``: all root devices of its platform; ``platform``: its handle.
    ``known_to_hang``: error conditions with known hangs; their calls get a short deadline. ``patient``: deadlines do
    not depend on earlier hangs; False in a run, which repeats its deviations. ``most_ends``: number of driver processes
    that calls for one requirement may end before suites stop making such calls; ``once``: requirements for which this
    is known, so that one process is enough. ``astray``: in this example the driver has deviated, or has rejected a
    valid call. ``unproved``: the last call that hung or crashed without a deviation, as text; empty if there is none.
    """

    def __init__(
        self,
        target: Target,
        tables: Tables,
        observer: Observer,
        *,
        device_index: int = 0,
        deadlines: Deadlines | None = None,
        robustness: bool = False,
        keeps_contexts: Literal["never", "unless-deviating", "always"] = "never",
        own_work: OwnWork | None = None,
        base: Base | None = None,
    ) -> None:
        """Start a worker, and query the facts that the oracle needs.

        HarnessError if there is nothing to test. ``device_index``: index of the root device under test.
        ``robustness``: suites may pass valid handles of another object type. ``keeps_contexts``: whether contexts with
        a slow creation are reused in later examples, and also after a deviation. ``own_work``: limits for the
        controlling process. ``base``: of an earlier session with the same target and device; its query results are
        reused unless this session finds other platforms or devices.
        """
        self.target, self.tables, self.observer = target, tables, observer
        self.rulebook = rulebook_of(tables)
        self._deadlines = deadlines
        self.own_work = own_work or OwnWork()
        self.robustness = robustness
        self._worker: Worker | None = None
        self._answering: Worker | None = None
        self.start_error: HarnessError | None = None
        self._boundary = ""
        self.steps: list[Step] = []
        self._silence: Counter[str] = Counter()
        self._ends: Counter[str] = Counter()
        self.most_ends: float = math.inf
        self.once: frozenset[str] = frozenset()
        self.known_to_hang: frozenset[str] = frozenset()
        self._hung_with: set[str] = set()
        self._times_hung: Counter[str] = Counter()
        self.patient = True
        self.unproved = ""
        self.calls = 0
        self._forms = ArgumentForms(tables)
        self._kept: KeptContexts | None = None
        self.reached: Reached = self.worker.greeting
        try:
            self.base = chosen(self.reached, device_index)
            self.opening_failures = self._opened(base)
            if keeps_contexts != "never":
                self._kept = KeptContexts(self.base.roots, after_deviations=keeps_contexts == "always")
            self.begin_example()
        except BaseException:
            self.close()
            raise

    def _opened(self, earlier: Base | None) -> list[JudgingError]:
        """Query the facts that the oracle needs, or take them from an earlier session; return internal errors."""
        if earlier is not None and earlier.finds_the_same_as(self.base):
            self.base = replace(earlier)  # a copy: values in another process may differ
            return []
        self._answering = self.worker
        self.begin_example()
        failures = ask_all(self.base, self.model, self._alone(self.ask), self._alone(self._first_query))
        self.base.keep(self.oracle.model)
        return failures

    def _first_query(self, function: str, thing: Handle, name: str) -> Any:
        """Make a query as ``query`` does, and store its outcome if the value is a size."""
        value = self.query(function, thing, name)
        if value is not None and tells_a_size(self.tables.records.get(name)):
            call, outcome = self.steps[-1].call, self.steps[-1].outcome
            if isinstance(outcome, Returned):
                self.base.answers.append(Answered(name, call, outcome))
        return value

    def _ask_again(self) -> None:
        """Repeat the queries for sizes in a new process of the driver, and use the new values.

        A limit may depend on the free memory at the start of a process. These calls are not reported to the observer,
        and are not part of a sequence. If one of them ends the process, they are no longer made.
        """
        worker, oracle = self.worker, self._new_oracle()
        self.base.restore(oracle.model)
        answers = list(self.base.answers)
        for index, (name, call, before) in enumerate(answers):
            outcome = worker.ask(call)
            if not isinstance(outcome, Returned) or oracle.ill_formed(call, outcome):
                self.restart()
                self.base.answers = []
                self.observer.noted(name, "not answered by a new process of the driver, which has ended", call)
                return
            if (outcome.value, outcome.outputs) != (before.value, before.outputs):
                answers[index] = Answered(name, call, outcome)
                with judging(call):
                    oracle.judge(oracle.expect(call), outcome, checked=True)
        if answers != self.base.answers:
            self.base.answers = answers
            self.base.keep(oracle.model)

    # the driver's process

    @property
    def worker(self) -> Worker:
        """Return a running worker, restarted if the last one has ended."""
        if self._worker is None or not self._worker.alive:
            self.close()
            self._worker = self._started()
        return self._worker

    def _started(self) -> Worker:
        """Start a worker; HarnessError, also stored in ``start_error``, if the driver does not start."""
        try:
            worker = Worker(self.target, deadlines=self._deadlines)
        except HarnessError as error:
            self.start_error = error
            raise
        self.start_error = None
        self.observer.started()
        return worker

    def _alone(self, make: Callable[..., object]) -> Callable[..., object]:
        """Return a function that makes a call; if the driver dies in it, the next call starts a new sequence."""

        def made_alone(*arguments: Any) -> object:
            try:
                return make(*arguments)
            except ExampleOverError:
                self.steps = []
                raise

        return made_alone

    @property
    def driver_has_died(self) -> bool:
        """Whether the driver's process has ended since the last call; the next call detects this."""
        return self._worker is not None and self._worker.has_died

    @property
    def lanes_in_use(self) -> bool:
        """Whether a host thread has a call in flight."""
        return bool(self._lanes)

    def judge_by(self, rulebook: Rulebook) -> None:
        """Judge by another rulebook from the next call on."""
        self.rulebook = self.oracle.rulebook = rulebook

    def close(self) -> None:
        """End the worker."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None
            if self._kept is not None:
                self._kept.forget()

    def restart(self) -> None:
        """Let the next example start in a new process."""
        self.close()

    def aim_at(self, records: Sequence[str]) -> None:
        """Set the requirements that the next examples target; those about creating contexts exclude kept contexts."""
        if self._kept is not None:
            self._kept.pause(paused=any(record.split("/")[0] in TESTED_ANEW for record in records))

    # examples

    def begin_example(self) -> None:
        """Start an example with an empty model, which contains only the platform and its root devices."""
        self.observer.began()
        self._begin()

    def _begin(self) -> None:
        if self.worker is not self._answering:
            self._ask_again()
            self._answering = self.worker
        self.worker.begin()
        self.oracle = self._new_oracle()
        self.base.restore(self.oracle.model)
        self.steps = []
        self._seen = set(self.base.names)
        self._lanes = LaneCalls(self.worker, self.oracle, self._seen, self._trusted)
        self._spoilt = False
        self.astray = False
        self._boundary = ""
        if self._kept is not None:
            self._kept.begin_example()

    def _new_oracle(self) -> Oracle:
        """Return an oracle for a new example."""
        return Oracle(self._new_model(), self.rulebook)

    def _new_model(self) -> Model:
        return Model(self.tables, through_loader=self.reached.access == "loader")

    def finish_example(self) -> None:
        """Release the remaining objects of the example, each as often as the application owns it.

        If the driver has accepted a command that it had to reject, its memory may be corrupted. The process is then
        ended, so that no later deviation is a consequence of it.
        """
        self._boundary = ""
        if self._worker is None or not self._worker.alive:
            return
        if self._spoilt:
            self.restart()
            return
        refused: list[Call] = []
        try:
            while True:
                call = next((each for each in self._leftovers() if each not in refused), None)
                if call is None and self._lanes:
                    self.restart()  # a call on a host thread will never return
                if call is None:
                    return
                kept = self._kept is not None and self._kept.keep(call, self.model, self.worker)
                if kept or not self._given_back(call):
                    refused.append(call)
        except (ExampleOverError, UndefinedCallError):
            return
        except BadCall:
            self.restart()
            if not self.astray:
                raise

    def _leftovers(self) -> Iterator[Call]:
        """Yield calls that complete a command, join a host thread, or release an object; only the first is valid."""
        yield from endings(self.model)
        yield from self._lanes.endings()
        if not self._lanes:
            yield from release_calls(self.model)

    def _given_back(self, call: Call) -> bool:
        """Make a call of the cleanup; return whether it was made and succeeded."""
        try:
            outcome = self.ask(call)
        except (UndefinedCallError, ValueError):  # a command may still use the memory, or a call on a host thread does
            return False
        return isinstance(outcome, Returned) and outcome.value in (None, 0)

    @contextmanager
    def example(self) -> Iterator[Session]:
        """Run one example: start with an empty model, and release all objects at the end.

        A crash of the driver ends the example early, and so does a call that is undefined or impossible after an
        unexpected result, because a test cannot continue from there. After an internal error the next example starts in
        a new process, because model and driver may disagree.
        """
        self.begin_example()
        try:
            yield self
        except ExampleOverError:
            return
        except (UndefinedCallError, UnknownError, BadCall):
            self.restart()
            if not self.astray:
                raise
            return
        except (JudgingError, OwnWorkError, MemoryError):
            self.restart()
            raise
        self.finish_example()

    # what is under test

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
        """Return the value of a device's query (by default of the device under test), or None if not queried."""
        return self.model.device(device or self.device).facts.get(query)

    def applies(self, record: str) -> str:
        """Return the condition by which a requirement does not apply here, or an empty string if it applies."""
        return self.base.not_applicable(self.tables).get(record, "")

    # calls

    def at(self, boundary: str) -> Session:
        """Set the name of the test value for the next calls of the example; return the session for chaining."""
        self._boundary = boundary
        return self

    def __getattr__(self, name: str) -> Callable[..., Outcome]:
        """Return a function that makes the OpenCL call or harness action of this name with positional arguments."""
        tables = self.__dict__.get("tables")
        if tables is None or (name not in tables.functions and name not in HOST_STEPS):
            raise AttributeError(f"{name!r} is not an attribute of the session or an OpenCL function")
        return lambda *arguments: self.ask(call_of(name, tables.functions, *arguments))

    def ask(self, call: Call) -> Outcome:
        """Make one call, judge it, and return its outcome.

        UndefinedCallError: the call was not made because its behaviour is undefined. ExampleOverError: the driver died
        in it. BadCall: it cannot be expressed in C.
        """
        self._refuse_unfit(call)
        if call.function in (JOIN, HAS_RETURNED):
            with judging(call):
                waited = self._lanes.wait(call)
            return self._judged(waited)
        with judging(call):
            expectation = self.oracle.expect(call)
        self._refuse_undefined(expectation)
        call = expectation.call
        if self._lanes:
            with judging(call):
                asked = self._lanes.ask(expectation)
            return self._judged(asked)
        kept = self._kept.take(call, self.worker) if self._kept is not None else None
        if isinstance(kept, Returned):
            with judging(call):
                self.oracle.judge(expectation, kept)
            self._keep([step_of(call, kept, self._seen)])
            return kept
        outcome = kept or (self._next_process() if call.function == NEXT_PROCESS else self._asked(expectation))
        outcome = self._trusted(call, outcome)
        with judging(call):
            judgement = self.oracle.judge(expectation, outcome, checked=True)
        return self._judged(Judged(expectation, outcome, judgement, step_of(call, outcome, self._seen)))

    def _asked(self, expectation: Expectation) -> Outcome:
        most = most_seconds(
            expectation,
            self.worker.deadlines,
            self.model,
            known_to_hang=self.known_to_hang,
            hung_with=self._hung_with,
            times_hung={} if self.patient else self._times_hung,
        )
        return self.worker.ask(expectation.call, most)

    def _judged(self, judged: Judged) -> Outcome:
        """Store a judged call, notify the observer, and return the outcome; ExampleOverError if the driver died."""
        expectation, outcome, judgement, step = judged
        self.calls += 1
        self.own_work.restart()
        self.astray |= goes_astray(expectation, judgement)
        call = expectation.call
        if self._kept is not None:
            self._kept.saw(call, outcome, self.model)
            if judgement.blames and may_have_changed(call, outcome, judgement, self.tables):
                self._kept.deviated()
        self._keep([step])
        self.observer.judged(expectation, outcome, judgement, self.steps, self._boundary)
        if isinstance(outcome, (Died, Hung)):
            self._count_endings(judgement)
            if isinstance(outcome, Hung):
                self._hung_with.update(held.clause.code for held in expectation.musts)
                self._times_hung[call.function] += not expectation.musts
            if not judgement.blames and not judgement.suspected:
                self.unproved = f"{call.function}: {judgement.observed}"
            raise ExampleOverError(f"{call.function}: {judgement.observed}")
        if expectation.is_wrongly_enqueued(judgement.observed):
            self._spoilt = True
            self._ends.update(record for blame in judgement.blames for record in blame.records)
        self._forget()
        return outcome

    def _refuse_unfit(self, *calls: Call) -> None:
        for call in calls:
            reason = self._forms.unfit(call)
            if reason:
                raise BadCall(reason)

    def _refuse_undefined(self, expectation: Expectation) -> None:
        if expectation.undefined:
            self.observer.refused(expectation, self._boundary)
            call = expectation.call
            raise UndefinedCallError(f"{call.function}: undefined behaviour by {expectation.undefined}", call)

    # calls on host threads

    def begin(self, lane: int, call: Call) -> None:
        """Start one call on a host thread, by its number from 1; ``host_join`` ends it.

        NotNowError: the call may not be started now, or never on a host thread. Other errors as for ``ask``.
        """
        self._refuse_unfit(call)
        with judging(call):
            expectation = self._lanes.expect(lane, call)
            self._refuse_undefined(expectation)
            begun = self._lanes.begin(lane, expectation)
        if not isinstance(begun, Step):
            self._judged(begun)
            return
        self._keep([begun])
        self.observer.begun(expectation, begun)

    def lane(self, number: int) -> Lane:
        """Return a host thread, whose methods start OpenCL functions on it."""
        return Lane(number, self.tables.functions, self.begin, self.ask)

    def _trusted(self, call: Call, outcome: Outcome) -> Outcome:
        """Return a well-formed outcome unchanged; for any other, end the process and return ``Died``.

        Only a driver that has overwritten its worker's memory can cause such an outcome.
        """
        reason = self.oracle.ill_formed(call, outcome) if isinstance(outcome, Returned) else ""
        if not reason:
            return outcome
        self.restart()
        return Died(GARBAGE, "", reason)

    def _next_process(self) -> Outcome:
        """End the driver's process without releases, and continue the example in a new one."""
        steps, boundary, marked = self.steps, self._boundary, self.model.marked or self.model.marked_before
        self.restart()
        self._begin()
        self.steps, self._boundary, self.model.marked_before = steps, boundary, marked
        return Returned(None)

    def together(self, calls: Sequence[Call]) -> list[Outcome]:
        """Make calls concurrently from several host threads; they conform if they do so in one sequential order.

        ValueError: a call may be undefined concurrently with the others. UndefinedCallError as for ``ask``; no call was
        made. ExampleOverError: the driver died, and the first lost call is judged for all.
        """
        self._refuse_unfit(*calls)
        reason = in_each_others_way(calls, self.model, self.oracle.rulebook)
        if self._lanes:
            reason = "a host thread has a call in flight"
        if reason:
            raise ValueError(f"cannot be called concurrently: {reason}")
        expectations = []
        for call in calls:
            with judging(call):
                expectations.append(self.oracle.expect(call))
        for expectation in expectations:
            self._refuse_undefined(expectation)
        calls = [expectation.call for expectation in expectations]
        outcomes = self.worker.ask_together(calls) if calls else []
        outcomes = [self._trusted(call, outcome) for call, outcome in zip(calls, outcomes, strict=True)]
        self.calls += len(calls)
        self.own_work.restart()
        before, known = list(self.steps), set(self._seen)
        number = max((step.together for step in before), default=0) + 1 if len(calls) > 1 else 0
        group = steps_of(zip(calls, outcomes, strict=True), known, number)
        self._keep(group)
        lost = next(
            (each for each in zip(expectations, outcomes, strict=True) if isinstance(each[1], (Died, Hung))), None
        )
        if lost is not None:
            with judging(lost[0].call):
                judgement = self.oracle.judge(*lost, checked=True)
            self.astray |= goes_astray(lost[0], judgement)
            self.observer.judged(*lost, judgement, self.steps, self._boundary)
            raise ExampleOverError(f"{lost[0].call.function}: {judgement.observed}")
        if calls:
            with judging(calls[0]):
                judged = judged_at_once(self.oracle, calls, outcomes)
            for index, (expectation, judgement) in enumerate(judged):
                self.astray |= goes_astray(expectation, judgement)
                steps = before + with_last(group, index, known)
                self.observer.judged(expectation, outcomes[index], judgement, steps, self._boundary)
        self._forget()
        return outcomes

    def _count_endings(self, judgement: Judgement) -> None:
        for blame in judgement.blames:
            if blame.verdict == "hangs":
                for record in blame.records:
                    self._silence[record] += CERTAIN // len(blame.records) or 1
            elif blame.verdict == "crashes":
                self._ends.update(blame.records)

    def is_silent(self, record: str) -> bool:
        """Return whether calls for a requirement have hung, once for it alone or twice together with others.

        Further such calls would take time without new information.
        """
        return self._silence[record] >= CERTAIN

    def is_needless(self, record: str) -> bool:
        """Return whether suites should skip calls for a requirement: earlier ones hung or ended too many processes."""
        return self.is_silent(record) or self._ends[record] >= (1 if record in self.once else self.most_ends)

    def query(self, function: str, thing: Handle, name: str) -> Any:
        """Query a value by its name, after its size, and return it: a number, a string or a list.

        None if the query fails. A value of more than ``LONGEST_ANSWER_BYTES`` is noted, and not requested as a whole.
        """
        functions, value = self.tables.functions, self.tables.enumerants[name].value
        size = self.ask(call_of(function, functions, thing, value, 0, None, OutputBuffer(1)))
        if not isinstance(size, Returned) or size.value != 0:
            return None
        bytes_needed = next(iter(size.outputs["param_value_size_ret"].values), None)
        if not isinstance(bytes_needed, int) or bytes_needed < 0:
            return None
        if bytes_needed > LONGEST_ANSWER_BYTES:
            self.observer.noted(name, too_long(bytes_needed), self.steps[-1].call)
            bytes_needed = SHORT_ANSWER_BYTES  # a success contradicts the size
        output_buffer = OutputBuffer(bytes_needed) if bytes_needed else None
        answer = self.ask(call_of(function, functions, thing, value, bytes_needed, output_buffer, OutputBuffer(1)))
        return self.model.thing(thing).facts.get(name) if isinstance(answer, Returned) and answer.value == 0 else None

    def witness(self, thing: Handle, query: str, call: Call) -> None:
        """Repeat a query with pyopencl, and write a note if its value differs."""
        known = self.model.thing(thing).facts.get(query)
        read = self.worker.witness(thing.name, self.tables.enumerants[query].value)
        if read is None or known is None:
            return
        ours = list(known) if isinstance(known, tuple) else [known]
        if read != ours:
            told = f"pyopencl reads {show(read)}, we read {show(ours)}: one of them is wrong"
            self.observer.noted(query, told, call)

    def learn(self, device: Handle) -> None:
        """Query the facts that the oracle needs about a device."""
        for name in queries_needed(self.tables, self.model.device(device)):
            self.query("clGetDeviceInfo", device, name)

    def _forget(self) -> None:
        """Make the worker forget the objects that no longer exist in the model."""
        gone = self.oracle.model.gone
        if gone:
            self.worker.forget(gone)
            self._seen.difference_update(gone)
            gone.clear()

    def _keep(self, steps: list[Step]) -> None:
        self.steps += steps
        for step in steps:
            self._seen.update(step.binds)
        if len(self.steps) > MOST_STEPS:
            last = ", ".join(step.call.function for step in self.steps[-3:])
            self.steps = []
            raise OwnWorkError(f"one example has made more than {MOST_STEPS:,} calls; the last ones: {last}")


def goes_astray(expectation: Expectation, judgement: Judgement) -> bool:
    """Return whether a driver has deviated or rejected a valid call, so that a test may be unable to continue."""
    refused = not expectation.musts and judgement.observed != SUCCESS
    return bool(judgement.blames) or (refused and not expectation.call.function.startswith("host_"))
