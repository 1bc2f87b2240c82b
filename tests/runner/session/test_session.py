"""A session: names of created objects, the end of an example, a crash of the driver, and the release of objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Absent, Call, Died, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import HarnessError
from clconform.oracles.model.devices import Device
from clconform.runner.journal.recorder import Recorder
from clconform.runner.session.errors import ExampleOverError, UndefinedCallError
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.chapters.partition.entries import CORE_ENTRY, EXT_ENTRY

if TYPE_CHECKING:
    from clconform.runner.session.session import Session

    from ..conftest import Starter  # noqa: TID252 (tests are no part of the installed package)


def deviation_keys(session: Session) -> list[str]:
    observer = session.observer
    assert isinstance(observer, Recorder)
    return list(observer.deviations)


def split_in_halves(session: Session) -> list[Handle]:
    return CORE_ENTRY.split(session, session.device, CORE_ENTRY.equally(session, 8))


def test_session_starts_with_platform_and_devices(start: Starter) -> None:
    session = start("two-devices")
    assert session.platform == Handle("platform1")
    assert session.devices == [Handle("device1"), Handle("device2")]
    assert session.device == Handle("device1")
    assert session.fact("CL_DEVICE_MAX_COMPUTE_UNITS") == 16
    assert session.fact("CL_DEVICE_MAX_COMPUTE_UNITS", Handle("device2")) == 4
    assert session.fact("CL_DEVICE_NEVER_ASKED") is None
    assert not deviation_keys(session)


def test_device_index_selects_device_under_test(start: Starter) -> None:
    assert start("two-devices", device_index=1).device == Handle("device2")


@pytest.mark.parametrize("index", [2, -1])
def test_error_about_invalid_device_index_lists_valid_indices(start: Starter, index: int) -> None:
    with pytest.raises(HarnessError, match="valid values are 0 to 1"):
        start("two-devices", device_index=index)


def test_step_lists_names_of_objects_that_its_call_created(start: Starter) -> None:
    session = start()
    with session.example():
        devices = split_in_halves(session)
        assert [device.name for device in devices] == session.sequence.steps[-1].new_names
        assert len(devices) == 2
        session.query("clGetDeviceInfo", devices[0], "CL_DEVICE_PARENT_DEVICE")
        assert session.sequence.steps[-1].new_names == []
        more = CORE_ENTRY.split(session, devices[0], CORE_ENTRY.equally(session, 4))
        assert session.sequence.steps[-1].new_names == [device.name for device in more]


def test_example_starts_with_empty_model(start: Starter) -> None:
    session = start()
    names = []
    for _ in range(2):
        with session.example():
            assert set(session.model.objects) == {"platform1", "device1"}
            assert session.sequence.steps == []
            names.append([device.name for device in split_in_halves(session)])
    assert names[0] == names[1] == ["device2", "device3"]


def test_remaining_objects_are_released_at_example_end(start: Starter) -> None:
    session = start()
    with session.example():
        first, second = split_in_halves(session)
        session.clRetainDevice(first)
        session.clRetainDevice(first)
        CORE_ENTRY.split(session, second, CORE_ENTRY.equally(session, 2))
        (context,) = returned_handles(
            session.clCreateContext(None, 1, ElementList((first,)), None, None, OutputBuffer(1))
        )
        returned_handles(session.clCreateCommandQueue(context, first, 0, OutputBuffer(1)))
        session.clRetainContext(context)
        assert len(session.model.objects) > 6
    assert set(session.model.objects) == {"platform1", "device1"}
    assert session.model.device(session.device).children == 0
    assert session.model.device(session.device).attached == 0
    assert not deviation_keys(session)


def test_sub_devices_of_extension_are_released_by_extension_function(start: Starter) -> None:
    session = start("fission-1.1")
    with session.example():
        assert len(EXT_ENTRY.split(session, session.device, EXT_ENTRY.equally(session, 8))) == 2
    released = [step.call.function for step in session.sequence.steps if "Release" in step.call.function]
    assert released == ["clReleaseDeviceEXT"] * 2
    assert set(session.model.objects) == {"platform1", "device1"}


def test_crash_ends_example_and_restarts_driver(start: Starter) -> None:
    session = start("flat-4", fault="null-device-crashes")
    first = session.process.worker.pid
    reached_the_end = False
    with session.example():
        session.clRetainDevice(None)
        reached_the_end = True
    assert not reached_the_end
    assert isinstance(session.sequence.steps[-1].outcome, Died)
    assert deviation_keys(session) == ["clRetainDevice | clRetainDevice/CL_INVALID_DEVICE/1 | signal SIGSEGV"]
    with session.example():
        assert session.process.worker.pid != first
        outcome = session.clRetainDevice(session.device)
        assert isinstance(outcome, Returned)
        assert outcome.value == 0
    assert len(deviation_keys(session)) == 1


def test_crash_outside_example_block_raises_example_over_error(start: Starter) -> None:
    session = start("flat-4", fault="null-device-crashes")
    session.begin_example()
    with pytest.raises(ExampleOverError, match="clRetainDevice: signal SIGSEGV"):
        session.clRetainDevice(None)


def test_undefined_call_is_not_made(start: Starter) -> None:
    session = start()
    with session.example():
        before = session.call_count
        with pytest.raises(UndefinedCallError, match="clCreateSubDevices"):
            session.clCreateSubDevices(
                session.device, CORE_ENTRY.create_list(session, CORE_ENTRY.dialect.equally, 8), 0, None, OutputBuffer(1)
            )
        (first, _) = split_in_halves(session)
        session.clReleaseDevice(first)
        sent = session.call_count
        with pytest.raises(UndefinedCallError):
            session.clReleaseDevice(first)
        assert session.call_count == sent > before


def test_stored_list_is_shortened_to_its_count(start: Starter) -> None:
    """A minimised sequence may pass fewer devices than its list contains."""
    session = start("two-devices")
    session.begin_example()
    session.clCreateContext(None, 1, ElementList(tuple(session.devices)), None, None, OutputBuffer(1))
    assert session.sequence.steps[-1].call.devices == ElementList((session.device,))
    session.call_concurrently(
        [
            Call(
                "clCreateContext",
                {**session.sequence.steps[-1].call.arguments, "devices": ElementList((*session.devices,))},
            )
        ]
    )
    assert session.sequence.steps[-1].call.devices == ElementList((session.device,))
    assert not deviation_keys(session)


def test_wrong_argument_count_is_rejected(start: Starter) -> None:
    session = start()
    with pytest.raises(TypeError, match=r"clRetainDevice takes 1 arguments \(device\), not 2"):
        session.clRetainDevice(session.device, 1)
    with pytest.raises(AttributeError, match="clRetainNothing"):
        session.clRetainNothing(1)


def test_missing_function_that_is_not_applicable_is_not_a_deviation(start: Starter) -> None:
    session = start("fission-1.1")
    with session.example():
        outcome = session.clRetainDevice(session.device)
    assert isinstance(outcome, Absent)
    assert "1.2" in session.find_inapplicability("clRetainDevice/success")
    assert session.find_inapplicability("clRetainDeviceEXT/success") == ""
    assert not deviation_keys(session)


def test_example_continues_after_deviation(start: Starter) -> None:
    session = start(fault="sub-device-without-parent")
    with session.example():
        devices = split_in_halves(session)
        session.query("clGetDeviceInfo", devices[0], "CL_DEVICE_PARENT_DEVICE")
        assert len(deviation_keys(session)) == 1
        outcome = session.clRetainDevice(devices[0])
        assert isinstance(outcome, Returned)
    assert set(session.model.objects) == {"platform1", "device1"}
    assert len(deviation_keys(session)) == 1


def test_objects_of_accepted_invalid_call_are_neither_used_nor_released(start: Starter) -> None:
    session = start(fault="short-device-array-accepted")
    with session.example():
        properties = CORE_ENTRY.equally(session, 4)
        devices = returned_handles(CORE_ENTRY.create(session, session.device, properties, 2), "out_devices")
        assert len(devices) == 2
        assert all(isinstance(session.model.find(device), Device) for device in devices)
        with pytest.raises(UndefinedCallError, match="accepted in a call that is invalid"):
            session.clRetainDevice(devices[0])
        assert isinstance(session.clRetainDevice(session.device), Returned), "other calls continue"
        made = len(session.sequence.steps)
    assert len(session.sequence.steps) == made
    assert not session.process.is_running
    assert len(deviation_keys(session)) == 1
    with session.example():
        assert len(split_in_halves(session)) == 2
    assert len(deviation_keys(session)) == 1


def test_test_value_applies_until_example_end(start: Starter) -> None:
    session = start("flat-4")
    observer = session.observer
    assert isinstance(observer, Recorder)
    observer.begin_item("item")
    with session.example():
        session.at_value("n=2").clCreateSubDevices(
            session.device, CORE_ENTRY.equally(session, 2), 0, None, OutputBuffer(1)
        )
    with session.example():
        session.clRetainDevice(session.device)
    assert observer.test_values["CL_DEVICE_PARTITION_EQUALLY"] == ["n=2"]
    assert not observer.test_values["clRetainDevice/success"]


def test_query_returns_value_or_none(start: Starter) -> None:
    session = start("flat-4")
    with session.example():
        assert session.query("clGetDeviceInfo", session.device, "CL_DEVICE_PARENT_DEVICE") is None
        assert session.query("clGetDeviceInfo", session.device, "CL_DEVICE_REFERENCE_COUNT") == 1
        assert isinstance(session.query("clGetDeviceInfo", session.device, "CL_DEVICE_NAME"), str)
        call = session.sequence.steps[-1].call
        assert (call.function, call.device) == ("clGetDeviceInfo", session.device)
