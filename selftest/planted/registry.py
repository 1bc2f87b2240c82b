"""How a module declares its faults; each is named after its function, with hyphens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from clconform.calls.call import Call, Outcome
from clconform.oracles.engine.registry import Registry
from clconform.simulator.platform import Simulation

_F = TypeVar("_F", bound=Callable[[Simulation, Call, Outcome], Outcome])


class Faults(Registry[str, Callable[[Simulation, Call, Outcome], Outcome]]):
    """The faults of one module, or of all together."""

    def __init__(self) -> None:
        super().__init__("faults")

    def plant(self, fault: _F) -> _F:
        """Declare a fault, which changes an outcome; the docstring describes it."""
        return self.declare(fault.__name__.replace("_", "-"))(fault)
