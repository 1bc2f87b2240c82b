"""Trees of sub-devices: a state machine that partitions, retains, releases, queries and uses sub-devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis
import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.devices import Device
from clconform.oracles.model.queues import CommandQueue
from clconform.runner.pytest_plugin.covers import covers
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY, MAX_UNITS, EntryPoint
from clconform.suites.chapters.partition.strategies import property_lists
from clconform.suites.state_machine_base import StateMachine, run_machine

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.cl_object import ClObject
    from clconform.runner.session.session import Session

NAME = "partition.trees"
MAX_OBJECTS = 40


class SubDeviceTree(StateMachine):
    """Nested sub-devices, with contexts and queues on them.

    The live objects are taken from the session's model, so that the state machine stays consistent after a deviation of
    the driver.
    """

    def __init__(self, cl: Session, entry: EntryPoint) -> None:
        super().__init__()
        self.cl, self.entry, self.is_over = cl, entry, False
        cl.begin_example()

    def try_calls(self, act: Callable[[], object]) -> None:
        """Make calls; end the example if the driver ends the process."""
        try:
            act()
        except ExampleOverError:
            self.is_over = True
        except UndefinedCallError:
            hypothesis.reject()

    def get_live_objects(self, kind: type[ClObject]) -> list[ClObject]:
        """Return the live objects of a type that the application may still use."""
        things = self.cl.model.objects.values()
        return [thing for thing in things if isinstance(thing, kind) and thing.references > 0]

    def pick_handle(self, data: st.DataObject, kind: type[ClObject]) -> Handle | None:
        """Return the handle of a random live object, or None if there is no object of this type."""
        found = self.get_live_objects(kind)
        return Handle(data.draw(st.sampled_from([thing.name for thing in found]))) if found else None

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and len(self.cl.model.objects) < MAX_OBJECTS)
    def partition(self, data: st.DataObject) -> None:
        """Partition any device, and query the properties of its sub-devices."""
        device = self.pick_handle(data, Device)
        if device is None:
            return
        total = self.cl.fact("CL_DEVICE_MAX_COMPUTE_UNITS", device)
        drawn = property_lists(self.cl, self.entry, total if isinstance(total, int) and total <= MAX_UNITS else 1)
        properties = data.draw(drawn)

        def act() -> None:
            for part in self.entry.split(self.cl, device, properties)[:8]:
                self.cl.fact_queries.query_device_facts(part)

        self.try_calls(act)

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over)
    def query_partition(self, data: st.DataObject) -> None:
        """Query the properties of any device."""
        device = self.pick_handle(data, Device)
        if device is not None:
            self.try_calls(lambda: self.entry.inspect(self.cl, [device]))

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over)
    def retain(self, data: st.DataObject) -> None:
        """Retain any device."""
        device = self.pick_handle(data, Device)
        if device is not None:
            self.try_calls(lambda: getattr(self.cl, self.entry.retain)(device))

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over)
    def release(self, data: st.DataObject) -> None:
        """Release any device, in any order."""
        device = self.pick_handle(data, Device)
        if device is not None:
            self.try_calls(lambda: getattr(self.cl, self.entry.release)(device))

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and len(self.cl.model.objects) < MAX_OBJECTS)
    def create_context(self, data: st.DataObject) -> None:
        """Create a context on one or two devices, and query its devices."""
        devices = [
            device for device in (self.pick_handle(data, Device), self.pick_handle(data, Device)) if device is not None
        ]
        if not devices:
            return

        def act() -> None:
            outcome = self.cl.clCreateContext(
                None, len(devices), ElementList(tuple(devices)), None, None, OutputBuffer(1)
            )
            for context in returned_handles(outcome):
                if len(set(devices)) == len(devices):
                    self.cl.query("clGetContextInfo", context, "CL_CONTEXT_DEVICES")

        self.try_calls(act)

    @rule(data=st.data())
    @precondition(
        lambda self: not self.is_over and self.get_live_objects(Context) and len(self.cl.model.objects) < MAX_OBJECTS
    )
    def create_queue(self, data: st.DataObject) -> None:
        """Create a queue in any context on any device."""
        context, device = self.pick_handle(data, Context), self.pick_handle(data, Device)

        def act() -> None:
            for queue in returned_handles(self.cl.clCreateCommandQueue(context, device, 0, OutputBuffer(1))):
                self.cl.query("clGetCommandQueueInfo", queue, "CL_QUEUE_DEVICE")

        self.try_calls(act)

    @rule(data=st.data())
    @precondition(
        lambda self: not self.is_over and (self.get_live_objects(Context) or self.get_live_objects(CommandQueue))
    )
    def release_context_or_queue(self, data: st.DataObject) -> None:
        """Release a queue or a context, in any order."""
        queues = bool(self.get_live_objects(CommandQueue)) and data.draw(st.booleans())
        kind = CommandQueue if queues else Context
        handle = self.pick_handle(data, kind)
        if handle is not None:
            release = self.cl.clReleaseCommandQueue if kind is CommandQueue else self.cl.clReleaseContext
            self.try_calls(lambda: release(handle))

    def teardown(self) -> None:
        """Release all objects."""
        if not self.is_over:
            self.cl.finish_example()


def run_tree(cl: Session, entry: EntryPoint, seed: int) -> None:
    """Run the state machine with the item's seed."""

    def machine() -> SubDeviceTree:
        return SubDeviceTree(cl, entry)

    run_machine(machine, seed)


@pytest.mark.machine
@covers("clCreateSubDevices/success", "clRetainDevice/success", "clReleaseDevice/success", "CL_DEVICE_REFERENCE_COUNT")
def test_sub_device_tree_keeps_references(cl: Session, item_seed: int) -> None:
    run_tree(cl, CORE_ENTRY, item_seed)


@pytest.mark.machine
@covers(
    "clCreateSubDevicesEXT/success",
    "clRetainDeviceEXT/success",
    "clReleaseDeviceEXT/success",
    "CL_DEVICE_REFERENCE_COUNT_EXT",
)
def test_sub_device_tree_of_the_extension_keeps_references(cl: Session, item_seed: int) -> None:
    run_tree(cl, EXT_ENTRY, item_seed)
