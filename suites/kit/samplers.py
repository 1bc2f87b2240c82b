"""Samplers, created from modes or from property lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Handle, OutputBuffer
from clconform.suites.kit.images import Images
from clconform.suites.steps import needs, one, promised

if TYPE_CHECKING:
    from clconform.calls.values import Items

COORDINATES, ADDRESSING, FILTER = (
    f"CL_SAMPLER_{name}" for name in ("NORMALIZED_COORDS", "ADDRESSING_MODE", "FILTER_MODE")
)
ADDRESSING_MODES = tuple(
    f"CL_ADDRESS_{name}" for name in ("NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT")
)
"""Addressing modes; the last two repeat the image and require normalized coordinates."""
FILTER_MODES = ("CL_FILTER_NEAREST", "CL_FILTER_LINEAR")


class Samplers(Images):
    """Samplers in the kit's context."""

    def sampler(
        self, normalized: int = 0, addressing: str = "CL_ADDRESS_NONE", filtering: str = "CL_FILTER_NEAREST"
    ) -> Handle:
        """Create a sampler from its modes."""
        modes = (self.value(addressing), self.value(filtering))
        return one(self.cl.clCreateSampler(self.context, normalized, *modes, OutputBuffer(1)))

    def sampler_by_list(self, properties: Items | None) -> Handle:
        """Create a sampler from a property list."""
        needs(promised(self.cl, "clCreateSamplerWithProperties"), "requires OpenCL 2.0 (samplers with a property list)")
        return one(self.cl.clCreateSamplerWithProperties(self.context, properties, OutputBuffer(1)))
