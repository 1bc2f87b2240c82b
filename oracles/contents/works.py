"""What each command and host step does to contents: declared by function, used by those who judge and who refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.contents.order import Command
    from clconform.oracles.contents.storage import Place
    from clconform.oracles.model import Model
    from clconform.oracles.promises import Element, Want


def _nothing(_value: Element, _command: Command | None) -> None:
    """Leave all contents as they are."""


@dataclass
class Work:
    """What a command or a host step does to contents, once it is sure to be done in its place.

    ``reads``, ``writes``: what it uses. ``pointed``: those of them that it reaches by a host's pointer.
    ``gives``: what it hands to the host when it comes back; ``value``: what a host step gives as its result.
    ``carry_out`` moves contents on; it gets the call's result and the command.
    """

    reads: tuple[Place, ...] = ()
    writes: tuple[Place, ...] = ()
    pointed: tuple[Place, ...] = ()
    gives: dict[str, Want] = field(default_factory=dict)
    value: Want | None = None
    carry_out: Callable[[Element, Command | None], None] = _nothing


Worker: TypeAlias = "Callable[[Call, Model], Work]"
WORKS: dict[str, Worker] = {}
"""Function to what it does to contents; functions that are not here leave them alone."""

_F = TypeVar("_F", bound=Callable[..., object])


def work(*functions: str) -> Callable[[_F], _F]:
    """Declare what these functions do to contents."""

    def declare(function: _F) -> _F:
        for name in functions:
            if name in WORKS:
                raise ValueError(f"{name} is described twice")
            WORKS[name] = function  # type: ignore[assignment]
        return function

    return declare


def work_of(call: Call, model: Model) -> Work:
    """Return what a call does to contents. UnknownError: the model does not know. ForbiddenError: it is undefined.

    It is worked out once for the call that is being judged.
    """
    judged = model.work
    if judged is not None and judged[0] is call:
        return judged[1]
    found = WORKS.get(call.function)
    made = found(call, model) if found is not None else Work()
    model.work = (call, made)
    return made
