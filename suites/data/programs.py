"""The machines that make programs about contents, put together from their rules."""

from __future__ import annotations

from clconform.suites.data.buffer_rules import BufferRules
from clconform.suites.data.image_kernel_rules import ImageKernelRules
from clconform.suites.data.image_rules import ImageRules
from clconform.suites.data.release_rules import ReleaseRules
from clconform.suites.data.shared_rules import SharedRules


class Programs(BufferRules, SharedRules, ReleaseRules):
    """Buffers, regions, areas, maps, shared memory and kernels, used and given back in any order."""


class ImagePrograms(ImageRules, ImageKernelRules):
    """Images of every type, buffers and maps beside them, and kernels over them."""
