"""Snapshots of the objects that a recorded command uses."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from clconform.oracles.model.kernels import Kernel

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import ClObject


def as_it_is(thing: ClObject) -> ClObject:
    """Return an object as a recorded command keeps it: a copy of a kernel, unaffected by later changes."""
    if not isinstance(thing, Kernel):
        return thing
    kept = copy.copy(thing)
    kept.arguments, kept.doubtful = dict(thing.arguments), set(thing.doubtful)
    kept.reaches, kept.listed = set(thing.reaches), {name: list(each) for name, each in thing.listed.items()}
    kept.shows, kept.source = set(), None
    return kept
