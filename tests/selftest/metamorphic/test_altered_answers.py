"""Query values of an altered driver: strings, numbers, lists and sizes are consistent with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.harness_actions import build_call
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.harness import Target
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.outcome_values import returned_handles
from clconform.runner.session.session import Session
from clconform.selftest.metamorphic.alterations import FAMILIES_WITH_TWO_DEVICES, make_alterations
from clconform.selftest.metamorphic.altering_worker import AlteredWorker
from clconform.selftest.metamorphic.claims import EMBEDDED, Claims
from clconform.spec_tables import load
from clconform.spec_tables.versions import Version, pack_version

if TYPE_CHECKING:
    from collections.abc import Iterator

USM = "cl_intel_unified_shared_memory"
TARGET = Target.simulated("unified-all")
EXTENSIONS, EXTENSION_LIST = "CL_DEVICE_EXTENSIONS", "CL_DEVICE_EXTENSIONS_WITH_VERSION"


@pytest.fixture(scope="module")
def platform_claims() -> Claims:
    """Return what the simulated platform and its devices claim to support."""
    session = Session(TARGET, load(), SessionObserver())
    session.close()
    return Claims.from_facts(session.base.platform, session.base.roots, session.base.facts)


@pytest.fixture(scope="module")
def altered_worker(platform_claims: Claims) -> Iterator[AlteredWorker]:
    """Return a worker whose first device has version 1.2, the embedded profile and no USM, and is listed last."""
    one = platform_claims.things["device1"].with_version(Version(1, 2)).with_profile(EMBEDDED).without_extensions([USM])
    altered = platform_claims.get_differences(platform_claims.with_changes({"device1": one}))
    with AlteredWorker(TARGET, load(), altered, platform_claims.platform, platform_claims.order[::-1]) as worker:
        yield worker


def run_query(
    altered_worker: AlteredWorker, device: str, query: str, size: int, room: int
) -> tuple[object, list[object], object]:
    """Return the error code, the values and the size that a query returns."""
    tables = load()
    number = tables.enumerants[query].value
    arguments = (Handle(device), number, size, OutputBuffer(room) if room else None, OutputBuffer(1))
    outcome = altered_worker.call(build_call("clGetDeviceInfo", tables.functions, *arguments))
    assert isinstance(outcome, Returned)
    value = outcome.outputs["param_value"].values if room else []
    return outcome.value, list(value), outcome.outputs["param_value_size_ret"].values[0]


def query_value(altered_worker: AlteredWorker, device: str, query: str) -> list[object]:
    """Return the values of a query; check that a buffer one byte shorter is rejected, and that the sizes agree."""
    size = run_query(altered_worker, device, query, 0, 0)[2]
    assert isinstance(size, int)
    code, values, again = run_query(altered_worker, device, query, size, size)
    assert (code, again) == (0, size)
    assert run_query(altered_worker, device, query, size - 1, size - 1)[0] != 0
    return values


def test_lowered_version_is_in_version_string_and_number(altered_worker: AlteredWorker) -> None:
    assert str(query_value(altered_worker, "device1", "CL_DEVICE_VERSION")[0]).startswith("OpenCL 1.2 ")
    assert query_value(altered_worker, "device1", "CL_DEVICE_NUMERIC_VERSION") == [pack_version(1, 2)]
    assert str(query_value(altered_worker, "device2", "CL_DEVICE_VERSION")[0]).startswith("OpenCL 3.0 ")


def test_hidden_extension_is_in_neither_extension_list(altered_worker: AlteredWorker) -> None:
    for device, there in (("device1", False), ("device2", True)):
        names = str(query_value(altered_worker, device, EXTENSIONS)[0]).rstrip("\0").split()
        assert (USM in names) is there
        assert names == query_value(altered_worker, device, EXTENSION_LIST)[1::2]


def test_profile_query_returns_altered_profile(altered_worker: AlteredWorker) -> None:
    assert query_value(altered_worker, "device1", "CL_DEVICE_PROFILE") == [f"{EMBEDDED}\0"]


def test_sub_device_reports_values_of_its_root(altered_worker: AlteredWorker) -> None:
    tables = load()
    altered_worker.begin_example()
    counts = tables.enumerants["CL_DEVICE_PARTITION_BY_COUNTS"].value
    given = (Handle("device1"), ElementList((counts, 1, 0, 0)), 1, OutputBuffer(1), None)
    (part,) = returned_handles(
        altered_worker.call(build_call("clCreateSubDevices", tables.functions, *given)), "out_devices"
    )
    assert query_value(altered_worker, part.name, "CL_DEVICE_NUMERIC_VERSION") == [pack_version(1, 2)]


@pytest.mark.parametrize(("count", "expected"), [(2, ["device2", "device1"]), (1, ["device2"])])
def test_device_query_lists_devices_in_altered_order(
    altered_worker: AlteredWorker, count: int, expected: list[str]
) -> None:
    tables = load()
    every = tables.enumerants["CL_DEVICE_TYPE_ALL"].value
    given = (Handle("platform1"), every, count, OutputBuffer(count), OutputBuffer(1))
    outcome = altered_worker.call(build_call("clGetDeviceIDs", tables.functions, *given))
    assert isinstance(outcome, Returned)
    assert outcome.outputs["devices"].values == expected
    assert outcome.outputs["num_devices"].values == [2]
    assert [each.handle for each in altered_worker.greeting.platforms[0].devices] == ["device2", "device1"]


def test_extension_is_claimed_only_by_named_devices(platform_claims: Claims) -> None:
    moved = platform_claims.with_claimants(USM, ("device2",))
    claiming = [name for name, claim in moved.things.items() if USM in claim.extensions and USM in claim.revisions]
    assert claiming == ["device2"]
    assert moved.get_revision(USM) == platform_claims.get_revision(USM)
    assert platform_claims.get_differences(platform_claims.with_claimants(USM, platform_claims.things)) == {}


def test_alterations_for_two_devices_are_impossible_with_one_device(platform_claims: Claims) -> None:
    things = {name: claim for name, claim in platform_claims.things.items() if name != "device2"}
    _, impossible = make_alterations(Claims(platform_claims.platform, things, ("device1",)), "device1", load())
    assert {each.family for each in impossible if "one device" in each.reason} == set(FAMILIES_WITH_TWO_DEVICES)
    assert {each.family for each in make_alterations(platform_claims, "device1", load())[1]} == set()
