"""Samplers to query: created from modes and from property lists."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING

from clconform.suites.kit.samplers import ADDRESSING, ADDRESSING_MODES, COORDINATES, FILTER, FILTER_MODES
from clconform.suites.queries.kinds import Kind, Kinds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import About

SAMPLER = "clGetSamplerInfo"
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
    yield Kind("a sampler with one property", functools.partial(_by_list, (COORDINATES, 0)))
    for name, value in ((FILTER, "CL_FILTER_LINEAR"), (ADDRESSING, "CL_ADDRESS_REPEAT")):
        yield Kind(f"a sampler with {value} alone", functools.partial(_by_list, (name, value)))
    every = (FILTER, "CL_FILTER_LINEAR", COORDINATES, 1, ADDRESSING, "CL_ADDRESS_REPEAT")
    yield Kind("a sampler with all properties", functools.partial(_by_list, every))
    yield Kind("a sampler with a list of what it has anyhow", functools.partial(_by_list, _usual()))
    yield Kind("a sampler with more behind its list's end", functools.partial(_by_list, (COORDINATES, 0, 0, 0x7777, 1)))


def _usual() -> tuple[str | int, ...]:
    return (COORDINATES, 1, ADDRESSING, "CL_ADDRESS_CLAMP", FILTER, "CL_FILTER_NEAREST")


def _by_modes(normalized: int, addressing: str, filtering: str, kit: Kit) -> About:
    return {"sampler": kit.sampler(normalized, addressing, filtering)}


@kinds.family(SAMPLER)
def samplers_by_modes() -> Iterator[Kind]:
    for mode, filtering, normalized in itertools.product(ADDRESSING_MODES, FILTER_MODES, (0, 1)):
        words = f"a sampler: {mode}, {filtering}, {'' if normalized else 'not '}normalized"
        yield Kind(words, functools.partial(_by_modes, normalized, mode, filtering))
