"""Sends stored sequences to a driver with altered claims, and stores the judgement of each call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from clconform.calls.call import Hung, Returned, call_handles, group_steps
from clconform.harness import BadCall
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device
from clconform.runner.deviations.replay import rename_handles
from clconform.runner.journal.recorder import deviation_key
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.runner.session.session_process import start_worker
from clconform.selftest.metamorphic.altering_worker import AlteredWorker

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from clconform.calls.call import Call, Outcome, Step
    from clconform.harness import Deadlines, Target, Worker
    from clconform.oracles.engine.judgements import Expectation, Judgement, ObservedDeviation
    from clconform.oracles.model.cl_object import ClObject, Fact
    from clconform.oracles.model.state import Model
    from clconform.selftest.metamorphic.claims import Claims
    from clconform.selftest.metamorphic.sequence_rewriting import RewrittenStep
    from clconform.spec_tables import Tables


class CallDevices(NamedTuple):
    """The root devices of a call's objects, by name; all root devices if it has none.

    ``sure``: the devices are known exactly, as for a context created from a list, and none of the objects is on a
    sub-device. ``by_objects``: the call has objects that belong to devices.
    """

    devices: frozenset[str]
    sure: bool = True
    by_objects: bool = True


@dataclass
class JudgedStep:
    """The judgement of one step of a sequence.

    ``outcome``: the outcome, with objects identified by the step and place of their first occurrence. ``deviations``:
    maps keys to deviations. ``objects``: the objects that the call names or creates, without platforms and root
    devices. ``read``: the queries of root devices and the platform whose values the judgement used.
    """

    call: Call
    devices: CallDevices
    outcome: Hashable = None
    observed: str = ""
    deviations: dict[str, ObservedDeviation] = field(default_factory=dict)
    objects: frozenset[str] = frozenset()
    read: frozenset[str] = frozenset()


@dataclass
class SentSequence:
    """A sequence that was sent.

    ``steps``: maps positions in the stored sequence to the judgements of the steps. ``end``: the reason why it ended
    early; empty if it did not. ``hung``: a call did not return.
    """

    steps: dict[int, JudgedStep] = field(default_factory=dict)
    end: str = ""
    hung: bool = False


class _TrackedFacts(dict[str, "Fact"]):
    """Query values that record the names of the queries whose values are read."""

    def __init__(self, facts: Mapping[str, Fact], names: set[str]) -> None:
        super().__init__(facts)
        self._names = names

    def __getitem__(self, name: str) -> Fact:
        self._names.add(name)
        return super().__getitem__(name)

    def __contains__(self, name: object) -> bool:
        self._names.add(str(name))
        return super().__contains__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, and record that it was read."""
        self._names.add(name)
        return super().get(name, default)


