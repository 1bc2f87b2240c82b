"""The functions that enqueue one command, from the declared valid calls."""

from __future__ import annotations

import functools

from clconform.spec_tables import load
from clconform.suites.kit.valid_calls import all_valid_calls

USABLE_EXTENSIONS = frozenset({"cl_intel_unified_shared_memory"})
"""Extensions whose commands need neither objects of another API nor a second device."""


@functools.cache
def command_functions() -> tuple[str, ...]:
    """Return the enqueue functions that have a valid call and return an event."""
    functions = load().functions
    return tuple(
        name
        for name in all_valid_calls()
        if name in functions
        and name.startswith("clEnqueue")
        and all(gate.name in USABLE_EXTENSIONS for gate in functions[name].applicability if gate.subject == "extension")
        and any(each.name == "event" and each.direction == "out" for each in functions[name].parameters)
    )
