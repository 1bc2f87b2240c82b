"""One valid call of each function about samplers (section 5.7); a device without images must reject it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()


@valid_calls.declare("clCreateSampler")
def sampler(kit: Kit) -> Arguments:
    """Create a sampler with nearest filtering and unnormalized coordinates."""
    modes = {"addressing_mode": kit.constant("CL_ADDRESS_NONE"), "filter_mode": kit.constant("CL_FILTER_NEAREST")}
    return {"context": kit.context, "normalized_coords": 0, **modes}


@valid_calls.declare("clCreateSamplerWithProperties")
def sampler_with_properties(kit: Kit) -> Arguments:
    """Create a sampler with NULL as the property list."""
    return {"context": kit.context, "sampler_properties": None}


@valid_calls.declare("clRetainSampler", "clReleaseSampler")
def retain_or_release(kit: Kit) -> Arguments:
    """Retain or release a sampler that has one reference."""
    return {"sampler": kit.sampler()}
