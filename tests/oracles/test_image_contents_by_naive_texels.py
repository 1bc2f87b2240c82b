"""Image contents of the model, compared with a naive dictionary of texels over random sequences of commands.

A naive image is a dictionary from coordinates to a byte; a naive buffer is a list. They have no pitches, spans or
shared storage: each command is applied texel by texel. The model must know exactly the texels in the dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, Value
from clconform.oracles.model.images import Image

from .test_image_contents import EXTENTS, ImageContentsChecker

Coordinates = tuple[int, int, int]
BUFFER, BUFFER_BYTES = Handle("mem9"), 80
MAX_COMMANDS = 8


def list_texels(origin: Coordinates, region: Coordinates) -> list[Coordinates]:
    """Return the texels of a region, in the order of a copy."""
    x, y, z = origin
    width, height, depth = region
    return [(x + i, y + j, z + k) for k in range(depth) for j in range(height) for i in range(width)]


@dataclass
class NaiveImages:
    """The images and the buffer of a sequence, both on the model and texel by texel."""

    data: st.DataObject
    checker: ImageContentsChecker = field(default_factory=ImageContentsChecker)
    types: dict[str, str] = field(default_factory=dict)
    texels: dict[str, dict[Coordinates, int]] = field(default_factory=dict)
    buffer: list[int] = field(default_factory=lambda: list(range(100, 100 + BUFFER_BYTES)))
    executed: set[str] = field(default_factory=set)

    def create_objects(self) -> None:
        """Create a buffer and three images of random types."""
        self.checker.create_buffer(
            "CL_MEM_COPY_HOST_PTR", host=Data(bytes(self.buffer)), name=BUFFER.name, size=BUFFER_BYTES
        )
        for name in ("mem1", "mem2", "mem3"):
            self.types[name] = self.data.draw(st.sampled_from(list(EXTENTS)))
            self.texels[name] = {}
            self.checker.create_image(self.types[name], name)

    def draw_image(self) -> str:
        """Draw one of the images of the sequence."""
        return self.data.draw(st.sampled_from(sorted(self.types)))

    def draw_region(self, *names: str) -> tuple[list[Coordinates], Coordinates]:
        """Draw a region that fits into some images, with its origin in each."""
        sizes = [EXTENTS[self.types[name]] for name in names]
        region = tuple(self.data.draw(st.integers(1, min(each))) for each in zip(*sizes, strict=True))
        origins = [
            tuple(self.data.draw(st.integers(0, most - size)) for most, size in zip(extent, region, strict=True))
            for extent in sizes
        ]
        return origins, region  # type: ignore[return-value]

    def enqueue(self, function: str, **arguments: Value) -> None:
        """Judge a command that succeeds, and expect no deviation."""
        assert not self.checker.judge_image_command(function, **arguments).deviations
        self.executed.add(function)

    def write(self) -> None:
        """Write random bytes to a region of an image, on the model and on the naive texels."""
        name = self.draw_image()
        (origin,), region = self.draw_region(name)
        places = list_texels(origin, region)
        content = self.data.draw(st.binary(min_size=len(places), max_size=len(places)))
        where: dict[str, Value] = {"origin": ElementList(origin), "region": ElementList(region), "ptr": Data(content)}
        self.enqueue("clEnqueueWriteImage", image=Handle(name), **where)
        self.texels[name] |= dict(zip(places, content, strict=True))

    def fill(self) -> None:
        """Fill a region of an image, on the model and on the naive texels."""
        name = self.draw_image()
        (origin,), region = self.draw_region(name)
        byte = self.data.draw(st.integers(0, 255))
        colour = Data(byte.to_bytes(4, "little") + bytes(12))
        where: dict[str, Value] = {"origin": ElementList(origin), "region": ElementList(region), "fill_color": colour}
        self.enqueue("clEnqueueFillImage", image=Handle(name), **where)
        self.texels[name] |= dict.fromkeys(list_texels(origin, region), byte)

    def copy(self) -> None:
        """Copy a region between two images, on the model and on the naive texels."""
        source, target = self.data.draw(st.permutations(sorted(self.types)))[:2]
        (src, dst), region = self.draw_region(source, target)
        where: dict[str, Value] = {
            "src_origin": ElementList(src),
            "dst_origin": ElementList(dst),
            "region": ElementList(region),
        }
        self.enqueue("clEnqueueCopyImage", src_image=Handle(source), dst_image=Handle(target), **where)
        for here, there in zip(list_texels(src, region), list_texels(dst, region), strict=True):
            self.texels[target].pop(there, None)
            if here in self.texels[source]:
                self.texels[target][there] = self.texels[source][here]

    def copy_to_buffer(self) -> None:
        """Copy a region of an image to the buffer, if all texels of the region are known."""
        name = self.draw_image()
        (origin,), region = self.draw_region(name)
        places = list_texels(origin, region)
        if any(place not in self.texels[name] for place in places):
            return
        offset = self.data.draw(st.integers(0, BUFFER_BYTES - len(places)))
        where: dict[str, Value] = {
            "src_origin": ElementList(origin),
            "region": ElementList(region),
            "dst_offset": offset,
        }
        self.enqueue("clEnqueueCopyImageToBuffer", src_image=Handle(name), dst_buffer=BUFFER, **where)
        self.buffer[offset : offset + len(places)] = [self.texels[name][place] for place in places]

    def copy_from_buffer(self) -> None:
        """Copy bytes of the buffer to a region of an image."""
        name = self.draw_image()
        (origin,), region = self.draw_region(name)
        places = list_texels(origin, region)
        offset = self.data.draw(st.integers(0, BUFFER_BYTES - len(places)))
        where: dict[str, Value] = {
            "dst_origin": ElementList(origin),
            "region": ElementList(region),
            "src_offset": offset,
        }
        self.enqueue("clEnqueueCopyBufferToImage", src_buffer=BUFFER, dst_image=Handle(name), **where)
        self.texels[name] |= dict(zip(places, self.buffer[offset:], strict=False))

    def compare(self) -> None:
        """Compare all texels and all bytes of the buffer with the model."""
        for name, kind in self.types.items():
            image = self.checker.world.model.get(Image, Handle(name))
            assert image.memory is not None
            kept = image.memory.storage.read(image.memory.spans(0, image.memory.size))
            for at, place in enumerate(list_texels((0, 0, 0), EXTENTS[kind])):
                known = self.texels[name].get(place)
                assert bool(kept.defined[at]) == (known is not None), (name, place)
                assert known is None or kept.bytes_held[at] == known, (name, place)
        read: dict[str, Value] = {
            "buffer": BUFFER,
            "offset": 0,
            "size": BUFFER_BYTES,
            "ptr": OutputBuffer(BUFFER_BYTES),
        }
        assert not self.checker.judge_command("clEnqueueReadBuffer", bytes(self.buffer), **read).deviations


COMMANDS = (
    NaiveImages.write,
    NaiveImages.fill,
    NaiveImages.copy,
    NaiveImages.copy_to_buffer,
    NaiveImages.copy_from_buffer,
)


def run_sequence(data: st.DataObject) -> NaiveImages:
    """Execute random commands on the model and the naive images, and compare both after each command."""
    naive = NaiveImages(data)
    naive.create_objects()
    for step in data.draw(st.lists(st.sampled_from(COMMANDS), min_size=1, max_size=MAX_COMMANDS)):
        step(naive)
        naive.compare()
    return naive


@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_model_knows_the_same_texels_as_naive_dictionary(data: st.DataObject) -> None:
    run_sequence(data)


def test_each_image_command_occurs_in_some_random_sequence() -> None:
    done: set[str] = set()

    @settings(max_examples=40, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def count(data: st.DataObject) -> None:
        done.update(run_sequence(data).executed)

    count()
    between = ("Write", "Fill", "Copy")
    assert done == {*(f"clEnqueue{each}Image" for each in between), *TRANSFERS}


TRANSFERS = ("clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage")
