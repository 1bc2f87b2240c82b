"""Programs, by their creation, with a build for each device."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.program_sources import lacks_definition

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device


class BuildState(Enum):
    """State of the build for one device."""

    NONE = "nothing was built"
    GOING_ON = "a build may be running asynchronously"
    ENDED = "an asynchronous build has ended, successfully or not"
    FAILED = "a build has failed"
    FAILED_FOR_SOME = "a build for several devices has failed for at least one of them"
    UNKNOWN = "it is not known what was built"
    COMPILED = "it was compiled, and not linked"
    LIBRARY = "it was linked to a library"
    BUILT = "it was built, or linked to an executable"


@dataclass
class ProgramBuild:
    """The known build state of a program for one device.

    ``options``: those of the last build, as passed; None if those of the binary count. ``devices``: the names of the
    devices of that build; ``previous_options``: those of the build before, which count if the last one may not have
    started for the device. ``former``: the options of all builds before.
    """

    state: BuildState = BuildState.NONE
    options: str | None = ""
    devices: frozenset[str] = frozenset()
    previous_options: str | None = ""
    all_previous_options: tuple[str, ...] = ()

    def followed_by(
        self, state: BuildState, options: str | None, devices: frozenset[str] = frozenset()
    ) -> ProgramBuild:
        """Return the build that follows this one."""
        former = (*self.all_previous_options, self.options) if self.options else self.all_previous_options
        return ProgramBuild(state, options, devices, self.options, former)


@dataclass(eq=False)
class Program(ContextObject):
    """A program of which only the context is known; its subclasses know more.

    ``devices``: its devices. ``built_devices``: the devices for which a build was started that may have succeeded.
    ``builds``: by the name of a device. ``kernels``: the names of the kernels that it will contain, if known.
    ``keeps_argument_info``: it keeps argument information. ``from_source``: it was created from source, or may have
    been. ``parts``: the names of the known source parts of which it consists, None if it has others. ``binaries``:
    those that it has returned, one for each device, as hexadecimal digits. ``header_names``: those of the headers of
    its compilation. ``had_kernels``: a kernel was created from it; ``may_have_kernels``: a call to create some failed
    without a known reason. ``rejected_options``: those of calls that failed since the last build.
    """

    type: ClassVar[str] = "cl_program"
    from_source: ClassVar[bool] = True

    devices: list[Device] = field(default_factory=list)
    built_devices: list[Device] = field(default_factory=list)
    builds: dict[str, ProgramBuild] = field(default_factory=dict)
    kernels: tuple[str, ...] = ()
    keeps_argument_info: bool = False
    parts: tuple[str, ...] | None = None
    binaries: list[str] = field(default_factory=list)
    header_names: tuple[str, ...] = ()
    had_kernels: bool = False
    may_have_kernels: bool = False
    rejected_options: tuple[str, ...] = ()

    @property
    def available_kernels(self) -> tuple[str, ...]:
        """Return the names of the kernels that it contains now; empty if unknown."""
        return self.kernels if self.built_devices and not self.may_keep_executable and not self.is_incomplete else ()

    @property
    def is_incomplete(self) -> bool:
        """Return whether a kernel calls a function that it is known to lack; builds then have unspecified results."""
        return self.parts is not None and lacks_definition(self.parts)

    @property
    def has_no_kernels(self) -> bool:
        """Return whether it is known to consist of parts without a kernel."""
        return self.parts is not None and not self.kernels

    @property
    def may_keep_executable(self) -> bool:
        """Return whether an executable may remain: for other devices, or from a build before the last one."""
        states = {name: build.state for name, build in self.builds.items()}
        later = {states.get(device.name) for device in self.built_devices} & {BuildState.FAILED, BuildState.COMPILED}
        unclear = {BuildState.FAILED_FOR_SOME, BuildState.UNKNOWN} & set(states.values())
        return bool(later or unclear)


@dataclass(eq=False)
class SourceProgram(Program):
    """A program from source. ``string_count``: the number of source strings."""

    source: str = ""
    string_count: int = 1


@dataclass(eq=False)
class ProgramWithoutSource(Program):
    """A program that was not created from source."""

    from_source: ClassVar[bool] = False


@dataclass(eq=False)
class BinaryProgram(ProgramWithoutSource):
    """A program from binaries. ``saved_state``: the build state of the original program when its binary was queried.

    It is NONE if unknown. ``saved_options``: the options of the original program's build, None if unknown.
    """

    saved_state: BuildState = BuildState.NONE
    saved_options: str | None = None


@dataclass(frozen=True)
class SpecializationValue:
    """The value of a specialization constant; None if unknown.

    ``was_changed``: another value was set before. ``builds``: the number of builds that have used it so far.
    """

    value: bytes | None
    was_changed: bool = False
    build_count: int = 0


@dataclass(eq=False)
class IlProgram(ProgramWithoutSource):
    """A program from intermediate language.

    ``il``: its bytes, or None if unknown; ``query``: the name of the query that returns them. ``constants``: the values
    of its specialization constants, by their identifiers; ``built_with``: their values at the last build, by device
    name.
    """

    il: bytes | None = None
    query: str = ""
    constants: dict[int, SpecializationValue] = field(default_factory=dict)
    built_with: dict[str, dict[int, SpecializationValue]] = field(default_factory=dict)


@dataclass(eq=False)
class BuiltInProgram(ProgramWithoutSource):
    """A program of built-in kernels, which it contains without a build."""

    @property
    def available_kernels(self) -> tuple[str, ...]:
        """Return the names of the kernels with which it was created."""
        return self.kernels


@dataclass(eq=False)
class LinkedProgram(Program):
    """A program that was linked from others.

    ``is_library``: the link requested a library. ``skipped_devices``: the names of devices that were not linked for.
    """

    is_library: bool = False
    skipped_devices: frozenset[str] = frozenset()
