"""Declaration of faults; a fault's public name is its function's name, with hyphens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from clconform.calls.call import Call, Outcome
from clconform.oracles.engine.registry import Registry
from clconform.simulator.platform import Simulation

_F = TypeVar("_F", bound=Callable[[Simulation, Call, Outcome], Outcome])


class Faults(Registry[str, Callable[[Simulation, Call, Outcome], Outcome]]):
    """The faults of one module, or of all modules together."""

    def __init__(self) -> None:
        super().__init__("faults")

    def plant(self, fault: _F) -> _F:
        """Declare a function that changes an outcome as a fault; its docstring describes the fault."""
        return self.declare(fault.__name__.replace("_", "-"))(fault)
