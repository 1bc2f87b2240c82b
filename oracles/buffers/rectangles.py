"""Commands on rectangles of a buffer: bounds, pitches and overlaps (section 5.2.2, Appendix D)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.oracles.answers import Answer, May, Reply, UnknownError
from clconform.oracles.buffers.ranges import of_one_buffer
from clconform.oracles.rules import clause

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model import Model

READ, WRITE, COPY = (f"clEnqueue{verb}BufferRect" for verb in ("Read", "Write", "Copy"))
Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Rectangle:
    """A rectangle in memory, in bytes: where it begins, how large it is, and the pitches as they are to be used."""

    origin: Triple
    region: Triple
    row_pitch: int
    slice_pitch: int

    @property
    def start(self) -> int:
        """Return the offset of its first byte."""
        return self.origin[2] * self.slice_pitch + self.origin[1] * self.row_pitch + self.origin[0]

    @property
    def end(self) -> int:
        """Return the offset behind its last byte; where it begins if it has no byte."""
        width, height, depth = self.region
        if 0 in self.region:
            return self.start
        return self.start + (depth - 1) * self.slice_pitch + (height - 1) * self.row_pitch + width


def rectangle(call: Call, side: str) -> Rectangle:
    """Return the rectangle on one side of a call: ``buffer``, ``host``, ``src`` or ``dst``; UnknownError if not given."""
    origin, region = triple(call.arguments[f"{side}_origin"]), triple(call.arguments["region"])
    row, slices = pitches(call, side)
    row = row or region[0]
    return Rectangle(origin, region, row, slices or region[1] * row)


def pitches(call: Call, side: str) -> tuple[int, int]:
    """Return the pitch of rows and of slices as one side of a call gives them, 0 for a tight one."""
    row, slices = (call.arguments[f"{side}_{name}_pitch"] for name in ("row", "slice"))
    if not isinstance(row, int) or not isinstance(slices, int):
        raise UnknownError("pitches")
    return row, slices


def triple(value: object) -> Triple:
    """Return three numbers; UnknownError where there are none."""
    numbers = [number for number in value.values if isinstance(number, int)] if isinstance(value, Items) else []
    if len(numbers) != len("xyz"):
        raise UnknownError("three numbers")
    x, y, z = numbers
    return x, y, z


@clause(f"{READ}/CL_INVALID_VALUE/2", f"{WRITE}/CL_INVALID_VALUE/2")
def rectangle_out_of_bounds(call: Call, model: Model) -> Reply:
    """The rectangle ends behind the buffer's end."""
    return rectangle(call, "buffer").end > model.child(call.buffer).size


@clause(f"{COPY}/CL_INVALID_VALUE/2")
def copied_rectangle_out_of_bounds(call: Call, model: Model) -> Reply:
    """The rectangle ends behind the end of the source, or behind that of the destination."""
    sides = (("src", call.src_buffer), ("dst", call.dst_buffer))
    return any(rectangle(call, side).end > model.child(buffer).size for side, buffer in sides)


@clause(*(f"{function}/CL_INVALID_VALUE/3" for function in (READ, WRITE, COPY)))
def nothing_in_the_region(call: Call, model: Model) -> Reply:
    """The region has a dimension of zero."""
    del model
    return 0 in triple(call.region)


@clause(f"{READ}/CL_INVALID_VALUE/6", f"{WRITE}/CL_INVALID_VALUE/6")
def buffer_slices_too_near(call: Call, model: Model) -> Reply:
    """Slices of the buffer are nearer than a slice is long, and not a whole number of rows apart."""
    del model
    return _read_or_written(_slices(call, "buffer"))


@clause(f"{READ}/CL_INVALID_VALUE/7", f"{WRITE}/CL_INVALID_VALUE/7")
def host_slices_too_near(call: Call, model: Model) -> Reply:
    """Slices in host memory are nearer than a slice is long, and not a whole number of rows apart."""
    del model
    return _read_or_written(_slices(call, "host"))


