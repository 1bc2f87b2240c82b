"""Programs from binaries for two devices: accepted binaries, and the status of each binary (5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OffsetPointer, OutputBuffer, Pointers
from clconform.runner.pytest_plugin.covers import TableCase, TableTest
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.cases import CaseRegistry
from clconform.suites.chapters.kernels.argument_cases import build_for_device, get_two_devices
from clconform.suites.chapters.partition.entries import CORE_ENTRY
from clconform.suites.chapters.partition.partition_cases import create_sub_device
from clconform.suites.chapters.programs.build_kit import DEVICES, BuildKit
from clconform.suites.chapters.programs.negative_cases import INVALID_BINARY
from clconform.suites.helpers import skip_unless

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from clconform.calls.values import Handle

    Binaries = tuple[bytes | None, ...]
    """One binary for each device; None passes NULL, and empty bytes pass a length of 0."""

NAME = "programs.binaries"
LOAD = "clCreateProgramWithBinary"
LOADED, STATUS = "clCreateProgramWithBinary/success", "clCreateProgramWithBinary/effect/1"
INVALID, NULL_OR_EMPTY = "clCreateProgramWithBinary/CL_INVALID_BINARY/1", "clCreateProgramWithBinary/CL_INVALID_VALUE/2"
OF_THE_PARENT = "clGetProgramBuildInfo/effect/3"
cases: CaseRegistry[BuildKit] = CaseRegistry(BuildKit)
test_binaries_load_on_their_device_only = TableTest(cases)


def _select_own(first: bytes, second: bytes) -> Binaries:
    return first, second


def _select_swapped(first: bytes, second: bytes) -> Binaries:
    return second, first


def _select_second_invalid(first: bytes, _second: bytes) -> Binaries:
    return first, INVALID_BINARY.content


def _select_first_invalid(_first: bytes, second: bytes) -> Binaries:
    return INVALID_BINARY.content, second


def _select_both_invalid(_first: bytes, _second: bytes) -> Binaries:
    return INVALID_BINARY.content, INVALID_BINARY.content[:1]


def _select_second_truncated(first: bytes, second: bytes) -> Binaries:
    return first, second[: len(second) // 2]


def _select_second_null(first: bytes, _second: bytes) -> Binaries:
    return first, None


def _select_first_null(_first: bytes, second: bytes) -> Binaries:
    return None, second


def _select_second_empty(first: bytes, _second: bytes) -> Binaries:
    return first, b""


def _select_first_empty(_first: bytes, second: bytes) -> Binaries:
    return b"", second


BINARY_PAIRS: dict[str, tuple[str, Callable[[bytes, bytes], Binaries]]] = {
    "its own for each": (LOADED, _select_own),
    "each for the other device": (INVALID, _select_swapped),
    "no binary for the second": (INVALID, _select_second_invalid),
    "no binary for the first": (INVALID, _select_first_invalid),
    "half a binary for the second": (INVALID, _select_second_truncated),
    "no binary for either": (INVALID, _select_both_invalid),
    "NULL for the second": (NULL_OR_EMPTY, _select_second_null),
    "NULL for the first": (NULL_OR_EMPTY, _select_first_null),
    "no bytes for the second": (NULL_OR_EMPTY, _select_second_empty),
    "no bytes for the first": (NULL_OR_EMPTY, _select_first_empty),
}
"""Maps descriptions of two binaries to the target requirement and a function that selects the binaries."""


@cases.declare_family
def binaries_of_two_devices() -> Iterator[TableCase]:
    """Yield pairs of binaries for two devices, with and without a status output."""
    for words, (requirement, choose) in BINARY_PAIRS.items():
        others = (STATUS, "clCreateProgramWithBinary/effect/4")
        yield cases.create_case(requirement, f"two devices, {words}", _load_twice, choose, True, others=others)
        yield cases.create_case(
            requirement,
            f"two devices, {words}, no status",
            _load_twice,
            choose,
            False,
            others=("clCreateProgramWithBinary/effect/2",),
        )


def _load_twice(bench: BuildKit, choose: Callable[[bytes, bytes], Binaries], with_status: bool) -> None:  # noqa: FBT001 (a case's value)
    """Create a program from two binaries, twice, and query its devices if the driver accepts it.

    The program is never built.
    """
    devices = get_two_devices(bench)
    first, second = (_build_binary(bench, device) for device in devices)
    both = bench.for_context(bench.new_context(*devices))
    given = choose(first, second)
    for _ in range(2):
        for program in _load(both, devices, given, with_status=with_status):
            both.cl.query("clGetProgramInfo", program, DEVICES)


def _build_binary(bench: BuildKit, device: Handle) -> bytes:
    """Return the binary of a program built in a context of one device."""
    program = bench.for_context(bench.new_context(device)).program("add_index")
    build_for_device(bench, program, device)
    return bench.get_binary(program)


def _load(bench: BuildKit, devices: tuple[Handle, ...], given: Binaries, *, with_status: bool) -> list[Handle]:
    """Create a program from one binary for each device.

    The result is a list with the program, or an empty list if the driver rejects the binaries.
    """
    places = [None if content is None else OffsetPointer(bench.host_area(content or bytes(1)), 0) for content in given]
    lengths = ElementList(tuple(1 if content is None else len(content) for content in given))
    status = OutputBuffer(len(devices)) if with_status else None
    listed = (len(devices), ElementList(devices))
    outcome = bench.cl.clCreateProgramWithBinary(
        bench.context, *listed, lengths, Pointers(tuple(places)), status, OutputBuffer(1)
    )
    return returned_handles(outcome)


@cases.declare(LOADED, "two devices, built and run on each", "clBuildProgram/effect/11", STATUS)
def build_for_both(bench: BuildKit) -> None:
    """Create a program from the binaries of two devices, build it for both devices, and query it for each device."""
    devices = get_two_devices(bench)
    given = tuple(_build_binary(bench, device) for device in devices)
    both = bench.for_context(bench.new_context(*devices))
    programs = _load(both, devices, given, with_status=True)
    skip_unless(programs, "the driver refuses its own binaries")
    both.build(programs[0], None, devices=(len(devices), ElementList(devices)))
    for device in devices:
        both.query_program(programs[0], device)
    both.kernel("add_index", programs[0])


@cases.declare(OF_THE_PARENT, "the binary of the parent, for it and for a part of it", LOADED, STATUS)
def load_for_sub_device(bench: BuildKit) -> None:
    """Create a program for a device and its sub-device, both with the binary of the device."""
    content = _build_binary(bench, bench.cl.device)
    devices = (bench.cl.device, create_sub_device(bench.cl, CORE_ENTRY))
    both = bench.for_context(bench.new_context(*devices))
    for program in _load(both, devices, (content, content), with_status=True):
        both.cl.query("clGetProgramInfo", program, DEVICES)
