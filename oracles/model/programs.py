"""Programs, by what they were made from, with a build for each device."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, ClassVar

from clconform.oracles.model.contexts import ContextObject

if TYPE_CHECKING:
    from clconform.oracles.model.devices import Device


class BuildState(Enum):
    """State of the build for one device."""

    NONE = "nothing was built"
    GOING_ON = "a build may be running asynchronously"
    ENDED = "an asynchronous build has ended, successfully or not"
    FAILED = "a build has failed"
    FAILED_FOR_SOME = "a build for several devices has failed for at least one of them"
    BUILT = "a build has succeeded"


@dataclass
class Build:
    """What is known of the program for one device.

    ``options``: those of the last build, as they were given. ``devices``: the names of those that it was for;
    ``earlier_options``: those of the build before, which count where the last one may not have begun for the device.
    """

    state: BuildState = BuildState.NONE
    options: str = ""
    devices: frozenset[str] = frozenset()
    earlier_options: str = ""


@dataclass(eq=False)
class Program(ContextObject):
    """A program of which nothing but its context is known; its subclasses know more.

    ``devices``: those that it is for. ``built``: those for which a build was begun that may have succeeded.
    ``builds``: by the name of a device. ``kernels``: the names of those that it will hold, where they are known.
    ``argument_info``: it keeps what its kernels' arguments are. ``from_source``: it was made from source, or may have
    been.
    """

    type: ClassVar[str] = "cl_program"
    from_source: ClassVar[bool] = True

    devices: list[Device] = field(default_factory=list)
    built: list[Device] = field(default_factory=list)
    builds: dict[str, Build] = field(default_factory=dict)
    kernels: tuple[str, ...] = ()
    argument_info: bool = False

    @property
    def holds(self) -> tuple[str, ...]:
        """Return the names of the kernels that it holds by now; none where they are not known."""
        return self.kernels if self.built and not self.may_be_left else ()

    @property
    def may_be_left(self) -> bool:
        """Return whether it is open if a failed build left an executable: of other devices, or of an earlier build."""
        states = {name: build.state for name, build in self.builds.items()}
        failed_later = any(states.get(device.name) is BuildState.FAILED for device in self.built)
        return failed_later or BuildState.FAILED_FOR_SOME in states.values()


@dataclass(eq=False)
class SourceProgram(Program):
    """A program from source."""

    source: str = ""


@dataclass(eq=False)
class ProgramWithoutSource(Program):
    """A program that was made from something else than source."""

    from_source: ClassVar[bool] = False


@dataclass(eq=False)
class BinaryProgram(ProgramWithoutSource):
    """A program from binaries."""


@dataclass(eq=False)
class IlProgram(ProgramWithoutSource):
    """A program from intermediate language.

    ``il``: its bytes, or None where they are not known; ``query``: the name of the query that repeats them.
    """

    il: bytes | None = None
    query: str = ""


@dataclass(eq=False)
class BuiltInProgram(ProgramWithoutSource):
    """A program of built-in kernels, which it holds without a build."""

    @property
    def holds(self) -> tuple[str, ...]:
        """Return the names of the kernels that it was made of."""
        return self.kernels
