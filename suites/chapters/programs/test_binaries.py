"""Programs from binaries for two devices: which binaries are loaded, and the status of each (5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Inside, Items, OutputBuffer, Pointers
from clconform.runner.pytest_plugin.aims import Case, parametrize
from clconform.runner.session.answers import made
from clconform.suites.cases import Cases
from clconform.suites.chapters.kernels.making import built_for, two_devices
from clconform.suites.chapters.partition.cases import part
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.programs.bench import DEVICES, Bench
from clconform.suites.chapters.programs.variations import NO_BINARY
from clconform.suites.steps import needs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from clconform.calls.values import Handle
    from clconform.runner.session.session import Session

    Binaries = tuple[bytes | None, ...]
    """A binary for each device; None passes NULL, and empty bytes pass a length of 0."""

NAME = "programs.binaries"
LOAD = "clCreateProgramWithBinary"
LOADED, STATUS = f"{LOAD}/success", f"{LOAD}/effect/1"
INVALID, EMPTY = f"{LOAD}/CL_INVALID_BINARY/1", f"{LOAD}/CL_INVALID_VALUE/2"
OF_THE_PARENT = "clGetProgramBuildInfo/effect/3"
cases: Cases[Bench] = Cases(Bench)


def _own(first: bytes, second: bytes) -> Binaries:
    return first, second


def _swapped(first: bytes, second: bytes) -> Binaries:
    return second, first


def _second_broken(first: bytes, _second: bytes) -> Binaries:
    return first, NO_BINARY.content


def _first_broken(_first: bytes, second: bytes) -> Binaries:
    return NO_BINARY.content, second


def _both_broken(_first: bytes, _second: bytes) -> Binaries:
    return NO_BINARY.content, NO_BINARY.content[:1]


def _second_cut(first: bytes, second: bytes) -> Binaries:
    return first, second[: len(second) // 2]


def _second_null(first: bytes, _second: bytes) -> Binaries:
    return first, None


def _first_null(_first: bytes, second: bytes) -> Binaries:
    return None, second


def _second_empty(first: bytes, _second: bytes) -> Binaries:
    return first, b""


def _first_empty(_first: bytes, second: bytes) -> Binaries:
    return b"", second


GIVEN: dict[str, tuple[str, Callable[[bytes, bytes], Binaries]]] = {
    "its own for each": (LOADED, _own),
    "each for the other device": (INVALID, _swapped),
    "no binary for the second": (INVALID, _second_broken),
    "no binary for the first": (INVALID, _first_broken),
    "half a binary for the second": (INVALID, _second_cut),
    "no binary for either": (INVALID, _both_broken),
    "NULL for the second": (EMPTY, _second_null),
    "NULL for the first": (EMPTY, _first_null),
    "no bytes for the second": (EMPTY, _second_empty),
    "no bytes for the first": (EMPTY, _first_empty),
}
"""Description to the target requirement and the function that selects the binaries of two devices."""


@cases.family
def of_two_devices() -> Iterator[Case]:
    """Yield pairs of binaries for two devices, with and without a status output."""
    for words, (record, choose) in GIVEN.items():
        others = (STATUS, f"{LOAD}/effect/4")
        yield cases.case(record, f"two devices, {words}", _told, choose, True, others=others)
        yield cases.case(record, f"two devices, {words}, no status", _told, choose, False, others=(f"{LOAD}/effect/2",))


def _told(bench: Bench, choose: Callable[[bytes, bytes], Binaries], asked: bool) -> None:  # noqa: FBT001 (a case's value)
    """Create a program from two binaries, twice, and query the devices of an accepted program; it is never built."""
    devices = two_devices(bench)
    first, second = (_binary_for(bench, device) for device in devices)
    both = bench.within(bench.new_context(*devices))
    given = choose(first, second)
    for _ in range(2):
        for program in _loaded(both, devices, given, asked=asked):
            both.cl.query("clGetProgramInfo", program, DEVICES)


def _binary_for(bench: Bench, device: Handle) -> bytes:
    """Return the binary of a program built in a context of one device."""
    program = bench.within(bench.new_context(device)).program("add_index")
    built_for(bench, program, device)
    return bench.binary_of(program)


def _loaded(bench: Bench, devices: tuple[Handle, ...], given: Binaries, *, asked: bool) -> list[Handle]:
    """Create a program from a binary for each device, and return it in a list, or an empty list."""
    places = [None if content is None else Inside(bench.area(content or bytes(1)), 0) for content in given]
    lengths = Items(tuple(1 if content is None else len(content) for content in given))
    status = OutputBuffer(len(devices)) if asked else None
    listed = (len(devices), Items(devices))
    outcome = bench.cl.clCreateProgramWithBinary(
        bench.context, *listed, lengths, Pointers(tuple(places)), status, OutputBuffer(1)
    )
    return made(outcome)


@cases.of(LOADED, "two devices, built and run on each", "clBuildProgram/effect/11", STATUS)
def built_for_both(bench: Bench) -> None:
    """Create a program from the binaries of two devices, build it for both, and query it for each device."""
    devices = two_devices(bench)
    given = tuple(_binary_for(bench, device) for device in devices)
    both = bench.within(bench.new_context(*devices))
    programs = _loaded(both, devices, given, asked=True)
    needs(programs, "the driver refuses its own binaries")
    both.build(programs[0], None, devices=(len(devices), Items(devices)))
    for device in devices:
        both.tell(programs[0], device)
    both.kernel("add_index", programs[0])


@cases.of(OF_THE_PARENT, "the binary of the parent, for it and for a part of it", LOADED, STATUS)
def for_a_part_too(bench: Bench) -> None:
    """Load a device's binary for the device and its sub-device."""
    content = _binary_for(bench, bench.cl.device)
    devices = (bench.cl.device, part(bench.cl, CORE_ENTRY))
    both = bench.within(bench.new_context(*devices))
    for program in _loaded(both, devices, (content, content), asked=True):
        both.cl.query("clGetProgramInfo", program, DEVICES)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one test item per case."""
    parametrize(metafunc, cases)


def test_binaries(cl: Session, case: Case) -> None:
    case.act(cl)
