"""Fixture: a deviation of a simulated platform."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.journal import Deviation
from clconform.calls.values import ElementList, OutputBuffer
from clconform.runner.journal.recorder import Recorder

if TYPE_CHECKING:
    from clconform.harness import Target

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)

FAULT = "short-device-array-accepted"
SeenDeviation = tuple[Deviation, "Target"]


@pytest.fixture
def seen_deviation(start: Starter) -> SeenDeviation:
    """Return a deviation and the ``Target`` on which it was observed."""
    session = start("numa-16", fault=FAULT)
    with session.example():
        properties = session.tables.enumerants["CL_DEVICE_PARTITION_EQUALLY"].value
        session.clCreateSubDevices(session.device, ElementList((properties, 1, 0)), 1, OutputBuffer(1), OutputBuffer(1))
    assert isinstance(session.observer, Recorder)
    (deviation,) = session.observer.deviations.values()
    return deviation, session.target
