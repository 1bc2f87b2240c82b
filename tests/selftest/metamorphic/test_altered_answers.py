"""Query values of an altered driver: strings, numbers, lists and sizes are consistent with each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Returned
from clconform.calls.host import call_of
from clconform.calls.values import Handle, Items, OutputBuffer
from clconform.harness import Target
from clconform.oracles.model.versions import Version, packed
from clconform.runner.session.answers import made
from clconform.runner.session.observer import Observer
from clconform.runner.session.session import Session
from clconform.selftest.metamorphic.alterations import NEED_TWO, alterations
from clconform.selftest.metamorphic.claims import EMBEDDED, Claims
from clconform.selftest.metamorphic.layer import AlteredWorker
from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterator

USM = "cl_intel_unified_shared_memory"
TARGET = Target.simulated("unified-all")
LISTED, LIST = "CL_DEVICE_EXTENSIONS", "CL_DEVICE_EXTENSIONS_WITH_VERSION"


@pytest.fixture(scope="module")
def claims() -> Claims:
    """Return the claims of the platform."""
    session = Session(TARGET, load(), Observer())
    session.close()
    return Claims.of(session.base.platform, session.base.roots, session.base.facts)


@pytest.fixture(scope="module")
def worker(claims: Claims) -> Iterator[AlteredWorker]:
    """Return a worker whose first device has version 1.2, the embedded profile and no USM, and is listed last."""
    one = claims.things["device1"].with_version(Version(1, 2)).with_profile(EMBEDDED).without_extensions([USM])
    altered = claims.differing(claims.changed({"device1": one}))
    with AlteredWorker(TARGET, load(), altered, claims.platform, claims.order[::-1]) as worker:
        yield worker


def answer(worker: AlteredWorker, device: str, query: str, size: int, room: int) -> tuple[object, list[object], object]:
    """Return the error code, the values and the size that a query returns."""
    tables = load()
    number = tables.enumerants[query].value
    arguments = (Handle(device), number, size, OutputBuffer(room) if room else None, OutputBuffer(1))
    outcome = worker.ask(call_of("clGetDeviceInfo", tables.functions, *arguments))
    assert isinstance(outcome, Returned)
    value = outcome.outputs["param_value"].values if room else []
    return outcome.value, list(value), outcome.outputs["param_value_size_ret"].values[0]


def whole(worker: AlteredWorker, device: str, query: str) -> list[object]:
    """Return the values of a query; check that a buffer one byte shorter is rejected, and that the sizes agree."""
    size = answer(worker, device, query, 0, 0)[2]
    assert isinstance(size, int)
    code, values, again = answer(worker, device, query, size, size)
    assert (code, again) == (0, size)
    assert answer(worker, device, query, size - 1, size - 1)[0] != 0
    return values


def test_a_lower_version_is_told_by_string_and_number(worker: AlteredWorker) -> None:
    assert str(whole(worker, "device1", "CL_DEVICE_VERSION")[0]).startswith("OpenCL 1.2 ")
    assert whole(worker, "device1", "CL_DEVICE_NUMERIC_VERSION") == [packed(1, 2)]
    assert str(whole(worker, "device2", "CL_DEVICE_VERSION")[0]).startswith("OpenCL 3.0 ")


def test_a_hidden_extension_is_in_neither_list(worker: AlteredWorker) -> None:
    for device, there in (("device1", False), ("device2", True)):
        names = str(whole(worker, device, LISTED)[0]).rstrip("\0").split()
        assert (USM in names) is there
        assert names == whole(worker, device, LIST)[1::2]


def test_the_profile_is_altered(worker: AlteredWorker) -> None:
    assert whole(worker, "device1", "CL_DEVICE_PROFILE") == [f"{EMBEDDED}\0"]


def test_a_sub_device_answers_as_its_root(worker: AlteredWorker) -> None:
    tables = load()
    worker.begin()
    counts = tables.enumerants["CL_DEVICE_PARTITION_BY_COUNTS"].value
    given = (Handle("device1"), Items((counts, 1, 0, 0)), 1, OutputBuffer(1), None)
    (part,) = made(worker.ask(call_of("clCreateSubDevices", tables.functions, *given)), "out_devices")
    assert whole(worker, part.name, "CL_DEVICE_NUMERIC_VERSION") == [packed(1, 2)]


@pytest.mark.parametrize(("count", "expected"), [(2, ["device2", "device1"]), (1, ["device2"])])
def test_devices_are_listed_in_the_order_wanted(worker: AlteredWorker, count: int, expected: list[str]) -> None:
    tables = load()
    every = tables.enumerants["CL_DEVICE_TYPE_ALL"].value
    given = (Handle("platform1"), every, count, OutputBuffer(count), OutputBuffer(1))
    outcome = worker.ask(call_of("clGetDeviceIDs", tables.functions, *given))
    assert isinstance(outcome, Returned)
    assert outcome.outputs["devices"].values == expected
    assert outcome.outputs["num_devices"].values == [2]
    assert [each.handle for each in worker.greeting.platforms[0].devices] == ["device2", "device1"]


def test_an_extension_is_claimed_by_exactly_those_named(claims: Claims) -> None:
    moved = claims.claimed_by(USM, ("device2",))
    claiming = [name for name, claim in moved.things.items() if USM in claim.extensions and USM in claim.revisions]
    assert claiming == ["device2"]
    assert moved.revision(USM) == claims.revision(USM)
    assert claims.differing(claims.claimed_by(USM, claims.things)) == {}


def test_what_needs_two_devices_is_told_where_there_is_one(claims: Claims) -> None:
    things = {name: claim for name, claim in claims.things.items() if name != "device2"}
    _, impossible = alterations(Claims(claims.platform, things, ("device1",)), "device1", load())
    assert {each.family for each in impossible if "one device" in each.reason} == set(NEED_TWO)
    assert {each.family for each in alterations(claims, "device1", load())[1]} == set()
