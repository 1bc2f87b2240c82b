"""The state machines of random programs, composed of rules."""

from __future__ import annotations

from clconform.suites.data.buffer_rules import BufferRules
from clconform.suites.data.image_kernel_rules import ImageKernelRules
from clconform.suites.data.image_rules import ImageRules
from clconform.suites.data.release_rules import ReleaseRules
from clconform.suites.data.shared_rules import SharedRules


class BufferPrograms(BufferRules, SharedRules, ReleaseRules):
    """Buffers, sub-buffers, host areas, mapped regions, SVM and kernels, used and released in any order."""


class ImagePrograms(ImageRules, ImageKernelRules):
    """Images of every type, with buffers, mapped regions, and kernels over the images."""
