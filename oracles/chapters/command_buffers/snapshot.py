"""Copies of the objects that a recorded command uses."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject


def take_snapshot(thing: ClObject) -> ClObject:
    """Return a copy of a kernel. Later changes of the kernel do not affect the copy.

    Any other object is returned unchanged.
    """
    if not isinstance(thing, Kernel):
        return thing
    kept = copy.copy(thing)
    kept.arguments, kept.uncertain_arguments = dict(thing.arguments), set(thing.uncertain_arguments)
    kept.indirect_types, kept.indirect_memory = (
        set(thing.indirect_types),
        {name: list(each) for name, each in thing.indirect_memory.items()},
    )
    kept.covered_requirements, kept.source = set(), None
    return kept
