"""Declaration of faults, and the calls of the simulated platform whose outcomes they change."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import msgspec

from clconform.calls.call import Call, Outcome, Output, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.engine.registry import Registry
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.simulator.platform import Simulation

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.calls.call import CallbackInvocation
    from clconform.calls.values import Value
    from clconform.oracles.contents.effects import MemoryEffect
    from clconform.oracles.contents.storage import MemoryPlace
    from clconform.oracles.engine.matchers import Element
    from clconform.oracles.model.state import Model

_T = TypeVar("_T")
VALUE, SIZE, ERROR = "param_value", "param_value_size_ret", "errcode_ret"
"""The outputs for the value of a query and its size, and for the error code of a function that creates an object."""


@dataclass(frozen=True)
class SimulatedStep:
    """A call that the simulated platform has made, with the outcome that a fault may replace."""

    simulation: Simulation
    call: Call
    outcome: Returned

    @property
    def model(self) -> Model:
        """The model that the simulated platform follows."""
        return self.simulation.model

    @property
    def has_succeeded(self) -> bool:
        """Whether the function returned CL_SUCCESS, an object or a pointer."""
        return self.outcome.value == 0 or isinstance(self.outcome.value, str)

    def constant(self, name: str) -> int:
        """Return the value of an enumerant."""
        return self.model.constant_value(name)

    def is_query(self, name: str) -> bool:
        """Return whether the call is a query of this name."""
        return self.call.arguments.get("param_name") == self.constant(name)

    def has_error(self, code: str) -> bool:
        """Return whether the call has returned this error code."""
        output = self.outcome.outputs.get(ERROR)
        return self.constant(code) in (self.outcome.value, *(output.values if output is not None else ()))

    def argument(self, parameter: str, kind: type[_T]) -> _T | None:
        """Return an argument, or None if the function has no such parameter or the argument is of another class."""
        given = self.call.arguments.get(parameter)
        return given if isinstance(given, kind) else None

    def find(self, parameter: str, kind: type[_T]) -> _T | None:
        """Return the object that an argument names, or None if there is no such object of this class."""
        found = self.model.find(self.call.arguments.get(parameter))
        return found if isinstance(found, kind) else None

    def find_created(self, kind: type[_T]) -> _T | None:
        """Return the object of this class that the call has created, or None."""
        value = self.outcome.value
        found = self.model.find(Handle(value)) if isinstance(value, str) else None
        return found if isinstance(found, kind) else None

    def find_effect(self) -> MemoryEffect | None:
        """Return the memory effect of the call; None if the model does not know it, or if it is undefined."""
        try:
            return self.simulation.oracle.rulebook.effect_of(self.call, self.model)
        except (UnknownFactError, UndefinedBehaviourError):
            return None

    @property
    def writes(self) -> tuple[MemoryPlace, ...]:
        """The memory that the call writes; empty if ``find_effect`` returns None."""
        work = self.find_effect()
        return work.writes if work is not None else ()

    def state(self, name: str, initial: _T) -> _T:
        """Return the value that a fault keeps under this name until the platform ends; initially ``initial``."""
        kept: _T = self.simulation.__dict__.setdefault(name, initial)
        return kept

    # other outcomes

    def accept(self) -> Returned:
        """Return success instead of an error code."""
        return msgspec.structs.replace(self.outcome, value=0)

    def fail(self, code: str) -> Returned:
        """Return an error code as the value of the function."""
        return Returned(self.constant(code), self.outcome.outputs)

    def fail_creation(self, code: str, *, remove: bool = False) -> Returned:
        """Return NULL with an error code; ``remove``: also remove the object that the call has created."""
        if remove:
            self.model.objects.pop(str(self.outcome.value), None)
        output = {ERROR: Output([self.constant(code)], 4)} if self.argument(ERROR, OutputBuffer) else {}
        return Returned(None, {**self.outcome.outputs, **output})

    def repeat(self, **changes: Value) -> Outcome:
        """Return the outcome of the call with these changes to its arguments."""
        return self.simulation.make_call(Call(self.call.function, {**self.call.arguments, **changes}))

    def with_values(self, name: str, values: Sequence[Element]) -> Returned | None:
        """Return the outcome with other values in an output, or None if the call has no such output."""
        output = self.outcome.outputs.get(name)
        if output is None:
            return None
        return self.outcome.with_outputs(**{name: msgspec.structs.replace(output, values=list(values))})

    def with_callbacks(self, called: Iterable[CallbackInvocation]) -> Returned:
        """Return the outcome with other invocations of callbacks."""
        return msgspec.structs.replace(self.outcome, callbacks=list(called))

    def with_bytes(self, name: str, raw: bytes) -> Returned:
        """Return the outcome with other bytes in an output."""
        return self.outcome.with_outputs(**{name: Output([], len(raw), raw)})


Body = Callable[[SimulatedStep], Outcome | None]
_B = TypeVar("_B", bound=Body)


class Faults(Registry[str, Callable[[Simulation, Call, Outcome], Outcome]]):
    """The faults of one module, or of all modules together."""

    def __init__(self) -> None:
        super().__init__("faults")

    def plant(
        self, *functions: str, query: str = "", output: str = "", error: str = "", succeeded: bool | None = None
    ) -> Declaration:
        """Return the declaration of a fault in calls of these functions that have returned; without functions, in all.

        ``query``: only calls of this query that have an output buffer for its value. ``output``: only calls with this
        output. ``error``: only calls that have returned this error code. ``succeeded``: only calls that have succeeded,
        or only those that have failed.
        """
        needed = VALUE if query else output

        def applies(step: SimulatedStep) -> bool:
            return (
                (not query or step.is_query(query))
                and (not needed or needed in step.outcome.outputs)
                and (not error or step.has_error(error))
                and (succeeded is None or step.has_succeeded is succeeded)
            )

        return Declaration(self, functions, applies)


@dataclass(frozen=True)
class Declaration:
    """The declaration of a fault, with the calls that it affects; as a decorator, it declares a function as a fault.

    The function returns the outcome that replaces that of the platform, or None to keep it. The fault's name is the
    name of the function, with hyphens; the docstring describes the fault.
    """

    faults: Faults
    functions: tuple[str, ...]
    applies: Callable[[SimulatedStep], bool]

    def __call__(self, body: _B) -> _B:
        """Declare a function as a fault."""
        self.add(body.__name__.replace("_", "-"), body.__doc__ or "", body)
        return body

    def add(self, name: str, description: str, body: Body) -> None:
        """Declare a fault that is a row of data."""

        def change(simulation: Simulation, call: Call, outcome: Outcome) -> Outcome:
            if not isinstance(outcome, Returned) or (self.functions and call.function not in self.functions):
                return outcome
            step = SimulatedStep(simulation, call, outcome)
            changed = body(step) if self.applies(step) else None
            return outcome if changed is None else changed

        change.__doc__ = description
        self.faults.add(name, change)
