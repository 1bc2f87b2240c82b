"""Memory effects of commands and harness actions, as the rules of each function define them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.contents.geometry import Spans
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.interpretation import InterpretationId
    from clconform.oracles.engine.matchers import Element, Matcher, Values
    from clconform.oracles.model.enqueued_command import Command


def _keep_contents(_value: Element, _command: Command | None) -> None:
    """Leave all contents unchanged."""


def _ignore_outputs(_seen: dict[str, Values]) -> None:
    """Ignore the returned values."""


@dataclass(frozen=True)
class ShownBytes:
    """The bytes of memory that an output shows.

    ``output``: the parameter; ``spans``: the positions in the output of the bytes of ``place``, in the same order.
    ``is_exact``: the host reads the bytes itself, without a function of the driver.
    """

    output: str
    place: MemoryPlace
    spans: Spans
    is_exact: bool = False


@dataclass
class MemoryEffect:
    """The memory effect of a command or harness action.

    ``reads``, ``writes``: the memory that it reads and writes. ``host_accesses``: the part of this memory that it
    accesses through a host pointer. ``ended_map_commands``: the mapping commands of the regions that it unmaps; they
    must complete before it begins. ``outputs``: the expected values of output parameters. ``value``: the expected
    result of a harness action. ``apply``: updates the contents, given the result of the call and the command.
    ``observe``: receives the output values of the call before ``apply``. ``interpretation``: the interpretation by
    which the written or returned bytes are unspecified. ``shown``: the memory that an output shows, or None.
    """

    reads: tuple[MemoryPlace, ...] = ()
    writes: tuple[MemoryPlace, ...] = ()
    host_accesses: tuple[MemoryPlace, ...] = ()
    ended_map_commands: tuple[Command, ...] = ()
    outputs: dict[str, Matcher] = field(default_factory=dict)
    value: Matcher | None = None
    apply: Callable[[Element, Command | None], None] = _keep_contents
    observe: Callable[[dict[str, Values]], None] = _ignore_outputs
    interpretation: InterpretationId | None = None
    shown: ShownBytes | None = None