class SequenceSender(SessionObserver):
    """Sends sequences with given claims. It observes its own session."""

    def __init__(
        self,
        target: Target,
        tables: Tables,
        *,
        device: str = "",
        altered: Mapping[str, Mapping[str, Fact]] | None = None,
        claims: Claims | None = None,
    ) -> None:
        """Start a session; HarnessError if the target cannot be tested.

        ``device``: the root device under test; by default the first. ``altered``: the changed query values; ``claims``:
        the resulting claims and device order.
        """
        self._met: list[tuple[Call, Judgement, Outcome]] = []
        self._read: set[str] = set()
        index = claims.order.index(device) if claims is not None else 0

        def start(target: Target, deadlines: Deadlines | None) -> Worker:
            if claims is None:
                return start_worker(target, deadlines)
            return AlteredWorker(target, tables, altered or {}, claims.platform, claims.order, deadlines=deadlines)

        self.session = Session(target, tables, self, device_index=index, start=start)

    def close(self) -> None:
        """End the session's process."""
        self.session.close()

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Store the judgement of a call."""
        del steps, test_value
        self._met.append((expectation.call, judgement, outcome))

    def send(self, sequence: Sequence[RewrittenStep], *, fresh: bool = False) -> SentSequence:
        """Send a sequence as one example, with new names for its objects; ``fresh``: in a new process."""
        session, sent = self.session, SentSequence()
        if fresh:
            session.process.end()
        session.begin_example()
        for thing in session.model.objects.values():
            thing.facts = _TrackedFacts(thing.facts, self._read)
        names: dict[str, str] = {}
        lasting = frozenset(session.base.names)
        for group in group_steps(sequence):
            self._met = []
            self._read.clear()
            calls = [rename_handles(step.call, names) for step in group]
            behind = [get_call_devices(call, session.model) for call in calls]
            try:
                if len(calls) > 1:
                    session.call_concurrently(calls)
                elif group[0].host_thread:
                    session.host_thread(group[0].host_thread).call(calls[0])
                else:
                    session.call(calls[0])
            except ExampleOverError:
                self._store_steps(sent, group, behind, lasting)
                sent.end = "the driver's process has ended"
                sent.hung = any(isinstance(outcome, Hung) for _, _, outcome in self._met)
                return sent
            except (UndefinedCallError, BadCall, ValueError) as error:
                sent.end = str(error)
                break
            back = {own: stored for stored, own in names.items()}
            for step, went in zip(group, session.sequence.steps[-len(group) :], strict=True):
                names.update(zip(step.new_names, went.new_names, strict=False))
                back.update(zip(went.new_names, step.new_names, strict=False))
            self._store_steps(sent, group, behind, lasting, back)
        session.finish_example()
        return sent

    def _store_steps(
        self,
        sent: SentSequence,
        group: Sequence[RewrittenStep],
        behind: Sequence[CallDevices],
        lasting: frozenset[str],
        back: Mapping[str, str] | None = None,
    ) -> None:
        """Store the judgements of steps that were sent together.

        ``behind``: the devices of each call. ``lasting``: the names of platforms and root devices. ``back``: maps
        objects to their stored names.
        """
        for step, devices, (call, judgement, outcome) in zip(group, behind, self._met, strict=False):
            named = {handle.name for handle in call_handles(step.call)} | set(step.new_names)
            waited = call.function != step.call.function
            sent.steps[step.origin] = JudgedStep(
                call,
                get_call_devices(call, self.session.model) if waited else devices,
                normalize_outcome(outcome, back or {}),
                judgement.observed,
                {deviation_key(call.function, deviation): deviation for deviation in judgement.deviations},
                frozenset(named - lasting),
                frozenset(self._read),
            )


def get_call_devices(call: Call, model: Model) -> CallDevices:
    """Return the root devices of a call's objects. Objects that the model does not contain are ignored."""
    found: set[str] = set()
    sure = True
    for thing in model.find_all(call_handles(call)):
        devices, known = _get_object_devices(thing)
        found.update(get_root_device(device).name for device in devices)
        sure = sure and known
    if found:
        return CallDevices(frozenset(found), sure)
    every = model.root_devices(model.platform_of(call.arguments.values()))
    return CallDevices(frozenset(device.name for device in every), sure, by_objects=False)


def _get_object_devices(thing: ClObject) -> tuple[list[Device], bool]:
    """Return the devices of an object, and whether they are known to be complete."""
    if isinstance(thing, Device):
        return [thing], thing.is_root
    own = [thing.device] if isinstance(thing, ContextObject) and thing.device is not None else []
    context = thing.context if isinstance(thing, ContextObject) else thing
    if not isinstance(context, Context):
        return own, True
    known = bool(context.devices) and all(device.is_root for device in context.devices)
    return [*own, *(context.devices or context.candidates)], known


def get_root_device(device: Device) -> Device:
    """Return the root device of a device, which may be the device itself."""
    return device.ancestors[-1] if device.ancestors else device


def normalize_outcome(outcome: Outcome, back: Mapping[str, str]) -> Hashable:
    """Return an outcome in a comparable form; ``back`` maps objects to their stored names."""
    if not isinstance(outcome, Returned):
        return (type(outcome).__name__, getattr(outcome, "how", ""), getattr(outcome, "detail", ""))
    outputs = tuple(
        (name, tuple(_restore_name(value, back) for value in output.values), output.written, output.raw)
        for name, output in sorted(outcome.outputs.items())
    )
    return ("Returned", _restore_name(outcome.value, back), outputs, tuple(outcome.overrun))


def _restore_name(value: Hashable, back: Mapping[str, str]) -> Hashable:
    return back.get(value, value) if isinstance(value, str) else value
