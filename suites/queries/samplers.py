"""Samplers to ask: made by modes, and by lists of properties."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from clconform.suites.queries.kinds import Kind, Kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About

SAMPLER = "clGetSamplerInfo"
NORMALIZED, FILTER = "CL_SAMPLER_NORMALIZED_COORDS", "CL_SAMPLER_FILTER_MODE"
kinds = Kinds()


@kinds.of("a sampler", SAMPLER)
def sampler(kit: Kit) -> About:
    return {"sampler": kit.sampler(1, "CL_ADDRESS_CLAMP_TO_EDGE", "CL_FILTER_LINEAR")}


@kinds.of("a sampler of pixels", SAMPLER)
def sampler_of_pixels(kit: Kit) -> About:
    return {"sampler": kit.sampler()}


def _by_list(elements: tuple[str | int, ...] | None, kit: Kit) -> About:
    properties = None if elements is None else kit.listed(*elements)
    return {"sampler": kit.sampler_by_list(properties)}


@kinds.family(SAMPLER)
def samplers_by_list() -> Iterator[Kind]:
    yield Kind("a sampler with a NULL list", functools.partial(_by_list, None))
    yield Kind("a sampler with an empty list", functools.partial(_by_list, ()))
    yield Kind("a sampler with one property", functools.partial(_by_list, (NORMALIZED, 0)))
    every = (FILTER, "CL_FILTER_LINEAR", NORMALIZED, 1, "CL_SAMPLER_ADDRESSING_MODE", "CL_ADDRESS_REPEAT")
    yield Kind("a sampler with all properties", functools.partial(_by_list, every))
