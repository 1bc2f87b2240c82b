"""Each fault of image contents is found by the suite that moves texels of every image type with every command."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.selftest.faults import image_contents
from clconform.suites.chapters.images.test_transfers import cases

from .attribution import get_messages

if TYPE_CHECKING:
    from clconform.runner.pytest_plugin.covers import TableCase

# For each fault, words in the names of the items to run, and the expected message (for a stale map, its step).
EXPECTED = {
    "image-read-row-pitch-ignored": ("ReadImage and IMAGE3D", "clEnqueueReadImage/success: "),
    "last-slice-lost": ("WriteImage and IMAGE3D", "clEnqueueWriteImage/success: "),
    "texel-written-in-next-layer": ("FillImage and IMAGE2D_ARRAY", "Image/success: "),
    "image-maps-stale": ("MapImage and IMAGE1D_ARRAY", "of the example: host_read("),
    "copy-goes-to-first-layer": ("CopyImage and IMAGE3D and IMAGE2D_ARRAY", "Image/success: "),
    "written-channels-swapped": ("WriteImage and IMAGE1D", "clEnqueueWriteImage/success: "),
}


def test_every_image_content_fault_has_an_expected_result() -> None:
    named = set(image_contents.faults.entries)
    assert named == set(EXPECTED)


def select_items(words: str) -> list[TableCase]:
    """Return the items whose ids contain all of the words, which are separated by " and "."""
    return [case for case in cases() if all(word.lower() in case.id.lower() for word in words.split(" and "))]


@pytest.mark.parametrize("fault", EXPECTED)
def test_image_content_fault_causes_the_expected_deviation(fault: str) -> None:
    words, told = EXPECTED[fault]
    assert told in get_messages("everything", fault, select_items(words), told)


def test_conforming_platform_has_no_deviation() -> None:
    assert select_items("IMAGE3D")
    assert not get_messages("everything", "", select_items("IMAGE3D"))
