"""When creating an image must fail (section 5.3.1), as far as rules exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.answers import Answer, Reply
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables

rules = Rules()


@rules.clause(
    "clCreateImage/CL_INVALID_DEVICE/2", "clCreateImage/CL_INVALID_DEVICE/3", "clCreateImage/CL_INVALID_DEVICE/4"
)
def device_of_a_property(_call: Call, _model: Model) -> Reply:
    """A list of properties names a device, or names none for imported memory; clCreateImage takes no such list."""
    return Answer.NO


@rules.completion
def _untestable(rules: Rules, _tables: Tables) -> None:
    for number, words in (
        (2, "CL_MEM_DEVICE_HANDLE_LIST_KHR names a device that is not valid or not a device of context."),
        (3, "CL_MEM_DEVICE_HANDLE_LIST_KHR names a device that cannot import the external memory."),
        (4, "CL_MEM_DEVICE_HANDLE_LIST_KHR is not given, and a device of context cannot import the memory."),
    ):
        rules.untestable(f"clCreateImage/CL_INVALID_DEVICE/{number}", words, "clCreateImage takes no properties")
