"""The programs that suites build on each device, and the builds of them for another machine.

The list has all programs whose text is fixed. With the limits of a device, it also has the kernels with as many
arguments as the device allows. It lacks the programs of tests about builds, which need a compiler. Random tests combine
kernels over images; a device without a compiler loads each of these kernels from a program of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.model.argument_kernels import ECHO_MEMORY, ECHO_VALUES, QUALIFIED, TAKE_QUEUE
from clconform.oracles.model.buffer_kernels import KERNELS
from clconform.oracles.model.enqueueing_kernels import ENQUEUEING_KERNELS
from clconform.oracles.model.image_kernels import IMAGE_KERNELS, ImageOperation
from clconform.oracles.model.kernel_registry import SOURCES
from clconform.oracles.model.limit_kernels import (
    CHANGED_IMAGES,
    LIMITED_ARGUMENTS,
    NUMBERS,
    PARAMETER_QUERY,
    kernel_with_largest_arguments,
    kernel_with_most_arguments,
)
from clconform.oracles.model.litmus_kernels import LITMUS_KERNELS
from clconform.oracles.model.pipe_kernels import PIPE_KERNELS
from clconform.oracles.model.program_sources import VARIABLE_SOURCE
from clconform.oracles.model.range_kernels import RANGE_KERNELS
from clconform.runner.program_binaries import ProgramText
from clconform.suites.chapters.kernels.argument_cases import (
    CHANGED_IMAGE,
    OBJECTS,
    PIPE,
    QUEUE,
    READ_IMAGE,
    READING_DEPTH_KERNEL,
    WRITTEN_IMAGE,
)
from clconform.suites.chapters.kernels.valid_calls import NAMES
from clconform.suites.kit.kit import Kit
from clconform.suites.kit.programs import ARG_INFO_OPTION, kernel_sources
from clconform.suites.queries.programs import PRIVATE_MEMORY_SOURCE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.oracles.model.cl_object import Fact
    from clconform.runner.session.session import Session

    Version = tuple[int, int]


class ProgramBuildError(Exception):
    """A program cannot be built; the message is the reason in one line."""


def list_programs(version: Version, facts: Mapping[str, Fact] | None = None) -> list[ProgramText]:
    """Return the programs that suites need on a device of this OpenCL version, each once.

    ``facts``: the query results of the device; without them, the list lacks the programs that depend on its limits.
    """
    later = _list_for_2_0(version) if version >= (2, 0) else ()
    return list(dict.fromkeys((*_list_for_any_version(), *later, *_list_for_limits(version, facts or {}))))


def _list_for_limits(version: Version, facts: Mapping[str, Fact]) -> Iterator[ProgramText]:
    """Yield the kernels with as many arguments as the limits of a device allow."""
    limits = {name: value for name, value in facts.items() if isinstance(value, int)}
    whole = limits.get(PARAMETER_QUERY, 0)
    kernels = [
        kernel_with_most_arguments(family, limits.get(LIMITED_ARGUMENTS[family].query, 0), whole) for family in NUMBERS
    ]
    for kernel in (*kernels, kernel_with_largest_arguments(whole)):
        standard = _standard_option(version) if kernel.family == CHANGED_IMAGES else ""
        if kernel.count > 0:
            yield ProgramText(kernel.source, standard)


def _list_for_any_version() -> Iterator[ProgramText]:
    """Yield the programs that do not need OpenCL C 2.0."""
    for name in KERNELS:
        yield ProgramText(SOURCES[name])
    for options in ("", ARG_INFO_OPTION, f"{ARG_INFO_OPTION} -DUNUSED=1"):
        yield _join(*kernel_sources(), options=options)
    yield _join(*kernel_sources(*NAMES))
    yield _join(SOURCES[ECHO_VALUES], SOURCES[ECHO_MEMORY])
    yield ProgramText(PRIVATE_MEMORY_SOURCE)
    usual = [place for place in OBJECTS if place not in (PIPE, QUEUE)]
    for name in (ECHO_VALUES, ECHO_MEMORY, QUALIFIED.name, READING_DEPTH_KERNEL, *(place.kernel for place in usual)):
        yield ProgramText(SOURCES[name])
    for name in (QUALIFIED.name, READ_IMAGE.kernel, WRITTEN_IMAGE.kernel):
        yield ProgramText(SOURCES[name], ARG_INFO_OPTION)
    for kernel in RANGE_KERNELS.values():
        yield ProgramText(kernel.source)
    for image_kernel in IMAGE_KERNELS.values():
        selects_version = image_kernel.is_depth or image_kernel.operation is ImageOperation.CHANGE
        yield ProgramText(image_kernel.source, "-cl-std=CL1.2" if selects_version else "")


def _list_for_2_0(version: Version) -> Iterator[ProgramText]:
    """Yield the programs that need OpenCL C 2.0 or later."""
    standard = _standard_option(version)
    for options in ("", ARG_INFO_OPTION):
        for name in (TAKE_QUEUE.name, PIPE.kernel, CHANGED_IMAGE.kernel):
            yield ProgramText(SOURCES[name], f"{standard} {options}".strip())
    for options in (standard, f"{standard} ", f"{standard} -cl-uniform-work-group-size"):
        yield ProgramText(SOURCES["add_index"], options)
    for family in (RANGE_KERNELS, ENQUEUEING_KERNELS, LITMUS_KERNELS):
        for kernel in family.values():
            yield ProgramText(kernel.source, standard)
    yield _join(*(kernel.source for kernel in PIPE_KERNELS.values()), options=standard)
    yield ProgramText(VARIABLE_SOURCE, standard)
    for image_kernel in IMAGE_KERNELS.values():
        if image_kernel.is_depth or image_kernel.operation is ImageOperation.CHANGE:
            yield ProgramText(image_kernel.source, standard)


def _standard_option(version: Version) -> str:
    return "-cl-std=CL3.0" if version >= (3, 0) else "-cl-std=CL2.0"


def _join(*sources: str, options: str = "") -> ProgramText:
    return ProgramText("".join(sources), options)


def build_binary(session: Session, text: ProgramText) -> bytes:
    """Build a program with the driver of a session, and return its binary; ProgramBuildError if that fails."""
    binary, reason = b"", "the driver's process ended during the build"
    with session.example():
        kit = Kit(session)
        try:
            program = kit.program_built_from(text.source, options=text.options)
            binary = kit.get_binary(program)
        except pytest.skip.Exception as error:
            reason = str(error)
    if not binary:
        raise ProgramBuildError(reason)
    return binary
