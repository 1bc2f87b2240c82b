"""The functions that enqueue one command of each type, told by their valid calls."""

from __future__ import annotations

import functools

from clconform.spec_tables import load
from clconform.suites.kit.valid_calls import every_valid_call

ELSEWHERE = ("Acquire", "Release", "AMD")
"""Parts of the names of commands that need another interface, or another device on the bus."""


@functools.cache
def commands() -> tuple[str, ...]:
    """Return the functions with a valid call that give an event."""
    functions = load().functions
    return tuple(
        name
        for name in every_valid_call()
        if name in functions
        and name.startswith("clEnqueue")
        and not any(part in name for part in ELSEWHERE)
        and any(each.name == "event" and each.direction == "out" for each in functions[name].parameters)
    )
