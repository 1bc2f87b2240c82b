"""Contributes the image formats that drivers list, and the images that calls create, to the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.call import Returned
from clconform.calls.image_formats import FormatLine, ListedFormats, RequestedFormat
from clconform.calls.values import ElementList
from clconform.runner.journal.line_contributor import LineContributor

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.calls.call import Call, Outcome, Step
    from clconform.oracles.engine.judgements import Judgement

LIST_FUNCTION = "clGetSupportedImageFormats"
TYPES_BY_FUNCTION = {"clCreateImage2D": 0x10F1, "clCreateImage3D": 0x10F2}
"""Maps functions for images of a single type to that type; other functions receive the type in image_desc."""
CREATION_FUNCTIONS = ("clCreateImage", "clCreateImageWithProperties", *TYPES_BY_FUNCTION)
READ_WRITE_FLAG, ACCESS_MASK = 1, 1 | 2 | 4
"""The flag for read and write access by kernels, and the mask of all access flags."""
MAX_FORMATS = 1000
"""Maximum number of stored formats per list, and of stored images per item."""
_FormatPairs = list[tuple[int, int]]


class FormatContributor(LineContributor):
    """Contributes each list of image formats when it first occurs or grows, and the images that each item creates."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, int], _FormatPairs] = {}
        self.begin_item()

    def begin_item(self) -> None:
        """Start a new item, without formats and images."""
        self._listed: dict[tuple[int, int], _FormatPairs] = {}
        self._tried: dict[tuple[int, int, int, int], list[int]] = {}

    def on_judged_call(self, call: Call, outcome: Outcome, judgement: Judgement, steps: Sequence[Step]) -> None:
        """Record a call if it lists image formats or creates an image."""
        del steps
        if call.function == LIST_FUNCTION:
            self._record_list(call, outcome)
        elif call.function in CREATION_FUNCTIONS:
            self._record_image(call, outcome, is_deviation=bool(judgement.deviations))

    def end_item(self, item: str) -> Iterator[FormatLine]:
        """Yield the line with the formats and images of an item, if any."""
        if self._listed or self._tried:
            listed = [ListedFormats(*use, formats) for use, formats in self._listed.items()]
            yield FormatLine(item, listed, [RequestedFormat(*what, *counts) for what, counts in self._tried.items()])

    def _record_list(self, call: Call, outcome: Outcome) -> None:
        flags, image_type = call.arguments.get("flags"), call.arguments.get("image_type")
        if not isinstance(flags, int) or not isinstance(image_type, int) or not isinstance(outcome, Returned):
            return
        output = outcome.outputs.get("image_formats")
        values = output.values if output is not None and outcome.value == 0 else []
        pairs: _FormatPairs = []
        for order, data_type in zip(values[::2], values[1::2], strict=False):
            if not isinstance(order, int) or not isinstance(data_type, int) or len(pairs) == MAX_FORMATS:
                break
            pairs.append((order, data_type))
        if len(pairs) > len(self._known.get((flags, image_type), [])):
            self._known[flags, image_type] = self._listed[flags, image_type] = pairs

    def _record_image(self, call: Call, outcome: Outcome, *, is_deviation: bool) -> None:
        channels, flags = call.arguments.get("image_format"), call.arguments.get("flags")
        described = call.arguments.get("image_desc")
        image_type = described.values[0] if isinstance(described, ElementList) else TYPES_BY_FUNCTION.get(call.function)
        numbers = channels.values if isinstance(channels, ElementList) else ()
        if not isinstance(flags, int) or not isinstance(image_type, int) or len(numbers) != len(("order", "type")):
            return
        order, data_type = numbers
        if not isinstance(order, int) or not isinstance(data_type, int):
            return
        key = (flags & ACCESS_MASK or READ_WRITE_FLAG, image_type, order, data_type)
        if key not in self._tried and len(self._tried) == MAX_FORMATS:
            return
        counts = self._tried.setdefault(key, [0, 0, 0])
        made = isinstance(outcome, Returned) and outcome.value is not None
        for index, count in enumerate((True, made, is_deviation)):
            counts[index] += count
