"""Samplers for queries, created from modes and from property lists."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING

from clconform.suites.kit.samplers import ADDRESSING, ADDRESSING_MODES, COORDINATES, FILTER, FILTER_MODES
from clconform.suites.queries.kinds import ObjectKind, ObjectKindRegistry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.kit.kit import Kit
    from clconform.suites.queries.kinds import QuerySubject

SAMPLER = "clGetSamplerInfo"
kinds = ObjectKindRegistry()


@kinds.declare("a sampler", SAMPLER)
def sampler(kit: Kit) -> QuerySubject:
    return {"sampler": kit.sampler(1, "CL_ADDRESS_CLAMP_TO_EDGE", "CL_FILTER_LINEAR")}


@kinds.declare("a sampler of pixels", SAMPLER)
def sampler_of_pixels(kit: Kit) -> QuerySubject:
    return {"sampler": kit.sampler()}


def _sampler_from_list(elements: tuple[str | int, ...] | None, kit: Kit) -> QuerySubject:
    properties = None if elements is None else kit.property_list(*elements)
    return {"sampler": kit.sampler_from_list(properties)}


@kinds.declare_family(SAMPLER)
def samplers_by_list() -> Iterator[ObjectKind]:
    yield ObjectKind("a sampler with a NULL list", functools.partial(_sampler_from_list, None))
    yield ObjectKind("a sampler with an empty list", functools.partial(_sampler_from_list, ()))
    yield ObjectKind("a sampler with one property", functools.partial(_sampler_from_list, (COORDINATES, 0)))
    for name, value in ((FILTER, "CL_FILTER_LINEAR"), (ADDRESSING, "CL_ADDRESS_REPEAT")):
        yield ObjectKind(f"a sampler with {value} alone", functools.partial(_sampler_from_list, (name, value)))
    every = (FILTER, "CL_FILTER_LINEAR", COORDINATES, 1, ADDRESSING, "CL_ADDRESS_REPEAT")
    yield ObjectKind("a sampler with all properties", functools.partial(_sampler_from_list, every))
    yield ObjectKind(
        "a sampler with a list of its default properties", functools.partial(_sampler_from_list, _default_properties())
    )
    yield ObjectKind(
        "a sampler with values after the end of its list",
        functools.partial(_sampler_from_list, (COORDINATES, 0, 0, 0x7777, 1)),
    )


def _default_properties() -> tuple[str | int, ...]:
    return (COORDINATES, 1, ADDRESSING, "CL_ADDRESS_CLAMP", FILTER, "CL_FILTER_NEAREST")


def _sampler_from_modes(normalized: int, addressing: str, filtering: str, kit: Kit) -> QuerySubject:
    return {"sampler": kit.sampler(normalized, addressing, filtering)}


@kinds.declare_family(SAMPLER)
def samplers_by_modes() -> Iterator[ObjectKind]:
    for mode, filtering, normalized in itertools.product(ADDRESSING_MODES, FILTER_MODES, (0, 1)):
        words = f"a sampler: {mode}, {filtering}, {'' if normalized else 'not '}normalized"
        yield ObjectKind(words, functools.partial(_sampler_from_modes, normalized, mode, filtering))
