"""Image contents of the model, compared with a naive dictionary of texels over random sequences of commands.

A naive image is a dictionary from coordinates to a byte; a naive buffer is a list. They have no steps, spans or views:
each command is applied texel by texel. The model must know exactly the texels in the dictionary.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer, Value
from clconform.oracles.model.images import Image

from .test_image_contents import EXTENTS, Gallery

Coordinates = tuple[int, int, int]
BUFFER, ROOM = Handle("mem9"), 80
LONGEST = 8


def box(origin: Coordinates, region: Coordinates) -> list[Coordinates]:
    """Return the texels of a region, in the order of a copy."""
    x, y, z = origin
    width, height, depth = region
    return [(x + i, y + j, z + k) for k in range(depth) for j in range(height) for i in range(width)]


@dataclass
class Naive:
    """The images and the buffer of a sequence, both on the model and texel by texel."""

    draw: st.DataObject
    desk: Gallery = field(default_factory=Gallery)
    types: dict[str, str] = field(default_factory=dict)
    held: dict[str, dict[Coordinates, int]] = field(default_factory=dict)
    buffer: list[int] = field(default_factory=lambda: list(range(100, 100 + ROOM)))
    done: set[str] = field(default_factory=set)

    def begin(self) -> None:
        """Create a buffer and three images of random types."""
        self.desk.buffer("CL_MEM_COPY_HOST_PTR", host=Data(bytes(self.buffer)), name=BUFFER.name, size=ROOM)
        for name in ("mem1", "mem2", "mem3"):
            self.types[name] = self.draw.draw(st.sampled_from(list(EXTENTS)))
            self.held[name] = {}
            self.desk.image(self.types[name], name)

    def some_image(self) -> str:
        """Draw an image."""
        return self.draw.draw(st.sampled_from(sorted(self.types)))

    def some_region(self, *names: str) -> tuple[list[Coordinates], Coordinates]:
        """Draw a region that fits into some images, with its origin in each."""
        sizes = [EXTENTS[self.types[name]] for name in names]
        region = tuple(self.draw.draw(st.integers(1, min(each))) for each in zip(*sizes, strict=True))
        origins = [
            tuple(self.draw.draw(st.integers(0, most - size)) for most, size in zip(extent, region, strict=True))
            for extent in sizes
        ]
        return origins, region  # type: ignore[return-value]

    def enqueue(self, function: str, **arguments: Value) -> None:
        """Judge a command that succeeds, and expect no deviation."""
        assert not self.desk.enqueue(function, **arguments).deviations
        self.done.add(function)

    def write(self) -> None:
        """Write bytes into a region."""
        name = self.some_image()
        (origin,), region = self.some_region(name)
        places = box(origin, region)
        content = self.draw.draw(st.binary(min_size=len(places), max_size=len(places)))
        where: dict[str, Value] = {"origin": ElementList(origin), "region": ElementList(region), "ptr": Data(content)}
        self.enqueue("clEnqueueWriteImage", image=Handle(name), **where)
        self.held[name] |= dict(zip(places, content, strict=True))

    def fill(self) -> None:
        """Fill a region."""
        name = self.some_image()
        (origin,), region = self.some_region(name)
        byte = self.draw.draw(st.integers(0, 255))
        colour = Data(byte.to_bytes(4, "little") + bytes(12))
        where: dict[str, Value] = {"origin": ElementList(origin), "region": ElementList(region), "fill_color": colour}
        self.enqueue("clEnqueueFillImage", image=Handle(name), **where)
        self.held[name] |= dict.fromkeys(box(origin, region), byte)

    def copy(self) -> None:
        """Copy a region between two images."""
        source, target = self.draw.draw(st.permutations(sorted(self.types)))[:2]
        (src, dst), region = self.some_region(source, target)
        where: dict[str, Value] = {
            "src_origin": ElementList(src),
            "dst_origin": ElementList(dst),
            "region": ElementList(region),
        }
        self.enqueue("clEnqueueCopyImage", src_image=Handle(source), dst_image=Handle(target), **where)
        for here, there in zip(box(src, region), box(dst, region), strict=True):
            self.held[target].pop(there, None)
            if here in self.held[source]:
                self.held[target][there] = self.held[source][here]

    def to_the_buffer(self) -> None:
        """Copy a region to the buffer, if all of it is known."""
        name = self.some_image()
        (origin,), region = self.some_region(name)
        places = box(origin, region)
        if any(place not in self.held[name] for place in places):
            return
        offset = self.draw.draw(st.integers(0, ROOM - len(places)))
        where: dict[str, Value] = {
            "src_origin": ElementList(origin),
            "region": ElementList(region),
            "dst_offset": offset,
        }
        self.enqueue("clEnqueueCopyImageToBuffer", src_image=Handle(name), dst_buffer=BUFFER, **where)
        self.buffer[offset : offset + len(places)] = [self.held[name][place] for place in places]

    def from_the_buffer(self) -> None:
        """Copy bytes of the buffer to a region."""
        name = self.some_image()
        (origin,), region = self.some_region(name)
        places = box(origin, region)
        offset = self.draw.draw(st.integers(0, ROOM - len(places)))
        where: dict[str, Value] = {
            "dst_origin": ElementList(origin),
            "region": ElementList(region),
            "src_offset": offset,
        }
        self.enqueue("clEnqueueCopyBufferToImage", src_buffer=BUFFER, dst_image=Handle(name), **where)
        self.held[name] |= dict(zip(places, self.buffer[offset:], strict=False))

    def compare(self) -> None:
        """Compare all texels and all bytes of the buffer with the model."""
        for name, kind in self.types.items():
            image = self.desk.world.model.get(Image, Handle(name))
            assert image.memory is not None
            kept = image.memory.storage.read(image.memory.spans(0, image.memory.size))
            for at, place in enumerate(box((0, 0, 0), EXTENTS[kind])):
                known = self.held[name].get(place)
                assert bool(kept.defined[at]) == (known is not None), (name, place)
                assert known is None or kept.bytes_held[at] == known, (name, place)
        read: dict[str, Value] = {"buffer": BUFFER, "offset": 0, "size": ROOM, "ptr": OutputBuffer(ROOM)}
        assert not self.desk.do("clEnqueueReadBuffer", bytes(self.buffer), **read).deviations


STEPS = (Naive.write, Naive.fill, Naive.copy, Naive.to_the_buffer, Naive.from_the_buffer)


def sequence(data: st.DataObject) -> Naive:
    """Run a random sequence of commands on both, and compare after each command."""
    naive = Naive(data)
    naive.begin()
    for step in data.draw(st.lists(st.sampled_from(STEPS), min_size=1, max_size=LONGEST)):
        step(naive)
        naive.compare()
    return naive


@settings(max_examples=60, deadline=None, database=None, suppress_health_check=list(HealthCheck))
@given(st.data())
def test_the_model_knows_exactly_the_texels_that_a_dictionary_has(data: st.DataObject) -> None:
    sequence(data)


def test_each_command_takes_place_in_some_sequence() -> None:
    done: set[str] = set()

    @settings(max_examples=40, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(st.data())
    def count(data: st.DataObject) -> None:
        done.update(sequence(data).done)

    count()
    between = ("Write", "Fill", "Copy")
    assert done == {*(f"clEnqueue{each}Image" for each in between), *TRANSFERS}


TRANSFERS = ("clEnqueueCopyImageToBuffer", "clEnqueueCopyBufferToImage")
