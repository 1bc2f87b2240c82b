"""Values of all applicable queries on simulated platforms: conforming, with the correct size, and consistent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.harness_actions import build_call
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import Target
from clconform.oracles.engine.applicability import describe_unmet_condition
from clconform.oracles.model.devices import Device, Platform
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.session import Session
from clconform.simulator.platform import Simulation
from clconform.simulator.topologies import TOPOLOGIES
from clconform.spec_tables import load
from clconform.spec_tables.lookups import TableLookups
from clconform.spec_tables.requirements import Limit

from ..sessions import InProcessSession  # noqa: TID252 (tests are no part of the installed package)

if TYPE_CHECKING:
    from clconform.calls.call import Outcome, Step
    from clconform.calls.values import Value
    from clconform.oracles.engine.judgements import Expectation, Judgement
    from clconform.oracles.model.cl_object import ClObject
    from clconform.spec_tables.requirements import Query

EVERYTHING = [name for name, plan in TOPOLOGIES.items() if plan.has_everything]
ORDINARY = [name for name in TOPOLOGIES if name != "custom"]
SEPARATE_PROCESS = ("everything", "custom")
"""The platforms that run in a separate process, as in a run; the others run in the process of the tests."""
VIOLATIONS_BY_DESIGN = {
    "unified-none": {"CL_DEVICE_DEVICE_MEM_CAPABILITIES_INTEL/limit/1"},
}
"""Platforms that violate requirements by design, so that other requirements can be covered, with these violations."""


def applicable_queries(thing: ClObject) -> list[Query]:
    """Return the queries that apply to a platform or device by its version and extensions."""
    device = thing if isinstance(thing, Device) else None
    platform = device.platform if device else thing
    assert platform is None or isinstance(platform, Platform)
    function = "clGetDeviceInfo" if device else "clGetPlatformInfo"
    known = [query for query in load().queries_of(function) if query.name in load().enumerants]
    return [query for query in known if not describe_unmet_condition(query.applicability, platform, device)]


class OutcomeRecorder(Recorder):
    """A recorder that stores the outcome of each call: a session starts with all applicable queries."""

    def __init__(self) -> None:
        super().__init__(None)
        self.outcomes: dict[str, Outcome] = {}

    def on_judged_call(
        self, expectation: Expectation, outcome: Outcome, judgement: Judgement, steps: list[Step], test_value: str
    ) -> None:
        """Record a judged call."""
        super().on_judged_call(expectation, outcome, judgement, steps, test_value)
        self.outcomes[repr(expectation.call)] = outcome


def query_value(session: Session, thing: ClObject, query: Query) -> tuple[int, Output]:
    """Return the size and the output of a query, from the opening of the session if it was made there."""

    def run_query(*arguments: Value) -> Outcome:
        call, heard = build_call(query.function, load().functions, *arguments), session.observer
        known = heard.outcomes.get(repr(call)) if isinstance(heard, OutcomeRecorder) else None
        return known or session.call(call)

    value = load().enumerants[query.name].value
    told = run_query(Handle(thing.name), value, 0, None, OutputBuffer(1))
    assert isinstance(told, Returned), query.name
    assert told.value == 0, query.name
    (size,) = told.outputs["param_value_size_ret"].values
    assert isinstance(size, int), query.name
    if not size:
        return 0, Output([], 0)
    shown = run_query(Handle(thing.name), value, size, OutputBuffer(size), OutputBuffer(1))
    assert isinstance(shown, Returned), query.name
    assert shown.value == 0, query.name
    return size, shown.outputs["param_value"]


@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_applicable_queries_have_conforming_values(topology: str) -> None:
    recorder = OutcomeRecorder()
    session = (Session if topology in SEPARATE_PROCESS else InProcessSession)(
        Target.simulated(topology), load(), recorder
    )
    lookups = TableLookups.for_tables(load(), session.model.pointer_bytes)
    try:
        with session.example():
            for thing in (*session.model.platforms.values(), *session.model.root_devices()):
                for query in applicable_queries(thing):
                    size, shown = query_value(session, thing, query)
                    assert shown.written == size, query.name
                    width = lookups.size_of(query.type)
                    if query.shape == "scalar":
                        assert size == width, query.name
                    if query.shape != "string":
                        assert len(shown.values) * width == size * lookups.count_members(query.type), query.name
                    limits = [each for each in lookups.requirements_about(query.name) if isinstance(each, Limit)]
                    device = thing if isinstance(thing, Device) else None
                    if device and topology in EVERYTHING:
                        there = [
                            each
                            for each in limits
                            if not describe_unmet_condition(each.applicability, device.platform, device)
                        ]
                        assert not there or any(shown.values), query.name
    finally:
        session.close()
    blamed = {requirement for line in recorder.deviations.values() for requirement in line.requirements}
    assert blamed == VIOLATIONS_BY_DESIGN.get(topology, set())


@pytest.mark.parametrize("topology", ORDINARY)
def test_values_of_simulated_devices_are_consistent(topology: str) -> None:
    """Relations that the specification implies without a requirement."""
    for device in Simulation(load(), topology, TOPOLOGIES[topology]).model.root_devices():
        facts = device.facts
        assert device.number("CL_DEVICE_MAX_MEM_ALLOC_SIZE") <= device.number("CL_DEVICE_GLOBAL_MEM_SIZE")
        groups = facts.get("CL_DEVICE_MAX_NUM_SUB_GROUPS", 0)
        assert isinstance(groups, int)
        assert groups <= device.number("CL_DEVICE_MAX_WORK_GROUP_SIZE")
        if "cl_khr_3d_image_writes" in device.extensions:
            assert device.number("CL_DEVICE_IMAGE3D_MAX_DEPTH") > 0
        doubles = facts.get("CL_DEVICE_DOUBLE_FP_CONFIG", 0) != 0
        if facts["CL_DEVICE_PROFILE"] == "EMBEDDED_PROFILE":
            assert doubles <= ("cles_khr_int64" in device.extensions)
        elif device.version >= (3, 0):
            features = facts["CL_DEVICE_OPENCL_C_FEATURES"]
            assert isinstance(features, tuple)
            assert "__opencl_c_int64" in features


def test_sub_device_reports_own_partition_type() -> None:
    recorder, tables = Recorder(None), load()
    session = Session(Target.simulated("everything"), tables, recorder)
    query = tables.requirements["CL_DEVICE_PARTITION_STYLE_EXT"]
    sizes = []
    try:
        with session.example():
            device = session.model.root_devices()[0].name
            for style, numbers in (("BY_COUNTS", (2, 0, 0)), ("EQUALLY", (1, 0))):
                asked = ElementList((tables.enumerants[f"CL_DEVICE_PARTITION_{style}_EXT"].value, *numbers))
                made = session.clCreateSubDevicesEXT(Handle(device), asked, 1, OutputBuffer(1), None)
                device = str(made.outputs["out_devices"].values[0])
                sizes.append(query_value(session, session.model.objects[device], query)[0])
    finally:
        session.close()
    assert sizes == [32, 24]
    assert not recorder.deviations


def test_simulated_devices_have_distinct_identities() -> None:
    devices = Simulation(load(), "everything", TOPOLOGIES["everything"]).model.root_devices()
    for name in ("CL_DEVICE_UUID_KHR", "CL_DEVICE_LUID_KHR", "CL_DEVICE_PCI_BUS_INFO_KHR"):
        assert len({device.facts[name] for device in devices}) == len(devices) > 1
