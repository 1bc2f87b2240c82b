"""Programs, by what they were made from, with a build for each device."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject
from clconform.oracles.model.sources import lacks_a_definition

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
class Build:
    """What is known of the program for one device.

    ``options``: those of the last build, as they were given; None where those of the binary count. ``devices``: the
    names of those that it was for; ``earlier_options``: those of the build before, which count where the last one may
    not have begun for the device. ``former``: the options of all builds before.
    """

    state: BuildState = BuildState.NONE
    options: str | None = ""
    devices: frozenset[str] = frozenset()
    earlier_options: str | None = ""
    former: tuple[str, ...] = ()

    def followed_by(self, state: BuildState, options: str | None, devices: frozenset[str] = frozenset()) -> Build:
        """Return the build that comes after this one."""
        former = (*self.former, self.options) if self.options else self.former
        return Build(state, options, devices, self.options, former)


@dataclass(eq=False)
class Program(ContextObject):
    """A program of which nothing but its context is known; its subclasses know more.

    ``devices``: those that it is for. ``built``: those for which a build was begun that may have succeeded.
    ``builds``: by the name of a device. ``kernels``: the names of those that it will hold, where they are known.
    ``argument_info``: it keeps what its kernels' arguments are. ``from_source``: it was made from source, or may have
    been. ``parts``: the names of the known parts that it consists of, None where there are others. ``binaries``: those
    that it has told, one for each device, as hexadecimal digits. ``header_names``: those of the headers that it was
    compiled with. ``had_kernels``: a kernel was made of it; ``kernels_perhaps``: a call that was to make some failed
    without a reason. ``refused_options``: those of calls that were refused since the last build.
    """

    type: ClassVar[str] = "cl_program"
    from_source: ClassVar[bool] = True

    devices: list[Device] = field(default_factory=list)
    built: list[Device] = field(default_factory=list)
    builds: dict[str, Build] = field(default_factory=dict)
    kernels: tuple[str, ...] = ()
    argument_info: bool = False
    parts: tuple[str, ...] | None = None
    binaries: list[str] = field(default_factory=list)
    header_names: tuple[str, ...] = ()
    had_kernels: bool = False
    kernels_perhaps: bool = False
    refused_options: tuple[str, ...] = ()

    @property
    def holds(self) -> tuple[str, ...]:
        """Return the names of the kernels that it holds by now; none where they are not known."""
        return self.kernels if self.built and not self.may_be_left and not self.is_incomplete else ()

    @property
    def is_incomplete(self) -> bool:
        """Return whether a kernel calls a function that it is known to lack: what a build leaves of that is open."""
        return self.parts is not None and lacks_a_definition(self.parts)

    @property
    def has_no_kernels(self) -> bool:
        """Return whether it is known to consist of parts without a kernel."""
        return self.parts is not None and not self.kernels

    @property
    def may_be_left(self) -> bool:
        """Return whether it is open if an executable is left: of other devices, or of a build before the last one."""
        states = {name: build.state for name, build in self.builds.items()}
        later = {states.get(device.name) for device in self.built} & {BuildState.FAILED, BuildState.COMPILED}
        unclear = {BuildState.FAILED_FOR_SOME, BuildState.UNKNOWN} & set(states.values())
        return bool(later or unclear)


@dataclass(eq=False)
class SourceProgram(Program):
    """A program from source. ``strings``: how many it was made of."""

    source: str = ""
    strings: int = 1


@dataclass(eq=False)
class ProgramWithoutSource(Program):
    """A program that was made from something else than source."""

    from_source: ClassVar[bool] = False


@dataclass(eq=False)
class BinaryProgram(ProgramWithoutSource):
    """A program from binaries. ``loaded``: what was built where its binary comes from, NONE where that is not known.

    ``first_options``: those that this was built with, None where they are not known.
    """

    loaded: BuildState = BuildState.NONE
    first_options: str | None = None


@dataclass(frozen=True)
class Specialization:
    """A value that a specialization constant was set to; None where it is not known.

    ``again``: it was set to another one before. ``builds``: how many builds have used it so far.
    """

    value: bytes | None
    again: bool = False
    builds: int = 0


@dataclass(eq=False)
class IlProgram(ProgramWithoutSource):
    """A program from intermediate language.

    ``il``: its bytes, or None where they are not known; ``query``: the name of the query that repeats them.
    ``constants``: what its specialization constants are set to, by their identifiers; ``built_with``: what they were
    at the last build, by the name of a device.
    """

    il: bytes | None = None
    query: str = ""
    constants: dict[int, Specialization] = field(default_factory=dict)
    built_with: dict[str, dict[int, Specialization]] = field(default_factory=dict)


@dataclass(eq=False)
class BuiltInProgram(ProgramWithoutSource):
    """A program of built-in kernels, which it holds without a build."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Return the names of the kernels that it was made of."""
        return self.kernels


@dataclass(eq=False)
class LinkedProgram(Program):
    """A program that others were linked to.

    ``is_library``: it was asked to be a library. ``left_out``: the names of devices that nothing was linked for.
    """

    is_library: bool = False
    left_out: frozenset[str] = frozenset()
