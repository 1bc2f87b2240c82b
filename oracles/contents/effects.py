"""Memory effects of commands and harness actions, as the rules of each function define them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.matchers import Element, Matcher, Values
    from clconform.oracles.engine.predicate_result import May
    from clconform.oracles.model.command_state import Command


def _keep_contents(_value: Element, _command: Command | None) -> None:
    """Leave all contents unchanged."""


def _ignore_outputs(_seen: dict[str, Values]) -> None:
    """Ignore the returned values."""


@dataclass
class MemoryEffect:
    """The memory effect of a command or harness action, once its place in the order is certain.

    ``reads``, ``writes``: the memory that it uses. ``host_accesses``: those that it reaches through a host pointer.
    ``ended_map_commands``: the commands of the maps that it ends, which must complete before it. ``outputs``: the
    values that it returns to the host; ``value``: the result of a harness action. ``apply`` updates contents; it gets
    the call's result and the command. ``observe`` gets the values of the call's outputs before that.
    ``interpretation``: the interpretation by which the bytes that it leaves or returns are unspecified.
    """

    reads: tuple[MemoryPlace, ...] = ()
    writes: tuple[MemoryPlace, ...] = ()
    host_accesses: tuple[MemoryPlace, ...] = ()
    ended_map_commands: tuple[Command, ...] = ()
    outputs: dict[str, Matcher] = field(default_factory=dict)
    value: Matcher | None = None
    apply: Callable[[Element, Command | None], None] = _keep_contents
    observe: Callable[[dict[str, Values]], None] = _ignore_outputs
    interpretation: May | None = None
