"""State machines for random programs, each a combination of rules."""

from __future__ import annotations

from clconform.suites.data.buffer_rules import BufferRules
from clconform.suites.data.image_kernel_rules import ImageKernelRules
from clconform.suites.data.image_rules import ImageRules
from clconform.suites.data.release_rules import ReleaseRules
from clconform.suites.data.shared_rules import SharedRules


class BufferPrograms(BufferRules, SharedRules, ReleaseRules):
    """Random programs with buffers, sub-buffers, host areas, mapped regions, SVM and kernels, released in any order."""


class ImagePrograms(ImageRules, ImageKernelRules):
    """Random programs with images of every type, buffers, mapped regions, and kernels over the images."""
