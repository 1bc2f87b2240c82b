"""Rules for kernels that read all texels of an image into a buffer, or write them from a buffer."""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from clconform.calls.values import ElementList, Handle, HandleBytes
from clconform.oracles.model.image_kernels import COLOUR_BYTES, ImageOperation, kernel_name
from clconform.oracles.model.images import Image
from clconform.suites.chapters.images.kernel_kit import ImageKit
from clconform.suites.data.state_machine import ContentsMachine

if TYPE_CHECKING:
    from clconform.calls.values import Value


class ImageKernelRules(ContentsMachine):
    """Rules for kernels that read or write every texel of an image."""

    @cached_property
    def image_kit(self) -> ImageKit:
        """A kit for kernels over images, in the context of the example."""
        made = ImageKit(self.cl)
        made.context = self.kit.context
        return made

    def texel_images(self) -> list[Image]:
        """Return the images whose texels the model can decode."""
        living = [
            each for each in self.live_objects(Image) if each.format.layout is not None and each.memory is not None
        ]
        return [each for each in living if each.source is None or each.source.references > 0]

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and bool(self.texel_images()) and bool(self.buffers()))
    def run_image_kernel(self, data: st.DataObject) -> None:
        """Run a kernel that reads or writes all texels of an image; a buffer contains the colours."""
        image = self.draw_object(data, self.texel_images())
        work = data.draw(st.sampled_from((ImageOperation.READ, ImageOperation.WRITE)), "work")
        texels = math.prod(image.shape.extent)
        large = [
            each
            for each in self.buffers()
            if each.size >= COLOUR_BYTES * texels and not self.share_storage(image, each)
        ]
        if not large or image.format.layout is None:
            return
        colours = self.draw_object(data, large)
        name = kernel_name(work, image.shape.image_type, image.format.layout.encoding, depth=False)

        def act() -> None:
            if name not in self.kernels:
                self.kernels.update(self.image_kit.create_image_kernels([name]))
            for index, thing in enumerate((image, colours)):
                self.cl.clSetKernelArg(
                    self.kernels[name], index, self.cl.model.pointer_bytes, HandleBytes(Handle(thing.name))
                )

        self.attempt_calls(act)
        if not self.is_over and name in self.kernels:
            sizes: dict[str, Value] = {"work_dim": 1, "global_work_offset": None, "local_work_size": ElementList((1,))}
            run = {"kernel": self.kernels[name], "global_work_size": ElementList((texels,)), **sizes}
            self.enqueue(data, "clEnqueueNDRangeKernel", **run)
