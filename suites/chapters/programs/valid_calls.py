"""One valid call of each function that makes programs (section 5.8.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Texts
from clconform.suites.kit.programs import sources_of
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clCreateProgramWithSource")
def program(kit: Kit) -> Arguments:
    """Make a program of one kernel's source."""
    return {"context": kit.context, "count": 1, "strings": Texts(sources_of("add_index")), "lengths": None}
