"""Each fault of image transfers is found by table-driven items that target the violated requirement.

The complete runs in ``tests/simulator`` show that nothing is found without a fault.
"""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import pytest

from clconform.harness import Target
from clconform.runner.journal.recorder import Recorder
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.session.session import Session
from clconform.selftest.faults import image_creation, image_transfers
from clconform.selftest.trial import run_item
from clconform.spec_tables import load

from ..suite_items import collect_suite_items  # noqa: TID252 (tests are not part of the installed package)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from clconform.runner.pytest_plugin.item_collection import SuiteItem

# For each fault, the pattern of the first requirement of the items to run, and the requirement that deviates, which
# belongs to the commands that moved the bytes.
EXPECTED = {
    "slice-to-layer-copy-reversed": ("clEnqueueCopyImage/*", "clEnqueueCopyImage/success"),
    "image-map-origin-ignored": ("clEnqueueMapImage/*", "clEnqueueWriteImage/success"),
    "image-fill-one-texel-too-wide": ("clEnqueueFillImage/*", "clEnqueueWriteImage/success"),
    "host-ptr-row-pitch-ignored": ("clCreateImage/*", "clCreateImage/success"),
    "image-from-buffer-is-copy": ("clCreateImage/*", "clEnqueueWriteImage/success"),
    "image-read-corrupts-padding": ("clEnqueueReadImage/*", "clEnqueueReadImage/success"),
    "buffer-to-image-offset-ignored": ("clEnqueueCopyImageToBuffer/*", "clEnqueueCopyBufferToImage/success"),
    "required-format-omitted": ("clGetSupportedImageFormats/*", "CL_RGBA/CL_SIGNED_INT16/read-or-write"),
    "slice-pitch-reported-without-padding": ("clGetImageInfo/success", "CL_IMAGE_SLICE_PITCH"),
    "one-layer-above-limit-accepted": ("clCreateImage/CL_INVALID_IMAGE*", "clCreateImage/CL_INVALID_IMAGE_SIZE/1"),
}
FOLDERS = ("chapters/images", "chapters/image_formats", "queries", "errors")


def test_every_image_transfer_fault_has_an_expected_result() -> None:
    assert {*image_transfers.faults.entries, *image_creation.faults.entries} == set(EXPECTED)


@pytest.fixture(scope="module")
def suite_items() -> list[SuiteItem]:
    """Return the items of the suites that can find these faults."""
    return [item for folder in FOLDERS for item in collect_suite_items(SUITES / folder)]


def run_until_deviation(fault: str, suite_items: Iterable[SuiteItem]) -> set[str]:
    """Run items on a simulated platform until one finds a deviation; return the requirements that deviate."""
    recorder = Recorder(None)
    session = Session(Target.simulated("everything", *(("--fault", fault) if fault else ())), load(), recorder)
    try:
        for item in suite_items:
            if not session.find_inapplicability(item.requirements[0]):
                run_item(item, session)
            if recorder.deviations:
                break
    finally:
        session.close()
    return {requirement for deviation in recorder.deviations.values() for requirement in deviation.requirements}


@pytest.mark.parametrize("fault", EXPECTED)
def test_image_transfer_fault_causes_the_expected_deviation(fault: str, suite_items: list[SuiteItem]) -> None:
    pattern, requirement = EXPECTED[fault]
    assert requirement in run_until_deviation(
        fault, (item for item in suite_items if fnmatchcase(item.requirements[0], pattern))
    )
