"""Tracks listed image formats and attempts to create images, so that a report can show both in one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.journal import FormatLine, ListedFormats, TriedFormat
from clconform.calls.values import Items

if TYPE_CHECKING:
    from clconform.calls.call import Call, Outcome

LIST = "clGetSupportedImageFormats"
TYPES = {"clCreateImage2D": 0x10F1, "clCreateImage3D": 0x10F2}
"""The functions that create images of one type, with that type; others receive the type in image_desc."""
CREATING = ("clCreateImage", "clCreateImageWithProperties", *TYPES)
READ_WRITE, ACCESS = 1, 1 | 2 | 4
"""The flag for read-write access by kernels, and the mask of all access flags."""
MOST = 1000
"""Maximum number of formats stored per list, and of images per item."""
_Pairs = list[tuple[int, int]]


class Formats:
    """The image formats of a run: each list once, again only if it grows, and the images of each item."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], _Pairs] = {}
        self.begin()

    def begin(self) -> None:
        """Start a new item."""
        self._listed: dict[tuple[int, int], _Pairs] = {}
        self._tried: dict[tuple[int, int, int, int], list[int]] = {}

    def saw(self, call: Call, outcome: Outcome, *, wrong: bool) -> None:
        """Record a call if it lists formats or creates an image; ``wrong``: its outcome is a deviation."""
        if call.function == LIST:
            self._list(call, outcome)
        elif call.function in CREATING:
            self._image(call, outcome, wrong=wrong)

    def line(self, item: str) -> FormatLine | None:
        """Return the item's line, or None if it has nothing to record."""
        if not self._listed and not self._tried:
            return None
        listed = [ListedFormats(*use, formats) for use, formats in self._listed.items()]
        return FormatLine(item, listed, [TriedFormat(*what, *counts) for what, counts in self._tried.items()])

    def _list(self, call: Call, outcome: Outcome) -> None:
        flags, image_type = call.arguments.get("flags"), call.arguments.get("image_type")
        if not isinstance(flags, int) or not isinstance(image_type, int) or not isinstance(outcome, Returned):
            return
        output = outcome.outputs.get("image_formats")
        values = output.values if output is not None and outcome.value == 0 else []
        pairs: _Pairs = []
        for order, data_type in zip(values[::2], values[1::2], strict=False):
            if not isinstance(order, int) or not isinstance(data_type, int) or len(pairs) == MOST:
                break
            pairs.append((order, data_type))
        if len(pairs) > len(self._known.get((flags, image_type), [])):
            self._known[flags, image_type] = self._listed[flags, image_type] = pairs

    def _image(self, call: Call, outcome: Outcome, *, wrong: bool) -> None:
        channels, flags = call.arguments.get("image_format"), call.arguments.get("flags")
        described = call.arguments.get("image_desc")
        image_type = described.values[0] if isinstance(described, Items) else TYPES.get(call.function)
        numbers = channels.values if isinstance(channels, Items) else ()
        if not isinstance(flags, int) or not isinstance(image_type, int) or len(numbers) != len(("order", "type")):
            return
        order, data_type = numbers
        if not isinstance(order, int) or not isinstance(data_type, int):
            return
        key = (flags & ACCESS or READ_WRITE, image_type, order, data_type)
        if key not in self._tried and len(self._tried) == MOST:
            return
        counts = self._tried.setdefault(key, [0, 0, 0])
        made = isinstance(outcome, Returned) and outcome.value is not None
        for index, count in enumerate((True, made, wrong)):
            counts[index] += count
