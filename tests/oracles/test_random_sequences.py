"""Random sequences of create, retain, release, map and query calls, judged call by call.

A simulated platform in the same process returns random allowed results, drawn from a seed. The tests check that no
outcome is a deviation, that no count of the model becomes negative, that computing an expectation leaves the model
unchanged, and that judging the same sequence again gives the same judgements.
"""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from clconform.calls.call import Absent, Call, Outcome
from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.engine.judge import Oracle
from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.state import Model
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load

if TYPE_CHECKING:
    import pytest

    from clconform.oracles.engine.judgements import Expectation, Judgement

MAX_CALLS = 25
"""Maximum number of calls in a sequence."""
PLATFORMS = ("numa-16", "everything", "fission-1.1", "two-devices")
REFERENCE_FUNCTIONS = {
    "cl_context": ("clRetainContext", "clReleaseContext"),
    "cl_command_queue": ("clRetainCommandQueue", "clReleaseCommandQueue"),
    "cl_mem": ("clRetainMemObject", "clReleaseMemObject"),
    "cl_event": ("clRetainEvent", "clReleaseEvent"),
    "cl_sampler": ("clRetainSampler", "clReleaseSampler"),
    "cl_device_id": ("clRetainDevice", "clReleaseDevice", "clRetainDeviceEXT", "clReleaseDeviceEXT"),
}
CREATE_FUNCTIONS = (
    "clCreateContext",
    "clCreateCommandQueue",
    "clCreateBuffer",
    "clCreateSubBuffer",
    "clCreateUserEvent",
    "clCreateSampler",
    "clCreateSubDevices",
    "clEnqueueMarkerWithWaitList",
    "clEnqueueMapBuffer",
)
QUERY_FUNCTIONS = {
    "clGetContextInfo": ("cl_context", "CL_CONTEXT_REFERENCE_COUNT"),
    "clGetMemObjectInfo": ("cl_mem", "CL_MEM_MAP_COUNT"),
    "clGetEventInfo": ("cl_event", "CL_EVENT_COMMAND_EXECUTION_STATUS"),
    "clGetDeviceInfo": ("cl_device_id", "CL_DEVICE_REFERENCE_COUNT"),
    "clGetCommandQueueInfo": ("cl_command_queue", "CL_QUEUE_REFERENCE_COUNT"),
}
OTHER_FUNCTIONS = ("clFinish", "clEnqueueUnmapMemObject", "clSetUserEventStatus")
FEW_EXAMPLES = settings(
    max_examples=25,
    deadline=None,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
COUNT_FIELDS = ("references", "attached", "children", "retained", "released")
FUNCTIONS = (
    *CREATE_FUNCTIONS,
    *CREATE_FUNCTIONS,
    *(each for some in REFERENCE_FUNCTIONS.values() for each in some),
    *QUERY_FUNCTIONS,
    *OTHER_FUNCTIONS,
)


def create_oracle(simulation: Simulation) -> Oracle:
    """Return an oracle that knows only the reported facts of the platform and its root devices."""
    model = Model(load())
    (seen,) = simulation.model.platforms.values()
    platform = Platform(seen.name, facts=dict(seen.facts))
    platform.refresh()
    model.platforms[platform.name] = platform
    model.add(platform)
    for root in simulation.model.root_devices():
        device = Device(root.name, platform=platform, facts=dict(root.facts))
        device.refresh()
        model.add(device)
    return Oracle(model)


def snapshot_state(thing: object, seen: dict[int, int] | None = None) -> object:
    """Return everything reachable from an object of the model, as data that compares by value.

    The specification tables and the rules' cache of the last call are left out.
    """
    seen = {} if seen is None else seen
    if thing is None or isinstance(thing, (str, int, float, bytes, Enum, type, types.FunctionType)):
        return thing
    if id(thing) in seen:
        return ("again", seen[id(thing)])
    seen[id(thing)] = len(seen)
    if isinstance(thing, (bytearray, memoryview)):
        return bytes(thing)
    if isinstance(thing, dict):
        return [(snapshot_state(key, seen), snapshot_state(value, seen)) for key, value in thing.items()]
    if isinstance(thing, (list, tuple, set, frozenset)):
        return [snapshot_state(each, seen) for each in thing]
    fields = getattr(thing, "__dict__", {})
    left_out = ("tables", "lookups", "_cache")
    return (type(thing).__name__, [(k, snapshot_state(v, seen)) for k, v in fields.items() if k not in left_out])


def summarize_expectation(expectation: Expectation) -> tuple[object, ...]:
    """Return the comparable parts of an expectation."""
    return (expectation.required_errors, expectation.optional_errors, expectation.resource_codes, expectation.undefined)


def find_negative_counts(model: Model) -> list[str]:
    """Return the counts of the model that are negative, or lower than the number of attached objects."""
    found = []
    for thing in model.objects.values():
        counts = {
            name: getattr(thing, name, 0) for name in ("references", "attached", "children", "retained", "released")
        }
        found += [f"{thing.name}: {name} {count}" for name, count in counts.items() if count < 0]
    for device in model.objects_of_class(Device):
        users = [each for each in model.objects_of_class(ContextObject) if each.device is device]
        if device.attached < len(users):
            found.append(f"{device.name}: {device.attached} attached, {len(users)} use it")
    return found


@dataclass
class RandomSequence:
    """A sequence whose calls are drawn one by one. ``results``: each call with its outcome and judgement."""

    draw: st.DataObject
    simulation: Simulation
    oracle: Oracle
    results: list[tuple[Call, Outcome, Judgement]] = field(default_factory=list)

    def draw_object(self, type_name: str) -> Handle | None:
        """Draw a live object of a type, newest first while shrinking; rarely NULL, always NULL if there is none."""
        names = [name for name, thing in self.oracle.model.objects.items() if thing.type == type_name]
        drawn = self.draw.draw(st.integers(0, len(names) * 4))
        return Handle(names[-1 - drawn // 4]) if drawn < len(names) * 4 else None

    def draw_call(self, function: str) -> Call:
        """Draw the arguments of a call."""
        model = self.oracle.model
        parameters = model.tables.functions[function].parameters
        given: dict[str, Any] = {each.name: None if each.pointers else 0 for each in parameters}
        given |= {
            each.name: self.draw_object(each.base)
            for each in parameters
            if each.base in REFERENCE_FUNCTIONS and not each.pointers
        }
        own: dict[str, Any] = getattr(self, f"_{function}", dict)()
        given |= own
        if "errcode_ret" in given:
            given["errcode_ret"] = OutputBuffer(1)
        if function in QUERY_FUNCTIONS:
            size = self.draw.draw(st.sampled_from((4, 8)))
            given |= {"param_name": model.constant_value(QUERY_FUNCTIONS[function][1]), "param_value_size": size}
            given |= {"param_value": OutputBuffer(size), "param_value_size_ret": OutputBuffer(1)}
        return Call(function, given)

    def _clCreateContext(self) -> dict[str, Any]:
        return {"num_devices": 1, "devices": ElementList((self.draw_object("cl_device_id"),))}

    def _clCreateBuffer(self) -> dict[str, Any]:
        return {"flags": 1, "size": 4096}

    def _clCreateSubBuffer(self) -> dict[str, Any]:
        kind = self.oracle.model.constant_value("CL_BUFFER_CREATE_TYPE_REGION")
        return {"buffer_create_type": kind, "buffer_create_info": Data(bytes(8) + (64).to_bytes(8, "little"))}

    def _clCreateSampler(self) -> dict[str, Any]:
        modes = (self.oracle.model.constant_value(name) for name in ("CL_ADDRESS_CLAMP", "CL_FILTER_NEAREST"))
        return dict(zip(("addressing_mode", "filter_mode"), modes, strict=True))

    def _clCreateSubDevices(self) -> dict[str, Any]:
        scheme = (
            self.oracle.model.constant_value("CL_DEVICE_PARTITION_EQUALLY"),
            self.draw.draw(st.sampled_from((1, 4, 8))),
            0,
        )
        out = {"num_devices": 16, "out_devices": OutputBuffer(16), "num_devices_ret": OutputBuffer(1)}
        return {"properties": ElementList(scheme), **out}

    def _clEnqueueMarkerWithWaitList(self) -> dict[str, Any]:
        waits = self.draw_object("cl_event")
        listed = {"num_events_in_wait_list": 1, "event_wait_list": ElementList((waits,))} if waits else {}
        return {"event": OutputBuffer(1), **listed}

    def _clEnqueueMapBuffer(self) -> dict[str, Any]:
        return {"blocking_map": self.draw.draw(st.integers(0, 1)), "map_flags": 1, "size": 64}

    def _clEnqueueUnmapMemObject(self) -> dict[str, Any]:
        maps = self.oracle.model.mapped_regions
        if not maps:
            return {}
        held = self.draw.draw(st.sampled_from(maps))
        given = {"memobj": Handle(held.memory.name), "mapped_ptr": Handle(held.pointer)}
        queue = held.command.queue if self.draw.draw(st.booleans()) else None
        return given if queue is None else {**given, "command_queue": Handle(queue.name)}

    def make_call(self, function: str) -> None:
        """Make one call if its behaviour is defined, and check the invariants of the model."""
        call, model = self.draw_call(function), self.oracle.model
        before = snapshot_state(model)
        expectation = self.oracle.expect(call)
        assert summarize_expectation(self.oracle.expect(call)) == summarize_expectation(expectation)
        assert snapshot_state(model) == before, f"computing the expectation of {call} has changed the model"
        if expectation.undefined:
            return
        try:
            outcome = self.simulation.make_call(call)
        except NotImplementedError:
            return
        if isinstance(outcome, Absent):
            return
        judgement = self.oracle.judge(expectation, outcome)
        self.results.append((call, outcome, judgement))
        assert not judgement.deviations, f"{call} {outcome}"
        assert not find_negative_counts(model), f"{call}: {find_negative_counts(model)}"


@settings(FEW_EXAMPLES)
@given(st.data(), st.sampled_from(PLATFORMS), st.integers(0, 1000))
def test_random_allowed_outcomes_conform_and_keep_counts_valid(data: st.DataObject, topology: str, seed: int) -> None:
    simulation = Simulation(load(), topology, TOPOLOGIES[topology], seed)
    run = RandomSequence(data, simulation, create_oracle(simulation))
    for function in data.draw(st.lists(st.sampled_from(FUNCTIONS), min_size=5, max_size=MAX_CALLS)):
        run.make_call(function)
    again = create_oracle(simulation)
    for call, outcome, judgement in run.results:
        assert again.judge(again.expect(call), outcome) == judgement


def test_each_function_succeeds_in_some_random_sequence() -> None:
    """Every function succeeds at least once, so the random sequences are not empty."""
    succeeded: set[str] = set()

    @settings(FEW_EXAMPLES, derandomize=True, max_examples=40)
    @given(st.data(), st.integers(0, 1000), st.permutations(FUNCTIONS))
    def count(data: st.DataObject, seed: int, functions: list[str]) -> None:
        simulation = Simulation(load(), "everything", TOPOLOGIES["everything"], seed)
        run = RandomSequence(data, simulation, create_oracle(simulation))
        for function in (*CREATE_FUNCTIONS, *functions):
            run.make_call(function)
        succeeded.update(call.function for call, _, judgement in run.results if judgement.observed == "CL_SUCCESS")

    count()
    assert set(FUNCTIONS) - succeeded == set()


def test_snapshot_of_the_model_changes_with_a_query_result(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(load(), "numa-16", TOPOLOGIES["numa-16"])
    oracle = create_oracle(simulation)
    before = snapshot_state(oracle.model)
    assert snapshot_state(oracle.model) == before
    device = oracle.model.root_devices()[0]
    monkeypatch.setitem(device.facts, "CL_DEVICE_NAME", "another")
    assert snapshot_state(oracle.model) != before


def test_negative_count_of_the_model_is_listed() -> None:
    oracle = create_oracle(Simulation(load(), "numa-16", TOPOLOGIES["numa-16"]))
    assert not find_negative_counts(oracle.model)
    oracle.model.root_devices()[0].attached = -1
    assert find_negative_counts(oracle.model) == ["device1: attached -1", "device1: -1 attached, 0 use it"]