@clause(f"{COPY}/CL_INVALID_VALUE/6")
def source_slices_too_near(call: Call, model: Model) -> Reply:
    """Slices of the source are nearer than a slice is long, or not a whole number of rows apart."""
    del model
    return any(_slices(call, "src"))


@clause(f"{COPY}/CL_INVALID_VALUE/7")
def destination_slices_too_near(call: Call, model: Model) -> Reply:
    """Slices of the destination are nearer than a slice is long, or not a whole number of rows apart."""
    del model
    return any(_slices(call, "dst"))


def _slices(call: Call, side: str) -> tuple[bool, bool]:
    """Tell of a side whether its slices are too near, and whether they are no whole number of rows apart."""
    row, slices = pitches(call, side)
    width, height, _ = triple(call.region)
    row = row or width
    return 0 < slices < height * row, slices != 0 and row != 0 and slices % row != 0


def _read_or_written(wrong: tuple[bool, bool]) -> Reply:
    return Answer.MUST if all(wrong) else May("one-fault-of-slices") if any(wrong) else Answer.NO


@clause(f"{COPY}/CL_INVALID_VALUE/8")
def pitches_differ_in_one_buffer(call: Call, model: Model) -> Reply:
    """Source and destination are the same buffer, and neither pitch of the one is that of the other."""
    if model.child(call.src_buffer) is not model.child(call.dst_buffer):
        return Answer.NO
    given = [one != other for one, other in zip(pitches(call, "src"), pitches(call, "dst"), strict=True)]
    source, destination = rectangle(call, "src"), rectangle(call, "dst")
    used = (source.row_pitch != destination.row_pitch, source.slice_pitch != destination.slice_pitch)
    if all(given) and all(used):
        return Answer.MUST
    return May("one-pitch-differs") if any(given) or any(used) else Answer.NO


@clause(f"{COPY}/CL_MEM_COPY_OVERLAP/1")
def copied_rectangles_overlap(call: Call, model: Model) -> Reply:
    """Source and destination are the same buffer, and the rectangles overlap by the rule of Appendix D."""
    source, destination = model.child(call.src_buffer), model.child(call.dst_buffer)
    if source is not destination:
        return May("overlap-of-regions") if of_one_buffer(source, destination) else Answer.NO
    one, other = rectangle(call, "src"), rectangle(call, "dst")
    alike = (one.row_pitch, one.slice_pitch) == (other.row_pitch, other.slice_pitch)
    if not alike or 0 in one.region or max(one.end, other.end) > source.size:
        return May("rule-of-overlap")
    if not by_appendix_d(one, other):
        return Answer.NO
    return Answer.MUST if share_a_byte(one, other) else May("overlap-by-rule-only")


def by_appendix_d(one: Rectangle, other: Rectangle) -> bool:
    """Tell whether two rectangles of the same size and pitches overlap by the document's rule.

    They do not where one ends before the other begins, or where one fits into the gap that the other leaves between
    its rows, or between its slices.
    """
    width, height, _ = one.region
    row, slices = one.row_pitch, one.slice_pitch
    if other.end <= one.start or one.end <= other.start:
        return False
    rows = (one.origin[0] % row, other.origin[0] % row)
    planes = tuple((each.origin[1] * row + each.origin[0]) % slices for each in (one, other))
    return not (_in_the_gap(*rows, width, row) or _in_the_gap(planes[0], planes[1], (height - 1) * row + width, slices))


def _in_the_gap(first: int, second: int, length: int, pitch: int) -> bool:
    """Tell whether one of two stretches that repeat at a pitch lies wholly in the gap of the other."""
    ahead = first + length <= second and second + length <= first + pitch
    behind = second + length <= first and first + length <= second + pitch
    return ahead or behind


def share_a_byte(one: Rectangle, other: Rectangle) -> bool:
    """Tell whether any byte lies in both rectangles."""
    return not _bytes(one).isdisjoint(_bytes(other))


def _bytes(each: Rectangle) -> set[int]:
    width, height, depth = each.region
    return {
        each.start + z * each.slice_pitch + y * each.row_pitch + x
        for z in range(depth)
        for y in range(height)
        for x in range(width)
    }
