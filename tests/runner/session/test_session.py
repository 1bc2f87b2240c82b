"""A session: names and bound objects, the end of an example, a crashed driver, cleanup."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Absent, Call, Died, Returned
from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.harness import HarnessError
from clconform.oracles.model.devices import Device
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.answers import made
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)


def deviations(session: Session) -> list[str]:
    observer = session.observer
    assert isinstance(observer, Recorder)
    return list(observer.deviations)


def halves(session: Session) -> list[Handle]:
    return CORE_ENTRY.split(session, session.device, CORE_ENTRY.equally(session, 8))


def test_it_starts_with_the_platform_and_its_devices_and_what_they_say(start: Starter) -> None:
    session = start("two-devices")
    assert session.platform == Handle("platform1")
    assert session.devices == [Handle("device1"), Handle("device2")]
    assert session.device == Handle("device1")
    assert session.fact("CL_DEVICE_MAX_COMPUTE_UNITS") == 16
    assert session.fact("CL_DEVICE_MAX_COMPUTE_UNITS", Handle("device2")) == 4
    assert session.fact("CL_DEVICE_NEVER_ASKED") is None
    assert not deviations(session)


def test_the_device_under_test_is_the_one_asked_for(start: Starter) -> None:
    assert start("two-devices", device_index=1).device == Handle("device2")


@pytest.mark.parametrize("index", [2, -1])
def test_a_device_that_is_not_there_is_told_with_those_that_are(start: Starter, index: int) -> None:
    with pytest.raises(HarnessError, match="valid values are 0 to 1"):
        start("two-devices", device_index=index)


def test_a_step_binds_the_names_that_its_outcome_shows_first(start: Starter) -> None:
    session = start()
    with session.example():
        devices = halves(session)
        assert [device.name for device in devices] == session.steps[-1].binds
        assert len(devices) == 2
        session.query("clGetDeviceInfo", devices[0], "CL_DEVICE_PARENT_DEVICE")
        assert session.steps[-1].binds == []
        more = CORE_ENTRY.split(session, devices[0], CORE_ENTRY.equally(session, 4))
        assert session.steps[-1].binds == [device.name for device in more]


def test_an_example_starts_with_an_empty_model_and_counts_from_one(start: Starter) -> None:
    session = start()
    names = []
    for _ in range(2):
        with session.example():
            assert set(session.model.things) == {"platform1", "device1"}
            assert session.steps == []
            names.append([device.name for device in halves(session)])
    assert names[0] == names[1] == ["device2", "device3"]


def test_what_an_example_leaves_behind_is_released(start: Starter) -> None:
    session = start()
    with session.example():
        first, second = halves(session)
        session.clRetainDevice(first)
        session.clRetainDevice(first)
        CORE_ENTRY.split(session, second, CORE_ENTRY.equally(session, 2))
        (context,) = made(session.clCreateContext(None, 1, Items((first,)), None, None, OutputBuffer(1)))
        made(session.clCreateCommandQueue(context, first, 0, OutputBuffer(1)))
        session.clRetainContext(context)
        assert len(session.model.things) > 6
    assert set(session.model.things) == {"platform1", "device1"}
    assert session.model.device(session.device).children == 0
    assert session.model.device(session.device).attached == 0
    assert not deviations(session)


def test_the_extensions_devices_are_released_by_the_extension(start: Starter) -> None:
    session = start("fission-1.1")
    with session.example():
        assert len(EXT_ENTRY.split(session, session.device, EXT_ENTRY.equally(session, 8))) == 2
    released = [step.call.function for step in session.steps if "Release" in step.call.function]
    assert released == ["clReleaseDeviceEXT"] * 2
    assert set(session.model.things) == {"platform1", "device1"}


def test_a_lost_driver_ends_the_example_and_the_next_one_has_a_new_process(start: Starter) -> None:
    session = start("flat-4", fault="dies-on-null")
    first = session.worker.pid
    reached_the_end = False
    with session.example():
        session.clRetainDevice(None)
        reached_the_end = True
    assert not reached_the_end
    assert isinstance(session.steps[-1].outcome, Died)
    assert deviations(session) == ["clRetainDevice | clRetainDevice/CL_INVALID_DEVICE/1 | signal SIGSEGV"]
    with session.example():
        assert session.worker.pid != first
        outcome = session.clRetainDevice(session.device)
        assert isinstance(outcome, Returned)
        assert outcome.value == 0
    assert len(deviations(session)) == 1


def test_a_lost_driver_is_told_to_who_asks_without_an_example(start: Starter) -> None:
    session = start("flat-4", fault="dies-on-null")
    session.begin_example()
    with pytest.raises(ExampleOverError, match="clRetainDevice: signal SIGSEGV"):
        session.clRetainDevice(None)


def test_an_undefined_call_is_not_sent(start: Starter) -> None:
    session = start()
    with session.example():
        before = session.calls
        with pytest.raises(UndefinedCallError, match="clCreateSubDevices"):
            session.clCreateSubDevices(
                session.device, CORE_ENTRY.list_of(session, CORE_ENTRY.dialect.equally, 8), 0, None, OutputBuffer(1)
            )
        (first, _) = halves(session)
        session.clReleaseDevice(first)
        sent = session.calls
        with pytest.raises(UndefinedCallError):
            session.clReleaseDevice(first)
        assert session.calls == sent > before


def test_a_list_is_sent_and_kept_as_far_as_its_number_says(start: Starter) -> None:
    """In a minimised sequence, num_devices may be less than the length of the list; the stored list is shortened."""
    session = start("two-devices")
    session.begin_example()
    session.clCreateContext(None, 1, Items(tuple(session.devices)), None, None, OutputBuffer(1))
    assert session.steps[-1].call.devices == Items((session.device,))
    session.together(
        [Call("clCreateContext", {**session.steps[-1].call.arguments, "devices": Items((*session.devices,))})]
    )
    assert session.steps[-1].call.devices == Items((session.device,))
    assert not deviations(session)


def test_arguments_are_counted_and_functions_are_those_of_the_tables(start: Starter) -> None:
    session = start()
    with pytest.raises(TypeError, match=r"clRetainDevice takes 1 arguments \(device\), not 2"):
        session.clRetainDevice(session.device, 1)
    with pytest.raises(AttributeError, match="clRetainNothing"):
        session.clRetainNothing(1)


def test_a_function_that_is_not_there_is_no_deviation_where_its_gate_is_closed(start: Starter) -> None:
    session = start("fission-1.1")
    with session.example():
        outcome = session.clRetainDevice(session.device)
    assert isinstance(outcome, Absent)
    assert "1.2" in session.applies("clRetainDevice/success")
    assert session.applies("clRetainDeviceEXT/success") == ""
    assert not deviations(session)


def test_after_a_deviation_the_sequence_goes_on(start: Starter) -> None:
    session = start(fault="short-arrays-are-accepted")
    with session.example():
        properties = CORE_ENTRY.equally(session, 4)
        devices = made(CORE_ENTRY.create(session, session.device, properties, 2), "out_devices")
        assert len(devices) == 2
        assert all(isinstance(session.model.known(device), Device) for device in devices)
        outcome = session.clRetainDevice(devices[0])
        assert isinstance(outcome, Returned)
    assert set(session.model.things) == {"platform1", "device1"}
    assert len(deviations(session)) == 1


def test_the_boundary_said_goes_with_the_calls_until_the_example_ends(start: Starter) -> None:
    session = start("flat-4")
    observer = session.observer
    assert isinstance(observer, Recorder)
    observer.begin("item")
    with session.example():
        session.at("n=2").clCreateSubDevices(session.device, CORE_ENTRY.equally(session, 2), 0, None, OutputBuffer(1))
    with session.example():
        session.clRetainDevice(session.device)
    assert observer.boundaries["CL_DEVICE_PARTITION_EQUALLY"] == ["n=2"]
    assert not observer.boundaries["clRetainDevice/success"]


def test_a_query_gives_the_value_and_nothing_where_the_driver_refuses(start: Starter) -> None:
    session = start("flat-4")
    with session.example():
        assert session.query("clGetDeviceInfo", session.device, "CL_DEVICE_PARENT_DEVICE") is None
        assert session.query("clGetDeviceInfo", session.device, "CL_DEVICE_REFERENCE_COUNT") == 1
        assert isinstance(session.query("clGetDeviceInfo", session.device, "CL_DEVICE_NAME"), str)
        assert session.steps[-1].call == Call(
            "clGetDeviceInfo", {**session.steps[-1].call.arguments, "device": session.device}
        )
