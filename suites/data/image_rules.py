"""Rules for images, and for the buffers and host memory that are sources and destinations of their texels."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, PointerArgument, Value
from clconform.oracles.model.images import Image
from clconform.runner.session.outcome_values import returned_handles
from clconform.suites.data.buffer_rules import MAP_FLAGS
from clconform.suites.data.host_rules import HostRules
from clconform.suites.data.strategies import byte_ranges, byte_strings
from clconform.suites.helpers import is_available
from clconform.suites.kit.formats import list_formats
from clconform.suites.kit.images import IMAGE_OF_BUFFER
from clconform.suites.kit.texels import host_size, read_mapped, region_arguments, write_mapped, write_region

if TYPE_CHECKING:
    from clconform.oracles.model.format_lists import FormatPair
    from clconform.suites.kit.texels import Triple

MAX_IMAGES, MAX_BUFFERS = 5, 2
BUFFER_BYTES, HOST_BYTES = 2048, 4096
FORMATS = (
    ("CL_RGBA", "CL_UNSIGNED_INT8"),
    ("CL_RGBA", "CL_UNORM_INT8"),
    ("CL_BGRA", "CL_UNORM_INT8"),
    ("CL_R", "CL_UNSIGNED_INT8"),
    ("CL_RG", "CL_SIGNED_INT16"),
    ("CL_RGBA", "CL_FLOAT"),
)
"""Formats with texels of 1, 4 and 16 bytes; several images of an example share one, so that they can be copied."""
SIZES: dict[str, tuple[int, int, int, int]] = {
    "CL_MEM_OBJECT_IMAGE1D": (13, 0, 0, 0),
    "CL_MEM_OBJECT_IMAGE1D_ARRAY": (11, 0, 0, 3),
    "CL_MEM_OBJECT_IMAGE2D": (9, 7, 0, 0),
    "CL_MEM_OBJECT_IMAGE2D_ARRAY": (7, 4, 0, 3),
    "CL_MEM_OBJECT_IMAGE3D": (6, 5, 4, 0),
    IMAGE_OF_BUFFER: (12, 0, 0, 0),
}
"""The width, height, depth and number of array layers of images of each type."""
COLOURS = {
    "whole": tuple(struct.pack("<4I", *(number * seed % 128 for number in (17, 34, 51, 68))) for seed in (1, 3)),
    "float": tuple(struct.pack("<4f", *numbers) for numbers in ((0.0, 1.0, 0.25, 0.75), (2.0, -1.0, 0.5, 1.0))),
}
"""Colours for fills: integers that every integer format can represent, and floats, some of which are clamped."""
needs_images = precondition(lambda self: not self.is_over and bool(self.images()))


class ImageRules(HostRules):
    """Rules for images of every type, for buffers and host memory, and for all commands that transfer texels."""

    formats: tuple[tuple[str, str], ...] = ()
    """The formats of the images in this example."""

    @initialize(data=st.data())
    def create_two_images(self, data: st.DataObject) -> None:
        """Create a buffer and two images of one format at the start of an example."""
        if self.is_over or not is_available(self.cl, "clCreateImage") or not self.cl.fact("CL_DEVICE_IMAGE_SUPPORT"):
            return
        value = self.kit.constant
        kind = value("CL_MEM_OBJECT_IMAGE2D")
        offered: list[FormatPair] = []
        flags = value("CL_MEM_READ_WRITE")
        self.attempt_calls(lambda: offered.extend(list_formats(self.kit, self.kit.context, flags, kind)))
        self.formats = tuple(each for each in FORMATS if (value(each[0]), value(each[1])) in offered)
        if not self.formats or self.is_over:
            return
        self.draw_buffer(data)
        chosen = data.draw(st.sampled_from(self.formats), "format")
        for _ in range(2):
            if not self.is_over:
                self.draw_image(data, chosen)

    # objects

    def images(self) -> list[Image]:
        """Return the images whose memory may be used."""
        return [each for each in self.live_objects(Image) if each.source is None or each.source.references > 0]

    def draw_buffer(self, data: st.DataObject) -> None:
        """Create a buffer that contains test bytes."""
        content = data.draw(byte_strings(BUFFER_BYTES))
        flags = self.kit.constant("CL_MEM_READ_WRITE")

        def act() -> None:
            for handle in returned_handles(
                self.cl.clCreateBuffer(self.kit.context, flags, BUFFER_BYTES, None, OutputBuffer(1))
            ):
                self.kit.write(handle, 0, content, self.queues[0])

        self.attempt_calls(act)

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and self.has_capacity() and len(self.buffers()) < MAX_BUFFERS)
    def create_buffer(self, data: st.DataObject) -> None:
        """Create another buffer."""
        self.draw_buffer(data)

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and self.has_capacity() and len(self.images()) < MAX_IMAGES)
    def create_image(self, data: st.DataObject) -> None:
        """Create another image, usually with the format of an existing image."""
        if not self.formats:
            return
        known = [self.format_names(each) for each in self.images()]
        self.draw_image(data, data.draw(st.sampled_from([*known, *known, *self.formats]), "format"))

    def format_names(self, image: Image) -> tuple[str, str]:
        """Return the names of an image's format."""
        pair = (image.format.order, image.format.channel_type)
        return next(each for each in self.formats if (self.kit.constant(each[0]), self.kit.constant(each[1])) == pair)

    def draw_image(self, data: st.DataObject, chosen: tuple[str, str]) -> None:
        """Create an image: from host memory, from a buffer, or uninitialised.

        An uninitialised image is then written. Host memory is copied or used in place.
        """
        image_type = data.draw(st.sampled_from(list(SIZES)), "type")
        width, height, depth, layers = SIZES[image_type]
        fields = {"image_width": width, "image_height": height, "image_depth": depth, "image_array_size": layers}
        host_flag, source = "", None
        content = data.draw(byte_strings(HOST_BYTES))
        if image_type == IMAGE_OF_BUFFER:
            if not self.buffers():
                return
            source = Handle(self.draw_object(data, self.buffers()).name)
        else:
            host_flag = data.draw(st.sampled_from(("", "", "CL_MEM_COPY_HOST_PTR", "CL_MEM_USE_HOST_PTR")), "host")
        if host_flag:
            row = data.draw(st.sampled_from((0, 16 * (width + 1))), "row pitch")
            fields |= {"image_row_pitch": row}
        seed = data.draw(st.integers(0, 100), "seed")

        def act() -> None:
            host: PointerArgument = None
            if host_flag:
                host = self.kit.host_area(content) if host_flag == "CL_MEM_USE_HOST_PTR" else Data(content)
            flags = () if source else ("CL_MEM_READ_WRITE", *((host_flag,) if host_flag else ()))
            handle = self.kit.image(image_type, chosen, flags=flags, source=source, host=host, **fields)
            if not host_flag and not source:
                write_region(self.kit, handle, seed, queue=self.queues[0])

        self.attempt_calls(act)

    # commands

    def draw_region(self, data: st.DataObject, image: Image) -> tuple[Triple, Triple]:
        """Draw a region of an image: its origin and its size."""
        drawn = [data.draw(byte_ranges(size), "part") for size in image.shape.extent]
        return tuple(start for start, _ in drawn), tuple(size for _, size in drawn)  # type: ignore[return-value]

    def draw_pitches(self, data: st.DataObject, image: Image, region: Triple) -> tuple[int, int]:
        """Draw the host pitches of a region: zeros, or pitches with gaps if the image type has pitches."""
        if not data.draw(st.booleans(), "gaps"):
            return 0, 0
        row = (region[0] + data.draw(st.integers(0, 2), "gap")) * image.format.element_size
        if image.shape.dimensions < 2 or image.shape.image_type.endswith("IMAGE2D"):  # noqa: PLR2004 (no slices)
            return row, 0
        layer = row if image.shape.image_type.endswith("1D_ARRAY") else row * region[1]
        return row, layer * data.draw(st.integers(1, 2), "rows of a slice")

    @rule(data=st.data())
    @needs_images
    def write_image(self, data: st.DataObject) -> None:
        """Write a region of an image from bytes or from host memory."""
        image = self.draw_object(data, self.images())
        origin, region = self.draw_region(data, image)
        row, slice_ = self.draw_pitches(data, image, region)
        size = host_size(image, region, row, slice_)
        pointer = self.draw_host_range(data, size) if data.draw(st.booleans(), "from memory") else None
        given: Value = pointer or Data(data.draw(byte_strings(size)))
        told: dict[str, Value] = {"input_row_pitch": row, "input_slice_pitch": slice_, "ptr": given}
        told |= self.draw_blocking(data, "write")
        self.enqueue(data, "clEnqueueWriteImage", **region_arguments(image, origin, region), **told)

    @rule(data=st.data())
    @needs_images
    def read_image(self, data: st.DataObject) -> None:
        """Read a region of an image into an output buffer or into host memory."""
        image = self.draw_object(data, self.images())
        origin, region = self.draw_region(data, image)
        row, slice_ = self.draw_pitches(data, image, region)
        size = host_size(image, region, row, slice_)
        pointer = self.draw_host_range(data, size) if data.draw(st.booleans(), "into memory") else None
        waits = self.draw_blocking(data, "read") if pointer else {"blocking_read": 1}
        told: dict[str, Value] = {"row_pitch": row, "slice_pitch": slice_, "ptr": pointer or OutputBuffer(size)}
        self.enqueue(data, "clEnqueueReadImage", **region_arguments(image, origin, region), **waits, **told)

    @rule(data=st.data())
    @needs_images
    def fill_image(self, data: st.DataObject) -> None:
        """Fill a region of an image with a colour."""
        image = self.draw_object(data, self.images())
        origin, region = self.draw_region(data, image)
        kind = image.format.layout.encoding if image.format.layout is not None else ""
        colour = data.draw(st.sampled_from(COLOURS["whole" if kind in ("sint", "uint") else "float"]), "colour")
        self.enqueue(data, "clEnqueueFillImage", **region_arguments(image, origin, region), fill_color=Data(colour))

    @rule(data=st.data())
    @needs_images
    def copy_image(self, data: st.DataObject) -> None:
        """Copy a region of an image to another image of the same format, or within the image."""
        source = self.draw_object(data, self.images())
        like = [each for each in self.images() if each.format == source.format]
        others = [each for each in like if each is not source]
        target = self.draw_object(data, others or like)
        origin, region = self.draw_region(data, source)
        region = tuple(map(min, region, target.shape.extent))  # type: ignore[assignment]
        left = [most - size for most, size in zip(target.shape.extent, region, strict=True)]
        to = tuple(data.draw(st.sampled_from(sorted({0, each // 2, each})), "to") for each in left)
        if self.share_storage(source, target):
            return
        told: dict[str, Value] = {
            "src_origin": ElementList(origin),
            "dst_origin": ElementList(to),
            "region": ElementList(region),
        }
        objects: dict[str, Value] = {"src_image": Handle(source.name), "dst_image": Handle(target.name)}
        self.enqueue(data, "clEnqueueCopyImage", **objects, **told)

    @rule(data=st.data(), back=st.booleans())
    @precondition(lambda self: not self.is_over and bool(self.images()) and bool(self.buffers()))
    def copy_through_buffer(self, data: st.DataObject, back: bool) -> None:  # noqa: FBT001 (drawn)
        """Copy a region of an image to a buffer, or bytes of a buffer to a region of an image.

        ``back``: the copy is from the buffer to the image.
        """
        image, buffer = self.draw_object(data, self.images()), self.draw_object(data, self.buffers())
        origin, region = self.draw_region(data, image)
        left = buffer.size - host_size(image, region)
        if self.share_storage(image, buffer) or left < 0:
            return
        offset = data.draw(st.sampled_from(sorted({0, left // 2 // 4 * 4, left // 4 * 4})), "offset")
        sides: dict[str, Value]
        if back:
            sides = {
                "src_buffer": Handle(buffer.name),
                "dst_image": Handle(image.name),
                "dst_origin": ElementList(origin),
            }
            self.enqueue(data, "clEnqueueCopyBufferToImage", **sides, src_offset=offset, region=ElementList(region))
        else:
            sides = {
                "src_image": Handle(image.name),
                "dst_buffer": Handle(buffer.name),
                "src_origin": ElementList(origin),
            }
            self.enqueue(data, "clEnqueueCopyImageToBuffer", **sides, dst_offset=offset, region=ElementList(region))

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and bool(self.buffers()))
    def write_buffer(self, data: st.DataObject) -> None:
        """Write a part of a buffer, from which an image may have been created."""
        buffer = self.draw_object(data, self.buffers())
        offset, size = self.draw_part(data, buffer)
        given: dict[str, Value] = {"offset": offset, "size": size, "ptr": Data(data.draw(byte_strings(size)))}
        self.enqueue(
            data, "clEnqueueWriteBuffer", buffer=Handle(buffer.name), **self.draw_blocking(data, "write"), **given
        )

    @rule(data=st.data())
    @precondition(lambda self: not self.is_over and bool(self.buffers()))
    def read_buffer(self, data: st.DataObject) -> None:
        """Read a whole buffer."""
        buffer = self.draw_object(data, self.buffers())
        room: dict[str, Value] = {"offset": 0, "size": buffer.size, "ptr": OutputBuffer(buffer.size)}
        self.enqueue(data, "clEnqueueReadBuffer", buffer=Handle(buffer.name), blocking_read=1, **room)

    # maps

    def draw_map_arguments(self, data: st.DataObject) -> tuple[Image, dict[str, Value]]:
        """Draw an image, and the arguments to map a region of it."""
        image = self.draw_object(data, self.images())
        pitches: dict[str, Value] = {"image_row_pitch": OutputBuffer(1), "image_slice_pitch": OutputBuffer(1)}
        return image, {**region_arguments(image, *self.draw_region(data, image)), **pitches}

    @rule(data=st.data())
    @needs_images
    def map_image(self, data: st.DataObject) -> None:
        """Map a region of an image."""
        image, told = self.draw_map_arguments(data)
        flags = self.kit.constant(*data.draw(st.sampled_from(MAP_FLAGS), "flags"))
        whole = image.memory.spans(0, image.memory.size) if image.memory is not None else ()
        if self.are_spans_mappable(image, whole, reads=flags == self.kit.constant("CL_MAP_READ")):
            self.enqueue(data, "clEnqueueMapImage", map_flags=flags, **self.draw_blocking(data, "map"), **told)

    @rule(data=st.data())
    @needs_images
    def map_write_and_read_image(self, data: st.DataObject) -> None:
        """Map a region of an image to write it, unmap it, and map it again to read it."""
        image, told = self.draw_map_arguments(data)
        seed = data.draw(st.integers(0, 100), "seed")

        def act() -> None:
            for flag in ("CL_MAP_WRITE", "CL_MAP_READ"):
                if self.is_mapped(image):  # or the region of an earlier attempt that was rejected after its map
                    return
                asked = self.kit.enqueue(
                    "clEnqueueMapImage", queue=self.queues[0], map_flags=self.kit.constant(flag), **told
                )
                for handle in returned_handles(asked):
                    for mapped in [each for each in self.cl.model.mapped_regions if each.pointer == handle.name]:
                        if flag == "CL_MAP_WRITE":
                            write_mapped(self.kit, mapped, seed)
                        else:
                            read_mapped(self.kit, mapped)
                    self.kit.unmap(Handle(image.name), handle, self.queues[0])
                    self.kit.finish(self.queues[0])

        self.attempt_calls(act)

    @rule(data=st.data())
    @needs_images
    def migrate_image(self, data: st.DataObject) -> None:
        """Migrate an image, sometimes without its contents."""
        image = self.draw_object(data, self.images())
        names = ((), ("CL_MIGRATE_MEM_OBJECT_HOST",), ("CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED",))
        flags = self.kit.constant(*data.draw(st.sampled_from(names), "flags"))
        objects = self.handle_list(image)
        self.enqueue(data, "clEnqueueMigrateMemObjects", num_mem_objects=1, mem_objects=objects, flags=flags)
