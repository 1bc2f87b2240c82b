"""Random command graphs on in-order and out-of-order queues of one or two devices (3.2.4, 5.11 to 5.16)."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clconform.runner.pytest_plugin.covers import covers
from clconform.suites.chapters.events.graphs import COPY, FENCES, FILL, MIGRATE, OLD_FENCES, READ, WRITE, CommandGraph
from clconform.suites.common.waiting import STATUS
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.queues import PROFILING

if TYPE_CHECKING:
    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

NAME = "events.graphs"
FUNCTIONS = (WRITE, READ, COPY, FILL, MIGRATE, *FENCES, *OLD_FENCES, "clWaitForEvents", "clFinish")
AIMS = (STATUS, "OpenCL:execution-model/17", *(f"{function}/success" for function in FUNCTIONS))


def draw_queue(kit: Kit, data: st.DataObject, device: Handle | None = None, properties: int = 0) -> Handle:
    """Create an in-order queue or, where the device supports it, sometimes an out-of-order queue.

    ``properties``: additional properties of the queue.
    """
    if data.draw(st.booleans(), "out of order"):
        with suppress(pytest.skip.Exception):
            return kit.new_queue(device, kit.out_of_order_bits(device) | properties)
    return kit.new_queue(device, properties)


@covers(*AIMS)
@given(data=st.data())
def test_graph_on_one_queue_runs_in_order(cl: Session, data: st.DataObject) -> None:
    kit = Kit(cl)
    CommandGraph(kit, [draw_queue(kit, data)], data).run()


@covers(*AIMS)
@given(data=st.data())
def test_graph_on_two_queues_runs_in_order(cl: Session, data: st.DataObject) -> None:
    kit = Kit(cl)
    CommandGraph(kit, [draw_queue(kit, data, properties=kit.constant(PROFILING)) for _ in range(2)], data).run()


@covers(*AIMS)
@given(data=st.data())
def test_graph_on_two_devices_runs_in_order(cl: Session, data: st.DataObject) -> None:
    kit = Kit(cl)
    devices = (cl.device, kit.any_other_device)
    kit.context = kit.new_context(*devices)
    CommandGraph(kit, [draw_queue(kit, data, device) for device in devices], data).run()
