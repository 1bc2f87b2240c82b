"""``python -m tests.texels LIBRARY`` compares each texel value that a driver's kernels read with two conversions.

It reads each value of channels of up to 16 bits, including half, packed and sRGB channels. The first conversion is the
oracle's; the second is ``tests/oracles/exact_texels.py``, in exact fractions.
"""

from __future__ import annotations

import itertools
import math
import struct
import sys
from fractions import Fraction
from typing import TYPE_CHECKING

import click
import pytest

from clconform.calls.call import Returned
from clconform.calls.values import OutputBuffer
from clconform.harness import Target
from clconform.harness.deadlines import Deadlines
from clconform.oracles.contents.storage import defined_bytes
from clconform.oracles.contents.texels import read_texel
from clconform.oracles.model.image_kernels import COLOUR_BYTES, ImageOperation
from clconform.runner.session.observer import SessionObserver
from clconform.runner.session.session import Session
from clconform.spec_tables import load
from clconform.suites.chapters.images.kernel_kit import READ_ONLY, ImageKit, get_layout

from .oracles import exact_texels as exact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.suites.chapters.images.kernel_kit import Format

PLANE = "CL_MEM_OBJECT_IMAGE2D"
IMAGE_SIDE = 64
"""Width of the images from which texels are read, and their maximum height."""
WIDEST_BITS = 16
"""Bits of the widest channel whose values are all read."""
NARROW_BITS = 8
"""Bits of the widest channel whose values are read in each channel order."""
DEADLINE_SCALE = 20
"""Factor on the usual deadlines of a driver."""
HALF_STEP, UNIT_AND_A_HALF = Fraction(1, 2), Fraction(3, 2)
SMALLEST_NORMAL = Fraction(1, 1 << 14)
"""The smallest normal half; drivers may read smaller values as 0."""


@click.command()
@click.argument("library")
@click.option("--shown", default=3, show_default=True, help="how many wrong texels of a format are printed")
def compare_texels(library: str, shown: int) -> None:
    """Read every value with kernels of the driver in LIBRARY, which may also be the name of a simulated platform.

    Exit code 1: some values differ from either conversion.
    """
    target = Target.driver(library) if "/" in library else Target.simulated(library)
    session = Session(target, load(), SessionObserver(), deadlines=Deadlines().scaled(DEADLINE_SCALE))
    wrong = 0
    try:
        session.begin_example()
        listed = ImageKit(session).get_formats(PLANE, READ_ONLY)
        for each in _distinct_formats(listed):
            wrong += _compare_format(session, each, shown)
    finally:
        session.close()
    sys.exit(1 if wrong else 0)


def _distinct_formats(listed: list[Format]) -> Iterator[Format]:
    """Yield the formats to read. Formats with wide channels are included once for each channel data type."""
    wide: set[str] = set()
    for image_format in listed:
        most = max(channel.bits for channel in get_layout(image_format).channels)
        if most <= WIDEST_BITS and image_format[1] not in wide:
            yield image_format
            wide.update([image_format[1]] if most > NARROW_BITS else [])


def _compare_format(session: Session, image_format: Format, shown: int) -> int:
    """Print the number of values of a format that a driver reads incorrectly, and return it."""
    of_texel = get_layout(image_format)
    count, wrong, inexact = 0, [], []
    try:
        for raw, colour in _read_texels(session, image_format):
            count += 1
            fields = read_texel(of_texel, defined_bytes(raw))
            if not all(field is None or field.accepts(number) for field, number in zip(fields, colour, strict=True)):
                wrong.append((raw, colour))
            if not _matches_exactly(image_format, raw, colour):
                inexact.append((raw, colour))
    except pytest.skip.Exception as skipped:
        click.echo(f"{' '.join(image_format)}: {skipped}")
        return 0
    click.echo(f"{' '.join(image_format)}: {count} texels, {len(wrong)} wrong, {len(inexact)} by exact fractions")
    for raw, colour in dict.fromkeys((*wrong[:shown], *inexact[:shown])):
        expected = " ".join(
            "?" if field is None else f"{field.preferred:#x}" for field in read_texel(of_texel, defined_bytes(raw))
        )
        click.echo(f"  {raw.hex()}: {' '.join(f'{number:#x}' for number in colour)}, expected {expected}")
    return len(wrong) + len(inexact)


def _read_texels(session: Session, image_format: Format) -> Iterator[tuple[bytes, tuple[int, ...]]]:
    """Yield each texel of a format with the four numbers that a kernel read."""
    every, size = exact.generate_texels(*image_format), get_layout(image_format).size
    session.begin_example()
    kit = ImageKit(session)
    while listed := list(itertools.islice(every, IMAGE_SIDE * IMAGE_SIDE)):
        rows = -(-len(listed) // IMAGE_SIDE)
        image = kit.create_image(PLANE, image_format, READ_ONLY, image_width=IMAGE_SIDE, image_height=rows)
        kit.put_texels(image, b"".join(listed).ljust(IMAGE_SIDE * rows * size, b"\0"))
        colours = kit.buffer(size=COLOUR_BYTES * IMAGE_SIDE * rows)
        kit.run_kernel(
            kit.get_image_kernel(ImageOperation.READ, PLANE, image_format), IMAGE_SIDE * rows, image, colours
        )
        room = OutputBuffer(COLOUR_BYTES * IMAGE_SIDE * rows)
        outcome = kit.enqueue("clEnqueueReadBuffer", buffer=colours, offset=0, size=room.count, ptr=room)
        if not isinstance(outcome, Returned) or outcome.value != 0:
            pytest.skip("the driver does not read the texels")
        seen = outcome.outputs["ptr"].raw
        yield from zip(listed, struct.iter_unpack("<4I", seen), strict=False)
    session.finish_example()


def _matches_exactly(image_format: Format, raw: bytes, colour: tuple[int, ...]) -> bool:
    """Return whether numbers match the exact conversion within the tolerances of OpenCL C."""
    order, channel_type = image_format
    values = exact.decode_texel(order, channel_type, raw)
    if "SIGNED_INT" in channel_type:
        return [value % (1 << 32) for value in values if isinstance(value, Fraction)] == list(colour)
    used = colour[:1] if order == "CL_DEPTH" else colour
    colours = 3 if order.startswith("CL_s") else 0
    return all(
        _is_close(value, number, curved=channel < colours)
        for channel, (value, number) in enumerate(zip(values, used, strict=False))
    )


def _is_close(value: exact.ChannelValue, number: int, *, curved: bool) -> bool:
    """Return whether ``number``, the bits of a float, is within the tolerance of OpenCL C for an exact value."""
    (seen,) = struct.unpack("<f", struct.pack("<I", number))
    if isinstance(value, exact.SpecialValue):
        return math.isnan(seen) if value is exact.SpecialValue.NAN else number in (0x7F800000, 0xFF800000)
    if not math.isfinite(seen):
        return False
    if isinstance(value, exact.FractionBounds) or curved:
        on_curve = exact.encode_srgb(min(max(Fraction(seen), Fraction(0)), Fraction(1)))
        stored = exact.encode_srgb(value.low if isinstance(value, exact.FractionBounds) else value)
        return abs(on_curve.low - stored.low) * 255 <= HALF_STEP + Fraction(1, 1000)
    if value in (-1, 0, 1):
        return Fraction(seen) == value
    if abs(value) < SMALLEST_NORMAL and seen == 0:
        return True
    unit = Fraction(2) ** (math.frexp(float(value))[1] - 24)
    return abs(Fraction(seen) - value) <= UNIT_AND_A_HALF * unit


if __name__ == "__main__":
    compare_texels()
