"""The journal line about image formats: the formats that contexts list, and the images that calls request."""

from __future__ import annotations

import msgspec

from clconform.calls.journal import Count


class ListedFormats(msgspec.Struct, frozen=True):
    """The image formats that a context listed for some flags and an image type; all fields are numeric values.

    ``formats``: pairs of a channel order and a channel data type.
    """

    flags: int
    image_type: int
    formats: list[tuple[int, int]]


class RequestedFormat(msgspec.Struct, frozen=True):
    """The attempts of an item to create images of one type and format; ``flags``: only those for access by kernels.

    ``requested``: the number of attempts. ``created``: the number of created images. ``deviating``: the number of
    outcomes that were deviations.
    """

    flags: int
    image_type: int
    order: int
    data_type: int
    requested: Count
    created: Count
    deviating: Count


class FormatLine(msgspec.Struct, frozen=True, tag_field="line", tag="image-formats"):
    """The lists of image formats that an item was the first to query, and the images that it tried to create."""

    item: str
    listed: list[ListedFormats] = []
    requested: list[RequestedFormat] = []
