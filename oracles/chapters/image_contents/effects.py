"""What commands on images do to their texels (sections 5.3.4 to 5.3.7)."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clconform.calls.values import Data, OutputBuffer
from clconform.oracles.chapters.memory_objects.effects import mapping
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.fill_colours import colour_bytes, storing
from clconform.oracles.contents.image_places import (
    as_stored,
    forget_gaps,
    has_gaps,
    image_of,
    in_host_memory,
    mapped_rows,
    texels,
)
from clconform.oracles.contents.maps import reach
