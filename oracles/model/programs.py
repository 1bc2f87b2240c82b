"""Programs, with a class for each way to create them, and a build for each device."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.program_sources import lacks_definition

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device


class BuildState(Enum):
    """The state of a program's build for one device."""

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
    """The last build of a program for one device, as far as it is known.

    ``options``: the passed options; None if the options of the binary count. ``devices``: the names of the devices of
    the build. ``previous_options``: the options of the previous build; they count if the last build may not have
    started for the device. ``all_previous_options``: the options of all previous builds.
    """

    state: BuildState = BuildState.NONE
    options: str | None = ""
    devices: frozenset[str] = frozenset()
    previous_options: str | None = ""
    all_previous_options: tuple[str, ...] = ()

    def followed_by(
        self, state: BuildState, options: str | None, devices: frozenset[str] = frozenset()
    ) -> ProgramBuild:
        """Return the next build, with the options of this build as the previous options."""
        former = (*self.all_previous_options, self.options) if self.options else self.all_previous_options
        return ProgramBuild(state, options, devices, self.options, former)


@dataclass(eq=False)
class Program(ContextObject):
    """Base class of programs; it is unknown how an instance of the base class was created.

    ``devices``: the devices of the program. ``built_devices``: the devices for which a build was started that may have
    succeeded. ``builds``: maps names of devices to builds. ``kernels``: the names of the kernels that the built program
    contains, if known. ``keeps_argument_info``: the program has argument information. ``from_source``: it was, or may
    have been, created from source. ``parts``: the names of its source parts; None if it has unknown parts.
    ``binaries``: the binaries that queries have returned, one for each device, as hexadecimal digits. ``header_names``:
    the names of the headers of its compilation. ``had_kernels``: a kernel was created from it. ``may_have_kernels``: a
    call to create kernels failed without a known reason. ``rejected_options``: the options of failed calls since the
    last build.
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
        """Return the names of the kernels in the program's current executable; empty if unknown."""
        return self.kernels if self.built_devices and not self.may_keep_executable and not self.is_incomplete else ()

    @property
    def is_incomplete(self) -> bool:
        """Return whether a kernel calls a function that the program lacks; builds then have unspecified results."""
        return self.parts is not None and lacks_definition(self.parts)

    @property
    def has_no_kernels(self) -> bool:
        """Return whether all parts are known, and none of them contains a kernel."""
        return self.parts is not None and not self.kernels

    @property
    def may_keep_executable(self) -> bool:
        """Return whether the program may still have an executable: for some devices, or from an earlier build."""
        states = {name: build.state for name, build in self.builds.items()}
        later = {states.get(device.name) for device in self.built_devices} & {BuildState.FAILED, BuildState.COMPILED}
        unclear = {BuildState.FAILED_FOR_SOME, BuildState.UNKNOWN} & set(states.values())
        return bool(later or unclear)


@dataclass(eq=False)
class SourceProgram(Program):
    """A program that was created from source; ``string_count``: the number of source strings."""

    source: str = ""
    string_count: int = 1


@dataclass(eq=False)
class ProgramWithoutSource(Program):
    """A program that was not created from source."""

    from_source: ClassVar[bool] = False


@dataclass(eq=False)
class BinaryProgram(ProgramWithoutSource):
    """A program that was created from binaries.

    ``saved_state``: the build state of the original program when the binaries were queried; NONE if unknown.
    ``saved_options``: the build options of the original program; None if unknown. ``sources``: the sources of the
    original programs that may be stored in the binaries; empty if one is unknown. ``is_supplied``: the binary was built
    elsewhere, so that the driver may reject it.
    """

    saved_state: BuildState = BuildState.NONE
    saved_options: str | None = None
    sources: tuple[str, ...] = ()
    is_supplied: bool = False


@dataclass(frozen=True)
class SpecializationValue:
    """The value of a specialization constant, or None if unknown.

    ``was_changed``: another value was set before. ``build_count``: the number of builds that have used the value.
    """

    value: bytes | None
    was_changed: bool = False
    build_count: int = 0


@dataclass(eq=False)
class IlProgram(ProgramWithoutSource):
    """A program that was created from intermediate language.

    ``il``: the bytes of the module, or None if unknown. ``query``: the name of the query that returns these bytes.
    ``constants``: maps identifiers of specialization constants to their values. ``built_with``: maps names of devices
    to the values of all constants at the last build.
    """

    il: bytes | None = None
    query: str = ""
    constants: dict[int, SpecializationValue] = field(default_factory=dict)
    built_with: dict[str, dict[int, SpecializationValue]] = field(default_factory=dict)


@dataclass(eq=False)
class BuiltInProgram(ProgramWithoutSource):
    """A program with built-in kernels; it does not need a build."""

    @property
    def available_kernels(self) -> tuple[str, ...]:
        """Return the names of the kernels with which the program was created."""
        return self.kernels


@dataclass(eq=False)
class LinkedProgram(Program):
    """A program that was linked from other programs.

    ``is_library``: the link requested a library. ``skipped_devices``: the names of the devices for which the program
    was not linked.
    """

    is_library: bool = False
    skipped_devices: frozenset[str] = frozenset()
