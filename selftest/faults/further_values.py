"""Pairs of faults with equal deviation ids: the second fault has the deviation of the first at a further test value."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.parameters import ArgumentKind
from clconform.selftest.faults.registry import Faults, SimulatedStep

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Outcome

    Condition = Callable[[SimulatedStep], bool]

faults = Faults()

SET, SAMPLER, FILL, QUERY = "clSetKernelArg", "clCreateSampler", "clEnqueueFillBuffer", "clGetPlatformInfo"
PATTERN_SIZES = (3, 5)
"""Invalid sizes of a pattern in bytes."""


class FaultPair(NamedTuple):
    """Two faults of one function.

    ``first``: the description of the first fault, and the calls that it affects. ``further``: the same for the further
    calls that only the second fault affects. ``outcome``: returns the outcome of an affected call.
    """

    name: str
    function: str
    first: tuple[str, Condition]
    further: tuple[str, Condition]
    outcome: Callable[[SimulatedStep], Outcome | None]

    @property
    def names(self) -> tuple[str, str]:
        """Return the names of the two faults."""
        return f"{self.name}-at-one-value", f"{self.name}-at-two-values"


def _accept_sampler(step: SimulatedStep) -> Outcome:
    """Return the outcome of a call with valid modes."""
    addressing, filtering = step.constant("CL_ADDRESS_NONE"), step.constant("CL_FILTER_NEAREST")
    return step.repeat(addressing_mode=addressing, filter_mode=filtering)


def _crash(_step: SimulatedStep) -> None:
    """End the process by a signal."""
    os.kill(os.getpid(), signal.SIGSEGV)


def _sets_value(step: SimulatedStep) -> bool:
    """Return whether an argument value has one byte too many."""
    kernel, index = step.find("kernel", Kernel), step.call.arg_index
    declared = (kernel.parameters or ()) if kernel is not None else ()
    return (
        index < len(declared)
        and declared[index].kind is ArgumentKind.VALUE
        and step.call.arg_size == declared[index].bytes + 1
    )


def _sets_empty_local_memory(step: SimulatedStep) -> bool:
    """Return whether local memory of 0 bytes is set."""
    kernel, index = step.find("kernel", Kernel), step.call.arg_index
    declared = (kernel.parameters or ()) if kernel is not None else ()
    return index < len(declared) and declared[index].kind is ArgumentKind.LOCAL and step.call.arg_size == 0


def _is_short(query: str) -> Condition:
    """Return whether a call makes this query with an output buffer that is too small."""
    return lambda step: (
        step.is_query(query) and step.has_error("CL_INVALID_VALUE") and step.call.param_value is not None
    )


PAIRS = (
    FaultPair(
        "wrong-argument-size-accepted",
        SET,
        ("An argument value one byte larger than its type is accepted", _sets_value),
        ("local memory of 0 bytes", _sets_empty_local_memory),
        SimulatedStep.accept,
    ),
    FaultPair(
        "undefined-sampler-mode-accepted",
        SAMPLER,
        ("The addressing mode 0 is accepted", lambda step: step.call.addressing_mode == 0),
        ("the filter mode 0", lambda step: step.call.filter_mode == 0),
        _accept_sampler,
    ),
    FaultPair(
        "undefined-sampler-mode-crashes",
        SAMPLER,
        ("The addressing mode 0 ends the process", lambda step: step.call.addressing_mode == 0),
        ("the filter mode 0", lambda step: step.call.filter_mode == 0),
        _crash,
    ),
    FaultPair(
        "wrong-pattern-size-accepted",
        FILL,
        (
            f"A pattern of {PATTERN_SIZES[0]} bytes is accepted",
            lambda step: step.call.pattern_size == PATTERN_SIZES[0],
        ),
        (f"a pattern of {PATTERN_SIZES[1]} bytes", lambda step: step.call.pattern_size == PATTERN_SIZES[1]),
        SimulatedStep.accept,
    ),
    FaultPair(
        "short-output-buffer-accepted",
        QUERY,
        ("The query CL_PLATFORM_NAME accepts a buffer that is too small", _is_short("CL_PLATFORM_NAME")),
        ("the query CL_PLATFORM_VERSION", _is_short("CL_PLATFORM_VERSION")),
        SimulatedStep.accept,
    ),
)


def _apply_where(
    condition: Condition, outcome: Callable[[SimulatedStep], Outcome | None]
) -> Callable[[SimulatedStep], Outcome | None]:
    """Return a fault with this outcome of the calls that the condition selects."""
    return lambda step: outcome(step) if condition(step) else None


def _either(one: Condition, other: Condition) -> Condition:
    return lambda step: one(step) or other(step)


for _pair in PAIRS:
    (_text, _first), (_more, _further) = _pair.first, _pair.further
    _declaration = faults.plant(_pair.function, succeeded=False)
    _declaration.add(_pair.names[0], f"{_text}.", _apply_where(_first, _pair.outcome))
    _declaration.add(
        _pair.names[1], f"{_text}; likewise {_more}.", _apply_where(_either(_first, _further), _pair.outcome)
    )
