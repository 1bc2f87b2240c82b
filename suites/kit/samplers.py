"""Samplers, created from modes or from property lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, OutputBuffer
from clconform.suites.helpers import is_available, require_handle, skip_unless
from clconform.suites.kit.images import ImageAndPipeKit

if TYPE_CHECKING:
    from clconform.calls.values import ElementList

COORDINATES, ADDRESSING, FILTER = (
    f"CL_SAMPLER_{name}" for name in ("NORMALIZED_COORDS", "ADDRESSING_MODE", "FILTER_MODE")
)
ADDRESSING_MODES = tuple(
    f"CL_ADDRESS_{name}" for name in ("NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT")
)
"""Addressing modes; the last two are repeat modes, which require normalized coordinates."""
FILTER_MODES = ("CL_FILTER_NEAREST", "CL_FILTER_LINEAR")


class SamplerKit(ImageAndPipeKit):
    """A kit with samplers in its context."""

    def sampler(
        self, normalized: int = 0, addressing: str = "CL_ADDRESS_NONE", filtering: str = "CL_FILTER_NEAREST"
    ) -> Handle:
        """Create a sampler from its modes."""
        modes = (self.constant(addressing), self.constant(filtering))
        return require_handle(self.cl.clCreateSampler(self.context, normalized, *modes, OutputBuffer(1)))

    def sampler_from_list(self, properties: ElementList | None) -> Handle:
        """Create a sampler from a property list."""
        skip_unless(
            is_available(self.cl, "clCreateSamplerWithProperties"),
            "requires OpenCL 2.0 (samplers with a property list)",
        )
        return require_handle(self.cl.clCreateSamplerWithProperties(self.context, properties, OutputBuffer(1)))
